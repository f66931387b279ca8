//! A case in two runs, for a page: the result of an evaluator before and after, in three lanes.

use askama::Template;
use rightcall_core::Explanation;
use rightcall_core::call::Case;
use rightcall_results::{CaseResult, EvaluationResult};

use crate::case_page::{kept_case, shown, texts, verdict_of};
use crate::expectation_tree::ExpectationTree;
use crate::lanes::{Lanes, ThreeLanes};
use crate::numbers::score;
use crate::text::printable;

/// An evaluator of both runs: its name, and its index in each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComparedEvaluator {
    /// Its name.
    pub label: String,
    /// Its index before and after.
    pub positions: [usize; 2],
}

/// A case in two runs. Displays as the part of a page that shows the case, without its heading.
#[derive(Debug, Template)]
#[template(path = "case_change.html")]
pub struct CaseChange {
    /// The evaluators of both runs.
    pub tabs: Vec<ChangeTab>,
    /// The names of both sides, each with the address of its page.
    heads: [(String, String); 2],
    /// `Before` and `After`; empty if neither side is the earlier one.
    leads: [&'static str; 2],
    texts: Vec<(&'static str, String)>,
    /// The result of the selected evaluator on each side.
    sides: [ChangeSide; 2],
    /// The expectation on each side, if it has several accepted runs.
    trees: Option<[Option<ExpectationTree>; 2]>,
    lanes: ChangeLanes,
}

/// An evaluator, with its results on the case before and after.
#[derive(Debug)]
pub struct ChangeTab {
    /// Its name.
    pub label: String,
    /// Its scores before and after.
    pub scores: [String; 2],
    /// `better`, `worse`, or `muted` for an unchanged score.
    pub class: &'static str,
    /// True if its result is shown.
    pub is_shown: bool,
}

#[derive(Debug)]
struct ChangeSide {
    score: String,
    verdict: (&'static str, &'static str),
    why: String,
}

/// The calls of both runs.
#[derive(Debug)]
enum ChangeLanes {
    Shared(ThreeLanes),
    /// Each run next to its own expectation, since the expectations differ.
    Apart(Box<[Lanes; 2]>),
}

impl CaseChange {
    /// Draws the case by the selected evaluator, or by the one with the largest change of its
    /// score. If no side is the earlier one, they have only their names. `None` without a common
    /// evaluator.
    pub fn new(
        evaluators: &[ComparedEvaluator],
        chosen: Option<usize>,
        results: [&CaseResult; 2],
        heads: [(String, String); 2],
        is_in_time: bool,
    ) -> Option<Self> {
        let judged = |it: &ComparedEvaluator| -> Option<[&EvaluationResult; 2]> {
            let [before, after] = it.positions;
            let before = results[0].evaluations.get(before)?;
            Some([before, results[1].evaluations.get(after)?])
        };
        let both: Vec<_> = evaluators
            .iter()
            .filter_map(|it| Some((it, judged(it)?)))
            .collect();
        let moved = |position: &usize| change_of(both[*position].1).map_or(0.0, f64::abs);
        // Reverse, so the first of equal ones wins.
        let most = (0..both.len())
            .rev()
            .max_by(|one, other| moved(one).total_cmp(&moved(other)))?;
        let position = chosen.filter(|it| *it < both.len()).unwrap_or(most);
        let (_, evaluations) = both[position];
        let tab =
            |(at, (evaluator, results)): (usize, &(&ComparedEvaluator, [&EvaluationResult; 2]))| {
                let change = change_of(*results).unwrap_or(0.0);
                ChangeTab {
                    label: printable(&evaluator.label),
                    scores: results.map(|it| score(&it.outcome)),
                    class: match change {
                        change if change > 0.0 => "better",
                        change if change < 0.0 => "worse",
                        _ => "muted",
                    },
                    is_shown: at == position,
                }
            };
        // If the text is damaged, show an empty case rather than no page.
        let cases = results.map(|it| kept_case(it).unwrap_or_default());
        let [before, after] = evaluations.map(|it| it.explanation.as_deref());
        let (leads, names) = if is_in_time {
            (["Before", "After"], ["before", "after"].map(str::to_owned))
        } else {
            ([""; 2], heads.each_ref().map(|(name, _)| printable(name)))
        };
        let (trees, lanes) = cases[0].with_resolved(|was| {
            cases[1].with_resolved(|is| {
                let trees = [was, is].map(ExpectationTree::new);
                (trees, ChangeLanes::new((was, before), (is, after), names))
            })
        });
        let side = |it: &EvaluationResult| ChangeSide {
            score: score(&it.outcome),
            verdict: verdict_of(it),
            why: shown(&it.outcome.reason().unwrap_or_else(|| it.why.clone())),
        };
        Some(Self {
            tabs: both.iter().enumerate().map(tab).collect(),
            leads,
            heads: heads.map(|(name, link)| (printable(&name), link)),
            texts: texts(&cases[1]),
            sides: evaluations.map(side),
            trees: Some(trees).filter(|trees| trees.iter().any(Option::is_some)),
            lanes,
        })
    }
}

impl ChangeLanes {
    fn new(
        before: (&Case<'_>, Option<&Explanation>),
        after: (&Case<'_>, Option<&Explanation>),
        names: [String; 2],
    ) -> Self {
        let alone = |(case, explanation): (&Case<'_>, Option<&Explanation>)| {
            explanation.map_or_else(|| Lanes::of_lists(case), |it| Lanes::new(case, it))
        };
        match ThreeLanes::new(before, after, names) {
            Some(lanes) => Self::Shared(lanes),
            None => Self::Apart(Box::new([alone(before), alone(after)])),
        }
    }
}

/// The change of the score.
fn change_of([before, after]: [&EvaluationResult; 2]) -> Option<f64> {
    Some(after.score()? - before.score()?)
}
