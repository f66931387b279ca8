//! A proposed change of an expectation, in the layout of `explain`.

use std::fmt::Write as _;

use rightcall_core::Explanation;
use rightcall_core::call::Case;

use super::{checks, pairs, paragraph, question, unquoted};
use crate::text::{FAINT, HEAD, cut_end, paint, printable};

/// A change of an expectation.
#[derive(Debug)]
pub struct ChangeView<'v> {
    /// Its number among all changes, from 1.
    pub number: usize,
    /// Number of changes.
    pub of: usize,
    /// Id of the case.
    pub label: &'v str,
    /// The location of the expectation.
    pub place: &'v str,
    /// The expectation with today's calls.
    pub case: &'v Case<'v>,
    /// The differences.
    pub explanations: &'v [Explanation],
    /// The repair of an expectation in blocks.
    pub repair: &'v [String],
    /// True to show long texts completely.
    pub full: bool,
}

/// The change for a terminal.
pub fn change_screen(change: &ChangeView<'_>) -> String {
    let head = paint(HEAD, &cut_end(&printable(change.label), 60));
    let mut out = format!(
        "{head} · {} {}\n",
        printable(change.place),
        paint(FAINT, &format!("({} of {})", change.number, change.of))
    );
    if let Some(input) = change.case.input {
        question(&mut out, "input", &printable(&unquoted(input)), change.full);
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
