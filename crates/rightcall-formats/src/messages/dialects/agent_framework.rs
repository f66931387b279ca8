//! Messages of Microsoft Agent Framework, and of its .NET base, `Microsoft.Extensions.AI`.

use rightcall_core::value::Text;

use crate::format::{Format, MessageDialect, Priority, Reading, Stream};
use crate::messages::ending::StreamEnding;
use crate::messages::in_text::read_text;
use crate::messages::parts::pass_over;
use crate::messages::refusal::{refusal_of, refuse};
use crate::messages::{name_speaker, output_of};
use crate::node::Node;
use crate::trace::role::is_of_model;
use crate::trace::{CallResult, Conversation, LeftOut, TraceCall};

static DIALECT: MessageDialect = MessageDialect {
    mark: "contents of type function_call or functionCall",
    decides: |message| {
        message.holds("contents", |item| {
            is_call(item) || is_result(item) || approval(item).is_some()
        }) || message.has("role") && message.holds("contents", is_content)
    },
    owns: |value| !stored(value).is_empty(),
    message,
    is_event: is_update,
    stream: Some(|| Box::new(ResponseUpdates::default())),
    ..MessageDialect::BASE
};

pub(super) static ENTRY: Format = Format {
    name: "agent-framework",
    title: "Microsoft Agent Framework messages",
    summary: "messages with `contents` of type `function_call`, or of `$type` `functionCall`",
    reads: &[
        ("calls", "contents of `type` `function_call`, of `$type` `functionCall`"),
        ("arguments", "`arguments`"),
        ("results", "contents of `type` `function_result`, of `$type` `functionResult`: `result`"),
        ("ids", "`call_id`, `callId`"),
        ("errors", "`exception`"),
        ("calls that a human refused", "`approved: false` of `function_approval_response`"),
        ("order", "the order of messages; calls of one message are parallel"),
    ],
    lacks: &["times"],
    notes: "Messages and responses of agents as `to_dict` of Python gives them and as .NET serializes them, the updates of a streamed response, and
the messages that a session or a thread keeps. Chats of `Microsoft.Extensions.AI` are the same.",
    extensions: &["json", "jsonl"],
    example: r#"{"type":"agent_response","messages":[{"type":"message","role":"assistant","contents":[{"type":"function_call","call_id":"c1","name":"find_order","arguments":"{\"id\": 7}"}]},{"type":"message","role":"tool","contents":[{"type":"function_result","call_id":"c1","result":"shipped"}]}]}"#,
    priority: Priority::Messages,
    reading: Reading::Messages(&DIALECT),
};

fn is_of_kind(item: &Node<'_>, python: &str, dotnet: &str) -> bool {
    item.says("type", python) || item.says("$type", dotnet)
}

/// True for content of a message in either library.
fn is_content(item: &Node<'_>) -> bool {
    item.str_at("$type").is_some() || item.says("type", "text") && item.has("additional_properties")
}

/// True for an update of a streamed response of .NET.
fn is_update(value: &Node<'_>) -> bool {
    value.has_any(&["responseId", "finishReason"])
        && value.holds("contents", |item| item.str_at("$type").is_some())
}

/// The updates of a streamed response.
#[derive(Default)]
struct ResponseUpdates {
    message: Option<Text<'static>>,
    ending: StreamEnding,
}

impl Stream for ResponseUpdates {
    fn event(&mut self, event: &Node<'_>, conversation: &mut Conversation) {
        let id = event.label_at(&["messageId"]);
        if id != self.message {
            self.end(conversation);
            conversation.message();
            self.message = id;
        }
        self.ending.add_piece(conversation);
        for item in event.list("contents") {
            let is_said = item.says("$type", "text") && !event.says("role", "tool");
            self.ending
                .add_text(item.get("text").filter(|_| is_said), conversation);
        }
        contents(event, conversation);
        self.ending.read(event);
        // Updates of agents give no reason.
        self.ending.close();
    }

    fn end(&mut self, conversation: &mut Conversation) {
        self.ending.end(conversation);
    }
}

fn is_call(item: &Node<'_>) -> bool {
    is_of_kind(item, "function_call", "functionCall")
}

fn is_result(item: &Node<'_>) -> bool {
    is_of_kind(item, "function_result", "functionResult")
}

/// The call in an approval request or response, if it is there, and true if it was refused.
fn approval<'n, 'a>(item: &'n Node<'a>) -> Option<(Option<&'n Node<'a>>, bool)> {
    let is_asked = is_of_kind(item, "function_approval_request", "functionApprovalRequest")
        || item.says("$type", "toolApprovalRequest");
    let is_answered = is_of_kind(
        item,
        "function_approval_response",
        "functionApprovalResponse",
    ) || item.says("$type", "toolApprovalResponse");
    let call = item.any(&["function_call", "functionCall", "toolCall"]);
    let is_refused = item.get("approved").is_some_and(|it| !it.is_true());
    (is_asked || is_answered).then_some((call, is_answered && is_refused))
}

/// Paths of the messages in responses, sessions and threads.
const STORES: [&[&str]; 5] = [
    &["messages"],
    &["state", "in_memory", "messages"],
    &["state", "memory", "messages"],
    &["chat_message_store_state", "messages"],
    &["storeState", "messages"],
];

