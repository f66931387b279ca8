//! Tests of the command line from the user's view: messages, exit codes, files.

#![expect(clippy::unwrap_used, reason = "a test ends where anything goes wrong")]

mod action;
#[cfg(unix)]
mod agents;
#[cfg(unix)]
mod any_moment;
mod bad_input;
mod bad_suite;
mod bad_usage;
#[cfg(unix)]
mod bombs;
mod change_gates;
mod compared_trials;
mod comparing;
mod contributing;
mod converting;
mod covering;
mod deciding;
mod docs;
#[cfg(unix)]
mod editing;
mod explaining;
mod fetching;
mod findings;
#[cfg(unix)]
mod full_disk;
#[cfg(unix)]
mod gitlab;
mod guarding;
mod helping;
mod history;
#[cfg(unix)]
mod interrupted;
#[cfg(unix)]
mod leading;
mod learning;
mod limits;
mod linting;
mod mapping;
mod metrics;
mod named_runs;
mod objects;
mod output;
mod overwriting;
mod pairing;
mod paths;
mod pipes;
mod readme;
mod recording;
mod replaced_runs;
mod rescoring;
mod running;
mod same_from_history;
mod screens;
mod several_agents;
mod several_ways;
mod sides;
mod spellings;
mod strength;
mod suggested;
mod suites_from_runs;
mod tables;
#[cfg(unix)]
mod told_states;
mod traces;
mod uipath;
mod unjudged;
mod unread;
#[cfg(unix)]
mod unwritable;
mod viewing;
mod watching;
mod widths;
mod words;

use std::fs;
use std::path::PathBuf;

use assert_cmd::Command;
use tempfile::TempDir;

/// A temporary directory to run commands in.
struct Place(TempDir);

/// The result of a command.
struct Said {
    code: i32,
    stdout: String,
    stderr: String,
}

/// A case that every call evaluator can score, with a perfect score.
const GOOD: &str = r#"{"id":"ID","expected":[{"name":"find","args":{"id":7}}],"actual":[{"name":"find","args":{"id":7}}]}"#;
/// A case with a different actual call.
const LOW: &str = r#"{"id":"ID","expected":[{"name":"find","args":{"id":7}}],"actual":[{"name":"look","args":{"id":7}}]}"#;

/// Fixes the clock at 2026-01-02 03:04:05, and clears the variables of GitHub Actions.
const STILL: [(&str, &str); 5] = [
    ("FORCE_COLOR", ""),
    ("COLUMNS", ""),
    ("SOURCE_DATE_EPOCH", "1767323045"),
    ("GITHUB_ACTIONS", ""),
    ("GITHUB_STEP_SUMMARY", ""),
];

fn good(id: &str) -> String {
    GOOD.replace("ID", id)
}

fn low(id: &str) -> String {
    LOW.replace("ID", id)
}

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// A place with these lines in `cases.jsonl`.
    fn with_cases(lines: &[String]) -> Self {
        Self::new().with("cases.jsonl", lines.join("\n") + "\n")
    }

    fn with(self, name: &str, bytes: impl AsRef<[u8]>) -> Self {
        fs::write(self.path(name), bytes).unwrap();
        self
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rightcall"));
        command
            .current_dir(self.0.path())
            .env_remove("NO_COLOR")
            .env_remove("CLICOLOR_FORCE")
            .env("RUST_BACKTRACE", "0");
        // Hides the working copy that the tests run in.
        command
            .env("GIT_CEILING_DIRECTORIES", self.0.path())
            .envs(STILL);
        command
    }

    /// Runs a command line; arguments with spaces go into `more`.
    fn run(&self, line: &str, more: &[&str]) -> Said {
        said(self.command().args(line.split_whitespace()).args(more))
    }

    /// Asserts the exit code and parts of the messages.
    #[track_caller]
    fn check(&self, line: &str, more: &[&str], code: i32, messages: &[&str]) -> Said {
        let said = self.run(line, more);
        assert_eq!(said.code, code, "{line}\n{}", said.stderr);
        for message in messages {
            assert!(
                said.stderr.contains(message),
                "{line}\nwanted: {message}\nfound: {}",
                said.stderr
            );
        }
        assert!(!said.stderr.contains("panicked"), "{}", said.stderr);
        said
    }
}

fn said(command: &mut Command) -> Said {
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Said {
        code: output.status.code().unwrap_or(-1),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

/// `score cases.jsonl` with an evaluator, for JSON lines.
const SCORE: &str = "score cases.jsonl -e uipath/tool-call-order --format jsonl";
