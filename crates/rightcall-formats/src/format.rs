//! What a format is, and how a value is recognised as one.

use std::fmt;

use rightcall::value::{MAX_DEPTH, Reader, SyntaxError};
use rightcall::{did_you_mean, nearest};

use crate::CaseError;
use crate::formats::FORMATS;
use crate::input::TraceRecord;
use crate::join::Join;
use crate::messages::{Dialect, MessageReader};
use crate::node::Node;
use crate::shapes::Sides;
use crate::trace::unread::checked;
use crate::trace::{Choices, Trace, UnreadCalls};

/// A format that files come in.
pub struct Format {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its name among people.
    pub title: &'static str,
    /// What its files hold, in a few words.
    pub summary: &'static str,
    /// What is read, each with the fields it is read from.
    pub reads: &'static [(&'static str, &'static str)],
    /// What the format cannot record, or often does not.
    pub lacks: &'static [&'static str],
    /// Where files of the format come from, and what is peculiar to reading them, in Markdown.
    pub notes: &'static str,
    /// Usual endings of file names.
    pub extensions: &'static [&'static str],
    /// A whole, small file of the format.
    pub example: &'static str,
    /// How likely a value is to be of the format.
    pub(crate) recognise: fn(&Node<'_>) -> Recognition,
    pub(crate) reading: Reading,
}

/// How files of a format become cases.
#[derive(Clone, Copy)]
pub(crate) enum Reading {
    /// Each record is a canonical case.
    Cases,
    /// Each record is a case in an original's own shape.
    Shape(&'static Sides),
    /// Each conversation is messages of a dialect.
    Messages(&'static Dialect),
    /// The values of a file are given to a reader, which finds traces in them.
    Traces(fn(Scope) -> Box<dyn TraceReader>),
}

/// What every reader of traces is told.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scope {
    pub(crate) choices: Choices,
    pub(crate) max_depth: usize,
    /// By what runs are joined with cases: readers keep it where they would leave it out.
    pub(crate) join: Join,
}

impl Default for Scope {
    fn default() -> Self {
        Self {
            choices: Choices::default(),
            max_depth: MAX_DEPTH,
            join: Join::Id,
        }
    }
}

/// Where a value of a file stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// The line on which it begins, from 1.
    pub(crate) line: u64,
    /// True for the data of an event in a stream of server-sent events.
    pub(crate) is_streamed: bool,
}

/// The lists of a large object whose items are read one by one, each as the keys that lead to it through objects in lists.
pub(crate) type Lists = &'static [&'static [&'static [&'static str]]];

