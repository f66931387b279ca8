use super::*;
use proptest::prelude::*;

fn results(scores: &[(&str, f64)]) -> RunScores {
    let case = |(key, score): &(&str, f64)| {
        let judged = Measurement {
            score: Some(*score),
            passed: Some(*score >= 0.5),
        };
        TrialScores {
            key: (*key).to_owned(),
            values: vec![judged],
            overall: judged,
            ..TrialScores::default()
        }
    };
    RunScores {
        name: "r".into(),
        measures: vec!["order".into()],
        cases: scores.iter().map(case).collect(),
    }
}

fn compare(before: &[(&str, f64)], after: &[(&str, f64)]) -> PairedComparison {
    PairedComparison::between(
        &results(before),
        &results(after),
        ComparisonSettings::default(),
    )
}

#[test]
fn only_shared_cases_are_compared_and_changes_are_worst_first() {
    let found = compare(
        &[("a", 1.0), ("b", 0.5), ("c", 0.2), ("x", 0.0)],
        &[("a", 0.0), ("b", 0.5), ("c", 0.4), ("y", 1.0)],
    );
    assert_eq!(
        (found.shared, &found.only.0[..], &found.only.1[..]),
        (3, &["x".to_owned()][..], &["y".to_owned()][..])
    );
    let score = found.measures[0].score.as_ref().unwrap();
    assert_eq!((score.cases, score.better, score.worse), (3, 1, 1));
    assert!((score.change.estimate - -0.8 / 3.0).abs() < 1e-12);
    assert_eq!(
        found.measures[0].passed.as_ref().unwrap().test,
        SignificanceTest::McNemar
    );
    assert_eq!(
        found
            .moved
            .iter()
            .map(|it| it.key.as_str())
            .collect::<Vec<_>>(),
        ["a", "c"]
    );
    assert!(found.moved[0].is_worse() && !found.moved[1].is_worse());
}

#[test]
fn a_case_counts_once_for_any_number_of_trials() {
    let found = compare(
        &[("a", 1.0), ("a", 0.0), ("a", 0.5), ("b", 1.0)],
        &[("a", 1.0), ("b", 1.0)],
    );
    let change = found.measures[0].score.as_ref().unwrap();
    assert_eq!((change.cases, change.before, change.after), (2, 0.75, 1.0));
    assert_eq!(
        found.measures[0].passed.as_ref().unwrap().test,
        SignificanceTest::Permutation
    );
    assert_eq!(
        found.moved[0].trials_before,
        TrialCounts {
            trials: 3,
            passed: 2
        }
    );
}

#[test]
fn a_trial_without_a_score_is_no_longer_judged_and_not_worse() {
    let before = results(&[("a", 1.0), ("a", 1.0), ("b", 1.0), ("c", 0.0)]);
    let mut after = results(&[("a", 1.0), ("a", 1.0), ("b", 1.0), ("c", 0.0)]);
    let missing = Measurement {
        score: None,
        passed: Some(false),
    };
    for place in [1, 2] {
        after.cases[place].values = vec![missing];
        after.cases[place].overall = missing;
    }
    let settings = ComparisonSettings::default();
    let found = PairedComparison::between(&before, &after, settings);
    assert_eq!(found.no_longer_judged, ["a", "b"]);
    assert_eq!(found.moved, []);
    for row in [&found.measures[0], &found.overall] {
        let score = row.score.as_ref().unwrap();
        assert_eq!((score.worse, score.no_longer_judged), (0, 2));
        // A missing run has failed.
        let passed = row.passed.as_ref().unwrap();
        assert_eq!((passed.worse, passed.no_longer_judged), (2, 0));
    }
    let back = PairedComparison::between(&after, &before, settings);
    assert_eq!(back.no_longer_judged, Vec::<String>::new());
}

