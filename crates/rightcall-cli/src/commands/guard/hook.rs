//! Handles one Claude Code hook event: reads it from standard input and answers on standard output.
//!
//! An error ends with exit code 2, which blocks the call: a broken guard must not admit calls. At
//! `Stop`, that exit code would keep the agent running forever, so errors there are only shown.

use std::borrow::Cow;
use std::io::{self, Read, Write};
use std::path::Path;

use rightcall_core::call::{Arguments, Call};
use rightcall_core::monitor::{Guard, GuardDecision, MonitorError, ResultOfCall};
use rightcall_core::value::{JsonWriter, RawJson, from_json};
use serde::Deserialize;

use super::session::Session;
use crate::exit::Exit;
use crate::messages::{Trouble, error};

/// The event from Claude Code. Members that the guard does not need are ignored.
#[derive(Deserialize)]
struct HookEvent<'e> {
    #[serde(borrow, rename = "hook_event_name")]
    kind: Cow<'e, str>,
    #[serde(borrow)]
    session_id: Cow<'e, str>,
    #[serde(borrow, default)]
    tool_name: Option<Cow<'e, str>>,
    #[serde(borrow, default)]
    tool_input: Option<RawJson<'e>>,
    #[serde(borrow, default)]
    tool_response: Option<RawJson<'e>>,
    #[serde(borrow, default)]
    tool_use_id: Option<Cow<'e, str>>,
    #[serde(default)]
    stop_hook_active: bool,
}

/// The two keys for a failure in a tool's result; MCP uses the second.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ToolResponse {
    is_error: Option<bool>,
    #[serde(rename = "isError")]
    is_mcp_error: Option<bool>,
}

/// Answers the event on standard input.
pub(super) fn answer(guard: Guard, folder: &Path) -> Result<Exit, Trouble> {
    let mut text = String::new();
    let read = io::stdin().lock().read_to_string(&mut text);
    read.map_err(|error| Trouble::new(format!("standard input cannot be read: {error}")))?;
    let event: HookEvent<'_> = from_json(&text).map_err(|error| {
        let help = "`rightcall guard --hook` is run by Claude Code: see docs/guards/claude-code.md";
        Trouble::with_help(format!("not an event of a Claude Code hook: {error}"), help)
    })?;
    let is_stop = event.kind == "Stop";
    match answered(&event, guard, folder) {
        Ok(answer) => {
            io::stdout().write_all(answer.as_bytes())?;
            Ok(Exit::Success)
        }
        Err(Trouble::Said { message, help }) if is_stop => {
            error(&message, help.as_deref());
            Ok(Exit::Failed)
        }
        Err(trouble) => Err(trouble),
    }
}

fn answered(event: &HookEvent<'_>, guard: Guard, folder: &Path) -> Result<String, Trouble> {
    let mut session = Session::open(folder, &event.session_id, guard)?;
    let answer = match &*event.kind {
        "PreToolUse" => before_call(event, &mut session)?,
        "PostToolUse" => after_call(event, &mut session, false)?,
        "PostToolUseFailure" => after_call(event, &mut session, true)?,
        "Stop" if !event.stop_hook_active => match session.guard.reminder() {
            Some(reason) => {
                let mut writer = JsonWriter::new();
                writer.begin_object().key("decision").str("block");
                writer.key("reason").str(&reason).end_object();
                writer.finish().into_string()
            }
            None => String::new(),
        },
        _ => return Ok(String::new()),
    };
    session.save()?;
    Ok(answer)
}

/// Before a call: refuses or admits it.
fn before_call(event: &HookEvent<'_>, session: &mut Session) -> Result<String, Trouble> {
    let Some(name) = &event.tool_name else {
        let message = "an event `PreToolUse` without `tool_name`";
        return Err(Trouble::new(message));
    };
    let call = Call {
        name: name.clone().into_owned().into(),
        arguments: match event.tool_input {
            Some(RawJson(json)) => Arguments::json(json),
            None => Arguments::default(),
        },
        ..Call::default()
    };
    let decision = session.guard.admit(&call).map_err(wrong)?;
    if let Some(number) = decision.call {
        session.await_result(key(event), number);
    }
    Ok(answer_of(&decision))
}

/// Translates a decision for Claude Code: `deny` with the reason for the agent, and `continue: false` if the run is stopped.
fn answer_of(decision: &GuardDecision) -> String {
    if decision.sentence.is_empty() {
        return String::new();
    }
    let mut writer = JsonWriter::new();
    writer.begin_object();
    if decision.call.is_some() {
        writer.key("systemMessage").str(&decision.sentence);
    } else {
        writer.key("hookSpecificOutput").begin_object();
        writer.key("hookEventName").str("PreToolUse");
        writer.key("permissionDecision").str("deny");
        writer
            .key("permissionDecisionReason")
            .str(&decision.sentence);
        writer.end_object();
    }
    if decision.is_stopped {
        writer.key("continue").bool(false);
        writer.key("stopReason").str(&decision.sentence);
    }
    writer.end_object();
    writer.finish().into_string()
}

/// After a call: records its result.
fn after_call(
    event: &HookEvent<'_>,
    session: &mut Session,
    failed: bool,
) -> Result<String, Trouble> {
    // Calls made before the guard was installed are unknown.
    if let Some(number) = session.take_waiting(&key(event)) {
        let said = |RawJson(json): RawJson<'_>| from_json::<ToolResponse>(json).ok();
        let response = event.tool_response.and_then(said).unwrap_or_default();
        let says_failed = response.is_error.or(response.is_mcp_error) == Some(true);
        let result = ResultOfCall {
            output: event.tool_response.map(|RawJson(json)| json),
            failed: Some(failed || says_failed),
        };
        session.guard.result(number, result).map_err(wrong)?;
    }
    Ok(String::new())
}

/// The key that matches a result to its call. Older versions of Claude Code send no id.
fn key(event: &HookEvent<'_>) -> String {
    if let Some(id) = &event.tool_use_id {
        return id.clone().into_owned();
    }
    let name = event.tool_name.as_deref().unwrap_or_default();
    let input = event.tool_input.map_or("", |RawJson(json)| json);
    format!("{name} {input}")
}

fn wrong(error: MonitorError) -> Trouble {
    Trouble::new(error)
}
