//! Parts of `LangGraph` streams: `graph.stream(…)` in one or several modes, and the events of its API.
//!
//! Parts of several modes or subgraphs have a mode and a namespace around their data, and states and updates repeat earlier messages. Here
//! a stream becomes the plain form that the readers of messages take: each message once.

use std::collections::HashMap;

use crate::messages::dialects::langchain;
use crate::messages::states::{State, id_of, is_message};
use crate::messages::updates::Updates;
use crate::node::Node;

/// The modes of streams. Those after `messages` repeat the data of the others, or have the user's own data.
const MODES: [&str; 7] = [
    "values",
    "updates",
    "messages",
    "custom",
    "tasks",
    "checkpoints",
    "debug",
];

/// Events of the API without data of the graph.
const OTHER_EVENTS: [&str; 4] = ["metadata", "end", "error", "heartbeat"];

/// True for a part of a stream with messages, or of a kind that only `LangGraph` writes.
pub(crate) fn is_part(value: &Node<'_>) -> bool {
    StreamPart::of(value).is_some_and(|part| match part.mode() {
        "tasks" | "checkpoints" => true,
        _ => part.data.is_some_and(holds_message),
    })
}

/// True for any part of a stream.
pub(crate) fn may_be_part(value: &Node<'_>) -> bool {
    StreamPart::of(value).is_some()
}

/// The runs of a stream, each with the JSON text of its messages: each once, in the order of their first appearance and in their last
/// version. Empty if these aren't parts of a stream with messages.
pub(crate) fn runs(items: &[Node<'_>]) -> Vec<String> {
    let parts: Option<Vec<_>> = items.iter().map(StreamPart::of).collect();
    let mut runs: Vec<Vec<StreamPart<'_, '_>>> = Vec::new();
    let (mut last, mut updates) = (State::default(), Updates::default());
    for part in parts.unwrap_or_default() {
        let state = part.state();
        let update = part.update();
        let begins = part.begins_run()
            || state.as_ref().is_some_and(|it| it.follows_no(&last))
            || update.is_some_and(|it| updates.begin_again(it));
        if begins || runs.is_empty() {
            runs.push(Vec::new());
            (last, updates) = (State::default(), Updates::default());
        }
        update.into_iter().for_each(|it| updates.add(it));
        last = state.unwrap_or(last);
        runs.last_mut().expect("a run was begun").push(part);
    }
    runs.iter()
        .filter_map(|parts| plain_messages(parts))
        .collect()
}

/// The messages of a run. The modes repeat each other's messages, so one counts, or all if every message has an id.
fn plain_messages(parts: &[StreamPart<'_, '_>]) -> Option<String> {
    const WHOLE: [&str; 4] = ["values", "updates", "checkpoints", "tasks"];
    let of_modes = |modes: &[&str]| -> Vec<&Node<'_>> {
        let parts = parts.iter().filter(|part| modes.contains(&part.mode()));
        parts.filter_map(|part| part.data).collect()
    };
    let messages_of = |modes: &[&str]| {
        let mut messages = Messages::default();
        of_modes(modes)
            .into_iter()
            .for_each(|data| messages.add(data));
        messages.list
    };
    // The API sends lists of messages, others a message with its metadata.
    let streamed = of_modes(&["messages"]);
    let is_list = |data: &&&Node<'_>| data.items().iter().all(is_message);
    let are_lists = streamed.iter().all(|data| is_list(&data));
    let all = if are_lists {
        messages_of(&[&WHOLE[..], &["messages"]].concat())
    } else {
        messages_of(&WHOLE)
    };
    if all.iter().all(|message| id_of(message).is_some()) && !all.is_empty() {
        return Some(list_of(all.into_iter()));
    }
    let mut modes = WHOLE.iter().map(|mode| messages_of(&[*mode]));
    if let Some(messages) = modes.find(|messages| !messages.is_empty()) {
        return Some(list_of(messages.into_iter()));
    }
    if streamed.iter().any(|data| is_list(&data)) {
        return Some(list_of(messages_of(&["messages"]).into_iter()));
    }
    (!streamed.is_empty()).then(|| list_of(streamed.into_iter()))
}

