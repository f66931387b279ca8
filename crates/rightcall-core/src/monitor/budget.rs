//! Tracks constraints on names, counts, repeats or times during a run.

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use super::schema_counts::SchemaCounts;
use crate::call::Call;
use crate::constraint::{Constraint, LoopTracker, Verdict, call_digest};
use crate::rule::RuleVerdict;
use crate::value::{HashKey, Text};

/// The values that a constraint depends on.
#[derive(Debug)]
pub(super) enum Budget {
    /// Number of calls of a tool, or of all tools.
    Count(usize),
    /// A relation: the calls of both sides are counted for each verdict.
    Relation,
    /// Order of calls: whether one came too early.
    Before {
        is_broken: bool,
        /// The first call that others must wait for.
        first: Option<Grouped>,
        /// The last call.
        last: Grouped,
    },
    /// Failed calls, and calls without a result.
    Errors {
        failed: usize,
        waiting: usize,
    },
    Repeats(Box<RepeatCounts>),
    Loop(Box<LoopTracker>),
    /// Times: the whole run is judged for each verdict.
    Times,
    /// Calls by the schema of their tool.
    Schema(SchemaCounts),
}

/// The group of a call, if it has one.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Grouped(Option<Text<'static>>);

impl Grouped {
    fn from_call(call: &Call<'_>) -> Self {
        Self(call.metadata().group.clone().map(Text::into_owned))
    }

    /// True if calls of these two groups are parallel.
    fn is_parallel(&self, other: &Self) -> bool {
        self.0.is_some() && self == other
    }
}

/// Equal calls and their results.
#[derive(Debug, Default)]
pub(super) struct RepeatCounts {
    /// The last call with each name and arguments.
    last: HashMap<u128, usize, FixedState>,
    /// For each call: whether it failed, and whether an equal call followed.
    calls: Vec<(Option<bool>, bool)>,
    /// Number of repeats after a call that succeeded, that failed, and that has no result.
    after: [usize; 3],
    /// True if a call lacks recorded arguments, so that it may repeat any other.
    lacks_arguments: bool,
}

impl RepeatCounts {
    fn kind(failed: Option<bool>) -> usize {
        match failed {
            Some(false) => 0,
            Some(true) => 1,
            None => 2,
        }
    }

    /// The call that `call` would repeat.
    fn repeats(&self, call: &Call<'_>, key: HashKey) -> Option<usize> {
        self.last.get(&call_digest(call, key)?).copied()
    }

    fn observe(&mut self, number: usize, call: &Call<'_>, key: HashKey) {
        self.lacks_arguments |= call.arguments.is_absent();
        self.calls.push((call.failed(), false));
        let before = call_digest(call, key).and_then(|digest| self.last.insert(digest, number));
        if let Some(before) = before {
            self.calls[before].1 = true;
            self.after[Self::kind(self.calls[before].0)] += 1;
        }
    }

    fn revise(&mut self, number: usize, failed: Option<bool>) {
        let (known, is_repeated) = &mut self.calls[number];
        if *is_repeated {
            self.after[Self::kind(*known)] -= 1;
            self.after[Self::kind(failed)] += 1;
        }
        *known = failed;
    }
}

impl Budget {
    pub(super) fn new(constraint: &Constraint) -> Self {
        match constraint {
            Constraint::Relation(_) => Self::Relation,
            Constraint::Before(_) => Self::Before {
                is_broken: false,
                first: None,
                last: Grouped::default(),
            },
            Constraint::Errors(_) => Self::Errors {
                failed: 0,
                waiting: 0,
            },
            Constraint::Repeats(_) | Constraint::Retries(_) => Self::Repeats(Box::default()),
            Constraint::Loop(kind, limit) => Self::Loop(Box::new(LoopTracker::new(*kind, *limit))),
            Constraint::CallSeconds(_)
            | Constraint::RunSeconds(_)
            | Constraint::GapSeconds(_)
            | Constraint::CallsPerMinute(_) => Self::Times,
            Constraint::Schema(_) => Self::Schema(SchemaCounts::default()),
            _ => Self::Count(0),
        }
    }

    /// True if the result of a call may change the verdict.
    pub(super) fn awaits_results(&self) -> bool {
        match self {
            Self::Errors { .. } | Self::Repeats(_) => true,
            Self::Loop(tracker) => tracker.awaits_results(),
            _ => false,
        }
    }

    pub(super) fn observe(
        &mut self,
        constraint: &Constraint,
        number: usize,
        call: &Call<'_>,
        key: HashKey,
    ) {
        match (self, constraint) {
            (Self::Count(count), constraint) => *count += usize::from(constraint.counts(call)),
            (
                Self::Before {
                    is_broken,
                    first,
                    last,
                },
                Constraint::Before(before),
            ) => {
                *is_broken |= before.is_then(call) && is_early(first.as_ref(), call);
                if first.is_none() && before.is_first(call) {
                    *first = Some(Grouped::from_call(call));
                }
                *last = Grouped::from_call(call);
            }
            (Self::Errors { waiting, .. }, _) => *waiting += 1,
            (Self::Repeats(repeats), _) => repeats.observe(number, call, key),
            (Self::Loop(tracker), _) => tracker.observe(call, key),
            _ => {}
        }
    }

