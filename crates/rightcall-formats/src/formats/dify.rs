//! Messages and streams of Dify's agents.

use rightcall_core::value::{MAX_DEPTH, Text};

use crate::format::{Format, FoundTraces, Priority, Reading, Recognition, TraceReader, ValuePlace};
use crate::messages::{json_text, output_of};
use crate::node::Node;
use crate::trace::{Conversation, Doubt, Scope, Trace, TraceArguments, TraceCall};

pub(super) static ENTRY: Format = Format {
    name: "dify",
    title: "Dify messages and streams",
    summary: "messages with `agent_thoughts`, and events such as `agent_thought` with `task_id` and `message_id`",
    reads: &[
        ("calls", "`tool` of each thought, several names joined by `;`"),
        ("arguments", "`tool_input`, an object by the names of tools, or that of the only tool"),
        ("results", "`observation`, in the same form"),
        ("question", "`query`"),
    ],
    lacks: &["ids", "times", "whether a result is an error", "all but the last call, where a thought calls a tool twice"],
    notes: "Messages as the API lists them, and the events of a stream. A message is a run. Of a stream, the last event of each thought counts. Nodes
of workflows are not read.",
    extensions: &["json", "jsonl"],
    example: r#"{"id":"m1","conversation_id":"v1","query":"Where is order 7?","answer":"It has shipped.","agent_thoughts":[{"id":"t1","message_id":"m1","position":1,"thought":"","tool":"find_order","tool_input":"{\"find_order\": {\"id\": 7}}","observation":"{\"find_order\": \"shipped\"}"},{"id":"t2","message_id":"m1","position":2,"thought":"It has shipped.","tool":"","tool_input":"","observation":""}]}
"#,
    priority: Priority::Document,
    reading: Reading::Traces(
        |value| {
            let record = value.first_record();
            Recognition::certain_if(is_message(record) || is_event(record))
        },
        |scope| Box::new(Messages { scope, open: None }),
    ),
};

/// The key of the thoughts in a message.
const THOUGHTS: &str = "agent_thoughts";

fn is_message(value: &Node<'_>) -> bool {
    let is_thought = |it: &Node<'_>| it.has_any(&["thought", "tool_input", "message_id"]);
    let thoughts = value.get(THOUGHTS).filter(|it| it.is_list());
    let is_own = thoughts.is_some_and(|it| it.items().iter().all(is_thought));
    is_own && value.has_any(&["query", "answer", "conversation_id"])
}

fn is_event(value: &Node<'_>) -> bool {
    let is_thought = value.says("event", "agent_thought") && value.has("position");
    let is_of_chat = value.has("message_id") && value.has("conversation_id");
    value.str_at("event").is_some() && value.has("task_id") && (is_thought || is_of_chat)
}

/// A list holds messages or events.
struct Messages {
    scope: Scope,
    /// The message that a stream is about.
    open: Option<Streamed>,
}

