//! The blocks that `Open WebUI` uses for calls in the text of an answer: `<details type="tool_calls" name=… arguments=…>`.

use super::calls::{TextArguments, TextCall, TextCalls};
use super::context::Context;
use super::value::WrittenValue;
use super::xml_tags::attribute;

const NOTATION: &str = "Open WebUI";

/// The beginning of a block.
pub(super) const BEGIN: &str = "<details type=\"tool_calls\"";
const END: &str = "</details>";

/// Reads a text with such blocks; `None` for other texts.
pub(super) fn details(context: &Context<'_>) -> Option<TextCalls> {
    let (before, rest) = context.text.split_once(BEGIN)?;
    let mut found = TextCalls::default();
    found.note(NOTATION);
    found.add_text(before);
    for block in rest.split(BEGIN) {
        // Values are escaped, so the first bracket ends the tag.
        let (tag, inside) = block.split_once('>').unwrap_or((block, ""));
        let value = |key| attribute(tag, key).map(unescaped);
        let name = value("name").filter(|name| !name.is_empty());
        match (name, value("arguments")) {
            (Some(name), Some(arguments)) => found.calls.push(TextCall {
                id: value("id").map(Into::into),
                ..TextCall::new(&name, object_in(&arguments))
            }),
            _ => found.miss(NOTATION),
        }
        let after = inside.split_once(END).map_or("", |(_, after)| after);
        found.add_text(after);
    }
    // The rest may have calls in another notation.
    if let Some(rest) = context.read_part(&found.text) {
        found.calls.extend(rest.calls);
        found.unread |= rest.unread;
        found.text = rest.text;
    }
    Some(found)
}

/// The object in a JSON text, which may be the JSON text of a text.
fn object_in(written: &str) -> TextArguments {
    let object = |text: &str| WrittenValue::whole_object(text).map(|it| it.to_json());
    let inner = || WrittenValue::whole(written)?.text();
    match object(written).or_else(|| object(&inner()?.to_display())) {
        Some(json) => TextArguments::Json(json),
        None if written.is_empty() => TextArguments::none(),
        None => TextArguments::invalid(written),
    }
}

/// A value without the escapes of HTML.
fn unescaped(value: &str) -> String {
    const ESCAPES: [(&str, &str); 6] = [
        ("&quot;", "\""),
        ("&#x27;", "'"),
        ("&#39;", "'"),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&amp;", "&"),
    ];
    ESCAPES
        .iter()
        .fold(value.to_owned(), |text, (from, to)| text.replace(from, to))
}

#[cfg(test)]
mod tests {
    use crate::catalogue::ToolCatalogue;
    use crate::notations::{TextArguments, read_notations};

    #[test]
    fn blocks_are_calls_with_escaped_arguments() {
        let block = |arguments: &str| {
            format!(
                "<details type=\"tool_calls\" done=\"true\" id=\"c1\" name=\"find\" arguments=\"{arguments}\" result=\"&quot;x&quot;\">\n<summary>Tool Executed</summary>\n</details>"
            )
        };
        let plain = block("{&quot;q&quot;: &quot;a&amp;b&quot;}");
        let twice = block("&quot;{\\&quot;q\\&quot;: 1}&quot;");
        let text = format!("First.\n{plain}\n{twice}\nDone.");
        let found = read_notations(&text, &ToolCatalogue::default());
        let calls: Vec<_> = found.calls.iter().map(|call| &call.arguments).collect();
        let json = |text: &str| TextArguments::Json(text.to_owned());
        assert_eq!(calls, [&json(r#"{"q": "a&b"}"#), &json(r#"{"q": 1}"#)]);
        assert_eq!(
            (found.text.as_str(), found.unread),
            ("First.\nDone.", false)
        );
        let other = text.replace(
            "Done.",
            r#"<tool_call>{"name": "g", "arguments": {}}</tool_call>"#,
        );
        let found = read_notations(&other, &ToolCatalogue::default());
        assert_eq!((found.calls.len(), found.text.as_str()), (3, "First."));
        let broken = text.replace("name=\"find\"", "");
        assert!(read_notations(&broken, &ToolCatalogue::default()).unread);
    }
}
