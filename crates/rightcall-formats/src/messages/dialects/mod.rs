//! The formats of chat messages. One file each, and its line in the list.

pub(crate) mod anthropic;
pub(crate) mod azure;
pub(crate) mod bedrock;
mod cohere;
pub(crate) mod gemini;
mod gemini_interactions;
mod langchain;
pub(crate) mod openai_chat;
pub(crate) mod openai_responses;
mod pi;
mod pydantic_ai;
mod vercel;

use std::sync::LazyLock;

use crate::format::{Format, MessageDialect, Reading, by_priority};

/// All formats of messages.
pub(crate) const MESSAGE_FORMATS: &[&Format] = &[
    &langchain::ENTRY,
    &gemini_interactions::ENTRY,
    &gemini::ENTRY,
    &bedrock::ENTRY,
    &azure::ENTRY,
    &pi::ENTRY,
    &pydantic_ai::ENTRY,
    &vercel::ENTRY,
    &anthropic::ENTRY,
    &openai_responses::ENTRY,
    &cohere::ENTRY,
    &openai_chat::ENTRY,
];

/// The dialects of all formats of messages, in the order in which they are tested.
pub(crate) fn dialects() -> impl Iterator<Item = &'static MessageDialect> {
    static SORTED: LazyLock<Vec<&Format>> = LazyLock::new(|| by_priority(MESSAGE_FORMATS));
    SORTED.iter().filter_map(|format| match format.reading {
        Reading::Messages(dialect) => Some(dialect),
        _ => None,
    })
}
