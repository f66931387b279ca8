//! Results, model messages and UI messages of the AI SDK of Vercel, versions 4 and later.

use std::collections::HashSet;

use rightcall::value::Text;

use crate::format::{Format, MessageDialect, Priority, Reading, Stream};
use crate::messages::output_of;
use crate::node::Node;
use crate::trace::{
    CallResult, Conversation, Executor, LeftOut, TraceArguments, TraceCall, failed,
};

static DIALECT: MessageDialect = MessageDialect {
    mark: "parts with toolCallId and toolName",
    decides: |message| {
        let has_call = |list: &str| {
            let parts = message.list(list).iter().chain(stored(message).list(list));
            parts
                .map(unpacked)
                .any(|part| part.has("toolCallId") || part.has("toolInvocation"))
        };
        [
            "content",
            "parts",
            "toolCalls",
            "toolResults",
            "toolInvocations",
        ]
        .iter()
        .any(|list| has_call(list))
            || message.list("steps").iter().any(is_step)
    },
    owns: |value| value.get("toolCalls").is_some_and(Node::is_list),
    message,
    is_event: |value| {
        let kind = value.str_at("type").unwrap_or_default();
        value.has("toolCallId") && kind.starts_with("tool-") && !value.has("state")
            || matches!(kind, "start-step" | "finish-step")
            || kind == "start" && value.has("messageId")
    },
    stream: Some(|| Box::new(Parts::default())),
    is_message: is_step,
    keys: &["toolCalls"],
    ..MessageDialect::BASE
};

pub(super) static ENTRY: Format = Format {
    name: "vercel",
    title: "Vercel AI SDK",
    summary: "results with `toolCalls` or `steps`, model messages, UI messages and their streams, stream parts",
    reads: &[
        ("calls", "`toolCalls`, parts of type `tool-call`, `tool-NAME`, `dynamic-tool`, `tool-invocation`, `toolInvocations`"),
        ("calls of UI message streams", "`tool-input-available`, `tool-input-error`; `tool-output-…` are their results"),
        ("arguments", "`input`, before version 5 `args`; `rawInput` of what could not be parsed"),
        ("results", "`toolResults`, parts of type `tool-result`, `output`, `result`"),
        ("ids", "`toolCallId`"),
        ("errors", "`tool-error`, `errorText`, `isError`, outputs of type `error-…`"),
        ("order", "steps and messages; calls of one step are parallel"),
    ],
    lacks: &["times"],
    notes: "What `generateText` returns, with all its steps; messages for the model; messages of the user interface (`useChat`); parts of the full
stream and of the stream of UI messages, as server-sent events, one a line or in a list. An input that had only begun is counted as
unfinished. The step that stands beside the steps repeats the last of them and does not count. Messages and results of Mastra, which
wraps the same parts, are read too.",
    extensions: &["json", "jsonl"],
    example: r#"[{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c1","toolName":"find_order","input":{"id":7}}]},{"role":"tool","content":[{"type":"tool-result","toolCallId":"c1","toolName":"find_order","output":{"type":"text","value":"shipped"}}]}]"#,
    priority: Priority::Messages,
    reading: Reading::Messages(&DIALECT),
};

/// True for a step of a result; a copy of one has its content alone.
fn is_step(value: &Node<'_>) -> bool {
    value.get("toolCalls").is_some_and(Node::is_list)
        || value.has("finishReason") && value.get("content").is_some_and(Node::is_list)
}

/// What Mastra stores of a message: an object with its parts in place of the content.
fn stored<'n, 'a>(message: &'n Node<'a>) -> &'n Node<'a> {
    message.inner(&["content"])
}

/// The part that a chunk of Mastra wraps.
fn unpacked<'n, 'a>(part: &'n Node<'a>) -> &'n Node<'a> {
    part.get("payload")
        .filter(|payload| payload.has("toolCallId"))
        .unwrap_or(part)
}