/// A streamed message.
struct Streamed {
    line: u64,
    id: Option<Text<'static>>,
    /// The last event of each thought, by its id, as JSON text.
    thoughts: Vec<(Option<Text<'static>>, String)>,
    conversation: Conversation,
}

impl Messages {
    fn event(&mut self, event: &Node<'_>, line: u64, found: &mut FoundTraces) {
        let id = event.label_at(&["message_id"]);
        let is_over = |open: &Streamed| open.id.is_some() && id.is_some() && open.id != id;
        if self.open.as_ref().is_some_and(is_over) {
            self.end(found);
        }
        let scope = self.scope;
        let open = self.open.get_or_insert_with(|| Streamed {
            line,
            id: None,
            thoughts: Vec::new(),
            conversation: Conversation::new(scope),
        });
        open.id = open.id.take().or(id);
        match event.str_at("event").unwrap_or_default() {
            "agent_thought" => {
                let id = event.label_at(&["id"]);
                let known =
                    |(known, _): &&mut (Option<Text<'_>>, String)| id.is_some() && *known == id;
                let thought = event.raw().to_owned();
                match open.thoughts.iter_mut().find(known) {
                    Some((_, last)) => *last = thought,
                    None => open.thoughts.push((id, thought)),
                }
            }
            "agent_message" | "message" | "message_end" | "message_replace" | "ping"
            | "tts_message" => {}
            "error" => open
                .conversation
                .left_over("a stream that ended by an error"),
            kind if kind.starts_with("node_") || kind == "agent_log" => {
                let node = event.at(&["data", "node_type"]).and_then(Node::str);
                if matches!(node, None | Some("tool" | "agent")) {
                    open.conversation.left_over("a node of a workflow");
                }
            }
            _ => open.conversation.look(event, 0, Doubt::SameName),
        }
    }

    fn end(&mut self, found: &mut FoundTraces) {
        let Some(mut open) = self.open.take() else {
            return;
        };
        for (_, thought) in &open.thoughts {
            if let Ok(node) = Node::parse(thought, MAX_DEPTH) {
                open.conversation
                    .part(&node, |conversation| self::thought(&node, conversation));
            }
        }
        open.conversation.trace().id = open.id;
        found.trace(open.line, open.conversation.finish());
    }
}

impl TraceReader for Messages {
    fn value(&mut self, value: &Node<'_>, place: ValuePlace, found: &mut FoundTraces) {
        for item in value.items_or_self() {
            if is_message(item) {
                self.end(found);
                found.trace(place.line, message(item, self.scope));
            } else if item.str_at("event").is_some() {
                self.event(item, place.line, found);
            } else {
                found.unknown(place.line, item);
            }
        }
    }

