//! Sessions of Gemini CLI: recorded chats and printed events.

use std::collections::HashMap;

use rightcall_core::value::{MAX_DEPTH, Text};

use super::session::{SessionEvents, SessionReader};
use crate::format::{Format, Priority, Reading, Recognition};
use crate::messages::ending::FAILED;
use crate::messages::in_text::read_said;
use crate::messages::output_of;
use crate::messages::refusal::says_refused;
use crate::node::Node;
use crate::trace::role::model_text;
use crate::trace::{CallResult, Conversation, Scope, TraceCall, failed, time};

pub(super) static ENTRY: Format = Format {
    name: "gemini-cli",
    title: "Gemini CLI sessions",
    summary: "recorded chats with messages of type `gemini`, whole or one record a line, and the events of `--output-format stream-json`",
    reads: &[
        ("calls", "`toolCalls[]` of messages of type `gemini`; events `tool_use`"),
        ("arguments", "`args`; of events `parameters`"),
        ("results", "`result[].functionResponse.response`; of events `output`"),
        ("errors", "the status `error` or `cancelled`, `error`"),
        ("times", "`timestamp` of the call, and of the events that ask and answer"),
        ("ids", "`sessionId`; `id` of a call; of events `session_id` and `tool_id`"),
        ("order", "the order of messages; calls of one message are parallel"),
    ],
    lacks: &["when a call in a recorded chat ended"],
    notes: "Files under `~/.gemini/tmp/*/chats`, as one object or, of newer versions, one record a line, and those of Qwen Code, which have the
same form; what `gemini --output-format stream-json` prints. A file is a trajectory, and so is each session in it. A message that is recorded again with more of
its calls counts as it was recorded last. What the user took back (`$rewindTo`) is left out and said so; messages that leave the
model's memory when it is compressed (`$set`) were sent all the same, and count.",
    extensions: &["json", "jsonl"],
    example: r#"{"sessionId":"s1","projectHash":"p","startTime":"2025-01-01T00:00:00.000Z","lastUpdated":"2025-01-01T00:00:02.000Z","messages":[{"id":"m1","timestamp":"2025-01-01T00:00:00.000Z","type":"user","content":"Where is order 7?"},{"id":"m2","timestamp":"2025-01-01T00:00:01.000Z","type":"gemini","content":"","toolCalls":[{"id":"c1","name":"find_order","args":{"id":7},"result":[{"functionResponse":{"id":"c1","name":"find_order","response":{"output":"shipped"}}}],"status":"success","timestamp":"2025-01-01T00:00:02.000Z"}]}]}"#,
    priority: Priority::SessionLog,
    reading: Reading::Traces(recognise, SessionReader::<Session>::boxed),
};

fn recognise(value: &Node<'_>) -> Recognition {
    let has_time = value.has("startTime") || value.has("lastUpdated");
    let is_chat = value.str_at("sessionId").is_some() && value.has("projectHash") && has_time;
    let records = [value.list("messages"), value.list_at(&["$set", "messages"])].concat();
    let is_told = std::iter::once(value).chain(&records).any(is_answer);
    if is_chat || is_told || is_event(value) || value.items().iter().any(is_event) {
        return Recognition::Certain;
    }
    Recognition::by_marks(&[
        ("sessionId", value.str_at("sessionId").is_some()),
        ("projectHash", value.has("projectHash")),
    ])
}

/// True for a message of the model in a recorded chat.
fn is_answer(record: &Node<'_>) -> bool {
    record.says("type", "gemini")
        && record.has("timestamp")
        && record.has_any(&["content", "toolCalls", "tokens", "thoughts"])
}

/// True for an event of a call or of the start of a run.
fn is_event(value: &Node<'_>) -> bool {
    match value.str_at("type").unwrap_or_default() {
        "tool_use" => value.has("tool_name") && value.has("tool_id"),
        "tool_result" => value.has("tool_id") && value.has("status"),
        kind => kind == "init" && value.has("session_id") && value.has("model"),
    }
}

