//! Messages of the Chat Completions API of `OpenAI`, and of the many that speak its language.

use std::collections::BTreeSet;

use rightcall::value::Text;

use crate::format::{Format, MessageDialect, Priority, Reading, Stream};
use crate::messages::ending::{StreamEnding, cut_off};
use crate::messages::listed::{each_call, holds_call};
use crate::messages::output_of;
use crate::messages::parts::{names_action, pass_over};
use crate::messages::pieces::{PieceKey, StreamedCalls, is_lost_piece};
use crate::node::Node;
use crate::trace::role::is_of_model;
use crate::trace::{CallResult, Conversation, TraceArguments, TraceCall, failed};

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
    let is_call = |call: &Node<'_>| {
        call.at(&["function", "name"]).is_some()
            || call.at(&["custom", "name"]).is_some()
            || is_of_inspect(call)
    };
    // Some leave out what is around name and arguments.
    let is_flat = |call: &Node<'_>| call.str_at("name").is_some() && call.has("arguments");
    holds_call(message, "tool_calls", is_call)
        || message.has("role") && holds_call(message, "tool_calls", is_flat)
        || message.has("role") && holds_call(message, "function_call", |call| call.has("name"))
        || message.says("role", "tool") && message.has("tool_call_id") && message.has("content")
}

/// True for a call in a message of Inspect, which may be outside its logs: the function is its name alone.
fn is_of_inspect(call: &Node<'_>) -> bool {
    call.str_at("function").is_some()
}

/// The messages of a stored reply. Services that filter begin a stream with a chunk of no choice.
fn reply<'n, 'a>(value: &'n Node<'a>) -> Option<Vec<&'n Node<'a>>> {
    let choices = value.get("choices").filter(|choices| choices.is_list())?;
    let is_reply = !choices.items().is_empty() || value.says("object", "chat.completion");
    is_reply.then(|| {
        let choices = choices.items().iter();
        choices.flat_map(message_and_calls).collect()
    })
}

/// The message in an object, and the object itself if it has the calls of the message.
pub(crate) fn message_and_calls<'n, 'a>(
    value: &'n Node<'a>,
) -> impl Iterator<Item = &'n Node<'a>> + use<'n, 'a> {
    const CALLS: [&str; 2] = ["tool_calls", "function_call"];
    let message = value.get("message").filter(|it| it.is_object());
    let has_calls = |node: &Node<'_>| node.any(&CALLS).is_some();
    let beside = message
        .filter(|it| has_calls(value) && !has_calls(it))
        .map(|_| value);
    message.into_iter().chain(beside)
}

pub(crate) fn message(message: &Node<'_>, conversation: &mut Conversation) {
    conversation.message();
    match message.str_at("role") {
        Some("tool") => {
            // AutoGen 0.2, AG2 and tau2-bench keep the results of parallel calls in one message.
            let results = message.any_list(&["tool_responses", "tool_messages"]);
            let alone = std::slice::from_ref(message);
            let results = if results.is_empty() { alone } else { results };
            results.iter().for_each(|it| result(it, conversation));
        }
        Some("function") => {
            conversation.result(CallResult::from_node(message, &[], &["name"], &["content"]));
        }
        role => {
            if let Some(role) = role.filter(|role| names_action(role)) {
                conversation.left_over(format!("a message of the role `{role}`"));
            }
            calls(message, conversation);
        }
    }
}

fn result(message: &Node<'_>, conversation: &mut Conversation) {
    let ids = &["tool_call_id", "id"];
    let result = CallResult::from_node(message, ids, &["name"], &["content"]);
    conversation.result(CallResult {
        error: error_of(message),
        ..result
    });
}

/// The error of a result that says that its call failed. The API has no place for it, so tools have their own.
fn error_of(message: &Node<'_>) -> Option<String> {
    let error = message.get("error");
    let said = error.filter(|it| it.is_object() || it.str().is_some_and(|text| !text.is_empty()));
    let is_error = message.is_set("error")
        || message.is_set("is_error")
        || message.is_set("isError")
        || message.says("status", "error");
    said.map(output_of).or_else(|| is_error.then(failed))
}

fn calls(message: &Node<'_>, conversation: &mut Conversation) {
    each_call(
        message,
        "tool_calls",
        conversation,
        &mut |call, key, conversation| {
            let requestor = call.label_at(&["requestor"]);
            conversation.call(TraceCall {
                id: call.label_at(&["id"]).or(key),
                // In tau2-bench the user has tools too.
                actor: requestor.filter(|name| *name != *"assistant"),
                ..self::call(call)
            });
        },
    );
    each_call(
        message,
        "function_call",
        conversation,
        &mut |call, _, conversation| {
            conversation.call(TraceCall::from_node(call, &["name"], &["arguments"], &[]));
        },
    );
    if is_of_model(message) {
        message
            .list("content")
            .iter()
            .for_each(|part| pass_over(part, conversation));
    }
}