#[test]
fn a_missing_trial_is_no_longer_judged_and_not_better() {
    let named = |trials: &[(&str, &str, f64)]| {
        let scores: Vec<_> = trials.iter().map(|it| (it.0, it.2)).collect();
        let mut run = results(&scores);
        for (case, (_, trial, _)) in run.cases.iter_mut().zip(trials) {
            case.trial = Some((*trial).to_owned());
        }
        run
    };
    let before = named(&[
        ("a", "1", 1.0),
        ("a", "2", 0.0),
        ("b", "1", 1.0),
        ("b", "2", 1.0),
    ]);
    let one = named(&[("a", "1", 1.0), ("b", "1", 0.0)]);
    let between = |before, after| {
        let found = PairedComparison::between(before, after, ComparisonSettings::default());
        let moved: Vec<_> = found
            .moved
            .iter()
            .map(|it| (it.key.clone(), it.after))
            .collect();
        (found.no_longer_judged, moved)
    };
    let (both, b) = (vec!["a".to_owned(), "b".to_owned()], ("b".to_owned(), 0.0));
    assert_eq!(between(&before, &one), (both, vec![b]));
    // Additional trials are not a loss, and trials with different names aren't paired.
    assert_eq!(between(&one, &before).0, Vec::<String>::new());
    let other = named(&[("a", "3", 1.0), ("b", "3", 1.0)]);
    assert_eq!(between(&before, &other).0, Vec::<String>::new());
}

#[test]
fn trials_of_a_case_can_be_combined_into_one_verdict() {
    let before = results(&[("a", 1.0), ("a", 1.0), ("b", 1.0), ("b", 0.0)]);
    let after = results(&[("a", 1.0), ("a", 0.0), ("b", 0.0), ("b", 0.0)]);
    let settings = ComparisonSettings::default();
    let by = |rule: fn(TrialCounts) -> bool| {
        let change = PairedComparison::passed_by(&before, &after, settings, rule).unwrap();
        (change.before, change.after, change.worse, change.test)
    };
    let in_all = by(|it| it.passed == it.trials);
    assert_eq!(in_all, (0.5, 0.0, 1, SignificanceTest::McNemar));
    let in_any = by(|it| it.passed > 0);
    assert_eq!(in_any, (1.0, 0.5, 1, SignificanceTest::McNemar));
}

#[test]
fn changed_verdicts_are_fixed_or_newly_failing() {
    let found = compare(
        &[("a", 1.0), ("b", 0.0), ("c", 0.1), ("d", 0.9), ("d", 0.1)],
        &[("a", 0.0), ("b", 1.0), ("c", 0.2), ("d", 0.0)],
    );
    let named = |is: fn(&MovedCase) -> bool| -> Vec<&str> {
        let cases = found.moved.iter().filter(|it| is(it));
        cases.map(|it| it.key.as_str()).collect()
    };
    assert_eq!(named(MovedCase::is_newly_failing), ["a"]);
    assert_eq!(named(MovedCase::is_fixed), ["b"]);
    assert_eq!(named(MovedCase::is_worse), ["a", "d"]);
}

#[test]
fn a_case_without_a_score_before_shows_none() {
    let mut before = results(&[("fixed", 0.0), ("fails still", 0.0)]);
    for case in &mut before.cases {
        case.overall.score = None;
        case.values[0].score = None;
    }
    let after = results(&[("fixed", 0.9), ("fails still", 0.4)]);
    let found = PairedComparison::between(&before, &after, ComparisonSettings::default());
    let moved: Vec<_> = (found.moved.iter())
        .map(|it| (it.key.as_str(), it.score_before(), it.after))
        .collect();
    assert_eq!(moved, [("fixed", None, 0.9)]);
    assert!(!found.moved[0].is_worse());
    // The other way round, it is no longer judged.
    let back = PairedComparison::between(&after, &before, ComparisonSettings::default());
    assert_eq!((back.moved.len(), back.no_longer_judged.len()), (0, 2));
}

