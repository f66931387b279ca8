//! What could not be read, where it stands, and what to do about it.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// A record that is no case: where in it, what was expected there, what was found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{pointer}{}expected {expected}, found {found}", if pointer.is_empty() { "" } else { ": " })]
pub struct CaseError {
    /// The place in the record, an RFC 6901 pointer; empty for the whole of it.
    pub pointer: String,
    /// What could have stood there.
    pub expected: Cow<'static, str>,
    /// What stood there, in a few words.
    pub found: String,
    /// What the user can do.
    pub help: Option<Cow<'static, str>>,
}

impl CaseError {
    /// What could have stood in a record, and what stood there.
    pub(crate) fn new(expected: impl Into<Cow<'static, str>>, found: impl Into<String>) -> Self {
        Self {
            pointer: String::new(),
            expected: expected.into(),
            found: found.into(),
            help: None,
        }
    }

    /// The same with what the user can do.
    pub(crate) fn help(self, help: impl Into<Cow<'static, str>>) -> Self {
        Self {
            help: Some(help.into()),
            ..self
        }
    }

    /// The error with its place, a line or the whole file.
    pub fn at(self, file: &Arc<str>, line: Option<u64>) -> ReadError {
        let at = Location {
            file: Arc::clone(file),
            line,
            pointer: self.pointer,
        };
        ReadError {
            at,
            expected: self.expected,
            found: self.found.into(),
            help: self.help,
        }
    }
}

/// A place in an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The file as the user named it.
    pub file: Arc<str>,
    /// The line, from 1; `None` where the whole file is meant.
    pub line: Option<u64>,
    /// The place in the record, an RFC 6901 pointer; empty for the whole of it.
    pub pointer: String,
}

impl Location {
    /// A record as a whole, by the line on which it starts.
    pub fn on_line(file: &Arc<str>, line: u64) -> Self {
        Self {
            file: Arc::clone(file),
            line: Some(line),
            pointer: String::new(),
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if self.pointer.is_empty() {
            Ok(())
        } else {
            write!(f, " {}", self.pointer)
        }
    }
}

/// What could not be read in an input.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{at}: expected {expected}, found {found}")]
pub struct ReadError {
    /// Where.
    pub at: Location,
    /// What could have stood there.
    pub expected: Cow<'static, str>,
    /// What stood there, in a few words.
    pub found: Box<str>,
    /// What the user can do.
    pub help: Option<Cow<'static, str>>,
}

/// An input that cannot be opened.
#[derive(Debug, thiserror::Error)]
#[error("{}: {reason}", path.display())]
pub struct OpenError {
    /// The input as the user named it.
    pub path: PathBuf,
    /// Why not.
    pub reason: Cow<'static, str>,
    /// What the user can do.
    pub help: Option<Cow<'static, str>>,
    /// The error of the operating system.
    #[source]
    pub cause: Option<std::io::Error>,
}
