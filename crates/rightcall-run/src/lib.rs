//! Runs evaluators over files of cases.
//!
//! A [`Plan`] says what to score and how; [`run`] reads the inputs in blocks, scores the blocks in parallel and hands them,
//! in input order again, to the [`Sink`]s and the [`Summary`]. The same plan gives the same bytes for any number of threads,
//! and memory does not grow with the inputs. A [`Suite`] is a plan that a user has written down, with [`Gate`]s that
//! decide whether the run is good enough.

mod argument;
mod baseline;
mod case_key;
mod case_label;
mod case_rule;
mod cause;
mod cells;
mod change_gate;
mod configured;
mod convert;
mod duplicates;
mod editions;
mod expectations;
mod failed;
mod find;
mod findings;
mod gate;
mod line;
mod lowest;
mod names;
mod output;
mod plan;
mod printable;
mod read_results;
mod recording;
mod redaction;
mod result_line;
mod run;
mod scored;
mod scores;
mod select;
mod sink;
mod suite;
mod summary;
mod tools;
mod trials;
mod unfinished;

pub use argument::{ArgumentError, EvaluatorArgument};
pub use baseline::{Baseline, baseline_text};
pub use case_key::{CaseKey, meta_number};
pub use case_rule::{CaseRule, Unmatched};
pub use cause::{Cause, causes};
pub use cells::Cells;
pub use change_gate::{ChangeGate, ChangeStatistic};
pub use configured::Configured;
pub use convert::{Conversion, convert};
pub use editions::is_same_outcome;
pub use expectations::{
    Change, Ignored, Keep, Originals, Recorder, Review, RewriteError, review, rewrite,
};
pub use failed::FailedCases;
pub use find::{FoundCase, Search, find};
pub use findings::{CauseCount, EditionsDiffer, Findings, Investigation, NearName};
pub use gate::{Bound, Comparison, Gate, GateResult, Statistic, Subject, Trials};
pub use line::{JsonLines, Wanted, evaluation_json};
pub use lowest::{LowCase, Lowest};
pub use output::{FileError, Output};
pub use plan::{Plan, Selection, Traces, fresh_hash_key};
pub use printable::{page_text, printable, screen_text};
pub use read_results::{RecordedResults, ResultsError, ResultsOptions, read_records, read_results};
pub use recording::{CaseRecord, RecordedOutcome, ResultRecord};
pub use redaction::{BadPattern, Redaction};
pub use run::{BY_ORDER, Observer, Problem, RunError, run, run_opened};
pub use scored::{NearKeys, ScoredBlock};
pub use scores::{STEPS, Scores};
pub use select::{ExpectationRule, Filter, Grouping, MAX_CASES, Narrowing, Rank, Recording};
pub use sink::{CsvSink, JsonSink, LinesSink, Sink};
pub use suite::{EvalSet, Skipped, Suite, SuiteError, SuiteOptions, suite_schema};
pub use summary::{Decides, Ending, EvaluatorSummary, Failure, GroupSummary, Summary, labels};
pub use tools::{ToolUse, tools_of};
pub use trials::write_repeated;
pub use unfinished::{Unfinished, before_first_unfinished, remove_unfinished};
