//! Runs of `OpenHands`: events of the SDK, and of the older versions.

use std::collections::HashSet;

use rightcall_core::value::Text;

use crate::format::{Format, FoundTraces, Priority, Reading, Recognition, TraceReader, ValuePlace};
use crate::json::object_without;
use crate::messages::in_text::read_said;
use crate::messages::output_of;
use crate::node::Node;
use crate::trace::{CallResult, Conversation, Scope, TraceArguments, TraceCall, failed, time};

pub(super) static ENTRY: Format = Format {
    name: "openhands",
    title: "OpenHands events",
    summary: "events with a `kind` such as `ActionEvent`, those of older versions with `action` or `observation`, and results of evaluations with `history`",
    reads: &[
        ("calls", "`tool_call` of events of the kind `ActionEvent`"),
        ("calls of older versions", "events with `action`: `tool_call_metadata`, without it the action itself"),
        ("arguments", "`tool_call.arguments`; before, those of the call in `tool_call_metadata.model_response`, without it `args`"),
        ("results", "`observation.content` of the event that answers; before, `content`"),
        ("errors", "`is_error`, events of the kinds `AgentErrorEvent` and `UserRejectObservation`; before, `observation: error`, and `success: false`"),
        ("times", "`timestamp` of the events that ask and answer"),
        ("ids", "`tool_call_id`; without one the `id` of the event that asks, and `cause` of the one that answers"),
        ("order", "the order of events; calls of one reply of the model (`llm_response_id`, `model_response.id`) are parallel"),
    ],
    lacks: &["ids and arguments as the model wrote them, in older versions without function calling"],
    notes: "Events of a conversation, one a line, in a list or in a page of the API (`items`), and output of evaluations, a
run with its `history` per line. In older versions without function calling an action is a call by its own name, without what the framework notes
beside its arguments, such as the thought. What the model was sent and what it replied (`completions`) are [`recordings`](recordings.md).",
    extensions: &["jsonl", "json"],
    example: r#"{"kind":"ActionEvent","id":"e1","timestamp":"2025-01-01T00:00:01","source":"agent","tool_name":"find_order","tool_call_id":"c1","tool_call":{"id":"c1","name":"find_order","arguments":"{\"id\":7}"},"llm_response_id":"r1"}
{"kind":"ObservationEvent","id":"e2","timestamp":"2025-01-01T00:00:02","source":"environment","tool_name":"find_order","tool_call_id":"c1","observation":{"content":[{"type":"text","text":"shipped"}],"is_error":false},"action_id":"e1"}"#,
    priority: Priority::Document,
    reading: Reading::Traces(recognise, |scope| Box::new(OpenHandsEvents { scope, open: None })),
};

/// Keys of event lists: in the result of an evaluation, a page of the API, a download.
const LISTS: &[&str] = &["history", "items", "events", "trajectory"];

fn recognise(value: &Node<'_>) -> Recognition {
    let record = value.first_record();
    let inner = record.any(LISTS).unwrap_or(value);
    let mut events = inner.items_or_self().iter().flat_map(Node::items_or_self);
    Recognition::certain_if(events.any(|event| is_event(event) || is_old_event(event)))
}

/// True for an event of the SDK.
fn is_event(event: &Node<'_>) -> bool {
    let kind = event.str_at("kind").unwrap_or_default();
    let is_kind = kind.ends_with("Event") || kind.ends_with("Observation");
    is_kind && event.has("source") && event.has("timestamp")
}

/// True for an event of the older versions.
fn is_old_event(event: &Node<'_>) -> bool {
    let of_kind = |kind: &str, beside: &str| event.str_at(kind).is_some() && event.has(beside);
    let is_kind =
        of_kind("action", "args") || of_kind("observation", "content") && event.has("extras");
    is_kind && (event.has("source") || event.has("timestamp"))
}

struct OpenHandsEvents {
    scope: Scope,
    /// A run with events as separate values.
    open: Option<(u64, Run)>,
}

impl TraceReader for OpenHandsEvents {
    fn value(&mut self, value: &Node<'_>, place: ValuePlace, found: &mut FoundTraces) {
        // Older versions stored each action in a pair with its observation.
        if self.each_item(value, place, found) {
            return;
        }
        let Some(list) = value.any(LISTS).filter(|list| list.is_list()) else {
            let (_, run) = self
                .open
                .get_or_insert_with(|| (place.line, Run::new(self.scope)));
            return run.event(value);
        };
        let mut run = Run::new(self.scope);
        run.conversation.trace().id = value.label_at(&["instance_id", "id"]);
        for event in list.items().iter().flat_map(Node::items_or_self) {
            run.event(event);
        }
        found.trace(
            place.line,
            run.conversation
                .finish_record(value, &value.keys_of_lists(LISTS)),
        );
    }

