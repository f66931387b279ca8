//! Causes of failed cases, in a form in which equal causes can be counted.

use std::borrow::Cow;
use std::fmt;

use rightcall_core::call::Case;
use rightcall_core::value::{Text, pointer};
use rightcall_core::{Difference, ExpectedList, ExplainedCheck, ExplainedPair, Explanation, Grade};

/// A cause that many cases may share.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// The case has no run.
    NoRun,
    /// No call was made, and some were expected.
    NothingCalled,
    /// An expected tool was not called.
    NotCalled(String),
    /// An expected tool was called, but less often than expected.
    CalledTooSeldom(String),
    /// An unexpected tool was called.
    NotExpected(String),
    /// A tool was called more often than expected.
    CalledTooOften(String),
    /// A tool was called, but not in a position that counts.
    OutOfOrder(String),
    /// An argument of a tool, or a value within it, differs.
    OtherArgument {
        /// The tool.
        name: String,
        /// The argument.
        key: String,
    },
    /// An expected argument is missing.
    WithoutArgument {
        /// The tool.
        name: String,
        /// The argument.
        key: String,
    },
    /// An unexpected argument was passed.
    UnaskedArgument {
        /// The tool.
        name: String,
        /// The argument.
        key: String,
    },
    /// All arguments of a tool differ.
    OtherArguments(String),
    /// A tool returned a different output.
    OtherOutput(String),
    /// A constraint was violated.
    Broken {
        /// The name of the constraint.
        label: String,
        /// The condition.
        wanted: String,
    },
}

/// In plain words.
impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRun => f.write_str("no run found"),
            Self::NothingCalled => f.write_str("nothing was called"),
            Self::NotCalled(name) => write!(f, "{name} was not called"),
            Self::CalledTooSeldom(name) => write!(f, "{name} was not called often enough"),
            Self::NotExpected(name) => write!(f, "{name} was called, but not expected"),
            Self::CalledTooOften(name) => write!(f, "{name} was called too often"),
            Self::OutOfOrder(name) => write!(f, "{name} was called out of order"),
            Self::OtherArgument { name, key } => write!(f, "{name}: {key} differs"),
            Self::WithoutArgument { name, key } => write!(f, "{name}: {key} is missing"),
            Self::UnaskedArgument { name, key } => {
                write!(f, "{name}: {key} is not expected")
            }
            Self::OtherArguments(name) => write!(f, "{name}: arguments differ"),
            Self::OtherOutput(name) => write!(f, "{name}: output differs"),
            Self::Broken { label, wanted } => write!(f, "{label}: broken (wanted {wanted})"),
        }
    }
}

/// A cause that evaluators show for a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseCause {
    /// The cause.
    pub cause: Cause,
    /// True if the case failed for one of these evaluators, or scored below 1 without a verdict.
    pub counts: bool,
}

/// The causes in an explanation, each once, in the order of the calls.
pub fn causes(case: &Case<'_>, explanation: &Explanation) -> Vec<Cause> {
    let mut causes = Vec::new();
    for check in explanation
        .checks
        .iter()
        .filter(|check| check.held == Some(false))
    {
        push(&mut causes, check_cause(check));
    }
    // One cause for the whole case instead of one for each expected tool.
    if explanation.tally.actual == 0 && !explanation.missed.is_empty() && explanation.costs.missed {
        push(&mut causes, Cause::NothingCalled);
        return causes;
    }
    for pair in explanation
        .pairs
        .iter()
        .filter(|pair| pair.grade != Grade::Full)
    {
        pair_cause(&mut causes, case, explanation, pair);
    }
    // Paired calls already have their causes.
    let paired = |index: &usize, of: fn(&ExplainedPair) -> usize| {
        explanation.pairs.iter().any(|pair| of(pair) == *index)
    };
    let calls = case
        .actual
        .as_ref()
        .map(|run| run.calls.as_slice())
        .unwrap_or_default();
    if explanation.costs.missed {
        for &index in explanation
            .missed
            .iter()
            .filter(|index| !paired(index, |pair| pair.expected))
        {
            let Some(name) = explanation.expected_name(case, index) else {
                continue;
            };
            let is_called = calls.iter().any(|call| call.name == *name);
            push(
                &mut causes,
                if is_called {
                    Cause::CalledTooSeldom
                } else {
                    Cause::NotCalled
                }(display_name(name)),
            );
        }
    }
    if explanation.costs.extra {
        for &index in explanation
            .extra
            .iter()
            .filter(|index| !paired(index, |pair| pair.actual))
        {
            let Some(name) = calls.get(index).map(|call| &call.name) else {
                continue;
            };
            let expected = (0..explanation.tally.expected)
                .filter_map(|index| explanation.expected_name(case, index));
            let is_expected = expected.into_iter().any(|expected| expected == name);
            push(
                &mut causes,
                if is_expected {
                    Cause::CalledTooOften
                } else {
                    Cause::NotExpected
                }(display_name(name)),
            );
        }
    }
    causes
}

