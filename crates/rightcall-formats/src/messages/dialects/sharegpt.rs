//! Conversations in the form of `ShareGPT`, and calls as tagged text, as written by Hermes and Qwen.

use rightcall_core::call::{ArgumentText, argument_text};
use rightcall_core::value::{JsonText, MAX_DEPTH, Text};

use super::openai_chat;
use crate::format::{Format, MessageDialect, Priority, Reading};
use crate::messages::json_text;
use crate::node::Node;
use crate::trace::{CallResult, Conversation, TraceCall};

static DIALECT: MessageDialect = MessageDialect {
    mark: "`from` with `value`, or `<tool_call>` in a text",
    decides: |message| {
        let speaker = speaker(message);
        let speaks = speaker.is_some_and(|who| who != Speaker::Other);
        message.has("from") && speaks
            || speaker == Some(Speaker::Call) && text(message).is_some()
            || speaker == Some(Speaker::Model) && calls_in_text(message)
    },
    message,
    is_message: |value| value.str_at("from").is_some() && value.has("value"),
    keys: &["from"],
    reply: |value| {
        let list = value.list("conversations");
        let is_one = list.iter().any(|it| it.has("from") || it.has("value"));
        is_one.then(|| list.iter().collect())
    },
    ..MessageDialect::BASE
};

pub(super) static ENTRY: Format = Format {
    name: "sharegpt",
    title: "ShareGPT and Hermes conversations",
    summary: "`conversations` of messages with `from` and `value`; texts with `<tool_call>`",
    reads: &[
        ("calls", "objects between `<tool_call>` and `</tool_call>` in what a model says; messages from `function_call` or `tool_call`"),
        ("arguments", "`arguments`, `parameters`"),
        ("results", "texts between `<tool_response>` and `</tool_response>`, else messages from `tool`, `observation`, `function_response` or `tool_response`"),
        ("order", "the order of messages; calls of one message are parallel"),
    ],
    lacks: &["times", "ids", "whether a result is an error"],
    notes: "Data sets to train models on (`from` and `value`, or the roles `tool_call` and `tool_response`), and replies whose calls no server has taken out of the text, also with `role` and `content`. The text of a
call is JSON or a Python literal; one that is neither is counted as a call that was not read. Results answer the calls before them in order,
by name where they tell one.",
    extensions: &["jsonl", "json"],
    example: r#"{"conversations":[{"from":"human","value":"Where is order 7?"},{"from":"gpt","value":"<tool_call>\n{\"name\": \"find_order\", \"arguments\": {\"id\": 7}}\n</tool_call>"},{"from":"tool","value":"<tool_response>\n{\"name\": \"find_order\", \"content\": \"shipped\"}\n</tool_response>"},{"from":"gpt","value":"It is on its way."}]}"#,
    priority: Priority::SharedMessages,
    reading: Reading::Messages(&DIALECT),
};

/// The speaker, as far as it affects calls.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Speaker {
    Model,
    Call,
    Tool,
    Other,
}

fn speaker(message: &Node<'_>) -> Option<Speaker> {
    Some(match message.any(&["from", "role"])?.str()? {
        "gpt" | "assistant" | "model" | "chatgpt" | "bot" => Speaker::Model,
        "function_call" | "function-call" | "tool_call" | "tool-call" => Speaker::Call,
        "tool" | "observation" | "function" | "function_response" | "function-response"
        | "tool_response" | "tool-response" => Speaker::Tool,
        _ => Speaker::Other,
    })
}

/// The text of a message, in either form.
fn text<'n>(message: &'n Node<'_>) -> Option<&'n str> {
    message.any(&["value", "content"]).and_then(Node::str)
}

fn calls_in_text(message: &Node<'_>) -> bool {
    text(message).is_some_and(|text| text.contains(CALL)) && message.list("tool_calls").is_empty()
}

/// The opening tag of a call, and the tags of a result.
const CALL: &str = "<tool_call>";
const RESULT: (&str, &str) = ("<tool_response>", "</tool_response>");

/// The texts between two tags; the last may lack its end tag.
fn between<'t>(text: &'t str, tags: (&'t str, &'t str)) -> impl Iterator<Item = &'t str> {
    text.split(tags.0).skip(1).map(move |rest| {
        let inside = rest.split_once(tags.1).map_or(rest, |(inside, _)| inside);
        inside.trim()
    })
}

fn message(message: &Node<'_>, conversation: &mut Conversation) {
    let Some((text, speaker)) = text(message).zip(speaker(message)) else {
        if message.has("role") && !message.has("from") {
            return openai_chat::message(message, conversation);
        }
        conversation.message();
        return conversation.note_irregular("a message without a text or a speaker");
    };
    let says_calls = speaker == Speaker::Model && calls_in_text(message);
    let says_results = text.contains(RESULT.0);
    let is_plain = matches!(speaker, Speaker::Model | Speaker::Other)
        || message.has_any(&["tool_call_id", "name"]);
    if !says_calls && is_plain && !says_results && !message.has("from") {
        return openai_chat::message(message, conversation);
    }
    conversation.message();
    if matches!(speaker, Speaker::Model | Speaker::Call) {
        conversation.note_agent_message(message);
    }
    match speaker {
        // The reader looks for calls in all of the model's texts.
        _ if says_calls => {}
        Speaker::Call => calls(text, conversation),
        _ if says_results => {
            between(text, RESULT).for_each(|it| results(it, conversation));
        }
        Speaker::Tool => results(text, conversation),
        Speaker::Other => {
            const OTHERS: [&str; 4] = ["human", "user", "system", "developer"];
            let who = message.any(&["from", "role"]).and_then(Node::str);
            if let Some(who) = who.filter(|who| !OTHERS.contains(who)) {
                conversation.left_over(format!("a message from `{who}`"));
            }
        }
        Speaker::Model => {}
    }
}

