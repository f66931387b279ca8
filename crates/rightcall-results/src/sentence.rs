//! Explains a low score in one sentence.

use rightcall_core::call::Case;
use rightcall_core::value::JsonText;
use rightcall_core::value::pointer::unescaped;
use rightcall_core::{Difference, ExplainedPair, Explanation, Grade};

/// Number of names listed before `…`.
const MAX_NAMES: usize = 3;

/// The most important reason for a low score, in a few words; empty if the explanation has none. Differences without a cost are skipped.
pub fn sentence(case: &Case<'_>, explanation: &Explanation) -> String {
    let (missed, extra) = (explanation.missed.len(), explanation.extra.len());
    let broken: Vec<_> = explanation
        .checks
        .iter()
        .filter(|check| check.held == Some(false))
        .collect();
    if let Some(check) = broken.first() {
        let more = if broken.len() > 1 {
            format!(" (and {} more)", broken.len() - 1)
        } else {
            String::new()
        };
        return format!(
            "{}: wanted {}, found {}{more}",
            check.label, check.wanted, check.found
        );
    }
    if missed > 0 && explanation.pairs.is_empty() {
        return if explanation.tally.actual == 0 && extra == 0 {
            format!("nothing was called ({missed} missed)")
        } else {
            format!("nothing expected was called ({missed} missed, {extra} extra)")
        };
    }
    if let Some(pair) = explanation
        .pairs
        .iter()
        .find(|pair| pair.grade != Grade::Full && !pair.differences.is_empty())
    {
        return difference(case, explanation, pair);
    }
    let parts = [
        explanation.costs.missed.then(|| {
            listed(
                missed,
                "missed",
                explanation
                    .missed
                    .iter()
                    .map(|&index| expected_name(case, explanation, index)),
            )
        }),
        explanation.costs.extra.then(|| {
            listed(
                extra,
                "extra",
                explanation
                    .extra
                    .iter()
                    .map(|&index| actual_name(case, index)),
            )
        }),
    ];
    let mut parts: Vec<_> = parts.into_iter().flatten().flatten().collect();
    let is_low = explanation
        .arithmetic
        .last()
        .is_some_and(|it| it.value < 1.0);
    if parts.is_empty() && explanation.tally.expected == 0 && is_low {
        // Nothing is expected, so only these calls can be the reason.
        let names = explanation.extra.iter();
        parts.extend(listed(
            extra,
            "extra",
            names.map(|&index| actual_name(case, index)),
        ));
    }
    match explanation.arithmetic.last() {
        Some(term) if parts.is_empty() => format!("{} = {}", term.label, term.formula),
        _ => parts.join("; "),
    }
}

/// `4 missed: a, b, c, …`.
fn listed(
    number: usize,
    what: &str,
    names: impl Iterator<Item = Option<String>>,
) -> Option<String> {
    if number == 0 {
        return None;
    }
    let mut names: Vec<_> = names
        .take(MAX_NAMES)
        .collect::<Option<Vec<_>>>()
        .unwrap_or_default();
    if names.is_empty() {
        return Some(format!("{number} {what}"));
    }
    if number > MAX_NAMES {
        names.push("…".to_owned());
    }
    Some(format!("{number} {what}: {}", names.join(", ")))
}

/// `expected refund(id=7), called refund(id=1)`.
fn difference(case: &Case<'_>, explanation: &Explanation, pair: &ExplainedPair) -> String {
    let side = |name: Option<String>, side: usize| {
        let mut arguments: Vec<_> = pair
            .differences
            .iter()
            .take(MAX_NAMES)
            .map(|difference| {
                let value = values(difference)[side].clone();
                let key = unescaped(difference.pointer.trim_start_matches('/'));
                if key.is_empty() {
                    value
                } else {
                    format!("{key}={value}")
                }
            })
            .collect();
        if pair.differences.len() > MAX_NAMES {
            arguments.push("…".to_owned());
        }
        format!(
            "{}({})",
            name.unwrap_or_else(|| "call".to_owned()),
            arguments.join(", ")
        )
    };
    let expected = side(expected_name(case, explanation, pair.expected), 0);
    let called = side(actual_name(case, pair.actual), 1);
    format!("expected {expected}, called {called}")
}

/// Both values of a difference. Long values are cut to the part where they differ.
fn values(difference: &Difference) -> [String; 2] {
    let sides = [&difference.expected, &difference.found];
    let json = sides.map(|side| side.as_ref().map(JsonText::as_str));
    let same = match json {
        [Some(expected), Some(found)] => {
            let pairs = expected.chars().zip(found.chars());
            pairs.take_while(|(one, other)| one == other).count()
        }
        _ => 0,
    };
    let is_long = json
        .iter()
        .flatten()
        .any(|json| json.chars().count() > MAX_VALUE);
    let from = if is_long && same > MAX_VALUE / 2 {
        same - MAX_VALUE / 4
    } else {
        0
    };
    json.map(|json| json.map_or_else(|| "nothing".to_owned(), |json| part_of(json, from)))
}

/// Maximum length of a value in characters.
const MAX_VALUE: usize = 24;

