//! A read-only history: reading works, and commands that write report where and what to do.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use rusqlite::Connection;

use crate::history::SUITE;
use crate::{Place, STILL, Said, good, low};

/// A user without special rights.
const NOBODY: u32 = 65534;

const READERS: [&str; 7] = [
    "history",
    "history --format json",
    "compare 1 2",
    "report latest --format csv",
    "report .rightcall/history.db --format markdown",
    "explain suite.yaml --case b",
    "history export 1 out/run.db",
];

/// A place with two runs, and optionally with uncommitted data of another process in the log.
fn with_runs(place: &Place, in_log: bool) {
    fs::create_dir(place.path("out")).unwrap();
    place.check("run suite.yaml", &[], 1, &[]);
    let held = in_log.then(|| {
        let held = Connection::open(place.path(".rightcall/history.db")).unwrap();
        held.query_row("SELECT count(*) FROM runs", [], |_| Ok(()))
            .unwrap();
        held
    });
    place.check("run suite.yaml", &[], 1, &[]);
    if let Some(held) = held {
        // A killed process leaves its files like this.
        for ending in ["", "-wal"] {
            let name = |stem: &str| place.path(&format!("{stem}{ending}"));
            fs::copy(name(".rightcall/history.db"), name("out/history.db")).unwrap();
        }
        drop(held);
        fs::remove_dir_all(place.path(".rightcall")).unwrap();
        fs::create_dir(place.path(".rightcall")).unwrap();
        for ending in ["", "-wal"] {
            let name = |stem: &str| place.path(&format!("{stem}{ending}"));
            fs::rename(name("out/history.db"), name(".rightcall/history.db")).unwrap();
        }
    }
}

