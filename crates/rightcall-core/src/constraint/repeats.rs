//! Repeated calls: needless ones, and retries after an error.

use super::judgement::{Judgement, ObservedValue};
use crate::alignment::{Comparison, Symbols};
use crate::call::Call;
use crate::matching::{ArgumentRule, Item, Matcher, Rules};
use crate::value::{Digest, HashKey, Value, ValueEquality};

/// The digest of the name and the arguments; `None` if the arguments are missing or equal no value.
pub(crate) fn call_digest(call: &Call<'_>, key: HashKey) -> Option<u128> {
    let both = vec![Value::String(call.name.clone()), call.arguments.to_value()?];
    Digest::from_value(&Value::List(both), ValueEquality::Json, key).key()
}

/// The calls that repeat an earlier name and arguments, compared as JSON values.
struct Repeats {
    /// Repeats of a call that is not known to have failed.
    needless: Vec<usize>,
    /// Repeats of a call that failed.
    after_error: Vec<usize>,
}

impl Repeats {
    fn from_calls(calls: &[Call<'_>], key: HashKey) -> Self {
        let rules = Rules::from_arguments(ArgumentRule::Equal, ValueEquality::Json);
        let items: Vec<_> = calls.iter().map(Item::from_call).collect();
        let matcher = Matcher::new(&rules, &[], &items, key);
        let mut repeats = Self {
            needless: Vec::new(),
            after_error: Vec::new(),
        };
        // Equality is an equivalence relation here, so symbols exist.
        let Some(Symbols { actual, count, .. }) = matcher.calls() else {
            return repeats;
        };
        let mut last = vec![None; *count];
        for (index, &symbol) in actual.iter().enumerate() {
            // Arguments with a NaN equal no value.
            let Some(last) = last.get_mut(symbol as usize) else {
                continue;
            };
            match last
                .replace(index)
                .map(|before: usize| calls[before].failed())
            {
                None => {}
                Some(Some(true)) => repeats.after_error.push(index),
                Some(_) => repeats.needless.push(index),
            }
        }
        repeats
    }
}

/// Judges whether at most `limit` calls repeat one that is not known to have failed. Requires the
/// arguments of all calls.
pub(super) fn judge_repeats(calls: &[Call<'_>], limit: usize, key: HashKey) -> Judgement {
    let Repeats {
        needless,
        after_error,
    } = Repeats::from_calls(calls, key);
    let found = ObservedValue::Repeats {
        needless: needless.len(),
        after_error: after_error.len(),
    };
    Judgement::new(needless.len() <= limit, found, needless)
        .unless_missing(without_arguments(calls))
}

/// Judges whether at most `limit` calls repeat one that failed. Requires arguments and errors.
pub(super) fn judge_retries(calls: &[Call<'_>], limit: usize, key: HashKey) -> Judgement {
    let retries = Repeats::from_calls(calls, key).after_error;
    let judged = Judgement::new(
        retries.len() <= limit,
        ObservedValue::Calls(retries.len()),
        retries,
    );
    judged
        .unless_missing(without_arguments(calls))
        .unless_missing(without_errors(calls))
}

/// Judges whether at most `limit` calls failed. If no call has a recorded success or failure,
/// errors were not recorded.
pub(super) fn judge_errors(calls: &[Call<'_>], limit: usize) -> Judgement {
    let failed: Vec<usize> = (0..calls.len())
        .filter(|&index| calls[index].failed() == Some(true))
        .collect();
    Judgement::new(
        failed.len() <= limit,
        ObservedValue::Calls(failed.len()),
        failed,
    )
    .unless_missing(without_errors(calls))
}

pub(super) fn without_arguments(calls: &[Call<'_>]) -> Option<(usize, &'static str)> {
    calls
        .iter()
        .position(|call| call.arguments.is_absent())
        .map(|call| (call, "args"))
}

fn without_errors(calls: &[Call<'_>]) -> Option<(usize, &'static str)> {
    let is_unrecorded = !calls.is_empty() && calls.iter().all(|call| call.failed().is_none());
    is_unrecorded.then_some((0, "error"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Arguments;
    use crate::constraint::judgement::Verdict;
    use crate::constraint::tests::{broken, calls, held};

    /// Calls of one tool: arguments and error.
    fn run(rows: &[(&'static str, Option<&'static str>)]) -> Vec<Call<'static>> {
        let mut run = calls(&vec!["find"; rows.len()]);
        for (call, &(arguments, error)) in run.iter_mut().zip(rows) {
            (call.arguments, call.metadata_mut().error) =
                (Arguments::json(arguments), error.map(Into::into));
        }
        run
    }

    #[test]
    fn repeats_after_an_error_are_counted_separately() {
        let calls = run(&[
            (r#"{"id":7,"x":null}"#, None),
            (r#"{"x":null,"id":7.0}"#, Some("\"timeout\"")),
            (r#"{"id":7,"x":null}"#, Some("false")),
            (r#"{"id":8}"#, None),
        ]);
        let key = HashKey(3, 4);
        assert_eq!(
            judge_repeats(&calls, 1, key),
            held(
                ObservedValue::Repeats {
                    needless: 1,
                    after_error: 1
                },
                &[1]
            )
        );
        assert_eq!(
            judge_repeats(&calls, 0, key),
            broken(
                ObservedValue::Repeats {
                    needless: 1,
                    after_error: 1
                },
                &[1]
            )
        );
        assert_eq!(
            judge_retries(&calls, 0, key),
            broken(ObservedValue::Calls(1), &[2])
        );
        assert_eq!(judge_errors(&calls, 1), held(ObservedValue::Calls(1), &[1]));
        assert_eq!(
            judge_errors(&calls, 0),
            broken(ObservedValue::Calls(1), &[1])
        );
    }

    #[test]
    fn constraints_on_unrecorded_data_are_not_decided() {
        let key = HashKey::default();
        let silent = run(&[("{}", None), ("{}", None)]);
        assert_eq!(
            judge_errors(&silent, 0).verdict,
            Verdict::NotRecorded {
                call: 0,
                field: "error"
            }
        );
        assert_eq!(
            judge_retries(&silent, 0, key).verdict,
            Verdict::NotRecorded {
                call: 0,
                field: "error"
            }
        );
        assert_eq!(
            judge_repeats(&silent, 0, key),
            broken(
                ObservedValue::Repeats {
                    needless: 1,
                    after_error: 0
                },
                &[1]
            )
        );
        let mut open = run(&[("{}", None), ("{\"a\":1}", None)]);
        open[1].arguments = Arguments::default();
        assert_eq!(
            judge_repeats(&open, 0, key).verdict,
            Verdict::NotRecorded {
                call: 1,
                field: "args"
            }
        );
        assert_eq!(judge_errors(&[], 0), held(ObservedValue::Calls(0), &[]));
    }
}
