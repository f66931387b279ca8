//! Child programs, each with all processes that it started.
//!
//! An agent is often started by a wrapper, such as a shell script, `npm` or `uv run`. Killing only the wrapper would leave the agent
//! running. So each program leads its own process group, and the whole group is killed.

use std::io;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus};
use std::sync::{Mutex, PoisonError};

/// The running groups, by the process id of their leader.
static RUNNING: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// A program with its process group. Dropping it before the program ends kills the group.
pub(crate) struct ProcessGroup {
    child: Child,
    has_ended: bool,
}

impl ProcessGroup {
    /// Starts a program. After [`end_all`], this blocks forever.
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

    /// True if the program has ended. Its process id, which identifies the group, stays reserved until [`ProcessGroup::wait`].
    pub(crate) fn has_ended(&mut self) -> io::Result<bool> {
        self.has_ended = self.has_ended || system::has_ended(&mut self.child)?;
        Ok(self.has_ended)
    }

    /// Kills the program and its whole group.
    pub(crate) fn kill(&mut self) {
        system::kill(&mut self.child);
    }

    /// Waits for the program and returns its exit status.
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
        // The program has ended or was killed, so this does not block. Its status no longer matters.
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

    /// The time for programs to end after a signal, before they are killed.
    const GRACE: Duration = Duration::from_millis(300);

    pub(super) fn has_ended(child: &mut Child) -> io::Result<bool> {
        // NOWAIT keeps the zombie, so the ids of the process and its group cannot be reused yet.
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let found = waitid(WaitId::Pid(Pid::from_child(child)), options)?;
        Ok(found.is_some())
    }

    pub(super) fn kill(child: &mut Child) {
        // The group may have ended in the meantime.
        _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    }

    /// Forwards a signal to all groups, then kills the remaining ones. Keeps the lock, so no
    /// further program can start: the process must exit right after this.
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
        // Never unlock: `start` must block until the process exits.
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
        // If `taskkill` is missing, kill at least the program itself.
        _ = child.kill();
    }
}
