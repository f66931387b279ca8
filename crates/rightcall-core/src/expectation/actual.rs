//! Actual calls, in the form that expectations match.

use crate::value::{Syntax, Text, Value, decode_with};

/// An actual call: its name, and its recorded arguments and output.
#[derive(Clone, Debug)]
pub struct ActualCall<'c> {
    pub(super) name: Text<'c>,
    pub(super) arguments: Option<Value<'c>>,
    pub(super) output: Option<Value<'c>>,
    /// The object or list in an output that is a string.
    output_inside: Option<Value<'c>>,
}

impl<'c> ActualCall<'c> {
    /// A call with its arguments, and its output as JSON text; `None` for a part that was not recorded.
    pub fn new(name: Text<'c>, arguments: Option<Value<'c>>, output: Option<&'c str>) -> Self {
        let output = output.and_then(|json| decode_with(json, Syntax::PYTHON).ok());
        Self::from_values(name, arguments, output)
    }

    /// A call with its arguments and its output; `None` for a part that was not recorded.
    pub fn from_values(
        name: Text<'c>,
        arguments: Option<Value<'c>>,
        output: Option<Value<'c>>,
    ) -> Self {
        Self {
            name,
            arguments,
            output_inside: output.as_ref().and_then(read_output),
            output,
        }
    }

    /// The same call, owned.
    pub fn into_owned(self) -> ActualCall<'static> {
        ActualCall {
            name: self.name.into_owned(),
            arguments: self.arguments.map(Value::into_owned),
            output: self.output.map(Value::into_owned),
            output_inside: self.output_inside.map(Value::into_owned),
        }
    }

    /// The tool's name.
    pub fn name(&self) -> &Text<'c> {
        &self.name
    }

    /// The arguments, if they were recorded.
    pub fn arguments(&self) -> Option<&Value<'c>> {
        self.arguments.as_ref()
    }

    /// The output, if it was recorded.
    pub fn output(&self) -> Option<&Value<'c>> {
        self.output.as_ref()
    }

    /// The output to match.
    pub(crate) fn read_output(&self) -> Option<&Value<'c>> {
        self.output_inside.as_ref().or(self.output.as_ref())
    }
}

/// Decodes a string that is a whole JSON object or list; `None` for any other value.
pub(super) fn read_output(value: &Value<'_>) -> Option<Value<'static>> {
    let text = value.as_text()?.as_str()?;
    let read = decode_with(text, Syntax::PYTHON).ok()?;
    matches!(read, Value::List(_) | Value::Object(_)).then(|| read.into_owned())
}
