//! Unrecognized input is not scored: every command reports calls in unknown formats.

use super::Place;

/// A conversation with calls in blocks of an unknown type, and one without calls.
const UNKNOWN: &str = r#"{"id":"a","messages":[{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"tool_use_block","id":"c1","name":"find","input":{"id":7}}]}]}"#;
const PLAIN: &str = r#"{"id":"b","messages":[{"role":"user","content":"use {\"name\":\"find\",\"arguments\":{}}"},{"role":"assistant","content":"no"}],"tools":[{"type":"function","function":{"name":"find","parameters":{"type":"object","properties":{}}}}]}"#;
const KNOWN: &str = r#"{"id":"c","messages":[{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"find","input":{"id":7}}]}]}"#;
/// One call that is parsed, and in the next message one that is not.
const HALF: &str = r#"{"id":"d","messages":[{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"find","input":{"id":7}}]},{"role":"assistant","content":[{"type":"tool_use_block","id":"c2","name":"look","input":{}}]}]}"#;

fn place(runs: &[&str]) -> Place {
    let cases = ["a", "b", "c", "d"].map(|id| format!(r#"{{"id":"{id}","expected":[]}}"#));
    Place::with_cases(&cases).with("runs.jsonl", runs.join("\n") + "\n")
}

#[test]
fn run_with_unparsed_calls_is_an_error() {
    let place = place(&[KNOWN, UNKNOWN, PLAIN]);
    let told = [
        "runs.jsonl:2: expected calls in a form that is read, found no call, but `type: tool_use_block`, `name` with `input` at /content/0",
        "--read unread=note",
    ];
    place.check("inspect runs.jsonl", &[], 2, &told);
    place.check("convert runs.jsonl -o out.jsonl", &[], 2, &told);
    assert_eq!(place.read("out.jsonl").lines().count(), 2);
    place.check("record runs.jsonl -o recorded.jsonl", &[], 2, &told);
    let said = place.check(
        "score cases.jsonl --traces runs.jsonl -e deepeval/tool-correctness --format jsonl",
        &[],
        2,
        &told,
    );
    let of_a: Vec<_> = said
        .stdout
        .lines()
        .filter(|line| line.contains(r#""case":"a""#))
        .collect();
    assert!(
        of_a.len() == 1 && of_a[0].contains("not_applicable"),
        "{}",
        said.stdout
    );
}

#[test]
fn object_without_a_role_among_messages_makes_a_run_incomplete() {
    for item in [
        r#"{"command":"rm -rf /"}"#,
        r#"{"name":"delete_all","content":"ok"}"#,
        r#"{"action":"delete_all","action_input":{"x":1}}"#,
    ] {
        let [user, call, last] = [
            r#"{"role":"user","content":"q"}"#,
            r#"{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"find","arguments":"{}"}}]}"#,
            r#"{"role":"assistant","content":"bye"}"#,
        ];
        for messages in [
            [item, user, call, last],
            [user, call, item, last],
            [user, call, last, item],
        ] {
            let case = format!(r#"{{"id":"a","actual":[{}]}}"#, messages.join(","));
            let line = "score cases.jsonl -e constraints,forbidden=delete_all";
            let said = Place::with_cases(&[case]).run(line, &[]);
            assert!(!said.stdout.contains("100.0 %"), "{item}\n{}", said.stdout);
        }
    }
}

#[test]
fn call_like_text_can_be_ignored_on_request() {
    let place = place(&[KNOWN, UNKNOWN, PLAIN]);
    let said = place.check(
        "inspect runs.jsonl --read unread=note --format json",
        &[],
        0,
        &["warning", "tool_use_block"],
    );
    assert!(
        said.stdout.contains(r#""trajectories":3,"calls":1"#)
            && said.stdout.contains(r#""unread":1"#),
        "{}",
        said.stdout
    );
}

#[test]
fn partly_unparsed_calls_are_counted_and_reported_by_every_command() {
    let told = [
        "warning",
        "1 thing looks like a call and was not read: `type: tool_use_block`, `name` with `input`, first at /content/0 in part 2 of the trajectory, which begins on line 1",
    ];
    for line in [
        "inspect runs.jsonl",
        "convert runs.jsonl -o out.jsonl",
        "record runs.jsonl -o recorded.jsonl",
        "score cases.jsonl --traces runs.jsonl -e uipath/tool-call-count",
        "score runs.jsonl -e uipath/tool-call-count -q",
    ] {
        let said = place(&[HALF]).run(line, &[]);
        for message in told {
            assert!(said.stderr.contains(message), "{line}\n{}", said.stderr);
        }
    }
}

#[test]
fn call_without_a_name_is_an_error() {
    let nameless = KNOWN.replace(r#""name":"find""#, r#""name":"""#);
    place(&[KNOWN, &nameless]).check(
        "inspect runs.jsonl",
        &[],
        2,
        &["runs.jsonl:2: expected the name of a tool in each call, found none in call 1 of 1"],
    );
}

#[test]
fn conversations_without_calls_cause_no_warning() {
    let said = place(&[KNOWN, PLAIN]).check("inspect runs.jsonl", &[], 0, &[]);
    assert!(
        said.stderr.is_empty() && said.stdout.contains("2 trajectories, 1 call"),
        "{}{}",
        said.stdout,
        said.stderr
    );
}

/// A cassette with a header that only the program that wrote it can decode.
const CASSETTE: &str = r#"interactions:
- request:
    body: '{"messages": [{"role": "user", "content": [{"text": "q"}]}]}'
    headers: {accept: [!!binary YQ==], via: !!python/tuple [b], from: !!python/tuple [c]}
    uri: https://bedrock.example.com/model/x/converse
  response:
    body:
      string: '{"output":{"message":{"role":"assistant","content":[{"toolUse":{"toolUseId":"t1","name":"lookup","input":{"key":"a"}}}]}},"stopReason":"tool_use"}'
version: 1
"#;

#[test]
fn ignored_tags_of_other_formats_are_counted_in_one_note() {
    let place = Place::with_cases(&[r#"{"id":"c","expected":["lookup"]}"#.to_owned()])
        .with("tape.yaml", CASSETTE)
        .with("tagged.yaml", "- id: !!python/tuple [c]\n");
    let told = ["2 values with the YAML tag `!!python/tuple` read without it"];
    for command in [
        "inspect tape.yaml",
        "score tape.yaml -e constraints,max_calls=1 --format jsonl",
        "convert tape.yaml -o out.jsonl",
    ] {
        let said = place.check(command, &[], 0, &told);
        assert_eq!(said.stderr.matches("YAML tag").count(), 1, "{command}");
    }
    let json = place.check("inspect tape.yaml --format json", &[], 0, &[]);
    assert!(json.stdout.contains(told[0]), "{}", json.stdout);
    place.check(
        "score tagged.yaml -e trajectory",
        &[],
        2,
        &[
            "tagged.yaml:1: expected no tag, or one of `!!str`",
            "found the tag `!!python/tuple`",
        ],
    );
}
