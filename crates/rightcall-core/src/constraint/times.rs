//! Durations of calls, gaps between them, and their rate.

use super::judgement::{Judgement, ObservedValue};
use crate::call::{self, Call};
use crate::outcome::EvaluationError;
use crate::settings::describe;
use crate::value::{Syntax, Value, decode_with};

/// Nanoseconds per minute.
const MINUTE: i128 = 60_000_000_000;

/// The recorded starts and ends of calls, in nanoseconds.
pub(super) struct Times {
    starts: Vec<Option<i128>>,
    ends: Vec<Option<i128>>,
}

impl Times {
    /// The times of the calls.
    ///
    /// # Errors
    /// The first time that can't be parsed.
    pub(super) fn from_calls(calls: &[Call<'_>]) -> Result<Self, EvaluationError> {
        let read = |field: &'static str, time: for<'c> fn(&'c Call<'_>) -> Option<&'c str>| {
            let read = |(index, call)| {
                time(call)
                    .map(|json| nanoseconds(json, index, field))
                    .transpose()
            };
            calls
                .iter()
                .enumerate()
                .map(read)
                .collect::<Result<Vec<_>, _>>()
        };
        Ok(Self {
            starts: read("start", |call| call.metadata().start.as_deref())?,
            ends: read("end", |call| call.metadata().end.as_deref())?,
        })
    }

    /// Judges whether every call takes at most `limit`.
    pub(super) fn judge_calls(&self, limit: i128) -> Judgement {
        let lasted = |index: usize| Some(self.ends[index]? - self.starts[index]?);
        let durations = (0..self.starts.len()).filter_map(|index| Some((index, lasted(index)?)));
        let slow = durations
            .clone()
            .filter(|(_, it)| *it > limit)
            .map(|(index, _)| index)
            .collect();
        let longest = durations.map(|(_, it)| it).max().unwrap_or(0);
        Judgement::new(longest <= limit, ObservedValue::Time(longest), slow)
            .unless_missing(self.missing())
    }

    /// Judges whether at most `limit` passes from the first start to the last end.
    pub(super) fn judge_run(&self, limit: i128) -> Judgement {
        let all = || self.starts.iter().chain(&self.ends).flatten();
        let passed = all()
            .max()
            .zip(all().min())
            .map_or(0, |(last, first)| last - first);
        Judgement::new(passed <= limit, ObservedValue::Time(passed), Vec::new())
            .unless_missing(self.missing())
    }

    /// Judges whether, in order of time, each call starts at most `limit` after all earlier ones
    /// have ended.
    pub(super) fn judge_gaps(&self, limit: i128) -> Judgement {
        let mut spans: Vec<_> = (0..self.starts.len())
            .filter_map(|index| Some((self.starts[index]?, self.ends[index]?, index)))
            .collect();
        spans.sort_unstable();
        let missing = self.missing();
        if missing.is_some() {
            // A call without times could fill any gap.
            return Judgement::new(true, ObservedValue::Nothing, Vec::new())
                .unless_missing(missing);
        }
        let mut busy_until = None;
        let (mut longest, mut late) = (0, Vec::new());
        for (start, end, index) in spans {
            let gap = busy_until.map_or(0, |until: i128| (start - until).max(0));
            longest = longest.max(gap);
            if gap > limit {
                late.push(index);
            }
            busy_until = busy_until.max(Some(end));
        }
        late.sort_unstable();
        Judgement::new(longest <= limit, ObservedValue::Time(longest), late)
    }

    /// Judges whether at most `limit` calls start within any sixty seconds.
    pub(super) fn judge_rate(&self, limit: usize) -> Judgement {
        let mut starts: Vec<_> = self
            .starts
            .iter()
            .enumerate()
            .filter_map(|(index, start)| Some(((*start)?, index)))
            .collect();
        starts.sort_unstable();
        let within = |from: usize| {
            starts[from..].partition_point(|(start, _)| *start < starts[from].0 + MINUTE)
        };
        let mut busiest = 0..0;
        for from in 0..starts.len() {
            let number = within(from);
            if number > busiest.len() {
                busiest = from..from + number;
            }
        }
        let number = busiest.len();
        let mut calls: Vec<usize> = starts[busiest].iter().map(|(_, index)| *index).collect();
        calls.sort_unstable();
        let missing = self
            .starts
            .iter()
            .position(Option::is_none)
            .map(|call| (call, "start"));
        Judgement::new(number <= limit, ObservedValue::Calls(number), calls).unless_missing(missing)
    }

    fn missing(&self) -> Option<(usize, &'static str)> {
        let first = |times: &[Option<i128>], field| {
            times
                .iter()
                .position(Option::is_none)
                .map(|call| (call, field))
        };
        first(&self.starts, "start").or_else(|| first(&self.ends, "end"))
    }
}

