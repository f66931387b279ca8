//! `FILE:LINE`, as screens print it for a case without an id.

use std::fmt;
use std::path::Path;

use rightcall_formats::LinePlace;

/// The place of a case: `FILE:LINE`, or `FILE:LINE#2` for the second record of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct CasePlace<'a> {
    pub(super) file: &'a str,
    pub(super) line: u64,
    /// The record of the line, if the place names one.
    pub(super) record: Option<u32>,
}

impl<'a> CasePlace<'a> {
    /// Parses a place, if the file exists or its name has an extension: a run may have read a file that no longer exists.
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        let (file, place) = text.rsplit_once(':')?;
        let (line, record) = match place.split_once('#') {
            Some((line, record)) => (line, Some(record.parse().ok()?)),
            None => (place, None),
        };
        let line = line.parse().ok()?;
        let has_ending = Path::new(file).extension().is_some();
        (has_ending || Path::new(file).is_file()).then_some(Self { file, line, record })
    }

    /// True if a case with this name is at this place of its file.
    pub(super) fn matches(self, name: &str, line: u64) -> bool {
        self.line == line && (self.record.is_none() || name.ends_with(&self.in_file("")))
    }

    /// The place in a file with this name.
    fn in_file(self, file: &str) -> String {
        let index = self.record.map_or(0, |record| record.saturating_sub(1));
        let place = LinePlace {
            line: self.line,
            index,
        };
        place.in_file(file)
    }
}

impl fmt::Display for CasePlace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.in_file(self.file))
    }
}
