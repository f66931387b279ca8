//! Tracks a rule during a run, call by call.
//!
//! Calls are grouped by their values of `same`. Each value has its own small automata, one for each assumption about unrecorded data. A
//! call advances only the automata of its values. A late result replays them from its call on.
//!
//! Sources: Bauer, Leucker, Schallhart, *Comparing LTL semantics for runtime verification* (2010); Maggi et al., *Monitoring business
//! constraints with linear temporal logic* (2011).

use std::collections::VecDeque;

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use super::definition::{CallFacts, Rule};
use super::exactly::ExactCount;
use super::fit::{Assumption, Fit};
use super::kind::RuleKind;
use super::progress::{Progress, Role, RunView};
use super::same::SharedValue;
use super::verdict::RuleVerdict;
use crate::call::{Call, are_parallel};

/// A call in a run: its index, its step, and its roles in the rule.
#[derive(Clone, Copy, Debug)]
pub(super) struct TrackedCall {
    pub(super) call: u32,
    pub(super) step: u32,
    pub(super) facts: CallFacts,
}

/// The calls that an automaton processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bucket {
    /// All calls: the rule has no `same`.
    All,
    /// The calls with one value.
    Value(u128),
    /// Any value that has not occurred yet.
    Unseen,
    /// The calls that may agree with activations without recorded arguments.
    Unknown,
    /// Activations that lack a key, and so agree with no call.
    Lacking,
}

/// The automata of one value.
#[derive(Clone, Debug)]
struct BucketState {
    bucket: Bucket,
    now: [Progress; Assumption::COUNT],
    /// The state as counted in `failing`, under each assumption: whether the rule holds, and
    /// whether it can be satisfied.
    counted: [(bool, bool); Assumption::COUNT],
    /// The calls since the first one that waits for its result, each with the automata before it.
    log: VecDeque<([Progress; Assumption::COUNT], TrackedCall)>,
}

/// The state of a run under a rule.
#[derive(Clone, Debug)]
pub(crate) struct RuleTracker {
    kind: RuleKind,
    buckets: Vec<BucketState>,
    /// The index of each value's bucket.
    places: HashMap<u128, usize, FixedState>,
    /// For each assumption, the number of buckets in which the rule does not hold, and the number
    /// in which it can't be satisfied.
    failing: [(usize, usize); Assumption::COUNT],
    exact: Option<ExactCount>,
    /// Number of possible activations.
    possible: usize,
    /// The last step; `None` for an empty run.
    pub(super) last_step: Option<u32>,
    /// True if the last call has a group.
    is_open: bool,
    /// The buckets with a call in the last step, and in the step before it.
    recent: [Vec<usize>; 2],
    /// The calls that wait for their results.
    pending: HashMap<u32, TrackedCall, FixedState>,
}

impl RuleTracker {
    pub(crate) fn new(rule: &Rule) -> Self {
        let buckets: &[Bucket] = if rule.same.is_some() {
            &[Bucket::Unseen, Bucket::Unknown, Bucket::Lacking]
        } else {
            &[Bucket::All]
        };
        let mut tracker = Self {
            kind: rule.kind,
            buckets: buckets
                .iter()
                .map(|bucket| BucketState::new(*bucket, rule.kind))
                .collect(),
            places: HashMap::default(),
            failing: [(0, 0); Assumption::COUNT],
            exact: match rule.kind {
                RuleKind::Exactly(number) => Some(ExactCount::new(number)),
                _ => None,
            },
            possible: 0,
            last_step: None,
            is_open: false,
            recent: [Vec::new(), Vec::new()],
            pending: HashMap::default(),
        };
        (0..tracker.buckets.len()).for_each(|place| tracker.count(place));
        tracker
    }

    /// Processes the next call.
    pub(crate) fn observe(&mut self, call: u32, facts: CallFacts, place: CallPlaceInRun) {
        self.enter_step(place);
        let tracked = TrackedCall {
            call,
            step: self.last_step.unwrap_or(0),
            facts,
        };
        if !facts.is_nothing() {
            self.possible += usize::from(!facts.activation.is_no());
            if facts.is_pending() {
                self.pending.insert(call, tracked);
            }
            if let Some(exact) = &mut self.exact {
                exact.add(facts.activation);
            }
            self.make_buckets(&facts);
            for place in self.touched(&facts) {
                self.buckets[place].add(self.kind, tracked);
                self.count(place);
                if self.kind.looks_at_next_step() && !self.recent[0].contains(&place) {
                    self.recent[0].push(place);
                }
            }
        }
        if self.buckets[0].bucket == Bucket::All {
            self.count(0);
        }
    }

