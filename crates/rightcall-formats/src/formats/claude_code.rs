//! Session logs of Claude Code, and the output of `claude -p --output-format stream-json`.
//!
//! A message of the model may have several lines, one per block, all with its id. They are one turn
//! and one group. A resumed session repeats lines of the previous one.

use std::collections::{HashMap, HashSet};
use std::hash::Hasher;

use rightcall_core::value::{MAX_DEPTH, Text};
use siphasher::sip128::{Hasher128, SipHasher13};

use super::session::{SessionEvents, SessionReader};
use crate::format::{Format, Priority, Reading, Recognition};
use crate::messages::actions::{action_record, note_record};
use crate::messages::dialects::anthropic;
use crate::messages::ending::{FAILED, has_failed, note_reason};
use crate::messages::in_text::read_text;
use crate::messages::parts::pass_over;
use crate::messages::refusal::{denied, mark_refused, says_refused};
use crate::node::Node;
use crate::trace::{
    CallResult, CaseScope, Conversation, Doubt, Executor, Keep, LeftOut, Scope, TraceArguments,
    TraceCall, time,
};

pub(super) static ENTRY: Format = Format {
    name: "claude-code",
    title: "Claude Code session logs",
    summary: "lines with `sessionId`, `uuid` and `message`, and the messages of `stream-json` and of its SDKs, also in a list",
    reads: &[
        ("calls", "blocks of type `tool_use` in `message.content`; lines with one `message.id` are one message"),
        ("arguments", "`input`"),
        ("results", "blocks of type `tool_result`, else `toolUseResult`"),
        ("errors", "`is_error`"),
        ("calls that a human refused", "`toolUseResult` *User rejected tool use*, `permission_denials`"),
        ("times", "`timestamp` of the lines that ask and answer"),
        ("sub-agents", "`isSidechain`, `parent_tool_use_id`, `data.message` of `progress`; a file of one sub-agent alone is a trajectory of its own"),
        ("question", "the first message of the user, `message.content`"),
        ("ids", "`sessionId`, `session_id` of the session; `id` of a call"),
    ],
    lacks: &[],
    notes: "Session files under `~/.claude/projects`, and what `claude -p --output-format stream-json` prints; the same messages in a list,
or under `messages`, `events`, `loglines`. One message is written over several
lines, which are one turn. A session that was resumed repeats lines; a repeated `uuid` with the same content counts once.",
    extensions: &["jsonl", "json"],
    example: r#"{"type":"assistant","uuid":"u2","parentUuid":"u1","sessionId":"s","isSidechain":false,"timestamp":"2025-01-01T00:00:00.000Z","message":{"id":"m1","role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"find_order","input":{"id":7}}]}}
{"type":"user","uuid":"u3","parentUuid":"u2","sessionId":"s","isSidechain":false,"timestamp":"2025-01-01T00:00:01.000Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"shipped"}]}}"#,
    priority: Priority::SessionLog,
    reading: Reading::Traces(recognise, SessionReader::<Session>::boxed),
};

fn recognise(value: &Node<'_>) -> Recognition {
    let is_line = |value: &Node<'_>| {
        value.get("message").is_some_and(Node::is_object) && value.str_at("type").is_some()
    };
    if value.list("loglines").first().is_some_and(is_line) {
        return Recognition::Certain;
    }
    let is_dialogue = |value: &Node<'_>| {
        let mut blocks = value.list_at(&["message", "content"]).iter();
        let kind = value.str_at("type");
        // Some tools keep no ids.
        let is_bare = || {
            let role = value.at(&["message", "role"]).and_then(Node::str);
            role == kind && value.has("timestamp") && value.at(&["message", "content"]).is_some()
        };
        matches!(kind, Some("assistant" | "user"))
            && (is_bare()
                || value.has_any(&["parent_tool_use_id", "session_id", "sessionId"])
                || blocks.any(|block| anthropic::is_call(block) || anthropic::is_result(block)))
    };
    if lines_of(value)
        .iter()
        .any(|value| is_line(value) && is_dialogue(value) || is_of_python(value))
    {
        return Recognition::Certain;
    }
    let message = value.get("message");
    let message = message.filter(|it| it.is_object() || it.text().is_some());
    // Lines of the program itself have no message, but a place in the session.
    let is_placed = value.has("parentUuid") && value.str_at("type").is_some();
    Recognition::by_marks(&[
        ("sessionId", value.str_at("sessionId").is_some()),
        ("uuid", value.str_at("uuid").is_some()),
        ("message", message.is_some() || is_placed),
    ])
}

