//! The output and stored sessions of Cursor's agent.

use rightcall_core::value::Text;

use super::session::{SessionEvents, SessionReader};
use crate::format::{Format, Priority, Reading, Recognition};
use crate::json::object_without;
use crate::messages::actions::action_record;
use crate::messages::dialects::anthropic;
use crate::messages::in_text::read_said;
use crate::messages::parts::{pass_over, pass_over_text};
use crate::messages::refusal::mark_refused;
use crate::node::Node;
use crate::trace::role::model_text;
use crate::trace::{CallResult, Conversation, Scope, TraceArguments, TraceCall, time};

pub(super) static ENTRY: Format = Format {
    name: "cursor",
    title: "Cursor agent sessions",
    summary: "lines of type `tool_call` with `call_id`, as `stream-json` prints them, and transcripts",
    reads: &[
        ("calls", "lines of type `tool_call`: the key of `tool_call` without `ToolCall`; of MCP tools `toolName`; in transcripts blocks of type `tool_use`"),
        ("arguments", "`args` without `toolCallId`; of MCP tools `args.args`; `input`"),
        ("results", "`result.success`"),
        ("ids", "`call_id`; `session_id` of the session"),
        ("errors", "`result` of any other kind than `success`"),
        ("calls that a human refused", "`result.rejected`"),
        ("times", "`timestamp_ms`"),
        ("order", "the order in which calls were started; those with one `model_call_id` are parallel"),
    ],
    lacks: &["results, ids and times, in transcripts"],
    notes: "What `cursor-agent --print --output-format stream-json` prints, and the transcripts that Cursor keeps of agents, one message a line.
Chats that the editor keeps in its own data base are not read.",
    extensions: &["jsonl"],
    example: r#"{"type":"system","subtype":"init","apiKeySource":"login","cwd":"/","session_id":"s","model":"Auto","permissionMode":"default"}
{"type":"tool_call","subtype":"started","call_id":"c1","tool_call":{"mcpToolCall":{"args":{"name":"shop-find_order","toolName":"find_order","args":{"id":7},"toolCallId":"c1"}}},"model_call_id":"m1","session_id":"s","timestamp_ms":1735689600000}
{"type":"tool_call","subtype":"completed","call_id":"c1","tool_call":{"mcpToolCall":{"args":{"name":"shop-find_order","toolName":"find_order","args":{"id":7},"toolCallId":"c1"},"result":{"success":{"content":"shipped"}}}},"model_call_id":"m1","session_id":"s","timestamp_ms":1735689601000}"#,
    priority: Priority::SessionLog,
    reading: Reading::Traces(
        |value| {
            let first = value.first_record();
            // The first line of Claude Code is similar, but it also lists the tools.
            let is_begun = first.says("subtype", "init") && first.has("apiKeySource") && !first.has("tools");
            let is_call = first.says("type", "tool_call") && first.has("call_id");
            if is_begun || is_call && first.get("tool_call").is_some_and(Node::is_object) || is_of_transcript(first) {
                return Recognition::Certain;
            }
            Recognition::by_marks(&[("type: tool_call", first.says("type", "tool_call")), ("call_id", first.has("call_id"))])
        },
        SessionReader::<CursorEvents>::boxed,
    ),
};

/// True for a line of a transcript: a role, and a message with only content.
fn is_of_transcript(line: &Node<'_>) -> bool {
    line.str_at("role").is_some()
        && !line.has("type")
        && line
            .get("message")
            .is_some_and(|it| !it.has("role") && it.holds("content", |block| block.has("type")))
}

#[derive(Default)]
struct CursorEvents {
    /// The model call that requested the last tool call.
    model_call: Option<Text<'static>>,
}

