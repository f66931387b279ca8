//! The properties of the default metric.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::faults::{FAULTS, Fault, NEVER_RAISING, Notation, Sketch, SketchCall};
use super::*;

fn default_reward() -> Reward {
    let metric = RewardMetric::Credit(RewardWeights::default());
    Reward::new(metric, 0.0, 0.0).unwrap()
}

fn of_text(reward: &Reward, completion: &str, expected: &str) -> RowReward {
    let row = RewardRow {
        completion: Completion::Text(completion),
        expected: Some(expected.into()),
    };
    reward.row(&row, &ReadOptions::default()).unwrap()
}

fn of_messages(messages: &str, expected: &str) -> RowReward {
    let row = RewardRow {
        completion: Completion::Json(messages),
        expected: Some(expected.into()),
    };
    default_reward().row(&row, &ReadOptions::default()).unwrap()
}

fn earned(reward: &Reward, made: &Sketch, expected: &Sketch) -> f64 {
    let row = of_text(reward, &made.to_text(), &expected.to_expected());
    row.reward.unwrap()
}

/// Values as JSON text; some look similar.
fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        (0..4_i64).prop_map(|it| it.to_string()),
        (0..4_i64).prop_map(|it| format!("\"{it}\"")),
        (0..4_i64).prop_map(|it| format!("{it}.5")),
        any::<bool>().prop_map(|it| it.to_string()),
        "[a-z ]{0,6}".prop_map(|it| format!("\"{it}\"")),
        Just("null".to_owned()),
        Just("[1, {\"k\": \"v\"}]".to_owned()),
        Just("{\"k\": [true]}".to_owned()),
    ]
}

fn call() -> impl Strategy<Value = SketchCall> {
    let name = prop::sample::select(vec!["find_order", "refund", "send"]);
    let keys = prop::sample::subsequence(vec!["id", "amount", "to", "note"], 0..=4);
    (name, keys, prop::collection::vec(value(), 4)).prop_map(|(name, keys, values)| SketchCall {
        name: name.to_owned(),
        arguments: keys.into_iter().map(str::to_owned).zip(values).collect(),
        notation: Notation::Plain,
    })
}

fn sketch() -> impl Strategy<Value = Sketch> {
    prop::collection::vec(call(), 0..5).prop_map(|calls| Sketch { calls })
}

/// Any completion: a right one with some errors, or an unrelated one.
fn completion(right: Sketch) -> impl Strategy<Value = Sketch> {
    let errors = prop::collection::vec(
        (prop::sample::select(&FAULTS[..]), 0..5_usize, 0..5_usize),
        0..4,
    );
    let near = errors.prop_map(move |errors| {
        let mut made = right.clone();
        for (fault, at, variant) in errors {
            if let Some(changed) = fault.apply(&made, &right, at, variant) {
                made = changed;
            }
        }
        made
    });
    prop_oneof![3 => near, 1 => sketch()]
}

fn runner() -> TestRunner {
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    TestRunner::new_with_rng(Config::default(), rng)
}

const PAIRS: usize = 10_000;

#[test]
fn each_error_lowers_the_reward_of_a_right_completion() {
    let (reward, mut runner) = (default_reward(), runner());
    let pairs = (sketch(), 0..5_usize, 0..5_usize);
    let mut counts = BTreeMap::new();
    let mut drawn = 0;
    while drawn < PAIRS {
        let (right, at, variant) = pairs.new_tree(&mut runner).unwrap().current();
        let most = earned(&reward, &right, &right);
        assert!((most - 1.0).abs() < f64::EPSILON, "{right:?}");
        for fault in FAULTS {
            if let Some(wrong) = fault.apply(&right, &right, at, variant) {
                let less = earned(&reward, &wrong, &right);
                assert!(less < most, "{} {less} {right:?}", fault.name());
                *counts.entry(fault.name()).or_insert(0) += 1;
                drawn += 1;
            }
        }
    }
    assert_eq!(counts.len(), FAULTS.len());
    assert!(counts.values().all(|count| *count >= 250), "{counts:?}");
}

#[test]
fn no_error_raises_the_reward_of_any_completion() {
    let (reward, mut runner) = (default_reward(), runner());
    let pairs = sketch().prop_flat_map(|right| {
        (
            completion(right.clone()),
            Just(right),
            0..6_usize,
            0..6_usize,
        )
    });
    let mut counts = BTreeMap::new();
    let mut drawn = 0;
    while drawn < PAIRS {
        let (made, right, at, variant) = pairs.new_tree(&mut runner).unwrap().current();
        let before = earned(&reward, &made, &right);
        for fault in NEVER_RAISING {
            if let Some(wrong) = fault.apply(&made, &right, at, variant) {
                let after = earned(&reward, &wrong, &right);
                let text = wrong.to_text();
                assert!(
                    after <= before,
                    "{} {before} {after} {right:?} {text}",
                    fault.name()
                );
                *counts.entry(fault.name()).or_insert(0) += 1;
                drawn += 1;
            }
        }
    }
    assert!(counts.values().all(|count| *count >= 400), "{counts:?}");
}

