//! Messages, results and streams of the AI SDK.

use crate::tests::check;

#[test]
fn model_messages_of_both_ages() {
    check(
        "vercel",
        r#"[{"role":"assistant","content":[{"type":"text","text":"t"},
                {"type":"tool-call","toolCallId":"a","toolName":"find","input":{"id":7}},
                {"type":"tool-call","toolCallId":"b","toolName":"look","args":{}}]},
            {"role":"tool","content":[{"type":"tool-result","toolCallId":"b","toolName":"look","result":[1],"isError":true},
                {"type":"tool-result","toolCallId":"a","toolName":"find","output":{"type":"error-text","value":"no"}}]}]"#,
        &[
            r#"find({"id":7}) a @0 group-1 -> "no" error true"#,
            r"look({}) b @0 group-1 -> [1] error true",
        ],
    );
}

#[test]
fn the_steps_of_a_result_hold_all_calls() {
    check(
        "vercel",
        r#"{"text":"t","toolCalls":[],"steps":[
            {"toolCalls":[{"type":"tool-call","toolCallId":"a","toolName":"find","input":{"id":7}}],
             "toolResults":[{"type":"tool-result","toolCallId":"a","toolName":"find","input":{"id":7},"output":"x"}]},
            {"toolCalls":[{"toolCallId":"a","toolName":"search","args":{},"providerExecuted":true}],"toolResults":[]}]}"#,
        &[
            r#"find({"id":7}) a @0 -> "x""#,
            r"search({}) a @1 by provider",
        ],
    );
}

#[test]
fn parts_of_user_interfaces_hold_both_halves() {
    check(
        "vercel",
        r#"[{"role":"assistant","parts":[{"type":"step-start"},
            {"type":"tool-find","toolCallId":"a","state":"output-available","input":{"id":7},"output":"x"},
            {"type":"dynamic-tool","toolName":"look","toolCallId":"b","state":"output-error","rawInput":"{","errorText":"no"},
            {"type":"tool-find","toolCallId":"c","state":"input-streaming","input":{}},
            {"type":"step-start"},
            {"type":"tool-invocation","toolInvocation":{"state":"result","toolCallId":"d","toolName":"find","args":{},"result":1}},
            {"type":"tool-drop","toolCallId":"e","state":"output-denied","input":{}}]}]"#,
        &[
            r#"find({"id":7}) a @1 group-1 -> "x""#,
            r#"look("{") b @1 group-1 error "no""#,
            r"find({}) d @2 group-2 -> 1",
            r#"drop({}) e @2 group-2 not run error "denied""#,
            "1 unfinished",
        ],
    );
}

#[test]
fn messages_and_results_of_mastra_wrap_the_same_parts() {
    let invocation =
        r#"{"state":"result","toolCallId":"a","toolName":"find","args":{"id":7},"result":"x"}"#;
    let message = format!(
        r#"[{{"role":"assistant","content":{{"format":2,"parts":[{{"type":"tool-invocation","toolInvocation":{invocation}}}],"toolInvocations":[{invocation}]}}}}]"#
    );
    check("vercel", &message, &[r#"find({"id":7}) a @0 -> "x""#]);
    check(
        "vercel",
        r#"{"text":"t","steps":[{"toolCalls":[{"type":"tool-call","runId":"r","from":"AGENT","payload":{"toolCallId":"a","toolName":"find","args":{"id":7}}}],
            "toolResults":[{"type":"tool-result","runId":"r","from":"AGENT","payload":{"toolCallId":"a","toolName":"find","result":"x"}}]}]}"#,
        &[r#"find({"id":7}) a @0 -> "x""#],
    );
}

#[test]
fn a_copy_of_a_step_has_its_content_alone() {
    check(
        "vercel",
        r#"{"steps":[{"content":[{"type":"tool-call","toolCallId":"a","toolName":"find","input":{"id":7}},
            {"type":"tool-result","toolCallId":"a","toolName":"find","input":{"id":7},"output":"x"}],"finishReason":"tool-calls"}]}"#,
        &[r#"find({"id":7}) a @0 -> "x""#],
    );
}