fn call(call: &Node<'_>) -> TraceCall {
    if let Some(custom) = call.get("custom") {
        return TraceCall {
            name: custom.label_at(&["name"]).unwrap_or_default(),
            arguments: TraceArguments::free(custom, "input"),
            ..TraceCall::default()
        };
    }
    if is_of_inspect(call) {
        return TraceCall {
            error: call.raw_at("parse_error"),
            ..TraceCall::from_node(call, &["function"], &["arguments"], &[])
        };
    }
    let function = call.get("function").filter(|it| it.is_object());
    TraceCall::from_node(
        function.unwrap_or(call),
        &["name"],
        &["arguments", "args"],
        &[],
    )
}

/// Streamed calls.
#[derive(Default)]
struct Pieces {
    calls: StreamedCalls,
    /// The id of the reply, where its chunks have one.
    reply: Option<Text<'static>>,
    /// The choices of the reply that have ended.
    ended: BTreeSet<i128>,
    ending: StreamEnding,
    is_reply: bool,
}

impl Pieces {
    /// True if a chunk begins another reply: after the end of one, or under another id.
    fn is_over_before(&self, id: Option<&Text<'static>>, choices: &[Node<'_>]) -> bool {
        let is_other = match (id, &self.reply) {
            (Some(id), Some(reply)) => id != reply,
            _ => false,
        };
        let begins = |choice: &Node<'_>| choice.at(&["delta", "role"]).is_some();
        let has_ended = |(position, choice): (usize, &Node<'_>)| {
            self.ended.contains(&number(choice, position)) && (is_other || begins(choice))
        };
        let is_known = id.is_some() && !is_other;
        !is_known && choices.iter().enumerate().any(has_ended)
            || is_other && choices.iter().any(begins)
    }

    fn piece(&mut self, choice: i128, place: Option<usize>, call: &Node<'_>) {
        let label =
            |node: &Node<'_>, key: &str| node.label_at(&[key]).filter(|label| !label.is_empty());
        let function = call.any(&["function", "custom"]).unwrap_or(call);
        let key = PieceKey {
            choice,
            index: call.whole_at("index").or(place.map(|place| place as i128)),
        };
        let piece = self
            .calls
            .piece(key, label(call, "id"), label(function, "name"));
        piece.is_free |= call.has("custom");
        piece
            .arguments
            .read(function, &["arguments", "input", "args"]);
    }
}

/// The number of a choice.
fn number(choice: &Node<'_>, position: usize) -> i128 {
    choice.whole_at("index").unwrap_or(position as i128)
}

impl Stream for Pieces {
    fn event(&mut self, event: &Node<'_>, conversation: &mut Conversation) {
        let choices = event.list("choices");
        let id = event.label_at(&["id"]).filter(|id| !id.is_empty());
        if self.is_over_before(id.as_ref(), choices) {
            self.end(conversation);
        }
        if !std::mem::replace(&mut self.is_reply, true) {
            conversation.message();
        }
        self.ending.goes_on(conversation);
        self.reply = id.or(self.reply.take());
        for (position, choice) in choices.iter().enumerate() {
            let number = number(choice, position);
            let calls = choice.list_at(&["delta", "tool_calls"]);
            for (place, call) in calls.iter().enumerate() {
                self.piece(number, Some(place).filter(|_| calls.len() > 1), call);
            }
            if let Some(call) = choice.at(&["delta", "function_call"]) {
                self.piece(number, None, call);
            }
            self.ending
                .says(choice.at(&["delta", "content"]), conversation);
            if choice
                .str_at("finish_reason")
                .is_some_and(|reason| !reason.is_empty())
            {
                self.ended.insert(number);
            }
        }
        self.ending.read(event);
    }

    fn pass(&mut self, value: &Node<'_>) {
        if is_lost_piece(value) {
            self.calls.lose_piece();
        }
    }

