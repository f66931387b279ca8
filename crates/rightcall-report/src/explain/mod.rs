//! Explains one case, with the reason for each score.

mod below;
mod call;
mod change;
mod checks;
mod columns;
mod fold;
mod json;
mod pairs;
mod rows;
mod tree;
mod why_not;

use std::borrow::Cow;
use std::fmt::Write as _;

use anstream::adapter::strip_str;
use rightcall_core::call::Case;
use rightcall_core::value::{Value, decode};
use rightcall_core::{Edition, Evaluation, Explanation, Outcome, Term};
use rightcall_run::{Configured, RUN_ID, is_same_outcome};

use crate::text::{
    BAD, FAINT, GOOD, HEAD, cut_end, cut_middle, paint, printable, push_wrapped, screen_columns,
    width, wrap,
};

pub(crate) use call::{DifferingArgument, Shown, actual, expected};
pub use change::{ChangeView, change_screen};
pub(crate) use checks::texts;
pub use json::explain_json;
pub(crate) use pairs::{answers, tally};
pub(crate) use rows::{Row, first_gap, rows};
pub use why_not::WhyNotView;

/// A case with the results of evaluators.
#[derive(Debug)]
pub struct Explained<'e> {
    /// The case.
    pub case: &'e Case<'e>,
    /// Its id, or `FILE:LINE`.
    pub label: &'e str,
    /// The location as `FILE:LINE`.
    pub place: &'e str,
    /// All trials of the case as JSON texts, if there are several.
    pub trials: &'e [String],
    /// The results, one for each evaluator.
    pub results: &'e [ExplainedResult<'e>],
    /// True to show long texts completely.
    pub full: bool,
}

/// The result of one evaluator.
#[derive(Debug)]
pub struct ExplainedResult<'e> {
    /// The case as the evaluator sees it.
    pub case: Cow<'e, Case<'e>>,
    /// The evaluator's id.
    pub id: &'static str,
    /// The user's name for it.
    pub name: Option<String>,
    /// The argument of `-e` that selects it.
    pub argument: String,
    /// The threshold that the user set.
    pub threshold: Option<f64>,
    /// The edition, if the evaluator has several.
    pub edition: Option<Edition>,
    /// The evaluation, with its explanation.
    pub evaluation: Evaluation,
    /// The outcome in the other edition, if it differs.
    pub other_edition: Option<(Edition, Outcome)>,
    /// The changes that would raise the score, if requested.
    pub why_not: Option<WhyNotView>,
}

impl<'e> ExplainedResult<'e> {
    /// Evaluates a case, and, if requested, also with the other edition.
    pub fn new(
        configured: &Configured,
        case: Cow<'e, Case<'e>>,
        evaluation: Evaluation,
        other: Option<(Edition, Outcome)>,
    ) -> Self {
        let evaluator = &configured.evaluator;
        Self {
            case,
            id: evaluator.id(),
            name: configured.name.clone(),
            argument: configured.argument.clone(),
            threshold: evaluator.threshold(),
            edition: (evaluator.entry().editions.len() > 1).then(|| evaluator.edition()),
            other_edition: other
                .filter(|(_, outcome)| !is_same_outcome(outcome, &evaluation.outcome)),
            evaluation,
            why_not: None,
        }
    }
}

/// Default number of lines shown of the question.
const QUESTION_LINES: usize = 3;