    /// Updates the roles of an earlier call after its result.
    pub(crate) fn revise(&mut self, call: u32, facts: CallFacts) {
        let Some(mut tracked) = self.pending.remove(&call) else {
            return;
        };
        let before = std::mem::replace(&mut tracked.facts, facts);
        self.possible -= usize::from(!before.activation.is_no() && facts.activation.is_no());
        if facts.is_pending() {
            self.pending.insert(call, tracked);
        }
        if let Some(exact) = &mut self.exact {
            exact.remove(before.activation);
            exact.add(facts.activation);
        }
        for place in self.touched(&before) {
            self.buckets[place].revise(self.kind, tracked);
            self.count(place);
        }
    }

    /// True if the call's result may matter to the rule.
    pub(crate) fn awaits(&self, call: u32) -> bool {
        self.pending.contains_key(&call)
    }

    /// The verdict on the run so far; `None` if it depends on unrecorded arguments.
    pub(crate) fn verdict(&self) -> Option<RuleVerdict> {
        if let Some(exact) = &self.exact {
            return exact.verdict();
        }
        // Unrecorded arguments stay unknown, so the verdict must be the same for all arguments.
        // Results may still arrive: the rule is violated if even the best results can't save it,
        // and holds if even the worst ones can't break it.
        let agreed = |answers: [bool; 2]| (answers[0] == answers[1]).then_some(answers[0]);
        let can_be_kept =
            agreed(Assumption::BEST_RESULTS.map(|assumption| self.failing[assumption].1 == 0))?;
        let holds =
            agreed(Assumption::WORST_RESULTS.map(|assumption| self.failing[assumption].0 == 0));
        if !can_be_kept {
            return Some(RuleVerdict::Violated);
        }
        if !holds? {
            return Some(RuleVerdict::Open);
        }
        let can_be_broken =
            agreed(Assumption::WORST_RESULTS.map(|assumption| self.can_be_broken(assumption)))?;
        Some(RuleVerdict::new(true, true, can_be_broken))
    }

    fn can_be_broken(&self, assumption: usize) -> bool {
        let state = &self.buckets[0];
        state.bucket != Bucket::All || state.now[assumption].can_be_broken(self.view(state.bucket))
    }

    /// True if the rule holds on the run as it is; `None` if that depends on unrecorded data.
    pub(crate) fn held(&self) -> Option<bool> {
        if let Some(exact) = &self.exact {
            return exact.held();
        }
        let (worst, best) = (
            self.failing[Assumption::WORST].0,
            self.failing[Assumption::BEST].0,
        );
        match (worst, best) {
            (0, _) => Some(true),
            (_, 0) => None,
            _ => Some(false),
        }
    }

    /// True if the rule is about activations and no call is one.
    pub(crate) fn is_vacuous(&self) -> bool {
        self.possible == 0 && (self.kind.is_need() || self.kind.is_ban())
    }

    /// True if this call, as the next one, would break the rule for good. If the rule is already
    /// broken: true if the call itself would break it again.
    pub(crate) fn is_broken_by(&self, facts: &CallFacts, place: CallPlaceInRun) -> bool {
        if let Some(exact) = &self.exact {
            return exact.is_broken_by(facts.activation);
        }
        let step = self.step_of(place);
        let is_broken = self.failing[Assumption::BEST].1 > 0;
        let view = RunView {
            last: Some(step),
            is_open: place.has_group,
            may_agree: true,
        };
        let view = |bucket| RunView {
            may_agree: bucket != Bucket::Lacking,
            ..view
        };
        let assumption = Assumption::ALL[Assumption::BEST];
        let mut touched = self.touched(facts);
        if let SharedValue::Known(value) = facts.value_of_call
            && !self.places.contains_key(&value)
        {
            // A new value starts from the state of unseen values.
            touched.push(0);
        }
        let breaks = |&bucket_place: &usize| {
            let state = &self.buckets[bucket_place];
            let bucket = match (state.bucket, facts.value_of_call) {
                (Bucket::Unseen, SharedValue::Known(value)) => Bucket::Value(value),
                (bucket, _) => bucket,
            };
            let role = role(self.kind, facts, bucket, assumption);
            let mut after = state.now[Assumption::BEST];
            let itself = after.add(step, role);
            let view = view(bucket);
            if is_broken {
                // A needed call can't agree with an activation that lacks the key.
                itself || role.judged && self.kind.is_need() && !view.may_agree
            } else {
                !after.can_be_kept(view)
            }
        };
        let closes = |&place: &usize| {
            let state = &self.buckets[place];
            !state.now[Assumption::BEST].can_be_kept(view(state.bucket))
        };
        if touched.iter().any(breaks) {
            return true;
        }
        let mut untouched = self
            .closed_by(place)
            .filter(|place| !touched.contains(place));
        !is_broken && untouched.any(|place| closes(&place))
    }

