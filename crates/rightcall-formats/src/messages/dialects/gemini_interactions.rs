//! Interactions of Google's Gemini: steps, complete or streamed.

use std::collections::BTreeMap;

use rightcall_core::value::{MAX_DEPTH, Text};

use crate::format::{Format, MessageDialect, Priority, Reading, Stream};
use crate::messages::ending::{cut_off, without_call};
use crate::messages::in_text::read_said;
use crate::messages::output_of;
use crate::messages::parts::pass_over;
use crate::messages::pieces::{ArgumentPieces, is_lost_piece, piece_index};
use crate::node::Node;
use crate::trace::role::{is_of_model, model_text};
use crate::trace::{CallResult, Conversation, TraceArguments, TraceCall, failed};

static DIALECT: MessageDialect = MessageDialect {
    mark: "steps of type user_input, model_output, function_result",
    decides: |step| {
        let kind = step.str_at("type").unwrap_or_default();
        matches!(kind, "user_input" | "model_output")
            || kind.ends_with("_result") && step.has("call_id")
    },
    owns: |value| value.says("object", "interaction"),
    message: |step, conversation| self::step(&[step], None, conversation),
    is_event: |value| {
        let kind = kind(value);
        ["interaction.", "step.", "content."]
            .iter()
            .any(|start| kind.starts_with(start))
            && (value.has("index") || value.has("interaction") || value.has("interaction_id"))
    },
    stream: Some(|| Box::new(Steps::default())),
    object: Some(("interaction", &["steps", "outputs"])),
    ..MessageDialect::BASE
};

pub(super) static ENTRY: Format = Format {
    name: "gemini-interactions",
    title: "Google Gemini interactions",
    summary: "`object: interaction` with `steps`, lists of steps, and their streamed events",
    reads: &[
        ("calls", "steps of type `function_call`, and `…_call` of what the provider runs; older replies have them in `outputs`"),
        ("arguments", "`arguments`; the pieces of `arguments_delta` put together"),
        ("results", "steps of type `function_result` and `…_result`"),
        ("ids", "`id`, `call_id`"),
        ("errors", "`is_error`"),
        ("order", "the order of steps; calls with no other step between them are parallel"),
    ],
    lacks: &["times"],
    notes: "Replies of the Interactions API, the steps of a request, and streams: `step.start`, `step.delta`, `step.stop`, and `content.…` of
older ones. The steps of the last event count where no others came. What was said with `generateContent` is [`gemini`](gemini.md).",
    extensions: &["json", "jsonl"],
    example: r#"{"id":"v1_1","object":"interaction","status":"requires_action","steps":[{"type":"user_input","content":[{"type":"text","text":"q"}]},{"type":"function_call","id":"c1","name":"find_order","arguments":{"id":7}}]}"#,
    priority: Priority::Messages,
    reading: Reading::Messages(&DIALECT),
};

/// The kind of an event.
fn kind<'n>(event: &'n Node<'_>) -> &'n str {
    event
        .any(&["event_type", "type"])
        .and_then(Node::str)
        .unwrap_or_default()
}

/// The provider's tools, named by the types of steps.
const PROVIDER_TOOLS: [&str; 6] = [
    "google_search",
    "google_maps",
    "code_execution",
    "url_context",
    "file_search",
    "mcp_server_tool",
];

