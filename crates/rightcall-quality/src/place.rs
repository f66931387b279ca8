//! Places of findings.

use std::sync::Arc;

/// Where a finding is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The file as the user named it.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: u64,
    /// The place in the record at that line, as an RFC 6901 pointer; empty for the whole record.
    pub pointer: String,
}
