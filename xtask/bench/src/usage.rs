//! The resource usage of a program: CPU time, wall time, and peak memory.

use std::io::{self, Read};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use wait4::Wait4 as _;

/// The resource usage of one run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Usage {
    /// User and system time of the process and of the children that it waited for.
    pub cpu: Duration,
    /// Wall time.
    pub wall: Duration,
    /// Peak resident memory, in bytes.
    pub peak: u64,
    /// Its standard output, if requested.
    pub printed: String,
}

impl Usage {
    /// Runs a program, and returns its usage and exit status. Its output is kept or discarded.
    ///
    /// # Errors
    /// It could not be started, or its output is not UTF-8.
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
