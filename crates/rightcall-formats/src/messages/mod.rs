//! The common parts of the chat message formats: finding messages in a value, separating conversations, streams.
//!
//! A [`MessageDialect`](crate::format::MessageDialect) only reads single messages of its format; the rest is shared.

pub(crate) mod actions;
pub(crate) mod content;
pub(crate) mod conversations;
pub(crate) mod dialects;
pub(crate) mod ending;
pub(crate) mod in_text;
pub(crate) mod listed;
mod partial;
pub(crate) mod parts;
pub(crate) mod pieces;
pub(crate) mod reader;
pub(crate) mod refusal;
mod said;
pub(crate) mod speaker;
pub(crate) mod states;
pub(crate) mod stringified;
pub(crate) mod updates;

pub(crate) use content::{joined_text, json_text, output_of, text_of};
pub(crate) use speaker::name_speaker;

#[cfg(test)]
mod tests;