/// An item of a stream.
struct StreamPart<'n, 'a> {
    /// `None` for a stream of one mode.
    mode: Option<&'n str>,
    /// True for a part of a subgraph.
    is_inner: bool,
    /// `None` for a part without data of the graph.
    data: Option<&'n Node<'a>>,
}

impl<'n, 'a> StreamPart<'n, 'a> {
    /// `(mode, data)`, `(namespace, data)`, `(namespace, mode, data)`, an object of version v2, an event of the API, or the data of the
    /// modes `tasks` and `debug` alone.
    fn of(item: &'n Node<'a>) -> Option<Self> {
        let mode_of = |node: &'n Node<'a>| node.str().filter(|mode| MODES.contains(mode));
        let is_path =
            |node: &Node<'_>| node.is_list() && node.items().iter().all(|it| it.str().is_some());
        let (mode, is_inner, data) = match item.items() {
            [first, data] if mode_of(first).is_some() => (mode_of(first), false, data),
            [first, data] if is_path(first) => (None, !first.items().is_empty(), data),
            [first, second, data] if is_path(first) && mode_of(second).is_some() => {
                (mode_of(second), !first.items().is_empty(), data)
            }
            _ if item.get("ns").is_some_and(is_path) => {
                let is_inner = !item.list("ns").is_empty();
                (
                    Some(mode_of(item.get("type")?)?),
                    is_inner,
                    item.get("data")?,
                )
            }
            _ if mode_of_event(item).is_some() => {
                let is_inner = item.str_at("event")?.contains('|');
                return Some(Self::from_data(
                    mode_of_event(item),
                    is_inner,
                    item.get("data"),
                ));
            }
            _ if is_debug(item) => (Some("debug"), false, item),
            _ if is_task(item) => (Some("tasks"), false, item),
            _ => return None,
        };
        Some(Self::from_data(mode, is_inner, Some(data)))
    }

    /// Looks into the data of the modes that wrap it.
    fn from_data(mode: Option<&'n str>, is_inner: bool, data: Option<&'n Node<'a>>) -> Self {
        let within = |path: &[&str]| data.and_then(|data| data.at(path));
        let (mode, data) = match mode {
            Some("tasks") => (mode, within(&["result"])),
            Some("checkpoints") => (mode, within(&["values"])),
            Some("debug") if within(&["type"]).and_then(Node::str) == Some("checkpoint") => {
                (Some("checkpoints"), within(&["payload", "values"]))
            }
            Some("debug") => (Some("tasks"), within(&["payload", "result"])),
            _ => (mode, data),
        };
        Self {
            mode,
            is_inner,
            data,
        }
    }

    fn mode(&self) -> &str {
        let of_data = || {
            if self.data.is_some_and(Node::is_list) {
                "messages"
            } else {
                "updates"
            }
        };
        self.mode.unwrap_or_else(of_data)
    }

    /// True for the event with the id of a run, which comes first.
    fn begins_run(&self) -> bool {
        self.mode == Some("metadata") && self.data.is_some_and(|data| data.has("run_id"))
    }

    /// The update by a node of the whole graph.
    fn update(&self) -> Option<&'n Node<'a>> {
        self.data
            .filter(|_| self.mode() == "updates" && !self.is_inner)
    }

    /// The state of the whole graph, if the part has one whose messages have ids.
    fn state(&self) -> Option<State> {
        let is_state = matches!(self.mode(), "values" | "checkpoints") && !self.is_inner;
        self.data.filter(|_| is_state).and_then(State::from_node)
    }
}

/// The mode of `{"event": "values", "data": …}`; other events have the id of a run too.
fn mode_of_event<'n>(item: &'n Node<'_>) -> Option<&'n str> {
    let mode = item.str_at("event")?.split(['|', '/']).next()?;
    let is_known = MODES.contains(&mode) || OTHER_EVENTS.contains(&mode);
    (is_known && item.has("data") && !item.has("run_id")).then_some(mode)
}

/// The data of the mode `debug`: an event with the number of the graph's step.
fn is_debug(item: &Node<'_>) -> bool {
    let kinds = ["task", "task_result", "checkpoint"];
    let is_known = item.str_at("type").is_some_and(|it| kinds.contains(&it));
    is_known && item.has("step") && item.get("payload").is_some_and(Node::is_object)
}

