//! Sessions of the coding agent Pi, and of tools built on it, such as `OpenClaw`.

use crate::format::{Format, MessageDialect, Priority, Reading, Stream};
use crate::messages::ending::note_ending;
use crate::messages::in_text::read_text;
use crate::messages::output_of;
use crate::messages::parts::{pass_over, pass_over_text};
use crate::node::Node;
use crate::trace::{CallResult, Conversation, Executor, TraceArguments, TraceCall, failed, time};

static DIALECT: MessageDialect = MessageDialect {
    mark: "parts of type toolCall",
    decides: |line| is_header(line) || is_own(message_of(line)),
    message,
    is_event,
    begins_run: is_header,
    stream: Some(|| Box::new(PiEvents)),
    keys: &["toolCallId", "stopReason"],
    ..MessageDialect::BASE
};

pub(super) static ENTRY: Format = Format {
    name: "pi",
    title: "Pi and OpenClaw sessions",
    summary: "session files that begin with `type: session`, messages with parts of type `toolCall`, and the events of `pi --mode json`",
    reads: &[
        ("calls", "content parts of type `toolCall` of the assistant's messages"),
        ("arguments", "`arguments`; `partialJson` where the model was interrupted"),
        ("results", "messages with the role `toolResult`"),
        ("errors", "`isError`"),
        ("calls that did not run", "those of messages whose `stopReason` is `error` or `aborted`"),
        ("times", "`timestamp` of the lines that ask and answer, else of the messages"),
        ("ids", "`id` of the line `session`; `id` of a call, `toolCallId` of its result"),
        ("order", "the order of lines; calls of one message are parallel"),
    ],
    lacks: &[],
    notes: "Session files under `~/.pi/agent/sessions` and `~/.openclaw/agents/*/sessions`, of all versions; what `pi --mode json` prints, where
the events `message_end` count; and the messages alone. A file is a trajectory, and so is each session in it. Where a user went back and tried another way, what was done on
either branch was done, so it counts. A command that the user ran (`bashExecution`) is no call of the agent.",
    extensions: &["jsonl", "json"],
    example: r#"{"type":"session","version":3,"id":"s1","timestamp":"2025-01-01T00:00:00.000Z","cwd":"/"}
{"type":"message","id":"a","parentId":null,"timestamp":"2025-01-01T00:00:01.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"find_order","arguments":{"id":7}}],"stopReason":"toolUse","timestamp":1735689601000}}
{"type":"message","id":"b","parentId":"a","timestamp":"2025-01-01T00:00:02.000Z","message":{"role":"toolResult","toolCallId":"c1","toolName":"find_order","content":[{"type":"text","text":"shipped"}],"isError":false,"timestamp":1735689602000}}"#,
    priority: Priority::Messages,
    reading: Reading::Messages(&DIALECT),
};

/// True for the first line of a session.
fn is_header(line: &Node<'_>) -> bool {
    line.says("type", "session") && line.str_at("id").is_some() && line.str_at("cwd").is_some()
}

/// The message in a session line or event; a bare message is returned unchanged.
fn message_of<'n, 'a>(line: &'n Node<'a>) -> &'n Node<'a> {
    line.inner(&["message"])
}

fn is_own(message: &Node<'_>) -> bool {
    is_result(message) || message.holds("content", |part| is_call(part) && part.has("name"))
}

fn is_result(message: &Node<'_>) -> bool {
    message.says("role", "toolResult") && message.has("toolCallId")
}

fn is_call(part: &Node<'_>) -> bool {
    part.says("type", "toolCall")
}

/// True for an event of `pi --mode json`.
fn is_event(value: &Node<'_>) -> bool {
    match value.str_at("type").unwrap_or_default() {
        "message_start" | "message_update" | "message_end" | "turn_end" => {
            // Anthropic's streams begin with a message too, but without a timestamp.
            value
                .get("message")
                .is_some_and(|it| it.has("role") && it.has("timestamp"))
        }
        "tool_execution_start" | "tool_execution_update" | "tool_execution_end" => {
            value.has("toolCallId")
        }
        kind => kind == "agent_end" && value.has("messages"),
    }
}

/// The events of a run. A message has events at its start, during its growth and at its end, and is repeated at the end of the run.
struct PiEvents;
impl Stream for PiEvents {
    fn event(&mut self, event: &Node<'_>, conversation: &mut Conversation) {
        if event.says("type", "message_end") {
            let before = conversation.calls_read();
            message(event, conversation);
            note_ending(event, conversation.calls_read() - before, conversation);
        }
    }
}

fn message(line: &Node<'_>, conversation: &mut Conversation) {
    if is_header(line) {
        conversation.trace().id = line.label_at(&["id"]);
        return;
    }
    let message = message_of(line);
    let at = [line, message]
        .iter()
        .find_map(|it| it.get("timestamp").and_then(time::from_log));
    if message.says("role", "toolResult") {
        let result = CallResult::from_node(message, &["toolCallId"], &["toolName"], &["content"]);
        let error = || result.output.clone().unwrap_or_else(failed);
        let error = message.is_set("isError").then(error);
        conversation.result_at(at, CallResult { error, ..result });
        return;
    }
    if message.says("role", "user") {
        conversation.question(|| message.get("content").map(output_of));
    }
    if message.str_at("role").is_none() {
        return;
    }
    conversation.note_speaker(message.says("role", "user"));
    conversation.message();
    let (parts, others): (Vec<_>, Vec<_>) = message
        .list("content")
        .iter()
        .partition(|part| is_call(part));
    if message.says("role", "assistant") {
        conversation.note_agent_message(message);
        let content = message.get("content").into_iter();
        content.for_each(|it| pass_over_text(it, conversation));
        others.iter().for_each(|part| pass_over(part, conversation));
    }
    // Calls of an interrupted message are never run.
    let is_interrupted = message
        .str_at("stopReason")
        .is_some_and(|reason| matches!(reason, "error" | "aborted"));
    if parts.is_empty() {
        read_text(message, conversation);
    }
    for part in parts {
        let mut call = TraceCall::from_node(part, &["name"], &["arguments"], &["id"]);
        if let Some(text) = part.get("partialJson").and_then(Node::text) {
            call.arguments = TraceArguments::Text(text.clone().into_owned());
        }
        if is_interrupted {
            call.executor = Executor::Nobody;
        }
        call.start = at;
        conversation.call(call);
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::check;

    const HEADER: &str =
        r#"{"type":"session","id":"s","timestamp":"2025-01-01T00:00:00Z","cwd":"/"}"#;

    fn asks(reason: &str, calls: &str) -> String {
        format!(
            r#"{{"role":"assistant","content":[{{"type":"text","text":"x"}},{calls}],"stopReason":"{reason}","timestamp":1}}"#
        )
    }

    fn answers(id: &str, is_error: bool) -> String {
        format!(
            r#"{{"role":"toolResult","toolCallId":"{id}","toolName":"find","content":[{{"type":"text","text":"y"}}],"isError":{is_error},"timestamp":2}}"#
        )
    }

    const CALLS: &str = r#"{"type":"toolCall","id":"a","name":"find","arguments":{"id":7}},{"type":"toolCall","id":"b","name":"find","arguments":{}}"#;

    #[test]
    fn lines_hold_messages_and_what_was_interrupted_is_not_run() {
        let line = |message: &str| {
            format!(
                r#"{{"type":"message","timestamp":"2025-01-01T00:00:01Z","message":{message}}}"#
            )
        };
        let cut = asks(
            "aborted",
            r#"{"type":"toolCall","id":"c","name":"look","arguments":{"q":"x"},"partialJson":"{\"q\": \"x"}"#,
        );
        let lines = [
            HEADER.to_owned(),
            r#"{"type":"model_change","timestamp":"2025-01-01T00:00:00Z","modelId":"m"}"#
                .to_owned(),
            line(&asks("toolUse", CALLS)),
            line(&answers("b", true)),
            line(&answers("a", false)),
            line(r#"{"role":"bashExecution","command":"ls","output":"x"}"#),
            line(&cut),
        ];
        let found = [
            r#"find({"id":7}) a @0 group-1 -> "y""#,
            r#"find({}) b @0 group-1 -> "y" error "y""#,
            r#"look("{\"q\": \"x") c @2 not run"#,
        ];
        check("pi", &lines.join("\n"), &found);
    }

    #[test]
    fn of_events_those_count_that_end_a_message() {
        let asked = asks("toolUse", CALLS);
        let told = |kind: &str| format!(r#"{{"type":"{kind}","message":{asked}}}"#);
        let lines = [
            HEADER.to_owned(),
            r#"{"type":"agent_start"}"#.to_owned(),
            told("message_start"),
            told("message_end"),
            r#"{"type":"tool_execution_start","toolCallId":"a","toolName":"find","args":{"id":7}}"#
                .to_owned(),
            format!(
                r#"{{"type":"message_end","message":{}}}"#,
                answers("a", false)
            ),
            format!(r#"{{"type":"turn_end","message":{asked},"toolResults":[]}}"#),
            format!(r#"{{"type":"agent_end","messages":[{asked}]}}"#),
        ];
        let found = [
            r#"find({"id":7}) a @0 group-1 -> "y""#,
            "find({}) b @0 group-1",
        ];
        check("pi", &lines.join("\n"), &found);
        let messages = format!("[{asked},{}]", answers("a", false));
        check("pi", &messages, &found);
    }
}
