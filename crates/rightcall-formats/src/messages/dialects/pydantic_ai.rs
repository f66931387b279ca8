//! Messages of Pydantic AI, as stored by its runs, and the events of a run.

use crate::format::{Format, MessageDialect, Priority, Reading, Stream};
use crate::messages::output_of;
use crate::messages::parts::pass_over;
use crate::messages::refusal::refuse;
use crate::messages::speaker::note_session;
use crate::node::Node;
use crate::trace::{CallResult, Conversation, TraceArguments, TraceCall, failed, time};

static DIALECT: MessageDialect = MessageDialect {
    mark: "parts with part_kind",
    decides: is_message,
    message,
    is_event: |value| {
        value.str_at("event_kind").is_some() && value.any(TOLD).is_some()
            || message_of_node(value).is_some()
    },
    stream: Some(|| Box::new(PydanticAiEvents)),
    is_message,
    keys: &["parts", "event_kind"],
    list: Some("message_history"),
    reply: |value| {
        let messages = value.list_at(&["_state", "message_history"]);
        (!messages.is_empty()).then(|| messages.iter().collect())
    },
    ..MessageDialect::BASE
};

pub(super) static ENTRY: Format = Format {
    name: "pydantic-ai",
    title: "Pydantic AI messages",
    summary: "requests and responses whose `parts` have a `part_kind`, and the events of a run",
    reads: &[
        ("calls", "parts of the kinds `tool-call` and `builtin-tool-call`; events `function_tool_call`"),
        ("arguments", "`args`, an object or a text"),
        ("results", "parts of the kinds `tool-return` and `builtin-tool-return`; events `function_tool_result`"),
        ("errors", "parts of the kind `retry-prompt`, an `outcome` other than `success`"),
        ("calls that a human refused", "the `outcome` `denied`"),
        ("times", "`timestamp` of the response that asks and of the part that answers"),
        ("ids", "`tool_call_id`"),
        ("order", "the order of messages; calls of one response are parallel"),
    ],
    lacks: &[],
    notes: "What `all_messages_json()` and `new_messages_json()` give, also under `messages`, `all_messages` or `message_history`, a whole result, and the events of `run_stream_events`
or of a handler and the nodes of `iter`, one a line. A call of an output tool such as `final_result` is a call, as the model made it. Spans of Pydantic AI are read as
[`otlp`](otlp.md).",
    extensions: &["json", "jsonl"],
    example: r#"[{"kind":"request","parts":[{"part_kind":"user-prompt","content":"Where is order 7?","timestamp":"2025-01-01T00:00:00Z"}]},
 {"kind":"response","timestamp":"2025-01-01T00:00:01Z","parts":[{"part_kind":"tool-call","tool_name":"find_order","args":{"id":7},"tool_call_id":"c1"}]},
 {"kind":"request","parts":[{"part_kind":"tool-return","tool_name":"find_order","content":"shipped","tool_call_id":"c1","timestamp":"2025-01-01T00:00:02Z"}]}]"#,
    priority: Priority::Messages,
    reading: Reading::Messages(&DIALECT),
};

/// Keys of the part in an event.
const TOLD: &[&str] = &["part", "result", "delta", "tool_name"];

fn is_message(node: &Node<'_>) -> bool {
    node.list("parts").iter().any(|part| part.has("part_kind"))
}

/// The message of a node of `iter`, as JSON.
fn message_of_node<'n, 'a>(node: &'n Node<'a>) -> Option<&'n Node<'a>> {
    let message = node.any(&["request", "model_response"])?;
    (is_message(message) && !node.has("response")).then_some(message)
}

/// The events of a run: a call when its tool starts, and the result when it ends.
struct PydanticAiEvents;

impl Stream for PydanticAiEvents {
    fn event(&mut self, event: &Node<'_>, conversation: &mut Conversation) {
        if let Some(message) = message_of_node(event) {
            note_session(message, conversation);
            return self::message(message, conversation);
        }
        let told = event.any(&["part", "result"]);
        match (event.str_at("event_kind"), told) {
            (Some("function_tool_call" | "builtin_tool_call"), Some(part)) => {
                conversation.item();
                self::part(part, None, conversation);
            }
            (Some("function_tool_result" | "builtin_tool_result"), Some(part)) => {
                conversation.interrupt();
                self::part(part, None, conversation);
            }
            (Some("part_start" | "part_delta"), _) => {
                let said = event.any(&["part", "delta"]);
                let kind = said.and_then(|it| it.any(&["part_kind", "part_delta_kind"]));
                if kind.and_then(Node::str) == Some("text") {
                    conversation.agent_spoke();
                }
            }
            (Some("final_result" | "agent_run_result"), _) => conversation.agent_spoke(),
            _ => {}
        }
    }
}

fn message(message: &Node<'_>, conversation: &mut Conversation) {
    let id = &mut conversation.trace().id;
    *id = id.take().or_else(|| message.label_at(&["conversation_id"]));
    conversation.message();
    let at = message.get("timestamp").and_then(time::from_log);
    if message.says("kind", "response") {
        conversation.note_agent_message(message);
    }
    for part in message.list("parts") {
        if !self::part(part, at, conversation) && !message.says("kind", "request") {
            pass_over(part, conversation);
        }
    }
}