    /// The buckets that a new step may close.
    fn closed_by(&self, place: CallPlaceInRun) -> impl Iterator<Item = usize> {
        let begins = Some(self.step_of(place)) != self.last_step;
        let recent = self.recent.iter().flatten().copied();
        recent.filter(move |_| begins)
    }

    fn step_of(&self, place: CallPlaceInRun) -> u32 {
        match self.last_step {
            None => 0,
            Some(last) if place.joins_group => last,
            Some(last) => last + 1,
        }
    }

    fn enter_step(&mut self, place: CallPlaceInRun) {
        let step = self.step_of(place);
        let begins = Some(step) != self.last_step;
        self.last_step = Some(step);
        self.is_open = place.has_group;
        // A new step may settle rules about the next step, so the affected buckets are counted again.
        if begins && self.kind.looks_at_next_step() {
            let [last, before] = &mut self.recent;
            let closed = std::mem::replace(before, std::mem::take(last));
            let closed: Vec<_> = closed.into_iter().chain(self.recent[1].clone()).collect();
            closed.into_iter().for_each(|place| self.count(place));
        }
    }

    fn view(&self, bucket: Bucket) -> RunView {
        RunView {
            last: self.last_step,
            is_open: self.is_open,
            may_agree: bucket != Bucket::Lacking,
        }
    }

    /// Updates the counts for a bucket.
    fn count(&mut self, place: usize) {
        let view = self.view(self.buckets[place].bucket);
        let state = &mut self.buckets[place];
        for assumption in 0..Assumption::COUNT {
            let progress = &state.now[assumption];
            let (holds, can_be_kept) = (progress.holds(view), progress.can_be_kept(view));
            let counted = std::mem::replace(&mut state.counted[assumption], (holds, can_be_kept));
            let failing = &mut self.failing[assumption];
            failing.0 = failing.0 + usize::from(!holds) - usize::from(!counted.0);
            failing.1 = failing.1 + usize::from(!can_be_kept) - usize::from(!counted.1);
        }
    }

    /// Creates buckets for the new values of a call.
    fn make_buckets(&mut self, facts: &CallFacts) {
        for value in [facts.value_of_call, facts.value_of_target] {
            if let SharedValue::Known(value) = value
                && !self.places.contains_key(&value)
            {
                let state = BucketState {
                    bucket: Bucket::Value(value),
                    ..self.buckets[0].clone()
                };
                self.places.insert(value, self.buckets.len());
                self.buckets.push(state);
            }
        }
    }

    /// The existing buckets that a call affects.
    fn touched(&self, facts: &CallFacts) -> TouchedBuckets {
        let mut touched = TouchedBuckets::new();
        if self.buckets[0].bucket == Bucket::All {
            touched.push(0);
            return touched;
        }
        let sides = [
            (facts.activation, facts.value_of_call),
            (facts.target, facts.value_of_target),
        ];
        let sides = sides.iter().filter(|(fit, _)| !fit.is_no());
        let values = || sides.clone().map(|(_, value)| *value);
        if values().any(|value| value == SharedValue::Unknown) {
            // It may agree with every value.
            touched.extend((0..self.buckets.len()).filter(|place| *place != LACKING));
            return touched;
        }
        for value in values() {
            if let SharedValue::Known(value) = value
                && let Some(place) = self.places.get(&value)
                && !touched.contains(place)
            {
                touched.push(*place);
            }
        }
        let is_known = |value| matches!(value, SharedValue::Known(_));
        if values().any(is_known) {
            touched.push(UNKNOWN);
        }
        if !facts.activation.is_no() && facts.value_of_call == SharedValue::Lacking {
            touched.push(LACKING);
        }
        touched
    }
}

