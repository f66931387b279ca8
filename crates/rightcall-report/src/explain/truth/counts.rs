//! Checks the numbers of an explanation against its lists.

use rightcall_core::{ExplainedPair, Explanation, Grade, Side};

use super::super::pairs::tally as sentence;
use super::formula::compute;

/// Checks tally, sentence and arithmetic against pairs, missed calls and extra calls.
pub(super) fn check(
    evaluator: &str,
    explanation: &Explanation,
    is_native: bool,
) -> Result<(), String> {
    let counted = || explanation.pairs.iter().filter(|pair| pair.counted);
    let of_grade = |is: fn(Grade) -> bool| counted().filter(|pair| is(pair.grade)).count();
    let (full, name_only) = (
        of_grade(|grade| grade == Grade::Full),
        of_grade(|grade| grade == Grade::NameOnly),
    );
    let partial = of_grade(|grade| matches!(grade, Grade::Partial(_)));
    let found = (
        full,
        partial,
        name_only,
        explanation.missed.len(),
        explanation.extra.len(),
    );
    let tally = &explanation.tally;
    if found
        != (
            tally.full,
            tally.partial,
            tally.name_only,
            tally.missed,
            tally.extra,
        )
    {
        return Err(format!("the lists have {found:?}, the tally is {tally:?}"));
    }
    if let Some(pair) = explanation.pairs.iter().find(|pair| {
        let differs = !pair.differences.is_empty() || pair.more_differences > 0;
        differs && pair.grade == Grade::Full
    }) {
        return Err(format!("the same call with differences: {pair:?}"));
    }
    if explanation.checks.is_empty() {
        check_sentence(explanation, found)?;
        if !aligns_nothing(evaluator, explanation) {
            check_places(evaluator, explanation, is_native)?;
        }
    }
    check_terms(explanation, is_native)
}

fn of_side(members: &[(Side, usize)], side: Side) -> usize {
    members.iter().filter(|(it, _)| *it == side).count()
}

/// Checks the numbers in the sentence.
fn check_sentence(
    explanation: &Explanation,
    found: (usize, usize, usize, usize, usize),
) -> Result<(), String> {
    let sentence = sentence(explanation);
    let parts: Vec<&str> = sentence.split("; ").collect();
    let number = |what: &str| {
        let part = parts
            .iter()
            .find_map(|part| part.strip_suffix(what)?.trim_end().parse().ok());
        part.unwrap_or(0_usize)
    };
    let (full, partial, name_only, missed, extra) = found;
    let expected = explanation.tally.expected;
    let repeated: usize = shared(explanation, |pair| pair.expected).iter().sum();
    let matched = if repeated > 0 {
        format!("{full} of {} calls were expected", explanation.tally.actual)
    } else {
        format!("{full} of {expected} expected calls matched")
    };
    let shared: usize = shared(explanation, |pair| pair.actual).iter().sum();
    let mentions_shared = |number: usize| {
        let end = format!(" {number} of them");
        parts.iter().any(|part| part.ends_with(&end)) == (number > 0)
    };
    let is_true = (expected == 0 || parts[0] == matched)
        && number("partly right") == partial
        && number("with other arguments") == name_only
        && number("missed") == missed
        && number("extra") == extra
        && number("repeated and counted once") == explanation.duplicates.len()
        && number("not looked at") == explanation.not_examined.len()
        && mentions_shared(shared.max(repeated));
    if is_true {
        Ok(())
    } else {
        Err(format!("`{sentence}` of {found:?}"))
    }
}

/// For each call of a side in several pairs, the number of its pairs.
fn shared(explanation: &Explanation, of_side: fn(&ExplainedPair) -> usize) -> Vec<usize> {
    let mut calls: Vec<_> = explanation
        .pairs
        .iter()
        .filter(|pair| pair.counted)
        .map(of_side)
        .collect();
    calls.sort_unstable();
    calls
        .chunk_by(|one, other| one == other)
        .map(<[_]>::len)
        .filter(|answered| *answered > 1)
        .collect()
}

