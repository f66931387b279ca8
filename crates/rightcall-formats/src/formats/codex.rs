//! Session logs of Codex: rollout files, and the events of `codex exec --json`.

use std::collections::{BTreeMap, HashSet};

use rightcall_core::value::{MAX_DEPTH, Text};

use super::session::{SessionEvents, SessionReader};
use crate::format::{Format, Priority, Reading, Recognition};
use crate::messages::in_text::{read_said, read_text};
use crate::messages::refusal::{denied, mark_refused};
use crate::messages::{dialects::openai_responses, joined_text, output_of, speaker::keep_question};
use crate::node::Node;
use crate::trace::{Conversation, Doubt, Executor, Scope, TraceArguments, TraceCall, failed, time};

pub(super) static ENTRY: Format = Format {
    name: "codex",
    title: "Codex session logs",
    summary: "rollout files with `response_item` lines, and the events of `codex exec --json`",
    reads: &[
        ("calls", "`response_item` payloads as in openai-responses; events repeat them and are passed over"),
        ("calls of `codex exec`", "`item.completed`: `command_execution`, `mcp_tool_call`, `file_change`, `web_search`"),
        ("arguments", "`arguments`, `input`, `action`; of `codex exec` also `command`, `changes`, `query`"),
        ("results", "`…_output` payloads; `aggregated_output`, `result`"),
        ("errors", "`error`, an `exit_code` that is not 0, also in events of a rollout file, the status `failed`"),
        ("calls that a human refused", "the status `declined`"),
        ("times", "`timestamp` of the lines that ask and answer"),
        ("question", "the first message of the user that is no `<…>` of the program's own"),
        ("ids", "`payload.id` of `session_meta`; `call_id` of a call"),
    ],
    lacks: &["times, in the events of `codex exec`"],
    notes: "Rollout files under `~/.codex/sessions`, and what `codex exec --json` prints. A file is a trajectory, and so is each printed thread. Events repeat what response items
say, so they do not count; of `codex exec` only items that were completed do.",
    extensions: &["jsonl"],
    example: r#"{"timestamp":"2025-01-01T00:00:00.000Z","type":"session_meta","payload":{"id":"s1","cwd":"/"}}
{"timestamp":"2025-01-01T00:00:01.000Z","type":"response_item","payload":{"type":"function_call","name":"find_order","arguments":"{\"id\":7}","call_id":"call_1"}}
{"timestamp":"2025-01-01T00:00:02.000Z","type":"response_item","payload":{"type":"function_call_output","call_id":"call_1","output":"shipped"}}"#,
    priority: Priority::SessionLog,
    reading: Reading::Traces(
        |value| {
            if is_event(value) || is_bare_header(value) || value.list("events").first().is_some_and(is_event) {
                return Recognition::Certain;
            }
            Recognition::by_marks(&[
                ("type", value.str_at("type").is_some()),
                ("payload", value.get("payload").is_some_and(Node::is_object)),
                ("timestamp", value.str_at("timestamp").is_some()),
            ])
        },
        SessionReader::<CodexEvents>::boxed,
    ),
};

/// True for an event of `codex exec --json`.
fn is_event(value: &Node<'_>) -> bool {
    let kind = value.str_at("type").unwrap_or_default();
    kind.starts_with("item.") && value.has("item")
        || kind == "thread.started" && value.has("thread_id")
}

/// True for the first line of an older rollout file, whose items are alone on their lines.
fn is_bare_header(value: &Node<'_>) -> bool {
    !value.has("type")
        && ["id", "timestamp", "instructions"]
            .iter()
            .all(|key| value.has(key))
}

/// True for such an item.
fn is_bare_item(value: &Node<'_>) -> bool {
    let kind = value.str_at("type").unwrap_or_default();
    let is_call = ["_call", "_call_output"]
        .iter()
        .any(|end| kind.ends_with(end));
    !value.has("payload") && (is_call || matches!(kind, "message" | "reasoning"))
}

/// The type of a line.
fn kind_of<'n>(line: &'n Node<'_>) -> &'n str {
    if is_bare_header(line) {
        "session_meta"
    } else if is_bare_item(line) {
        "response_item"
    } else {
        line.str_at("type").unwrap_or_default()
    }
}

