//! Goldens of tool calls in model output: the calls parsed from each text.

use rightcall_core::Edition;
use rightcall_core::value::{JsonWriter, RawJson, from_json};
use rightcall_formats::{TextArguments, TextCalls, ToolCatalogue, read_notations};
use serde::Deserialize;

use super::decode;

/// A line with a text and its tools.
#[derive(Deserialize)]
struct TextLine<'a> {
    text: String,
    #[serde(borrow)]
    tools: Option<RawJson<'a>>,
}

/// Compares the arguments of calls by value and everything else exactly; returns all differences.
pub(super) fn check(line: &str, result: &str) -> Result<(), String> {
    let read: TextLine<'_> = from_json(line).map_err(|error| error.to_string())?;
    let tools = read
        .tools
        .map(|RawJson(tools)| ToolCatalogue::from_json(tools));
    let tools = tools.transpose().map_err(|error| error.to_string())?;
    let found = read_notations(&read.text, &tools.unwrap_or_default());
    let found = result_json(&found);
    let (wanted, found) = (decode(result)?, decode(&found)?);
    let (Some(wanted), Some(found)) = (wanted.as_object(), found.as_object()) else {
        return Err("not a golden line: the result is no object".to_owned());
    };
    let shared = wanted.iter().map(|(key, wanted)| match found.get(key) {
        Some(found) => super::compare(&format!("/{key}"), wanted, found, Edition::Package),
        None => Err(format!("/{key}: expected {wanted:?}, found nothing")),
    });
    let unasked = found.iter().filter(|(key, _)| wanted.get(key).is_none());
    let unasked =
        unasked.map(|(key, found)| Err(format!("/{key}: expected nothing, found {found:?}")));
    let differences: Vec<_> = shared.chain(unasked).filter_map(Result::err).collect();
    if differences.is_empty() {
        Ok(())
    } else {
        Err(differences.join("; "))
    }
}

/// The result in the format of the goldens: an empty text is omitted.
fn result_json(found: &TextCalls) -> String {
    let mut writer = JsonWriter::new();
    writer.begin_object().key("calls");
    writer.list(&found.calls, |writer, call| {
        writer.begin_object().key("name").text(&call.name);
        match &call.arguments {
            TextArguments::Json(json) => writer.key("args").raw(json),
            TextArguments::Invalid(text) => writer.key("invalid_args").str(text),
        };
        writer.optional("id", call.id.as_ref());
        writer.end_object();
    });
    writer.key("unread").bool(found.unread);
    if !found.text.is_empty() {
        writer.key("text").str(&found.text);
    }
    writer.end_object();
    writer.finish().into_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_reported() {
        let line =
            r#"{"text": "<tool_call>{\"name\": \"a\", \"arguments\": {\"n\": 1}}</tool_call> Hi"}"#;
        let check = |result: &str| check(line, result);
        let call = |arguments: &str| {
            format!(r#"{{"calls": [{{"name": "a", {arguments}}}], "unread": false, "text": "Hi"}}"#)
        };
        assert_eq!(check(&call(r#""args": {"n": 1.0}"#)), Ok(()));
        for other in [
            r#""args": {"n": 2}"#,
            r#""invalid_args": "{}""#,
            r#""args": {"n": 1}, "id": "c""#,
        ] {
            assert!(check(&call(other)).is_err(), "{other}");
        }
        assert!(check(r#"{"calls": [], "unread": false, "text": "Hi"}"#).is_err());
        assert!(check(&call(r#""args": {"n": 1}"#).replace(r#", "text": "Hi""#, "")).is_err());
    }
}
