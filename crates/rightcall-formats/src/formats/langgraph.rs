//! States of `LangGraph` graphs, their history, and the events of `astream_events`.

use std::collections::BTreeMap;

use rightcall_core::value::Text;

use super::session::{SessionEvents, SessionReader};
use crate::format::{Format, FoundTraces, Priority, Reading, Recognition, TraceReader, ValuePlace};
use crate::graph_stream;
use crate::messages::{
    conversations::dialect_of,
    dialects::{langchain::outermost_node, langchain::tool_result},
    name_speaker, output_of,
    reader::read_values,
    speaker::is_of_model,
};
use crate::node::Node;
use crate::trace::{
    CallResult, CallSubject, CaseScope, Conversation, Doubt, Scope, Trace, TraceArguments,
    TraceCall, failed, look_over,
};

pub(super) static ENTRY: Format = Format {
    name: "langgraph",
    title: "LangGraph states, streams and events",
    summary: "states with `values.messages`, alone or as a history, parts of streams with their mode, and events such as `on_tool_end`",
    reads: &[
        ("calls", "messages of `values.messages`; of streams those of one mode; of events those of `on_chat_model_end`, and `on_tool_start` of tools that no model asked for"),
        ("arguments", "those of the messages; `data.input`"),
        ("results", "messages of tools; `data.output` of `on_tool_end`"),
        ("ids", "those of the messages; `thread_id`, `config.configurable.thread_id` of the trajectory"),
        ("errors", "`on_tool_error`, and what the messages say"),
        ("order", "the order of messages and of events; calls of one message are parallel"),
    ],
    lacks: &["times"],
    notes: "What `get_state` and `get_state_history` give (`_asdict()`, through `dumpd` of LangChain), what the API of LangGraph answers for threads,
their states and histories, the parts of `stream` with several modes or with the modes `tasks`, `checkpoints` or `debug`, the events that the API
streams, and the events of `astream_events`, one a line or in a list. A state with other messages begins another run of a stream. Of the states of a thread the one with most messages counts:
each holds those before it. Messages by themselves are [`langchain`](langchain.md).",
    extensions: &["json", "jsonl"],
    example: r#"{"values":{"messages":[{"type":"ai","content":"","tool_calls":[{"name":"find_order","args":{"id":7},"id":"c1","type":"tool_call"}]},{"type":"tool","content":"shipped","tool_call_id":"c1","name":"find_order","status":"success"}]},"next":[],"config":{"configurable":{"thread_id":"t1"}}}"#,
    priority: Priority::Document,
    reading: Reading::Traces(
        |value| {
            let record = value.first_record();
            if is_event(record) || is_stream(value) {
                return Recognition::Certain;
            }
            let values = record.at(&["values", "messages"]);
            Recognition::by_marks(&[
                ("values.messages", values.is_some_and(Node::is_list)),
                ("next, config or thread_id", values.is_some() && record.has_any(&["next", "config", "thread_id", "checkpoint"])),
            ])
        },
        |scope| Box::new(Graphs { scope, threads: BTreeMap::new(), order: Vec::new(), steps: BTreeMap::new(), stream: None, events: SessionReader::<LangGraphEvents>::boxed(scope) }),
    ),
};

/// True for a part of a stream, or a list of parts.
fn is_stream(value: &Node<'_>) -> bool {
    let parts = value.items();
    graph_stream::is_part(value)
        || parts.iter().all(graph_stream::may_be_part) && parts.iter().any(graph_stream::is_part)
}

fn is_event(value: &Node<'_>) -> bool {
    value
        .str_at("event")
        .is_some_and(|event| event.starts_with("on_"))
        && value.has("run_id")
        && value.has("data")
}

/// Keeps the fullest state of each thread until the end of the file.
struct Graphs {
    scope: Scope,
    /// For each thread, the number of messages in the state kept, its line and its run.
    threads: BTreeMap<Vec<u8>, (usize, u64, Trace)>,
    /// The threads, in order of appearance.
    order: Vec<Vec<u8>>,
    /// For each thread, the steps of its states with their next nodes. Only collected if nodes are requested.
    steps: BTreeMap<Vec<u8>, Vec<GraphStep>>,
    /// The first line and the parts of a stream, as JSON text.
    stream: Option<(u64, Vec<String>)>,
    events: Box<dyn TraceReader>,
}