type TouchedBuckets = smallvec::SmallVec<[usize; 4]>;

/// Fixed bucket indices of every rule with `same`; index 0 is the bucket of unseen values.
const UNKNOWN: usize = 1;
const LACKING: usize = 2;

/// The position of a call in the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CallPlaceInRun {
    /// True if it has a group.
    pub(crate) has_group: bool,
    /// True if the call before it has the same group.
    pub(crate) joins_group: bool,
}

impl CallPlaceInRun {
    /// The position of a call after another one.
    pub(crate) fn new(call: &Call<'_>, before: Option<&Call<'_>>) -> Self {
        Self {
            has_group: call.metadata().group.is_some(),
            joins_group: before.is_some_and(|before| are_parallel(before, call)),
        }
    }
}

impl BucketState {
    fn new(bucket: Bucket, kind: RuleKind) -> Self {
        Self {
            bucket,
            now: [Progress::new(kind); Assumption::COUNT],
            counted: [(true, true); Assumption::COUNT],
            log: VecDeque::new(),
        }
    }

    fn add(&mut self, kind: RuleKind, call: TrackedCall) {
        if !self.log.is_empty() || call.facts.is_pending() {
            self.log.push_back((self.now, call));
        }
        self.take(kind, &call);
    }

    fn take(&mut self, kind: RuleKind, call: &TrackedCall) {
        for (progress, assumption) in self.now.iter_mut().zip(Assumption::ALL) {
            let role = role(kind, &call.facts, self.bucket, assumption);
            if role != Role::default() {
                progress.add(call.step, role);
            }
        }
    }

    fn revise(&mut self, kind: RuleKind, call: TrackedCall) {
        let Ok(from) = self.log.binary_search_by_key(&call.call, |(_, it)| it.call) else {
            return;
        };
        self.log[from].1 = call;
        // Replay the calls from the revised one on.
        self.now = self.log[from].0;
        for index in from..self.log.len() {
            self.log[index].0 = self.now;
            let call = self.log[index].1;
            self.take(kind, &call);
        }
        // Calls before the first pending one are never replayed again.
        while self
            .log
            .front()
            .is_some_and(|(_, it)| !it.facts.is_pending())
        {
            self.log.pop_front();
        }
    }
}

/// A call's roles in a bucket, under an assumption about unrecorded data.
pub(super) fn role(
    kind: RuleKind,
    facts: &CallFacts,
    bucket: Bucket,
    assumption: Assumption,
) -> Role {
    let is_activation = facts.activation.under(assumption, kind.wants_activations());
    let is_target = facts.target.under(assumption, kind.wants_targets());
    // True if one side of the call agrees with the bucket's activations; `None` if unknown.
    let agrees = |value: SharedValue| match (bucket, value) {
        (Bucket::All, _) => Some(true),
        (Bucket::Value(bucket_value), SharedValue::Known(value)) => Some(bucket_value == value),
        (Bucket::Lacking | Bucket::Unseen, SharedValue::Known(_)) | (_, SharedValue::Lacking) => {
            Some(false)
        }
        (Bucket::Lacking, SharedValue::Unknown) => Some(false),
        (Bucket::Unknown, _) | (_, SharedValue::Unknown) => None,
    };
    let agreements = (agrees(facts.value_of_call), agrees(facts.value_of_target));
    let may_be_target = is_target && agreements.1 != Some(false);
    // One assumption per pair of calls. If T is needed, counting this call as a T favors the rule; otherwise the call would count as an
    // activation in between, which is against it.
    let decided = if kind.is_need() {
        assumption.best_arguments == may_be_target
    } else {
        !assumption.best_arguments
    };
    let judged = match bucket {
        Bucket::All => true,
        Bucket::Value(_) => agreements.0 == Some(true),
        Bucket::Unseen => false,
        Bucket::Unknown => facts.value_of_call == SharedValue::Unknown,
        Bucket::Lacking => facts.value_of_call == SharedValue::Lacking,
    };
    Role {
        judged: is_activation && judged,
        between: is_activation && agreements.0.unwrap_or(decided),
        target: may_be_target && agreements.1.unwrap_or(decided),
    }
}

impl Fit {
    /// True if a call certainly fits.
    pub(super) fn is_sure(self) -> bool {
        self == Self::YES
    }
}
