//! How records are read, and how large they may be.

use rightcall::value::{HashKey, MAX_DEPTH};

use crate::format::Format;
use crate::trace::{Choices, Join};

/// How one record becomes a case.
#[derive(Clone, Copy, Debug)]
pub struct ReadOptions {
    /// The format; `None` recognises it.
    pub format: Option<&'static Format>,
    /// How traces are read where opinions differ.
    pub choices: Choices,
    /// Nesting up to this depth, itself at most [`MAX_DEPTH`].
    pub max_depth: usize,
    /// The key under which arguments are hashed.
    pub hash_key: HashKey,
    /// By what runs are joined with cases.
    pub join: Join,
    /// How many pairs of arguments an evaluator may compare in a case; `None` for the default.
    pub max_comparisons: Option<u64>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            format: None,
            choices: Choices::default(),
            max_depth: MAX_DEPTH,
            hash_key: HashKey::default(),
            join: Join::Id,
            max_comparisons: None,
        }
    }
}

/// What an input may ask of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The longest line, in bytes.
    pub max_line: usize,
    /// The deepest nesting.
    pub max_depth: usize,
    /// The largest document that is not JSON Lines, in bytes, and anything else that is read as a whole.
    pub max_document: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_line: 64 << 20,
            max_depth: MAX_DEPTH,
            max_document: 1 << 30,
        }
    }
}
