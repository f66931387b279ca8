//! Sessions of opencode: exports, stored files, and printed events.

use rightcall_core::value::Text;

use crate::format::{Format, MessageDialect, Priority, Reading, Stream};
use crate::messages::ending::{cut_off, note_reason};
use crate::messages::output_of;
use crate::messages::parts::pass_over;
use crate::messages::refusal::says_refused;
use crate::messages::speaker::note_session;
use crate::node::Node;
use crate::trace::role::is_of_model;
use crate::trace::{Conversation, LeftOut, TraceArguments, TraceCall, failed, time};

static DIALECT: MessageDialect = MessageDialect {
    mark: "parts of type tool with callID",
    decides: |message| {
        let parts = message.list("parts");
        let is_stored = message.at(&["info", "sessionID"]).is_some();
        is_call(of_event(message))
            || parts.iter().any(is_call)
            || is_stored && parts.iter().any(|it| it.has("messageID"))
    },
    message,
    is_event,
    stream: Some(|| Box::new(OpencodeEvents::default())),
    ..MessageDialect::BASE
};

pub(super) static ENTRY: Format = Format {
    name: "opencode",
    title: "opencode sessions",
    summary: "messages with `parts` of type `tool` that have a `callID`",
    reads: &[
        ("calls", "parts of type `tool`: `tool`"),
        ("arguments", "`state.input`"),
        ("results", "`state.output`"),
        ("ids", "`callID`"),
        ("errors", "`state.error`"),
        ("times", "`state.time`"),
        ("order", "the order of messages; calls between two steps are parallel"),
    ],
    lacks: &["calls of sub-agents, which have sessions of their own"],
    notes: "What `opencode export` gives, the parts as they are stored, the events that `opencode run --format json` prints, and those of its server. A
call that several events tell of counts once; one whose arguments had not all arrived is left out.",
    extensions: &["json", "jsonl"],
    example: r#"{"info":{"id":"ses_1"},"messages":[{"info":{"id":"msg_1","role":"assistant"},"parts":[{"type":"step-start"},{"type":"tool","callID":"c1","tool":"find_order","state":{"status":"completed","input":{"id":7},"output":"shipped","time":{"start":1735689600000,"end":1735689601000}}}]}]}"#,
    priority: Priority::Messages,
    reading: Reading::Messages(&DIALECT),
};

fn is_call(part: &Node<'_>) -> bool {
    part.says("type", "tool") && part.has("callID")
}

/// The part in an event of the command line or the server; a stored part is returned unchanged.
fn of_event<'n, 'a>(event: &'n Node<'a>) -> &'n Node<'a> {
    let part = event
        .get("part")
        .or_else(|| event.any(&["properties", "data"])?.get("part"));
    part.unwrap_or(event)
}

/// True for an event about a part.
fn is_event(value: &Node<'_>) -> bool {
    let part = of_event(value);
    !std::ptr::eq(part, value)
        && (part.str_at("type").is_some() || part.has("callID"))
        && (value.has_any(&["sessionID", "properties"]) || part.has_any(&["callID", "messageID"]))
}

/// The events of a session; a call has an event for each change.
#[derive(Default)]
struct OpencodeEvents {
    /// Ids of calls with incomplete arguments.
    pending: Vec<Option<Text<'static>>>,
    /// The number of calls before the current step.
    before: usize,
    /// The session of printed events.
    session: Option<Text<'static>>,
}

impl Stream for OpencodeEvents {
    fn event(&mut self, event: &Node<'_>, conversation: &mut Conversation) {
        let part = of_event(event);
        self.session = event.label_at(&["sessionID"]).or(self.session.take());
        if !event.has("sessionID") {
            note_session(part, conversation);
        }
        let is_begun =
            |known: &Option<Text<'static>>| known.is_some() && *known == part.label_at(&["callID"]);
        if is_call(part) {
            self.pending.retain(|known| !is_begun(known));
        }
        if is_pending(part) {
            return self.pending.push(part.label_at(&["callID"]));
        }
        self::part(part, &mut self.before, conversation);
    }

    fn is_over_before(&self, event: &Node<'_>) -> bool {
        let session = event.label_at(&["sessionID"]);
        session.is_some() && self.session.is_some() && session != self.session
    }

    fn end(&mut self, conversation: &mut Conversation) {
        let pending = self.pending.drain(..);
        pending.for_each(|_| unfinished(conversation));
    }
}

fn unfinished(conversation: &mut Conversation) {
    conversation.trace().report.drop(LeftOut::Unfinished);
    cut_off(conversation);
}

fn is_pending(part: &Node<'_>) -> bool {
    is_call(part) && part.at(&["state", "status"]).and_then(Node::str) == Some("pending")
}

fn message(message: &Node<'_>, conversation: &mut Conversation) {
    let mut before = conversation.calls_read();
    if !message.has("parts") {
        // A stored part is alone in its file, so the start of its step is unknown.
        return part(message, &mut 0, conversation);
    }
    conversation.interrupt();
    let is_said = is_of_model(message);
    for part in message.list("parts") {
        conversation.part(part, |conversation| {
            self::part(part, &mut before, conversation);
        });
        if is_said && !is_known(part) {
            pass_over(part, conversation);
        }
    }
}

