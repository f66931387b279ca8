//! Results, model messages and UI messages of Vercel's AI SDK, versions 4 and later.

mod ag_ui;
mod snapshots;
mod steps;
mod stream;

use rightcall_core::value::Text;

use steps::{begins_run, is_result, is_step};
use stream::Parts;

use crate::format::{Format, MessageDialect, Priority, Reading};
use crate::messages::ending::{cut_off, note_ending};
use crate::messages::output_of;
use crate::messages::parts::pass_over;
use crate::messages::refusal::{denied, refusal_of, refuse};
use crate::node::Node;
use crate::trace::role::is_of_model;
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
                .any(|part| part.has_any(&["toolCallId", "toolInvocation"]) || is_of_tanstack(part))
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
            || !message.has("role") && is_step(message)
            || is_stored(message)
    },
    owns: is_result,
    begins_run,
    replaces: snapshots::replaces,
    message,
    is_event: |value| {
        let kind = value.str_at("type").unwrap_or_default();
        value.has("toolCallId") && kind.starts_with("tool-") && !value.has("state")
            || matches!(kind, "start-step" | "finish-step")
            || kind == "start" && value.has("messageId")
            || matches!(kind, "step-start" | "step-finish") && value.has("request")
            || stream::is_chunk(value)
            || ag_ui::is_event(value)
            || value.has("role") && value.holds("content", is_approval)
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
        ("calls of UI message streams", "`tool-input-available`, `tool-input-error`, else the pieces of `tool-input-start` and `tool-input-delta`; `tool-output-…` are their results"),
        ("arguments", "`input`, before version 5 `args`; `rawInput` of what could not be parsed"),
        ("results", "`toolResults`, parts of type `tool-result`, `output`, `result`"),
        ("ids", "`toolCallId`"),
        ("errors", "`tool-error`, `errorText`, `isError`, `invalid`, outputs of type `error-…`"),
        ("calls that a human refused", "`output-denied`, `execution-denied`, `approved: false`"),
        ("order", "steps and messages; calls of one step are parallel"),
    ],
    lacks: &["times"],
    notes: "What `generateText` returns, with all its steps; messages for the model; messages of the user interface (`useChat`); parts of the full
stream and of the stream of UI messages, as server-sent events, one a line or in a list, and the lines of data streams before version 5
(`9:{…}`). An input that had only begun is counted as
unfinished. The step next to the steps repeats the last of them and does not count. Steps one a line are one run, up to the next first step. A
message that repeats the one before, as `readUIMessageStream` gives it at each change, replaces it. Messages, results and chunks of Mastra, which
wraps the same parts, are read too, and so are events of AG-UI, where a thread is a trajectory.",
    extensions: &["json", "jsonl"],
    example: r#"[{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c1","toolName":"find_order","input":{"id":7}}]},{"role":"tool","content":[{"type":"tool-result","toolCallId":"c1","toolName":"find_order","output":{"type":"text","value":"shipped"}}]}]"#,
    priority: Priority::Messages,
    reading: Reading::Messages(&DIALECT),
};

/// True for an approval request or response.
fn is_approval(part: &Node<'_>) -> bool {
    part.str_at("type")
        .is_some_and(|kind| kind.starts_with("tool-approval-"))
}

/// True for a call in a UI message of `TanStack AI`, or its result.
fn is_of_tanstack(part: &Node<'_>) -> bool {
    let has_all = |keys: &[&str]| keys.iter().all(|key| part.has(key));
    match part.str_at("type") {
        Some("tool-call") => has_all(&["name", "arguments", "state"]),
        Some("tool-result") => has_all(&["content", "state"]),
        _ => false,
    }
}

/// True for a message as Mastra stores it.
fn is_stored(message: &Node<'_>) -> bool {
    let content = message
        .get("content")
        .filter(|content| content.has("format"));
    content.is_some_and(|content| content.get("parts").is_some_and(Node::is_list))
}

/// Mastra stores a message as an object with the parts in place of the content.
fn stored<'n, 'a>(message: &'n Node<'a>) -> &'n Node<'a> {
    message.inner(&["content"])
}

/// The part in a Mastra chunk.
fn unpacked<'n, 'a>(part: &'n Node<'a>) -> &'n Node<'a> {
    part.get("payload")
        .filter(|payload| payload.has("toolCallId"))
        .unwrap_or(part)
}

fn message(message: &Node<'_>, conversation: &mut Conversation) {
    let steps = message.list("steps");
    if !steps.is_empty() {
        // Fields outside the steps repeat the last step.
        for step in steps {
            let before = conversation.calls_read();
            self::message(step, conversation);
            note_ending(step, conversation.calls_read() - before, conversation);
        }
        return;
    }
    conversation.message();
    let is_said = is_of_model(message) || !message.has("role");
    steps::read(message, is_said, conversation);
    let message = stored(message);
    let parts = message.list("parts");
    for part in parts {
        ui_part(part, is_said, conversation);
    }
    if parts.is_empty() {
        for it in message.list("toolInvocations") {
            invocation(it, conversation);
        }
    }
}