/// The data of the mode `tasks`: a task of the graph that begins or ended.
fn is_task(item: &Node<'_>) -> bool {
    let is_begun = item.has("triggers") && item.has("input");
    let is_ended = item.has("interrupts") && item.has("result");
    item.has("id") && item.has("name") && (is_begun || is_ended)
}

/// Messages, each once.
#[derive(Default)]
struct Messages<'n, 'a> {
    list: Vec<&'n Node<'a>>,
    /// The place of each message, by its id or else its text.
    places: HashMap<&'a str, usize>,
}

impl<'n, 'a> Messages<'n, 'a> {
    /// Adds the messages in a state or an update; a message with a known id replaces the one before.
    fn add(&mut self, data: &'n Node<'a>) {
        if is_message(data) {
            let place = *self.places.entry(identity(data)).or_insert(self.list.len());
            match self.list.get_mut(place) {
                Some(known) => *known = data,
                None => self.list.push(data),
            }
        } else if let Some(messages) = data.get("messages") {
            self.add(messages);
        } else {
            let values = data.entries().iter().map(|(_, value)| value);
            data.items()
                .iter()
                .chain(values)
                .for_each(|it| self.add(it));
        }
    }
}

fn holds_message(data: &Node<'_>) -> bool {
    let mut messages = Messages::default();
    messages.add(data);
    messages.list.into_iter().any(langchain::decides)
}

/// The id of a message, or else its text.
fn identity<'a>(message: &Node<'a>) -> &'a str {
    id_of(message).unwrap_or(message).raw()
}

fn list_of<'n, 'a: 'n>(nodes: impl Iterator<Item = &'n Node<'a>>) -> String {
    let texts: Vec<_> = nodes.map(Node::raw).collect();
    format!("[{}]", texts.join(","))
}

#[cfg(test)]
mod tests {
    use super::runs;
    use crate::node::Node;

    const ASK: &str = r#"{"type":"human","content":"go","id":"h"}"#;
    const CALL: &str = r#"{"type":"ai","content":"","id":"a","tool_calls":[{"name":"find","args":{"id":7},"id":"c"}]}"#;
    const EDITED: &str = r#"{"type":"ai","content":"","id":"a","tool_calls":[{"name":"find","args":{"id":8},"id":"c"}]}"#;
    const RESULT: &str = r#"{"type":"tool","content":"x","id":"t","tool_call_id":"c"}"#;

    /// The stream has these runs, each with its messages.
    fn check_runs(stream: &str, expected: &[&[&str]]) {
        let value = Node::parse(stream, 64).expect("a valid stream");
        let plain = |messages: &&[&str]| format!("[{}]", messages.join(","));
        let expected: Vec<_> = expected.iter().map(plain).collect();
        assert_eq!(runs(value.items()), expected, "{stream}");
    }

    /// The stream has one run with these messages; none if it is no stream.
    fn check(stream: &str, messages: &[&str]) {
        let runs: &[&[&str]] = if messages.is_empty() {
            &[]
        } else {
            &[messages]
        };
        check_runs(stream, runs);
    }

