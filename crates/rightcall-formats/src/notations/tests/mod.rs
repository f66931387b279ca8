//! The goldens, and a test for each rule.

use super::{TextArguments, TextCalls, read_notations};
use crate::catalogue::ToolCatalogue;

mod goldens;
mod json_blocks;
mod parts;
mod properties;
mod reasoning;
mod structured;
mod text_blocks;
mod unmarked;

/// Tools shared by tests.
const TOOLS: &str = r#"[
    {"type":"function","function":{"name":"get_weather","parameters":{"type":"object","properties":{
        "city":{"type":"string"},"days":{"type":"integer"},"metric":{"type":"boolean"}}}}},
    {"type":"function","function":{"name":"search","parameters":{"properties":{"query":{"type":"string"}}}}},
    {"type":"function","function":{"name":"list_rooms","parameters":{"properties":{}}}}
]"#;

/// A short form of the result: `name#id{…}` with arguments, `name?(…)` with invalid ones; then `unread` or `quoted`; then the text.
fn short(found: &TextCalls) -> String {
    let calls = found.calls.iter().map(|call| {
        let id = call
            .id
            .as_ref()
            .map(|id| format!("#{id}"))
            .unwrap_or_default();
        match &call.arguments {
            TextArguments::Json(json) => format!("{}{id}{json}", call.name),
            TextArguments::Invalid(text) => format!("{}{id}?({text})", call.name),
        }
    });
    let mut parts: Vec<_> = calls.collect();
    match (found.unread, found.quoted) {
        (false, _) => {}
        (true, false) => parts.push("unread".to_owned()),
        (true, true) => parts.push("quoted".to_owned()),
    }
    if !found.text.is_empty() {
        parts.push(format!("| {}", found.text));
    }
    parts.join(" ")
}

/// Checks the result for a text. A trailing `_` in `expected` means the unchanged text.
#[track_caller]
fn check_with(tools: &str, text: &str, expected: &str) {
    let tools = ToolCatalogue::from_json(tools).unwrap();
    let expected = match expected.strip_suffix('_') {
        Some(before) => format!("{before}| {text}").trim().to_owned(),
        None => expected.to_owned(),
    };
    assert_eq!(short(&read_notations(text, &tools)), expected, "{text}");
}

/// [`check_with`] without tools.
#[track_caller]
fn check(text: &str, expected: &str) {
    check_with("[]", text, expected);
}

/// [`check_with`] with the shared tools.
#[track_caller]
fn check_typed(text: &str, expected: &str) {
    check_with(TOOLS, text, expected);
}
