//! A row of a batch: what a model wrote, and what was expected of it.

use rightcall::call::{Call, Case};
use rightcall_formats::{CaseError, ReadOptions, read_case};

use super::credit::RewardParts;
use rightcall_formats::Completion;

/// A completion and its expectation.
#[derive(Clone, Debug)]
pub struct RewardRow<'r> {
    /// What the model wrote.
    pub completion: Completion<'r>,
    /// `expected` of a case, as JSON text; `None` for a row without expectation.
    pub expected: Option<&'r str>,
}

/// What a row earns.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RowReward {
    /// The reward; `None` for a row without expectation, or one that the metric does not apply to.
    pub reward: Option<f64>,
    /// The parts; `None` where no calls are expected one by one.
    pub parts: Option<RewardParts>,
}

/// Lends the case of an expectation, without a run.
pub(super) fn with_case<T>(
    expected: &str,
    options: &ReadOptions,
    look: impl FnOnce(&Case<'_>) -> Result<T, ExpectationFault>,
) -> Result<T, ExpectationFault> {
    let text = format!("{{\"expected\":{expected}}}");
    look(&read_case(&text, options)?)
}

/// The calls that a resolved case expects; `None` if it states none.
pub(super) fn expected_calls<'c>(
    case: &'c Case<'_>,
) -> Result<Option<&'c [Call<'c>]>, ExpectationFault> {
    if let Some(Err(error)) = case.expected.resolution {
        return Err(ExpectationFault::Unresolved(error.to_string()));
    }
    Ok(case.expected.calls.as_deref())
}

/// What is wrong with the expectation of a row.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ExpectationFault {
    /// It cannot be read.
    #[error(transparent)]
    Unreadable(#[from] CaseError),
    /// It has no nearest accepted run.
    #[error("expected an expectation that can be resolved: {0}")]
    Unresolved(String),
    /// The metric needs expected calls.
    #[error(
        "expected calls, found an expectation without calls; write `[]` if no call is expected, `None` for a row that is not scored"
    )]
    WithoutCalls,
}
