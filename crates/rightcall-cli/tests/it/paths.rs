//! The ways from traces to a decision, with a fixed number of commands: on a small sample of our own, and on real data if it is available.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::readme::root;
use crate::{Place, Said};

/// Real data: the folder in `RIGHTCALL_DATA`, else the one next to the project.
pub(crate) fn data() -> Option<PathBuf> {
    let named = env::var_os("RIGHTCALL_DATA").map(PathBuf::from);
    let beside = || Some(root().parent()?.join("shared/data"));
    named.or_else(beside).filter(|folder| folder.is_dir())
}

/// The commands of one way, counted.
struct Way<'p> {
    place: &'p Place,
    commands: usize,
}

impl Way<'_> {
    #[track_caller]
    fn walk(&mut self, line: &str, code: i32) -> Said {
        self.commands += 1;
        self.place.check(line, &[], code, &[])
    }
}

fn copy(place: &Place, from: &Path, name: &str) {
    fs::copy(from, place.path(name)).unwrap();
}

/// tau2 results of a model; every `n`th task has a wrong call.
fn tau2(model: &str, n: usize) -> String {
    let task = |at: usize| {
        format!(
            r#"{{"id":"{at}","evaluation_criteria":{{"actions":[{{"action_id":"a","requestor":"assistant","name":"find","arguments":{{"id":{at}}}}}]}}}}"#
        )
    };
    let run = |at: usize| {
        let id = if at.is_multiple_of(n) { at + 100 } else { at };
        format!(
            r#"{{"id":"s{at}","task_id":"{at}","trial":0,"reward_info":{{"reward":{}}},"messages":[{{"role":"user","content":"find {at}"}},{{"role":"assistant","content":null,"tool_calls":[{{"id":"c","name":"find","arguments":{{"id":{id}}},"requestor":"assistant"}}]}},{{"role":"tool","id":"c","content":"it","requestor":"assistant","error":false}}]}}"#,
            usize::from(!at.is_multiple_of(n))
        )
    };
    let list = |of: &dyn Fn(usize) -> String| (1..13).map(of).collect::<Vec<_>>().join(",");
    format!(
        r#"{{"info":{{"agent_info":{{"llm":"{model}"}}}},"tasks":[{}],"simulations":[{}]}}"#,
        list(&task),
        list(&run)
    )
}

/// Two commands compare two models with a report.
fn compare_two_models(place: &Place, names: [&str; 2]) {
    let mut way = Way { place, commands: 0 };
    let said = way.walk("inspect one.json", 0).stdout;
    assert!(
        said.contains("all with an expectation, all with a reward, all with the question"),
        "{said}"
    );
    let line = "compare one.json two.json -e tau2/action-check -e trajectory --by model --report report.md";
    let said = way.walk(line, 0).stdout;
    let report = place.read("report.md");
    for name in names {
        assert!(
            said.contains(name) && report.contains(name),
            "{said}\n{report}"
        );
    }
    assert!(report.contains("| `trajectory` | mean |"), "{report}");
    assert_eq!(way.commands, 2);
}

#[test]
fn two_tau2_models_are_compared_in_two_commands() {
    let place = Place::new()
        .with("one.json", tau2("gpt-4.1", 12))
        .with("two.json", tau2("qwen", 2));
    compare_two_models(&place, ["gpt-4.1", "qwen"]);
    let Some(data) = data() else { return };
    let place = Place::new();
    copy(
        &place,
        &data.join("tau2-bench/gpt-4.1_airline.json"),
        "one.json",
    );
    let packed = data.join("tau2-bench/qwen2.5-7b_airline.json.gz");
    copy(&place, &packed, "two.json");
    compare_two_models(&place, ["gpt-4.1", "qwen2.5:7b"]);
}

/// Three commands turn traces into a suite with gates.
fn suite_of_traces(place: &Place, file: &str) {
    let mut way = Way { place, commands: 0 };
    way.walk(&format!("inspect {file}"), 0);
    way.walk(&format!("init --from {file}"), 0);
    let said = way.walk("run", 0).stdout;
    assert!(said.contains("2 of 2 gates hold"), "{said}");
    assert_eq!(way.commands, 3);
}

