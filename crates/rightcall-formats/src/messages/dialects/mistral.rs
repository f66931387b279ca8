//! Streams of conversations of Mistral's API for agents.

use rightcall_core::call::Executor;
use rightcall_core::value::Text;

use crate::format::{Format, MessageDialect, Priority, Reading, Stream};
use crate::messages::ending::{StreamEnding, cut_off};
use crate::messages::output_of;
use crate::messages::pieces::{PieceKey, StreamedCall, StreamedCalls, is_lost_piece};
use crate::node::Node;
use crate::trace::{Conversation, TraceCall};

static DIALECT: MessageDialect = MessageDialect {
    mark: "type: conversation.response.started",
    is_event: |value| event_of(value).is_some(),
    stream: Some(|| Box::new(Pieces::default())),
    ..MessageDialect::BASE
};

pub(super) static ENTRY: Format = Format {
    name: "mistral-streams",
    title: "Mistral conversation streams",
    summary: "events of `type: conversation.response.started`, `function.call.delta` and `message.output.delta`",
    reads: &[
        ("calls", "events of `function.call.delta`; those of one `tool_call_id` are a call"),
        ("calls of the provider", "`tool.execution.started`, `tool.execution.delta`"),
        ("arguments", "`arguments`, joined"),
        ("results", "of calls of the provider, `info` of `tool.execution.done`"),
        ("ids", "`tool_call_id`, `id`"),
        ("calls not run", "`confirmation_status: denied`"),
    ],
    lacks: &["results of functions", "times"],
    notes: "What `conversations.start_stream` and `append_stream` return: server-sent events, or objects with `event` and `data`. Streams of one
`conversation_id` are a run. Whole responses and histories are [`mistral-conversations`](mistral-conversations.md).",
    extensions: &["jsonl", "json"],
    example: r#"{"type":"conversation.response.started","conversation_id":"v1"}
{"type":"function.call.delta","output_index":0,"id":"f1","tool_call_id":"c1","name":"find_order","arguments":"{\"id\""}
{"type":"function.call.delta","output_index":0,"id":"f1","tool_call_id":"c1","name":"find_order","arguments":":7}"}
{"type":"conversation.response.done","usage":{"total_tokens":12}}
"#,
    priority: Priority::Messages,
    reading: Reading::Messages(&DIALECT),
};

const EVENTS: [&str; 10] = [
    "conversation.response.started",
    "conversation.response.done",
    "conversation.response.error",
    "message.output.delta",
    "function.call.delta",
    "tool.execution.started",
    "tool.execution.delta",
    "tool.execution.done",
    "agent.handoff.started",
    "agent.handoff.done",
];

/// The event in a value, possibly wrapped in an object of the client library.
fn event_of<'n, 'a>(value: &'n Node<'a>) -> Option<&'n Node<'a>> {
    let is_event = |event: &&Node<'_>| event.str_at("type").is_some_and(|it| EVENTS.contains(&it));
    let inner = value.get("data").filter(|_| value.has("event"));
    Some(inner.unwrap_or(value)).filter(is_event)
}

/// The pieces of a streamed reply.
#[derive(Default)]
struct Pieces {
    /// The id of its conversation.
    conversation: Option<Text<'static>>,
    calls: StreamedCalls,
    /// The ids of calls that a person denied.
    denied: Vec<Text<'static>>,
    executions: Vec<Execution>,
    ending: StreamEnding,
}

/// A call made by the provider.
#[derive(Default)]
struct Execution {
    call: StreamedCall,
    output: Option<String>,
    is_done: bool,
}

impl Pieces {
    fn function_call(&mut self, event: &Node<'_>) {
        let key = PieceKey {
            choice: 0,
            index: event.whole_at("output_index"),
        };
        let id = event.label_at(&["tool_call_id", "id"]);
        if event.says("confirmation_status", "denied") {
            self.denied.extend(id.clone());
        }
        let call = self.calls.piece(key, id, event.name_at(&["name"]));
        call.arguments.read(event, &["arguments"]);
    }

    fn execution(&mut self, event: &Node<'_>) {
        let id = event.label_at(&["id"]);
        let is_same = |it: &Execution| id.is_some() && it.call.id == id;
        let place = self.executions.iter().rposition(is_same);
        let place = place.unwrap_or_else(|| {
            self.executions.push(Execution::default());
            self.executions.len() - 1
        });
        let execution = &mut self.executions[place];
        execution.call.add(id, event.name_at(&["name"]));
        if event.has("arguments") {
            execution.call.arguments.read(event, &["arguments"]);
        }
        if event.says("type", "tool.execution.done") {
            execution.is_done = true;
            execution.output = event.get("info").map(output_of);
        }
    }
}

