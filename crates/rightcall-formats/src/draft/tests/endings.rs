//! Drafts for logs that write errors, refusals and results in unusual ways.

use super::{Shown, runs, shown, values};
use crate::draft::draft;
use crate::format::Format;

/// The draft for a log, and the calls that it reads.
fn drafted(name: &str, log: &str) -> (String, Vec<Shown>) {
    let text = draft("draft", &values(name, log)).unwrap();
    let format = Format::from_map("draft.yaml", &text).unwrap();
    let runs = runs(format, name, log).unwrap_or_else(|| panic!("{text}"));
    let calls = runs.iter().flat_map(shown).collect();
    (text, calls)
}

#[track_caller]
fn has_line(text: &str, line: &str) {
    assert!(text.lines().any(|it| it.trim() == line), "{line}\n{text}");
}

/// Two calls, each with these members.
fn two(members: [&str; 2]) -> String {
    let line = |(number, members)| {
        format!("{{\"run\":\"r\",\"tool\":\"f\",\"args\":{{\"i\":{number}}},{members}}}\n")
    };
    members.into_iter().enumerate().map(line).collect()
}

#[test]
fn values_that_say_no_error_are_no_failures() {
    for (no_error, line) in [
        (r#""none""#, "failed: {error: {not: [non?, none]}}"),
        ("0", "failed: {error: {not: [0, none]}}"),
        (r#""N/A""#, "failed: {error: {not: [N/A, none]}}"),
    ] {
        let log = two([
            &format!(r#""result":"x","error":{no_error}"#),
            r#""result":null,"error":"disk full""#,
        ]);
        let (text, calls) = drafted("log.jsonl", &log);
        assert_eq!((calls[0].3, calls[1].3), (false, true), "{text}");
        has_line(
            &text,
            &format!("{line}  # check: does any other value mean a failure?"),
        );
    }
    let (text, calls) = drafted(
        "log.jsonl",
        &two([r#""errors":[]"#, r#""errors":["late"]"#]),
    );
    assert_eq!((calls[0].3, calls[1].3), (false, true), "{text}");
    has_line(
        &text,
        "error: 'errors[0]'  # check: is an empty list no error?",
    );
    // An error in each call may be something else.
    let (text, _) = drafted(
        "log.jsonl",
        &two([r#""e":"a","out":1"#, r#""e":"b","out":2"#]),
    );
    has_line(
        &text,
        "error: e  # check: every call has one: did all of them fail?",
    );
}

#[test]
fn a_short_key_that_tells_calls_from_results_is_no_error() {
    let (text, calls) = drafted(
        "log.jsonl",
        "{\"run\":\"a\",\"e\":\"act\",\"tool\":\"look\",\"args\":{\"dir\":1}}\n\
         {\"run\":\"a\",\"e\":\"obs\",\"text\":\"wall\"}\n\
         {\"run\":\"b\",\"e\":\"act\",\"tool\":\"go\",\"args\":{\"dir\":2}}\n\
         {\"run\":\"b\",\"e\":\"obs\",\"text\":\"hall\"}\n",
    );
    let ends: Vec<_> = calls.iter().map(|it| (it.2.as_deref(), it.3)).collect();
    assert_eq!(
        ends,
        [(Some(r#""wall""#), false), (Some(r#""hall""#), false)],
        "{text}"
    );
}

#[test]
fn failures_are_found_in_texts_and_numbers() {
    for (good, bad, line) in [
        ("success,True", "False", "failed: {success: 'False'}"),
        ("success,TRUE", "FALSE", "failed: {success: 'FALSE'}"),
        ("success,1", "0", "failed: {success: 0}"),
        ("passed,yes", "no", "failed: {passed: no}"),
        ("timed_out,no", "yes", "failed: {timed_out: yes}"),
        ("status,ok", "ko", "failed: {status: ko}"),
        (
            "rc,0",
            "3",
            "failed: {rc: {not: [0, none]}}  # check: does any other code mean a failure?",
        ),
    ] {
        let (key, good) = good.split_once(',').unwrap();
        let log = format!(
            "run,tool,args,output,{key}\na,load,\"{{\"\"p\"\": 1}}\",x,{good}\na,save,\"{{\"\"p\"\": 2}}\",y,{bad}\n"
        );
        let (text, calls) = drafted("log.csv", &log);
        assert_eq!((calls[0].3, calls[1].3), (false, true), "{text}");
        has_line(&text, line);
    }
    // No call of the sample failed.
    let log =
        "run,tool,args,output,ok\na,f,\"{\"\"p\"\": 1}\",x,True\na,f,\"{\"\"p\"\": 2}\",y,True\n";
    has_line(
        &drafted("log.csv", log).0,
        "failed: {ok: {not: ['True', none]}}",
    );
    // A record of an error.
    let (text, calls) = drafted(
        "log.jsonl",
        "{\"run\":\"a\",\"event\":\"tool.called\",\"tool\":\"load\",\"params\":{\"p\":1}}\n\
         {\"run\":\"a\",\"event\":\"tool_raised\",\"tool\":\"load\",\"why\":\"KeyError\"}\n\
         {\"run\":\"a\",\"event\":\"tool.called\",\"tool\":\"save\",\"params\":{\"p\":1}}\n\
         {\"run\":\"a\",\"event\":\"tool_returned\",\"tool\":\"save\",\"value\":\"ok\"}\n",
    );
    assert_eq!((calls[0].3, calls[1].3), (true, false), "{text}");
}

#[test]
fn refused_calls_are_marked_as_not_made() {
    for (made, not_made, line) in [
        (
            r#""approved":true"#,
            r#""approved":false"#,
            "approved: false",
        ),
        (
            r#""executed":true"#,
            r#""executed":false"#,
            "executed: false",
        ),
        (
            r#""simulated":false"#,
            r#""simulated":true"#,
            "simulated: true",
        ),
        (r#""dry_run":false"#, r#""dry_run":true"#, "dry_run: true"),
        (
            r#""decision":"allow""#,
            r#""decision":"deny""#,
            "decision: deny",
        ),
        (
            r#""permission":"granted""#,
            r#""permission":"denied""#,
            "permission: denied",
        ),
        (
            r#""status":"done""#,
            r#""status":"pending""#,
            "status: pending",
        ),
    ] {
        let log = two([
            &format!(r#""result":"x",{made}"#),
            &format!(r#""result":null,{not_made}"#),
        ]);
        let (text, calls) = drafted("log.jsonl", &log);
        assert_eq!(calls.len(), 2, "{text}");
        has_line(
            &text,
            &format!("not_run: {{{line}}}  # check: were such calls never made?"),
        );
    }
}

#[test]
fn doubtful_and_missing_outputs_are_marked() {
    // Arguments and results are under one key.
    let log = "session_id,type,name,content\n\
        s1,tool_call,book,\"{\"\"id\"\": 1}\"\ns1,tool_result,book,booked\n\
        s2,tool_call,cancel,\"{\"\"id\"\": 2}\"\ns2,tool_result,cancel,no such id\n";
    let (text, calls) = drafted("log.csv", log);
    has_line(&text, "args: content  # check: are these the arguments?");
    let ends: Vec<_> = calls.iter().map(|it| it.2.as_deref()).collect();
    assert_eq!(
        ends,
        [Some(r#""booked""#), Some(r#""no such id""#)],
        "{text}"
    );
    // Only the first of several results is read.
    let result = |output: &str| {
        format!("{{\"run\":\"a\",\"type\":\"result\",\"id\":\"1\",\"output\":\"{output}\"}}\n")
    };
    let call = "{\"run\":\"a\",\"type\":\"call\",\"id\":\"1\",\"tool\":\"f\",\"args\":{\"p\":1}}\n";
    let log = format!("{call}{}{}", result("Os"), result("Oslo"));
    has_line(
        &drafted("log.jsonl", &log).0,
        "output: output  # check: some calls have several results: is the first one right?",
    );
    // An unusual key, or none.
    let (text, calls) = drafted("log.jsonl", &two([r#""gave":1"#, r#""gave":2"#]));
    has_line(&text, "output: gave  # check: is it the output?");
    assert_eq!(calls[1].2.as_deref(), Some("2"));
    let (text, _) = drafted("log.jsonl", &two([r#""left":1,"right":2"#, r#""left":1"#]));
    assert!(
        text.contains("# check: nothing looks like an output;"),
        "{text}"
    );
}

#[test]
fn an_error_under_an_unusual_key_stands_where_there_is_no_output() {
    for (key, is_sure) in [
        ("tool_error", true),
        ("functionError", true),
        ("last_error", true),
        ("message", false),
        ("error_type", false),
        ("@x", false),
    ] {
        let failed = format!(r#""{key}":"mailbox full""#);
        let null = format!(r#""{key}":null"#);
        let check = if is_sure {
            ""
        } else {
            "  # check: it stands where there is no output: is it the error?"
        };
        let key = if key.starts_with('@') {
            format!("'{key}'")
        } else {
            key.to_owned()
        };
        let line = format!("error: {key}{check}");
        // In the calls, with nulls and without.
        for log in [
            two([
                &format!(r#""result":"shipped",{null}"#),
                &format!(r#""result":null,{failed}"#),
            ]),
            two([r#""result":"shipped""#, &failed]),
        ] {
            let (text, calls) = drafted("log.jsonl", &log);
            has_line(&text, &line);
            assert_eq!((calls[0].3, calls[1].3), (false, true), "{text}");
        }
        // In records of their own.
        let call = |id: u8| {
            format!(r#"{{"run":"r","event":"call","id":"c{id}","tool":"f","args":{{"i":{id}}}}}"#)
        };
        let result =
            |id: u8, end: &str| format!(r#"{{"run":"r","event":"result","id":"c{id}",{end}}}"#);
        let log = [
            call(1),
            result(1, r#""result":"shipped""#),
            call(2),
            result(2, &failed),
        ];
        let (text, calls) = drafted("log.jsonl", &log.join("\n"));
        has_line(&text, &line);
        assert_eq!((calls[0].3, calls[1].3), (false, true), "{text}");
    }
}

#[test]
fn the_reason_of_a_failure_is_found_beside_its_state() {
    // Each call has a message.
    let log = two([
        r#""ok":true,"message":"fine","data":3"#,
        r#""ok":false,"message":"disk full","data":null"#,
    ]);
    let (text, calls) = drafted("log.jsonl", &log);
    has_line(
        &text,
        "output: data | message  # check: does `message` say why a call failed?",
    );
    assert_eq!(calls[1].2.as_deref(), Some(r#""disk full""#));
    // The kind of a record says that the call failed.
    let log = r#"{"run":"r","type":"call","id":"1","tool":"f","args":{"i":1}}
{"run":"r","type":"ok","id":"1","value":3}
{"run":"r","type":"call","id":"2","tool":"f","args":{"i":2}}
{"run":"r","type":"exception","id":"2","class":"IOError","text":"disk full"}"#;
    let (text, calls) = drafted("log.jsonl", log);
    has_line(&text, "error: text  # check: is it the error?");
    assert_eq!((calls[0].3, calls[1].3), (false, true), "{text}");
}

#[test]
fn calls_that_lack_an_output_are_marked() {
    let log = two([
        r#""result":"x","note":"first""#,
        r#""result":null,"note":"second""#,
    ]);
    has_line(
        &drafted("log.jsonl", &log).0,
        "output: result  # check: 1 of 2 have none: did they fail?",
    );
    // Results with an id and nothing else.
    let log = r#"{"run":"r","type":"call","id":"1","tool":"f","args":{"i":1}}
{"run":"r","type":"ack","id":"1","a1":3,"a2":4}"#;
    let text = drafted("log.jsonl", log).0;
    assert!(
        text.contains("# check: nothing looks like an output; `output` is the path to it\n"),
        "{text}"
    );
}

#[test]
fn an_observation_from_before_the_call_is_marked() {
    let check = "# check: is it from before the call? then the next one is the output";
    let log = r#"{"episode":"e","steps":[{"observation":"the shop","action":{"tool":"find","args":{"id":7}}},{"observation":"shipped","action":{"tool":"send","args":{"to":"ada"}}},{"observation":"sent","action":null}]}"#;
    let text = drafted("log.jsonl", log).0;
    has_line(&text, &format!("output: ^observation  {check}"));
    // The last step makes no call.
    let log = r#"{"episode":"e","steps":[{"action":{"tool":"find","args":{"id":7}},"obs":"the shop"},{"action":null,"obs":"shipped"}]}"#;
    let text = drafted("log.jsonl", log).0;
    has_line(&text, &format!("output: ^obs  {check}"));
    // The next observation is known.
    let log = r#"{"episode":"e","steps":[{"obs":"the shop","action":{"tool":"find","args":{"id":7}},"next_obs":"shipped"}]}"#;
    let (text, calls) = drafted("log.jsonl", log);
    has_line(&text, "output: ^next_obs");
    assert_eq!(calls[0].2.as_deref(), Some(r#""shipped""#));
    // The observation behind the call.
    let log = two([r#""observation":"x""#, r#""observation":"y""#]);
    has_line(&drafted("log.jsonl", &log).0, "output: observation");
}
