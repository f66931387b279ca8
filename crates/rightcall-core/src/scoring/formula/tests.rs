use proptest::prelude::*;

use super::*;

#[test]
fn shares_without_calls_are_0() {
    assert_eq!(recall(0.0, 0).score, 0.0);
    assert_eq!(precision(2.0, 3).score, 2.0 / 3.0);
    assert_eq!(f1(precision(0.0, 1), recall(0.0, 1)).score, 0.0);
    assert_eq!(mean("mean", []).score, 0.0);
}

#[test]
fn weighted_subtracts_two_quotients() {
    let weights = Weights {
        full: 1.0,
        name_only: 0.5,
        penalty: 0.25,
    };
    let extra = |extra| Penalised {
        extra,
        ..Penalised::default()
    };
    assert_eq!(
        weighted(weights, 1, 1, extra(1), 3).score,
        1.5 / 3.0 - 0.25 * (1.0 / 3.0)
    );
    assert_eq!(weighted(weights, 0, 0, extra(9), 3).score, 0.0);
    assert_eq!(
        weighted(
            Weights {
                full: 3.0,
                ..weights
            },
            3,
            0,
            extra(0),
            3
        )
        .score,
        1.0
    );
    assert!(
        weighted(
            Weights {
                full: f64::NAN,
                ..weights
            },
            1,
            0,
            extra(0),
            1
        )
        .score
        .is_nan()
    );
}

fn terms_of(scored: Scored, pairs: &[ExplainedPair]) -> Vec<String> {
    scored
        .terms(pairs)
        .iter()
        .map(|term| format!("{} = {} = {}", term.label, term.formula, term.value))
        .collect()
}

#[test]
fn terms_show_the_numbers() {
    assert_eq!(
        terms_of(
            f1(precision(1.0, 2), recall(1.0, 4)).rounded(Rounding::Python4),
            &[]
        ),
        [
            "precision = 1 / 2 = 0.5",
            "recall = 1 / 4 = 0.25",
            "f1 = 2 × 0.5 × 0.25 / (0.5 + 0.25) = 0.3333333333333333",
            "rounded = round(0.3333333333333333, 4) = 0.3333"
        ]
    );
}

#[test]
fn penalties_stop_at_0() {
    let penalties = Penalties {
        surplus: 0.5,
        repeated: 0.1,
    };
    let tally = |actual| Tally {
        expected: 3,
        actual,
        ..Tally::default()
    };
    let with_penalties = |credit, actual, repeated| {
        let scored = recall(credit, 3).with_penalties(penalties, &tally(actual), repeated);
        scored.rounded(Rounding::JsHundredths)
    };
    assert_eq!(with_penalties(2.0, 3, 0).score, 0.67);
    assert_eq!(with_penalties(0.0, 9, 2).score, 0.0);
    assert_eq!(
        terms_of(with_penalties(2.0, 4, 1), &[])[1..],
        [
            "less surplus = 0.6666666666666666 − 0.5 × (1 surplus / 3), clamped to 0..1 = 0.5",
            "less repeats = 0.5 − 0.1 × 1 repeated, clamped to 0..1 = 0.4",
            "rounded = round(0.4, 2) = 0.4"
        ]
    );
}

#[test]
fn only_made_forbidden_calls_lower_the_share() {
    let half = unanswered(1, 2);
    assert_eq!((half.score, half.costs), (0.5, Costs::NONE));
    assert_eq!(terms_of(half, &[]), ["unanswered = 1 / 2 = 0.5"]);
}

#[test]
fn scores_with_a_zero_divisor_state_the_reason() {
    assert_eq!(
        terms_of(f1(precision(0.0, 0), recall(0.0, 2)), &[]),
        [
            "precision = nothing was called = 0",
            "recall = 0 / 2 = 0",
            "f1 = precision and recall are zero = 0"
        ]
    );
    assert_eq!(
        terms_of(recall(0.0, 0), &[]),
        ["recall = nothing is expected = 0"]
    );
}

#[test]
fn terms_show_the_source_of_each_number() {
    let weights = Weights {
        full: 1.0,
        name_only: 0.5,
        penalty: 0.25,
    };
    let penalised = Penalised {
        extra: 3,
        too_many: 1,
        too_few: 0,
    };
    assert_eq!(
        terms_of(weighted(weights, 1, 0, penalised, 2), &[])[1],
        "penalty = 0.25 × ((3 extra + 1 too many) / 2) = 0.5"
    );
    let nothing = weighted(
        weights,
        0,
        0,
        Penalised {
            extra: 2,
            ..Penalised::default()
        },
        0,
    );
    assert_eq!(
        terms_of(nothing, &[])[1],
        "penalty = 0.25 × (2 extra / max(0, 1)) = 0.5"
    );
    let pair = |grade, counted| ExplainedPair {
        grade,
        counted,
        ..ExplainedPair::new(0, 0)
    };
    let (part, other) = (Grade::Partial(0.5), Grade::Partial(0.25));
    let pairs = [
        pair(part, true),
        pair(Grade::Full, true),
        pair(other, true),
        pair(part, true),
        pair(other, false),
        pair(Grade::NameOnly, true),
    ];
    assert_eq!(
        terms_of(recall(2.25, 4), &pairs),
        [
            "credit = 1 + 2 × 0.5 + 0.25 = 2.25",
            "recall = 2.25 / 4 = 0.5625"
        ]
    );
    assert_eq!(
        terms_of(recall(0.5, 4), &pairs[..1]),
        ["recall = 0.5 / 4 = 0.125"]
    );
}

#[test]
fn an_exact_f1_is_rounded_once() {
    let both = || (precision(3.0, 5), recall(3.0, 3));
    let (p, r) = both();
    assert_eq!(f1(p, r).score, 0.749_999_999_999_999_9);
    let (p, r) = both();
    assert_eq!(exact_f1(p, r, 3.0, [3.0, 5.0]).score, 0.75);
}

proptest! {
    #[test]
    fn formulas_stay_within_0_and_1(full in 0_usize..50, more_expected in 0_usize..50, more_actual in 0_usize..50) {
        let (expected, actual) = (full + more_expected, full + more_actual);
        let (p, r) = (precision(full as f64, actual), recall(full as f64, expected));
        let f = f1(p, r).score;
        prop_assert!((0.0..=1.0).contains(&f));
        prop_assert!(f <= p.score.max(r.score) + 1e-12 && f >= p.score.min(r.score) - 1e-12);
        prop_assert_eq!(f, f1(r, p).score);
        prop_assert!((f - exact_f1(p, r, full as f64, [expected as f64, actual as f64]).score).abs() < 1e-12);
    }

    #[test]
    fn the_mean_of_equal_parts_is_the_part(part in 0.0..=1.0_f64, count in 1_usize..20) {
        prop_assert!((mean("mean", std::iter::repeat_n(part, count)).score - part).abs() < 1e-12);
    }
}