/// Finds traces in the values of a file, which come in order.
pub(crate) trait TraceReader: Send {
    /// The next value of the file.
    fn value(&mut self, value: &Node<'_>, place: Place, found: &mut Found);

    /// The next value of the file as its text. What is large and comes in numbers is read without a tree.
    ///
    /// # Errors
    /// The text is not JSON; then nothing of it counts.
    fn text(
        &mut self,
        text: &str,
        max_depth: usize,
        place: Place,
        found: &mut Found,
    ) -> Result<(), SyntaxError> {
        self.value(&Node::parse(text, max_depth)?, place, found);
        Ok(())
    }

    /// In formats whose lists of values say no more than the values one by one: the lists of an object of which that is true as
    /// well.
    fn lists(&self) -> Option<Lists> {
        None
    }

    /// Reads the items of these lists where they stand in a large document, where the format can.
    fn items(&mut self) -> Option<&mut dyn ItemReader> {
        None
    }

    /// A reader for some values alone, on any thread, where what they say has nothing to do with the values before and after them.
    fn for_lone_values(
        &self,
        texts: &mut dyn Iterator<Item = &str>,
    ) -> Option<Box<dyn TraceReader>> {
        _ = texts;
        None
    }

    /// No value follows. True while there is more to be found: then it is asked again.
    fn finish(&mut self, found: &mut Found) -> bool {
        let _ = found;
        false
    }
}

/// Reads objects in the lists of a document without their being taken out.
pub(crate) trait ItemReader {
    /// The next object, in the list of this number.
    ///
    /// # Errors
    /// The text is not JSON, as far as it goes; then nothing of it counts.
    fn item(&mut self, list: usize, reader: &mut Reader<'_>, line: u64) -> Result<(), SyntaxError>;
}

/// A reader for formats in which every value stands on its own, also in a list.
pub(crate) struct EachValue(
    pub(crate) Scope,
    pub(crate) fn(&Node<'_>, Scope, Place, &mut Found),
);

impl TraceReader for EachValue {
    fn value(&mut self, value: &Node<'_>, place: Place, found: &mut Found) {
        if value.is_list() {
            value
                .items()
                .iter()
                .for_each(|item| self.value(item, place, found));
        } else {
            self.1(value, self.0, place, found);
        }
    }

    fn lists(&self) -> Option<Lists> {
        Some(&[])
    }

    fn for_lone_values(&self, _: &mut dyn Iterator<Item = &str>) -> Option<Box<dyn TraceReader>> {
        Some(Box::new(Self(self.0, self.1)))
    }
}

/// What a reader has found: traces, and what could not be read, each with its line.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) records: Vec<TraceRecord>,
    unread: UnreadCalls,
}

impl Found {
    pub(crate) fn new(choices: &Choices) -> Self {
        Self {
            unread: choices.unread,
            ..Self::default()
        }
    }

    pub(crate) fn trace(&mut self, line: u64, mut trace: Trace) {
        trace.line = line;
        if self.unread == UnreadCalls::Note || !trace.calls.is_empty() {
            trace.report.at_line(line);
        }
        self.records.push((line, checked(trace, self.unread)));
    }

    #[cold]
    pub(crate) fn error(&mut self, line: u64, error: CaseError) {
        self.records.push((line, Err(error)));
    }
}

/// How a value looks to a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Recognition {
    /// It is one of the format.
    Certain,
    /// Nothing in it decides, and reading it as the format does no harm.
    Possible,
    /// Some marks of the format are there.
    Near {
        /// Which.
        has: Vec<&'static str>,
        /// Which are not.
        lacks: Vec<&'static str>,
    },
    /// Nothing of the format is there.
    No,
}

impl Reading {
    /// The reader of a format of traces.
    pub(crate) fn reader(self, scope: Scope) -> Option<Box<dyn TraceReader>> {
        match self {
            Self::Cases | Self::Shape(_) => None,
            Self::Messages(dialect) => Some(Box::new(MessageReader::new(dialect, scope))),
            Self::Traces(reader) => Some(reader(scope)),
        }
    }
}

impl Recognition {
    /// Certain where all marks are there.
    pub(crate) fn by_marks(marks: &[(&'static str, bool)]) -> Self {
        let those = |wanted: bool| {
            marks
                .iter()
                .filter(|(_, is_there)| *is_there == wanted)
                .map(|(mark, _)| *mark)
                .collect::<Vec<_>>()
        };
        match (those(true), those(false)) {
            (_, lacks) if lacks.is_empty() => Self::Certain,
            (has, _) if has.is_empty() => Self::No,
            (has, lacks) => Self::Near { has, lacks },
        }
    }
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

impl Format {
    /// The format of this name.
    ///
    /// # Errors
    /// There is none; the error names the nearest.
    pub fn find(name: &str) -> Result<&'static Self, UnknownFormat> {
        let names = || FORMATS.iter().map(|format| format.name);
        FORMATS
            .iter()
            .copied()
            .find(|format| format.name == name)
            .ok_or_else(|| UnknownFormat {
                name: name.to_owned(),
                suggestion: match &nearest(name, names())[..] {
                    [] => format!("; there are {}", names().collect::<Vec<_>>().join(", ")),
                    near => did_you_mean(near),
                },
            })
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
