//! A run over several values: its items, or its streamed events.

use super::{is_item, raw_item, run_item};
use crate::format::{FoundTraces, Stream};
use crate::messages::dialects::openai_responses;
use crate::node::Node;
use crate::trace::{Conversation, Doubt, Scope};

/// A run whose end is not known yet.
pub(super) struct OpenRun {
    line: u64,
    items: Conversation,
    has_items: bool,
    /// The same calls by the events of the model, which count if no item was kept.
    events: Conversation,
    stream: Box<dyn Stream>,
}

/// True for an event of a streamed run.
pub(super) fn is_event(value: &Node<'_>) -> bool {
    match value.str_at("type") {
        Some("run_item_stream_event") => value.get("item").is_some_and(Node::is_object),
        Some("raw_response_event" | "raw_model_stream_event") => value.has("data"),
        Some("agent_updated_stream_event") => true,
        _ => false,
    }
}

impl OpenRun {
    pub(super) fn new(scope: Scope, line: u64) -> Self {
        Self {
            line,
            items: Conversation::new(scope),
            has_items: false,
            events: Conversation::new(scope),
            stream: openai_responses::new_stream(),
        }
    }

    /// Adds an item or event.
    pub(super) fn add(&mut self, value: &Node<'_>) {
        if is_item(value) {
            self.has_items = true;
            run_item(value, &mut self.items);
        } else if let Some(item) = value.get("item") {
            self.add(item);
        } else if let Some(data) = value.get("data") {
            self.event(data);
        } else {
            self.items.look(value, 0, Doubt::None);
            self.events.look(value, 0, Doubt::None);
        }
    }

    /// An event of the model. The JavaScript SDK adds its own event at the end of each reply.
    fn event(&mut self, data: &Node<'_>) {
        let (events, stream) = (&mut self.events, &mut self.stream);
        if data.says("type", "response_done") {
            let output = data.list_at(&["response", "output"]);
            events.interrupt();
            events.part(data, |events| {
                output.iter().for_each(|raw| raw_item(raw, events));
            });
        } else {
            events.event(data, |events| stream.event(data, events));
        }
    }

    /// Ends the run. Calls of the model without an item are missing.
    pub(super) fn end(mut self, found: &mut FoundTraces) {
        self.stream.end(&mut self.events);
        if !self.has_items {
            return found.trace(self.line, self.events.finish());
        }
        if self.events.calls_read() > self.items.calls_read() {
            self.items
                .left_over("a call of the model without an item of the run");
        }
        let mut trace = self.items.finish();
        trace.report.add_unread(&self.events.finish().report);
        found.trace(self.line, trace);
    }
}
