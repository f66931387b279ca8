//! Finds spans that look like calls or like model requests, but in which no dialect found a call.

use std::sync::LazyLock;

use memchr::memmem::Finder;
use rightcall_core::value::{Reader, Syntax, Text};

use super::dialect::Exchange;
use super::dialects::observations::{MLFLOW, PLATFORMS};
use super::expectation::is_expected;
use super::kind::kind;
use super::span::{Attribute, Attributes, Event, TraceSpan};
use crate::case::letters;
use crate::node::Node;
use crate::trace::unread::{
    CallSigns, Doubt, Suspect, called_name, each_call_under, each_sign, each_suspect, in_members,
    is_of_calls, likely_calls,
};
use crate::trace::words::says_any;

/// Call-like values in a span that no dialect reads.
pub(super) fn suspects(
    span: &TraceSpan<'_>,
    is_of_model: bool,
    exchange: &Exchange,
) -> Vec<Suspect> {
    let mut found = span.unread.clone();
    let is_open = |found: &[Suspect]| found.iter().all(|it| !it.doubt.is_of_call());
    if is_open(&found) {
        let by_attributes = || by_attributes(&span.attributes, &span.name);
        found.extend(
            by_name(span)
                .or_else(by_attributes)
                .or_else(|| by_kind(span))
                .or_else(|| by_input(span).filter(|_| !is_of_model)),
        );
    }
    let is_read = !exchange.history.calls.is_empty() || exchange.history.is_of_run;
    if is_open(&found) {
        found.extend(under_calls(span));
    }
    if is_open(&found) && !is_read {
        found.extend(inside(span).into_iter().map(|it| Suspect {
            doubt: it.doubt.max(Doubt::SameName),
            ..it
        }));
    }
    if found.is_empty() {
        return found;
    }
    let place = place_of(span);
    found
        .into_iter()
        .take(MOST)
        .map(|suspect| suspect.within(&place))
        .collect()
}

/// Call-like values beside a span that was read.
pub(super) fn beside(span: &TraceSpan<'_>) -> Vec<Suspect> {
    let is_call = |it: &&Suspect| it.doubt.is_of_call() && it.name.is_some();
    let found = span.unread.iter().filter(is_call).take(MOST).cloned();
    found.map(|it| it.within(&place_of(span))).collect()
}

/// Describes the place of a span in its run.
pub(super) fn place_of(span: &TraceSpan<'_>) -> String {
    format!("in the span `{}` of the trajectory", span.name.to_display())
}

/// The maximum number kept per span.
const MOST: usize = 8;

/// By the span names that the conventions use for tools.
fn by_name(span: &TraceSpan<'_>) -> Option<Suspect> {
    const BEGINNINGS: [&str; 9] = [
        "execute_tool ",
        "execute_tool:",
        "tools/call ",
        "running tool: ",
        "tool_call ",
        "tool_call:",
        "call_tool ",
        "tool:",
        "tool/",
    ];
    // A span of several calls may have such a name.
    const NAMES: [&str; 9] = [
        "calltool",
        "executetool",
        "functioncall",
        "invoketool",
        "runtool",
        "toolcall",
        "toolexecution",
        "toolinvocation",
        "tooluse",
    ];
    let name = span.name.to_display();
    let letters = letters(&name);
    if NAMES.contains(&letters.strip_suffix('s').unwrap_or(&letters)) {
        let looks = format!("a span with the name `{name}`");
        return Some(Suspect::new(looks, Doubt::Piece));
    }
    let tool = BEGINNINGS.iter().find_map(|it| name.strip_prefix(it));
    let tool = tool
        .or_else(|| name.strip_suffix(".tool"))
        .map(str::trim_start)
        .filter(|tool| !tool.is_empty() && **tool != *"(merged tools)")?;
    Some(named(
        "a span with the name of a tool's".to_owned(),
        Text::from(tool.to_owned()),
    ))
}

fn named(looks: String, name: Text<'static>) -> Suspect {
    Suspect {
        name: Some(name),
        ..Suspect::new(looks, Doubt::SameName)
    }
}

/// By a kind that its platform doesn't have; `MLflow` spans may be of any kind.
fn by_kind(span: &TraceSpan<'_>) -> Option<Suspect> {
    let platforms = PLATFORMS.iter().filter(|it| it.kind != MLFLOW.kind);
    let kinds = platforms.filter_map(|platform| span.attributes.label(platform.kind));
    let mut kinds = kinds.map(|kind| kind.to_display().to_lowercase());
    let kind = kinds.find(|kind| !KINDS.contains(&kind.as_str()))?;
    let looks = format!("a span of the kind `{kind}`");
    Some(named(looks, span.name.clone().into_owned()))
}