    fn finish(&mut self, found: &mut FoundTraces) -> bool {
        if let Some((line, run)) = self.open.take() {
            found.trace(line, run.conversation.finish());
        }
        false
    }
}

/// Fields that the framework adds to the arguments of an action.
const NOTED: [&str; 10] = [
    "thought",
    "blocking",
    "is_static",
    "hidden",
    "confirmation_state",
    "security_risk",
    "keep_prompt",
    "return_axtree",
    "impl_source",
    "translated_ipython_code",
];

/// Actions that are not tool calls.
const NO_CALLS: [&str; 12] = [
    "message",
    "system",
    "recall",
    "change_agent_state",
    "condensation",
    "condensation_request",
    "loop_recovery",
    "start",
    "pause",
    "resume",
    "stop",
    "null",
];

/// Observations without an action.
const UNASKED: [&str; 5] = [
    "null",
    "agent_state_changed",
    "recall",
    "loop_detection",
    "condensation",
];

struct Run {
    conversation: Conversation,
    /// The last model reply with calls.
    reply: Option<Text<'static>>,
    /// Ids of actions that are not the agent's calls; they have observations too.
    others: HashSet<Text<'static>>,
}

impl Run {
    fn new(scope: Scope) -> Self {
        Self {
            conversation: Conversation::new(scope),
            reply: None,
            others: HashSet::new(),
        }
    }

    fn event(&mut self, event: &Node<'_>) {
        let Self {
            conversation,
            reply,
            others,
        } = self;
        if conversation.is_again(event) {
            return;
        }
        if event.has("kind") {
            conversation.part(event, |conversation| current(event, reply, conversation));
        } else {
            // The events of all calls of a reply, and of their results, repeat the reply.
            conversation.event(event, |conversation| {
                old(event, reply, others, conversation);
            });
        }
    }
}

/// An event of the SDK.
fn current(event: &Node<'_>, reply: &mut Option<Text<'static>>, conversation: &mut Conversation) {
    match event.str_at("kind").unwrap_or_default() {
        "ActionEvent" => {
            begin(event.label_at(&["llm_response_id"]), reply, conversation);
            let call = event.get("tool_call").unwrap_or(event);
            let call = call.get("function").unwrap_or(call);
            let asked = TraceCall::from_node(call, &["name", "tool_name"], &["arguments"], &[]);
            conversation.call(TraceCall {
                id: told_id(event),
                start: at(event),
                ..asked
            });
        }
        "ObservationEvent" => {
            let observation = event.get("observation");
            let output = observation.map(|it| it.get("content").unwrap_or(it));
            let output = output.map(output_of);
            let is_error = observation.is_some_and(|it| it.is_set("is_error"));
            let error = is_error.then(|| output.clone().unwrap_or_else(failed));
            answer(event, told_id(event), output, error, conversation);
        }
        "AgentErrorEvent" | "UserRejectObservation" => {
            let said = event.any(&["error", "rejection_reason"]);
            let error = said.map_or_else(failed, output_of);
            answer(event, told_id(event), None, Some(error), conversation);
        }
        "MessageEvent" => {
            conversation.message();
            *reply = None;
            if event.says("source", "agent") {
                conversation.agent_spoke();
            }
            let content = event.at(&["llm_message", "content"]);
            question(event, content, conversation);
        }
        _ => {}
    }
}

/// An event of the older versions.
fn old(
    event: &Node<'_>,
    reply: &mut Option<Text<'static>>,
    others: &mut HashSet<Text<'static>>,
    conversation: &mut Conversation,
) {
    let told = event.get("tool_call_metadata");
    let id = told.and_then(told_id);
    if let Some(kind) = event.str_at("observation") {
        let output = event.get("content").map(output_of);
        let has_failed = kind == "error" || event.get("success").is_some_and(Node::is_false);
        let error = has_failed.then(|| output.clone().unwrap_or_else(failed));
        let id = id.or_else(|| event.label_at(&["cause"]));
        // Observations without an action, or of an action other than a call, are not results.
        if UNASKED.contains(&kind) || id.as_ref().is_some_and(|id| others.contains(id)) {
            return;
        }
        match id {
            Some(id) => answer(event, Some(id), output, error, conversation),
            None if kind == "error" => {}
            None => conversation.left_over("a result without a call"),
        }
        return;
    }
    let Some(action) = event.str_at("action") else {
        return conversation
            .note_irregular("an event that is neither an action nor an observation");
    };
    let is_of_agent = !event.says("source", "user") && !event.says("source", "environment");
    if !is_of_agent || NO_CALLS.contains(&action) {
        others.extend(event.label_at(&["id"]));
        if action == "message" && is_of_agent {
            conversation.agent_spoke();
            let said = event.at(&["args", "content"]).and_then(Node::str);
            // The event repeats its text.
            said.or_else(|| event.str_at("message"))
                .into_iter()
                .for_each(|text| read_said(text, conversation));
        }
        if event.says("source", "user") {
            question(event, event.at(&["args", "content"]), conversation);
        }
        return;
    }
    let model = told.and_then(|told| told.at(&["model_response", "id"]));
    begin(model.and_then(Node::label), reply, conversation);
    let call = told.map_or_else(|| acted(event, action), |told| asked_for(told, id.as_ref()));
    conversation.call(TraceCall {
        id: id.or_else(|| event.label_at(&["id"])),
        start: at(event),
        ..call
    });
}