    fn state(messages: &[&str]) -> String {
        format!(r#"{{"messages":[{}],"n":1}}"#, messages.join(","))
    }

    #[test]
    fn of_states_that_go_on_the_last_counts() {
        let states = [
            state(&[ASK]),
            state(&[ASK, CALL]),
            state(&[ASK, EDITED, RESULT]),
        ];
        let v2 = states.map(|data| format!(r#"{{"type":"values","ns":[],"data":{data}}}"#));
        check(&format!("[{}]", v2.join(",")), &[ASK, EDITED, RESULT]);
    }

    #[test]
    fn a_state_of_other_messages_or_of_the_first_again_begins_a_run() {
        let part = |messages: &[&str]| format!(r#"["values",{}]"#, state(messages));
        let other = CALL.replace(r#""id":"a""#, r#""id":"b""#);
        let states = [&[ASK][..], &[ASK, CALL], &[ASK], &[ASK, CALL], &[&other]].map(part);
        check_runs(
            &format!("[{}]", states.join(",")),
            &[&[ASK, CALL], &[ASK, CALL], &[&other]],
        );
        let event = |event: &str, data: &str| format!(r#"{{"event":"{event}","data":{data}}}"#);
        let listed = format!("[{CALL}]");
        let partial = [&listed, &listed].map(|list| event("messages/partial", list));
        check(&format!("[{}]", partial.join(",")), &[CALL]);
        let events = [
            event("metadata", r#"{"run_id":"1"}"#),
            event("values", &state(&[ASK, CALL])),
            event("metadata", r#"{"run_id":"2"}"#),
            event("values|sub:1", &state(&[RESULT])),
            event("end", "null"),
        ];
        check_runs(
            &format!("[{}]", events.join(",")),
            &[&[ASK, CALL], &[RESULT]],
        );
    }

    #[test]
    fn of_tasks_the_results_count() {
        let begun = format!(
            r#"{{"id":"1","name":"agent","input":{},"triggers":[],"interrupts":[]}}"#,
            state(&[ASK])
        );
        let ended = |messages: &str| {
            format!(
                r#"{{"id":"1","name":"agent","error":null,"result":{messages},"interrupts":[]}}"#
            )
        };
        let pairs = ended(&format!(r#"[["messages",[{CALL}]]]"#));
        let update = ended(&format!(r#"{{"messages":[{RESULT}]}}"#));
        check(&format!("[{begun},{pairs},{update}]"), &[CALL, RESULT]);
        check(
            &format!(r#"[["tasks",{begun}],["tasks",{pairs}]]"#),
            &[CALL],
        );
        let debug = |kind: &str, payload: &str| {
            format!(r#"{{"type":"{kind}","timestamp":"2025","step":1,"payload":{payload}}}"#)
        };
        let checkpoint = debug("checkpoint", &format!(r#"{{"values":{}}}"#, state(&[ASK])));
        let tasks = format!("{},{}", debug("task", &begun), debug("task_result", &pairs));
        check(&format!("[{tasks}]"), &[CALL]);
        check(&format!("[{checkpoint},{tasks}]"), &[ASK, CALL]);
    }

    #[test]
    fn other_lists_are_no_stream() {
        let one = state(&[ASK, CALL]);
        for list in [
            "[]",
            &format!("[{one}]"),
            &format!("[{ASK},{CALL}]"),
            r#"[{"n":1},{"n":2}]"#,
            r#"[{"event":"values","run_id":"1","data":{}}]"#,
        ] {
            check(list, &[]);
        }
    }

    #[test]
    fn of_several_modes_one_is_read() {
        let update = |node: &str, messages: &[&str]| format!(r#"{{"{node}":{}}}"#, state(messages));
        let (agent, tools) = (update("agent", &[CALL]), update("tools", &[CALL, RESULT]));
        let streamed = format!(r#"[{CALL},{{"langgraph_node":"agent"}}]"#);
        let parts = format!(
            r#"["messages",{streamed}],["updates",{agent}],["updates",{tools}],["custom",{{"n":1}}]"#
        );
        check(&format!("[{parts}]"), &[CALL, RESULT]);
        check(
            &format!(r#"[["values",{}],{parts}]"#, state(&[ASK])),
            &[ASK, CALL, RESULT],
        );
        let nameless = r#"{"type":"human","content":"go"}"#;
        check(
            &format!(r#"[["values",{}],{parts}]"#, state(&[nameless])),
            &[nameless],
        );
        check(
            &format!(r#"[[[],{agent}],[["sub:1"],"updates",{tools}]]"#),
            &[CALL, RESULT],
        );
        check(&format!("[[[],{streamed}]]"), &[&streamed]);
        check(r#"[["custom",{"n":1}]]"#, &[]);
    }

    #[test]
    fn an_update_may_have_one_message_or_another_key() {
        check(
            &format!(
                r#"[[[],{{"agent":{{"messages":{CALL}}}}}],[[],{{"tools":[{{"chat":[{RESULT}]}},null]}}]]"#
            ),
            &[CALL, RESULT],
        );
    }
}
