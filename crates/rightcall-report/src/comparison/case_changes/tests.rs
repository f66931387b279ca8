use proptest::prelude::*;

use super::*;

fn trial(position: usize, names: &[u8], score: f64) -> TrialCauses {
    let cause = |name: &u8| format!("tool-{name} was not called");
    TrialCauses {
        position,
        score: Some(score),
        causes: names.iter().map(cause).collect(),
    }
}

fn changes_between(before: &[&[u8]], after: &[&[u8]]) -> Vec<String> {
    let trials = |side: &[&[u8]]| -> Vec<_> {
        let trials = side.iter().enumerate();
        trials.map(|(at, names)| trial(at, names, 0.0)).collect()
    };
    let changes = CaseChanges::from_trials([trials(before), trials(after)], true).changes;
    changes.iter().map(ToString::to_string).collect()
}

#[test]
fn cause_is_new_only_if_no_earlier_trial_has_it() {
    assert_eq!(
        changes_between(&[&[], &[1, 2], &[]], &[&[3], &[1, 2], &[1]]),
        [
            "now tool-3 was not called (1 of 3 trials)",
            "more often: tool-1 was not called (1 of 3 trials before, 2 of 3 trials after)",
        ]
    );
    assert_eq!(
        changes_between(&[&[1], &[1, 2]], &[&[1], &[]]),
        [
            "less often: tool-1 was not called (2 of 2 trials before, 1 of 2 trials after)",
            "no longer: tool-2 was not called (1 of 2 trials before)",
        ]
    );
    assert_eq!(
        changes_between(&[&[]], &[&[1]]),
        ["now tool-1 was not called"]
    );
    assert!(changes_between(&[&[1], &[]], &[&[], &[1]]).is_empty());
    // Another trial without the cause doesn't change the others.
    assert!(changes_between(&[&[1], &[]], &[&[1], &[], &[]]).is_empty());
}

#[test]
fn shown_trial_differs_from_the_trials_of_the_other_run() {
    // After, the cause is more frequent, and its lowest trial is as before.
    let before = vec![trial(0, &[1], 0.0), trial(1, &[], 1.0)];
    let after = vec![trial(0, &[1], 0.0), trial(1, &[1], 0.5)];
    let changes = CaseChanges::from_trials([before, after], true);
    let shown = changes.shown_by(&|side, trial| {
        let name = match (side, trial.position) {
            (_, 0) => "as before",
            (0, _) => "right",
            _ => "otherwise",
        };
        Ok(vec![(name.to_owned(), String::new())])
    });
    assert_eq!(shown.unwrap(), Some([1, 1]));
}

#[test]
fn distance_counts_calls_in_only_one_list() {
    let calls = |names: &str| -> Vec<_> {
        let names = names.chars();
        names
            .map(|name| (name.to_string(), String::new()))
            .collect()
    };
    for (one, other, wanted) in [
        ("ab", "ab", (0, 0)),
        ("ab", "ba", (0, 2)),
        ("aab", "ab", (1, 1)),
        ("ab", "cd", (4, 2)),
        ("", "a", (1, 0)),
    ] {
        assert_eq!(
            distance(&calls(one), &calls(other)),
            wanted,
            "{one} {other}"
        );
    }
}

fn side() -> impl Strategy<Value = Vec<(Vec<u8>, u8)>> {
    prop::collection::vec((prop::collection::vec(0_u8..5, 0..4), 0_u8..3), 1..5)
}

proptest! {
    #[test]
    fn changes_are_exactly_the_causes_with_another_share(
        before in side(),
        after in side(),
        is_worse: bool,
    ) {
        let trials = |side: &[(Vec<u8>, u8)]| -> Vec<_> {
            let trials = side.iter().enumerate();
            trials.map(|(at, (names, score))| trial(at, names, f64::from(*score))).collect()
        };
        let found = CaseChanges::from_trials([trials(&before), trials(&after)], is_worse);
        let [before, after] = &found.trials;
        let count = |side: &[TrialCauses], cause: &String| {
            side.iter().filter(|it| it.causes.contains(cause)).count()
        };
        for name in 0..5 {
            let cause = format!("tool-{name} was not called");
            let (was, is) = (count(before, &cause), count(after, &cause));
            let shares = (was as f64 / before.len() as f64, is as f64 / after.len() as f64);
            let wanted = match (was, is) {
                (was, is) if was == is => None,
                (0, _) => Some(CauseTurn::New),
                (_, 0) => Some(CauseTurn::Gone),
                _ if shares.0 == shares.1 => None,
                _ if shares.1 > shares.0 => Some(CauseTurn::MoreOften),
                _ => Some(CauseTurn::LessOften),
            };
            let named: Vec<_> = found.changes.iter().filter(|it| it.cause == cause).collect();
            prop_assert_eq!(named.first().map(|it| it.turn), wanted);
            prop_assert!(named.len() <= 1);
        }
        let fits = |it: &CauseChange| it.turn.is_worse() == is_worse;
        prop_assert!(found.fitting().iter().all(fits));
        prop_assert!(!found.changes[found.fitting().len()..].iter().any(fits));
        let [was, is] = found.shown_by(&|_, _| Ok(Vec::new())).unwrap().unwrap();
        if let Some(first) = found.changes.first().filter(|it| fits(it)) {
            prop_assert_eq!(before[was].causes.contains(&first.cause), !is_worse);
            prop_assert_eq!(after[is].causes.contains(&first.cause), is_worse);
        }
    }
}
