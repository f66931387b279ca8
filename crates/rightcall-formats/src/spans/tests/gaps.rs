//! Calls that only histories show, and what is noted or left over.

use super::{Line, check, list};
use crate::tests::shown;
use crate::trace::Choices;

/// A trace with its notes.
fn noted(choices: &[(&str, &str)], spans: &[Line]) -> (Vec<String>, Vec<String>) {
    let mut all = Choices::default();
    choices
        .iter()
        .for_each(|(key, value)| all.set(key, value).unwrap());
    let mut file = tempfile::NamedTempFile::new().unwrap();
    std::io::Write::write_all(&mut file, list(spans).as_bytes()).unwrap();
    let options = crate::ReadOptions {
        choices: all,
        ..crate::ReadOptions::default()
    };
    let mut input = crate::Input::open(file.path(), crate::Limits::default(), &options).unwrap();
    let trace = input.next_traces().unwrap().unwrap().remove(0).1.unwrap();
    (shown("flat-spans", &list(spans), all), trace.report.notes)
}

#[test]
fn without_other_evidence_the_longest_history_tells_the_calls() {
    let asked = r#"{\"role\":\"assistant\",\"parts\":[{\"type\":\"tool_call\",\"id\":\"c1\",\"name\":\"find\",\"arguments\":{\"id\":7}}]}"#;
    let answered = r#"{\"role\":\"tool\",\"parts\":[{\"type\":\"tool_call_response\",\"id\":\"c1\",\"response\":\"x\"}]}"#;
    let more = r#"{\"role\":\"assistant\",\"parts\":[{\"type\":\"tool_call\",\"id\":\"c2\",\"name\":\"look\",\"arguments\":{}}]}"#;
    let input = |messages: &[&str]| {
        &*format!(r#""gen_ai.input.messages":"[{}]""#, messages.join(",")).leak()
    };
    let last = input(&[asked, answered, more]);
    let spans = [
        Line("a", "", 1, 2, "chat", input(&[asked])),
        Line("b", "", 3, 4, "chat", last),
    ];
    let (calls, notes) = noted(&[], &spans);
    assert_eq!(calls, [r#"find({"id":7}) c1 @0 -> "x""#, "look({}) c2 @2"]);
    assert!(notes[0].contains("longest history"), "{notes:?}");
    assert!(noted(&[("evidence", "ran")], &spans).0.is_empty());
    // If a span has its own calls, or shows that a model requested none, the history isn't used.
    let said =
        &*format!(r#"{last},"gen_ai.output.messages":"[{{\"role\":\"assistant\",\"parts\":[]}}]""#)
            .leak();
    check(
        &[
            Line("a", "", 1, 2, "chat", last),
            Line("b", "", 3, 4, "chat", said),
        ],
        &[],
    );
    check(
        &[
            Line("a", "", 1, 2, "chat", last),
            Line(
                "b",
                "",
                5,
                6,
                "execute_tool send",
                r#""gen_ai.tool.name":"send""#,
            ),
        ],
        &["send(?)"],
    );
    let flattened = r#""openinference.span.kind":"LLM","llm.input_messages.0.message.role":"assistant",
        "llm.input_messages.0.message.tool_calls.0.tool_call.function.name":"find","llm.input_messages.0.message.tool_calls.0.tool_call.function.arguments":"{}",
        "llm.input_messages.0.message.tool_calls.0.tool_call.id":"c","llm.input_messages.1.message.role":"tool","llm.input_messages.1.message.tool_call_id":"c","llm.input_messages.1.message.content":"x""#;
    check(
        &[Line("a", "", 1, 2, "llm", flattened)],
        &[r#"find("{}") c @0 -> "x""#],
    );
}

#[test]
fn ids_of_calls_in_the_place_of_ids_of_tools_are_noticed() {
    let line = |id: &'static str, start: u64, tool: &'static str| {
        Line(id, "", start, start + 1, "s", tool)
    };
    let (one, two) = (
        r#""tool.name":"find","tool.id":"a1""#,
        r#""tool.name":"find","tool.id":"b2""#,
    );
    let is_noticed = |choices: &[(&str, &str)], spans: &[Line]| !noted(choices, spans).1.is_empty();
    assert!(is_noticed(&[], &[line("a", 1, one), line("b", 3, two)]));
    assert!(!is_noticed(
        &[("tool-id", "call")],
        &[line("a", 1, one), line("b", 3, two)]
    ));
    assert!(!is_noticed(&[], &[line("a", 1, one), line("b", 3, one)]));
    assert!(!is_noticed(
        &[],
        &[
            line("a", 1, one),
            line("b", 3, r#""tool.name":"look","tool.id":"b2""#)
        ]
    ));
    assert!(is_noticed(
        &[],
        &[line("a", 1, r#""tool.name":"find","tool.id":"toolu_01""#)]
    ));
}

#[test]
fn a_label_that_says_only_the_kind_of_a_span_names_no_tool() {
    let error = |name: &'static str, attributes: &'static str| {
        let spans = list(&[Line("a", "", 1, 2, name, attributes)]);
        crate::tests::error_of("flat-spans", &spans, Choices::default()).to_string()
    };
    for (name, attributes) in [
        ("execute_tool", r#""gen_ai.operation.name":"execute_tool""#),
        ("running tool", r#""tool_arguments":"{}""#),
        ("tools/call", r#""mcp.method.name":"tools/call""#),
    ] {
        assert!(error(name, attributes).contains("name"), "{name}");
    }
    // Any attribute that names the tool wins over the label.
    for attributes in [
        r#""gen_ai.operation.name":"execute_tool","traceloop.entity.name":"find","traceloop.span.kind":"tool""#,
        r#""gen_ai.operation.name":"execute_tool","openinference.span.kind":"TOOL","tool.name":"find""#,
    ] {
        check(&[Line("a", "", 1, 2, "step", attributes)], &["find(?)"]);
    }
    let provided = r#""gen_ai.output.messages":[{"role":"assistant","parts":[{"type":"server_tool_call","id":"a","server_tool_call":{"type":"code_interpreter"}}]}]"#;
    assert!(error("chat", provided).contains("name of a tool"));
}

#[test]
fn a_result_may_be_the_message_that_a_framework_made_of_it() {
    let plain = r#"{\"type\":\"tool\",\"content\":\"it's \\\"x\\\"\",\"tool_call_id\":\"c\",\"status\":\"error\"}"#;
    let serialised = r#"{\"lc\":1,\"type\":\"constructor\",\"id\":[\"langchain\",\"ToolMessage\"],\"kwargs\":{\"content\":\"it's \\\"x\\\"\",\"tool_call_id\":\"c\",\"status\":\"error\"}}"#;
    let shown = r#"content='it\\'s \"x\"' name='find' id='m' tool_call_id='c' status='error'"#;
    for message in [plain, serialised, shown] {
        for attributes in [
            r#""gen_ai.tool.name":"find","gen_ai.tool.call.result":"MESSAGE""#,
            r#""openinference.span.kind":"TOOL","tool.name":"find","output.value":"MESSAGE""#,
            r#""langfuse.observation.type":"tool","langfuse.observation.output":"MESSAGE""#,
        ] {
            let attributes: &'static str = attributes.replace("MESSAGE", message).leak();
            check(
                &[Line("a", "", 1, 2, "find", attributes)],
                &[r#"find(?) c -> "it's \"x\"" error true"#],
            );
        }
    }
    // A tool's output may mention such messages without being one.
    let attributes = r#""gen_ai.tool.name":"find","gen_ai.tool.call.result":"content='x' stands before tool_call_id""#;
    check(
        &[Line("a", "", 1, 2, "find", attributes)],
        &[r#"find(?) -> "content='x' stands before tool_call_id""#],
    );
}

#[test]
fn results_without_ids_answer_the_calls_asked_for_last() {
    let asks = r#""gen_ai.output.messages":"[{\"role\":\"assistant\",\"parts\":[{\"type\":\"tool_call\",\"id\":\"\",\"name\":\"find\",\"arguments\":{}},{\"type\":\"tool_call\",\"name\":\"look\",\"arguments\":{}}]}]""#;
    let answers = r#""gen_ai.input.messages":"[{\"role\":\"assistant\",\"parts\":[]},{\"role\":\"tool\",\"parts\":[{\"type\":\"tool_call_response\",\"id\":\"\",\"name\":\"look\",\"response\":\"2\"},{\"type\":\"tool_call_response\",\"id\":null,\"response\":\"1\"}]}]","gen_ai.output.messages":"[]""#;
    check(
        &[
            Line("a", "", 1, 2, "chat", asks),
            Line("b", "", 3, 4, "chat", answers),
        ],
        &[
            r#"find({}) @0 group-1 -> "1""#,
            r#"look({}) @0 group-1 -> "2""#,
        ],
    );
}

#[test]
fn spans_that_look_like_those_of_tools_are_counted_or_an_error() {
    use crate::{Input, Inspection, Limits, ReadOptions};
    use std::io::Write as _;

    let inspect = |spans: &[Line]| {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(list(spans).as_bytes()).unwrap();
        _ = Input::open(file.path(), Limits::default(), &ReadOptions::default()).unwrap();
        let found = Inspection::from_file(
            file.path(),
            Limits::default(),
            &ReadOptions::default(),
            &mut |_, _| {},
        )
        .unwrap();
        (found.calls, found.errors.len(), found.report.unread_count())
    };
    let known = || Line("z", "", 9, 9, "s", r#""gen_ai.tool.name":"known""#);
    for (name, attributes) in [
        ("execute_tool find", ""),
        (
            "s",
            r#""acme.tool.name":"find","acme.tool.arguments":"{\"id\":7}""#,
        ),
        ("find", r#""acme.span.kind":"Tool""#),
        (
            "chat",
            r#""gen_ai.operation.name":"chat","gen_ai.completion":"{\"calls\":[{\"tool_name\":\"find\",\"args\":{}}]}""#,
        ),
    ] {
        assert_eq!(
            inspect(&[Line("a", "", 1, 2, name, attributes)]),
            (0, 1, 0),
            "{name} {attributes}"
        );
        assert_eq!(
            inspect(&[Line("a", "", 1, 2, name, attributes), known()]),
            (1, 0, 1),
            "{name} {attributes}"
        );
    }
    for (name, attributes) in [
        (
            "chat",
            r#""gen_ai.operation.name":"chat","gen_ai.tool.definitions":"[{\"name\":\"find\",\"parameters\":{}}]","gen_ai.completion":"{\"tool_calls\":[]}""#,
        ),
        (
            "chain",
            r#""llm.tools.0.tool.json_schema":"{}","llm.request.functions.0.name":"find","tool_choice":"auto""#,
        ),
        (
            "agent",
            r#""openinference.span.kind":"CHAIN","output.value":"{\"answer\":\"call the tool_name\"}""#,
        ),
    ] {
        assert_eq!(
            inspect(&[Line("a", "", 1, 2, name, attributes)]),
            (0, 0, 0),
            "{name} {attributes}"
        );
    }
    // The state returned by a graph may be a thread that began before this run.
    let thread = r#""output.value":"{\"messages\":[{\"type\":\"ai\",\"tool_calls\":[{\"name\":\"find\",\"args\":{}}]}]}""#;
    let answer = r#""gen_ai.output.messages":"[{\"role\":\"assistant\",\"parts\":[]}]""#;
    assert_eq!(
        inspect(&[
            Line("a", "", 1, 4, "graph", thread),
            Line("b", "a", 2, 3, "chat", answer)
        ]),
        (0, 0, 0)
    );
    // Without other evidence, its messages are used.
    assert_eq!(inspect(&[Line("a", "", 1, 4, "graph", thread)]), (1, 0, 0));
}