impl SessionEvents for CursorEvents {
    fn session(event: &Node<'_>) -> Option<Text<'static>> {
        event.label_at(&["session_id"])
    }

    fn event(&mut self, event: &Node<'_>, _: Scope, conversation: &mut Conversation) {
        if event.says("type", "tool_call") {
            let at = event.get("timestamp_ms").and_then(time::from_log);
            return conversation.event(event, |conversation| {
                self.tool_call(event, at, conversation);
            });
        }
        if let Some(kind) = action_record(event) {
            conversation.left_over(kind);
        }
        if event.says("type", "result") {
            conversation.look_into(event.get("result"));
        }
        conversation.part(event, |conversation| {
            let blocks = event.list_at(&["message", "content"]);
            if event.has("message") {
                conversation.message();
                conversation.note_speaker(event.says("type", "user") || event.says("role", "user"));
            }
            let is_said = event.says("type", "assistant") || event.says("role", "assistant");
            if is_said {
                conversation.note_agent_message(event);
                let content = event.at(&["message", "content"]).into_iter();
                content.for_each(|it| pass_over_text(it, conversation));
            }
            let before = conversation.calls_read();
            for block in blocks {
                anthropic::block(block, None, conversation);
                if is_said && !anthropic::is_call(block) && !anthropic::is_result(block) {
                    pass_over(block, conversation);
                }
            }
            let text = event.get("message").and_then(model_text);
            if let Some(text) = text.filter(|_| is_said && conversation.calls_read() == before) {
                read_said(&text, conversation);
            }
        });
    }
}

impl CursorEvents {
    fn tool_call(&mut self, event: &Node<'_>, at: Option<i128>, conversation: &mut Conversation) {
        let id = event.label_at(&["call_id"]);
        let inner = event.get("tool_call").map_or(&[][..], Node::entries);
        let Some((kind, call)) = inner.iter().find(|(_, call)| call.is_object()) else {
            return conversation.note_irregular("a call of no kind");
        };
        if !id.as_ref().is_some_and(|id| conversation.has_call_id(id)) {
            let model_call = event.label_at(&["model_call_id"]);
            if model_call.is_none() || model_call != self.model_call {
                conversation.message();
            }
            self.model_call = model_call;
            let Some(call) = call_of(kind, call) else {
                conversation.left_over(format!("a call of the kind `{}`", kind.to_display()));
                return conversation.note_irregular("a call of a kind that is not known");
            };
            conversation.call(TraceCall {
                id: id.clone(),
                start: at,
                ..call
            });
        }
        let Some(result) = call.get("result") else {
            return;
        };
        let success = result.get("success");
        let is_refused = result.has("rejected");
        let told = CallResult {
            id: id.clone(),
            output: success.map(|it| it.raw().to_owned()),
            error: success.is_none().then(|| result.raw().to_owned()),
            ..CallResult::default()
        };
        conversation.result_at(at, told);
        if let Some(id) = id.filter(|_| is_refused) {
            mark_refused(&id, Some(result.raw().to_owned()), conversation);
        }
    }
}

/// The call under a key that names its tool; `None` for other keys.
fn call_of(kind: &Text<'_>, call: &Node<'_>) -> Option<TraceCall> {
    let args = call.get("args");
    let kind = kind.to_display();
    Some(match (&*kind, args) {
        ("mcpToolCall", Some(args)) => {
            TraceCall::from_node(args, &["toolName", "name"], &["args"], &[])
        }
        ("function", _) => TraceCall::from_node(call, &["name"], &["arguments"], &[]),
        (kind, args) => TraceCall {
            name: Text::from(kind.strip_suffix("ToolCall")?.to_owned()),
            arguments: match args {
                Some(args) if args.is_object() => {
                    TraceArguments::Json(object_without(args, &["toolCallId"]))
                }
                Some(args) => TraceArguments::from_node(args),
                None => TraceArguments::from_call(call, &["args"]),
            },
            ..TraceCall::default()
        },
    })
}

#[cfg(test)]
mod tests {
    use crate::tests::{check, check_gaps};

    #[test]
    fn a_call_is_what_was_started_and_its_result_what_was_completed() {
        let event = |subtype: &str, id: &str, call: &str| {
            format!(
                r#"{{"type":"tool_call","subtype":"{subtype}","call_id":"{id}","tool_call":{call},"model_call_id":"m","session_id":"s"}}"#
            )
        };
        let ls = r#""lsToolCall":{"args":{"path":"/","toolCallId":"a"}"#;
        let shell = r#""shellToolCall":{"args":{"command":"x","toolCallId":"b"}"#;
        let lines = [
            r#"{"type":"system","subtype":"init","apiKeySource":"login","session_id":"s"}"#.to_owned(),
            r#"{"type":"user","message":{"role":"user","content":[{"type":"text","text":"q"}]},"session_id":"s"}"#.to_owned(),
            event("started", "a", &format!("{{{ls}}}}}")),
            event("started", "b", &format!("{{{shell}}}}}")),
            event("completed", "b", &format!(r#"{{{shell},"result":{{"rejected":{{"reason":"no"}}}}}}}}"#)),
            event("completed", "a", &format!(r#"{{{ls},"result":{{"success":{{"files":[]}}}}}}}}"#)),
        ];
        check(
            "cursor",
            &lines.join("\n"),
            &[
                r#"ls({"path":"/"}) a @1 group-1 -> {"files":[]}"#,
                r#"shell({"command":"x"}) b @1 group-1 not run error {"rejected":{"reason":"no"}}"#,
            ],
        );
    }

    #[test]
    fn transcripts_hold_calls_alone() {
        check(
            "cursor",
            r#"{"role":"user","message":{"content":[{"type":"text","text":"q"}]}}
{"role":"assistant","message":{"content":[{"type":"text","text":"hm"},{"type":"tool_use","name":"Read","input":{"path":"/a"}}]}}
"#,
            &[r#"Read({"path":"/a"}) @1"#],
        );
    }

    #[test]
    fn a_key_that_names_no_tool_is_left_over() {
        let event = |call: &str| {
            format!(
                r#"{{"type":"tool_call","subtype":"started","call_id":"a","tool_call":{call},"session_id":"s"}}"#
            )
        };
        let text = format!(
            "{}\n{}",
            event(r#"{"lsToolCall":{"args":{}}}"#),
            event(r#"{"screenAct":{"args":{"x":1}}}"#).replace(r#""a""#, r#""b""#)
        );
        check_gaps(
            "cursor",
            &text,
            &[
                "a call of the kind `screenAct`; a call of a kind that is not known, which looks like a call",
            ],
        );
    }
}