    fn finish(&mut self, found: &mut FoundTraces) -> bool {
        self.end(found);
        false
    }
}

fn message(message: &Node<'_>, scope: Scope) -> Trace {
    let mut conversation = Conversation::new(scope);
    conversation.trace().id = message.label_at(&["id", "message_id"]);
    let question = message.get("query").and_then(Node::text);
    conversation.trace().input = question.map(json_text);
    for item in message.list(THOUGHTS) {
        conversation.part(item, |conversation| thought(item, conversation));
    }
    conversation.look_into(message.get("answer"));
    conversation.finish_record(message, &message.keys_of_lists(&[THOUGHTS]))
}

/// Reads a thought: what the agent said, and the calls it made.
fn thought(thought: &Node<'_>, conversation: &mut Conversation) {
    let names: Vec<_> = thought
        .str_at("tool")
        .unwrap_or_default()
        .split(';')
        .collect();
    let names: Vec<_> = names
        .into_iter()
        .filter(|name| !name.trim().is_empty())
        .collect();
    conversation.message();
    let is_text = |key: &str| thought.str_at(key).is_some_and(|text| !text.is_empty());
    if is_text("thought") || thought.has("tool") {
        conversation.agent_spoke();
    }
    if names.is_empty() && is_text("observation") {
        conversation.left_over("a result without a call");
    }
    let (input, observation) = (
        opened(thought, "tool_input"),
        opened(thought, "observation"),
    );
    for (place, name) in names.iter().enumerate() {
        // An object has one value for each name, the last.
        let is_last = !names[place + 1..].contains(name);
        let value = |of: &Option<String>| {
            let json = of.as_deref().filter(|_| is_last)?;
            let node = Node::parse(json, MAX_DEPTH).ok()?;
            let are_by_name = |(key, _): &(Text<'_>, Node<'_>)| names.iter().any(|it| *key == **it);
            let is_by_name = node.is_object() && node.entries().iter().all(are_by_name);
            let of_name = if is_by_name { node.get(name) } else { None };
            let only = || Some(&node).filter(|_| names.len() == 1 && !is_by_name);
            of_name.or_else(only).map(|it| it.raw().to_owned())
        };
        let arguments = value(&input).map(|json| arguments(&json));
        conversation.call(TraceCall {
            name: Text::from((*name).to_owned()),
            arguments: arguments.unwrap_or_default(),
            output: value(&observation),
            ..TraceCall::default()
        });
    }
}

/// The value of a member as JSON text, decoded if it is text that holds a value; `None` if it is empty.
fn opened(thought: &Node<'_>, key: &str) -> Option<String> {
    let member = thought.get(key)?;
    let Some(text) = member.str() else {
        return Some(member.raw().to_owned());
    };
    let is_value =
        text.trim_start().starts_with(['{', '[']) && Node::parse(text, MAX_DEPTH).is_ok();
    match text {
        "" => None,
        text if is_value => Some(text.to_owned()),
        _ => Some(output_of(member)),
    }
}

fn arguments(json: &str) -> TraceArguments {
    let Ok(node) = Node::parse(json, MAX_DEPTH) else {
        return TraceArguments::Absent;
    };
    match node
        .text()
        .filter(|text| !text.as_bytes().starts_with(b"{"))
    {
        Some(text) => TraceArguments::Free(text.clone().into_owned()),
        None => TraceArguments::from_node(&node),
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::{check, evidence};

    fn message(thoughts: &str) -> String {
        format!(
            r#"{{"id":"m","conversation_id":"v","query":"q","answer":"a","agent_thoughts":[{thoughts}]}}"#
        )
    }

    #[test]
    fn a_thought_names_the_input_and_the_result_of_each_tool() {
        let two = r#"{"id":"t","message_id":"m","thought":"","tool":"find;pay","tool_input":"{\"find\": {\"id\": 7}, \"pay\": {}}","observation":"{\"find\": \"x\", \"pay\": {\"ok\": true}}"}"#;
        check(
            "dify",
            &message(two),
            &[
                r#"find({"id": 7}) @0 group-1 -> "x""#,
                r#"pay({}) @0 group-1 -> {"ok": true}"#,
            ],
        );
        let twice = r#"{"id":"t","message_id":"m","thought":"","tool":"find;find","tool_input":"{\"find\": {\"id\": 8}}","observation":"gone"}"#;
        check(
            "dify",
            &message(twice),
            &["find(?) @0 group-1", r#"find({"id": 8}) @0 group-1"#],
        );
        let plain = r#"{"id":"t","message_id":"m","thought":"","tool":"find","tool_input":"order 7","observation":"gone"}"#;
        check(
            "dify",
            &message(plain),
            &[r#"find(free "order 7") @0 -> "gone""#],
        );
    }

    #[test]
    fn the_last_event_of_a_thought_counts() {
        let event = |kind: &str, rest: &str| {
            format!(
                r#"data: {{"event":"{kind}","task_id":"k","message_id":"m","conversation_id":"v",{rest}}}"#
            )
        };
        let thought = |input: &str, observation: &str| {
            event(
                "agent_thought",
                &format!(
                    r#""id":"t","position":1,"thought":"","tool":"find","tool_input":"{input}","observation":"{observation}""#
                ),
            )
        };
        let answer = event("agent_message", r#""answer":"x""#);
        let lines = [
            thought("", ""),
            thought(r#"{\"find\":{\"id\":7}}"#, ""),
            thought(r#"{\"find\":{\"id\":7}}"#, r#"{\"find\":\"x\"}"#),
            answer.clone(),
        ];
        check(
            "dify",
            &lines.join("\n\n"),
            &[r#"find({"id":7}) @0 -> "x""#],
        );
        let node = event(
            "node_finished",
            r#""data":{"node_type":"tool","title":"Find","inputs":{"id":7}}"#,
        );
        assert_eq!(
            evidence("dify", &format!("{node}\n\n{answer}")),
            ["silent", "1 a node of a workflow"]
        );
    }

    #[test]
    fn a_message_without_thoughts_is_not_recorded() {
        assert_eq!(evidence("dify", &message("")), ["silent"]);
        let said = r#"{"id":"t","message_id":"m","thought":"Hi","tool":"","tool_input":"","observation":""}"#;
        assert_eq!(evidence("dify", &message(said)), ["spoke"]);
    }
}
