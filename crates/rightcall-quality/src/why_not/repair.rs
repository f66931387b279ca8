//! A change of the expectation that lets the run reach the score.

use std::sync::Arc;

use rightcall_core::call::{Call, Case, Expectation};
use rightcall_core::expectation::{ProcessTree, Repair};
use rightcall_core::{Ask, Evaluator, ExpectedList};

use super::judge::editable;

/// A small repair of the expected calls that lets the run reach the score; `None` if the evaluator doesn't use them, or no repair is found.
pub(super) fn repair(
    evaluator: &Evaluator,
    case: &Case<'_>,
    list: ExpectedList,
    target: f64,
) -> Option<Repair> {
    let run = case.actual.as_ref()?;
    let calls: Vec<_> = run.calls.iter().map(Call::for_expectation).collect();
    let stated = &case.expected;
    let repair = match (&stated.tree, &stated.calls) {
        (Some(tree), _) => tree.repair(&calls).ok()?,
        (None, Some(expected)) if list == ExpectedList::Calls => {
            ProcessTree::from_calls(expected).repair(&calls).ok()?
        }
        _ => return None,
    };
    let tree = ProcessTree::read(repair.expected.as_str()).ok()?;
    let mut repaired = editable(case);
    repaired.expected = Expectation {
        tree: Some(Arc::new(tree)),
        calls: None,
        ..repaired.expected
    };
    let score = evaluator.evaluate(&repaired, Ask::OUTCOME).score()?;
    (score >= target && !repair.changes.is_empty()).then_some(repair)
}
