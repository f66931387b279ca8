//! Tests the interpreter as a whole: against a slow twin, and its messages for a map without matches.

mod twin;

use crate::format::Format;
use crate::input::Input;
use crate::options::{Limits, ReadOptions};
use crate::trace::{Trace, TraceCall, TraceRecord};

/// The runs that a map reads from a log.
fn traces(map: &str, name: &str, log: &str) -> Vec<TraceRecord> {
    let options = ReadOptions {
        format: Some(Format::from_map("shop.yaml", map).unwrap()),
        ..ReadOptions::default()
    };
    let bytes = log.as_bytes().to_vec();
    let mut input = Input::from_bytes(name, bytes, Limits::default(), &options).unwrap();
    let mut all = Vec::new();
    while let Some(traces) = input.next_traces().unwrap() {
        all.extend(traces);
    }
    all
}

/// The errors of a log, and the reports of its runs.
fn told(map: &str, log: &str) -> Vec<String> {
    let tell = |(place, trace): TraceRecord| match trace {
        Ok(trace) => {
            let mut told = trace.report.notes.clone();
            told.extend(trace.report.warnings());
            told.extend(trace.incomplete);
            told
        }
        Err(error) => vec![format!("{}: {error}", place.line)],
    };
    traces(map, "log.jsonl", log)
        .into_iter()
        .flat_map(tell)
        .collect()
}

#[test]
fn a_rule_that_reads_no_call_shows_what_is_there_instead() {
    let log = "{\"s\":1,\"k\":\"tool\",\"p\":{\"tool\":\"a\"}}\n{\"s\":1,\"k\":\"end\"}\n";
    let rest = " of the map shop (shop.yaml:2), found none: ";
    for (rule, expected) in [
        (
            "{when: {k: tools}, name: n}",
            "`when` holds for no record: `k` is \"tool\"; `k` is \"end\"",
        ),
        (
            "{when: {k: tool}, at: q, name: n}",
            "`at` finds nothing, there is an object with `s`, `k`, `p`",
        ),
        (
            "{at: p, where: {v: 1}, name: tool}",
            "`where` holds for no item: `v` is nothing",
        ),
        (
            "{at: p, name: n}",
            "`name` finds nothing, there is an object with `tool`",
        ),
    ] {
        let map = format!("run: s\ncall: {rule}");
        assert_eq!(
            told(&map, log),
            [format!("1: expected a call by `call`{rest}{expected}")],
            "{rule}"
        );
    }
    assert_eq!(
        told("run: t\ncall: {name: k}", log),
        [
            "1: expected an id of a run where `run: t` of the map shop (shop.yaml:1) leads, found an object with `s`, `k`, `p`"
        ]
    );
    assert_eq!(
        told("records: t\ncall: {name: k}", log),
        [
            "1: expected a list where `records: t` of the map shop (shop.yaml:1) leads, found an object with `s`, `k`, `p`"
        ]
    );
}

#[test]
fn paths_that_find_nothing_are_notes_and_what_is_left_over_is_a_warning() {
    let log = "{\"s\":1,\"n\":\"a\",\"side\":{\"tool\":\"b\",\"args\":{}}}\n{\"side\":{\"tool\":\"c\",\"args\":{}}}\n";
    assert_eq!(
        told(
            "run: s\nmodel: m\ncall: {name: n, args: x}\nresult: {output: o}",
            log
        ),
        [
            "`model: m` of the map shop (shop.yaml:2) finds nothing",
            "`args: x` in `call` of the map shop (shop.yaml:3) finds nothing",
            "`result` of the map shop (shop.yaml:4) reads no result: `output` finds nothing, there is an object with `s`, `n`, `side`; an object with `side`",
            "2 things look like calls and were not read: `tool` with `args`, first at /side in a record of the run, which begins on line 1",
            "`tool` with `args`, which looks like a call",
        ]
    );
}

