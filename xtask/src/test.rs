//! `cargo xtask test`: runs all checks in one command.

use std::io::{BufRead, BufReader};
use std::num::NonZero;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, available_parallelism};
use std::time::Instant;

use clap::builder::PossibleValuesParser;

use crate::count::{Count, PeerScope};
use crate::files::entries;
use crate::install::Venv;
use crate::process::{built, cargo, counted, output, passes, project_root, succeed, target_folder};
use crate::{browser, conformance, generate, node, python, say};

/// When a check runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum When {
    Always,
    /// Only with `--quick`.
    Quick,
    /// Only without `--quick`.
    Whole,
    /// Only if named, because it compiles everything again.
    Named,
}

/// A check with its name.
struct Check {
    name: &'static str,
    when: When,
    run: fn(&mut Count) -> Result<(), String>,
}

impl Check {
    const fn new(
        name: &'static str,
        when: When,
        run: fn(&mut Count) -> Result<(), String>,
    ) -> Self {
        Self { name, when, run }
    }

    /// Runs the check, and prints its name and its time.
    fn timed(&self) -> Result<(usize, usize), String> {
        say(&format!("== {}", self.name));
        let start = Instant::now();
        let mut count = Count::default();
        (self.run)(&mut count)?;
        say(&format!("-- {} {} s", self.name, start.elapsed().as_secs()));
        Ok((count.passed, count.failed))
    }
}

/// All checks. After those that take seconds, the longest come first.
static CHECKS: [Check; 13] = [
    Check::new("format", When::Always, |count| {
        silent(count, "fmt --all --check")
    }),
    Check::new("generated", When::Always, |count| {
        count.note(generate::run(true)?);
        Ok(())
    }),
    Check::new("core", When::Quick, |count| {
        tests(count, CORE)?;
        tests(count, PAGES)
    }),
    Check::new("workspace", When::Whole, workspace),
    Check::new("python", When::Whole, |count| {
        python::test(count, PeerScope::Ours)
    }),
    Check::new("node", When::Whole, |count| {
        node::test(count, PeerScope::Ours)
    }),
    Check::new("lints", When::Always, |count| {
        silent(
            count,
            "clippy --workspace --all-targets --quiet -- --deny warnings",
        )
    }),
    // Reports are read by other programs, and pages are opened in a browser.
    Check::new("reports", When::Whole, |count| {
        count.check_all("the reports", reports());
        count.check_all("the pages", browser::run());
        Ok(())
    }),
    // Compared with SciPy and statsmodels.
    Check::new("statistics", When::Whole, |count| {
        count.check_all("the statistics", statistics());
        Ok(())
    }),
    Check::new("documentation", When::Always, |count| {
        silent(count, "doc --workspace --no-deps --quiet")
    }),
    Check::new("goldens", When::Always, goldens),
    Check::new("first-command", When::Named, first_command),
    Check::new("oldest-rust", When::Named, oldest_rust),
];

/// The names of the checks.
pub(crate) fn names() -> PossibleValuesParser {
    CHECKS.iter().map(|check| check.name).into()
}

/// The packages with tests of scores. `xtask` is included for its features: all its dependencies are built with them already.
const CORE: &str = "-p rightcall-core -p rightcall-json -p rightcall-python-values -p rightcall-reference -p xtask";

/// The tests of the README and docs.
const PAGES: &str = "-p rightcall-cli --test it -- contributing:: docs:: readme:: words::";

/// Runs all checks, only the quick ones, or only those named; true if none fails. The last line is `N passed, N failed`.
pub(crate) fn run(quick: bool, names: &[String]) -> Result<bool, String> {
    let mode = if quick { When::Quick } else { When::Whole };
    let is_chosen = |check: &&Check| match names {
        [] => check.when == When::Always || check.when == mode,
        names => names.iter().any(|name| name == check.name),
    };
    let mut count = Count::default();
    // Checks wait for downloads, for cargo's lock and for single-threaded programs, so run one more
    // than there are processors.
    let queue = Mutex::new(CHECKS.iter().filter(is_chosen));
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let counts = thread::scope(|scope| {
        let worker = || {
            std::iter::from_fn(next)
                .map(Check::timed)
                .collect::<Vec<_>>()
        };
        let workers: Vec<_> = (0..=parallelism()).map(|_| scope.spawn(worker)).collect();
        let counts = workers.into_iter().flat_map(|it| {
            it.join()
                .unwrap_or_else(|_| vec![Err("a check panicked".to_owned())])
        });
        counts.collect::<Vec<_>>()
    });
    for counted in counts {
        count.add(counted?);
    }
    Ok(count.close())
}

/// Counts one check that passes if cargo succeeds.
fn silent(count: &mut Count, arguments: &str) -> Result<(), String> {
    let mut command = cargo();
    command.args(arguments.split(' '));
    count.note(passes(command.env("RUSTDOCFLAGS", "--deny warnings"))?);
    Ok(())
}

