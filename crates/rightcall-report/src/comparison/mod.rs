//! Comparisons of runs: what changed, how trials of a case differ, and what scores predict.

mod compared_run;
mod document;
mod options;
mod overview;
mod own;
mod pair;
mod predictions;
mod trials;
mod words;

pub use compared_run::{ComparedRun, alignment_changes, case_causes, cause_changes};
pub use document::{JudgedGate, overview_json, pair_json, run_json};
pub use options::ComparisonOptions;
pub(crate) use options::EVERY_VERDICT;
pub use overview::overview_screen;
pub use own::own_screen;
pub use pair::{changes_told, comparison_screen};
pub(crate) use trials::{
    UNEQUAL_TRIALS, agreement_told, flaky_told, has_equal_trials, listed, passed_of, trials_screen,
};
pub use words::size;
