//! Session events of Anthropic's managed agents.

use super::anthropic::content_result;
use crate::format::{Format, MessageDialect, Priority, Reading};
use crate::messages::ending::without_call;
use crate::messages::output_of;
use crate::messages::parts::pass_over;
use crate::messages::refusal::mark_refused;
use crate::node::Node;
use crate::trace::{Conversation, TraceCall, time};

static DIALECT: MessageDialect = MessageDialect {
    mark: "events of type agent.tool_use",
    decides: |event| is_call(event) || result_id(event).is_some(),
    is_message: |event| {
        let kind = event.str_at("type").unwrap_or_default();
        let mut kinds = ["agent.", "session.", "span.", "user."].iter();
        kinds.any(|of| kind.starts_with(of))
    },
    message,
    ..MessageDialect::BASE
};

pub(super) static ENTRY: Format = Format {
    name: "managed-agents",
    title: "Anthropic managed agents",
    summary: "events of sessions, of type `agent.tool_use`, `agent.mcp_tool_use` and `agent.custom_tool_use`",
    reads: &[
        ("calls", "events of type `agent.tool_use`, `agent.mcp_tool_use`, `agent.custom_tool_use`"),
        ("arguments", "`input`"),
        ("results", "events of type `agent.tool_result`, `agent.mcp_tool_result`, `user.custom_tool_result`: `content`"),
        ("ids", "`id`; `tool_use_id`, `mcp_tool_use_id`, `custom_tool_use_id`"),
        ("errors", "`is_error`"),
        ("calls that a human refused", "`user.tool_confirmation` with the result `deny`"),
        ("times", "`processed_at`"),
        ("order", "the order of events; calls with nothing between them are parallel"),
    ],
    lacks: &["which calls were asked for together, where other events stand between them"],
    notes: "What lists and streams of the events of a session give: one event a line, a list, a page under `data`, or server-sent events. A file
is a trajectory.",
    extensions: &["jsonl", "json"],
    example: r#"[{"id":"e1","type":"agent.tool_use","name":"find_order","input":{"id":7},"processed_at":"2026-01-01T00:00:00Z"},
 {"id":"e2","type":"agent.tool_result","tool_use_id":"e1","content":[{"type":"text","text":"shipped"}],"is_error":false,"processed_at":"2026-01-01T00:00:01Z"}]"#,
    priority: Priority::Messages,
    reading: Reading::Messages(&DIALECT),
};

fn is_call(event: &Node<'_>) -> bool {
    matches!(
        event.str_at("type"),
        Some("agent.tool_use" | "agent.mcp_tool_use" | "agent.custom_tool_use")
    )
}

/// The key of the call id in a result event.
fn result_id(event: &Node<'_>) -> Option<&'static str> {
    match event.str_at("type")? {
        "agent.tool_result" => Some("tool_use_id"),
        "agent.mcp_tool_result" => Some("mcp_tool_use_id"),
        "user.custom_tool_result" => Some("custom_tool_use_id"),
        _ => None,
    }
}

fn message(event: &Node<'_>, conversation: &mut Conversation) {
    // A stream that reconnects repeats events.
    if conversation.is_again(event) {
        return conversation.repeat();
    }
    let at = event.get("processed_at").and_then(time::from_log);
    if is_call(event) {
        conversation.item();
        conversation.call(TraceCall {
            start: at,
            ..TraceCall::from_node(event, &["name"], &["input"], &["id"])
        });
        return;
    }
    conversation.interrupt();
    let Some(key) = result_id(event) else {
        return other(event, conversation);
    };
    let result = content_result(event, &[key]).failed_if(event.is_set("is_error"));
    conversation.result_at(at, result);
}

/// An event other than a call or a result.
fn other(event: &Node<'_>, conversation: &mut Conversation) {
    match event.str_at("type").unwrap_or_default() {
        "agent.message" => {
            conversation.agent_spoke();
            let parts = event.list("content").iter();
            parts.for_each(|part| pass_over(part, conversation));
        }
        "user.tool_confirmation" if event.says("result", "deny") => {
            if let Some(id) = event.label_at(&["tool_use_id"]) {
                mark_refused(&id, event.get("deny_message").map(output_of), conversation);
            }
        }
        "session.status_idle" => {
            let reason = event.at(&["stop_reason", "type"]).and_then(Node::str);
            let asked = event.list_at(&["stop_reason", "event_ids"]).iter();
            let is_missing =
                |id: &Node<'_>| id.label().is_none_or(|id| !conversation.has_call_id(&id));
            let is_any_missing = conversation.calls_read() == 0 || asked.clone().any(is_missing);
            match reason {
                Some("requires_action") if is_any_missing => {
                    without_call("requires_action", conversation);
                }
                Some("end_turn") => conversation.agent_spoke(),
                _ => {}
            }
        }
        // Thoughts, and messages between agents of a session, aren't calls.
        kind if kind.starts_with("agent.") && !kind.starts_with("agent.th") => {
            pass_over(event, conversation);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::check;

    #[test]
    fn each_kind_of_tool_has_events_of_its_own() {
        let events = [
            r#"{"id":"a","type":"agent.tool_use","name":"bash","input":{"command":"ls"}}"#,
            r#"{"id":"b","type":"agent.mcp_tool_use","name":"find","mcp_server_name":"shop","input":{}}"#,
            r#"{"id":"r","type":"agent.tool_result","tool_use_id":"a","content":[{"type":"text","text":"x"}]}"#,
            r#"{"id":"s","type":"agent.mcp_tool_result","mcp_tool_use_id":"b","content":[],"is_error":true}"#,
            r#"{"id":"c","type":"agent.custom_tool_use","name":"ask","input":{}}"#,
            r#"{"id":"t","type":"user.custom_tool_result","custom_tool_use_id":"c"}"#,
        ];
        let found = [
            r#"bash({"command":"ls"}) a @0 group-1 -> "x""#,
            "find({}) b @0 group-1 -> [] error true",
            r#"ask({}) c @1 -> """#,
        ];
        check("managed-agents", &events.join("\n"), &found);
        let page = format!(r#"{{"data":[{}],"next_page":null}}"#, events.join(","));
        check("managed-agents", &page, &found);
        let streamed = events.map(|event| format!("event: message\ndata: {event}\n\n"));
        check("managed-agents", &streamed.concat(), &found);
    }

    #[test]
    fn a_call_that_a_human_refused_never_ran() {
        check(
            "managed-agents",
            r#"{"id":"a","type":"agent.tool_use","name":"drop","input":{},"evaluated_permission":"ask"}
    {"type":"user.tool_confirmation","tool_use_id":"a","result":"deny","deny_message":"no"}
    "#,
            &[r#"drop({}) a @0 not run error "no""#],
        );
    }
}
