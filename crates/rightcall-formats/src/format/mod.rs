//! What a format is: its page, how a value is recognised as one, and how its files become cases.

mod dialect;
mod found;
mod reader;
mod recognition;
mod sides;

use std::borrow::Cow;
use std::fmt;

pub(crate) use dialect::{MessageDialect, Stream};
pub(crate) use found::FoundTraces;
pub(crate) use reader::{EachValue, ItemReader, Lists, MappedFormat, TraceReader, ValuePlace};
pub(crate) use recognition::Recognition;
pub(crate) use sides::{CallDialect, Carrier, ShapeSides, SideReader, SideRun, ToldBy};

use rightcall::{did_you_mean, nearest};

use crate::node::Node;
use crate::trace::Scope;

/// A format that files come in.
pub struct Format {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its name among people.
    pub title: &'static str,
    /// What its files hold, in a few words.
    pub summary: &'static str,
    /// What is read, each with the fields it is read from; for a map, see [`Format::parts_read`].
    pub(crate) reads: &'static [(&'static str, &'static str)],
    /// What the format cannot record, or often does not.
    pub lacks: &'static [&'static str],
    /// Where files of the format come from, and what is peculiar to reading them, in Markdown.
    pub notes: &'static str,
    /// Usual endings of file names.
    pub extensions: &'static [&'static str],
    /// A whole, small file of the format.
    pub example: &'static str,
    /// When it is tested whether a value is of the format.
    pub(crate) priority: Priority,
    pub(crate) reading: Reading,
}

/// When a value is tested for a format: of formats that are certain of the same value, the first is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Priority {
    /// The document says what it is: by a version, or by keys that nothing else has.
    Document,
    /// Lines of a session, each of which says so.
    SessionLog,
    /// A reply with its request: either may be in any format of messages.
    Recording,
    /// Spans under the keys of one platform.
    Platform,
    /// Spans under the keys of many.
    Spans,
    /// Cases in an original's own shape.
    Shape,
    /// Canonical cases.
    Case,
    /// Messages that are known by one of their own.
    Messages,
    /// Messages that others look like as well.
    SharedMessages,
    /// Messages in the form that most providers speak.
    CommonMessages,
}

/// Formats in the order in which values are tested for them.
pub(crate) fn by_priority(formats: &[&'static Format]) -> Vec<&'static Format> {
    let mut sorted = formats.to_vec();
    sorted.sort_by_key(|format| format.priority);
    sorted
}

/// How many values of a file are looked at to tell its format, and how many items of a list.
pub(crate) const SAMPLE: usize = 50;

/// How files of a format become cases.
#[derive(Clone, Copy)]
pub(crate) enum Reading {
    /// Each record is a canonical case.
    Cases,
    /// Each record is a case in an original's own shape, which its sides tell.
    Shape(&'static ShapeSides),
    /// Each conversation is messages of a dialect, which tells them.
    Messages(&'static MessageDialect),
    /// The values of a file are given to a reader, which finds traces in them. How likely a value is to be of the format is told
    /// first.
    Traces(
        fn(&Node<'_>) -> Recognition,
        fn(Scope) -> Box<dyn TraceReader>,
    ),
    /// The values of a file are read as a map says.
    Mapped(&'static dyn MappedFormat),
}

/// No format has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no format is called `{name}`{suggestion}")]
pub struct UnknownFormat {
    /// The name.
    pub name: String,
    /// `; did you mean …`, or all names.
    pub suggestion: String,
}

impl UnknownFormat {
    /// Finds what has this name among all, where there are some of `kind`.
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

    /// The file of that map, as it was named; `None` for a built-in format.
    pub fn map_file(&self) -> Option<&'static str> {
        match self.reading {
            Reading::Mapped(map) => map.file(),
            _ => None,
        }
    }

    /// What is read, each with the fields it is read from. A map says so itself.
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

    /// True for formats whose files hold what was done alone; the others hold cases.
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
