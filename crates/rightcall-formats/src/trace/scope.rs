//! What every reader of traces is told.

use rightcall::value::MAX_DEPTH;

use super::choices::Choices;
use super::join::Join;
use super::record::Trace;
use crate::error::CaseError;
use crate::node::Node;

/// What every reader of traces is told.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scope {
    pub(crate) choices: Choices,
    pub(crate) max_depth: usize,
    /// How runs are joined with cases; readers keep what that needs where they would leave it out.
    pub(crate) join: Join,
    /// Whether the questions of spans are read.
    pub(crate) questions: bool,
    /// What reads messages or spans inside of a record of any other format.
    pub(crate) messages: Option<ReadsMessages>,
}

/// Reads a run in any format of traces.
pub(crate) type ReadsMessages = fn(&Node<'_>, Scope) -> Result<Trace, CaseError>;

impl Default for Scope {
    fn default() -> Self {
        Self {
            choices: Choices::default(),
            max_depth: MAX_DEPTH,
            join: Join::Id,
            questions: true,
            messages: None,
        }
    }
}
