//! What is expected where there are several right ways, with the way that the nearest run takes.

use askama::Template;
use rightcall::call::Case;
use rightcall::expectation::{OutlineLine, OutlineState};

use crate::text::{cut, printable};
use crate::variable::named;

/// Lines of a tree that a page shows, and characters of a line.
const LINES: usize = 400;
const LINE: usize = 400;

/// Lines that stand deeper are not indented further.
const DEPTHS: usize = 12;

/// An expectation with several right ways, resolved for a run: as text a part of a page.
#[derive(Debug, Template)]
#[template(path = "expectation_tree.html")]
pub(crate) struct ExpectationTree {
    pub(crate) is_accepted: bool,
    /// `accepted`, or what it costs.
    pub(crate) verdict: String,
    pub(crate) lines: Vec<OutlineLine>,
    /// What the variables stand for: `$total = 30`.
    pub(crate) variables: Vec<String>,
    /// What is wrong that no list of calls could say.
    pub(crate) findings: Vec<String>,
}

impl ExpectationTree {
    /// The tree of a case that is resolved; `None` where a list of calls is expected.
    pub(crate) fn new(case: &Case<'_>) -> Option<Self> {
        let (Some(tree), Some(Ok(resolution))) = (&case.expected.tree, case.expected.resolution)
        else {
            return None;
        };
        let variable = |it: &rightcall::expectation::BoundVariable| {
            printable(&format!("${} = {}", it.name.to_display(), it.value))
        };
        let line = |it: OutlineLine| OutlineLine {
            label: printable(&named(&it.label)),
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

    /// The lines that a page shows: class, sign, what the sign means, and text.
    fn shown(&self) -> impl Iterator<Item = (String, &'static str, &'static str, String)> {
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
                cut(&line.label, LINE),
            )
        })
    }

    /// Lines that a page leaves out.
    fn more(&self) -> usize {
        self.lines.len().saturating_sub(LINES)
    }
}
