//! Judges a rule on a whole run: whether it holds, and which calls break it.

use hashbrown::HashMap;

use super::call_pattern::RuleCall;
use super::definition::Rule;
use super::fit::Assumption;
use super::kind::RuleKind;
use super::progress::{Progress, Role};
use super::same::SharedValue;
use super::tracker::{Bucket, CallPlaceInRun, RuleTracker, TrackedCall, role};
use crate::call::Call;
use crate::value::HashKey;

/// The judgement of a rule on a run.
#[derive(Clone, Debug)]
pub(crate) struct RuleJudgement {
    /// `None` if it depends on unrecorded data.
    pub(crate) held: Option<bool>,
    /// True if no call is an activation.
    pub(crate) is_vacuous: bool,
    /// The calls that break the rule; if it holds, the activations.
    pub(crate) calls: Vec<usize>,
    /// The number of activations; with `same`, the largest number of activations that agree.
    pub(crate) count: usize,
    /// The first undecided call, and its unrecorded field.
    pub(crate) missing: Option<(usize, &'static str)>,
    /// A description of the violation, if the rule is broken.
    pub(crate) sentence: Option<String>,
}

impl Rule {
    /// True if the rule limits the number of activations.
    pub(crate) fn is_limit(&self) -> bool {
        matches!(self.kind, RuleKind::AtMost(_))
    }

    /// True if unrecorded calls can't change a judgement, at any position.
    pub(crate) fn is_settled(&self, held: bool, calls: usize) -> bool {
        match (self.kind, held) {
            (
                RuleKind::Never | RuleKind::AtMost(_) | RuleKind::Excludes | RuleKind::ThenNever,
                false,
            )
            | (RuleKind::AtLeast(_), true) => true,
            (RuleKind::Exactly(number), false) => calls as u64 > number,
            _ => false,
        }
    }

    /// Judges the rule on a run.
    pub(crate) fn judge(&self, calls: &[Call<'_>], key: HashKey) -> RuleJudgement {
        let mut tracker = RuleTracker::new(self);
        let mut run = TrackedRun::default();
        let mut rule_calls = Vec::with_capacity(calls.len());
        for (index, call) in calls.iter().enumerate() {
            let before = index.checked_sub(1).map(|before| &calls[before]);
            let place = CallPlaceInRun::new(call, before);
            let call = RuleCall::from_call(call);
            let facts = self.facts(&call, key);
            tracker.observe(index as u32, facts, place);
            let step = tracker.last_step.unwrap_or(0);
            let call_number = index as u32;
            run.calls.push(TrackedCall {
                call: call_number,
                step,
                facts,
            });
            rule_calls.push(call);
        }
        let held = tracker.held();
        let blamed = match held {
            Some(false) => run.blamed(self),
            Some(true) => run.activations(),
            None => Vec::new(),
        };
        RuleJudgement {
            held,
            is_vacuous: tracker.is_vacuous(),
            count: run.count(self),
            sentence: (held == Some(false)).then(|| run.sentence(self, &rule_calls, &blamed)),
            missing: held.is_none().then(|| run.missing(&rule_calls)),
            calls: blamed.into_iter().map(|call| call as usize).collect(),
        }
    }
}

/// The calls of a run, in the form that rules use.
#[derive(Debug, Default)]
pub(super) struct TrackedRun {
    pub(super) calls: Vec<TrackedCall>,
}

/// A call of a bucket.
#[derive(Clone, Copy, Debug)]
struct BucketCall {
    call: u32,
    step: u32,
    role: Role,
}

impl TrackedRun {
    /// The calls that are certainly activations.
    fn activations(&self) -> Vec<u32> {
        let sure = self.calls.iter().filter(|it| it.facts.activation.is_sure());
        sure.map(|it| it.call).collect()
    }

    /// The largest number of activations that certainly agree. A call that lacks a key agrees only with itself.
    fn count(&self, rule: &Rule) -> usize {
        let sure = self.calls.iter().filter(|it| it.facts.activation.is_sure());
        if rule.same.is_none() {
            return sure.count();
        }
        let mut counts: HashMap<u128, usize, foldhash::fast::FixedState> = HashMap::default();
        let mut most = 0;
        for it in sure {
            let count = match it.facts.value_of_call {
                SharedValue::Known(value) => {
                    let count = counts.entry(value).or_insert(0);
                    *count += 1;
                    *count
                }
                SharedValue::Lacking | SharedValue::Unknown => 1,
            };
            most = most.max(count);
        }
        most
    }

