//! The loops that several originals have in common.

/// 1 where it holds, else 0.
pub(crate) fn one_if(holds: bool) -> f64 {
    if holds { 1.0 } else { 0.0 }
}

/// 1 where both lists are empty, 0 where one is; `None` where neither is.
pub(crate) fn worth_of_nothing<A, B>(expected: &[A], actual: &[B]) -> Option<f64> {
    let (expected, actual) = (expected.is_empty(), actual.is_empty());
    (expected || actual).then(|| one_if(expected && actual))
}

/// Whether the lists are of one length, and the same in each place.
pub(crate) fn all_in_place<A, B>(
    expected: &[A],
    actual: &[B],
    same: impl Fn(&A, &B) -> bool,
) -> bool {
    expected.len() == actual.len() && expected.iter().zip(actual).all(|(a, b)| same(a, b))
}

/// How many of the expected stand in their order among the actual, up to the first that is missing.
pub(crate) fn in_order<A, B>(expected: &[A], actual: &[B], same: impl Fn(&A, &B) -> bool) -> usize {
    let mut next = 0;
    for item in actual {
        if next < expected.len() && same(&expected[next], item) {
            next += 1;
        }
    }
    next
}

/// How many of the expected find one of the actual that is the same; each takes the first that is left.
pub(crate) fn in_any_order<A, B>(
    expected: &[A],
    actual: &[B],
    same: impl Fn(&A, &B) -> bool,
) -> usize {
    let mut left: Vec<&B> = actual.iter().collect();
    let found = expected.iter().filter(|wanted| {
        let place = left.iter().position(|item| same(wanted, item));
        place.map(|place| left.remove(place)).is_some()
    });
    found.count()
}

/// The part that so many are of all; of none it is another number.
pub(crate) fn share(part: usize, all: usize, of_none: f64) -> f64 {
    if all == 0 {
        return of_none;
    }
    part as f64 / all as f64
}

/// The harmonic mean of precision and recall.
pub(crate) fn f1(precision: f64, recall: f64) -> f64 {
    if precision + recall == 0.0 {
        return 0.0;
    }
    2.0 * precision * recall / (precision + recall)
}

/// JavaScript's `Math.round` from 0 on.
pub(crate) fn round(number: f64) -> f64 {
    let floor = number.floor();
    floor + one_if(number - floor >= 0.5)
}