impl Stream for Pieces {
    fn event(&mut self, value: &Node<'_>, conversation: &mut Conversation) {
        let Some(event) = event_of(value) else { return };
        self.ending.add_piece(conversation);
        match event.str_at("type").unwrap_or_default() {
            "conversation.response.started" => {
                self.end(conversation);
                self.conversation = event.label_at(&["conversation_id"]);
                let id = &mut conversation.trace().id;
                *id = id.take().or_else(|| self.conversation.clone());
            }
            "function.call.delta" => self.function_call(event),
            "message.output.delta" => {
                let content = event.get("content");
                let text = content.map(|content| content.get("text").unwrap_or(content));
                self.ending.add_text(text, conversation);
            }
            "conversation.response.done" => {
                self.ending.set_reason("stop");
                self.end(conversation);
            }
            "conversation.response.error" => {
                self.ending.set_reason("error");
                self.end(conversation);
            }
            kind if kind.starts_with("tool.execution") => self.execution(event),
            _ => {}
        }
    }

    fn is_over_before(&self, event: &Node<'_>) -> bool {
        let id = event_of(event).and_then(|event| event.label_at(&["conversation_id"]));
        id.is_some() && self.conversation.is_some() && id != self.conversation
    }

    fn pass(&mut self, value: &Node<'_>) {
        if is_lost_piece(value) {
            self.calls.lose_piece();
        }
    }

    fn end(&mut self, conversation: &mut Conversation) {
        let executions = std::mem::take(&mut self.executions);
        if !self.calls.is_empty() || !executions.is_empty() {
            conversation.message();
        }
        for Execution {
            call,
            output,
            is_done,
        } in executions
        {
            if !is_done && !self.ending.is_known() {
                cut_off(conversation);
            }
            conversation.call(TraceCall {
                output,
                executor: Executor::Provider,
                ..call.into_call()
            });
        }
        for (_, call) in self.calls.take() {
            if !self.ending.is_known() {
                cut_off(conversation);
            }
            let is_denied = call.id.as_ref().is_some_and(|id| self.denied.contains(id));
            let call = call.into_call();
            conversation.call(TraceCall {
                executor: if is_denied {
                    Executor::Nobody
                } else {
                    call.executor
                },
                ..call
            });
        }
        self.ending.end(conversation);
        self.denied.clear();
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::{check, evidence};

    #[test]
    fn pieces_of_a_call_are_joined_by_id() {
        check(
            "mistral-streams",
            r#"data: {"type":"conversation.response.started","conversation_id":"v"}
data: {"type":"tool.execution.started","output_index":0,"id":"e","name":"web_search","arguments":"{\"q\":1}"}
data: {"type":"tool.execution.done","output_index":0,"id":"e","name":"web_search","info":{"n":2}}
data: {"type":"function.call.delta","output_index":1,"id":"f","tool_call_id":"a","name":"find","arguments":"{\"id\""}
data: {"type":"function.call.delta","output_index":2,"id":"g","tool_call_id":"b","name":"find","arguments":"{}"}
data: {"type":"function.call.delta","output_index":1,"id":"f","tool_call_id":"a","name":"find","arguments":":7}"}
data: {"type":"conversation.response.done","usage":{}}
data: {"type":"conversation.response.started","conversation_id":"v"}
data: {"type":"function.call.delta","output_index":0,"id":"h","tool_call_id":"c","name":"pay","arguments":"{}","confirmation_status":"denied"}
data: {"type":"conversation.response.done","usage":{}}
"#,
            &[
                r#"web_search("{\"q\":1}") e @0 group-1 by provider -> {"n":2}"#,
                r#"find("{\"id\":7}") a @0 group-1"#,
                r#"find("{}") b @0 group-1"#,
                r#"pay("{}") c @1 not run"#,
            ],
        );
    }

    #[test]
    fn interrupted_reply_is_incomplete() {
        let text = r#"{"event":"message.output.delta","data":{"type":"message.output.delta","content":"Hi"}}"#;
        let done = r#"{"event":"conversation.response.done","data":{"type":"conversation.response.done"}}"#;
        assert_eq!(
            evidence("mistral-streams", &format!("{text}\n{done}\n")),
            ["spoke"]
        );
        let failed = r#"{"type":"conversation.response.error","message":"busy","code":1}"#;
        assert_eq!(
            evidence("mistral-streams", failed),
            [
                "silent",
                "1 a reply that ended by `error` before it said anything"
            ]
        );
        let begun =
            r#"{"type":"function.call.delta","tool_call_id":"a","name":"find","arguments":"{"}"#;
        assert_eq!(
            evidence("mistral-streams", begun),
            ["silent", "1 a reply that broke off inside a call"]
        );
    }
}
