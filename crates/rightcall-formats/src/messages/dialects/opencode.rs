//! Sessions of opencode: what it exports, what it stores, and the events that it prints.

use crate::format::{Format, MessageDialect, Priority, Reading};
use crate::messages::content::output_of;
use crate::node::Node;
use crate::trace::conversation::Conversation;
use crate::trace::{LeftOut, TraceArguments, TraceCall, time};

static DIALECT: MessageDialect = MessageDialect {
    mark: "parts of type tool with callID",
    decides: |message| {
        is_call(message)
            || message.get("part").is_some_and(is_call)
            || message.list("parts").iter().any(is_call)
    },
    message,
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
    notes: "What `opencode export` gives, the parts as they are stored, and the events that `opencode run --format json` prints. A call whose
arguments had not all arrived is left out.",
    extensions: &["json", "jsonl"],
    example: r#"{"info":{"id":"ses_1"},"messages":[{"info":{"id":"msg_1","role":"assistant"},"parts":[{"type":"step-start"},{"type":"tool","callID":"c1","tool":"find_order","state":{"status":"completed","input":{"id":7},"output":"shipped","time":{"start":1735689600000,"end":1735689601000}}}]}]}"#,
    priority: Priority::Messages,
    reading: Reading::Messages(&DIALECT),
};

fn is_call(part: &Node<'_>) -> bool {
    part.says("type", "tool") && part.has("callID")
}

fn message(message: &Node<'_>, conversation: &mut Conversation) {
    // An event and a stored part are a part by itself.
    let part = message.get("part").unwrap_or(message);
    if !message.has("parts") {
        return self::part(part, conversation);
    }
    conversation.interrupt();
    for part in message.list("parts") {
        conversation.part(part, |conversation| self::part(part, conversation));
    }
}

fn part(part: &Node<'_>, conversation: &mut Conversation) {
    if !part.has("callID") && !part.says("type", "tool") {
        // Text between calls was said together with them.
        if matches!(part.str_at("type"), Some("step-start" | "step-finish")) {
            conversation.interrupt();
        }
        return;
    }
    let state = part.get("state");
    let status = state.and_then(|state| state.str_at("status"));
    if status == Some("pending") {
        return conversation.trace().report.drop(LeftOut::Unfinished);
    }
    let time = |key: &str| state?.at(&["time", key]).and_then(time::of_log);
    conversation.item();
    conversation.call(TraceCall {
        arguments: state.map_or(TraceArguments::Absent, |state| {
            TraceArguments::from_call(state, &["input"])
        }),
        output: state.and_then(|state| state.get("output")).map(output_of),
        error: state.and_then(|state| state.get("error")).map(output_of),
        start: time("start"),
        end: time("end"),
        ..TraceCall::from_node(part, &["tool"], &[], &["callID"])
    });
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
    }
}
