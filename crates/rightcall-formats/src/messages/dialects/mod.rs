//! The chat message formats, one file each, and their list.

mod agent_framework;
pub(crate) mod anthropic;
mod autogen;
pub(crate) mod azure;
pub(crate) mod bedrock;
mod cohere;
mod dspy;
pub(crate) mod gemini;
mod gemini_interactions;
mod haystack;
pub(crate) mod langchain;
mod letta;
mod llamaindex;
mod managed_agents;
mod mistral;
pub(crate) mod openai_chat;
pub(crate) mod openai_responses;
mod opencode;
mod pi;
mod pydantic_ai;
mod semantic_kernel;
mod sharegpt;
mod vercel;

use std::sync::LazyLock;

use crate::format::{Format, MessageDialect, Reading, by_priority};

/// All message formats.
pub(crate) const MESSAGE_FORMATS: &[&Format] = &[
    &langchain::ENTRY,
    &haystack::ENTRY,
    &dspy::ENTRY,
    &autogen::ENTRY,
    &llamaindex::ENTRY,
    &semantic_kernel::ENTRY,
    &agent_framework::ENTRY,
    &letta::ENTRY,
    &managed_agents::ENTRY,
    &mistral::ENTRY,
    &opencode::ENTRY,
    &sharegpt::ENTRY,
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

/// The dialects of all message formats, in the order of testing.
pub(crate) fn dialects() -> impl Iterator<Item = &'static MessageDialect> {
    static SORTED: LazyLock<Vec<&Format>> = LazyLock::new(|| by_priority(MESSAGE_FORMATS));
    SORTED.iter().filter_map(|format| match format.reading {
        Reading::Messages(dialect) => Some(dialect),
        _ => None,
    })
}
