//! What outputs say of a run that the history knows.

use rightcall_results::{EarlierRun, EvaluatorHead, RunHead, RunSummary};
use rightcall_store::{AlikeRuns, History, RunRow, StoreError};

use crate::run_facts::facts;

/// What is known of a run in the history, before its first case.
///
/// # Errors
/// Where the history cannot be read.
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

/// Runs that a line over runs shows before the last.
const EARLIER: u64 = 59;

/// What the runs that another can be seen beside came to, the oldest first.
///
/// # Errors
/// Where the history cannot be read.
pub fn earlier_runs(history: &History, which: &AlikeRuns) -> Result<Vec<EarlierRun>, StoreError> {
    let runs = history.alike(which, EARLIER)?;
    Ok(runs.iter().rev().map(earlier_run).collect())
}

/// A run as a line over runs shows it.
pub fn earlier_run(run: &RunRow) -> EarlierRun {
    EarlierRun {
        label: run.number.to_string(),
        mean: run.mean,
        pass_rate: run.pass_rate,
    }
}

/// What of a run the history does not keep, in a sentence.
pub fn notes(run: &RunRow) -> Vec<String> {
    let (cases, kept) = (run.cases, run.kept);
    let hint = "`history: {max_cases: N}` in the suite keeps more";
    let note = || format!("Of {cases} cases {kept} are kept: failures and a sample. {hint}.");
    (kept < cases).then(note).into_iter().collect()
}
