//! The result of a search for a case.

use std::sync::Arc;

/// A case that was searched for.
#[derive(Clone, Debug)]
pub struct FoundCase {
    /// Its id, or `FILE:LINE`.
    pub label: String,
    /// Its trial as JSON text.
    pub trial: Option<String>,
    /// The meta values that distinguish its run from others with the same id, each with its key; `None` if only one run was selected.
    pub variant: Option<Vec<(String, String)>>,
    /// Its file.
    pub file: Arc<str>,
    /// Its line.
    pub line: u64,
    /// Its record, for [`Plan::look_again`](crate::Plan::look_again).
    pub text: Arc<str>,
    /// Number of records before it, if they are counted.
    pub number: u64,
}
