//! Handles Ctrl-C, `kill` and a closed terminal: ends child processes, removes unfinished files, then exits.

/// Starts to handle signals. Called before the first unfinished file is created; until then, the system's default handling is enough.
#[cfg(unix)]
pub(crate) fn listen() {
    use std::sync::mpsc;
    use std::thread;

    use rightcall_run::remove_unfinished;
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::exit;

    use crate::running::end_all;

    let (listens, has_begun) = mpsc::channel();
    let listen = move || {
        // Registered on this thread: if the thread cannot be started, the default handling remains.
        let hangup = (!is_hangup_ignored()).then_some(SIGHUP);
        let signals = Signals::new([SIGINT, SIGTERM].into_iter().chain(hangup));
        _ = listens.send(());
        if let Some(signal) = signals
            .ok()
            .and_then(|mut signals| signals.forever().next())
        {
            end_all(signal);
            remove_unfinished();
            // The exit code that shells use: 130 for Ctrl-C, 143 for `kill`.
            exit(128 + signal);
        }
    };
    if thread::Builder::new()
        .name("signals".to_owned())
        .spawn(listen)
        .is_ok()
    {
        _ = has_begun.recv();
    }
}

/// True if the process should outlive its terminal, as with `nohup`, or if that is unknown.
#[cfg(unix)]
fn is_hangup_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok());
    ignored.is_none_or(|bits| bits & 1 == 1)
}

#[cfg(not(unix))]
pub(crate) fn listen() {}
