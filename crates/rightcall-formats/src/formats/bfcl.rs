//! The Berkeley Function Calling Leaderboard: questions, accepted answers and answers of models.

mod call_text;
mod decode;
mod python;
mod source_text;

use rightcall_core::value::{JsonWriter, MAX_DEPTH, Text};

pub(crate) use call_text::LANGUAGES;
use call_text::{CallText, call, without_fence};
use source_text::Language;

use crate::case::described;
use crate::error::CaseError;
use crate::format::{EachValue, Format, FoundTraces, Priority, Reading, Recognition, ValuePlace};
use crate::json;
use crate::messages::in_text::read_text;
use crate::node::Node;
use crate::trace::{CaseScope, Conversation, Scope, Trace, TraceArguments, TraceCall};

pub(super) static ENTRY: Format = Format {
    name: "bfcl",
    title: "Berkeley Function Calling Leaderboard",
    summary: "questions, accepted answers (`ground_truth`) and results of models, joined by `id`",
    reads: &[
        (
            "calls",
            "`result`: `[{NAME: ARGUMENTS}]`, `[{\"function\": NAME, \"parameters\": {}}]`, JSON text of these, also under `tool_calls`, or text such as \
`[f(a=1), g()]`, `f(a=1), g()` and `f(a=1); g();`; also a list a turn",
        ),
        ("arguments", "JSON text or an object; in call text what the leaderboard's decoder makes of them, positional ones under `*0`, `*1`, …"),
        (
            "expectations",
            "`ground_truth`: of several accepted values the first; parameters that may be left out are not expected; the \
whole stays under `meta.ground_truth`, and beside it the descriptions of functions under `meta.function`, for `bfcl/ast-checker`",
        ),
        ("questions", "`question`"),
    ],
    lacks: &["results of the calls", "times", "call ids"],
    notes: "Questions, accepted answers and results of models are in files of their own, one record a line, joined by `id`:
`rightcall score answers.json --traces results.json`. Text such as `[f(a=1)]` is decoded as the leaderboard does: brackets may be missing,
a fence may stand around it, a name such as `true` is its text, `2*5` and `'%d' % 5` are calculated, a call as an argument is its text. Answers to questions in Java and JavaScript, by their `id`, keep each argument as its source text. A file may also
hold such texts alone, an answer a line. Divided by turns (`read: {scope: turn}`), each list of an answer or a result is a case.",
    extensions: &["json", "jsonl"],
    example: r#"{"id":"p_0","result":[{"find_order":"{\"id\": 7}"}]}
{"id":"p_1","ground_truth":[{"find_order":{"id":[7],"lang":["en",""]}}]}"#,
    priority: Priority::Document,
    reading: Reading::Traces(
        |value| {
            let record = value.first_record();
            // The run is under `result`; a case may hold an answer of the leaderboard as well.
            if record.has_any(&["actual", "messages"]) {
                return Recognition::No;
            }
            if record.str().is_some_and(is_answer) {
                return Recognition::Certain;
            }
            let is_question = record.get("question").is_some_and(Node::is_list)
                && record.has_any(&["function", "involved_classes", "initial_config"]);
            // A reply beside the answer is a run of another tool.
            let is_answer = record.get("ground_truth").is_some_and(is_truth) && !record.has_any(&["output", "response"]);
            if record.has("id") && (is_question || is_answer || is_result(record)) || is_function(record) {
                return Recognition::Certain;
            }
            Recognition::No
        },
        |scope| Box::new(EachValue(scope, read)),
    ),
};

/// True for accepted answers: calls with lists of accepted values, or texts, also in a list a turn.
fn is_truth(truth: &Node<'_>) -> bool {
    let is_call = |item: &Node<'_>| match item.entries() {
        [(_, parameters)] => {
            let mut values = parameters.entries().iter();
            parameters.is_object() && values.all(|(_, accepted)| accepted.is_list())
        }
        _ => false,
    };
    let is_item = |item: &Node<'_>| item.text().is_some() || is_call(item) || is_truth(item);
    truth.is_list() && truth.items().iter().all(is_item)
}

