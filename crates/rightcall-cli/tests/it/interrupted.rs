//! Interrupted runs: what they leave, and how later runs clean it up.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::history::{SUITE, history, runs};
use crate::{Place, STILL, good};

/// Starts a command whose standard input stays open.
fn start(place: &Place, arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rightcall"));
    fs::create_dir_all(place.path("tmp")).unwrap();
    command
        .current_dir(place.0.path())
        .args(arguments)
        .env("TMPDIR", place.path("tmp"))
        .envs(STILL);
    command.env("GIT_CEILING_DIRECTORIES", place.0.path());
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Sends cases to a running command, enough for the history to be staged in parts.
fn feed(child: &mut Child) {
    let long = "x".repeat(16 << 10);
    let stdin = child.stdin.as_mut().unwrap();
    for number in 0..1200 {
        let case = good(&number.to_string()).replacen('{', &format!(r#"{{"input":"{long}","#), 1);
        writeln!(stdin, "{case}").unwrap();
    }
    stdin.flush().unwrap();
}

pub(crate) fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}");
        thread::sleep(Duration::from_millis(20));
    }
}

pub(crate) fn signal(child: &Child, name: &str) {
    assert!(
        Command::new("kill")
            .args([name, &child.id().to_string()])
            .status()
            .unwrap()
            .success()
    );
}

/// The names in a folder, without SQLite's own files.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder)
        .map(|entries| entries.map(|it| it.unwrap().file_name().to_string_lossy().into_owned()));
    let mut names: Vec<_> = entries
        .into_iter()
        .flatten()
        .filter(|name| !name.ends_with("-wal") && !name.ends_with("-shm"))
        .collect();
    names.sort();
    names
}

/// An earlier output.
const BEFORE: &str = "{\"case\":\"before\",\"score\":1.0}\n";

#[test]
fn ctrl_c_leaves_no_temporary_file() {
    let suite = SUITE.replace("cases.jsonl", "/dev/stdin");
    for (name, code) in [("-INT", 130), ("-TERM", 143)] {
        let place = Place::new()
            .with("suite.yaml", &suite)
            .with("out.jsonl", BEFORE);
        let arguments = [
            "run",
            "suite.yaml",
            "--threads",
            "1",
            "-o",
            "out.jsonl",
            "--report",
            "html=page.html",
            "--report",
            "parquet",
        ];
        let mut child = start(&place, &arguments);
        feed(&mut child);
        // The report keeps all cases of this run, so the history is staged before the run ends.
        wait_until("it writes", || {
            names(&place.path(""))
                .iter()
                .filter(|it| it.starts_with(".rightcall-"))
                .count()
                == 3
        });
        wait_until("it is staged", || {
            names(&place.path(".rightcall"))
                .iter()
                .any(|it| it.starts_with("history.db-run-"))
        });
        end_by(&mut child, name, code);
        assert_eq!(
            names(&place.path("")),
            [".rightcall", "out.jsonl", "suite.yaml", "tmp"],
            "{name}"
        );
        assert_eq!(
            names(&place.path(".rightcall")),
            [".gitignore", "history.db"],
            "{name}"
        );
        assert_eq!(names(&place.path("tmp")), [""; 0], "{name}");
        assert_eq!(place.read("out.jsonl"), BEFORE);
        assert!(runs(&history(&place)).is_empty());
    }
}

/// Ends a command by a signal while its input is open. `wait` closes the input, which would end the command by itself, so the input is
/// taken first.
fn end_by(child: &mut Child, name: &str, code: i32) {
    let input = child.stdin.take();
    signal(child, name);
    let ended = child.wait().unwrap();
    drop(input);
    assert_eq!(ended.code(), Some(code), "{ended:?}");
}

#[test]
fn interrupted_conversion_leaves_no_temporary_file() {
    for (name, code) in [("-INT", 130), ("-TERM", 143)] {
        for to in ["cases", "otlp", "inspect"] {
            let place = Place::new();
            let mut child = start(
                &place,
                &["convert", "/dev/stdin", "--to", to, "-o", "out.json"],
            );
            feed(&mut child);
            wait_until("it writes", || {
                names(&place.path(""))
                    .iter()
                    .any(|it| it.starts_with(".rightcall-"))
            });
            end_by(&mut child, name, code);
            assert_eq!(names(&place.path("")), ["tmp"], "{name} {to}");
            assert_eq!(names(&place.path("tmp")), [""; 0], "{name} {to}");
        }
    }
}

