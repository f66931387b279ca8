//! Mastra's scorers that compute a score from tool calls.
//!
//! Source: package `@mastra/evals` 1.10.2.

mod dimensions;
pub(crate) mod tool_call_accuracy;
pub(crate) mod trajectory;
pub(crate) mod trajectory_accuracy;

use crate::presets::prelude::*;

/// Writes a list of names.
fn write_names<'n>(writer: &mut JsonWriter, key: &str, names: impl IntoIterator<Item = Text<'n>>) {
    let writer = writer.key(key);
    writer.list(names, |writer, name| _ = writer.text(&name));
}

/// The names of calls.
fn names<'i>(items: &'i Items<'_>) -> impl Iterator<Item = Text<'i>> {
    items.as_slice().iter().map(|item| item.name().to_text())
}