/// A part of the content of a model message or step.
fn part(whole: &Node<'_>, is_said: bool, conversation: &mut Conversation) {
    let part = unpacked(whole);
    let has_result = part.has_any(&["output", "result"]);
    match whole.str_at("type") {
        Some("tool-result" | "tool-error") => result(whole, conversation),
        Some("tool-call") => _ = conversation.call(call(part)),
        None if has_result => result(whole, conversation),
        None if part.has("toolName") => _ = conversation.call(call(part)),
        Some("tool-approval-request") => {
            let id = whole.label_at(&["toolCallId"]);
            if id.is_some_and(|id| !conversation.has_call_id(&id)) {
                conversation.left_over("a request for approval without its call");
            }
        }
        _ if is_approval(whole) || !is_said => {}
        _ => pass_over(whole, conversation),
    }
}

/// The result of a call, which may say that the call failed or never ran.
fn result(whole: &Node<'_>, conversation: &mut Conversation) {
    let part = unpacked(whole);
    let id = part.label_at(&["toolCallId"]);
    let output = part.any(&["output", "result"]);
    let kind = output.and_then(|it| it.str_at("type")).unwrap_or_default();
    let name = part.label_at(&["toolName"]);
    if kind == "execution-denied" {
        let denied = CallResult {
            name,
            ..refusal_of(id)
        };
        refuse(denied, conversation);
        return;
    }
    if whole.says("type", "tool-error") {
        let error = Some(part.get("error").map_or_else(failed, output_of));
        conversation.result(CallResult {
            id,
            name,
            error,
            ..CallResult::default()
        });
        return;
    }
    let is_wrapped = matches!(
        kind,
        "text" | "json" | "error-text" | "error-json" | "content"
    );
    let value = match output {
        Some(output) if is_wrapped => output.get("value"),
        output => output,
    };
    let is_error = part.is_set("isError") || kind.starts_with("error-");
    let place = conversation.result(CallResult {
        id,
        name,
        output: value.map(output_of),
        error: is_error.then(failed),
        ..CallResult::default()
    });
    // The result of a refused call says so in prose.
    if let Some(call) = place.map(|place| &mut conversation.trace().calls[place])
        && call.executor == Executor::Nobody
    {
        call.error = call.error.take().or_else(|| Some(denied()));
    }
}

fn answer(
    id: Option<Text<'static>>,
    output: Option<String>,
    error: Option<String>,
    conversation: &mut Conversation,
) {
    conversation.result(CallResult {
        id,
        output,
        error,
        ..CallResult::default()
    });
}

/// A part of a UI message with a call and its result.
fn ui_part(part: &Node<'_>, is_said: bool, conversation: &mut Conversation) {
    let kind = part.str_at("type").unwrap_or_default();
    if let Some(inner) = part.get("toolInvocation") {
        invocation(inner, conversation);
    } else if kind == "step-start" {
        conversation.message();
    } else if is_of_tanstack(part) && kind == "tool-call" {
        ui_call(
            part,
            part.name_at(&["name"]).unwrap_or_default(),
            conversation,
        );
    } else if is_of_tanstack(part) {
        let is_error = part.says("state", "error");
        let error = is_error.then(|| part.get("error").map_or_else(failed, output_of));
        let output = part.get("content").map(output_of);
        answer(part.label_at(&["toolCallId"]), output, error, conversation);
    } else if let Some(name) = kind
        .strip_prefix("tool-")
        .filter(|_| part.has("toolCallId"))
    {
        ui_call(part, Text::from(name.to_owned()), conversation);
    } else if kind == "dynamic-tool" {
        invocation(part, conversation);
    } else if is_said {
        pass_over(part, conversation);
    }
}

/// A call with a `toolName`, from version 4: `{state, toolCallId, toolName, args, result}`.
fn invocation(inner: &Node<'_>, conversation: &mut Conversation) {
    let name = inner.name_at(&["toolName"]).unwrap_or_default();
    ui_call(inner, name, conversation);
}

fn ui_call(part: &Node<'_>, name: Text<'static>, conversation: &mut Conversation) {
    let state = part.str_at("state").unwrap_or_default();
    if matches!(state, "input-streaming" | "partial-call") {
        conversation.trace().report.drop(LeftOut::Unfinished);
        return cut_off(conversation);
    }
    let call = call(part);
    let approval = part.at(&["approval", "approved"]);
    let is_denied = state == "output-denied" || approval.is_some_and(|it| !it.is_true());
    if is_denied {
        conversation.call(TraceCall {
            name,
            arguments: TraceArguments::from_call(part, &["input", "args", "rawInput", "arguments"]),
            error: Some(denied()),
            executor: Executor::Nobody,
            ..call
        });
        return;
    }
    let is_over = matches!(state, "output-available" | "result") && !part.is_set("preliminary")
        || is_of_tanstack(part);
    let has_failed = state == "output-error" || part.is_set("isError");
    let error = has_failed.then(|| part.get("errorText").map_or_else(failed, output_of));
    let output = part.any(&["output", "result"]).filter(|_| is_over);
    conversation.call(TraceCall {
        name,
        arguments: TraceArguments::from_call(part, &["input", "args", "rawInput", "arguments"]),
        output: output.map(output_of),
        error,
        ..call
    });
}

/// A call. If its arguments don't fit the tool, it is marked as invalid and is not run.
fn call(part: &Node<'_>) -> TraceCall {
    let error = part
        .is_set("invalid")
        .then(|| part.get("error").map_or_else(failed, output_of));
    let call = TraceCall::from_node(
        part,
        &["toolName"],
        &["input", "args"],
        &["toolCallId", "id"],
    );
    TraceCall { error, ..call }.by_provider_if(part.is_set("providerExecuted"))
}

#[cfg(test)]
mod tests;