    /// The first undecided call.
    fn missing(&self, calls: &[RuleCall<'_>]) -> (usize, &'static str) {
        let is_open = |it: &&TrackedCall| {
            let fits = [it.facts.activation, it.facts.target];
            let values = [it.facts.value_of_call, it.facts.value_of_target];
            fits.iter().any(|fit| !fit.is_no() && !fit.is_sure())
                || values.contains(&SharedValue::Unknown)
        };
        let call = self
            .calls
            .iter()
            .find(is_open)
            .map_or(0, |it| it.call as usize);
        (call, calls.get(call).map_or("args", RuleCall::missing))
    }

    /// The calls that break the rule under every assumption, in order and without duplicates.
    pub(super) fn blamed(&self, rule: &Rule) -> Vec<u32> {
        let of_step = |step: Option<u32>| {
            let calls = self.calls.iter().filter(|it| Some(it.step) == step);
            calls.map(|it| it.call).collect()
        };
        match rule.kind {
            RuleKind::First => of_step(Some(0)),
            RuleKind::Last => of_step(self.calls.last().map(|it| it.step)),
            RuleKind::AtLeast(_) | RuleKind::Exactly(_) => self.activations(),
            kind => {
                let buckets = self.buckets(rule);
                let mut blamed: Vec<u32> = buckets
                    .iter()
                    .flat_map(|calls| blamed_of_bucket(kind, calls))
                    .collect();
                blamed.sort_unstable();
                blamed.dedup();
                blamed
            }
        }
    }

    /// The calls of each bucket with an activation, under assumptions in favor of the rule.
    fn buckets(&self, rule: &Rule) -> Vec<Vec<BucketCall>> {
        let of_bucket = |bucket: Bucket, calls: &mut dyn Iterator<Item = &TrackedCall>| {
            let with_role = calls.map(|it| BucketCall {
                call: it.call,
                step: it.step,
                role: role(
                    rule.kind,
                    &it.facts,
                    bucket,
                    Assumption::ALL[Assumption::BEST],
                ),
            });
            with_role
                .filter(|it| it.role != Role::default())
                .collect::<Vec<_>>()
        };
        if rule.same.is_none() {
            return vec![of_bucket(Bucket::All, &mut self.calls.iter())];
        }
        let mut by_value: Vec<(u128, Vec<usize>)> = Vec::new();
        let mut places: HashMap<u128, usize, foldhash::fast::FixedState> = HashMap::default();
        let mut unknown = Vec::new();
        for (index, it) in self.calls.iter().enumerate() {
            let values = [it.facts.value_of_call, it.facts.value_of_target];
            if values.contains(&SharedValue::Unknown) {
                unknown.push(index);
            }
            for value in values {
                if let SharedValue::Known(value) = value {
                    let place = *places.entry(value).or_insert(by_value.len());
                    if place == by_value.len() {
                        by_value.push((value, Vec::new()));
                    }
                    by_value[place].1.push(index);
                }
            }
        }
        let mut buckets: Vec<_> = by_value
            .into_iter()
            .map(|(value, mut of_value)| {
                // Calls with unknown values may agree with every value.
                of_value.extend(&unknown);
                of_value.sort_unstable();
                of_value.dedup();
                let mut calls = of_value.iter().map(|index| &self.calls[*index]);
                of_bucket(Bucket::Value(value), &mut calls)
            })
            .collect();
        buckets.push(of_bucket(Bucket::Unknown, &mut self.calls.iter()));
        buckets.push(of_bucket(Bucket::Lacking, &mut self.calls.iter()));
        buckets
    }
}

/// The calls of a bucket that break the rule.
fn blamed_of_bucket(kind: RuleKind, calls: &[BucketCall]) -> Vec<u32> {
    let count = |is: fn(&Role) -> bool| calls.iter().filter(|it| is(&it.role)).count();
    let judged = count(|role| role.judged);
    let calls_where = |is: &dyn Fn(&BucketCall) -> bool| -> Vec<u32> {
        let blamed = calls.iter().filter(|it| is(it));
        blamed.map(|it| it.call).collect()
    };
    if judged == 0 {
        return Vec::new();
    }
    let targets = count(|role| role.target);
    match kind {
        // A call can't satisfy its own need.
        RuleKind::Needs => {
            calls_where(&|it| it.role.judged && targets == usize::from(it.role.target))
        }
        RuleKind::Excludes => calls_where(&|it| {
            it.role.judged && targets > usize::from(it.role.target)
                || it.role.target && judged > usize::from(it.role.judged)
        }),
        RuleKind::ThenNever => {
            let first = calls.iter().find(|it| it.role.judged).map(|it| it.step);
            let last = calls.iter().rfind(|it| it.role.target).map(|it| it.step);
            calls_where(&|it| {
                it.role.judged && last.is_some_and(|last| it.step < last)
                    || it.role.target && first.is_some_and(|first| first < it.step)
            })
        }
        RuleKind::ThenNeverDirectly => {
            let steps = |is: fn(&Role) -> bool| -> Vec<u32> {
                let calls = calls.iter().filter(|it| is(&it.role));
                calls.map(|it| it.step).collect()
            };
            let (activations, targets) = (steps(|role| role.judged), steps(|role| role.target));
            let has = |steps: &[u32], step: u32| steps.binary_search(&step).is_ok();
            calls_where(&|it| {
                it.role.judged && has(&targets, it.step + 1)
                    || it.role.target && it.step > 0 && has(&activations, it.step - 1)
            })
        }
        RuleKind::Never | RuleKind::AtMost(_) => {
            let most = match kind {
                RuleKind::AtMost(most) => most,
                _ => 0,
            };
            let between = count(|role| role.between) as u64;
            calls_where(&|it| {
                let agreeing = if it.role.between { between } else { 1 };
                it.role.judged && agreeing > most
            })
        }
        kind => match kind.reversed() {
            None => broken(kind, calls.iter().copied()),
            Some(kind) => {
                // A rule that looks ahead is its mirror image on the reversed run.
                let last = calls.last().map_or(0, |it| it.step);
                let backwards = calls.iter().rev().map(|it| BucketCall {
                    step: last - it.step,
                    ..*it
                });
                broken(kind, backwards)
            }
        },
    }
}

/// The calls that break a rule that looks back.
fn broken(kind: RuleKind, calls: impl Iterator<Item = BucketCall>) -> Vec<u32> {
    let mut progress = Progress::new(kind);
    calls
        .filter(|it| progress.add(it.step, it.role))
        .map(|it| it.call)
        .collect()
}
