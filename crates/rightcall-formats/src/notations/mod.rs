//! Tool calls in a model's text.
//!
//! Open models write calls as text, each family in its own notation. An inference engine usually parses them, but logs often keep the
//! text. [`read_notations`] parses it: a scan finds markers from left to right, each notation reads its blocks, and nets report call-like
//! text that was not parsed. `docs/notations.md` lists the notations.

mod action;
mod bare;
mod bare_object;
mod calls;
mod complete;
mod context;
mod details;
mod dspy;
mod glaive;
mod glm;
mod harmony;
mod json_block;
mod literal;
mod marked;
mod markers;
mod mentions;
mod mistral;
mod names;
mod nets;
mod object;
mod places;
mod precheck;
mod python_block;
mod python_call;
mod quotations;
mod react;
mod read;
mod reasoning;
mod scan;
mod sections;
#[cfg(test)]
mod tests;
mod typing;
mod value;
mod xml;
mod xml_function;
mod xml_older;
mod xml_tags;

pub use calls::{TextArguments, TextCall, TextCalls};

pub(crate) use dspy::DSPY_END;
pub(crate) use precheck::may_hold_calls;

use crate::catalogue::ToolCatalogue;

/// Reads the calls that a model wrote into a text.
///
/// The notation is detected. `tools` provides the types of values that a notation writes as text; calls of unknown tools are read too.
/// Reasoning and quotations are not read.
///
/// ```
/// use rightcall_formats::{TextArguments, ToolCatalogue, read_notations};
///
/// let text = "I will look.\n<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}\n</tool_call>";
/// let found = read_notations(text, &ToolCatalogue::default());
///
/// assert_eq!(found.calls[0].name, "get_weather");
/// assert_eq!(found.calls[0].arguments, TextArguments::Json(r#"{"city": "Oslo"}"#.to_owned()));
/// assert_eq!((found.text.as_str(), found.unread), ("I will look.", false));
/// ```
pub fn read_notations(text: &str, tools: &ToolCatalogue) -> TextCalls {
    read::read(text, tools, 0)
}
