//! The reader for formats with spans.

use super::traces::SpanTraces;
use crate::format::{FoundTraces, Lists, TraceReader, ValuePlace};
use crate::node::Node;
use crate::trace::Scope;

/// Passes the spans of each value to `add`, with its line.
pub(crate) struct SpanReader {
    spans: SpanTraces,
    lists: Lists,
    add: fn(&Node<'_>, u64, &mut SpanTraces),
}

impl SpanReader {
    /// A reader that supports these lists of large objects, and reads the items of lists one by one.
    pub(crate) fn boxed(
        scope: Scope,
        lists: Lists,
        add: fn(&Node<'_>, u64, &mut SpanTraces),
    ) -> Box<dyn TraceReader> {
        Box::new(Self {
            spans: SpanTraces::new(scope),
            lists,
            add,
        })
    }
}

impl TraceReader for SpanReader {
    fn value(&mut self, value: &Node<'_>, place: ValuePlace, _: &mut FoundTraces) {
        let (add, spans) = (self.add, &mut self.spans);
        value.each_item(&mut |item| add(item, place.line, spans));
    }

    fn lists(&self) -> Option<Lists> {
        Some(self.lists)
    }

    fn finish(&mut self, found: &mut FoundTraces) -> bool {
        self.spans.finish(found)
    }
}
