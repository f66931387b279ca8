//! The result of a call, from a message.

use rightcall_core::call::Executor;
use rightcall_core::value::Text;
use serde::{Deserialize, Serialize};

use super::arguments::TraceArguments;
use super::call::TraceCall;

/// A result, with the call it claims to answer.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct CallResult {
    pub(crate) id: Option<Text<'static>>,
    pub(crate) name: Option<Text<'static>>,
    /// The arguments of the call, if the result has them.
    pub(crate) arguments: Option<TraceArguments>,
    /// As JSON text.
    pub(crate) output: Option<String>,
    /// As JSON text.
    pub(crate) error: Option<String>,
    /// True if a human refused the call, so that it never ran.
    pub(crate) is_refused: bool,
}

impl CallResult {
    /// Copies the outcome to a call.
    pub(super) fn give_to(self, call: &mut TraceCall) {
        (call.output, call.error) = (self.output, self.error);
        if self.is_refused {
            call.executor = Executor::Nobody;
        }
    }
}