/// By an input that is a call.
fn by_input(span: &TraceSpan<'_>) -> Option<Suspect> {
    const OTHERS: [&str; 2] = ["input.value", "traceloop.entity.input"];
    let keys = PLATFORMS.iter().map(|platform| platform.input);
    let mut inputs = keys
        .chain(OTHERS)
        .filter_map(|key| span.attributes.get(key));
    let input = inputs.find(|input| input.source().is_some_and(|text| may_be_call(text, 2)))?;
    let mut found = None;
    input.read(|input| {
        each_suspect(input, &mut |it| {
            found.get_or_insert(it);
        });
    });
    found
}

/// True for the JSON text of an object with a name and arguments, or of one around it. Only the keys of calls have both.
fn may_be_call(text: &str, depth: u8) -> bool {
    let mut reader = Reader::new(text, Syntax::PYTHON);
    let mut is_call = || {
        if text.trim_start().starts_with('[') {
            let mut first = reader.enter_list().ok()?;
            let has_items = reader.next_item(&mut first).ok()?;
            return Some(has_items && may_be_call(reader.raw().ok()?, depth));
        }
        let (mut signs, mut has_inner) = (CallSigns::default(), false);
        let mut first = reader.enter_object().ok()?;
        while let Some(key) = reader.next_key(&mut first).ok()? {
            signs.add(&key);
            let inner = reader.raw().ok()?;
            has_inner |= depth > 0 && inner.starts_with('{') && may_be_call(inner, depth - 1);
        }
        Some(has_inner || signs.are_of_call())
    };
    is_call() == Some(true)
}

/// The span kinds of platforms.
const KINDS: [&str; 30] = [
    "agent",
    "automation",
    "chain",
    "chat_model",
    "classifier",
    "embedding",
    "eval",
    "evaluator",
    "event",
    "experiment",
    "facet",
    "function",
    "general",
    "generation",
    "guardrail",
    "llm",
    "memory",
    "parser",
    "preprocessor",
    "prompt",
    "reranker",
    "retrieval",
    "retriever",
    "review",
    "score",
    "scorer",
    "span",
    "task",
    "tool",
    "workflow",
];

/// Call-like attributes of a value that isn't a span, such as a log record.
pub(crate) fn in_attributes(attributes: &Attributes<'_>, name: &Text<'_>) -> Option<Suspect> {
    by_attributes(attributes, name)
}

/// By an attribute with the name or arguments of a tool, or one that marks a tool span.
fn by_attributes(attributes: &Attributes<'_>, span: &Text<'_>) -> Option<Suspect> {
    let holds = |text: &[u8], word: &[u8]| {
        text.windows(word.len())
            .any(|part| part.eq_ignore_ascii_case(word))
    };
    attributes.iter().find_map(|(key, value)| {
        let Attribute::Text(text) = value else {
            let is_lost = key.is_empty() && value.source().is_some_and(in_text);
            let lost = is_lost.then(|| Suspect::new("an attribute without a key", Doubt::None));
            let wrapped = || within_wrapper(key, value, span);
            return lost
                .or_else(wrapped)
                .or_else(|| by_wrapped_kind(key, value));
        };
        let is_of_tool = holds(key.as_bytes(), b"tool") || holds(key.as_bytes(), b"function_call");
        if is_of_tool
            && tells_of_a_tool(&key.to_display().to_ascii_lowercase())
            && !matches!(text.as_bytes(), b"" | b"{}" | b"null" | b"N/A")
        {
            let looks = format!("the attribute `{}`", key.to_display());
            let name = if key.as_bytes().ends_with(b"ame") {
                text
            } else {
                span
            };
            return Some(named(looks, name.clone().into_owned()));
        }
        let kind = kind(value)
            .filter(|kind| holds(kind.as_bytes(), b"tool") && !holds(kind.as_bytes(), b"tools"))?;
        // The platforms' word for this kind may be under an unknown key.
        let is_word = !key.as_bytes().contains(&b'.') && kind == "TOOL";
        let is_kind = is_word || holds(key.as_bytes(), b"kind") || holds(key.as_bytes(), b"type");
        // The input of the model is not a reply.
        let is_kind = is_kind && !holds(key.as_bytes(), b"input_messages");
        is_kind.then(|| Suspect::new(format!("`{}: {kind}`", key.to_display()), Doubt::None))
    })
}

/// True for an object under an unknown key that may be a wrapper.
fn is_wrapper(key: &Text<'_>, text: &str) -> bool {
    text.starts_with('{') && *key != *"metadata" && !key.as_bytes().contains(&b'.')
}

/// True for the key of metadata, which may say how a reply ended, or repeat it.
pub(super) fn is_metadata(key: &Text<'_>) -> bool {
    key.as_bytes().ends_with(b"metadata")
}