fn allow(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// Removes write permission from the history and its folder.
fn lock(place: &Place) {
    for entry in fs::read_dir(place.path(".rightcall")).unwrap() {
        allow(&entry.unwrap().path(), 0o444);
    }
    allow(&place.path(".rightcall"), 0o555);
    for open in ["", "out"] {
        allow(&place.path(open), 0o777);
    }
}

/// A command run by a user without special rights; root becomes `NOBODY`.
fn as_nobody(place: &Place, program: &Path, line: &str) -> Command {
    let mut command = Command::new(program);
    command
        .current_dir(place.0.path())
        .args(line.split(' '))
        .envs(STILL)
        .env("GIT_CEILING_DIRECTORIES", place.0.path());
    command.env("TMPDIR", place.path("out"));
    if fs::metadata(place.path("")).unwrap().uid() == 0 {
        command.uid(NOBODY).gid(NOBODY);
    }
    command
}

fn run(place: &Place, program: &Path, line: &str) -> Said {
    let output = as_nobody(place, program, line).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Said {
        code: output.status.code().unwrap_or(-1),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

/// The command in a place where `NOBODY` can run it.
fn program(place: &Place) -> std::path::PathBuf {
    let program = place.path("rightcall");
    fs::hard_link(env!("CARGO_BIN_EXE_rightcall"), &program)
        .or_else(|_| fs::copy(env!("CARGO_BIN_EXE_rightcall"), &program).map(drop))
        .unwrap();
    program
}

fn place() -> Place {
    Place::with_cases(&[good("a"), low("b")]).with("suite.yaml", SUITE)
}

/// All files of a folder with their bytes.
fn bytes(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entry = |entry: fs::DirEntry| {
        (
            entry.file_name().to_string_lossy().into_owned(),
            fs::read(entry.path()).unwrap(),
        )
    };
    let mut all: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|it| entry(it.unwrap()))
        .collect();
    all.sort();
    all
}

#[test]
fn read_only_history_is_read() {
    for in_log in [false, true] {
        let place = place();
        with_runs(&place, in_log);
        let program = program(&place);
        lock(&place);
        let before = bytes(&place.path(".rightcall"));
        assert_eq!(
            before.iter().any(|(name, _)| name.ends_with("-wal")),
            in_log
        );
        for line in READERS {
            let said = run(&place, &program, line);
            assert_eq!(
                (said.code, said.stderr.as_str()),
                (0, ""),
                "{line} in_log={in_log}"
            );
            assert!(
                bytes(&place.path(".rightcall")) == before,
                "{line} changes something"
            );
        }
        let list = run(&place, &program, "history").stdout;
        assert_eq!(list.lines().count(), 3, "both runs: {list}");
        let left: Vec<_> = bytes(&place.path("out"))
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        assert_eq!(left, ["run.db"]);
        // Commands that write report the error.
        for line in [
            "history tag 1 v1",
            "history delete 1",
            "history prune --keep 1",
            "history import out/run.db",
        ] {
            let said = run(&place, &program, line);
            assert_eq!(said.code, 2, "{line}");
            let told = said
                .stderr
                .contains("error: .rightcall/history.db: the history cannot be written: ")
                && said.stderr.contains("--history FILE names another file");
            assert!(told, "{line}: {}", said.stderr);
        }
        let said = run(&place, &program, "run suite.yaml");
        assert_eq!(said.code, 1, "the run itself goes on: {}", said.stderr);
        let told = "warning: this run could not be recorded: .rightcall/history.db: the history cannot be written: ";
        assert!(
            said.stderr.contains(told) && said.stderr.contains("--history FILE"),
            "{}",
            said.stderr
        );
        assert!(
            run(&place, &program, "run suite.yaml --failed")
                .stdout
                .contains("1 case"),
            "the failures are known"
        );
        assert!(bytes(&place.path(".rightcall")) == before);
        // Otherwise the folder could not be deleted.
        allow(&place.path(".rightcall"), 0o777);
    }
}

#[test]
fn history_of_another_user_gets_no_files_that_the_owner_cannot_write() {
    let place = place();
    with_runs(&place, false);
    let program = program(&place);
    lock(&place);
    // A folder that everyone can write to, with a file of one user.
    allow(&place.path(".rightcall"), 0o777);
    for line in READERS {
        assert_eq!(run(&place, &program, line).code, 0, "{line}");
    }
    assert!(
        run(&place, &program, "run suite.yaml")
            .stderr
            .contains("could not be recorded: .rightcall/history.db: ")
    );
    let names: Vec<_> = bytes(&place.path(".rightcall"))
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(names, [".gitignore", "history.db"]);
}

#[test]
fn if_no_history_can_be_created_the_error_names_the_folder() {
    let place = place();
    let program = program(&place);
    allow(&place.path(""), 0o555);
    let said = run(&place, &program, "run suite.yaml");
    assert_eq!(said.code, 1, "{}", said.stderr);
    assert!(
        said.stderr
            .contains("this run could not be recorded: .rightcall: Permission denied"),
        "{}",
        said.stderr
    );
    assert!(
        said.stderr.contains("--history FILE names another file"),
        "{}",
        said.stderr
    );
    allow(&place.path(""), 0o777);
}

#[test]
fn reading_does_not_change_the_history() {
    let place = place().with("empty.db", "");
    with_runs(&place, false);
    place.check("history export 1 run.db", &[], 0, &[]);
    let exported = fs::read(place.path("run.db")).unwrap();
    place.check("report run.db --format csv", &[], 0, &[]);
    place.check("history --history run.db", &[], 0, &[]);
    place.check(
        "history --history empty.db",
        &[],
        2,
        &["empty.db is not a rightcall history"],
    );
    place.check(
        "history tag 1 v --history empty.db",
        &[],
        2,
        &["empty.db is not a rightcall history"],
    );
    assert!(
        fs::read(place.path("run.db")).unwrap() == exported,
        "an exported run stays as it is"
    );
    assert_eq!(place.read("empty.db"), "");
    let other: Vec<_> = bytes(&place.path(".rightcall"))
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(other, [".gitignore", "history.db"]);
}

#[test]
fn read_only_history_is_shown_in_the_browser() {
    for in_log in [false, true] {
        let place = place();
        with_runs(&place, in_log);
        let program = program(&place);
        lock(&place);
        let before = bytes(&place.path(".rightcall"));
        let mut command = as_nobody(&place, &program, "view --port 0");
        let mut viewer = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut said = String::new();
        BufReader::new(viewer.stderr.take().unwrap())
            .read_line(&mut said)
            .unwrap();
        let address = said
            .trim_start_matches("http://")
            .split('/')
            .next()
            .unwrap()
            .to_owned();
        for page in ["/", "/runs/2", "/runs/2/cases/2", "/compare?run=1&run=2"] {
            let mut stream = TcpStream::connect(&address).unwrap();
            write!(
                stream,
                "GET {page} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
            )
            .unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).unwrap();
            assert!(
                answer.starts_with("HTTP/1.1 200 "),
                "{page} in_log={in_log}: {answer}"
            );
        }
        viewer.kill().unwrap();
        viewer.wait().unwrap();
        assert!(bytes(&place.path(".rightcall")) == before);
        allow(&place.path(".rightcall"), 0o777);
    }
}

#[test]
fn tampered_history_executes_no_sql_and_shows_none() {
    for (change, told) in [
        ("PRAGMA user_version = -1", "its schema has the version -1"),
        ("DROP TABLE runs", "no such table: runs"),
        (
            "CREATE TRIGGER steal AFTER INSERT ON runs BEGIN UPDATE runs SET suite = 'stolen'; END",
            "it holds the trigger `steal`, which is not ours",
        ),
    ] {
        let place = Place::with_cases(&[good("a")]).with("suite.yaml", SUITE);
        place.check("run suite.yaml", &[], 0, &[]);
        let history = Connection::open(place.path(".rightcall/history.db")).unwrap();
        history.execute_batch(change).unwrap();
        drop(history);
        for line in [
            "history",
            "history tag 1 best",
            "report latest --format csv",
            "history import .rightcall/history.db --history new.db",
        ] {
            let said = place.check(line, &[], 2, &["error: .rightcall/history.db: ", told]);
            let sql = ["SELECT", "INSERT", "CREATE", "BEGIN"];
            assert!(
                !sql.iter().any(|word| said.stderr.contains(word)),
                "{}",
                said.stderr
            );
        }
        let said = place.run("run suite.yaml", &[]);
        assert!(said.stderr.contains(told), "{}", said.stderr);
    }
}