/// True for a part that is read, or isn't a call.
fn is_known(part: &Node<'_>) -> bool {
    is_call(part)
        || matches!(
            part.str_at("type"),
            Some(
                "snapshot" | "patch" | "agent" | "subtask" | "retry" | "step-start" | "step-finish"
            )
        )
}

/// Reads a part; `before` is the number of calls before its step.
fn part(part: &Node<'_>, before: &mut usize, conversation: &mut Conversation) {
    match part.str_at("type") {
        Some("tool") => call(part, conversation),
        _ if part.has("callID") => call(part, conversation),
        // Text between calls belongs to the same message.
        Some("step-start") => {
            conversation.interrupt();
            *before = conversation.calls_read();
        }
        Some("step-finish") => {
            conversation.interrupt();
            if let Some(reason) = part.str_at("reason") {
                note_reason(reason, conversation.calls_read() - *before, conversation);
            }
        }
        _ => {}
    }
}

fn call(part: &Node<'_>, conversation: &mut Conversation) {
    let state = part.get("state");
    if is_pending(part) {
        return unfinished(conversation);
    }
    let time = |key: &str| state?.at(&["time", key]).and_then(time::from_log);
    let of_state = |key: &str| state.and_then(|state| state.get(key)).map(output_of);
    let has_failed = state.is_some_and(|state| state.says("status", "error"));
    let output = of_state("output");
    let error = of_state("error").or_else(|| has_failed.then(failed));
    let id = part.label_at(&["callID"]);
    // A call has an event for each change.
    if id.as_ref().is_some_and(|id| conversation.has_call_id(id)) {
        let calls = conversation.trace().calls.iter_mut().rev();
        if let Some(known) = calls.into_iter().find(|known| known.id == id) {
            (known.output, known.error, known.end) = (output, error, time("end"));
        }
        return;
    }
    conversation.item();
    // The messages of a sub-agent are a separate session.
    let other = state.and_then(|state| state.at(&["metadata", "sessionId"]));
    if other.is_some() && part.says("tool", "task") && conversation.reads_sub_agents() {
        conversation.left_over("calls of a sub-agent that are not in the file");
    }
    let said = state.and_then(|state| state.str_at("error"));
    let call = TraceCall {
        arguments: match state {
            Some(state) if state.is_object() => TraceArguments::from_call(state, &["input"]),
            _ => TraceArguments::Absent,
        },
        output,
        error,
        start: time("start"),
        end: time("end"),
        id,
        ..TraceCall::from_node(part, &["tool"], &[], &[])
    };
    conversation.call(call.by_nobody_if(said.is_some_and(says_refused)));
}

#[cfg(test)]
mod tests {
    use crate::tests::check;

    const PARTS: [&str; 5] = [
        r#"{"type":"step-start"}"#,
        r#"{"type":"tool","callID":"a","tool":"bash","state":{"status":"completed","input":{"command":"ls"},"output":"x","title":"ls"}}"#,
        r#"{"type":"tool","callID":"b","tool":"read","state":{"status":"error","input":{},"error":"gone"}}"#,
        r#"{"type":"step-finish","reason":"tool-calls"}"#,
        r#"{"type":"tool","callID":"c","tool":"edit","state":{"status":"running","input":{}}}"#,
    ];

    #[test]
    fn steps_are_turns_in_exports_in_stores_and_in_events() {
        let found = [
            r#"bash({"command":"ls"}) a @0 group-1 -> "x""#,
            r#"read({}) b @0 group-1 error "gone""#,
            "edit({}) c @1",
        ];
        let export = format!(
            r#"{{"info":{{"id":"s"}},"messages":[{{"info":{{"role":"user"}},"parts":[{{"type":"text","text":"q"}}]}},{{"info":{{"role":"assistant"}},"parts":[{}]}}]}}"#,
            PARTS.join(",")
        );
        check("opencode", &export, &found);
        check("opencode", &PARTS.join("\n"), &found);
        let events = PARTS.map(|part| {
            format!(r#"{{"type":"tool_use","timestamp":1,"sessionID":"s","part":{part}}}"#)
        });
        check("opencode", &events.join("\n"), &found);
        let begun = PARTS[1]
            .replace("completed", "running")
            .replace(r#","output":"x""#, "");
        let told = [PARTS[0], &begun, PARTS[1], PARTS[2], PARTS[3], PARTS[4]].map(|part| {
            format!(r#"{{"type":"message.part.updated","properties":{{"part":{part}}}}}"#)
        });
        check("opencode", &told.join("\n"), &found);
    }

    #[test]
    fn what_is_not_an_object_has_no_arguments_to_make_up() {
        check(
            "opencode",
            r#"[{"info":{"role":"assistant"},"parts":[{"type":"tool","callID":"a","tool":"read","state":"{}"},{"type":"tool","callID":"b","tool":"look","state":{"status":"error","input":{}}}]}]"#,
            &["read(?) a @0 group-1", "look({}) b @0 group-1 error true"],
        );
    }
}
