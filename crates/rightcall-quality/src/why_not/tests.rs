//! Changes of random cases: each one reaches the score when applied, and none is larger than the result of a search through all runs.

use std::collections::HashSet;
use std::fmt::Write as _;

use rightcall_core::call::{Case, Trajectory};
use rightcall_core::{Ask, Evaluator};
use rightcall_formats::{ReadOptions, read_case};

use super::change::changed;
use super::*;

/// The alignments of `trajectory`, each with its allowed scores.
const FAMILIES: [(&str, &[&str]); 13] = [
    (
        "position",
        &["f1", "recall", "all_or_nothing", "covers_expected"],
    ),
    ("first_fit", &["f1", "precision", "recall", "weighted"]),
    ("best_fit", &["f1", "recall", "all_or_nothing"]),
    ("multiset", &["f1", "recall", "covers_actual"]),
    ("distinct", &["f1", "recall", "precision"]),
    ("once", &["f1", "recall", "all_or_nothing"]),
    ("lcs", &["f1", "recall", "precision", "all_or_nothing"]),
    (
        "subsequence",
        &["recall", "covers_expected", "all_or_nothing"],
    ),
    ("forward", &["recall", "f1", "all_or_nothing"]),
    ("first_occurrences", &["recall", "covers_expected"]),
    ("assignment", &["f1", "recall", "precision", "weighted"]),
    ("by_turn", &["f1", "all_or_nothing"]),
    ("free", &["recall", "precision", "all_or_nothing"]),
];

/// Pseudorandom numbers, the same for each seed.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end
    }

    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }
}

/// A call of the small world: a name, a value under `k` and one under `l` (0 if there is none), a turn.
type SmallCall = (u8, u8, u8, u8);

/// The number of different names, values under `k` and values under `l`.
type World = (u8, u8, u8);

fn text(calls: &[SmallCall]) -> String {
    let mut out = String::from("[");
    for (index, (name, k, l, turn)) in calls.iter().enumerate() {
        let name = char::from(b'a' + name);
        let arguments = [("k", k), ("l", l)];
        let arguments = arguments.iter().filter(|(_, value)| **value > 0);
        let arguments: Vec<_> = arguments
            .map(|(key, value)| format!("\"{key}\":{value}"))
            .collect();
        let arguments = arguments.join(",");
        let comma = if index > 0 { "," } else { "" };
        _ = write!(
            out,
            r#"{comma}{{"name":"{name}","args":{{{arguments}}},"turn":{turn}}}"#
        );
    }
    out + "]"
}

fn small_calls(numbers: &mut Numbers, (names, ks, ls): World, most: u64) -> Vec<SmallCall> {
    let mut turn = 0;
    let count = numbers.below(most + 1);
    (0..count)
        .map(|_| {
            turn += u8::from(numbers.below(2) == 0);
            let mut value = |of: u8| numbers.below(u64::from(of)) as u8;
            (value(names), value(ks + 1), value(ls + 1), turn)
        })
        .collect()
}

