//! The semantic conventions of OpenTelemetry for generative AI, events included.

use rightcall::value::{Reader, Syntax};

use super::openllmetry;
use super::tool_message::tool_message;
use crate::messages::content::output_of;
use crate::messages::dialects::dialects;
use crate::node::Node;
use crate::spans::dialect::{Exchange, SpanDialect, Tool, ToolKind, name_without};
use crate::spans::span::{Attribute, Event, TraceSpan};
use crate::trace::Scope;
use crate::trace::conversation::{CallResult, Conversation};
use crate::trace::{Choices, Executor, TraceArguments, TraceCall};

pub(super) static DIALECT: SpanDialect = SpanDialect { tool, exchange };

fn tool(span: &TraceSpan<'_>, _: &Choices) -> Option<Tool> {
    let attributes = &span.attributes;
    let name = attributes.label("gen_ai.tool.name");
    if name.is_none() && !attributes.says("gen_ai.operation.name", "execute_tool") {
        return None;
    }
    let name = name.unwrap_or_else(|| name_without(span, &["execute_tool "]));
    let kind = if name == *"(merged tools)" {
        ToolKind::Merged
    } else {
        ToolKind::Certain
    };
    // OpenLLMetry puts into these attributes what it puts into its own, with what callbacks wrap around it.
    let is_wrapped = attributes.says("traceloop.span.kind", "tool");
    let (arguments, result) = (
        attributes.get("gen_ai.tool.call.arguments"),
        attributes.get("gen_ai.tool.call.result"),
    );
    let mut call = TraceCall {
        name,
        id: attributes.label("gen_ai.tool.call.id"),
        ..TraceCall::default()
    };
    if is_wrapped {
        openllmetry::fill_wrapped(&mut call, arguments, result);
    } else {
        call.arguments = arguments.map_or(TraceArguments::Absent, Attribute::arguments);
        match result.and_then(tool_message) {
            Some(message) => message.fill(&mut call),
            None => call.output = result.map(Attribute::output),
        }
    }
    Some(Tool { call, kind })
}

const OUTPUT: &str = "gen_ai.output.messages";
const INPUT: &str = "gen_ai.input.messages";

fn exchange(span: &TraceSpan<'_>, exchange: &mut Exchange) {
    let events = || span.events.iter();
    let carriers =
        || std::iter::once(&span.attributes).chain(events().map(|event| &event.attributes));
    for carrier in carriers() {
        if let Some(messages) = carrier.get(OUTPUT) {
            exchange.is_answered = true;
            messages.read(|messages| {
                messages
                    .items()
                    .iter()
                    .for_each(|message| asked(message, exchange));
            });
            if let Some(messages) = carrier.get(INPUT) {
                messages.read_last_items(is_no_reply_text, |messages| results(messages, exchange));
            }
            return;
        }
    }
    // A reply makes histories superfluous.
    if let Some(messages) = carriers().find_map(|carrier| carrier.get(INPUT)) {
        exchange.history = messages.read(history).unwrap_or_default();
    }
    events().for_each(|event| self::event(event, exchange));
}

fn is_no_reply(message: &Node<'_>) -> bool {
    !message.says("role", "assistant")
}

/// [`is_no_reply`], by the first role in the text of a message: most replies need not be read for it.
fn is_no_reply_text(message: &str) -> bool {
    let mut reader = Reader::new(message, Syntax::PYTHON);
    let mut role = || {
        let mut first = reader.enter_object().ok()?;
        while reader.next_key(&mut first).ok()?? != *"role" {
            reader.raw().ok()?;
        }
        reader.string().ok()
    };
    role().is_none_or(|role| role != *"assistant")
}

/// The calls of all messages, each with its result.
fn history(messages: &Node<'_>) -> Vec<TraceCall> {
    let mut conversation = Conversation::new(Scope::default());
    for message in messages.items() {
        conversation.message();
        let mut exchange = Exchange::default();
        asked(message, &mut exchange);
        results(std::slice::from_ref(message), &mut exchange);
        exchange
            .asked
            .into_iter()
            .for_each(|call| _ = conversation.call(call));
        exchange
            .results
            .into_iter()
            .for_each(|result| _ = conversation.result(result));
    }
    conversation.finish().calls
}