/// Reads a part of a message with this time; false for a part of another kind.
fn part(part: &Node<'_>, at: Option<i128>, conversation: &mut Conversation) -> bool {
    let kind = part.str_at("part_kind").unwrap_or_default();
    let is_by_provider = kind.starts_with("builtin-") || kind.starts_with("native-");
    let content = part.get("content").map(output_of);
    match kind {
        "tool-call" | "builtin-tool-call" | "native-tool-call" => {
            let mut call = TraceCall::from_node(part, &["tool_name"], &["args"], &["tool_call_id"]);
            if let Some(wrapped) = wrapped_arguments(part) {
                call.arguments = TraceArguments::from_node(wrapped);
            }
            let call = call.by_provider_if(is_by_provider);
            conversation.call(TraceCall { start: at, ..call });
        }
        "tool-return" | "builtin-tool-return" | "native-tool-return" => {
            let outcome = part.str_at("outcome");
            if outcome == Some("denied") {
                let result = CallResult::from_node(part, &["tool_call_id"], &["tool_name"], &[]);
                let refusal = CallResult {
                    error: content,
                    ..result
                };
                refuse(refusal, conversation);
                return true;
            }
            let has_failed = outcome.is_some_and(|outcome| outcome != "success");
            let error = has_failed.then(|| content.clone().unwrap_or_else(failed));
            answer(part, content, error, at, conversation);
        }
        // A retry prompt without a tool name answers an invalid message, not a call.
        "retry-prompt" if part.str_at("tool_name").is_some() => {
            let error = content.unwrap_or_else(failed);
            answer(part, None, Some(error), at, conversation);
        }
        "user-prompt" => {
            conversation.question(|| content);
        }
        _ => return false,
    }
    true
}

/// The arguments inside `args`, which versions before 0.1 wrapped.
fn wrapped_arguments<'n, 'a>(part: &'n Node<'a>) -> Option<&'n Node<'a>> {
    match part.get("args")?.entries() {
        [(key, inner)] if *key == "args_dict" && inner.is_object() => Some(inner),
        [(key, inner)] if *key == "args_json" && inner.text().is_some() => Some(inner),
        _ => None,
    }
}

fn answer(
    part: &Node<'_>,
    output: Option<String>,
    error: Option<String>,
    at: Option<i128>,
    conversation: &mut Conversation,
) {
    let end = part.get("timestamp").and_then(time::from_log).or(at);
    let result = CallResult {
        output,
        error,
        ..CallResult::from_node(part, &["tool_call_id"], &["tool_name"], &[])
    };
    conversation.result_at(end, result);
}

#[cfg(test)]
mod tests {
    use crate::tests::check;

    const ASKED: &str =
        r#"{"part_kind":"tool-call","tool_name":"find","args":"{\"id\":7}","tool_call_id":"a"}"#;

    #[test]
    fn parts_are_calls_results_and_retries() {
        let messages = format!(
            r#"[{{"kind":"request","parts":[{{"part_kind":"user-prompt","content":"q"}}]}},
            {{"kind":"response","parts":[{{"part_kind":"text","content":"x"}},{ASKED},{{"part_kind":"tool-call","tool_name":"look","args":{{"id":7}},"tool_call_id":"b"}}]}},
            {{"kind":"request","parts":[{{"part_kind":"retry-prompt","content":"gone","tool_name":"look","tool_call_id":"b"}},{{"part_kind":"tool-return","tool_name":"find","content":{{"n":1}},"tool_call_id":"a"}}]}},
            {{"kind":"response","parts":[{{"part_kind":"builtin-tool-call","tool_name":"web_search","args":null,"tool_call_id":"c"}},{{"part_kind":"builtin-tool-return","tool_name":"web_search","content":"y","tool_call_id":"c"}},{{"part_kind":"tool-call","tool_name":"find","args":{{}},"tool_call_id":"d"}}]}},
            {{"kind":"request","parts":[{{"part_kind":"retry-prompt","content":"say more"}},{{"part_kind":"tool-return","tool_name":"find","content":"no","tool_call_id":"d","outcome":"denied"}}]}}]"#
        );
        let found = [
            r#"find("{\"id\":7}") a @1 group-1 -> {"n":1}"#,
            r#"look({"id":7}) b @1 group-1 error "gone""#,
            r#"web_search({}) c @3 group-2 by provider -> "y""#,
            r#"find({}) d @3 group-2 not run error "no""#,
        ];
        check("pydantic-ai", &messages, &found);
        check(
            "pydantic-ai",
            &format!(r#"{{"message_history":{messages}}}"#),
            &found,
        );
    }

    #[test]
    fn older_versions_wrap_the_arguments() {
        let part = |args: &str| {
            format!(
                r#"{{"kind":"response","parts":[{{"part_kind":"tool-call","tool_name":"find","args":{args},"tool_call_id":"a"}}]}}"#
            )
        };
        let dict = part(r#"{"args_dict":{"id":7}}"#);
        check(
            "pydantic-ai",
            &format!("[{dict}]"),
            &[r#"find({"id":7}) a @0"#],
        );
        let json = part(r#"{"args_json":"{\"id\":7}"}"#);
        check(
            "pydantic-ai",
            &format!("[{json}]"),
            &[r#"find("{\"id\":7}") a @0"#],
        );
    }

    #[test]
    fn events_ask_and_answer() {
        let events = [
            format!(r#"{{"event_kind":"part_start","index":0,"part":{ASKED}}}"#),
            format!(r#"{{"event_kind":"function_tool_call","part":{ASKED}}}"#),
            r#"{"event_kind":"function_tool_call","part":{"part_kind":"tool-call","tool_name":"look","args":{},"tool_call_id":"b"}}"#.to_owned(),
            r#"{"event_kind":"function_tool_result","result":{"part_kind":"tool-return","tool_name":"find","content":"x","tool_call_id":"a"}}"#.to_owned(),
        ];
        let found = [
            r#"find("{\"id\":7}") a @0 group-1 -> "x""#,
            "look({}) b @0 group-1",
        ];
        check("pydantic-ai", &events.join("\n"), &found);
        check("pydantic-ai", &format!("[{}]", events.join(",")), &found);
    }
}
