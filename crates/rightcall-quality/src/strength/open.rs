//! Whether the expectation itself accepts a broken run, regardless of the evaluators.

use rightcall_core::call::{Call, Case};
use rightcall_core::expectation::{ActualCall, ProcessTree};

/// Measures the distance of runs from the expectation of a case.
#[derive(Debug)]
pub(crate) struct ExpectationDistance {
    /// The expected calls, if they are a plain list or names in order.
    plain: Option<ProcessTree>,
    /// True if an expected call of a plain list states its output. If none does, outputs, which may
    /// be long, are not parsed.
    with_outputs: bool,
    /// The cost of the unbroken run; `None` if no calls are expected or the cost is unknown.
    unbroken: Option<u64>,
}

impl ExpectationDistance {
    /// The distance from the expectation of a resolved case.
    pub(crate) fn new(case: &Case<'_>) -> Self {
        let plain = match &case.expected.tree {
            Some(_) => None,
            None => plain_tree(case),
        };
        let mut expected = case.expected.calls.iter().flatten();
        let mut distance = Self {
            plain,
            with_outputs: expected.any(|it| it.metadata().output.is_some()),
            unbroken: None,
        };
        distance.unbroken = distance.cost(case);
        distance
    }

    /// True if the broken run is no farther from the expectation than the unbroken one: the expectation leaves the change open. Also
    /// true if it states no calls.
    pub(crate) fn is_open(&self, broken: &Case<'_>) -> bool {
        match self.unbroken {
            None => true,
            Some(unbroken) => self.cost(broken).is_some_and(|cost| cost <= unbroken),
        }
    }

    fn cost(&self, case: &Case<'_>) -> Option<u64> {
        if let Some(resolution) = case.expected.resolution {
            return resolution.as_ref().ok().map(|it| it.cost);
        }
        let run = case.actual.as_ref()?;
        let for_expectation = if self.with_outputs {
            Call::for_expectation
        } else {
            without_output
        };
        let calls: Vec<_> = run.calls.iter().map(for_expectation).collect();
        self.plain.as_ref()?.resolve(&calls).ok().map(|it| it.cost)
    }
}

fn without_output<'c>(call: &'c Call<'_>) -> ActualCall<'c> {
    ActualCall::new(call.name.reborrow(), call.arguments.to_value(), None)
}

/// The tree that accepts exactly a plain list of calls or names.
fn plain_tree(case: &Case<'_>) -> Option<ProcessTree> {
    match (&case.expected.calls, &case.expected.order) {
        (Some(calls), _) => Some(ProcessTree::from_calls(calls)),
        (None, Some(names)) => Some(ProcessTree::from_names(names)),
        (None, None) => None,
    }
}
