//! Chats with GitHub Copilot in VS Code, as exported and stored by the editor.

mod changes;

use rightcall_core::value::MAX_DEPTH;

use self::changes::ChangedValue;
use crate::format::{Format, FoundTraces, Priority, Reading, Recognition, TraceReader, ValuePlace};
use crate::json::written;
use crate::messages::ending::{FAILED, cut_off};
use crate::messages::in_text::read_said;
use crate::messages::listed::each_call;
use crate::messages::{json_text, output_of};
use crate::node::Node;
use crate::trace::{CallResult, Conversation, Scope, Trace, TraceArguments, TraceCall};

pub(super) static ENTRY: Format = Format {
    name: "copilot-chat",
    title: "Copilot chats of VS Code",
    summary: "`requests` with `message`, `response` and `result.metadata.toolCallRounds`",
    reads: &[
        ("calls", "`result.metadata.toolCallRounds[].toolCalls[]`; of a request without any, the parts `toolInvocationSerialized` of its response"),
        ("arguments", "`arguments`"),
        ("results", "`result.metadata.toolCallResults`, by the ids of calls"),
        ("ids", "`id`"),
        ("question", "`message.text` of the first request"),
        ("order", "the order of rounds; calls of one round are parallel"),
    ],
    lacks: &["times", "whether a result is an error", "arguments and results, of a request that was canceled"],
    notes: "What *Chat: Export Chat…* writes, and the sessions that the editor keeps, as `.json` and, written as changes, as `.jsonl`. A chat is a
trajectory.",
    extensions: &["json", "jsonl"],
    example: r#"{"responderUsername":"GitHub Copilot","requests":[{"requestId":"r1","message":{"text":"Where is order 7?"},"response":[],"result":{"metadata":{"toolCallRounds":[{"id":"t1","response":"","toolCalls":[{"id":"c1","name":"find_order","arguments":"{\"id\": 7}"}]}],"toolCallResults":{"c1":{"content":[{"value":"shipped"}]}}}}}]}"#,
    priority: Priority::Document,
    reading: Reading::Traces(
        |value| {
            let record = value.first_record();
            if record.get("v").is_some_and(|whole| record.whole_at("kind") == Some(0) && whole.has("requests")) {
                return Recognition::Certain;
            }
            let requests = record.list("requests");
            let is_answered = |it: &Node<'_>| it.has("message") && it.has("response");
            Recognition::by_marks(&[
                ("requests", !requests.is_empty()),
                ("message with response", requests.iter().any(is_answered)),
            ])
        },
        |scope| Box::new(Chats { scope, open: None }),
    ),
};

/// Reads chats, including those stored as changes.
struct Chats {
    scope: Scope,
    open: Option<ChangedChat>,
}

/// A chat stored as changes.
struct ChangedChat {
    line: u64,
    chat: ChangedValue,
    /// True if a change could not be applied.
    is_broken: bool,
}

impl TraceReader for Chats {
    fn value(&mut self, value: &Node<'_>, place: ValuePlace, found: &mut FoundTraces) {
        let line = place.line;
        if self.each_item(value, place, found) {
            return;
        }
        if let (Some(whole), Some(0)) = (value.get("v"), value.whole_at("kind")) {
            self.finish(found);
            self.open = Some(ChangedChat {
                line,
                chat: ChangedValue::new(whole),
                is_broken: false,
            });
        } else if let Some(open) = &mut self.open {
            open.is_broken |= open.chat.change(value).is_none();
        } else {
            let trace = read(value, self.scope, false);
            if value.has("requests") || trace.report.unread_count() > 0 {
                found.trace(line, trace);
            }
        }
    }

    fn finish(&mut self, found: &mut FoundTraces) -> bool {
        let Some(open) = self.open.take() else {
            return false;
        };
        let text = written(|writer| open.chat.write(writer));
        if let Ok(chat) = Node::parse(&text, MAX_DEPTH) {
            found.trace(open.line, read(&chat, self.scope, open.is_broken));
        }
        false
    }
}

fn read(chat: &Node<'_>, scope: Scope, is_broken: bool) -> Trace {
    let mut conversation = Conversation::new(scope);
    conversation.trace().id = chat.label_at(&["sessionId"]);
    let requests = chat.list("requests");
    let question = requests.first().and_then(|it| it.at(&["message", "text"]));
    conversation.trace().input = question.and_then(Node::text).map(json_text);
    for request in requests {
        conversation.part(request, |conversation| {
            self::request(request, conversation);
        });
        if request.at(&["result", "errorDetails"]).is_some() {
            conversation.reply_broke(FAILED);
        }
    }
    if is_broken {
        conversation.note_irregular("a change that cannot be applied");
    }
    conversation.finish_record(chat, &["requests"])
}

