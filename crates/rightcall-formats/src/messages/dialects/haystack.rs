//! Messages of Haystack, in all versions of `ChatMessage.to_dict`.

use crate::format::{Format, MessageDialect, Priority, Reading};
use crate::messages::ending::note_alternatives;
use crate::messages::parts::pass_over_member;
use crate::node::Node;
use crate::trace::role::is_of_model;
use crate::trace::{CallResult, Conversation, TraceArguments, TraceCall};

static DIALECT: MessageDialect = MessageDialect {
    mark: "content parts with tool_call or tool_call_result",
    decides: |message| {
        let body = body(message);
        body.has("_role") || parts(body).iter().any(is_action) || is_part(message)
    },
    owns: |value| !wrapped(value).is_empty(),
    is_message: |value| body(value).has("_role") || is_part(value),
    reply: |value| Some(wrapped(value)).filter(|messages| !messages.is_empty()),
    message,
    keys: &["_role"],
    ..MessageDialect::BASE
};

pub(super) static ENTRY: Format = Format {
    name: "haystack",
    title: "Haystack messages",
    summary: "messages whose `content` or `_content` has parts with `tool_call` or `tool_call_result`",
    reads: &[
        ("calls", "content parts with `tool_call`: `tool_name`"),
        ("arguments", "`arguments`"),
        ("results", "content parts with `tool_call_result`: `result`"),
        ("ids", "`id` of the call, `origin.id` of the result; without ids, the tool's name"),
        ("errors", "`error`"),
        ("order", "the order of messages; calls of one message are parallel"),
    ],
    lacks: &["times"],
    notes: "What `ChatMessage.to_dict` returns, before and since version 2.12, also inside `init_parameters`; the output of agents and chat
generators (`messages`, `replies`), alone or under the name of their component; serialized data of a pipeline, and the tag
`haystack.component.output` of a trace.",
    extensions: &["json", "jsonl"],
    example: r#"[{"role":"assistant","meta":{"finish_reason":"tool_calls"},"name":null,"content":[{"tool_call":{"tool_name":"find_order","arguments":{"id":7},"id":"c1","extra":null}}]},
 {"role":"tool","meta":{},"name":null,"content":[{"tool_call_result":{"result":"shipped","origin":{"tool_name":"find_order","arguments":{"id":7},"id":"c1","extra":null},"error":false}}]}]"#,
    priority: Priority::Messages,
    reading: Reading::Messages(&DIALECT),
};

/// The message in a value that may name its class.
fn body<'n, 'a>(message: &'n Node<'a>) -> &'n Node<'a> {
    message.inner(&["init_parameters", "data"])
}

fn parts<'n, 'a>(message: &'n Node<'a>) -> &'n [Node<'a>] {
    message.any_list(&["content", "_content"])
}

/// True for a part without its message.
fn is_part(node: &Node<'_>) -> bool {
    is_action(node) && !node.has_any(&["role", "content"])
}

fn is_action(part: &Node<'_>) -> bool {
    let call = part.get("tool_call").and_then(|it| it.get("tool_name"));
    call.or_else(|| part.at(&["tool_call_result", "origin"]))
        .is_some()
}

