//! Ctrl-C, and `kill`: what is unfinished goes, and then the process.

/// Listens from now on. Before there is anything unfinished, the system ends the process as any other.
#[cfg(unix)]
pub(crate) fn listen() {
    use std::sync::mpsc;
    use std::thread;

    use rightcall_run::remove_unfinished;
    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::exit;

    let (listens, has_begun) = mpsc::channel();
    let listen = move || {
        // Here, so that without a thread nothing is taken from the system.
        let signals = Signals::new([SIGINT, SIGTERM]);
        _ = listens.send(());
        if let Some(signal) = signals
            .ok()
            .and_then(|mut signals| signals.forever().next())
        {
            remove_unfinished();
            // As shells call it: 130 for Ctrl-C, 143 for `kill`.
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

#[cfg(not(unix))]
pub(crate) fn listen() {}
