//! What reads a format of traces: it is given the values of a file, and finds traces in them.

use rightcall::value::{Reader, SyntaxError};

use super::found::FoundTraces;
use super::recognition::Recognition;
use crate::node::Node;
use crate::trace::Scope;

/// Where a value of a file stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ValuePlace {
    /// The line on which it begins, from 1.
    pub(crate) line: u64,
    /// True for the data of an event in a stream of server-sent events.
    pub(crate) is_streamed: bool,
}

/// The lists of a large object whose items are read one by one, each as the keys that lead to it through objects in lists.
pub(crate) type Lists = &'static [&'static [&'static [&'static str]]];

/// Finds traces in the values of a file, which come in order.
pub(crate) trait TraceReader: Send {
    /// The values are of the file with this name.
    fn begin_file(&mut self, name: &str) {
        _ = name;
    }

    /// The next value of the file.
    fn value(&mut self, value: &Node<'_>, place: ValuePlace, found: &mut FoundTraces);

    /// Reads the items of a list one by one; says whether it is one.
    fn each_item(&mut self, list: &Node<'_>, place: ValuePlace, found: &mut FoundTraces) -> bool {
        list.items()
            .iter()
            .for_each(|item| self.value(item, place, found));
        list.is_list()
    }

    /// The next value of the file as its text. What is large and comes in numbers is read without a tree. Returns true if part of
    /// it was certainly read; `false` means unknown.
    ///
    /// # Errors
    /// The text is not JSON; then nothing of it counts.
    fn text(
        &mut self,
        text: &str,
        max_depth: usize,
        place: ValuePlace,
        found: &mut FoundTraces,
    ) -> Result<bool, SyntaxError> {
        self.value(&Node::parse(text, max_depth)?, place, found);
        Ok(false)
    }

    /// For formats in which a list of values says no more than the values one by one: the lists of an object for which that holds
    /// too.
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
    fn finish(&mut self, found: &mut FoundTraces) -> bool {
        let _ = found;
        false
    }
}

/// A format that a map describes.
pub(crate) trait MappedFormat: Sync {
    /// How a value looks to it.
    fn recognise(&self, value: &Node<'_>) -> Recognition;

    /// What reads its values.
    fn reader(&'static self, scope: Scope) -> Box<dyn TraceReader>;

    /// The text of the map.
    fn text(&self) -> &str;

    /// The file of the map, as it was named; `None` for that of a built-in format.
    fn file(&self) -> Option<&str>;

    /// What is read, each with the paths that lead to it.
    fn reads(&self) -> Vec<(&'static str, String)>;
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
