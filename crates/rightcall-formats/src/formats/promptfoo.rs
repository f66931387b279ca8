//! Results of promptfoo: the provider's output for each test and prompt.

mod assertions;
mod output;

use assertions::expected;
use output::{read_output, reply};

use crate::format::{EachValue, Format, FoundTraces, Priority, Reading, Recognition, ValuePlace};
use crate::messages::output_of;
use crate::node::Node;
use crate::trace::{
    Conversation, Keep, LeftOut, Scope, Trace, TraceCall, failed, look_around, look_over,
};

pub(super) static ENTRY: Format = Format {
    name: "promptfoo",
    title: "promptfoo results",
    summary: "`results.results[]` with `testCase` and `response`, or one result a line; test cases with `vars` and `assert`",
    reads: &[
        ("calls", "`response.metadata.toolCalls`; else those of `response.output`: calls, messages or items of any provider, as JSON or as lines of JSON in a text"),
        ("arguments", "as the provider writes them"),
        ("results", "`output` of `response.metadata.toolCalls`"),
        ("sub-agents", "`parentToolUseId` of `response.metadata.toolCalls`"),
        ("errors", "`is_error` of `response.metadata.toolCalls`"),
        ("expected", "the names of `tool-call-f1`, of `trajectory:tool-sequence` or of `trajectory:tool-used` in `testCase.assert`, with the \
arguments of `trajectory:tool-args-match` where its mode is `exact`; no call where `trajectory:step-count` allows no tool"),
        ("ids", "`testIdx`, of a test case `description`; `id` of a call"),
        ("meta", "`score` as `reward`, the provider as `model`, the prompt, `error`; `metadata` of a test case"),
    ],
    lacks: &["results of calls, where the provider gives what the model asked for alone", "calls that promptfoo ran itself (`functionToolCallbacks`)", "times"],
    notes: "What `promptfoo eval --output` writes as JSON or JSON Lines. A result is a trajectory, its case that of its test: `compare FILE --by model`
compares providers. Names with patterns state more than a list of calls and are left out, which a note says; so are conditions on
arguments in part. A test case without a result, a line or an item of a list, is a case that expects calls and has no run. An output that is text may be
all that an agent gave of its run: it counts as a run without calls only with a `finishReason`, an empty `metadata.toolCalls`, or
the provider's reply under `raw`.",
    extensions: &["json", "jsonl"],
    example: r#"{"evalId":"e1","results":{"version":3,"results":[{"id":"r1","promptIdx":0,"testIdx":0,"testCase":{"vars":{"id":7},"assert":[{"type":"tool-call-f1","value":["find_order"]}]},"provider":{"id":"openai:gpt-5"},"prompt":{"raw":"Where is order 7?","label":"ask"},"response":{"output":[{"id":"c1","type":"function","function":{"name":"find_order","arguments":"{\"id\":7}"}}]},"success":true,"score":1}]}}"#,
    priority: Priority::Document,
    reading: Reading::Traces(
        |value| {
            let result = results(value).first().unwrap_or(value);
            if is_test(result) {
                return Recognition::Certain;
            }
            if !result.has("testCase") && !result.has("testIdx") {
                return Recognition::No;
            }
            let is_result = result.has("promptIdx") || result.has("prompt");
            Recognition::by_marks(&[
                ("testCase", true),
                ("response", result.has("response") || result.has("error")),
                ("prompt", is_result),
            ])
        },
        |scope| Box::new(EachValue(scope, read)),
    ),
};

/// The results in a value; a line is a result itself.
fn results<'n, 'a>(value: &'n Node<'a>) -> &'n [Node<'a>] {
    let all = value.get("results").unwrap_or(value);
    let list = all.get("results").unwrap_or(all);
    list.items_or_self()
}

fn read(value: &Node<'_>, scope: Scope, place: ValuePlace, found: &mut FoundTraces) {
    for result in results(value) {
        let mut trace = if is_test(result) {
            unrun(result)
        } else {
            trace(result, scope)
        };
        if value.has("results") {
            look_around(value, &mut trace);
        }
        found.trace(place.line, trace);
    }
}

