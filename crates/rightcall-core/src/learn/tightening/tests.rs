//! Tighter forms of small logs, and a property of generated ones.

use proptest::prelude::*;

use super::super::tests::runs;
use super::super::{LearningOptions, learn};

#[track_caller]
fn check(words: &[&str], expected: &[(&str, &[usize])]) {
    let runs = runs(words);
    let learned = learn(&runs, &LearningOptions::default()).unwrap();
    let found = learned.tightenings(&runs).unwrap();
    let found: Vec<_> = found
        .iter()
        .map(|it| {
            (
                format!("{} at {} {}", it.block, it.pointer, it.form),
                &it.rejected[..],
            )
        })
        .collect();
    let found: Vec<_> = found.iter().map(|(what, runs)| (&**what, *runs)).collect();
    assert_eq!(found, expected, "{words:?}");
}

#[test]
fn each_block_has_tighter_forms() {
    check(
        &["abc", "acb", "abc"],
        &[("any_order at /1 in the order b, c", &[1])],
    );
    check(&["ac", "bc", "bc", "bc"], &[("one_of at /0 as b", &[0])]);
    check(
        &["ac", "abc", "abc"],
        &[("optional at /1 as required", &[0])],
    );
    check(&["ac", "abc", "ac"], &[("optional at /1 left out", &[1])]);
    check(
        &["a", "aaa", "aa", "a", "a"],
        &[("repeat at /0 with max 2", &[1])],
    );
    check(
        &["aa", "aaa", "aaa", "aaaa", "aaaa"],
        &[("repeat at /0 with min 3", &[0])],
    );
    // Every form would reject more than half of the runs.
    check(&["abc"], &[]);
    check(&["a", "b", "c"], &[]);
}

#[test]
fn the_three_with_the_fewest_rejected_runs_are_kept() {
    let words = [
        "abcdx", "bcdx", "acdx", "abdx", "abcdx", "abcx", "abcx", "acdx",
    ];
    check(
        &words,
        &[
            ("optional at /0 as required", &[1]),
            ("optional at /2 as required", &[3]),
            ("optional at /1 as required", &[2, 7]),
        ],
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn only_suspected_runs_are_rejected(words in proptest::collection::vec("[abcd]{0,7}", 1..10)) {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let runs = runs(&words);
        let learned = learn(&runs, &LearningOptions::default()).unwrap();
        for mut candidate in learned.candidates() {
            let found = learned.rejected_by(&candidate, &runs, runs.len()).unwrap();
            candidate.suspects = (0..learned.ways.len()).collect();
            let all = learned.rejected_by(&candidate, &runs, runs.len()).unwrap();
            prop_assert_eq!(found, all, "{} {} {}", candidate.block, candidate.pointer, candidate.form);
        }
    }
}
