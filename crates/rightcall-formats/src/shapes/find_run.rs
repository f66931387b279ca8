//! Finds the run of a case that is not under `actual`.

use std::iter;

use rightcall_core::call::{Call, Case};
use rightcall_core::value::{MAX_DEPTH, Reader, Syntax, Text};

use crate::case::{
    CRITERIA_KEY, CaseSide, Draft, Fault, Result, is_tool_name, may_hold_expectation, run,
};
use crate::node::Node;
use crate::trace::role::is_of_answer;
use crate::trace::unread::calls_in_words;
use crate::trace::words::has_word;
use crate::trace::{Suspect, each_suspect, likely_calls, likely_calls_under};

/// Takes the run from other tools' keys, in a case with an expectation but without `actual`: messages or calls under a known key, else
/// calls in the output. An output without calls is the agent's answer.
pub(crate) fn find_run(draft: &mut Draft<'_>) -> Result<()> {
    let expects = !matches!(draft.expected, CaseSide::Missing);
    if !matches!(draft.actual, CaseSide::Missing) {
        return Ok(());
    }
    if !expects {
        return refuse_calls_in_output(draft.case.output);
    }
    let meta = &mut draft.case.meta;
    if let Some((key, raw)) = take_known_run(meta)?.or_else(|| take_run(meta)) {
        draft.actual = CaseSide::Foreign { raw };
        draft.run_key = Some(key);
        return Ok(());
    }
    let is_response = |(key, _): &&(Text<'_>, &str)| *key == *"response";
    let response = draft
        .case
        .meta
        .iter()
        .rfind(is_response)
        .map(|(_, raw)| *raw);
    let Some(raw) = draft
        .case
        .output
        .or(response)
        .filter(|raw| raw.starts_with(['[', '{']))
    else {
        return Ok(());
    };
    let are_calls = || {
        let run = run(&mut Reader::new(raw, Syntax::PYTHON), true);
        run.is_ok_and(|run| are_plainly_calls(&run.calls, &draft.case))
    };
    if !is_conversation(raw) && likely_calls(raw) == 0 && !are_calls() && !is_export(raw) {
        return Ok(());
    }
    draft.actual = CaseSide::Foreign { raw };
    let is_output = draft.case.output.take().is_some();
    if !is_output {
        take_member(&mut draft.case.meta, &["response"]);
    }
    draft.run_key = Some(Text::new(if is_output { "output" } else { "response" }));
    Ok(())
}

/// In a record without sides, calls in the output could be either side.
fn refuse_calls_in_output(output: Option<&str>) -> Result<()> {
    match output.map(likely_calls) {
        None | Some(0) => Ok(()),
        Some(_) => Err(Fault::new(
            "a case with `expected` or `actual`",
            "calls under `output`",
        )
        .help("write them under `expected` if they are the right ones, under `actual` if the agent made them")),
    }
}

/// Reports calls outside the sides of a case, which no evaluator sees. A case without a run then has an unread one.
pub(crate) fn look_over(case: &mut Case<'_>) {
    if case.meta.is_empty() && case.output.is_none() {
        return;
    }
    let calls = case.actual.iter().flat_map(|run| &run.calls);
    let names: Vec<_> = calls.map(|call| &call.name).collect();
    let is_read = |name: &Text<'static>| names.iter().any(|it| **it == *name);
    let lacks_expectation = case.expected.is_empty() && case.native.is_none();
    let holds_calls = |key: &Text<'_>, raw: &str| {
        likely_calls_under(key, raw, is_read) > 0
            || is_of_answer(key) && says_calls(raw, &names)
            || lacks_expectation
                && may_hold_expectation(key)
                && (likely_calls(raw) > 0 || lists_tools(key, raw))
    };
    let others: Vec<_> = case
        .meta
        .iter()
        .filter(|(key, raw)| *key != *CRITERIA_KEY && holds_calls(key, raw))
        .map(|(key, _)| (key.clone(), meant_side(key)))
        .collect();
    let output = Text::new("output");
    let in_output = case.output.filter(|raw| holds_calls(&output, raw));
    let is_run = |(key, _): &&(Text<'_>, _)| RUNS.iter().any(|name| *key == **name);
    let run = others.iter().find(is_run);
    let of_run = run.or_else(|| others.iter().find(|(_, meant)| *meant == "actual"));
    let first = in_output
        .map(|_| &output)
        .or_else(|| of_run.map(|(key, _)| key));
    // Keys that aren't for runs may hold the calls of earlier runs.
    let is_gap = names.is_empty() || in_output.is_some() || run.is_some();
    if let Some(first) = first.filter(|_| is_gap && case.incomplete.is_none()) {
        let why = format!("calls under `{}`, which are not read", first.to_display());
        case.incomplete = Some(why.into());
    }
    let is_known = |key: &Text<'_>| case.near_keys.iter().any(|(known, _)| known == key);
    let new: Vec<_> = others
        .into_iter()
        .filter(|(key, _)| !is_known(key))
        .collect();
    case.near_keys.extend(new);
}

/// True for names of tools: texts under a key such as `expected_tools`.
fn lists_tools(key: &Text<'_>, raw: &str) -> bool {
    const WORDS: [&str; 6] = ["call", "calls", "function", "functions", "tool", "tools"];
    let is_name = |it: &Node<'_>| {
        it.str()
            .is_some_and(|it| !it.is_empty() && is_tool_name(it))
    };
    has_word(&key.to_display(), &WORDS)
        && Node::parse(raw, MAX_DEPTH).is_ok_and(|names| {
            let names = names.items_or_self();
            !names.is_empty() && names.iter().all(is_name)
        })
}