impl TraceReader for Graphs {
    fn value(&mut self, value: &Node<'_>, place: ValuePlace, found: &mut FoundTraces) {
        if graph_stream::may_be_part(value) {
            let (_, parts) = self.stream.get_or_insert_with(|| (place.line, Vec::new()));
            return parts.push(value.raw().to_owned());
        }
        // In text, a list of one message is the data of the event `messages/partial`, whose name is on a separate line.
        if let Some((_, parts)) = self.stream.as_mut().filter(|_| place.is_streamed)
            && let [message] = value.items()
            && message.has("id")
        {
            return parts.push(format!(
                r#"{{"event":"messages/partial","data":{}}}"#,
                value.raw()
            ));
        }
        if self.each_item(value, place, found) {
            return;
        }
        if value.has("values") && !value.has("event") {
            self.state(value, place.line);
        } else {
            self.events.value(value, place, found);
        }
    }

    fn finish(&mut self, found: &mut FoundTraces) -> bool {
        if let Some((line, parts)) = self.stream.take() {
            self.stream(line, &format!("[{}]", parts.join(",")), found);
        }
        for thread in std::mem::take(&mut self.order) {
            if let Some((_, line, mut trace)) = self.threads.remove(&thread) {
                trace.visits = visits(self.steps.remove(&thread).unwrap_or_default());
                found.trace(line, trace);
            }
        }
        self.events.finish(found)
    }
}

impl Graphs {
    /// Reads the runs in the parts of a stream.
    fn stream(&self, line: u64, parts: &str, found: &mut FoundTraces) {
        let Ok(parts) = Node::parse(parts, self.scope.max_depth) else {
            return;
        };
        for messages in graph_stream::runs(parts.items()) {
            let mut conversation = Conversation::new(self.scope);
            if let Ok(messages) = Node::parse(&messages, self.scope.max_depth) {
                read_all(
                    &messages.items().iter().collect::<Vec<_>>(),
                    &messages,
                    &mut conversation,
                );
            }
            found.trace(line, conversation.finish());
        }
    }

    fn state(&mut self, state: &Node<'_>, line: u64) {
        let configured = ["config", "checkpoint"].iter().find_map(|key| {
            let config = state.get(key)?;
            config
                .get("configurable")
                .unwrap_or(config)
                .label_at(&["thread_id"])
        });
        let thread = state.label_at(&["thread_id"]).or(configured);
        let values = state.get("values").unwrap_or(state);
        let messages: Vec<_> = values.list("messages").iter().collect();
        let mut conversation = Conversation::new(self.scope);
        conversation.trace().id.clone_from(&thread);
        read_all(&messages, state, &mut conversation);
        let mut trace = conversation.finish();
        look_over(values, &["messages"], &mut trace);
        look_over(state, &["values"], &mut trace);
        let run = (messages.len(), line, trace);
        // States without a thread all belong to the single thread of the file.
        let key = thread.map_or_else(Vec::new, |thread| thread.as_bytes().to_vec());
        if self.scope.choices.calls == CallSubject::Nodes {
            let steps = self.steps.entry(key.clone()).or_default();
            steps.push(GraphStep::from_state(state, steps.len()));
        }
        match self.threads.get_mut(&key) {
            Some(known) if run.0 > known.0 => *known = run,
            Some(known) if run.0 == 0 => known.2.report.add(&run.2.report),
            Some(_) => {}
            None => {
                self.order.push(key.clone());
                self.threads.insert(key, run);
            }
        }
    }
}

