//! Session logs of the GitHub Copilot CLI, and the events of its SDK.

use std::collections::HashSet;

use rightcall_core::value::Text;

use super::session::{SessionEvents, SessionReader};
use crate::format::{Format, Priority, Reading, Recognition};
use crate::messages::in_text::read_said;
use crate::messages::listed::each_call;
use crate::messages::refusal::says_refused;
use crate::messages::{json_text, output_of};
use crate::node::Node;
use crate::trace::{
    CallResult, Conversation, Doubt, Keep, LeftOut, Scope, TraceCall, failed, time,
};

pub(super) static ENTRY: Format = Format {
    name: "copilot-cli",
    title: "GitHub Copilot CLI sessions",
    summary: "lines of type `assistant.message`, `tool.execution_start` and `tool.execution_complete` with `data`",
    reads: &[
        ("calls", "`data.toolRequests[]` of `assistant.message`, and `tool.execution_start` of calls that no message asked for"),
        ("arguments", "`arguments`"),
        ("results", "`data.result.content` of `tool.execution_complete`"),
        ("ids", "`toolCallId`; `data.sessionId` of `session.start`"),
        ("errors", "`data.success`, `data.error.message`"),
        ("times", "`timestamp` of the lines that start and complete"),
        ("question", "`data.content` of the first `user.message`"),
        ("sub-agents", "`data.parentToolCallId`, `agentId`; `data.totalToolCalls` of `subagent.completed`"),
        ("order", "the order of messages; calls of one message are parallel"),
    ],
    lacks: &[],
    notes: "The `events.jsonl` of sessions under `~/.copilot/session-state`, and the events that the SDK of Copilot gives. Deltas repeat what messages
say and are passed over.",
    extensions: &["jsonl"],
    example: r#"{"type":"session.start","data":{"sessionId":"s1"},"id":"e1","timestamp":"2026-01-01T00:00:00.000Z","parentId":null}
{"type":"assistant.message","data":{"messageId":"m1","content":"","toolRequests":[{"toolCallId":"c1","name":"find_order","arguments":{"id":7},"type":"function"}]},"id":"e2","timestamp":"2026-01-01T00:00:01.000Z","parentId":"e1"}
{"type":"tool.execution_start","data":{"toolCallId":"c1","toolName":"find_order","arguments":{"id":7}},"id":"e3","timestamp":"2026-01-01T00:00:01.000Z","parentId":"e2"}
{"type":"tool.execution_complete","data":{"toolCallId":"c1","success":true,"result":{"content":"shipped"}},"id":"e4","timestamp":"2026-01-01T00:00:02.000Z","parentId":"e3"}"#,
    priority: Priority::SessionLog,
    reading: Reading::Traces(
        |value| {
            let event = value.first_record();
            let kind = event.str_at("type").unwrap_or_default();
            let is_copilot = ["session.", "assistant.", "tool.execution_", "user.message"]
                .iter()
                .any(|begin| kind.starts_with(begin));
            let has_data = event.get("data").is_some_and(Node::is_object);
            Recognition::by_marks(&[("type: tool.execution_start", is_copilot), ("data", is_copilot && has_data), ("timestamp", event.has("timestamp"))])
        },
        SessionReader::<CopilotEvents>::boxed,
    ),
};

#[derive(Default)]
struct CopilotEvents {
    /// The sub-agents with calls in the file.
    sub_agents_with_calls: HashSet<Text<'static>>,
}

/// The sub-agent of an event, named by the call that started it.
fn owner(event: &Node<'_>, data: &Node<'_>) -> Option<Text<'static>> {
    let owner = data.label_at(&["parentToolCallId"]);
    owner.or_else(|| event.label_at(&["agentId"]))
}

impl SessionEvents for CopilotEvents {
    fn session(event: &Node<'_>) -> Option<Text<'static>> {
        event.get("data")?.label_at(&["sessionId"])
    }

    fn event(&mut self, event: &Node<'_>, scope: Scope, conversation: &mut Conversation) {
        let Some(data) = event.get("data") else {
            return conversation.look(event, 0, Doubt::SameName);
        };
        let at = event.get("timestamp").and_then(time::from_log);
        let owner = owner(event, data);
        match event.str_at("type").unwrap_or_default() {
            "user.message" => {
                conversation.message();
                conversation.note_speaker(true);
                let content = data.get("content").and_then(Node::text);
                conversation.question(|| content.map(json_text));
            }
            "assistant.message" => conversation.part(data, |conversation| {
                conversation.message();
                conversation.note_speaker(false);
                if owner.is_none() {
                    conversation.note_agent_message(data);
                }
                let before = conversation.calls_read();
                each_call(
                    data,
                    "toolRequests",
                    conversation,
                    &mut |request, key, conversation| {
                        let call = TraceCall::from_node(
                            request,
                            &["name"],
                            &["arguments"],
                            &["toolCallId"],
                        );
                        let id = call.id.clone().or(key);
                        self.add_call(
                            TraceCall { id, ..call },
                            owner.as_ref(),
                            scope,
                            conversation,
                        );
                    },
                );
                if conversation.calls_read() > before {
                    conversation.look_into(data.get("content"));
                } else if owner.is_none() {
                    read_said(data.str_at("content").unwrap_or_default(), conversation);
                }
            }),
            "tool.execution_start" => conversation.event(data, |conversation| {
                let call =
                    TraceCall::from_node(data, &["toolName"], &["arguments"], &["toolCallId"]);
                self.start_call(call, at, owner.as_ref(), scope, conversation);
            }),
            "tool.execution_complete" => {
                let is_left_out = owner.is_some() && scope.choices.sub_agents == Keep::Drop;
                complete_call(data, at, is_left_out, conversation);
            }
            "subagent.completed" | "subagent.failed" => {
                let id = owner.or_else(|| data.label_at(&["toolCallId"]));
                let has_calls_here = id.is_some_and(|id| self.sub_agents_with_calls.contains(&id));
                let has_called = data.whole_at("totalToolCalls") > Some(0);
                if has_called && !has_calls_here && conversation.reads_sub_agents() {
                    conversation.left_over("calls of a sub-agent that are not in the file");
                }
            }
            _ => conversation.look(event, 0, Doubt::SameName),
        }
    }
}

impl CopilotEvents {
    /// Adds a requested call, unless it is from a sub-agent and sub-agents are left out.
    fn add_call(
        &mut self,
        call: TraceCall,
        owner: Option<&Text<'static>>,
        scope: Scope,
        conversation: &mut Conversation,
    ) {
        self.sub_agents_with_calls.extend(owner.cloned());
        if owner.is_some() && scope.choices.sub_agents == Keep::Drop {
            return conversation.trace().report.drop(LeftOut::SubAgent);
        }
        let mut calls = conversation.trace().calls.iter();
        let parent = owner.and_then(|_| calls.rposition(|call| call.id.as_ref() == owner));
        conversation.call(TraceCall { parent, ..call });
    }

