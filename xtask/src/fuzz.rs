//! The fuzz targets, each for a while.
//!
//! What a run finds out about the code is kept in `fuzz/corpus/`, which is not committed; `fuzz/seeds/` is where it begins. The
//! target `read_trace` runs once for each format of traces, each with a corpus of its own, which begins with the example of the
//! format and the files of the tests.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rightcall_formats::{FORMATS, Format};

use crate::install::{copy, make_folder};
use crate::say;

const USAGE: &str = "usage: cargo xtask fuzz [TARGET] [--input-format FORMAT] [--seconds N]";

/// The target that runs once a format.
const READ_TRACE: &str = "read_trace";

/// Fuzzes one target or all of them, each for `--seconds`; true if nothing was found.
pub(crate) fn run(arguments: &[String]) -> Result<bool, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .ok_or("the project has no folder")?;
    let targets = targets(root)?;
    let (mut chosen, mut format, mut seconds) = (None, None, 60);
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--seconds" => {
                let number = arguments
                    .next()
                    .and_then(|number| number.parse::<u32>().ok())
                    .filter(|number| *number > 0);
                seconds = number
                    .ok_or_else(|| format!("`--seconds` wants a number from 1 on\n\n{USAGE}"))?;
            }
            "--input-format" => {
                let name = arguments
                    .next()
                    .ok_or_else(|| format!("`--input-format` wants a name\n\n{USAGE}"))?;
                let found = Format::find(name).map_err(|error| error.to_string())?;
                format = Some(found);
                chosen = Some(READ_TRACE.to_owned());
            }
            name if targets.iter().any(|target| target == name) && chosen.is_none() => {
                chosen = Some(name.to_owned());
            }
            other => {
                return Err(format!(
                    "no target is called `{other}`; there are {}\n\n{USAGE}",
                    targets.join(", ")
                ));
            }
        }
    }
    installed()?;
    let mut runs = Vec::new();
    for target in targets
        .iter()
        .filter(|target| chosen.as_ref().is_none_or(|chosen| chosen == *target))
    {
        if target != READ_TRACE {
            runs.push(Run {
                target,
                format: None,
            });
            continue;
        }
        let formats = FORMATS.iter().copied().filter(|it| it.holds_traces());
        runs.extend(
            formats
                .filter(|it| format.is_none_or(|only| only == *it))
                .map(|it| Run {
                    target,
                    format: Some(it),
                }),
        );
    }
    let mut table = Vec::new();
    for run in &runs {
        say(&format!("fuzzing {} for {seconds} seconds", run.name()));
        table.push((run.name(), run.fuzz(root, seconds)?));
    }
    for (name, outcome) in &table {
        say(&format!(
            "{name:32} {}",
            outcome.as_deref().unwrap_or("something was found")
        ));
    }
    Ok(table.iter().all(|(_, outcome)| outcome.is_some()))
}

/// The targets are the files of `fuzz_targets`.
fn targets(root: &Path) -> Result<Vec<String>, String> {
    let folder = root.join("fuzz/fuzz_targets");
    let entries =
        fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut targets: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.path().file_stem()?.to_str().map(str::to_owned))
        .collect();
    targets.sort();
    Ok(targets)
}

/// Says how to install what is missing.
fn installed() -> Result<(), String> {
    let works = |arguments: &[&str]| {
        Command::new("cargo")
            .args(arguments)
            .output()
            .is_ok_and(|output| output.status.success())
    };
    if !works(&["+nightly", "--version"]) {
        return Err(
            "fuzzing needs a nightly compiler for its sanitizers: rustup toolchain install nightly"
                .to_owned(),
        );
    }
    if !works(&["+nightly", "fuzz", "--version"]) {
        return Err("fuzzing needs cargo-fuzz: cargo install cargo-fuzz --locked".to_owned());
    }
    Ok(())
}

/// A target, with the format that it reads.
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

    /// Runs for some seconds; what the fuzzer says at its end, or nothing if it found something.
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
        // The first folder is the one that is written to.
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

/// Begins a corpus with the example of the format and with its files among those of the tests.
fn seed(root: &Path, format: &Format, corpus: &Path) -> Result<(), String> {
    let example = corpus.join("example");
    fs::write(&example, format.example)
        .map_err(|error| format!("{}: {error}", example.display()))?;
    let folder = root.join("crates/rightcall-formats/tests/traces");
    let entries =
        fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for entry in entries.filter_map(Result::ok) {
        let name = entry.file_name();
        if name
            .to_string_lossy()
            .strip_prefix(format.name)
            .is_some_and(|rest| rest.starts_with('.'))
        {
            copy(&entry.path(), &corpus.join(name))?;
        }
    }
    Ok(())
}
