//! A proxy between an MCP client and its server. They exchange JSON-RPC over standard input and output, one message a line.
//!
//! Lines pass through unchanged; only `tools/call` is inspected. The official crate `rmcp` is not
//! used, because it parses messages into types and writes them again. Methods, members and batches
//! that its version does not know would be lost.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use rightcall_core::call::{Arguments, Call};
use rightcall_core::monitor::{Guard, ResultOfCall, RuleVerdict};
use rightcall_core::value::{RawJson, from_json};

use super::line::{
    ClientMessage, ServerMessage, ToolCall, canonical, messages, refusal, unreadable,
};
use crate::exit::Exit;
use crate::messages::{Trouble, warning};

/// The state of the run, with the requests that have no response yet.
struct ProxyState {
    guard: Guard,
    /// Call numbers by request id.
    waiting: HashMap<String, usize>,
    /// The number of batches so far. The calls of one batch are parallel.
    batches: usize,
}

/// The state that the threads for client and server share.
type SharedProxy = Arc<Mutex<ProxyState>>;

fn locked(proxied: &SharedProxy) -> MutexGuard<'_, ProxyState> {
    proxied.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs the server until it ends.
pub(super) fn run(guard: Guard, server: &[OsString]) -> Result<Exit, Trouble> {
    let [program, arguments @ ..] = server else {
        return Err(Trouble::new("no server is named behind `--`"));
    };
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped());
    let started = command.stdout(Stdio::piped()).spawn();
    let mut child = started.map_err(|error| {
        let message = format!("{}: cannot be started: {error}", program.to_string_lossy());
        Trouble::with_help(message, "write the server and its arguments behind `--`")
    })?;
    let (to_server, from_server) = (child.stdin.take(), child.stdout.take());
    let proxied = Arc::new(Mutex::new(ProxyState {
        guard,
        waiting: HashMap::new(),
        batches: 0,
    }));
    if let Some(to_server) = to_server {
        let proxied = Arc::clone(&proxied);
        // If the server ends first, this thread ends with the process.
        thread::spawn(move || forward_from_client(&proxied, to_server));
    }
    if let Some(from_server) = from_server {
        forward_from_server(&proxied, BufReader::new(from_server))?;
    }
    let status = child.wait();
    report(&locked(&proxied).guard);
    let status = status.map_err(|error| Trouble::new(format!("the server: {error}")))?;
    Ok(Exit::not_judged_if(!status.success()))
}

/// Forwards the client's lines, except for refused calls.
fn forward_from_client(proxied: &SharedProxy, mut to_server: ChildStdin) {
    for line in io::stdin().lock().split(b'\n') {
        let Ok(line) = line else { return };
        let LineAction { passed, answers } = match std::str::from_utf8(&line) {
            Ok(text) if text.trim().is_empty() => LineAction::passed(text),
            Ok(text) => locked(proxied).ask(text),
            Err(_) => LineAction::answered(unreadable("a line that is not UTF-8")),
        };
        let written = answers.map_or(Ok(()), |answers| write_to_client(answers.as_bytes()));
        let passed = passed.map_or(Ok(()), |line| {
            to_server.write_all(line.as_bytes())?;
            to_server.write_all(b"\n")?;
            to_server.flush()
        });
        if written.and(passed).is_err() {
            return;
        }
    }
}

fn forward_from_server(
    proxied: &SharedProxy,
    mut from_server: impl BufRead,
) -> Result<(), Trouble> {
    let mut line = Vec::new();
    loop {
        line.clear();
        match from_server.read_until(b'\n', &mut line) {
            Ok(0) => return Ok(()),
            Ok(_) => {}
            Err(error) => return Err(Trouble::new(format!("the server: {error}"))),
        }
        if let Ok(text) = std::str::from_utf8(&line) {
            // Record the result before the client can see it and make the next call.
            locked(proxied).answered(text);
        }
        write_to_client(line.strip_suffix(b"\n").unwrap_or(&line))?;
    }
}

fn write_to_client(line: &[u8]) -> io::Result<()> {
    let mut client = io::stdout().lock();
    client.write_all(line)?;
    client.write_all(b"\n")?;
    client.flush()
}

