//! The reader of standard output may close it: then every command ends quietly, in every format.

use std::io;
use std::process::{Command, Stdio};

use crate::{Place, STILL, good, low};

const SUITE: &str = "cases: cases.jsonl\nevaluators:\n  - {evaluator: tool-call-order, threshold: 0.5}\ngates:\n  - tool-call-order: {mean: \">= 0.001\"}\n";

/// Command lines and their exit codes. Commands that change something can be repeated.
const LINES: &[(&str, i32)] = &[
    ("--help", 0),
    ("--version", 0),
    ("help", 0),
    ("help run", 0),
    ("history --help", 0),
    ("score --help", 0),
    (
        "score cases.jsonl -e uipath/tool-call-order,threshold=0.5",
        1,
    ),
    ("score cases.jsonl -e trajectory --editions --by tag", 0),
    (
        "score cases.jsonl -e trajectory --format jsonl --explain",
        0,
    ),
    ("score cases.jsonl -e trajectory --format json", 0),
    ("score cases.jsonl -e trajectory --format csv", 0),
    ("score cases.jsonl -e trajectory -o -", 0),
    ("score cases.jsonl -e trajectory -o table.txt", 0),
    (
        "score cases.jsonl -e trajectory --quiet --report html=- --report junit=- --report markdown=-",
        0,
    ),
    ("score cases.jsonl -e trajectory --quiet --report csv=-", 0),
    (
        "score cases.jsonl -e trajectory --quiet --report parquet=-",
        0,
    ),
    (
        "score cases.jsonl -e trajectory --quiet --report arrow=-",
        0,
    ),
    ("run suite.yaml", 0),
    ("run missed.yaml", 1),
    ("run suite.yaml --format jsonl", 0),
    ("run suite.yaml --format json", 0),
    ("run suite.yaml --format csv --no-history", 0),
    ("run suite.yaml --report html=-", 0),
    ("compare latest latest~1", 0),
    ("compare latest latest~1 --format json", 0),
    ("compare latest latest~1 results.jsonl", 0),
    ("compare latest latest~1 results.jsonl --format json", 0),
    ("compare latest --accept baseline.jsonl", 0),
    ("history", 0),
    ("history --format json", 0),
    ("history tag latest kept", 0),
    ("history untag latest kept", 0),
    ("history export 1 run.db", 0),
    ("history delete 2", 0),
    ("history prune --keep 50", 0),
    ("history import run.db --history other.db", 0),
    ("explain cases.jsonl --case a -e trajectory", 0),
    ("explain suite.yaml --case a --format json", 0),
    ("init begun", 0),
    ("schema", 0),
    ("schema case", 0),
    ("evaluators", 0),
    ("evaluators --format json", 0),
    ("evaluators trajectory", 0),
    ("evaluators trajectory --format json", 0),
    ("fetch --help", 0),
    ("inspect cases.jsonl", 0),
    ("map home.jsonl", 0),
    ("inspect cases.jsonl --format json", 0),
    ("record cases.jsonl", 0),
    ("learn cases.jsonl", 0),
    ("learn cases.jsonl --rules", 0),
    ("lint cases.jsonl", 0),
    ("lint cases.jsonl --format json", 0),
    ("lint cases.jsonl --format sarif", 0),
    ("lint --rule", 0),
    ("strength suite.yaml", 0),
    ("rescore cases.jsonl --with trajectory", 0),
    ("coverage cases.jsonl", 0),
    ("coverage cases.jsonl --format json", 0),
    ("coverage cases.jsonl --format markdown", 0),
    ("guard --help", 0),
    ("watch --help", 0),
    ("review cases.jsonl --traces runs.jsonl --check", 1),
    ("convert cases.jsonl", 0),
    ("convert cases.jsonl --to openai-chat", 0),
    ("convert cases.jsonl --to anthropic", 0),
    ("convert cases.jsonl --to otlp", 0),
    ("formats", 0),
    ("formats --format json", 0),
    ("formats cases", 0),
    ("formats cases --format json", 0),
    ("report", 0),
    ("report --format junit", 0),
    ("report --format markdown", 0),
    ("report --format csv", 0),
    ("report --format parquet", 0),
    ("report --format arrow", 0),
    ("report results.jsonl --format csv", 0),
    ("view --help", 0),
    ("completions bash", 0),
    ("completions zsh", 0),
    ("completions fish", 0),
    ("completions powershell", 0),
    ("completions elvish", 0),
];

/// A place with the files that the lines above need.
fn place() -> Place {
    // Enough cases for the results to be written in several pieces.
    let cases: Vec<_> = ["a", "b"]
        .into_iter()
        .map(good)
        .chain((0..600).map(|number| low(&number.to_string())))
        .collect();
    let place = Place::with_cases(&cases)
        .with("suite.yaml", SUITE)
        .with("missed.yaml", SUITE.replace("0.001", "0.9"));
    let called =
        |number: u32| format!(r#"{{"run":"r","called":{{"fn":"find","with":{{"id":{number}}}}}}}"#);
    let log: Vec<_> = (0..300).map(called).collect();
    let place = place
        .with("runs.jsonl", low("a"))
        .with("home.jsonl", log.join("\n"));
    for line in [
        "run suite.yaml",
        "run suite.yaml",
        "run suite.yaml",
        "score cases.jsonl -e uipath/tool-call-order -o results.jsonl",
        "history export 1 run.db",
    ] {
        place.check(line, &[], 0, &[]);
    }
    place
}

/// Runs a line with standard output closed, and standard error too if `both` is set. Returns the exit code and the messages.
fn closed(place: &Place, line: &str, both: bool) -> (Option<i32>, String) {
    let (reader, writer) = io::pipe().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_rightcall"));
    command
        .args(line.split_whitespace())
        .current_dir(place.0.path())
        .envs(STILL)
        .env("GIT_CEILING_DIRECTORIES", place.0.path());
    command
        .stdin(Stdio::null())
        .stderr(if both {
            Stdio::from(writer.try_clone().unwrap())
        } else {
            Stdio::piped()
        })
        .stdout(writer);
    let child = command.spawn().unwrap();
    // The pipe is closed only when no other handle to it is open.
    drop((command, reader));
    let output = child.wait_with_output().unwrap();
    (
        output.status.code(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

#[test]
fn every_command_exits_quietly_if_its_output_is_closed() {
    let place = place();
    for (line, code) in LINES {
        let (ended, said) = closed(&place, line, false);
        assert_eq!(ended, Some(*code), "{line}\n{said}");
        assert!(
            !said.contains("pipe") && !said.contains("panicked") && !said.starts_with("error"),
            "{line}\n{said}"
        );
        if !line.starts_with("init") {
            let (ended, _) = closed(&place, line, true);
            // The history commands cannot be repeated with the same result.
            let again = line.starts_with("history");
            assert!(
                again || ended == Some(*code),
                "{line}: {ended:?} with both closed"
            );
        }
    }
}

#[test]
fn all_commands_are_tested() {
    let help = Place::new().run("--help", &[]).stdout;
    let commands = help.split("\nOptions:\n").next().unwrap();
    let mut found = 0;
    for command in commands.lines().filter_map(|line| {
        line.strip_prefix("  ")
            .filter(|line| !line.starts_with(' '))
    }) {
        let name = command.split_whitespace().next().unwrap();
        assert!(
            LINES
                .iter()
                .any(|(line, _)| line.split(' ').next() == Some(name)),
            "{name}"
        );
        found += 1;
    }
    assert!(found > 15, "{help}");
}
