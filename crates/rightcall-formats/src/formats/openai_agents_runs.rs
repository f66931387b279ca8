//! Runs of the `OpenAI` Agents SDK: saved states, and results.

use rightcall_core::value::Text;

use crate::format::{EachValue, Format, FoundTraces, Priority, Reading, Recognition, ValuePlace};
use crate::messages::{
    dialects::{openai_chat, openai_responses},
    output_of,
    speaker::is_of_model,
};
use crate::node::Node;
use crate::trace::{CallResult, CaseScope, Conversation, Scope, TraceCall};

pub(super) static ENTRY: Format = Format {
    name: "openai-agents-runs",
    title: "OpenAI Agents SDK run states",
    summary: "run states with `$schemaVersion` and `generated_items`, and results with `new_items` or `raw_responses`",
    reads: &[
        ("calls", "`generated_items`, `new_items`: items of type `tool_call_item` and `handoff_call_item`, by their `raw_item`; without items `model_responses`, `raw_responses`"),
        ("arguments", "`arguments`, and as in openai-responses"),
        ("results", "items of type `tool_call_output_item`"),
        ("ids", "`conversation_id`; `call_id` of a call"),
        ("order", "the order of items; calls of one reply are parallel"),
    ],
    lacks: &["times", "which result is an error"],
    notes: "What `RunState` writes to be resumed later, of Python and, with keys in camelCase, of JavaScript; and what a result holds, dumped. A
state is a trajectory: what was done since its run began, not the `original_input`. A call that waits for approval has no result.",
    extensions: &["json", "jsonl"],
    example: r#"{"$schemaVersion":"1.9","current_agent":{"name":"shop"},"original_input":"Where is order 7?","model_responses":[],"generated_items":[{"type":"tool_call_item","agent":{"name":"shop"},"raw_item":{"type":"function_call","call_id":"c1","name":"find_order","arguments":"{\"id\":7}"}},{"type":"tool_call_output_item","agent":{"name":"shop"},"output":"shipped","raw_item":{"type":"function_call_output","call_id":"c1","output":"shipped"}}]}"#,
    priority: Priority::Document,
    reading: Reading::Traces(
        |value| {
            let record = value.first_record();
            let is_item = |item: &Node<'_>| item.has("type") && item.any(RAW).is_some();
            let is_reply = |reply: &Node<'_>| reply.get("output").is_some_and(Node::is_list);
            if record.any_list(ITEMS).iter().any(is_item) {
                return Recognition::Certain;
            }
            let replies = record.any_list(REPLIES).iter().any(is_reply);
            Recognition::by_marks(&[
                ("generated_items, new_items or raw_responses[].output", replies),
                ("$schemaVersion or final_output", record.has_any(MARKS)),
            ])
        },
        |scope| Box::new(EachValue(scope, read)),
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

fn read(value: &Node<'_>, scope: Scope, place: ValuePlace, found: &mut FoundTraces) {
    let mut conversation = Conversation::new(scope);
    let trace = conversation.trace();
    trace.id = value.label_at(&["conversation_id", "conversationId"]);
    let input = value.any(&["original_input", "originalInput", "input"]);
    trace.input = input.filter(|it| it.text().is_some()).map(output_of);
    let items = value.any_list(ITEMS);
    for item in items {
        let agent = item.any(&["agent", "source_agent", "sourceAgent"]);
        conversation.enter(CaseScope::Agent, || {
            agent.and_then(|it| it.label().or_else(|| it.label_at(&["name"])))
        });
        conversation.part(item, |conversation| run_item(item, conversation));
    }
    let mut known = value.keys_of_lists(ITEMS);
    if items.is_empty() {
        known.extend(value.keys_of_lists(REPLIES));
        for reply in value.any_list(REPLIES) {
            conversation.interrupt();
            conversation.part(reply, |conversation| {
                let output = reply.list("output");
                output.iter().for_each(|raw| raw_item(raw, conversation));
            });
        }
    }
    found.trace(place.line, conversation.finish_record(value, &known));
}

/// An item of a run. An approval request repeats its call.
fn run_item(item: &Node<'_>, conversation: &mut Conversation) {
    match item.any(RAW) {
        Some(raw) if !item.says("type", "tool_approval_item") => raw_item(raw, conversation),
        Some(raw) => conversation.glance(raw),
        None => {}
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
        conversation.agent_spoke();
    }
    // The JavaScript SDK has its own form.
    let id = raw.label_at(&["callId"]);
    if raw.says("role", "assistant") && raw.has("tool_calls") {
        openai_chat::message(raw, conversation);
    } else if id.is_none() {
        openai_responses::item(raw, conversation);
    } else if kind.ends_with("_result") || kind.ends_with("_output") {
        conversation.interrupt();
        let output = raw.get("output");
        conversation.result(CallResult {
            id,
            name: raw.label_at(&["name"]),
            output: output.map(|it| output_of(it.get("text").unwrap_or(it))),
            error: None,
        });
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