/// True if the evaluator can pair a call of this side several times.
fn may_pair_repeatedly(evaluator: &str, side: Side) -> bool {
    match side {
        Side::Expected => ["vertex/trajectory-precision", "trajectory, free"].contains(&evaluator),
        Side::Actual => [
            "tau2/action-check",
            "vertex/trajectory-recall",
            "mlflow/tool-call-correctness",
            "promptfoo/tool-used",
            "promptfoo/tool-args-match",
            "trajectory, free",
        ]
        .contains(&evaluator),
    }
}

/// True if an evaluator of budgets and failures aligned nothing, because it had no expected calls.
fn aligns_nothing(evaluator: &str, explanation: &Explanation) -> bool {
    evaluator == "mastra/trajectory"
        && explanation.tally.expected == 0
        && explanation.extra.is_empty()
}

/// Checks that each call is in exactly one list; calls that the original metric skips are in no
/// list.
fn check_places(evaluator: &str, explanation: &Explanation, is_native: bool) -> Result<(), String> {
    for (side, calls) in [
        (Side::Expected, explanation.tally.expected),
        (Side::Actual, explanation.tally.actual),
    ] {
        let mut places = vec![0; calls];
        let is_expected = side == Side::Expected;
        let mut paired: Vec<usize> = explanation
            .pairs
            .iter()
            .filter(|pair| pair.counted)
            .map(|pair| {
                if is_expected {
                    pair.expected
                } else {
                    pair.actual
                }
            })
            .collect();
        paired.sort_unstable();
        let answered = paired.len();
        paired.dedup();
        if paired.len() < answered && !may_pair_repeatedly(evaluator, side) {
            return Err(format!("a call of {side:?} is in two pairs"));
        }
        let open = if is_expected {
            &explanation.missed
        } else {
            &explanation.extra
        };
        let others = explanation
            .duplicates
            .iter()
            .chain(&explanation.not_examined)
            .filter(|(it, _)| *it == side);
        for index in paired
            .iter()
            .chain(open)
            .chain(others.map(|(_, index)| index))
        {
            *places
                .get_mut(*index)
                .ok_or_else(|| format!("there is no call {index} of {side:?}"))? += 1;
        }
        if let Some(index) = places
            .iter()
            .position(|places| *places > 1 || *places == 0 && !is_native)
        {
            return Err(format!(
                "call {index} of {side:?} is in {} places",
                places[index]
            ));
        }
    }
    Ok(())
}

/// Checks the numbers in the arithmetic that count calls.
fn check_terms(explanation: &Explanation, is_native: bool) -> Result<(), String> {
    let tally = &explanation.tally;
    let different =
        |side: Side, calls: usize| (calls - of_side(&explanation.duplicates, side)) as f64;
    let held = |wanted: fn(Option<bool>) -> bool| {
        explanation
            .checks
            .iter()
            .filter(|it| wanted(it.held))
            .count() as f64
    };
    for term in &explanation.arithmetic {
        let formula = &term.formula;
        let quotient = formula
            .rsplit_once(" / ")
            .and_then(|(above, below)| Some((compute(above)?, compute(below)?)));
        let is_true = match (&*term.label, quotient) {
            ("recall", Some(sides)) => {
                sides == (tally.credit, different(Side::Expected, tally.expected))
            }
            ("precision", Some(sides)) => {
                sides == (tally.credit, different(Side::Actual, tally.actual))
            }
            ("mean", Some(sides)) => {
                explanation.checks.is_empty()
                    || sides == (held(|held| held == Some(true)), held(|held| held.is_some()))
            }
            ("credit", Some(_)) if formula.starts_with('(') => {
                formula.contains(&format!(" × {} + ", tally.full))
                    && formula.contains(&format!(" × {}) / ", tally.partial + tally.name_only))
            }
            ("penalty", _) if !is_native => {
                let has_extra = tally.extra > 0;
                formula.contains(&format!("{} extra", tally.extra)) == has_extra
                    && formula.contains("extra") == has_extra
            }
            _ => true,
        };
        if !is_true {
            return Err(format!(
                "{} = {formula} does not count what is listed",
                term.label
            ));
        }
    }
    Ok(())
}
