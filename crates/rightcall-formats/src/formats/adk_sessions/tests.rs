use crate::tests::{check, evidence, shown};
use crate::trace::{CallSubject, CaseScope, Choices};

#[test]
fn partial_events_and_calls_of_the_framework_do_not_count() {
    let event = |rest: &str, parts: &str| {
        format!(
            r#"{{"invocationId":"i",{rest},"content":{{"role":"model","parts":[{parts}]}},"timestamp":1.5}}"#
        )
    };
    let events = [
        event(r#""author":"user""#, r#"{"text":"q"}"#),
        event(
            r#""author":"root","partial":true"#,
            r#"{"functionCall":{"name":"find","args":{}}}"#,
        ),
        event(
            r#""author":"root","partial":false"#,
            r#"{"functionCall":{"id":"a","name":"find","args":{"id":7}}},{"functionCall":{"name":"transfer_to_agent"}}"#,
        ),
        event(
            r#""author":"root""#,
            r#"{"functionResponse":{"id":"a","name":"find","response":{"result":1}}}"#,
        ),
        event(
            r#""author":"helper""#,
            r#"{"functionCall":{"id":"b","name":"look"}}"#,
        ),
    ];
    check(
        "adk-sessions",
        &format!(
            r#"{{"id":"s","appName":"x","events":[{}]}}"#,
            events.join(",")
        ),
        &[
            r#"find({"id":7}) a @1 group-1 -> {"result":1}"#,
            "look({}) b @3 helper",
            "1 internal to the framework",
        ],
    );
}

#[test]
fn an_event_of_the_agent_is_its_turn_unless_a_call_is_missing() {
    let told = |author: &str, rest: &str| {
        evidence(
            "adk-sessions",
            &format!(
                r#"{{"id":"s","appName":"x","events":[{{"invocationId":"i","author":"{author}",{rest}}}]}}"#
            ),
        )
    };
    let text = r#""content":{"role":"model","parts":[{"text":"x"}]}"#;
    assert_eq!(told("root", text), ["spoke"]);
    assert_eq!(told("user", text), ["silent"]);
    let malformed = r#""errorCode":"MALFORMED_FUNCTION_CALL""#;
    assert_eq!(
        told("root", malformed),
        [
            "silent",
            "1 finish reason `MALFORMED_FUNCTION_CALL` without a call"
        ]
    );
    let waits = format!(r#"{text},"longRunningToolIds":["a"]"#);
    assert_eq!(
        told("root", &waits),
        ["spoke", "1 the id of a call that is not in the file"]
    );
}

#[test]
fn authors_are_agents_and_invocations_turns() {
    let event = |author: &str, invocation: u8, name: &str| {
        format!(
            r#"{{"invocationId":"i{invocation}","author":"{author}","content":{{"parts":[{{"functionCall":{{"name":"{name}"}}}}]}},"timestamp":1.5}}"#
        )
    };
    let events = [
        r#"{"invocationId":"i1","author":"user","content":{"parts":[{"text":"q"}]}}"#.to_owned(),
        event("root", 1, "find"),
        event("helper", 1, "look"),
        r#"{"invocationId":"i2","author":"user","content":{"parts":[{"text":"q"}]}}"#.to_owned(),
        event("root", 2, "send"),
    ];
    let text = format!(
        r#"{{"id":"s","appName":"x","events":[{}]}}"#,
        events.join(",")
    );
    let of = |scope| {
        let choices = Choices {
            scope,
            ..Choices::default()
        };
        shown("adk-sessions", &text, choices)
    };
    let (find, look, send) = ("find({}) @1", "look({}) @2", "send({}) @4");
    assert_eq!(of(CaseScope::Agent), [find, send, "---", look]);
    assert_eq!(
        of(CaseScope::Turn),
        [find, "look({}) @2 helper", "---", send]
    );
    let choices = Choices {
        calls: CallSubject::Agents,
        ..Choices::default()
    };
    let visits = ["root(?)", "helper(?)", "root(?)"];
    assert_eq!(shown("adk-sessions", &text, choices), visits);
}