#[test]
fn streams_of_user_interfaces_come_as_events_lines_and_lists() {
    let parts = [
        r#"{"type":"start","messageId":"m"}"#,
        r#"{"type":"start-step"}"#,
        r#"{"type":"tool-input-start","toolCallId":"a","toolName":"find"}"#,
        r#"{"type":"tool-input-delta","toolCallId":"a","inputTextDelta":"{\"id\""}"#,
        r#"{"type":"tool-input-available","toolCallId":"a","toolName":"find","input":{"id":7}}"#,
        r#"{"type":"tool-input-error","toolCallId":"b","toolName":"look","input":"{","errorText":"no"}"#,
        r#"{"type":"tool-output-available","toolCallId":"a","output":"half","preliminary":true}"#,
        r#"{"type":"tool-output-available","toolCallId":"a","output":"x"}"#,
        r#"{"type":"finish-step"}"#,
        r#"{"type":"start-step"}"#,
        r#"{"type":"tool-input-available","toolCallId":"c","toolName":"ask","input":{},"dynamic":true,"providerExecuted":true}"#,
        r#"{"type":"tool-output-error","toolCallId":"c","errorText":"away"}"#,
        r#"{"type":"tool-input-available","toolCallId":"d","toolName":"drop","input":{}}"#,
        r#"{"type":"tool-output-denied","toolCallId":"d"}"#,
        r#"{"type":"tool-input-start","toolCallId":"e","toolName":"cut"}"#,
        r#"{"type":"text-start","id":"t"}"#,
    ];
    let found = [
        r#"find({"id":7}) a @0 group-1 -> "x""#,
        r#"look("{") b @0 group-1 error "no""#,
        r#"ask({}) c @1 group-2 by provider error "away""#,
        r#"drop({}) d @1 group-2 not run error "denied""#,
        "1 unfinished",
    ];
    check("vercel", &parts.join("\n"), &found);
    check("vercel", &format!("[{}]", parts.join(",")), &found);
    check(
        "vercel",
        &parts.map(|part| format!("data: {part}\n\n")).concat(),
        &found,
    );
}

