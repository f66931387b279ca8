//! `cargo xtask test`: everything that must hold, in one command.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

use crate::process::cargo;
use crate::statistics::{self, Checked};
use crate::{browser, conformance, consumers, generate, node, python, say, torture};

/// What was counted.
#[derive(Default)]
pub(crate) struct Count {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
}

impl Count {
    pub(crate) fn note(&mut self, held: bool) {
        if held {
            self.passed += 1
        } else {
            self.failed += 1
        }
    }
}

/// Runs the tests of the npm package alone.
pub(crate) fn run_node() -> Result<bool, String> {
    let mut count = Count::default();
    node::test(&mut count)?;
    say(&format!("{} passed, {} failed", count.passed, count.failed));
    Ok(count.failed == 0)
}

/// Runs the tests of the Python package alone.
pub(crate) fn run_python() -> Result<bool, String> {
    let python = python::test()?.ok_or("there is no Python to test with")?;
    say(&format!(
        "{} passed, {} failed",
        python.passed, python.failed
    ));
    Ok(python.failed == 0)
}

/// Runs all checks; true if none fails. The last line is `N passed, N failed`.
pub(crate) fn run() -> Result<bool, String> {
    let mut count = Count::default();
    for (what, arguments) in [
        ("format", &["fmt", "--all", "--check"][..]),
        (
            "lints",
            &[
                "clippy",
                "--workspace",
                "--all-targets",
                "--quiet",
                "--",
                "--deny",
                "warnings",
            ],
        ),
        (
            "documentation",
            &["doc", "--workspace", "--no-deps", "--quiet"],
        ),
    ] {
        say(&format!("== {what}: cargo {}", arguments.join(" ")));
        let status = cargo()
            .args(arguments)
            .env("RUSTDOCFLAGS", "--deny warnings")
            .status();
        count.note(status.map_err(|error| format!("cargo: {error}"))?.success());
    }
    say("== generated files: cargo xtask generate --check");
    count.note(generate::run(&["--check".to_owned()])?);
    say("== golden cases: cargo xtask conformance conformance/*.jsonl");
    let golden = conformance::check(&golden_files()?)?;
    count.passed += golden.passed;
    count.failed += golden.failed;
    say("== statistics: beside SciPy and statsmodels");
    match statistics::check()? {
        Checked::Compared(passed, failed) => {
            count.passed += passed;
            count.failed += failed;
        }
        Checked::Skipped(why) => say(&format!(
            "skipped: the packages cannot be installed here\n{why}"
        )),
    }
    say("== tests: cargo test --workspace --no-fail-fast");
    tests(&mut count)?;
    say("== kills, full disks and the like, a few of each: cargo xtask torture --short");
    torture::check(true, &mut count)?;
    say("== the npm package, in projects that install it: cargo xtask test-node");
    node::test(&mut count)?;
    if let Some(python) = python::test()? {
        count.passed += python.passed;
        count.failed += python.failed;
    }
    for (what, check) in [
        (
            "reports read by others",
            consumers::run as fn() -> Result<(usize, usize), String>,
        ),
        ("pages in a browser", browser::run),
    ] {
        say(&format!("== {what}"));
        match check() {
            Ok((passed, failed)) => {
                count.passed += passed;
                count.failed += failed;
            }
            Err(message) => {
                say(&format!("FAIL {message}"));
                count.failed += 1;
            }
        }
    }
    say(&format!("{} passed, {} failed", count.passed, count.failed));
    Ok(count.failed == 0)
}

/// The project's own copies of the golden files.
pub(crate) fn golden_files() -> Result<Vec<String>, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("conformance");
    let entries =
        std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.path().to_str().map(str::to_owned))
        .collect();
    files.retain(|file| {
        Path::new(file)
            .extension()
            .is_some_and(|extension| extension == "jsonl")
    });
    files.sort();
    Ok(files)
}

/// Runs the tests, shows their output, and adds up what the test binaries report.
fn tests(count: &mut Count) -> Result<(), String> {
    let mut child = cargo()
        .args(["test", "--workspace", "--no-fail-fast", "--quiet"])
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cargo: {error}"))?;
    let output = child.stdout.take().ok_or("cargo test has no output")?;
    let mut binaries = 0;
    for line in BufReader::new(output).lines() {
        let line = line.map_err(|error| format!("cargo test: {error}"))?;
        if let Some(result) = line.strip_prefix("test result: ") {
            let number = |word: &str| {
                let part = result
                    .split([';', '.'])
                    .find(|part| part.trim_end().ends_with(word));
                part.and_then(|part| part.trim().split(' ').next()?.parse::<usize>().ok())
                    .unwrap_or(0)
            };
            count.passed += number("passed");
            count.failed += number("failed");
            binaries += 1;
        }
        say(&line);
    }
    let succeeded = child
        .wait()
        .map_err(|error| format!("cargo test: {error}"))?
        .success();
    // A build that fails, or a run without tests, reports no failure of its own.
    if binaries == 0 || (!succeeded && count.failed == 0) {
        count.failed += 1;
    }
    Ok(())
}