    fn end(&mut self, conversation: &mut Conversation) {
        for (key, call) in self.calls.take() {
            if !self.ended.contains(&key.choice) && !call.arguments.are_whole() {
                cut_off(conversation);
            }
            conversation.call(call.into_call());
        }
        self.ending.end(conversation);
        *self = Self::default();
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

    /// Chunks of one reply, each with these calls.
    fn chunks(id: &str, calls: &[&str]) -> String {
        let chunk = |calls: &&str| {
            format!(
                r#"{{"id":"{id}","object":"chat.completion.chunk","choices":[{{"index":0,"delta":{{"role":"assistant","tool_calls":[{calls}]}},"finish_reason":null}}]}}"#
            )
        };
        let end = format!(
            r#"{{"id":"{id}","object":"chat.completion.chunk","choices":[{{"index":0,"delta":{{}},"finish_reason":"tool_calls"}}]}}"#
        );
        let lines: Vec<_> = calls.iter().map(chunk).chain([end]).collect();
        lines.join("\n")
    }

    #[test]
    fn another_id_begins_another_call_whatever_its_index() {
        let found = [
            r#"find("{\"a\":1}") c @0 group-1"#,
            r#"find("{\"a\":2}") d @0 group-1"#,
        ];
        let whole = |id: &str, number: u8| {
            format!(
                r#"{{"index":0,"id":"{id}","function":{{"name":"find","arguments":"{{\"a\":{number}}}"}}}}"#
            )
        };
        check(
            "openai-chat",
            &chunks("r", &[&whole("c", 1), &whole("d", 2)]),
            &found,
        );
        let pieces = [
            r#"{"index":0,"id":"c","function":{"name":"find","arguments":"{\"a\""}}"#,
            r#"{"index":0,"function":{"arguments":":1}"}}"#,
            r#"{"index":0,"id":"d","function":{"name":"find","arguments":"{\"a\""}}"#,
            r#"{"index":0,"function":{"arguments":":2}"}}"#,
        ];
        check("openai-chat", &chunks("r", &pieces), &found);
        // Without an index, ids tell them apart; every piece may repeat the id.
        let repeated = [
            r#"{"id":"c","function":{"name":"find","arguments":"{\"a\""}},{"id":"d","function":{"name":"find","arguments":"{\"a\""}}"#,
            r#"{"id":"d","function":{"arguments":":2}"}}"#,
            r#"{"id":"c","function":{"arguments":":1}"}}"#,
        ];
        check("openai-chat", &chunks("r", &repeated), &found);
        // Without ids, a name after whole arguments begins another.
        let nameless = [&whole("", 1), &whole("", 2)].map(|it| it.replace(r#""id":"","#, ""));
        check(
            "openai-chat",
            &chunks("r", &[&nameless[0], &nameless[1]]),
            &[
                r#"find("{\"a\":1}") @0 group-1"#,
                r#"find("{\"a\":2}") @0 group-1"#,
            ],
        );
    }

    #[test]
    fn what_whole_messages_hold_may_be_streamed() {
        let calls = [
            r#"{"index":0,"id":"c","function":{"name":"find","arguments":""}}"#,
            r#"{"index":0,"function":{"arguments":{"a":1}}},{"index":1,"id":"d","type":"custom","custom":{"name":"sql","input":"SELECT"}}"#,
            r#"{"index":1,"custom":{"input":" 1"}},{"index":2,"id":"e","name":"look","arguments":"{}"}"#,
        ];
        check(
            "openai-chat",
            &chunks("r", &calls),
            &[
                r#"find({"a":1}) c @0 group-1"#,
                r#"sql(free "SELECT 1") d @0 group-1"#,
                r#"look("{}") e @0 group-1"#,
            ],
        );
        let old = chunks("r", &[""]).replace(
            r#""tool_calls":[]"#,
            r#""function_call":{"name":"find","arguments":"{}"}"#,
        );
        check("openai-chat", &old, &[r#"find("{}") @0"#]);
    }

    #[test]
    fn streams_one_after_another_are_replies_of_one_run() {
        let call = r#"{"index":0,"id":"ID","function":{"name":"find","arguments":"{}"}}"#;
        let found = [r#"find("{}") k1 @0"#, r#"find("{}") k2 @1"#];
        let of = |reply: &str, id: &str| chunks(reply, &[&call.replace("ID", id)]);
        for ids in [("c1", "c2"), ("", "")] {
            let text = format!("{}\n{}", of(ids.0, "k1"), of(ids.1, "k2"));
            check("openai-chat", &text, &found);
        }
        // Some servers give each chunk an id of its own.
        let pieces = chunks(
            "ID",
            &[
                r#"{"index":0,"id":"k","function":{"name":"find","arguments":"{\"a\""}}"#,
                r#"{"index":0,"function":{"arguments":":1}"}}"#,
            ],
        );
        let numbered: Vec<_> = pieces
            .lines()
            .enumerate()
            .map(|(number, line)| {
                let role = if number > 0 {
                    r#""role":"assistant","#
                } else {
                    ""
                };
                line.replace(r#""id":"ID""#, &format!(r#""id":"{number}""#))
                    .replace(role, "")
            })
            .collect();
        check(
            "openai-chat",
            &numbered.join("\n"),
            &[r#"find("{\"a\":1}") k @0"#],
        );
    }

    #[test]
    fn tools_say_in_several_ways_that_they_failed() {
        for (said, error) in [
            (r#""error":true"#, "true"),
            (r#""error":"gone""#, r#""gone""#),
            (r#""is_error":true"#, "true"),
            (r#""isError":true"#, "true"),
            (r#""status":"error""#, "true"),
        ] {
            check(
                "openai-chat",
                &format!(
                    r#"[{{"role":"assistant","tool_calls":[{{"id":"c","function":{{"name":"find","arguments":"{{}}"}}}}]}},{{"role":"tool","tool_call_id":"c","content":"x",{said}}}]"#
                ),
                &[&format!(r#"find("{{}}") c @0 -> "x" error {error}"#)],
            );
        }
    }

    #[test]
    fn flat_calls_and_results_of_several_calls_are_read() {
        check(
            "openai-chat",
            r#"[{"role":"assistant","tool_calls":[{"id":"a","name":"find","arguments":{"id":7}},{"id":"b","name":"look","arguments":"{}"}]},
                {"role":"tool","tool_messages":[{"role":"tool","id":"b","content":"B"},{"role":"tool","id":"a","content":"A"}]}]"#,
            &[
                r#"find({"id":7}) a @0 group-1 -> "A""#,
                r#"look("{}") b @0 group-1 -> "B""#,
            ],
        );
    }
}