    pub(super) fn revise(&mut self, number: usize, call: &Call<'_>, key: HashKey) {
        match (self, call.failed()) {
            (Self::Loop(tracker), _) => tracker.revise(number, call, key),
            (Self::Errors { failed, waiting }, Some(has_failed)) => {
                *waiting -= 1;
                *failed += usize::from(has_failed);
            }
            (Self::Repeats(repeats), failed) => repeats.revise(number, failed),
            _ => {}
        }
    }

    pub(super) fn verdict(
        &self,
        constraint: &Constraint,
        calls: &[Call<'_>],
        key: HashKey,
    ) -> Option<RuleVerdict> {
        let limited = |least: usize, most: usize, limit: usize| {
            Some(RuleVerdict::new(least <= limit, most <= limit, true))
        };
        match (self, constraint) {
            (Self::Count(count), constraint) => {
                let wanted = constraint.wanted_count()?;
                Some(RuleVerdict::new(
                    wanted.may_hold_from(*count),
                    wanted.holds(*count),
                    wanted.may_fail_from(*count),
                ))
            }
            (
                Self::Before {
                    is_broken,
                    first,
                    last,
                },
                _,
            ) => {
                // A later call may still join the group of the first call.
                let may_join = first.as_ref().is_none_or(|first| first.is_parallel(last));
                Some(RuleVerdict::new(!is_broken, !is_broken, may_join))
            }
            (Self::Errors { failed, waiting }, Constraint::Errors(limit)) => {
                limited(*failed, failed + waiting, *limit)
            }
            (Self::Repeats(repeats), Constraint::Repeats(limit) | Constraint::Retries(limit)) => {
                let known =
                    repeats.after[usize::from(matches!(constraint, Constraint::Retries(_)))];
                // A call without recorded arguments may be a further repeat.
                if repeats.lacks_arguments && known <= *limit {
                    return None;
                }
                // Repeats after a call without a result may still count, once the result is known.
                limited(known, known + repeats.after[2], *limit)
            }
            (Self::Loop(tracker), _) => {
                let (holds, can_be_kept) = tracker.holds();
                Some(RuleVerdict::new(can_be_kept, holds, true))
            }
            (Self::Schema(counts), _) => counts.verdict(),
            (Self::Relation | Self::Times, constraint) => {
                let judged = constraint.judge(calls, key).ok()?;
                // Later calls can still balance a relation or fill a gap.
                let may_recover = matches!(
                    constraint,
                    Constraint::Relation(_) | Constraint::GapSeconds(_)
                );
                match judged.verdict {
                    Verdict::Held => Some(RuleVerdict::SatisfiedSoFar),
                    Verdict::Broken if may_recover => Some(RuleVerdict::Open),
                    Verdict::Broken => Some(RuleVerdict::Violated),
                    Verdict::NotRecorded { .. }
                    | Verdict::NoSchema { .. }
                    | Verdict::Incomplete => None,
                }
            }
            _ => None,
        }
    }

    /// True if this call, as the next one, would violate the constraint. If it is already violated:
    /// true if the call itself would break it again.
    pub(super) fn is_broken_by(
        &self,
        constraint: &Constraint,
        call: &Call<'_>,
        calls: &[Call<'_>],
        key: HashKey,
    ) -> bool {
        match (self, constraint) {
            (Self::Count(count), constraint) => {
                let is_counted = constraint.counts(call);
                let wanted = constraint.wanted_count();
                is_counted && wanted.is_some_and(|wanted| !wanted.may_hold_from(count + 1))
            }
            (Self::Before { first, .. }, Constraint::Before(before)) => {
                before.is_then(call) && is_early(first.as_ref(), call)
            }
            (Self::Repeats(repeats), Constraint::Repeats(limit) | Constraint::Retries(limit)) => {
                let kind = usize::from(matches!(constraint, Constraint::Retries(_)));
                let before = repeats.repeats(call, key);
                let failed = before.and_then(|before| repeats.calls[before].0);
                let is_repeat_of_kind = before.is_some() && RepeatCounts::kind(failed) == kind;
                is_repeat_of_kind && repeats.after[kind] + 1 > *limit
            }
            (Self::Loop(tracker), _) => tracker.is_broken_by(call, key),
            // Later calls may still fill a gap that is too long.
            (Self::Times, constraint) if !matches!(constraint, Constraint::GapSeconds(_)) => {
                let mut calls = calls.to_vec();
                calls.push(call.clone());
                let last = calls.len() - 1;
                constraint.judge(&calls, key).is_ok_and(|it| {
                    let is_of_last = it.calls.is_empty() || it.calls.contains(&last);
                    it.verdict == Verdict::Broken && is_of_last
                })
            }
            _ => false,
        }
    }
}

/// True if a call doesn't come after the first call that it must wait for.
fn is_early(first: Option<&Grouped>, call: &Call<'_>) -> bool {
    first.is_none_or(|first| first.is_parallel(&Grouped::from_call(call)))
}
