//! `cargo xtask test`: everything that must hold, in one command.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::time::Instant;

use crate::count::{Company, Count};
use crate::files::entries;
use crate::process::{cargo, passes};
use crate::{browser, conformance, consumers, generate, node, python, say, statistics, torture};

/// Runs the tests of the npm package alone.
pub(crate) fn run_node() -> Result<bool, String> {
    let mut count = Count::default();
    node::test(&mut count, Company::Ours)?;
    Ok(count.close())
}

/// Runs the tests of the Python package alone.
pub(crate) fn run_python() -> Result<bool, String> {
    let mut count = Count::default();
    python::test(&mut count, Company::Ours)?;
    Ok(count.close())
}

/// In which runs a check takes part.
#[derive(Clone, Copy, PartialEq, Eq)]
enum When {
    Always,
    /// With `--quick` alone.
    Quick,
    /// Without it.
    Whole,
}

/// What is checked, and how.
struct Check {
    what: &'static str,
    when: When,
    run: fn(&mut Count) -> Result<(), String>,
}

impl Check {
    const fn new(
        what: &'static str,
        when: When,
        run: fn(&mut Count) -> Result<(), String>,
    ) -> Self {
        Self { what, when, run }
    }
}

/// All checks, in order.
static CHECKS: [Check; 12] = [
    Check::new("format: cargo fmt", When::Always, |count| {
        silent(count, "fmt --all --check")
    }),
    Check::new("lints: cargo clippy", When::Always, |count| {
        silent(
            count,
            "clippy --workspace --all-targets --quiet -- --deny warnings",
        )
    }),
    Check::new("documentation: cargo doc", When::Always, |count| {
        silent(count, "doc --workspace --no-deps --quiet")
    }),
    Check::new(
        "generated files: cargo xtask generate --check",
        When::Always,
        |count| {
            count.note(generate::run(true)?);
            Ok(())
        },
    ),
    Check::new(
        "golden cases: cargo xtask conformance",
        When::Always,
        goldens,
    ),
    Check::new(
        "tests of the core, and of what the pages show",
        When::Quick,
        |count| {
            tests(count, CORE)?;
            tests(count, PAGES)
        },
    ),
    Check::new("tests: cargo test --workspace", When::Whole, |count| {
        tests(count, "--workspace")
    }),
    Check::new(
        "statistics: beside SciPy, statsmodels and scikit-learn",
        When::Whole,
        |count| {
            count.add(statistics::check()?);
            Ok(())
        },
    ),
    Check::new(
        "kills, full disks and the like, a few of each: cargo xtask torture --short",
        When::Whole,
        |count| torture::check(true, count),
    ),
    Check::new(
        "the npm package, in projects that install it: cargo xtask test-node",
        When::Whole,
        |count| node::test(count, Company::Ours),
    ),
    Check::new(
        "the Python package: cargo xtask test-python",
        When::Whole,
        |count| python::test(count, Company::Ours),
    ),
    Check::new(
        "reports read by others, and pages in a browser",
        When::Whole,
        |count| {
            count.check_all("the reports", consumers::run());
            count.check_all("the pages", browser::run());
            Ok(())
        },
    ),
];

/// The packages whose tests hold scores. `xtask` is there for its features, with which all that they stand on is built already.
const CORE: &str =
    "-p rightcall -p rightcall-json -p rightcall-python-values -p rightcall-reference -p xtask";

/// The tests of what README and docs show.
const PAGES: &str = "-p rightcall-cli --test it -- contributing:: docs:: readme:: words::";

/// Runs all checks, or those that are quick; true if none fails. The last line is `N passed, N failed`.
pub(crate) fn run(quick: bool) -> Result<bool, String> {
    let left_out = if quick { When::Whole } else { When::Quick };
    let mut count = Count::default();
    for check in CHECKS.iter().filter(|check| check.when != left_out) {
        say(&format!("== {}", check.what));
        let start = Instant::now();
        (check.run)(&mut count)?;
        say(&format!("-- {} s", start.elapsed().as_secs()));
    }
    Ok(count.close())
}

/// Counts whether cargo finds nothing to say.
fn silent(count: &mut Count, arguments: &str) -> Result<(), String> {
    let mut command = cargo();
    command.args(arguments.split(' '));
    count.note(passes(command.env("RUSTDOCFLAGS", "--deny warnings"))?);
    Ok(())
}

fn goldens(count: &mut Count) -> Result<(), String> {
    let golden = conformance::check(&golden_files()?)?;
    count.add((golden.passed, golden.failed));
    Ok(())
}

/// The project's own copies of the golden files.
pub(crate) fn golden_files() -> Result<Vec<String>, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("conformance");
    let files = entries(&folder)?.into_iter();
    let goldens = files.filter(|file| file.extension().is_some_and(|it| it == "jsonl"));
    Ok(goldens
        .map(|file| file.to_string_lossy().into_owned())
        .collect())
}

/// Runs tests, shows their output, and adds up what the test binaries report.
fn tests(count: &mut Count, which: &str) -> Result<(), String> {
    let failed_before = count.failed;
    let mut child = cargo()
        .args(["test", "--no-fail-fast", "--quiet"])
        .args(which.split(' '))
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
    if binaries == 0 || (!succeeded && count.failed == failed_before) {
        count.failed += 1;
    }
    Ok(())
}
