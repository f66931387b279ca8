//! Readers of trace formats: they receive the values of a file and find traces in them.

use rightcall_core::value::{Reader, SyntaxError};

use super::found::FoundTraces;
use super::recognition::Recognition;
use crate::case::{Fault, parsed_record};
use crate::node::Node;
use crate::place::PartLines;
use crate::trace::Scope;

/// The place of a value in its file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ValuePlace {
    /// The line it begins on, from 1.
    pub(crate) line: u64,
    /// True for the data of an event in a stream of server-sent events.
    pub(crate) is_streamed: bool,
}

/// Lists of a large object that are read item by item. Each is a path of keys through nested lists of objects.
pub(crate) type Lists = &'static [&'static [&'static [&'static str]]];

/// Finds traces in the values of a file, given in order.
pub(crate) trait TraceReader: Send {
    /// The next values come from the file with this name.
    fn begin_file(&mut self, name: &str) {
        _ = name;
    }

    /// Reads the next value of the file.
    fn value(&mut self, value: &Node<'_>, place: ValuePlace, found: &mut FoundTraces);

    /// Reads the items of a list one by one; false if the value is not a list.
    fn each_item(&mut self, list: &Node<'_>, place: ValuePlace, found: &mut FoundTraces) -> bool {
        let mut lines = PartLines::new(list, place.line);
        for item in list.items() {
            let line = lines.line_of(item);
            if !found.refuses(line, item) {
                self.value(item, ValuePlace { line, ..place }, found);
            }
        }
        list.is_list()
    }

    /// Reads the next value from its text, so that large, numerous values need no tree. Returns true if part of it was certainly read;
    /// `false` means unknown.
    ///
    /// # Errors
    /// The text is not JSON, or a key in it is repeated; then all of it is discarded.
    fn text(
        &mut self,
        text: &str,
        max_depth: usize,
        place: ValuePlace,
        found: &mut FoundTraces,
    ) -> Result<bool, Fault> {
        let value = parsed_record(text, max_depth)?;
        // The items of other lists are looked at one by one.
        let is_whole = !value.is_list() || self.lists().is_none();
        if is_whole && found.refuses(place.line, &value) {
            return Ok(true);
        }
        self.value(&value, place, found);
        Ok(false)
    }

    /// For formats where reading a list equals reading its items one by one: the lists of an object for which this also holds.
    fn lists(&self) -> Option<Lists> {
        None
    }

    /// A reader for the items of these lists inside a large document, if the format supports it.
    fn items(&mut self) -> Option<&mut dyn ItemReader> {
        None
    }

    /// A reader for some of the values, for use on any thread. Only if these values don't depend on the ones around them.
    fn for_lone_values(
        &self,
        texts: &mut dyn Iterator<Item = &str>,
    ) -> Option<Box<dyn TraceReader>> {
        _ = texts;
        None
    }

    /// Called after the last value. Returns true while more traces remain; then it is called again.
    fn finish(&mut self, found: &mut FoundTraces) -> bool {
        let _ = found;
        false
    }
}

/// A format described by a map.
pub(crate) trait MappedFormat: Sync {
    /// How likely a value is in this format.
    fn recognise(&self, value: &Node<'_>) -> Recognition;

    /// A reader for its values.
    fn reader(&'static self, scope: Scope) -> Box<dyn TraceReader>;

    /// The text of the map.
    fn text(&self) -> &str;

    /// The file name of the map; `None` for a built-in format.
    fn file(&self) -> Option<&str>;

    /// The parts that are read, each with its paths.
    fn reads(&self) -> Vec<(&'static str, String)>;
}

/// Reads objects in the lists of a document in place, without extracting them.
pub(crate) trait ItemReader {
    /// Reads the next object of the list with this index.
    ///
    /// # Errors
    /// The text that was read so far is not JSON; then all of it is discarded.
    fn item(&mut self, list: usize, reader: &mut Reader<'_>, line: u64) -> Result<(), SyntaxError>;
}

/// A reader for formats with independent values, also in lists.
pub(crate) struct EachValue(
    pub(crate) Scope,
    pub(crate) fn(&Node<'_>, Scope, ValuePlace, &mut FoundTraces),
);

impl TraceReader for EachValue {
    fn value(&mut self, value: &Node<'_>, place: ValuePlace, found: &mut FoundTraces) {
        if !self.each_item(value, place, found) {
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
