//! Drafts for logs whose runs share an id, or have a finer one.

use super::values;
use crate::draft::draft;

/// The line of the draft that says the run.
fn run_of(log: &str) -> String {
    let text = draft("draft", &values("log.jsonl", log)).unwrap();
    let line = text.lines().find(|it| it.starts_with("run: "));
    line.unwrap_or(&text).to_owned()
}

/// Records with calls; each of these texts are the other members of one.
fn calls(members: &[&str]) -> String {
    let call = |(number, it): (usize, &&str)| {
        format!("{{{it},\"tool\":\"f{number}\",\"args\":{{\"k\":{number}}},\"result\":1}}\n")
    };
    members.iter().enumerate().map(call).collect()
}

#[test]
fn several_runs_of_one_case_are_marked() {
    for key in [
        "model",
        "variant",
        "temperature",
        "arm",
        "prompt_version",
        "flavor",
    ] {
        let log = calls(&[
            &format!(r#""case_id":"k1","{key}":"a""#),
            &format!(r#""case_id":"k1","{key}":"b""#),
            &format!(r#""case_id":"k1","{key}":"b""#),
            &format!(r#""case_id":"k2","{key}":"a""#),
            &format!(r#""case_id":"k2","{key}":"b""#),
        ]);
        let check = format!("records with one id differ in {key}: are they several runs?");
        assert_eq!(run_of(&log), format!("run: case_id  # check: {check}"));
    }
    // A number in each record counts the calls.
    let log = calls(
        &[1, 2, 3]
            .map(|it| format!(r#""case_id":"k","iteration":{it}"#))
            .each_ref()
            .map(String::as_str),
    );
    assert_eq!(run_of(&log), "run: case_id");
    // Each record holds a whole run.
    let line = |case: &str| {
        format!(
            "{{\"case_id\":\"{case}\",\"calls\":[{{\"tool\":\"f\",\"args\":{{}},\"result\":1}}]}}\n"
        )
    };
    assert_eq!(
        run_of(&(line("a") + &line("a") + &line("b"))),
        "run: case_id  # check: records have one id: is each of them a run?"
    );
}

#[test]
fn a_finer_key_than_that_of_the_run_is_marked() {
    for (key, finer) in [
        ("session_id", "conversation_id"),
        ("thread", "ticket"),
        ("job", "build_id"),
    ] {
        let log = calls(
            &["a1", "a1", "b2", "b2"]
                .map(|it| format!(r#""{key}":"x","{finer}":"{it}""#))
                .each_ref()
                .map(String::as_str),
        );
        let line = format!("run: {key}  # check: or is it {finer}? it has 2 values in 1 runs");
        assert_eq!(run_of(&log), line);
    }
    // What differs in each call, or is the same in all, is no run.
    let log = calls(&[
        r#""session_id":"x","span":"a1","app":"z1""#,
        r#""session_id":"x","span":"a2","app":"z1""#,
    ]);
    assert_eq!(run_of(&log), "run: session_id");
}

#[test]
fn ids_that_return_in_other_runs_are_marked() {
    let log = calls(&[
        r#""env":"e0","episode":0"#,
        r#""env":"e0","episode":1"#,
        r#""env":"e1","episode":0"#,
        r#""env":"e1","episode":1"#,
    ]);
    assert_eq!(
        run_of(&log),
        "run: episode  # check: or is it env? it has 2 values in 2 runs"
    );
    let log = calls(&[
        r#""thread":"pool-1-thread-1","ticket":"a""#,
        r#""thread":"pool-1-thread-2","ticket":"a""#,
        r#""thread":"pool-1-thread-1","ticket":"b""#,
        r#""thread":"pool-1-thread-2","ticket":"b""#,
    ]);
    assert_eq!(
        run_of(&log),
        "run: ticket  # check: is it the id of the run?"
    );
    // Runs that belong to other runs.
    let log = calls(&[
        r#""root_id":"r","run_id":"r""#,
        r#""root_id":"r","run_id":"s""#,
        r#""root_id":"r","run_id":"r""#,
    ]);
    assert_eq!(
        run_of(&log),
        "run: run_id  # check: root_id has the ids of other runs: are they one run?"
    );
}
