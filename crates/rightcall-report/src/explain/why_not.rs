//! The changes that would raise a score: edits of the run, and a change of the expectation.

use std::fmt::Write as _;

use rightcall_core::value::JsonText;

use super::paragraph;
use crate::text::{cut_middle, printable, screen_columns};

/// Describes what would change a score.
#[derive(Clone, Debug)]
pub struct WhyNotView {
    /// The answer in a sentence.
    pub answer: String,
    /// The edits of the run, a line each.
    pub edits: Vec<String>,
    /// A summary of the changes of the expectation; empty if there are none.
    pub repair: String,
    /// The changes of the expectation, a line each.
    pub changes: Vec<String>,
    /// All of it, as a JSON object.
    pub json: JsonText,
}

/// Lines that are shown of each list unless all are.
const LINES: usize = 12;

pub(super) fn draw(out: &mut String, view: &WhyNotView, full: bool) {
    out.push('\n');
    paragraph(out, &view.answer);
    list(out, &view.edits, full);
    if !view.repair.is_empty() {
        paragraph(out, &view.repair);
        list(out, &view.changes, full);
    }
}

fn list(out: &mut String, lines: &[String], full: bool) {
    let shown = if full { lines.len() } else { LINES };
    for line in lines.iter().take(shown) {
        let line = printable(line);
        let line = if full {
            line
        } else {
            cut_middle(&line, screen_columns() - 4)
        };
        _ = writeln!(out, "    {line}");
    }
    let more = lines.len().saturating_sub(shown);
    if more > 0 {
        _ = writeln!(out, "    … and {more} more (--full shows all)");
    }
}
