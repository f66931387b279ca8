//! What a program takes: time of the processor, time, and memory at its peak.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use wait4::Wait4 as _;

/// What one run of a program took.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Usage {
    /// User and system time of the process and of those it waited for.
    pub(crate) cpu: Duration,
    /// From start to end.
    pub(crate) wall: Duration,
    /// Resident memory at its peak, in bytes.
    pub(crate) peak: u64,
}

/// What becomes of standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Printed {
    /// Nobody reads it.
    Nothing,
    /// One line, the program's own result.
    Line,
}

/// Runs a program that must succeed; its messages go to the file `log`. Gives what it printed.
pub(crate) fn measure(
    command: &mut Command,
    printed: Printed,
    log: &Path,
) -> Result<(Usage, String), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let fault = |error: std::io::Error| format!("{program}: {error}");
    let stdout = if printed == Printed::Nothing {
        Stdio::null()
    } else {
        Stdio::piped()
    };
    command
        .stdin(Stdio::null())
        .stdout(stdout)
        .stderr(File::create(log).map_err(fault)?);
    let start = Instant::now();
    let mut child = command.spawn().map_err(fault)?;
    let mut text = String::new();
    if let Some(mut output) = child.stdout.take() {
        output.read_to_string(&mut text).map_err(fault)?;
    }
    let used = child.wait4().map_err(fault)?;
    let wall = start.elapsed();
    if !used.status.success() {
        let messages = fs::read_to_string(log).unwrap_or_default();
        return Err(format!(
            "{program}: {}\n{}",
            used.status,
            messages.trim_end()
        ));
    }
    Ok((
        Usage {
            cpu: used.rusage.utime + used.rusage.stime,
            wall,
            peak: used.rusage.maxrss,
        },
        text,
    ))
}
