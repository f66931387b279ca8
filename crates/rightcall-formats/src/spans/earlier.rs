//! The agent's earlier messages, which a model receives again: their parts of unknown types, which may be calls.
//!
//! Usually an earlier span has the same message as its output. The type of a part is reported once, however many models receive it.

use std::collections::HashMap;
use std::iter::once;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::dialects::observations::PLATFORMS;
use super::kind::is_known_part;
use super::question::{INPUTS, MESSAGES};
use super::span::{Attribute, TraceSpan};
use super::trace_spans::TraceSpans;
use super::turn::unknown_parts_of;
use crate::messages::conversations::conversations;
use crate::messages::speaker::is_of_model;

/// The unknown parts of the agent's messages in the input of a model, or in the options that the AI SDK passes to a tool.
pub(super) fn unknown_parts(span: &TraceSpan<'_>, is_tool: bool) -> Vec<String> {
    let mut found = Vec::new();
    let carriers = || once(&span.attributes).chain(span.events.iter().map(|it| &it.attributes));
    let platforms = PLATFORMS.iter().map(|platform| platform.input);
    let inputs = INPUTS.into_iter().chain(platforms).filter(|_| !is_tool);
    let keys: Vec<_> = MESSAGES.into_iter().chain(inputs).collect();
    let inputs = carriers().filter_map(|attributes| attributes.any(&keys));
    for input in inputs.filter(|input| input.source().is_some_and(may_hold)) {
        input.read(|input| {
            let messages = conversations(input).into_iter().flat_map(|it| it.messages);
            let replies = messages.filter(|message| is_of_model(message));
            found.extend(replies.flat_map(unknown_parts_of));
        });
    }
    for event in &span.events {
        if event.name != *"gen_ai.assistant.message" {
            continue;
        }
        let body = event.body.clone().map(Attribute::Json);
        let content = event.attributes.any(&["gen_ai.event.content", "content"]);
        if let Some(message) = body.as_ref().or(content) {
            message.read(|message| found.extend(unknown_parts_of(message)));
        }
    }
    found
}

/// Reports the unknown parts of earlier messages, unless the outputs of the trace's models have as many of the same type.
pub(super) fn report(spans: &mut TraceSpans<'_>) {
    let Some((place, parts)) = spans.earlier.take() else {
        return;
    };
    let mut known: HashMap<String, u64> = HashMap::new();
    for (kind, count, _) in spans.report.left_over_kinds() {
        known.insert(kind.to_owned(), count);
    }
    for part in parts {
        match known.get_mut(&part).filter(|count| **count > 0) {
            Some(count) => *count -= 1,
            None => spans.report.left_over(part, &place),
        }
    }
}

/// True for a text that may have a part of an unknown type. Parsing all histories of a run would take time quadratic in its length.
fn may_hold(text: &str) -> bool {
    static TYPE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("\"type\""));
    /// Types in JSON Schema, of serialized objects and of messages.
    const OTHERS: [&str; 12] = [
        "object",
        "string",
        "number",
        "integer",
        "boolean",
        "array",
        "null",
        "constructor",
        "human",
        "ai",
        "system",
        "message",
    ];
    let is_unknown = |at: usize| {
        let value = text[at + "\"type\"".len()..].trim_start();
        let kind = value.strip_prefix(':').map(str::trim_start);
        let kind = kind.and_then(|kind| kind.strip_prefix('"')?.split('"').next());
        kind.is_some_and(|kind| !OTHERS.contains(&kind) && !is_known_part(kind))
    };
    // A text within a text has its quotes escaped.
    text.starts_with('"') || TYPE.find_iter(text.as_bytes()).any(is_unknown)
}
