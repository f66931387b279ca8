//! Dumped sessions of Google's Agent Development Kit (ADK).

mod invocations;
mod rows;

use invocations::is_invocation;
use rightcall_core::value::Text;

use crate::format::{Format, FoundTraces, Priority, Reading, Recognition, TraceReader, ValuePlace};
use crate::groups::RecordGroups;
use crate::messages::{dialects::gemini, ending::note_end, speaker::keep_question};
use crate::node::Node;
use crate::trace::{
    CaseScope, Conversation, CountedResult, Keep, LeftOut, Scope, Trace, TraceCall, time,
};

pub(super) static ENTRY: Format = Format {
    name: "adk-sessions",
    title: "Google ADK sessions",
    summary: "`events` with `author` and `content`",
    reads: &[
        ("calls", "`content.parts[].functionCall` of events that are not `partial`; snake_case too"),
        ("arguments", "`args`"),
        ("results", "`functionResponse`"),
        ("question", "the text of the first event by `user`"),
        ("ids", "`id`, often absent"),
        ("times", "`timestamp` of the events of call and result"),
        ("sub-agents", "`author`, where it is not the first agent"),
        ("order", "the order of events; calls of one event are parallel"),
    ],
    lacks: &["when a tool began to run, apart from when it was asked for"],
    notes: "A session of `adk web`, of a session service, or one that was dumped with `model_dump`; or its events alone, in a list or one a line; rows of the table
`events` of a database, by `session_id`; invocations of the evaluation, where a list is one run. Events that are marked partial are repeated
whole later and do not count. Calls that the kit makes for itself (`transfer_to_agent`, `adk_request_…`) are left out unless
`--read internal=keep`.",
    extensions: &["json", "jsonl"],
    example: r#"{"id":"s","app_name":"shop","user_id":"u","events":[{"id":"e1","invocation_id":"i","author":"agent","content":{"role":"model","parts":[{"function_call":{"id":"adk-1","name":"find_order","args":{"id":7}}}]},"timestamp":1700000000.5},{"id":"e2","invocation_id":"i","author":"agent","content":{"role":"user","parts":[{"function_response":{"id":"adk-1","name":"find_order","response":{"result":"shipped"}}}]},"timestamp":1700000001.5}]}"#,
    priority: Priority::Document,
    reading: Reading::Traces(
        |value| {
            let record = value.first_record();
            if is_event(record) || rows::is_row(record) || is_invocation(record) {
                return Recognition::Certain;
            }
            let events = record.list("events");
            if events.is_empty() {
                return Recognition::No;
            }
            Recognition::by_marks(&[("events", true), ("author and invocation_id", events.iter().any(is_event))])
        },
        |scope| {
            Box::new(Sessions {
                scope,
                open: None,
                rows: RecordGroups::new(),
            })
        },
    ),
};

/// True for an event of a session.
fn is_event(value: &Node<'_>) -> bool {
    value.has("author") && value.any(&["invocation_id", "invocationId"]).is_some()
}

/// Reads sessions, and events outside of a session: a list, or one per line.
struct Sessions {
    scope: Scope,
    /// The session of events on separate lines, with the line of the first.
    open: Option<(u64, Session)>,
    rows: RecordGroups,
}

impl Sessions {
    fn close(&mut self, found: &mut FoundTraces) {
        if let Some((line, session)) = self.open.take() {
            let trace = session.conversation.finish();
            found.trace(line, without_internal(trace, self.scope));
        }
    }
}

impl TraceReader for Sessions {
    fn value(&mut self, value: &Node<'_>, place: ValuePlace, found: &mut FoundTraces) {
        if rows::hold_row(value, place.line, &mut self.rows) {
            return;
        }
        if is_event(value) {
            let new = || (place.line, Session::new(self.scope));
            return self.open.get_or_insert_with(new).1.event(value);
        }
        self.close(found);
        let first = value.first_record();
        let are_invocations = is_invocation(first);
        let is_list_of_events = value.is_list() && is_event(first) && !rows::is_row(first);
        if !are_invocations && !is_list_of_events && self.each_item(value, place, found) {
            return;
        }
        let mut session = Session::new(self.scope);
        session.conversation.trace().id = value.label_at(&["id", "invocation_id", "invocationId"]);
        let events = if is_list_of_events {
            value.items()
        } else {
            value.list("events")
        };
        events.iter().for_each(|event| session.event(event));
        let trace = if are_invocations {
            session.invocations(value.items_or_self());
            session.conversation.finish()
        } else {
            let mut known = value.keys_of_lists(&["events"]);
            known.push("state");
            session.conversation.finish_record(value, &known)
        };
        found.trace(place.line, without_internal(trace, self.scope));
    }

