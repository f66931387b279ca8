//! The expectation as a tree; marks the path that the nearest run takes.

use std::fmt::Write as _;

use rightcall_core::call::Case;
use rightcall_core::expectation::OutlineState;

use crate::expectation_tree::ExpectationTree;
use crate::text::{BAD, FAINT, GOOD, HEAD, cut_middle, paint, screen_columns};

/// Default number of lines shown of a tree.
const LINES: usize = 40;

/// Draws the tree of a case if its expectation has several accepted runs.
pub(super) fn draw(out: &mut String, case: &Case<'_>, full: bool) {
    let Some(tree) = ExpectationTree::new(case) else {
        return;
    };
    let style = if tree.is_accepted { GOOD } else { BAD };
    let verdict = paint(style, &tree.verdict);
    _ = writeln!(out, "\n{} · {verdict}", paint(HEAD, "expected"));
    let lines = &tree.lines;
    let shown = if full {
        lines.len()
    } else {
        lines.len().min(LINES)
    };
    for line in &lines[..shown] {
        let (sign, style) = match line.state {
            OutlineState::Block => ("", None),
            OutlineState::NotTaken => ("·", Some(FAINT)),
            OutlineState::Met => ("✓", Some(GOOD)),
            OutlineState::NotMet => ("≠", Some(BAD)),
            OutlineState::Missed => ("-", Some(BAD)),
        };
        let indent = "  ".repeat(line.depth + 1);
        let note = line
            .note
            .as_ref()
            .map_or_else(String::new, |it| format!(" · {it}"));
        let taken = indent.len() + 2 + note.chars().count();
        let room = screen_columns().saturating_sub(taken).max(20);
        let label = if full {
            line.label.clone()
        } else {
            cut_middle(&line.label, room)
        };
        let text = match line.state {
            OutlineState::Block => label,
            _ => format!("{sign} {label}"),
        };
        let text = style.map_or_else(|| text.clone(), |style| paint(style, &text));
        let note = if note.is_empty() {
            note
        } else {
            paint(FAINT, &note)
        };
        _ = writeln!(out, "{indent}{text}{note}");
    }
    if shown < lines.len() {
        let more = format!("  … {} more lines; --full shows them", lines.len() - shown);
        _ = writeln!(out, "{}", paint(FAINT, &more));
    }
    for variable in &tree.variables {
        _ = writeln!(
            out,
            "{}",
            cut_middle(&format!("  {variable}"), screen_columns())
        );
    }
    for finding in &tree.findings {
        _ = writeln!(out, "  {}", paint(BAD, finding));
    }
}
