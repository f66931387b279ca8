//! Conversations of `OpenAI` Chat Completions, one a line: `{"id", "messages"}`.

use rightcall_core::call::{Call, Case};

use super::lacks;
use super::parts::{arguments, content, conversation, member, messages, result};
use super::writer::{Frame, Writer, WrittenCase};
use crate::messages::json_text;

pub(super) static WRITER: Writer = Writer {
    name: "openai-chat",
    summary: "conversations of OpenAI Chat Completions, one a line",
    lacks: &[
        lacks::TIMES,
        lacks::TOOL_IDS,
        lacks::ACTORS,
        lacks::PARENTS,
        lacks::PROVIDER,
        lacks::NOT_RUN,
        lacks::SUCCESSES,
        lacks::ERRORS,
        lacks::NO_ARGUMENTS,
        lacks::NO_TURNS,
        lacks::STRUCTURED,
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
    let mut written = Vec::new();
    for message in messages(calls) {
        let asked: Vec<_> = calls[message.clone()].iter().map(asked).collect();
        written.push(format!(
            r#"{{"role":"assistant","content":null,"tool_calls":[{}]}}"#,
            asked.join(",")
        ));
        for index in message {
            let call = &calls[index];
            let result = result(call);
            // Otherwise this call would get the result of a later, similar call.
            if result.is_some() || calls[index + 1..].iter().any(|later| is_alike(call, later)) {
                let call = match &call.metadata().id {
                    Some(id) => member("tool_call_id", Some(json_text(id))),
                    None => member("name", Some(json_text(&call.name))),
                };
                let content = result.map_or_else(|| "null".to_owned(), content);
                written.push(format!(r#"{{"role":"tool",{call}"content":{content}}}"#));
            }
        }
    }
    Some(conversation(case, &written).into())
}

fn asked(call: &Call<'_>) -> String {
    let id = member("id", call.metadata().id.as_ref().map(json_text));
    let name = json_text(&call.name);
    let arguments = arguments(call).map(|text| format!(r#","arguments":{}"#, json_text(&text)));
    let arguments = arguments.unwrap_or_default();
    format!(r#"{{{id}"type":"function","function":{{"name":{name}{arguments}}}}}"#)
}

/// True if the result of the later call could be paired with this call, by its id or, without one, by its name.
fn is_alike(call: &Call<'_>, later: &Call<'_>) -> bool {
    match &later.metadata().id {
        Some(_) => call.metadata().id == later.metadata().id,
        None => call.name == later.name,
    }
}
