//! What is expected as a tree, with the way that the nearest run takes.

use std::fmt::Write as _;

use rightcall::call::Case;
use rightcall::expectation::{OutlineState, Resolution};

use super::variable::named;
use crate::text::{BAD, FAINT, GOOD, HEAD, cut, paint, printable, screen_columns};

/// Lines of a tree that are shown unless all are.
const LINES: usize = 40;

/// Draws the tree of a case whose expectation has several right ways.
pub(super) fn draw(out: &mut String, case: &Case<'_>, full: bool) {
    let (Some(tree), Some(Ok(resolution))) = (&case.expected.tree, case.expected.resolution) else {
        return;
    };
    _ = writeln!(
        out,
        "\n{} · {}",
        paint(HEAD, "expected"),
        verdict(resolution)
    );
    let lines = tree.outline(resolution);
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
        let room = screen_columns().saturating_sub(indent.len() + 2).max(20);
        let label = if full {
            printable(&named(&line.label))
        } else {
            cut(&printable(&named(&line.label)), room)
        };
        let text = match line.state {
            OutlineState::Block => label,
            _ => format!("{sign} {label}"),
        };
        let text = style.map_or_else(|| text.clone(), |style| paint(style, &text));
        _ = writeln!(out, "{indent}{text}");
    }
    if shown < lines.len() {
        let more = format!("  … {} more lines; --full shows them", lines.len() - shown);
        _ = writeln!(out, "{}", paint(FAINT, &more));
    }
    for variable in &resolution.variables {
        let line = format!("  ${} = {}", variable.name.to_display(), variable.value);
        _ = writeln!(out, "{}", cut(&printable(&line), screen_columns()));
    }
    for finding in &resolution.findings {
        _ = writeln!(out, "  {}", paint(BAD, &printable(finding)));
    }
}

fn verdict(resolution: &Resolution) -> String {
    if resolution.is_accepted() {
        paint(GOOD, "accepted")
    } else {
        paint(BAD, &format!("not accepted, cost {}", resolution.cost))
    }
}
