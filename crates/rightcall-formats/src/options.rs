//! How to read records, and their maximum sizes.

use rightcall_core::call::Case;
use rightcall_core::value::{HashKey, MAX_DEPTH, Text};

use crate::format::Format;
use crate::trace::parts::id_of_part;
use crate::trace::{Choices, Join};

/// How to convert a record to a case.
#[derive(Clone, Copy, Debug)]
pub struct ReadOptions {
    /// The format; `None` to detect it.
    pub format: Option<&'static Format>,
    /// Formats of maps, detected like any other.
    pub maps: &'static [&'static Format],
    /// How to read traces if there are several reasonable ways.
    pub choices: Choices,
    /// The maximum nesting depth, at most [`MAX_DEPTH`].
    pub max_depth: usize,
    /// The key for the hashes of arguments.
    pub hash_key: HashKey,
    /// How to join runs with cases.
    pub join: Join,
    /// True to also read questions that require a look at each span. Otherwise traces of spans have none.
    pub questions: bool,
    /// True if more records of the input may follow, so that it is no error if a map has not found something yet.
    pub is_growing: bool,
    /// The maximum number of argument pairs that an evaluator compares per case; `None` for the default.
    pub max_comparisons: Option<u64>,
}

impl ReadOptions {
    /// The same options, for a text that may be in any format.
    #[must_use]
    pub fn of_any_format(&self) -> Self {
        Self {
            format: None,
            ..*self
        }
    }

    /// The id of a run in this file, for joining it with its case. For an agent, node or turn, its name is appended to the id of the run.
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

    /// The id of the whole run that this run is a part of.
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

    /// The agent, node or turn of a run, if runs are divided.
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
            is_growing: false,
            max_comparisons: None,
        }
    }
}

/// Limits on the memory that an input may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The maximum line length, in bytes.
    pub max_line: usize,
    /// The maximum nesting depth.
    pub max_depth: usize,
    /// The maximum size of a document that is not JSON Lines, and of anything else read as a whole, in bytes.
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
