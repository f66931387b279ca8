//! Drafts for logs that write calls, results and failures in different ways.

use super::{Shown, runs, shown, values};
use crate::draft::draft;
use crate::format::Format;

/// The draft for lines of JSON, and the calls that it reads in each run.
fn drafted(lines: &[&str]) -> (String, Vec<Vec<Shown>>) {
    let log = lines.join("\n");
    let text = draft("draft", &values("log.jsonl", &log)).unwrap();
    let format = Format::from_map("draft.yaml", &text).unwrap();
    let runs = runs(format, "log.jsonl", &log).unwrap_or_else(|| panic!("{text}"));
    let calls = runs.iter().map(shown).collect();
    (text, calls)
}

/// Checks the names of the calls that drafts read, and a line of each draft.
fn check(cases: &[(&[&str], &[&str], &str)]) {
    for (lines, names, line) in cases {
        let (text, calls) = drafted(lines);
        let read: Vec<_> = calls.iter().flatten().map(|call| call.0.as_str()).collect();
        assert_eq!(read, *names, "{text}");
        assert!(text.lines().any(|it| it.trim() == *line), "{line}\n{text}");
    }
}

#[test]
fn names_with_a_prefix_are_those_of_tools() {
    check(&[
        (
            &[
                r#"{"run":"a","name":"tool:search","args":{"q":"x"},"result":"3"}"#,
                r#"{"run":"a","name":"llm:chat","args":{"n":2},"result":"y"}"#,
                r#"{"run":"a","name":"tool:open","args":{"u":"y"},"result":"z"}"#,
            ],
            &["tool:search", "tool:open"],
            "when: {name: 'tool:*'}  # check: this leaves out llm:chat",
        ),
        (
            &[
                r#"{"run":"a","dir":"req","id":1,"what":"tool:search","body":{"q":"x"}}"#,
                r#"{"run":"a","dir":"res","id":1,"what":"tool:search","body":{"hits":3}}"#,
            ],
            &["tool:search"],
            "when: {dir: req}  # check: this leaves out res",
        ),
    ]);
}

#[test]
fn numbered_columns_are_marked() {
    check(&[(
        &[
            r#"{"run":"a","tool_1":"find","args_1":{"id":7},"tool_2":"track","args_2":{"no":1}}"#,
            r#"{"run":"b","tool_1":"find","args_1":{"id":8}}"#,
        ],
        &["find", "find"],
        "# check: `tool_2` is not read: a map reads one call of an item, so write the calls of a record as a list",
    )]);
}

#[test]
fn what_may_be_no_call_is_left_out_or_marked() {
    check(&[
        (
            &[
                r#"{"session":"s","stage":"begin","function":"pay","arguments":{"n":1}}"#,
                r#"{"session":"s","stage":"completed","function":"pay","arguments":{"n":1},"output":"x"}"#,
            ],
            &["pay"],
            "when: {stage: begin}  # check: this leaves out completed",
        ),
        (
            &[
                r#"{"session":"s","span_kind":"retriever","name":"docs","parameters":{"k":3}}"#,
                r#"{"session":"s","span_kind":"toolRun","name":"pay","parameters":{"n":1}}"#,
            ],
            &["pay"],
            "skip: [{span_kind: retriever}]  # check: this is ignored",
        ),
        (
            &[
                r#"{"session":"s","source":"planner","function":"pay","arguments":{"n":1}}"#,
                r#"{"session":"s","source":"runner","function":"pay","arguments":{"n":1},"output":"x"}"#,
            ],
            &["pay"],
            "when: {source: runner}  # check: this leaves out planner",
        ),
        (
            &[
                r#"{"session":"s","source":"a","function":"pay","arguments":{"n":1}}"#,
                r#"{"session":"s","source":"b","function":"buy","arguments":{"n":1}}"#,
            ],
            &["pay", "buy"],
            "name: function  # check: are all of these calls: source a, b?",
        ),
        (
            &[
                r#"{"session":"s","tool":"pay","args":{"n":1},"result":"x"}"#,
                r#"{"session":"s","tool":"buy","args":{"n":2},"result":"x"}"#,
                r#"{"session":"s","report":{"history":[{"tool":"pay","args":{"n":1}},{"tool":"sell","args":{}}]}}"#,
            ],
            &["pay", "buy"],
            "skip: [report.history]  # check: this is ignored",
        ),
        (
            &[
                r#"{"session":"s","tool":"pay","args":{"n":1}}"#,
                r#"{"session":"s","tool":"pay","args":{"n":1},"result":"x"}"#,
            ],
            &["pay", "pay"],
            "name: tool  # check: 1 of 2 calls repeat another of their run: were they made again?",
        ),
        (
            &[
                r#"{"session":"s","name":"opened","params":{"page":1}}"#,
                r#"{"session":"s","name":"pay","params":{"n":1}}"#,
            ],
            &["opened", "pay"],
            "name: name  # check: is it the name of a tool?",
        ),
    ]);
}