/// The case for a terminal.
pub fn explain_screen(explained: &Explained<'_>) -> String {
    let case = explained.case;
    // The number of a single trial is not interesting.
    let trial = case
        .trial
        .filter(|_| explained.trials.len() > 1)
        .map_or_else(String::new, |trial| format!(" (trial {trial})"));
    let title = paint(HEAD, &cut_end(&format!("{}{trial}", explained.label), 60));
    let room = screen_columns()
        .saturating_sub(width(explained.label) + width(&trial) + 3)
        .max(36);
    let place = cut_middle(&printable(explained.place), room);
    let label = cut_end(&format!("{}{trial}", explained.label), 60);
    let gap = if width(&label) + width(&place) + 3 > screen_columns() {
        "\n"
    } else {
        " · "
    };
    let mut out = format!("{title}{gap}{place}\n");
    if explained.trials.len() > 1 {
        let trials: Vec<_> = explained
            .trials
            .iter()
            .take(12)
            .map(String::as_str)
            .collect();
        let more = if explained.trials.len() > trials.len() {
            ", …"
        } else {
            ""
        };
        let line = format!(
            "  trials {}{more}; --trial shows another",
            trials.join(", ")
        );
        _ = writeln!(out, "{}", paint(FAINT, &cut_end(&line, screen_columns())));
    }
    let description = case
        .description
        .as_ref()
        .map(|text| text.to_display().into_owned());
    let run_id = case.meta.iter().find(|(key, _)| *key == RUN_ID);
    for (label, text) in [
        ("about", description),
        ("run", run_id.map(|(_, id)| unquoted(id))),
        ("input", case.input.map(unquoted)),
    ] {
        if let Some(text) = text {
            question(&mut out, label, &printable(&text), explained.full);
        }
    }
    tree::draw(&mut out, case, explained.full);
    for result in explained.results {
        out.push('\n');
        verdict(&mut out, result);
        match &result.evaluation.explanation {
            Some(explanation) => body(&mut out, &result.case, explanation, explained.full),
            None => pairs::lists(&mut out, &result.case, explained.full),
        }
        reasons(&mut out, &result.evaluation);
        editions(&mut out, result);
        if let Some(view) = &result.why_not {
            why_not::draw(&mut out, view, explained.full);
        }
    }
    out
}

/// Texts in the details of the original metric, such as the type of an error, if the score is below 1.
fn reasons(out: &mut String, evaluation: &Evaluation) {
    let is_right = evaluation.outcome.score().is_none_or(|score| score >= 1.0);
    if is_right && evaluation.passed != Some(false) {
        return;
    }
    let details = evaluation.details.as_ref().map(|it| decode(it.as_str()));
    let Some(Ok(Value::Object(details))) = details else {
        return;
    };
    for (key, value) in &details {
        if let Value::String(text) = value {
            let text = printable(&format!("{}: {}", key.to_display(), text.to_display()));
            paragraph(out, &text);
        }
    }
}

/// A JSON string without its quotes; any other JSON text unchanged.
pub(crate) fn unquoted(json: &str) -> String {
    match rightcall_core::value::decode(json) {
        Ok(rightcall_core::value::Value::String(text)) => text.to_display().into_owned(),
        _ => json.to_owned(),
    }
}

fn question(out: &mut String, label: &str, text: &str, full: bool) {
    let lines = wrap(text, screen_columns() - 10);
    let shown = if full {
        lines.len()
    } else {
        lines.len().min(QUESTION_LINES)
    };
    out.push('\n');
    for (number, line) in lines[..shown].iter().enumerate() {
        let head = if number == 0 {
            paint(FAINT, label)
        } else {
            " ".repeat(label.len())
        };
        let more = if number + 1 == shown && shown < lines.len() {
            "…"
        } else {
            ""
        };
        _ = writeln!(out, "  {head}   {line}{more}");
    }
}

fn verdict(out: &mut String, result: &ExplainedResult<'_>) {
    let evaluator = match &result.name {
        Some(name) => format!("{name} · {}", result.id),
        None => result.argument.clone(),
    };
    let mut parts = vec![paint(HEAD, &cut_middle(&printable(&evaluator), 60))];
    match &result.evaluation.outcome {
        Outcome::Scored(score) => {
            parts.push(format!("score {}", beside(score.get(), result.threshold)));
        }
        Outcome::NotApplicable(_) => parts.push("not applicable".to_owned()),
        Outcome::Failed(_) => parts.push(paint(BAD, "error")),
    }
    let threshold = result
        .threshold
        .map_or_else(String::new, |it| format!(" (threshold {it})"));
    match result.evaluation.passed {
        Some(true) => parts.push(format!("{}{threshold}", paint(GOOD, "passed"))),
        Some(false) => parts.push(format!("{}{threshold}", paint(BAD, "failed"))),
        None => {}
    }
    // Parts that don't fit after the name follow below it.
    let mut line = String::new();
    for part in parts {
        let plain = |text: &str| width(&strip_str(text).to_string());
        if line.is_empty() {
            line = part;
        } else if plain(&line) + plain(&part) + 3 <= screen_columns() {
            line = format!("{line} · {part}");
        } else {
            _ = writeln!(out, "{line}");
            line = format!("  {part}");
        }
    }
    _ = writeln!(out, "{line}");
    match &result.evaluation.outcome {
        Outcome::Scored(_) => {}
        Outcome::NotApplicable(reason) => paragraph(out, &reason.to_string()),
        Outcome::Failed(error) => paragraph(out, &error.to_string()),
    }
}

