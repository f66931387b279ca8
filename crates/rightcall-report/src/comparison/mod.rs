//! Comparisons of runs: changes, differences between trials, and predictions from scores.

mod calls;
mod case_changes;
mod causes;
mod compared_run;
mod document;
mod html;
mod markdown;
mod matrix;
mod models;
mod options;
mod overview;
mod own_results;
mod pair;
mod predictions;
mod report;
mod run_statistics;
mod scatter;
mod tasks;
mod trials;
mod words;

pub use calls::{CallComparison, FileCalls};
pub use case_changes::{CaseChanges, CauseChange, CauseTrials, CauseTurn};
pub use causes::{ComparedCause, counted_noun};
pub use compared_run::{CollectedCases, ComparedRun, StoredScores};
pub use document::run_json;
pub use html::{ChangeRow, RunMeans};
pub use options::ComparisonOptions;
pub(crate) use options::EVERY_VERDICT;
pub use pair::{changes_listed, changes_told};
pub(crate) use predictions::prediction_screen;
pub use report::{ComparisonReport, Incomparable, JudgedGate};
pub use run_statistics::run_statistics_screen;
pub use scatter::{Scatter, ScorePlace};
pub use tasks::OtherTasks;
pub(crate) use trials::{
    UNEQUAL_TRIALS, agreement_told, flaky_told, has_equal_trials, listed, passed_of, trials_screen,
};
pub use words::{ChangeNumbers, change_numbers, left_out_told, moved_told, needed_told, size};
