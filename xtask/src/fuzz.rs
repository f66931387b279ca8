//! Runs each fuzz target for a limited time.
//!
//! A run starts from `fuzz/seeds/`, and stores inputs that reach new code in `fuzz/corpus/`, which
//! is not committed. The target `read_trace` runs once for each trace format. Each format has a
//! separate corpus, which starts with the format's example and its test files.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rightcall_formats::{FORMATS, Format};

use crate::files::{copy, entries, make_folder, name, write};
use crate::process::project_root;
use crate::say;

/// Options of `cargo xtask fuzz`.
#[derive(Debug, clap::Args)]
pub(crate) struct Choice {
    /// One target [default: all]
    target: Option<String>,
    /// Fuzz only this format of traces, with the target `read_trace`
    #[arg(long, conflicts_with = "target", value_parser = |name: &str| Format::find(name))]
    input_format: Option<&'static Format>,
    /// The time for each target, in seconds
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..))]
    seconds: u32,
}

/// The target that runs once for each format.
const READ_TRACE: &str = "read_trace";

/// Fuzzes one target or all of them; true if no error was found.
pub(crate) fn run(choice: &Choice) -> Result<bool, String> {
    let root = &project_root()?;
    let targets = targets(root)?;
    let (format, seconds) = (choice.input_format, choice.seconds);
    let chosen = format.map_or(choice.target.as_deref(), |_| Some(READ_TRACE));
    if let Some(unknown) = chosen.filter(|name| !targets.iter().any(|target| target == name)) {
        let targets = targets.join(", ");
        return Err(format!(
            "no target is called `{unknown}`; there are {targets}"
        ));
    }
    let chosen = targets
        .iter()
        .filter(|target| chosen.is_none_or(|it| it == *target));
    let formats = FORMATS.iter().copied().filter(|it| it.holds_traces());
    let formats = formats.filter(|it| format.is_none_or(|only| only == *it));
    let formats: Vec<_> = formats.map(Some).collect();
    let mut table = Vec::new();
    for target in chosen {
        let formats = if target == READ_TRACE {
            &formats
        } else {
            &vec![None]
        };
        for &format in formats {
            let run = Run { target, format };
            say(&format!("fuzzing {} for {seconds} seconds", run.name()));
            table.push((run.name(), run.fuzz(root, seconds)?));
        }
    }
    for (name, outcome) in &table {
        let outcome = outcome.as_deref().unwrap_or("something was found");
        say(&format!("{name:32} {outcome}"));
    }
    Ok(table.iter().all(|(_, outcome)| outcome.is_some()))
}

/// The targets: the files of `fuzz_targets`.
fn targets(root: &Path) -> Result<Vec<String>, String> {
    let files = entries(&root.join("fuzz/fuzz_targets"))?;
    let targets = files.iter().map(|file| file.with_extension(""));
    Ok(targets.map(|file| name(&file)).collect())
}

/// A target and the format that it reads.
struct Run<'a> {
    target: &'a str,
    format: Option<&'static Format>,
}

impl Run<'_> {
    fn name(&self) -> String {
        self.format.map_or_else(
            || self.target.to_owned(),
            |format| format!("{} {}", self.target, format.name),
        )
    }

    /// Runs for this many seconds. Returns the fuzzer's final output, or `None` if it found an error.
    fn fuzz(&self, root: &Path, seconds: u32) -> Result<Option<String>, String> {
        let part = self.format.map_or("", |format| format.name);
        let folder =
            |kind: &str| -> PathBuf { root.join("fuzz").join(kind).join(self.target).join(part) };
        let (corpus, seeds) = (folder("corpus"), folder("seeds"));
        make_folder(&corpus)?;
        if let Some(format) = self.format {
            seed(root, format, &corpus)?;
        }
        let mut command = Command::new("cargo");
        // The fuzzer writes new inputs to the first folder.
        command
            .current_dir(root)
            .args(["+nightly", "fuzz", "run", self.target])
            .arg(&corpus);
        command.args(Some(&seeds).filter(|seeds| seeds.is_dir()));
        command
            .arg("--")
            .arg(format!("-max_total_time={seconds}"))
            .args(["-rss_limit_mb=4096", "-timeout=20"]);
        let mut child = command
            .env("RIGHTCALL_FUZZ_FORMAT", part)
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("cargo fuzz: {error}"))?;
        let mut last = String::new();
        for line in BufReader::new(child.stderr.take().ok_or("cargo fuzz tells nothing")?).lines() {
            let line = line.map_err(|error| format!("cargo fuzz: {error}"))?;
            say(&line);
            if line.starts_with("Done ") {
                last = line;
            }
        }
        let status = child
            .wait()
            .map_err(|error| format!("cargo fuzz: {error}"))?;
        Ok(status.success().then_some(last))
    }
}

/// Seeds a corpus with the format's example and its test files.
fn seed(root: &Path, format: &Format, corpus: &Path) -> Result<(), String> {
    write(&corpus.join("example"), format.example)?;
    let begin = format!("{}.", format.name);
    let files = entries(&root.join("crates/rightcall-formats/tests/traces"))?;
    files
        .iter()
        .filter(|file| name(file).starts_with(&begin))
        .try_for_each(|file| copy(file, &corpus.join(name(file))))
}
