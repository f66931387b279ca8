//! The default metric.
//!
//! A right call counts 1. Any other call costs `extra`, and earns back up to 60 % of that for its
//! similarity to an expected call. So a wrong call always costs something, and a second guess never
//! pays. The similarity depends only on the call and the expectation, not on other calls. The sum
//! of a right completion is the number of expected calls.

use rightcall_core::call::{ArgumentSource, Call};
use rightcall_core::value::{Object, Text, Value, ValueEquality};

use super::arguments::read_arguments;
use super::weights::RewardWeights;

/// Values are equal only with the same type: `1`, `1.0`, `true` and `"1"` all differ.
const EQUALITY: ValueEquality = ValueEquality::Strict;

/// The share of its cost that a wrong call can earn back.
const RECOVERABLE_SHARE: f64 = 0.6;

/// The reward if right calls and errors cancel out.
const BREAK_EVEN: f64 = 0.4;

/// The parts of a reward.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RewardParts {
    /// Share of calls with an expected name.
    pub name: f64,
    /// Share of keys that are right.
    pub keys: f64,
    /// Share of values that are right.
    pub values: f64,
    /// Share of right calls that are in order.
    pub order: f64,
    /// The number of calls beyond those expected, plus the calls in reasoning.
    pub extra: f64,
    /// 1 if all calls were parsed, else 0.
    pub format: f64,
}

impl RewardParts {
    /// The parts of a completion that was not parsed.
    pub(super) const MALFORMED: Self = Self {
        name: 0.0,
        keys: 0.0,
        values: 0.0,
        order: 0.0,
        extra: 0.0,
        format: 0.0,
    };
}

/// An expected call.
pub(super) struct Expected<'c> {
    call: &'c Call<'c>,
    /// `None` if any arguments are accepted.
    arguments: Option<Value<'c>>,
}

impl<'c> Expected<'c> {
    pub(super) fn new(call: &'c Call<'c>) -> Self {
        Self {
            call,
            arguments: call.arguments.to_value(),
        }
    }
}

/// An actual call.
struct MadeCall<'c> {
    call: &'c Call<'c>,
    arguments: Value<'c>,
    /// Keys that occur twice.
    repeated: Vec<Text<'c>>,
    /// The call object itself repeats a key.
    repeats_key: bool,
}

/// The similarity of an actual call to an expected one.
#[derive(Clone, Copy, Default)]
struct Nearness {
    name: f64,
    keys: f64,
    values: f64,
}

impl Nearness {
    const RIGHT: Self = Self {
        name: 1.0,
        keys: 1.0,
        values: 1.0,
    };

    fn share(self, weights: &RewardWeights) -> f64 {
        let total = weights.name + weights.keys + weights.values;
        let share =
            weights.name * self.name + weights.keys * self.keys + weights.values * self.values;
        share / total
    }
}

