//! `cargo xtask COMMAND`: the project's own tasks. CI runs the same commands as developers.

mod alignments;
mod bench;
mod browser;
mod conformance;
mod consumers;
mod count;
mod crosscheck;
mod dist;
mod files;
mod format_page;
mod fresh;
mod fuzz;
mod generate;
mod install;
mod newest;
mod node;
mod node_peers;
mod peers;
mod peers_tests;
mod picture;
mod playground;
mod plugins;
mod process;
mod python;
mod python_types;
mod record_traces;
mod statistics;
mod test;
mod typescript;
mod vitest;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

/// What the project does with itself.
#[derive(Parser)]
#[command(bin_name = "cargo xtask", disable_help_subcommand = true)]
enum Task {
    /// All checks, or those named; ends with `N passed, N failed`
    Test {
        /// The checks that take three minutes
        #[arg(long, conflicts_with = "checks")]
        quick: bool,
        /// Names of checks
        #[arg(value_parser = test::names())]
        checks: Vec<String>,
    },
    /// Both packages beside the published ones, agent frameworks, Spark and promptfoo; then as `peers-tests all`
    PeersTests {
        /// The published packages' own tests, with only their imports changed, or each call that they make of a metric judged here:
        /// `all`, the name of one, or `trainers` for our rewards in TRL, verifiers and `OpenEnv`
        peer: Option<String>,
        /// A checkout of that one
        checkout: Option<PathBuf>,
        /// Clones repositories that are not here
        #[arg(long)]
        clone: bool,
    },
    /// The engine for WebAssembly and its playground page, built into target/dist and tried in a browser; then the npm package with it
    TestWasm,
    /// The Python package from its source distribution; compiles for minutes
    TestSdist,
    /// Golden files through the public API; prints each difference
    Conformance {
        #[arg(required = true)]
        files: Vec<String>,
    },
    /// The published packages beside `rightcall score`, case by case
    ///
    /// `--pairs FILE` names other cases, as often as it stands there. `--values` puts the npm drop-ins beside the packages, on values that
    /// JSON cannot hold; `--alignments` costs of expectations in blocks beside pm4py and `process_mining`; `--written` loads what `convert`
    /// writes with `DeepEval` and promptfoo.
    Crosscheck {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        rest: Vec<String>,
    },
    /// Which followed packages have newer releases, and whether our scores are theirs
    ///
    /// Asks `PyPI` and npm, installs each newer release into an environment of its own, and runs its part of `crosscheck`.
    Newest {
        /// These packages alone
        names: Vec<String>,
        /// Cases to compare, in place of the examples
        #[arg(long)]
        pairs: Vec<String>,
    },
    /// Files that come from the code: docs/evaluators, docs/formats.md, a part of docs/metrics.md, schemas, declarations
    Generate {
        /// Writes nothing, and says what is not current
        #[arg(long)]
        check: bool,
    },
    /// The README's picture of a terminal, docs/explain.svg, drawn from what the command prints
    Picture,
    /// The agents under examples/recorders, run once more, and their traces written again
    RecordTraces { names: Vec<String> },
    /// Speed of whole processes, next to a bare parse or another build
    Bench(bench::Own),
    /// Speed next to the packages and the bare parse; writes the tables of docs/performance.md
    BenchPeers(bench::Choice),
    /// An archive of the command with its checksum, the wheel, or the npm packages, in target/dist
    Dist { what: Option<dist::Package> },
    /// The README's first command, as a fresh clone builds it
    FirstCommand,
    /// Whether everything compiles with the `rust-version` of Cargo.toml
    Oldest,
    /// The fuzz targets, all or one, each for a while
    Fuzz(fuzz::Choice),
    /// Whether the tests notice that the core is wrong; `--shard K/N` tests a part of its mutants
    Mutants {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        rest: Vec<String>,
    },
    /// Licences, advisories, sources and doubles of the crates that we build on
    Deny {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        rest: Vec<String>,
    },
}

fn main() -> ExitCode {
    match run(Task::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            _ = writeln!(std::io::stderr(), "error: {message}");
            ExitCode::from(2)
        }
    }
}

/// Runs a task; true if everything passes.
fn run(task: Task) -> Result<bool, String> {
    match task {
        Task::Test { quick, checks } => test::run(quick, &checks),
        Task::PeersTests {
            peer,
            checkout,
            clone,
        } => peers_tests::run(peer.as_deref(), checkout, clone),
        Task::TestWasm => playground::test(),
        Task::TestSdist => python::test_sdist(),
        Task::Conformance { files } => conformance::run(&files),
        Task::Crosscheck { rest } => crosscheck::run(&rest),
        Task::Newest { names, pairs } => newest::run(&names, &pairs),
        Task::Generate { check } => generate::run(check),
        Task::Picture => picture::draw(),
        Task::RecordTraces { names } => record_traces::run(&names),
        Task::Bench(own) => bench::own(own),
        Task::BenchPeers(choice) => bench::peers(&choice),
        Task::Dist { what } => dist::run(what),
        Task::FirstCommand => fresh::first_command(),
        Task::Oldest => fresh::oldest(),
        Task::Fuzz(choice) => fuzz::run(&choice),
        Task::Mutants { rest } => plugins::mutants(&rest),
        Task::Deny { rest } => plugins::deny(&rest),
    }
}

/// Prints a line. A closed pipe is not an error here.
fn say(line: &str) {
    _ = writeln!(std::io::stdout(), "{line}");
}
