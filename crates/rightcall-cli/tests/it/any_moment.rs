//! Runs that are killed, interrupted or run side by side at random moments: the history is whole, and files are complete or as before.
//!
//! `cargo test -p rightcall-cli --test it any_moment -- --ignored` tries more moments.

use std::collections::hash_map::RandomState;
use std::fs;
use std::hash::{BuildHasher as _, Hasher as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rightcall_store::{CaseFilter, CaseOrder, History, PageRange, RunRow};

use crate::history::{SUITE, runs};
use crate::{Place, STILL, good};

/// The maximum duration of a command.
const PATIENCE: Duration = Duration::from_secs(300);

/// A run that is recorded in one transaction.
const RUN_FEW: &str = "run few.yaml --threads 1";
/// A run with long cases, which is staged in parts.
const RUN_MANY: &str = "run many.yaml --threads 1";

/// An earlier output.
const BEFORE: &str = "{\"case\":\"before\",\"score\":1.0}\n";

/// A place with both suites.
fn place() -> Place {
    let mut place = Place::new();
    for (name, number, length) in [("few", 100, 10), ("many", 900, 16 << 10)] {
        let long = format!("{{\"input\":\"{}\",", "x".repeat(length));
        let case = |id: usize| good(&id.to_string()).replacen('{', &long, 1) + "\n";
        let cases = format!("{name}.jsonl");
        place = place
            .with(
                &format!("{name}.yaml"),
                SUITE.replace("cases.jsonl", &cases),
            )
            .with(&cases, (0..number).map(case).collect::<String>());
    }
    place
}

fn start(place: &Place, line: &str) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rightcall"));
    command
        .current_dir(place.0.path())
        .args(line.split(' '))
        .envs(STILL)
        .env("GIT_CEILING_DIRECTORIES", place.0.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.spawn().unwrap()
}

/// Waits for a command to end.
fn ended(child: &mut Child) -> ExitStatus {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if begun.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("the command did not end");
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// Runs a command, and returns its duration.
fn timed(place: &Place, line: &str) -> Duration {
    let begun = Instant::now();
    place.check(line, &[], 0, &[]);
    begun.elapsed()
}

/// A random moment within this time or slightly later.
fn moment_of(time: Duration) -> Duration {
    let random = RandomState::new().build_hasher().finish();
    time.mul_f64(1.1 * (random % 10_000) as f64 / 10_000.0)
}

/// Asserts that every finished run is complete. Returns the number of finished and of unfinished runs.
pub(crate) fn whole(place: &Place) -> (usize, usize) {
    let path = place.path(rightcall_store::HISTORY);
    if !path.exists() {
        return (0, 0);
    }
    let history = match History::open_to_read(&path) {
        // The history is being created.
        Err(error) if error.to_string().ends_with("is not a rightcall history") => return (0, 0),
        history => history.unwrap(),
    };
    let runs = runs(&history);
    for run in &runs {
        assert!(is_complete(&history, run), "run {}", run.number);
    }
    let connection = rusqlite::Connection::open(&path).unwrap();
    let checked = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0));
    assert_eq!(checked, Ok("ok".to_owned()));
    (runs.len(), history.unfinished().unwrap().len())
}

fn is_complete(history: &History, run: &RunRow) -> bool {
    let (all, first) = (CaseFilter::default(), PageRange::first(1));
    let page = history
        .cases(run.number, &all, CaseOrder::Input, first)
        .unwrap();
    let last = history.case(run.number, run.cases).unwrap();
    let explained = last.map_or(0, |case| {
        let evaluations = case.evaluations.iter();
        evaluations.filter(|it| it.explanation.is_some()).count()
    });
    let evaluators = history.evaluators(run.number).unwrap().len();
    (page.total, run.kept, explained, evaluators) == (run.cases, run.cases, 2, 2)
}

/// Names of temporary files that were left behind.
fn leftovers(place: &Place) -> Vec<String> {
    let names = |folder: &str, is_left: fn(&str) -> bool| {
        let entries = fs::read_dir(place.path(folder)).into_iter().flatten();
        let names = entries.map(|it| it.unwrap().file_name().to_string_lossy().into_owned());
        names.filter(|name| is_left(name)).collect::<Vec<_>>()
    };
    let mut left = names("", |name| name.starts_with(".rightcall-"));
    left.extend(names(".rightcall", |name| name.contains("-run-")));
    left
}

