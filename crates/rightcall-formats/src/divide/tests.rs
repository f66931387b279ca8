use super::*;
use crate::trace::{CaseScope, Choices};

fn of_scope(scope: CaseScope) -> ReadOptions {
    ReadOptions {
        choices: Choices {
            scope,
            ..Choices::default()
        },
        ..ReadOptions::default()
    }
}

#[track_caller]
fn check(scope: CaseScope, text: &str, expected: &[&str]) {
    let found = divided(text, &of_scope(scope)).unwrap();
    assert_eq!(found.unwrap_or_default(), expected);
}

#[test]
fn what_is_expected_of_each_agent_is_a_case_of_its_own() {
    let text = r#"{"id":"r","tags":["x"],"model":"m","meta":{"k":1,"l":2},
        "agents":{"planner":{"expected":["find"]},"billing":{"expected":[],"tags":["y"],"meta":{"l":3}}}}"#;
    check(
        CaseScope::Agent,
        text,
        &[
            r#"{"id":"r/planner","expected":["find"],"tags":["x"],"model":"m","meta":{"agent":"planner","k":1,"l":2}}"#,
            r#"{"id":"r/billing","expected":[],"tags":["y"],"model":"m","meta":{"agent":"billing","l":3,"k":1}}"#,
        ],
    );
    check(CaseScope::Node, text, &[]);
    let error = read_case(text, &ReadOptions::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "expected one case, found what is expected of each agent, under `agents`"
    );
    assert!(error.help.unwrap().contains("--read scope=agent"));
}

#[test]
fn turns_may_stand_in_a_list() {
    check(
        CaseScope::Turn,
        r#"{"id":7,"turns":[{"expected":["a"]},{"expected":["b"]}]}"#,
        &[
            r#"{"id":"7/1","expected":["a"],"meta":{"turn":1}}"#,
            r#"{"id":"7/2","expected":["b"],"meta":{"turn":2}}"#,
        ],
    );
}

#[test]
fn calls_go_to_the_agent_that_made_them() {
    let text = r#"{"id":"r","agents":{"a":{"expected":["f"]},"idle":{"expected":[]}},"actual":[
        {"name":"f","actor":"a"},{"name":"g","actor":"b","parent":0},"x",{"name":"h","actor":"a","parent":0}]}"#;
    check(
        CaseScope::Agent,
        text,
        &[
            r#"{"id":"r","actual":["x"]}"#,
            r#"{"id":"r/a","expected":["f"],"actual":[{"name":"f"},{"name":"h","parent":0}],"meta":{"agent":"a"}}"#,
            r#"{"id":"r/idle","expected":[],"actual":[],"meta":{"agent":"idle"}}"#,
            r#"{"id":"r/b","actual":[{"name":"g"}],"meta":{"agent":"b"}}"#,
        ],
    );
}

