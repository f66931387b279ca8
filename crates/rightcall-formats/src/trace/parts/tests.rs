use proptest::prelude::*;

use super::*;
use crate::tests::{error_of, shown};
use crate::trace::TraceCall;

fn choices(scope: CaseScope) -> Choices {
    Choices {
        scope,
        ..Choices::default()
    }
}

fn call(name: String, part: Option<&str>, parent: Option<usize>) -> TraceCall {
    TraceCall {
        name: name.into(),
        part: part.map(|part| Text::from(part.to_owned())),
        parent,
        ..TraceCall::default()
    }
}

fn run(calls: Vec<TraceCall>) -> Trace {
    Trace {
        id: Some(Text::new("r")),
        calls,
        ..Trace::default()
    }
}

fn id(run: &Trace) -> String {
    run.id.as_ref().map(ToString::to_string).unwrap_or_default()
}

proptest! {
    #[test]
    fn no_call_is_lost_and_parts_keep_their_order(parts in prop::collection::vec(prop::option::of(0..4_usize), 1..40)) {
        let names = ["a", "b", "c/d", ""];
        let calls: Vec<_> = parts.iter().enumerate().map(|(place, part)| {
            let part = part.map(|part| names[part]).filter(|name| !name.is_empty());
            call(place.to_string(), part, place.checked_sub(1))
        }).collect();
        let Ok(runs) = divided(run(calls.clone()), &choices(CaseScope::Agent)) else {
            prop_assert!(calls.iter().all(|call| call.part.is_none()));
            return Ok(());
        };
        let mut found = Vec::new();
        for run in &runs {
            let of_run: Vec<usize> = run.calls.iter().map(|call| call.name.to_string().parse().unwrap()).collect();
            prop_assert!(of_run.is_sorted());
            for (place, call) in run.calls.iter().enumerate() {
                let original = &calls[of_run[place]];
                let expected = original.part.as_ref().map_or("r".to_owned(), |part| format!("r/{part}"));
                prop_assert_eq!(id(run), expected);
                // The enclosing call is the same as before, if both are in one part.
                let outer = call.parent.map(|outer| of_run[outer]);
                let before = original.parent.filter(|&before| calls[before].part == original.part);
                prop_assert_eq!(outer, before);
            }
            found.extend(of_run);
        }
        found.sort_unstable();
        prop_assert!(found.into_iter().eq(0..calls.len()));
        let unplaced = calls.iter().filter(|call| call.part.is_none()).count() as u64;
        prop_assert_eq!(runs[0].report.unplaced, unplaced);
    }
}

#[test]
fn a_part_without_calls_is_a_run_without_calls() {
    let trace = Trace {
        parts: vec![Text::new("planner"), Text::new("mailer")],
        input: Some("\"q\"".to_owned()),
        ..run(vec![call("find".into(), Some("planner"), None)])
    };
    let runs = divided(trace, &choices(CaseScope::Agent)).unwrap();
    let told: Vec<_> = runs
        .iter()
        .map(|run| {
            (
                id(run),
                run.calls.len(),
                run.meta.clone(),
                run.input.is_some(),
            )
        })
        .collect();
    let meta = |name: &str| vec![("agent".to_owned(), format!("\"{name}\""))];
    assert_eq!(
        told,
        [
            ("r/planner".to_owned(), 1, meta("planner"), true),
            ("r/mailer".to_owned(), 0, meta("mailer"), true)
        ]
    );
}

#[test]
fn the_question_is_of_the_first_turn_and_the_answer_of_the_last() {
    let trace = Trace {
        input: Some("\"q\"".to_owned()),
        output: Some("\"a\"".to_owned()),
        parts: vec![Text::new("1"), Text::new("2")],
        ..run(vec![])
    };
    let runs = divided(trace, &choices(CaseScope::Turn)).unwrap();
    let has: Vec<_> = runs
        .iter()
        .map(|run| (run.input.is_some(), run.output.is_some(), &*run.meta[0].1))
        .collect();
    assert_eq!(has, [(true, false, "1"), (false, true, "2")]);
}

#[test]
fn what_is_expected_of_a_whole_run_is_not_given_to_its_parts() {
    let expecting = |parts: &[&'static str]| Trace {
        expected: Some("[]".to_owned()),
        parts: parts.iter().map(|part| Text::new(part)).collect(),
        ..run(vec![])
    };
    let divide = |trace| divided(trace, &choices(CaseScope::Node));
    let error = divide(expecting(&["a", "b"])).unwrap_err();
    assert_eq!(
        error.to_string(),
        "expected what is expected of each node of this trajectory, found what is expected of it as a whole"
    );
    assert_eq!(
        divide(expecting(&["a"])).unwrap()[0].expected.as_deref(),
        Some("[]")
    );
}