fn message(message: &Node<'_>, conversation: &mut Conversation) {
    let steps = message.list("steps");
    if !steps.is_empty() {
        // What stands beside the steps repeats the last of them.
        return steps.iter().for_each(|it| self::message(it, conversation));
    }
    conversation.message();
    for list in ["content", "toolCalls", "toolResults"] {
        for part in message.list(list) {
            self::part(part, conversation);
        }
    }
    let message = stored(message);
    let parts = message.list("parts");
    parts.iter().for_each(|part| ui_part(part, conversation));
    if parts.is_empty() {
        for it in message.list("toolInvocations") {
            invocation(it, conversation);
        }
    }
}

/// A part of a model message or of a result.
fn part(whole: &Node<'_>, conversation: &mut Conversation) {
    let part = unpacked(whole);
    let id = part.label_at(&["toolCallId"]);
    let is_call = part.has("toolName") && (part.has("input") || part.has("args"));
    match whole.str_at("type") {
        Some("tool-result") => _ = conversation.result(result(part, id)),
        Some("tool-error") => {
            let error = part.get("error").map_or_else(failed, output_of);
            conversation.result(without_output(id, error));
        }
        Some("tool-call") | None if is_call && !part.has("output") && !part.has("result") => {
            conversation.call(call(part));
        }
        None if part.has("output") || part.has("result") => {
            _ = conversation.result(result(part, id));
        }
        _ => {}
    }
}

fn without_output(id: Option<Text<'static>>, error: String) -> CallResult {
    CallResult {
        id,
        error: Some(error),
        ..CallResult::default()
    }
}

fn result(part: &Node<'_>, id: Option<Text<'static>>) -> CallResult {
    let output = part.any(&["output", "result"]);
    let kind = output.and_then(|it| it.str_at("type")).unwrap_or_default();
    let is_wrapped = matches!(
        kind,
        "text" | "json" | "error-text" | "error-json" | "content" | "execution-denied"
    );
    let is_error =
        part.is_set("isError") || kind.starts_with("error-") || kind == "execution-denied";
    let value = if is_wrapped {
        output.and_then(|it| it.any(&["value", "reason"]))
    } else {
        output
    };
    CallResult {
        id,
        name: part.label_at(&["toolName"]),
        output: value.map(output_of),
        error: is_error.then(failed),
    }
}

/// A part of a UI message, which holds call and result.
fn ui_part(part: &Node<'_>, conversation: &mut Conversation) {
    let kind = part.str_at("type").unwrap_or_default();
    if let Some(inner) = part.get("toolInvocation") {
        invocation(inner, conversation);
    } else if kind == "step-start" {
        conversation.message();
    } else if part.has("toolCallId") {
        match kind.strip_prefix("tool-") {
            Some(name) => ui_call(part, Text::from(name.to_owned()), conversation),
            None if kind == "dynamic-tool" => invocation(part, conversation),
            None => {}
        }
    }
}

/// A call that tells its name itself: one of version 4, `{state, toolCallId, toolName, args, result}`.
fn invocation(inner: &Node<'_>, conversation: &mut Conversation) {
    let name = inner.label_at(&["toolName"]).unwrap_or_default();
    ui_call(inner, name, conversation);
}

fn ui_call(part: &Node<'_>, name: Text<'static>, conversation: &mut Conversation) {
    let state = part.str_at("state").unwrap_or_default();
    if matches!(state, "input-streaming" | "partial-call") {
        conversation.trace().report.drop(LeftOut::Unfinished);
        return;
    }
    let is_over = matches!(state, "output-available" | "result") && !part.is_set("preliminary");
    let error = match state {
        "output-error" => Some(part.get("errorText").map_or_else(failed, output_of)),
        "output-denied" => Some("\"denied\"".to_owned()),
        _ => None,
    };
    let call = call(part);
    let output = part.any(&["output", "result"]).filter(|_| is_over);
    conversation.call(TraceCall {
        name,
        arguments: TraceArguments::from_call(part, &["input", "args", "rawInput"]),
        output: output.map(output_of),
        error,
        executor: if state == "output-denied" {
            Executor::Nobody
        } else {
            call.executor
        },
        ..call
    });
}

fn call(part: &Node<'_>) -> TraceCall {
    TraceCall::from_node(part, &["toolName"], &["input", "args"], &["toolCallId"])
        .by_provider_if(part.is_set("providerExecuted"))
}

/// Parts of a full stream, and of a stream of UI messages.
#[derive(Default)]
struct Parts {
    has_begun: bool,
    /// The ids of calls whose input has begun and is not whole.
    begun: HashSet<Text<'static>>,
}