/// A score with three decimals, or with all digits if rounding would hide that it is below the threshold.
fn beside(score: f64, threshold: Option<f64>) -> String {
    let shown = format!("{score:.3}");
    match threshold {
        Some(threshold) if score < threshold && shown == format!("{threshold:.3}") => {
            score.to_string()
        }
        _ => shown,
    }
}

fn body(out: &mut String, case: &Case<'_>, explanation: &Explanation, full: bool) {
    if explanation.checks.is_empty() {
        pairs::draw(out, case, explanation, full);
    } else {
        checks::draw(out, case, explanation, full);
    }
    out.push('\n');
    if explanation.checks.is_empty() {
        paragraph(out, &pairs::tally(explanation));
    }
    arithmetic(explanation)
        .iter()
        .for_each(|line| paragraph(out, line));
}

/// The computation from the tally to the score, one step per line. A formula in prose comes after its value.
pub(crate) fn arithmetic(explanation: &Explanation) -> Vec<String> {
    let line = |term: &Term| {
        // Adding 0 turns -0 into 0.
        let (label, formula, value) = (&term.label, short_numbers(&term.formula), term.value + 0.0);
        let is_arithmetic = formula.contains(|character: char| character.is_ascii_digit());
        let places = rounded_to(&formula).unwrap_or(3);
        if is_arithmetic {
            format!("{label} = {formula} = {value:.places$}")
        } else {
            format!("{label} = {value:.3}: {formula}")
        }
    };
    explanation.arithmetic.iter().map(line).collect()
}

/// The number of decimals that a formula rounds to: 4 for `round(0.285714, 4)`.
fn rounded_to(formula: &str) -> Option<usize> {
    formula
        .strip_prefix("round(")?
        .strip_suffix(')')?
        .rsplit_once(", ")?
        .1
        .parse()
        .ok()
}

fn editions(out: &mut String, result: &ExplainedResult<'_>) {
    let (Some(edition), Some((other, outcome))) = (result.edition, &result.other_edition) else {
        return;
    };
    let gives = match outcome {
        Outcome::Scored(score) => format!("gives {:.3}", score.get()),
        Outcome::NotApplicable(reason) => format!("does not apply ({reason})"),
        Outcome::Failed(error) => format!("ends in an error ({error})"),
    };
    if result.evaluation.explanation.is_none() {
        out.push('\n');
    }
    let id = result.id;
    paragraph(
        out,
        &format!(
            "this is the `{edition}` edition; `{other}` {gives}: `rightcall evaluators {id}` lists every point on which they differ"
        ),
    );
}

/// Indented lines, wrapped to the screen.
fn paragraph(out: &mut String, text: &str) {
    push_wrapped(out, 2, &printable(text));
}

/// The number of decimals in formulas: twice as many as in the result, so the reader can recompute
/// it.
const PLACES: usize = 6;

/// Shortens numbers with many decimals.
fn short_numbers(formula: &str) -> String {
    let is_digit = |character: char| character.is_ascii_digit() || character == '.';
    let mut out = String::new();
    let mut rest = formula;
    while let Some(start) = rest.find(is_digit) {
        let (before, number) = rest.split_at(start);
        let end = number
            .find(|character| !is_digit(character))
            .unwrap_or(number.len());
        let (number, after) = number.split_at(end);
        out.push_str(before);
        match number.parse::<f64>() {
            Ok(value)
                if number
                    .split_once('.')
                    .is_some_and(|(_, fraction)| fraction.len() > PLACES) =>
            {
                out.push_str(
                    format!("{value:.PLACES$}")
                        .trim_end_matches('0')
                        .trim_end_matches('.'),
                );
            }
            _ => out.push_str(number),
        }
        rest = after;
    }
    out + rest
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod truth;