    fn finish(&mut self, found: &mut FoundTraces) -> bool {
        self.close(found);
        rows::next_session(&mut self.rows, self.scope, found)
    }
}

/// A session while its events are read.
struct Session {
    conversation: Conversation,
    /// The author of the first event by an agent.
    agent: Option<Text<'static>>,
    /// The invocation of the last event.
    invocation: Option<Text<'static>>,
}

impl Session {
    fn new(scope: Scope) -> Self {
        let mut conversation = Conversation::new(scope);
        conversation.counted_result = CountedResult::Last;
        Self {
            conversation,
            agent: None,
            invocation: None,
        }
    }

    fn event(&mut self, event: &Node<'_>) {
        if event.is_set("partial") {
            return;
        }
        let conversation = &mut self.conversation;
        let before = conversation.trace().calls.len();
        if let Some(content) = event
            .get("content")
            .filter(|_| event.says("author", "user"))
        {
            keep_question(content, conversation);
        }
        let author = event
            .label_at(&["author"])
            .filter(|author| *author != *"user");
        conversation.enter(CaseScope::Agent, || author.clone());
        if conversation.has_parts() {
            // Each invocation answers the user once.
            let id = event.label_at(&["invocation_id", "invocationId"]);
            conversation.note_speaker(id != self.invocation);
            conversation.note_speaker(false);
            self.invocation = id;
        }
        conversation.part(event, |conversation| {
            event
                .get("content")
                .into_iter()
                .for_each(|content| gemini::message(content, conversation));
        });
        if author.is_some() {
            note_agent_turn(event, before, conversation);
        }
        let time = event.get("timestamp").and_then(time::from_log);
        self.agent = self.agent.take().or_else(|| author.clone());
        let calls = &mut conversation.trace().calls;
        for call in &mut calls[before..] {
            call.start = time;
            call.actor = author
                .clone()
                .filter(|author| Some(author) != self.agent.as_ref());
        }
        let answered = calls
            .iter_mut()
            .filter(|call| call.output.is_some() && call.end.is_none());
        answered.for_each(|call| call.end = time);
    }
}

/// The run in these events, which are those of a record under some of its known keys.
pub(super) fn run_of<'n, 'a: 'n>(
    events: impl Iterator<Item = &'n Node<'a>>,
    record: &Node<'_>,
    known: &[&str],
    scope: Scope,
) -> Trace {
    let mut session = Session::new(scope);
    events.for_each(|event| session.event(event));
    let trace = session.conversation.finish_record(record, known);
    without_internal(trace, scope)
}

fn without_internal(mut trace: Trace, scope: Scope) -> Trace {
    if scope.choices.internal == Keep::Drop {
        let before = trace.calls.len();
        trace.calls.retain(|call| !is_internal(call));
        (trace.calls.len()..before).for_each(|_| trace.report.drop(LeftOut::Internal));
    }
    trace
}

/// Notes whether the agent spoke in its event, and signs of missing calls.
fn note_agent_turn(event: &Node<'_>, before: usize, conversation: &mut Conversation) {
    let is_silent = event.list_at(&["content", "parts"]).is_empty();
    if !is_silent {
        conversation.agent_spoke();
    }
    let reason = event.any(&["error_code", "errorCode", "finish_reason", "finishReason"]);
    let reason = reason.and_then(Node::str).unwrap_or_default();
    if !reason.is_empty() {
        let calls = conversation.trace().calls.len() - before;
        note_end(reason, calls, is_silent, conversation);
    }
    let ids = event.any_list(&["long_running_tool_ids", "longRunningToolIds"]);
    for id in ids.iter().filter_map(Node::label) {
        if !conversation.has_call_id(&id) {
            conversation.left_over("the id of a call that is not in the file");
        }
    }
}

/// True for a transfer to another agent, or a request to the user for credentials or confirmation.
fn is_internal(call: &TraceCall) -> bool {
    call.name == *"transfer_to_agent" || call.name.as_bytes().starts_with(b"adk_request_")
}

#[cfg(test)]
mod tests;
