//! Errors in suites.

use std::path::Path;

use rightcall_core::value::pointer::escaped;
use rightcall_formats::yaml::{Yaml, YamlError, YamlNode};

/// An error in a suite, with its location.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}{}: {message}", line.map_or_else(String::new, |line| format!(":{line}")), Spaced(pointer))]
pub struct SuiteError {
    /// The path of the suite as the user wrote it; empty until it is known.
    pub file: String,
    /// The line, from 1; `None` for the whole file.
    pub line: Option<u64>,
    /// The location in the suite as an RFC 6901 pointer; empty for the whole suite.
    pub pointer: String,
    /// The message.
    pub message: String,
    /// Suggests what to do.
    pub help: Option<String>,
}

/// An optional text, with a space before it if it is not empty.
pub(super) struct Spaced<'t>(pub(super) &'t str);

impl std::fmt::Display for Spaced<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0.is_empty() {
            Ok(())
        } else {
            write!(f, " {}", self.0)
        }
    }
}

pub(super) type Checked<T> = Result<T, SuiteError>;

impl SuiteError {
    pub(super) fn at(line: u64, message: impl Into<String>) -> Self {
        Self {
            line: Some(line),
            ..Self::of_file(message)
        }
    }

    /// An error about the whole file.
    pub(super) fn of_file(message: impl Into<String>) -> Self {
        Self {
            file: String::new(),
            line: None,
            pointer: String::new(),
            message: message.into(),
            help: None,
        }
    }

    /// An error for a value of the wrong type.
    pub(super) fn expected(node: &YamlNode, expected: &str) -> Self {
        let found = match &node.value {
            Yaml::List(items) if items.is_empty() => "an empty list".to_owned(),
            Yaml::Map(members) if members.is_empty() => "an empty object".to_owned(),
            _ => node.describe(),
        };
        Self::at(node.line, format!("expected {expected}, found {found}"))
    }

    /// Appends to the message.
    pub(super) fn and(mut self, more: &str) -> Self {
        self.message.push_str(more);
        self
    }

    pub(super) fn help(self, help: impl Into<String>) -> Self {
        Self {
            help: Some(help.into()),
            ..self
        }
    }

    /// Adds the path of the suite.
    pub(super) fn in_file(self, path: &Path) -> Self {
        Self {
            file: path.display().to_string(),
            ..self
        }
    }

    pub(super) fn under(mut self, step: &str) -> Self {
        self.pointer = format!("/{}{}", escaped(step), self.pointer);
        self
    }
}

impl From<YamlError> for SuiteError {
    fn from(error: YamlError) -> Self {
        Self::at(
            error.line,
            format!("expected {}, found {}", error.expected, error.found),
        )
        .help(error.help)
    }
}

/// Maps each of these nodes; an error names the index of the node.
pub(super) fn each<T>(
    nodes: &[YamlNode],
    make: impl Fn(&YamlNode) -> Checked<T>,
) -> Checked<Vec<T>> {
    let made = nodes
        .iter()
        .enumerate()
        .map(|(number, node)| make(node).map_err(|fault| fault.under(&number.to_string())));
    made.collect()
}
