//! Runs evaluators over files of cases.
//!
//! A [`Plan`] says what to score and how; [`run`] reads the inputs in blocks, scores the blocks in parallel and hands them,
//! in input order again, to the [`Sink`]s and the [`Summary`]. The same plan gives the same bytes for any number of threads,
//! and memory does not grow with the inputs. A [`Suite`] is a plan that a user has written down, with [`Gate`]s that
//! decide whether the run is good enough.

mod argument;
mod baseline;
mod case_key;
mod case_rule;
mod cause;
mod cells;
mod change_gate;
mod configured;
mod convert;
mod duplicates;
mod editions;
mod expected;
mod failed;
mod filter;
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
mod recorder;
mod recording;
mod redaction;
mod result_line;
mod review;
mod run;
mod scored;
mod scores;
mod sink;
mod suite;
mod summary;
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
pub use expected::Expected;
pub use failed::FailedCases;
pub use filter::{Filter, Grouping};
pub use find::{FoundCase, Search, find};
pub use findings::{CauseCount, EditionsDiffer, Findings, Investigation, NearName};
pub use gate::{Bound, Comparison, Gate, GateResult, Statistic, Subject, Trials};
pub use line::{JsonLines, Wanted, evaluation_json};
pub use lowest::{LowCase, Lowest};
pub use output::{FileError, Output};
pub use plan::{Plan, Selection, Traces, fresh_hash_key};
pub use printable::{page_text, printable, screen_text};
pub use read_results::{RecordedResults, ResultsError, ResultsOptions, read_records, read_results};
pub use recorder::{Ignored, Keep, Recorder};
pub use recording::{
    CaseRecord, MAX_CASES, Narrowing, Rank, RecordedOutcome, Recording, ResultRecord, ToolUse,
    tools_of,
};
pub use redaction::{BadPattern, Redaction};
pub use review::{Change, Originals, Review, RewriteError, review, rewrite};
pub use run::{BY_ORDER, Observer, Problem, RunError, run, run_opened};
pub use scored::{NearKeys, ScoredBlock};
pub use scores::{STEPS, Scores};
pub use sink::{CsvSink, JsonSink, LinesSink, Sink};
pub use suite::{EvalSet, Skipped, Suite, SuiteError, SuiteOptions, suite_schema};
pub use summary::{Decides, Ending, EvaluatorSummary, Failure, GroupSummary, Summary, labels};
pub use trials::write_repeated;
pub use unfinished::{Unfinished, before_first_unfinished, remove_unfinished};
