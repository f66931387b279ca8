//! Runs of the `OpenAI` Agents SDK: saved states, and results.

mod open_run;
mod sessions;

use open_run::OpenRun;
use rightcall_core::value::Text;
use sessions::Sessions;

use crate::format::{Format, FoundTraces, Priority, Reading, Recognition, TraceReader, ValuePlace};
use crate::messages::{
    dialects::{openai_chat, openai_responses},
    output_of,
    refusal::answer_or_refuse,
    speaker::is_of_model,
};
use crate::node::Node;
use crate::trace::unread::look_over;
use crate::trace::{CallResult, CaseScope, Conversation, Doubt, Scope, TraceCall};

pub(super) static ENTRY: Format = Format {
    name: "openai-agents-runs",
    title: "OpenAI Agents SDK run states",
    summary: "run states with `$schemaVersion` and `generated_items`, results with `new_items` or `raw_responses`, their items, streamed events and stored sessions",
    reads: &[
        ("calls", "`generated_items`, `new_items`: items of type `tool_call_item` and `handoff_call_item`, by their `raw_item`; without items `model_responses`, `raw_responses`"),
        ("arguments", "`arguments`, and as in openai-responses"),
        ("results", "items of type `tool_call_output_item`"),
        ("ids", "`conversation_id`; `call_id` of a call"),
        ("order", "the order of items; calls of one reply are parallel"),
    ],
    lacks: &["times", "which result is an error"],
    notes: "What `RunState` writes to be resumed later, of Python and, with keys in camelCase, of JavaScript; and what a result holds, dumped. A
state is a trajectory: what was done since its run began, not the `original_input`. A call that waits for approval has no result. The items of a
run, its replies and its streamed events are read in a list or one a line; of a stream, the items count if there are any. Rows of
`SQLiteSession`, with `session_id` and `message_data`, are a trajectory a session.",
    extensions: &["json", "jsonl"],
    example: r#"{"$schemaVersion":"1.9","current_agent":{"name":"shop"},"original_input":"Where is order 7?","model_responses":[],"generated_items":[{"type":"tool_call_item","agent":{"name":"shop"},"raw_item":{"type":"function_call","call_id":"c1","name":"find_order","arguments":"{\"id\":7}"}},{"type":"tool_call_output_item","agent":{"name":"shop"},"output":"shipped","raw_item":{"type":"function_call_output","call_id":"c1","output":"shipped"}}]}"#,
    priority: Priority::Document,
    reading: Reading::Traces(
        |value| {
            let record = value.first_record();
            let record = record.get("state").unwrap_or(record);
            let is_reply = |reply: &Node<'_>| reply.get("output").is_some_and(Node::is_list);
            if record.any_list(ITEMS).iter().any(is_item)
                || are_replies(value)
                || value.items_or_self().iter().any(is_part)
            {
                return Recognition::Certain;
            }
            let replies = record.any_list(REPLIES).iter().any(is_reply);
            Recognition::by_marks(&[
                ("generated_items, new_items or raw_responses[].output", replies),
                ("$schemaVersion or final_output", record.has_any(MARKS)),
            ])
        },
        |scope| Box::new(Runs::new(scope)),
    ),
};

const ITEMS: &[&str] = &["generated_items", "generatedItems", "new_items", "newItems"];
const RAW: &[&str] = &["raw_item", "rawItem"];
const REPLIES: &[&str] = &[
    "model_responses",
    "modelResponses",
    "raw_responses",
    "rawResponses",
];
const MARKS: &[&str] = &["$schemaVersion", "final_output", "finalOutput"];

/// An item of a run.
fn is_item(item: &Node<'_>) -> bool {
    item.has("type") && item.any(RAW).is_some_and(Node::is_object)
}

/// True for a value that is only a part of a run: an item, an event, or a row of a session.
fn is_part(value: &Node<'_>) -> bool {
    is_item(value) || open_run::is_event(value) || sessions::is_row(value)
}

/// True for the list of the model's replies in one run.
fn are_replies(value: &Node<'_>) -> bool {
    const KEYS: [&str; 9] = [
        "output",
        "usage",
        "raw_usage",
        "response_id",
        "responseId",
        "request_id",
        "requestId",
        "provider_data",
        "providerData",
    ];
    let is_reply = |reply: &Node<'_>| {
        reply.get("output").is_some_and(Node::is_list)
            && reply.has("usage")
            && reply.has_only(&KEYS)
    };
    !value.items().is_empty() && value.items().iter().all(is_reply)
}

