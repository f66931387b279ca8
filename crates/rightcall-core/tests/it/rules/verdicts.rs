//! Verdicts on constraints and on expected calls.

use proptest::prelude::*;
use rightcall_core::call::{Arguments, Call};
use rightcall_core::monitor::{Monitor, ResultOfCall};

use super::{call, joined, words};

/// Checks the verdicts on each constraint after calls such as `a`, `a!` (failed) and `a?` (result missing).
#[track_caller]
fn check_verdicts(settings: &str, run: &str, wanted: &str) {
    let mut monitor = Monitor::new(settings).unwrap();
    for word in run.split_whitespace() {
        let name = word.trim_end_matches(['!', '?']).to_owned();
        let request = Call {
            name: name.into(),
            arguments: Arguments::json("{}"),
            ..Call::default()
        };
        let number = monitor.observe(&request).unwrap();
        if !word.ends_with('?') {
            let result = ResultOfCall {
                output: Some("1"),
                failed: Some(word.ends_with('!')),
            };
            monitor.result(number, result).unwrap();
        }
    }
    let found: Vec<_> = words(&monitor)
        .into_iter()
        .map(Option::unwrap_or_default)
        .collect();
    assert_eq!(found.join(" "), wanted, "{settings} {run}");
}

#[test]
fn all_other_constraints_have_verdicts() {
    for (settings, run, wanted) in [
        (r#"{"max_calls":1}"#, "a", "satisfied_so_far"),
        (r#"{"max_calls":1}"#, "a a", "violated"),
        (r#"{"counts":{"a":2}}"#, "a", "open"),
        (r#"{"counts":{"a":">= 1"}}"#, "a", "satisfied"),
        (r#"{"counts":{"a":"1..2"}}"#, "a a a", "violated"),
        (
            r#"{"required":["a"],"forbidden":["b"]}"#,
            "",
            "open satisfied_so_far",
        ),
        (
            r#"{"required":["a"],"forbidden":["b"]}"#,
            "a b",
            "satisfied violated",
        ),
        (r#"{"order":["a before b"]}"#, "", "satisfied_so_far"),
        (r#"{"order":["a before b"]}"#, "a b", "satisfied"),
        (r#"{"order":["a before b"]}"#, "b a", "violated"),
        (r#"{"relations":["a == b"]}"#, "a", "open"),
        (r#"{"max_errors":1}"#, "a! a?", "open"),
        (r#"{"max_errors":1}"#, "a! a", "satisfied_so_far"),
        (r#"{"max_errors":1}"#, "a! a!", "violated"),
        (
            r#"{"max_repeats":0,"max_retries":0}"#,
            "a a",
            "violated satisfied_so_far",
        ),
        (
            r#"{"max_repeats":0,"max_retries":0}"#,
            "a! a",
            "satisfied_so_far violated",
        ),
        (r#"{"max_repeats":0,"max_retries":0}"#, "a? a", "open open"),
        (
            r#"{"loops":{"same_tool":2,"alternating":2,"same_result":2}}"#,
            "a b a b",
            "satisfied_so_far violated violated",
        ),
        (r#"{"loops":{"same_result":2}}"#, "a a?", "open"),
    ] {
        check_verdicts(settings, run, wanted);
    }
}

/// Checks the verdict on the expected calls after some calls, and the possible next calls.
#[track_caller]
fn check_expected(settings: &str, run: &[(&'static str, &'static str)], wanted: &str, next: &str) {
    let mut monitor = Monitor::new(settings).unwrap();
    for (name, arguments) in run {
        monitor.observe(&call(name, arguments)).unwrap();
    }
    assert_eq!(joined(&monitor), wanted, "{settings} {run:?}");
    let shown = monitor
        .next()
        .into_iter()
        .map(|it| format!("{}{}", it.name, it.arguments.unwrap_or_default()));
    assert_eq!(
        shown.collect::<Vec<_>>().join(" "),
        next,
        "{settings} {run:?}"
    );
    assert_eq!(monitor.labels(), ["the expected calls"]);
    let again = Monitor::restore(monitor.snapshot().as_str()).unwrap();
    assert_eq!(words(&again), words(&monitor));
}

#[test]
fn expected_calls_have_verdicts() {
    let tree = r#"{"expected":[{"name":"find","args":{"order":{"$var":"o"}}},{"any_order":["verify","mail"]},{"name":"refund","args":{"order":{"$var":"o"}}},{"optional":"bye"}]}"#;
    let find = ("find", r#"{"order":7}"#);
    let open = r#"find{"order":{"$var":"o"}}"#;
    check_expected(tree, &[], "open", open);
    check_expected(tree, &[find], "open", "verify mail");
    let half = [find, ("mail", "{}")];
    check_expected(tree, &half, "open", "verify");
    let most = [find, ("mail", "{}"), ("verify", "{}")];
    check_expected(tree, &most, "open", r#"refund{"order":7}"#);
    let whole = [
        find,
        ("mail", "{}"),
        ("verify", "{}"),
        ("refund", r#"{"order":7}"#),
    ];
    check_expected(tree, &whole, "satisfied_so_far", "bye");
    let other = [
        find,
        ("mail", "{}"),
        ("verify", "{}"),
        ("refund", r#"{"order":8}"#),
    ];
    check_expected(tree, &other, "violated", "");
    check_expected(tree, &[find, ("look", "{}")], "violated", "");
    let others = tree.replacen('{', r#"{"extra":"others","#, 1);
    check_expected(&others, &[find, ("look", "{}")], "open", "verify mail");
}

#[test]
fn expected_calls_are_satisfied_if_nothing_can_break_them() {
    let others = |tree: &str| format!(r#"{{"extra":"others","expected":{tree}}}"#);
    let any = r#"[{"repeat":{"one_of":["look","find"]},"min":0}]"#;
    check_expected(&others("[]"), &[], "satisfied", "");
    check_expected(&others(any), &[], "satisfied", "look find");
    check_expected(&others(any), &[("pay", "{}")], "satisfied", "look find");
    // A call of another tool breaks it.
    let none = format!(r#"{{"expected":{any}}}"#);
    check_expected(&none, &[], "satisfied_so_far", "look find");
    let after = r#"["look",{"repeat":"look","min":0}]"#;
    check_expected(&others(after), &[], "open", "look");
    check_expected(&others(after), &[("look", "{}")], "satisfied", "look");
    let at_most = r#"[{"repeat":"look","min":0,"max":2}]"#;
    check_expected(
        &others(at_most),
        &[("look", "{}")],
        "satisfied_so_far",
        "look",
    );
    // One of the two matches any output.
    let output = r#"[{"repeat":{"one_of":[{"name":"look","output":1},"look"]},"min":0}]"#;
    check_expected(&others(output), &[("look", "{}")], "satisfied", "look look");
    let demands = r#"[{"repeat":{"name":"look","args":{"id":1}},"min":0}]"#;
    check_expected(&others(demands), &[], "satisfied_so_far", r#"look{"id":1}"#);
}

/// The verdict on the expected calls after a run of tools of one letter.
fn verdict_after(settings: &str, run: &str) -> String {
    let mut monitor = Monitor::new(settings).unwrap();
    for letter in run.chars() {
        let name = letter.to_string().into();
        let made = Call {
            name,
            ..Call::default()
        };
        monitor.observe(&made).unwrap();
    }
    joined(&monitor)
}

/// Random blocks over calls of two tools.
fn small_trees() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![Just(r#""a""#.to_owned()), Just(r#""b""#.to_owned())];
    leaf.prop_recursive(2, 6, 2, |inner| {
        let pair = (inner.clone(), inner.clone());
        prop_oneof![
            pair.clone()
                .prop_map(|(a, b)| format!(r#"{{"sequence":[{a},{b}]}}"#)),
            pair.clone()
                .prop_map(|(a, b)| format!(r#"{{"one_of":[{a},{b}]}}"#)),
            pair.prop_map(|(a, b)| format!(r#"{{"any_order":[{a},{b}]}}"#)),
            inner
                .clone()
                .prop_map(|it| format!(r#"{{"optional":{it}}}"#)),
            (inner.clone(), 0..2).prop_map(|(it, min)| format!(r#"{{"repeat":{it},"min":{min}}}"#)),
            inner.prop_map(|it| format!(r#"{{"repeat":{it},"min":0,"max":2}}"#)),
        ]
    })
}

proptest! {
    /// Compared with a check of all continuations up to eight calls.
    #[test]
    fn satisfied_means_that_no_continuation_breaks_it(tree in small_trees(), run in "[ab]{0,3}") {
        let settings = format!(r#"{{"extra":"others","expected":[{tree}]}}"#);
        let all_hold = runs("ab", 8)
            .iter()
            .all(|more| verdict_after(&settings, &format!("{run}{more}")).starts_with("satisfied"));
        prop_assert_eq!(verdict_after(&settings, &run) == "satisfied", all_hold);
    }
}

/// All words over these letters, up to this length.
pub(super) fn runs(letters: &str, longest: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut last = all.clone();
    for _ in 0..longest {
        let longer = last
            .iter()
            .flat_map(|run| letters.chars().map(move |name| format!("{run}{name}")));
        last = longer.collect();
        all.extend(last.iter().cloned());
    }
    all
}