/// Reports a count as too small or too large if both bounds and count are plain numbers; otherwise a violated constraint.
fn check_cause(check: &ExplainedCheck) -> Cause {
    let (label, wanted) = (check.label.clone(), check.wanted.clone());
    let number = |digits: &str| digits.parse::<u64>().ok();
    let bounds: Vec<u64> = wanted
        .split(|it: char| !it.is_ascii_digit())
        .filter_map(number)
        .collect();
    match (number(&check.found), &bounds[..]) {
        (Some(found), [.., most]) if check.is_count && found > *most => {
            Cause::CalledTooOften(label)
        }
        (Some(0), [least, ..]) if check.is_count && *least > 0 => Cause::NotCalled(label),
        (Some(found), [least, ..]) if check.is_count && found < *least => {
            Cause::CalledTooSeldom(label)
        }
        _ => Cause::Broken { label, wanted },
    }
}

fn pair_cause(
    causes: &mut Vec<Cause>,
    case: &Case<'_>,
    explanation: &Explanation,
    pair: &ExplainedPair,
) {
    let Some(name) = explanation
        .expected_name(case, pair.expected)
        .map(display_name)
    else {
        return;
    };
    if pair.differences.is_empty() {
        let cause = match explanation.list {
            ExpectedList::Outputs => Cause::OtherOutput,
            _ if pair.counted => Cause::OtherArguments,
            _ => Cause::OutOfOrder,
        };
        return push(causes, cause(name));
    }
    for difference in &pair.differences {
        push(causes, difference_cause(name.clone(), difference));
    }
}

fn difference_cause(name: String, difference: &Difference) -> Cause {
    let mut steps = pointer::steps(&difference.pointer);
    let Some(key) = steps.next().map(Cow::into_owned) else {
        return Cause::OtherArguments(name);
    };
    let is_inside = steps.next().is_some();
    match (&difference.expected, &difference.found) {
        (Some(_), None) if !is_inside => Cause::WithoutArgument { name, key },
        (None, Some(_)) if !is_inside => Cause::UnaskedArgument { name, key },
        _ => Cause::OtherArgument { name, key },
    }
}

fn push(causes: &mut Vec<Cause>, cause: Cause) {
    if !causes.contains(&cause) {
        causes.push(cause);
    }
}

fn display_name(name: &Text<'_>) -> String {
    name.to_display().into_owned()
}

#[cfg(test)]
mod tests {
    use rightcall_core::{Ask, Evaluator};
    use rightcall_formats::{ReadOptions, read_case};

    use super::*;

    #[track_caller]
    fn check(evaluator: &str, settings: &str, case: &str, expected: &[Cause]) {
        let case = read_case(case, &ReadOptions::default()).unwrap();
        let evaluator = Evaluator::new(evaluator, settings, None).unwrap();
        let evaluation = evaluator.evaluate(&case, Ask::EXPLANATION);
        assert_eq!(causes(&case, &evaluation.explanation.unwrap()), expected);
    }

