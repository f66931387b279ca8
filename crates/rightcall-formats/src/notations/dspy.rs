//! The fields that `DSPy` agents use to choose their next tool: headers such as `[[ ## next_tool_name ## ]]`, or the keys of an object.

use super::calls::{TextArguments, TextCall, TextCalls};
use super::context::Context;
use super::places::starts_line;
use super::value::{WrittenValue, member};

const NOTATION: &str = "DSPy";

/// The tool that agents call to end a run; it is part of the package.
pub(crate) const DSPY_END: &str = "finish";

/// The header of the field with the tool's name.
pub(super) const NAME_HEADER: &str = "[[ ## next_tool_name ## ]]";
const ARGUMENTS_HEADER: &str = "[[ ## next_tool_args ## ]]";
/// The beginning of every header.
const HEADER: &str = "[[ ## ";

/// Reads a text with these fields; `None` for other texts.
pub(super) fn dspy(context: &Context<'_>) -> Option<TextCalls> {
    let text = context.text.trim();
    let object = WrittenValue::whole_object(text);
    let members = object.as_ref().map(WrittenValue::members);
    let (name, arguments) = match &members {
        Some(members) => {
            let arguments = member(members, &["next_tool_args"]).map(WrittenValue::written);
            (member(members, &["next_tool_name"])?.text()?, arguments)
        }
        None => (
            field(text, NAME_HEADER)?.into(),
            field(text, ARGUMENTS_HEADER),
        ),
    };
    let mut found = TextCalls::default();
    found.note(NOTATION);
    let name = name.to_display();
    match arguments.filter(|_| !name.is_empty()) {
        _ if name == DSPY_END => {}
        Some(written) => found.calls.push(TextCall::new(&name, object_of(written))),
        None => found.miss(NOTATION),
    }
    Some(found)
}

fn object_of(written: &str) -> TextArguments {
    match WrittenValue::whole_object(written) {
        Some(object) => TextArguments::Json(object.to_json()),
        None => TextArguments::invalid(written),
    }
}

/// The text of a field whose header begins a line.
fn field<'t>(text: &'t str, header: &str) -> Option<&'t str> {
    let at = text.find(header)?;
    let rest = &text[at + header.len()..];
    let end = rest.find(HEADER).unwrap_or(rest.len());
    starts_line(text, at).then(|| rest[..end].trim())
}

#[cfg(test)]
mod tests {
    use crate::catalogue::ToolCatalogue;
    use crate::notations::{TextArguments, read_notations};

    #[track_caller]
    fn check(text: &str, name: &str, arguments: &str) {
        let found = read_notations(text, &ToolCatalogue::default());
        let calls: Vec<_> = found
            .calls
            .iter()
            .map(|it| (&it.name, &it.arguments))
            .collect();
        let arguments = TextArguments::Json(arguments.to_owned());
        assert_eq!(calls, [(&name.to_owned().into(), &arguments)], "{text}");
        assert!(!found.unread, "{text}");
    }

    #[test]
    fn fields_are_a_call() {
        let fields = "[[ ## next_thought ## ]]\nt\n\n[[ ## next_tool_name ## ]]\nfind\n\n[[ ## next_tool_args ## ]]\n{\"id\": 7}\n\n[[ ## completed ## ]]";
        check(fields, "find", r#"{"id": 7}"#);
        let (_, after_reasoning) = fields.split_once("t\n\n").unwrap();
        check(
            &format!("<think>t</think>{after_reasoning}"),
            "find",
            r#"{"id": 7}"#,
        );
        let object = r#"{"next_thought":"t","next_tool_name":"find","next_tool_args":{"id":7}}"#;
        check(object, "find", r#"{"id":7}"#);
    }

    #[test]
    fn the_end_of_the_run_and_other_fields_are_no_calls() {
        for text in [
            "[[ ## next_tool_name ## ]]\nfinish\n\n[[ ## next_tool_args ## ]]\n{}",
            "[[ ## answer ## ]]\nIt is on its way.",
            "The field [[ ## next_tool_name ## ]] names the tool.",
        ] {
            let found = read_notations(text, &ToolCatalogue::default());
            assert!(found.calls.is_empty() && !found.unread, "{text}");
        }
    }

    #[test]
    fn a_call_without_its_arguments_is_unread() {
        let found = read_notations(
            "[[ ## next_tool_name ## ]]\nfind",
            &ToolCatalogue::default(),
        );
        assert!(found.calls.is_empty() && found.unread);
    }
}
