//! `watch`: follows a growing log and reports verdicts as they change.

use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use crate::{Place, said};

const RULES: &str =
    "- {call: refund, at_most: 1, same: order, why: We pay once.}\n- send_email after refund\n";

fn run(id: &str, calls: &[&str]) -> String {
    let call = |name: &&str| format!(r#"{{"name":"{name}","args":{{"order":7}}}}"#);
    let calls: Vec<_> = calls.iter().map(call).collect();
    format!(r#"{{"id":"{id}","actual":[{}]}}"#, calls.join(","))
}

/// Spans of two interleaved runs, one a line.
fn span(trace: u8, number: u8, name: &str) -> String {
    let (trace, id) = (format!("{trace:032x}"), format!("{number:015x}{trace}"));
    format!(
        r#"{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{{"traceId":"{trace}","spanId":"{id}","name":"execute_tool {name}","startTimeUnixNano":"{number}000","endTimeUnixNano":"{number}500","attributes":[{{"key":"gen_ai.operation.name","value":{{"stringValue":"execute_tool"}}}},{{"key":"gen_ai.tool.name","value":{{"stringValue":"{name}"}}}},{{"key":"gen_ai.tool.call.arguments","value":{{"stringValue":"{{\"order\":7}}"}}}}]}}]}}]}}]}}"#
    )
}

fn place() -> Place {
    Place::new().with("rules.yaml", RULES)
}

fn watched(place: &Place, log: &str, more: &[&str]) -> crate::Said {
    let mut command = place.command();
    command
        .args(["watch", "-", "--rules", "rules.yaml"])
        .args(more);
    said(command.write_stdin(log))
}

#[test]
fn each_change_of_a_verdict_prints_a_line() {
    let lines = [
        run("a", &["refund"]),
        run("b", &["find"]),
        run("a", &["refund", "send_email", "refund"]),
    ];
    let found = watched(&place(), &lines.join("\n"), &[]);
    let wanted = "\
a   open   send_email after refund   call 1 refund
a   satisfied_so_far   send_email after refund   call 2 send_email
a   violated   at most 1 refund, same order   call 3 refund   why: We pay once.
a   open   send_email after refund   call 3 refund
";
    assert_eq!(
        (found.stdout.as_str(), found.code),
        (wanted, 1),
        "{}",
        found.stderr
    );
    assert_eq!(
        found.stderr,
        "2 runs · 1 breaks a rule · 1 has an open rule\n"
    );
}

#[test]
fn quiet_prints_only_violations() {
    let good = watched(&place(), &run("a", &["refund", "send_email"]), &["-q"]);
    assert_eq!((good.stdout.as_str(), good.code), ("", 0));
    let bad = watched(&place(), &run("a", &["refund", "refund"]), &["-q"]);
    assert_eq!(bad.stdout.lines().count(), 1);
    let none = watched(&place(), "{\n7\n", &["-q"]);
    assert_eq!(none.code, 2, "{}", none.stderr);
}

#[test]
fn trials_are_separate_runs_and_violations_are_final() {
    let trial =
        |trial: &str, calls: &str| format!(r#"{{"id":"r","trial":{trial},"actual":[{calls}]}}"#);
    let refund = r#"{"name":"refund","args":{"order":7}}"#;
    let twice = format!("{refund},{refund}");
    let log = [trial("1", &twice), trial("2", r#"{"name":"find"}"#)];
    let found = watched(&place(), &log.join("\n"), &["-q"]);
    let line =
        "r trial 1   violated   at most 1 refund, same order   call 2 refund   why: We pay once.\n";
    assert_eq!(found.stdout, line);
    let totals = "2 runs · 1 breaks a rule · 1 has an open rule\n";
    assert_eq!((found.stderr.as_str(), found.code), (totals, 1));
    // A later line that rewrites the run retracts nothing.
    let log = [trial("1", &twice), trial("1", r#"{"name":"find"}"#)];
    let found = watched(&place(), &log.join("\n"), &["-q"]);
    assert_eq!((found.stdout.as_str(), found.code), (line, 1));
    assert!(found.stderr.starts_with("1 run · 1 breaks a rule"));
}

#[test]
fn misspelled_tools_and_keys_of_rules_are_reported_at_the_end() {
    let place = Place::new().with(
        "rules.yaml",
        "- {call: refund, at_most: 1, same: ordr}\n- find before refnd\n",
    );
    let said = watched(&place, &run("a", &["find", "refund"]), &["-q"]).stderr;
    for wanted in [
        "a rule names `refnd`, which no run calls and no case expects\n  help: did you mean `refund`?",
        "a rule compares `ordr` of `refund` (`same`), which no call has, so it compares nothing\n  help: did you mean `order`?",
    ] {
        assert!(said.contains(wanted), "{said}");
    }
}

#[test]
fn spans_of_interleaved_runs_are_separated() {
    let log = [
        span(1, 1, "refund"),
        span(2, 2, "refund"),
        span(1, 3, "send_email"),
        span(2, 4, "refund"),
    ];
    let found = watched(&place(), &log.join("\n"), &["-q"]);
    let [line] = &found.stdout.lines().collect::<Vec<_>>()[..] else {
        panic!("{}{}", found.stdout, found.stderr);
    };
    assert!(line.contains("2   violated   at most 1 refund"), "{line}");
    assert_eq!(
        found.stderr,
        "2 runs · 1 breaks a rule · 1 has an open rule\n"
    );
}

const MAP: &str = "\
map: shop
run: session
call: {when: {kind: tool}, at: payload, name: tool, args: input, id: id}
result: {when: {kind: result}, at: payload, id: id, output: output}
";

const SUITE: &str = "\
traces: [log.jsonl]
map: maps/shop.yaml
evaluators:
  - {evaluator: constraints, rules: [send_email after refund]}
";

/// The lines of a log that `MAP` reads. The first has no call.
fn shop_lines() -> [String; 3] {
    let line = |kind: &str, payload: &str| {
        format!(r#"{{"session":"s1","kind":"{kind}","payload":{payload}}}"#)
    };
    [
        line("hello", r#"{"text":"hi"}"#),
        line("tool", r#"{"tool":"refund","input":{"order":7},"id":"c1"}"#),
        line("result", r#"{"id":"c1","output":"done"}"#),
    ]
}

fn shop() -> Place {
    let place = Place::new().with("suite.yaml", SUITE);
    fs::create_dir(place.path("maps")).unwrap();
    place.with("maps/shop.yaml", MAP)
}

#[test]
fn map_of_the_suite_is_used() {
    let place = shop();
    let mut command = place.command();
    command.args(["watch", "-", "--rules", "suite.yaml"]);
    let found = said(command.write_stdin(shop_lines().join("\n")));
    let wanted = "s1   open   send_email after refund   call 1 refund\n";
    assert_eq!(
        (found.stdout.as_str(), found.code),
        (wanted, 1),
        "{}",
        found.stderr
    );
    assert_eq!(
        found.stderr,
        "1 run · 0 break a rule · 1 has an open rule\n"
    );
}

#[test]
fn missing_map_of_the_suite_is_an_error() {
    let place = Place::new().with("suite.yaml", SUITE.replace("shop.yaml", "other.yaml"));
    let mut command = place.command();
    command.args(["watch", "-", "--rules", "suite.yaml"]);
    let found = said(command.write_stdin(shop_lines().join("\n")));
    assert_eq!(found.code, 2, "{}", found.stderr);
    assert!(found.stderr.contains("suite.yaml:2"), "{}", found.stderr);
    assert!(found.stderr.contains("other.yaml"), "{}", found.stderr);
}

/// Writes lines to a `watch` of standard input, with a pause after each.
fn watched_slowly(place: &Place, lines: &[String]) -> crate::Said {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rightcall"));
    command.args(["watch", "-", "--rules", "suite.yaml"]);
    let piped = command.current_dir(place.0.path()).stdin(Stdio::piped());
    let mut child = piped
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for line in lines {
        writeln!(stdin, "{line}").unwrap();
        std::thread::sleep(Duration::from_millis(150));
    }
    drop(stdin);
    let ended = child.wait_with_output().unwrap();
    crate::Said {
        code: ended.status.code().unwrap(),
        stdout: String::from_utf8(ended.stdout).unwrap(),
        stderr: String::from_utf8(ended.stderr).unwrap(),
    }
}

#[test]
fn first_call_of_a_map_may_be_in_a_later_line() {
    let found = watched_slowly(&shop(), &shop_lines());
    let wanted = "s1   open   send_email after refund   call 1 refund\n";
    assert_eq!(
        (found.stdout.as_str(), found.code),
        (wanted, 1),
        "{}",
        found.stderr
    );
    assert_eq!(
        found.stderr,
        "1 run · 0 break a rule · 1 has an open rule\n"
    );
}

#[test]
fn map_that_matches_no_line_is_an_error_at_the_end() {
    let [hello, ..] = shop_lines();
    let found = watched_slowly(&shop(), &[hello.clone(), hello.clone()]);
    assert_eq!((found.stdout.as_str(), found.code), ("", 2));
    let errors: Vec<_> = found.stderr.lines().collect();
    let [error, _, total] = &errors[..] else {
        panic!("{}", found.stderr);
    };
    let expected = "error: <stdin>:1: expected a call by `call` of the map shop";
    assert!(error.starts_with(expected), "{error}");
    assert_eq!(*total, "0 runs · 0 break a rule · 0 have an open rule");
    // Many lines without a call are worth a warning before the end.
    let found = watched_slowly(&shop(), &[format!("{hello}\n").repeat(120)]);
    let warning = "warning: no run in 100 lines or more: <stdin>:1: expected a call";
    assert!(found.stderr.starts_with(warning), "{}", found.stderr);
    assert_eq!(found.code, 2);
}

/// A running `watch` of a file; it is killed with this value.
struct Watching(Child, BufReader<ChildStdout>);

impl Watching {
    fn new(place: &Place) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rightcall"));
        command.args(["watch", "log.jsonl", "--rules", "rules.yaml"]);
        let piped = command.current_dir(place.0.path()).stdout(Stdio::piped());
        let mut child = piped.stderr(Stdio::null()).spawn().unwrap();
        let stdout = child.stdout.take().unwrap();
        Self(child, BufReader::new(stdout))
    }

    #[track_caller]
    fn check(&mut self, wanted: &str) {
        let mut line = String::new();
        self.1.read_line(&mut line).unwrap();
        assert_eq!(line.trim_end(), wanted);
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

#[test]
fn partial_line_is_buffered_and_rotated_file_is_followed() {
    let place = place();
    let log = place.path("log.jsonl");
    let append = |text: &str| {
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&log)
            .unwrap();
        file.write_all(text.as_bytes()).unwrap();
    };
    let mut watching = Watching::new(&place);
    let line = run("a", &["refund"]);
    append(&line[..30]);
    append(&format!("{}\n", &line[30..]));
    watching.check("a   open   send_email after refund   call 1 refund");
    append(&(run("a", &["refund", "send_email"]) + "\n"));
    watching.check("a   satisfied_so_far   send_email after refund   call 2 send_email");
    fs::rename(&log, place.path("log.1.jsonl")).unwrap();
    append(&(run("b", &["refund"]) + "\n"));
    watching.check("b   open   send_email after refund   call 1 refund");
    // The old run continues in the new file.
    append(&(run("a", &["refund", "send_email", "refund"]) + "\n"));
    watching
        .check("a   violated   at most 1 refund, same order   call 3 refund   why: We pay once.");
}

#[cfg(unix)]
#[test]
fn program_runs_for_each_violated_rule() {
    let place = place();
    let more = [
        "--on-violated",
        "--",
        "sh",
        "-c",
        "cat >> told.jsonl; exit 3",
    ];
    let found = watched(&place, &run("a", &["refund", "refund"]), &more);
    let told = "{\"run\":\"a\",\"rule\":\"at most 1 refund, same order\",\"why\":\"We pay once.\",\"call\":2,\"name\":\"refund\"}\n";
    assert_eq!(place.read("told.jsonl"), told);
    assert!(
        found.stderr.contains("warning: sh: exit status: 3"),
        "{}",
        found.stderr
    );
}

/// A repeat of a call that failed is none, so a rule on repeats waits for results.
#[test]
fn rule_that_needs_a_result_is_open() {
    let rules = "evaluators: [{evaluator: constraints, max_repeats: 0, rules: [send_email after refund]}]\n";
    let place = Place::new().with("rules.yaml", rules);
    let found = watched(&place, &run("a", &["refund", "refund"]), &[]);
    let wanted = "\
a   open   send_email after refund   call 1 refund
a   open (no result recorded)   repeats of the same call   call 2 refund
";
    assert_eq!(found.stdout, wanted, "{}", found.stderr);
}
