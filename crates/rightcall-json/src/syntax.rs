//! The accepted JSON syntax, and its errors.

use std::fmt;
use std::ops::Deref;

use rightcall_python_values::Integer;

/// The deepest nesting that is read. Deeper input is an error, so no input can exhaust the stack.
pub const MAX_DEPTH: usize = 512;

/// The extensions accepted beyond strict JSON, and the maximum depth.
#[derive(Clone, Copy, Debug)]
pub struct Syntax {
    /// `NaN`, `Infinity` and `-Infinity` are numbers, as Python writes and reads them.
    pub non_finite: bool,
    /// Control characters below U+0020 are allowed in strings.
    pub control_characters: bool,
    /// Maximum nesting depth, at most [`MAX_DEPTH`].
    pub max_depth: usize,
}

impl Syntax {
    /// RFC 8259.
    pub const JSON: Self = Self {
        non_finite: false,
        control_characters: false,
        max_depth: MAX_DEPTH,
    };
    /// The syntax that Python's `json` module reads.
    pub const PYTHON: Self = Self {
        non_finite: true,
        ..Self::JSON
    };
}

/// The location and the reason of a syntax error. Boxed, to keep results on the hot path small.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {}, found {}", self.0.expected, self.0.found)]
pub struct SyntaxError(Box<Misfit>);

/// The contents of a [`SyntaxError`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// Byte offset into the text.
    pub offset: usize,
    /// The expected content.
    pub expected: &'static str,
    /// The content found, in a few words.
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

/// The kind of the next value.
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
    /// Without a point or an exponent.
    Integer(Integer),
    /// Any other.
    Float(f64),
}

pub(crate) type Result<T> = std::result::Result<T, SyntaxError>;
