//! Messages of the Chat Completions API of `OpenAI`, and of the many that speak its language.

use std::collections::BTreeMap;

use crate::format::{Format, MessageDialect, Priority, Reading, Stream};
use crate::messages::pieces::StreamedCall;
use crate::node::Node;
use crate::trace::{CallResult, Conversation, TraceArguments, TraceCall};

static DIALECT: MessageDialect = MessageDialect {
    mark: "tool_calls[].function",
    decides,
    owns: |value| value.says("object", "chat.completion"),
    message,
    is_event: |value| {
        value.says("object", "chat.completion.chunk")
            || value.list("choices").iter().any(|it| it.has("delta"))
    },
    stream: Some(|| Box::new(Pieces::default())),
    keys: &["choices", "object"],
    reply,
    takes_plain_text: true,
    ..MessageDialect::BASE
};

pub(super) static ENTRY: Format = Format {
    name: "openai-chat",
    title: "OpenAI Chat Completions",
    summary: "messages with `tool_calls[].function`, replies and streamed chunks",
    reads: &[
        ("calls", "`tool_calls[].function`, `tool_calls[].custom`, `function_call` of assistant messages"),
        ("arguments", "`function.arguments`, `custom.input`"),
        ("results", "messages with the role `tool` or `function`"),
        ("ids", "`tool_calls[].id`, `tool_call_id`"),
        ("order", "the order of messages; calls of one message are parallel"),
    ],
    lacks: &["times", "whether a result is an error"],
    notes: "Conversations one a line or in a list, stored replies, and streams of chunks. Many providers and servers speak this form; arguments may be an
object, ids may be missing. In messages of Inspect `tool_calls[].function` is the name. `parallel` calls are taken apart as in [`openai-responses`](openai-responses.md).",
    extensions: &["json", "jsonl"],
    example: r#"[{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"find_order","arguments":"{\"id\":7}"}}]},
 {"role":"tool","tool_call_id":"c1","content":"shipped"}]"#,
    priority: Priority::CommonMessages,
    reading: Reading::Messages(&DIALECT),
};

fn decides(message: &Node<'_>) -> bool {
    let calls = message.list("tool_calls");
    let is_call = |call: &Node<'_>| {
        call.at(&["function", "name"]).is_some()
            || call.at(&["custom", "name"]).is_some()
            || is_of_inspect(call)
    };
    calls.iter().any(is_call)
        || message.at(&["function_call", "name"]).is_some() && message.has("role")
        || message.says("role", "tool") && message.has("tool_call_id") && message.has("content")
}

/// True for a call in a message of Inspect, which may stand outside its logs: the function is its name alone.
fn is_of_inspect(call: &Node<'_>) -> bool {
    call.str_at("function").is_some()
}

/// The messages of a stored reply. Services that filter begin a stream with a chunk of no choice.
fn reply<'n, 'a>(value: &'n Node<'a>) -> Option<Vec<&'n Node<'a>>> {
    let choices = value.get("choices").filter(|choices| choices.is_list())?;
    let is_reply = !choices.items().is_empty() || value.says("object", "chat.completion");
    is_reply.then(|| {
        let messages = choices.items().iter();
        messages
            .filter_map(|choice| choice.get("message"))
            .collect()
    })
}

pub(crate) fn message(message: &Node<'_>, conversation: &mut Conversation) {
    conversation.message();
    match message.str_at("role") {
        // AutoGen 0.2 and AG2 keep the results of parallel calls in one message, whose content joins them.
        Some("tool") if !message.list("tool_responses").is_empty() => {
            for response in message.list("tool_responses") {
                let ids = &["tool_call_id"];
                conversation.result(CallResult::from_node(response, ids, &[], &["content"]));
            }
        }
        Some("tool") => {
            let error = message.get("error").filter(|error| error.is_object());
            conversation.result(CallResult {
                error: error.map(|error| error.raw().to_owned()),
                ..CallResult::from_node(message, &["tool_call_id", "id"], &["name"], &["content"])
            });
        }
        Some("function") => {
            conversation.result(CallResult::from_node(message, &[], &["name"], &["content"]));
        }
        _ => calls(message, conversation),
    }
}

fn calls(message: &Node<'_>, conversation: &mut Conversation) {
    for call in message.list("tool_calls") {
        let id = call.label_at(&["id"]);
        let call = if let Some(custom) = call.get("custom") {
            TraceCall {
                name: custom.label_at(&["name"]).unwrap_or_default(),
                arguments: TraceArguments::free(custom, "input"),
                ..TraceCall::default()
            }
        } else if is_of_inspect(call) {
            TraceCall {
                error: call.raw_at("parse_error"),
                ..TraceCall::from_node(call, &["function"], &["arguments"], &[])
            }
        } else {
            let function = call.get("function").filter(|it| it.is_object());
            TraceCall::from_node(
                function.unwrap_or(call),
                &["name"],
                &["arguments", "args"],
                &[],
            )
        };
        conversation.call(TraceCall { id, ..call });
    }
    if let Some(call) = message.get("function_call") {
        conversation.call(TraceCall::from_node(call, &["name"], &["arguments"], &[]));
    }
}