/// True for a model's answer.
fn is_result(record: &Node<'_>) -> bool {
    // A call next to its result is a part of another record.
    let is_other = record.has("jsonrpc") || named(record).is_some();
    let Some(result) = record.get("result").filter(|_| !is_other) else {
        return false;
    };
    let is_call = |item: &Node<'_>| item.entries().len() == 1 || named(item).is_some();
    let is_list = |list: &Node<'_>| {
        list.items().first().is_some_and(|item| {
            is_call(item) || item.is_list() || item.str().is_some_and(is_answer)
        })
    };
    match result.str() {
        Some(text) => call_text::calls(text).is_some() || with_json(text, |_| ()).is_some(),
        None => is_list(result),
    }
}

/// True for a call in a text. A single key may mean anything there, so it counts as a name only if arguments are under it.
fn is_call_in_text(item: &Node<'_>) -> bool {
    let holds_arguments = |node: &Node<'_>| {
        node.is_object()
            || node
                .str()
                .is_some_and(|text| text.trim_start().starts_with('{'))
    };
    match item.entries() {
        [(_, arguments)] => holds_arguments(arguments),
        _ => named(item).is_some(),
    }
}

/// True for a text that consists of the calls of an answer only.
pub(crate) fn is_answer(text: &str) -> bool {
    let calls = call_text::calls(text).unwrap_or_default();
    !calls.is_empty() && !calls.iter().any(CallText::is_repr)
}

/// The name and arguments of a call with a key for each.
fn named<'n, 'a>(item: &'n Node<'a>) -> Option<(&'n Text<'a>, &'n Node<'a>)> {
    let name = item.any(&["function", "name"])?.text()?;
    Some((name, item.any(&["parameters", "arguments", "args"])?))
}

/// Passes the list of calls in a JSON answer to `read`; `None` if there are none. A single call is a list of one, and a list may be under
/// `tool_calls`. If other words surround the list, each item must have an explicit name.
fn with_json<T>(text: &str, read: impl FnOnce(&Node<'_>) -> T) -> Option<T> {
    let inner = without_fence(text);
    let alone = format!("[{inner}]");
    let list = if inner.starts_with('{') {
        &alone
    } else {
        inner.get(inner.find('[')?..=inner.rfind(']')?)?
    };
    let has_words = list.len() < inner.len();
    let is_call = |item: &Node<'_>| is_call_in_text(item) && (!has_words || named(item).is_some());
    let list = Node::parse(list, MAX_DEPTH).ok()?;
    if let [one] = list.items()
        && let Some(under) = one.get("tool_calls").filter(|it| it.is_list())
    {
        return under
            .items()
            .iter()
            .all(is_call_in_text)
            .then(|| read(under));
    }
    let items = list.items();
    (!items.is_empty() && items.iter().all(is_call)).then(|| read(&list))
}

/// True for a function definition. Questions of several turns have these in separate files.
fn is_function(record: &Node<'_>) -> bool {
    record.has("name")
        && record
            .get("parameters")
            .is_some_and(|parameters| parameters.says("type", "dict"))
}

fn read(value: &Node<'_>, scope: Scope, place: ValuePlace, found: &mut FoundTraces) {
    if value.text().is_some() {
        let mut conversation = Conversation::new(scope);
        made(value, &mut conversation);
        return found.trace(place.line, conversation.finish());
    }
    if is_function(value) {
        return;
    }
    if !value.has_any(&["result", "ground_truth", "question"]) {
        let error = CaseError::new("`result`, `ground_truth` or `question`", "none of them")
            .help("a record of the leaderboard answers, says what is accepted, or asks");
        return found.error(place.line, error);
    }
    let truth = value.get("ground_truth").filter(|it| !is_truth(it));
    if let Some(truth) = truth {
        let expected = "`ground_truth` with accepted answers, `[{NAME: {PARAMETER: [VALUE]}}]`";
        return found.error(place.line, CaseError::new(expected, described(truth)));
    }
    found.trace(place.line, trace(value, scope));
}

fn trace(record: &Node<'_>, scope: Scope) -> Trace {
    let mut conversation = Conversation::new(scope);
    if let Some(result) = record.get("result") {
        let language = record
            .label_at(&["id"])
            .as_ref()
            .and_then(Language::from_id);
        let turns = turns(result);
        for (turn, made_in_turn) in turns.iter().enumerate() {
            conversation.set_part(CaseScope::Turn, || Some(name_of_turn(turn)));
            match made_in_turn.str().and_then(|text| language?.call(text)) {
                Some(call) => {
                    conversation.agent_spoke();
                    conversation.message();
                    read_call(call, &mut conversation);
                }
                None => made(made_in_turn, &mut conversation),
            }
        }
    }
    let mut trace = conversation.finish();
    trace.lacks_run = !record.has("result");
    trace.id = record.label_at(&["id"]);
    trace.input = record.raw_at("question");
    if let Some(truth) = record.get("ground_truth") {
        let mut parts = Vec::new();
        let is_by_turn = scope.choices.scope == CaseScope::Turn;
        let mut is_read = true;
        let expected = json::list(|writer| {
            for (turn, item) in truth.items().iter().enumerate() {
                let calls = demanded(item, turn, writer, &mut trace);
                is_read &= calls.is_some();
                let calls = calls.unwrap_or_default();
                if is_by_turn {
                    let name = name_of_turn(if item.is_list() { turn } else { 0 });
                    trace.add_part(&name);
                    parts.extend(std::iter::repeat_n(Some(name), calls));
                }
            }
        });
        // Some tasks accept texts; without one of its calls, an expectation would ask for too little.
        if is_read {
            trace.expected = Some(expected);
            trace.expected_parts = is_by_turn.then_some(parts);
        } else {
            trace
                .report
                .left_over(NO_CALL.to_owned(), "under `ground_truth`");
        }
        trace.add_facts([
            ("ground_truth", Some(truth)),
            ("function", record.get("function")),
        ]);
    }
    trace
}

/// The expectation of a record with these accepted answers, as the text of canonical calls.
pub(crate) fn first_answer(truth: &str) -> Option<String> {
    let record = format!(r#"{{"ground_truth":{truth}}}"#);
    let record = Node::parse(&record, MAX_DEPTH).ok()?;
    trace(&record, Scope::default()).expected
}

/// The turns of an answer: the lists in a list, else the whole answer.
fn turns<'n, 'a>(result: &'n Node<'a>) -> &'n [Node<'a>] {
    let items = result.items();
    let are_lists = !items.is_empty() && items.iter().all(Node::is_list);
    if are_lists {
        items
    } else {
        std::slice::from_ref(result)
    }
}

fn name_of_turn(turn: usize) -> Text<'static> {
    Text::from((turn + 1).to_string())
}