/// The results since the last message of the model.
pub(super) fn latest_results(messages: &Node<'_>, exchange: &mut Exchange) {
    let messages = messages.items();
    let from = messages
        .iter()
        .rposition(|message| !is_no_reply(message))
        .map_or(0, |index| index + 1);
    results(&messages[from..], exchange);
}

fn results(messages: &[Node<'_>], exchange: &mut Exchange) {
    for part in messages.iter().flat_map(parts) {
        if part
            .str_at("type")
            .is_some_and(|kind| kind.ends_with("tool_call_response"))
        {
            exchange.results.push(CallResult {
                id: part.label_at(&["id"]).filter(|id| !id.is_empty()),
                name: part.label_at(&["name"]),
                output: part
                    .any(&["response", "result", "server_tool_call_response"])
                    .map(output_of),
                ..CallResult::default()
            });
        }
    }
}

fn parts<'n, 'a>(message: &'n Node<'a>) -> &'n [Node<'a>] {
    message.list("parts")
}

pub(super) fn asked(message: &Node<'_>, exchange: &mut Exchange) {
    for part in parts(message) {
        let (executor, inner) = match part.str_at("type") {
            Some("tool_call") => (Executor::Agent, part),
            Some("server_tool_call") => (
                Executor::Provider,
                part.get("server_tool_call").unwrap_or(part),
            ),
            _ => continue,
        };
        let arguments = if executor == Executor::Agent {
            part.get("arguments")
        } else {
            inner.any(&["arguments", "input"])
        };
        exchange.asked.push(TraceCall {
            name: part
                .label_at(&["name"])
                .or_else(|| inner.label_at(&["name", "type"]))
                .unwrap_or_default(),
            arguments: arguments.map_or(TraceArguments::Absent, TraceArguments::from_node),
            id: part.label_at(&["id"]).filter(|id| !id.is_empty()),
            executor,
            ..TraceCall::default()
        });
    }
}

/// The events of the time before messages were attributes.
fn event(event: &Event<'_>, exchange: &mut Exchange) {
    let name = event.name.to_display();
    let Some(kind) = name.strip_prefix("gen_ai.") else {
        return;
    };
    let content = event
        .attributes
        .any(&["gen_ai.event.content", "message", "content"]);
    let mut read = |body: &Node<'_>| match kind {
        "choice" => {
            exchange.is_answered = true;
            provider_calls(body.get("message").unwrap_or(body), exchange);
        }
        // What the model said before is history; results since then are not.
        "assistant.message" => exchange.results.clear(),
        "tool.message" => exchange.results.push(CallResult {
            id: body
                .label_at(&["id"])
                .or_else(|| event.attributes.label("id")),
            output: Some(
                body.get("content")
                    .map_or_else(|| output_of(body), output_of),
            ),
            ..CallResult::default()
        }),
        _ => {}
    };
    match (&event.body, content) {
        (Some(body), _) => _ = Attribute::Json(body.clone()).read(&mut read),
        (None, Some(content)) => _ = content.read(&mut read),
        (None, None) => {
            // The body may have been written as attributes of its own.
            if let Some(Attribute::Json(calls)) = event.attributes.get("tool_calls") {
                _ = Node::parse(
                    &format!("{{\"tool_calls\":{calls}}}"),
                    rightcall::value::MAX_DEPTH,
                )
                .map(|body| read(&body));
            }
        }
    }
}

/// The calls of a message in the shape of any provider.
pub(super) fn provider_calls(message: &Node<'_>, exchange: &mut Exchange) {
    // A list stands for the content of a message.
    let wrapped = message
        .is_list()
        .then(|| format!("{{\"role\":\"assistant\",\"content\":{}}}", message.raw()));
    let parsed = wrapped
        .as_deref()
        .and_then(|text| Node::parse(text, rightcall::value::MAX_DEPTH).ok());
    let message = parsed.as_ref().unwrap_or(message);
    let Some(dialect) = dialects().find(|dialect| (dialect.decides)(message)) else {
        return;
    };
    let mut conversation = Conversation::new(Scope::default());
    (dialect.message)(message, &mut conversation);
    let calls = conversation.finish().calls.into_iter();
    exchange.asked.extend(calls.map(|call| TraceCall {
        turn: None,
        group: None,
        ..call
    }));
}