/// The messages in the output of a component or pipeline.
fn wrapped<'n, 'a>(value: &'n Node<'a>) -> Vec<&'n Node<'a>> {
    let output = value
        .any(&["haystack.component.output", "serialized_data"])
        .unwrap_or(value);
    // A pipeline returns the output of its only last component under its name.
    let output = match output.entries() {
        [(_, inner)] if inner.is_object() => inner,
        _ => output,
    };
    let mut lists = ["messages", "replies"].iter().map(|key| output.list(key));
    let is_own = |messages: &&[Node<'_>]| messages.iter().any(DIALECT.decides);
    lists.find(is_own).unwrap_or_default().iter().collect()
}

/// Notes a reply that is another choice of its generator than the first.
fn note_choice(body: &Node<'_>, conversation: &mut Conversation) {
    let meta = body.any(&["meta", "_meta"]);
    let index = meta
        .and_then(|meta| meta.whole_at("index"))
        .unwrap_or_default();
    if parts(body).iter().any(is_action) {
        note_alternatives(usize::try_from(index + 1).unwrap_or_default(), conversation);
    }
}

fn message(message: &Node<'_>, conversation: &mut Conversation) {
    let body = body(message);
    conversation.message();
    let (is_said, parts) = if is_part(message) {
        (true, std::slice::from_ref(message))
    } else {
        (is_of_model(message), parts(body))
    };
    if is_said {
        conversation.note_agent_message(message);
        note_choice(body, conversation);
    }
    for part in parts {
        if let Some(call) = member(part, "tool_call", ["tool_name", "arguments"]) {
            let call = self::call(call);
            if is_said {
                conversation.call(call);
            } else {
                conversation.call_of_other(call);
            }
        } else if let Some(result) = member(part, "tool_call_result", ["origin", "result"]) {
            conversation.result(self::result(result));
        } else if is_said {
            pass_over_member(part, &["reasoning", "image", "file"], conversation);
        }
    }
}

/// The member of a part. The dictionary of the class has the keys of the member in place of the part.
fn member<'n, 'a>(part: &'n Node<'a>, key: &str, own: [&str; 2]) -> Option<&'n Node<'a>> {
    let alone = || own.iter().all(|key| part.has(key)).then_some(part);
    part.get(key).or_else(alone)
}

fn call(call: &Node<'_>) -> TraceCall {
    TraceCall::from_node(call, &["tool_name"], &["arguments"], &["id"])
}

/// A result contains its call.
fn result(result: &Node<'_>) -> CallResult {
    let origin = result.get("origin").unwrap_or(result);
    CallResult {
        id: origin.label_at(&["id"]),
        name: origin.label_at(&["tool_name"]),
        arguments: origin.get("arguments").map(TraceArguments::from_node),
        ..CallResult::from_node(result, &[], &[], &["result"])
    }
    .failed_if(result.is_set("error"))
}

#[cfg(test)]
mod tests {
    use crate::tests::{check, evidence};

    const NEW: &str = r#"{"role":"assistant","meta":{},"name":null,"content":[{"text":"t"},{"reasoning":{"reasoning_text":"r","extra":{}}},{"tool_call":{"tool_name":"find","arguments":{"id":7},"id":"a","extra":null}}]},{"role":"tool","meta":{},"name":null,"content":[{"tool_call_result":{"result":"x","origin":{"tool_name":"find","arguments":{"id":7},"id":"a"},"error":false}}]}"#;

    #[test]
    fn messages_of_all_versions_and_places_hold_the_same() {
        let messages = format!("[{NEW}]");
        let mut older = messages.clone();
        for key in ["role", "content", "name", "meta"] {
            older = older.replace(&format!("\"{key}\":"), &format!("\"_{key}\":"));
        }
        let classes = older
            .replace(r#"{"_role""#, r#"{"type":"haystack.dataclasses.chat_message.ChatMessage","init_parameters":{"_role""#)
            .replace("]},{", "]}},{")
            .replace("]}]", "]}}]");
        for text in [
            messages.clone(),
            older,
            classes,
            format!(r#"{{"messages":{messages},"last_message":null}}"#),
            format!(r#"{{"agent":{{"messages":{messages}}}}}"#),
            format!(r#"{{"llm":{{"replies":{messages}}}}}"#),
            format!(
                r#"{{"serialization_schema":{{}},"serialized_data":{{"messages":{messages}}}}}"#
            ),
            format!(
                r#"{{"haystack.component.name":"llm","haystack.component.output":{{"replies":{messages}}}}}"#
            ),
        ] {
            check("haystack", &text, &[r#"find({"id":7}) a @0 -> "x""#]);
        }
    }

    #[test]
    fn a_message_as_a_dictionary_of_its_class_holds_the_same() {
        check(
            "haystack",
            r#"[{"_role":"assistant","_content":[{"text":"t"},{"tool_name":"find","arguments":{"id":7},"id":"a","extra":null}],"_name":null,"_meta":{}},{"_role":"tool","_content":[{"result":"x","origin":{"tool_name":"find","arguments":{"id":7},"id":"a"},"error":false}],"_name":null,"_meta":{}}]"#,
            &[r#"find({"id":7}) a @0 -> "x""#],
        );
    }

    #[test]
    fn without_ids_a_result_finds_its_call_by_the_name_of_the_tool() {
        let call = |name: &str| {
            format!(r#"{{"tool_call":{{"tool_name":"{name}","arguments":{{}},"id":null}}}}"#)
        };
        let result = |name: &str, failed: bool| {
            format!(
                r#"{{"role":"tool","content":[{{"tool_call_result":{{"result":"{name}","origin":{{"tool_name":"{name}","arguments":{{}},"id":null}},"error":{failed}}}}}]}}"#
            )
        };
        let (f, g) = (call("f"), call("g"));
        check(
            "haystack",
            &format!(
                r#"[{{"role":"assistant","content":[{f},{g}]}},{},{}]"#,
                result("g", false),
                result("f", true)
            ),
            &[
                r#"f({}) @0 group-1 -> "f" error true"#,
                r#"g({}) @0 group-1 -> "g""#,
            ],
        );
    }

    #[test]
    fn a_message_that_ended_for_a_call_must_have_one() {
        let message = |content: &str| {
            format!(
                r#"[{{"_role":"assistant","_meta":{{"finish_reason":"tool_calls"}},"_name":null,"_content":[{content}]}}]"#
            )
        };
        assert_eq!(
            evidence("haystack", &message(r#"{"text":"x"}"#))[1..],
            ["1 finish reason `tool_calls` without a call"]
        );
    }
}
