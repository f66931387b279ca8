//! `match.nulls: absent` of the native evaluator, compared with cases after removing their null members.

use std::cell::Cell;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use rightcall_core::call::{Arguments, Call, Case, Expectation, Trajectory};
use rightcall_core::value::{JsonText, Object, Value, decode};
use rightcall_core::{Ask, Evaluator, Outcome};
use rightcall_reference::choices::Choices;
use rightcall_reference::template::fill;

/// Ways to compare arguments, each with related settings.
const RULES: [&str; 10] = [
    r#""args":"exact"}"#,
    r#""args":"exact"},"align":"multiset""#,
    r#""args":"exact","equality":"python"},"align":"lcs""#,
    r#""args":"exact","defaults":{"a":1}}"#,
    r#""args":"subset"}"#,
    r#""args":"superset"},"align":"first_fit""#,
    r#""args":"keys","keys":["a","b.a"]}"#,
    r#""args":"overlap"},"score":"recall""#,
    r#""args":"partial"},"align":"position""#,
    r#""args":"text"},"align":"subsequence""#,
];

/// The value with null members removed at every level.
fn stripped(value: &Value<'_>) -> Value<'static> {
    match value {
        Value::Object(members) => {
            let mut kept = Vec::new();
            for (key, member) in members {
                if !member.is_null() {
                    kept.push((key.clone().into_owned(), stripped(member)));
                }
            }
            Value::Object(Object::new(kept))
        }
        Value::List(items) => Value::List(items.iter().map(stripped).collect()),
        other => other.clone().into_owned(),
    }
}

/// Objects as arguments, with nulls more often than elsewhere.
fn calls(choices: &mut Choices<'_>) -> Vec<String> {
    let length = choices.below(4);
    let call = |_| {
        let [object] = fill(choices, ["$object"]);
        if choices.rarely(2) {
            object.replace("true", "null")
        } else {
            object
        }
    };
    (0..length).map(call).collect()
}

fn outcome(settings: &str, expected: &[String], actual: &[String]) -> Outcome {
    let evaluator = Evaluator::new("trajectory", settings, None).expect("the settings are right");
    let calls = |side: &[String]| -> Vec<Call<'static>> {
        let call = |(place, text): (usize, &String)| Call {
            name: ["f", "g"][place % 2].into(),
            arguments: Arguments::owned_json(text.as_str()),
            ..Call::default()
        };
        side.iter().enumerate().map(call).collect()
    };
    let case = Case {
        expected: Expectation::from_calls(calls(expected)),
        actual: Some(Trajectory {
            calls: calls(actual),
            ..Trajectory::default()
        }),
        ..Case::default()
    };
    evaluator.evaluate(&case, Ask::OUTCOME).outcome
}

#[test]
fn null_members_score_like_missing_members() {
    let mut runner = TestRunner::new(Config {
        failure_persistence: None,
        ..Config::with_cases(4000)
    });
    let (above_zero, changed) = (Cell::new(0), Cell::new(0));
    let ended = runner.run(&prop::collection::vec(any::<u8>(), 0..120), |bytes| {
        let mut choices = Choices::new(&bytes);
        let rule = choices.one(&RULES).to_owned();
        let (expected, actual) = (calls(&mut choices), calls(&mut choices));
        let without = |side: &[String]| -> Vec<String> {
            let strip = |text: &String| JsonText::from_value(&stripped(&decode(text).unwrap()));
            side.iter().map(|text| strip(text).into_string()).collect()
        };
        let absent = format!(r#"{{"match":{{"nulls":"absent",{rule}}}"#);
        let compared = format!(r#"{{"match":{{{rule}}}"#);
        let found = outcome(&absent, &expected, &actual);
        let wanted = outcome(&compared, &without(&expected), &without(&actual));
        prop_assert_eq!(&found, &wanted, "{} {:?} {:?}", rule, expected, actual);
        let is_above = found.score().is_some_and(|score| score > 0.0);
        above_zero.set(above_zero.get() + u32::from(is_above));
        let differs = outcome(&compared, &expected, &actual) != found;
        changed.set(changed.get() + u32::from(differs));
        Ok(())
    });
    if let Err(difference) = ended {
        panic!("{difference}");
    }
    assert!(
        above_zero.get() > 500 && changed.get() > 50,
        "{} above 0, {} changed by the setting",
        above_zero.get(),
        changed.get()
    );
}
