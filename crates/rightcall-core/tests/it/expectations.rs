//! Expectations in blocks: the golden cases, run with the core crate alone.

#![expect(
    clippy::unwrap_used,
    reason = "a golden that cannot be read ends the test"
)]

use std::fs;
use std::path::Path;

use rightcall_core::value::{Reader, Syntax, Value, ValueEquality, decode};

use rightcall_core::expectation::{
    ActualCall, ChosenWay, ExpectationError, ProcessTree, Resolution, TreeChoice,
};

/// Calls in the form used in cases.
fn calls(json: &str) -> Vec<ActualCall<'_>> {
    let mut calls = Vec::new();
    let reader = &mut Reader::new(json, Syntax::PYTHON);
    let mut first = reader.enter_list().unwrap();
    while reader.next_item(&mut first).unwrap() {
        let (mut name, mut arguments, mut output) = (None, None, None);
        let mut first = reader.enter_object().unwrap();
        while let Some(key) = reader.next_key(&mut first).unwrap() {
            match &*key.to_display() {
                "name" => name = Some(reader.string().unwrap()),
                "args" => arguments = Some(reader.value().unwrap()),
                "output" => output = Some(reader.raw().unwrap()),
                other => panic!("{other}"),
            }
        }
        calls.push(ActualCall::new(name.unwrap(), arguments, output));
    }
    calls
}

fn member<'j>(line: &'j str, name: &str) -> &'j str {
    let reader = &mut Reader::new(line, Syntax::PYTHON);
    let mut first = reader.enter_object().unwrap();
    while let Some(key) = reader.next_key(&mut first).unwrap() {
        let raw = reader.raw().unwrap();
        if key == *name {
            return raw;
        }
    }
    panic!("no {name}")
}

/// The result in the form used in the golden cases.
fn result(resolution: &Resolution) -> String {
    resolution.definition_json().into_string()
}

#[test]
fn golden_cases_match() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/expectations.jsonl");
    let text = fs::read_to_string(file).unwrap();
    let mut failed = Vec::new();
    for line in text.lines() {
        let tree = ProcessTree::read(member(line, "expected"));
        let found = tree
            .and_then(|tree| tree.resolve(&calls(member(line, "actual"))))
            .map(|resolution| result(&resolution));
        let wanted = decode(member(line, "result")).unwrap();
        let is_same = found.as_ref().is_ok_and(|found| {
            let found: Value<'_> = decode(found).unwrap();
            ValueEquality::Json.equal(&found, &wanted)
        });
        if !is_same {
            failed.push(format!("{line}\n  {found:?}"));
        }
    }
    assert!(
        failed.is_empty(),
        "{}\n{} lines",
        failed[..failed.len().min(8)].join("\n"),
        failed.len()
    );
}

fn resolved(expected: &str, actual: &str) -> Result<Resolution, ExpectationError> {
    ProcessTree::read(expected)?.resolve(&calls(actual))
}

fn names(names: impl IntoIterator<Item = String>) -> String {
    let quoted: Vec<_> = names
        .into_iter()
        .map(|name| format!("\"{name}\""))
        .collect();
    quoted.join(",")
}