/// The leftover kind of an accepted answer that is a text, or a call that cannot be parsed.
const NO_CALL: &str = "an accepted answer that is no call of literals, so nothing is expected; `meta.ground_truth` holds it";

/// Writes the expected calls of a turn, from accepted values or from the texts of calls. Returns the number of calls; `None` if one is
/// not read.
fn demanded(
    item: &Node<'_>,
    turn: usize,
    writer: &mut JsonWriter,
    trace: &mut Trace,
) -> Option<usize> {
    if !item.is_list() && !item.is_object() {
        let call = call(item.str()?).filter(|call| call.is_literal)?;
        note_text(&call, trace);
        let arguments = TraceArguments::Json(call.arguments);
        writer.begin_object().key("name").text(&call.name);
        arguments.write(writer);
        writer.key("turn").count(turn).end_object();
        return Some(1);
    }
    let mut calls = item.entries().len();
    for inner in item.items() {
        calls += demanded(inner, turn, writer, trace)?;
    }
    for (name, parameters) in item.entries() {
        writer
            .begin_object()
            .key("name")
            .text(name)
            .key("args")
            .begin_object();
        parameters
            .entries()
            .iter()
            .for_each(|(key, values)| parameter(key, values, writer, trace));
        writer.end_object().end_object();
    }
    Some(calls)
}

/// Writes a parameter with the first accepted value, unless it is optional.
fn parameter(key: &Text<'_>, values: &Node<'_>, writer: &mut JsonWriter, trace: &mut Trace) {
    let is_optional = values.items().iter().any(|value| value.raw() == "\"\"");
    if values.items().len() > 1 {
        trace.report.note(
            "of several accepted values the first is expected, and parameters that may be left out are not; \
`meta.ground_truth` holds them all",
        );
    }
    if is_optional && values.items().len() > 1 {
        return;
    }
    writer.key_text(key);
    match values.items().first() {
        Some(value) => accepted(value, writer, trace),
        None => _ = writer.raw(values.raw()),
    }
}