#[derive(Default)]
struct CodexEvents {
    /// The ids of calls whose command failed, which only events say in a rollout file, and of those that were refused.
    failed: HashSet<Text<'static>>,
    refused: Vec<Text<'static>>,
    /// The calls of `codex exec` that began and did not end.
    begun: Vec<TraceCall>,
    /// By call id: the kind of the event that reports an action.
    acted: BTreeMap<Text<'static>, String>,
    /// The id of the session, and true if something of it was read. A fork begins with the ids of both sessions.
    session: Option<Text<'static>>,
    has_begun: bool,
}

impl CodexEvents {
    fn note_begun(&mut self, event: &Node<'_>) {
        let call = event.get("item").and_then(completed);
        let Some(call) = call.filter(|call| call.id.is_some()) else {
            return;
        };
        self.begun.retain(|known| known.id != call.id);
        if !event.says("type", "item.completed") {
            self.begun.push(TraceCall {
                output: None,
                error: None,
                ..call
            });
        }
    }
}

impl SessionEvents for CodexEvents {
    fn session(event: &Node<'_>) -> Option<Text<'static>> {
        let is_start = event.says("type", "thread.started");
        event.label_at(&["thread_id"]).filter(|_| is_start)
    }

    fn is_over_before(&self, event: &Node<'_>) -> bool {
        let id = id_of_meta(event);
        self.has_begun && id.is_some() && self.session.is_some() && id != self.session
    }

    fn event(&mut self, event: &Node<'_>, _: Scope, conversation: &mut Conversation) {
        self.has_begun |= event.says("type", "response_item");
        self.session = self.session.take().or_else(|| id_of_meta(event));
        if event.says("type", "event_msg") {
            self.failed.extend(failed_call(event));
            let declined = event
                .get("payload")
                .filter(|it| it.says("status", "declined"));
            self.refused
                .extend(declined.and_then(|it| it.label_at(&["call_id"])));
            self.acted.extend(action(event));
        }
        self.failed.extend(failed_output(event));
        self.note_begun(event);
        line(event, conversation);
    }

    fn end(&mut self, conversation: &mut Conversation) {
        for call in self.begun.drain(..) {
            conversation.message();
            conversation.call(call);
        }
        // The calls of the provider's search have other ids in its items.
        let is_search = |call: &&TraceCall| call.executor == Executor::Provider;
        let mut searches = conversation.trace().calls.iter().filter(is_search).count();
        for (id, kind) in std::mem::take(&mut self.acted) {
            if conversation.has_call_id(&id) {
            } else if kind.starts_with("web_search") && searches > 0 {
                searches -= 1;
            } else {
                conversation.left_over(format!("an event `{kind}` without its call"));
            }
        }
        for id in self.refused.drain(..) {
            mark_refused(&id, None, conversation);
        }
        for call in &mut conversation.trace().calls {
            if call.id.as_ref().is_some_and(|id| self.failed.contains(id)) {
                call.error.get_or_insert_with(failed);
            }
        }
    }
}

/// The id of the session that begins with this record.
fn id_of_meta(record: &Node<'_>) -> Option<Text<'static>> {
    let is_meta = record.says("type", "session_meta");
    record.get("payload").filter(|_| is_meta)?.label_at(&["id"])
}

/// The id of the call in an event of an action, and the kind of the event. Commands that the user runs are not the agent's actions.
fn action(event: &Node<'_>) -> Option<(Text<'static>, String)> {
    let payload = event.get("payload")?;
    let kind = payload.str_at("type")?;
    let item = payload.get("item").unwrap_or(payload);
    let id = item.label_at(&["call_id"])?;
    (!payload.says("source", "user_shell")).then(|| (id, kind.to_owned()))
}

/// The id of the call in the event of a command, a patch or a call of MCP that failed.
fn failed_call(event: &Node<'_>) -> Option<Text<'static>> {
    let payload = event.get("payload")?;
    let item = payload.get("item").unwrap_or(payload);
    let of_mcp = item.get("result").is_some_and(|result| {
        result.has("Err") || result.get("Ok").is_some_and(|it| it.is_set("isError"))
    });
    let has_failed = item.whole_at("exit_code").is_some_and(|code| code != 0)
        || of_mcp
        || item.get("success").is_some_and(Node::is_false);
    item.label_at(&["call_id", "id"]).filter(|_| has_failed)
}

/// The id of the call whose output tells a failure: with `success`, or by an exit code, as JSON or in its first line.
fn failed_output(event: &Node<'_>) -> Option<Text<'static>> {
    let payload = event.get("payload")?;
    let succeeded = payload.at(&["output", "success"]);
    if succeeded.is_some_and(Node::is_false) {
        return payload.label_at(&["call_id"]);
    }
    let output = payload.str_at("output")?;
    let of_json = || {
        let json = Node::parse(output, MAX_DEPTH).ok()?;
        json.at(&["metadata", "exit_code"])?.whole()
    };
    let of_line = || {
        output
            .strip_prefix("Exit code: ")?
            .lines()
            .next()?
            .parse()
            .ok()
    };
    let code: i128 = of_json().or_else(of_line)?;
    payload.label_at(&["call_id"]).filter(|_| code != 0)
}

fn line(line: &Node<'_>, conversation: &mut Conversation) {
    let payload = line.get("payload").unwrap_or(line);
    // Use the event for the user's text: user messages also hold text added by the program.
    if line.says("type", "turn.started") || payload.says("type", "user_message") {
        conversation.note_speaker(true);
    } else if line.says("type", "item.completed") || payload.says("role", "assistant") {
        conversation.note_speaker(false);
    }
    match kind_of(line) {
        "session_meta" => conversation.trace().id = payload.label_at(&["id"]),
        "thread.started" => conversation.trace().id = line.label_at(&["thread_id"]),
        "response_item" => {
            if !is_context(payload) {
                keep_question(payload, conversation);
            }
            let at = line.str_at("timestamp").and_then(time::from_iso);
            let place = conversation.part(payload, |conversation| {
                let place = openai_responses::item(payload, conversation);
                read_text(payload, conversation);
                place
            });
            if let Some(index) = place {
                let call = &mut conversation.trace().calls[index];
                // A call may be a single item, or a later item may hold its result.
                if call.start.is_none() {
                    call.start = at;
                } else {
                    call.end = at;
                }
            }
        }
        "item.completed" => {
            conversation.part(line, |conversation| match line.get("item") {
                Some(item) if item.has("type") => match completed(item) {
                    Some(call) => {
                        conversation.message();
                        conversation.call(call);
                    }
                    None if item.says("type", "agent_message") => {
                        conversation.agent_spoke();
                        let text = item.str_at("text").unwrap_or_default();
                        read_said(text, conversation);
                    }
                    None if is_remark(item) => {}
                    None => {
                        let kind = item.str_at("type").unwrap_or_default();
                        conversation.left_over(format!("an item of the type `{kind}`"));
                    }
                },
                _ => conversation.note_irregular("an item that was completed, and of no type"),
            });
        }
        "" => {
            conversation.note_irregular("a line of no type");
            conversation.glance(line);
        }
        // Events repeat the contents of items.
        kind if kind == "event_msg" || kind.contains('.') => conversation.glance(line),
        _ => conversation.look(line, 0, Doubt::SameName),
    }
}

/// True for a user message written by the program to describe the environment.
fn is_context(message: &Node<'_>) -> bool {
    let text = message.get("content").and_then(joined_text);
    text.is_some_and(|text| text.as_bytes().starts_with(b"<"))
}

/// True for an item that is not a call.
fn is_remark(item: &Node<'_>) -> bool {
    matches!(
        item.str_at("type"),
        Some("reasoning" | "todo_list" | "error")
    )
}

/// A completed item of `codex exec`; `None` if it is not a call.
fn completed(item: &Node<'_>) -> Option<TraceCall> {
    let kind = item.str_at("type")?;
    let (argument, result, executor) = match kind {
        "command_execution" => ("command", "aggregated_output", Executor::Agent),
        "file_change" => ("changes", "status", Executor::Agent),
        "web_search" => ("query", "results", Executor::Provider),
        "mcp_tool_call" => ("arguments", "result", Executor::Agent),
        _ => return None,
    };
    let (name, arguments) = if kind == "mcp_tool_call" {
        let arguments = item.get(argument);
        (
            item.label_at(&["tool", "name"]).unwrap_or_default(),
            arguments.map_or(TraceArguments::Absent, TraceArguments::from_node),
        )
    } else {
        (
            Text::from(kind.to_owned()),
            TraceArguments::from_members(item, &[argument]),
        )
    };
    let has_failed =
        item.says("status", "failed") || item.whole_at("exit_code").is_some_and(|code| code != 0);
    let is_refused = item.says("status", "declined");
    let failure = if is_refused {
        Some(denied())
    } else {
        has_failed.then(failed)
    };
    let call = TraceCall {
        name,
        arguments,
        id: item.label_at(&["id"]),
        output: item.get(result).map(output_of),
        error: item.get("error").map(output_of).or(failure),
        executor,
        ..TraceCall::default()
    };
    Some(call.by_nobody_if(is_refused))
}

#[cfg(test)]
mod tests {
    use crate::tests::{check, check_gaps, error_of};

    #[test]
    fn items_of_a_rollout_are_calls_and_events_are_not() {
        check(
            "codex",
            r#"{"timestamp":"2025-01-01T00:00:00Z","type":"session_meta","payload":{"id":"s"}}
{"timestamp":"2025-01-01T00:00:01Z","type":"event_msg","payload":{"type":"exec_command_begin","call_id":"c"}}
{"timestamp":"2025-01-01T00:00:01Z","type":"response_item","payload":{"type":"local_shell_call","call_id":"c","status":"completed","action":{"type":"exec","command":["ls"]}}}
{"timestamp":"2025-01-01T00:00:01Z","type":"response_item","payload":{"type":"custom_tool_call","call_id":"d","name":"apply_patch","input":"x"}}
{"timestamp":"2025-01-01T00:00:02Z","type":"response_item","payload":{"type":"custom_tool_call_output","call_id":"d","output":"ok"}}
{"timestamp":"2025-01-01T00:00:03Z","type":"compacted","payload":{"message":"m"}}
{"timestamp":"2025-01-01T00:00:04Z","type":"response_item","payload":{"type":"function_call_output","call_id":"gone","output":"ok"}}
"#,
            &[
                r#"local_shell({"type":"exec","command":["ls"]}) c @0 group-1"#,
                r#"apply_patch(free "x") d @0 group-1 -> "ok""#,
                "1 orphans",
            ],
        );
    }

    #[test]
    fn completed_items_count_once() {
        check(
            "codex",
            r#"{"type":"thread.started","thread_id":"t"}
{"type":"item.started","item":{"id":"i0","type":"command_execution","command":"ls","status":"in_progress"}}
{"type":"item.completed","item":{"id":"i0","type":"command_execution","command":"ls","aggregated_output":"a\n","exit_code":1,"status":"failed"}}
{"type":"item.completed","item":{"id":"i1","type":"mcp_tool_call","server":"s","tool":"find","arguments":{"id":7},"result":{"content":[]},"error":null}}
{"type":"item.completed","item":{"id":"i2","type":"agent_message","text":"done"}}
"#,
            &[
                r#"command_execution({"command":"ls"}) i0 @0 -> "a\n" error true"#,
                r#"find({"id":7}) i1 @1 -> {"content":[]}"#,
            ],
        );
    }

    #[test]
    fn an_item_of_an_unknown_kind_is_left_over_and_a_message_is_evidence() {
        let started = r#"{"type":"thread.started","thread_id":"t"}"#;
        let item = |item: &str| {
            format!(
                r#"{started}
    {{"type":"item.completed","item":{item}}}"#
            )
        };
        for (text, gaps) in [
            (item(r#"{"id":"i","type":"agent_message","text":"done"}"#), ""),
            (
                item(r#"{"id":"i","type":"screen_action","target":"x"}"#),
                "an item of the type `screen_action`",
            ),
            (
                r#"{"timestamp":"2025-01-01T00:00:00Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"}]}}"#.to_owned(),
                "",
            ),
            (
                r#"{"timestamp":"2025-01-01T00:00:00Z","type":"response_item","payload":{"type":"message","role":"user","content":[]}}"#.to_owned(),
                "nothing of the agent's own turn was read",
            ),
        ] {
            check_gaps("codex", &text, &[gaps]);
        }
        let nameless = item(r#"{"id":"i","type":"mcp_tool_call","server":"s","arguments":{}}"#);
        let error = error_of("codex", &nameless, crate::Choices::default());
        assert_eq!(error.expected, "the name of a tool in each call");
    }
}
