//! Summarizes the change since the previous comparable run in one line.

use std::fmt::Write as _;

use rightcall_report::{count, printable, signed};
use rightcall_run::ResultsOptions;
use rightcall_stats::{ComparisonSettings, PairedComparison, RunScores};
use rightcall_store::{History, StoreError};

use crate::moved_cases::moved_sentence;

/// The change since the last run of the suite on this branch, else on any branch. `None` if there
/// is no such run, or if the runs have no case in common.
pub(super) fn change_text(history: &History, run: i64) -> Result<Option<String>, StoreError> {
    let row = history.run(run)?;
    let Some(before) = history.run_before(&row)? else {
        return Ok(None);
    };
    let options = ResultsOptions::default();
    let (was, _) = history.results(before.number, &options)?;
    let (is, _) = history.results(run, &options)?;
    let is_unscored = |run: &RunScores| run.cases.iter().all(|it| it.overall.score.is_none());
    if is_unscored(&was) || is_unscored(&is) {
        // Nothing was scored in one of them, so nothing can have changed.
        return Ok(None);
    }
    let comparison = PairedComparison::between(&was, &is, ComparisonSettings::default());
    if comparison.shared == 0 {
        return Ok(None);
    }
    let branch = before.about.git_branch.as_ref();
    let branch = branch.map_or_else(String::new, |branch| format!(" on {}", printable(branch)));
    // For a large run, the history keeps failures and a sample, so these numbers don't describe the whole run.
    let shared = count(comparison.shared as u64, "case");
    let of_kept = if before.kept < before.cases || row.kept < row.cases {
        format!(" (of {shared} kept in both)")
    } else {
        String::new()
    };
    let mut told = format!("against run {}{branch}{of_kept}: ", before.number);
    told += &moved_sentence(&comparison);
    for measure in &comparison.measures {
        if let Some(change) = measure.score.as_ref().filter(|it| it.better + it.worse > 0) {
            let label = printable(&measure.label);
            _ = write!(told, "; {label} {}", signed(change.change.estimate));
        }
    }
    if !comparison.moved.is_empty() {
        _ = write!(told, "   (rightcall compare {} {run})", before.number);
    }
    Ok(Some(told))
}