/// True for an answer of the model with calls in its text that were not read.
fn says_calls(raw: &str, read: &[&Text<'_>]) -> bool {
    let Ok(answer) = Node::parse(raw, MAX_DEPTH) else {
        return false;
    };
    let members = answer.entries().iter().map(|(_, member)| member);
    let mut texts = members.chain(iter::once(&answer)).filter_map(Node::str);
    texts.any(|text| {
        let (calls, unread) = calls_in_words(text);
        let is_read = |it: &Suspect| read.iter().any(|read| Some(*read) == it.name.as_ref());
        calls.iter().any(|it| !is_read(it)) || unread.is_some() && read.is_empty()
    })
}

/// The likely side of the calls under a key.
fn meant_side(key: &Text<'_>) -> &'static str {
    if may_hold_expectation(key) {
        "expected"
    } else {
        "actual"
    }
}

/// Keys of the run in cases of other tools.
const RUNS: [&str; 4] = ["messages", "tool_calls", "toolCalls", "trajectory"];

/// Keys that hold a run if there is a conversation, a trace or a call under them.
const LIKELY_RUNS: [&str; 4] = ["contents", "spans", "trace", "values"];

/// Removes and returns the run under a known key, with the key. Of several, it is the one with the most calls, and the others may only
/// repeat calls of it.
fn take_known_run<'a>(meta: &mut Vec<(Text<'a>, &'a str)>) -> Result<Option<(Text<'a>, &'a str)>> {
    // An empty list of messages shows nothing of the agent's turn.
    let is_known = |(key, raw): &(Text<'_>, &str)| {
        let is_empty = || matches!(raw.strip_prefix('['), Some(list) if list.trim_start() == "]");
        let is_recorded = *raw != "null" && (*key != *"messages" || !is_empty());
        is_recorded && RUNS.iter().any(|name| *key == **name)
    };
    let places: Vec<_> = (0..meta.len()).filter(|&it| is_known(&meta[it])).collect();
    if let [] | [_] = places[..] {
        return Ok(places.first().map(|&it| meta.remove(it)));
    }
    let names = |&place: &usize| (place, names_of_calls(meta[place].1));
    let known: Vec<_> = places.iter().map(names).collect();
    let most = known.iter().max_by_key(|(_, names)| names.len());
    let Some((place, called)) = most else {
        return Ok(None);
    };
    let is_other = |(_, names): &&(usize, Vec<_>)| !names.iter().all(|it| called.contains(it));
    if let Some((other, _)) = known.iter().find(is_other) {
        let [first, second] = [place, other].map(|&it| meta[it].0.to_display());
        let found = format!("different calls under `{first}` and `{second}`");
        return Err(Fault::slip("one run", found).help("write the agent's calls under `actual`"));
    }
    Ok(Some(meta.remove(*place)))
}

/// The names of the calls in a value.
fn names_of_calls(raw: &str) -> Vec<Text<'static>> {
    let mut names = Vec::new();
    if let Ok(node) = Node::parse(raw, MAX_DEPTH) {
        each_suspect(&node, &mut |it| names.extend(it.name));
    }
    names
}

