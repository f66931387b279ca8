//! Loops shared by several originals.

/// 1 if it holds, else 0.
pub(crate) fn one_if(holds: bool) -> f64 {
    if holds { 1.0 } else { 0.0 }
}

/// True if the lists have the same length and equal items in each position.
pub(crate) fn all_in_place<A, B>(
    expected: &[A],
    actual: &[B],
    same: impl Fn(&A, &B) -> bool,
) -> bool {
    expected.len() == actual.len() && expected.iter().zip(actual).all(|(a, b)| same(a, b))
}

/// The number of expected items found in order among the actual ones, up to the first missing one.
pub(crate) fn in_order<A, B>(expected: &[A], actual: &[B], same: impl Fn(&A, &B) -> bool) -> usize {
    let mut next = 0;
    for item in actual {
        if next < expected.len() && same(&expected[next], item) {
            next += 1;
        }
    }
    next
}

/// The number of expected items with an equal actual one; each takes the first one left.
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

/// The share of `part` in `all`; `of_none` if `all` is 0.
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
