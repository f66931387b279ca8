//! The OpenTelemetry semantic conventions for generative AI, including events.

mod tool;

use rightcall_core::value::{Reader, Syntax, Text};

pub(in crate::spans) use tool::call_of_record;
use tool::{is_tool, tool};

use crate::messages::content::{json_text, output_of};
use crate::messages::dialects::{bedrock, dialects};
use crate::messages::ending::of_alternatives;
use crate::messages::parts::names_action;
use crate::node::Node;
use crate::spans::dialect::{Exchange, SpanDialect, SpanHistory};
use crate::spans::kind::is_known_part;
use crate::spans::span::{Attribute, Event, TraceSpan};
use crate::trace::Scope;
use crate::trace::conversation::{CallResult, Conversation};
use crate::trace::{Doubt, Executor, Suspect, TraceArguments, TraceCall, count_suspects};

pub(super) static DIALECT: SpanDialect = SpanDialect { tool, exchange };

const OUTPUT: &str = "gen_ai.output.messages";
const INPUT: &str = "gen_ai.input.messages";

/// The attribute with all messages of a run in Pydantic AI's agent span.
const ALL: &str = "pydantic_ai.all_messages";

/// True if a request asks for several replies, so that each message of the output is one of them.
fn asks_for_choices(span: &TraceSpan<'_>) -> bool {
    let count = span.attributes.get("gen_ai.request.choice.count");
    count.and_then(|count| count.read(|it| it.whole().is_some_and(|count| count > 1))) == Some(true)
}

fn exchange(span: &TraceSpan<'_>, exchange: &mut Exchange) {
    if is_tool(span) {
        return;
    }
    let events = || span.events.iter();
    let carriers =
        || std::iter::once(&span.attributes).chain(events().map(|event| &event.attributes));
    for carrier in carriers() {
        if let Some(messages) = carrier.get(OUTPUT) {
            exchange.is_answered = true;
            let before = exchange.asked.len();
            messages.read(|messages| {
                let replies = messages.items_or_self();
                replies.iter().for_each(|message| reply(message, exchange));
                if exchange.asked.len() > before && replies.len() > 1 && asks_for_choices(span) {
                    exchange.left_over.push(of_alternatives(replies.len()));
                }
            });
            if let Some(messages) = carrier.get(INPUT) {
                messages.read_last_items(is_no_reply_text, |messages| results(messages, exchange));
            }
            return;
        }
    }
    // With a reply, histories aren't needed.
    let shown = carriers().find_map(|carrier| carrier.any(&[INPUT, ALL]));
    if let Some(messages) = shown {
        exchange.history = messages.read(history).unwrap_or_default();
    }
    if let Some(messages) = span.attributes.get(ALL) {
        messages.read(|messages| {
            let replies = messages.items().iter().filter(|it| !is_no_reply(it));
            replies.for_each(|message| exchange.note_message(message));
        });
    }
    events().for_each(|event| self::event(event, exchange));
}

/// The calls in a message of a model, in the form of the conventions or of a provider.
pub(super) fn reply(message: &Node<'_>, exchange: &mut Exchange) {
    let before = exchange.asked.len();
    asked(message, exchange);
    let is_own = exchange.asked.len() > before;
    if is_own {
        look_among(parts(message), before, exchange);
    } else {
        provider_calls(without_twin(message), exchange);
    }
    // The dialect of a provider reports its own parts. An agent's output may have the results of its tools.
    let is_of_tool = message.says("role", "tool");
    if !is_of_tool && (is_own || exchange.asked.len() == before) {
        note_actions(parts(message), before, exchange);
    }
    exchange.note_message(message);
}

/// Records parts that say what the agent did, in other ways than by a call. The calls that were read are in `asked` from this index on.
fn note_actions(parts: &[Node<'_>], from: usize, exchange: &mut Exchange) {
    let read = &exchange.asked[from..];
    let is_read = |part: &Node<'_>| {
        let id = ["id", "call_id"]
            .iter()
            .find_map(|key| part.label_at(&[key]));
        id.is_some_and(|id| read.iter().any(|call| call.id.as_ref() == Some(&id)))
    };
    let unread = parts.iter().filter(|part| !is_read(part));
    let kinds = unread.filter_map(|part| part.str_at("type"));
    // Parts of other types are heard as unknown ones.
    let is_other = |kind: &&str| {
        let is_read = matches!(*kind, "tool_call" | "server_tool_call");
        is_known_part(kind) && names_action(kind) && !is_read
    };
    let found = kinds
        .filter(is_other)
        .map(|kind| format!("a part of the type `{kind}`"));
    exchange.left_over.extend(found.collect::<Vec<_>>());
}

