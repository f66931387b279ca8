//! Conversations in Anthropic's Messages format, one a line: `{"id", "messages"}`.

use rightcall_core::call::{ArgumentSource, ArgumentText, Call, Case, Executor, argument_text};
use rightcall_core::value::Text;

use super::lacks;
use super::parts::{content, conversation, ids, messages, quoted, result};
use super::writer::{Frame, Writer, WrittenCase};
use crate::messages::json_text;

pub(super) static WRITER: Writer = Writer {
    name: "anthropic",
    summary: "conversations of Anthropic Messages, one a line",
    lacks: &[
        lacks::TIMES,
        lacks::TOOL_IDS,
        lacks::ACTORS,
        lacks::PARENTS,
        lacks::NOT_RUN,
        lacks::SUCCESSES,
        lacks::NO_ARGUMENTS,
        lacks::NO_TURNS,
        lacks::STRUCTURED,
        lacks::NO_IDS,
        lacks::ERROR_MESSAGES,
        lacks::GAPS,
        lacks::EXPECTATIONS,
        lacks::TAGS,
        lacks::TRIALS,
        lacks::DESCRIPTIONS,
        lacks::META,
    ],
    needs: "a run",
    frame: Frame::LINES,
    write,
};

fn write(case: &Case<'_>) -> Option<WrittenCase> {
    let calls = &case.actual.as_ref()?.calls;
    let ids = ids(calls);
    let message_text = |role: &str, blocks: Vec<String>| {
        format!(r#"{{"role":"{role}","content":[{}]}}"#, blocks.join(","))
    };
    let mut written = Vec::new();
    for message in messages(calls) {
        let is_of_provider =
            |index: &usize| calls[*index].metadata().executor == Executor::Provider;
        let (provider, own): (Vec<_>, Vec<_>) = message.clone().partition(is_of_provider);
        let answers = |indices: Vec<usize>| {
            indices
                .into_iter()
                .filter_map(|index| result_block(&calls[index], &ids[index]))
        };
        // The provider's own results are in the same message.
        let blocks = message.map(|index| call_block(&calls[index], &ids[index]));
        written.push(message_text(
            "assistant",
            blocks.chain(answers(provider)).collect(),
        ));
        let answers: Vec<_> = answers(own).collect();
        if !answers.is_empty() {
            written.push(message_text("user", answers));
        }
    }
    Some(conversation(case, &written).into())
}

/// The block of a call.
fn call_block(call: &Call<'_>, id: &Text<'_>) -> String {
    let kind = if call.metadata().executor == Executor::Provider {
        "server_tool_use"
    } else {
        "tool_use"
    };
    let input = match call.arguments.source() {
        ArgumentSource::Absent => "{}".to_owned(),
        ArgumentSource::Json(json) if json.starts_with('{') => json.to_owned(),
        ArgumentSource::Json(json) => quoted(json),
        // An object sent as text, as in other APIs.
        ArgumentSource::Text { text, .. } if argument_text(&text).1 == ArgumentText::Json => {
            text.to_display().into_owned()
        }
        // A text that isn't an object stays a string.
        ArgumentSource::Text { json, .. } => json.to_owned(),
    };
    let (id, name) = (json_text(id), json_text(&call.name));
    format!(r#"{{"type":"{kind}","id":{id},"name":{name},"input":{input}}}"#)
}

/// The block of a result; `None` for a call without one.
fn result_block(call: &Call<'_>, id: &Text<'_>) -> Option<String> {
    let content = content(result(call)?);
    let kind = match call.metadata().executor {
        Executor::Provider => quoted(&format!("{}_tool_result", call.name.to_display())),
        _ => quoted("tool_result"),
    };
    let is_error = if call.failed() == Some(true) {
        r#","is_error":true"#
    } else {
        ""
    };
    let id = json_text(id);
    Some(format!(
        r#"{{"type":{kind},"tool_use_id":{id},"content":{content}{is_error}}}"#
    ))
}
