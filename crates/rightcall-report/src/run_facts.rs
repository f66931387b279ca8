//! Facts about a run in the history, other than its results.

use rightcall_store::{NewRun, RunRow, RunSettings};

use crate::runs::minute;
use crate::text::{cut_middle, printable};

/// Maximum width of the subject of a commit.
const SUBJECT: usize = 50;

/// Facts about a run other than its suite, each with a label.
pub fn facts(run: &NewRun) -> Vec<(String, String)> {
    let dirty = if run.git_dirty { " with changes" } else { "" };
    let short = |commit: &String| commit.chars().take(7).collect::<String>();
    let subject = RunSettings::from_json(&run.settings).commit_subject;
    let subject = subject.map_or_else(String::new, |it| format!(" “{}”", cut_middle(&it, SUBJECT)));
    let commit = run
        .git_commit
        .as_ref()
        .map(|it| format!("{}{subject}{dirty}", short(it)));
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

/// The name of a run in a suite with several; `None` for other runs.
pub fn run_name(run: &NewRun) -> Option<String> {
    let selection = run.selection.as_ref()?.strip_prefix("runs: ")?;
    let end = [" --", " -k "].iter().filter_map(|it| selection.find(it));
    let end = end.min().unwrap_or(selection.len());
    Some(printable(&selection[..end]))
}

/// `run 12`, or `run 12 · gpt-4o` for a run with a name.
pub fn run_label(run: &RunRow) -> String {
    let name = run_name(&run.about).map_or_else(String::new, |it| format!(" · {it}"));
    format!("run {}{name}", run.number)
}

/// `run 12 of suite.yaml, at 2026-01-02 03:04 UTC, branch main, commit 1a2b3c4 “Fix refunds”, tag v1`.
pub fn run_told(run: &RunRow) -> String {
    let head = format!("run {} of {}", run.number, printable(&run.about.suite));
    let facts = facts(&run.about).into_iter();
    let facts = facts.map(|(label, fact)| format!("{label} {fact}"));
    let tags = run.tags.iter().map(|tag| format!("tag {}", printable(tag)));
    let parts = std::iter::once(head).chain(facts).chain(tags);
    let parts: Vec<_> = parts.chain(duration(run)).collect();
    parts.join(", ")
}

/// `took 12 s`; `None` for less than a second.
fn duration(run: &RunRow) -> Option<String> {
    let seconds = (run.finished - run.about.started) / 1000;
    match seconds {
        ..1 => None,
        1..120 => Some(format!("took {seconds} s")),
        _ => Some(format!("took {} min", seconds / 60)),
    }
}
