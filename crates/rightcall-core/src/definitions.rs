//! The definitions of an agent's tools, which settings name.
//!
//! The core reads no file and has no validator for JSON Schema: another crate contains both and registers them once at startup.

use std::fmt;
use std::sync::{Arc, OnceLock};

use serde::Serialize;

use crate::settings::{ConfigError, Settings};
use crate::value::{JsonText, Value};

/// The definitions of an agent's tools.
pub trait ToolDefinitions: fmt::Debug + Send + Sync {
    /// True if the schema of this tool is known.
    fn has_schema(&self, tool: &str) -> bool;

    /// The parts of arguments, a JSON text, that the schema of a tool forbids; empty if it allows them or is unknown.
    fn violations(&self, tool: &str, arguments: &str) -> Vec<ArgumentViolation>;

    /// The tools that change something, by their hints; `None` if no tool has a hint.
    fn changing(&self) -> Option<Vec<String>>;
}

/// A part of a call's arguments that the schema of the tool forbids.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ArgumentViolation {
    /// The RFC 6901 pointer within the arguments, empty for all of them.
    pub pointer: String,
    /// The violation: `arguments.amount is "7", the schema asks for a number`.
    pub sentence: String,
}

/// The location of definitions, in any published form.
#[derive(Clone, Copy, Debug)]
pub enum ToolSource<'s> {
    /// The path of a file.
    File(&'s str),
    /// The tools themselves, as JSON text.
    Json(&'s str),
}

/// Why the definitions in a source can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{found}")]
pub struct ToolSourceError {
    /// The content of the source: `tools.json, no such file`.
    pub found: String,
}

/// Reads the definitions in a source.
pub type ToolDefinitionReader =
    fn(ToolSource<'_>) -> Result<Arc<dyn ToolDefinitions>, ToolSourceError>;

static READER: OnceLock<ToolDefinitionReader> = OnceLock::new();

/// Makes all evaluators and monitors read definitions this way. Only the first call has an effect.
pub fn use_tool_definition_reader(reader: ToolDefinitionReader) {
    _ = READER.set(reader);
}

/// The definitions in a setting: a file, or the tools in place.
pub(crate) fn definitions(
    settings: &Settings<'_>,
    name: &str,
) -> Result<Option<Arc<dyn ToolDefinitions>>, ConfigError> {
    let expected = || "a file of tools, or a list or object that holds them".to_owned();
    let read = |source: ToolSource<'_>| {
        let reader = READER.get().ok_or_else(|| {
            settings.conflict(format!(
                "`{name}` is not available here: this build does not read definitions of tools; leave it out"
            ))
        })?;
        let tools = reader(source);
        let tools = tools.map_err(|error| settings.bad_because(name, expected(), error.found));
        tools.map(Some)
    };
    match settings.value(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(path)) if !path.is_empty() => read(ToolSource::File(&path.to_display())),
        Some(tools @ (Value::List(_) | Value::Object(_))) => {
            read(ToolSource::Json(JsonText::from_value(tools).as_str()))
        }
        Some(other) => Err(settings.bad(name, expected(), other)),
    }
}

#[cfg(test)]
mod tests {
    use crate::Evaluator;

    #[test]
    fn without_a_reader_definitions_are_an_error() {
        for (id, settings, name) in [
            ("constraints", r#"{"schema": []}"#, "schema"),
            (
                "trajectory",
                r#"{"weigh": {"effects": 2, "hints": []}}"#,
                "hints",
            ),
        ] {
            assert_eq!(
                Evaluator::new(id, settings, None).unwrap_err().to_string(),
                format!(
                    "{id}: `{name}` is not available here: this build does not read definitions of tools; leave it out"
                )
            );
        }
    }
}
