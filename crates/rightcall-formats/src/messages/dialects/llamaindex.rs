//! Messages and events of `LlamaIndex`.

use crate::format::{Format, MessageDialect, Priority, Reading, Stream};
use crate::messages::listed::{each_call, holds_call};
use crate::messages::parts::pass_over;
use crate::messages::speaker::keep_question;
use crate::messages::{json_text, output_of};
use crate::node::Node;
use crate::trace::role::is_of_model;
use crate::trace::{CallResult, CaseScope, Conversation, TraceArguments, TraceCall, failed};

static DIALECT: MessageDialect = MessageDialect {
    mark: "blocks of type tool_call, or tool_kwargs",
    decides: |message| {
        let message = unpacked(message);
        let response = message.get("response").unwrap_or(message);
        response.list("blocks").iter().any(is_call)
            || keeps_calls(response)
            || message.says("role", "tool") && answered(message).is_some()
            || has_options(message)
            || is_event(message)
            || message.list("tool_calls").iter().any(is_event)
    },
    owns: |value| value.list("sources").iter().any(is_output),
    message,
    is_message: |value| {
        let is_packed = value.has("__is_pydantic") && value.has("qualified_name");
        is_packed || is_event(value) || is_of_agent(value)
    },
    is_event: |value| {
        let event = unpacked(value);
        is_event(event) || is_of_agent(event) || is_interim(event) || last_output(event).is_some()
    },
    stream: Some(|| Box::new(Workflow::default())),
    keys: &["tool_kwargs", "__is_pydantic"],
    reply: |value| {
        let is_reply = value.list("sources").iter().any(is_output);
        is_reply.then(|| value.list("sources").iter().collect())
    },
    ..MessageDialect::BASE
};

pub(super) static ENTRY: Format = Format {
    name: "llamaindex",
    title: "LlamaIndex messages",
    summary: "messages with `blocks` of type `tool_call`, events with `tool_kwargs`, replies with `sources`",
    reads: &[
        ("calls", "`blocks[]` of type `tool_call`; else `tool_calls` under `additional_kwargs`; of events `tool_calls[]` of `AgentOutput`, else `ToolCall` and `ToolCallResult`; of replies `sources[]`"),
        ("arguments", "`tool_kwargs`; of replies `raw_input`"),
        ("results", "messages with the role `tool`; `tool_output` of events"),
        ("ids", "`tool_call_id`, `tool_id`"),
        ("errors", "`tool_output.is_error`"),
        ("order", "the order of messages and events; calls of one message are parallel"),
    ],
    lacks: &["times"],
    notes: "Messages of a chat store or a memory as `model_dump` gives them, messages of the TypeScript package (`options.toolCall`), the events that a workflow of agents streams, plain or as its
serializer writes them (`qualified_name`), and the `AgentChatResponse` of older agents. A call that several events tell of counts once.",
    extensions: &["json", "jsonl"],
    example: r#"[{"role":"assistant","additional_kwargs":{},"blocks":[{"block_type":"tool_call","tool_call_id":"c1","tool_name":"find_order","tool_kwargs":{"id":7}}]},
 {"role":"tool","additional_kwargs":{"tool_call_id":"c1"},"blocks":[{"block_type":"text","text":"shipped"}]}]"#,
    priority: Priority::Messages,
    reading: Reading::Messages(&DIALECT),
};

fn is_call(block: &Node<'_>) -> bool {
    block.says("block_type", "tool_call")
}

/// True for a message with the calls of a provider's own shape.
fn keeps_calls(message: &Node<'_>) -> bool {
    let calls = message.list_at(&["additional_kwargs", "tool_calls"]);
    !calls.is_empty() && message.has("role") && !message.has_any(&["type", "tool_calls"])
}

fn is_event(value: &Node<'_>) -> bool {
    value.has("tool_kwargs") && value.has("tool_name")
}

/// True for the event with an agent's response or its chosen calls. Messages in TypeScript have no blocks.
fn is_of_agent(value: &Node<'_>) -> bool {
    let response = value.get("response");
    if value.has("current_agent_name") && response.is_some_and(|it| it.has("blocks")) {
        return true;
    }
    let chosen = value.get("tool_calls").filter(|it| it.is_list());
    value.has_any(&AGENTS)
        && chosen.is_some_and(|chosen| {
            let is_answer = response.is_some_and(|it| it.has("role"));
            chosen.items().iter().all(is_event) && (is_answer || !chosen.items().is_empty())
        })
}

/// Keys of the agent in events.
const AGENTS: [&str; 2] = ["current_agent_name", "agent_name"];

/// True for the event with an agent's input, with a piece of its response, or with all results of a step: other events have the same calls.
fn is_interim(value: &Node<'_>) -> bool {
    let has_results = || value.list("results").iter().any(is_event);
    let is_input = || value.get("input").is_some_and(Node::is_list);
    value.has_any(&AGENTS) && (value.has("delta") || is_input() || has_results())
}

