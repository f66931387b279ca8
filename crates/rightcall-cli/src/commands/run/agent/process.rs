//! Runs an agent as a process, with an input, a timeout and an output limit.

use std::io::{self, ErrorKind, Read, Write};
use std::process::Command;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::running::ProcessGroup;
use crate::size;

/// How often to check whether a run has ended.
const PAUSE: Duration = Duration::from_millis(10);

/// The limits of a run.
#[derive(Clone, Copy)]
pub(super) struct RunLimits {
    pub(super) seconds: u64,
    /// The maximum number of bytes on standard output.
    pub(super) output: u64,
}

/// Why an agent made no trace.
pub(super) enum AgentError {
    /// The program can't be started for any case.
    NotStarted(String),
    /// The run failed.
    Failed(String),
}

impl From<String> for AgentError {
    fn from(why: String) -> Self {
        Self::Failed(why)
    }
}

/// Runs a command with this input, and returns its output if it succeeds.
pub(super) fn output(
    command: &mut Command,
    input: &str,
    limits: RunLimits,
) -> Result<Vec<u8>, AgentError> {
    let mut group = ProcessGroup::start(command).map_err(|error| {
        let why = format!("{} cannot be run: {error}", command.get_program().display());
        match error.kind() {
            ErrorKind::NotFound | ErrorKind::PermissionDenied => AgentError::NotStarted(why),
            _ => AgentError::Failed(why),
        }
    })?;
    let (stdin, stdout) = group.take_pipes();
    let input = input.as_bytes().to_owned();
    // A leftover process may hold a pipe open forever, so these threads are never joined.
    if let Some(mut stdin) = stdin {
        // A program may ignore its input, so a write error is not a failure.
        thread::spawn(move || stdin.write_all(&input));
    }
    let printed = read_aside(stdout, limits.output);
    let printed = wait(&mut group, &printed, limits).inspect_err(|_| group.kill())?;
    let status = group.wait().map_err(|error| error.to_string())?;
    if status.success() {
        Ok(printed)
    } else {
        Err(match status.code() {
            Some(code) => format!("it exited with code {code}"),
            None => format!("it ended with {status}"),
        }
        .into())
    }
}

/// Waits until the program has ended and its output is closed.
fn wait(
    group: &mut ProcessGroup,
    printed: &Receiver<io::Result<Vec<u8>>>,
    limits: RunLimits,
) -> Result<Vec<u8>, String> {
    // A timeout beyond the range of `Instant` means no timeout.
    let end = Instant::now().checked_add(Duration::from_secs(limits.seconds));
    let mut output = None;
    loop {
        match printed.recv_timeout(PAUSE) {
            Ok(read) => {
                output = Some(read.map_err(|error| format!("its output cannot be read: {error}"))?);
            }
            Err(RecvTimeoutError::Timeout) => {}
            // The output is closed, but the program still runs.
            Err(RecvTimeoutError::Disconnected) => thread::sleep(PAUSE),
        }
        if output
            .as_ref()
            .is_some_and(|it| it.len() as u64 > limits.output)
        {
            return Err(too_much(limits.output));
        }
        let has_ended = group.has_ended().map_err(|error| error.to_string())?;
        match output.take_if(|_| has_ended) {
            Some(output) => return Ok(output),
            None if end.is_none_or(|end| Instant::now() < end) => {}
            None => return Err(too_long(has_ended, limits.seconds)),
        }
    }
}

/// The message for a run with too much output.
pub(super) fn too_much(limit: u64) -> String {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    format!("it printed more than {}", size::text(limit))
}

fn too_long(has_ended: bool, seconds: u64) -> String {
    if has_ended {
        format!("it ended, but a process that it started held its output for {seconds} seconds")
    } else {
        format!("it took more than {seconds} seconds")
    }
}

/// Reads to the end, or to one byte over the limit, on a separate thread.
fn read_aside(
    stdout: Option<impl Read + Send + 'static>,
    limit: u64,
) -> Receiver<io::Result<Vec<u8>>> {
    let (sender, receiver) = channel();
    let read = move || {
        let mut output = Vec::new();
        let read = stdout.map(|stdout| {
            stdout
                .take(limit.saturating_add(1))
                .read_to_end(&mut output)
        });
        // After a timeout, the receiver is gone.
        _ = sender.send(read.transpose().map(|_| output));
    };
    thread::spawn(read);
    receiver
}
