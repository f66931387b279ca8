//! `cargo xtask COMMAND`: the project's own tasks. CI runs the same commands as developers.

mod alignments;
mod bench;
mod browser;
mod conformance;
mod count;
mod crosscheck;
mod dist;
mod files;
mod format_page;
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
mod process;
mod python;
mod python_types;
mod record_traces;
mod test;
mod typescript;
mod vitest;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use clap::builder::PossibleValuesParser;

use crate::peers::PACKAGES;

/// A task of the project.
#[derive(Parser)]
#[command(bin_name = "cargo xtask", disable_help_subcommand = true)]
enum Task {
    /// Runs all checks, or those named; ends with `N passed, N failed`
    Test {
        /// The checks that take three minutes
        #[arg(long, conflicts_with = "checks")]
        quick: bool,
        /// Names of checks; `first-command` and `oldest-rust` run only if named
        #[arg(value_parser = test::names())]
        checks: Vec<String>,
    },
    /// Tests our packages next to the published ones, agent frameworks, Spark and promptfoo; then
    /// like `peers-tests all`
    PeersTests {
        /// The published packages' own tests, with only their imports changed, or with each call of
        /// a metric judged here: `all`, the name of one, or `trainers` for our rewards in TRL,
        /// verifiers and `OpenEnv`
        peer: Option<String>,
    },
    /// Checks golden files through the public API, and prints each difference
    Conformance {
        #[arg(required = true)]
        files: Vec<String>,
    },
    /// Compares the published packages with `rightcall score`, case by case
    Crosscheck(crosscheck::Options),
    /// Lists newer releases of the packages in our tables, and checks that our scores still match
    ///
    /// Asks `PyPI` and npm, installs each newer release into an environment of its own, and runs its part of `crosscheck`.
    Newest {
        /// Only these packages
        #[arg(value_parser = PossibleValuesParser::from(PACKAGES.each_ref().map(|it| it.name)))]
        names: Vec<String>,
        /// Cases to compare, instead of the examples
        #[arg(long)]
        pairs: Vec<PathBuf>,
    },
    /// Generates files from the code: docs/evaluators, docs/formats.md, a part of docs/metrics.md,
    /// schemas, declarations
    Generate {
        /// Writes nothing, and lists files that are not current
        #[arg(long)]
        check: bool,
    },
    /// Draws the README's picture of a terminal, docs/explain.svg, from the output of the command
    Picture,
    /// Runs the agents under examples/recorders again, and writes their traces
    RecordTraces { names: Vec<String> },
    /// Measures the goals for speed and memory; `--help` lists them
    #[command(disable_help_flag = true)]
    Bench {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        rest: Vec<String>,
    },
    /// Builds and tests a package in target/dist: an archive of the command with its checksum, the
    /// wheel, the npm packages, or the engine for browsers with its playground page. Or tests the
    /// Python package from its source distribution
    Dist { what: Option<dist::Package> },
    /// Runs the fuzz targets, all or one, each for a while
    Fuzz(fuzz::Choice),
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
        Task::PeersTests { peer } => peers_tests::run(peer.as_deref()),
        Task::Conformance { files } => conformance::run(&files),
        Task::Crosscheck(options) => crosscheck::run(&options),
        Task::Newest { names, pairs } => newest::run(&names, &pairs),
        Task::Generate { check } => generate::run(check),
        Task::Picture => picture::draw(),
        Task::RecordTraces { names } => record_traces::run(&names),
        Task::Bench { rest } => bench::run(&rest),
        Task::Dist { what } => dist::run(what),
        Task::Fuzz(choice) => fuzz::run(&choice),
    }
}

/// Prints a line. A closed pipe is not an error here.
fn say(line: &str) {
    _ = writeln!(std::io::stdout(), "{line}");
}