fn actual(names: impl IntoIterator<Item = String>) -> String {
    let calls: Vec<_> = names
        .into_iter()
        .map(|name| format!(r#"{{"name":"{name}","args":{{}}}}"#))
        .collect();
    format!("[{}]", calls.join(","))
}

#[test]
fn many_calls_in_any_order_resolve_fast() {
    let expected = format!(
        r#"[{{"any_order":[{}]}}]"#,
        names((0..20).map(|it| format!("t{it}")))
    );
    let backwards = resolved(&expected, &actual((0..20).rev().map(|it| format!("t{it}")))).unwrap();
    assert_eq!((backwards.cost, backwards.full), (0, 20));
    assert_eq!(backwards.run, (0..20).rev().collect::<Vec<u32>>());
    // All calls have different arguments, and a quarter of them is wrong.
    let call = |number: usize| format!(r#"{{"name":"t","args":{{"id":{number}}}}}"#);
    let list = |numbers: Vec<usize>| numbers.into_iter().map(call).collect::<Vec<_>>().join(",");
    let expected = format!(r#"[{{"any_order":[{}]}},"end"]"#, list((0..40).collect()));
    let found = (0..40)
        .rev()
        .map(|it| if it % 4 == 0 { it + 100 } else { it })
        .collect();
    let found = resolved(&expected, &format!(r#"[{},{{"name":"end"}}]"#, list(found))).unwrap();
    assert_eq!((found.cost, found.full), (10, 31));
}

/// A number of calls in any order, and a run of them in another order.
fn in_another_order(
    count: usize,
    expected: impl Fn(usize) -> String,
    actual: impl Fn(usize) -> String,
) -> Resolution {
    let list = |calls: Vec<String>| calls.join(",");
    let run = (0..count).map(|number| number * 7_919 % count);
    resolved(
        &format!(
            r#"[{{"any_order":[{}]}}]"#,
            list((0..count).map(expected).collect())
        ),
        &format!("[{}]", list(run.map(actual).collect())),
    )
    .unwrap()
}

#[test]
fn a_thousand_calls_in_any_order_resolve() {
    let count = 1_000;
    let shuffled: Vec<_> = (0..count as u32)
        .map(|number| number * 7_919 % count as u32)
        .collect();
    let call = |number: usize| format!(r#"{{"name":"t","args":{{"id":{number}}}}}"#);
    let named = |number: usize| format!(r#"{{"name":"t{number}","args":{{}}}}"#);
    // Each call has its own tool, or its own arguments.
    let by_name = in_another_order(count, |number| format!(r#""t{number}""#), named);
    assert_eq!((by_name.cost, by_name.full), (0, count));
    assert_eq!(by_name.run, shuffled);
    let by_arguments = in_another_order(count, call, call);
    assert_eq!((by_arguments.cost, &by_arguments.run), (0, &shuffled));
    // Every call matches, so the written order is the smallest.
    let alike = in_another_order(count, |_| r#""t""#.to_owned(), call);
    let written: Vec<_> = (0..count as u32).collect();
    assert_eq!((alike.cost, alike.run), (0, written));
    // A third of the calls are of other tools.
    let other = |number: usize| {
        named(if number.is_multiple_of(3) {
            number + count
        } else {
            number
        })
    };
    let missed = in_another_order(count, |number| format!(r#""t{number}""#), other);
    assert_eq!((missed.cost, missed.full), (2 * 334, count - 334));
}

#[test]
fn repeated_calls_at_the_end_resolve_fast() {
    let count = 300;
    let expected = format!(
        r#"[{{"any_order":[{}]}}]"#,
        names((0..count).map(|it| format!("t{it}")))
    );
    let run = (0..count).rev().chain(std::iter::repeat_n(5, count));
    let found = resolved(&expected, &actual(run.map(|it| format!("t{it}")))).unwrap();
    assert_eq!((found.cost, found.full), (count as u64, count));
    // The fifth call can match the first of the last calls, so smaller numbers fit before it.
    let mut least: Vec<_> = (0..count as u32).rev().filter(|it| *it != 5).collect();
    least.push(5);
    assert_eq!(found.run, least);
}

#[test]
fn calls_in_any_order_inside_a_branch_resolve_fast() {
    let inner = names((0..20).map(|it| format!("t{it}")));
    let expected = format!(r#"[{{"any_order":[["a",{{"any_order":[{inner}]}}],["b","c"]]}}]"#);
    let run = ["a".to_owned(), "b".to_owned()].into_iter();
    let run = run.chain(
        (0..20)
            .rev()
            .filter(|it| *it != 7)
            .map(|it| format!("t{it}")),
    );
    let found = resolved(
        &expected,
        &actual(run.chain(["x".to_owned(), "c".to_owned()])),
    )
    .unwrap();
    assert_eq!((found.cost, found.full), (2, 22));
}

#[test]
fn three_branches_of_ten_calls_resolve() {
    let branch = |letter: char| format!("[{}]", names((0..10).map(|it| format!("{letter}{it}"))));
    let expected = format!(
        r#"[{{"any_order":[{},{},{}]}}]"#,
        branch('a'),
        branch('b'),
        branch('c')
    );
    let run = (0..10).flat_map(|it| ['b', 'c', 'a'].map(|letter| format!("{letter}{it}")));
    let found = resolved(&expected, &actual(run)).unwrap();
    assert_eq!((found.cost, found.full), (0, 30));
    // All calls have the same name, so the branches can't be distinguished.
    let same = format!("[{}]", names((0..10).map(|_| "a".to_owned())));
    let expected = format!(r#"[{{"any_order":[{same},{same},{same}]}}]"#);
    let found = resolved(&expected, &actual((0..29).map(|_| "a".to_owned()))).unwrap();
    assert_eq!((found.cost, found.full), (1, 29));
}

#[test]
fn a_long_list_needs_no_search() {
    let name = |it: usize| format!("t{}", it * it % 17);
    let expected = format!("[{},{{\"sequence\":\"z\"}}]", names((0..500).map(name)));
    let found = resolved(&expected, &actual((0..500).map(|it| name(it + it % 3)))).unwrap();
    assert_eq!(found.run.len(), 501);
    assert!(
        found.cost > 0 && found.full > 250,
        "{} {}",
        found.cost,
        found.full
    );
}

#[test]
fn too_many_assignments_are_an_error_that_names_the_variable() {
    let found: Vec<_> = (0..120)
        .map(|it| format!(r#"{{"name":"f","args":{{"p":{it},"q":{it}}}}}"#))
        .collect();
    let expected = r#"[{"name":"f","args":{"p":{"$var":"a"},"q":{"$any":true}}},{"name":"f","args":{"p":{"$any":true},"q":{"$var":"b"}}}]"#;
    let error = resolved(expected, &format!("[{}]", found.join(","))).unwrap_err();
    assert!(error.found.contains("`b`"), "{error}");
    assert_eq!(error.pointer, "/1/args/q");
}

#[test]
fn errors_have_a_location_and_the_nearest_name() {
    for (expected, message) in [
        (
            r#"[{"any_ordr":["a"]}]"#,
            "/0: expected a call, such as {\"name\": \"find_order\", \"args\": {\"id\": 7}} or a name alone, or a block, found the key `any_ordr`; did you mean `any_order`?",
        ),
        (
            r#"[{"any_order":[],"one_of":[]}]"#,
            "/0: expected one block, found `any_order` and `one_of` in one object; put one into the other, or one behind the other",
        ),
        (
            r#"["a",{"one_of":[]}]"#,
            "/1/one_of: expected at least one alternative, found an empty list",
        ),
        (
            r#"[{"repeat":"a","min":3,"max":2}]"#,
            "/0/max: expected 3 or more, as `min` is, found the number 2",
        ),
        (
            r#"[["a"]]"#,
            "/0: expected a call, such as {\"name\": \"find_order\", \"args\": {\"id\": 7}} or a name alone, or a block, found a list; {\"sequence\": […]} is a sequence inside another",
        ),
        (
            r#"[{"name":"a","args":{"p":{"$gtr":1}}}]"#,
            "/0/args/p/$gtr: expected a matcher, found the key `$gtr`; did you mean `$gt`? write {\"$literal\": …} for an object that is no matcher",
        ),
        (
            r#"[{"name":"a","args":{"p":{"$gt":1,"q":2}}}]"#,
            "/0/args/p: expected either a matcher or an object, found `$gt` beside keys without `$`; write {\"$literal\": …} for an object that is no matcher",
        ),
        (
            r#"[{"name":"a","args":{"p":1,"p":2}}]"#,
            "/0/args/p: expected each key once, found the key `p` twice",
        ),
        (
            r#"[{"name":"a","args":{"p":[{"$optional":1}]}}]"#,
            "/0/args/p/0: expected `$optional` as the whole value of an object's key, found it elsewhere; write it there where the key stands that may be left out",
        ),
        (
            r#"[{"name":"a","args":{"p":{"$not":{"$var":"x"}}}}]"#,
            "/0/args/p/$not/$var: expected a value or another matcher, found a variable inside `$not`",
        ),
        (
            r#"[{"name":"a","args":{"p":{"$type":"strin"}}}]"#,
            "/0/args/p/$type: expected `string`, `number`, `integer`, `boolean`, `null`, `array` or `object`, found the text \"strin\"; did you mean `string`?",
        ),
    ] {
        let error = ProcessTree::read(expected).unwrap_err();
        let help = error
            .help
            .as_ref()
            .map_or_else(String::new, |help| format!("; {help}"));
        assert_eq!(format!("{error}{help}"), message, "{expected}");
    }
    let deep = format!("{}\"a\"{}", "[{\"sequence\":".repeat(200), "}]".repeat(200));
    assert!(ProcessTree::read(&deep).unwrap_err().help.is_some());
}

#[test]
fn a_note_on_a_block_changes_no_result() {
    let noted =
        r#"["a",{"any_order":["b","c"],"note":"17 of 20 runs"},{"repeat":"d","note":null}]"#;
    let plain = r#"["a",{"any_order":["b","c"]},{"repeat":"d"}]"#;
    let run = actual(["a", "c", "b", "x"].map(str::to_owned));
    let [noted, plain] = [noted, plain].map(|expected| resolved(expected, &run).unwrap());
    assert_eq!(result(&noted), result(&plain));
    let error = ProcessTree::read(r#"[{"optional":"a","note":7}]"#).unwrap_err();
    assert_eq!(
        error.to_string(),
        "/0/note: expected a text, found the number 7"
    );
}

#[test]
fn choices_describe_the_path_taken() {
    let expected =
        r#"[{"one_of":["a",["b",{"optional":"c"}]]},{"repeat":["d",{"optional":"e"}],"min":0}]"#;
    let found = resolved(expected, &actual(["b", "d", "e", "d"].map(str::to_owned))).unwrap();
    let summary = |it: &TreeChoice| (it.pointer.clone(), it.chosen);
    assert_eq!(
        found.choices.iter().map(summary).collect::<Vec<_>>(),
        [
            ("/0".to_owned(), ChosenWay::Alternative(1)),
            ("/0/one_of/1/1".to_owned(), ChosenWay::Option(false)),
            ("/1".to_owned(), ChosenWay::Rounds(2)),
            ("/1/repeat/1".to_owned(), ChosenWay::Option(true)),
            ("/1/repeat/1".to_owned(), ChosenWay::Option(false)),
        ]
    );
}

#[test]
fn an_unfinished_run_has_no_missed_calls_at_its_end() {
    let tree = ProcessTree::read(
        r#"[{"name":"find","output":{"id":{"$var":"id"}}},{"any_order":["b","c"]},{"name":"pay","args":{"id":{"$var":"id"}}}]"#,
    )
    .unwrap();
    for (run, cost) in [
        ("[]", 0),
        (r#"[{"name":"find","args":{}}]"#, 0),
        (r#"[{"name":"find","args":{}},{"name":"c"}]"#, 1),
        (r#"[{"name":"find","output":{"id":7}},{"name":"c"}]"#, 0),
        (
            r#"[{"name":"find","output":{"id":7}},{"name":"pay","args":{"id":7}}]"#,
            1,
        ),
        (r#"[{"name":"x"}]"#, 1),
    ] {
        assert_eq!(tree.prefix_cost(&calls(run)).unwrap(), cost, "{run}");
    }
}

/// Costs of optimal alignments by pm4py 2.7, with process trees of the same operators as Petri nets: 200 random trees of names, and runs of
/// them, unchanged or disturbed.
#[test]
fn costs_match_optimal_alignments() {
    let mut seen = 0;
    for line in include_str!("alignment-costs.jsonl").lines() {
        let tree = ProcessTree::read(member(line, "expected")).unwrap();
        let names = decode(member(line, "actual")).unwrap();
        let run: Vec<_> = names
            .as_list()
            .unwrap()
            .iter()
            .map(|name| ActualCall::new(name.as_text().unwrap().clone(), None, None))
            .collect();
        let resolution = tree.resolve(&run).unwrap();
        assert_eq!(resolution.cost.to_string(), member(line, "cost"), "{line}");
        seen += 1;
    }
    assert_eq!(seen, 200);
}
