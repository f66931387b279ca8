//! Learning from small logs, and properties of generated ones.

use proptest::prelude::*;

use super::*;
use crate::expectation::ActualCall;
use crate::value::{Text, decode};

/// Runs as words: each letter is a call.
pub(super) fn runs(words: &[&str]) -> Vec<Vec<ActualCall<'static>>> {
    let call = |letter: char| ActualCall::new(Text::from(letter.to_string()), None, None);
    words
        .iter()
        .map(|word| word.chars().map(call).collect())
        .collect()
}

/// The elements without the support of blocks.
fn without_notes(learned: &LearnedExpectation) -> String {
    let notes = regex::Regex::new(r#","note":"\d+ of \d+ runs?""#).unwrap();
    notes.replace_all(learned.json.as_str(), "").into_owned()
}

#[track_caller]
fn check(words: &[&str], expected: &str) {
    let learned = learn(&runs(words), &LearningOptions::default()).unwrap();
    assert_eq!(without_notes(&learned), expected, "{words:?}");
    assert!(learned.rejected.is_empty(), "{:?}", learned.rejected);
}

#[test]
fn small_logs_give_the_expected_blocks() {
    check(&["abc"], r#"["a","b","c"]"#);
    check(&["abc", "acb"], r#"["a",{"any_order":["b","c"]}]"#);
    check(&["abd", "acd", "abd"], r#"["a",{"one_of":["b","c"]},"d"]"#);
    check(&["ac", "abc"], r#"["a",{"optional":["b"]},"c"]"#);
    check(&["a", "aaa", "aa"], r#"[{"repeat":["a"],"min":1,"max":3}]"#);
    check(
        &["a", "aba", "ababa"],
        r#"["a",{"repeat":["b","a"],"min":0,"max":2}]"#,
    );
    // Calls that are only left out together become one option.
    check(&["ad", "abcd"], r#"["a",{"optional":["b","c"]},"d"]"#);
    check(&["", "a"], r#"[{"optional":["a"]}]"#);
    check(&[""], "[]");
    check(&["abab", "ab"], r#"[{"repeat":["a","b"],"min":1,"max":2}]"#);
}

#[test]
fn blocks_have_their_support_as_a_note() {
    let learned = learn(&runs(&["abc", "acb", "ab"]), &LearningOptions::default()).unwrap();
    assert_eq!(
        learned.json.as_str(),
        r#"["a",{"any_order":["b",{"optional":["c"],"note":"2 of 3 runs"}],"note":"3 of 3 runs"}]"#
    );
}

#[test]
fn the_order_of_the_runs_has_no_effect() {
    let words = ["abcd", "acbd", "aed", "abcd", "aed"];
    let mut turned = words;
    turned.reverse();
    let json = |words: &[&str]| {
        let learned = learn(&runs(words), &LearningOptions::default());
        learned.unwrap().json.into_string()
    };
    assert_eq!(json(&words), json(&turned));
}

#[test]
fn noise_drops_rare_behavior() {
    let words = [
        "abc", "abc", "abc", "abc", "abc", "abc", "abc", "abc", "abc", "acb",
    ];
    let options = LearningOptions {
        noise: 0.2,
        ..LearningOptions::default()
    };
    let learned = learn(&runs(&words), &options).unwrap();
    assert_eq!(learned.json.as_str(), r#"["a","b","c"]"#);
    assert_eq!(learned.rejected, [9]);
    let mut alternatives = vec!["a"; 9];
    alternatives.push("b");
    let learned = learn(&runs(&alternatives), &options).unwrap();
    assert_eq!(learned.json.as_str(), r#"["a"]"#);
}

#[test]
fn whole_runs_are_kept_as_variants() {
    let options = LearningOptions {
        variants: Some(2),
        ..LearningOptions::default()
    };
    let learned = learn(&runs(&["ab", "ba", "ba", "c"]), &options).unwrap();
    assert_eq!(
        without_notes(&learned),
        r#"[{"one_of":[{"sequence":["b","a"]},{"sequence":["a","b"]}]}]"#
    );
    assert_eq!(learned.rejected, [3]);
}

/// A run of calls with arguments and outputs.
fn run(calls: &[(&'static str, &'static str, &'static str)]) -> Vec<ActualCall<'static>> {
    calls
        .iter()
        .map(|(name, args, output)| {
            let output = (!output.is_empty()).then_some(*output);
            ActualCall::new(Text::new(name), decode(args).ok(), output)
        })
        .collect()
}

#[track_caller]
fn check_arguments(runs: &[Vec<ActualCall<'static>>], expected: &str) {
    let learned = learn(&runs.to_vec(), &LearningOptions::default()).unwrap();
    assert_eq!(learned.json.as_str(), expected);
    assert!(learned.rejected.is_empty(), "{:?}", learned.rejected);
}

#[test]
fn arguments_become_constants_choices_forms_and_types() {
    let search = |args: &'static str| run(&[("search", args, "")]);
    let with = |of: &str| format!(r#"[{{"name":"search","args":{of}}}]"#);
    check_arguments(
        &[search(r#"{"k":1}"#), search(r#"{"k":1}"#)],
        &with(r#"{"k":1}"#),
    );
    check_arguments(
        &[
            search(r#"{"k":"x"}"#),
            search(r#"{"k":"y"}"#),
            search(r#"{"k":"x"}"#),
            search(r#"{"k":"y"}"#),
        ],
        &with(r#"{"k":{"$one_of":["x","y"]}}"#),
    );
    check_arguments(
        &[
            search(r#"{"at":"2025-01-02"}"#),
            search(r#"{"at":"2025-02-03"}"#),
        ],
        &with(r#"{"at":{"$pattern":"^\\d{4}-\\d{2}-\\d{2}$"}}"#),
    );
    check_arguments(
        &[search(r##"{"id":"#W12"}"##), search(r##"{"id":"#W345"}"##)],
        &with(r#"{"id":{"$pattern":"^\\#[0-9A-Za-z]+$"}}"#),
    );
    check_arguments(
        &[search(r#"{"n":1,"x":true}"#), search(r#"{"n":2}"#)],
        &with(r#"{"n":{"$type":"integer"},"x":{"$optional":{"$eq":true}}}"#),
    );
    check_arguments(&[search("[]"), search(r#"{"n":2}"#)], r#"["search"]"#);
}

#[test]
fn redacted_values_are_learned_as_any() {
    let pay = |args: &'static str| run(&[("pay", args, "")]);
    check_arguments(
        &[
            pay(
                r#"{"card":"[redacted 1]","to":{"name":"[redacted 2]"},"list":["[redacted 3]"],"n":1}"#,
            ),
            pay(
                r#"{"card":"[redacted 1]","to":{"name":"[redacted 1]"},"list":["[redacted 2]"],"n":1}"#,
            ),
        ],
        r#"[{"name":"pay","args":{"card":{"$any":true},"list":{"$any":true},"n":1,"to":{"name":{"$any":true}}}}]"#,
    );
}

#[test]
fn values_that_flow_from_call_to_call_are_variables() {
    let refund = |order: &'static str, find: &'static str| {
        run(&[("find", "{}", find), ("refund", order, "")])
    };
    check_arguments(
        &[
            refund(r#"{"order":7}"#, r#"{"id":7,"state":"sent"}"#),
            refund(r#"{"order":8}"#, r#"{"id":8}"#),
        ],
        r#"[{"name":"find","args":{},"output":{"id":{"$var":"id"},"$rest":"any"}},{"name":"refund","args":{"order":{"$var":"id"}}}]"#,
    );
}

#[test]
fn values_flow_into_and_out_of_lists_of_one_length() {
    let cancel = |nodes: &'static str, ids: &'static str| {
        run(&[("first", r#"{"tag":"x"}"#, nodes), ("cancel", ids, "")])
    };
    // The members differ, and the whole list is demanded if no member is a value from another place.
    check_arguments(
        &[
            cancel(
                r#"[{"id":"n2","at":1},{"id":"n4"}]"#,
                r#"{"ids":["n4",["n2"],"m"],"other":["a","b"]}"#,
            ),
            cancel(
                r#"[{"id":"n5","at":1},{"id":"n6"}]"#,
                r#"{"ids":["n6",["n5"],"m"],"other":["b","c"]}"#,
            ),
        ],
        r#"[{"name":"first","args":{"tag":"x"},"output":[{"id":{"$var":"id_2"},"$rest":"any"},{"id":{"$var":"id"},"$rest":"any"}]},{"name":"cancel","args":{"ids":[{"$var":"id"},[{"$var":"id_2"}],"m"],"other":{"$type":"array"}}}]"#,
    );
    // Lists of different lengths have no members in common.
    check_arguments(
        &[
            cancel(r#"["n2"]"#, r#"{"ids":["n2"]}"#),
            cancel(r#"["n5"]"#, r#"{"ids":["n5","n6"]}"#),
        ],
        r#"[{"name":"first","args":{"tag":"x"}},{"name":"cancel","args":{"ids":{"$type":"array"}}}]"#,
    );
}

#[test]
fn variables_do_not_depend_on_the_order_of_keys_and_runs() {
    let pay = |output: &'static str, args: &'static str| {
        run(&[("find", "{}", output), ("pay", args, "")])
    };
    let runs = [
        pay(r#"{"id":7,"alias":7}"#, r#"{"order":7}"#),
        pay(r#"{"alias":8,"id":8}"#, r#"{"order":8}"#),
    ];
    let expected = r#"[{"name":"find","args":{},"output":{"alias":{"$var":"alias"},"$rest":"any"}},{"name":"pay","args":{"order":{"$var":"alias"}}}]"#;
    check_arguments(&runs, expected);
    let [one, other] = runs;
    check_arguments(&[other, one], expected);
}

#[test]
fn equal_numbers_and_texts_are_different_values() {
    let pay = |output: &'static str, args: &'static str| {
        run(&[("find", "{}", output), ("pay", args, "")])
    };
    for (outputs, inputs) in [
        (
            ["{\"id\":7}", "{\"id\":8}"],
            ["{\"id\":\"7\"}", "{\"id\":\"8\"}"],
        ),
        (
            ["{\"id\":7}", "{\"id\":8}"],
            ["{\"id\":7.0}", "{\"id\":8.0}"],
        ),
        (
            ["{\"id\":NaN}", "{\"id\":NaN}"],
            ["{\"id\":NaN}", "{\"id\":NaN}"],
        ),
    ] {
        let runs = [0, 1].map(|at: usize| pay(outputs[at], inputs[at]));
        let learned = learn(&runs.to_vec(), &LearningOptions::default()).unwrap();
        assert!(!learned.json.as_str().contains("$var"), "{inputs:?}");
    }
}

#[test]
fn values_flow_into_each_call_of_a_repeat() {
    let poll = |jobs: &[&'static str], output: &'static str| {
        let mut calls = vec![("start", "{}", output)];
        calls.extend(jobs.iter().map(|job| ("poll", *job, "")));
        run(&calls)
    };
    let (seven, eight) = (r#"{"job":7}"#, r#"{"job":8}"#);
    let start = r#"{"name":"start","args":{},"output":{"job":{"$var":"job"},"$rest":"any"}}"#;
    let same = [
        poll(&[seven, seven], seven),
        poll(&[eight, eight, eight], eight),
        poll(&[seven], seven),
    ];
    check_arguments(
        &same,
        &format!(
            r#"[{start},{{"repeat":[{{"name":"poll","args":{{"job":{{"$var":"job"}}}}}}],"min":1,"max":3,"note":"3 of 3 runs"}}]"#
        ),
    );
    // One call with another value, and nothing flows.
    let other = [
        poll(&[seven, eight, seven], seven),
        poll(&[eight, eight], eight),
    ];
    let learned = learn(&other.to_vec(), &LearningOptions::default()).unwrap();
    assert!(
        !learned.json.as_str().contains("$var"),
        "{}",
        learned.json.as_str()
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn every_run_is_accepted(words in proptest::collection::vec("[abcde]{0,8}", 1..12)) {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let learned = learn(&runs(&words), &LearningOptions::default()).unwrap();
        prop_assert!(learned.rejected.is_empty(), "{words:?} {}", learned.json.as_str());
    }
}

/// A tree in the class that mining rediscovers exactly: no repeated names, and no option inside a repeat.
#[derive(Clone, Debug)]
enum Shape {
    Call,
    Sequence(Vec<Shape>),
    AnyOrder(Vec<Shape>),
    OneOf(Vec<Shape>),
    Optional(Box<Shape>),
    /// The same call repeated.
    Again,
    /// A call, then rounds of another call and this one.
    Rounds,
    /// Rounds of several elements, without options: the first element, the second, and the first again.
    BlockRounds(Box<Shape>, Box<Shape>),
}

/// Shapes without options and repeats.
fn firm_shapes() -> impl Strategy<Value = Shape> {
    Just(Shape::Call).prop_recursive(2, 4, 2, |inner| {
        let several = proptest::collection::vec(inner, 2..=2);
        prop_oneof![
            2 => several.clone().prop_map(Shape::Sequence),
            1 => several.clone().prop_map(Shape::AnyOrder),
            1 => several.prop_map(Shape::OneOf),
        ]
    })
}

fn shapes() -> impl Strategy<Value = Shape> {
    let body = proptest::collection::vec(firm_shapes(), 2).prop_map(Shape::Sequence);
    let rounds = (body, firm_shapes());
    let rounds = rounds.prop_map(|(body, redo)| Shape::BlockRounds(body.into(), redo.into()));
    let leaf = prop_oneof![
        4 => Just(Shape::Call), 1 => Just(Shape::Again), 1 => Just(Shape::Rounds), 1 => rounds
    ];
    leaf.prop_recursive(3, 6, 3, |inner| {
        let several = proptest::collection::vec(inner.clone(), 2..=3);
        prop_oneof![
            several.clone().prop_map(Shape::Sequence),
            several.clone().prop_map(Shape::AnyOrder),
            several.prop_map(Shape::OneOf),
            inner.prop_map(|it| Shape::Optional(Box::new(it))),
        ]
    })
}

/// The shape as an element; each call has its own name.
fn element(shape: &Shape, names: &mut std::ops::RangeFrom<u8>) -> String {
    let mut name = || format!("\"{}\"", char::from(names.next().unwrap()));
    let block = |key: &str, shapes: &[Shape], names: &mut std::ops::RangeFrom<u8>| {
        let elements: Vec<_> = shapes.iter().map(|it| element(it, names)).collect();
        format!("{{\"{key}\":[{}]}}", elements.join(","))
    };
    match shape {
        Shape::Call => name(),
        Shape::Again => format!("{{\"repeat\":[{}]}}", name()),
        Shape::Rounds => {
            let (first, between) = (name(), name());
            format!("{{\"sequence\":[{first},{{\"repeat\":[{between},{first}],\"min\":0}}]}}")
        }
        Shape::BlockRounds(body, redo) => {
            let (body, redo) = (element(body, names), element(redo, names));
            format!("{{\"sequence\":[{body},{{\"repeat\":[{redo},{body}],\"min\":0}}]}}")
        }
        Shape::Sequence(shapes) => block("sequence", shapes, names),
        Shape::AnyOrder(shapes) => block("any_order", shapes, names),
        Shape::OneOf(shapes) => block("one_of", shapes, names),
        Shape::Optional(inner) => block("optional", std::slice::from_ref(inner), names),
    }
}

/// All accepted runs with at most this many calls, sorted; `None` if there are too many.
fn language(text: &str, longest: usize) -> Option<Vec<Vec<String>>> {
    const MOST: usize = 3_000;
    let mut language = ProcessTree::read(text).unwrap().language(longest)?;
    if language.count() > MOST as u64 {
        return None;
    }
    let mut runs = language.others(&|_| false, MOST);
    runs.sort();
    Some(runs)
}

proptest! {
    #![proptest_config(ProptestConfig { max_global_rejects: 4_000, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn a_complete_log_is_learned_exactly(shape in shapes()) {
        let text = format!("[{}]", element(&shape, &mut (b'a'..)));
        let tree = ProcessTree::read(&text).unwrap();
        prop_assume!(tree.leaf_count() <= 8);
        let Some(log) = language(&text, 10) else {
            return Err(TestCaseError::reject("a large language"));
        };
        let words: Vec<String> = log.iter().map(|run| run.concat()).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let options = LearningOptions { open_repeats: true, ..LearningOptions::default() };
        let learned = learn(&runs(&words), &options).unwrap();
        prop_assert_eq!(
            language(learned.json.as_str(), 8), language(&text, 8),
            "{} became {}", text, learned.json.as_str()
        );
    }
}
