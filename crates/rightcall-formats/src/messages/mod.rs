//! What the formats of chat messages share: where in a value the messages stand, what is a
//! conversation of its own, streams.
//!
//! A [`MessageDialect`](crate::format::MessageDialect) knows one message of its format; everything around it is the same for all.

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
pub(crate) mod speaker;

pub(crate) use content::{joined_text, json_text, output_of, text_of};
pub(crate) use speaker::name_speaker;

#[cfg(test)]
mod tests;
