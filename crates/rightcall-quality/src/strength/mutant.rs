//! A broken run, made of kept and new calls.

use rightcall_core::call::Call;

use super::SubjectRun;
use super::act::act_of_run;
use super::change::Change;
use super::subject_run::NewCall;

/// A broken run.
#[derive(Debug)]
pub(crate) struct Mutant<'c> {
    steps: Vec<Step<'c>>,
    pub(crate) change: Change,
}

/// A call of a broken run.
#[derive(Debug)]
pub(crate) enum Step<'c> {
    /// A call of the run, by its index.
    Kept(usize),
    New(NewCall<'c>),
}

impl<'c> Mutant<'c> {
    /// Keeps only the first calls.
    pub(crate) fn keeping(calls: usize, change: Change) -> Self {
        Self {
            steps: (0..calls).map(Step::Kept).collect(),
            change,
        }
    }

    /// Replaces a call.
    pub(crate) fn replacing(
        run: &SubjectRun<'c>,
        at: usize,
        call: NewCall<'c>,
        change: Change,
    ) -> Self {
        let mut mutant = Self::keeping(run.calls.len(), change);
        mutant.steps[at] = Step::New(call);
        mutant
    }

    /// Replaces the value of an argument; `None` if the call recorded no object.
    pub(crate) fn with_value(
        run: &SubjectRun<'c>,
        (at, member): (usize, usize),
        what: &str,
        after: String,
    ) -> Option<Self> {
        let call = &run.calls[at];
        let mut members = call.members.clone()?;
        let changed = &mut members[member];
        let change = Change::value(call, &changed.name(), what, &changed.json, &after);
        changed.json = after;
        Some(Self::replacing(
            run,
            at,
            call.with_members(&members),
            change,
        ))
    }

    /// A call without one of its arguments.
    pub(crate) fn without_argument(
        run: &SubjectRun<'c>,
        (at, member): (usize, usize),
        name: &str,
    ) -> Self {
        let call = &run.calls[at];
        let change = Change::argument(call, name, "is left out");
        Self::replacing(run, at, call.without(member), change)
    }

    /// All calls but one.
    pub(crate) fn dropping(run: &SubjectRun<'c>, at: usize, change: Change) -> Self {
        let mut mutant = Self::keeping(run.calls.len(), change);
        mutant.steps.remove(at);
        mutant
    }

    /// Inserts calls before an index.
    pub(crate) fn inserting(
        run: &SubjectRun<'c>,
        at: usize,
        steps: Vec<Step<'c>>,
        change: Change,
    ) -> Self {
        let mut mutant = Self::keeping(run.calls.len(), change);
        mutant.steps.splice(at..at, steps);
        mutant
    }

    /// The hash of the broken run's effect.
    pub(crate) fn act(&self, run: &SubjectRun<'c>) -> u128 {
        act_of_run(self.steps.iter().map(|step| match step {
            Step::Kept(at) => (run.calls[*at].act, run.calls[*at].call),
            Step::New(new) => (new.act, &new.call),
        }))
    }

    /// The calls, with the new indices of enclosing calls. Without its enclosing call, an inner call is the agent's own.
    pub(crate) fn to_calls(&self, run: &SubjectRun<'c>) -> Vec<Call<'c>> {
        let has_parents = run
            .calls
            .iter()
            .any(|it| it.call.metadata().parent.is_some());
        let mut calls: Vec<_> = self
            .steps
            .iter()
            .map(|step| match step {
                Step::Kept(at) => run.calls[*at].call.clone(),
                Step::New(new) => new.call.clone(),
            })
            .collect();
        if has_parents {
            let place_of = |parent: u32| {
                let is_parent = |step: &Step<'_>| match step {
                    Step::Kept(at) => *at == parent as usize,
                    Step::New(new) => new.replaces == Some(parent as usize),
                };
                self.steps
                    .iter()
                    .position(is_parent)
                    .map(|place| place as u32)
            };
            for call in calls.iter_mut().filter(|it| it.metadata().parent.is_some()) {
                let metadata = call.metadata_mut();
                metadata.parent = metadata.parent.and_then(place_of);
            }
        }
        calls
    }
}
