//! What today's run would change in an expectation, drawn as `explain` draws a case.

use std::fmt::Write as _;

use rightcall::Explanation;
use rightcall::call::Case;

use super::{checks, pairs, paragraph, question, said};
use crate::text::{FAINT, HEAD, fit, paint, printable};

/// A change of an expectation.
#[derive(Debug)]
pub struct ChangeView<'v> {
    /// Which of all this is, from 1.
    pub number: usize,
    /// How many there are.
    pub of: usize,
    /// Id of the case.
    pub label: &'v str,
    /// Where the expectation stands.
    pub place: &'v str,
    /// The expectation with today's calls.
    pub case: &'v Case<'v>,
    /// How they differ.
    pub explanations: &'v [Explanation],
    /// How an expectation in blocks is repaired.
    pub repair: &'v [String],
    /// Whether long texts are shown whole.
    pub full: bool,
}

/// The change for a terminal.
pub fn change_screen(change: &ChangeView<'_>) -> String {
    let head = paint(HEAD, &fit(&printable(change.label), 60));
    let mut out = format!(
        "{head} · {} {}\n",
        printable(change.place),
        paint(FAINT, &format!("({} of {})", change.number, change.of))
    );
    if let Some(input) = change.case.input {
        question(&mut out, "input", &printable(&said(input)), change.full);
    }
    for explanation in change.explanations {
        if explanation.checks.is_empty() {
            pairs::draw(&mut out, change.case, explanation, change.full);
            out.push('\n');
            paragraph(&mut out, &pairs::tally(explanation));
        } else {
            checks::draw(&mut out, change.case, explanation, change.full);
        }
    }
    if !change.repair.is_empty() {
        _ = writeln!(out, "\n  to accept this run too");
        for change in change.repair {
            _ = writeln!(out, "    {}", printable(change));
        }
    }
    _ = writeln!(out);
    out
}