#[test]
fn what_a_data_set_expects_goes_to_the_parts_that_it_names() {
    let expecting = |parts: &[Option<&'static str>]| Trace {
        expected: Some(
            r#"[{"name":"f","actor":"a"},{"name":"g"},{"name":"h","actor":"c"}]"#.to_owned(),
        ),
        expected_parts: Some(parts.iter().map(|part| part.map(Text::new)).collect()),
        ..run(vec![
            call("f".into(), Some("a"), None),
            call("x".into(), None, None),
            call("y".into(), Some("b"), None),
        ])
    };
    let divide = |trace| divided(trace, &choices(CaseScope::Agent));
    let runs = divide(expecting(&[Some("a"), Some("d"), Some("a")])).unwrap();
    let told: Vec<_> = runs
        .iter()
        .map(|run| (id(run), run.calls.len(), run.expected.as_deref().unwrap()))
        .collect();
    assert_eq!(
        told,
        [
            ("r".to_owned(), 1, "[]"),
            (
                "r/a".to_owned(),
                1,
                r#"[{"name":"f"},{"name":"h","actor":"c"}]"#
            ),
            ("r/b".to_owned(), 1, "[]"),
            ("r/d".to_owned(), 0, r#"[{"name":"g"}]"#),
        ]
    );
    let error = divide(expecting(&[Some("a"), None, Some("a")])).unwrap_err();
    assert!(error.to_string().contains("as a whole"), "{error}");
}

/// A conversation with two user turns and two agents.
const CHAT: &str = r#"{"id":"t","messages":[
    {"role":"user","content":"one"},{"role":"user","content":"more"},
    {"role":"assistant","name":"planner","tool_calls":[{"id":"a","function":{"name":"find","arguments":"{}"}}]},
    {"role":"tool","tool_call_id":"a","name":"find","content":"x"},
    {"role":"assistant","name":"billing","tool_calls":[{"id":"b","function":{"name":"refund","arguments":"{}"}}]},
    {"role":"user","content":"two"},
    {"role":"assistant","name":"planner","tool_calls":[{"id":"c","function":{"name":"look","arguments":"{}"}}]}]}"#;

#[test]
fn messages_name_agents_and_turns() {
    let of = |scope| shown("openai-chat", CHAT, choices(scope));
    let (find, refund, look) = (
        r#"find("{}") a @2 -> "x""#,
        r#"refund("{}") b @4"#,
        r#"look("{}") c @6"#,
    );
    assert_eq!(of(CaseScope::Agent), [find, look, "---", refund]);
    assert_eq!(of(CaseScope::Turn), [find, refund, "---", look]);
}

#[test]
fn agents_are_calls_where_they_are_asked_for() {
    let choices = Choices {
        calls: CallSubject::Agents,
        ..Choices::default()
    };
    assert_eq!(
        shown("openai-chat", CHAT, choices),
        ["planner(?)", "billing(?)", "planner(?)"]
    );
}