    const CASE: &str = r#"{"expected":[{"name":"find","args":{"id":7}},{"name":"refund","args":{"id":7,"to":{"card":1}}},{"name":"mail","args":{}}],
        "actual":[{"name":"find","args":{"id":7}},{"name":"find","args":{"id":8}},{"name":"refund","args":{"to":{},"x":1}},{"name":"look","args":{}}]}"#;

    fn argument(kind: fn(String, String) -> Cause, key: &str) -> Cause {
        kind("refund".into(), key.into())
    }

    #[test]
    fn extra_calls_are_a_cause_only_if_they_lower_the_score() {
        let of_arguments = [
            argument(|name, key| Cause::WithoutArgument { name, key }, "id"),
            argument(|name, key| Cause::OtherArgument { name, key }, "to"),
            argument(|name, key| Cause::UnaskedArgument { name, key }, "x"),
        ];
        let missed = Cause::NotCalled("mail".into());
        let extra = [
            Cause::CalledTooOften("find".into()),
            Cause::NotExpected("look".into()),
        ];
        let recall = [&of_arguments[..], std::slice::from_ref(&missed)].concat();
        check("trajectory", r#"{"score":"recall"}"#, CASE, &recall);
        check("trajectory", "{}", CASE, &[&recall[..], &extra].concat());
        check(
            "trajectory",
            r#"{"score":"precision"}"#,
            CASE,
            &[&of_arguments[..], &extra].concat(),
        );
    }

    #[test]
    fn calls_in_order_after_a_missed_call_are_not_a_cause() {
        let case = r#"{"expected":[{"name":"find","args":{"id":7}},{"name":"refund","args":{}},{"name":"mail","args":{}},{"name":"close","args":{}}],
            "actual":[{"name":"refund","args":{}},{"name":"find","args":{"id":8}},{"name":"mail","args":{}},{"name":"close","args":{}}]}"#;
        let argument = Cause::OtherArgument {
            name: "find".into(),
            key: "id".into(),
        };
        let expected = [argument, Cause::OutOfOrder("refund".into())];
        check("trajectory", r#"{"mode":"in_order"}"#, case, &expected);
        check(
            "adk/trajectory",
            r#"{"match_type":"IN_ORDER"}"#,
            case,
            &expected,
        );
    }

    #[test]
    fn order_counts_and_empty_runs_have_separate_causes() {
        let order = r#"{"expected":["a","b","b"],"actual":[{"name":"b"},{"name":"a"}]}"#;
        let names = [
            Cause::OutOfOrder("b".into()),
            Cause::CalledTooSeldom("b".into()),
        ];
        check("uipath/tool-call-order", "{}", order, &names);
        let broken = |label: &str, wanted: &str| Cause::Broken {
            label: label.into(),
            wanted: wanted.into(),
        };
        check(
            "uipath/tool-call-count",
            "{}",
            order,
            &[Cause::CalledTooSeldom("b".into())],
        );
        let counts = r#"{"counts":{"a":"2..3","b":0,"c":1,"?":"!= 2"}}"#;
        let often = [
            Cause::CalledTooSeldom("a".into()),
            Cause::CalledTooOften("b".into()),
            Cause::NotCalled("c".into()),
        ];
        check(
            "constraints",
            counts,
            order,
            &[&often[..], &[broken("?", "!= 2")]].concat(),
        );
        check(
            "constraints",
            r#"{"forbidden":"a","max_errors":0}"#,
            order,
            &[broken("a is forbidden", "= 0")],
        );
        check(
            "trajectory",
            "{}",
            r#"{"expected":["a","b"],"actual":[]}"#,
            &[Cause::NothingCalled],
        );
        let outputs = r#"{"expected":{"outputs":[{"name":"a","output":"x"}]},"actual":[{"name":"a","output":"y"}]}"#;
        check(
            "uipath/tool-call-output",
            "{}",
            outputs,
            &[Cause::OtherOutput("a".into())],
        );
    }
}
