//! Reads spans straight from the text of requests, since a request may hold very many.
//!
//! An object counts as a list of one, and nested lists are flattened. Other values, and unknown keys, may hold spans that would be lost:
//! they are kept as suspects if they contain words used by tool spans, or calls.

use rightcall_core::value::{Kind, Reader};

use super::json::{Reads, items, node};
use super::{BATCHES, LOG_RECORDS, LOG_SCOPES, LOGS, SCOPES, SPANS, log_record, span};
use crate::spans::{TraceSpan, unread};
use crate::trace::{Doubt, Suspect};

/// Reads requests and passes each span on.
pub(super) struct Request<'e, 'a>(pub(super) &'e mut dyn FnMut(TraceSpan<'a>));

/// Keys of a request without spans.
const OTHERS: [&str; 5] = [
    "resource",
    "scope",
    "instrumentationLibrary",
    "schemaUrl",
    "schema_url",
];

type ReadItem<'r, 'e, 'a> = &'r mut dyn FnMut(&mut Request<'e, 'a>, &mut Reader<'a>) -> Reads<()>;

type ReadMember<'r, 'e, 'a> =
    &'r mut dyn FnMut(&mut Request<'e, 'a>, &mut Reader<'a>, &str) -> Reads<()>;

impl<'e, 'a> Request<'e, 'a> {
    /// Reads a request, or a list of them.
    pub(super) fn read(&mut self, reader: &mut Reader<'a>) -> Reads<()> {
        self.items(reader, "", &mut |it, reader| {
            it.members(reader, &mut |it, reader, key| match key {
                // A trace may be wrapped.
                "trace" if reader.peek()? == Kind::Object => it.read(reader),
                _ if SPANS.contains(&key) || BATCHES.contains(&key) => {
                    it.lists(reader, key, SCOPES, &["spans"], true)
                }
                _ if LOGS.contains(&key) => it.lists(reader, key, LOG_SCOPES, LOG_RECORDS, false),
                _ => it.pass(reader, key),
            })
        })
    }

    /// Reads the spans or log records under the inner keys, in the items under the outer keys.
    fn lists(
        &mut self,
        reader: &mut Reader<'a>,
        key: &str,
        scopes: &[&str],
        inner: &[&str],
        are_spans: bool,
    ) -> Reads<()> {
        self.items(reader, key, &mut |it, reader| {
            it.members(reader, &mut |it, reader, key| {
                if !scopes.contains(&key) {
                    return it.pass(reader, key);
                }
                it.items(reader, key, &mut |it, reader| {
                    it.members(reader, &mut |it, reader, key| {
                        if !inner.contains(&key) {
                            return it.pass(reader, key);
                        }
                        it.items(reader, key, &mut |it, reader| it.one(reader, are_spans))
                    })
                })
            })
        })
    }

    /// Reads a span, or a log record.
    pub(super) fn one(&mut self, reader: &mut Reader<'a>, is_span: bool) -> Reads<()> {
        let found = if is_span {
            Some(span(reader)?)
        } else {
            log_record(&node(reader)?)
        };
        found.into_iter().for_each(&mut *self.0);
        Ok(())
    }

    /// Reads the objects in a list, including nested lists.
    pub(super) fn items(
        &mut self,
        reader: &mut Reader<'a>,
        key: &str,
        each: ReadItem<'_, 'e, 'a>,
    ) -> Reads<()> {
        items(reader, &mut |reader| {
            if reader.peek()? == Kind::Object {
                return each(self, reader);
            }
            let raw = reader.raw()?;
            self.note_irregular(raw, key);
            Ok(())
        })
    }

    fn members(&mut self, reader: &mut Reader<'a>, each: ReadMember<'_, 'e, 'a>) -> Reads<()> {
        let mut first = reader.enter_object()?;
        while let Some(key) = reader.next_key(&mut first)? {
            each(self, reader, key.as_str().unwrap_or_default())?;
        }
        Ok(())
    }

    fn pass(&mut self, reader: &mut Reader<'a>, key: &str) -> Reads<()> {
        let raw = reader.raw()?;
        if !OTHERS.contains(&key) {
            self.note_irregular(raw, key);
        }
        Ok(())
    }

    fn note_irregular(&mut self, raw: &str, key: &str) {
        if unread::tells_of_calls(raw) {
            let looks = format!("`{key}` of a request");
            (self.0)(TraceSpan::from_suspect(Suspect::new(looks, Doubt::None)));
        }
    }
}
