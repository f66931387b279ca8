//! `cargo xtask COMMAND`: what the project does with itself. CI calls what a developer calls.

mod alignments;
mod bench;
mod browser;
mod conformance;
mod consumers;
mod crosscheck;
mod dist;
mod format_pages;
mod fresh;
mod fuzz;
mod generate;
mod install;
mod node;
mod node_peers;
mod peers;
mod peers_tests;
mod playground;
mod plugins;
mod process;
mod python;
mod record_traces;
mod statistics;
mod test;
mod torture;
mod typescript;

use std::io::Write as _;
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  test [--quick]       everything that must hold; ends with `N passed, N failed`; with `--quick` what takes three minutes
  test-node            the npm package alone: built, packed, installed and tested
  test-python          the Python package alone: its wheel, installed and tested
  peers-tests          both packages beside the published ones, agent frameworks, Spark and promptfoo; then as `all`
  peers-tests all|PEER [DIR] [--clone]
                       the published packages' own tests, with only their imports changed, or each call that they make
                       of a metric judged here; of one, from a checkout DIR of it
  test-wasm            the engine for WebAssembly and its playground page, built into target/dist and tried in a browser
  test-sdist           the Python package from its source distribution; compiles for minutes
  conformance FILES…   golden files through the public API; prints each difference
  crosscheck [--pairs FILE]…
                       the published packages beside `rightcall score`, case by case
  crosscheck --values  the npm drop-ins beside the packages, on values that JSON cannot hold
  crosscheck --alignments  costs of expectations in blocks beside pm4py and process_mining
  crosscheck --written  what `convert` writes, loaded by DeepEval and promptfoo
  generate [--check]   files that come from the code: docs/evaluators, docs/formats, schemas, declarations
  record-traces [NAME]…
                       the agents under examples/recorders, run once more, and their traces written again
  bench [--filter TEXT] [--instructions] [--save]
                       speed of each step, and of whole processes beside the committed baseline
  bench-peers [--only PART,…] [--reps N] [--render]
                       speed beside the packages and the bare parse; writes docs/performance.md
  dist [wheel|npm]     an archive of the command with its checksum, the wheel, or the npm packages, in target/dist
  first-command        the README's first command, as a fresh clone builds it
  oldest               whether everything compiles with the `rust-version` of Cargo.toml
  fuzz [TARGET] [--input-format FORMAT]
                       the fuzz targets, all or one, each for --seconds N (60); `read_trace` for each format
  torture [--short]    kills, writers side by side, Ctrl-C, full disks, hostile input: what the command survives
  mutants [--shard K/N]
                       whether the tests notice that the core is wrong; `--shard` tests a part of its mutants
  deny                 licences, advisories, sources and doubles of the crates that we build on";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (command, rest) = arguments
        .split_first()
        .map_or(("", &[][..]), |(command, rest)| (command.as_str(), rest));
    let done = match command {
        "test" => test::run(rest),
        "test-node" => test::run_node(),
        "test-python" => test::run_python(),
        "peers-tests" => peers_tests::run(rest),
        "test-wasm" => playground::test(),
        "test-sdist" => python::test_sdist(),
        "generate" => generate::run(rest),
        "conformance" => conformance::run(rest),
        "crosscheck" => crosscheck::run(rest),
        "record-traces" => record_traces::run(rest),
        "bench" => bench::own(rest),
        "bench-peers" => bench::peers(rest),
        "dist" => dist::run(rest),
        "first-command" => fresh::first_command(),
        "oldest" => fresh::oldest(),
        "fuzz" => fuzz::run(rest),
        "torture" => torture::run(rest),
        "mutants" => plugins::mutants(rest),
        "deny" => plugins::deny(rest),
        "" => Err(USAGE.to_owned()),
        other => Err(format!("no command is called `{other}`\n\n{USAGE}")),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            _ = writeln!(std::io::stderr(), "error: {message}");
            ExitCode::from(2)
        }
    }
}

/// Prints a line; a closed pipe is no concern of a check.
fn say(line: &str) {
    _ = writeln!(std::io::stdout(), "{line}");
}
