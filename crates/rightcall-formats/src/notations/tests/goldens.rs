//! The golden texts.

use rightcall_core::value::{Value, ValueEquality, decode};

use crate::{TextArguments, TextCalls, ToolCatalogue, read_notations};

/// A golden text, with its tools.
pub(super) struct GoldenText {
    pub(super) id: String,
    pub(super) text: String,
    pub(super) tools: ToolCatalogue,
    result: serde_json::Value,
}

pub(super) fn goldens() -> Vec<GoldenText> {
    let lines = include_str!("../../../../../conformance/notations.jsonl").lines();
    let goldens = lines.map(|line| {
        let golden: serde_json::Value = serde_json::from_str(line).unwrap();
        let tools = golden
            .get("tools")
            .map(|tools| ToolCatalogue::from_json(&tools.to_string()).unwrap());
        GoldenText {
            id: golden["id"].as_str().unwrap().to_owned(),
            text: golden["text"].as_str().unwrap().to_owned(),
            tools: tools.unwrap_or_default(),
            result: golden["result"].clone(),
        }
    });
    goldens.collect()
}

/// The result in the form used in goldens.
pub(super) fn written(found: &TextCalls) -> String {
    let calls = found.calls.iter().map(|call| {
        let (key, arguments) = match &call.arguments {
            TextArguments::Json(json) => ("args", json.clone()),
            TextArguments::Invalid(text) => ("invalid_args", crate::json::quoted(text)),
        };
        let name = crate::json::quoted(&call.name.to_display());
        let id = call
            .id
            .as_ref()
            .map(|id| format!(",\"id\":{}", crate::json::quoted(&id.to_display())));
        format!(
            "{{\"name\":{name},\"{key}\":{arguments}{}}}",
            id.unwrap_or_default()
        )
    });
    let calls: Vec<_> = calls.collect();
    let text = Some(&found.text).filter(|text| !text.is_empty());
    let text = text.map(|text| format!(",\"text\":{}", crate::json::quoted(text)));
    format!(
        "{{\"calls\":[{}],\"unread\":{}{}}}",
        calls.join(","),
        found.unread,
        text.unwrap_or_default()
    )
}

fn value(json: &str) -> Value<'_> {
    decode(json).unwrap()
}

#[test]
fn golden_texts_are_read_as_they_should() {
    let mut failed = Vec::new();
    for golden in goldens() {
        let found = written(&read_notations(&golden.text, &golden.tools));
        let expected = golden.result.to_string();
        if !ValueEquality::Json.equal(&value(&found), &value(&expected)) {
            failed.push(format!(
                "{}:\n{}\nexpected {expected}\nfound    {found}",
                golden.id, golden.text
            ));
        }
    }
    assert!(
        failed.is_empty(),
        "{} failed\n{}",
        failed.len(),
        failed.join("\n\n")
    );
}