#[test]
fn a_denial_is_one_in_whatever_notation() {
    let denied = |call: &str| format!(r#"drop({{"path":"x"}}) c {call} not run error "denied""#);
    let ui = |state: &str| {
        format!(
            r#"[{{"role":"assistant","parts":[{{"type":"step-start"}},{{"type":"tool-drop","toolCallId":"c","input":{{"path":"x"}},{state}}}]}}]"#
        )
    };
    for state in [
        r#""state":"output-denied","approval":{"id":"p","approved":false,"reason":"no"}"#,
        r#""state":"approval-responded","approval":{"id":"p","approved":false}"#,
        r#""state":"output-denied""#,
    ] {
        check("vercel", &ui(state), &[&denied("@1")]);
    }
    let asked = r#"{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c","toolName":"drop","input":{"path":"x"}},{"type":"tool-approval-request","approvalId":"p","toolCallId":"c"}]}"#;
    let response =
        r#"{"type":"tool-approval-response","approvalId":"p","approved":false,"reason":"no"}"#;
    let result = |output: &str| {
        format!(r#"{{"type":"tool-result","toolCallId":"c","toolName":"drop","output":{output}}}"#)
    };
    let refused = result(r#"{"type":"execution-denied","reason":"no"}"#);
    for answers in [
        refused.clone(),
        response.to_owned(),
        format!("{response},{refused}"),
    ] {
        let answer = format!(r#"{{"role":"tool","content":[{answers}]}}"#);
        check("vercel", &format!("[{asked},{answer}]"), &[&denied("@0")]);
        check("vercel", &format!("{asked}\n{answer}\n"), &[&denied("@0")]);
        check(
            "vercel",
            &format!(r#"{{"messages":[{asked},{answer}]}}"#),
            &[&denied("@0")],
        );
    }
    let in_words = result(r#"{"type":"text","value":"no"}"#);
    check(
        "vercel",
        &format!(r#"[{asked},{{"role":"tool","content":[{response},{in_words}]}}]"#),
        &[r#"drop({"path":"x"}) c @0 not run -> "no" error "denied""#],
    );
    let approved = response.replace("false", "true");
    check(
        "vercel",
        &format!(r#"[{asked},{{"role":"tool","content":[{approved},{in_words}]}}]"#),
        &[r#"drop({"path":"x"}) c @0 -> "no""#],
    );
    let stream = [
        r#"{"type":"start","messageId":"m"}"#,
        r#"{"type":"tool-input-available","toolCallId":"c","toolName":"drop","input":{"path":"x"}}"#,
        r#"{"type":"tool-approval-request","approvalId":"p","toolCallId":"c"}"#,
    ];
    for last in [
        r#"{"type":"tool-output-denied","toolCallId":"c"}"#,
        response,
    ] {
        let text = [&stream[..], &[last]].concat().join("\n");
        check("vercel", &text, &[&denied("@0")]);
    }
}

#[test]
fn flags_of_failure_are_read_at_all_their_places() {
    let invocation = r#"{"state":"result","toolCallId":"a","toolName":"find","args":{},"result":"x","isError":true}"#;
    let part = format!(r#"{{"type":"tool-invocation","toolInvocation":{invocation}}}"#);
    let found = [r#"find({}) a @0 -> "x" error true"#];
    for message in [
        format!(r#"{{"role":"assistant","content":{{"format":2,"parts":[{part}]}}}}"#),
        format!(r#"{{"role":"assistant","parts":[{part}]}}"#),
        format!(r#"{{"role":"assistant","parts":[],"toolInvocations":[{invocation}]}}"#),
        r#"{"role":"assistant","parts":[{"type":"tool-find","toolCallId":"a","state":"output-available","input":{},"output":"x","isError":true}]}"#.to_owned(),
    ] {
        check("vercel", &format!("[{message}]"), &found);
    }
    check(
        "vercel",
        r#"{"toolCalls":[{"toolCallId":"a","toolName":"find","input":"{","invalid":true,"error":"bad"}]}"#,
        &[r#"find("{") a @0 error "bad""#],
    );
}

#[test]
fn an_input_in_pieces_is_a_call_though_no_event_says_that_it_is_whole() {
    let begun = [
        r#"{"type":"start"}"#,
        r#"{"type":"tool-input-start","toolCallId":"k","toolName":"find","dynamic":true}"#,
        r#"{"type":"tool-input-delta","toolCallId":"k","inputTextDelta":"{\"id\":"}"#,
        r#"{"type":"tool-input-delta","toolCallId":"k","inputTextDelta":"7}"}"#,
    ];
    let answer = r#"{"type":"tool-output-available","toolCallId":"k","output":"x"}"#;
    let end = r#"{"type":"finish"}"#;
    let (call, answered) = (
        r#"find("{\"id\":7}") k @1"#,
        r#"find("{\"id\":7}") k @1 -> "x""#,
    );
    for (last, found) in [
        (vec![answer, end], answered),
        (vec![end, answer], answered),
        (vec![end], call),
        (vec![], call),
    ] {
        let events = [&begun[..], &last].concat();
        check("vercel", &format!("[{}]", events.join(",")), &[found]);
        check("vercel", &events.join("\n"), &[found]);
    }
    let older = begun[1..]
        .join("\n")
        .replace("tool-input-start", "tool-call-streaming-start");
    let older = older
        .replace("tool-input-delta", "tool-call-delta")
        .replace("inputTextDelta", "argsTextDelta");
    check(
        "vercel",
        &format!("{older}\n{end}"),
        &[r#"find("{\"id\":7}") k @0"#],
    );
}

#[test]
fn a_step_with_its_request_and_response_is_no_recording() {
    let step = |content: &str| {
        format!(
            r#"{{"content":[{content}],"finishReason":"tool-calls","request":{{"body":"…"}},"response":{{"id":"r","modelId":"m"}}}}"#
        )
    };
    let call = r#"{"type":"tool-call","toolCallId":"c","toolName":"find","input":{"id":7}}"#;
    let steps = format!("[{},{}]", step(call), step(r#"{"type":"text","text":"x"}"#));
    check("vercel", &steps, &[r#"find({"id":7}) c @0"#]);
}