/// The requested call, taken from the model's reply. Without the reply its arguments are unknown.
fn asked_for(told: &Node<'_>, id: Option<&Text<'static>>) -> TraceCall {
    let choices = told.list_at(&["model_response", "choices"]).iter();
    let mut calls = choices.flat_map(|choice| choice.list_at(&["message", "tool_calls"]));
    let asked = calls.find(|call| call.label_at(&["id"]).as_ref() == id);
    let arguments = asked
        .and_then(|call| call.get("function"))
        .filter(|function| function.is_object())
        .map_or(TraceArguments::Absent, |function| {
            TraceArguments::from_call(function, &["arguments"])
        });
    TraceCall {
        name: told.label_at(&["function_name"]).unwrap_or_default(),
        arguments,
        ..TraceCall::default()
    }
}

/// An action as a call with its own name, or with the tool's name for an MCP tool.
fn acted(event: &Node<'_>, action: &str) -> TraceCall {
    let Some(args) = event.get("args").filter(|args| args.is_object()) else {
        return TraceCall {
            name: Text::from(action.to_owned()),
            ..TraceCall::default()
        };
    };
    if action == "call_tool_mcp" {
        return TraceCall::from_node(args, &["name"], &["arguments"], &[]);
    }
    TraceCall {
        name: Text::from(action.to_owned()),
        arguments: TraceArguments::Json(object_without(args, &NOTED)),
        ..TraceCall::default()
    }
}

/// Starts a message for a call. Calls of one reply were requested together.
fn begin(
    id: Option<Text<'static>>,
    reply: &mut Option<Text<'static>>,
    conversation: &mut Conversation,
) {
    if id.is_none() || *reply != id {
        conversation.message();
    }
    *reply = id;
}

fn answer(
    event: &Node<'_>,
    id: Option<Text<'static>>,
    output: Option<String>,
    error: Option<String>,
    conversation: &mut Conversation,
) {
    let result = CallResult {
        id,
        name: event.label_at(&["tool_name"]),
        output,
        error,
        ..CallResult::default()
    };
    conversation.result_at(at(event), result);
}

/// Keeps the first question of the user.
fn question(event: &Node<'_>, content: Option<&Node<'_>>, conversation: &mut Conversation) {
    let is_user = event.says("source", "user");
    conversation.note_speaker(is_user);
    conversation.question(|| content.filter(|_| is_user).map(output_of));
}

