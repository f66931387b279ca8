//! Events that no run has.

/// An event in a wrong order, or a snapshot that is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MonitorError {
    /// A result of a call that was not observed.
    #[error(
        "call {call} was not observed; {observed} calls were: observe a call before its result"
    )]
    UnknownCall {
        /// The number that was given.
        call: usize,
        /// How many calls were observed.
        observed: usize,
    },
    /// A second result of one call.
    #[error("call {call} has a result already: each call has one")]
    SecondResult {
        /// The number of the call.
        call: usize,
    },
    /// An event after the end.
    #[error("the run is finished: make a new monitor for the next run")]
    Finished,
    /// What was recorded of a call is not JSON.
    #[error("`{field}` is not JSON: {message}")]
    NotJson {
        /// What was given.
        field: &'static str,
        /// What is wrong with it.
        message: String,
    },
    /// A text that is no snapshot.
    #[error("not a snapshot of a monitor: {0}")]
    NotASnapshot(String),
}