/// The value from this character on, with `…` where text is left out.
fn part_of(json: &str, from: usize) -> String {
    let rest: String = json.chars().skip(from).collect();
    let mut part: String = rest.chars().take(MAX_VALUE).collect();
    if part.len() < rest.len() {
        part.push('…');
    }
    if from > 0 { format!("…{part}") } else { part }
}

fn expected_name(case: &Case<'_>, explanation: &Explanation, index: usize) -> Option<String> {
    explanation
        .expected_name(case, index)
        .map(|name| name.to_display().into_owned())
}

fn actual_name(case: &Case<'_>, index: usize) -> Option<String> {
    let call = case.actual.as_ref()?.calls.get(index)?;
    Some(call.name.to_display().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rightcall_core::call::{Arguments, Call, Expectation, Trajectory};
    use rightcall_core::value::JsonWriter;
    use rightcall_core::{Costs, ExplainedCheck, Tally, Term};

    fn calls(names: &[&'static str]) -> Vec<Call<'static>> {
        names
            .iter()
            .map(|&name| Call {
                name: name.into(),
                arguments: Arguments::default(),
                ..Call::default()
            })
            .collect()
    }

    fn case() -> Case<'static> {
        Case {
            expected: Expectation::from_calls(calls(&["find", "refund", "mail", "close"])),
            actual: Some(Trajectory {
                calls: calls(&["refund", "look"]),
                spans: Vec::new(),
            }),
            ..Case::default()
        }
    }

    fn number(number: usize) -> JsonText {
        let mut writer = JsonWriter::new();
        writer.count(number);
        writer.finish()
    }

    fn pair(differences: Vec<Difference>) -> ExplainedPair {
        ExplainedPair {
            grade: Grade::NameOnly,
            differences,
            ..ExplainedPair::new(1, 0)
        }
    }

    #[test]
    fn long_values_are_cut_to_their_difference() {
        let check = |expected: &str, found: &str, wanted: [&str; 2]| {
            let json = |text: &str| Some(JsonText::from_type(text));
            let difference = Difference {
                pointer: "/id".into(),
                expected: json(expected),
                found: json(found),
            };
            assert_eq!(values(&difference), wanted);
        };
        check("a", "b", ["\"a\"", "\"b\""]);
        let address = "https://example.com/orders/";
        check(
            &format!("{address}1042/refund/and/more"),
            &format!("{address}1024/refund/and/more"),
            ["…ers/1042/refund/and/more…", "…ers/1024/refund/and/more…"],
        );
        let long = "x".repeat(40);
        check(&long, &format!("{long}y"), ["…xxxxxx\"", "…xxxxxxy\""]);
    }

    #[test]
    fn without_expected_calls_extra_calls_are_the_reason() {
        let unasked = Explanation {
            extra: vec![0, 1],
            costs: Costs {
                missed: true,
                extra: false,
            },
            arithmetic: vec![Term {
                label: "recall".into(),
                formula: "nothing is expected".into(),
                value: 0.0,
            }],
            ..Explanation::default()
        };
        assert_eq!(sentence(&case(), &unasked), "2 extra: refund, look");
    }

    #[test]
    fn a_sentence_states_the_most_important_reason() {
        let tally = Tally {
            expected: 4,
            actual: 2,
            ..Tally::default()
        };
        let none = Explanation {
            missed: vec![0, 1, 2, 3],
            extra: vec![0, 1],
            tally,
            ..Explanation::default()
        };
        assert_eq!(
            sentence(&case(), &none),
            "nothing expected was called (4 missed, 2 extra)"
        );

        let silent = Explanation {
            missed: vec![0],
            ..Explanation::default()
        };
        assert_eq!(sentence(&case(), &silent), "nothing was called (1 missed)");

        let differs = Difference {
            pointer: "/id".into(),
            expected: Some(number(7)),
            found: Some(number(1)),
        };
        let other = Explanation {
            pairs: vec![pair(vec![differs])],
            missed: vec![0],
            tally,
            ..Explanation::default()
        };
        assert_eq!(
            sentence(&case(), &other),
            "expected refund(id=7), called refund(id=1)"
        );

        let some = Explanation {
            pairs: vec![pair(vec![])],
            missed: vec![0, 1, 2, 3],
            extra: vec![1],
            ..Explanation::default()
        };
        assert_eq!(
            sentence(&case(), &some),
            "4 missed: find, refund, mail, …; 1 extra: look"
        );

        let check = |label: &str, held| ExplainedCheck {
            is_count: true,
            label: label.into(),
            wanted: "= 1".into(),
            found: "3".into(),
            held: Some(held),
            ..ExplainedCheck::default()
        };
        let counts = Explanation {
            checks: vec![check("a", true), check("b", false), check("c", false)],
            ..Explanation::default()
        };
        assert_eq!(
            sentence(&case(), &counts),
            "b: wanted = 1, found 3 (and 1 more)"
        );

        let arithmetic = vec![Term {
            label: "recall".into(),
            formula: "2 / 3".into(),
            value: 2.0 / 3.0,
        }];
        assert_eq!(
            sentence(
                &case(),
                &Explanation {
                    arithmetic,
                    ..Explanation::default()
                }
            ),
            "recall = 2 / 3"
        );
        assert_eq!(sentence(&case(), &Explanation::default()), "");
    }
}