/// The messages in a response or session, which itself looks like a message.
fn stored<'n, 'a>(value: &'n Node<'a>) -> &'n [Node<'a>] {
    let mut lists = STORES.iter().map(|path| value.list_at(path));
    let is_kept = |list: &&[Node<'_>]| list.iter().any(|it| (DIALECT.decides)(it));
    lists.find(is_kept).unwrap_or_default()
}

fn message(message: &Node<'_>, conversation: &mut Conversation) {
    let messages = stored(message);
    if !messages.is_empty() {
        for message in messages {
            name_speaker(message, conversation);
            let before = conversation.calls_read();
            self::message(message, conversation);
            if conversation.calls_read() == before {
                read_text(message, conversation);
            }
        }
        return;
    }
    conversation.message();
    contents(message, conversation);
}

/// Reads the contents of a message, or of a part of one.
fn contents(message: &Node<'_>, conversation: &mut Conversation) {
    for item in message.list("contents") {
        if is_call(item) {
            let call = call(item);
            if repeats_asked(&call, conversation) {
                conversation.trace().report.drop(LeftOut::RepeatedInHistory);
            } else {
                conversation.call(call);
            }
        } else if let Some((asked, is_refused)) = approval(item) {
            let call = asked.map(call);
            let id = call.as_ref().and_then(|call| call.id.clone());
            let is_known = id.as_ref().is_some_and(|id| conversation.has_call_id(id));
            call.filter(|_| !is_known)
                .into_iter()
                .for_each(|call| _ = conversation.call(call));
            if is_refused && id.is_some() {
                refuse(refusal_of(id), conversation);
            } else if is_refused {
                conversation.left_over("a refusal without its call");
            }
        } else if is_result(item) {
            conversation.result(CallResult {
                error: item.get("exception").map(output_of),
                ..CallResult::from_node(
                    item,
                    &["call_id", "callId"],
                    &["name"],
                    &["result", "items"],
                )
            });
        } else if is_of_model(message) {
            pass_over(item, conversation);
        }
    }
}

/// True for a call that repeats one sent for approval.
fn repeats_asked(call: &TraceCall, conversation: &mut Conversation) -> bool {
    let mut calls = conversation.trace().calls.iter().rev();
    let before = calls.find(|it| call.id.is_some() && it.id == call.id);
    before.is_some_and(|it| it.name == call.name && it.output.is_none() && it.error.is_none())
}

fn call(item: &Node<'_>) -> TraceCall {
    TraceCall::from_node(item, &["name"], &["arguments"], &["call_id", "callId"])
}

#[cfg(test)]
mod tests {
    use crate::tests::check;

    #[test]
    fn messages_of_both_languages_hold_the_same() {
        let python = r#"[{"type":"message","role":"assistant","contents":[{"type":"function_call","call_id":"a","name":"find","arguments":{"id":7},"additional_properties":{}}]},{"type":"message","role":"tool","contents":[{"type":"function_result","call_id":"a","result":"x","items":[{"type":"text","text":"x"}]}]}]"#;
        let dotnet = r#"[{"role":"assistant","contents":[{"$type":"functionCall","callId":"a","name":"find","arguments":{"id":7}}]},{"role":"tool","contents":[{"$type":"functionResult","callId":"a","result":"x"}]}]"#;
        let older = python.replace(
            r#""role":"assistant""#,
            r#""role":{"type":"role","value":"assistant"}"#,
        );
        for text in [
            python.to_owned(),
            dotnet.to_owned(),
            older,
            format!(r#"{{"type":"agent_response","messages":{python}}}"#),
            format!(
                r#"{{"type":"session","session_id":"s","state":{{"in_memory":{{"messages":{python}}}}}}}"#
            ),
            format!(r#"{{"storeState":{{"messages":{dotnet}}}}}"#),
        ] {
            check("agent-framework", &text, &[r#"find({"id":7}) a @0 -> "x""#]);
        }
    }

    #[test]
    fn messages_may_stand_one_a_line() {
        check(
            "agent-framework",
            r#"{"type":"message","role":"assistant","contents":[{"type":"text","text":"hm"}]}
{"type":"message","role":"assistant","contents":[{"type":"function_call","call_id":"a","name":"find","arguments":{}}]}
{"type":"message","role":"tool","contents":[{"type":"function_result","call_id":"a","result":"x"}]}
"#,
            &[r#"find({}) a @1 -> "x""#],
        );
    }

    #[test]
    fn an_exception_is_an_error() {
        check(
            "agent-framework",
            r#"[{"type":"message","role":"assistant","contents":[{"type":"function_call","call_id":"a","name":"find","arguments":"{}"}]},{"type":"message","role":"tool","contents":[{"type":"function_result","call_id":"a","result":"Error","exception":"gone"}]}]"#,
            &[r#"find("{}") a @0 -> "Error" error "gone""#],
        );
    }

    #[test]
    fn a_call_that_a_human_refused_never_ran() {
        let call = r#"{"type":"function_call","call_id":"a","name":"drop","arguments":"{}"}"#;
        let message =
            |role: &str, item: &str| format!(r#"{{"role":"{role}","contents":[{item}]}}"#);
        let asked = message(
            "assistant",
            &format!(r#"{{"type":"function_approval_request","id":"p","function_call":{call}}}"#),
        );
        let answer = |approved: bool| {
            message(
                "user",
                &format!(
                    r#"{{"type":"function_approval_response","id":"p","approved":{approved},"function_call":{call}}}"#
                ),
            )
        };
        check(
            "agent-framework",
            &format!("[{asked},{}]", answer(false)),
            &[r#"drop("{}") a @0 not run error "denied""#],
        );
        let ran = message("assistant", call);
        let result = message(
            "tool",
            r#"{"type":"function_result","call_id":"a","result":"x"}"#,
        );
        check(
            "agent-framework",
            &format!("[{asked},{},{ran},{result}]", answer(true)),
            &[r#"drop("{}") a @0 -> "x""#, "1 repeated in a history"],
        );
    }
}