impl Stream for Parts {
    fn event(&mut self, event: &Node<'_>, conversation: &mut Conversation) {
        self.has_begun = true;
        let id = event.label_at(&["toolCallId"]);
        match event.str_at("type").unwrap_or_default() {
            "start-step" => conversation.interrupt(),
            "tool-input-start" => self.begun.extend(id),
            "tool-input-available" | "tool-input-error" => {
                id.iter().for_each(|id| _ = self.begun.remove(id));
                conversation.item();
                conversation.call(TraceCall {
                    error: event.get("errorText").map(output_of),
                    ..call(event)
                });
            }
            "tool-output-available" if event.is_set("preliminary") => {}
            "tool-output-available" => {
                let ids = &["toolCallId"];
                conversation.result(CallResult::from_node(event, ids, &[], &["output"]));
            }
            "tool-output-error" => {
                let error = event.get("errorText").map_or_else(failed, output_of);
                conversation.result(without_output(id, error));
            }
            "tool-output-denied" => {
                let denied = without_output(id, "\"denied\"".to_owned());
                if let Some(call) = conversation.result(denied) {
                    conversation.trace().calls[call].executor = Executor::Nobody;
                }
            }
            kind => {
                if kind == "tool-call" {
                    id.iter().for_each(|id| _ = self.begun.remove(id));
                    conversation.item();
                }
                part(event, conversation);
            }
        }
    }

    fn goes_on_with(&self, value: &Node<'_>) -> bool {
        const KINDS: [&str; 12] = [
            "start",
            "finish",
            "text-",
            "reasoning-",
            "source",
            "file",
            "data-",
            "tool-",
            "abort",
            "error",
            "raw",
            "message-metadata",
        ];
        let is_part = |kind: &str| KINDS.iter().any(|known| kind.starts_with(known));
        self.has_begun && !value.has("role") && value.str_at("type").is_some_and(is_part)
    }