#[test]
fn a_run_whose_agents_are_not_told_is_an_error() {
    let text = CHAT
        .replace(r#""name":"planner","#, "")
        .replace(r#""name":"billing","#, "");
    let error = error_of("openai-chat", &text, choices(CaseScope::Agent));
    assert_eq!(
        error.to_string(),
        "expected the agent of each call in this trajectory, found 3 calls, and no agent that they are of"
    );
    assert!(error.help.unwrap().contains("scope=run"));
}

/// Two agents in various formats: `a` calls `find`, `b` calls `look`.
const TWO_AGENTS: [(&str, &str); 9] = [
    (
        "autogen",
        r#"{"messages":[{"source":"a","content":[{"id":"1","name":"find","arguments":"{}"}],"type":"ToolCallRequestEvent"},{"source":"b","content":[{"id":"2","name":"look","arguments":"{}"}],"type":"ToolCallRequestEvent"}]}"#,
    ),
    (
        "autogen",
        r#"{"type":"TeamState","agent_states":{"a/1":{"agent_state":{"llm_context":{"messages":[{"content":[{"id":"1","name":"find","arguments":"{}"}],"source":"a","type":"AssistantMessage"}]}}},"b/1":{"agent_state":{"llm_context":{"messages":[{"content":[{"id":"2","name":"look","arguments":"{}"}],"type":"AssistantMessage","source":"b"}]}}}}}"#,
    ),
    (
        "langchain",
        r#"[{"type":"ai","name":"a","content":"","tool_calls":[{"name":"find","args":{},"id":"1"}]},{"type":"tool","name":"find","content":"x","tool_call_id":"1"},{"type":"ai","content":"","tool_calls":[{"name":"look","args":{},"id":"2"}],"name":"b"}]"#,
    ),
    (
        "openai-agents-runs",
        r#"{"$schemaVersion":"1.9","generated_items":[{"type":"tool_call_item","agent":{"name":"a"},"raw_item":{"type":"function_call","call_id":"1","name":"find","arguments":"{}"}},{"type":"tool_call_item","agent":{"name":"b"},"raw_item":{"type":"function_call","call_id":"2","name":"look","arguments":"{}"}}]}"#,
    ),
    (
        "agent-framework",
        r#"{"type":"agent_response","messages":[{"type":"message","role":"assistant","author_name":"a","contents":[{"type":"function_call","call_id":"1","name":"find","arguments":"{}"}]},{"type":"message","role":"assistant","author_name":"b","contents":[{"type":"function_call","call_id":"2","name":"look","arguments":"{}"}]}]}"#,
    ),
    (
        "llamaindex",
        r#"[{"response":{"role":"assistant","blocks":[]},"current_agent_name":"a","tool_calls":[{"tool_name":"find","tool_kwargs":{},"tool_id":"1"}]},{"response":{"role":"assistant","blocks":[]},"current_agent_name":"b","tool_calls":[{"tool_name":"look","tool_kwargs":{},"tool_id":"2"}]}]"#,
    ),
    (
        "bedrock-agents",
        r#"[{"trace":{"sessionId":"s","collaboratorName":"a","trace":{"orchestrationTrace":{"invocationInput":{"traceId":"1","actionGroupInvocationInput":{"function":"find","parameters":[]}}}}}},{"trace":{"sessionId":"s","collaboratorName":"b","trace":{"orchestrationTrace":{"invocationInput":{"traceId":"2","actionGroupInvocationInput":{"function":"look","parameters":[]}}}}}}]"#,
    ),
    (
        "openai-agents",
        r#"{"data":[{"object":"trace.span","id":"1","trace_id":"t","span_data":{"type":"agent","name":"a"}},{"object":"trace.span","id":"2","trace_id":"t","parent_id":"1","span_data":{"type":"function","name":"find","input":"{}"}},{"object":"trace.span","id":"3","trace_id":"t","span_data":{"type":"agent","name":"b"}},{"object":"trace.span","id":"4","trace_id":"t","parent_id":"3","span_data":{"type":"function","name":"look","input":"{}"}}]}"#,
    ),
    (
        "langsmith",
        r#"[{"id":"1","trace_id":"t","run_type":"tool","name":"find","inputs":{},"dotted_order":"1","extra":{"metadata":{"lc_agent_name":"a"}}},{"id":"2","trace_id":"t","run_type":"tool","name":"look","inputs":{},"dotted_order":"2","extra":{"metadata":{"lc_agent_name":"b"}}}]"#,
    ),
];

#[test]
fn formats_name_their_agents() {
    for (format, text) in TWO_AGENTS {
        let names = |choices| -> Vec<String> {
            let shown = shown(format, text, choices);
            let name = |line: &String| line.split('(').next().unwrap_or_default().to_owned();
            shown.iter().map(name).collect()
        };
        assert_eq!(
            names(choices(CaseScope::Agent)),
            ["find", "---", "look"],
            "{text}"
        );
        assert_eq!(names(Choices::default()), ["find", "look"], "{text}");
        if format == "langsmith" {
            continue;
        }
        let visits = Choices {
            calls: CallSubject::Agents,
            ..Choices::default()
        };
        assert_eq!(names(visits), ["a", "b"], "{text}");
    }
}

#[test]
fn sub_agents_of_claude_code_and_its_turns_are_told() {
    let line = |kind: &str, rest: &str, content: &str| {
        format!(
            r#"{{"type":"{kind}","sessionId":"s"{rest},"message":{{"role":"{kind}","content":{content}}}}}"#
        )
    };
    let call = |id: u8, name: &str, input: &str| {
        format!(r#"[{{"type":"tool_use","id":"{id}","name":"{name}","input":{input}}}]"#)
    };
    let text = [
        line("user", "", r#""one""#),
        line(
            "assistant",
            "",
            &call(1, "Task", r#"{"subagent_type":"clerk"}"#),
        ),
        line(
            "assistant",
            r#","isSidechain":true"#,
            &call(2, "find", "{}"),
        ),
        line("user", "", r#""two""#),
        line("assistant", "", &call(3, "look", "{}")),
    ]
    .join("\n");
    let of = |scope| -> Vec<String> {
        let shown = shown("claude-code", &text, choices(scope));
        let name = |line: &String| line.split('(').next().unwrap_or_default().to_owned();
        shown.iter().map(name).collect()
    };
    assert_eq!(of(CaseScope::Agent), ["Task", "look", "---", "find"]);
    assert_eq!(of(CaseScope::Turn), ["Task", "find", "---", "look"]);
}

/// Sessions with two user turns: the agent calls `find`, then `look`.
const TWO_TURNS: [(&str, &str); 8] = [
    (
        "codex",
        r#"{"type":"session_meta","timestamp":"2025-01-01T00:00:00Z","payload":{"id":"s"}}
{"type":"event_msg","timestamp":"2025-01-01T00:00:00Z","payload":{"type":"user_message","message":"one"}}
{"type":"response_item","timestamp":"2025-01-01T00:00:00Z","payload":{"type":"function_call","name":"find","arguments":"{}","call_id":"1"}}
{"type":"response_item","timestamp":"2025-01-01T00:00:00Z","payload":{"type":"message","role":"assistant","content":[]}}
{"type":"event_msg","timestamp":"2025-01-01T00:00:00Z","payload":{"type":"user_message","message":"two"}}
{"type":"response_item","timestamp":"2025-01-01T00:00:00Z","payload":{"type":"function_call","name":"look","arguments":"{}","call_id":"2"}}"#,
    ),
    (
        "gemini-cli",
        r#"{"sessionId":"s","projectHash":"p","messages":[{"id":"1","type":"user","content":"one"},{"id":"2","type":"gemini","content":"","toolCalls":[{"id":"1","name":"find","args":{},"status":"success"}]},{"id":"3","type":"user","content":"two"},{"id":"4","type":"gemini","content":"","toolCalls":[{"id":"2","name":"look","args":{},"status":"success"}]}]}"#,
    ),
    (
        "pi",
        r#"{"type":"session","id":"s","timestamp":"2025-01-01T00:00:00Z","cwd":"/"}
{"type":"message","id":"1","message":{"role":"user","content":"one"}}
{"type":"message","id":"2","message":{"role":"assistant","content":[{"type":"toolCall","id":"1","name":"find","arguments":{}}]}}
{"type":"message","id":"3","message":{"role":"user","content":"two"}}
{"type":"message","id":"4","message":{"role":"assistant","content":[{"type":"toolCall","id":"2","name":"look","arguments":{}}]}}"#,
    ),
    (
        "copilot-cli",
        r#"{"type":"session.start","data":{"sessionId":"s"},"id":"1","timestamp":"2026-01-01T00:00:00.000Z"}
{"type":"user.message","data":{"content":"one"},"id":"2","timestamp":"2026-01-01T00:00:00.000Z"}
{"type":"assistant.message","data":{"messageId":"m","content":"","toolRequests":[{"toolCallId":"1","name":"find","arguments":{}}]},"id":"3","timestamp":"2026-01-01T00:00:01.000Z"}
{"type":"user.message","data":{"content":"two"},"id":"4","timestamp":"2026-01-01T00:00:02.000Z"}
{"type":"assistant.message","data":{"messageId":"n","content":"","toolRequests":[{"toolCallId":"2","name":"look","arguments":{}}]},"id":"5","timestamp":"2026-01-01T00:00:03.000Z"}"#,
    ),
    (
        "opencode",
        r#"{"info":{"id":"s"},"messages":[{"info":{"role":"user"},"parts":[{"type":"text","text":"one"}]},{"info":{"role":"assistant"},"parts":[{"type":"tool","callID":"1","tool":"find","state":{"status":"completed","input":{},"output":"x"}}]},{"info":{"role":"user"},"parts":[{"type":"text","text":"two"}]},{"info":{"role":"assistant"},"parts":[{"type":"tool","callID":"2","tool":"look","state":{"status":"completed","input":{},"output":"x"}}]}]}"#,
    ),
    (
        "langchain",
        r#"[{"type":"human","content":"one"},{"type":"ai","content":"","tool_calls":[{"name":"find","args":{},"id":"1"}]},{"type":"human","content":"two"},{"type":"ai","content":"","tool_calls":[{"name":"look","args":{},"id":"2"}]}]"#,
    ),
    (
        "anthropic",
        r#"{"messages":[{"role":"user","content":"one"},{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"find","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"x"}]},{"role":"user","content":[{"type":"text","text":"two"}]},{"role":"assistant","content":[{"type":"tool_use","id":"2","name":"look","input":{}}]}]}"#,
    ),
    (
        "autogen",
        r#"{"messages":[{"source":"user","content":"one","type":"TextMessage"},{"source":"a","content":[{"id":"1","name":"find","arguments":"{}"}],"type":"ToolCallRequestEvent"},{"source":"user","content":"two","type":"TextMessage"},{"source":"a","content":[{"id":"2","name":"look","arguments":"{}"}],"type":"ToolCallRequestEvent"}]}"#,
    ),
];

#[test]
fn sessions_tell_the_turns_of_their_user() {
    for (format, text) in TWO_TURNS {
        let shown = shown(format, text, choices(CaseScope::Turn));
        let name = |line: &String| line.split('(').next().unwrap_or_default().to_owned();
        let names: Vec<_> = shown.iter().map(name).collect();
        assert_eq!(names, ["find", "---", "look"], "{text}");
    }
}