#[test]
fn expected_calls_that_name_their_agent_go_to_its_case() {
    check(
        CaseScope::Agent,
        r#"{"id":"r","expected":[{"name":"f","actor":"a"},{"name":"g","actor":"b"}],"actual":[{"name":"f","actor":"a"}]}"#,
        &[
            r#"{"id":"r/a","expected":[{"name":"f"}],"actual":[{"name":"f"}],"meta":{"agent":"a"}}"#,
            r#"{"id":"r/b","expected":[{"name":"g"}],"actual":[],"meta":{"agent":"b"}}"#,
        ],
    );
    check(
        CaseScope::Agent,
        r#"{"id":"r","expected":[{"name":"f","actor":"a"}],"actual":[]}"#,
        &[r#"{"id":"r/a","expected":[{"name":"f"}],"actual":[],"meta":{"agent":"a"}}"#],
    );
    check(
        CaseScope::Agent,
        r#"{"id":"r","expected":[{"name":"f","actor":"a"}]}"#,
        &[r#"{"id":"r/a","expected":[{"name":"f"}],"meta":{"agent":"a"}}"#],
    );
}

#[test]
fn messages_are_divided_by_turns_and_by_agents_that_they_name() {
    let system = r#"{"role":"system","content":"s"}"#;
    let user = |text: &str| format!(r#"{{"role":"user","content":"{text}"}}"#);
    let says = |agent: &str| {
        format!(
            r#"{{"role":"assistant","name":"{agent}","tool_calls":[{{"id":"1","function":{{"name":"f","arguments":"{{}}"}}}}]}}"#
        )
    };
    let gives = r#"{"role":"tool","tool_call_id":"1","content":"x"}"#;
    let (one, two, a, b) = (user("one"), user("two"), says("a"), says("b"));
    let text = format!(
        r#"{{"id":"r","outputs":[{system},{one},{a},{gives}],"reference_outputs":[{one},{a},{gives},{b},{two},{b}],"trajectory_match_mode":"strict"}}"#
    );
    let case = |part: &str, reference: &[&str], outputs: &[&str]| {
        let id = part.trim_matches('"');
        let key = if part == id { "turn" } else { "agent" };
        let (reference, outputs) = (reference.join(","), outputs.join(","));
        format!(
            r#"{{"id":"r/{id}","trajectory_match_mode":"strict","reference_outputs":[{reference}],"outputs":[{outputs}],"meta":{{"{key}":{part}}}}}"#
        )
    };
    check(
        CaseScope::Turn,
        &text,
        &[
            &case("1", &[&one, &a, gives, &b], &[system, &one, &a, gives]),
            &case("2", &[&two, &b], &[]),
        ],
    );
    check(
        CaseScope::Agent,
        &text,
        &[
            &case("\"a\"", &[&one, &a, gives], &[system, &one, &a, gives]),
            &case("\"b\"", &[&b, &two, &b], &[]),
        ],
    );
    // A turn with an expectation gets the messages of its turn in the run.
    let listed = format!(
        r#"{{"id":"r","turns":[{{"expected":["f"]}},{{"expected":[]}}],"actual":[{one},{a},{two}]}}"#
    );
    check(
        CaseScope::Turn,
        &listed,
        &[
            &format!(r#"{{"id":"r/1","expected":["f"],"actual":[{one},{a}],"meta":{{"turn":1}}}}"#),
            &format!(r#"{{"id":"r/2","expected":[],"actual":[{two}],"meta":{{"turn":2}}}}"#),
        ],
    );
}

#[test]
fn invocations_are_turns() {
    let uses = |name: &str| {
        format!(r#"{{"intermediate_data":{{"tool_uses":[{{"name":"{name}","args":{{}}}}]}}}}"#)
    };
    let (f, g) = (uses("f"), uses("g"));
    check(
        CaseScope::Turn,
        &format!(r#"{{"id":"r","expected":[{f},{g}],"actual":[{f}]}}"#),
        &[
            &format!(r#"{{"id":"r/1","expected":[{f}],"actual":[{f}],"meta":{{"turn":1}}}}"#),
            &format!(r#"{{"id":"r/2","expected":[{g}],"actual":[],"meta":{{"turn":2}}}}"#),
        ],
    );
}

#[test]
fn cases_of_one_agent_and_expectations_stay_as_they_are() {
    for text in [
        r#"{"id":"r/a","expected":["f"]}"#,
        r#"{"id":"r/a","agent":"a","expected":["f"],"actual":["f"]}"#,
        r#"{"id":"r/a","actual":[],"meta":{"agent":"a"}}"#,
        r#"{"id":"r","agents":["a","b"],"expected":["f"]}"#,
        "[",
    ] {
        assert_eq!(
            divided(text, &of_scope(CaseScope::Agent)),
            Ok(None),
            "{text}"
        );
        assert_eq!(divided(text, &of_scope(CaseScope::Run)), Ok(None), "{text}");
    }
}

#[test]
fn a_run_of_which_no_call_tells_its_agent_is_an_error() {
    for (text, message) in [
        (
            r#"{"id":"r","expected":["f"],"actual":["f"]}"#,
            "expected the agent of each call in this case, found none",
        ),
        (
            r#"{"outputs":[],"reference_outputs":[]}"#,
            "expected the agent of each call in this case, found none",
        ),
        (
            r#"{"agents":{"a":{"expected":[]}},"actual":["f"]}"#,
            "expected the agent of each call in this case, found none",
        ),
        (
            r#"{"expected":["f"],"actual":[{"name":"f","actor":"a"}]}"#,
            "expected what is expected of each agent, under `agents`, found what is expected of the whole run",
        ),
        (
            r#"{"expected":["g",{"name":"f","actor":"a"}],"actual":[{"name":"f","actor":"a"}]}"#,
            "expected what is expected of each agent, under `agents`, found what is expected of the whole run",
        ),
        (
            r#"{"expected":[{"name":"f","actor":"a"}],"actual":["f"]}"#,
            "expected the agent of each call in this case, found none",
        ),
    ] {
        let error = divided(text, &of_scope(CaseScope::Agent)).unwrap_err();
        assert_eq!(error.to_string(), message, "{text}");
    }
}
