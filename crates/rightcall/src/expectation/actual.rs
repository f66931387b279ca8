//! The actual calls of a run, as an expectation looks at them.

use crate::call::Call;
use crate::value::{Syntax, Text, Value, decode_with};

use super::tree_reader::read_output;

/// An actual call: its name, and what was recorded of its arguments and its output.
#[derive(Clone, Debug)]
pub(super) struct ActualCall<'c> {
    pub(super) name: Text<'c>,
    pub(super) arguments: Option<Value<'c>>,
    pub(super) output: Option<Value<'c>>,
    /// What a text of the output holds, if it is an object or a list.
    output_inside: Option<Value<'c>>,
}

impl<'c> ActualCall<'c> {
    pub(super) fn new(call: &'c Call<'c>) -> Self {
        let output = call
            .output
            .and_then(|json| decode_with(json, Syntax::PYTHON).ok());
        Self {
            name: call.name.reborrow(),
            arguments: call.arguments.to_value(),
            output_inside: output.as_ref().and_then(read_output),
            output,
        }
    }

    /// The output that is matched.
    pub(super) fn read_output(&self) -> Option<&Value<'c>> {
        self.output_inside.as_ref().or(self.output.as_ref())
    }
}