/// Removes and returns the run under the only likely key, with the key.
fn take_run<'a>(meta: &mut Vec<(Text<'a>, &'a str)>) -> Option<(Text<'a>, &'a str)> {
    let is_run = |(key, raw): &(Text<'_>, &str)| {
        LIKELY_RUNS.iter().any(|name| *key == **name)
            && (is_conversation(raw) || is_trace(raw) || likely_calls(raw) > 0)
    };
    let place = meta.iter().position(is_run)?;
    let others = &meta[place + 1..];
    (!others.iter().any(is_run)).then(|| meta.remove(place))
}

/// Removes and returns the last member with one of these keys, unless it is null.
pub(crate) fn take_member<'a>(
    meta: &mut Vec<(Text<'a>, &'a str)>,
    keys: &[&str],
) -> Option<&'a str> {
    let is_one =
        |(key, raw): &(Text<'_>, &str)| *raw != "null" && keys.iter().any(|name| *key == **name);
    let place = meta.iter().rposition(is_one)?;
    Some(meta.remove(place).1)
}

/// True for values that can only be calls: with arguments, or with an expected name.
fn are_plainly_calls(calls: &[Call<'_>], case: &Case<'_>) -> bool {
    let expected = || case.expected.calls.iter().flatten();
    let is_call = |call: &Call<'_>| {
        !call.arguments.is_absent() || expected().any(|expected| expected.name == call.name)
    };
    !calls.is_empty() && calls.iter().all(is_call)
}

/// True for a list of spans, or an object that holds such a list.
fn is_trace(raw: &str) -> bool {
    const HOLDERS: [&str; 5] = [
        "resourceSpans",
        "resource_spans",
        "batches",
        "spans",
        "observations",
    ];
    const SPANS: [&str; 4] = ["span_id", "spanId", "trace_id", "traceId"];
    let Some(value) = Node::parse_beginning(raw) else {
        return false;
    };
    let mut items = value.items().iter();
    value.has_any(&HOLDERS) || items.any(|item| item.has_any(&HOLDERS) || item.has_any(&SPANS))
}

/// True for spans with their traces, in a list or under `data`. An answer may contain objects with one of these keys.
fn is_export(raw: &str) -> bool {
    const TRACES: [&str; 3] = ["trace_id", "traceId", "traceID"];
    const SPANS: [&str; 6] = [
        "op_name",
        "span_data",
        "span_id",
        "spanId",
        "spanID",
        "spans",
    ];
    Node::parse(raw, MAX_DEPTH).is_ok_and(|value| {
        if value.has_any(&["resourceSpans", "resource_spans"]) {
            return true;
        }
        let record = value.get("data").unwrap_or(&value).first_record();
        record.says("object", "trace") || record.has_any(&TRACES) && record.has_any(&SPANS)
    })
}

/// True for a list of messages with at least one role that only conversations have.
fn is_conversation(raw: &str) -> bool {
    let Some(list) = Node::parse_first_items(raw, usize::MAX) else {
        return false;
    };
    let has_role = |item: &Node<'_>| item.str_at("role").is_some();
    !list.items().is_empty() && list.items().iter().all(has_role)
}