#[test]
fn an_unusual_key_may_say_what_the_records_are() {
    check(&[
        (
            &[
                r#"{"session":"s","stream":"tools","name":"pay","args":{"n":1},"result":"x"}"#,
                r#"{"session":"s","stream":"metrics","name":"ms","args":{"of":"pay"},"value":3}"#,
                r#"{"session":"s","stream":"tools","name":"buy","args":{"n":1},"result":"x"}"#,
            ],
            &["pay", "buy"],
            "when: {stream: tools}  # check: this leaves out metrics",
        ),
        (
            &[
                r#"{"session":"s","stream":"a","name":"pay","args":{"n":1},"result":"x"}"#,
                r#"{"session":"s","stream":"b","name":"ms","args":{"of":"pay"},"value":3}"#,
                r#"{"session":"s","stream":"a","name":"buy","args":{"n":1},"result":"x"}"#,
            ],
            &["pay", "ms", "buy"],
            "name: name  # check: are all of these calls: stream a, b?",
        ),
        // A text before an object.
        (
            &[
                r#"{"session":"s","herramienta":"pagar","datos":{"n":1}}"#,
                r#"{"session":"s","herramienta":"comprar","datos":{"n":2}}"#,
            ],
            &["pagar", "comprar"],
            "name: herramienta  # check: is it the name of the tool?",
        ),
    ]);
}

