//! What a run changed against the last one like it, in a line.

use std::fmt::Write as _;

use rightcall_report::{count, printable};
use rightcall_run::ResultsOptions;
use rightcall_stats::{ComparisonSettings, MovedCase, PairedComparison};
use rightcall_store::{AlikeRuns, History, RunRow, StoreError};

/// Cases that are named.
const NAMED: usize = 3;

/// Runs among which one of the same branch is looked for.
const LOOKED_AT: u64 = 50;

/// What changed against the last run of the suite on this branch, else on any; `None` where there is none, or they have no case in
/// common.
pub(super) fn change_told(history: &History, run: i64) -> Result<Option<String>, StoreError> {
    let row = history.run(run)?;
    let alike = history.alike(&AlikeRuns::before(&row), LOOKED_AT)?;
    let is_of_branch = |it: &&RunRow| it.about.git_branch == row.about.git_branch;
    let Some(before) = alike.iter().find(is_of_branch).or(alike.first()) else {
        return Ok(None);
    };
    let options = ResultsOptions::default();
    let (was, _) = history.results(before.number, &options)?;
    let (is, _) = history.results(run, &options)?;
    let comparison = PairedComparison::between(&was, &is, ComparisonSettings::default());
    if comparison.shared == 0 {
        return Ok(None);
    }
    let branch = before.about.git_branch.as_ref();
    let branch = branch.map_or_else(String::new, |branch| format!(" on {}", printable(branch)));
    let mut told = format!("against run {}{branch}: ", before.number);
    told += &moved_told(&comparison.moved);
    for measure in &comparison.measures {
        if let Some(change) = measure.score.as_ref().filter(|it| it.better + it.worse > 0) {
            let label = printable(&measure.label);
            _ = write!(told, "; {label} {:+.3}", change.change.estimate);
        }
    }
    if !comparison.moved.is_empty() {
        _ = write!(told, "   (rightcall compare {} {run})", before.number);
    }
    Ok(Some(told))
}

/// `2 cases got worse, 5 better: refund-4 1.000 → 0.583`.
fn moved_told(moved: &[MovedCase]) -> String {
    if moved.is_empty() {
        return "no case moved".to_owned();
    }
    let worse: Vec<_> = moved.iter().filter(|it| it.is_worse()).collect();
    let better = moved.len() - worse.len();
    let mut told = format!(
        "{} got worse, {better} better",
        count(worse.len() as u64, "case")
    );
    let named = worse
        .iter()
        .take(NAMED)
        .map(|it| format!("{} {:.3} → {:.3}", printable(&it.key), it.before, it.after));
    let named: Vec<_> = named.collect();
    if !named.is_empty() {
        _ = write!(told, ": {}", named.join(", "));
    }
    if worse.len() > NAMED {
        told += ", …";
    }
    told
}