/// By attributes inside an attribute with an unknown key.
fn within_wrapper(key: &Text<'_>, value: &Attribute<'_>, span: &Text<'_>) -> Option<Suspect> {
    if !value.source().is_some_and(|text| is_wrapper(key, text)) {
        return None;
    }
    value.read(|inner| by_attributes(&Attributes::from_object(inner), span))?
}

/// By a short wrapped value under a kind's key.
fn by_wrapped_kind(key: &Text<'_>, value: &Attribute<'_>) -> Option<Suspect> {
    let text = value.source().filter(|text| text.len() < 64)?;
    let key = key.to_display();
    let is_kind = key.ends_with("kind") || key.ends_with("ype");
    let is_of_tool = text.to_ascii_lowercase().contains("\"tool\"");
    (is_kind && is_of_tool).then(|| Suspect::new(format!("`{key}: {text}`"), Doubt::None))
}

/// True for the name or the arguments of an executed tool, not of an offered or earlier one.
fn tells_of_a_tool(key: &str) -> bool {
    let ends = ["name", "arguments", "args", "input"];
    ends.iter().any(|end| key.ends_with(end)) && is_of_agent(key)
}

/// True for a lower-case key of the agent's actions, not of its input.
fn is_of_agent(key: &str) -> bool {
    const OTHERS: [&str; 10] = [
        "tools",
        "definition",
        "choice",
        "schema",
        "prompt.",
        "input_messages",
        "request",
        "available",
        "description",
        "server",
    ];
    !OTHERS.iter().any(|other| key.contains(other))
}

/// Words for calls, each with its possible continuations. A model output without any of them has no calls.
static WORDS: LazyLock<[(Finder<'static>, &[&str]); 5]> = LazyLock::new(|| {
    [
        (Finder::new("tool"), &["_", "-", "U", "C", "R"]),
        (Finder::new("function"), &["_call", "Call", "\"", "\\"]),
        (Finder::new("arguments"), &["\"", "\\"]),
        (Finder::new("args"), &["\"", "\\"]),
        (Finder::new("_call"), &["\"", "\\"]),
    ]
});

fn holds_word(text: &str) -> bool {
    let text = text.as_bytes();
    WORDS.iter().any(|(beginning, endings)| {
        beginning.find_iter(text).any(|at| {
            let rest = &text[at + beginning.needle().len()..];
            endings
                .iter()
                .any(|ending| rest.starts_with(ending.as_bytes()))
        })
    })
}

/// True for the key of an attribute that may hold a model's or a span's output.
pub(super) fn is_said(key: &Text<'_>) -> bool {
    let key = key.to_display();
    let words = [
        "output",
        "completion",
        "response",
        "choice",
        "calls",
        "call",
        "steps",
        "actions",
        "trajectory",
        "all_messages",
        "new_messages",
        "plan",
        "decision",
    ];
    key.is_empty() || says_any(&key, &words)
}

/// By attributes whose last words are a key of calls, such as `agent.tool_calls`.
fn under_calls(span: &TraceSpan<'_>) -> Vec<Suspect> {
    let of_events = span.events.iter().flat_map(|event| event.attributes.iter());
    let mut found = Vec::new();
    for (key, value) in span.attributes.iter().chain(of_events) {
        let Some(end) = end_of_calls(key) else {
            continue;
        };
        let read = value.read(|value| each_call_under(&end, value, &mut |it| found.push(it)));
        if let (None, Attribute::Text(text)) = (read, value) {
            found.extend(called_name(&end, text));
        }
    }
    found
}

