//! Settings for all trace readers.

use rightcall_core::value::MAX_DEPTH;

use super::choices::Choices;
use super::join::Join;
use super::record::Trace;
use crate::error::CaseError;
use crate::node::Node;

/// Settings for all trace readers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scope {
    pub(crate) choices: Choices,
    pub(crate) max_depth: usize,
    /// How runs are joined with cases; readers keep the data needed for it.
    pub(crate) join: Join,
    /// True if the questions of spans are read.
    pub(crate) questions: bool,
    /// True if more records of the input are expected.
    pub(crate) is_growing: bool,
    /// True if other records of the run may have the calls of results without one; these are returned.
    pub(crate) is_part_of_run: bool,
    /// Reads messages or spans inside a record of another format.
    pub(crate) messages: Option<ReadsMessages>,
}

/// Reads a run in any trace format.
pub(crate) type ReadsMessages = fn(&Node<'_>, Scope) -> Result<Trace, CaseError>;

impl Default for Scope {
    fn default() -> Self {
        Self {
            choices: Choices::default(),
            max_depth: MAX_DEPTH,
            join: Join::Id,
            questions: true,
            is_growing: false,
            is_part_of_run: false,
            messages: None,
        }
    }
}
