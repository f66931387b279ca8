//! What outputs say of a run that the history knows.

use rightcall_results::{EarlierRun, EvaluatorHead, RunHead, RunSummary};
use rightcall_store::{AlikeRuns, History, NewRun, RunRow, StoreError};

use crate::runs::minute;
use crate::text::printable;

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

/// What is known of a run beside its suite, each with a label.
pub fn facts(run: &NewRun) -> Vec<(String, String)> {
    let dirty = if run.git_dirty { " with changes" } else { "" };
    let short = |commit: &String| commit.chars().take(7).collect::<String>();
    let commit = run
        .git_commit
        .as_ref()
        .map(|it| format!("{}{dirty}", short(it)));
    let facts = [
        ("at", Some(format!("{} UTC", minute(run.started)))),
        ("profile", run.profile.clone()),
        ("branch", run.git_branch.clone()),
        ("commit", commit),
        ("chosen by", run.selection.clone()),
    ];
    let known = facts.into_iter();
    known
        .filter_map(|(label, fact)| Some((label.to_owned(), printable(&fact?))))
        .collect()
}

/// `run 12 of suite.yaml, at 2026-01-02 03:04 UTC, branch main, commit 1a2b3c4, tag v1`.
pub fn run_told(run: &RunRow) -> String {
    let head = format!("run {} of {}", run.number, printable(&run.about.suite));
    let facts = facts(&run.about).into_iter();
    let facts = facts.map(|(label, fact)| format!("{label} {fact}"));
    let tags = run.tags.iter().map(|tag| format!("tag {}", printable(tag)));
    let parts: Vec<_> = std::iter::once(head).chain(facts).chain(tags).collect();
    parts.join(", ")
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