#[test]
fn each_part_that_finds_nothing_is_a_note() {
    let log = "{\"s\":1,\"k\":\"tool\",\"n\":\"a\"}\n{\"s\":1,\"k\":\"end\"}\n";
    let parts =
        "order: p\nmessages: p\nmeta: {u: p}\nstep: {k: p}\nskip: [{k: p}, p]\nfinished: {k: p}\n";
    let call = "call: {name: n, failed: {p: error}, not_run: {k: denied}}";
    assert_eq!(
        told(&format!("run: s\n{parts}{call}"), log),
        [
            "`order: p` of the map shop (shop.yaml:2) finds nothing",
            "`messages: p` of the map shop (shop.yaml:3) finds nothing",
            "`meta.u: p` of the map shop (shop.yaml:4) finds nothing",
            "`step` of the map shop (shop.yaml:5) holds for no record",
            "`skip` of the map shop (shop.yaml:6) holds for no record",
            "`finished` of the map shop (shop.yaml:7) holds for no record",
            "`skip: p` of the map shop (shop.yaml:6) finds nothing",
            "`p` in `failed` of `call` of the map shop (shop.yaml:8) finds nothing",
        ]
    );
    let parts =
        "order: s\nmeta: {u: n}\nstep: {k: tool}\nskip: [{k: end}, n]\nfinished: {k: tool}\n";
    let call = "call: {name: n, failed: {k: error}}";
    assert_eq!(told(&format!("run: s\n{parts}{call}"), log), [""; 0]);
    // A value that can't be ordered is the error, although no record is read.
    assert_eq!(
        told("run: s\norder: k\ncall: {name: n}", log),
        ["1: expected a number or a time where `order` of the map leads, found the value \"tool\""]
    );
}

/// The calls of the only run, each with its error.
fn errors(map: &str, log: &str) -> Vec<(String, Option<String>)> {
    let mut runs = traces(map, "log.jsonl", log);
    let (_, trace) = runs.pop().unwrap();
    assert!(runs.is_empty());
    let calls = trace.unwrap().calls.into_iter();
    calls.map(|it| (it.name.to_string(), it.error)).collect()
}

#[test]
fn a_result_without_an_error_says_so() {
    let log = [
        r#"{"s":1,"c":"a","id":1}"#,
        r#"{"s":1,"c":"b","id":2}"#,
        r#"{"s":1,"c":"d","id":3}"#,
        r#"{"s":1,"c":"open","id":4}"#,
        r#"{"s":1,"r":1,"outcome":"ok"}"#,
        r#"{"s":1,"r":2,"outcome":"failed","reason":"late"}"#,
        r#"{"s":1,"r":3,"outcome":"failed"}"#,
    ];
    let map = "run: s\ncall: {name: c, id: id}\nresult: {when: {outcome: any}, id: r, error: reason, failed: {outcome: failed}}";
    let expected = [
        ("a", Some("false")),
        ("b", Some("\"late\"")),
        ("d", Some("true")),
        ("open", None),
    ];
    let expected = expected.map(|(name, error)| (name.to_owned(), error.map(str::to_owned)));
    assert_eq!(errors(map, &log.join("\n")), expected);
    // Without `failed`, a result without a reason says nothing.
    let map = map.replace(", failed: {outcome: failed}", "");
    let found = errors(&map, &log.join("\n"));
    assert_eq!(found[0].1, None);
    assert_eq!(found[1].1.as_deref(), Some("\"late\""));
}

#[test]
fn an_error_of_null_or_false_or_no_text_says_that_there_was_none() {
    let log = r#"{"calls":[{"n":"null","o":{"e":null}},{"n":"false","o":{"e":false}},{"n":"text","o":{"e":""}},{"n":"absent","o":{}},{"n":"zero","o":{"e":0}}]}"#;
    let found = errors("call: {at: calls, name: n, error: o.e}", log);
    let found: Vec<_> = found.iter().map(|(_, error)| error.as_deref()).collect();
    let none = Some("false");
    assert_eq!(found, [none, none, none, None, Some("0")]);
}

#[test]
fn a_call_with_its_outcome_is_known_to_have_ended_and_one_without_is_not() {
    let log = r#"{"calls":[{"n":"a","ok":true},{"n":"b","ok":false},{"n":"open"},{"n":"c","o":1},{"n":"refused","ok":true,"no":1}]}"#;
    let map = "call: {at: calls, name: n, output: o, failed: {ok: false}, not_run: {no: 1}}";
    let found = errors(map, log);
    let found: Vec<_> = found.iter().map(|(_, error)| error.as_deref()).collect();
    let none = Some("false");
    assert_eq!(found, [none, Some("true"), None, none, None]);
}

