//! Reads spans that a file has in several records: as they begin, and as they change or end.

use std::collections::HashMap;

use rightcall_core::value::{MAX_DEPTH, Text};

use super::traces::SpanTraces;
use crate::format::{FoundTraces, Lists, TraceReader, ValuePlace};
use crate::groups::{RecordGroup, RecordGroups};
use crate::json;
use crate::node::Node;
use crate::trace::Scope;

/// The records of spans, by trace, until the file is read.
pub(crate) struct Revisions(RecordGroups);

impl Revisions {
    /// Holds a record of a span: the fields that are known so far.
    pub(crate) fn hold(&mut self, trace: &Text<'_>, kind: &str, fields: &Node<'_>, line: u64) {
        self.0.hold(trace.as_bytes(), line, |out| {
            out.extend_from_slice(kind.as_bytes());
            out.push(b'\n');
            out.extend_from_slice(fields.raw().as_bytes());
        });
        self.0.take_held();
    }
}

/// How a format reads such records.
pub(crate) struct Revised {
    /// Lists of large objects that are read item by item.
    pub(crate) lists: Lists,
    /// Holds the records in a value; false for a value without such records.
    pub(crate) hold: fn(&Node<'_>, u64, &mut Revisions) -> bool,
    /// Reads a span, put together from its records, which have this kind.
    pub(crate) put_together: fn(&str, &Node<'_>, u64, &mut SpanTraces),
    /// Reads any other value.
    pub(crate) other: fn(&Node<'_>, u64, &mut SpanTraces),
}

/// Passes each span of a file to its format once.
pub(crate) struct RevisedSpanReader {
    format: &'static Revised,
    revisions: Revisions,
    spans: SpanTraces,
}

impl RevisedSpanReader {
    pub(crate) fn boxed(scope: Scope, format: &'static Revised) -> Box<dyn TraceReader> {
        Box::new(Self {
            format,
            revisions: Revisions(RecordGroups::new()),
            spans: SpanTraces::new(scope),
        })
    }
}

impl TraceReader for RevisedSpanReader {
    fn value(&mut self, value: &Node<'_>, place: ValuePlace, _: &mut FoundTraces) {
        value.each_item(&mut |item| {
            if !(self.format.hold)(item, place.line, &mut self.revisions) {
                (self.format.other)(item, place.line, &mut self.spans);
            }
        });
    }

    fn lists(&self) -> Option<Lists> {
        Some(self.format.lists)
    }

    fn finish(&mut self, found: &mut FoundTraces) -> bool {
        while let Some(group) = found.next_group(&mut self.revisions.0) {
            for (kind, fields) in put_together(&group) {
                if let Ok(span) = Node::parse(&fields, MAX_DEPTH) {
                    (self.format.put_together)(kind, &span, group.line, &mut self.spans);
                }
            }
        }
        self.spans.finish(found)
    }
}

/// A span: its kind, and the last value of each field, as JSON text.
type Span<'g> = (&'g str, Vec<(Text<'g>, &'g str)>);

/// The spans of a trace, each with its kind, as JSON texts.
fn put_together(group: &RecordGroup) -> Vec<(&str, String)> {
    let mut spans: Vec<Span<'_>> = Vec::new();
    let mut known: HashMap<(&str, &str), usize> = HashMap::new();
    for record in group.records() {
        let record = std::str::from_utf8(record).ok();
        let Some((kind, record)) = record.and_then(|record| record.split_once('\n')) else {
            continue;
        };
        let Ok(record) = Node::parse(record, MAX_DEPTH) else {
            continue;
        };
        let new = spans.len();
        let id = record.get("id").map(Node::raw);
        let place = id.map_or(new, |id| *known.entry((kind, id)).or_insert(new));
        if place == new {
            spans.push((kind, Vec::new()));
        }
        let fields = &mut spans[place].1;
        for (key, value) in record.entries().iter().filter(|(_, it)| !it.is_null()) {
            match fields.iter_mut().find(|(known, _)| known == key) {
                Some((_, last)) => *last = value.raw(),
                None => fields.push((key.clone(), value.raw())),
            }
        }
    }
    let json = |fields: Vec<(Text<'_>, &str)>| {
        json::object(|writer| {
            for (key, value) in fields {
                writer.key_text(&key).raw(value);
            }
        })
    };
    let spans = spans.into_iter();
    spans.map(|(kind, fields)| (kind, json(fields))).collect()
}