#[test]
fn an_inspect_log_becomes_a_gated_suite_in_three_commands() {
    let own = root().join("crates/rightcall-formats/tests/traces/inspect.log.eval");
    let place = Place::new();
    copy(&place, &own, "log.eval");
    suite_of_traces(&place, "log.eval");
    let Some(data) = data() else { return };
    let place = Place::new();
    let log = data.join("inspect-logs/2025-05-12T20-27-36-04-00_browser.json");
    copy(&place, &log, "log.json");
    suite_of_traces(&place, "log.json");
    assert!(
        place
            .read("cases.jsonl")
            .contains(r#""input":"Use the web browser tool"#)
    );
}

#[test]
fn traces_with_expectations_need_no_cases() {
    let place = Place::new().with("one.json", tau2("gpt-4.1", 3));
    place.check(
        "init --from one.json",
        &[],
        0,
        &["12 runs have their own expectations; `trajectory` scores them 0.667 today"],
    );
    assert!(!place.path("cases.jsonl").exists());
    assert!(place.read("suite.yaml").contains("mean: \">= 0.66\""));
    place.check("run", &[], 0, &[]);
    place.check("init --from one.json", &[], 2, &["already exists"]);
    place.check("init elsewhere --from one.json", &[], 0, &[]);
    place.check("run elsewhere", &[], 0, &[]);
    let line = "init elsewhere/../other --from one.json";
    place.check(line, &[], 0, &[]);
    place.check("run other", &[], 0, &[]);
}

/// A Claude Code session with one call.
fn session(id: &str, path: &str) -> String {
    format!(
        r#"{{"type":"user","uuid":"u1","sessionId":"{id}","isSidechain":false,"timestamp":"2025-01-01T00:00:00.000Z","message":{{"role":"user","content":"Read the notes"}}}}
{{"type":"assistant","uuid":"u2","parentUuid":"u1","sessionId":"{id}","isSidechain":false,"timestamp":"2025-01-01T00:00:01.000Z","message":{{"id":"m1","role":"assistant","content":[{{"type":"tool_use","id":"t1","name":"Read","input":{{"file_path":"{path}"}}}}]}}}}
{{"type":"user","uuid":"u3","parentUuid":"u2","sessionId":"{id}","isSidechain":false,"timestamp":"2025-01-01T00:00:02.000Z","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t1","content":"text"}}]}}}}
"#
    )
}

