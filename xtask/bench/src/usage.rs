//! What a program takes: time of the processor, time, and memory at its peak.

use std::io::{self, Read};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use wait4::Wait4 as _;

/// What one run of a program took.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Usage {
    /// User and system time of the process and of those it waited for.
    pub cpu: Duration,
    /// From start to end.
    pub wall: Duration,
    /// Resident memory at its peak, in bytes.
    pub peak: u64,
    /// What it printed, if that is kept.
    pub printed: String,
}

impl Usage {
    /// Runs a program, and how it ended; what it prints is kept or discarded.
    ///
    /// # Errors
    /// It could not be started, or prints what is no text.
    pub fn of(command: &mut Command, keeps_printed: bool) -> io::Result<(Self, ExitStatus)> {
        let stdout = if keeps_printed {
            Stdio::piped()
        } else {
            Stdio::null()
        };
        command.stdin(Stdio::null()).stdout(stdout);
        let start = Instant::now();
        let mut child = command.spawn()?;
        let mut printed = String::new();
        if let Some(mut output) = child.stdout.take() {
            output.read_to_string(&mut printed)?;
        }
        let used = child.wait4()?;
        let usage = Self {
            cpu: used.rusage.utime + used.rusage.stime,
            wall: start.elapsed(),
            peak: used.rusage.maxrss,
            printed,
        };
        Ok((usage, used.status))
    }
}