#[test]
fn how_calls_ended_is_found_in_states_codes_and_outputs() {
    let of = |ends: [&str; 2]| {
        let line =
            |(number, end)| format!(r#"{{"run":"r","tool":"f","args":{{"i":{number}}},{end}}}"#);
        let lines: Vec<_> = ends.into_iter().enumerate().map(line).collect();
        let (text, calls) = drafted(&[&lines[0], &lines[1]]);
        let ends: Vec<_> = calls
            .concat()
            .into_iter()
            .map(|call| (call.2, call.3))
            .collect();
        (text, ends)
    };
    for (ends, output, line) in [
        (
            [
                r#""returncode":0,"stdout":"x""#,
                r#""returncode":2,"stdout":"y""#,
            ],
            r#""y""#,
            "failed: {returncode: {not: [0, none]}}  # check: does any other code mean a failure?",
        ),
        (
            [r#""output":{"rows":3}"#, r#""output":{"success":false}"#],
            r#"{"success":false}"#,
            "failed: {output.success: false}  # check: does the output say that the call failed?",
        ),
        (
            [
                r#""reply":{"body":{"rows":3}},"outcome":"done""#,
                r#""reply":{"body":{}},"outcome":"timeout""#,
            ],
            r#""timeout""#,
            "failed: {outcome: timeout}",
        ),
    ] {
        let (text, ends) = of(ends);
        assert!(text.lines().any(|it| it.trim() == line), "{line}\n{text}");
        assert_eq!((ends[0].1, ends[1].1), (false, true), "{text}");
        if !line.contains("outcome") {
            assert_eq!(ends[1].0.as_deref(), Some(output), "{text}");
        }
    }
    let (text, ends) = of([r#""return":{"Ok":"x"}"#, r#""return":{"Err":"late"}"#]);
    assert_eq!(
        ends,
        [(Some(r#""x""#.to_owned()), false), (None, true)],
        "{text}"
    );
    for (never, line) in [
        (
            r#""decision":"rejected by the user""#,
            "not_run: {decision: rejected by the user}",
        ),
        (r#""blocked":true"#, "not_run: {blocked: true}"),
    ] {
        let (text, _) = of([r#""output":"x""#, never]);
        let line = format!("{line}  # check: were such calls never made?");
        assert!(text.lines().any(|it| it.trim() == line), "{line}\n{text}");
    }
}

#[test]
fn results_and_arguments_are_found_by_their_shape() {
    // Ids under any key, if results have them under the same key, in another order.
    let (text, calls) = drafted(&[
        r#"{"done":[{"tool":"f","args":{}, "nr":"a"},{"tool":"g","args":{},"nr":"b"}],"replies":[{"nr":"b","value":2},{"nr":"a","value":1}]}"#,
    ]);
    let outputs: Vec<_> = calls[0]
        .iter()
        .filter_map(|call| call.2.as_deref())
        .collect();
    assert_eq!(outputs, ["1", "2"], "{text}");
    // A list of outputs as long as the list of calls.
    let (text, calls) = drafted(&[
        r#"{"id":"r","steps":[{"did":[{"tool":"f","args":{}},{"tool":"g","args":{}}],"observations":["x","y"]},{"did":[],"observations":[]}]}"#,
    ]);
    let outputs: Vec<_> = calls[0]
        .iter()
        .filter_map(|call| call.2.as_deref())
        .collect();
    assert_eq!(outputs, [r#""x""#, r#""y""#], "{text}");
    // One column for each argument.
    for prefix in ["param_", "args.", ""] {
        let log = format!(
            "run,tool,{prefix}city,{prefix}days,result\nr,weather,Oslo,3,x\nr,weather,Rome,2,y\n"
        );
        let text = draft("draft", &values("log.csv", &log)).unwrap();
        let format = Format::from_map("draft.yaml", &text).unwrap();
        let runs = runs(format, "log.csv", &log).unwrap();
        let arguments: Vec<_> = shown(&runs[0])
            .into_iter()
            .filter_map(|call| call.1)
            .collect();
        assert_eq!(
            arguments[0],
            format!(r#"{{"{prefix}city":"Oslo","{prefix}days":3}}"#),
            "{text}"
        );
    }
}

#[test]
fn what_may_be_an_argument_is_no_question() {
    // All other keys are the arguments.
    let (text, calls) = drafted(&[
        r#"{"session":"s","call":"c1","tool":"search","query":"sla for gold","top_k":3}"#,
        r#"{"session":"s","call":"c1","returned":["d1"]}"#,
        r#"{"session":"s","call":"c2","tool":"find","order_id":7}"#,
        r#"{"session":"s","call":"c2","returned":"shipped"}"#,
    ]);
    assert!(!text.contains("question:"), "{text}");
    assert_eq!(
        calls[0][0].1.as_deref(),
        Some(r#"{"query":"sla for gold","top_k":3}"#)
    );
    // The arguments are under an unusual key.
    let (text, calls) = drafted(&[
        r#"{"session":"s","tool":"search","request":{"query":"sla for gold"},"result":["d1"]}"#,
        r#"{"session":"s","tool":"find","request":{"order_id":7},"result":"shipped"}"#,
    ]);
    assert!(!text.contains("question:"), "{text}");
    assert!(
        text.contains("args: request  # check: are these the arguments?\n"),
        "{text}"
    );
    assert_eq!(
        calls[0][0].1.as_deref(),
        Some(r#"{"query":"sla for gold"}"#)
    );
    // Beside known arguments it is the question.
    let (text, _) = drafted(&[
        r#"{"session":"s","prompt":"Where is it?","tool":"find","args":{"order_id":7},"result":"x"}"#,
    ]);
    assert!(text.contains("question: prompt\n"), "{text}");
}

#[test]
fn what_only_looks_like_calls_is_ignored() {
    for (aside, object) in [
        ("next_action", r#"{"tool":"close","args":{"n":3}}"#),
        ("previous", r#"{"tool":"close","args":{"n":3}}"#),
        ("candidates", r#"[{"tool":"close","args":{"n":3}}]"#),
        (
            "cache",
            r#"{"function":"lookup","args":{"key":1},"hit":false}"#,
        ),
        ("model", r#"{"name":"gpt","parameters":{"heat":0}}"#),
        ("http", r#"{"method":"POST","params":{"x":0}}"#),
    ] {
        for call in [
            r#""tool":"find","args":{"id":7},"result":"x""#,
            r#""tool":{"name":"find"},"input":{"id":7},"output":"x""#,
            r#""call":{"name":"find","arguments":{"id":7}},"result":"x""#,
            r#""step":{"do":"find","with":{"id":7}},"outcome":"x""#,
        ] {
            let line = format!(r#"{{"session":"s","{aside}":{object},{call}}}"#);
            let (text, calls) = drafted(&[&line, &line.replace("find", "pay")]);
            let found: Vec<_> = calls.concat();
            let expected = |name: &str| {
                let args = Some(r#"{"id":7}"#.to_owned());
                (name.to_owned(), args, Some(r#""x""#.to_owned()), false)
            };
            assert_eq!(found, [expected("find"), expected("pay")], "{text}");
            let skipped = format!("skip: [{aside}]  # check: this is ignored\n");
            assert!(text.contains(&skipped), "{text}");
        }
    }
    // There is nothing else.
    let (text, _) = drafted(&[
        r#"{"session":"s","next_action":{"tool":"find","args":{"id":7}},"got":1}"#,
        r#"{"session":"s","next_action":{"tool":"pay","args":{"id":7}},"got":1}"#,
    ]);
    assert!(
        text.contains("name: tool  # check: does `next_action` hold calls that were made?\n"),
        "{text}"
    );
}