/// Reads whole runs, and runs over several values.
struct Runs {
    scope: Scope,
    open: Option<OpenRun>,
    sessions: Sessions,
}

impl Runs {
    fn new(scope: Scope) -> Self {
        Self {
            scope,
            open: None,
            sessions: Sessions::default(),
        }
    }

    /// Ends the run over several values.
    fn close(&mut self, found: &mut FoundTraces) {
        if let Some(run) = self.open.take() {
            run.end(found);
        }
    }

    /// Reads a part of a run that spans several values.
    fn part(&mut self, value: &Node<'_>, place: ValuePlace) {
        if sessions::is_row(value) {
            return self.sessions.row(value, self.scope, place.line);
        }
        let scope = self.scope;
        let open = self
            .open
            .get_or_insert_with(|| OpenRun::new(scope, place.line));
        open.add(value);
    }
}

impl TraceReader for Runs {
    fn value(&mut self, value: &Node<'_>, place: ValuePlace, found: &mut FoundTraces) {
        if is_part(value) {
            return self.part(value, place);
        }
        self.close(found);
        if are_replies(value) {
            let mut conversation = Conversation::new(self.scope);
            replies(value.items(), &mut conversation);
            found.trace(place.line, conversation.finish());
        } else if value.items().iter().any(is_part) {
            value.items().iter().for_each(|item| self.part(item, place));
            self.close(found);
        } else if value.is_list() {
            value
                .items()
                .iter()
                .for_each(|item| self.value(item, place, found));
        } else {
            read(
                value.get("state").unwrap_or(value),
                self.scope,
                place,
                found,
            );
        }
    }

    fn for_lone_values(
        &self,
        mut texts: &mut dyn Iterator<Item = &str>,
    ) -> Option<Box<dyn TraceReader>> {
        let is_record = |text: &str| {
            let mut keys = ITEMS.iter().chain(REPLIES);
            text.starts_with('{') && keys.any(|key| text.contains(&format!("\"{key}\"")))
        };
        let are_lone =
            self.open.is_none() && self.sessions.is_empty() && (&mut texts).all(is_record);
        are_lone.then(|| Box::new(Self::new(self.scope)) as Box<dyn TraceReader>)
    }

    fn finish(&mut self, found: &mut FoundTraces) -> bool {
        self.close(found);
        self.sessions.end(found);
        false
    }
}

/// Members of a state that repeat its calls for the SDK.
const RECORDS: &[&str] = &[
    "completedToolInvocations",
    "completedToolInvocationEvidence",
];

/// The same in the context of a state.
const RECORDS_OF_CONTEXT: &[&str] = &["approvals", "tool_invocations", "toolInvocations"];

/// Reads a state or a result.
fn read(value: &Node<'_>, scope: Scope, place: ValuePlace, found: &mut FoundTraces) {
    let mut conversation = Conversation::new(scope);
    let trace = conversation.trace();
    trace.id = value.label_at(&["conversation_id", "conversationId"]);
    let input = value.any(&["original_input", "originalInput", "input"]);
    trace.input = input.filter(|it| it.text().is_some()).map(output_of);
    let items = value.any_list(ITEMS);
    for item in items {
        run_item(item, &mut conversation);
    }
    let mut known = [RECORDS, &["context"]].concat();
    known.extend(value.keys_of_lists(ITEMS));
    if items.is_empty() {
        known.extend(value.keys_of_lists(REPLIES));
        replies(value.any_list(REPLIES), &mut conversation);
    }
    let mut trace = conversation.finish_record(value, &known);
    if let Some(context) = value.get("context") {
        look_over(context, RECORDS_OF_CONTEXT, &mut trace);
    }
    found.trace(place.line, trace);
}

