//! The native part of the Python package `rightcall`.
//!
//! `walk` and `scalar` convert Python objects to JSON text, `plain_objects` to values, `subject` and `walked_calls` to cases, `table`
//! converts rows; `reader` returns calls. `native` implements the drop-ins, and `judged` those of UiPath, with `recorded`, `span_calls`,
//! `span_criteria` and `exact` for the packages' own objects. `evaluator` and `evaluation` are the user-visible classes; `score` computes
//! many evaluations in a `batch`, which form a `run`. Their Python methods are in `evaluation_methods` and `run_methods`, because they use
//! all of these modules. `scan`, `results` and `suite` work on files, and `arrow` creates tables. `plain_value` compares values and pickles
//! them. Everything that can be written in Python is in `python/rightcall`.

mod arrow;
mod batch;
mod call_parts;
mod errors;
mod evaluation;
mod evaluation_methods;
mod evaluator;
mod exact;
mod guard;
mod incomplete;
mod judged;
mod learning;
mod native;
mod plain;
mod plain_objects;
mod plain_value;
mod progress;
mod reader;
mod recorded;
mod results;
mod rewards;
mod run;
mod run_methods;
mod scalar;
mod scan;
mod score;
mod settings;
mod span_calls;
mod span_criteria;
mod subject;
mod suite;
mod table;
mod values;
mod walk;
mod walked_calls;

use pyo3::prelude::*;

/// The native part of `rightcall`.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::arrow::result_columns;
    #[pymodule_export]
    use super::command;
    #[pymodule_export]
    use super::evaluation::Evaluation;
    #[pymodule_export]
    use super::evaluator::{Evaluator, evaluate, evaluators};
    #[pymodule_export]
    use super::guard::{RunGuard, rules_of_file};
    #[pymodule_export]
    use super::judged::{Judged, SpanEvaluator};
    #[pymodule_export]
    use super::learning::learn_runs;
    #[pymodule_export]
    use super::native::Native;
    #[pymodule_export]
    use super::plain_value::{evaluation_of_state, run_of_state};
    #[pymodule_export]
    use super::reader::read_calls;
    #[pymodule_export]
    use super::results::Results;
    #[pymodule_export]
    use super::rewards::ToolCallReward;
    #[pymodule_export]
    use super::run::Run;
    #[pymodule_export]
    use super::scan::Scan;
    #[pymodule_export]
    use super::score::{score_cases, score_table};
    #[pymodule_export]
    use super::settings::{edition, set_edition};
    #[pymodule_export]
    use super::suite::Suite;

    #[pymodule_init]
    #[expect(clippy::unnecessary_wraps, reason = "PyO3 asks for a result")]
    fn init(_module: &super::Bound<'_, super::PyModule>) -> super::PyResult<()> {
        rightcall_quality::use_tool_definitions();
        Ok(())
    }

    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}

/// Runs the command line with these arguments (the first is the program's name), and returns the exit code.
#[pyfunction]
fn command(py: Python<'_>, arguments: Vec<std::ffi::OsString>) -> u8 {
    py.detach(|| rightcall_cli::run(arguments))
}
