//! Call-like values that were not read: a run in an unknown form must not count as a run without calls.
//!
//! A reader reports which part of a value it reads. If it read fewer calls from the part than the part seems to contain, the excess is
//! recorded, except for names that some call of the run has. A run with call-like values but without any call read is an error; in other
//! runs these values are counted. The part's tree is available, so it isn't parsed again. [`looks`] defines what is call-like.

pub(super) mod looks;
pub(super) mod suspect;
mod written;

pub(crate) use looks::{
    CallSigns, Seen, acts_in_words, called_name, calls_in_words, count_suspects, each_call_under,
    each_left_over, each_sign, each_suspect, each_unmapped, is_demand, is_of_calls, is_schema,
    line_of_tool,
};
pub(crate) use suspect::{Doubt, ReadCalls, Suspect, Suspects, in_text_of_model};
pub(crate) use written::action_in_json;

use rightcall_core::value::{MAX_DEPTH, Text};

use super::choices::UnreadCalls;
use super::record::Trace;
use super::report::LeftOut;
use crate::case::shortened;
use crate::error::CaseError;
use crate::node::Node;

/// Why a run without calls and without a turn of the agent is not recorded.
pub(crate) const SILENT: &str = "nothing of the agent's own turn was read";

/// The number of call-like values in a JSON text; 0 if it isn't JSON.
pub(crate) fn likely_calls(text: &str) -> usize {
    Node::parse(text, MAX_DEPTH).map_or(0, |node| looks::number_of_suspects(&node))
}