/// The lines in a value: a list, an object around one, or a single line.
fn lines_of<'n, 'a>(value: &'n Node<'a>) -> &'n [Node<'a>] {
    value.inner_list(Session::LISTS).items_or_self()
}

/// True for a message of the Python SDK as a dictionary. Its content is in the line itself, and
/// only messages of the model name a model.
fn is_of_python(line: &Node<'_>) -> bool {
    let keys = ["content", "parent_tool_use_id"];
    keys.iter().all(|key| line.has(key)) && !line.has_any(&["message", "role"])
}

/// The line of a sub-agent in a record of its progress.
fn line_in_progress<'n, 'a>(line: &'n Node<'a>) -> Option<&'n Node<'a>> {
    line.at(&["data", "message"])
        .filter(|inner| line.says("type", "progress") && inner.has("message"))
}

/// The message of a line.
fn message_of<'n, 'a>(line: &'n Node<'a>) -> Option<&'n Node<'a>> {
    line.get("message")
        .or_else(|| is_of_python(line).then_some(line))
}

/// True for a line of this author, *assistant* or *user*.
fn is_by(author: &str, line: &Node<'_>) -> bool {
    line.says("type", author) || is_of_python(line) && line.has("model") == (author == "assistant")
}

#[derive(Default)]
struct Session {
    /// Hashes of the lines read so far, by uuid and message, since a uuid may recur with another message.
    seen: HashSet<u128>,
    /// The session of the last line that names one.
    last_known: Option<Text<'static>>,
    /// The message id of the last line that has one.
    message: Option<Text<'static>>,
    /// The end reason and the number of calls of each message. `by_message` maps message ids to indices.
    endings: Vec<(Text<'static>, usize)>,
    by_message: HashMap<Text<'static>, usize>,
    /// True if the first line, and so the file, is from a sub-agent.
    is_of_sub_agent: Option<bool>,
    /// The index of the last call that starts a sub-agent.
    task: Option<usize>,
    /// True if the last message of the model is an error of the API.
    has_failed: bool,
    /// The sub-agents that made calls.
    agents_with_calls: Vec<Text<'static>>,
    /// The sub-agents with lines in the file; `None` for lines that name no agent.
    agents_in_file: HashSet<Option<Text<'static>>>,
}

/// Keeps the first question of the user.
fn keep_question(line: &Node<'_>, conversation: &mut Conversation) {
    let is_asked = is_by("user", line)
        && !line.is_set("isMeta")
        && !line.is_set("isSidechain")
        && line.label_at(&["parent_tool_use_id"]).is_none();
    let content = message_of(line).and_then(|message| message.get("content"));
    let content = content.filter(|it| is_asked && it.text().is_some());
    conversation.note_speaker(content.is_some());
    conversation.question(|| content.map(|it| it.raw().to_owned()));
}

impl SessionEvents for Session {
    const LISTS: &'static [&'static str] = &["loglines", "messages", "events"];