/// How to handle a line from the client.
struct LineAction {
    /// The text to forward to the server.
    passed: Option<String>,
    /// The text to send back to the client.
    answers: Option<String>,
}

impl LineAction {
    fn passed(line: &str) -> Self {
        Self {
            passed: Some(line.to_owned()),
            answers: None,
        }
    }

    fn answered(answer: String) -> Self {
        Self {
            passed: None,
            answers: Some(answer),
        }
    }
}

impl ProxyState {
    fn ask(&mut self, line: &str) -> LineAction {
        let (parts, is_batch) = match messages(line) {
            Ok(parts) => parts,
            Err(error) => return LineAction::answered(unreadable(&error)),
        };
        self.batches += usize::from(is_batch);
        let group = is_batch.then(|| format!("batch {}", self.batches));
        let (mut passed, mut answers) = (Vec::new(), Vec::new());
        for part in &parts {
            match self.refuses(part, group.as_deref()) {
                Ok(None) => passed.push(*part),
                Ok(Some(answer)) | Err(answer) => answers.push(answer),
            }
        }
        if answers.is_empty() {
            return LineAction::passed(line);
        }
        let joined = |parts: &[&str]| match parts {
            [] => None,
            parts if is_batch => Some(format!("[{}]", parts.join(","))),
            parts => Some(parts.join("")),
        };
        let answers: Vec<_> = answers.iter().map(String::as_str).collect();
        LineAction {
            passed: joined(&passed),
            answers: joined(&answers),
        }
    }

    /// The response to a refused call or an invalid message; `None` if the part may pass.
    fn refuses(&mut self, part: &str, group: Option<&str>) -> Result<Option<String>, String> {
        let wrong = |error: &dyn std::fmt::Display| unreadable(&error.to_string());
        let message: ClientMessage<'_> = from_json(part).map_err(|error| wrong(&error))?;
        if message.method.as_deref() != Some("tools/call") {
            return Ok(None);
        }
        let RawJson(params) = message.params.unwrap_or(RawJson("{}"));
        let asked: ToolCall<'_> = from_json(params).map_err(|error| wrong(&error))?;
        let mut call = Call {
            name: asked.name.into_owned().into(),
            arguments: Arguments::json(asked.arguments.map_or("{}", |RawJson(json)| json)),
            ..Call::default()
        };
        if let Some(group) = group {
            call.metadata_mut().group = Some(group.to_owned().into());
        }
        let decision = self.guard.admit(&call).map_err(|error| wrong(&error))?;
        let sentence = &decision.sentence;
        match (decision.call, message.id) {
            (Some(number), id) => {
                if !sentence.is_empty() {
                    warning(sentence, None);
                }
                if let Some(id) = id {
                    self.waiting.insert(canonical(id), number);
                }
                Ok(None)
            }
            (None, Some(id)) => Ok(Some(refusal(id, sentence))),
            // A call without an id gets no response and is not forwarded.
            (None, None) => Err(unreadable(sentence)),
        }
    }

    /// Records the results in a line from the server.
    fn answered(&mut self, line: &str) {
        let Ok((parts, _)) = messages(line) else {
            return;
        };
        for part in parts {
            let Ok(message) = from_json::<ServerMessage<'_>>(part) else {
                continue;
            };
            let (None, Some(id)) = (&message.method, message.id) else {
                continue;
            };
            let Some(number) = self.waiting.remove(&canonical(id)) else {
                continue;
            };
            let (output, failed) = message.outcome();
            let result = ResultOfCall {
                output: output.as_deref(),
                failed: Some(failed),
            };
            if let Err(error) = self.guard.result(number, result) {
                warning(&error.to_string(), None);
            }
        }
    }
}

/// Reports violated and open rules at the end.
fn report(guard: &Guard) {
    let monitor = guard.monitor();
    for (rule, verdict) in monitor.labels().iter().zip(monitor.verdicts()) {
        match verdict {
            Some(RuleVerdict::Violated) => {
                warning(&format!("the rule \"{rule}\" was broken"), None);
            }
            Some(RuleVerdict::Open) => {
                warning(&format!("the rule \"{rule}\" does not hold"), None);
            }
            _ => {}
        }
    }
}