/// Kills runs. The history has each finished run completely, and the next run removes the rest.
fn kill(line: &str, times: usize) {
    let place = place();
    let time = timed(&place, line);
    let (mut recorded, _) = whole(&place);
    for _ in 0..times {
        let mut run = start(&place, line);
        thread::sleep(moment_of(time));
        let had_ended = run.try_wait().unwrap().is_some();
        run.kill().unwrap();
        ended(&mut run);
        let (found, unfinished) = whole(&place);
        // A run may be complete even though it was killed, if that was between its last transaction and its exit.
        let possible = recorded + usize::from(had_ended)..=recorded + 1;
        assert!(
            possible.contains(&found) && unfinished <= 1,
            "{found} runs, {unfinished} unfinished, {recorded} before the kill"
        );
        place.check(RUN_FEW, &[], 0, &[]);
        assert_eq!(whole(&place), (found + 1, 0));
        assert!(!leftovers(&place).iter().any(|name| name.contains("-run-")));
        recorded = found + 1;
    }
}

/// Interrupts runs. No temporary file is left, and the output is complete or as before.
fn interrupt(signal: &str, code: i32, times: usize) {
    let place = place();
    let line = format!("{RUN_MANY} -o out.jsonl --report html=page.html -q");
    let time = timed(&place, &line);
    let complete = place.read("out.jsonl");
    for _ in 0..times {
        fs::write(place.path("out.jsonl"), BEFORE).unwrap();
        let mut run = start(&place, &line);
        thread::sleep(moment_of(time));
        // This fails if the process has already ended.
        let id = run.id().to_string();
        let mut kill = Command::new("kill");
        _ = kill.args([signal, &id]).stderr(Stdio::null()).status();
        let status = ended(&mut run);
        // Before the first unfinished file, the default handler kills the process, and there is no exit code.
        let is_expected = status.success() || status.code().is_none_or(|found| found == code);
        assert!(is_expected, "{signal}: {status}");
        let found = place.read("out.jsonl");
        assert!(
            found == complete || found == BEFORE,
            "{} bytes",
            found.len()
        );
        assert_eq!(leftovers(&place), [""; 0], "{signal}");
        whole(&place);
    }
}

#[test]
fn killed_run_leaves_a_valid_history() {
    // Runs that are staged in parts can leave more behind.
    kill(RUN_MANY, 4);
    kill(RUN_FEW, 1);
}

#[test]
#[ignore = "takes minutes"]
fn fifty_killed_runs_leave_a_valid_history() {
    kill(RUN_MANY, 35);
    kill(RUN_FEW, 15);
}

#[test]
fn interrupted_run_leaves_no_temporary_file() {
    interrupt("-INT", 130, 3);
    interrupt("-TERM", 143, 3);
}

#[test]
#[ignore = "takes minutes"]
fn forty_interrupted_runs_leave_no_temporary_file() {
    interrupt("-INT", 130, 20);
    interrupt("-TERM", 143, 20);
}

#[test]
fn eight_concurrent_runs_are_all_recorded() {
    const WRITERS: usize = 8;
    let place = place();
    let mut all: Vec<_> = (0..WRITERS).map(|_| start(&place, RUN_MANY)).collect();
    while all.iter_mut().any(|run| run.try_wait().unwrap().is_none()) {
        // The history may not exist yet, but it is never half-written.
        let said = place.run("history", &[]);
        let is_new = ["there is no history", "is not a rightcall history"];
        let is_new = is_new.iter().any(|it| said.stderr.contains(it));
        assert!(said.code == 0 || is_new, "{}", said.stderr);
        thread::sleep(Duration::from_millis(50));
    }
    assert!(all.iter_mut().all(|run| ended(run).success()));
    assert_eq!(whole(&place), (WRITERS, 0));
}

#[test]
fn run_is_an_error_if_the_history_stays_locked() {
    let place = Place::with_cases(&[good("a")]).with("suite.yaml", SUITE);
    place.check("run suite.yaml", &[], 0, &[]);
    let other = rusqlite::Connection::open(place.path(".rightcall/history.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let told = "error: this run is not in the history: another process held .rightcall/history.db for 60 seconds (exit code 2)";
    let said = place.check("run suite.yaml --format jsonl", &[], 2, &[told]);
    assert!(said.stdout.contains("\"score\":1.0"), "{}", said.stdout);
    other.execute_batch("ROLLBACK").unwrap();
    place.check("run suite.yaml", &[], 0, &["against run 1"]);
}