    /// Only a printed stream has `session_id`. A stored session may begin with lines of another
    /// session, which it resumes.
    fn session(line: &Node<'_>) -> Option<Text<'static>> {
        let data = || line.get("data")?.label_at(&["session_id"]);
        line.label_at(&["session_id"]).or_else(data)
    }

    fn is_over_before(&self, line: &Node<'_>) -> bool {
        let is_root = line.has("parentUuid")
            && line.get("parentUuid").is_none()
            && !line.has("logicalParentUuid")
            && !line.is_set("isSidechain");
        let session = line.label_at(&["sessionId"]);
        is_root && session.is_some() && self.last_known.is_some() && session != self.last_known
    }

    fn event(&mut self, line: &Node<'_>, scope: Scope, conversation: &mut Conversation) {
        self.last_known = line.label_at(&["sessionId"]).or(self.last_known.take());
        keep_question(line, conversation);
        if !line.is_object() {
            let report = &mut conversation.trace().report;
            report.note("values that are no objects are no lines of a session");
            return;
        }
        if let Some(kind) = action_record(line) {
            conversation.left_over(kind);
        }
        let inner = line_in_progress(line);
        let owner = match inner {
            Some(_) => line.label_at(&["parentToolUseID"]),
            None => line.label_at(&["parent_tool_use_id"]),
        };
        let agent = inner
            .and(line.get("data"))
            .unwrap_or(line)
            .label_at(&["agentId"]);
        let line = inner.unwrap_or(line);
        let Some(message) = message_of(line) else {
            let denials = line.list("permission_denials").iter();
            denials.for_each(|denial| denied_call(denial, conversation));
            if line.says("type", "result") {
                conversation.look_into(line.get("result"));
            } else if !line.has_any(&["type", "subtype"]) {
                note_record(line, conversation);
            }
            return conversation.look(line, 0, Doubt::SameName);
        };
        let blocks = message.list("content");
        let calls = || blocks.iter().filter(|block| anthropic::is_call(block));
        // A resumed session repeats the lines of the previous one.
        if let Some(uuid) = line.label_at(&["uuid"])
            && !self.seen.insert(hash(&uuid, message))
        {
            conversation.drop_all(LeftOut::RepeatedInHistory, calls().count());
            return;
        }
        let is_of_sub_agent = line.is_set("isSidechain") || owner.is_some();
        // In the log of a sub-agent itself, its calls are the run, not inner calls.
        let is_inner = !*self.is_of_sub_agent.get_or_insert(is_of_sub_agent) && is_of_sub_agent;
        if is_inner {
            self.agents_in_file.insert(agent);
        }
        if is_inner && scope.choices.sub_agents == Keep::Drop {
            conversation.drop_all(LeftOut::SubAgent, calls().count());
            return;
        }
        let trace = conversation.trace();
        trace.id = trace
            .id
            .take()
            .or_else(|| line.label_at(&["sessionId", "session_id"]));
        let parent = match owner {
            Some(id) => trace
                .calls
                .iter()
                .rposition(|call| call.id.as_ref() == Some(&id)),
            None => self.task.filter(|_| is_inner),
        };
        if conversation.has_parts() {
            let calls = &conversation.trace().calls;
            let agent = parent.and_then(|task| sub_agent(&calls[task]));
            conversation.enter(CaseScope::Agent, || agent);
        }
        self.read_message(line, message, (parent, is_inner), conversation);
    }

    fn end(&mut self, conversation: &mut Conversation) {
        let known = self
            .endings
            .drain(..)
            .filter(|(reason, _)| !reason.is_empty());
        for (reason, calls) in known {
            note_reason(&reason.to_display(), calls, conversation);
        }
        if self.has_failed {
            conversation.reply_broke(FAILED);
        }
        for agent in self.agents_with_calls.drain(..) {
            if !self.agents_in_file.contains(&Some(agent)) && !self.agents_in_file.contains(&None) {
                conversation.left_over("calls of a sub-agent that are not in the file");
            }
        }
    }
}

/// Looks for calls in and next to the text of a message of the model, and reports a line of a tool,
/// which only other programs write.
fn look_for_calls(line: &Node<'_>, message: &Node<'_>, conversation: &mut Conversation) {
    if is_by("assistant", line) {
        read_text(message, conversation);
        conversation.look_beside(message);
    } else if message.says("role", "tool")
        && !is_by("user", line)
        && message.get("content").is_some_and(Node::is_list)
        && !message.holds("content", anthropic::is_result)
    {
        conversation.left_over("a line of the role `tool`");
    }
}

/// Reads the result outside the message. Some lines have it only there.
fn read_outer_result(
    line: &Node<'_>,
    blocks: &[Node<'_>],
    at: Option<i128>,
    conversation: &mut Conversation,
) {
    let mut results = blocks
        .iter()
        .filter(|block| anthropic::is_result(block))
        .peekable();
    if results.peek().is_none() {
        let result = CallResult::from_node(line, &[], &[], &["toolUseResult"]);
        conversation.result_at(at, result);
    }
    if line.says("toolUseResult", REJECTED) {
        let ids = results.filter_map(|block| block.label_at(&["tool_use_id"]));
        ids.for_each(|id| mark_refused(&id, None, conversation));
    }
}

/// Adds or marks a denied call, from the list at the end of a printed run.
fn denied_call(denial: &Node<'_>, conversation: &mut Conversation) {
    let call = TraceCall::from_node(denial, &["tool_name"], &["tool_input"], &["tool_use_id"]);
    match &call.id {
        Some(id) if conversation.has_call_id(id) => mark_refused(id, None, conversation),
        _ => {
            conversation.item();
            conversation.call(TraceCall {
                executor: Executor::Nobody,
                error: Some(denied()),
                ..call
            });
        }
    }
}

/// The sub-agent of a result, unless it made no calls.
fn agent_that_called(line: &Node<'_>) -> Option<Text<'static>> {
    let result = line.any(&["toolUseResult", "tool_use_result"])?;
    let agent = result.label_at(&["agentId", "agent_id"]);
    let made_none = result.whole_at("totalToolUseCount") == Some(0);
    agent.filter(|_| !made_none)
}

/// True for a result that reports a refusal of the call.
fn is_refusal(block: &Node<'_>) -> bool {
    let first = || block.list("content").first()?.str_at("text");
    let said = block.str_at("content").or_else(first);
    said.is_some_and(says_refused)
}

/// The result of a tool that the user did not allow to run.
const REJECTED: &str = "User rejected tool use";

impl Session {
    /// Reads a message. `parent` is the index of the call that contains it, and `is_inner` is true for a sub-agent's message.
    fn read_message(
        &mut self,
        line: &Node<'_>,
        message: &Node<'_>,
        (parent, is_inner): (Option<usize>, bool),
        conversation: &mut Conversation,
    ) {
        let blocks = message.list("content");
        let is_of_model = is_by("assistant", line);
        let id = message.label_at(&["id", "message_id"]);
        // The lines of one message share its id, so another id begins a turn.
        if is_of_model && (id.is_none() || id != self.message) {
            self.message.clone_from(&id);
            conversation.message();
        }
        if is_of_model {
            conversation.note_agent_message(message);
        }
        let at = line.str_at("timestamp").and_then(time::from_iso);
        let before = conversation.calls_read();
        for block in blocks {
            let is_known = anthropic::is_call(block) || anthropic::is_result(block);
            if is_of_model && !is_known {
                pass_over(block, conversation);
            }
            let Some(index) = anthropic::block(block, None, conversation) else {
                continue;
            };
            let call = &mut conversation.trace().calls[index];
            if is_refusal(block) {
                call.executor = Executor::Nobody;
                call.error = Some(denied());
            }
            if anthropic::is_call(block) {
                call.start = at;
                call.parent = parent;
                if !is_inner && (call.name == *"Task" || call.name == *"Agent") {
                    self.task = Some(index);
                }
            } else {
                call.end = at;
            }
        }
        let calls = conversation.calls_read() - before;
        conversation.look(message, calls, Doubt::None);
        if calls == 0 {
            look_for_calls(line, message, conversation);
        }
        if is_of_model {
            self.has_failed = has_failed(line);
            self.add_ending(id, message.str_at("stop_reason"), calls);
        }
        if line.has("toolUseResult") {
            read_outer_result(line, blocks, at, conversation);
        }
        if conversation.reads_sub_agents() {
            self.agents_with_calls.extend(agent_that_called(line));
        }
    }

    /// Records the end reason of a message and adds this line's number of calls to it.
    fn add_ending(&mut self, message: Option<Text<'static>>, reason: Option<&str>, calls: usize) {
        let next = self.endings.len();
        let place = message.map_or(next, |id| *self.by_message.entry(id).or_insert(next));
        if place == next {
            self.endings.push((Text::default(), 0));
        }
        let (known, all) = &mut self.endings[place];
        *all += calls;
        if let Some(reason) = reason {
            *known = Text::from(reason.to_owned());
        }
    }
}

/// The sub-agent started by a call.
fn sub_agent(task: &TraceCall) -> Option<Text<'static>> {
    let TraceArguments::Json(json) = &task.arguments else {
        return None;
    };
    Node::parse(json, MAX_DEPTH)
        .ok()?
        .label_at(&["subagent_type"])
}

fn hash(uuid: &Text<'_>, message: &Node<'_>) -> u128 {
    let mut hasher = SipHasher13::new();
    hasher.write(uuid.as_bytes());
    hasher.write_u8(0xFF);
    hasher.write(message.raw().as_bytes());
    hasher.finish128().as_u128()
}

#[cfg(test)]
mod tests {
    use crate::tests::{check, check_gaps, shown};
    use crate::{Choices, Keep};

    fn call_line(uuid: &str, message: &str, id: &str, name: &str, is_sidechain: bool) -> String {
        format!(
            r#"{{"type":"assistant","uuid":"{uuid}","sessionId":"s","isSidechain":{is_sidechain},"message":{{"id":"{message}","role":"assistant","content":[{{"type":"tool_use","id":"{id}","name":"{name}","input":{{}}}}]}}}}"#
        )
    }

    fn result_line(uuid: &str, id: &str) -> String {
        format!(
            r#"{{"type":"user","uuid":"{uuid}","sessionId":"s","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{id}","content":"x"}}]}}}}"#
        )
    }

    #[test]
    fn lines_of_a_message_are_one_group_and_repeats_are_dropped() {
        let lines = [
            r#"{"type":"summary","summary":"x","leafUuid":"l"}"#.to_owned(),
            call_line("1", "m", "a", "find", false),
            result_line("2", "a"),
            call_line("3", "m", "b", "look", false),
            call_line("1", "m", "a", "find", false),
            result_line("2", "a"),
            call_line("1", "n", "c", "find", false),
            result_line("4", "b"),
            "7".to_owned(),
        ];
        check(
            "claude-code",
            &lines.join("\n"),
            &[
                r#"find({}) a @0 group-1 -> "x""#,
                r#"look({}) b @0 group-1 -> "x""#,
                "find({}) c @1",
                "1 recorded twice",
            ],
        );
    }

    #[test]
    fn calls_of_a_sub_agent_are_inside_the_task_call() {
        let lines = [
            call_line("1", "m", "a", "Task", false),
            call_line("2", "n", "b", "find", true),
            result_line("3", "b"),
            result_line("4", "a"),
        ];
        let text = lines.join("\n");
        check(
            "claude-code",
            &text,
            &[r#"Task({}) a @0 -> "x""#, r#"find({}) b @1 in 0 -> "x""#],
        );
        let choices = Choices {
            sub_agents: Keep::Drop,
            ..Choices::default()
        };
        assert_eq!(
            shown("claude-code", &text, choices)[0],
            r#"Task({}) a @0 -> "x""#
        );
        check(
            "claude-code",
            &call_line("2", "n", "b", "find", true),
            &["find({}) b @0"],
        );
    }

    #[test]
    fn wrapped_and_streamed_lines_and_outer_results_are_read() {
        let call = r#"{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"find","input":{}}]}"#;
        check(
            "claude-code",
            &format!(
                r#"{{"loglines":[{{"type":"assistant","message":{call}}},{{"type":"user","toolUseResult":"x","message":{{"role":"user","content":"see there"}}}}]}}"#
            ),
            &[r#"find({}) a @0 -> "x""#],
        );
        check(
            "claude-code",
            &format!(
                r#"{{"type":"assistant","message":{call},"parent_tool_use_id":null,"session_id":"s"}}"#
            ),
            &["find({}) a @0"],
        );
    }

    #[test]
    fn messages_in_a_list_or_an_object_are_read() {
        let init = r#"{"type":"system","subtype":"init","session_id":"s"}"#;
        let asks = r#"{"type":"assistant","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"a","name":"find","input":{}}]},"parent_tool_use_id":null,"session_id":"s"}"#;
        let answers = r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x"}]},"parent_tool_use_id":null,"session_id":"s"}"#;
        let list = format!(
            r#"[{init},{asks},{answers},{{"type":"result","result":"done","session_id":"s"}}]"#
        );
        check("claude-code", &list, &[r#"find({}) a @0 -> "x""#]);
        check(
            "claude-code",
            &format!(r#"{{"messages":{list}}}"#),
            &[r#"find({}) a @0 -> "x""#],
        );
    }

    #[test]
    fn session_may_begin_with_a_line_of_the_program() {
        let system = r#"{"type":"system","subtype":"local_command","content":"x","uuid":"u0","parentUuid":null,"sessionId":"s","isSidechain":false}"#;
        let text = format!("{system}\n{}", call_line("1", "m", "a", "find", false));
        check("claude-code", &text, &["find({}) a @0"]);
    }

    #[test]
    fn result_may_precede_its_call() {
        let lines = [
            call_line("1", "m", "a", "find", false),
            result_line("2", "a"),
            result_line("3", "b"),
            call_line("4", "m", "b", "find", false),
        ];
        check(
            "claude-code",
            &lines.join("\n"),
            &[
                r#"find({}) a @0 group-1 -> "x""#,
                r#"find({}) b @0 group-1 -> "x""#,
            ],
        );
    }

    #[test]
    fn finish_reason_tool_use_requires_a_call() {
        let text_line = |uuid: &str, message: &str, reason: &str| {
            format!(
                r#"{{"type":"assistant","uuid":"{uuid}","sessionId":"s","message":{{"id":"{message}","role":"assistant","content":[{{"type":"text","text":"x"}}],"stop_reason":"{reason}"}}}}"#
            )
        };
        let call = call_line("3", "m", "a", "find", false);
        let other = text_line("2", "n", "end_turn");
        let of_one = [text_line("1", "m", "tool_use"), other.clone(), call].join("\n");
        check_gaps("claude-code", &of_one, &[""]);
        let without = [text_line("1", "m", "tool_use"), other.clone()].join("\n");
        check_gaps(
            "claude-code",
            &without,
            &["finish reason `tool_use` without a call"],
        );
        check_gaps("claude-code", &other, &[""]);
        let part = other.replace(
            r#"{"type":"text","text":"x"}"#,
            r#"{"type":"screen_act","to":{"x":1}}"#,
        );
        check_gaps("claude-code", &part, &["a part of the type `screen_act`"]);
    }

    #[test]
    fn rejected_call_did_not_run() {
        let rejected = result_line("2", "a").replace(
            r#""message":"#,
            r#""toolUseResult":"User rejected tool use","message":"#,
        );
        let text = format!("{}\n{rejected}", call_line("1", "m", "a", "find", false));
        check(
            "claude-code",
            &text,
            &[r#"find({}) a @0 not run -> "x" error "denied""#],
        );
    }
}
