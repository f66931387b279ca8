//! Rows of the Glaive function calling data set: a conversation in one text.

use crate::format::{EachValue, Format, FoundTraces, Priority, Reading, Recognition, ValuePlace};
use crate::json;
use crate::messages::in_text::read_said;
use crate::node::Node;
use crate::trace::{CallResult, Conversation, Scope};

pub(super) static ENTRY: Format = Format {
    name: "glaive",
    title: "Glaive function calling rows",
    summary: "rows with `system` and `chat`, a text of `USER:`, `ASSISTANT:` and `FUNCTION RESPONSE:`",
    reads: &[
        ("calls", "`<functioncall>` in what follows `ASSISTANT:`"),
        ("arguments", "`arguments`"),
        ("results", "what follows `FUNCTION RESPONSE:`"),
        ("question", "what follows the first `USER:`"),
        ("order", "the order of the text"),
    ],
    lacks: &["times", "ids", "whether a result is an error"],
    notes: "The data set `glaive-function-calling` and others of its form. A result answers the oldest call before it without one.",
    extensions: &["json", "jsonl"],
    example: r#"{"system":"SYSTEM: You may call functions.","chat":"USER: Where is order 7?\n\n\nASSISTANT: <functioncall> {\"name\": \"find_order\", \"arguments\": '{\"id\": 7}'} <|endoftext|>\n\n\nFUNCTION RESPONSE: {\"state\": \"shipped\"}\n\n\nASSISTANT: It is on its way. <|endoftext|>\n"}"#,
    priority: Priority::Document,
    reading: Reading::Traces(
        |value| {
            let chat = value.first_record().str_at("chat");
            let is_one = chat.is_some_and(|chat| chat.contains(MODEL) && turns(chat).len() > 1);
            Recognition::certain_if(is_one)
        },
        |scope| Box::new(EachValue(scope, read)),
    ),
};

const USER: &str = "USER:";
const MODEL: &str = "ASSISTANT:";
const RESULT: &str = "FUNCTION RESPONSE:";

/// The turns of a text, as speaker and words.
fn turns(chat: &str) -> Vec<(&'static str, String)> {
    let mut turns: Vec<(&'static str, String)> = Vec::new();
    for line in chat.lines() {
        let speaker = [USER, MODEL, RESULT]
            .into_iter()
            .find_map(|who| Some((who, line.trim_start().strip_prefix(who)?)));
        match (speaker, turns.last_mut()) {
            (Some((who, text)), _) => turns.push((who, text.to_owned())),
            (None, Some((_, text))) => {
                text.push('\n');
                text.push_str(line);
            }
            (None, None) => {}
        }
    }
    let plain = |text: &str| text.replace("<|endoftext|>", "").trim().to_owned();
    turns
        .into_iter()
        .map(|(who, text)| (who, plain(&text)))
        .collect()
}

fn read(value: &Node<'_>, scope: Scope, place: ValuePlace, found: &mut FoundTraces) {
    let mut conversation = Conversation::new(scope);
    conversation.trace().id = value.label_at(&["id"]);
    for (who, text) in turns(value.str_at("chat").unwrap_or_default()) {
        conversation.note_speaker(who == USER);
        conversation.message();
        match who {
            USER => conversation.question(|| Some(json::quoted(&text))),
            MODEL => {
                conversation.agent_spoke();
                read_said(&text, &mut conversation);
            }
            _ => {
                let is_json = json::is_whole(&text);
                conversation.result(CallResult {
                    output: Some(if is_json { text } else { json::quoted(&text) }),
                    ..CallResult::default()
                });
            }
        }
    }
    found.trace(
        place.line,
        conversation.finish_record(value, &["chat", "system"]),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_go_over_lines_and_end_where_another_speaks() {
        let chat = "USER: a\nb\n\nASSISTANT: c <|endoftext|>\nFUNCTION RESPONSE: {}\n";
        let turns = turns(chat);
        let shown: Vec<_> = turns
            .iter()
            .map(|(who, text)| (*who, text.as_str()))
            .collect();
        assert_eq!(shown, [(USER, "a\nb"), (MODEL, "c"), (RESULT, "{}")]);
    }
}