/// The crates with hundreds of unit tests each. Optimizing the tests takes longer than it saves.
const UNITS: [&str; 2] = ["rightcall-core", "rightcall-formats"];

/// All tests of the workspace.
fn workspace(count: &mut Count) -> Result<(), String> {
    let units = UNITS.map(|name| format!(" -p {name}")).concat();
    let others = UNITS.map(|name| format!(" --exclude {name}")).concat();
    tests(count, &format!("--workspace{others}"))?;
    // With `xtask`, for its features: all dependencies are built with them already.
    tests(count, &format!("-p xtask{units} --test it"))?;
    tests(count, &format!("-p xtask{units} --doc"))?;
    for name in UNITS {
        let config = format!("profile.dev.package.{name}.opt-level=0");
        tests(
            count,
            &format!("-p xtask -p {name} --lib --config {config}"),
        )?;
    }
    Ok(())
}

fn goldens(count: &mut Count) -> Result<(), String> {
    let golden = conformance::check(&golden_files()?)?;
    count.add((golden.passed, golden.failed));
    count.note(golden.passed > 6000 && golden.as_cases > 5000);
    // A rule covers each of these; a large number would indicate a gap.
    count.note(golden.as_decided < golden.as_cases / 100);
    Ok(())
}

/// Reads reports with `junitparser`, a JSON Schema validator, `pyarrow` and `DuckDB`.
fn reports() -> Result<(usize, usize), String> {
    let root = project_root()?;
    let pins = root.join("xtask/consumers");
    let home = root.join("target/consumers");
    let venv = Venv::with(&home, &pins.join("requirements.txt"), &[])?;
    let mut check = Command::new(venv.python);
    check.arg(pins.join("check.py")).arg(built(&root)?);
    counted(check.arg(root.join("examples")))
}

/// Compares statistics with `SciPy`, statsmodels and scikit-learn on generated data sets. Skipped
/// if the packages cannot be installed.
fn statistics() -> Result<(usize, usize), String> {
    let root = project_root()?;
    let pins = root.join("crates/rightcall-stats/reference");
    let home = root.join("target/statistics");
    let venv = match Venv::with(&home, &pins.join("requirements.txt"), &[]) {
        Ok(venv) => venv,
        Err(why) => {
            say(&format!(
                "skipped: the packages cannot be installed here\n{why}"
            ));
            return Ok((0, 0));
        }
    };
    // Build in the whole workspace: its dependencies are compiled already.
    let build = "build --quiet --workspace --example calculate";
    succeed(cargo().args(build.split(' ')).current_dir(&root))?;
    let mut check = Command::new(venv.python);
    check.arg(pins.join("check.py"));
    counted(check.arg(target_folder(&root).join("debug/examples/calculate")))
}

/// Runs the README's first command, which is built without Parquet and Arrow. For a Parquet file,
/// the error must name the feature to enable.
fn first_command(count: &mut Count) -> Result<(), String> {
    let rightcall = |words: &str| {
        let mut command = cargo();
        command.args("run --quiet --release --".split(' '));
        command.args(words.split(' '));
        command
    };
    let suite = "run examples/quickstart/suite.yaml --no-history";
    count.check("the first command", succeed(&mut rightcall(suite)));
    let table = "inspect crates/rightcall-formats/tests/traces/cases.rows.parquet";
    let refused = output(&mut rightcall(table))?;
    count.note(String::from_utf8_lossy(&refused.stderr).contains("--features columns"));
    Ok(())
}

/// Compiles everything with the oldest supported Rust.
fn oldest_rust(count: &mut Count) -> Result<(), String> {
    let mut command = Command::new("cargo");
    command.arg(concat!("+", env!("CARGO_PKG_RUST_VERSION")));
    command.args("check --workspace --all-targets --locked".split(' '));
    // xtask itself runs with another toolchain, and cargo would inherit that.
    count.note(passes(command.env_remove("RUSTUP_TOOLCHAIN"))?);
    Ok(())
}

/// The golden files of the project.
pub(crate) fn golden_files() -> Result<Vec<String>, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("conformance");
    let files = entries(&folder)?.into_iter();
    let goldens = files.filter(|file| file.extension().is_some_and(|it| it == "jsonl"));
    Ok(goldens
        .map(|file| file.to_string_lossy().into_owned())
        .collect())
}

/// The number of processors.
fn parallelism() -> usize {
    available_parallelism().map_or(1, NonZero::get)
}

/// Runs tests, prints their output, and adds up the counts of the test binaries.
fn tests(count: &mut Count, which: &str) -> Result<(), String> {
    let failed_before = count.failed;
    let mut child = cargo()
        .args(["test", "--no-fail-fast", "--quiet"])
        .args(which.split(' '))
        // Some tests wait for a process or a lock.
        .env("RUST_TEST_THREADS", (2 * parallelism()).to_string())
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
    // A failed build, or a run without tests, reports no failed test.
    if binaries == 0 || (!succeeded && count.failed == failed_before) {
        count.failed += 1;
    }
    Ok(())
}