#[derive(Default)]
struct Session {
    /// The texts of the messages of a chat, in their latest versions.
    records: Vec<String>,
    /// The index of each message, by id.
    places: HashMap<Text<'static>, usize>,
}

impl SessionEvents for Session {
    const LISTS: &'static [&'static str] = &[];

    /// The header of a recorded chat, or the event that begins a run.
    fn session(value: &Node<'_>) -> Option<Text<'static>> {
        let begins = value.has("projectHash") || value.says("type", "init");
        let id = value.label_at(&["sessionId", "session_id"]);
        id.filter(|_| begins)
    }

    fn event(&mut self, value: &Node<'_>, _: Scope, conversation: &mut Conversation) {
        if let Some(id) = value.label_at(&["sessionId", "session_id"]) {
            conversation.trace().id.get_or_insert(id);
        }
        if let Some(id) = value.label_at(&["$rewindTo"]) {
            let report = &mut conversation.trace().report;
            report.note("messages that the user took back are left out");
            return self.rewind(&id);
        }
        let lists = [value.get("messages"), value.at(&["$set", "messages"])];
        let records: Vec<_> = lists.into_iter().flatten().flat_map(Node::items).collect();
        if !records.is_empty() {
            records.into_iter().for_each(|record| self.record(record));
        } else if value.has("id") && value.has("timestamp") {
            self.record(value);
        } else {
            conversation.part(value, |conversation| event(value, conversation));
        }
    }

    fn end(&mut self, conversation: &mut Conversation) {
        for text in self.records.drain(..) {
            if let Ok(record) = Node::parse(&text, MAX_DEPTH) {
                conversation.part(&record, |conversation| message(&record, conversation));
            }
        }
    }
}

impl Session {
    /// Stores a message, replacing an earlier version.
    fn record(&mut self, record: &Node<'_>) {
        let text = record.raw().to_owned();
        let next = self.records.len();
        let id = record.label_at(&["id"]);
        let place = id.map_or(next, |id| *self.places.entry(id).or_insert(next));
        match self.records.get_mut(place) {
            Some(before) => *before = text,
            None => self.records.push(text),
        }
    }

    /// Drops this message and all later ones.
    fn rewind(&mut self, id: &Text<'_>) {
        let from = self.places.get(id).copied().unwrap_or_default();
        self.records.truncate(from);
        self.places.retain(|_, place| *place < from);
    }
}

fn message(message: &Node<'_>, conversation: &mut Conversation) {
    conversation.message();
    conversation.note_speaker(message.says("type", "user"));
    if message.says("type", "gemini") {
        conversation.note_agent_message(message);
        if message.list("toolCalls").is_empty() {
            let text = model_text(message);
            text.iter().for_each(|text| read_said(text, conversation));
        } else {
            conversation.look_into(message.get("content"));
        }
    }
    if message.says("type", "error") {
        conversation.reply_broke(FAILED);
    }
    if message.says("type", "user") {
        conversation.question(|| message.get("content").map(output_of));
    }
    for call in message.list("toolCalls") {
        let response = call
            .any_list(&["result"])
            .iter()
            .find_map(|part| part.at(&["functionResponse", "response"]));
        let output = response.or_else(|| call.get("result"));
        let said = response.and_then(|it| it.get("error")).or(output);
        let has_failed = matches!(call.str_at("status"), Some("error" | "cancelled"))
            || response.is_some_and(|it| it.has("error"));
        let is_refused = said.and_then(Node::str).is_some_and(says_refused);
        let read = TraceCall {
            output: output.map(output_of),
            error: has_failed.then(|| said.map_or_else(failed, output_of)),
            start: call
                .get("timestamp")
                .or_else(|| message.get("timestamp"))
                .and_then(time::from_log),
            ..TraceCall::from_node(call, &["name"], &["args"], &["id"])
        };
        conversation.call(read.by_nobody_if(is_refused));
    }
}

