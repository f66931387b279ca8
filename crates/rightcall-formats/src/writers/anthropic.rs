//! Conversations of Anthropic's Messages, one a line: `{"id", "messages"}`.

use std::collections::HashSet;

use rightcall::call::{ArgumentSource, ArgumentText, Call, Case, Run, argument_text};
use rightcall::value::{JsonWriter, Text};

use super::writer::{
    ACTORS, Lack, NO_ARGUMENTS, NO_TURNS, NOT_RUN, PARENTS, STRUCTURED, SUCCESSES, TIMES, TOOL_IDS,
    Writer, answer, calls, content, messages, one_line, question, result,
};

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
            is_in: |call| call.id.is_none(),
        },
        Lack {
            what: "messages of errors beside a result, or in place of one",
            is_in: |call| {
                call.failed() == Some(true) && (call.error != Some("true") || call.output.is_none())
            },
        },
    ],
    holds_cases: false,
    write,
};

fn write(case: &Case<'_>) -> String {
    let calls = calls(case);
    let ids = ids(calls);
    let mut writer = JsonWriter::new();
    writer.begin_object();
    if let Some(id) = &case.id {
        writer.key("id").text(id);
    }
    writer.key("messages").begin_list();
    question(&mut writer, case);
    for message in messages(calls) {
        let those_of = |run: Run| {
            message.clone().filter(move |&index| {
                (calls[index].run == Run::ByProvider) == (run == Run::ByProvider)
            })
        };
        writer
            .begin_object()
            .key("role")
            .str("assistant")
            .key("content")
            .begin_list();
        for index in message.clone() {
            asked(&mut writer, &calls[index], &ids[index]);
        }
        // The provider answers its own calls in the same message.
        those_of(Run::ByProvider)
            .for_each(|index| answered(&mut writer, &calls[index], &ids[index]));
        writer.end_list().end_object();
        if those_of(Run::ByAgent).any(|index| result(&calls[index]).is_some()) {
            writer
                .begin_object()
                .key("role")
                .str("user")
                .key("content")
                .begin_list();
            those_of(Run::ByAgent)
                .for_each(|index| answered(&mut writer, &calls[index], &ids[index]));
            writer.end_list().end_object();
        }
    }
    answer(&mut writer, case);
    writer.end_list().end_object();
    one_line(writer)
}

/// An id for each call: its own, where no call before has it.
fn ids<'c>(calls: &'c [Call<'_>]) -> Vec<Text<'c>> {
    let mut taken: HashSet<Text<'_>> = calls
        .iter()
        .filter_map(|call| call.id.as_ref())
        .map(Text::reborrow)
        .collect();
    let mut seen: HashSet<Text<'_>> = HashSet::new();
    let mut number = 0;
    calls
        .iter()
        .map(|call| match &call.id {
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

fn asked(writer: &mut JsonWriter, call: &Call<'_>, id: &Text<'_>) {
    let kind = if call.run == Run::ByProvider {
        "server_tool_use"
    } else {
        "tool_use"
    };
    writer
        .begin_object()
        .key("type")
        .str(kind)
        .key("id")
        .text(id)
        .key("name")
        .text(&call.name)
        .key("input");
    match call.arguments.source() {
        ArgumentSource::Absent => _ = writer.begin_object().end_object(),
        ArgumentSource::Json(json) if json.starts_with('{') => _ = writer.raw(json),
        ArgumentSource::Json(json) => _ = writer.str(json),
        // An object that came as its text, as other APIs give it.
        ArgumentSource::Text { text, .. } if argument_text(&text).1 == ArgumentText::Json => {
            _ = writer.raw(&text.to_display())
        }
        // A text that holds none is no object here either.
        ArgumentSource::Text { json, .. } => _ = writer.raw(json),
    }
    writer.end_object();
}

fn answered(writer: &mut JsonWriter, call: &Call<'_>, id: &Text<'_>) {
    let Some(result) = result(call) else { return };
    writer.begin_object().key("type");
    match call.run {
        Run::ByProvider => _ = writer.str(&format!("{}_tool_result", call.name.to_display())),
        _ => _ = writer.str("tool_result"),
    }
    writer.key("tool_use_id").text(id).key("content");
    content(writer, result);
    if call.failed() == Some(true) {
        writer.key("is_error").bool(true);
    }
    writer.end_object();
}