/// True for a test case by itself.
fn is_test(record: &Node<'_>) -> bool {
    let asserts = record.list("assert");
    let are_typed = asserts.iter().all(|it| it.str_at("type").is_some());
    !asserts.is_empty() && are_typed && record.get("vars").is_some_and(Node::is_object)
}

/// A test case that was not run.
fn unrun(test: &Node<'_>) -> Trace {
    let mut trace = Trace {
        id: test.label_at(&["description"]),
        input: test.at(&["vars", "input"]).map(|it| it.raw().to_owned()),
        lacks_run: true,
        ..Trace::default()
    };
    trace.expected = expected(test, &mut trace);
    let facts = test.get("metadata").map_or(&[][..], Node::entries).iter();
    trace.meta = facts
        .map(|(key, fact)| (key.to_display().into_owned(), fact.raw().to_owned()))
        .collect();
    trace
}

fn trace(result: &Node<'_>, scope: Scope) -> Trace {
    let mut conversation = Conversation::new(scope);
    let response = result.get("response");
    let metadata = response.and_then(|it| it.get("metadata"));
    let told = metadata.map_or(&[][..], |it| it.list("toolCalls"));
    let output = response.and_then(|it| it.get("output"));
    for call in told {
        conversation.part(call, |conversation| ran(call, scope, conversation));
    }
    match output.filter(|_| told.is_empty()) {
        Some(output) => read_output(output, scope.max_depth, &mut conversation),
        None if told.is_empty() && !result.has("error") => {
            conversation.note_irregular("a result without `response.output` and `error`");
        }
        None => {}
    }
    if let Some(response) = response {
        reply(response, &mut conversation);
    }
    let known = [
        "response",
        "testCase",
        "vars",
        "prompt",
        "provider",
        "gradingResult",
    ];
    let mut trace = conversation.finish_record(result, &known);
    if let Some(response) = response.filter(|_| trace.calls.is_empty()) {
        look_over(response, &["output", "raw"], &mut trace);
    }
    trace.id = result.label_at(&["testIdx", "id"]);
    trace.input = result.at(&["prompt", "raw"]).map(output_of);
    trace.output = output.filter(|it| it.text().is_some()).map(output_of);
    trace.expected = result
        .get("testCase")
        .and_then(|test| expected(test, &mut trace));
    let provider = result.get("provider");
    let model = provider.map(|it| it.any(&["label", "id"]).unwrap_or(it));
    trace.add_facts([
        ("reward", result.get("score")),
        ("model", model.filter(|it| it.text().is_some())),
        ("prompt", result.at(&["prompt", "label"])),
        ("error", result.get("error")),
    ]);
    trace
}

/// A call made by an agent, with its result.
fn ran(call: &Node<'_>, scope: Scope, conversation: &mut Conversation) {
    let owner = call.label_at(&["parentToolUseId"]);
    let trace = conversation.trace();
    if owner.is_some() && scope.choices.sub_agents == Keep::Drop {
        return trace.report.drop(LeftOut::SubAgent);
    }
    let is_owner = |call: &TraceCall| owner.is_some() && call.id == owner;
    let parent = trace.calls.iter().rposition(is_owner);
    let output = call.get("output").map(output_of);
    let is_error = call.is_set("is_error");
    conversation.item();
    conversation.call(TraceCall {
        error: is_error.then(|| output.clone().unwrap_or_else(failed)),
        output,
        parent,
        ..TraceCall::from_node(call, &["name", "toolName"], &["input", "args"], &["id"])
    });
}

#[cfg(test)]
mod tests {
    use rightcall_core::value::MAX_DEPTH;

    use super::*;
    use crate::tests::{check, evidence};

    fn result(output: &str, assert: &str) -> String {
        format!(
            r#"{{"id":"r","promptIdx":0,"testIdx":3,"testCase":{{"vars":{{}},"assert":[{assert}]}},"provider":{{"id":"p","label":"fast"}},"prompt":{{"raw":"q","label":"l"}},"response":{{"output":{output}}},"score":0.5,"success":false}}"#
        )
    }

