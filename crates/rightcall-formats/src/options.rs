//! How records are read, and how large they may be.

use rightcall::call::Case;
use rightcall::value::{HashKey, MAX_DEPTH, Text};

use crate::format::Format;
use crate::trace::parts::id_of_part;
use crate::trace::{Choices, Join};

/// How one record becomes a case.
#[derive(Clone, Copy, Debug)]
pub struct ReadOptions {
    /// The format; `None` recognises it.
    pub format: Option<&'static Format>,
    /// Formats of maps that are recognized like any other.
    pub maps: &'static [&'static Format],
    /// How traces are read where opinions differ.
    pub choices: Choices,
    /// Nesting up to this depth, itself at most [`MAX_DEPTH`].
    pub max_depth: usize,
    /// The key under which arguments are hashed.
    pub hash_key: HashKey,
    /// How runs are joined with cases.
    pub join: Join,
    /// Whether questions are read that cost a look at each span; without, traces of spans have none.
    pub questions: bool,
    /// How many pairs of arguments an evaluator may compare in a case; `None` for the default.
    pub max_comparisons: Option<u64>,
}

impl ReadOptions {
    /// The same options for a text that need not be in the format of the input.
    #[must_use]
    pub fn of_any_format(&self) -> Self {
        Self {
            format: None,
            ..*self
        }
    }

    /// What a run in this file is called, by which its case finds it. An agent, a node or a turn goes by its name behind that of
    /// the run.
    pub fn name_of<'a>(&self, run: &Case<'a>, file: &str) -> Option<Text<'a>> {
        let name = self.join.of(run, file)?;
        match self.join {
            Join::Id | Join::Order => Some(name),
            Join::File | Join::Input | Join::Key(_) => Some(match self.part_of(run) {
                Some(part) => id_of_part(&name, &part),
                None => name,
            }),
        }
    }

    /// What the whole run is called that this run is a part of.
    pub(crate) fn name_of_whole<'a>(&self, run: &Case<'a>, file: &str) -> Option<Text<'a>> {
        let name = self.join.of(run, file)?;
        match self.join {
            Join::Order => None,
            Join::File | Join::Input | Join::Key(_) => Some(name),
            Join::Id => match self.part_of(run) {
                None => Some(name),
                Some(part) => {
                    let whole = name.as_str()?.strip_suffix(part.as_str()?)?;
                    Some(Text::from(whole.strip_suffix('/')?.to_owned()))
                }
            },
        }
    }

    /// The agent, node or turn that a run is of, where runs are divided by such.
    fn part_of<'a>(&self, run: &Case<'a>) -> Option<Text<'a>> {
        let key = self.choices.scope.key()?;
        Join::Key(key).of(run, "")
    }
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            format: None,
            maps: &[],
            choices: Choices::default(),
            max_depth: MAX_DEPTH,
            hash_key: HashKey::default(),
            join: Join::Id,
            questions: true,
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
