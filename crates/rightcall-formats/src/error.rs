//! What could not be read, where it stands, and what to do about it.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use rightcall::value::{Kind, Reader, Syntax, SyntaxError};

use crate::Record;

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
    /// The error with the place of its record. In a record over several lines that is the line of the value it is about.
    pub fn in_record(self, file: &Arc<str>, record: &Record<'_>) -> ReadError {
        let lines_down = record
            .text
            .as_ref()
            .map_or(0, |text| lines_before(text, &self.pointer));
        self.at(file, Some(record.line + lines_down))
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

/// Lines of a JSON text before the value of a pointer, or before what of the pointer is there.
fn lines_before(text: &str, pointer: &str) -> u64 {
    if pointer.is_empty() || !text.contains('\n') {
        return 0;
    }
    let mut reader = Reader::new(text, Syntax::PYTHON);
    for step in pointer.split('/').skip(1) {
        if !step_into(&mut reader, &step.replace("~1", "/").replace("~0", "~"))
            .is_ok_and(|found| found)
        {
            break;
        }
    }
    // White space before the value belongs to it.
    _ = reader.peek();
    text[..reader.offset()].matches('\n').count() as u64
}

/// Moves the reader to a member or an item; false, and not at all, if it is not there.
fn step_into(reader: &mut Reader<'_>, step: &str) -> Result<bool, SyntaxError> {
    let start = reader.clone();
    if reader.peek()? == Kind::Object {
        let mut first = reader.enter_object()?;
        while let Some(key) = reader.next_key(&mut first)? {
            if key == *step {
                return Ok(true);
            }
            reader.raw()?;
        }
    } else if reader.peek()? == Kind::List {
        let mut first = reader.enter_list()?;
        for number in 0.. {
            if !reader.next_item(&mut first)? {
                break;
            }
            if step.parse() == Ok(number) {
                return Ok(true);
            }
            reader.raw()?;
        }
    }
    *reader = start;
    Ok(false)
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
