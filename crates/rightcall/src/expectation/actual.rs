//! The actual calls of a run, as an expectation looks at them.

use crate::value::{Syntax, Text, Value, decode_with};

/// An actual call: its name, and what was recorded of its arguments and its output.
#[derive(Clone, Debug)]
pub struct ActualCall<'c> {
    pub(super) name: Text<'c>,
    pub(super) arguments: Option<Value<'c>>,
    pub(super) output: Option<Value<'c>>,
    /// What a text of the output holds, if it is an object or a list.
    output_inside: Option<Value<'c>>,
}

impl<'c> ActualCall<'c> {
    /// A call with its arguments, and its output as JSON text; `None` for what was not recorded.
    pub fn new(name: Text<'c>, arguments: Option<Value<'c>>, output: Option<&'c str>) -> Self {
        let output = output.and_then(|json| decode_with(json, Syntax::PYTHON).ok());
        Self {
            name,
            arguments,
            output_inside: output.as_ref().and_then(read_output),
            output,
        }
    }

    /// The same, independent of the text it was read from.
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

    /// The output that is matched.
    pub(crate) fn read_output(&self) -> Option<&Value<'c>> {
        self.output_inside.as_ref().or(self.output.as_ref())
    }
}

/// A text whose whole is a JSON object or list is read; any other value stays as it is.
pub(super) fn read_output(value: &Value<'_>) -> Option<Value<'static>> {
    let text = value.as_text()?.as_str()?;
    let read = decode_with(text, Syntax::PYTHON).ok()?;
    matches!(read, Value::List(_) | Value::Object(_)).then(|| read.into_owned())
}
