//! The parts of MCP's JSON-RPC messages that a guard needs.

use std::borrow::Cow;

use rightcall_core::value::{JsonText, JsonWriter, RawJson, Syntax, decode_with, from_json};
use serde::Deserialize;

/// JSON-RPC's code for text that is not valid JSON.
const PARSE_ERROR: i64 = -32700;

/// A message of a client. A duplicate member is an error: the server might read the other value.
#[derive(Deserialize)]
pub(super) struct ClientMessage<'m> {
    #[serde(borrow, default)]
    pub(super) id: Option<RawJson<'m>>,
    #[serde(borrow, default)]
    pub(super) method: Option<Cow<'m, str>>,
    #[serde(borrow, default)]
    pub(super) params: Option<RawJson<'m>>,
}

/// The parameters of `tools/call`.
#[derive(Deserialize)]
pub(super) struct ToolCall<'m> {
    #[serde(borrow)]
    pub(super) name: Cow<'m, str>,
    #[serde(borrow, default)]
    pub(super) arguments: Option<RawJson<'m>>,
}

/// A message of a server: a response, unless it has a method.
#[derive(Deserialize)]
pub(super) struct ServerMessage<'m> {
    #[serde(borrow, default)]
    pub(super) id: Option<RawJson<'m>>,
    #[serde(borrow, default)]
    pub(super) method: Option<Cow<'m, str>>,
    #[serde(borrow, default)]
    result: Option<RawJson<'m>>,
    #[serde(borrow, default)]
    error: Option<RawJson<'m>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ToolResult<'m> {
    #[serde(rename = "isError")]
    is_error: Option<bool>,
    #[serde(borrow, rename = "structuredContent")]
    structured: Option<RawJson<'m>>,
    #[serde(borrow)]
    content: Option<RawJson<'m>>,
}

#[derive(Deserialize)]
struct ContentPart<'m> {
    #[serde(borrow)]
    text: Option<Cow<'m, str>>,
}

/// Splits a line into messages: one, or all messages of a batch. The flag is true for a batch.
pub(super) fn messages(line: &str) -> Result<(Vec<&str>, bool), String> {
    let line = line.trim();
    if !line.starts_with('[') {
        return Ok((vec![line], false));
    }
    let batch: Vec<RawJson<'_>> = from_json(line).map_err(|error| error.to_string())?;
    Ok((batch.into_iter().map(|RawJson(json)| json).collect(), true))
}

/// An id in canonical JSON, so that ids can be compared.
pub(super) fn canonical(RawJson(id): RawJson<'_>) -> String {
    match decode_with(id, Syntax::PYTHON) {
        Ok(value) => JsonText::from_value(&value).into_string(),
        Err(_) => id.to_owned(),
    }
}

impl<'m> ServerMessage<'m> {
    /// The result of a tool call: the output as JSON text, and whether the call failed.
    pub(super) fn outcome(&self) -> (Option<Cow<'m, str>>, bool) {
        if let Some(RawJson(error)) = self.error {
            return (Some(error.into()), true);
        }
        let Some(RawJson(result)) = self.result else {
            return (None, false);
        };
        let Ok(read) = from_json::<ToolResult<'m>>(result) else {
            return (Some(result.into()), false);
        };
        let failed = read.is_error == Some(true);
        let output = match (read.structured, read.content) {
            (Some(RawJson(structured)), _) => structured.into(),
            (None, Some(RawJson(content))) => only_text(content).unwrap_or(content.into()),
            (None, None) => result.into(),
        };
        (Some(output), failed)
    }
}

/// The text of a result that consists of one text part. Text that holds a JSON object or list is returned as that JSON, other text as a
/// JSON string.
fn only_text(content: &str) -> Option<Cow<'_, str>> {
    let parts: Vec<ContentPart<'_>> = from_json(content).ok()?;
    let [ContentPart { text: Some(text) }] = &parts[..] else {
        return None;
    };
    let is_json =
        text.trim_start().starts_with(['{', '[']) && from_json::<RawJson<'_>>(text).is_ok();
    if is_json {
        return Some(text.trim().to_owned().into());
    }
    Some(JsonText::from_type(text).into_string().into())
}

/// The response to a refused call: a result for the model to read, not a protocol error.
pub(super) fn refusal(RawJson(id): RawJson<'_>, sentence: &str) -> String {
    let mut writer = JsonWriter::new();
    writer.begin_object().key("jsonrpc").str("2.0");
    writer.key("id").raw(id).key("result").begin_object();
    writer.key("content").begin_list().begin_object();
    writer.key("type").str("text").key("text").str(sentence);
    writer.end_object().end_list();
    writer.key("isError").bool(true).end_object().end_object();
    writer.finish().into_string()
}

/// The response to a line that is not a valid message.
pub(super) fn unreadable(error: &str) -> String {
    let mut writer = JsonWriter::new();
    writer.begin_object().key("jsonrpc").str("2.0").key("id");
    writer.null().key("error").begin_object();
    let message = format!("rightcall guard did not pass this on: {error}");
    writer.key("code").integer(PARSE_ERROR);
    writer.key("message").str(&message);
    writer.end_object().end_object();
    writer.finish().into_string()
}