/// Reads the messages in a part of a graph's record.
fn read_all(messages: &[&Node<'_>], record: &Node<'_>, conversation: &mut Conversation) {
    match dialect_of(messages) {
        Some(dialect) => read_values(dialect, messages, conversation),
        None => conversation.look(record, 0, Doubt::None),
    }
    let said = messages.iter().filter(|message| is_of_model(message));
    said.for_each(|message| conversation.note_agent_message(message));
}

/// A state of a graph: its step, and the next nodes.
struct GraphStep {
    number: i128,
    next: Vec<Text<'static>>,
}

impl GraphStep {
    /// The step of a state. `before` counts the states already seen, because a history lists the latest first.
    fn from_state(state: &Node<'_>, before: usize) -> Self {
        let number = state.at(&["metadata", "step"]).and_then(Node::whole);
        Self {
            number: number.unwrap_or_else(|| -i128::try_from(before).unwrap_or_default()),
            next: state.list("next").iter().filter_map(Node::label).collect(),
        }
    }
}

/// The nodes a graph visited. The next nodes of the latest state have not run.
fn visits(mut steps: Vec<GraphStep>) -> Vec<TraceCall> {
    steps.sort_by_key(|step| step.number);
    steps.pop();
    let names = steps.into_iter().flat_map(|step| step.next);
    names
        .map(|name| TraceCall {
            name,
            ..TraceCall::default()
        })
        .collect()
}

#[derive(Default)]
struct LangGraphEvents {
    /// Tools requested by models and not started yet.
    asked: Vec<Text<'static>>,
    /// Tool runs; each has a call index if no model requested it.
    started: Vec<(Text<'static>, Option<usize>)>,
    /// The outermost run, if the first event is its start, and true once it has ended. Events in JavaScript name no parents.
    outermost: Option<(Text<'static>, bool)>,
    has_begun: bool,
}

impl LangGraphEvents {
    /// Notes the start and the end of the outermost run.
    fn note_outermost(&mut self, event: &Node<'_>) {
        let run = event.label_at(&["run_id"]);
        let kind = event.str_at("event").unwrap_or_default();
        let is_inner = event.at(&["metadata", "langgraph_node"]).is_some();
        if !std::mem::replace(&mut self.has_begun, true) && kind == "on_chain_start" && !is_inner {
            self.outermost = run.map(|run| (run, false));
        } else if let Some((outermost, has_ended)) = &mut self.outermost {
            let ends = matches!(kind, "on_chain_end" | "on_chain_error");
            *has_ended |= ends && run.as_ref() == Some(outermost);
        }
    }
}

impl SessionEvents for LangGraphEvents {
    fn is_over_before(&self, event: &Node<'_>) -> bool {
        let has_ended = self.outermost.as_ref().is_some_and(|it| it.1);
        has_ended && event.says("event", "on_chain_start")
    }

    fn session(event: &Node<'_>) -> Option<Text<'static>> {
        // The first parent of an event is the run of the graph.
        let parents = event.get("parent_ids")?;
        let root = parents.items().first().and_then(Node::label);
        root.or_else(|| event.label_at(&["run_id"]))
    }

    fn event(&mut self, event: &Node<'_>, _: Scope, conversation: &mut Conversation) {
        self.note_outermost(event);
        if conversation.has_parts() {
            enter(event, conversation);
        }
        let data = event.get("data");
        let output = data.and_then(|data| data.get("output"));
        match event.str_at("event").unwrap_or_default() {
            "on_chat_model_end" | "on_llm_end" => conversation.event(event, |conversation| {
                for message in output.map(replies).unwrap_or_default() {
                    if is_of_model(message) {
                        conversation.note_agent_message(message);
                    }
                    if event.at(&["metadata", AGENT]).is_none() {
                        name_speaker(message, conversation);
                    }
                    let before = conversation.trace().calls.len();
                    match dialect_of(&[message]) {
                        Some(dialect) => (dialect.message)(message, conversation),
                        None => conversation.message(),
                    }
                    let calls = &conversation.trace().calls[before..];
                    self.asked
                        .extend(calls.iter().map(|call| call.name.clone()));
                }
            }),
            "on_tool_start" => conversation.event(event, |conversation| {
                self.start(event, data, conversation);
            }),
            "on_tool_end" | "on_tool_error" => self.end(event, data, conversation),
            _ => conversation.glance(event),
        }
    }
}

/// The metadata key with the agent of a run.
const AGENT: &str = "lc_agent_name";

/// Sets the agent and the node of an event; the start of a node's own run counts as a visit.
fn enter(event: &Node<'_>, conversation: &mut Conversation) {
    let Some(metadata) = event.get("metadata") else {
        return;
    };
    if let Some(agent) = metadata.label_at(&[AGENT]) {
        conversation.enter(CaseScope::Agent, || Some(agent));
    }
    let Some(node) = outermost_node(metadata) else {
        return;
    };
    let path = metadata.label_at(&["langgraph_checkpoint_ns"]);
    let is_outermost = path.is_none_or(|path| !path.to_display().contains('|'));
    let is_start =
        event.says("event", "on_chain_start") && event.label_at(&["name"]).as_ref() == Some(&node);
    conversation.set_part(CaseScope::Node, || Some(node.clone()));
    if is_start && is_outermost && conversation.is_visited(CaseScope::Node) {
        let input = event.at(&["data", "input"]);
        conversation.visit(TraceCall {
            name: node,
            arguments: input.map_or(TraceArguments::Absent, TraceArguments::from_node),
            ..TraceCall::default()
        });
    }
}

/// The input of a tool; not recorded if the data of its event has none.
fn input(data: &Node<'_>) -> TraceArguments {
    let arguments = TraceArguments::from_call(data, &["input"]);
    if data.has("input") || arguments != TraceArguments::none() {
        arguments
    } else {
        TraceArguments::Absent
    }
}

/// The messages of a reply, which older versions wrap.
fn replies<'n, 'a>(output: &'n Node<'a>) -> Vec<&'n Node<'a>> {
    let generations = output
        .list("generations")
        .iter()
        .flat_map(Node::items_or_self);
    let messages: Vec<_> = generations.filter_map(|it| it.get("message")).collect();
    if messages.is_empty() {
        vec![output]
    } else {
        messages
    }
}

impl LangGraphEvents {
    fn start(
        &mut self,
        event: &Node<'_>,
        data: Option<&Node<'_>>,
        conversation: &mut Conversation,
    ) {
        let name = event.label_at(&["name"]).unwrap_or_default();
        let run = event.label_at(&["run_id"]).unwrap_or_default();
        let asked = self.asked.iter().position(|known| *known == name);
        if let Some(asked) = asked {
            self.asked.remove(asked);
            return self.started.push((run, None));
        }
        conversation.message();
        let place = conversation.call(TraceCall {
            name,
            arguments: data.map_or(TraceArguments::Absent, input),
            ..TraceCall::default()
        });
        self.started.push((run, place));
    }

    fn end(&mut self, event: &Node<'_>, data: Option<&Node<'_>>, conversation: &mut Conversation) {
        let run = event.label_at(&["run_id"]).unwrap_or_default();
        let started = self.started.iter().position(|(known, _)| *known == run);
        let own = started.and_then(|place| self.started.remove(place).1);
        let output = data.and_then(|data| data.get("output"));
        let error = data.and_then(|data| data.get("error")).map(output_of);
        let has_failed = event.says("event", "on_tool_error");
        let result = message_of_tool(output).unwrap_or_else(|| CallResult {
            name: event.label_at(&["name"]),
            output: output.map(output_of),
            error: has_failed.then(|| error.unwrap_or_else(failed)),
            ..CallResult::default()
        });
        match own {
            // The message doesn't name its call, but the run does.
            Some(place) => {
                let call = &mut conversation.trace().calls[place];
                (call.output, call.error) = (result.output, result.error);
                if call.arguments == TraceArguments::Absent {
                    call.arguments = data.map_or(TraceArguments::Absent, input);
                }
                call.id = call.id.take().or(result.id);
            }
            None => _ = conversation.result(result),
        }
    }
}

/// The result in a tool message, plain or serialized.
fn message_of_tool(output: Option<&Node<'_>>) -> Option<CallResult> {
    let body = output?.inner(&["kwargs", "data"]);
    body.has("tool_call_id").then(|| CallResult {
        name: None,
        ..tool_result(body)
    })
}

#[cfg(test)]
mod tests {
    use crate::tests::{check, shown};
    use crate::trace::{CallSubject, CaseScope, Choices};

    const ASKS: &str = r#"{"lc":1,"type":"constructor","id":["langchain","schema","messages","AIMessage"],"kwargs":{"content":"","type":"ai","tool_calls":[{"name":"find","args":{"id":7},"id":"a","type":"tool_call"}]}}"#;
    const ANSWERS: &str = r#"{"lc":1,"type":"constructor","id":["langchain","schema","messages","ToolMessage"],"kwargs":{"content":"x","type":"tool","name":"find","tool_call_id":"a","status":"success"}}"#;

    #[test]
    fn of_the_states_of_a_thread_the_fullest_counts() {
        let state = |thread: &str, messages: &str| {
            format!(
                r#"{{"values":{{"messages":[{messages}]}},"next":[],"config":{{"configurable":{{"thread_id":"{thread}"}}}},"metadata":{{"step":1}}}}"#
            )
        };
        let (whole, begun) = (format!("{ASKS},{ANSWERS}"), ASKS);
        let history = [
            state("t", &whole),
            state("t", begun),
            state("t", ""),
            state("u", begun),
        ];
        let found = [
            r#"find({"id":7}) a @0 -> "x""#,
            "---",
            r#"find({"id":7}) a @0"#,
        ];
        check("langgraph", &format!("[{}]", history.join(",")), &found);
        check("langgraph", &history.join("\n"), &found);
    }

    #[test]
    fn events_tell_what_a_model_asked_for_and_what_tools_gave() {
        let event = |kind: &str, run: &str, name: &str, data: &str| {
            format!(
                r#"{{"event":"{kind}","run_id":"{run}","name":"{name}","parent_ids":["root"],"metadata":{{}},"data":{data}}}"#
            )
        };
        let events = [
            event("on_chain_start", "1", "agent", "{}"),
            event(
                "on_chat_model_end",
                "2",
                "m",
                &format!(r#"{{"output":{ASKS},"input":{{"messages":[[]]}}}}"#),
            ),
            event(
                "on_chain_end",
                "1",
                "agent",
                &format!(r#"{{"output":{{"messages":[{ASKS}]}}}}"#),
            ),
            event("on_tool_start", "3", "find", r#"{"input":{"id":7}}"#),
            event(
                "on_tool_end",
                "3",
                "find",
                &format!(r#"{{"output":{ANSWERS}}}"#),
            ),
            event("on_tool_start", "4", "look", r#"{"input":{"n":1}}"#),
            event("on_tool_error", "4", "look", r#"{"error":"gone"}"#),
        ];
        let found = [
            r#"find({"id":7}) a @0 -> "x""#,
            r#"look({"n":1}) @1 error "gone""#,
        ];
        check("langgraph", &events.join("\n"), &found);
        check("langgraph", &format!("[{}]", events.join(",")), &found);
    }

    #[test]
    fn parts_of_a_stream_are_one_run() {
        let found = [r#"find({"id":7}) a @0 -> "x""#];
        let state = |messages: &str| format!(r#"{{"messages":[{messages}]}}"#);
        let whole = state(&format!("{ASKS},{ANSWERS}"));
        let task = |result: &str| {
            format!(r#"{{"id":"1","name":"n","error":null,"result":{result},"interrupts":[]}}"#)
        };
        let streams = [
            vec![
                format!(r#"["values",{}]"#, state(ASKS)),
                format!(r#"["custom",{{"n":1}}]"#),
                format!(r#"["values",{whole}]"#),
            ],
            vec![
                r#"{"event":"metadata","data":{"run_id":"1"}}"#.to_owned(),
                format!(
                    r#"{{"event":"updates","data":{{"agent":{}}}}}"#,
                    state(ASKS)
                ),
                format!(
                    r#"{{"event":"updates","data":{{"tools":{}}}}}"#,
                    state(ANSWERS)
                ),
                r#"{"event":"end","data":null}"#.to_owned(),
            ],
            vec![
                task(&state(ASKS)),
                task(&format!(r#"[["messages",[{ANSWERS}]]]"#)),
            ],
        ];
        for parts in streams {
            check("langgraph", &parts.join("\n"), &found);
            check("langgraph", &format!("[{}]", parts.join(",")), &found);
        }
    }

    fn of_visits(text: &str) -> Vec<String> {
        let choices = Choices {
            calls: CallSubject::Nodes,
            ..Choices::default()
        };
        shown("langgraph", text, choices)
    }

    #[test]
    fn a_history_tells_the_nodes_that_came_next() {
        let state = |step: i32, next: &str| {
            format!(
                r#"{{"values":{{"messages":[]}},"next":[{next}],"metadata":{{"step":{step}}},"config":{{"configurable":{{"thread_id":"t"}}}}}}"#
            )
        };
        let history = [
            state(3, r#""waits""#),
            state(2, r#""agent""#),
            state(1, r#""tools","note""#),
            state(0, r#""agent""#),
            state(-1, r#""__start__""#),
        ];
        assert_eq!(
            of_visits(&history.join("\n")),
            [
                "agent(?)",
                "tools(?)",
                "note(?)",
                "agent(?)",
                "1 internal to the framework"
            ]
        );
    }

    #[test]
    fn events_tell_when_nodes_begin_and_whose_calls_are() {
        let event = |kind: &str, run: u8, name: &str, node: &str, data: &str| {
            format!(
                r#"{{"event":"{kind}","run_id":"{run}","name":"{name}","parent_ids":["root"],"metadata":{{"langgraph_node":"{node}","langgraph_checkpoint_ns":"{node}:1"}},"data":{data}}}"#
            )
        };
        let events = [
            event(
                "on_chain_start",
                1,
                "agent",
                "agent",
                r#"{"input":{"n":1}}"#,
            ),
            event("on_chain_start", 2, "condition", "agent", "{}"),
            event(
                "on_chat_model_end",
                3,
                "m",
                "agent",
                &format!(r#"{{"output":{ASKS}}}"#),
            ),
            event("on_chain_start", 4, "tools", "tools", "{}"),
            event("on_tool_start", 5, "look", "tools", r#"{"input":{}}"#),
        ];
        let text = events.join("\n");
        assert_eq!(of_visits(&text), [r#"agent({"n":1})"#, "tools(?)"]);
        let choices = Choices {
            scope: CaseScope::Node,
            ..Choices::default()
        };
        assert_eq!(
            shown("langgraph", &text, choices),
            [r#"find({"id":7}) a @0"#, "---", "look({}) @1"]
        );
    }
}