/// True for the event in TypeScript that ends a run, with its answer.
fn is_end(value: &Node<'_>) -> bool {
    value.has("result") && value.has("message") && value.has("state")
}

/// The last response of a run in the event that ends it.
fn last_output<'n, 'a>(value: &'n Node<'a>) -> Option<&'n Node<'a>> {
    value.get("result").filter(|it| is_of_agent(it))
}

/// True for a response that says something and asks for no call, in blocks or in the text of a `ReAct` agent.
fn is_last(event: &Node<'_>) -> bool {
    event.get("response").is_some_and(|response| {
        let asks = |block: &Node<'_>| {
            let text = block.str_at("text");
            is_call(block) || text.is_some_and(|text| text.contains("Action:"))
        };
        let kept = response.list_at(&["additional_kwargs", "tool_calls"]);
        let blocks = response.list("blocks");
        kept.is_empty() && !blocks.is_empty() && !blocks.iter().any(asks)
    })
}

/// The events of a workflow of agents. The last response ends the run and repeats its calls.
#[derive(Default)]
struct Workflow {
    has_begun: bool,
    is_over: bool,
}

impl Stream for Workflow {
    fn event(&mut self, event: &Node<'_>, conversation: &mut Conversation) {
        let event = unpacked(event);
        self.has_begun = true;
        event
            .list("input")
            .iter()
            .for_each(|asked| keep_question(asked, conversation));
        if is_interim(event) {
            return;
        }
        if is_end(event) {
            self.is_over = true;
            return;
        }
        let output = last_output(event).unwrap_or(event);
        message(output, conversation);
        self.is_over = is_last(output);
    }

    fn goes_on_with(&self, value: &Node<'_>) -> bool {
        self.has_begun && is_end(value)
    }

    fn is_over_before(&self, value: &Node<'_>) -> bool {
        let event = unpacked(value);
        self.is_over && (is_interim(event) || is_of_agent(event) || is_event(event))
    }
}

fn is_output(source: &Node<'_>) -> bool {
    source.has("tool_name") && source.has("raw_input")
}

/// Unwraps the workflow serializer's wrapper.
fn unpacked<'n, 'a>(value: &'n Node<'a>) -> &'n Node<'a> {
    value
        .get("value")
        .filter(|_| value.has("__is_pydantic"))
        .unwrap_or(value)
}

/// True for a message of the TypeScript package with calls or a result among its options.
fn has_options(message: &Node<'_>) -> bool {
    let options = message.get("options").filter(|_| message.has("role"));
    options.is_some_and(|it| {
        !it.list("toolCall").is_empty() || it.get("toolResult").is_some_and(Node::is_object)
    })
}

/// Reads such options.
fn options(message: &Node<'_>, conversation: &mut Conversation) {
    let Some(options) = message.get("options") else {
        return;
    };
    for it in options.list("toolCall") {
        conversation.call(TraceCall::from_node(it, &["name"], &["input"], &["id"]));
    }
    if let Some(it) = options.get("toolResult") {
        let result = CallResult::from_node(it, &["id"], &[], &["result"]);
        conversation.result(result.failed_if(it.is_set("isError")));
    }
}

/// The id of the call that a result message answers.
fn answered(message: &Node<'_>) -> Option<rightcall_core::value::Text<'static>> {
    message.at(&["additional_kwargs", "tool_call_id"])?.label()
}

fn message(message: &Node<'_>, conversation: &mut Conversation) {
    let message = unpacked(message);
    if let Some(agent) = message.any(&AGENTS) {
        conversation.enter(CaseScope::Agent, || agent.label());
    }
    if is_output(message) {
        return source(message, conversation);
    }
    if is_event(message) {
        return event(message, conversation);
    }
    conversation.message();
    if has_options(message) {
        return options(message, conversation);
    }
    if message.says("role", "tool") {
        conversation.result(CallResult {
            id: answered(message),
            name: message
                .at(&["additional_kwargs", "name"])
                .or_else(|| message.get("name"))
                .and_then(Node::label),
            ..CallResult::from_node(message, &[], &[], &["blocks", "content"])
        });
        return;
    }
    if holds_call(message, "tool_calls", is_event) {
        // An agent event: its response repeats the chosen calls, and other events those of all.
        let mut read = |chosen: &Node<'_>, _, conversation: &mut Conversation| {
            let call = call(chosen);
            let calls = &conversation.trace().calls;
            let is_same = |known: &TraceCall| {
                (&known.id, &known.name, &known.arguments)
                    == (&call.id, &call.name, &call.arguments)
            };
            if call.id.is_none() || !calls.iter().rev().take(REPEATED).any(is_same) {
                conversation.call(call);
            }
        };
        each_call(message, "tool_calls", conversation, &mut read);
        return conversation.agent_spoke();
    }
    let response = message.get("response").unwrap_or(message);
    let calls: Vec<_> = response
        .list("blocks")
        .iter()
        .filter(|it| is_call(it))
        .collect();
    let has_calls = !calls.is_empty();
    calls
        .into_iter()
        .for_each(|it| _ = conversation.call(call(it)));
    if let Some(kept) = response.get("additional_kwargs").filter(|_| !has_calls) {
        each_call(
            kept,
            "tool_calls",
            conversation,
            &mut |it, key, conversation| {
                let function = it.get("function").unwrap_or(it);
                conversation.call(TraceCall {
                    id: it.label_at(&["id", "call_id"]).or(key),
                    ..TraceCall::from_node(function, &["name"], &["arguments"], &[])
                });
            },
        );
    }
    if is_of_model(response) {
        conversation.note_agent_message(response);
        let others = response.list("blocks").iter().filter(|it| !is_call(it));
        others.for_each(|it| pass_over(it, conversation));
    }
}

