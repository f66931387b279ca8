//! A case, made ready for several evaluators.

use std::borrow::Cow;
use std::ops::Deref;

use crate::call::{Call, Case};
use crate::matching::{Interner, Item, sanitise};

/// A case with what every evaluator needs of it, made once: its calls as they are matched, their names numbered.
///
/// It borrows the case, so neither can change while it lives.
///
/// ```
/// use rightcall::call::{Call, Case, Expectation, Trajectory};
/// use rightcall::{Ask, Evaluator, PreparedCase};
///
/// let call = Call { name: "find_order".into(), ..Call::default() };
/// let case = Case {
///     expected: Expectation::of_calls(vec![call.clone()]),
///     actual: Some(Trajectory { calls: vec![call], ..Trajectory::default() }),
///     ..Case::default()
/// };
/// let prepared = PreparedCase::new(&case);
/// for id in ["uipath/tool-call-order", "axion/tool-correctness"] {
///     let evaluator = Evaluator::new(id, "{}", None)?;
///     assert_eq!(evaluator.evaluate_prepared(&prepared, Ask::OUTCOME).score(), Some(1.0));
/// }
/// # Ok::<(), rightcall::ConfigError>(())
/// ```
#[derive(Debug)]
pub struct PreparedCase<'c> {
    case: &'c Case<'c>,
    /// The expected calls; none if the case states none.
    pub(crate) expected_items: Vec<Item<'c>>,
    /// The actual calls; none if there is no run.
    pub(crate) actual_items: Vec<Item<'c>>,
}

impl<'c> PreparedCase<'c> {
    /// Prepares a case.
    pub fn new(case: &'c Case<'c>) -> Self {
        let expected = case.expected.calls.as_deref().unwrap_or_default();
        let actual = case.actual.as_ref().map(|run| run.calls.as_slice()).unwrap_or_default();
        let mut names = Interner::new(case.hash_key, expected.len() + actual.len());
        // By number.
        let mut are_safe = Vec::with_capacity(expected.len().min(32));
        let mut items = |calls: &'c [Call<'c>]| {
            let item = |call: &'c Call<'c>| {
                let number = names.intern(call.name.as_bytes());
                if number as usize == are_safe.len() {
                    are_safe.push(matches!(sanitise(&call.name), Cow::Borrowed(_)));
                }
                Item::numbered(call, number, are_safe[number as usize])
            };
            calls.iter().map(item).collect()
        };
        Self { case, expected_items: items(expected), actual_items: items(actual) }
    }
}

impl<'c> Deref for PreparedCase<'c> {
    type Target = Case<'c>;

    fn deref(&self) -> &Case<'c> {
        self.case
    }
}
