//! Errors of reading or resolving an expectation or a rule.

use std::borrow::Cow;

use crate::value::pointer::escaped;

/// An error in an expectation or a rule: its location in the JSON, what was expected there, and what was found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{pointer}{}expected {expected}, found {found}", if pointer.is_empty() { "" } else { ": " })]
pub struct ExpectationError {
    /// The location, an RFC 6901 pointer; empty for the whole expectation.
    pub pointer: String,
    /// What was expected there.
    pub expected: Cow<'static, str>,
    /// What was found there, in a few words.
    pub found: String,
    /// What the user can do.
    pub help: Option<Cow<'static, str>>,
}

pub(crate) type Result<T> = std::result::Result<T, ExpectationError>;

impl ExpectationError {
    #[cold]
    pub(crate) fn new(expected: impl Into<Cow<'static, str>>, found: impl Into<String>) -> Self {
        Self {
            pointer: String::new(),
            expected: expected.into(),
            found: found.into(),
            help: None,
        }
    }

    pub(crate) fn help(self, help: impl Into<Cow<'static, str>>) -> Self {
        Self {
            help: Some(help.into()),
            ..self
        }
    }

    pub(crate) fn at(self, pointer: &str) -> Self {
        Self {
            pointer: format!("{pointer}{}", self.pointer),
            ..self
        }
    }
}

/// Prefixes an error's location with a key or an index.
pub(crate) trait Under {
    fn under(self, step: &str) -> Self;
    fn under_item(self, index: usize) -> Self;
}

impl<T> Under for Result<T> {
    fn under(self, step: &str) -> Self {
        self.map_err(|error| error.at(&format!("/{}", escaped(step))))
    }

    fn under_item(self, index: usize) -> Self {
        self.map_err(|error| error.at(&format!("/{index}")))
    }
}