/// Streamed calls, by choice and index.
#[derive(Default)]
struct Pieces {
    calls: BTreeMap<(i128, i128), StreamedCall>,
    is_reply: bool,
}

impl Stream for Pieces {
    fn event(&mut self, event: &Node<'_>, conversation: &mut Conversation) {
        if !std::mem::replace(&mut self.is_reply, true) {
            conversation.message();
        }
        let number =
            |node: &Node<'_>, position: usize| node.whole_at("index").unwrap_or(position as i128);
        for (position, choice) in event.list("choices").iter().enumerate() {
            for (place, call) in choice.list_at(&["delta", "tool_calls"]).iter().enumerate() {
                let key = (number(choice, position), number(call, place));
                let piece = self.calls.entry(key).or_default();
                let label = |node: &Node<'_>, key: &str| {
                    node.label_at(&[key]).filter(|label| !label.is_empty())
                };
                piece.add(label(call, "id"), None);
                if let Some(function) = call.any(&["function", "custom"]) {
                    piece.add(None, label(function, "name"));
                    piece.arguments.read(function, &["arguments", "input"]);
                }
            }
        }
    }

    fn end(&mut self, conversation: &mut Conversation) {
        for piece in std::mem::take(&mut self.calls).into_values() {
            conversation.call(piece.into_call());
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::check;

    #[test]
    fn one_message_may_answer_several_calls() {
        check(
            "openai-chat",
            r#"[{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"find","arguments":"{}"}},{"id":"b","function":{"name":"look","arguments":"{}"}}]},
                {"role":"tool","content":"x\n\ny","tool_responses":[{"tool_call_id":"b","role":"tool","content":"y"},{"tool_call_id":"a","role":"tool","content":"x"}]}]"#,
            &[
                r#"find("{}") a @0 group-1 -> "x""#,
                r#"look("{}") b @0 group-1 -> "y""#,
            ],
        );
    }

    #[test]
    fn calls_are_paired_with_their_results() {
        check(
            "openai-chat",
            r#"[{"role":"user","content":"q"},
                {"role":"assistant","tool_calls":[
                    {"id":"c","type":"function","function":{"name":"find","arguments":"{\"id\": 7}"}},
                    {"id":"d","type":"custom","custom":{"name":"sql","input":"SELECT 1"}},
                    {"function":{"name":"look","arguments":{"n":1.0}}}]},
                {"role":"tool","tool_call_id":"d","content":[{"type":"text","text":"1"}]},
                {"role":"tool","tool_call_id":"c","content":"shipped"},
                {"role":"tool","name":"look","content":"x"},
                {"role":"tool","tool_call_id":"gone","content":"x"}]"#,
            &[
                r#"find("{\"id\": 7}") c @1 group-1 -> "shipped""#,
                r#"sql(free "SELECT 1") d @1 group-1 -> "1""#,
                r#"look({"n":1.0}) @1 group-1 -> "x""#,
                "1 orphans",
            ],
        );
    }

    #[test]
    fn the_old_function_call_and_a_stored_reply_are_read() {
        check(
            "openai-chat",
            r#"{"messages":[{"role":"assistant","function_call":{"name":"find","arguments":""}},{"role":"function","name":"find","content":"x"}]}"#,
            &[r#"find("") @0 -> "x""#],
        );
        check(
            "openai-chat",
            r#"{"object":"chat.completion","choices":[{"message":{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"find","arguments":"{}"}}]}}]}"#,
            &[r#"find("{}") c @0"#],
        );
    }

    #[test]
    fn a_stream_is_put_together_by_index() {
        check(
            "openai-chat",
            r#"data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[{"index":0,"id":"c","function":{"name":"find","arguments":""}}]}}]}

data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"d","function":{"name":"look"}}]}}]}
data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\":"}}]}}]}
data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]}}]}
data: [DONE]
"#,
            &[
                r#"find("{\"a\":1}") c @0 group-1"#,
                r#"look("") d @0 group-1"#,
            ],
        );
    }

    #[test]
    fn each_line_is_a_conversation_and_so_is_each_entry_of_a_map() {
        let conversation = r#"{"messages":[{"role":"assistant","tool_calls":[{"function":{"name":"find","arguments":"{}"}}]}]}"#;
        check(
            "openai-chat",
            &format!("{conversation}\n{conversation}\n"),
            &[r#"find("{}") @0"#, "---", r#"find("{}") @0"#],
        );
        check(
            "openai-chat",
            &format!(r#"{{"a":{conversation},"b":{conversation}}}"#),
            &[r#"find("{}") @0"#, "---", r#"find("{}") @0"#],
        );
    }
}