/// Writes an accepted value. The members of an object are again lists of accepted values.
fn accepted(value: &Node<'_>, writer: &mut JsonWriter, trace: &mut Trace) {
    if value.is_object() {
        writer.begin_object();
        value
            .entries()
            .iter()
            .for_each(|(key, values)| parameter(key, values, writer, trace));
        writer.end_object();
    } else if value.items().iter().any(Node::is_object) {
        writer.begin_list();
        for item in value.items() {
            accepted(item, writer, trace);
        }
        writer.end_list();
    } else {
        writer.raw(value.raw());
    }
}

/// The leftover kind of a result of any other kind.
const NO_LIST: &str = "a result that is no list of calls";

/// The calls of a result. Calls in one list, or in one text, were made in parallel.
fn made(result: &Node<'_>, conversation: &mut Conversation) {
    let is_value = result.str().is_none() && !result.is_object() && !result.is_list();
    if is_value {
        return conversation.left_over(NO_LIST);
    }
    // What the leaderboard's runner writes for a request that failed.
    if result
        .str()
        .is_some_and(|it| it.starts_with("Error during inference:"))
    {
        return conversation.left_over("an error in place of a result");
    }
    conversation.agent_spoke();
    if let Some(text) = result.str() {
        return made_in_text(text, result, conversation);
    }
    if result.is_object() {
        if is_call_in_text(result) {
            conversation.message();
            return made_by(result, conversation);
        }
        return conversation.left_over(NO_LIST);
    }
    if result.items().iter().any(Node::is_object) {
        conversation.message();
    }
    for item in result.items() {
        if item.is_object() {
            made_by(item, conversation);
        } else {
            made(item, conversation);
        }
    }
}

fn read_call(call: CallText, conversation: &mut Conversation) {
    note_text(&call, conversation.trace());
    conversation.call(TraceCall {
        name: call.name,
        arguments: TraceArguments::Json(call.arguments),
        ..TraceCall::default()
    });
}

/// The calls in a text. Any other text is a reply of the model.
fn made_in_text(text: &str, result: &Node<'_>, conversation: &mut Conversation) {
    if let Some(calls) = call_text::calls(text) {
        conversation.message();
        for call in calls {
            read_call(call, conversation);
        }
    } else if let Some(inside) = turns_in(text) {
        made(&inside, conversation);
    } else if with_json(text, |list| made(list, conversation)).is_none() {
        let message = format!(r#"{{"role":"assistant","content":{}}}"#, result.raw());
        if let Ok(message) = Node::parse(&message, MAX_DEPTH) {
            conversation.part(&message, |conversation| {
                conversation.message();
                read_text(&message, conversation);
            });
        }
        let report = &mut conversation.trace().report;
        report.note("a result that is no list of calls holds none");
    }
}

/// Parses a text as JSON, if the result is another text or a list of turns or texts.
fn turns_in(text: &str) -> Option<Node<'_>> {
    let inside = Node::parse(text.trim(), MAX_DEPTH).ok()?;
    let is_turn = |item: &Node<'_>| item.is_list() || item.text().is_some();
    let are_turns = !inside.items().is_empty() && inside.items().iter().all(is_turn);
    (are_turns || inside.text().is_some()).then_some(inside)
}

/// The calls of an object: one with a name key, or one per key that is a name.
fn made_by(item: &Node<'_>, conversation: &mut Conversation) {
    let mut call = |name: &Text<'_>, arguments: &Node<'_>| {
        conversation.call(TraceCall {
            name: name.clone().into_owned(),
            arguments: TraceArguments::from_node(arguments),
            ..TraceCall::default()
        });
    };
    if let Some((name, arguments)) = named(item) {
        return call(name, arguments);
    }
    let is_alone = item.entries().len() == 1;
    for (name, arguments) in item.entries() {
        // Broken arguments may not be JSON, but values of other kinds are not arguments.
        let is_cut = arguments
            .str()
            .is_some_and(|text| is_alone || text.starts_with('{'));
        if arguments.is_object() || arguments.is_null() || is_cut {
            call(name, arguments);
        } else {
            conversation.left_over(NO_LIST);
            return;
        }
    }
}

fn note_text(call: &CallText, trace: &mut Trace) {
    if !call.is_literal {
        trace.report.note("arguments that are names, calls or arithmetic are read as the leaderboard decodes them");
    }
    if call.has_positions {
        trace
            .report
            .note("positional arguments have no names: they are named by position, from `*0`, and `bfcl/ast-checker` drops them as the leaderboard does");
    }
}

#[cfg(test)]
mod tests;