/// Looks for unread calls among parts. Those read are in `asked` from this index on.
fn look_among(parts: &[Node<'_>], from: usize, exchange: &mut Exchange) {
    let found = parts.iter().map(count_suspects).sum();
    let read = exchange.asked.len() - from;
    for _ in read..found {
        let looks = "a list with more calls than were read";
        exchange.unread.push(Suspect::new(looks, Doubt::None));
    }
}

/// `LangChain` may have calls only in the provider's own shape.
pub(super) fn without_twin<'n, 'a>(message: &'n Node<'a>) -> &'n Node<'a> {
    let has_calls = |message: &Node<'_>| !message.list("tool_calls").is_empty();
    message
        .get("additional_kwargs")
        .filter(|inner| has_calls(inner) && !has_calls(message))
        .unwrap_or(message)
}

fn is_no_reply(message: &Node<'_>) -> bool {
    !message.says("role", "assistant")
}

/// [`is_no_reply`] by the first role in the text of a message, which avoids parsing most replies.
pub(super) fn is_no_reply_text(message: &str) -> bool {
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
fn history(messages: &Node<'_>) -> SpanHistory {
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
    SpanHistory::of(conversation.finish())
}

/// The results since the model's last message.
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

fn asked(message: &Node<'_>, exchange: &mut Exchange) {
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
                .or_else(|| inner.label_at(&["name"]))
                .unwrap_or_default(),
            arguments: arguments.map_or(TraceArguments::Absent, TraceArguments::from_node),
            id: part.label_at(&["id"]).filter(|id| !id.is_empty()),
            executor,
            ..TraceCall::default()
        });
    }
}

/// The events used before messages became attributes.
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
            chosen(body.get("message").unwrap_or(body), exchange);
        }
        // Earlier messages of the model are history; results after them are not.
        "assistant.message" => exchange.results.clear(),
        "tool.message" => {
            let id = body.label_at(&["id"]);
            tool_results(body, id.or_else(|| event.attributes.label("id")), exchange);
        }
        _ => {}
    };
    match (&event.body, content) {
        (Some(body), _) => _ = Attribute::Json(body.clone()).read(&mut read),
        (None, Some(content)) => with_value(content, &mut read),
        (None, None) => {
            // The body may be split into attributes.
            if let Some(Attribute::Json(calls)) = event.attributes.get("tool_calls") {
                _ = Node::parse(
                    &format!("{{\"tool_calls\":{calls}}}"),
                    rightcall_core::value::MAX_DEPTH,
                )
                .map(|body| read(&body));
            }
        }
    }
    // A Strands cycle stores the results of its calls next to the model's message.
    if let Some(told) = event.attributes.get("tool.result") {
        told.read(|told| tool_results(told, None, exchange));
    }
}

/// Passes a value that may be JSON text to `read`; other text stays a string.
fn with_value(value: &Attribute<'_>, read: &mut dyn FnMut(&Node<'_>)) {
    if value.read(&mut *read).is_none() {
        _ = Attribute::Json(json_text(&value.label()).into()).read(read);
    }
}

/// The output of a model: a message, its content, or text.
pub(super) fn chosen(message: &Node<'_>, exchange: &mut Exchange) {
    let before = exchange.asked.len();
    provider_calls(message, exchange);
    // Events without content have the names alone.
    let lacks_arguments = |call: &Node<'_>| {
        let function = call.get("function").filter(|it| it.is_object());
        function.is_some_and(|it| !it.has("arguments"))
    };
    if message.list("tool_calls").iter().any(lacks_arguments) {
        let asked = exchange.asked[before..].iter_mut();
        asked
            .filter(|call| call.arguments == TraceArguments::none())
            .for_each(|call| call.arguments = TraceArguments::Absent);
    }
    match message.items() {
        [] => exchange.note_message(message),
        parts => exchange.note_parts(parts),
    }
}

/// The results in an event: Bedrock blocks with ids, or the output of one tool.
fn tool_results(body: &Node<'_>, id: Option<Text<'static>>, exchange: &mut Exchange) {
    let content = body.get("content").unwrap_or(body);
    let blocks = content.items().iter();
    let blocks: Vec<_> = blocks.filter_map(|block| block.get("toolResult")).collect();
    if blocks.is_empty() {
        // Without a recorded content, the body has the id alone.
        let output = (!body.has_only(&["id"])).then(|| output_of(content));
        return exchange.results.push(CallResult {
            id,
            output,
            ..CallResult::default()
        });
    }
    exchange
        .results
        .extend(blocks.into_iter().map(bedrock::result));
}

/// The calls of a message in any provider's shape.
pub(super) fn provider_calls(message: &Node<'_>, exchange: &mut Exchange) {
    // A list is the content of a message.
    let wrapped = message
        .is_list()
        .then(|| format!("{{\"role\":\"assistant\",\"content\":{}}}", message.raw()));
    let parsed = wrapped
        .as_deref()
        .and_then(|text| Node::parse(text, rightcall_core::value::MAX_DEPTH).ok());
    let message = parsed.as_ref().unwrap_or(message);
    let Some(dialect) = dialects().find(|dialect| (dialect.decides)(message)) else {
        return;
    };
    let mut conversation = Conversation::new(Scope::default());
    conversation.part(message, |conversation| {
        (dialect.message)(message, conversation);
    });
    let trace = conversation.finish();
    if !trace.calls.is_empty() {
        let unread = trace.report.unread_kinds();
        let unread = unread.map(|(looks, ..)| Suspect::new(looks, Doubt::None));
        exchange.unread.extend(unread);
    }
    let left_over = trace.report.left_over_kinds();
    exchange
        .left_over
        .extend(left_over.flat_map(|(kind, count, _)| (0..count).map(|_| kind.to_owned())));
    exchange
        .asked
        .extend(trace.calls.into_iter().map(|call| TraceCall {
            turn: None,
            group: None,
            ..call
        }));
}