/// A random case for an alignment, as expected calls, the run and the evaluator.
fn random(
    seed: u64,
    family: usize,
    world: World,
    most: u64,
) -> (Vec<SmallCall>, Vec<SmallCall>, Evaluator) {
    let (align, scores) = FAMILIES[family];
    let mut numbers = Numbers(seed * 31 + family as u64);
    let score = numbers.one_of(scores);
    let arguments = match align {
        "multiset" | "distinct" | "once" => numbers.one_of(&["exact", "ignore"]),
        "free" => numbers.one_of(&["exact", "ignore", "subset"]),
        _ => numbers.one_of(&["exact", "ignore", "subset", "superset", "overlap"]),
    };
    let settings =
        format!(r#"{{"align":"{align}","score":"{score}","match":{{"args":"{arguments}"}}}}"#);
    let evaluator = Evaluator::new("trajectory", &settings, None).unwrap();
    let expected = small_calls(&mut numbers, world, most);
    let mut run = small_calls(&mut numbers, world, most);
    // Most runs are nearly right.
    if numbers.below(3) > 0 {
        run.clone_from(&expected);
        for _ in 0..=numbers.below(3) {
            let next = neighbours(&run, world, align == "by_turn", most as usize);
            if !next.is_empty() {
                run = next[numbers.below(next.len() as u64) as usize].clone();
            }
        }
    }
    (expected, run, evaluator)
}

/// All runs one edit away, with at most `most` calls.
fn neighbours(
    run: &[SmallCall],
    (names, ks, ls): World,
    has_turns: bool,
    most: usize,
) -> Vec<Vec<SmallCall>> {
    let mut all = Vec::new();
    for index in 0..run.len() {
        let (name, k, l, turn) = run[index];
        let others = (0..names).map(|name| (name, k, l, turn));
        let others = others.chain((0..=ks).map(|k| (name, k, l, turn)));
        let others = others.chain((0..=ls).map(|l| (name, k, l, turn)));
        for other in others.filter(|other| *other != run[index]) {
            let mut next = run.to_vec();
            next[index] = other;
            all.push(next);
        }
        let mut without = run.to_vec();
        without.remove(index);
        all.extend(inserted(&without, run[index], has_turns));
        all.push(without);
    }
    if run.len() < most {
        for name in 0..names {
            for k in 0..=ks {
                all.extend((0..=ls).flat_map(|l| inserted(run, (name, k, l, 1), has_turns)));
            }
        }
    }
    if has_turns {
        all.iter_mut().for_each(|run| renumber(run));
    }
    all
}

/// The run with a call at any place, in a neighbour's turn or in a separate one.
fn inserted(run: &[SmallCall], call: SmallCall, has_turns: bool) -> Vec<Vec<SmallCall>> {
    let mut all = Vec::new();
    for place in 0..=run.len() {
        let before = place.checked_sub(1).map(|before| run[before].3);
        let after = run.get(place).map(|call| call.3);
        let turns: Vec<u8> = if has_turns {
            before.into_iter().chain(after).chain([200]).collect()
        } else {
            vec![call.3]
        };
        for turn in turns {
            let mut next = run.to_vec();
            next.insert(place, (call.0, call.1, call.2, turn));
            all.push(next);
        }
    }
    all
}

/// Counts turns from 1, in order.
fn renumber(run: &mut [SmallCall]) {
    let mut turn = 0;
    let mut before = None;
    for call in run {
        if before != Some(call.3) {
            turn += 1;
            before = Some(call.3);
        }
        call.3 = turn;
    }
}

/// The number of edits of the smallest change, by trying all runs; `None` if none within the maximum reaches the score.
fn smallest_change(
    expected: &[SmallCall],
    run: &[SmallCall],
    evaluator: &Evaluator,
    world: World,
    most_edits: u32,
) -> Option<u32> {
    let has_turns = format!("{evaluator:?}").contains("ByTurn");
    let mut first = run.to_vec();
    if has_turns {
        renumber(&mut first);
    }
    let most = expected.len().max(run.len()) + expected.len();
    let mut known: HashSet<Vec<SmallCall>> = HashSet::from([first.clone()]);
    let mut border = vec![first];
    for edits in 0..=most_edits {
        if border
            .iter()
            .any(|run| score(expected, run, evaluator) >= 1.0)
        {
            return Some(edits);
        }
        if edits == most_edits {
            break;
        }
        let next = border
            .iter()
            .flat_map(|run| neighbours(run, world, has_turns, most));
        border = next.filter(|run| known.insert(run.clone())).collect();
    }
    None
}

fn score(expected: &[SmallCall], run: &[SmallCall], evaluator: &Evaluator) -> f64 {
    let line = format!(
        r#"{{"expected":{},"actual":{}}}"#,
        text(expected),
        text(run)
    );
    let case = read_case(&line, &ReadOptions::default()).unwrap();
    evaluator.evaluate(&case, Ask::OUTCOME).score().unwrap()
}

/// The answer for a case. Checks that a change reaches the score when applied.
fn checked_answer(
    expected: &[SmallCall],
    run: &[SmallCall],
    evaluator: &Evaluator,
    limit: SearchLimit,
) -> WhyNotAnswer {
    let line = format!(
        r#"{{"expected":{},"actual":{}}}"#,
        text(expected),
        text(run)
    );
    let case = read_case(&line, &ReadOptions::default()).unwrap();
    let answer = why_not_within(evaluator, &case, 1.0, limit).answer;
    if let WhyNotAnswer::Change(change) = &answer {
        let calls = changed(&case.actual.as_ref().unwrap().calls, &change.edits);
        let actual = Some(Trajectory {
            calls,
            ..Trajectory::default()
        });
        let after = Case { actual, ..case };
        let score = evaluator.evaluate(&after, Ask::OUTCOME).score();
        assert_eq!(score, Some(change.score), "{line}");
        assert!(change.score >= 1.0, "{line}");
    }
    answer
}

/// Checks cases of all alignments; returns the number of found changes, and the number known to be
/// the smallest.
fn check(
    cases: u64,
    world: World,
    most: u64,
    most_edits: Option<u32>,
    limit: SearchLimit,
) -> (u32, u32) {
    let (mut changes, mut smallest_ones) = (0, 0);
    for (family, (name, ..)) in FAMILIES.iter().enumerate() {
        for seed in 0..cases {
            let (expected, run, evaluator) = random(seed, family, world, most);
            let answer = checked_answer(&expected, &run, &evaluator, limit);
            let at = format!(
                "{name} seed {seed}: expected {} run {} {evaluator:?}",
                text(&expected),
                text(&run)
            );
            let edits = match &answer {
                WhyNotAnswer::Reached(_) => 0,
                WhyNotAnswer::Change(change) => {
                    changes += 1;
                    smallest_ones += u32::from(change.is_smallest);
                    change.edits.len() as u32
                }
                WhyNotAnswer::NotFound(_) => u32::MAX,
                WhyNotAnswer::NoScore(reason) => panic!("{at}: {reason}"),
            };
            if let Some(most_edits) = most_edits {
                match smallest_change(&expected, &run, &evaluator, world, most_edits) {
                    Some(smallest) => assert_eq!(edits, smallest, "{at}: {answer:?}"),
                    None => assert!(edits > most_edits, "{at}: {answer:?}"),
                }
            }
        }
    }
    (changes, smallest_ones)
}

#[track_caller]
fn answers(evaluator: &str, settings: &str, case: &str, expected: &[&str]) {
    let case = read_case(case, &ReadOptions::default()).unwrap();
    let evaluator = Evaluator::new(evaluator, settings, None).unwrap();
    let found = why_not(&evaluator, &case, 1.0);
    let edits = match &found.answer {
        WhyNotAnswer::Change(change) => edits_told(&change.edits),
        _ => vec![found.sentence()],
    };
    assert_eq!(edits, expected);
}

#[test]
fn matching_calls_are_not_changed() {
    let case = r#"{"expected":["a","b","c"],"actual":[{"name":"a"},{"name":"x"},{"name":"c"}]}"#;
    answers("trajectory", "{}", case, &["call 2: rename `x` to `b`"]);
    let swapped = r#"{"expected":["a","b","c"],"actual":[{"name":"c"},{"name":"a"},{"name":"b"}]}"#;
    let moved = ["call 1: move after call 3"];
    answers("trajectory", r#"{"mode":"strict"}"#, swapped, &moved);
    let missed = r#"{"expected":["a","b"],"actual":[{"name":"b"}]}"#;
    answers(
        "trajectory",
        r#"{"align":"lcs"}"#,
        missed,
        &["add `a` at the start"],
    );
    let empty = r#"{"expected":["a","b"],"actual":[]}"#;
    let added = ["add `a()` at the start", "add `b()` after the added `a`"];
    answers("trajectory", r#"{"align":"lcs"}"#, empty, &added);
}

#[test]
fn conditions_are_met_with_the_fewest_edits() {
    let case =
        r#"{"expected":{"constraints":{"forbidden":["b"]}},"actual":[{"name":"a"},{"name":"b"}]}"#;
    answers(
        "constraints",
        "{}",
        case,
        &["call 2: remove the call of `b`"],
    );
    let forbidden = r#"{"forbidden":["b"]}"#;
    let other = r#"{"expected":["a","c"],"actual":[{"name":"a"},{"name":"b"}]}"#;
    answers(
        "constraints",
        forbidden,
        other,
        &["call 2: remove the call of `b`"],
    );
    let counts = r#"{"expected":{"counts":{"a":2}},"actual":[{"name":"a"}]}"#;
    answers(
        "uipath/tool-call-count",
        "{}",
        counts,
        &["add `a` after call 1"],
    );
}

#[test]
fn no_value_is_invented_for_a_pattern() {
    let case = r#"{"expected":[{"name":"a","args":{"id":{"$pattern":"u.*"}}},{"name":"b","args":{"id":7}}],"actual":[{"name":"b","args":{"id":8}}]}"#;
    let case = read_case(case, &ReadOptions::default()).unwrap();
    let evaluator = Evaluator::new("trajectory", "{}", None).unwrap();
    let found = why_not(&evaluator, &case, 1.0);
    assert!(
        matches!(found.answer, WhyNotAnswer::NotFound(_)),
        "{found:?}"
    );
    assert!(found.repair.is_some());
}

#[test]
fn runs_without_a_score_have_a_reason() {
    let case = r#"{"expected":["a"]}"#;
    let case = read_case(case, &ReadOptions::default()).unwrap();
    let evaluator = Evaluator::new("trajectory", "{}", None).unwrap();
    let said = why_not(&evaluator, &case, 1.0).sentence();
    assert!(said.starts_with("Why not 1? No answer: no run"), "{said}");
}

/// A limit for tests in debug builds.
const TEST_LIMIT: SearchLimit = SearchLimit {
    evaluations: 600,
    steps: 6_000,
};

#[test]
fn changes_reach_the_score_for_all_alignments() {
    let (changes, smallest) = check(15, (3, 2, 1), 4, None, TEST_LIMIT);
    assert!(changes > 100, "{changes} changes");
    assert!(
        smallest > changes * 7 / 10,
        "{smallest} of {changes} are known to be the smallest"
    );
}

#[test]
fn changes_are_as_small_as_by_exhaustive_search() {
    check(8, (2, 1, 0), 2, Some(2), LIMIT);
}

/// Takes a minute in a release build.
#[test]
#[ignore = "judges 500 cases of each alignment without a limit for tests"]
fn changes_reach_the_score_for_500_cases_per_alignment() {
    let (changes, smallest) = check(500, (3, 2, 1), 4, None, LIMIT);
    assert!(changes > 3000, "{changes} changes");
    assert!(
        smallest > changes * 9 / 10,
        "{smallest} of {changes} are known to be the smallest"
    );
}

/// Takes minutes in a release build.
#[test]
#[ignore = "tries all runs of up to 8 calls"]
fn changes_of_four_calls_per_side_are_minimal() {
    check(500, (2, 1, 0), 4, Some(3), LIMIT);
    check(100, (3, 0, 0), 4, Some(4), LIMIT);
    check(100, (2, 1, 1), 3, Some(3), LIMIT);
}
