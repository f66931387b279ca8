//! A broken run that the suite did not notice.

use super::Change;

/// A broken run that no judge noticed.
#[derive(Clone, Debug, PartialEq)]
pub struct Survivor {
    /// The name of its case.
    pub label: String,
    /// The trial, as JSON text.
    pub trial: Option<String>,
    /// What was changed.
    pub change: Change,
    /// True if the expectation accepts the broken run as well as the unbroken one.
    pub open: bool,
}
