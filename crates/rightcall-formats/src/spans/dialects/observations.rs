//! The span fields of observability platforms, independent of any library: kind, input and output.
//!
//! They are in the platforms' exports, and also in spans that their libraries send elsewhere.

use rightcall_core::value::{MAX_DEPTH, Text};

use super::genai::{self, latest_results, without_twin};
use super::tool_message::{ToolMessage, tool_message};
use crate::json;
use crate::messages::content::output_of;
use crate::messages::conversations::conversations;
use crate::messages::dialects::dialects;
use crate::messages::ending::of_alternatives;
use crate::messages::listed::each_call_in;
use crate::node::Node;
use crate::spans::dialect::{
    Exchange, SpanDialect, Tool, ToolKind, is_event_of_tool, tool_in_name,
};
use crate::spans::span::{Attribute, Attributes, TraceSpan};
use crate::trace::Scope;
use crate::trace::conversation::{CallResult, Conversation};
use crate::trace::{Choices, TraceArguments, TraceCall, failed};

pub(super) static DIALECT: SpanDialect = SpanDialect { tool, exchange };

/// The attributes of a platform.
pub(crate) struct Platform {
    pub(crate) kind: &'static str,
    pub(crate) input: &'static str,
    pub(crate) output: &'static str,
}

pub(crate) const LANGFUSE: Platform = Platform {
    kind: "langfuse.observation.type",
    input: "langfuse.observation.input",
    output: "langfuse.observation.output",
};
pub(crate) const LANGSMITH: Platform = Platform {
    kind: "langsmith.span.kind",
    input: "gen_ai.prompt",
    output: "gen_ai.completion",
};
/// The calls that Langfuse finds in an output, each a text, and the names of their tools.
pub(crate) const LANGFUSE_CALLS: &str = "langfuse.tool_calls";
pub(crate) const LANGFUSE_CALL_NAMES: &str = "langfuse.tool_call_names";
/// The `OpenAI` Agents SDK traces with its own objects; its reader uses these names.
pub(crate) const OPENAI_AGENTS: Platform = Platform {
    kind: "span_data.type",
    input: "span_data.input",
    output: "span_data.output",
};
/// Braintrust rows aren't `OpenTelemetry` spans; their reader uses these names.
pub(crate) const BRAINTRUST: Platform = Platform {
    kind: "span_attributes.type",
    input: "span_attributes.input",
    output: "span_attributes.output",
};
/// Platforms that export their own kind of spans; their readers use these names.
pub(crate) const EXPORTED: Platform = Platform {
    kind: "exported.kind",
    input: "exported.input",
    output: "exported.output",
};
pub(crate) const MLFLOW: Platform = Platform {
    kind: "mlflow.spanType",
    input: "mlflow.spanInputs",
    output: "mlflow.spanOutputs",
};

/// All platforms, most informative first.
pub(crate) static PLATFORMS: [Platform; 6] = [
    LANGFUSE,
    MLFLOW,
    LANGSMITH,
    OPENAI_AGENTS,
    BRAINTRUST,
    EXPORTED,
];

fn tool(span: &TraceSpan<'_>, _: &Choices) -> Option<Tool> {
    let attributes = &span.attributes;
    let (platform, kind) = platform(attributes)?;
    let output = attributes.get(platform.output);
    let message =
        output.and_then(|output| tool_message(output).or_else(|| output.read(inner_message)?));
    let is_unknown = kind != "tool" && message.is_none() && !names_a_tool(attributes);
    if is_unknown || is_event_of_tool(span) {
        return None;
    }
    let mut call = TraceCall {
        name: attributes.label("tool.name").unwrap_or_default(),
        arguments: attributes
            .get(platform.input)
            .map_or(TraceArguments::Absent, arguments),
        id: attributes.label("gen_ai.tool.call.id"),
        ..TraceCall::default()
    };
    if attributes.says("langfuse.observation.level", "ERROR") {
        let message = attributes.get("langfuse.observation.status_message");
        call.error = Some(message.map_or_else(failed, Attribute::output));
    }
    match message {
        Some(message) => message.fill(&mut call),
        None => call.output = output.map(result),
    }
    Some(Tool::new(call, ToolKind::Certain).labelled(|| name(span)))
}

/// Reads a tool's inputs from `MLflow`, which derives them from other attributes if it has none. Returns the tool name if the inputs are
/// a wrapper's; the call then has no name.
pub(super) fn take_inputs_of_mlflow(
    span: &TraceSpan<'_>,
    call: &mut TraceCall,
) -> Option<Text<'static>> {
    let inputs = span.attributes.get(MLFLOW.input)?;
    if inputs.source().is_none_or(|json| json.trim() != "null") {
        call.arguments = arguments(inputs);
    }
    let tool = inputs.read(|inputs| {
        let tool = inputs.at(&["call", "tool_name"])?.text()?;
        Some(tool.clone().into_owned())
    });
    let tool = tool.flatten()?;
    call.name = Text::default();
    Some(tool)
}