    fn end(&mut self, conversation: &mut Conversation) {
        self.has_begun = false;
        self.begun
            .drain()
            .for_each(|_| conversation.trace().report.drop(LeftOut::Unfinished));
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::check;

    #[test]
    fn model_messages_of_both_ages() {
        check(
            "vercel",
            r#"[{"role":"assistant","content":[{"type":"text","text":"t"},
                    {"type":"tool-call","toolCallId":"a","toolName":"find","input":{"id":7}},
                    {"type":"tool-call","toolCallId":"b","toolName":"look","args":{}}]},
                {"role":"tool","content":[{"type":"tool-result","toolCallId":"b","toolName":"look","result":[1],"isError":true},
                    {"type":"tool-result","toolCallId":"a","toolName":"find","output":{"type":"error-text","value":"no"}}]}]"#,
            &[
                r#"find({"id":7}) a @0 group-1 -> "no" error true"#,
                r"look({}) b @0 group-1 -> [1] error true",
            ],
        );
    }

    #[test]
    fn the_steps_of_a_result_hold_all_calls() {
        check(
            "vercel",
            r#"{"text":"t","toolCalls":[],"steps":[
                {"toolCalls":[{"type":"tool-call","toolCallId":"a","toolName":"find","input":{"id":7}}],
                 "toolResults":[{"type":"tool-result","toolCallId":"a","toolName":"find","input":{"id":7},"output":"x"}]},
                {"toolCalls":[{"toolCallId":"a","toolName":"search","args":{},"providerExecuted":true}],"toolResults":[]}]}"#,
            &[
                r#"find({"id":7}) a @0 -> "x""#,
                r"search({}) a @1 by provider",
            ],
        );
    }

    #[test]
    fn parts_of_user_interfaces_hold_both_halves() {
        check(
            "vercel",
            r#"[{"role":"assistant","parts":[{"type":"step-start"},
                {"type":"tool-find","toolCallId":"a","state":"output-available","input":{"id":7},"output":"x"},
                {"type":"dynamic-tool","toolName":"look","toolCallId":"b","state":"output-error","rawInput":"{","errorText":"no"},
                {"type":"tool-find","toolCallId":"c","state":"input-streaming","input":{}},
                {"type":"step-start"},
                {"type":"tool-invocation","toolInvocation":{"state":"result","toolCallId":"d","toolName":"find","args":{},"result":1}},
                {"type":"tool-drop","toolCallId":"e","state":"output-denied","input":{}}]}]"#,
            &[
                r#"find({"id":7}) a @1 group-1 -> "x""#,
                r#"look("{") b @1 group-1 error "no""#,
                r"find({}) d @2 group-2 -> 1",
                r#"drop({}) e @2 group-2 not run error "denied""#,
                "1 unfinished",
            ],
        );
    }

    #[test]
    fn messages_and_results_of_mastra_wrap_the_same_parts() {
        let invocation =
            r#"{"state":"result","toolCallId":"a","toolName":"find","args":{"id":7},"result":"x"}"#;
        let message = format!(
            r#"[{{"role":"assistant","content":{{"format":2,"parts":[{{"type":"tool-invocation","toolInvocation":{invocation}}}],"toolInvocations":[{invocation}]}}}}]"#
        );
        check("vercel", &message, &[r#"find({"id":7}) a @0 -> "x""#]);
        check(
            "vercel",
            r#"{"text":"t","steps":[{"toolCalls":[{"type":"tool-call","runId":"r","from":"AGENT","payload":{"toolCallId":"a","toolName":"find","args":{"id":7}}}],
                "toolResults":[{"type":"tool-result","runId":"r","from":"AGENT","payload":{"toolCallId":"a","toolName":"find","result":"x"}}]}]}"#,
            &[r#"find({"id":7}) a @0 -> "x""#],
        );
    }

    #[test]
    fn a_copy_of_a_step_has_its_content_alone() {
        check(
            "vercel",
            r#"{"steps":[{"content":[{"type":"tool-call","toolCallId":"a","toolName":"find","input":{"id":7}},
                {"type":"tool-result","toolCallId":"a","toolName":"find","input":{"id":7},"output":"x"}],"finishReason":"tool-calls"}]}"#,
            &[r#"find({"id":7}) a @0 -> "x""#],
        );
    }

    #[test]
    fn streams_of_user_interfaces_come_as_events_lines_and_lists() {
        let parts = [
            r#"{"type":"start","messageId":"m"}"#,
            r#"{"type":"start-step"}"#,
            r#"{"type":"tool-input-start","toolCallId":"a","toolName":"find"}"#,
            r#"{"type":"tool-input-delta","toolCallId":"a","inputTextDelta":"{\"id\""}"#,
            r#"{"type":"tool-input-available","toolCallId":"a","toolName":"find","input":{"id":7}}"#,
            r#"{"type":"tool-input-error","toolCallId":"b","toolName":"look","input":"{","errorText":"no"}"#,
            r#"{"type":"tool-output-available","toolCallId":"a","output":"half","preliminary":true}"#,
            r#"{"type":"tool-output-available","toolCallId":"a","output":"x"}"#,
            r#"{"type":"finish-step"}"#,
            r#"{"type":"start-step"}"#,
            r#"{"type":"tool-input-available","toolCallId":"c","toolName":"ask","input":{},"dynamic":true,"providerExecuted":true}"#,
            r#"{"type":"tool-output-error","toolCallId":"c","errorText":"away"}"#,
            r#"{"type":"tool-input-available","toolCallId":"d","toolName":"drop","input":{}}"#,
            r#"{"type":"tool-output-denied","toolCallId":"d"}"#,
            r#"{"type":"tool-input-start","toolCallId":"e","toolName":"cut"}"#,
            r#"{"type":"text-start","id":"t"}"#,
        ];
        let found = [
            r#"find({"id":7}) a @0 group-1 -> "x""#,
            r#"look("{") b @0 group-1 error "no""#,
            r#"ask({}) c @1 group-2 by provider error "away""#,
            r#"drop({}) d @1 group-2 not run error "denied""#,
            "1 unfinished",
        ];
        check("vercel", &parts.join("\n"), &found);
        check("vercel", &format!("[{}]", parts.join(",")), &found);
        check(
            "vercel",
            &parts.map(|part| format!("data: {part}\n\n")).concat(),
            &found,
        );
    }
}
