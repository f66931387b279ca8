//! Errors of a monitor.

/// An event that isn't possible in a run, or an invalid snapshot.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MonitorError {
    /// A result for an unknown call.
    #[error(
        "there is no call {call}: the run has {observed} so far, and a result belongs to a recorded call"
    )]
    UnknownCall {
        /// The given number.
        call: usize,
        /// Number of observed calls.
        observed: usize,
    },
    /// A second result for the same call.
    #[error("call {call} has a result already: each call has one")]
    SecondResult {
        /// The call's number.
        call: usize,
    },
    /// An event after the end of the run.
    #[error("the run is finished: make a new guard for the next run")]
    Finished,
    /// A recorded field of a call is not JSON.
    #[error("`{field}` is not JSON: {message}")]
    NotJson {
        /// The field's name.
        field: &'static str,
        /// The parse error.
        message: String,
    },
    /// The text is not a snapshot.
    #[error("not a snapshot of a guard: {0}")]
    NotASnapshot(String),
}
