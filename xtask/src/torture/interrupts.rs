//! Ctrl-C and `kill` at any moment: no temporary file is left, and existing files stay intact.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use super::Note;
use super::work::{RUN_MANY, Work, ended, moment_of};
use crate::files::write;

pub(super) fn run(command: &Path, folder: &Path, short: bool, note: Note<'_>) {
    let times = if short { 3 } else { 20 };
    for (signal, name, code) in [("-INT", "Ctrl-C", 130), ("-TERM", "`kill`", 143)] {
        let tried =
            Work::begin(command, folder).and_then(|work| interrupt(&work, signal, code, times));
        note(&format!("{name} {times} times"), tried);
    }
}

/// An earlier output.
const BEFORE: &str = "{\"case\":\"before\",\"score\":1.0}\n";

fn interrupt(work: &Work<'_>, signal: &str, code: i32, times: usize) -> Result<String, String> {
    let arguments = &format!("{RUN_MANY} -o out.jsonl --report html=page.html -q");
    let begun = Instant::now();
    work.succeed(arguments)?;
    let time = begun.elapsed().max(Duration::from_millis(10));
    let whole = fs::read(work.folder.join("out.jsonl")).map_err(|error| error.to_string())?;
    let mut in_time = 0;
    for _ in 0..times {
        write(&work.folder.join("out.jsonl"), BEFORE)?;
        let mut run = work.start(arguments)?;
        thread::sleep(moment_of(time));
        // This fails if the process has already ended.
        _ = Command::new("kill")
            .args([signal, &run.id().to_string()])
            .stderr(std::process::Stdio::null())
            .status();
        let status = ended(&mut run)?;
        // Before the first unfinished file, the default handler kills the process, and there is no exit code.
        if !status.success() && status.code().is_some_and(|found| found != code) {
            return Err(format!("it ended with {status}"));
        }
        in_time += usize::from(!status.success());
        let found = fs::read(work.folder.join("out.jsonl")).map_err(|error| error.to_string())?;
        if found != whole && found != BEFORE.as_bytes() {
            return Err(format!(
                "the output is {} bytes long, neither as before nor whole",
                found.len()
            ));
        }
        if !work.leftovers().is_empty() {
            return Err(format!("it left {}", work.leftovers().join(", ")));
        }
        work.whole()?;
    }
    Ok(format!(
        "{in_time} came before the end; no temporary file stayed, the output was whole or as before"
    ))
}
