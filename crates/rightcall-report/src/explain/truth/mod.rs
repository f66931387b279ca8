//! Checks that everything printed about a score is true. Each line of arithmetic is recomputed from
//! its text, and the last line must have the score. The numbers in the sentence must match the
//! alignment.
//!
//! `PROPTEST_CASES=20000 cargo test -p rightcall-report truth` runs more cases than the default.

mod counts;
mod formula;

use std::cell::RefCell;
use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use rightcall_core::{Ask, EVALUATORS, Edition, Evaluator, Explanation, Outcome};
use rightcall_formats::{ReadOptions, read_case};
use rightcall_reference::cases;
use rightcall_reference::choices::Choices;
use rightcall_reference::differential;

use super::*;
use crate::tests::plain;

/// Default number of cases.
const CASES: u32 = 1000;

/// Number of explanations for each evaluator.
type Counted = RefCell<BTreeMap<String, usize>>;

/// Runs the property on the requested number of cases. Each evaluator must produce at least `fewest` explanations.
fn on_many_cases(fewest: usize, check: impl Fn(&[u8], &Counted) -> Result<(), String>) {
    let cases = std::env::var("PROPTEST_CASES")
        .ok()
        .and_then(|cases| cases.parse().ok())
        .unwrap_or(CASES);
    let mut runner = TestRunner::new(Config {
        failure_persistence: None,
        ..Config::with_cases(cases)
    });
    let explained = Counted::default();
    let outcome = runner.run(&prop::collection::vec(any::<u8>(), 0..200), |bytes| {
        check(&bytes, &explained).map_err(TestCaseError::fail)
    });
    if let Err(fault) = outcome {
        panic!("{fault}");
    }
    for (evaluator, explained) in &*explained.borrow() {
        assert!(
            explained * fewest >= cases as usize,
            "{evaluator}: only {explained} of {cases} cases are explained"
        );
    }
}

/// Checks everything printed about an explanation.
fn check(
    evaluator: &str,
    explanation: &Explanation,
    outcome: &Outcome,
    is_native: bool,
) -> Result<(), String> {
    let lines = arithmetic(explanation);
    for line in &lines {
        formula::check(line)?;
    }
    if let Outcome::Scored(score) = outcome {
        let last = explanation.arithmetic.last().ok_or("no arithmetic")?;
        let (last, score, line) = (
            last.value,
            score.get(),
            lines.last().map_or("", String::as_str),
        );
        let is_shown = |value: &str| {
            let in_hundredths = line.contains(", 2) = ") && value == format!("{:.2}", score + 0.0);
            in_hundredths
                || [format!("{:.3}", score + 0.0), format!("{score:.4}")]
                    .contains(&value.to_owned())
        };
        if last != score || !formula::value(line).is_some_and(is_shown) {
            return Err(format!(
                "the arithmetic ends in {last}, the score is {score}"
            ));
        }
    }
    counts::check(evaluator, explanation, is_native)
}

fn note(explained: &Counted, evaluator: &str, edition: Edition) {
    *explained
        .borrow_mut()
        .entry(format!("{evaluator} {edition}"))
        .or_default() += 1;
}

#[test]
fn arithmetic_of_every_evaluator_is_correct() {
    on_many_cases(8, |bytes, explained| {
        let json = cases::canonical_case(&mut Choices::new(bytes));
        let case = read_case(&json, &ReadOptions::default())
            .map_err(|error| format!("{error}: {json}"))?;
        for (place, id) in EVALUATORS.iter().map(|entry| entry.id).enumerate() {
            // Each starts at another byte, so none is left without choices.
            let choices = &mut Choices::new(bytes.get(place..).unwrap_or_default());
            let settings = cases::settings(id, choices);
            let edition = choices.one(&[None, Some(Edition::Package)]);
            // Some settings are invalid, or contradict each other.
            let Ok(evaluator) = Evaluator::new(id, &settings, edition) else {
                continue;
            };
            let evaluation = evaluator.evaluate(&case, Ask::EXPLANATION);
            let Some(explanation) = &evaluation.explanation else {
                continue;
            };
            note(explained, id, evaluator.edition());
            let with = |fault: String| {
                format!(
                    "{fault}\n{id} {settings}\n{json}\n{}",
                    explanation.to_json()
                )
            };
            let free = settings.contains(r#""align":"free""#);
            let named = if free { "trajectory, free" } else { id };
            check(named, explanation, &evaluation.outcome, false).map_err(with)?;
            let result = ExplainedResult {
                case: Cow::Borrowed(&case),
                id,
                name: None,
                argument: id.to_owned(),
                threshold: None,
                edition: None,
                other_edition: None,
                why_not: None,
                evaluation: evaluation.clone(),
            };
            let all = Explained {
                case: &case,
                label: "a",
                place: "a:1",
                trials: &[],
                results: &[result],
                full: false,
            };
            let screen = explain_screen(&all);
            on_screen(&plain(&screen), explanation).map_err(with)?;
        }
        Ok(())
    });
}

/// Checks that the screen shows everything checked before.
fn on_screen(screen: &str, explanation: &Explanation) -> Result<(), String> {
    let joined = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let screen = joined(screen);
    let sentence = explanation.checks.is_empty().then(|| tally(explanation));
    match arithmetic(explanation)
        .into_iter()
        .chain(sentence)
        .find(|line| !screen.contains(&joined(line)))
    {
        Some(line) => Err(format!("the screen lacks `{line}`: {screen}")),
        None => Ok(()),
    }
}

#[test]
fn arithmetic_is_correct_for_calls_in_original_shapes() {
    on_many_cases(8, |bytes, explained| {
        for id in cases::evaluators() {
            let case = differential::Case::from_bytes(id, bytes);
            for edition in [Edition::Documented, Edition::Package] {
                let Ok(evaluator) = Evaluator::from_config(id, &case.config, edition) else {
                    continue;
                };
                let evaluation =
                    evaluator.evaluate_native(&case.expected, &case.actual, Ask::EXPLANATION);
                let Some(explanation) = &evaluation.explanation else {
                    continue;
                };
                note(explained, id, edition);
                let with = |fault: String| {
                    format!("{fault}\n{edition} {case:#?}\n{}", explanation.to_json())
                };
                check(id, explanation, &evaluation.outcome, true).map_err(with)?;
            }
        }
        Ok(())
    });
}