/// The reward of a completion, from 0 to 1, and its parts.
pub(super) fn credit(
    expected: &[Expected<'_>],
    calls: &[Call<'_>],
    repeats_key: &[bool],
    in_reasoning: usize,
    weights: &RewardWeights,
) -> (f64, RewardParts) {
    let made: Vec<_> = calls
        .iter()
        .zip(repeats_key)
        .map(|(call, repeats_key)| MadeCall::new(call, *repeats_key))
        .collect();
    let equal = EqualCalls::new(expected, &made);
    let is_right = right_calls(expected, &equal);
    let right = is_right.iter().filter(|it| **it).count();
    let in_order = longest_common(&equal);
    let mut sum = right as f64 - weights.order * right.saturating_sub(in_order) as f64;
    sum -= weights.extra * in_reasoning as f64;
    let mut total = Nearness::default();
    for (call, is_right) in made.iter().zip(&is_right) {
        let near = if *is_right {
            Nearness::RIGHT
        } else {
            let near = call.nearest(expected, weights);
            sum -= weights.extra * (1.0 - RECOVERABLE_SHARE * near.share(weights));
            near
        };
        total.name += near.name;
        total.keys += near.keys;
        total.values += near.values;
    }
    let count = expected.len().max(made.len());
    let part = |sum: f64| if count == 0 { 1.0 } else { sum / count as f64 };
    let parts = RewardParts {
        name: part(total.name),
        keys: part(total.keys),
        values: part(total.values),
        order: if right == 0 {
            part(0.0)
        } else {
            in_order as f64 / right as f64
        },
        extra: (extra(expected, &made) + in_reasoning) as f64,
        format: 1.0,
    };
    let is_whole =
        right == expected.len() && made.len() == right && in_order == right && in_reasoning == 0;
    // If no call is expected and none was made, the completion is right, but the sum is 0.
    let share = if is_whole {
        1.0
    } else {
        share(sum, expected.len(), weights)
    };
    (share, parts)
}

/// Maps a sum to a share: sums above 0 to `BREAK_EVEN` … 1, sums below 0 to 0 … `BREAK_EVEN`. A
/// wrong call without credit costs all of `BREAK_EVEN`.
fn share(sum: f64, expected: usize, weights: &RewardWeights) -> f64 {
    if sum >= 0.0 && expected > 0 {
        return BREAK_EVEN + (1.0 - BREAK_EVEN) * sum / expected as f64;
    }
    if weights.extra == 0.0 || expected == 0 {
        return 0.0;
    }
    BREAK_EVEN * (1.0 + sum / weights.extra).max(0.0)
}

/// The equality of each actual call with each expected call.
struct EqualCalls {
    /// A row for each actual call, with a column for each expected one.
    cells: Vec<bool>,
    made: usize,
    expected: usize,
}

impl EqualCalls {
    fn new(expected: &[Expected<'_>], made: &[MadeCall<'_>]) -> Self {
        let row = |call| expected.iter().map(move |it| MadeCall::is(call, it));
        Self {
            cells: made.iter().flat_map(row).collect(),
            made: made.len(),
            expected: expected.len(),
        }
    }

    fn rows(&self) -> impl Iterator<Item = &[bool]> {
        (0..self.made).map(|row| &self.cells[row * self.expected..][..self.expected])
    }
}

/// For each call, true if it is right. Each expected call is matched at most once.
fn right_calls(expected: &[Expected<'_>], equal: &EqualCalls) -> Vec<bool> {
    let mut is_right = vec![false; equal.made];
    // Expected calls without arguments match last and take the remaining calls.
    let (demanding, free): (Vec<_>, Vec<_>) =
        (0..expected.len()).partition(|place| expected[*place].arguments.is_some());
    for place in demanding.into_iter().chain(free) {
        let mut calls = equal.rows().zip(&mut is_right);
        if let Some((_, is_right)) = calls.find(|(row, taken)| !**taken && row[place]) {
            *is_right = true;
        }
    }
    is_right
}

/// The length of the longest sequence of right calls in order.
fn longest_common(equal: &EqualCalls) -> usize {
    let mut lengths = vec![0; equal.expected + 1];
    for row in equal.rows() {
        let mut diagonal = 0;
        for (place, is_equal) in row.iter().enumerate() {
            let above = lengths[place + 1];
            lengths[place + 1] = if *is_equal {
                diagonal + 1
            } else {
                above.max(lengths[place])
            };
            diagonal = above;
        }
    }
    lengths.last().copied().unwrap_or_default()
}

/// The number of calls of each tool beyond its expected calls, added up.
fn extra(expected: &[Expected<'_>], made: &[MadeCall<'_>]) -> usize {
    let mut unmatched: Vec<_> = expected.iter().map(|it| &it.call.name).collect();
    let mut extra = 0;
    for call in made {
        match unmatched.iter().position(|name| **name == call.call.name) {
            Some(place) => _ = unmatched.swap_remove(place),
            None => extra += 1,
        }
    }
    extra
}

impl<'c> MadeCall<'c> {
    fn new(call: &'c Call<'c>, repeats_key: bool) -> Self {
        let (arguments, repeated) = match call.arguments.source() {
            ArgumentSource::Json(json) => read_arguments(json),
            _ => (call.arguments.to_value(), Vec::new()),
        };
        Self {
            call,
            arguments: arguments.unwrap_or(Value::Null),
            repeated,
            repeats_key,
        }
    }

    fn repeats(&self) -> bool {
        self.repeats_key || !self.repeated.is_empty()
    }

    /// True if the call is right.
    fn is(&self, expected: &Expected<'_>) -> bool {
        self.call.name == expected.call.name
            && !self.repeats()
            && expected
                .arguments
                .as_ref()
                .is_none_or(|arguments| EQUALITY.equal(arguments, &self.arguments))
    }

    /// The similarity to the most similar expected call.
    fn nearest(&self, expected: &[Expected<'_>], weights: &RewardWeights) -> Nearness {
        let mut best = Nearness::default();
        if self.repeats_key {
            return best;
        }
        for expected in expected {
            if self.call.name != expected.call.name {
                continue;
            }
            let near = self.nearness(expected);
            if best.name == 0.0 || near.share(weights) > best.share(weights) {
                best = near;
            }
        }
        best
    }

    fn nearness(&self, expected: &Expected<'_>) -> Nearness {
        let Some(wanted) = &expected.arguments else {
            return Nearness::RIGHT;
        };
        let (Some(wanted), Some(found)) = (wanted.as_object(), self.arguments.as_object()) else {
            return Nearness {
                name: 1.0,
                ..Nearness::default()
            };
        };
        let shared = found.iter().filter(|(key, _)| wanted.get(key).is_some());
        // A repeated key counts as an extra key.
        let all = wanted.len() + found.len() - shared.clone().count() + self.repeated.len();
        let of_all = |number: usize| {
            if all == 0 {
                1.0
            } else {
                number as f64 / all as f64
            }
        };
        Nearness {
            name: 1.0,
            keys: of_all(
                shared
                    .clone()
                    .filter(|(key, _)| self.is_single(key))
                    .count(),
            ),
            values: of_all(self.equal_values(wanted, found)),
        }
    }

    fn is_single(&self, key: &Text<'_>) -> bool {
        !self.repeated.contains(key)
    }

    fn equal_values(&self, wanted: &Object<'_>, found: &Object<'_>) -> usize {
        let is_equal = |(key, value): &&(Text<'_>, Value<'_>)| {
            let wanted = wanted.get(key);
            self.is_single(key) && wanted.is_some_and(|it| EQUALITY.equal_inside(it, value))
        };
        found.iter().filter(is_equal).count()
    }
}
