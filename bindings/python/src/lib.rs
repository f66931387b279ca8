//! The native part of the Python package `rightcall`: values in, values out.
//!
//! `walk` and `scalar` turn Python objects into JSON text, `subject` and `walked_calls` into cases, `table` rows; `reader` gives calls back;
//! `native` serves the drop-ins, and `judged` UiPath's, with `recorded`, `span_calls`, `span_criteria` and `exact` for the packages' own
//! objects; `evaluator` and `evaluation` are what users hold in their hands, `score` makes a whole lot of evaluations, which `run` is;
//! their methods for Python stand apart, in `evaluation_methods` and `run_methods`, which take from all of these;
//! `scan`, `results` and `suite` are about files, `arrow` gives tables; `plain_value` compares values and sends them to other processes.
//! What can be written in Python is, under `python/rightcall`.

mod arrow;
mod errors;
mod evaluation;
mod evaluation_methods;
mod evaluator;
mod exact;
mod guard;
mod judged;
mod learning;
mod native;
mod plain;
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
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}

/// Runs the command line with these arguments, the name of the program first, and gives the exit code.
#[pyfunction]
fn command(py: Python<'_>, arguments: Vec<std::ffi::OsString>) -> u8 {
    py.detach(|| rightcall_cli::run(arguments))
}
