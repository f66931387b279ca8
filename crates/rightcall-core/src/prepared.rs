//! Prepares a case for several evaluators.

use crate::call::{Call, Case};
use crate::matching::{CaseNames, Interner, Item, Items};

/// A case with data that all evaluators need, computed once: its calls as items, with numbered names.
///
/// It borrows the case, so the case can't change meanwhile.
///
/// ```
/// use rightcall_core::call::{Call, Case, Expectation, Trajectory};
/// use rightcall_core::{Ask, Evaluator, PreparedCase};
///
/// let call = Call { name: "find_order".into(), ..Call::default() };
/// let case = Case {
///     expected: Expectation::from_calls(vec![call.clone()]),
///     actual: Some(Trajectory { calls: vec![call], ..Trajectory::default() }),
///     ..Case::default()
/// };
/// let prepared = PreparedCase::new(&case);
/// for id in ["uipath/tool-call-order", "axion/tool-correctness"] {
///     let evaluator = Evaluator::new(id, "{}", None)?;
///     assert_eq!(evaluator.evaluate_prepared(&prepared, Ask::OUTCOME).score(), Some(1.0));
/// }
/// # Ok::<(), rightcall_core::ConfigError>(())
/// ```
#[derive(Debug)]
pub struct PreparedCase<'c> {
    case: &'c Case<'c>,
    /// The expected calls; empty if the case has none.
    pub(crate) of_expected: Vec<Item<'c>>,
    /// The actual calls; empty if there is no run.
    pub(crate) of_actual: Vec<Item<'c>>,
    names: CaseNames<'c>,
}

impl<'c> PreparedCase<'c> {
    /// Prepares a case.
    pub fn new(case: &'c Case<'c>) -> Self {
        let expected = case.expected.calls.as_deref().unwrap_or_default();
        let actual = case
            .actual
            .as_ref()
            .map(|run| run.calls.as_slice())
            .unwrap_or_default();
        let mut names = Interner::new(case.hash_key, expected.len() + actual.len());
        let mut items = |calls: &'c [Call<'c>]| -> Vec<Item<'c>> {
            let items = calls
                .iter()
                .map(|call| Item::numbered(call, names.intern(call.name.as_bytes())));
            items.collect()
        };
        let (of_expected, of_actual) = (items(expected), items(actual));
        Self {
            case,
            of_expected,
            of_actual,
            names: CaseNames::new(names.into_keys()),
        }
    }

    /// The case.
    pub fn case(&self) -> &'c Case<'c> {
        self.case
    }

    /// The expected calls, for a matcher.
    pub(crate) fn expected_items(&'c self) -> Items<'c> {
        Items::Prepared(&self.of_expected, &self.names)
    }

    /// The actual calls, for a matcher.
    pub(crate) fn actual_items(&'c self) -> Items<'c> {
        Items::Prepared(&self.of_actual, &self.names)
    }
}
