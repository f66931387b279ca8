//! Drafts for logs that say who speaks.

use super::{Shown, runs, shown, values};
use crate::draft::draft;
use crate::format::Format;

/// The draft for lines of JSON, and the calls that it reads.
fn drafted(lines: &[&str]) -> (String, Vec<Shown>) {
    let log = lines.join("\n");
    let text = draft("draft", &values("log.jsonl", &log)).unwrap();
    let format = Format::from_map("draft.yaml", &text).unwrap();
    let runs = runs(format, "log.jsonl", &log).unwrap_or_else(|| panic!("{text}"));
    let calls = runs.iter().flat_map(shown).collect();
    (text, calls)
}

fn outputs(calls: &[Shown]) -> Vec<&str> {
    calls.iter().filter_map(|call| call.2.as_deref()).collect()
}

#[test]
fn any_key_that_says_who_speaks_tells_results_from_other_messages() {
    for key in ["role", "speaker", "from", "author", "who", "event", "kind"] {
        let log = r#"{"session":"s","KEY":"user","text":"Where is it?"}
{"session":"s","KEY":"assistant","id":"c1","tool":"find","args":{"id":7}}
{"session":"s","KEY":"tool","id":"c1","output":{"status":"shipped"}}
{"session":"s","KEY":"assistant","id":"c2","tool":"send","args":{"to":"ada"}}
{"session":"s","KEY":"tool","id":"c2","output":"sent"}
{"session":"s","KEY":"assistant","text":"It is on its way."}"#
            .replace("KEY", key);
        let (text, calls) = drafted(&log.lines().collect::<Vec<_>>());
        assert_eq!(
            outputs(&calls),
            [r#"{"status":"shipped"}"#, r#""sent""#],
            "{text}"
        );
        assert!(!text.contains("# check"), "{text}");
        // Results may repeat the name of the tool.
        let log = r#"{"session":"s","KEY":"call","name":"find","args":{"id":7}}
{"session":"s","KEY":"return","name":"find","result":"shipped"}
{"session":"s","KEY":"call","name":"send","args":{"to":"ada"}}
{"session":"s","KEY":"return","name":"send","result":"sent"}"#
            .replace("KEY", key);
        let (text, calls) = drafted(&log.lines().collect::<Vec<_>>());
        assert_eq!(outputs(&calls), [r#""shipped""#, r#""sent""#], "{text}");
        // Messages in a list.
        let log = r#"{"id":"s","dialog":[{"KEY":"user","content":"Where is it?"},{"KEY":"assistant","content":"","calls":[{"fn":"find","kwargs":{},"uid":"c1"},{"fn":"send","kwargs":{},"uid":"c2"}]},{"KEY":"function","uid":"c1","content":"shipped"},{"KEY":"function","uid":"c2","content":"sent"}]}"#
            .replace("KEY", key);
        let (text, calls) = drafted(&[&log]);
        assert_eq!(outputs(&calls), [r#""shipped""#, r#""sent""#], "{text}");
        assert!(
            text.contains(&format!("where: {{{key}: function}}\n")),
            "{text}"
        );
    }
}

#[test]
fn what_the_model_said_beside_a_call_is_no_output() {
    for (said, output) in [
        ("content", "content"),
        ("content", "result"),
        ("text", "text"),
        ("message", "output"),
    ] {
        let log = r#"{"session":"s","type":"user","SAID":"Where is it?"}
{"session":"s","type":"assistant","SAID":"let me see","tool":"find","args":{"id":7}}
{"session":"s","type":"tool","OUTPUT":"shipped"}
{"session":"s","type":"assistant","SAID":"and tell her","tool":"send","args":{"to":"ada"}}
{"session":"s","type":"tool","OUTPUT":"sent"}"#
            .replace("SAID", said)
            .replace("OUTPUT", output);
        let (text, calls) = drafted(&log.lines().collect::<Vec<_>>());
        assert_eq!(outputs(&calls), [r#""shipped""#, r#""sent""#], "{text}");
        let mut lines = text.lines();
        let output = lines.find(|line| line.starts_with("  output:"));
        assert!(output.is_some_and(|it| it.contains("# check")), "{text}");
    }
    // The same key may hold the output.
    let (text, calls) = drafted(&[
        r#"{"session":"s","type":"user","content":"Where is it?"}"#,
        r#"{"session":"s","type":"tool","tool":"find","args":{"id":7},"content":"shipped"}"#,
        r#"{"session":"s","type":"tool","tool":"send","args":{"to":"ada"},"content":"sent"}"#,
    ]);
    assert_eq!(outputs(&calls), [r#""shipped""#, r#""sent""#], "{text}");
    assert!(
        text.contains("output: content  # check: is it the output, or what was said?\n"),
        "{text}"
    );
}

#[test]
fn a_kind_that_calls_have_too_is_no_sign_of_a_result() {
    let (text, calls) = drafted(&[
        r#"{"session":"s","type":"message","role":"assistant","id":"c1","tool":"find","args":{"id":7}}"#,
        r#"{"session":"s","type":"message","role":"tool","id":"c1","output":"shipped"}"#,
        r#"{"session":"s","type":"message","role":"assistant","id":"c2","tool":"send","args":{"to":"ada"}}"#,
        r#"{"session":"s","type":"message","role":"tool","id":"c2","output":"sent"}"#,
        r#"{"session":"s","type":"message","role":"assistant","text":"It is on its way."}"#,
    ]);
    assert_eq!(outputs(&calls), [r#""shipped""#, r#""sent""#], "{text}");
    assert!(text.contains("when: {role: tool}\n"), "{text}");
}

#[test]
fn messages_of_several_runs_are_told_apart() {
    let log = r#"{"thread_id":"a","role":"user","content":"Where is it?"}
{"thread_id":"a","role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"find","arguments":"{}"}}]}
{"thread_id":"a","role":"tool","tool_call_id":"c","content":"shipped"}
{"thread_id":"b","role":"user","content":"Cancel it."}
{"thread_id":"b","role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"cancel","arguments":"{}"}}]}
{"thread_id":"b","role":"tool","tool_call_id":"c","content":"done"}"#;
    let (text, calls) = drafted(&log.lines().collect::<Vec<_>>());
    assert_eq!(text, "map: draft\nrun: thread_id\nmessages: $item\n");
    assert_eq!(outputs(&calls), [r#""shipped""#, r#""done""#]);
}
