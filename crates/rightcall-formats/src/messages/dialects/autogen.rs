//! Messages and states of `AutoGen`, version 0.4 and later.

use rightcall_core::value::Text;

use crate::format::{Format, MessageDialect, Priority, Reading};
use crate::messages::in_text::read_text;
use crate::messages::listed::{each_call, holds_call};
use crate::messages::name_speaker;
use crate::messages::parts::{names_action, pass_over};
use crate::node::Node;
use crate::trace::{CallResult, CaseScope, Conversation, TraceCall, time};

static DIALECT: MessageDialect = MessageDialect {
    mark: "messages of type ToolCallRequestEvent or ToolCallExecutionEvent",
    decides: |message| {
        matches!(
            message.str_at("type"),
            Some(
                "ToolCallRequestEvent"
                    | "ToolCallExecutionEvent"
                    | "FunctionExecutionResultMessage"
            )
        ) || message.says("type", "AssistantMessage") && message.list("content").iter().any(is_call)
            || message.has("source") && message.has("models_usage") && message.has("type")
    },
    owns: |value| is_state(value) || value.has("agent_states") || is_response(value),
    message,
    reply: |value| {
        let inner = value.list("inner_messages").iter();
        is_response(value).then(|| inner.chain(value.get("chat_message")).collect())
    },
    is_event: |value| value.says("type", "ToolCallSummaryMessage"),
    ..MessageDialect::BASE
};

pub(super) static ENTRY: Format = Format {
    name: "autogen",
    title: "AutoGen messages",
    summary: "messages of type `ToolCallRequestEvent` and `ToolCallExecutionEvent`, results of tasks, states of agents and teams",
    reads: &[
        ("calls", "`content[]` of `ToolCallRequestEvent`, in states of `AssistantMessage`"),
        ("arguments", "`arguments`"),
        ("results", "`content[]` of `ToolCallExecutionEvent` and `FunctionExecutionResultMessage`: `content`"),
        ("ids", "`id`, `call_id`"),
        ("errors", "`is_error`"),
        ("times", "`created_at` of the message that asks, and of the one that answers"),
        ("order", "the order of messages; calls of one message are parallel"),
    ],
    lacks: &["times, in states"],
    notes: "What `run` of an agent or a team of AgentChat gives, as JSON (`TaskResult`, `Response`), its messages one a line, and what `save_state` gives. A
`ToolCallSummaryMessage` repeats calls and is passed over. The state of a team is one trajectory, agent after agent. Chats of AutoGen 0.2
and of AG2 are [`openai-chat`](openai-chat.md).",
    extensions: &["json", "jsonl"],
    example: r#"{"messages":[{"id":"m1","source":"shop","content":[{"id":"c1","name":"find_order","arguments":"{\"id\": 7}"}],"type":"ToolCallRequestEvent"},{"id":"m2","source":"shop","content":[{"content":"shipped","name":"find_order","call_id":"c1","is_error":false}],"type":"ToolCallExecutionEvent"}],"stop_reason":null}"#,
    priority: Priority::Messages,
    reading: Reading::Messages(&DIALECT),
};

fn is_call(item: &Node<'_>) -> bool {
    item.has("name") && item.has("arguments")
}

/// True for the response of an agent, with the messages before its own.
fn is_response(value: &Node<'_>) -> bool {
    value.has("inner_messages") && value.get("chat_message").is_some_and(|it| it.has("source"))
}

/// True for the state of an agent, with the context of its model.
fn is_state(value: &Node<'_>) -> bool {
    value.at(&["llm_context", "messages"]).is_some()
}

fn message(message: &Node<'_>, conversation: &mut Conversation) {
    if message.has("agent_states") {
        let states = message.get("agent_states").map_or(&[][..], Node::entries);
        for (name, state) in states {
            // The key consists of the names of the agent and its session.
            conversation.enter(CaseScope::Agent, || {
                let name = name.to_display();
                Some(Text::from(name.split('/').next()?.to_owned()))
            });
            if let Some(state) = state.get("agent_state") {
                self::message(state, conversation);
            }
        }
        return;
    }
    if is_state(message) {
        let messages = message.list_at(&["llm_context", "messages"]);
        for message in messages {
            name_speaker(message, conversation);
            let before = conversation.calls_read();
            self::message(message, conversation);
            if conversation.calls_read() == before {
                read_text(message, conversation);
            }
        }
        return;
    }
    conversation.message();
    let at = message.get("created_at").and_then(time::from_log);
    if is_of_agent(message) {
        conversation.note_agent_message(message);
    }
    match message.str_at("type") {
        // A summary repeats the calls and results before it.
        Some("ToolCallSummaryMessage") => {}
        Some("ToolCallExecutionEvent" | "FunctionExecutionResultMessage") => {
            for item in message.list("content") {
                result(item, at, conversation);
            }
        }
        kind => {
            let asks = kind == Some("ToolCallRequestEvent");
            // Such as `CodeExecutionEvent`.
            let is_action = !asks && kind.is_some_and(names_action);
            if let Some(kind) = kind.filter(|_| is_action) {
                conversation.left_over(format!("a message of the type `{kind}`"));
            }
            for item in message.list("content") {
                // A request consists of calls only, even incomplete ones.
                if is_call(item) || asks && item.is_object() {
                    conversation.call(call(item, at));
                } else if is_of_agent(message) && !holds_call(message, "content", is_call) {
                    pass_over(item, conversation);
                }
            }
            let before = conversation.calls_read();
            calls_in_text(message, at, conversation);
            if is_of_agent(message) && conversation.calls_read() == before {
                conversation.look_into(message.get("content"));
            }
        }
    }
}

