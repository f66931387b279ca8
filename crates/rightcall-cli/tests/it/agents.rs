//! `run --agent`: the agent is a list of arguments, and its output is a trace.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use crate::Place;
use crate::interrupted::wait_until;

const SUITE: &str = "cases: cases.jsonl\nevaluators: [{evaluator: trajectory, threshold: 1}]\n";

/// Cases with shell syntax in their input.
const CASES: &str = "{\"id\":\"a\",\"input\":\"find $(touch gone); \\\"it\\\"\",\"expected\":[\"find\"]}\n{\"id\":\"b\",\"input\":\"look\",\"expected\":[\"look\"]}\n";

/// An agent that calls the tool named by the first word of its input, and logs each run.
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
fn agent_runs_once_per_case_without_a_shell() {
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
fn each_trial_is_a_run_and_resume_continues() {
    let place = place();
    place.check(
        "run --trials 3 --jobs 2 --agent sh agent.sh",
        &[],
        0,
        &["6 runs of the agent"],
    );
    assert_eq!(runs(&place).len(), 6);
    let traces = ".rightcall/agent-suite.yaml.jsonl";
    let all = place.read(traces);
    let kept: String = all.split_inclusive('\n').take(4).collect();
    let place = place.with(traces, kept);
    let line = "run --trials 3 --resume --agent sh agent.sh";
    let said = place
        .check(line, &[], 0, &["2 runs of the agent, 4 kept"])
        .stdout;
    assert_eq!(runs(&place).len(), 8);
    assert!(said.contains(" 6  1.000"), "{said}");
}

/// The command in this place, with all standard streams set to null.
fn command(place: &Place) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rightcall"));
    command
        .current_dir(place.path(""))
        .env("GIT_CEILING_DIRECTORIES", place.path(""))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

#[test]
fn output_starts_once_after_the_agent_ends() {
    let place = place();
    for (format, mark) in [("parquet", &b"PAR1"[..]), ("arrow", b"ARROW1")] {
        let arguments = ["run", "--format", format, "--agent", "sh", "agent.sh"];
        let ran = command(&place)
            .args(arguments)
            .stdout(Stdio::piped())
            .output()
            .unwrap();
        assert_eq!(ran.status.code(), Some(0));
        // A file in this format starts and ends with its magic bytes.
        let found = ran.stdout.windows(mark.len()).filter(|it| *it == mark);
        assert_eq!(found.count(), 2, "{format}");
    }
}

/// The runs in `runs.log`.
fn runs(place: &Place) -> Vec<String> {
    let log = place.read("runs.log");
    log.lines().map(|run| run.trim_end().to_owned()).collect()
}

#[test]
fn concurrent_agents_on_one_suite_keep_separate_runs() {
    // Each agent waits until the other has started. One is always right, the other never.
    let agent = |own: &str, other: &str, tool: &str| {
        format!(
            "#!/bin/sh\ntouch {own}\nwhile [ ! -e {other} ]; do sleep 0.05; done\nsleep 0.0$RIGHTCALL_TRIAL\necho '{{\"actual\":[{{\"name\":\"'{tool}'\"}}]}}'\n"
        )
    };
    let place = Place::new()
        .with("suite.yaml", SUITE)
        .with("cases.jsonl", CASES)
        .with("right.sh", agent("a", "b", "${1%% *}"))
        .with("wrong.sh", agent("b", "a", "other"));
    let start = |agent: &str| {
        command(&place)
            .args(["run", "--trials", "6", "--format", "jsonl", "--agent"])
            .args(["sh", agent, "{input}"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let both = [start("right.sh"), start("wrong.sh")];
    for (child, (code, score)) in both.into_iter().zip([(0, "1.0"), (1, "0.0")]) {
        let said = child.wait_with_output().unwrap();
        let out = String::from_utf8(said.stdout).unwrap();
        assert_eq!(said.status.code(), Some(code), "{out}");
        let score = format!("\"score\":{score},\"passed\"");
        // Each run has a line for its evaluator and one for the overall score.
        assert_eq!(out.matches(&score).count(), 2 * 12, "{out}");
    }
    let kept = |name: &str| place.read(&format!(".rightcall/agent-suite.yaml{name}.jsonl"));
    let is_of_one = |text: &String| {
        text.lines().count() == 12 && [0, 12].contains(&text.matches("other").count())
    };
    assert!([kept(""), kept(".2")].iter().all(is_of_one));
    // Each agent's runs are resumed, in any of the files.
    for agent in ["right.sh", "wrong.sh"] {
        let line = format!("run --trials 6 --resume --agent sh {agent} {{input}}");
        let said = place.run(&line, &[]);
        let wanted = "0 runs of the agent, 12 kept";
        assert!(said.stderr.contains(wanted), "{agent} {}", said.stderr);
    }
}

#[test]
fn only_runs_of_unchanged_cases_and_commands_are_resumed() {
    let ours = "{\"id\":\"a\",\"input\":\"find\",\"expected\":[\"find\"]}\n";
    let resumed = |place: &Place, suite: &str, runs_before: usize, told: &str| {
        let line = format!("run {suite} --quiet --resume --agent sh agent.sh");
        let said = place.check(&line, &[], 0, &[told]);
        assert!(said.stderr.contains(told), "{}", said.stderr);
        runs(place).len() - runs_before
    };
    for (changed, count) in [
        (ours.to_owned(), 0),
        (ours.replace("\"find\",", "\"find it\","), 1),
        (
            ours.replace("[\"find\"]", "[{\"name\":\"find\",\"args\":{}}]"),
            1,
        ),
        (ours.replace("\"id\"", "\"tags\":[\"new\"],\"id\""), 1),
    ] {
        let place = place().with("cases.jsonl", ours);
        place.check("run --quiet --agent sh agent.sh", &[], 0, &[]);
        let place = place.with("cases.jsonl", &changed);
        let told = if count == 0 {
            "1 kept"
        } else {
            "1 run of them again"
        };
        assert_eq!(resumed(&place, "", 1, told), count, "{changed}");
        assert_eq!(resumed(&place, "", 1 + count, "1 kept"), 0);
    }
    // An `expect:` in the suite is part of the case, and the command identifies the agent.
    let expecting = |tool: &str| format!("{SUITE}expect: [{tool}]\n");
    let place = place()
        .with(
            "cases.jsonl",
            "{\"id\":\"a\",\"input\":\"find\",\"expected\":{}}\n",
        )
        .with("suite.yaml", expecting("find"));
    place.check("run --quiet --agent sh agent.sh", &[], 0, &[]);
    let place = place.with("suite.yaml", expecting("{name: find, args: {}}"));
    assert_eq!(resumed(&place, "", 1, "1 run of them again"), 1);
    let line = "run --quiet --resume --agent sh ./agent.sh";
    place.check(line, &[], 0, &["1 run of them again"]);
}

#[test]
fn truncated_kept_run_is_run_again() {
    let place = place();
    place.check("run --jobs 1 --agent sh agent.sh", &[], 0, &[]);
    let traces = ".rightcall/agent-suite.yaml.jsonl";
    let all = place.read(traces);
    for cut in [1, 20] {
        let place = Place::new()
            .with("suite.yaml", SUITE)
            .with("cases.jsonl", CASES)
            .with("agent.sh", AGENT);
        std::fs::create_dir(place.path(".rightcall")).unwrap();
        let place = place.with(traces, &all[..all.len() - cut]);
        let told = [
            "1 run of the agent, 1 kept",
            "1 line that could not be read",
        ];
        let line = "run --resume --agent sh agent.sh";
        place.check(line, &[], 0, &told);
        assert_eq!(place.read(traces), all, "repaired");
        assert_eq!(runs(&place), ["b 0"]);
        place.check(line, &[], 0, &["0 runs of the agent, 2 kept"]);
    }
}

#[test]
fn kept_runs_are_private_and_redacted_but_scored_unredacted() {
    use std::os::unix::fs::PermissionsExt;
    let agent = "#!/bin/sh\ncat > /dev/null\nls -l .rightcall/.rightcall-*.jsonl >> modes.log\necho '{\"actual\":[{\"name\":\"pay\",\"args\":{\"card\":\"4111\"}}]}'\n";
    let case = "{\"id\":\"a\",\"expected\":[{\"name\":\"pay\",\"args\":{\"card\":\"4111\"}}]}\n";
    let place = Place::new()
        .with("suite.yaml", SUITE)
        .with("cases.jsonl", case)
        .with("agent.sh", agent);
    place.check("run --no-history --agent sh agent.sh", &[], 0, &[]);
    // Runs kept before the suite had `redact:` are removed.
    let place = place.with("suite.yaml", format!("{SUITE}redact: [card]\n"));
    for line in [
        "run --resume --agent sh agent.sh",
        "run --no-history --agent sh agent.sh",
        "run --resume --agent sh agent.sh",
    ] {
        let said = place.check(line, &[], 0, &["1 run of the agent"]);
        assert!(said.stdout.contains("1.000"), "{}", said.stdout);
        let kept = place.path(".rightcall/agent-suite.yaml.jsonl");
        let text = std::fs::read_to_string(&kept).unwrap();
        assert!(
            text.contains("[redacted 1]") && !text.contains("4111"),
            "{text}"
        );
        let mode = kept.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    // No real value is left, and git ignores the folder.
    let names = std::fs::read_dir(place.path(".rightcall")).unwrap();
    let names = names.map(|it| it.unwrap().file_name().into_string().unwrap());
    assert!(
        names
            .into_iter()
            .all(|name| !name.starts_with(".rightcall-"))
    );
    assert_eq!(place.read(".rightcall/.gitignore"), "*\n");
    let modes = place.read("modes.log");
    assert!(
        modes.lines().all(|line| line.starts_with("-rw-------")),
        "{modes}"
    );
}

#[test]
fn running_agent_shows_as_unfinished_run_in_the_history() {
    // The agent's second run waits until the test has looked at the history.
    let waiting =
        format!("{AGENT}[ $RIGHTCALL_CASE = a ] || while [ ! -e looked ]; do sleep 0.05; done\n");
    let place = place().with("agent.sh", waiting);
    let mut child = command(&place)
        .args(["run", "--jobs", "1", "--agent", "sh", "agent.sh"])
        .spawn()
        .unwrap();
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
    wait_until("no run is there", is_there);
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
fn failed_agent_leaves_its_case_without_a_run() {
    let place = place();
    for (agent, limits, why) in [
        ("exit 3", "", "it exited with code 3"),
        ("sleep 30", "--timeout 1", "it took more than 1 seconds"),
        ("yes", "--max-output 1KiB", "it printed more than 1 KiB"),
        ("echo hello", "", "its output"),
        ("true", "", "its output holds no trajectory"),
    ] {
        let line = format!("run {limits} -k a --agent sh -c");
        let said = place.check(&line, &[agent], 2, &["the agent, case `a`: ", why]);
        assert!(
            said.stdout.contains("no run found for 1 case"),
            "{}",
            said.stdout
        );
    }
    // A program that can't be started fails for all cases, so one error is enough.
    let said = place.check(
        "run --agent no-such-program",
        &[],
        2,
        &["error: the agent no-such-program cannot be run: "],
    );
    let errors = said.stderr.matches("no-such-program").count();
    assert_eq!((errors, said.stdout.as_str()), (1, ""), "{}", said.stderr);
    let place = place.with("suite.yaml", format!("{SUITE}agent: [sh, agent.sh]\n"));
    place.check("run", &[], 2, &["agent"]);
}

#[test]
fn failed_trials_count_and_all_trials_are_in_order() {
    // The first trials take longest.
    let agent =
        "sleep 0.$((3 - RIGHTCALL_TRIAL)); [ $RIGHTCALL_TRIAL != 1 ] || exit 1; sh agent.sh";
    let place = place();
    let line = "run --trials 3 --report csv=out.csv --agent sh -c";
    let why = [
        "the agent, case `a`, trial 1: it exited with code 1",
        "this trial of the case counts as one without a run",
    ];
    let said = place.check(line, &[agent], 1, &why).stdout;
    for wanted in [
        "6 cases",
        "66.7 %",
        "no run found for 2 cases",
        "2 of 2 cases are flaky",
    ] {
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
    let report = place.read("out.csv");
    let rows = report.lines().skip(1);
    let mut trials: Vec<_> = rows.filter_map(|row| row.split(',').nth(1)).collect();
    // Each has a row for the case as a whole, too.
    trials.dedup();
    assert_eq!(trials, ["0", "1", "2", "0", "1", "2"], "{report}");
}

#[test]
fn the_runs_of_an_agent_exclude_other_runs() {
    let place = place();
    for option in ["--traces", "--add-traces"] {
        let line = format!("run {option} cases.jsonl --agent sh agent.sh");
        place.check(&line, &[], 2, &["cannot be used with '--agent"]);
    }
    place.check(
        "run --accept --agent sh agent.sh",
        &[],
        2,
        &["it names no baseline"],
    );
    place.check(
        "run --timeout 0 --agent sh agent.sh",
        &[],
        2,
        &["0 is not in 1.."],
    );
    assert!(!place.path("runs.log").exists());
}

/// True if the process with the id in this file ends within five seconds.
fn ends(place: &Place, file: &str) -> bool {
    let id = place.read(file).trim().to_owned();
    let runs = || {
        let state = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        // A zombie has ended; only its status was not collected.
        state
            .rsplit(") ")
            .next()
            .is_some_and(|state| !state.is_empty() && !state.starts_with('Z'))
    };
    (0..250).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(20));
        !runs()
    })
}

#[test]
#[cfg(target_os = "linux")]
fn child_processes_of_an_agent_are_killed_with_it() {
    let begun = std::time::Instant::now();
    for (agent, why) in [
        (
            "sleep 300 & echo $! > child; wait",
            "it took more than 1 seconds",
        ),
        (
            "trap '' TERM INT; sh -c 'sleep 300 & echo $! > child; wait'; sleep 300",
            "it took more than 1 seconds",
        ),
        (
            "sleep 300 & echo $! > child",
            "it ended, but a process that it started held its output for 1 seconds",
        ),
        (
            "sleep 300 & echo $! > child; yes",
            "it printed more than 1 KiB",
        ),
        // A process in another session is not a child any more, so its output is not waited for.
        (
            "setsid sleep 8 & echo 999999999 > child; wait",
            "it took more than 1 seconds",
        ),
    ] {
        let place = place();
        let line = "run -k a --timeout 1 --max-output 1KiB --agent sh -c";
        place.check(line, &[agent], 2, &["the agent, case `a`: ", why]);
        assert!(ends(&place, "child"), "{agent}");
    }
    assert!(begun.elapsed() < std::time::Duration::from_secs(60));
}

#[test]
#[cfg(target_os = "linux")]
fn signalled_command_kills_its_agents() {
    for (signal, code) in [("-INT", 130), ("-TERM", 143), ("-HUP", 129)] {
        let place = place();
        let agent = "trap '' INT TERM HUP; sleep 300 & echo $! > child.new; mv child.new child-$RIGHTCALL_CASE; while true; do sleep 1; done";
        let agent = agent.replace("child.new", "new-$RIGHTCALL_CASE");
        let mut child = command(&place)
            .args(["run", "--agent", "sh", "-c", &agent])
            .spawn()
            .unwrap();
        wait_until("no agent has begun", || {
            let is_there = |name: &&str| place.path(name).exists();
            ["child-a", "child-b"].iter().all(is_there)
        });
        crate::interrupted::signal(&child, signal);
        assert_eq!(child.wait().unwrap().code(), Some(code));
        assert!(
            ends(&place, "child-a") && ends(&place, "child-b"),
            "{signal}"
        );
    }
}

#[test]
fn log_lines_around_a_trace_are_skipped_and_counted() {
    let trace = "{\"actual\":[{\"name\":\"find\"}]}";
    let messages = "{\n\"messages\": [\n{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"c\",\"type\":\"function\",\"function\":{\"name\":\"find\",\"arguments\":\"{}\"}}]}\n]\n}";
    for (printed, told) in [
        (
            format!("starting\n{trace}"),
            "1 line around the trace skipped, the first: starting",
        ),
        (
            format!("[INFO] a\n[12:00] b\r\n{messages}\ndone\n"),
            "3 lines around the trace skipped, the first: [INFO] a",
        ),
        (
            format!("{{\"level\":\"info\",\"msg\":\"a\"}}\n{trace}"),
            "1 line around the trace skipped",
        ),
    ] {
        let place = place().with("printed", &printed);
        let line = "run -k a --agent cat printed";
        let said = place.check(line, &[], 0, &["the agent, case `a`: ", told]);
        assert!(said.stdout.contains("1.000"), "{}", said.stdout);
    }
    for printed in [
        format!("starting\n{trace}\n{trace}"),
        format!("starting\n{{\"messages\": [\n{trace}\n"),
        "starting\nended".to_owned(),
    ] {
        let place = place().with("printed", &printed);
        place.check("run -k a --agent cat printed", &[], 2, &["its output"]);
    }
}

#[test]
fn output_limit_of_an_agent_applies_to_decompressed_bytes() {
    let long = format!(
        "{{\"input\":\"{}\",\"actual\":[\"find\"]}}\n",
        "x".repeat(100_000)
    );
    let short = "{\"actual\":[\"find\"]}\n";
    for packed in [true, false] {
        let pack = |text: &str| {
            if packed {
                zstd::encode_all(text.as_bytes(), 0).unwrap()
            } else {
                text.as_bytes().to_owned()
            }
        };
        let place = place().with("long", pack(&long)).with("short", pack(short));
        let line = "run -k a --max-output 50KiB --agent";
        place.check(
            &format!("{line} cat long"),
            &[],
            2,
            &["it printed more than 50 KiB"],
        );
        place.check(&format!("{line} cat short"), &[], 0, &[]);
        place.check(
            &format!("{line} gzip -c long"),
            &[],
            2,
            &["it printed more than 50 KiB"],
        );
    }
}

#[test]
fn watched_suite_runs_again_after_a_change() {
    let place = Place::new().with("suite.yaml", SUITE).with(
        "cases.jsonl",
        "{\"id\":\"a\",\"expected\":[\"find\"],\"actual\":[\"look\"]}\n",
    );
    let mut child = command(&place)
        .args(["run", "--watch"])
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
