//! A case that was looked for.

use std::sync::Arc;

/// A case that was looked for.
#[derive(Clone, Debug)]
pub struct FoundCase {
    /// Its id, or `FILE:LINE`.
    pub label: String,
    /// Its trial as JSON text.
    pub trial: Option<String>,
    /// The meta values that tell its run from others of the same id, each with its key; `None` if only one run is meant.
    pub variant: Option<Vec<(String, String)>>,
    /// Its file.
    pub file: Arc<str>,
    /// Its line.
    pub line: u64,
    /// Its record, for [`Plan::look_again`](crate::Plan::look_again).
    pub text: Arc<str>,
    /// Records before its own, where they are counted.
    pub number: u64,
}