/// An event; events without calls are skipped.
fn event(event: &Node<'_>, conversation: &mut Conversation) {
    let at = event.get("timestamp").and_then(time::from_log);
    match event.str_at("type").unwrap_or_default() {
        "tool_use" => {
            conversation.item();
            conversation.call(TraceCall {
                start: at,
                ..TraceCall::from_node(event, &["tool_name"], &["parameters"], &["tool_id"])
            });
        }
        "tool_result" => {
            conversation.interrupt();
            let error = event.get("error");
            let message = error.and_then(|it| it.get("message")).or(error);
            let has_failed = error.is_some() || event.says("status", "error");
            let result = CallResult {
                error: has_failed.then(|| message.map_or_else(failed, output_of)),
                ..CallResult::from_node(event, &["tool_id"], &["tool_name"], &["output"])
            };
            conversation.result_at(at, result);
        }
        "message" => {
            conversation.interrupt();
            if event.says("role", "user") {
                conversation.question(|| event.get("content").map(output_of));
            } else {
                conversation.note_agent_message(event);
                conversation.look_into(event.get("content"));
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::check;

    fn answer(id: &str, calls: &str) -> String {
        format!(
            r#"{{"id":"{id}","timestamp":"2025-01-01T00:00:00Z","type":"gemini","content":"","toolCalls":[{calls}]}}"#
        )
    }

    const ASKED: &str = r#"{"id":"a","name":"find","args":{"id":7},"status":"executing","timestamp":"2025-01-01T00:00:01Z"}"#;

    fn done(status: &str, response: &str) -> String {
        format!(
            r#"{{"id":"a","name":"find","args":{{"id":7}},"status":"{status}","result":[{{"functionResponse":{{"id":"a","name":"find","response":{response}}}}}]}}"#
        )
    }

    const HEADER: &str =
        r#"{"sessionId":"s","projectHash":"p","startTime":"2025-01-01T00:00:00Z"}"#;

    #[test]
    fn a_message_counts_as_it_was_recorded_last() {
        let lines = [
            HEADER.to_owned(),
            r#"{"id":"u","timestamp":"2025-01-01T00:00:00Z","type":"user","content":"q"}"#
                .to_owned(),
            answer("m", ASKED),
            answer("m", &done("error", r#"{"error":"gone"}"#)),
            answer("n", r#"{"name":"look","args":{},"status":"cancelled"}"#),
            format!(r#"{{"$set":{{"messages":[{}]}}}}"#, answer("o", ASKED)),
        ];
        let found = [
            r#"find({"id":7}) a @1 -> {"error":"gone"} error "gone""#,
            "look({}) @2 error true",
            r#"find({"id":7}) a @3"#,
        ];
        check("gemini-cli", &lines.join("\n"), &found);
        let back = [&lines[..], &[r#"{"$rewindTo":"n"}"#.to_owned()]].concat();
        check("gemini-cli", &back.join("\n"), &found[..1]);
        let whole = format!(
            r#"{{"sessionId":"s","projectHash":"p","startTime":"x","messages":[{},{}]}}"#,
            answer("m", ASKED),
            answer("n", ASKED)
        );
        check(
            "gemini-cli",
            &whole,
            &[r#"find({"id":7}) a @0"#, r#"find({"id":7}) a @1"#],
        );
    }

    #[test]
    fn events_ask_and_answer() {
        check(
            "gemini-cli",
            r#"{"type":"init","timestamp":"2025-01-01T00:00:00Z","session_id":"s","model":"m"}
{"type":"message","role":"user","content":"q"}
{"type":"tool_use","timestamp":"2025-01-01T00:00:01Z","tool_name":"find","tool_id":"a","parameters":{"id":7}}
{"type":"tool_use","timestamp":"2025-01-01T00:00:01Z","tool_name":"look","tool_id":"b","parameters":{}}
{"type":"tool_result","timestamp":"2025-01-01T00:00:02Z","tool_id":"b","status":"error","output":"x","error":{"type":"T","message":"gone"}}
{"type":"tool_result","timestamp":"2025-01-01T00:00:02Z","tool_id":"a","status":"success","output":"y"}
{"type":"result","status":"success","stats":{"tool_calls":2}}"#,
            &[
                r#"find({"id":7}) a @0 group-1 -> "y""#,
                r#"look({}) b @0 group-1 -> "x" error "gone""#,
            ],
        );
    }
}