#[test]
fn a_success_does_not_end_a_call_before_its_result() {
    // The call was accepted; its result follows, and does not undo the failure of the other.
    let log = [
        r#"{"s":1,"c":"a","err":false}"#,
        r#"{"s":1,"out":"x"}"#,
        r#"{"s":1,"c":"b","id":7,"err":"late"}"#,
        r#"{"s":1,"of":7,"out":"y"}"#,
    ];
    let map = "run: s\ncall: {name: c, id: id, error: err}\nresult: {id: of, output: out, failed: {bad: true}}";
    let (_, trace) = traces(map, "log.jsonl", &log.join("\n")).pop().unwrap();
    let trace = trace.unwrap();
    let shown = |call: &TraceCall| (call.error.clone(), call.output.clone());
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(
        trace.calls.iter().map(shown).collect::<Vec<_>>(),
        [
            (text("false"), text("\"x\"")),
            (text("\"late\""), text("\"y\""))
        ]
    );
    assert_eq!(trace.report.orphans, 0);
}

#[test]
fn messages_in_a_record_are_read_as_they_are_elsewhere() {
    let message = r#"{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"find","arguments":"{\"id\":7}"}},{"id":"b","type":"function","function":{"name":"ask","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"x"}"#;
    let log = format!(
        "{{\"s\":\"r1\",\"reward\":1,\"body\":{{\"messages\":[{{\"role\":\"user\",\"content\":\"Where?\"}},{message}]}}}}\n{{\"s\":\"r2\",\"body\":{{\"messages\":[]}}}}\n"
    );
    let map = "run: s\nmessages: body.messages\nmeta: {reward: reward}";
    let runs: Vec<_> = traces(map, "log.jsonl", &log)
        .into_iter()
        .map(|(_, trace)| trace.unwrap())
        .collect();
    assert_eq!(runs.len(), 2);
    let shown = |call: &TraceCall| {
        (
            call.name.to_string(),
            call.output.clone(),
            call.group.clone().map(|it| it.to_string()),
        )
    };
    let group = Some("group-1".to_owned());
    assert_eq!(
        runs[0].calls.iter().map(shown).collect::<Vec<_>>(),
        [
            ("find".to_owned(), Some("\"x\"".to_owned()), group.clone()),
            ("ask".to_owned(), None, group)
        ]
    );
    assert_eq!(runs[0].meta, [("reward".to_owned(), "1".to_owned())]);
    assert_eq!((runs[1].calls.len(), runs[1].lacks_run), (0, true));
}

fn only_run(map: &str, log: &str) -> Trace {
    let mut runs = traces(map, "log.jsonl", log);
    assert_eq!(runs.len(), 1);
    runs.remove(0).1.unwrap()
}

