//! What is JSON, and where a text is not.

use std::fmt;
use std::ops::Deref;

use rightcall_python_values::Integer;

/// The deepest nesting that is read; deeper input is an error, so that no input can exhaust the stack.
pub const MAX_DEPTH: usize = 512;

/// What is accepted beyond strict JSON, and how deep.
#[derive(Clone, Copy, Debug)]
pub struct Syntax {
    /// `NaN`, `Infinity` and `-Infinity` are numbers, as Python writes and reads them.
    pub non_finite: bool,
    /// Characters below U+0020 may stand in strings.
    pub control_characters: bool,
    /// Nesting up to this depth, itself at most [`MAX_DEPTH`].
    pub max_depth: usize,
}

impl Syntax {
    /// RFC 8259.
    pub const JSON: Self = Self {
        non_finite: false,
        control_characters: false,
        max_depth: MAX_DEPTH,
    };
    /// What Python's `json` module reads.
    pub const PYTHON: Self = Self {
        non_finite: true,
        ..Self::JSON
    };
}

/// Where and why a text is not JSON. Boxed: results of the hot path stay small.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {}, found {}", self.0.expected, self.0.found)]
pub struct SyntaxError(Box<Misfit>);

/// What a [`SyntaxError`] tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// Byte offset into the text.
    pub offset: usize,
    /// What could have stood there.
    pub expected: &'static str,
    /// What stood there, in a few words.
    pub found: String,
}

impl SyntaxError {
    #[cold]
    pub(crate) fn new(offset: usize, expected: &'static str, found: String) -> Self {
        Self(Box::new(Misfit {
            offset,
            expected,
            found,
        }))
    }
}

impl Deref for SyntaxError {
    type Target = Misfit;

    fn deref(&self) -> &Misfit {
        &self.0
    }
}

/// What kind of value comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool,
    /// A number.
    Number,
    /// A string.
    String,
    /// A list.
    List,
    /// An object.
    Object,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Null => "null",
            Self::Bool => "a boolean",
            Self::Number => "a number",
            Self::String => "a string",
            Self::List => "a list",
            Self::Object => "an object",
        })
    }
}

/// A number as it was written.
#[derive(Clone, Debug, PartialEq)]
pub enum JsonNumber {
    /// Without point and exponent.
    Integer(Integer),
    /// Any other.
    Float(f64),
}

pub(crate) type Result<T> = std::result::Result<T, SyntaxError>;
