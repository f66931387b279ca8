//! An expectation with several accepted runs as a tree; marks the path that the nearest run takes.

use askama::Template;
use rightcall_core::call::Case;
use rightcall_core::expectation::{OutlineLine, OutlineState};

use crate::text::{cut_middle, printable};
use crate::variable::named;

/// Maximum number of lines on a page, and of characters in a line.
const LINES: usize = 400;
const LINE: usize = 400;

/// Maximum number of characters in the remark on a block.
const NOTE: usize = 60;

/// Deeper lines are not indented further.
const DEPTHS: usize = 12;

/// An expectation with several accepted runs, resolved for a run. Displays as a part of a page.
#[derive(Debug, Template)]
#[template(path = "expectation_tree.html")]
pub(crate) struct ExpectationTree {
    pub(crate) is_accepted: bool,
    /// `accepted`, or the cost.
    pub(crate) verdict: String,
    pub(crate) lines: Vec<OutlineLine>,
    /// The values of the variables: `$total = 30`.
    pub(crate) variables: Vec<String>,
    /// Errors that a list of calls cannot show.
    pub(crate) findings: Vec<String>,
}

impl ExpectationTree {
    /// The tree of a resolved case; `None` if the expectation is a list of calls.
    pub(crate) fn new(case: &Case<'_>) -> Option<Self> {
        let (Some(tree), Some(Ok(resolution))) = (&case.expected.tree, case.expected.resolution)
        else {
            return None;
        };
        let variable = |it: &rightcall_core::expectation::BoundVariable| {
            printable(&format!("${} = {}", it.name.to_display(), it.value))
        };
        let line = |it: OutlineLine| OutlineLine {
            label: printable(&named(&it.label)),
            note: it.note.map(|note| cut_middle(&printable(&note), NOTE)),
            ..it
        };
        Some(Self {
            is_accepted: resolution.is_accepted(),
            verdict: if resolution.is_accepted() {
                "accepted".to_owned()
            } else {
                format!("not accepted, cost {}", resolution.cost)
            },
            lines: tree.outline(resolution).into_iter().map(line).collect(),
            variables: resolution.variables.iter().map(variable).collect(),
            findings: resolution.findings.iter().map(|it| printable(it)).collect(),
        })
    }

    /// The lines shown on a page: CSS class, sign, meaning of the sign, text, and remark.
    fn shown(&self) -> impl Iterator<Item = (String, &'static str, &'static str, String, &str)> {
        self.lines.iter().take(LINES).map(|line| {
            let (class, sign, meaning) = match line.state {
                OutlineState::Block => ("block", "", ""),
                OutlineState::NotTaken => ("not-taken", "·", "not taken"),
                OutlineState::Met => ("met", "✓", "met"),
                OutlineState::NotMet => ("not-met", "≠", "called otherwise"),
                OutlineState::Missed => ("missed", "−", "not called"),
            };
            let depth = line.depth.min(DEPTHS);
            (
                format!("depth-{depth} {class}"),
                sign,
                meaning,
                cut_middle(&line.label, LINE),
                line.note.as_deref().unwrap_or_default(),
            )
        })
    }

    /// Number of lines that the page leaves out.
    fn more(&self) -> usize {
        self.lines.len().saturating_sub(LINES)
    }
}