    /// Sets the start of a call. A call that no message requested is added.
    fn start_call(
        &mut self,
        call: TraceCall,
        at: Option<i128>,
        owner: Option<&Text<'static>>,
        scope: Scope,
        conversation: &mut Conversation,
    ) {
        let is_known = call
            .id
            .as_ref()
            .is_some_and(|id| conversation.has_call_id(id));
        if !is_known {
            conversation.item();
            return self.add_call(TraceCall { start: at, ..call }, owner, scope, conversation);
        }
        let calls = conversation.trace().calls.iter_mut().rev();
        if let Some(known) = calls.into_iter().find(|known| known.id == call.id) {
            known.start = at;
        }
    }
}

/// Adds the result of a call.
fn complete_call(
    data: &Node<'_>,
    at: Option<i128>,
    is_left_out: bool,
    conversation: &mut Conversation,
) {
    let id = data.label_at(&["toolCallId"]);
    let is_known = id.as_ref().is_some_and(|id| conversation.has_call_id(id));
    if !is_known && is_left_out {
        return;
    }
    let result = data.get("result");
    let output = result
        .and_then(|it| it.any(&["content", "contents"]))
        .or(result);
    let error = data.get("error");
    let message = error
        .and_then(|it| it.get("message"))
        .or(error)
        .map(output_of);
    let has_failed = data.get("success").is_some_and(|it| !it.is_true()) || error.is_some();
    let error_text = error.map(|it| it.get("message").unwrap_or(it));
    let call_result = CallResult {
        is_refused: error_text.and_then(Node::str).is_some_and(says_refused),
        id,
        name: data.label_at(&["toolName"]),
        output: output.map(output_of),
        error: has_failed.then(|| message.unwrap_or_else(failed)),
        ..CallResult::default()
    };
    conversation.result_at(at, call_result);
    conversation.interrupt();
}

#[cfg(test)]
mod tests {
    use crate::tests::{check, shown};
    use crate::trace::{Choices, Keep};

    const LINES: &str = r#"{"type":"session.start","data":{"sessionId":"s"},"id":"1","timestamp":"2026-01-01T00:00:00.000Z"}
{"type":"user.message","data":{"content":"q"},"id":"2","timestamp":"2026-01-01T00:00:00.000Z"}
{"type":"assistant.message","data":{"content":"","toolRequests":[{"toolCallId":"a","name":"bash","arguments":{"command":"ls"}},{"toolCallId":"b","name":"view","arguments":{}}]},"id":"3","timestamp":"2026-01-01T00:00:01.000Z"}
{"type":"tool.execution_start","data":{"toolCallId":"a","toolName":"bash","arguments":{"command":"ls"}},"id":"4","timestamp":"2026-01-01T00:00:01.000Z"}
{"type":"tool.execution_complete","data":{"toolCallId":"b","success":false,"error":{"message":"gone"}},"id":"5","timestamp":"2026-01-01T00:00:02.000Z"}
{"type":"tool.execution_complete","data":{"toolCallId":"a","success":true,"result":{"content":"x"}},"id":"6","timestamp":"2026-01-01T00:00:02.000Z"}
{"type":"tool.execution_start","data":{"toolCallId":"c","toolName":"look","arguments":{},"parentToolCallId":"a"},"id":"7","timestamp":"2026-01-01T00:00:03.000Z"}
{"type":"tool.execution_complete","data":{"toolCallId":"c","success":true,"result":{"content":"y"},"parentToolCallId":"a"},"id":"8","timestamp":"2026-01-01T00:00:03.000Z"}
"#;

    #[test]
    fn messages_and_events_of_a_call_are_merged() {
        let found = [
            r#"bash({"command":"ls"}) a @1 group-1 -> "x""#,
            r#"view({}) b @1 group-1 error "gone""#,
            r#"look({}) c @2 in 0 -> "y""#,
        ];
        check("copilot-cli", LINES, &found);
        let choices = Choices {
            sub_agents: Keep::Drop,
            ..Choices::default()
        };
        let alone = [found[0], found[1], "1 of sub-agents"];
        assert_eq!(shown("copilot-cli", LINES, choices), alone);
    }
}