/// The last words of a key, if they are a key of calls and not of those that a model was given.
fn end_of_calls(key: &Text<'_>) -> Option<Text<'static>> {
    if !says_any(key.as_str()?, &["tool", "function", "call"]) {
        return None;
    }
    let key = key.to_display();
    let mut steps = key.rsplit('.');
    let last = steps.next()?;
    let both = steps.next().map(|step| format!("{step}_{last}"));
    let ends = [Some(last.to_owned()), both];
    let mut ends = ends.into_iter().flatten().map(Text::from);
    let end = ends.find(is_of_calls)?;
    let begin = key.rsplit_once('.').map_or("", |(begin, _)| begin);
    is_of_agent(&begin.to_ascii_lowercase()).then_some(end)
}

/// By the output of a model or of the span.
fn inside(span: &TraceSpan<'_>) -> Vec<Suspect> {
    let of_events = span.events.iter().flat_map(|event| event.attributes.iter());
    let outputs = span
        .attributes
        .iter()
        .chain(of_events)
        .filter_map(|(key, value)| Some((key, value.source()?)))
        .filter(|(key, value)| {
            let may_hold = is_said(key) || is_wrapper(key, value) || is_metadata(key);
            may_hold && holds_word(value) && !is_expected(key)
        })
        .map(|(_, value)| value);
    let choices = span
        .events
        .iter()
        .filter(|event| event.name.to_display().ends_with("choice"));
    let bodies = choices.filter_map(|event| event.body.as_deref());
    let outputs = outputs.chain(bodies.filter(|body| holds_word(body)));
    let mut found: Vec<_> = outputs.flat_map(in_json).collect();
    let is_read = |event: &&Event<'_>| event.name.as_bytes().starts_with(b"gen_ai.");
    let others = span.events.iter().filter(|event| !is_read(event));
    let by_event = |event: &Event<'_>| by_attributes(&event.attributes, &event.name);
    found.extend(others.clone().filter_map(by_event));
    for (_, value) in others.flat_map(|event| event.attributes.iter()) {
        if value.source().is_some_and(holds_word) {
            value.read(|value| {
                each_suspect(value, &mut |it| found.push(it));
                each_sign(value, &mut |it| found.push(it));
            });
        }
    }
    found
}

/// Call-like values in a text with a word for calls, which may contain JSON, and in the strings inside.
fn in_json(text: &str) -> Vec<Suspect> {
    let mut found = Vec::new();
    Attribute::Json(text.into()).read(|node: &Node<'_>| {
        each_suspect(node, &mut |it| found.push(it));
        each_text(node, &mut |text| found.extend(in_json(text)));
    });
    found
}

/// Passes on the strings in a value that may contain calls as JSON.
fn each_text(node: &Node<'_>, each: &mut dyn FnMut(&str)) {
    let is_json = |text: &&str| text.trim_start().starts_with(['{', '[']);
    let members = node.entries().iter().map(|(_, value)| value);
    for inner in node.items().iter().chain(members) {
        inner.str().filter(is_json).into_iter().for_each(&mut *each);
        each_text(inner, each);
    }
}

/// Call-like values in a span's node under keys unknown to its carrier: model output, or attributes.
pub(crate) fn in_unknown(node: &Node<'_>, known: &[&str]) -> Vec<Suspect> {
    let is_known = |key: &Text<'_>| known.iter().any(|known| *key == **known);
    if node
        .entries()
        .iter()
        .all(|(key, value)| is_known(key) || value.is_null())
    {
        return Vec::new();
    }
    let mut found = in_members(node, known);
    let unknown_members: Vec<_> = node
        .entries()
        .iter()
        .filter(|(key, _)| !is_known(key))
        .collect();
    let unknown = || unknown_members.iter().map(|(_, value)| value);
    let inner = unknown()
        .filter(|value| value.is_object())
        .map(Attributes::from_object);
    let span = node.text_at(&["name", "operationName"]);
    let own = unknown_members.iter().filter(|(_, value)| !value.is_null());
    let own = own
        .map(|(key, value)| (key.clone(), Attribute::from_node(value)))
        .collect();
    found.extend(
        std::iter::once(own)
            .chain(inner)
            .filter_map(|attributes| by_attributes(&attributes, &span)),
    );
    for value in unknown() {
        let text = value.str().filter(|text| holds_word(text));
        found.extend(text.into_iter().flat_map(in_json));
        each_text(value, &mut |text| {
            if holds_word(text) {
                found.extend(in_json(text));
            }
        });
    }
    found
}

/// A suspect for a value in the place of a span that isn't one.
pub(crate) fn no_span(node: &Node<'_>) -> Option<Suspect> {
    in_text(node.raw()).then(|| Suspect::new("something that is no span", Doubt::None))
}

/// A suspect for a value among spans that is a call, or that isn't a span.
pub(crate) fn call_among_spans(node: &Node<'_>) -> Option<Suspect> {
    let mut call = None;
    each_suspect(node, &mut |it| _ = call.get_or_insert(it));
    call.or_else(|| no_span(node))
}

/// True for a text without any read span that holds calls in another form, or words that tool spans have.
pub(crate) fn tells_of_calls(text: &str) -> bool {
    in_text(text) || likely_calls(text) > 0
}

/// Words that tool spans contain in every dialect.
const OF_SPANS: [&[u8]; 6] = [
    b"gen_ai.tool.",
    b"tool.name",
    b"execute_tool",
    b"toolCall",
    b"tool_call",
    b"TOOL",
];

/// True for a text without any read span, but with words that tool spans have.
fn in_text(text: &str) -> bool {
    let is_log = memchr::memmem::find(text.as_bytes(), b"ogRecords").is_some();
    !is_log
        && OF_SPANS
            .iter()
            .any(|word| memchr::memmem::find(text.as_bytes(), word).is_some())
}