/// The number of values under a key that look like calls of the run and were not read.
pub(crate) fn likely_calls_under(
    key: &Text<'_>,
    text: &str,
    is_read: impl Fn(&Text<'static>) -> bool,
) -> usize {
    // A call is an object, or a text that contains one.
    let is_structure = text.len() > 2 && text.contains(['{', '[']);
    let is_text = text.starts_with('"');
    let node = (is_text || is_structure).then(|| Node::parse(text, MAX_DEPTH).ok());
    let mut number = 0;
    if let Some(node) = node.flatten() {
        let mut count = |it: Suspect| {
            number += usize::from(!it.name.as_ref().is_some_and(&is_read));
        };
        let is_passed_over = looks::is_passed_over(key) || is_text && looks::is_of_thoughts(key);
        if !is_passed_over {
            each_suspect(&node, &mut count);
        }
        // Results are under keys that are passed over, perhaps as a text.
        if is_structure || is_passed_over {
            looks::each_sign_under(key, &node, &mut count);
        }
    }
    number
}

/// Looks for calls under unknown keys of a run.
pub(crate) fn look_over(run: &Node<'_>, known: &[&str], trace: &mut Trace) {
    let mut suspects = Suspects::default();
    for suspect in in_members(run, known) {
        suspects.add(suspect);
    }
    let Trace { calls, report, .. } = trace;
    if run.is_set("truncated") {
        report.left_over(
            "the rest of a run that is `truncated`".to_owned(),
            "in the record",
        );
    }
    suspects.tell(report, calls.len(), |it| it.may_repeat(calls.as_slice()));
}

/// Call-like values and signs of calls under other keys than these, including calls written as text.
pub(crate) fn in_members(node: &Node<'_>, known: &[&str]) -> Vec<Suspect> {
    let mut found = Vec::new();
    for (key, value) in node.entries() {
        if known.iter().any(|known| *key == **known) {
            continue;
        }
        let place = format!("under `{}`", key.to_display());
        if !looks::is_passed_over(key) {
            looks::each_suspect_under(key, value, &mut |it| found.push(it.within(&place)));
        }
        looks::each_sign_under(key, value, &mut |it| found.push(it.within(&place)));
    }
    found
}

/// Keys of the content and the calls in a message of the agent.
pub(crate) const CONTENTS_AND_CALLS: [&str; 6] = [
    "content",
    "parts",
    "contents",
    "blocks",
    "items",
    "tool_calls",
];

/// Passes on the calls under keys of calls in a record, whose other members are read.
pub(crate) fn each_call_beside(record: &Node<'_>, each: &mut dyn FnMut(Suspect)) {
    // Of any log; formats have other words for what they read.
    const LISTS: [&str; 3] = ["actions", "calls", "steps"];
    for (key, value) in record.entries() {
        if is_of_calls(key) {
            each_call_under(key, value, each);
        } else if LISTS.iter().any(|list| *key == **list) {
            looks::each_suspect_under(key, value, each);
        }
    }
}

/// Looks for calls of a run under keys of calls in the document around it.
pub(crate) fn look_around(document: &Node<'_>, trace: &mut Trace) {
    let mut suspects = Suspects::default();
    each_call_beside(document, &mut |it| suspects.add(it));
    let Trace { calls, report, .. } = trace;
    suspects.tell(report, calls.len(), |it| it.may_repeat(calls.as_slice()));
}

/// The first sign of a call in a value that isn't a call itself.
pub(crate) fn first_sign(value: &Node<'_>) -> Option<String> {
    let mut first = None;
    looks::each_sign(value, &mut |sign| {
        first.get_or_insert(sign.looks);
    });
    first
}

/// The trace; an error if a call has no name or one that is JSON, or if there is something call-like but no call was read.
pub(crate) fn checked(trace: Trace, choice: UnreadCalls) -> Result<Trace, CaseError> {
    if let Some(call) = trace.calls.iter().find(|call| is_json(&call.name)) {
        let error = CaseError::new(
            "the name of a tool in each call",
            format!("the JSON {}", shortened(&call.name.to_display())),
        );
        return Err(error.help(
            "the call is encoded in the place of its name; --input-format chooses another format",
        ));
    }
    if let Some(place) = trace
        .calls
        .iter()
        .position(|call| call.name.to_display().trim().is_empty())
    {
        return Err(nameless(&trace, place));
    }
    let left_out = || {
        trace
            .report
            .dropped()
            .any(|(reason, _)| reason != LeftOut::RepeatedAttribute)
    };
    let is_empty = trace.calls.is_empty() && !left_out();
    let error = trace
        .report
        .unread_kinds()
        .next()
        .map(|first| unread(&trace, first));
    match error {
        Some(error) if is_empty && choice == UnreadCalls::Error => Err(error),
        _ => Ok(with_gaps(trace, is_empty)),
    }
}

/// True for a name that is the JSON text of an object, a list or a text: part of a call that was encoded once more.
fn is_json(name: &Text<'_>) -> bool {
    let name = name.to_display();
    name.starts_with(['{', '[', '"']) && Node::parse(&name, MAX_DEPTH).is_ok()
}

/// Adds the reason why the trace doesn't prove that calls were not made, if any.
fn with_gaps(mut trace: Trace, is_empty: bool) -> Trace {
    if trace.lacks_run {
        return trace;
    }
    trace.incomplete = trace.report.gaps();
    if trace.calls.is_empty() {
        let left_out = calls_left_out(&trace);
        trace.incomplete = trace.incomplete.or(left_out);
        trace.lacks_run = trace.incomplete.is_some();
    }
    if is_empty {
        let is_silent = !trace.agent_spoke;
        trace.incomplete = trace
            .incomplete
            .or_else(|| is_silent.then(|| SILENT.to_owned()));
        trace.lacks_run = trace.incomplete.is_some();
    }
    trace
}

/// Calls of the agent, complete or not, that were left out without a replacement.
fn calls_left_out(trace: &Trace) -> Option<String> {
    let is_lost = |reason: &LeftOut| matches!(reason, LeftOut::MergedSpan | LeftOut::Unfinished);
    let (reason, count) = trace.report.dropped().find(|(reason, _)| is_lost(reason))?;
    let calls = if count == 1 { "1 call" } else { "calls" };
    Some(format!("{calls} left out: {reason}"))
}

#[cold]
fn nameless(trace: &Trace, place: usize) -> CaseError {
    let call = &trace.calls[place];
    let about = match (&call.id, call.turn) {
        (Some(id), _) => format!(", with the id `{id}`,"),
        (None, Some(turn)) => format!(", of turn {},", turn + 1),
        (None, None) => String::new(),
    };
    CaseError::new("the name of a tool in each call", format!("none in call {} of {}{about} of this trajectory", place + 1, trace.calls.len())).help("the name is empty, or is under a key that is not read; --input-format chooses another format")
}

#[cold]
fn unread(trace: &Trace, (looks, count, place): (&str, u64, &str)) -> CaseError {
    let kinds = trace.report.unread_kinds().count();
    let all: u64 = trace.report.unread_kinds().map(|(_, count, _)| count).sum();
    let more = if kinds > 1 {
        format!(", one of {all} such things")
    } else if count > 1 {
        format!(", {count} times")
    } else {
        String::new()
    };
    CaseError::new("calls in a form that is read", format!("no call, but {looks} {place}{more}")).help("this looks like a call but was not parsed, so the run has no score; `rightcall formats` lists what is read, \
--input-format chooses the format, and `--read unread=note` reads it as a run without calls")
}
