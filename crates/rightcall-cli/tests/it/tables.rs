//! Cases in other tools' formats: CSV tables, and runs under `output`.

use crate::Place;

const JSONL: &str = "-e trajectory --format jsonl --no-details --quiet";

/// The result lines for a file.
fn scored(place: &Place, file: &str) -> String {
    place
        .check(&format!("score {file} {JSONL}"), &[], 0, &[])
        .stdout
}

#[test]
fn table_scores_like_the_same_cases_in_json() {
    let json = r#"{"id":"a","expected":[{"name":"find","args":{"id":7}}],"actual":[{"name":"find","args":{"id":7}}]}
{"id":"b","expected":["find","pay"],"actual":[]}
"#;
    let csv = "id,expected,output,reward\n\
        a,\"[{\"\"name\"\":\"\"find\"\",\"\"args\"\":{\"\"id\"\":7}}]\",\"[{\"\"name\"\":\"\"find\"\",\"\"args\"\":{\"\"id\"\":7}}]\",1\n\
        b,\"[\"\"find\"\",\"\"pay\"\"]\",[],0.5\n";
    let place = Place::new()
        .with("cases.jsonl", json)
        .with("cases.csv", csv);
    assert_eq!(scored(&place, "cases.csv"), scored(&place, "cases.jsonl"));
    // Numeric meta values can be selected as numbers, and compressed tables work like others.
    let some = place.check(
        &format!("score cases.csv {JSONL} --where reward=0.5"),
        &[],
        0,
        &[],
    );
    assert!(some.stdout.starts_with(r#"{"case":"b""#) && some.stdout.lines().count() == 1);
}

#[test]
fn table_errors_have_a_line() {
    let place = Place::new()
        .with(
            "cases.csv",
            "id,expected,output\na,\"[]\",\"[]\"\nb,Paris,\"x\ny\"\nc,Rome,z\n",
        )
        .with("text.csv", [b'i', b'd', b'\n', 0xff, b'\n']);
    let line = format!("score cases.csv {JSONL}").replace(" --quiet", "");
    place.check(
        &line,
        &[],
        2,
        &["cases.csv:3 /expected: ", "cases.csv:5 /expected: "],
    );
    place.check("score text.csv -e trajectory", &[], 2, &["no UTF-8 text"]);
}

#[test]
fn run_may_be_under_output() {
    let calls = r#"[{"name":"find","args":{"id":7}}]"#;
    let case =
        |output: &str| format!(r#"{{"id":"a","input":"?","expected":{calls},"output":{output}}}"#);
    let of = |output: &str| {
        let place = Place::new().with("cases.jsonl", case(output) + "\n");
        scored(&place, "cases.jsonl")
    };
    let full = "{\"case\":\"a\",\"evaluator\":\"trajectory\",\"score\":1.0}\n";
    for output in [
        calls,
        r#"[{"tool":"find","parameters":{"id":7}}]"#,
        r#"[{"id":"c1","type":"function","function":{"name":"find","arguments":"{\"id\":7}"}}]"#,
        r#"[{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"find","arguments":"{\"id\":7}"}}]}]"#,
    ] {
        assert_eq!(of(output), full, "{output}");
    }
    // A value that may be an answer is not a run.
    for output in [
        "[]",
        r#"["Paris"]"#,
        r#"[{"name":"Ada","age":36}]"#,
        r#""find""#,
    ] {
        assert!(
            of(output).contains("not_applicable"),
            "{output}: {}",
            of(output)
        );
    }
    // If the name is expected, it is a call.
    let names = r#"{"id":"a","expected":["find"],"output":["find"]}"#;
    let place = Place::new().with("cases.jsonl", format!("{names}\n"));
    assert_eq!(scored(&place, "cases.jsonl"), full);
}

#[test]
fn question_of_messages_is_the_input() {
    let messages = r#"{"id":"a","messages":[{"role":"system","content":"Be kind."},{"role":"user","content":[{"type":"text","text":"Refund 7."}]},{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"refund","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":"ok"},{"role":"user","content":"Thanks."}]}"#;
    let place = Place::new().with("trace.jsonl", format!("{messages}\n"));
    let seen = place.check("inspect trace.jsonl", &[], 0, &[]).stdout;
    assert!(seen.contains("all with the question"), "{seen}");
    let cases = place.check("convert trace.jsonl", &[], 0, &[]).stdout;
    assert!(cases.contains(r#""input":"Refund 7.""#), "{cases}");
}

#[test]
fn question_of_spans_is_the_input_if_recorded() {
    let span = |id: &str, parent: &str, attributes: &str| {
        format!(
            r#"{{"trace_id":"t","span_id":"{id}","parent_span_id":"{parent}","name":"s","start_time":1,"end_time":2,"attributes":{{{attributes}}}}}"#
        )
    };
    let spans = [
        span("a", "", r#""input.value":"Refund 7.""#),
        span(
            "b",
            "a",
            r#""gen_ai.operation.name":"execute_tool","gen_ai.tool.name":"refund""#,
        ),
    ];
    let case = r#"{"id":"t","expected":["refund","mail"]}"#;
    let place = Place::new()
        .with("trace.jsonl", spans.join("\n"))
        .with("cases.jsonl", format!("{case}\n"));
    let asked = r#""input":"Refund 7.""#;
    for (command, is_shown) in [
        ("convert trace.jsonl", true),
        (
            "score cases.jsonl --traces trace.jsonl -e trajectory --format jsonl --explain",
            true,
        ),
        (
            "score cases.jsonl --traces trace.jsonl -e trajectory --format jsonl",
            false,
        ),
    ] {
        let said = place.check(command, &[], 0, &[]).stdout;
        assert!(said.contains(":\"t\""), "{command}: {said}");
        assert_eq!(said.contains(asked), is_shown, "{command}: {said}");
    }
    let report =
        "score cases.jsonl --traces trace.jsonl -e trajectory --report html=report.html --quiet";
    place.check(report, &[], 0, &[]);
    assert!(place.read("report.html").contains("Refund 7."));
}
