//! `OpenLLMetry` of Traceloop.

use rightcall_core::value::{MAX_DEPTH, Text};

use super::numbered::{Numbered, take_results};
use super::tool_message::ToolMessage;
use crate::node::Node;
use crate::spans::dialect::{Exchange, SpanDialect, Tool, ToolKind, tool_in_name};
use crate::spans::span::{Attribute, TraceSpan};
use crate::trace::{Choices, TraceArguments, TraceCall};

pub(super) static DIALECT: SpanDialect = SpanDialect { tool, exchange };

fn tool(span: &TraceSpan<'_>, _: &Choices) -> Option<Tool> {
    let attributes = &span.attributes;
    if !attributes.says("traceloop.span.kind", "tool") {
        return None;
    }
    let label = tool_in_name(span);
    let short = label.as_str().and_then(|it| it.strip_suffix(".tool"));
    let label = short.map(|it| Text::from(it.to_owned())).unwrap_or(label);
    let name = attributes.label("traceloop.entity.name");
    let mut call = TraceCall {
        name: name.unwrap_or_default(),
        ..TraceCall::default()
    };
    fill_wrapped(
        &mut call,
        attributes.get("traceloop.entity.input"),
        attributes.get("traceloop.entity.output"),
    );
    Some(Tool::new(call, ToolKind::Certain).labelled(|| label))
}

/// Fills in arguments and result, without the wrappers of decorators and callbacks.
pub(super) fn fill_wrapped(
    call: &mut TraceCall,
    input: Option<&Attribute<'_>>,
    result: Option<&Attribute<'_>>,
) {
    call.arguments = input.map_or(TraceArguments::Absent, |input| {
        without_wrapper(input.arguments())
    });
    if let Some(result) = result {
        // Callbacks wrap a result as `{"output": …, "kwargs": …}`.
        let unwrapped = |node: &Node<'_>| match node.get("output").filter(|_| node.has("kwargs")) {
            Some(inner) => (ToolMessage::of(inner), inner.raw().to_owned()),
            None => (ToolMessage::of(node), node.raw().to_owned()),
        };
        match result.read(unwrapped) {
            Some((Some(message), _)) => message.fill(call),
            Some((None, json)) => call.output = Some(json),
            None => call.output = Some(result.output()),
        }
    }
}

/// The arguments of a function, unwrapped: `{"args": [], "kwargs": {…}}` from Python decorators, and `{"input_str": "…", "inputs": {…}}`
/// from callbacks. Positional arguments have no names, so they stay wrapped.
pub(super) fn without_wrapper(arguments: TraceArguments) -> TraceArguments {
    let text = match &arguments {
        TraceArguments::Json(json) => Some(json.as_str()),
        TraceArguments::Text(text) => text.as_str(),
        TraceArguments::Absent | TraceArguments::Free(_) => None,
    };
    let Some(Ok(node)) = text.map(|text| Node::parse(text, MAX_DEPTH)) else {
        return arguments;
    };
    let kwargs = node.get("kwargs").filter(|it| it.is_object());
    if let (Some(kwargs), Some(args)) = (kwargs, node.get("args")) {
        return if args.items().is_empty() {
            TraceArguments::Json(kwargs.raw().to_owned())
        } else {
            arguments
        };
    }
    // LlamaIndex has no positional ones.
    if let (Some(kwargs), 1) = (kwargs, node.entries().len()) {
        return TraceArguments::Json(kwargs.raw().to_owned());
    }
    let inputs = node
        .get("inputs")
        .filter(|it| it.is_object())
        .or_else(|| node.get("input_str"));
    match inputs
        .filter(|_| node.has("input_str"))
        .map(TraceArguments::from_node)
    {
        Some(inner) => inner,
        None => arguments,
    }
}

/// The calls that Koog writes as the content of a message.
fn calls_as_text(content: &Text<'_>) -> Option<Vec<TraceCall>> {
    let text = content.as_str().filter(|text| text.starts_with("[{"))?;
    let list = Node::parse(text, MAX_DEPTH).ok()?;
    let call = |call: &Node<'_>| {
        let function = call
            .get("function")
            .filter(|it| it.has_only(&["name", "arguments"]))?;
        Some(TraceCall {
            id: call.label_at(&["id"]),
            ..TraceCall::from_node(function, &["name"], &["arguments"], &[])
        })
    };
    list.items().iter().map(call).collect()
}

fn exchange(span: &TraceSpan<'_>, exchange: &mut Exchange) {
    let found = Numbered::of(&span.attributes, &["gen_ai.completion.", "gen_ai.prompt."]);
    if found.is_empty() {
        return;
    }
    let calls = found.rows(
        &["gen_ai", "completion", "#", "tool_calls", "#"],
        [&["name"], &["arguments"], &["id"]],
    );
    exchange
        .asked
        .extend(calls.into_values().map(|[name, arguments, id]| TraceCall {
            name: name.unwrap_or_default(),
            arguments: arguments.map_or(TraceArguments::Absent, TraceArguments::Text),
            id,
            ..TraceCall::default()
        }));
    let said = found.rows(&["gen_ai", "completion", "#"], [&["role"], &["content"]]);
    let said = said.into_values().filter_map(|[role, content]| {
        content.filter(|_| role.is_none_or(|role| role == *"assistant"))
    });
    said.for_each(|text| match calls_as_text(&text) {
        Some(calls) => exchange.asked.extend(calls),
        None => exchange.note_text(&text),
    });
    let prompts = found.rows(
        &["gen_ai", "prompt", "#"],
        [&["role"], &["content"], &["tool_call_id"]],
    );
    let is_of_calls = |content: &Option<Text<'_>>| {
        content
            .as_ref()
            .is_some_and(|text| calls_as_text(text).is_some())
    };
    let messages = prompts
        .into_values()
        .filter(|[_, content, _]| !is_of_calls(content))
        .map(|[role, content, id]| [role, content, id, None]);
    take_results(messages, exchange);
}
