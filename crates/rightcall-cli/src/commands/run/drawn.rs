//! Extracts data from cases without judging them.

use rightcall_core::call::Case;
use rightcall_run::{Plan, each_case};

use crate::messages::Trouble;
use crate::problems::ProblemCounter;

/// The results of [`drawn_cases`], in the order of the cases.
pub(super) struct DrawnCases<T> {
    pub(super) cases: Vec<T>,
    /// The number of cases without a result.
    pub(super) without: u64,
}

/// Applies a function to each case that a plan reads and selects.
pub(super) fn drawn_cases<T>(
    plan: &Plan,
    mut draw: impl FnMut(&Case<'_>) -> Option<T>,
) -> Result<DrawnCases<T>, Trouble> {
    let mut drawn = DrawnCases {
        cases: Vec::new(),
        without: 0,
    };
    let mut problems = ProblemCounter::default();
    each_case(plan, &mut problems, &mut |case| match draw(case) {
        Some(made) => drawn.cases.push(made),
        None => drawn.without += 1,
    })?;
    problems.finish();
    Ok(drawn)
}