#[test]
fn a_session_is_checked_against_the_next_in_three_commands() {
    let place = Place::new()
        .with("first.jsonl", session("s1", "notes.md"))
        .with("same.jsonl", session("s2", "notes.md"))
        .with("other.jsonl", session("s3", "other.md"));
    let mut way = Way {
        place: &place,
        commands: 0,
    };
    way.walk("init --from first.jsonl", 0);
    assert!(place.read("cases.jsonl").starts_with(r#"{"id":"s1","input":"Read the notes","expected":[{"name":"Read","args":{"file_path":"notes.md"}}]}"#));
    way.walk("run --traces same.jsonl --join order", 0);
    let said = way.walk("run --traces other.jsonl --join order", 1).stdout;
    assert!(
        said.contains(r#"expected Read(file_path="notes.md")"#),
        "{said}"
    );
    assert_eq!(way.commands, 3);
    let Some(data) = data() else { return };
    let place = Place::new();
    let session = data.join("claude-code-sessions/simonw/sample_session.jsonl");
    copy(&place, &session, "first.jsonl");
    copy(&place, &session, "next.jsonl");
    let mut way = Way {
        place: &place,
        commands: 0,
    };
    way.walk("init --from first.jsonl", 0);
    way.walk("run --traces next.jsonl --join order", 0);
    assert!(way.commands <= 3);
}

const SUITE: &str =
    "cases: cases.jsonl\nevaluators:\n  - {evaluator: trajectory, name: calls, threshold: 0.9}\n";

fn case(id: &str, call: &str) -> String {
    format!(
        "{{\"id\":\"{id}\",\"input\":\"do {id}\",\"expected\":[\"find\"],\"actual\":[\"{call}\"]}}\n"
    )
}

#[test]
fn failure_of_an_earlier_run_is_explained_in_one_command() {
    let cases = case("a", "find") + &case("b", "look") + &case("c", "find");
    let place = Place::new()
        .with("suite.yaml", SUITE)
        .with("cases.jsonl", cases);
    place.check("run", &[], 1, &[]);
    // The history keeps the runs even if the files change or disappear.
    fs::remove_file(place.path("cases.jsonl")).unwrap();
    for line in [
        "explain",
        "explain latest",
        "explain latest --case b",
        "explain cases.jsonl:2",
        "explain 1",
    ] {
        let said = place.check(line, &[], 0, &[]).stdout;
        assert!(
            said.starts_with("run 1 of suite.yaml, at 2026-01-02 03:04 UTC\n\nb · cases.jsonl:2\n"),
            "{line}\n{said}"
        );
        assert!(
            said.contains("do b") && said.contains("calls · trajectory · score 0.000"),
            "{said}"
        );
    }
    let json = place.check("explain --format json", &[], 0, &[]).stdout;
    assert!(json.starts_with('{'), "{json}");
    place.check(
        "explain latest --case bb",
        &[],
        2,
        &["run 1 has no case `bb`"],
    );
    place.check(
        "explain cases.jsonl:9",
        &[],
        2,
        &["no run of the history has a case at cases.jsonl:9"],
    );
}

#[test]
fn explain_without_a_case_shows_the_worst() {
    let cases = case("a", "find") + &case("b", "look");
    let place = Place::new()
        .with("suite.yaml", SUITE)
        .with("cases.jsonl", cases);
    for line in [
        "explain suite.yaml",
        "explain cases.jsonl -e trajectory",
        "explain cases.jsonl:2 -e trajectory",
    ] {
        let said = place.check(line, &[], 0, &[]).stdout;
        assert!(said.starts_with("b · cases.jsonl:2\n"), "{line}\n{said}");
    }
    place.check(
        "explain cases.jsonl:7 -e trajectory",
        &[],
        2,
        &["there is no case at cases.jsonl:7"],
    );
}

#[test]
fn suite_key_does_not_depend_on_the_working_directory() {
    let place = Place::new()
        .with("suite.yaml", SUITE)
        .with("cases.jsonl", case("a", "find"));
    let inner = place.path("inner");
    fs::create_dir(&inner).unwrap();
    place.check("run suite.yaml", &[], 0, &[]);
    place.check(
        "run ./suite.yaml",
        &[],
        0,
        &["against run 1: no case moved"],
    );
    let mut from_inside = place.command();
    // The ceiling is one folder further up, so this folder is still searched.
    let ceiling = place.path("").parent().unwrap().to_owned();
    from_inside
        .env("GIT_CEILING_DIRECTORIES", ceiling)
        .current_dir(&inner)
        .args(["run", "../suite.yaml"]);
    let said = crate::said(&mut from_inside);
    assert!(
        said.stderr.contains("against run 2: no case moved"),
        "{}",
        said.stderr
    );
    assert!(!inner.join(".rightcall").exists());
    let history = place
        .check("history --format json --suite ./suite.yaml", &[], 0, &[])
        .stdout;
    assert_eq!(
        history.matches(r#""suite":"suite.yaml""#).count(),
        3,
        "{history}"
    );
}

#[test]
fn failed_option_remembers_failures_until_they_pass() {
    let cases = |b: &str, c: &str| case("a", "find") + &case("b", b) + &case("c", c);
    let place = Place::new()
        .with("suite.yaml", SUITE)
        .with("cases.jsonl", cases("look", "look"));
    place.check("run", &[], 1, &[]);
    let place = place.with("cases.jsonl", cases("find", "look"));
    // One of the two failed cases now passes. The other one is run alone, then none is left.
    place.check("run -k b", &[], 0, &[]);
    let said = place
        .check("run --failed --format jsonl", &[], 1, &[])
        .stdout;
    assert!(
        said.contains(r#""case":"c""#) && !said.contains(r#""case":"b""#),
        "{said}"
    );
    let place = place.with("cases.jsonl", cases("find", "find"));
    place.check("run --failed", &[], 0, &[]);
    place.check(
        "run --failed",
        &[],
        2,
        &["no case failed in the last run of all, or since"],
    );
}

#[test]
fn run_reports_changes_since_the_last_run() {
    let cases = |b: &str| case("a", "find") + &case("b", b);
    let place = Place::new()
        .with("suite.yaml", SUITE)
        .with("cases.jsonl", cases("find"));
    let first = place.check("run", &[], 0, &[]);
    assert!(!first.stderr.contains("against run"), "{}", first.stderr);
    let place = place.with("cases.jsonl", cases("look"));
    place.check(
        "run",
        &[],
        1,
        &["against run 1: 1 case got worse, 0 better: b 1.000 → 0.000; calls -0.500   (rightcall compare 1 2)"],
    );
}

#[test]
fn run_is_compared_with_the_last_run_of_its_branch() {
    let place = Place::new()
        .with("suite.yaml", SUITE)
        .with("cases.jsonl", case("a", "find"));
    place.check("run", &[], 0, &[]);
    let history = rusqlite::Connection::open(place.path(".rightcall/history.db")).unwrap();
    for number in 0..60 {
        let other = "INSERT INTO runs (key, git_branch, started, finished, suite, profile, suite_hash, selection, settings, version, cases, summary)
             SELECT ?1, 'other', started, finished, suite, profile, suite_hash, selection, settings, version, cases, summary FROM runs WHERE number = 1";
        history.execute(other, [format!("{number:04x}")]).unwrap();
    }
    drop(history);
    place.check("run", &[], 0, &["against run 1: no case moved"]);
}

#[test]
fn latest_is_the_last_run_of_the_suite() {
    let place = Place::new()
        .with("suite.yaml", SUITE)
        .with("other.yaml", SUITE)
        .with("cases.jsonl", case("a", "find"));
    for suite in ["suite.yaml", "other.yaml", "suite.yaml"] {
        place.check(&format!("run {suite} --quiet"), &[], 0, &[]);
    }
    let said = place.check("compare latest~1 latest", &[], 0, &[]).stdout;
    assert!(
        said.starts_with("run 1 (1 case) against run 3 (1 case)\n"),
        "{said}"
    );
    let said = place
        .check("explain latest --suite other.yaml", &[], 0, &[])
        .stdout;
    assert!(said.starts_with("run 2 of other.yaml"), "{said}");
}

#[test]
fn record_can_select_passed_runs() {
    let place = Place::new().with("one.json", tau2("gpt-4.1", 3));
    let recorded = |line: &str| place.check(line, &[], 0, &[]).stdout;
    assert_eq!(recorded("record one.json").lines().count(), 12);
    assert_eq!(
        recorded("record one.json --where reward=1").lines().count(),
        8
    );
    assert_eq!(
        recorded("record one.json --case 5"),
        "{\"id\":\"5\",\"input\":\"find 5\",\"expected\":[{\"name\":\"find\",\"args\":{\"id\":5}}]}\n"
    );
    assert_eq!(recorded("record one.json -k 1").lines().count(), 4);
    place.check(
        "record one.json --tag gone",
        &[],
        2,
        &["no run is chosen by -k, --tag, --where or --case"],
    );
}

#[test]
fn suite_is_found_in_usual_places() {
    let place = Place::new();
    place.check(
        "run",
        &[],
        2,
        &["there is no suite here", "rightcall init --from TRACES"],
    );
    fs::create_dir(place.path("evals")).unwrap();
    let place = place
        .with("evals/suite.yaml", SUITE)
        .with("evals/cases.jsonl", case("a", "find"));
    for line in [
        "run --quiet",
        "run evals --quiet",
        "run evals/suite.yaml --quiet",
    ] {
        place.check(line, &[], 0, &[]);
    }
}
