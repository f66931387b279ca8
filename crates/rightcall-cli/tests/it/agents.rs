//! `run --agent`: the agent is a list of arguments, its output a trace.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use crate::Place;

const SUITE: &str = "cases: cases.jsonl\nevaluators: [{evaluator: trajectory, threshold: 1}]\n";

/// Cases whose input is a text with what a shell would run.
const CASES: &str = "{\"id\":\"a\",\"input\":\"find $(touch gone); \\\"it\\\"\",\"expected\":[\"find\"]}\n{\"id\":\"b\",\"input\":\"look\",\"expected\":[\"look\"]}\n";

/// An agent that calls the tool which is the first word of its input, and writes down each of its runs.
const AGENT: &str = r#"#!/bin/sh
input=${1-$(cat)}
echo "$RIGHTCALL_CASE $RIGHTCALL_TRIAL" >> runs.log
echo "$input" > "input-$RIGHTCALL_CASE"
printf '{"messages":[{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"%s","arguments":"{}"}}]}]}\n' "${input%% *}"
"#;

fn place() -> Place {
    Place::new()
        .with("suite.yaml", SUITE)
        .with("cases.jsonl", CASES)
        .with("agent.sh", AGENT)
}

#[test]
fn an_agent_is_run_for_each_case_without_a_shell() {
    for line in ["run --agent sh agent.sh {input}", "run --agent sh agent.sh"] {
        let place = place();
        let said = place.check(line, &[], 0, &["2 runs of the agent"]).stdout;
        assert!(said.contains("100.0 %"), "{said}");
        assert_eq!(
            place.read("input-a").trim_end(),
            "find $(touch gone); \"it\""
        );
        assert!(!place.path("gone").exists());
    }
}

#[test]
fn trials_are_runs_and_a_stop_is_resumed() {
    let place = place();
    place.check(
        "run --trials 3 --jobs 2 --agent sh agent.sh",
        &[],
        0,
        &["6 runs of the agent"],
    );
    let runs = |place: &Place| place.read("runs.log").lines().count();
    assert_eq!(runs(&place), 6);
    let traces = ".rightcall/agent-suite.yaml.jsonl";
    let all = place.read(traces);
    let kept: String = all.split_inclusive('\n').take(4).collect();
    let place = place.with(traces, kept);
    let line = "run --trials 3 --resume --agent sh agent.sh";
    let said = place
        .check(line, &[], 0, &["2 runs of the agent, 4 are there"])
        .stdout;
    assert_eq!(runs(&place), 8);
    assert!(said.contains(" 6  1.000"), "{said}");
}

#[test]
fn a_run_whose_agent_is_being_called_is_there_for_who_looks() {
    // The second run of the agent waits until somebody has looked.
    let waiting =
        format!("{AGENT}[ $RIGHTCALL_CASE = a ] || while [ ! -e looked ]; do sleep 0.05; done\n");
    let place = place().with("agent.sh", waiting);
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_rightcall"))
        .current_dir(place.path(""))
        .args(["run", "--jobs", "1", "--agent", "sh", "agent.sh"])
        .env("GIT_CEILING_DIRECTORIES", place.path(""))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let end = std::time::Instant::now() + std::time::Duration::from_secs(60);
    let history = place.path(".rightcall/history.db");
    let is_there = || {
        let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY;
        let unfinished =
            rusqlite::Connection::open_with_flags(&history, flags).and_then(|history| {
                let query = "SELECT count(*) FROM runs WHERE finished IS NULL";
                history.query_row(query, [], |row| row.get::<_, i64>(0))
            });
        unfinished == Ok(1)
    };
    while !is_there() {
        assert!(std::time::Instant::now() < end, "no run is there");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let said = place.check("history", &[], 0, &[]).stdout;
    assert!(said.contains("unfinished: run 1 of suite.yaml"), "{said}");
    let place = place.with("looked", "");
    assert!(child.wait().unwrap().success());
    let said = place.check("history", &[], 0, &[]).stdout;
    assert!(
        said.contains("100.0 %") && !said.contains("unfinished"),
        "{said}"
    );
}

#[test]
fn an_agent_that_fails_leaves_its_case_without_a_run() {
    let place = place();
    for (agent, limits, why) in [
        ("exit 3", "", "it ended with exit status: 3"),
        ("sleep 30", "--timeout 1", "it took more than 1 seconds"),
        (
            "yes",
            "--max-output 1KiB",
            "it printed more than 1024 bytes",
        ),
        ("echo hello", "", "what it printed"),
        ("true", "", "what it printed holds no trajectory"),
    ] {
        let line = format!("run {limits} -k a --agent sh -c");
        let said = place.check(&line, &[agent], 2, &["the agent, case `a`: ", why]);
        assert!(
            said.stdout.contains("no run found for 1 case"),
            "{}",
            said.stdout
        );
    }
    place.check(
        "run --agent no-such-program",
        &[],
        2,
        &["no-such-program cannot be run"],
    );
    let place = place.with("suite.yaml", format!("{SUITE}agent: [sh, agent.sh]\n"));
    place.check("run", &[], 2, &["agent"]);
}

#[test]
fn a_watched_suite_is_run_again_when_it_changes() {
    let place = Place::new().with("suite.yaml", SUITE).with(
        "cases.jsonl",
        "{\"id\":\"a\",\"expected\":[\"find\"],\"actual\":[\"look\"]}\n",
    );
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_rightcall"))
        .current_dir(place.path(""))
        .args(["run", "--watch"])
        .env("GIT_CEILING_DIRECTORIES", place.path(""))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut until = |wanted: &str| {
        lines
            .by_ref()
            .map_while(Result::ok)
            .any(|line| line.contains(wanted))
    };
    assert!(until("waiting for a change"));
    let place = place.with(
        "cases.jsonl",
        "{\"id\":\"a\",\"expected\":[\"find\"],\"actual\":[\"find\"]}\n",
    );
    assert!(until("against run 1: 0 cases got worse, 1 better"));
    child.kill().unwrap();
    child.wait().unwrap();
    drop(place);
}
