//! Programs that run for this process, each together with all processes that it starts.
//!
//! An agent is often a wrapper, such as a shell script, `npm` or `uv run`: to end the wrapper alone leaves the agent running. So each
//! program leads a process group of its own, and the group is ended.

use std::io;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus};
use std::sync::{Mutex, PoisonError};

/// The groups that run now, by the process id of their first program.
static RUNNING: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// A program, with the processes that it starts. All of them end when this is dropped before the program has ended.
pub(crate) struct ProcessGroup {
    child: Child,
    has_ended: bool,
}

impl ProcessGroup {
    /// Starts a program. No program is started any more after [`end_all`].
    pub(crate) fn start(command: &mut Command) -> io::Result<Self> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        let child = command.spawn()?;
        running.push(child.id());
        Ok(Self {
            child,
            has_ended: false,
        })
    }

    pub(crate) fn take_pipes(&mut self) -> (Option<ChildStdin>, Option<ChildStdout>) {
        (self.child.stdin.take(), self.child.stdout.take())
    }

    /// Whether the program has ended. Its process id, which names the group, is not given to another process before
    /// [`ProcessGroup::wait`].
    pub(crate) fn has_ended(&mut self) -> io::Result<bool> {
        self.has_ended = self.has_ended || system::has_ended(&mut self.child)?;
        Ok(self.has_ended)
    }

    /// Ends the program, and all that it has started.
    pub(crate) fn kill(&mut self) {
        system::kill(&mut self.child);
    }

    /// How the program ended, which is waited for.
    pub(crate) fn wait(&mut self) -> io::Result<ExitStatus> {
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        let status = self.child.wait()?;
        self.has_ended = true;
        running.retain(|id| *id != self.child.id());
        Ok(status)
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        if !self.has_ended {
            self.kill();
        }
        // It has ended, so this takes no time; nobody asks any more how.
        _ = self.wait();
    }
}

#[cfg(unix)]
pub(crate) use system::end_all;

#[cfg(unix)]
mod system {
    use std::io;
    use std::mem;
    use std::process::Child;
    use std::sync::PoisonError;
    use std::thread;
    use std::time::Duration;

    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

    use super::RUNNING;

    /// So long programs may take to end when the command is ended.
    const GRACE: Duration = Duration::from_millis(300);

    pub(super) fn has_ended(child: &mut Child) -> io::Result<bool> {
        let looked = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let found = waitid(WaitId::Pid(Pid::from_child(child)), looked)?;
        Ok(found.is_some())
    }

    pub(super) fn kill(child: &mut Child) {
        // It may have ended in between.
        _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    }

    /// Passes a signal on to all programs and what they have started, and then kills what is left, for a process that ends right after: no
    /// further program can be started.
    pub(crate) fn end_all(signal: i32) {
        let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        let send = |signal| {
            let groups = running.iter().filter_map(|id| Pid::from_raw(*id as i32));
            groups.for_each(|group| _ = kill_process_group(group, signal));
        };
        if !running.is_empty() {
            Signal::from_named_raw(signal).into_iter().for_each(send);
            thread::sleep(GRACE);
            send(Signal::KILL);
        }
        mem::forget(running);
    }
}

#[cfg(not(unix))]
mod system {
    use std::io;
    use std::process::{Child, Command, Stdio};

    pub(super) fn has_ended(child: &mut Child) -> io::Result<bool> {
        Ok(child.try_wait()?.is_some())
    }

    pub(super) fn kill(child: &mut Child) {
        let mut command = Command::new("taskkill");
        command.args(["/T", "/F", "/PID", &child.id().to_string()]);
        _ = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
        // Where there is no such command, the program alone.
        _ = child.kill();
    }
}