#[test]
fn malformed_call_is_not_read_as_no_call() {
    let metric = RewardMetric::Credit(RewardWeights::default());
    let reward = Reward::new(metric, -1.0, -0.5).unwrap();
    let mut runner = runner();
    for _ in 0..500 {
        let (made, at, variant) = (sketch(), 0..5_usize, 0..4_usize)
            .new_tree(&mut runner)
            .unwrap()
            .current();
        if let Some(garbled) = Fault::Garble.apply(&made, &made, at, variant) {
            assert_eq!(
                of_text(&reward, &garbled.to_text(), "[]").reward,
                Some(-1.0)
            );
            assert_eq!(earned(&reward, &garbled, &made), -1.0);
        }
    }
    assert_eq!(of_text(&reward, "Nothing to do.", "[]").reward, Some(1.0));
    assert_eq!(
        of_text(&reward, "Nothing to do.", r#"["f"]"#).reward,
        Some(-0.5)
    );
}

#[test]
fn rewards_are_in_order() {
    let metric = RewardMetric::Credit(RewardWeights::default());
    let reward = Reward::new(metric, -0.8, -0.3).unwrap();
    let expected = r#"[{"name": "f", "args": {"a": 1, "b": "x"}}]"#;
    let of = |arguments: &str| {
        let text = format!(r#"<tool_call>{{"name": "f", "arguments": {arguments}}}</tool_call>"#);
        of_text(&reward, &text, expected).reward.unwrap()
    };
    let earned = [
        of("[1]"),
        of_text(&reward, "No.", expected).reward.unwrap(),
        of("{}"),
        of(r#"{"a": "1"}"#),
        of(r#"{"a": 2, "b": "y"}"#),
        of(r#"{"a": 1, "b": "y"}"#),
        of(r#"{"a": 1, "b": "x"}"#),
    ];
    assert!(earned.is_sorted(), "{earned:?}");
    assert_eq!((earned[0], earned[1], earned[6]), (-0.8, -0.3, 1.0));
    assert!(earned[2] < earned[3] && earned[5] < 0.5);
}

/// A published reward compared names and arguments only if both sides had them. After a parser dropped a parameter, calls
/// without it earned 0.85, and right ones 0.77.
#[test]
fn omitted_arguments_lower_the_reward() {
    let reward = default_reward();
    let expected = r#"[{"name": "book", "args": {"city": "Oslo", "nights": 2}}]"#;
    let of = |text: &str| of_text(&reward, text, expected).reward.unwrap();
    let right = of(
        r#"<tool_call>{"name": "book", "arguments": {"city": "Oslo", "nights": 2}}</tool_call>"#,
    );
    let wrong_value = of(
        r#"<tool_call>{"name": "book", "arguments": {"city": "Oslo", "nights": 3}}</tool_call>"#,
    );
    for dropped in [
        r#"<tool_call>{"name": "book", "arguments": {"city": "Oslo"}}</tool_call>"#,
        r#"<tool_call>{"name": "book", "arguments": {}}</tool_call>"#,
        r#"<tool_call>{"name": "book"}</tool_call>"#,
        r#"<tool_call>{"arguments": {"city": "Oslo", "nights": 2}}</tool_call>"#,
        r#"<tool_call>{"name": "book", "arguments": {"city": "Oslo", "nights": }}</tool_call>"#,
    ] {
        assert!(
            of(dropped) < wrong_value && wrong_value < right,
            "{dropped}"
        );
    }
}

#[test]
fn all_messages_or_only_the_last_turn_are_read() {
    let messages = r#"[
        {"role": "assistant", "content": "", "tool_calls": [{"type": "function", "function": {"name": "f", "arguments": "{\"a\": 1}"}}]},
        {"role": "tool", "content": "<tool_call>{\"name\": \"x\"}</tool_call>"},
        {"role": "assistant", "content": "<tool_call>{\"name\": \"g\", \"arguments\": {}}</tool_call>"}
    ]"#;
    let both = r#"[{"name": "f", "args": {"a": 1}}, {"name": "g", "args": {}}]"#;
    assert_eq!(of_messages(messages, both).reward, Some(1.0));
    let last = Reward {
        turns: ScoredTurns::Last,
        ..default_reward()
    };
    let row = RewardRow {
        completion: Completion::Json(messages),
        expected: Some(r#"[{"name": "g", "args": {}}]"#.into()),
    };
    let earned = last.row(&row, &ReadOptions::default()).unwrap();
    assert_eq!(earned.reward, Some(1.0));
    for broken in [
        r#"[{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "{\"a\": "}}]}]"#,
        r#"[{"role": "assistant", "tool_calls": [{"function": {"arguments": {}}}]}]"#,
        r#"[{"role": "assistant", "tool_calls": 1}]"#,
        r#"[{"role": "assistant", "content": "<tool_call>{\"arguments\": {}}</tool_call>"}]"#,
    ] {
        assert_eq!(
            of_messages(broken, "[]").parts,
            Some(RewardParts::MALFORMED),
            "{broken}"
        );
    }
}

#[test]
fn messages_of_other_formats_are_read_or_malformed() {
    let find = r#"[{"name": "find", "args": {"id": 7}}]"#;
    let gemini =
        r#"[{"role": "model", "parts": [{"functionCall": {"name": "find", "args": {"id": 7}}}]}]"#;
    let older = r#"[{"role": "assistant", "content": null, "function_call": {"name": "find", "arguments": "{\"id\": 7}"}}]"#;
    for messages in [gemini, older] {
        assert_eq!(of_messages(messages, find).reward, Some(1.0), "{messages}");
        assert!(of_messages(messages, "[]").reward < Some(1.0), "{messages}");
    }
    for messages in [
        r#"[{"foo": 1}]"#,
        r#"["find"]"#,
        r#"[{"role": "user", "content": "Find it."}]"#,
        r#"[{"role": "assistant", "content": "Done.", "actions": [{"name": "find", "input": {}}]}]"#,
    ] {
        let parts = of_messages(messages, "[]").parts;
        assert_eq!(parts, Some(RewardParts::MALFORMED), "{messages}");
    }
    assert_eq!(of_messages("[]", "[]").reward, Some(1.0));
}

#[test]
fn quoted_call_is_not_a_call() {
    let text = "You could write:\n```json\n{\"name\": \"find\", \"arguments\": {\"id\": 7}}\n```\nbut no call is needed.";
    assert_eq!(of_text(&default_reward(), text, "[]").reward, Some(1.0));
    let find = r#"[{"name": "find", "args": {"id": 7}}]"#;
    assert_eq!(of_text(&default_reward(), text, find).reward, Some(0.0));
}

#[test]
fn call_object_with_a_repeated_name_is_malformed() {
    let text = r#"<tool_call>{"name": "g", "arguments": {}, "name": "f"}</tool_call>"#;
    let earned = of_text(&default_reward(), text, r#"[{"name": "f", "args": {}}]"#);
    assert_eq!(earned.reward, Some(0.0));
}

#[test]
fn blocks_and_matchers_count() {
    let expected = r#"[{"any_order": [{"name": "f", "args": {"a": {"$pattern": "x.*"}}}, "g"]}]"#;
    let text = |a: &str| {
        format!(
            "<tool_call>{{\"name\": \"g\", \"arguments\": {{}}}}</tool_call>\n<tool_call>{{\"name\": \"f\", \"arguments\": {{\"a\": \"{a}\"}}}}</tool_call>"
        )
    };
    let of = |a: &str| {
        of_text(&default_reward(), &text(a), expected)
            .reward
            .unwrap()
    };
    assert_eq!(of("xy"), 1.0);
    assert!(of("y") < 1.0);
}

#[test]
fn rewards_do_not_depend_on_threads() {
    let texts: Vec<_> = (0..200)
        .map(|it| {
            format!(
                "<tool_call>{{\"name\": \"f\", \"arguments\": {{\"a\": {}}}}}</tool_call>",
                it % 3
            )
        })
        .collect();
    let rows: Vec<_> = texts
        .iter()
        .enumerate()
        .map(|(place, text)| RewardRow {
            completion: Completion::Text(text),
            expected: (place % 7 != 0).then_some(r#"[{"name": "f", "args": {"a": 1}}]"#.into()),
        })
        .collect();
    let reward = default_reward();
    let of = |threads| {
        reward
            .score(&rows, &ReadOptions::default(), threads)
            .unwrap()
    };
    assert_eq!(of(1), of(2));
    assert_eq!(of(1), of(7));
    assert_eq!(of(1)[0], RowReward::default());
    assert_eq!(of(1)[1].reward, Some(1.0));
}

#[test]
fn error_of_an_invalid_expectation_names_its_row() {
    let row = |expected| RewardRow {
        completion: Completion::Text(""),
        expected,
    };
    let rows = [row(None), row(Some(r#"[{"nam": "f"}]"#.into()))];
    let error = default_reward()
        .score(&rows, &ReadOptions::default(), 2)
        .unwrap_err();
    assert!(error.to_string().starts_with("row 1: "), "{error}");
}

#[test]
fn default_settings_pass_the_audit() {
    assert_eq!(default_reward().audit(), []);
    let lax = RewardWeights::with([("order", 0.0)]).unwrap();
    let lax = Reward::new(RewardMetric::Credit(lax), 0.0, 0.0).unwrap();
    insta::assert_snapshot!(lax.audit()[0], @r#"(a): another order does not lower the reward of a right completion: 1 before, 1 after, for [{"name": "find_order", "args": {"id": 7}},{"name": "refund", "args": {"id": 7, "amount": 5.5, "reason": "late"}}]"#);
}
