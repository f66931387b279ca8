//! Drafts for logs whose runs, order or calls are under unusual keys.

use super::{names, runs, values};
use crate::draft::{draft, draft_map};
use crate::format::Format;
use crate::options::Limits;

fn text(log: &str) -> String {
    draft("draft", &values("log.jsonl", log)).unwrap()
}

#[track_caller]
fn has_line(text: &str, line: &str) {
    assert!(text.lines().any(|it| it.trim() == line), "{line}\n{text}");
}

/// A call and its result, two in each of the runs `a` and `b`; `run` are the members that say the run.
fn events(run: impl Fn(&str, u8) -> String) -> String {
    let of_call = |(of_run, number): (&str, u8)| {
        let run = run(of_run, number);
        format!(
            "{{\"event\":\"tool_start\",{run},\"tool\":\"f{number}\",\"input\":{{\"k\":{number}}}}}\n\
             {{\"event\":\"tool_end\",{run},\"output\":\"o\"}}\n"
        )
    };
    [("a", 1), ("a", 2), ("b", 3), ("b", 4)]
        .map(of_call)
        .concat()
}

#[test]
fn an_id_of_each_call_is_no_run_if_another_key_groups_the_calls() {
    let log = events(|run, number| format!(r#""session_id":"{run}","run_id":"t{number}""#));
    assert_eq!(names(&log), [["f1", "f2"], ["f3", "f4"]]);
    has_line(
        &text(&log),
        "run: session_id  # check: run_id differs in each call: is that the run?",
    );
    let log = events(|run, number| format!(r#""run_id":"t{number}","root":"{run}""#));
    assert_eq!(names(&log), [["f1", "f2"], ["f3", "f4"]]);
}

#[test]
fn an_id_of_each_record_is_no_run_without_a_doubt() {
    // The records of a call and its result have different traces.
    let record = |ticket: u8, part: &str, members: &str| {
        format!(
            "{{\"ticket\":\"T{ticket}\",\"trace_id\":\"{ticket}{part}\",\"call_id\":\"c{ticket}\",{members}}}\n"
        )
    };
    let call = |ticket: u8| {
        let call = format!(r#""event":"call","tool":"f{ticket}","args":{{"k":1}}"#);
        record(ticket, "a", &call) + &record(ticket, "b", r#""event":"result","result":"o""#)
    };
    let log = call(1) + &call(2);
    assert_eq!(names(&log), [["f1"], ["f2"]]);
    let found = text(&log);
    has_line(&found, "run: ticket  # check: is it the id of the run?");
    has_line(&found, "id: call_id");
    // No other key says the run.
    let record = |number: u8| {
        format!(
            "{{\"user_id\":\"u{}\",\"trace_id\":\"t{number}\",\"tool\":\"f\",\"args\":{{\"k\":1}},\"result\":1}}\n",
            number / 2
        )
    };
    has_line(
        &text(&[0, 1, 2, 3].map(record).concat()),
        "run: trace_id  # check: it differs in each record: is it the id of the run?",
    );
    // What a call shares with its result alone may be its id.
    let pair = |number: u8| {
        format!(
            "{{\"nr\":\"n{number}\",\"event\":\"call\",\"tool\":\"f\",\"args\":{{\"k\":1}}}}\n\
             {{\"nr\":\"n{number}\",\"event\":\"result\",\"result\":1}}\n"
        )
    };
    let found = text(&[0, 1].map(pair).concat());
    assert!(found.contains("run: $file  # check"), "{found}");
}

#[test]
fn equal_values_of_an_unusual_key_are_a_run() {
    for key in ["sid", "sess", "request_id", "dialog", "ticket", "sim"] {
        let log = events(|run, _| format!(r#""level":"info","{key}":"{run}""#));
        assert_eq!(names(&log), [["f1", "f2"], ["f3", "f4"]], "{key}");
        has_line(
            &text(&log),
            &format!("run: {key}  # check: is it the id of the run?"),
        );
    }
    // Two records share the id, so it identifies neither.
    let part =
        |run: &str, part: &str| format!(r#"{{"session":"{run}","entry":{{"parts":[{part}]}}}}"#);
    let call = r#"{"call":{"name":"f","args":{"on":true}}}"#;
    let result = r#"{"ret":{"name":"f","output":"ok"}}"#;
    let log = ["a", "b"].map(|run| format!("{}\n{}\n", part(run, call), part(run, result)));
    has_line(&text(&log.concat()), "run: session");
    // Each record is a run.
    let line = |id: &str| format!(r#"{{{id}"steps":[{{"tool":"f","args":{{}},"output":1}}]}}"#);
    let log = format!("{}\n{}", line(r#""key":"a","#), line(r#""key":"b","#));
    has_line(&text(&log), "id: key  # check: is it the id of the run?");
    let log = format!("{}\n{}", line(""), line(""));
    assert!(text(&log).contains("\n# check: each record is a run;"));
}

#[test]
fn trials_and_unsorted_records_are_marked() {
    let line = |trial: u8| {
        format!(
            "{{\"case\":\"a\",\"trial\":{trial},\"tool\":\"f\",\"args\":{{\"p\":{trial}}},\"output\":1}}\n"
        )
    };
    has_line(
        &text(&format!("{}{}", line(1), line(2))),
        "run: case  # check: records with one id differ in trial: are they several runs?",
    );
    let log = "{\"run\":\"a\",\"n\":4,\"what\":\"got\",\"val\":\"two\"}\n\
        {\"run\":\"a\",\"n\":3,\"what\":\"use\",\"tool\":\"second\",\"args\":{\"z\":2}}\n\
        {\"run\":\"a\",\"n\":2,\"what\":\"got\",\"val\":\"one\"}\n\
        {\"run\":\"a\",\"n\":1,\"what\":\"use\",\"tool\":\"first\",\"args\":{\"z\":1}}\n";
    assert_eq!(names(log), [["first", "second"]]);
    let call = |start: u8, end: u8| {
        format!(
            "{{\"run\":\"a\",\"start_time\":\"2025-01-01T00:00:0{start}Z\",\"end_time\":\"2025-01-01T00:00:0{end}Z\",\"tool\":\"f{start}\",\"args\":{{}},\"output\":1}}\n"
        )
    };
    assert_eq!(
        names(&format!("{}{}", call(2, 3), call(1, 4))),
        [["f1", "f2"]]
    );
}

#[test]
fn numbered_keys_are_read_like_items() {
    let call = |tool: &str| format!(r#"{{"tool":"{tool}","args":{{"p":1}},"out":"x"}}"#);
    let log = format!(
        "{{\"id\":\"q1\",\"step_1\":{},\"step_2\":{}}}\n{{\"id\":\"q2\",\"step_1\":{},\"step_2\":{}}}\n",
        call("a"),
        call("b"),
        call("c"),
        call("d")
    );
    assert_eq!(names(&log), [["a", "b"], ["c", "d"]]);
    let log = format!(
        r#"{{"sess-1":{{"calls":[{}]}},"sess-2":{{"calls":[{}]}}}}"#,
        call("a"),
        call("b")
    );
    assert_eq!(names(&log), [["a"], ["b"]]);
    has_line(
        &text(&log),
        "id: $key  # check: is each key the id of a run?",
    );
}

#[test]
fn messages_in_records_are_read_in_their_runs() {
    let of_run = |run: &str, id: &str| {
        format!(
            r#"{{"thread_id":"{run}","payload":{{"role":"assistant","content":null,"tool_calls":[{{"id":"{id}","type":"function","function":{{"name":"f{id}","arguments":"{{}}"}}}}]}}}}
{{"thread_id":"{run}","payload":{{"role":"tool","tool_call_id":"{id}","content":"{id}"}}}}
"#
        )
    };
    let log = [of_run("a", "1"), of_run("a", "2"), of_run("b", "1")].concat();
    let text = text(&log);
    has_line(&text, "messages: payload");
    let format = Format::from_map("draft.yaml", &text).unwrap();
    let read = runs(format, "log.jsonl", &log).unwrap();
    let outputs = read.iter().map(|run| {
        let outputs = run.calls.iter().map(|call| call.output.clone().unwrap());
        (outputs.collect::<Vec<_>>(), run.report.orphans)
    });
    let output = |id: u8| format!(r#""{id}""#);
    assert_eq!(
        outputs.collect::<Vec<_>>(),
        [(vec![output(1), output(2)], 0), (vec![output(1)], 0)]
    );
}

#[test]
fn a_part_that_prevents_reading_the_sample_is_a_comment() {
    let call = |name: &str| format!(r#"{{"tool":"{name}","args":{{"k":1}},"output":1}}"#);
    for (log, line) in [
        // A result in no run.
        (
            "{\"session\":\"a\",\"type\":\"call\",\"id\":\"a1\",\"tool\":\"f\",\"args\":{\"v\":1}}\n\
             {\"type\":\"result\",\"id\":\"a1\",\"output\":\"o1\"}\n"
                .to_owned(),
            "# result:",
        ),
        (
            format!(
                "{{\"id\":\"S\",\"reference\":{},\"prediction\":{}}}\n",
                call("a"),
                call("b")
            ),
            "# expected: reference  # check: are these the expected calls?",
        ),
        (
            format!(
                r#"{{"days":[{{"sessions":[{{"id":"S1","events":[{}]}},{{"id":"S2","events":[{}]}}]}}]}}"#,
                call("a"),
                call("b")
            ),
            "records: days.sessions  # check: each item is a run",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let sample = folder.path().join("log.jsonl");
        std::fs::write(&sample, &log).unwrap();
        let map = draft_map(&sample, Limits::default()).unwrap();
        has_line(&map, line);
        let format = Format::from_map("draft.yaml", &map).unwrap();
        let read = runs(format, "log.jsonl", &log).unwrap_or_else(|| panic!("{map}"));
        assert!(read.iter().all(|run| run.calls.len() == 1), "{map}");
    }
}

#[test]
fn results_in_a_table_of_messages_are_found() {
    let table = r#"id,thread_id,role,content,tool_calls,tool_call_id
1,t1,user,Where is it?,,
2,t1,assistant,,"[{""id"":""c1"",""type"":""function"",""function"":{""name"":""find"",""arguments"":""{}""}}]",
3,t1,tool,shipped,,c1
4,t2,user,Send it.,,
5,t2,assistant,,"[{""id"":""c2"",""type"":""function"",""function"":{""name"":""send"",""arguments"":""{}""}}]",
6,t2,tool,sent,,c2
"#;
    // A cell with JSON is no content of a message.
    for (shipped, line) in [
        ("shipped", "messages: $item"),
        (r#""{""at"":""sea""}""#, "output: content"),
    ] {
        let log = table.replace("shipped", shipped);
        let text = draft("draft", &values("log.csv", &log)).unwrap();
        has_line(&text, line);
        let format = Format::from_map("draft.yaml", &text).unwrap();
        let runs = runs(format, "log.csv", &log).unwrap();
        let calls = runs.iter().flat_map(|run| &run.calls);
        let outputs: Vec<_> = calls.filter_map(|it| it.output.as_deref()).collect();
        assert_eq!(outputs.len(), 2, "{text}");
    }
}

#[test]
fn records_in_a_document_say_their_runs() {
    let record = |run: u8, tool: &str| {
        format!(r#"{{"session":"s{run}","tool":"{tool}","args":{{"k":1}},"result":1}}"#)
    };
    let records = [record(1, "find"), record(1, "pay"), record(2, "send")];
    let log = format!(r#"{{"service":"bot","log":[{}]}}"#, records.join(","));
    assert_eq!(names(&log), [vec!["find", "pay"], vec!["send"]]);
    let found = text(&log);
    has_line(&found, "records: log");
    // A document with the id of a run is one run.
    let log = log.replace("service", "run_id");
    assert_eq!(names(&log), [["find", "pay", "send"]]);
    has_line(&found, "run: session");
}
