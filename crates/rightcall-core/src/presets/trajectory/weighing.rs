//! The setting `weigh`: calls that change something count more.

use crate::definitions::definitions;
use crate::matching::NamePattern;
use crate::presets::prelude::*;
use crate::recipe::Weighing;

const EFFECTS: Number = Number::new(
    "effects",
    "1",
    "How much a call of `tools` counts; each other call counts 1.",
);
const TOOLS: Setting = texts(
    "tools",
    "Tools that change something, such as an order or a file. `*` matches any characters, `?` one.",
);

const HINTS: Setting = any(
    "hints",
    "null",
    "Definitions of tools with MCP's hints, as a file or in place. A tool with `readOnlyHint: false`, or with `destructiveHint: true` and no \
`readOnlyHint`, counts as one of `tools`.",
);

pub(super) const WEIGH: Group = Group::new(
    "weigh",
    &[EFFECTS.setting, TOOLS, HINTS],
    "Calls that change something count more in `score: recall`, `precision` and `f1`: `effects`, and `tools` or `hints`.",
);

/// The weights in the settings; `None` if all calls count alike.
pub(super) fn weighing(settings: &Settings<'_>) -> Result<Option<Weighing>, ConfigError> {
    let given = WEIGH.read(settings)?;
    let effects = EFFECTS.read(&given)?;
    if effects <= 0.0 {
        let found = Value::Float(effects);
        return Err(given.bad(EFFECTS.setting.name, "a number above 0".to_owned(), &found));
    }
    let pattern = |name: &str| Some(NamePattern::new(name));
    let mut tools = given.list(TOOLS.name, "names of tools", pattern)?;
    let defined = definitions(&given, HINTS.name)?;
    if let Some(defined) = &defined {
        let changing = defined.changing().ok_or_else(|| {
            let expected = "tools with `annotations`: `readOnlyHint` or `destructiveHint`";
            given.bad_because(HINTS.name, expected.to_owned(), "none".to_owned())
        })?;
        tools.extend(changing.iter().map(|name| NamePattern::new(name.as_str())));
    }
    match (tools.is_empty(), effects == 1.0) {
        (true, true) => Ok(None),
        // No tool of the agent changes anything.
        (true, false) if defined.is_some() => Ok(None),
        (true, false) => Err(settings.conflict(
            "`weigh.effects` needs `weigh.tools` or `weigh.hints`: the tools that change something",
        )),
        _ => Ok(Some(Weighing { tools, effects })),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::call::{Arguments, Call, Case, Expectation, Trajectory};
    use crate::{Ask, Evaluator};

    /// A call of one of three tools, with one of two arguments; `refund` changes something.
    type Made = (usize, bool);

    fn calls(made: &[Made], times_of_effects: usize) -> Vec<Call<'static>> {
        let call = |&(tool, argument): &Made| {
            let call = Call {
                name: ["find", "look", "refund"][tool].into(),
                arguments: Arguments::json(if argument { r#"{"id":7}"# } else { "{}" }),
                ..Call::default()
            };
            vec![call; if tool == 2 { times_of_effects } else { 1 }]
        };
        made.iter().flat_map(call).collect()
    }

    fn score(settings: &str, expected: &[Made], actual: &[Made], times: usize) -> Option<f64> {
        let evaluator =
            Evaluator::new("trajectory", settings, None).expect("the settings are right");
        let case = Case {
            expected: Expectation::from_calls(calls(expected, times)),
            actual: Some(Trajectory {
                calls: calls(actual, times),
                ..Trajectory::default()
            }),
            ..Case::default()
        };
        evaluator.evaluate(&case, Ask::ALL).outcome.score()
    }

    fn side() -> impl Strategy<Value = Vec<Made>> {
        prop::collection::vec((0..3_usize, any::<bool>()), 0..7)
    }

    proptest! {
        #[test]
        fn a_call_with_weight_n_counts_like_n_calls(expected in side(), actual in side(), times in 1..5_usize) {
            for formula in ["recall", "precision", "f1"] {
                let weighed = format!(r#"{{"score":"{formula}","weigh":{{"effects":{times},"tools":["ref*"]}}}}"#);
                let plain = format!(r#"{{"score":"{formula}"}}"#);
                prop_assert_eq!(
                    score(&weighed, &expected, &actual, 1),
                    score(&plain, &expected, &actual, times),
                    "{} {}", formula, times
                );
            }
        }
    }

    #[test]
    fn weights_need_tools_and_a_weighable_formula() {
        let error = |settings: &str| {
            let made = Evaluator::new("trajectory", settings, None);
            made.map(|_| ()).unwrap_err().to_string()
        };
        for (settings, wanted) in [
            (r#"{"weigh":{"effects":10}}"#, "needs `weigh.tools`"),
            (
                r#"{"weigh":{"effects":0,"tools":["a"]}}"#,
                "a number above 0",
            ),
            (
                r#"{"weigh":{"effects":2,"tools":["a"]},"mode":"strict"}"#,
                "`weigh` needs `score: recall`",
            ),
            (
                r#"{"weigh":{"effects":2,"tools":["a"]},"score":"recall","align":"free"}"#,
                "other than `free`",
            ),
        ] {
            let found = error(settings);
            assert!(found.contains(wanted), "{settings}: {found}");
        }
    }
}
