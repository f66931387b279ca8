//! A row of a batch: a completion and its expectation.

use rightcall_core::call::{Call, Case};
use rightcall_formats::CaseError;

use super::credit::RewardParts;
use rightcall_formats::Completion;

/// A completion and its expectation.
#[derive(Clone, Debug)]
pub struct RewardRow<'r> {
    /// The text or messages of the model.
    pub completion: Completion<'r>,
    /// `None` for a row without an expectation.
    pub expected: Option<RowExpectation<'r>>,
}

/// The expectation of a row.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "most rows have a case")]
pub enum RowExpectation<'r> {
    /// `expected` of a case, as JSON text.
    Json(&'r str),
    /// That of a case with the expected calls, and without a run.
    Case(Case<'r>),
}

impl<'r> From<&'r str> for RowExpectation<'r> {
    fn from(json: &'r str) -> Self {
        Self::Json(json)
    }
}

/// The reward of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RowReward {
    /// The reward; `None` for a row without an expectation, or one that the metric does not apply to.
    pub reward: Option<f64>,
    /// The parts; `None` if the expectation has no list of calls.
    pub parts: Option<RewardParts>,
}

/// The calls that a resolved case expects; `None` if it has no list of calls.
pub(super) fn expected_calls<'c>(
    case: &'c Case<'_>,
) -> Result<Option<&'c [Call<'c>]>, ExpectationFault> {
    if let Some(Err(error)) = case.expected.resolution {
        return Err(ExpectationFault::Unresolved(error.to_string()));
    }
    Ok(case.expected.calls.as_deref())
}

/// Why the expectation of a row is invalid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ExpectationFault {
    /// It cannot be parsed.
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