/// Reads the replies of the model in a run.
fn replies(replies: &[Node<'_>], conversation: &mut Conversation) {
    for reply in replies {
        conversation.interrupt();
        conversation.part(reply, |conversation| {
            let output = reply.list("output");
            output.iter().for_each(|raw| raw_item(raw, conversation));
        });
    }
}

/// An item of a run.
fn run_item(item: &Node<'_>, conversation: &mut Conversation) {
    let agent = item.any(&["agent", "source_agent", "sourceAgent"]);
    conversation.enter(CaseScope::Agent, || {
        agent.and_then(|it| it.label().or_else(|| it.label_at(&["name"])))
    });
    let Some(raw) = item.any(RAW) else {
        return conversation.look(item, 0, Doubt::SameName);
    };
    // An approval request repeats its call, unless the request was kept alone.
    let id = raw.label_at(&["call_id", "callId"]);
    let is_known = id.is_some_and(|id| conversation.has_call_id(&id));
    if item.says("type", "tool_approval_item") && is_known {
        conversation.glance(raw);
    } else {
        conversation.part(raw, |conversation| raw_item(raw, conversation));
    }
}

/// `OpenAI`'s built-in tools with their own item types, which have no name field.
const OWN_TOOLS: [(&str, &str); 4] = [
    ("computer_call", "computer"),
    ("shell_call", "shell"),
    ("local_shell_call", "local_shell"),
    ("apply_patch_call", "apply_patch"),
];

/// An item from the model or the SDK.
fn raw_item(raw: &Node<'_>, conversation: &mut Conversation) {
    let kind = raw.str_at("type").unwrap_or_default();
    if is_of_model(raw) {
        conversation.note_agent_message(raw);
    }
    // The JavaScript SDK has its own form.
    let id = raw.label_at(&["callId"]);
    if raw.says("role", "assistant") && raw.has("tool_calls") {
        openai_chat::message(raw, conversation);
    } else if id.is_none() {
        openai_responses::item(raw, conversation);
    } else if kind.ends_with("_result") || kind.ends_with("_output") {
        conversation.interrupt();
        let output = raw.get("output").map(|it| it.get("text").unwrap_or(it));
        let result = CallResult {
            id,
            name: raw.label_at(&["name"]),
            output: output.map(output_of),
            error: None,
            ..CallResult::default()
        };
        answer_or_refuse(result, output.and_then(Node::str), conversation);
    } else {
        conversation.item();
        let call = TraceCall::from_node(raw, &["name"], &["arguments", "action"], &["callId"]);
        let own = OWN_TOOLS.iter().find(|(of_kind, _)| *of_kind == kind);
        conversation.call(TraceCall {
            name: own.map_or(call.name, |(_, tool)| Text::new(tool)),
            ..call
        });
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::check;

    #[test]
    fn items_of_a_state_are_calls_and_results() {
        check(
            "openai-agents-runs",
            r#"{"$schemaVersion":"1.9","generated_items":[
                {"type":"tool_call_item","raw_item":{"type":"function_call","call_id":"a","name":"find","arguments":"{\"id\":7}"}},
                {"type":"tool_call_item","raw_item":{"type":"function_call","call_id":"b","name":"look","arguments":"{}"}},
                {"type":"tool_approval_item","raw_item":{"type":"function_call","call_id":"b","name":"look","arguments":"{}"}},
                {"type":"tool_call_output_item","output":"x","raw_item":{"type":"function_call_output","call_id":"a","output":"x"}}],
                "model_responses":[{"output":[{"type":"function_call","call_id":"a","name":"find","arguments":"{}"}]}]}"#,
            &[
                r#"find("{\"id\":7}") a @0 group-1 -> "x""#,
                r#"look("{}") b @0 group-1"#,
            ],
        );
        check(
            "openai-agents-runs",
            r#"{"$schemaVersion":"1.4","generatedItems":[
                {"type":"tool_call_item","rawItem":{"type":"function_call","callId":"a","name":"find","arguments":"{}","status":"completed"}},
                {"type":"tool_call_output_item","rawItem":{"type":"function_call_result","callId":"a","name":"find","output":{"type":"text","text":"x"}}}]}"#,
            &[r#"find("{}") a @0 -> "x""#],
        );
    }

    #[test]
    fn without_items_the_replies_tell() {
        check(
            "openai-agents-runs",
            r#"{"final_output":"x","input":"q","raw_responses":[
                {"output":[{"type":"function_call","call_id":"a","name":"find","arguments":"{}"}],"response_id":"r"},
                {"output":[{"type":"message","role":"assistant","content":[],"tool_calls":[{"id":"b","type":"tool_call","function":{"name":"look","arguments":"{}"}}]}]}]}"#,
            &[r#"find("{}") a @0"#, r#"look("{}") b @1"#],
        );
    }
}