    #[test]
    fn outputs_are_calls_in_the_form_of_any_provider() {
        let text = r#""I look.\n\n{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"find\",\"input\":{\"id\":7}}\n\nand {\"name\":\"no\",\"input\":{}} too""#;
        for (output, found) in [
            (
                r#"[{"id":"a","type":"function","function":{"name":"find","arguments":"{\"id\":7}"}}]"#,
                r#"find("{\"id\":7}") a @0"#,
            ),
            (
                r#"{"content":"x","tool_calls":[{"id":"a","function":{"name":"find","arguments":"{}"}}]}"#,
                r#"find("{}") a @0"#,
            ),
            (text, r#"find({"id":7}) a @0"#),
            (
                r#""{\"type\":\"function_call\",\"call_id\":\"a\",\"name\":\"find\",\"arguments\":\"{}\"}""#,
                r#"find("{}") a @0"#,
            ),
            (
                r#"[{"text":"x"},{"functionCall":{"name":"find","args":{"id":7}}}]"#,
                r#"find({"id":7}) @0"#,
            ),
            (
                r#"{"toolCall":{"functionCalls":[{"name":"find","args":{"id":7},"id":"a"}]}}"#,
                r#"find({"id":7}) a @0"#,
            ),
            (
                r#"[{"toolUse":{"toolUseId":"a","name":"find","input":{"id":7}}}]"#,
                r#"find({"id":7}) a @0"#,
            ),
            (r#"{"name":"find","arguments":"{}"}"#, r#"find("{}") @0"#),
        ] {
            check("promptfoo", &result(output, ""), &[found]);
        }
        check("promptfoo", &result(r#""It was shipped.""#, ""), &[]);
        let said = r#""[User] q\n\n[Call function find with arguments {\"id\":7}]\n\n[Function output: x]\n\n[Assistant] It was.""#;
        check(
            "promptfoo",
            &result(said, ""),
            &[r#"find("{\"id\":7}") @0 -> "x""#],
        );
    }

    #[test]
    fn a_text_alone_does_not_show_that_no_tool_was_called() {
        let told = |response: &str| {
            let text = format!(
                r#"{{"testIdx":3,"promptIdx":0,"testCase":{{"vars":{{}}}},"prompt":{{"raw":"q"}},"response":{{{response}}}}}"#
            );
            evidence("promptfoo", &text)
        };
        assert_eq!(told(r#""output":"x""#), ["silent"]);
        for response in [
            r#""output":"x","finishReason":"stop""#,
            r#""output":"x","metadata":{"toolCalls":[]}"#,
            r#""output":[]"#,
            r#""output":{"role":"assistant","content":"x"}"#,
            r#""output":"x","raw":"{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"x\"}}]}""#,
        ] {
            assert_eq!(told(response), ["spoke"], "{response}");
        }
        assert_eq!(
            told(r#""output":"x","finishReason":"tool_calls""#),
            ["silent", "1 finish reason `tool_calls` without a call"]
        );
        let raw = r#""output":"x","raw":{"choices":[{"message":{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"find","arguments":"{}"}}]}}]}"#;
        let text = format!(r#"{{"testIdx":3,"promptIdx":0,"testCase":{{}},"response":{{{raw}}}}}"#);
        check("promptfoo", &text, &[r#"find("{}") a @0"#]);
    }

    #[test]
    fn an_agent_tells_what_it_ran() {
        let told = r#"{"evalId":"e","results":{"version":3,"results":[{"testIdx":0,"promptIdx":0,"testCase":{},"response":{"output":"x","metadata":{"toolCalls":[
            {"id":"a","name":"find","input":{"id":7},"output":"y","is_error":false},{"id":"b","name":"look","input":{},"output":"gone","is_error":true,"parentToolUseId":"a"}]}}}]}}"#;
        check(
            "promptfoo",
            told,
            &[
                r#"find({"id":7}) a @0 group-1 -> "y""#,
                r#"look({}) b @0 group-1 in 0 -> "gone" error "gone""#,
            ],
        );
    }

    #[test]
    fn names_that_a_test_wants_are_expected_and_what_is_more_is_not() {
        let expected = |assert: &str| {
            let text = result("[]", assert);
            trace(&Node::parse(&text, MAX_DEPTH).unwrap(), Scope::default())
        };
        let both = Some(r#"[{"name":"find"},{"name":"look"}]"#);
        for assert in [
            r#"{"type":"tool-call-f1","value":["find","look"]}"#,
            r#"{"type":"contains","value":"x"},{"type":"tool-call-f1","value":"find, look"}"#,
            r#"{"type":"trajectory:tool-sequence","value":{"steps":["find",{"name":"look"}]}}"#,
            r#"{"type":"trajectory:tool-used","value":["find","look"]}"#,
        ] {
            assert_eq!(expected(assert).expected.as_deref(), both, "{assert}");
        }
        for more in [
            r#"{"name":"find","min":2}"#,
            r#""fi*""#,
            r#"{"pattern":"f"}"#,
        ] {
            let trace = expected(&format!(
                r#"{{"type":"trajectory:tool-used","value":{more}}}"#
            ));
            assert_eq!(
                (trace.expected, trace.report.notes.len()),
                (None, 1),
                "{more}"
            );
        }
        let trace = expected("");
        assert_eq!((trace.expected, trace.report.notes.len()), (None, 0));
        assert_eq!(
            trace.meta[..2],
            [
                ("reward".to_owned(), "0.5".to_owned()),
                ("model".to_owned(), "\"fast\"".to_owned())
            ]
        );
    }

    #[test]
    fn arguments_that_must_be_whole_are_expected_and_test_cases_need_no_result() {
        let read = |test: &str| {
            let node = Node::parse(test, MAX_DEPTH).unwrap();
            assert!(is_test(&node), "{test}");
            unrun(&node)
        };
        let sequence =
            r#"{"type":"trajectory:tool-sequence","value":{"steps":["find","look","find"]}}"#;
        let whole =
            |value: &str| format!(r#"{{"type":"trajectory:tool-args-match","value":{value}}}"#);
        let test = |asserts: &[&str]| {
            let asserts = asserts.join(",");
            format!(
                r#"{{"description":"t","vars":{{"input":"q"}},"assert":[{asserts}],"metadata":{{"model":"m"}}}}"#
            )
        };
        let [first, second, part, other] = [
            r#"{"name":"find","mode":"exact","args":{"id":7}}"#,
            r#"{"name":"find","mode":"exact","arguments":{"id":8}}"#,
            r#"{"name":"look","args":{"id":7}}"#,
            r#"{"name":"gone","mode":"exact","args":{}}"#,
        ]
        .map(whole);
        let trace = read(&test(&[sequence, &first, &second, &part]));
        assert_eq!(
            trace.expected.as_deref(),
            Some(
                r#"[{"name":"find","args":{"id":7}},{"name":"look"},{"name":"find","args":{"id":8}}]"#
            )
        );
        assert_eq!(trace.input.as_deref(), Some("\"q\""));
        assert_eq!((trace.id, trace.lacks_run), (Some("t".into()), true));
        assert_eq!(trace.meta, [("model".to_owned(), "\"m\"".to_owned())]);

        let used = |kind: &str, name: &str| format!(r#"{{"type":"{kind}","value":"{name}"}}"#);
        let (find, look) = (
            used("trajectory:tool-used", "find"),
            used("trajectory:tool-used", "look"),
        );
        assert_eq!(
            read(&test(&[&find, &other, &look])).expected.as_deref(),
            Some(r#"[{"name":"find"},{"name":"look"},{"name":"gone","args":{}}]"#)
        );
        let forbidden = used("not-trajectory:tool-used", "look");
        let empty = r#"{"type":"tool-call-f1","value":[]}"#;
        let file = used("tool-call-f1", "file://tools.json");
        for others in [
            [sequence, &other],
            [&find, &forbidden],
            [&find, empty],
            [&find, &file],
        ] {
            assert_eq!(read(&test(&others)).expected, None, "{others:?}");
        }

        let count = |value: &str| format!(r#"{{"type":"trajectory:step-count","value":{value}}}"#);
        let none = test(&[&count(r#"{"type":"tool","max":0}"#)]);
        assert_eq!(read(&none).expected.as_deref(), Some("[]"));
        for other in [
            r#"{"type":"tool","max":1}"#,
            r#"{"type":"tool","max":0,"pattern":"a*"}"#,
        ] {
            assert_eq!(read(&test(&[&count(other)])).expected, None, "{other}");
        }
    }
}