#[test]
fn changes_by_one_evaluator_equal_changes_by_all() {
    let (before, after) = (
        results(&[("a", 1.0), ("b", 0.5)]),
        results(&[("a", 0.0), ("b", 0.5)]),
    );
    let columns = (ScoreColumn::Measure(0), ScoreColumn::Measure(0));
    let moved = PairedComparison::moved_by(&before, &after, columns);
    assert_eq!(
        moved,
        PairedComparison::between(&before, &after, ComparisonSettings::default()).moved
    );
    assert_eq!(moved.len(), 1);
    let none = (ScoreColumn::Measure(1), ScoreColumn::Measure(1));
    assert_eq!(PairedComparison::moved_by(&before, &after, none), []);
}

#[test]
fn equal_changes_are_sorted_by_name_in_each_direction() {
    let names = ["e", "d", "c", "b", "a"];
    let all = |scores: [f64; 5]| names.into_iter().zip(scores).collect::<Vec<_>>();
    let found = compare(
        &all([0.0, 0.0, 0.0, 1.0, 1.0]),
        &all([0.5, 1.0, 0.5, 0.5, 0.5]),
    );
    let keys = MovedCase::by_direction(&found.moved)
        .map(|cases| cases.iter().map(|it| &*it.key).collect::<Vec<_>>());
    assert_eq!(keys, [vec!["a", "b"], vec!["d", "c", "e"]]);
}

fn verdict(
    before: impl Fn(usize) -> f64,
    after: impl Fn(usize) -> f64,
    cases: usize,
) -> ChangeVerdict {
    let names: Vec<_> = (0..cases).map(|number| format!("{number:03}")).collect();
    let of = |value: &dyn Fn(usize) -> f64| {
        names
            .iter()
            .enumerate()
            .map(|(at, name)| (name.as_str(), value(at)))
            .collect::<Vec<_>>()
    };
    compare(&of(&before), &of(&after)).measures[0]
        .score
        .as_ref()
        .unwrap()
        .verdict
}

#[test]
fn verdicts_match_the_evidence() {
    let half = |at: usize| (at % 2) as f64;
    assert_eq!(verdict(|_| 0.5, |_| 0.9, 10), ChangeVerdict::Better);
    assert_eq!(verdict(|_| 0.9, |_| 0.5, 10), ChangeVerdict::Worse);
    assert_eq!(verdict(half, half, 3), ChangeVerdict::Same);
    assert_eq!(verdict(|_| 0.5, |_| 0.9, 3), ChangeVerdict::NotEnough);
    assert_eq!(
        verdict(half, |at| half(at + 1), 20),
        ChangeVerdict::NotEnough
    );
    assert_eq!(
        verdict(|_| 0.5, |at| if at % 2 == 0 { 0.52 } else { 0.48 }, 100),
        ChangeVerdict::NoDifference
    );
}

proptest! {
    #[test]
    fn a_reversed_comparison_has_the_opposite_result(scores in prop::collection::vec((0_u8..=4, 0_u8..=4), 2..30)) {
        let names: Vec<_> = (0..scores.len()).map(|number| format!("{number:03}")).collect();
        let of = |side: &dyn Fn(&(u8, u8)) -> u8| {
            names.iter().zip(&scores).map(|(name, it)| (name.as_str(), f64::from(side(it)) / 4.0)).collect::<Vec<_>>()
        };
        let (before, after) = (of(&|it| it.0), of(&|it| it.1));
        let there = compare(&before, &after);
        let back = compare(&after, &before);
        let (one, other) = (there.measures[0].score.as_ref().unwrap(), back.measures[0].score.as_ref().unwrap());
        prop_assert!((one.change.estimate + other.change.estimate).abs() < 1e-12);
        prop_assert_eq!((one.better, one.worse), (other.worse, other.better));
        prop_assert!((one.p - other.p).abs() < 1e-12);
        prop_assert!(one.change.low <= one.change.estimate + 1e-12 && one.change.estimate <= one.change.high + 1e-12);
        prop_assert_eq!(there.moved.len(), back.moved.len());
    }
}