/// The most informative platform of a span, and its kind in lower case.
fn platform(attributes: &Attributes<'_>) -> Option<(&'static Platform, String)> {
    PLATFORMS.iter().find_map(|platform| {
        let kind = attributes.label(platform.kind)?;
        Some((platform, kind.to_display().trim_matches('"').to_lowercase()))
    })
}

/// True if another dialect recognizes a tool span; platforms move the arguments and the result to their own attributes.
fn names_a_tool(attributes: &Attributes<'_>) -> bool {
    attributes
        .any(&["gen_ai.tool.name", "ai.toolCall.name"])
        .is_some()
        || attributes.says("gen_ai.operation.name", "execute_tool")
        || attributes.says("openinference.span.kind", "TOOL")
        || attributes.says("traceloop.span.kind", "tool")
}

/// The span's name; for numbered names the function's name, if recorded.
fn name(span: &TraceSpan<'_>) -> Text<'static> {
    let name = tool_in_name(span);
    let function = span.attributes.label("mlflow.spanFunctionName");
    let is_numbered = |function: &str| {
        let number = name
            .as_str()
            .and_then(|name| name.strip_prefix(function)?.strip_prefix('_'));
        number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    match function
        .as_ref()
        .and_then(Text::as_str)
        .map(|function| function.trim_matches('"'))
    {
        Some(function) if is_numbered(function) => Text::from(function.to_owned()),
        _ => name,
    }
}

/// Arguments, unwrapped from `{"input": …}` around an object.
fn arguments(input: &Attribute<'_>) -> TraceArguments {
    let inner = input.read(|input| match input.entries() {
        [(key, inner)] if *key == *"input" => {
            let is_object = inner.is_object()
                || inner
                    .str()
                    .is_some_and(|text| text.trim_start().starts_with('{'));
            is_object.then(|| TraceArguments::from_node(inner))
        }
        _ => input.is_object().then(|| TraceArguments::from_node(input)),
    });
    inner.flatten().unwrap_or_else(|| input.arguments())
}

/// A result, unwrapped from text and from `{"output": …}`.
fn result(output: &Attribute<'_>) -> String {
    let is_json = output
        .source()
        .is_some_and(|text| text.trim_start().starts_with(['{', '[', '"']));
    let inner = is_json
        .then(|| output.read(|output| only(output, "output").unwrap_or(output).raw().to_owned()));
    inner.flatten().unwrap_or_else(|| output.output())
}

/// The value of an object with this key only.
fn only<'n, 'a>(node: &'n Node<'a>, key: &str) -> Option<&'n Node<'a>> {
    node.get(key).filter(|_| node.entries().len() == 1)
}

fn inner_message(output: &Node<'_>) -> Option<ToolMessage> {
    tool_message(&Attribute::from_node(only(output, "output")?))
}

fn exchange(span: &TraceSpan<'_>, exchange: &mut Exchange) {
    let Some((platform, kind)) = platform(&span.attributes) else {
        return;
    };
    if !matches!(kind.as_str(), "generation" | "llm" | "chat_model") {
        return;
    }
    if let Some(output) = span.attributes.get(platform.output) {
        replied(output, exchange);
    }
    take_calls_of_langfuse(&span.attributes, exchange);
    if let Some(input) = span.attributes.get(platform.input) {
        input.read(|history| results(history, exchange));
    }
}

/// Reads the calls that Langfuse found in the output, if the output itself shows none.
fn take_calls_of_langfuse(attributes: &Attributes<'_>, exchange: &mut Exchange) {
    if !exchange.asked.is_empty() {
        return;
    }
    let mut conversation = Conversation::new(Scope::default());
    if let Some(calls) = attributes.get(LANGFUSE_CALLS) {
        calls.read(|calls| {
            each_call_in(calls, &mut conversation, &mut |call, _, conversation| {
                let function = call.inner(&["function"]);
                conversation.call(TraceCall {
                    id: call.label_at(&["id"]),
                    ..TraceCall::from_node(
                        function,
                        &["name"],
                        &["arguments", "args", "input"],
                        &[],
                    )
                });
            })
        });
    }
    exchange.asked.extend(conversation.finish().calls);
    let names = attributes
        .get(LANGFUSE_CALL_NAMES)
        .or_else(|| attributes.get(LANGFUSE_CALLS));
    let has_names = names.and_then(|names| names.read(|names| !names.items().is_empty()));
    if exchange.asked.is_empty() && has_names == Some(true) {
        let what = "the name of a call without the call";
        exchange.left_over.push(what.to_owned());
    }
}

/// Reads a model's reply, which may be a text.
pub(super) fn replied(output: &Attribute<'_>, exchange: &mut Exchange) {
    let before = exchange.asked.len();
    let read = output.read(|reply| {
        let replies = replies(reply).into_iter();
        replies.for_each(|message| genai::reply(message, exchange));
        let number = alternatives(reply);
        if exchange.asked.len() > before && number > 1 {
            exchange.left_over.push(of_alternatives(number));
        }
    });
    if read.is_none() {
        exchange.note_text(&output.label());
    }
}

/// The number of alternatives in a model's reply: `LangChain` has a list of them for each prompt.
fn alternatives(reply: &Node<'_>) -> usize {
    let prompts = reply.list("generations").iter();
    let generations = prompts.map(|it| it.items().len()).max();
    generations
        .unwrap_or_default()
        .max(reply.list("choices").len())
}

/// The messages in a model's reply, with any wrapper.
pub(super) fn replies<'n, 'a>(reply: &'n Node<'a>) -> Vec<&'n Node<'a>> {
    let generations = reply
        .list("generations")
        .iter()
        .flat_map(crate::node::Node::items_or_self);
    let said = |it: &'n Node<'a>| it.get("message").or(Some(it).filter(|it| it.has("text")));
    let messages: Vec<_> = generations.filter_map(said).collect();
    if !messages.is_empty() {
        return messages;
    }
    let conversations = conversations(reply);
    if !conversations.is_empty() {
        return conversations
            .into_iter()
            .flat_map(|found| found.messages)
            .collect();
    }
    if let Some(inner) = only(reply, "output") {
        return replies(inner);
    }
    vec![
        reply
            .get("content")
            .filter(|content| content.has("parts"))
            .unwrap_or(reply),
    ]
}

/// The results since the model's last message, that is, of the calls in it.
fn results(history: &Node<'_>, exchange: &mut Exchange) {
    let before = exchange.results.len();
    // `LangChain` has a list of messages for each prompt.
    let history = match history.list("messages") {
        [only] if only.is_list() => only,
        _ => history,
    };
    latest_results(history.get("messages").unwrap_or(history), exchange);
    if exchange.results.len() > before {
        return;
    }
    let conversations = conversations(history);
    let messages: Vec<_> = conversations
        .iter()
        .flat_map(|found| found.messages.iter().copied().map(without_twin))
        .collect();
    let Some(mut from) = messages.iter().rposition(|message| is_of_model(message)) else {
        return;
    };
    while from > 0 && is_of_model(messages[from - 1]) {
        from -= 1;
    }
    let new = &messages[from..];
    exchange
        .results
        .extend(new.iter().filter_map(|message| named_result(message)));
    answers(new, exchange);
}

/// The results in messages of any dialect.
pub(super) fn answers(new: &[&Node<'_>], exchange: &mut Exchange) {
    let Some(dialect) =
        dialects().find(|dialect| new.iter().any(|message| (dialect.decides)(message)))
    else {
        return;
    };
    let mut conversation = Conversation::new(Scope::default());
    let told = new.iter().filter(|message| !is_definition(message));
    told.for_each(|message| (dialect.message)(message, &mut conversation));
    let answered = conversation
        .finish()
        .calls
        .into_iter()
        .filter(|call| call.output.is_some());
    exchange.results.extend(answered.map(|call| CallResult {
        name: Some(call.name).filter(|_| call.id.is_none()),
        id: call.id,
        output: call.output,
        error: call.error,
        ..CallResult::default()
    }));
}

/// The result in a message with the tool name as its role, as sent to Langfuse by `LangGraph` for JavaScript.
fn named_result(message: &Node<'_>) -> Option<CallResult> {
    let name = message.label_at(&["role"])?;
    let is_known = matches!(
        name.as_str().unwrap_or_default(),
        "" | "assistant"
            | "model"
            | "user"
            | "human"
            | "system"
            | "developer"
            | "tool"
            | "function"
            | "ai"
    );
    let content = message
        .get("content")
        .filter(|_| !is_known && !message.has("tool_calls"))?;
    Some(CallResult {
        id: message.label_at(&["tool_call_id"]),
        name: Some(name),
        output: Some(output_of(content)),
        error: None,
        ..CallResult::default()
    })
}

/// True for a tool definition, which some integrations list among the messages.
fn is_definition(message: &Node<'_>) -> bool {
    message.says("role", "tool")
        && message.get("content").is_some_and(Node::is_object)
        && !message.has("tool_call_id")
}

fn is_of_model(message: &Node<'_>) -> bool {
    let class = message.list("id").last().and_then(Node::str);
    let class = class.filter(|_| message.has("kwargs"));
    let kind = class.or(message.str_at("type")).unwrap_or_default();
    message
        .str_at("role")
        .is_some_and(|role| matches!(role, "assistant" | "model"))
        || !message.list("tool_calls").is_empty()
        || matches!(kind, "ai" | "AIMessage" | "AIMessageChunk")
        || kind.ends_with("_call")
}

/// The JSON of a value that may have been stringified, even repeatedly.
pub(crate) fn unwrapped(node: &Node<'_>) -> String {
    let mut json = node.raw().to_owned();
    for _ in 0..3 {
        let inner = Node::parse(&json, MAX_DEPTH)
            .ok()
            .and_then(|node| node.str().map(ToOwned::to_owned));
        match inner {
            Some(inner) if json::is_whole(&inner) => json = inner,
            _ => break,
        }
    }
    json
}
