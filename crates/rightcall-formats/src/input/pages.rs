//! Pages around the values of a format, taken off before they are read.

use crate::detect::page_of;
use crate::format::{Format, FoundTraces, TraceReader, ValuePlace};
use crate::node::Node;
use crate::trace::Trace;
use crate::trace::unread::look_over;

/// Gives what pages hold to the reader of its format; all other values as they are.
pub(super) struct PageReader {
    pub(super) format: &'static Format,
    pub(super) reader: Box<dyn TraceReader>,
}

impl TraceReader for PageReader {
    fn value(&mut self, value: &Node<'_>, place: ValuePlace, found: &mut FoundTraces) {
        let Some((member, values)) = page_of(self.format, value) else {
            return self.reader.value(value, place, found);
        };
        for value in values {
            self.reader.value(value, place, found);
        }
        // What stands beside the values of a page is about the page, unless it looks like a call.
        let mut beside = Trace::default();
        look_over(value, &[member], &mut beside);
        if beside.report.unread_count() > 0 {
            found.trace(place.line, beside);
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
    fn pages_are_taken_off_whatever_they_hold_and_however_deep_they_stand() {
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