/// A time as nanoseconds since 1970.
fn nanoseconds(json: &str, index: usize, field: &str) -> Result<i128, EvaluationError> {
    call::nanoseconds(json).ok_or_else(|| EvaluationError::Shape {
        side: "actual",
        pointer: format!("/{index}/{field}"),
        expected: "nanoseconds or an ISO 8601 time",
        found: describe(&decode_with(json, Syntax::PYTHON).unwrap_or(Value::Null)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::judgement::Verdict;
    use crate::constraint::tests::{broken, calls, held};

    const SECOND: i128 = 1_000_000_000;

    /// Calls with these starts and ends, in seconds.
    fn times(of: &[(i128, i128)]) -> Times {
        let nanoseconds = |seconds: i128| Some(seconds * SECOND);
        Times {
            starts: of.iter().map(|it| nanoseconds(it.0)).collect(),
            ends: of.iter().map(|it| nanoseconds(it.1)).collect(),
        }
    }

    #[test]
    fn times_are_parsed_in_every_format() {
        for (json, expected) in [
            ("1700000000000000000", 1_700_000_000 * SECOND),
            ("\"1700000000000000000\"", 1_700_000_000 * SECOND),
            ("\"2023-11-14T22:13:20Z\"", 1_700_000_000 * SECOND),
            (
                "\"2023-11-14T23:13:20.25+01:00\"",
                1_700_000_000 * SECOND + SECOND / 4,
            ),
            ("\"2023-11-14 22:13:20\"", 1_700_000_000 * SECOND),
        ] {
            assert_eq!(nanoseconds(json, 0, "start"), Ok(expected), "{json}");
        }
        let message = nanoseconds("\"yesterday\"", 3, "end")
            .unwrap_err()
            .to_string();
        assert_eq!(
            message,
            "actual/3/end: expected nanoseconds or an ISO 8601 time, found the text \"yesterday\""
        );
        for json in ["true", "1.5", "\"\"", "1e400", &"9".repeat(60)] {
            assert!(nanoseconds(json, 0, "start").is_err(), "{json}");
        }
    }

    #[test]
    fn durations_of_calls_and_runs_are_limited() {
        let run = times(&[(0, 2), (1, 8), (20, 21)]);
        assert_eq!(
            run.judge_calls(7 * SECOND),
            held(ObservedValue::Time(7 * SECOND), &[])
        );
        assert_eq!(
            run.judge_calls(SECOND),
            broken(ObservedValue::Time(7 * SECOND), &[0, 1])
        );
        assert_eq!(
            run.judge_run(21 * SECOND),
            held(ObservedValue::Time(21 * SECOND), &[])
        );
        assert_eq!(
            run.judge_run(20 * SECOND),
            broken(ObservedValue::Time(21 * SECOND), &[])
        );
    }

    #[test]
    fn gaps_are_times_without_a_running_call() {
        let run = times(&[(20, 21), (0, 9), (1, 2), (10, 11)]);
        assert_eq!(
            run.judge_gaps(9 * SECOND),
            held(ObservedValue::Time(9 * SECOND), &[])
        );
        assert_eq!(
            run.judge_gaps(0),
            broken(ObservedValue::Time(9 * SECOND), &[0, 3])
        );
    }

    #[test]
    fn the_busiest_minute_counts() {
        let run = times(&[(0, 1), (59, 60), (60, 61), (119, 120), (300, 301)]);
        assert_eq!(run.judge_rate(2), held(ObservedValue::Calls(2), &[0, 1]));
        assert_eq!(run.judge_rate(1), broken(ObservedValue::Calls(2), &[0, 1]));
        assert_eq!(times(&[]).judge_rate(0), held(ObservedValue::Calls(0), &[]));
    }

    #[test]
    fn unrecorded_times_are_not_judged_unless_a_recorded_time_fails() {
        let mut run = times(&[(0, 5), (6, 7)]);
        run.ends[1] = None;
        let missing = Verdict::NotRecorded {
            call: 1,
            field: "end",
        };
        assert_eq!(run.judge_calls(5 * SECOND).verdict, missing);
        assert_eq!(run.judge_calls(4 * SECOND).verdict, Verdict::Broken);
        assert_eq!(run.judge_run(9 * SECOND).verdict, missing);
        assert_eq!(run.judge_gaps(0).verdict, missing);
        assert_eq!(run.judge_rate(2).verdict, Verdict::Held);
        let none = Times::from_calls(&calls(&["a"])).unwrap();
        assert_eq!(
            none.judge_rate(9).verdict,
            Verdict::NotRecorded {
                call: 0,
                field: "start"
            }
        );
    }
}
