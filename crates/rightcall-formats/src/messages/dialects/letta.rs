//! Messages of Letta.

use crate::format::{Format, MessageDialect, Priority, Reading};
use crate::messages::parts::{holds_object, is_plain_part, names_action, pass_over};
use crate::messages::text_of;
use crate::node::Node;
use crate::trace::{CallResult, Conversation, TraceCall};

static DIALECT: MessageDialect = MessageDialect {
    mark: "message_type: tool_call_message",
    decides: is_message,
    is_message,
    keys: &["message_type"],
    message,
    ..MessageDialect::BASE
};

pub(super) static ENTRY: Format = Format {
    name: "letta",
    title: "Letta messages",
    summary: "messages of `message_type: tool_call_message`, `tool_return_message`",
    reads: &[
        (
            "calls",
            "`tool_call` or `tool_calls` of `tool_call_message` and `approval_request_message`",
        ),
        ("arguments", "`arguments`"),
        (
            "results",
            "`tool_return` of `tool_return_message`, or each of its `tool_returns`",
        ),
        ("ids", "`tool_call_id`"),
        ("errors", "`status: error`"),
        ("question", "the first `user_message`"),
        (
            "order",
            "the order of messages; calls of one message are parallel",
        ),
    ],
    lacks: &["when a call ended"],
    notes: "Responses of the server and of its clients, and their messages in a list or one a line.",
    extensions: &["json", "jsonl"],
    example: r#"[{"id":"m1","message_type":"tool_call_message","tool_call":{"name":"find_order","arguments":"{\"id\":7}","tool_call_id":"c1"}},
 {"id":"m2","message_type":"tool_return_message","tool_call_id":"c1","status":"success","tool_return":"shipped"}]"#,
    priority: Priority::Messages,
    reading: Reading::Messages(&DIALECT),
};

fn is_message(message: &Node<'_>) -> bool {
    let kind = message.str_at("message_type");
    kind.is_some_and(|kind| kind.ends_with("_message"))
}

/// The items of a list, or else the single one.
fn listed<'n, 'a>(list: &'n [Node<'a>], one: Option<&'n Node<'a>>) -> Vec<&'n Node<'a>> {
    if list.is_empty() {
        one.into_iter().collect()
    } else {
        list.iter().collect()
    }
}

fn message(message: &Node<'_>, conversation: &mut Conversation) {
    conversation.message();
    match message.str_at("message_type").unwrap_or_default() {
        "user_message" => {
            conversation.question(|| message.get("content").and_then(text_of));
        }
        "assistant_message" | "reasoning_message" | "hidden_reasoning_message" => {
            conversation.note_agent_message(message);
            if message.says("message_type", "assistant_message") {
                conversation.look_into(Some(message));
            }
            let parts = message.list("content").iter();
            let unknown = parts.filter(|part| !is_plain_part(part));
            unknown.for_each(|part| pass_over(part, conversation));
        }
        "tool_call_message" | "approval_request_message" => {
            for call in listed(message.list("tool_calls"), message.get("tool_call")) {
                let (name, arguments, id) = (&["name"], &["arguments"], &["tool_call_id"]);
                conversation.call(TraceCall::from_node(call, name, arguments, id));
            }
        }
        "tool_return_message" => {
            for result in listed(message.list("tool_returns"), Some(message)) {
                let outputs = &["tool_return", "func_response"];
                let read = CallResult::from_node(result, &["tool_call_id"], &["name"], outputs);
                conversation.result(read.failed_if(result.says("status", "error")));
            }
        }
        "approval_response_message" | "system_message" | "usage_statistics" | "stop_reason" => {}
        other => {
            if names_action(other) || holds_object(message) {
                conversation.left_over(format!("a message of the type `{other}`"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::{check, evidence};

    #[test]
    fn calls_and_returns_may_be_lists() {
        check(
            "letta",
            r#"{"messages":[{"message_type":"user_message","content":"q"},
                {"message_type":"tool_call_message","tool_call":{"name":"find","arguments":"{}","tool_call_id":"a"},
                    "tool_calls":[{"name":"find","arguments":"{}","tool_call_id":"a"},{"name":"look","arguments":"{}","tool_call_id":"b"}]},
                {"message_type":"tool_return_message","tool_call_id":"a","status":"success","tool_return":"x",
                    "tool_returns":[{"tool_call_id":"b","status":"error","tool_return":"no"},{"tool_call_id":"a","status":"success","tool_return":"x"}]}]}"#,
            &[
                r#"find("{}") a @1 group-1 -> "x""#,
                r#"look("{}") b @1 group-1 -> "no" error true"#,
            ],
        );
    }

    #[test]
    fn an_answer_is_a_turn_of_the_agent_and_an_unknown_action_is_left_over() {
        let told = |kind: &str| {
            let message = format!(r#"[{{"message_type":"{kind}","content":"x"}}]"#);
            evidence("letta", &message)
        };
        assert_eq!(told("assistant_message"), ["spoke"]);
        assert_eq!(told("user_message"), ["silent"]);
        assert_eq!(
            told("tool_batch_message"),
            ["silent", "1 a message of the type `tool_batch_message`"]
        );
    }
}
