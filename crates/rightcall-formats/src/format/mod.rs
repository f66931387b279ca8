//! A format: its documentation, how its values are recognized, and how its files become cases.

mod dialect;
mod found;
mod paging;
mod reader;
mod recognition;
mod sides;

use std::borrow::Cow;
use std::fmt;

pub(crate) use dialect::{MessageDialect, Stream};
pub(crate) use found::{FoundTraces, ON_LINE};
pub(crate) use paging::says_more;
pub(crate) use reader::{EachValue, ItemReader, Lists, MappedFormat, TraceReader, ValuePlace};
pub(crate) use recognition::Recognition;
pub(crate) use sides::{CallDialect, Carrier, RecognizedBy, ShapeSides, SideReader, SideRun};

use rightcall_core::{did_you_mean, nearest};

use crate::node::Node;
use crate::trace::Scope;

/// A file format.
pub struct Format {
    /// Its name for the command line.
    pub name: &'static str,
    /// Its display name.
    pub title: &'static str,
    /// The contents of its files, in a few words.
    pub summary: &'static str,
    /// The parts that are read, each with its source fields; for a map, see [`Format::parts_read`].
    pub(crate) reads: &'static [(&'static str, &'static str)],
    /// Data that the format cannot record, or often lacks.
    pub lacks: &'static [&'static str],
    /// The origin of its files, and special rules for reading them, in Markdown.
    pub notes: &'static str,
    /// Usual file extensions.
    pub extensions: &'static [&'static str],
    /// A small, complete file of the format.
    pub example: &'static str,
    /// The group of formats that it is tested with.
    pub(crate) priority: Priority,
    pub(crate) reading: Reading,
}

/// The order in which formats are tested: of several certain formats, the first wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Priority {
    /// The document identifies itself, by a version or by unique keys.
    Document,
    /// Lines of a session log that each identify themselves.
    SessionLog,
    /// A reply with its request, both in any message format.
    Recording,
    /// Spans with the keys of one platform.
    Platform,
    /// Spans with keys that many tools share.
    Spans,
    /// Cases in the shape of another tool.
    Shape,
    /// Canonical cases.
    Case,
    /// Messages with a distinctive mark.
    Messages,
    /// Messages that resemble other formats' messages.
    SharedMessages,
    /// Messages in the form that most providers share.
    CommonMessages,
}

/// Formats in the order of testing.
pub(crate) fn by_priority(formats: &[&'static Format]) -> Vec<&'static Format> {
    let mut sorted = formats.to_vec();
    sorted.sort_by_key(|format| format.priority);
    sorted
}

/// The number of values of a file, and of items of a list, that format detection looks at.
pub(crate) const SAMPLE: usize = 50;

/// How the files of a format become cases.
#[derive(Clone, Copy)]
pub(crate) enum Reading {
    /// Each record is a canonical case.
    Cases,
    /// Each record is a case in the shape of another tool, identified by its sides.
    Shape(&'static ShapeSides),
    /// Each conversation is messages of a dialect, which identify it.
    Messages(&'static MessageDialect),
    /// A reader finds traces in the values of a file. The first function rates how certainly a
    /// value has the format.
    Traces(
        fn(&Node<'_>) -> Recognition,
        fn(Scope) -> Box<dyn TraceReader>,
    ),
    /// The values of a file are read by a map.
    Mapped(&'static dyn MappedFormat),
}

/// Error: no format has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no format is called `{name}`{suggestion}")]
pub struct UnknownFormat {
    /// The name.
    pub name: String,
    /// `; did you mean …`, or all names.
    pub suggestion: String,
}

impl UnknownFormat {
    /// Finds an item by name. `kind` ends the error's first clause, as in ` that is written`.
    pub(crate) fn or_named<T>(
        all: &[&'static T],
        name_of: fn(&T) -> &'static str,
        name: &str,
        kind: &str,
    ) -> Result<&'static T, Self> {
        let names = || all.iter().map(|it| name_of(it));
        let found = all.iter().copied().find(|it| name_of(it) == name);
        found.ok_or_else(|| Self {
            name: name.to_owned(),
            suggestion: match &nearest(name, names())[..] {
                [] => format!(
                    "{kind}; there are {}",
                    names().collect::<Vec<_>>().join(", ")
                ),
                near => did_you_mean(near),
            },
        })
    }
}

impl Format {
    /// The text of the map that describes the format, if any.
    pub fn map(&self) -> Option<&'static str> {
        match self.reading {
            Reading::Mapped(map) => Some(map.text()),
            _ => None,
        }
    }

    /// The file name of that map; `None` for a built-in format.
    pub fn map_file(&self) -> Option<&'static str> {
        match self.reading {
            Reading::Mapped(map) => map.file(),
            _ => None,
        }
    }

    /// The parts that are read, each with its source fields; a map lists its own.
    pub fn parts_read(&self) -> Vec<(&'static str, Cow<'static, str>)> {
        match self.reading {
            Reading::Mapped(map) => {
                let reads = map.reads().into_iter();
                reads.map(|(what, fields)| (what, fields.into())).collect()
            }
            _ => self
                .reads
                .iter()
                .map(|&(what, fields)| (what, fields.into()))
                .collect(),
        }
    }

    /// True for formats that record only runs; the others hold cases.
    pub fn holds_traces(&self) -> bool {
        !matches!(self.reading, Reading::Cases | Reading::Shape(_))
    }
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for Format {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Format {}
