mod any_text;
mod faults;
mod properties;
mod slips;

use rightcall_core::call::{ArgumentSource, Call, Operator};
use rightcall_core::value::{HashKey, Integer, Text};

use super::*;

const A_CALL: &str = "a call is an object such as {\"name\": \"find_order\", \"args\": {\"id\": 7}}, or a name alone";

fn read(text: &str) -> Case<'_> {
    read_case(text, &ReadOptions::default()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn names(calls: &[Call<'_>]) -> Vec<String> {
    calls.iter().map(|call| call.name.to_string()).collect()
}

/// Reads an invalid case and compares the message and the hint.
#[track_caller]
fn check_bad(text: &str, message: &str, help: &str) {
    let error = read_case(text, &ReadOptions::default()).unwrap_err();
    assert_eq!(
        (
            error.to_string().as_str(),
            error.help.as_deref().unwrap_or_default()
        ),
        (message, help),
        "{text}"
    );
}

#[test]
fn a_canonical_case_has_all_its_parts() {
    let case = read(
        r#"{"id":"refund-7","expected":[{"name":"find_order","args":{"id":7}},"refund"],"actual":[{"name":"find_order",
        "args":"{\"id\": 7}","id":"c1","tool_id":12,"output":"shipped","error":true,"start":1,"end":2.5,"turn":3,"group":"g",
        "actor":"user","other":[1]},{"name":"refund","args":null,"output":null,"error":false}],"tags":["refund",1],"trial":2,
        "input":{"q":1},"output":"done","description":"why","reward":0.5,"meta":{"model":"m"}}"#,
    );
    assert_eq!(case.id, Some(Text::new("refund-7")));
    let expected = case.expected.calls.as_deref().unwrap();
    assert_eq!(names(expected), ["find_order", "refund"]);
    assert_eq!(
        expected[0].arguments.source(),
        ArgumentSource::Json(r#"{"id":7}"#)
    );
    assert!(expected[1].arguments.is_absent());
    let [first, second] = &case.actual.as_ref().unwrap().calls[..] else {
        panic!()
    };
    let arguments = ArgumentSource::Text {
        text: Text::new("{\"id\": 7}"),
        json: r#""{\"id\": 7}""#,
    };
    assert_eq!(first.arguments.source(), arguments);
    let (first, second, has_no_arguments) = (
        first.metadata(),
        second.metadata(),
        second.arguments.is_absent(),
    );
    assert_eq!(
        (first.id.clone(), first.tool_id.clone()),
        (Some(Text::new("c1")), Some(Text::new("12")))
    );
    assert_eq!(
        [&first.output, &first.error, &first.start, &first.end].map(Option::as_deref),
        [Some("\"shipped\""), Some("true"), Some("1"), Some("2.5")]
    );
    assert_eq!(
        (first.turn, first.group.clone(), first.actor.clone()),
        (Some(3), Some(Text::new("g")), Some(Text::new("user")))
    );
    assert_eq!(
        (
            second.output.as_deref(),
            second.error.as_deref(),
            has_no_arguments
        ),
        (None, Some("false"), true)
    );
    assert_eq!(case.tags, [Text::new("refund"), Text::new("1")]);
    assert_eq!(
        (case.trial, case.input, case.output),
        (Some("2"), Some("{\"q\":1}"), Some("\"done\""))
    );
    assert_eq!(case.description, Some(Text::new("why")));
    assert_eq!(
        case.meta,
        [(Text::new("reward"), "0.5"), (Text::new("model"), "\"m\"")]
    );
    assert!(case.native.is_none());
}

#[test]
fn a_side_that_is_absent_or_null_is_missing() {
    for text in ["{}", r#"{"id":1}"#, r#"{"expected":null,"actual":null}"#] {
        let case = read(text);
        assert!(case.actual.is_none() && case.expected.is_empty(), "{text}");
    }
    assert!(
        read(r#"{"expected":[],"actual":[]}"#)
            .actual
            .unwrap()
            .calls
            .is_empty()
    );
}

#[test]
fn an_expectation_may_state_order_counts_and_outputs() {
    let case = read(
        r#"{"expected":{"calls":["a"],"order":["a","b"],"counts":{"a":["!=",1],"b":">= 2","c":3,"d":["~",0],
        "e":"18446744073709551616"},"outputs":[{"name":"a","output":"x","id":"t"}]}}"#,
    );
    let expected = case.expected;
    assert_eq!(names(expected.calls.as_deref().unwrap()), ["a"]);
    assert_eq!(expected.order.unwrap(), [Text::new("a"), Text::new("b")]);
    let counts = expected.counts.unwrap();
    let operators: Vec<_> = counts.iter().map(|count| count.operator.clone()).collect();
    assert_eq!(
        operators,
        ["!=", ">=", "=", "~", "="].map(|text| Operator::parse(&Text::new(text)))
    );
    assert_eq!(counts[1].count, Integer::from(2_usize));
    assert_eq!(counts[4].count.to_string(), "18446744073709551616");
    let output = &expected.outputs.unwrap()[0];
    assert_eq!(
        (&output.name, &output.tool_id, &output.output),
        (&Text::new("a"), &Some(Text::new("t")), &Text::new("x"))
    );
}

#[test]
fn names_and_keys_with_escapes_are_decoded() {
    let case = read(r#"{"\u0069d":"\u00e9","expected":[{"n\u0061me":"a\n\ud83d"}]}"#);
    assert_eq!(case.id, Some(Text::new("é")));
    assert_eq!(
        names(case.expected.calls.as_deref().unwrap()),
        ["a\n\\ud83d"]
    );
}

#[test]
fn pythons_numbers_are_read() {
    let case = read(r#"{"expected":[{"name":"a","args":{"x":NaN,"y":[-Infinity,1e999]}}]}"#);
    assert_eq!(
        case.expected.calls.unwrap()[0].arguments.source(),
        ArgumentSource::Json(r#"{"x":NaN,"y":[-Infinity,1e999]}"#)
    );
}

#[test]
fn the_hash_key_is_that_of_the_options() {
    let options = ReadOptions {
        hash_key: HashKey(1, 2),
        ..ReadOptions::default()
    };
    assert_eq!(read_case("{}", &options).unwrap().hash_key, HashKey(1, 2));
}
