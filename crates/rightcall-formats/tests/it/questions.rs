//! The user's question is kept for reports and recordings, whatever the format calls it.

#![expect(clippy::unwrap_used, reason = "what cannot be read ends the test")]

use std::io::Write as _;

use rightcall_formats::{Input, Limits, ReadOptions};

use crate::with_whole_input;

/// The question of the first trajectory, as JSON.
fn question(format: &str, text: &str) -> Option<String> {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    let mut input = Input::open(file.path(), Limits::default(), &ReadOptions::default()).unwrap();
    assert_eq!(input.format().unwrap().unwrap().name, format, "{text}");
    with_whole_input(input, &ReadOptions::default(), |input| {
        let case = input.cases[0].as_ref().unwrap();
        case.input.map(ToOwned::to_owned)
    })
}

#[test]
fn the_first_thing_that_a_user_says_is_the_question() {
    let call = r#"{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"find","arguments":"{}"}}]}"#;
    let asked = r#"{"role":"user","content":"q"}"#;
    let later = r#"{"role":"user","content":"later"}"#;
    for (format, text) in [
        (
            "tau-bench",
            format!(r#"[{{"task_id":0,"trial":0,"reward":1.0,"info":{{"task":{{"actions":[]}}}},"traj":[{{"role":"system","content":"s"}},{asked},{call},{later}]}}]"#),
        ),
        (
            "mini-swe-agent",
            format!(r#"{{"trajectory_format":"mini-swe-agent-1.1","messages":[{asked},{call}]}}"#),
        ),
        (
            "adk-sessions",
            r#"{"id":"s","app_name":"a","user_id":"u","events":[{"author":"user","invocation_id":"i","content":{"role":"user","parts":[{"text":"q"}]}},{"author":"root","invocation_id":"i","content":{"role":"model","parts":[{"functionCall":{"id":"a","name":"find","args":{}}}]}},{"author":"root","invocation_id":"i","content":{"role":"user","parts":[{"functionResponse":{"id":"a","name":"find","response":{}}}]}}]}"#.to_owned(),
        ),
        (
            "codex",
            r#"{"timestamp":"2025-01-01T00:00:00Z","type":"session_meta","payload":{"id":"s"}}
{"timestamp":"2025-01-01T00:00:01Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>"}]}}
{"timestamp":"2025-01-01T00:00:01Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"q"}]}}
{"timestamp":"2025-01-01T00:00:01Z","type":"response_item","payload":{"type":"function_call","call_id":"c","name":"find","arguments":"{}"}}
"#.to_owned(),
        ),
        (
            "recordings",
            format!(r#"{{"request":{{"messages":[{asked},{call},{later}]}},"response":{{"choices":[{{"message":{call}}}]}}}}"#),
        ),
        (
            "recordings",
            format!(r#"{{"request_id":"r","request_body":{{"messages":[{asked}]}},"response_body":{{"object":"chat.completion","choices":[{{"message":{call}}}]}},"response_status":200}}"#),
        ),
    ] {
        assert_eq!(question(format, &text).as_deref(), Some("\"q\""), "{text}");
    }
}