fn told_id(event: &Node<'_>) -> Option<Text<'static>> {
    event.label_at(&["tool_call_id"])
}

fn at(event: &Node<'_>) -> Option<i128> {
    event.str_at("timestamp").and_then(time::from_iso)
}

#[cfg(test)]
mod tests {
    use crate::tests::{check, evidence};

    fn action(id: &str, reply: &str, call: &str) -> String {
        format!(
            r#"{{"kind":"ActionEvent","id":"e{id}","timestamp":"2025-01-01T00:00:01","source":"agent","action":{{"command":"x","kind":"A"}},"tool_name":"find","tool_call_id":"{id}","tool_call":{call},"llm_response_id":"{reply}"}}"#
        )
    }

    fn observed(id: &str, is_error: bool) -> String {
        format!(
            r#"{{"kind":"ObservationEvent","id":"o{id}","timestamp":"2025-01-01T00:00:02","source":"environment","tool_name":"find","tool_call_id":"{id}","observation":{{"content":[{{"type":"text","text":"x"}}],"is_error":{is_error}}},"action_id":"e{id}"}}"#
        )
    }

    #[test]
    fn events_ask_and_answer_and_one_reply_asks_together() {
        let call = r#"{"id":"a","name":"find","arguments":"{\"id\":7}"}"#;
        let events = [
            r#"{"kind":"ConversationStateUpdateEvent","id":"0","timestamp":"2025-01-01T00:00:00","source":"environment","key":"stats","value":{}}"#.to_owned(),
            action("a", "r1", call),
            action("b", "r1", r#"{"id":"b","type":"function","function":{"name":"look","arguments":"{}"}}"#),
            observed("b", true),
            observed("a", false),
            action("c", "r2", call),
            r#"{"kind":"AgentErrorEvent","id":"x","timestamp":"2025-01-01T00:00:03","source":"agent","tool_name":"find","tool_call_id":"c","error":"gone"}"#.to_owned(),
        ];
        let found = [
            r#"find("{\"id\":7}") a @0 group-1 -> "x""#,
            r#"look("{}") b @0 group-1 -> "x" error "x""#,
            r#"find("{\"id\":7}") c @1 error "gone""#,
        ];
        check("openhands", &events.join("\n"), &found);
        check("openhands", &format!("[{}]", events.join(",")), &found);
        let page = format!(r#"{{"items":[{}],"next_page_id":null}}"#, events.join(","));
        check("openhands", &page, &found);
    }

    #[test]
    fn the_agent_speaks_in_messages_and_what_the_environment_does_is_not_its_own() {
        let event = |source: &str, rest: &str| {
            format!(r#"{{"id":1,"timestamp":"2025-01-01T00:00:00","source":"{source}",{rest}}}"#)
        };
        let said = r#""action":"message","args":{"content":"done"}"#;
        let ran = r#""action":"run","args":{"command":"ls"}"#;
        let shown = r#""cause":1,"observation":"run","content":"x","extras":{}"#;
        let unasked = r#""observation":"run","content":"x","extras":{}"#;
        let told = |events: &[String]| evidence("openhands", &events.join("\n"));
        assert_eq!(told(&[event("agent", said)]), ["spoke"]);
        assert_eq!(told(&[event("user", said)]), ["silent"]);
        let harness = [event("environment", ran), event("environment", shown)];
        assert_eq!(told(&harness), ["silent"]);
        assert_eq!(
            told(&[event("agent", unasked)]),
            ["silent", "1 a result without a call"]
        );
        let new = r#"{"kind":"MessageEvent","id":"m","timestamp":"2025-01-01T00:00:01","source":"agent","llm_message":{"role":"assistant","content":[{"type":"text","text":"done"}]}}"#;
        assert_eq!(evidence("openhands", new), ["spoke"]);
    }

    #[test]
    fn older_actions_are_the_calls_of_the_reply_or_calls_of_their_own() {
        let told = r#""tool_call_metadata":{"function_name":"execute_bash","tool_call_id":"a","model_response":{"id":"r","choices":[{"message":{"tool_calls":[{"id":"a","function":{"name":"execute_bash","arguments":"{\"command\":\"ls\"}"}}]}}]},"total_calls_in_response":1}"#;
        let history = [
            r#"{"id":0,"timestamp":"2025-01-01T00:00:00","source":"user","action":"message","args":{"content":"q"}}"#.to_owned(),
            format!(r#"{{"id":1,"timestamp":"2025-01-01T00:00:00","source":"agent","action":"run","args":{{"command":"ls","thought":"t"}},{told}}}"#),
            format!(r#"{{"id":2,"timestamp":"2025-01-01T00:00:01","source":"agent","cause":1,"observation":"run","content":"x","extras":{{"command":"ls"}},"success":false,{told}}}"#),
            r#"{"id":3,"timestamp":"2025-01-01T00:00:02","source":"agent","action":"run_ipython","args":{"code":"1","thought":"t","kernel_init_code":""}}"#.to_owned(),
            r#"{"id":4,"timestamp":"2025-01-01T00:00:03","source":"agent","cause":3,"observation":"run_ipython","content":"1","extras":{"code":"1"}}"#.to_owned(),
            r#"{"id":9,"timestamp":"2025-01-01T00:00:04","source":"user","cause":0,"observation":"null","content":"","extras":{}}"#.to_owned(),
            r#"{"id":5,"timestamp":"2025-01-01T00:00:04","source":"agent","action":"call_tool_mcp","args":{"name":"look","arguments":{"id":7},"thought":""}}"#.to_owned(),
        ];
        let found = [
            r#"execute_bash("{\"command\":\"ls\"}") a @0 -> "x" error "x""#,
            r#"run_ipython({"code":"1","kernel_init_code":""}) 3 @1 -> "1""#,
            r#"look({"id":7}) 5 @2"#,
        ];
        let row = format!(
            r#"{{"instance_id":"i","instruction":"q","history":[{}],"metrics":{{}}}}"#,
            history.join(",")
        );
        check("openhands", &row, &found);
        check("openhands", &format!("[{}]", history.join(",")), &found);
        let pairs = format!(
            r#"{{"instance_id":"i","history":[[{},{}],[{},{}]]}}"#,
            history[1], history[2], history[3], history[4]
        );
        check("openhands", &pairs, &found[..2]);
    }
}
