//! Drafts for logs with outputs that are objects, objects next to calls, and lists of lists.

use super::{Shown, runs, shown, values};
use crate::draft::draft;
use crate::format::Format;

/// The draft for a log, and the calls that it reads in each run.
fn drafted(name: &str, log: &str) -> (String, Vec<Vec<Shown>>) {
    let text = draft("draft", &values(name, log)).unwrap();
    let format = Format::from_map("draft.yaml", &text).unwrap();
    let runs = runs(format, name, log).unwrap_or_else(|| panic!("{text}"));
    let calls = runs.iter().map(shown).collect();
    (text, calls)
}

#[track_caller]
fn has_line(text: &str, line: &str) {
    assert!(text.lines().any(|it| it.trim() == line), "{line}\n{text}");
}

fn outputs(runs: &[Vec<Shown>]) -> Vec<Option<&str>> {
    let calls = runs.iter().flatten();
    calls.map(|call| call.2.as_deref()).collect()
}

#[test]
fn an_output_may_be_an_object_whatever_key_says_the_kind() {
    for kind in ["msg", "message", "@mt", "status", "label", "kind"] {
        for output in ["output", "value", "telemetry"] {
            let record = |says: &str, members: &str| {
                format!("{{\"{kind}\":\"{says}\",\"run_id\":\"r\",{members}}}\n")
            };
            let pair = |number: u8| {
                let call = format!(r#""tool":"find","args":{{"q":{number}}},"id":"c{number}""#);
                let result = format!(r#""id":"c{number}","{output}":{{"n":{number}}}"#);
                record("tool call", &call) + &record("tool result", &result)
            };
            let log = record("run started", r#""prompt":"hi there""#)
                + &pair(1)
                + &pair(2)
                + &record("run finished", r#""answer":"ok""#);
            let (text, runs) = drafted("log.jsonl", &log);
            let found = outputs(&runs);
            assert_eq!(found, [Some(r#"{"n":1}"#), Some(r#"{"n":2}"#)], "{text}");
        }
    }
}

#[test]
fn an_object_next_to_a_call_is_no_result_of_it() {
    let line = |number: u8| {
        format!(
            "{{\"session\":\"s\",\"span_id\":\"p{number}\",\"attrs\":{{\"tool\":\"find\",\"input\":{{\"q\":{number}}},\"output\":\"o{number}\"}},\"status\":{{\"code\":\"OK\"}}}}\n"
        )
    };
    let (text, runs) = drafted("log.jsonl", &[1, 2, 3].map(line).concat());
    let wanted = [Some(r#""o1""#), Some(r#""o2""#), Some(r#""o3""#)];
    assert_eq!(outputs(&runs), wanted, "{text}");
    assert!(!text.contains("result:"), "{text}");
    // The results are in records of their own.
    let pair = |number: u8| {
        let record = |part: &str, members: &str| {
            format!(
                "{{\"insertId\":\"i{number}{part}\",\"payload\":{{\"session\":\"s\",\"call_id\":\"c{number}\",{members}}},\"resource\":{{\"labels\":{{\"service_name\":\"agent\"}}}}}}\n"
            )
        };
        let call = r#""event":"call","function":"find","args":{"q":1}"#;
        let result = format!(r#""event":"response","response":"o{number}""#);
        record("a", call) + &record("b", &result)
    };
    let (text, runs) = drafted("log.jsonl", &[1, 2, 3].map(pair).concat());
    assert_eq!(outputs(&runs), wanted, "{text}");
    has_line(&text, "id: call_id");
    assert!(!text.contains("insertId"), "{text}");
}

#[test]
fn lists_of_one_length_are_read_by_place() {
    let log = r#"{"run":"r","intermediate_steps":[[{"tool":"find","tool_input":{"q":1},"log":"so"},"found"],[{"tool":"send","tool_input":{"to":"x"},"log":"now"},"sent"]]}
{"run":"s","intermediate_steps":[[{"tool":"find","tool_input":{"q":2},"log":"so"},"none"]]}
"#;
    let (text, runs) = drafted("log.jsonl", log);
    let wanted = [Some(r#""found""#), Some(r#""sent""#), Some(r#""none""#)];
    assert_eq!(outputs(&runs), wanted, "{text}");
    for line in [
        "at: intermediate_steps",
        "name: '[0].tool'",
        "args: '[0].tool_input'",
        "output: '[1]'  # check: is it the output?",
    ] {
        has_line(&text, line);
    }
    // A line is JSON in a text, next to its time.
    let stream = |session: &str, tool: &str| {
        format!(
            r#"{{"stream":{{"session":"{session}"}},"values":[["1764500000360097536","{{\"tool\":\"{tool}\",\"args\":{{\"q\":1}},\"result\":\"a\"}}"]]}}"#
        )
    };
    let streams = [stream("s1", "find"), stream("s2", "send")].join(",");
    let (text, runs) = drafted(
        "log.json",
        &format!(r#"{{"data":{{"result":[{streams}]}}}}"#),
    );
    let names: Vec<_> = runs.iter().flatten().map(|call| call.0.as_str()).collect();
    assert_eq!((runs.len(), names), (2, vec!["find", "send"]), "{text}");
    has_line(&text, "name: '[1].tool'");
    assert!(text.contains("records: data.result"), "{text}");
}

#[test]
fn ids_and_constants_are_no_names_and_names_are_no_runs() {
    let record = |token: &str, members: &str| {
        format!("{{\"session\":\"s\",\"type\":\"{members}}}\n").replace("TOKEN", token)
    };
    let pair = |token: &str, tool: &str| {
        record(
            token,
            &format!(r#"invoke","token":"TOKEN","capability":"{tool}","inputs":{{"q":1}}"#),
        ) + &record(token, r#"yield","token":"TOKEN","outputs":{"n":3}"#)
    };
    let (text, runs) = drafted("log.jsonl", &(pair("c1", "find") + &pair("c2", "send")));
    let names = |runs: &[Vec<Shown>]| {
        let calls = runs.iter().flatten();
        calls.map(|call| call.0.clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(&runs), ["find", "send"], "{text}");
    // The user agent is the same in all calls.
    let line = |tool: &str, args: &str| {
        format!(
            "{{\"eventName\":\"{tool}\",\"userAgent\":\"agent\",\"requestParameters\":{{{args}}},\"sessionId\":\"s\"}}\n"
        )
    };
    let log = line("find", r#""q":1"#) + &line("send", r#""to":"x""#) + &line("find", r#""q":4"#);
    let (text, runs) = drafted("log.jsonl", &log);
    assert_eq!(names(&runs), ["find", "send", "find"], "{text}");
    // The name of a tool groups its calls, as an id of a run does.
    let line = |call: &str, tool: &str| {
        format!(
            "{{\"call_id\":\"{call}\",\"event\":\"function_call\",\"function\":{{\"name\":\"{tool}\",\"arguments\":{{\"q\":1}}}}}}\n"
        )
    };
    let log = line("a", "find") + &line("a", "find") + &line("b", "send");
    let (text, _) = drafted("log.jsonl", &log);
    assert!(!text.contains("run: function.name"), "{text}");
}

#[test]
fn the_last_state_of_a_call_is_the_call() {
    let line = |id: u8, state: &str, output: &str| {
        format!(
            "{{\"run\":\"r\",\"call_id\":\"c{id}\",\"tool\":\"find\",\"args\":{{\"q\":{id}}},\"status\":\"{state}\"{output}}}\n"
        )
    };
    let call = |id: u8, end: &str| {
        line(id, "pending", "") + &line(id, "running", "") + &line(id, end, r#","result":"o""#)
    };
    let log = call(1, "completed") + &call(2, "failed");
    let (text, runs) = drafted("log.jsonl", &log);
    let failed: Vec<_> = runs.iter().flatten().map(|call| call.3).collect();
    assert_eq!(failed, [false, true], "{text}");
    has_line(
        &text,
        "when: {status: [completed, failed]}  # check: this leaves out pending, running",
    );
    // Without an id, the calls may be made again.
    let (text, runs) = drafted("log.jsonl", &log.replace("call_id", "nr"));
    assert_eq!(runs[0].len(), 6, "{text}");
}

#[test]
fn who_approved_a_call_is_no_output() {
    let line = |event: &str, members: &str| {
        format!("{{\"run\":\"r\",\"event\":\"{event}\",\"id\":\"c1\",{members}}}\n")
    };
    let log = line("tool_requested", r#""tool":"pay","args":{"n":1}"#)
        + &line("tool_approved", r#""by":"ada""#)
        + &line("tool_finished", r#""result":"paid""#);
    let (text, runs) = drafted("log.jsonl", &log);
    assert_eq!(outputs(&runs), [Some(r#""paid""#)], "{text}");
}