/// Reads a step from its start and later updates; the last value of each field counts. Arguments in pieces are passed separately.
fn step(parts: &[&Node<'_>], pieces: Option<TraceArguments>, conversation: &mut Conversation) {
    let last = |keys: &[&str]| parts.iter().rev().find_map(|part| part.any(keys));
    let Some(first) = parts.first() else { return };
    let kind = first.str_at("type").unwrap_or_default();
    let name = |tool: &str| {
        let own = parts.iter().rev().find_map(|part| part.name_at(&["name"]));
        own.or_else(|| {
            PROVIDER_TOOLS
                .contains(&tool)
                .then(|| Text::from(tool.to_owned()))
        })
    };
    if let Some(tool) = kind.strip_suffix("_call") {
        let name = name(tool);
        conversation.item();
        if name.is_none() && tool != "function" {
            return pass_over(first, conversation);
        }
        conversation.call(TraceCall {
            name: name.unwrap_or_default(),
            arguments: pieces.unwrap_or_else(|| {
                parts
                    .iter()
                    .rev()
                    .find(|part| part.has("arguments"))
                    .or(parts.last())
                    .map_or_else(TraceArguments::none, |part| {
                        TraceArguments::from_call(part, &["arguments"])
                    })
            }),
            id: last(&["id"]).and_then(Node::label),
            ..TraceCall::default().by_provider_if(tool != "function")
        });
    } else if let Some(tool) = kind.strip_suffix("_result") {
        conversation.interrupt();
        let id = last(&["call_id"]).and_then(Node::label);
        // Without an id, the type identifies the call.
        let own = last(&["name"]).and_then(Node::label);
        conversation.result(CallResult {
            name: own.or_else(|| name(tool).filter(|_| id.is_none())),
            id,
            output: last(&["result"]).map(output_of),
            error: last(&["is_error"]).is_some_and(Node::is_true).then(failed),
            ..CallResult::default()
        });
    } else if kind != "thought" {
        conversation.interrupt();
        conversation.message();
        match kind {
            "user_input" => {}
            "model_output" => {
                conversation.agent_spoke();
                let parts = first.list("content").iter();
                parts.for_each(|part| pass_over(part, conversation));
            }
            _ => pass_over(first, conversation),
        }
    }
}

/// Open steps of the stream, by index: their parts, and the pieces of their arguments.
#[derive(Default)]
struct Steps {
    open: BTreeMap<i128, (Vec<String>, ArgumentPieces)>,
    /// True once the current interaction has a step.
    has_any: bool,
    /// The number of calls before the current interaction.
    before: usize,
}

/// Reads a streamed step at its end, complete or not.
fn close((parts, pieces): (Vec<String>, ArgumentPieces), conversation: &mut Conversation) {
    let parts = parts
        .iter()
        .filter_map(|part| Node::parse(part, MAX_DEPTH).ok());
    let parts: Vec<_> = parts.collect();
    let parts: Vec<_> = parts.iter().collect();
    step(&parts, pieces.finish(), conversation);
    if parts.first().is_some_and(|begun| is_of_model(begun)) {
        let said = parts.iter().filter_map(|part| model_text(part));
        read_said(&said.collect::<String>(), conversation);
    }
}

impl Steps {
    fn close_all(&mut self, conversation: &mut Conversation) {
        for begun in std::mem::take(&mut self.open).into_values() {
            close(begun, conversation);
        }
    }

    fn close(&mut self, index: i128, conversation: &mut Conversation) {
        let ended = self.open.remove(&index);
        ended.into_iter().for_each(|it| close(it, conversation));
    }
}

impl Stream for Steps {
    fn event(&mut self, event: &Node<'_>, conversation: &mut Conversation) {
        let index = piece_index(event, &self.open);
        let (of, what) = kind(event).split_once('.').unwrap_or_default();
        match (of, what) {
            ("interaction", "created" | "start") => {
                self.end(conversation);
                conversation.interrupt();
                self.before = conversation.calls_read();
                let trace = conversation.trace();
                trace.id = trace
                    .id
                    .take()
                    .or_else(|| event.get("interaction")?.label_at(&["id"]));
            }
            ("interaction", "completed" | "complete" | "requires_action") => {
                let has_any = std::mem::take(&mut self.has_any);
                let whole = event
                    .get("interaction")
                    .and_then(|it| it.any(&["steps", "outputs"]));
                // The final event repeats the steps, so they are read only if none was streamed.
                if let Some(whole) = whole.filter(|_| !has_any) {
                    for it in whole.items() {
                        step(&[it], None, conversation);
                    }
                }
                self.close_all(conversation);
                let is_asked = what == "requires_action"
                    || event.at(&["interaction", "status"]).and_then(Node::str)
                        == Some("requires_action");
                if is_asked && conversation.calls_read() == self.before {
                    without_call("requires_action", conversation);
                } else {
                    conversation.agent_spoke();
                }
            }
            ("step" | "content", "start") => {
                let index = event.whole_at("index").unwrap_or_default();
                self.close(index, conversation);
                self.has_any = true;
                let begun = event
                    .any(&["step", "content"])
                    .map(|begun| begun.raw().to_owned());
                self.open.insert(
                    index,
                    (begun.into_iter().collect(), ArgumentPieces::default()),
                );
            }
            ("step" | "content", "delta") => {
                let (Some((parts, pieces)), Some(delta)) =
                    (self.open.get_mut(&index), event.get("delta"))
                else {
                    return self.pass(event);
                };
                let piece = delta.any(&["arguments", "partial_arguments"]);
                match piece.filter(|piece| piece.text().is_some()) {
                    Some(text) => pieces.push(Some(text)),
                    None => parts.push(delta.raw().to_owned()),
                }
            }
            ("step" | "content", "stop") => self.close(index, conversation),
            _ => {}
        }
    }

    fn pass(&mut self, value: &Node<'_>) {
        if is_lost_piece(value) {
            self.open
                .values_mut()
                .for_each(|(_, pieces)| pieces.push(None));
        }
    }

    fn end(&mut self, conversation: &mut Conversation) {
        // A step without a stop event means that the stream broke off.
        let is_call = |(parts, _): &&(Vec<String>, ArgumentPieces)| {
            let begun = parts
                .first()
                .and_then(|part| Node::parse(part, MAX_DEPTH).ok());
            begun.is_some_and(|it| {
                it.str_at("type")
                    .is_some_and(|kind| kind.ends_with("_call"))
            })
        };
        let cut = self.open.values().filter(is_call).count();
        (0..cut).for_each(|_| cut_off(conversation));
        self.close_all(conversation);
        self.has_any = false;
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::{check, error_of};

    const STEPS: &str = r#"{"type":"user_input","content":[{"type":"text","text":"q"}]},{"type":"thought","signature":"s"},
        {"type":"function_call","id":"a","name":"find","arguments":{"id":7}},{"type":"function_call","id":"b","name":"look","arguments":{}},
        {"type":"function_result","call_id":"b","name":"look","result":"no","is_error":true},{"type":"function_result","call_id":"a","result":{"n":1}},
        {"type":"google_search_call","id":"c","arguments":{"queries":["q"]}},{"type":"google_search_result","call_id":"c","result":[]},
        {"type":"model_output","content":[]}"#;
    const FOUND: [&str; 3] = [
        r#"find({"id":7}) a @1 group-1 -> {"n":1}"#,
        r#"look({}) b @1 group-1 -> "no" error true"#,
        r#"google_search({"queries":["q"]}) c @2 by provider -> []"#,
    ];

    #[test]
    fn steps_are_calls_and_results() {
        check(
            "gemini-interactions",
            &format!(r#"{{"object":"interaction","id":"v","steps":[{STEPS}]}}"#),
            &FOUND,
        );
        check("gemini-interactions", &format!("[{STEPS}]"), &FOUND);
        check(
            "gemini-interactions",
            r#"{"object":"interaction","outputs":[{"type":"function_call","id":"a","name":"find","arguments":{}}]}"#,
            &["find({}) a @0"],
        );
    }

    #[test]
    fn streamed_steps_are_put_together_and_the_last_event_repeats_them() {
        let call = r#"{"type":"function_call","id":"a","name":"find","arguments":{}}"#;
        let events = [
            r#"{"event_type":"interaction.created","interaction":{"id":"v","object":"interaction"}}"#.to_owned(),
            format!(r#"{{"event_type":"step.start","index":0,"step":{call}}}"#),
            r#"{"event_type":"step.delta","index":0,"delta":{"type":"arguments_delta","arguments":"{\"id\""}}"#.to_owned(),
            r#"{"event_type":"step.delta","index":0,"delta":{"type":"arguments_delta","arguments":":7}"}}"#.to_owned(),
            r#"{"event_type":"step.stop","index":0}"#.to_owned(),
            r#"{"event_type":"step.start","index":1,"step":{"type":"code_execution_call"}}"#.to_owned(),
            r#"{"event_type":"step.delta","index":1,"delta":{"type":"code_execution_call","id":"b","arguments":{"code":"1"}}}"#
                .to_owned(),
            r#"{"event_type":"step.stop","index":1}"#.to_owned(),
            format!(r#"{{"event_type":"interaction.completed","interaction":{{"id":"v","steps":[{call}]}}}}"#),
        ];
        let found = [
            r#"find("{\"id\":7}") a @0 group-1"#,
            r#"code_execution({"code":"1"}) b @0 group-1 by provider"#,
        ];
        check("gemini-interactions", &events.join("\n"), &found);
        check(
            "gemini-interactions",
            &format!("[{}]", events.join(",")),
            &found,
        );
        check(
            "gemini-interactions",
            &events
                .clone()
                .map(|event| format!("data: {event}\n\n"))
                .concat(),
            &found,
        );
        check("gemini-interactions", &events[8], &["find({}) a @0"]);
    }

    #[test]
    fn a_name_is_not_made_from_a_type_that_is_not_known() {
        let error = |step: &str| {
            let text = format!(r#"{{"object":"interaction","steps":[{step}]}}"#);
            error_of("gemini-interactions", &text, crate::Choices::default())
        };
        let nameless = error(r#"{"type":"function_call","id":"a","arguments":{}}"#);
        assert_eq!(nameless.expected, "the name of a tool in each call");
        let unknown = error(r#"{"type":"robot_call","id":"a","arguments":{"x":1}}"#);
        assert!(unknown.found.contains("robot_call"), "{}", unknown.found);
    }
}