fn call(item: &Node<'_>, at: Option<i128>) -> TraceCall {
    TraceCall {
        start: at,
        ..TraceCall::from_node(item, &["name"], &["arguments"], &["id"])
    }
}

/// Reads calls from content that is JSON text.
fn calls_in_text(message: &Node<'_>, at: Option<i128>, conversation: &mut Conversation) {
    let content = message.get("content").map_or(&[][..], Node::items_or_self);
    let is_text = content.iter().all(|item| item.text().is_some());
    if is_text && holds_call(message, "content", is_call) {
        each_call(
            message,
            "content",
            conversation,
            &mut |item, _, conversation| {
                conversation.call(call(item, at));
            },
        );
    }
}

/// True for a message of an agent in the team; the user may have any name too.
fn is_of_agent(message: &Node<'_>) -> bool {
    let source = message.str_at("source");
    let kind = message.str_at("type").unwrap_or_default();
    let is_of_team = source.is_some_and(|source| !source.to_ascii_lowercase().starts_with("user"));
    let is_result = matches!(
        kind,
        "ToolCallExecutionEvent" | "FunctionExecutionResultMessage"
    );
    let is_said = kind.ends_with("Message") && !matches!(kind, "UserMessage" | "SystemMessage");
    is_of_team && !is_result && (is_said || kind.ends_with("Event"))
}

fn result(item: &Node<'_>, at: Option<i128>, conversation: &mut Conversation) {
    let result = CallResult::from_node(item, &["call_id"], &["name"], &["content"]);
    conversation.result_at(at, result.failed_if(item.is_set("is_error")));
}

#[cfg(test)]
mod tests {
    use crate::tests::{check, error_of};

    const ASKED: &str = r#"[{"id":"a","arguments":"{\"id\": 7}","name":"find"},{"id":"b","arguments":"{}","name":"look"}]"#;
    const ANSWERED: &str = r#"[{"content":"x","name":"find","call_id":"a","is_error":false},{"content":"gone","name":"look","call_id":"b","is_error":true}]"#;
    const FOUND: [&str; 2] = [
        r#"find("{\"id\": 7}") a @1 group-1 -> "x""#,
        r#"look("{}") b @1 group-1 -> "gone" error true"#,
    ];

    #[test]
    fn a_summary_repeats_what_messages_say() {
        let messages = [
            r#"{"source":"user","content":"q","type":"TextMessage"}"#.to_owned(),
            format!(r#"{{"source":"a","content":{ASKED},"type":"ToolCallRequestEvent"}}"#),
            format!(r#"{{"source":"a","content":{ANSWERED},"type":"ToolCallExecutionEvent"}}"#),
            format!(
                r#"{{"source":"a","content":"x","type":"ToolCallSummaryMessage","tool_calls":{ASKED},"results":{ANSWERED}}}"#
            ),
        ];
        let list = messages.join(",");
        for text in [
            format!(r#"{{"messages":[{list}],"stop_reason":null}}"#),
            format!("[{list}]"),
            messages.join("\n"),
        ] {
            check("autogen", &text, &FOUND);
        }
    }

    #[test]
    fn states_hold_what_the_model_was_shown() {
        let state = format!(
            r#"{{"type":"AssistantAgentState","version":"1.0.0","llm_context":{{"messages":[{{"content":"q","source":"user","type":"UserMessage"}},{{"content":{ASKED},"source":"a","type":"AssistantMessage"}},{{"content":{ANSWERED},"type":"FunctionExecutionResultMessage"}}]}}}}"#
        );
        check("autogen", &state, &FOUND);
        let team = format!(
            r#"{{"type":"TeamState","version":"1.0.0","agent_states":{{"shop/1":{{"type":"ChatAgentContainerState","agent_state":{state},"message_buffer":[]}}}}}}"#
        );
        check("autogen", &team, &FOUND);
    }

    #[test]
    fn a_request_holds_calls_whatever_they_lack() {
        let text = r#"[{"source":"a","content":[{"id":"c","arguments":"{}"}],"type":"ToolCallRequestEvent"}]"#;
        let error = error_of("autogen", text, crate::Choices::default());
        assert_eq!(error.expected, "the name of a tool in each call");
    }

    #[test]
    fn code_that_an_agent_ran_is_left_over() {
        let text = r#"[{"source":"a","models_usage":null,"content":null,"result":{"output":"1","exit_code":0},"type":"CodeExecutionEvent"}]"#;
        crate::tests::check_gaps(
            "autogen",
            text,
            &["a message of the type `CodeExecutionEvent`"],
        );
    }
}