#[test]
fn next_command_removes_files_of_a_killed_one() {
    let place = Place::with_cases(&[good("a")]);
    let arguments = [
        "score",
        "/dev/stdin",
        "-e",
        "trajectory",
        "-o",
        "out.jsonl",
        "--report",
        "html=page.html",
    ];
    let left = || {
        let names = names(&place.path(""));
        names
            .into_iter()
            .filter(|it| it.starts_with(".rightcall-"))
            .count()
    };
    let mut killed = start(&place, &arguments);
    wait_until("it writes", || left() == 2);
    let mut alive = start(
        &place,
        &[
            "score",
            "/dev/stdin",
            "-e",
            "trajectory",
            "-o",
            "other.jsonl",
        ],
    );
    wait_until("another writes too", || left() == 3);
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert_eq!(left(), 3);
    // Files of a process that is still alive are kept.
    place.check(
        "score cases.jsonl -e trajectory -q -o out.jsonl",
        &[],
        0,
        &[],
    );
    assert_eq!(left(), 1);
    feed(&mut alive);
    drop(alive.stdin.take());
    assert!(alive.wait().unwrap().success());
    assert_eq!(left(), 0);
    assert!(place.read("other.jsonl").lines().count() > 1000);
}

#[test]
fn killed_run_is_unfinished_until_the_next_run_removes_it() {
    let place = Place::with_cases(&[good("a")])
        .with("suite.yaml", SUITE)
        .with("long.yaml", SUITE.replace("cases.jsonl", "/dev/stdin"));
    let mut child = start(&place, &["run", "long.yaml", "--threads", "1"]);
    feed(&mut child);
    wait_until("it is staged", || {
        names(&place.path(".rightcall"))
            .iter()
            .any(|it| it.starts_with("history.db-run-"))
            && history(&place)
                .unfinished()
                .is_ok_and(|unfinished| unfinished.len() == 1)
    });
    let list = || place.check("history", &[], 0, &[]).stdout;
    assert!(list().starts_with("no run"), "{}", list());
    assert!(
        list().contains(
            "unfinished: run 1 of long.yaml, begun 2026-01-02 03:04: still being written, "
        ),
        "{}",
        list()
    );
    // Another run does not touch files that are being written.
    place.check("run suite.yaml", &[], 0, &[]);
    assert!(list().contains("still being written"), "{}", list());
    place.check("report 1", &[], 2, &["the history has no run `1`"]);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(
        list().contains("run 1 of long.yaml, begun 2026-01-02 03:04: its process has ended"),
        "{}",
        list()
    );
    assert_eq!(
        place
            .check("history --format json", &[], 0, &[])
            .stdout
            .matches("\"run\":")
            .count(),
        1
    );
    place.check("run suite.yaml", &[], 0, &[]);
    assert!(!list().contains("unfinished"), "{}", list());
    assert_eq!(
        runs(&history(&place))
            .iter()
            .map(|run| run.number)
            .collect::<Vec<_>>(),
        [3, 2]
    );
    assert_eq!(
        names(&place.path(".rightcall")),
        [".gitignore", "history.db"]
    );
}

#[test]
fn run_with_unwritable_results_is_removed_from_the_history() {
    let place = Place::new().with("long.yaml", SUITE.replace("cases.jsonl", "/dev/stdin"));
    let mut child = start(
        &place,
        &[
            "run",
            "long.yaml",
            "--threads",
            "1",
            "--format",
            "jsonl",
            "--no-details",
            "-o",
            "/dev/full",
        ],
    );
    // The history is staged long before the output buffer is full.
    let long = "x".repeat(128 << 10);
    let mut stdin = child.stdin.take().unwrap();
    for number in 0.. {
        let case = good(&number.to_string()).replacen('{', &format!(r#"{{"input":"{long}","#), 1);
        if writeln!(stdin, "{case}").is_err() {
            break;
        }
    }
    let said = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(said.stderr).unwrap();
    assert_eq!(said.status.code(), Some(2), "{stderr}");
    assert!(
        stderr.contains("error: /dev/full: No space left on device"),
        "{stderr}"
    );
    assert_eq!(
        names(&place.path(".rightcall")),
        [".gitignore", "history.db"]
    );
    assert!(history(&place).unfinished().unwrap().is_empty() && runs(&history(&place)).is_empty());
}
