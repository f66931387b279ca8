use std::fmt::Write as _;

use proptest::prelude::*;

use crate::value::{Syntax, Text, decode_with};

use super::super::actual::ActualCall;
use super::super::tree::ProcessTree;
use super::Repair;

fn run(text: &str) -> Vec<ActualCall<'static>> {
    let call = |name: char| {
        let name = name.to_string();
        ActualCall::new(Text::new(&name).into_owned(), None, None)
    };
    text.chars().map(call).collect()
}

fn repair(expected: &str, actual: &[ActualCall<'_>]) -> Repair {
    ProcessTree::read(expected).unwrap().repair(actual).unwrap()
}

fn told(expected: &str, actual: &[ActualCall<'_>]) -> String {
    let repair = repair(expected, actual);
    let mut text = format!("{} {}", repair.cost, repair.expected.as_str());
    for change in &repair.changes {
        _ = write!(text, "\n{} {} {}", change.cost, change.pointer, change.what);
    }
    text
}

#[test]
fn repairs_are_small_and_describe_their_changes() {
    let told: Vec<_> = [
        (r#"["a","b","c"]"#, "abc"),
        (r#"["a","b","c"]"#, "ac"),
        (r#"["a","b","c"]"#, "a"),
        (r#"["a","c"]"#, "abc"),
        (r#"["a","c"]"#, "acxy"),
        (r#"["a","b","c"]"#, "axc"),
        (r#"["a","b"]"#, "ba"),
        (r#"["a","b","c"]"#, "cba"),
        (r#"["a","b","z"]"#, "abababz"),
        (r#"[{"one_of":["a","b"]},"z"]"#, "cz"),
        (r#"[{"repeat":"a","max":2},"z"]"#, "aaaz"),
        (r#"[{"repeat":"a","min":3},"z"]"#, "aaz"),
        (r#"[{"repeat":["a","b"]}]"#, "axbaxbaxb"),
        (r#"[{"any_order":["a","b"]},"z"]"#, "bxaz"),
        (r#"[{"any_order":["a","b"],"note":"3 of 4 runs"},{"optional":"z","note":"1 of 4 runs"}]"#, "bxayz"),
        (r#"["a","b"]"#, ""),
        ("[]", "ab"),
        ("[]", "ababab"),
        (r#"["z"]"#, "zbbb"),
        (r#"[{"one_of":["a","b"]},"z"]"#, "cccz"),
        (r#"[{"any_order":["a","b"]},"z"]"#, "xxaxbz"),
    ]
    .iter()
    .map(|(expected, actual)| format!("{expected} {actual}\n{}", told(expected, &run(actual))))
    .collect();
    assert_eq!(told.join("\n\n"), include_str!("repairs.txt").trim_end());
}

#[test]
fn arguments_are_widened_one_by_one() {
    let call = |name: &'static str, arguments: &str, output: Option<&'static str>| {
        let arguments = decode_with(arguments, Syntax::PYTHON).unwrap().into_owned();
        ActualCall::new(Text::new(name), Some(arguments), output)
    };
    let told: Vec<_> = [
        (r#"[{"name":"f","args":{"a":1,"b":2}}]"#, r#"{"a":1,"b":3}"#),
        (
            r#"[{"name":"f","args":{"a":1,"b":2}}]"#,
            r#"{"a":1,"c":{"$x":1}}"#,
        ),
        (
            r#"[{"name":"f","args":{"a":{"$one_of":[1,2]}}}]"#,
            r#"{"a":3}"#,
        ),
        (
            r#"[{"name":"f","args":{"a":{"$optional":{"$type":"string"}}}}]"#,
            r#"{"a":3}"#,
        ),
        (
            r#"[{"name":"f","args":{"a":{"$var":"x"},"b":{"$var":"x"}}}]"#,
            r#"{"a":3,"b":4}"#,
        ),
        (
            r#"[{"name":"f","args":{"a":1,"$rest":"any"}}]"#,
            r#"{"a":2,"b":4}"#,
        ),
        (r#"[{"name":"f","output":{"id":7}}]"#, "{}"),
    ]
    .iter()
    .map(|(expected, arguments)| told(expected, &[call("f", arguments, Some(r#"{"id":8}"#))]))
    .collect();
    assert_eq!(told.join("\n\n"), include_str!("widened.txt").trim_end());
}

#[test]
fn a_plain_list_is_repaired_too() {
    let names = ["a", "b"].map(Text::new);
    let repair = ProcessTree::from_names(&names).repair(&run("b")).unwrap();
    assert_eq!(
        repair.expected.as_str(),
        r#"[{"optional":{"name":"a"}},{"name":"b"}]"#
    );
}

#[test]
fn a_run_that_is_too_long_is_an_error() {
    let tree = ProcessTree::read(r#"["a"]"#).unwrap();
    let error = tree.repair(&run(&"b".repeat(61))).unwrap_err();
    assert_eq!(
        error.to_string(),
        "expected a run of at most 60 calls, found 61"
    );
}

/// Elements in a form that allows all changes of cost 1 and 2 to be tried.
#[derive(Clone, Debug, PartialEq)]
enum Written {
    Call(char),
    Block(&'static str, Vec<Vec<Written>>),
    Repeat(Vec<Written>, u64, u64),
}

fn text(elements: &[Written]) -> String {
    let list = |lists: &[Vec<Written>]| -> String {
        lists
            .iter()
            .map(|it| text(it))
            .collect::<Vec<_>>()
            .join(",")
    };
    let element = |element: &Written| match element {
        Written::Call(name) => format!("\"{name}\""),
        Written::Block(kind @ ("optional" | "sequence"), lists) => {
            format!("{{\"{kind}\":{}}}", list(lists))
        }
        Written::Block(kind, lists) => format!("{{\"{kind}\":[{}]}}", list(lists)),
        Written::Repeat(round, min, max) => {
            format!("{{\"repeat\":{},\"min\":{min},\"max\":{max}}}", text(round))
        }
    };
    let elements: Vec<_> = elements.iter().map(element).collect();
    format!("[{}]", elements.join(","))
}

/// All changes of a list that cost 1 or 2, with their costs.
fn changes(list: &[Written], names: &[char]) -> Vec<(u64, Vec<Written>)> {
    let mut found = Vec::new();
    let with = |from: usize, to: usize, new: Written| {
        let mut list = list.to_vec();
        list.splice(from..to, [new]);
        list
    };
    for at in 0..=list.len() {
        for name in names {
            let call = vec![vec![Written::Call(*name)]];
            found.push((1, with(at, at, Written::Block("optional", call))));
        }
    }
    for from in 0..list.len() {
        for to in from + 1..=list.len().min(from + 2) {
            let (cost, inner) = ((to - from) as u64, list[from..to].to_vec());
            let optional = Written::Block("optional", vec![inner.clone()]);
            found.push((cost, with(from, to, optional)));
            found.push((cost, with(from, to, Written::Repeat(inner.clone(), 1, 9))));
            let single = inner.iter().map(|it| vec![it.clone()]).collect();
            if to - from > 1 {
                found.push((cost, with(from, to, Written::Block("any_order", single))));
            } else {
                for name in names {
                    let lists = vec![inner.clone(), vec![Written::Call(*name)]];
                    found.push((2, with(from, to, Written::Block("one_of", lists))));
                }
            }
        }
        match &list[from] {
            Written::Call(_) => {}
            Written::Block(kind, lists) => {
                for (index, inner) in lists.iter().enumerate() {
                    for (cost, inner) in changes(inner, names) {
                        let mut lists = lists.clone();
                        lists[index] = inner;
                        found.push((cost, with(from, from + 1, Written::Block(kind, lists))));
                    }
                }
                if matches!(*kind, "one_of" | "any_order") {
                    for name in names {
                        let mut lists = lists.clone();
                        let call = Written::Call(*name);
                        lists.push(match *kind {
                            "one_of" => vec![call],
                            _ => vec![Written::Block("optional", vec![vec![call]])],
                        });
                        found.push((1, with(from, from + 1, Written::Block(kind, lists))));
                    }
                }
            }
            Written::Repeat(round, min, max) => {
                for (cost, round) in changes(round, names) {
                    found.push((
                        cost,
                        with(from, from + 1, Written::Repeat(round, *min, *max)),
                    ));
                }
                let repeat = |min, max| Written::Repeat(round.clone(), min, max);
                found.push((1, with(from, from + 1, repeat(*min, 9))));
                found.push((1, with(from, from + 1, repeat(0, *max))));
            }
        }
    }
    found
}

fn accepts(list: &[Written], actual: &[ActualCall<'_>]) -> bool {
    let tree = ProcessTree::read(&text(list)).unwrap();
    tree.align(actual).unwrap().cost == 0
}

/// The cost of the smallest repair, if at most 2, found by brute force; otherwise `None`.
fn by_trying(list: &[Written], actual: &[ActualCall<'_>], names: &[char]) -> Option<u64> {
    if accepts(list, actual) {
        return Some(0);
    }
    let first = changes(list, names);
    let of_cost = |least: u64| first.iter().filter(move |(cost, _)| *cost == least);
    if of_cost(1).any(|(_, list)| accepts(list, actual)) {
        return Some(1);
    }
    let twice = |list: &Vec<Written>| {
        let second = changes(list, names);
        let mut second = second.iter().filter(|(cost, _)| *cost == 1);
        second.any(|(_, list)| accepts(list, actual))
    };
    let found = of_cost(2).any(|(_, list)| accepts(list, actual))
        || of_cost(1).any(|(_, list)| twice(list));
    found.then_some(2)
}

fn lists() -> impl Strategy<Value = Vec<Written>> {
    let call = prop_oneof![Just('a'), Just('b'), Just('c')].prop_map(Written::Call);
    let element = call.prop_recursive(2, 4, 2, |inner| {
        let list = proptest::collection::vec(inner, 1..=2);
        let two = proptest::collection::vec(list.clone(), 2);
        prop_oneof![
            two.clone()
                .prop_map(|lists| Written::Block("any_order", lists)),
            two.prop_map(|lists| Written::Block("one_of", lists)),
            list.clone()
                .prop_map(|list| Written::Block("optional", vec![list])),
            (list, 1..3_u64, 0..2_u64).prop_map(|(list, min, more)| Written::Repeat(
                list,
                min,
                min + more
            )),
        ]
    });
    proptest::collection::vec(element, 1..=4)
}

fn calls_in(list: &[Written]) -> usize {
    let calls = |element: &Written| match element {
        Written::Call(_) => 1,
        Written::Block(_, lists) => lists.iter().map(|list| calls_in(list)).sum(),
        Written::Repeat(list, ..) => calls_in(list),
    };
    list.iter().map(calls).sum()
}

proptest! {
    #![proptest_config(ProptestConfig { max_global_rejects: 4_000, ..ProptestConfig::with_cases(40) })]

    #[test]
    fn exhaustive_search_finds_no_smaller_repair(list in lists(), word in "[abcd]{0,4}") {
        prop_assume!(calls_in(&list) <= 4);
        let actual = run(&word);
        let found = repair(&text(&list), &actual);
        let mut names: Vec<char> = word.chars().collect();
        names.sort_unstable();
        names.dedup();
        let tried = by_trying(&list, &actual, &names);
        let told = format!("{} {word}: {} {} {:?}", text(&list), found.cost, found.expected.as_str(), found.changes);
        if let Some(tried) = tried {
            prop_assert!(found.cost >= tried, "{told}, by trying {tried}");
            prop_assert!(found.cost == tried || !found.is_smallest(), "{told}, by trying {tried}");
        } else {
            prop_assert!(found.cost > 2, "{told}");
        }
    }

    #[test]
    fn a_repair_accepts_the_run_and_all_runs_accepted_before(list in lists(), word in "[abcd]{0,8}") {
        let before = text(&list);
        let found = repair(&before, &run(&word));
        let after = ProcessTree::read(found.expected.as_str()).unwrap();
        prop_assert_eq!(after.align(&run(&word)).unwrap().cost, 0);
        let language = ProcessTree::read(&before).unwrap().language(6);
        let Some(mut language) = language else { return Ok(()) };
        for accepted in language.others(&|_| false, 100) {
            let accepted = run(&accepted.concat());
            prop_assert_eq!(after.align(&accepted).unwrap().cost, 0, "{} {}", before, found.expected.as_str());
        }
    }
}