fn request(request: &Node<'_>, conversation: &mut Conversation) {
    let before = conversation.calls_read();
    let has_result = request.get("result").is_some_and(|it| !it.is_null());
    if !request.list("response").is_empty() || has_result {
        conversation.agent_spoke();
    }
    let metadata = request.at(&["result", "metadata"]);
    for round in metadata.map_or(&[][..], |it| it.list("toolCallRounds")) {
        conversation.message();
        if round.list("toolCalls").is_empty() {
            read_said(round.str_at("response").unwrap_or_default(), conversation);
        } else {
            conversation.look_into(round.get("response"));
        }
        each_call(
            round,
            "toolCalls",
            conversation,
            &mut |call, _, conversation| {
                conversation.call(TraceCall::from_node(
                    call,
                    &["name"],
                    &["arguments"],
                    &["id"],
                ));
            },
        );
        let results = metadata.and_then(|it| it.get("toolCallResults"));
        for call in round.list("toolCalls") {
            let id = call.label_at(&["id"]);
            let key = id.as_ref().map(|id| id.to_display().into_owned());
            let Some(result) = key.and_then(|key| results?.get(&key)) else {
                continue;
            };
            conversation.result(CallResult {
                id,
                output: Some(output(result)),
                ..CallResult::default()
            });
        }
    }
    if conversation.calls_read() > before {
        return;
    }
    let results = metadata.and_then(|it| it.get("toolCallResults"));
    for (id, _) in results.map_or(&[][..], Node::entries) {
        conversation.result(CallResult {
            id: Some(id.clone().into_owned()),
            ..CallResult::default()
        });
    }
    for part in request.list("response") {
        conversation.look_into(part.get("value"));
    }
    let shown = request
        .list("response")
        .iter()
        .filter(|part| is_shown_call(part));
    let prepares = |part: &Node<'_>| part.says("kind", "prepareToolInvocation");
    if shown.clone().next().is_none() && request.list("response").iter().any(prepares) {
        conversation.left_over("a call that was being prepared");
    }
    // Without a result the response may have been incomplete, so later parts may be missing.
    let is_over = request.has("result") || request.is_set("isCanceled");
    for part in shown {
        if is_over {
            invoked(part, conversation);
        } else {
            conversation.note_irregular("a call of a request that is not over");
            cut_off(conversation);
        }
    }
}

/// A result: its text if all parts are text.
fn output(result: &Node<'_>) -> String {
    let parts = result.list("content");
    let texts: Vec<_> = parts
        .iter()
        .filter_map(|part| part.str_at("value"))
        .collect();
    if texts.len() == parts.len() && !texts.is_empty() {
        return json_text(&texts.join("\n").into());
    }
    result
        .get("content")
        .map_or_else(|| output_of(result), output_of)
}

fn is_shown_call(part: &Node<'_>) -> bool {
    part.says("kind", "toolInvocationSerialized")
}

/// The displayed form of a call, without its arguments.
fn invoked(part: &Node<'_>, conversation: &mut Conversation) {
    conversation.message();
    conversation.call(TraceCall {
        arguments: TraceArguments::Absent,
        ..TraceCall::from_node(part, &["toolId"], &[], &["toolCallId"])
    });
}

#[cfg(test)]
mod tests {
    use crate::tests::check;

    #[test]
    fn rounds_hold_calls_and_a_canceled_request_what_was_shown() {
        let shown = r#"{"kind":"toolInvocationSerialized","toolId":"copilot_readFile","toolCallId":"z","isComplete":true,"invocationMessage":"Reading"}"#;
        check(
            "copilot-chat",
            &format!(
                r#"{{"responderUsername":"GitHub Copilot","requests":[
                {{"requestId":"r","message":{{"text":"q"}},"response":[{shown},{{"value":"done"}}],"result":{{"metadata":{{"toolCallRounds":[
                    {{"id":"t","response":"","toolCalls":[{{"id":"a","name":"read_file","arguments":"{{\"path\": 1}}"}},{{"id":"b","name":"look","arguments":"{{}}"}}]}},{{"id":"u","response":"done","toolCalls":[]}}],
                    "toolCallResults":{{"a":{{"content":[{{"$mid":21,"value":"x"}},{{"value":"y"}}]}},"b":{{"content":[{{"value":{{"node":1}}}}]}}}}}}}}}},
                {{"requestId":"s","message":{{"text":"p"}},"response":[{shown}],"isCanceled":true}}]}}"#
            ),
            &[
                r#"read_file("{\"path\": 1}") a @0 group-1 -> "x\ny""#,
                r#"look("{}") b @0 group-1 -> [{"value":{"node":1}}]"#,
                "copilot_readFile(?) z @2",
            ],
        );
    }

    #[test]
    fn a_session_may_be_written_as_changes() {
        let lines = r#"{"kind":0,"v":{"version":3,"sessionId":"s","requests":[]}}
{"kind":2,"k":["requests"],"v":[{"requestId":"r","message":{"text":"q"},"response":[]}]}
{"kind":2,"k":["requests",0,"response"],"v":[{"kind":"toolInvocationSerialized","toolId":"copilot_readFile","toolCallId":"z"}]}
{"kind":1,"k":["requests",0,"result"],"v":{"metadata":{"toolCallRounds":[{"id":"t","toolCalls":[{"id":"a","name":"read_file","arguments":"{}"}]}],"toolCallResults":{"a":{"content":[{"value":"x"}]}}}}}
"#;
        check("copilot-chat", lines, &[r#"read_file("{}") a @0 -> "x""#]);
    }
}
