//! `LangGraph` streams as a list: `list(graph.stream(…))` in one or several modes.
//!
//! Items of several modes or subgraphs have a mode and a namespace around their data, and states and updates repeat earlier messages. Here
//! a stream becomes the plain form that the readers of messages take: each message once.

use std::collections::HashMap;

use crate::messages::dialects::langchain;
use crate::node::Node;
use crate::trace::role::body;

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

/// The messages of a stream as JSON text: each once, in the order of their first appearance and in their last version. `None` if the value
/// is no stream, or a stream that other readers take as it is.
pub(crate) fn plain_messages(value: &Node<'_>) -> Option<String> {
    let items = value.items();
    let parts: Option<Vec<_>> = items.iter().map(StreamPart::of).collect();
    let Some(parts) = parts else {
        return last_state(items);
    };
    let of_mode = |mode: &str| -> Vec<&Node<'_>> {
        let parts = parts.iter().filter(|part| part.mode() == mode);
        parts.map(|part| part.data).collect()
    };
    let mut messages = Messages::default();
    for mode in ["values", "updates"] {
        of_mode(mode)
            .into_iter()
            .for_each(|data| messages.add(data));
        if !messages.list.is_empty() {
            return Some(list_of(messages.list.into_iter()));
        }
    }
    let streamed = of_mode("messages");
    (!streamed.is_empty()).then(|| list_of(streamed.into_iter()))
}

/// An item of a stream with its mode or namespace.
struct StreamPart<'n, 'a> {
    /// `None` for a stream of one mode.
    mode: Option<&'n str>,
    data: &'n Node<'a>,
}

impl<'n, 'a> StreamPart<'n, 'a> {
    /// `(mode, data)`, `(namespace, data)`, `(namespace, mode, data)`, or an object of version v2.
    fn of(item: &'n Node<'a>) -> Option<Self> {
        let mode = |node: &'n Node<'a>| node.str().filter(|mode| MODES.contains(mode));
        let is_path =
            |node: &Node<'_>| node.is_list() && node.items().iter().all(|it| it.str().is_some());
        match item.items() {
            [first, data] if mode(first).is_some() => Some((mode(first), data)),
            [first, data] if is_path(first) => Some((None, data)),
            [first, second, data] if is_path(first) && mode(second).is_some() => {
                Some((mode(second), data))
            }
            _ if item.get("ns").is_some_and(is_path) => {
                Some((Some(mode(item.get("type")?)?), item.get("data")?))
            }
            _ => None,
        }
        .map(|(mode, data)| Self { mode, data })
    }

    fn mode(&self) -> &str {
        let of_data = if self.data.is_list() {
            "messages"
        } else {
            "updates"
        };
        self.mode.unwrap_or(of_data)
    }
}

/// The messages of the last state, if the items are states of one run: each begins with the messages of the one before.
fn last_state(items: &[Node<'_>]) -> Option<String> {
    let mut last = Messages::default();
    for item in items {
        let mut state = Messages::default();
        if is_message(item) {
            return None;
        }
        state.add(item);
        let is_state = !state.list.is_empty() || item.has("messages");
        if !is_state || !state.has_ids || !state.identities().starts_with(&last.identities()) {
            return None;
        }
        last = state;
    }
    (items.len() > 1 && !last.list.is_empty()).then(|| list_of(last.list.into_iter()))
}

/// Messages, each once.
struct Messages<'n, 'a> {
    list: Vec<&'n Node<'a>>,
    /// The place of each message, by its id or else its text.
    places: HashMap<&'a str, usize>,
    has_ids: bool,
}

impl Default for Messages<'_, '_> {
    fn default() -> Self {
        Self {
            list: Vec::new(),
            places: HashMap::new(),
            has_ids: true,
        }
    }
}

impl<'n, 'a> Messages<'n, 'a> {
    /// Adds the messages in a state or an update; a message with a known id replaces the one before.
    fn add(&mut self, data: &'n Node<'a>) {
        if is_message(data) {
            self.has_ids &= id_of(data).is_some();
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

    fn identities(&self) -> Vec<&'a str> {
        self.list.iter().map(|message| identity(message)).collect()
    }
}

fn id_of<'n, 'a>(message: &'n Node<'a>) -> Option<&'n Node<'a>> {
    body(message).get("id")
}

/// The id of a message, or else its text.
fn identity<'a>(message: &Node<'a>) -> &'a str {
    id_of(message).unwrap_or(message).raw()
}

fn is_message(node: &Node<'_>) -> bool {
    langchain::decides(node) || node.says("type", "system") && node.has("content")
}

fn list_of<'n, 'a: 'n>(nodes: impl Iterator<Item = &'n Node<'a>>) -> String {
    let texts: Vec<_> = nodes.map(Node::raw).collect();
    format!("[{}]", texts.join(","))
}

#[cfg(test)]
mod tests {
    use super::plain_messages;
    use crate::node::Node;

    const ASK: &str = r#"{"type":"human","content":"go","id":"h"}"#;
    const CALL: &str = r#"{"type":"ai","content":"","id":"a","tool_calls":[{"name":"find","args":{"id":7},"id":"c"}]}"#;
    const EDITED: &str = r#"{"type":"ai","content":"","id":"a","tool_calls":[{"name":"find","args":{"id":8},"id":"c"}]}"#;
    const RESULT: &str = r#"{"type":"tool","content":"x","id":"t","tool_call_id":"c"}"#;

    /// The stream has these messages in the plain form; none if it is no stream.
    fn check(stream: &str, messages: &[&str]) {
        let value = Node::parse(stream, 64).expect("a valid stream");
        let plain = (!messages.is_empty()).then(|| format!("[{}]", messages.join(",")));
        assert_eq!(plain_messages(&value), plain, "{stream}");
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
        check(&format!("[{}]", states.join(",")), &[ASK, EDITED, RESULT]);
        let v2 = states.map(|data| format!(r#"{{"type":"values","ns":[],"data":{data}}}"#));
        check(&format!("[{}]", v2.join(",")), &[ASK, EDITED, RESULT]);
    }

    #[test]
    fn other_lists_of_states_are_no_stream() {
        let (one, two) = (state(&[ASK, CALL]), state(&[RESULT]));
        check(&format!("[{one},{two}]"), &[]);
        check(&format!("[{one}]"), &[]);
        let nameless = state(&[r#"{"type":"human","content":"go"}"#]);
        check(&format!("[{nameless},{nameless}]"), &[]);
        check(&format!("[{ASK},{CALL}]"), &[]);
        for empty in [
            "[]",
            r#"[{"n":1},{"n":2}]"#,
            r#"[{"messages":[]},{"messages":[]}]"#,
        ] {
            check(empty, &[]);
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
            &[ASK],
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
