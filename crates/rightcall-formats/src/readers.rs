//! The readers for the values of a format. If needed, they unwrap pages, and rewrite values in other notations.

use rightcall_core::value::MAX_DEPTH;

use crate::detect::{conversation_of_row, page_of, writing_of};
use crate::format::{Format, FoundTraces, Reading, TraceReader, ValuePlace};
use crate::messages::conversations::is_whole;
use crate::messages::reader::MessageReader;
use crate::node::Node;
use crate::rewriting::Rewriting;
use crate::trace::unread::look_over;
use crate::trace::{Scope, Trace};

/// The reader for a trace format, which unwraps values if needed.
pub(crate) fn reader(
    format: &'static Format,
    are_wrapped: bool,
    scope: Scope,
) -> Option<Box<dyn TraceReader>> {
    let reader = reader_of_values(format, scope)?;
    Some(if are_wrapped {
        Box::new(UnwrappingReader {
            format,
            reader,
            writing: None,
        })
    } else {
        reader
    })
}

/// The reader for a trace format, without support for wrapped values.
pub(crate) fn reader_of_values(format: &Format, scope: Scope) -> Option<Box<dyn TraceReader>> {
    match format.reading {
        Reading::Cases | Reading::Shape(_) => None,
        Reading::Messages(dialect) => Some(Box::new(MessageReader::new(dialect, scope))),
        Reading::Traces(_, reader) => Some(reader(scope)),
        Reading::Mapped(map) => Some(map.reader(scope)),
    }
}

/// Passes values to the format's reader: the contents of pages, values in other notations rewritten, and all others unchanged.
struct UnwrappingReader {
    format: &'static Format,
    reader: Box<dyn TraceReader>,
    /// The notation of the last value in another notation. Values that don't show their notation are assumed to have the same.
    writing: Option<Rewriting>,
}

impl UnwrappingReader {
    /// Reads a value in the format's own notation, which may be a page.
    fn read(&mut self, value: &Node<'_>, place: ValuePlace, found: &mut FoundTraces) {
        if !self.read_page(value, place, found) {
            self.reader.value(value, place, found);
        }
    }

    /// Reads the values in a page; false for other values.
    fn read_page(&mut self, value: &Node<'_>, place: ValuePlace, found: &mut FoundTraces) -> bool {
        let is_page = |item: &Node<'_>| page_of(self.format, item).is_some();
        if value.items().iter().any(is_page) {
            for item in value.items() {
                self.read(item, place, found);
            }
            return true;
        }
        let page = page_of(self.format, value);
        let Some((member, values)) = page.or_else(|| conversation_of_row(self.format, value))
        else {
            return false;
        };
        let row = value
            .label_at(&["id"])
            .filter(|_| is_run(self.format, &values));
        if row.is_some() {
            while self.reader.finish(found) {}
        }
        let before = found.records.len();
        for value in values {
            self.reader.value(value, place, found);
        }
        if let Some(id) = row {
            while self.reader.finish(found) {}
            if let [(_, Ok(run))] = &mut found.records[before..] {
                run.id.get_or_insert(id);
            }
        }
        // Other members of a page are metadata, unless they look like calls.
        let mut beside = Trace::default();
        look_over(value, &[member], &mut beside);
        if beside.report.unread_count() > 0 {
            found.trace(place.line, beside);
        }
        true
    }
}

/// True for a whole conversation in a page. A row with an id around it is a separate run.
fn is_run(format: &Format, values: &[&Node<'_>]) -> bool {
    match (format.reading, values) {
        (Reading::Messages(dialect), [value]) => {
            is_whole(value) && !(dialect.is_event)(value) || (dialect.owns)(value)
        }
        _ => false,
    }
}

impl TraceReader for UnwrappingReader {
    fn value(&mut self, value: &Node<'_>, place: ValuePlace, found: &mut FoundTraces) {
        if self.read_page(value, place, found) {
            return;
        }
        self.writing = writing_of(self.format, value).or(self.writing);
        let text = self.writing.and_then(|writing| writing.undone(value));
        match text.as_ref().map(|text| Node::parse(text, MAX_DEPTH)) {
            Some(Ok(value)) => self.read(&value, place, found),
            _ => self.reader.value(value, place, found),
        }
    }

    fn finish(&mut self, found: &mut FoundTraces) -> bool {
        self.reader.finish(found)
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::check;

    const RUN: &str = r#"{"id":"r","trace_id":"r","dotted_order":"1","run_type":"tool","name":"find","start_time":"2025-01-01T00:00:00","inputs":{"id":7},"outputs":{"output":"x"}}"#;

    #[test]
    fn pages_are_unwrapped_at_any_depth() {
        for page in [
            format!(r#"{{"runs":[{RUN}],"cursors":{{"next":null}}}}"#),
            format!(r#"{{"object":"list","data":[{RUN}],"has_more":false}}"#),
            format!(r#"{{"result":{{"data":{{"json":[{RUN}]}}}}}}"#),
            format!(r#"{{"data":{{"runs":{{"edges":[{{"node":{RUN}}}]}}}}}}"#),
            format!(r#"{{"hits":{{"total":1,"hits":[{{"_id":"a","_source":{RUN}}}]}}}}"#),
            format!("{{\"runs\":[{RUN}]}}\n{{\"runs\":[]}}\n"),
            format!("[{{\"runs\":[{RUN}]}},{{\"runs\":[]}}]"),
        ] {
            check("langsmith", &page, &[r#"find({"id":7}) -> "x""#]);
        }
        let message = r#"{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"find","input":{}}]}"#;
        check(
            "anthropic",
            &format!(
                r#"{{"object":"list","data":[{{"messages":[{message}]}},{{"messages":[{message}]}}]}}"#
            ),
            &["find({}) a @0", "---", "find({}) a @0"],
        );
    }
}
