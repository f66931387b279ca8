//! Compares a case with the same trial of the previous run: new, fixed, better, worse or the same,
//! with new and gone causes.

use std::fmt::Write as _;

use rightcall_core::Outcome;
use rightcall_report::{printable, screen_columns, wrap};
use rightcall_results::{CaseResult, EvaluationResult};
use rightcall_stats::is_same_score;

/// The maximum number of listed causes; the rest are counted.
const LISTED: usize = 3;

/// The change of a case since the run with this number, in lines of the screen's width.
pub(super) fn change_since(run: i64, before: &CaseResult, after: &CaseResult) -> String {
    let new = missing(after, before);
    let gone = missing(before, after);
    let has_other_causes = !new.is_empty() || !gone.is_empty();
    let mut text = change_of(run, before, after, has_other_causes);
    for (what, causes) in [("new cause", new), ("gone", gone)] {
        if !causes.is_empty() {
            _ = write!(text, "; {what}: {}", causes_text(&causes));
        }
    }
    wrap(&text, screen_columns()).join("\n")
}

/// The change in a few words. Verdicts come first, then scores, then causes.
fn change_of(run: i64, before: &CaseResult, after: &CaseResult, has_other_causes: bool) -> String {
    if !is_scored(after) && is_scored(before) {
        let reason = after.whole.outcome.reason().unwrap_or_default();
        let was = match before.verdict() {
            Some(true) => "passed",
            Some(false) => "failed",
            None => "had a score",
        };
        return format!("no longer judged: in run {run} the case {was}; {reason}");
    }
    if is_scored(after) && !is_scored(before) {
        return format!("new: run {run} did not judge the case");
    }
    if let (Some(was), Some(is)) = (before.verdict(), after.verdict())
        && was != is
    {
        return if is {
            format!("fixed: in run {run} the case failed")
        } else {
            format!("new: in run {run} the case passed")
        };
    }
    let has_verdict = after.verdict().is_some();
    let [was, is] = [before.whole.score(), after.whole.score()];
    match (was.zip(is), [before, after].map(is_low)) {
        (_, [false, true]) if !has_verdict => format!("new: in run {run} the case was right"),
        (_, [true, false]) if !has_verdict => format!("fixed: in run {run} the case was wrong"),
        (Some((was, is)), _) if !is_same_score(was, is) => {
            let change = if is > was { "better" } else { "worse" };
            format!("{change} than in run {run} ({was:.3} → {is:.3})")
        }
        (_, [true, true]) if has_other_causes => format!("wrong in run {run} too"),
        _ => format!("same as in run {run}"),
    }
}

fn is_low(case: &CaseResult) -> bool {
    case.evaluations.iter().any(EvaluationResult::falls_short)
}

/// False without a score, for example without a run. An error counts as judged: it failed the case.
fn is_scored(case: &CaseResult) -> bool {
    let has_result = |it: &EvaluationResult| !matches!(it.outcome, Outcome::NotApplicable(_));
    case.all().any(has_result)
}

/// The causes of one result that the other lacks. An unjudged result has no causes to compare.
fn missing(one: &CaseResult, other: &CaseResult) -> Vec<String> {
    if !is_scored(one) || !is_scored(other) {
        return Vec::new();
    }
    let is_missing = |cause: &_| !other.counted_causes().any(|it| it == cause);
    let causes = one.counted_causes().filter(|it| is_missing(it));
    causes.map(|it| printable(&it.to_string())).collect()
}

fn causes_text(causes: &[String]) -> String {
    let (shown, rest) = causes.split_at(causes.len().min(LISTED));
    match rest.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
