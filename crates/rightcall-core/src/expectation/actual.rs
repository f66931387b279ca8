//! Actual calls, in the form that expectations match.

use std::sync::OnceLock;

use crate::value::{Syntax, Text, Value, decode_with};

/// An actual call: its name, and its recorded arguments and output.
#[derive(Clone, Debug)]
pub struct ActualCall<'c> {
    pub(super) name: Text<'c>,
    pub(super) arguments: Option<Value<'c>>,
    /// The output as JSON text, to decode; `None` if it was not recorded.
    output: Option<&'c str>,
    /// Decoded on first use: most expectations demand no output.
    decoded: OnceLock<Option<DecodedOutput<'c>>>,
}

/// An output that can be decoded.
#[derive(Clone, Debug)]
struct DecodedOutput<'c> {
    value: Value<'c>,
    /// If the output is a string: the object or list in it.
    inside: Option<Value<'static>>,
}

impl<'c> ActualCall<'c> {
    /// A call with its arguments, and its output as JSON text; `None` for a part that was not recorded.
    pub fn new(name: Text<'c>, arguments: Option<Value<'c>>, output: Option<&'c str>) -> Self {
        Self {
            name,
            arguments,
            output,
            decoded: OnceLock::new(),
        }
    }

    /// The same call, owned.
    pub fn into_owned(self) -> ActualCall<'static> {
        let output = self.decoded_output().cloned();
        let output = output.map(|DecodedOutput { value, inside }| DecodedOutput {
            value: value.into_owned(),
            inside,
        });
        ActualCall {
            name: self.name.into_owned(),
            arguments: self.arguments.map(Value::into_owned),
            output: None,
            decoded: OnceLock::from(output),
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
    pub(super) fn output(&self) -> Option<&Value<'c>> {
        self.decoded_output().map(|output| &output.value)
    }

    /// The output to match.
    pub(crate) fn read_output(&self) -> Option<&Value<'c>> {
        let output = self.decoded_output()?;
        Some(output.inside.as_ref().unwrap_or(&output.value))
    }

    fn decoded_output(&self) -> Option<&DecodedOutput<'c>> {
        let decode = || {
            let value = decode_with(self.output?, Syntax::PYTHON).ok()?;
            let inside = read_output(&value);
            Some(DecodedOutput { value, inside })
        };
        self.decoded.get_or_init(decode).as_ref()
    }
}

/// Decodes a string that is a whole JSON object or list; `None` for any other value.
pub(super) fn read_output(value: &Value<'_>) -> Option<Value<'static>> {
    let text = value.as_text()?.as_str()?;
    let read = decode_with(text, Syntax::PYTHON).ok()?;
    matches!(read, Value::List(_) | Value::Object(_)).then(|| read.into_owned())
}