#[test]
fn a_history_that_goes_on_is_read_once() {
    let user = r#"{"role":"user","content":"Where?"}"#;
    let asks = |id: &str| {
        format!(
            r#"{{"role":"assistant","content":null,"tool_calls":[{{"id":"{id}","type":"function","function":{{"name":"find","arguments":"{{}}"}}}}]}},{{"role":"tool","tool_call_id":"{id}","content":"x"}}"#
        )
    };
    let (one, two) = (asks("a"), asks("b"));
    let record = |messages: &str, reply: &str| {
        format!(r#"{{"s":"r","messages":[{messages}],"reply":[{reply}]}}"#)
    };
    let reply = |id: &str| format!(r#"{{"tool":"find","args":{{}},"id":"{id}"}}"#);
    let log = [
        record(user, &reply("a")),
        record(&format!("{user},{one}"), &reply("b")),
        record(&format!("{user},{one},{two}"), &reply("c")),
    ]
    .join("\n");
    let ids = |map: &str| {
        let calls = only_run(map, &log).calls.into_iter();
        calls
            .map(|call| (call.id.unwrap().to_string(), call.output.is_some()))
            .collect::<Vec<_>>()
    };
    let call = |id: &str, is_answered| (id.to_owned(), is_answered);
    let messages = "run: s\nmessages: messages";
    assert_eq!(
        ids(&format!("{messages}\nskip: reply")),
        [call("a", true), call("b", true)]
    );
    assert_eq!(
        ids(&format!(
            "{messages}\ncall: {{at: reply, name: tool, args: args, id: id}}"
        )),
        [call("a", true), call("b", true), call("c", false)]
    );
}

#[test]
fn calls_that_later_messages_have_again_count_once() {
    let message = |id: u8| {
        format!(
            r#"{{"role":"assistant","content":null,"tool_calls":[{{"id":"{id}","type":"function","function":{{"name":"find","arguments":"{{\"id\":{id}}}"}}}}]}},{{"role":"tool","tool_call_id":"{id}","content":"x"}}"#
        )
    };
    let system = |hour: u8| format!(r#"{{"role":"system","content":"It is {hour} o'clock."}}"#);
    let window = |hour: u8, ids: [u8; 2]| {
        let [one, two] = ids.map(message);
        format!(r#"{{"s":"r","messages":[{},{one},{two}]}}"#, system(hour))
    };
    let log = [window(1, [1, 2]), window(2, [2, 3])].join("\n");
    let calls = only_run("run: s\nmessages: messages", &log).calls;
    let ids: Vec<_> = calls
        .into_iter()
        .filter_map(|call| call.id)
        .map(|id| id.to_string())
        .collect();
    assert_eq!(ids, ["1", "2", "3"]);
}

#[test]
fn messages_without_ids_that_go_on_from_several_records_count_once() {
    const USER: &str = r#"{"role":"user","parts":[{"text":"hi"}]}"#;
    const RESULT: &str = r#"{"role":"user","parts":[{"functionResponse":{"name":"find","response":{"result":"x"}}}]}"#;
    let call = |id: u8| {
        format!(
            r#"{{"role":"model","parts":[{{"functionCall":{{"name":"find","args":{{"id":{id}}}}}}}]}}"#
        )
    };
    let run = |records: &[&[&str]]| {
        let log = records.iter().map(|messages| {
            let messages = messages.join(",");
            format!(r#"{{"s":"r","log":{{"messages":[{messages}]}}}}"#)
        });
        let run = only_run(
            "run: s\nmessages: log.messages",
            &log.collect::<Vec<_>>().join("\n"),
        );
        (run.calls.len(), run.incomplete)
    };
    let (one, two) = (&*call(1), &*call(2));
    // Requests, each followed by its reply.
    let request = [USER, one, RESULT];
    assert_eq!(run(&[&[USER], &[one], &request, &[two]]), (2, None));
    assert_eq!(run(&[&request, &request]), (1, None));
    // A reply that is made twice.
    assert_eq!(run(&[&[USER], &[one], &[one]]), (2, None));
    // A window that slides over the messages.
    let part = "messages that repeat the last ones in part, with calls without ids".to_owned();
    let window = [one, RESULT, two];
    assert_eq!(run(&[&request, &window]), (3, Some(part)));
}

#[test]
fn an_unread_call_with_other_arguments_is_no_repetition() {
    let map = "run: s\ncall:\n  when: {kind: tool}\n  name: tool\n  args: args";
    let unread = |args: &str| {
        let log = format!(
            "{{\"s\":\"r\",\"kind\":\"tool\",\"tool\":\"refund\",\"args\":{{\"id\":7}}}}\n{{\"s\":\"r\",\"kind\":\"later\",\"tool\":\"refund\",\"args\":{args}}}\n"
        );
        only_run(map, &log).incomplete
    };
    let other = "a call of `refund` that no rule reads".to_owned();
    assert_eq!(unread("{\"id\":8}"), Some(other));
    assert_eq!(unread("{ \"id\": 7.0 }"), None);
    assert_eq!(unread(r#""{\"id\":7}""#), None);
}

#[test]
fn equal_messages_in_a_row_are_no_history() {
    let message = r#"{"s":"r","message":{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"find","arguments":"{}"}}]}}"#;
    let log = format!("{message}\n{message}\n");
    let run = only_run("run: s\nmessages: message", &log);
    assert_eq!(run.calls.len(), 2);
}

#[test]
fn a_result_with_its_arguments_is_a_call_where_no_call_is_recorded() {
    let map = "run: run
call: {when: {kind: start}, name: tool, args: args, id: id, optional: true}
result: {when: {kind: end}, name: tool, args: args, id: id, output: result}
";
    let end = |rest: &str| format!(r#"{{"run":"r","kind":"end",{rest}}}"#);
    let begun = r#"{"run":"r","kind":"start","tool":"find","args":{"id":7}}"#;
    let log = [
        begun.to_owned(),
        end(r#""tool":"find","args":"{'id': 7}","result":"x""#),
        end(r#""tool":"find","args":"{'id': 8}","result":"y""#),
        end(r#""tool":"look","id":"c","args":{},"result":"z""#),
        end(r#""result":"lost""#),
    ];
    let read = traces(map, "log.jsonl", &log.join("\n"));
    let trace = read[0].1.as_ref().unwrap();
    let show = |call: &TraceCall| {
        let output = call.output.as_deref().unwrap_or_default();
        format!("{}({:?}) {output}", call.name.to_display(), call.arguments)
    };
    let shown: Vec<_> = trace.calls.iter().map(show).collect();
    assert_eq!(
        shown,
        [
            r#"find(Json("{\"id\":7}")) "x""#,
            r#"find(Json("{\"id\":8}")) "y""#,
            r#"look(Json("{}")) "z""#,
        ]
    );
    assert_eq!(trace.report.orphans, 1);
}

#[test]
fn neighbors_with_an_equal_value_are_one_step() {
    let log = "{\"n\":\"a\",\"turn\":1}\n{\"n\":\"b\",\"turn\":1}\n{\"n\":\"c\",\"turn\":2}\n{\"n\":\"d\"}\n{\"n\":\"e\",\"turn\":2}\n";
    let traces = traces(
        "run: $file\nstep: turn\ncall: {name: n}\ntags: n\noutput: n",
        "log.jsonl",
        log,
    );
    let (_, Ok(trace)) = &traces[0] else { panic!() };
    let groups: Vec<_> = trace
        .calls
        .iter()
        .map(|call| call.group.as_ref().map(ToString::to_string))
        .collect();
    assert_eq!(
        groups,
        [
            Some("group-1".to_owned()),
            Some("group-1".to_owned()),
            None,
            None,
            None
        ]
    );
    assert_eq!(
        (trace.tags.as_deref(), trace.output.as_deref()),
        (Some("[\"a\"]"), Some("\"a\""))
    );
    assert_eq!(
        trace.id.as_ref().map(ToString::to_string).as_deref(),
        Some("log")
    );
}

#[test]
fn a_map_is_recognized_by_known_by_and_two_formats_that_fit_are_an_error() {
    let own = Format::from_map(
        "own.yaml",
        "map: own\nknown_by: {kind: own}\ncall: {name: n}",
    )
    .unwrap();
    let other = Format::from_map(
        "other.yaml",
        "map: other\nknown_by: {n: any}\ncall: {name: n}",
    )
    .unwrap();
    let format = |maps: &'static [&'static Format], log: &str| {
        let options = ReadOptions {
            maps,
            ..ReadOptions::default()
        };
        let mut input = Input::from_bytes(
            "log.jsonl",
            log.as_bytes().to_vec(),
            Limits::default(),
            &options,
        )
        .unwrap();
        input
            .format()
            .map(|it| it.map(|it| it.name))
            .map_err(|error| error.to_string())
    };
    let maps: &'static [&'static Format] = Box::leak(Box::new([own, other]));
    let log = "{\"kind\":\"own\",\"n\":\"a\"}\n";
    assert_eq!(format(&maps[..1], log), Ok(Some("own")));
    assert_eq!(
        format(maps, log).unwrap_err(),
        "log.jsonl: expected a format that can be recognized, found two that fit: the map own (own.yaml) and the map other (other.yaml)"
    );
    let atif = "{\"schema_version\":\"ATIF-v1.7\",\"kind\":\"own\",\"steps\":[]}\n";
    assert!(
        format(&maps[..1], atif)
            .unwrap_err()
            .ends_with("two that fit: the map own (own.yaml) and the built-in format atif")
    );
}

#[test]
fn rows_of_a_table_without_a_name_are_read_too() {
    let log = "run\ttool\targs\nr1\tfind\t{\"id\": 7}\nr1\task\t\n";
    let traces = traces("run: run\ncall: {name: tool, args: args}", "rows", log);
    let (_, Ok(trace)) = &traces[0] else { panic!() };
    assert_eq!(trace.calls.len(), 2);
}

#[test]
fn a_run_with_a_record_that_cannot_be_read_is_an_error_and_others_are_runs() {
    let log = "{\"s\":1,\"n\":\"a\",\"t\":1}\n{\"s\":1,\"n\":\"b\",\"t\":\"late\"}\n{\"s\":2,\"n\":\"a\"}\n";
    let read = traces("run: s\norder: t\ncall: {name: n}", "log.jsonl", log);
    let shown: Vec<_> = read
        .into_iter()
        .map(|(place, trace)| (place.line, trace.map(|trace| trace.calls.len()).ok()))
        .collect();
    assert_eq!(shown, [(2, None), (3, Some(1))]);
}
