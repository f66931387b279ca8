//! Conversations of Anthropic's Messages, one a line: `{"id", "messages"}`.

use std::collections::HashSet;

use rightcall::call::{ArgumentSource, ArgumentText, Call, Case, Executor, argument_text};
use rightcall::value::Text;

use super::writer::{
    ACTORS, Lack, NO_ARGUMENTS, NO_TURNS, NOT_RUN, PARENTS, STRUCTURED, SUCCESSES, TIMES, TOOL_IDS,
    Writer, calls, content, conversation, messages, quoted, result,
};
use crate::messages::content::json_text;

pub(super) static WRITER: Writer = Writer {
    name: "anthropic",
    summary: "conversations of Anthropic Messages, one a line",
    lacks: &[
        TIMES,
        TOOL_IDS,
        ACTORS,
        PARENTS,
        NOT_RUN,
        SUCCESSES,
        NO_ARGUMENTS,
        NO_TURNS,
        STRUCTURED,
        Lack {
            what: "calls without an id, which get one",
            is_in: |call| call.metadata().id.is_none(),
        },
        Lack {
            what: "messages of errors beside a result, or in place of one",
            is_in: |call| {
                call.failed() == Some(true)
                    && (call.metadata().error != Some("true") || call.metadata().output.is_none())
            },
        },
    ],
    holds_cases: false,
    write,
};

fn write(case: &Case<'_>) -> String {
    let calls = calls(case);
    let ids = ids(calls);
    let said = |role: &str, blocks: Vec<String>| {
        format!(r#"{{"role":"{role}","content":[{}]}}"#, blocks.join(","))
    };
    let mut written = Vec::new();
    for message in messages(calls) {
        let is_of_provider =
            |index: &usize| calls[*index].metadata().executor == Executor::Provider;
        let (provider, own): (Vec<_>, Vec<_>) = message.clone().partition(is_of_provider);
        let answers = |those: Vec<usize>| {
            those
                .into_iter()
                .filter_map(|index| answered(&calls[index], &ids[index]))
        };
        // The provider answers its own calls in the same message.
        let asked = message.map(|index| asked(&calls[index], &ids[index]));
        written.push(said("assistant", asked.chain(answers(provider)).collect()));
        let answers: Vec<_> = answers(own).collect();
        if !answers.is_empty() {
            written.push(said("user", answers));
        }
    }
    conversation(case, &written)
}

/// An id for each call: its own, where no call before has it.
fn ids<'c>(calls: &'c [Call<'_>]) -> Vec<Text<'c>> {
    let mut taken: HashSet<Text<'_>> = calls
        .iter()
        .filter_map(|call| call.metadata().id.as_ref())
        .map(Text::reborrow)
        .collect();
    let mut seen: HashSet<Text<'_>> = HashSet::new();
    let mut number = 0;
    calls
        .iter()
        .map(|call| match &call.metadata().id {
            Some(id) if seen.insert(id.reborrow()) => id.reborrow(),
            _ => loop {
                number += 1;
                let id = Text::from(format!("toolu_{number}"));
                if taken.insert(id.clone()) {
                    break id;
                }
            },
        })
        .collect()
}

fn asked(call: &Call<'_>, id: &Text<'_>) -> String {
    let kind = if call.metadata().executor == Executor::Provider {
        "server_tool_use"
    } else {
        "tool_use"
    };
    let input = match call.arguments.source() {
        ArgumentSource::Absent => "{}".to_owned(),
        ArgumentSource::Json(json) if json.starts_with('{') => json.to_owned(),
        ArgumentSource::Json(json) => quoted(json),
        // An object that came as its text, as other APIs give it.
        ArgumentSource::Text { text, .. } if argument_text(&text).1 == ArgumentText::Json => {
            text.to_display().into_owned()
        }
        // A text that holds none is no object here either.
        ArgumentSource::Text { json, .. } => json.to_owned(),
    };
    let (id, name) = (json_text(id), json_text(&call.name));
    format!(r#"{{"type":"{kind}","id":{id},"name":{name},"input":{input}}}"#)
}

fn answered(call: &Call<'_>, id: &Text<'_>) -> Option<String> {
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
