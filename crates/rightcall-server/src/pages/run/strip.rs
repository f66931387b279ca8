//! The numbers under the headline of a run, each with its change since the run before.

use rightcall_report::{count, printable};
use rightcall_results::{EvaluatorSummary, RunSummary};
use rightcall_store::RunRow;

use crate::link::comparison_of;
use crate::pages::choice::short;
use crate::pages::{percent, score};

/// A number of a run.
pub(super) struct StripCell {
    pub(super) label: String,
    pub(super) number: String,
    /// The change; empty without one.
    pub(super) change: String,
    /// Further details.
    pub(super) more: String,
    /// Link to details; empty without one.
    pub(super) link: String,
}

impl StripCell {
    fn new(label: &str, number: String) -> Self {
        Self {
            label: label.to_owned(),
            number,
            change: String::new(),
            more: String::new(),
            link: String::new(),
        }
    }
}

/// The numbers of a run, compared with the run before.
pub(super) fn cells(
    run: &RunRow,
    summary: &RunSummary,
    before: Option<&(RunRow, RunSummary)>,
    path: &str,
) -> Vec<StripCell> {
    let was = before.map(|(row, _)| row);
    let mut cells = vec![StripCell::new("cases", run.cases.to_string())];
    if run.kept < run.cases {
        cells[0].more = format!("{} kept", run.kept);
    }
    if run.pass_rate.is_some() {
        cells.push(StripCell {
            change: change(was.and_then(|it| it.pass_rate), run.pass_rate, true),
            ..StripCell::new("passed", percent(run.pass_rate))
        });
        cells.push(StripCell {
            link: format!("{path}?outcome=failed#cases"),
            ..StripCell::new("failed", count(run.failed, "case"))
        });
    }
    if summary.evaluators.len() > 1 && run.mean.is_some() {
        let alike = before.filter(|(_, before)| {
            EvaluatorSummary::apply_alike(&before.evaluators, &summary.evaluators)
        });
        let was = alike.and_then(|(row, _)| row.mean);
        cells.push(StripCell {
            change: change(was, run.mean, false),
            ..StripCell::new("mean", score(run.mean))
        });
    }
    if let Some(trials) = &summary.trials {
        cells.push(StripCell {
            link: format!("{path}?tab=trials"),
            ..StripCell::new("flaky", count(trials.flaky_cases as u64, "case"))
        });
    }
    let of_before = before.map(|(_, summary)| &summary.evaluators[..]);
    let evaluators = summary.evaluators.iter().enumerate();
    cells.extend(evaluators.map(|(at, it)| evaluator(at, it, of_before.unwrap_or_default(), path)));
    if let Some(was) = was {
        cells.push(StripCell {
            more: named(was),
            link: comparison_of(was.number, run.number),
            ..StripCell::new("compare with", format!("run {}", was.number))
        });
    }
    cells
}

fn evaluator(
    at: usize,
    evaluator: &EvaluatorSummary,
    before: &[EvaluatorSummary],
    path: &str,
) -> StripCell {
    let same = before.iter().find(|it| it.label == evaluator.label);
    let was = same.and_then(|it| it.totals.mean);
    let passed = evaluator.totals.pass_rate;
    StripCell {
        change: change(was, evaluator.totals.mean, false),
        more: passed.map_or_else(String::new, |it| format!("{} passed", percent(Some(it)))),
        link: format!("{path}?sort={at}#cases"),
        ..StripCell::new(&short(&evaluator.label), score(evaluator.totals.mean))
    }
}

/// The display name of a run in addition to its number: its tag, or its branch.
fn named(run: &RunRow) -> String {
    let tag = run.tags.first();
    let name = tag.or(run.about.git_branch.as_ref());
    name.map(|name| printable(name)).unwrap_or_default()
}

/// The difference of two numbers: scores with three decimals, shares in percentage points. It has no colour, since only a comparison
/// shows whether the change is significant.
fn change(before: Option<f64>, after: Option<f64>, is_share: bool) -> String {
    let Some((before, after)) = before.zip(after) else {
        return String::new();
    };
    let difference = after - before;
    let text = if is_share {
        format!("{:+.1}", 100.0 * difference)
    } else {
        format!("{difference:+.3}")
    };
    let is_zero = text.chars().all(|it| "+-0.".contains(it));
    if is_zero { "±0".to_owned() } else { text }
}
