//! Messages of Azure AI agents in the form of its evaluators: calls and results are parts of the content.

use rightcall_core::value::Text;

use super::openai_chat;
use crate::format::{Format, MessageDialect, Priority, Reading};
use crate::messages::output_of;
use crate::messages::parts::pass_over;
use crate::node::Node;
use crate::trace::role::is_of_model;
use crate::trace::{CallResult, Conversation, TraceCall};

static DIALECT: MessageDialect = MessageDialect {
    mark: "content parts of type tool_call or tool_result",
    decides: |message| {
        message.has("role") && message.holds("content", |part| is_call(part) || is_result(part))
    },
    message,
    ..MessageDialect::BASE
};

pub(super) static ENTRY: Format = Format {
    name: "azure",
    title: "Azure AI agent messages",
    summary: "messages whose content has parts of type `tool_call` and `tool_result`",
    reads: &[
        ("calls", "content parts of type `tool_call` in messages of the assistant: `name`, or an inner `tool_call.function`"),
        ("arguments", "`arguments`"),
        ("results", "content parts of type `tool_result`: `tool_result`"),
        ("ids", "`tool_call_id` of the part, of a result that of the message"),
        ("order", "the order of messages; calls of one message are parallel"),
    ],
    lacks: &["times", "whether a result is an error"],
    notes: "What the converters of the Azure AI evaluation library make of the threads of an agent. Rows with `query` and `response` for its
evaluators are [`azure-rows`](azure-rows.md): the calls of the response count.",
    extensions: &["json", "jsonl"],
    example: r#"[{"role":"assistant","content":[{"type":"tool_call","tool_call_id":"c1","name":"find_order","arguments":{"id":7}}]},
 {"role":"tool","tool_call_id":"c1","content":[{"type":"tool_result","tool_result":{"state":"shipped"}}]}]"#,
    priority: Priority::Messages,
    reading: Reading::Messages(&DIALECT),
};

fn is_call(part: &Node<'_>) -> bool {
    part.says("type", "tool_call") && (part.has("name") || part.get("tool_call").is_some())
}

fn is_result(part: &Node<'_>) -> bool {
    part.says("type", "tool_result") && part.has("tool_result")
}

/// Roles of the agent in other formats. Azure's evaluators count calls of the role `assistant` alone, and its library writes no other.
const OTHER_MODELS: [&str; 4] = ["ai", "model", "bot", "gpt"];

const CALL_OF_OTHER_ROLE: &str = "a call of the agent in a message whose role is not `assistant`";

fn message(message: &Node<'_>, conversation: &mut Conversation) {
    let parts = message.list("content");
    if !parts.iter().any(|part| is_call(part) || is_result(part)) {
        return openai_chat::message(message, conversation);
    }
    conversation.message();
    let answered = message.label_at(&["tool_call_id"]);
    // Content blocks of LangChain have `args`, and the type of the message as the role.
    let is_own = |part: &Node<'_>| {
        message.says("role", "assistant") || part.has("args") && is_of_model(message)
    };
    for part in parts {
        if is_result(part) {
            result(part, answered.as_ref(), conversation);
        } else if part.says("type", "tool_call") {
            if is_own(part) {
                conversation.call(call(part));
            } else {
                if OTHER_MODELS.iter().any(|role| message.says("role", role)) {
                    conversation.left_over(CALL_OF_OTHER_ROLE);
                }
                conversation.call_of_other(TraceCall {
                    actor: message.label_at(&["role"]),
                    ..call(part)
                });
            }
        }
    }
    if is_of_model(message) {
        let others = parts
            .iter()
            .filter(|part| !part.says("type", "tool_call") && !is_result(part));
        others.for_each(|part| pass_over(part, conversation));
    }
}

/// Reads a result; the id of its call may be on the message only.
fn result(part: &Node<'_>, answered: Option<&Text<'static>>, conversation: &mut Conversation) {
    conversation.result(CallResult {
        id: part
            .label_at(&["tool_call_id"])
            .or_else(|| answered.cloned()),
        output: part.get("tool_result").map(output_of),
        ..CallResult::default()
    });
}

/// A call; the function may be nested.
pub(crate) fn call(part: &Node<'_>) -> TraceCall {
    let call = part.get("tool_call").unwrap_or(part);
    let function = call
        .get("function")
        .filter(|it| it.is_object())
        .unwrap_or(call);
    TraceCall {
        id: part
            .label_at(&["tool_call_id", "id"])
            .or_else(|| call.label_at(&["id"])),
        ..TraceCall::from_node(function, &["name"], &["arguments", "args"], &[])
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::check;

    #[test]
    fn parts_are_calls_and_results() {
        check(
            "azure",
            r#"[{"role":"user","content":[{"type":"text","text":"q"}]},
                {"role":"assistant","run_id":"r","content":[{"type":"tool_call","tool_call_id":"a","name":"find","arguments":{"id":7}},
                    {"type":"tool_call","tool_call":{"id":"b","type":"function","function":{"name":"look","arguments":{}}}}]},
                {"role":"tool","tool_call_id":"b","content":[{"type":"tool_result","tool_result":[1]}]},
                {"role":"tool","tool_call_id":"a","content":[{"type":"tool_result","tool_result":"x"}]}]"#,
            &[
                r#"find({"id":7}) a @1 group-1 -> "x""#,
                "look({}) b @1 group-1 -> [1]",
            ],
        );
    }

    #[test]
    fn calls_are_the_assistants() {
        let call = r#"[{"type":"tool_call","tool_call_id":"a","name":"find","arguments":{}}]"#;
        let said = |role: &str| {
            format!(
                r#"[{{"role":"{role}","content":{call}}},{{"role":"assistant","content":[{{"type":"text","text":"x"}}]}}]"#
            )
        };
        for role in ["user", "system", "tool", "agent", "Assistant", " assistant"] {
            check("azure", &said(role), &["1 of other actors"]);
        }
        let block = said("ai").replace("arguments", "args");
        check("azure", &block, &["find({}) a @0"]);
    }
}
