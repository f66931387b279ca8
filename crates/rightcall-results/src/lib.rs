//! Results of cases, of runs and of gates: the same types for live runs, files, the history and every screen.
//!
//! A [`CaseResult`] has the results of one case, a [`RunSummary`] the results of a run. [`COLUMNS`] are the columns of every table
//! of results, [`LineWriter`] writes results as JSON and [`ResultLine`] reads them, [`CaseResult::worth`] ranks cases, worst first.
//! This crate never reads a file or a clock.

mod case_result;
mod cause;
mod gate_result;
mod head;
mod line;
mod ranking;
mod row;
mod run_summary;
mod same_trial;
mod scores;
mod sentence;
mod tools;

pub use case_result::{CaseResult, EvaluationResult, KeptCase, case_name, meta_of, tags_of};
pub use cause::{CaseCause, Cause, causes};
pub use gate_result::{
    Bound, BoundRelation, ChangeStatistic, GateResult, GateSubject, Statistic, TrialRule,
    UNKNOWN_END,
};
pub use head::{EarlierRun, EvaluatorHead, RunHead};
pub use line::{LineContents, LineScore, LineWriter, ResultLine, result_json};
pub use ranking::{Worst, worth};
pub use row::{COLUMNS, Cell, Column, ColumnType, ResultRow, columns_without, score_text};
pub use run_summary::{
    CauseCount, Decides, EditionsDiffer, Ending, EvaluatorSummary, Failure, Findings, GroupSummary,
    IdlePaths, MatcherTexts, NearKeys, NearName, RunSummary, StatedOutcomes, Unjudged,
    UnjudgedRule, UnsharedKey,
};
pub use same_trial::SameTrial;
pub use scores::{STEPS, Scores, Totals};
pub use sentence::sentence;
pub use tools::{ToolSums, ToolTotals, ToolUse, sum_of, tools_of};

/// The JSON Schema of results: a document of them, or one line.
pub const RESULTS_SCHEMA: &str = include_str!("results.schema.json");
