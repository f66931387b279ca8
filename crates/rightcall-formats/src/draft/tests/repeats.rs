//! Drafts for logs whose results look like calls, and for names and arguments that are none.

use super::{Shown, runs, shown, values};
use crate::draft::draft;
use crate::format::Format;

/// The draft for lines of JSON, and the calls that it reads.
fn drafted(log: &str) -> (String, Vec<Shown>) {
    let text = draft("draft", &values("log.jsonl", log)).unwrap();
    let format = Format::from_map("draft.yaml", &text).unwrap();
    let runs = runs(format, "log.jsonl", log).unwrap_or_else(|| panic!("{text}"));
    let calls = runs.iter().flat_map(shown).collect();
    (text, calls)
}

fn names(calls: &[Shown]) -> Vec<&str> {
    calls.iter().map(|call| call.0.as_str()).collect()
}

fn outputs(calls: &[Shown]) -> Vec<&str> {
    calls.iter().filter_map(|call| call.2.as_deref()).collect()
}

#[track_caller]
fn has_line(text: &str, line: &str) {
    assert!(text.lines().any(|it| it.trim() == line), "{line}\n{text}");
}

const OTHERS: &str = "{args: any}  # check: are the others no calls?";

#[test]
fn a_result_may_repeat_the_name_of_its_call() {
    for name in ["name", "tool", "action"] {
        for (id, output) in [(true, "result"), (false, "result"), (true, "gave")] {
            let record = |number: u8, members: &str| {
                let id = if id {
                    format!(r#""id":"c{number}","#)
                } else {
                    String::new()
                };
                format!("\"{name}\":\"f{number}\",{id}{members}")
            };
            let call = |number: u8| record(number, &format!(r#""args":{{"q":{number}}}"#));
            let result = |number: u8| record(number, &format!(r#""{output}":"o{number}""#));
            let flat = |record: String| format!("{{\"run\":\"r\",{record}}}\n");
            let log = [call(1), result(1), call(2), result(2)].map(flat).concat();
            let (text, calls) = drafted(&log);
            has_line(&text, &format!("when: {OTHERS}"));
            assert_eq!(
                (names(&calls), outputs(&calls)),
                (vec!["f1", "f2"], vec![r#""o1""#, r#""o2""#]),
                "{text}"
            );
            let nested = |record: String| format!("{{\"run\":\"r\",\"at\":{{{record}}}}}\n");
            let (text, calls) = drafted(
                &[call(1), result(1), call(2), result(2)]
                    .map(nested)
                    .concat(),
            );
            has_line(&text, &format!("where: {OTHERS}"));
            assert_eq!(names(&calls), ["f1", "f2"], "{text}");
        }
    }
}

#[test]
fn what_has_a_name_and_no_arguments_is_no_call() {
    let log = r#"{"run":"r","msg":"tool","name":"find","args":{"q":1},"result":"one"}
{"run":"r","msg":"metric","name":"latency_ms","value":31}
{"run":"r","msg":"tool","name":"send","args":{"q":1},"result":"two"}"#;
    let (text, calls) = drafted(log);
    has_line(&text, &format!("when: {OTHERS}"));
    assert_eq!(names(&calls), ["find", "send"], "{text}");
}

#[test]
fn who_made_a_call_and_what_it_may_be_are_asked() {
    for (key, one, other) in [
        ("requestor", "user", "assistant"),
        ("category", "flag", "tool"),
        ("logger", "health", "tool calls"),
    ] {
        let line = |value: &str| {
            format!(
                "{{\"run\":\"r\",\"{key}\":\"{value}\",\"tool\":\"find\",\"args\":{{\"q\":1}},\"result\":1}}\n"
            )
        };
        let (text, _) = drafted(&[one, other, other].map(line).concat());
        let (mut values, check) = ([one, other], "# check: are all of these calls:");
        values.sort_unstable();
        has_line(
            &text,
            &format!("name: tool  {check} {key} {}?", values.join(", ")),
        );
    }
}

#[test]
fn the_function_of_the_source_code_is_no_name() {
    for source in [
        r#""func":"main.run""#,
        r#""source":{"function":"main.run","line":3}"#,
    ] {
        for name in ["tool", "name"] {
            let log = format!(
                r#"{{"run":"r",{source},"msg":"invoked","{name}":"find","params":{{"q":1}},"call":"c1"}}
{{"run":"r",{source},"msg":"finished","call":"c1","result":"one"}}
{{"run":"r",{source},"msg":"invoked","{name}":"send","params":{{"q":2}},"call":"c2"}}
{{"run":"r",{source},"msg":"finished","call":"c2","result":"two"}}
{{"run":"r",{source},"msg":"request"}}"#
            );
            let text = drafted(&log).0;
            if name == "tool" || source.starts_with("\"source") {
                has_line(&text, "output: result");
                assert!(text.contains(&format!("name: {name}")), "{text}");
            } else {
                has_line(
                    &text,
                    "name: func  # check: it is the same in all calls: or is it `name`?",
                );
            }
        }
    }
}

#[test]
fn positional_arguments_are_marked() {
    let line = |args: &str, named: &str| {
        format!("{{\"run\":\"r\",\"fn\":\"find\",\"args\":{args},\"kwargs\":{named},\"ret\":1}}\n")
    };
    let marked = "args: kwargs  # check: are the arguments in `args` positional ones?";
    has_line(
        &drafted(&(line("[1]", "{}") + &line("[]", r#"{"q":1}"#))).0,
        marked,
    );
    has_line(
        &drafted(&(line("[]", r#"{"q":2}"#) + &line("[]", r#"{"q":1}"#))).0,
        "args: kwargs",
    );
}

#[test]
fn what_stands_in_arguments_is_no_call() {
    // The name is under an unusual key, alone or in an object, and an argument looks like a call.
    for (name, path) in [
        (r#""function":{"module":"m","qualname":"NAME"}"#, "qualname"),
        (r#""task":"NAME","host":"h""#, "task"),
        (r#""title":"NAME","host":"h""#, "title"),
    ] {
        let line = |tool: &str, args: &str| {
            let name = name.replace("NAME", tool);
            format!("{{\"run\":\"r\",{name},\"at\":1,\"kwargs\":{args},\"result\":1}}\n")
        };
        let log =
            line("book", r#"{"room":"A1","when":{"day":"mon"}}"#) + &line("find", r#"{"q":1}"#);
        let (text, calls) = drafted(&log);
        has_line(
            &text,
            &format!("name: {path}  # check: is it the name of the tool?"),
        );
        assert_eq!(names(&calls), ["book", "find"], "{text}");
        assert_eq!(calls[1].1.as_deref(), Some(r#"{"q":1}"#), "{text}");
    }
}

#[test]
fn columns_of_outputs_are_no_arguments_without_a_doubt() {
    let log = r#"{"run":"r","tool":"find","in_q":1,"out":"one"}
{"run":"r","tool":"book","in_room":"A1","out_booked":true,"out_ref":"b1"}"#;
    has_line(
        &drafted(log).0,
        "output: out  # check: is `out_booked` an output too?",
    );
}

#[test]
fn results_stand_where_calls_stand() {
    // With an id beside the object, with the name in it, and by order; some outputs are objects that say that they failed.
    for (id, name) in [(true, false), (false, true), (false, false)] {
        for kind in ["msg", "type", "k0"] {
            let record = |number: u8, says: &str, members: &str| {
                let id = if id {
                    format!(r#""id":"c{number}","#)
                } else {
                    String::new()
                };
                format!(
                    "{{\"run\":\"r\",{id}\"{kind}\":\"tool {says}\",\"payload\":{{{members}}}}}\n"
                )
            };
            let call = |number: u8| {
                record(
                    number,
                    "call",
                    &format!(r#""tool":"f{number}","args":{{"q":1}}"#),
                )
            };
            let result = |number: u8, output: &str| {
                let name = if name {
                    format!(r#""tool":"f{number}","#)
                } else {
                    String::new()
                };
                record(number, "result", &format!(r#"{name}"result":{output}"#))
            };
            let log = [
                call(1),
                result(1, r#"{"ok":true,"n":1}"#),
                call(2),
                result(2, r#"{"ok":false,"error":"no money"}"#),
                call(3),
                result(3, r#""three""#),
            ];
            let (text, calls) = drafted(&log.concat());
            let failed: Vec<_> = calls.iter().map(|call| call.3).collect();
            assert_eq!(failed, [false, true, false], "{text}");
            assert_eq!(outputs(&calls)[2], r#""three""#, "{text}");
            assert!(text.contains("  at: payload\n"), "{text}");
        }
    }
    // A number of each record is no id of a call.
    let log = r#"{"i":1,"run":"r","value":{"type":"asked","data":{"id":"c1","tool":"a","args":{"q":1}}}}
{"i":2,"run":"r","value":{"type":"answered","data":{"id":"c1","output":"one"}}}
{"i":3,"run":"r","value":{"type":"asked","data":{"id":"c2","tool":"b","args":{"q":1}}}}
{"i":4,"run":"r","value":{"type":"answered","data":{"id":"c2","output":"two"}}}
{"i":1,"run":"r","value":{"type":"ended","data":{"text":"done"}}}"#;
    let (text, calls) = drafted(log);
    assert_eq!(outputs(&calls), [r#""one""#, r#""two""#], "{text}");
    // The texts of a list of messages are an unusual output.
    let log = r#"{"id":"r","dialog":[{"role":"user","text":"hi"},{"role":"assistant","text":"let me see","tool":"a","args":{"q":1}},{"role":"tool","text":"one"}]}"#;
    let (text, calls) = drafted(log);
    assert_eq!(outputs(&calls), [r#""one""#], "{text}");
    // In lists of one length.
    let log = r#"{"id":"r","calls":[{"tool":"a","args":{"q":1}},{"tool":"b","args":{"q":1}}],"outputs":["one",{"ok":false}]}"#;
    let (text, calls) = drafted(log);
    has_line(
        &text,
        "failed: {ok: false}  # check: does the output say that the call failed?",
    );
    assert_eq!((calls[0].3, calls[1].3), (false, true), "{text}");
}

#[test]
fn a_tag_inside_of_outputs_may_say_that_a_call_failed() {
    for (key, good, bad) in [
        ("tag", "Ok", "Err"),
        ("severity", "INFO", "ERROR"),
        ("how", "success", "failure"),
    ] {
        let line = |tag: &str| {
            format!(
                "{{\"run\":\"r\",\"tool\":\"f\",\"args\":{{\"q\":1}},\"result\":{{\"{key}\":\"{tag}\",\"v\":1}}}}\n"
            )
        };
        let (text, calls) = drafted(&[good, bad, good].map(line).concat());
        assert_eq!((calls[0].3, calls[1].3), (false, true), "{text}");
        let line = format!(
            "failed: {{result.{key}: {bad}}}  # check: does this mean that the call failed?"
        );
        has_line(&text, &line);
    }
}

#[test]
fn calls_with_outputs_come_before_those_that_should_be_made() {
    for (wanted, made) in [
        ("should_call", "did_call"),
        ("aim", "zoom"),
        ("zoom", "aim"),
        ("baseline", "chosen"),
    ] {
        let line = |id: u8| {
            let call = format!(r#"{{"tool":"find","args":{{"q":{id}}}}}"#);
            let answered = format!(r#"{{"tool":"find","args":{{"q":{id}}},"result":1}}"#);
            format!("{{\"id\":{id},\"{wanted}\":[{call}],\"{made}\":[{answered}]}}\n")
        };
        let (text, calls) = drafted(&[1, 2].map(line).concat());
        has_line(&text, &format!("at: {made}"));
        has_line(
            &text,
            &format!("skip: [{wanted}]  # check: this is ignored"),
        );
        assert_eq!(calls.len(), 2, "{text}");
    }
}
