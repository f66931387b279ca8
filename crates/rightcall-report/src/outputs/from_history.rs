//! Facts from the history for outputs.

use rightcall_results::{EarlierRun, EvaluatorHead, RunHead, RunSummary};
use rightcall_store::{AlikeRuns, History, RunRow, StoreError};

use crate::run_facts::facts;

/// The header of a run in the history.
///
/// # Errors
/// The history cannot be read.
pub fn head(history: &History, run: &RunRow, summary: &RunSummary) -> Result<RunHead, StoreError> {
    let evaluators = summary.evaluators.iter().map(|it| EvaluatorHead {
        id: it.id.clone(),
        name: it.name.clone(),
        label: it.label.clone(),
    });
    Ok(RunHead {
        title: run.about.suite.clone(),
        facts: facts(&run.about),
        evaluators: evaluators.collect(),
        has_whole_cases: summary.whole_cases.is_some(),
        earlier: earlier_runs(history, &AlikeRuns::before(run))?,
    })
}

/// Number of earlier runs in a trend line.
const EARLIER: u64 = 59;

/// Earlier comparable runs, oldest first.
///
/// # Errors
/// The history cannot be read.
pub fn earlier_runs(history: &History, which: &AlikeRuns) -> Result<Vec<EarlierRun>, StoreError> {
    let runs = history.alike(which, EARLIER)?;
    Ok(runs.iter().rev().map(earlier_run).collect())
}

/// A run for a trend line.
pub fn earlier_run(run: &RunRow) -> EarlierRun {
    EarlierRun {
        label: run.number.to_string(),
        mean: run.mean,
        pass_rate: run.pass_rate,
    }
}

/// Notes on data of the run that the history does not store.
pub fn notes(run: &RunRow) -> Vec<String> {
    let (cases, kept) = (run.cases, run.kept);
    let hint = "`history: {max_cases: N}` in the suite keeps more";
    let note = || format!("Of {cases} cases {kept} are kept: failures and a sample. {hint}.");
    (kept < cases).then(note).into_iter().collect()
}
