//! Invalid cases: each message has the place, the expected and the found value.

use std::fs;
use std::io::Read;
use std::process::{Command, Stdio};

use crate::{Place, SCORE, good};

/// One bad line between two good ones: the good ones are scored, the bad one is reported, and the exit code is 2.
#[track_caller]
fn bad_line(line: &str, messages: &[&str]) {
    let place = Place::with_cases(&[good("a"), line.to_owned(), good("c")]);
    let said = place.check(SCORE, &[], 2, messages);
    assert!(
        said.stderr.contains("error: cases.jsonl:2"),
        "{}",
        said.stderr
    );
    assert!(said.stderr.contains(
        "1 of 3 cases could not be read; 2 were scored (exit code 2; --skip-invalid accepts this)"
    ));
    assert_eq!(said.stdout.lines().count(), 2, "{}", said.stdout);
    let accepted = place.check(
        SCORE,
        &["--skip-invalid"],
        0,
        &[
            "warning: cases.jsonl:2",
            "1 of 3 cases could not be read; 2 were scored\n",
        ],
    );
    assert_eq!(accepted.stdout, said.stdout);
}

#[test]
fn broken_line_is_reported() {
    bad_line(r#"{"id":"b","expected":[}"#, &["expected", "found"]);
    bad_line(r#"{"id":"b","#, &["expected", "found"]);
    bad_line("nonsense", &["expected", "found"]);
}

#[test]
fn wrong_type_is_reported_at_each_level() {
    bad_line("7", &["expected", "found"]);
    bad_line(
        r#"{"id":"b","expected":7,"actual":[]}"#,
        &["/expected: expected", "7"],
    );
    bad_line(
        r#"{"id":"b","expected":[],"actual":7}"#,
        &["/actual: expected", "7"],
    );
    bad_line(
        r#"{"id":"b","expected":[7],"actual":[]}"#,
        &["/expected/0: expected", "7"],
    );
    bad_line(
        r#"{"id":"b","expected":[],"actual":[{"name":7}]}"#,
        &["/actual/0/name: expected", "7"],
    );
    bad_line(
        r#"{"id":"b","expected":[],"actual":[{"name":"a","args":7}]}"#,
        &["/actual/0/args: expected", "7"],
    );
}

#[test]
fn invalid_count_is_reported() {
    bad_line(
        r#"{"id":"b","expected":{"counts":{"a":-1}},"actual":[]}"#,
        &["/expected/counts/a: expected", "-1"],
    );
    bad_line(
        r#"{"id":"b","expected":{"counts":{"a":"about 2"}},"actual":[]}"#,
        &["/expected/counts/a: expected", "about 2"],
    );
}

#[test]
fn line_above_the_limit_fails_alone() {
    let long = format!(
        r#"{{"id":"b","input":"{}","expected":[],"actual":[]}}"#,
        "x".repeat(10_000_000)
    );
    let place = Place::with_cases(&[good("a"), long, good("c")]);
    let limited = place.check(
        SCORE,
        &["--max-line", "1MiB"],
        2,
        &["cases.jsonl:2", "expected"],
    );
    assert_eq!(limited.stdout.lines().count(), 2);
    assert_eq!(place.check(SCORE, &[], 0, &[]).stdout.lines().count(), 3);
}

#[test]
fn line_nested_too_deeply_fails_alone() {
    bad_line(&("[".repeat(100_000) + &"]".repeat(100_000)), &[]);
    let nested = |depth: usize| {
        format!(
            r#"{{"id":"b","input":{}7{},"expected":["f"],"actual":["f"]}}"#,
            "[".repeat(depth),
            "]".repeat(depth)
        )
    };
    bad_line(&nested(100_000), &[]);
    bad_line(&nested(512), &[]);
    for threads in ["1", "2"] {
        let place = Place::with_cases(&[nested(500)]);
        place.check(SCORE, &["--threads", threads], 0, &[]);
        place.check(
            SCORE,
            &["--threads", threads, "--max-depth", "100"],
            2,
            &["cases.jsonl:1"],
        );
    }
}

#[test]
fn deep_arguments_are_scored_on_every_thread() {
    let deep = format!("{}7{}", "[".repeat(480), "]".repeat(480));
    let call = format!(r#"[{{"name":"f","args":{{"a":{deep}}}}}]"#);
    let place = Place::with_cases(&[format!(r#"{{"id":"a","expected":{call},"actual":{call}}}"#)]);
    for threads in ["1", "2"] {
        let evaluators = [
            "-e",
            "axion/tool-correctness,check_parameters=true",
            "-e",
            "evalite/tool-call-accuracy",
            "--explain",
        ];
        let said = place.run(SCORE, &[&["--threads", threads], &evaluators[..]].concat());
        assert!(
            said.code == 0 && said.stdout.lines().count() == 3,
            "{}",
            said.stderr
        );
    }
}

#[test]
fn invalid_utf_8_is_reported() {
    let place = Place::new();
    let bytes = [
        good("a").as_bytes(),
        b"\n{\"id\":\"\xFF\",\"expected\":[],\"actual\":[]}\n",
        good("c").as_bytes(),
    ]
    .concat();
    fs::write(place.path("cases.jsonl"), bytes).unwrap();
    let said = place.check(SCORE, &[], 2, &["error: cases.jsonl:2", "UTF-8"]);
    assert_eq!(said.stdout.lines().count(), 2);
}

#[test]
fn duplicate_case_is_skipped_and_both_lines_are_reported() {
    let place = Place::with_cases(&[good("a"), good("b"), String::new(), good("a")])
        .with("more.jsonl", good("b"));
    let line = SCORE.replace("cases.jsonl", "cases.jsonl more.jsonl");
    let messages = [
        "error: cases.jsonl:4: case `a` is already at cases.jsonl:1",
        "error: more.jsonl:1: case `b` is already at cases.jsonl:2",
        "2 duplicate cases were skipped (exit code 2)",
    ];
    for threads in ["1", "8"] {
        let said = place.check(&line, &["--threads", threads], 2, &messages);
        assert_eq!(said.stdout.lines().count(), 2);
    }
}

#[test]
fn trials_tags_and_meta_next_to_a_trace_apply_to_its_case() {
    const CALL: &str = r#"{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"find","arguments":"{}"}}]}"#;
    const ADK: &str = r#"{"author":"a","invocation_id":"i","content":{"role":"model","parts":[{"functionCall":{"name":"find","args":{}}}]}}"#;
    const RESPONSE: &str = r#"[{"role":"assistant","content":[{"type":"tool_call","tool_call_id":"c","name":"find","arguments":{}}]}]"#;
    for run in [
        format!(r#""messages":[{CALL}]"#),
        format!(r#""query":"q","response":{RESPONSE},"ground_truth":["find"]"#),
        r#""query":"q","response":[{"role":"assistant","content":"done"}],"ground_truth":["find"]"#
            .to_owned(),
        format!(r#""request":{{"messages":[]}},"response":{{"choices":[{{"message":{CALL}}}]}}"#),
        format!(r#""appName":"a","userId":"u","events":[{ADK}]"#),
    ] {
        let trial = |trial: u32| {
            format!(
                r#"{{"id":"a","trial":{trial},"tags":["t{trial}"],"meta":{{"model":"m{trial}"}},{run}}}"#
            )
        };
        let place = Place::with_cases(&[trial(1), trial(2)]);
        let score = "score cases.jsonl -e constraints,max_calls=5 --format jsonl";
        let said = place.check(score, &[], 0, &[]);
        assert!(
            said.stdout.contains(r#""trial":2"#),
            "{run}: {}",
            said.stdout
        );
        let said = place.check(&format!("{score} --tag t2 --where model=m2"), &[], 0, &[]);
        assert_eq!(
            said.stdout.matches(r#""trial":2"#).count(),
            1,
            "{run}: {}",
            said.stdout
        );
    }
    // Plain facts beside messages need no `meta`.
    let of =
        |model: &str| format!(r#"{{"id":"a","model":"{model}","reward":1,"messages":[{CALL}]}}"#);
    let place = Place::with_cases(&[of("m1"), of("m2")]);
    place.check(
        "score cases.jsonl -e constraints,max_calls=5 --by model",
        &[],
        0,
        &[],
    );
}

#[test]
fn trials_of_a_case_are_not_duplicates() {
    let trial = |trial: usize| good("a").replacen('{', &format!("{{\"trial\":{trial},"), 1);
    let said = Place::with_cases(&[good("a"), trial(1), trial(2)]).check(SCORE, &[], 0, &[]);
    assert!(
        said.stdout
            .lines()
            .nth(2)
            .unwrap()
            .starts_with(r#"{"case":"a","evaluator":"uipath/tool-call-order","trial":2,"#)
    );
    Place::with_cases(&[trial(1), trial(1)]).check(
        SCORE,
        &[],
        2,
        &["case `a`, trial 1, is already at cases.jsonl:1"],
    );
}

#[test]
fn nothing_to_score_is_an_error() {
    for empty in ["", "\n\n", "[]"] {
        let said = Place::new().with("cases.jsonl", empty).check(
            SCORE,
            &[],
            2,
            &["error: no case to score"],
        );
        assert_eq!(said.stdout, "");
    }
    let place = Place::with_cases(&[good("a")]);
    place.check(
        SCORE,
        &["-k", "other"],
        2,
        &[
            "error: no case to score",
            "no id of a case contains `other`; ids: a",
        ],
    );
    place.check(SCORE, &["--tag", "other"], 2, &["error: no case to score"]);
    place.check(
        SCORE,
        &["-k", "other", "--quiet"],
        2,
        &["error: no case to score"],
    );
}

#[test]
fn missing_input_is_reported_before_scoring() {
    let place = Place::with_cases(&[good("a")]);
    fs::create_dir(place.path("directory")).unwrap();
    let missing = place.check(
        "score cases.jsonl missing.jsonl -e tool-call-order --format jsonl",
        &[],
        2,
        &["error: missing.jsonl: "],
    );
    assert_eq!(missing.stdout, "");
    place.check(
        "score directory -e tool-call-order",
        &[],
        2,
        &["error: directory: ", "directory"],
    );
}

#[cfg(unix)]
#[test]
fn unreadable_file_is_reported() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::with_cases(&[good("a")]);
    fs::set_permissions(place.path("cases.jsonl"), fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(place.path("cases.jsonl")).is_ok() {
        // Root can read every file, so the test does not apply.
        return;
    }
    place.check(SCORE, &[], 2, &["error: cases.jsonl: "]);
}

#[test]
fn corrupt_archive_is_an_error_and_not_a_crash() {
    let place = Place::new().with("cases.jsonl.gz", b"\x1f\x8b\x08\x00 not what follows");
    place.check(
        "score cases.jsonl.gz -e tool-call-order",
        &[],
        2,
        &["cases.jsonl.gz"],
    );
}

#[test]
fn closed_pipe_ends_the_run_quietly() {
    let cases: Vec<_> = (0..20_000)
        .map(|number| good(&number.to_string()))
        .collect();
    let place = Place::with_cases(&cases);
    let mut command = Command::new(env!("CARGO_BIN_EXE_rightcall"));
    command
        .args(SCORE.split_whitespace())
        .current_dir(place.0.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut first = [0; 10];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn unreadable_inputs_are_not_reported_as_empty() {
    let place = Place::new().with("bad.jsonl", "{").with("empty.jsonl", "");
    let said = place.check(
        "score bad.jsonl -e tool-call-order",
        &[],
        2,
        &["error: no case could be read (exit code 2)"],
    );
    assert!(!said.stderr.contains("hold no case"), "{}", said.stderr);
    place.check(
        "score empty.jsonl -e tool-call-order",
        &[],
        2,
        &["  help: empty.jsonl is empty"],
    );
}

#[test]
fn file_of_another_kind_gets_a_short_error() {
    let text = "some text\n".repeat(40);
    let place = Place::new().with("README.md", text);
    let few = place.check("inspect README.md", &[], 2, &["… and 37 more like these"]);
    assert_eq!(few.stderr.matches("error: ").count(), 3, "{}", few.stderr);
    let all = place.check("inspect README.md --all", &[], 2, &["README.md:40"]);
    assert_eq!(all.stderr.matches("error: ").count(), 40, "{}", all.stderr);
}