/// The value in a text as JSON; `None` unless the text is JSON or a Python literal.
fn value_in(text: &str) -> Option<String> {
    let (value, kind) = argument_text(&Text::from(text.to_owned()));
    let is_value = !matches!(kind, ArgumentText::Invalid | ArgumentText::Empty);
    is_value.then(|| JsonText::from_value(&value).into_string())
}

/// The call in a text, or the calls of a list.
fn calls(text: &str, conversation: &mut Conversation) {
    let json = value_in(text);
    let node = json
        .as_deref()
        .and_then(|json| Node::parse(json, MAX_DEPTH).ok());
    let calls = node.as_ref().map_or(&[][..], Node::items_or_self);
    if calls.is_empty() || calls.iter().any(|call| call.name_at(&["name"]).is_none()) {
        return conversation.note_irregular("the text of a call that cannot be read");
    }
    for call in calls {
        conversation.call(TraceCall::from_node(
            call,
            &["name"],
            &["arguments", "parameters"],
            &["id"],
        ));
    }
}

/// The results in a text: one, possibly with the name of its tool, or a list.
fn results(text: &str, conversation: &mut Conversation) {
    const OUTPUTS: [&str; 4] = ["content", "results", "result", "output"];
    let json = value_in(text);
    let node = json
        .as_deref()
        .and_then(|json| Node::parse(json, MAX_DEPTH).ok());
    let named = node.as_ref().map_or(&[][..], Node::items_or_self);
    let is_named = |it: &Node<'_>| it.name_at(&["name"]).is_some() && it.any(&OUTPUTS).is_some();
    if !named.is_empty() && named.iter().all(is_named) {
        for it in named {
            conversation.result(CallResult::from_node(it, &[], &["name"], &OUTPUTS));
        }
        return;
    }
    conversation.result(CallResult {
        output: Some(json_text(&Text::from(text.to_owned()))),
        ..CallResult::default()
    });
}

#[cfg(test)]
mod tests {
    use crate::tests::{check, error_of};

    #[test]
    fn calls_stand_in_texts_as_json_or_as_python() {
        check(
            "sharegpt",
            r#"{"id":"s","conversations":[{"from":"system","value":"Answer in <tool_call> and </tool_call>."},{"from":"human","value":"q"},
                {"from":"gpt","value":"<tool_call>\n{\"name\": \"find\", \"arguments\": {\"id\": 7}}\n</tool_call>\n<tool_call>\n{'arguments': {'ok': True}, 'name': 'look'}\n</tool_call>"},
                {"from":"tool","value":"<tool_response>\n{\"name\": \"look\", \"content\": {\"n\": 1}}\n</tool_response>\n<tool_response>\nx\n</tool_response>"},
                {"from":"function_call","value":"[{\"name\": \"ask\", \"arguments\": {}}]"},{"from":"observation","value":"y"},{"from":"gpt","value":"done"}]}"#,
            &[
                r#"find({"id": 7}) @2 group-1 -> "x""#,
                r#"look({"ok":true}) @2 group-1 -> {"n":1}"#,
                r#"ask({}) @4 -> "y""#,
            ],
        );
        check(
            "sharegpt",
            r#"[{"role":"user","content":"q"},{"role":"assistant","content":"<tool_call>{\"name\": \"find\", \"arguments\": {}}</tool_call>"},{"role":"user","content":"<tool_response>x</tool_response>"}]"#,
            &[r#"find({}) @1 -> "x""#],
        );
    }

    #[test]
    fn a_call_that_cannot_be_read_is_no_run_without_calls() {
        check(
            "sharegpt",
            r#"{"conversations":[{"from":"gpt","value":"<tool_call>{\"name\": \"find\", \"argum"}]}"#,
            &[r#"find("{\"name\": \"find\", \"argum") @0"#],
        );
        let text = r#"{"conversations":[{"from":"function_call","value":"find the order"}]}"#;
        let error = error_of("sharegpt", text, crate::Choices::default());
        assert!(
            error
                .found
                .contains("the text of a call that cannot be read"),
            "{}",
            error.found
        );
    }

    #[test]
    fn calls_and_results_may_have_roles_of_their_own() {
        for (call, answer) in [
            ("tool_call", "tool_response"),
            ("function_call", "observation"),
        ] {
            check(
                "sharegpt",
                &format!(
                    r#"{{"tools":"[]","messages":[{{"role":"user","content":"q"}},{{"role":"{call}","content":"{{\"name\": \"find\", \"arguments\": {{\"id\": 7}}}}"}},{{"role":"{answer}","content":"1"}},{{"role":"assistant","content":"done"}}]}}"#
                ),
                &[r#"find({"id":7}) @1 -> "1""#],
            );
        }
    }

    #[test]
    fn one_message_may_hold_the_results_of_several_calls() {
        check(
            "sharegpt",
            r#"{"conversations":[{"from":"user","value":"q"},{"from":"assistant","value":"[find(id=7), look(n=2)]"},
                {"from":"tool","value":"[{\"name\":\"look\",\"results\":{\"v\":2}},{\"name\":\"find\",\"results\":{\"v\":1}}]"},{"from":"assistant","value":"done"}]}"#,
            &[
                r#"find({"id":7}) @1 group-1 -> {"v":1}"#,
                r#"look({"n":2}) @1 group-1 -> {"v":2}"#,
            ],
        );
    }
}