/// The number of last calls among which a repeated one is looked for.
const REPEATED: usize = 64;

fn call(node: &Node<'_>) -> TraceCall {
    TraceCall::from_node(
        node,
        &["tool_name"],
        &["tool_kwargs"],
        &["tool_call_id", "tool_id"],
    )
}

/// An executed call or its result; its request may be known already.
fn event(event: &Node<'_>, conversation: &mut Conversation) {
    let call = call(event);
    let id = call.id.clone();
    if !id.as_ref().is_some_and(|id| conversation.has_call_id(id)) {
        conversation.message();
        conversation.call(call);
    }
    if let Some(output) = event.get("tool_output") {
        let result = CallResult::from_node(
            output,
            &[],
            &[],
            &["blocks", "content", "raw_output", "result"],
        );
        conversation.result(CallResult { id, ..result }.failed_if(output.is_set("is_error")));
    }
}

/// A call with its result, as in the replies of older agents.
fn source(output: &Node<'_>, conversation: &mut Conversation) {
    conversation.message();
    let input = output
        .at(&["raw_input", "kwargs"])
        .or(output.get("raw_input"));
    let result = output.any(&["blocks", "content", "raw_output"]);
    conversation.call(TraceCall {
        name: output.label_at(&["tool_name"]).unwrap_or_default(),
        arguments: input.map_or(TraceArguments::Absent, TraceArguments::from_node),
        output: Some(result.map_or_else(|| json_text(&"".into()), output_of)),
        error: output.is_set("is_error").then(failed),
        ..TraceCall::default()
    });
}

#[cfg(test)]
mod tests {
    use crate::tests::check;

    const CALL: &str = r#"{"block_type":"tool_call","tool_call_id":"a","tool_name":"find","tool_kwargs":{"id":7}}"#;
    const OUTPUT: &str = r#"{"blocks":[{"block_type":"text","text":"x"}],"tool_name":"find","raw_input":{"args":[],"kwargs":{"id":7}},"raw_output":"x","is_error":true}"#;

    #[test]
    fn messages_hold_calls_in_blocks_or_as_their_provider_does() {
        let answer = r#"{"role":"tool","additional_kwargs":{"tool_call_id":"a"},"blocks":[{"block_type":"text","text":"x"}]}"#;
        check(
            "llamaindex",
            &format!(
                r#"[{{"role":"assistant","additional_kwargs":{{}},"blocks":[{CALL}]}},{answer}]"#
            ),
            &[r#"find({"id":7}) a @0 -> "x""#],
        );
        let kept = r#"{"role":"assistant","blocks":[],"additional_kwargs":{"tool_calls":[{"id":"a","type":"function","function":{"name":"find","arguments":"{}"}}]}}"#;
        check(
            "llamaindex",
            &format!("[{kept},{answer}]"),
            &[r#"find("{}") a @0 -> "x""#],
        );
    }

    #[test]
    fn a_call_counts_once_whatever_events_tell_of_it() {
        let chosen = r#"{"tool_name":"find","tool_kwargs":{"id":7},"tool_id":"a"}"#;
        let events = [
            format!(
                r#"{{"response":{{"role":"assistant","additional_kwargs":{{}},"blocks":[{CALL}]}},"current_agent_name":"A","tool_calls":[{chosen}]}}"#
            ),
            chosen.to_owned(),
            format!(
                r#"{{"tool_name":"find","tool_kwargs":{{"id":7}},"tool_id":"a","tool_output":{OUTPUT},"return_direct":false}}"#
            ),
        ];
        let found = [r#"find({"id":7}) a @0 -> "x" error true"#];
        let packed = events.iter().zip(["AgentOutput", "ToolCall", "ToolCallResult"]).map(|(event, class)| {
            format!(r#"{{"__is_pydantic":true,"value":{event},"qualified_name":"llama_index.{class}"}}"#)
        });
        check("llamaindex", &packed.collect::<Vec<_>>().join("\n"), &found);
        check("llamaindex", &events.join("\n"), &found);
        check("llamaindex", &events[1..].join("\n"), &found);
        check(
            "llamaindex",
            &format!(r#"{{"response":"done","sources":[{OUTPUT}],"source_nodes":[]}}"#),
            &[r#"find({"id":7}) @0 -> "x" error true"#],
        );
    }
}
