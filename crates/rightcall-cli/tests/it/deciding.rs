//! What decides between the exit codes, and what is said where nothing does.

use crate::{Place, good, low};

/// A suite over a good and a low case.
fn suite(evaluator: &str, more: &str) -> Place {
    let suite = format!("cases: cases.jsonl\nevaluators: [{evaluator}]\n{more}");
    Place::with_cases(&[good("a"), low("b")]).with("suite.yaml", suite)
}

#[test]
fn a_short_name_of_two_evaluators_is_met_with_both() {
    for (name, ids) in [
        ("tool-correctness", "write `axion/tool-correctness` or `deepeval/tool-correctness`"),
        ("tool-call-accuracy", "write `evalite/tool-call-accuracy` or `ragas/tool-call-accuracy`"),
    ] {
        let said = format!("several evaluators are called `{name}`: {ids}");
        let place = suite(name, "");
        place.check("run suite.yaml", &[], 2, &["suite.yaml:2 /evaluators/0: ", &said]);
        suite(&format!("{{evaluator: {name}}}"), "").check("run suite.yaml", &[], 2, &["/evaluators/0/evaluator: ", &said]);
        place.check(&format!("score cases.jsonl -e {name}"), &[], 2, &["error: ", &said]);
        place.check(&format!("evaluators {name}"), &[], 2, &["error: ", &said]);
    }
    suite("toolCallAccuracy", "").check("run suite.yaml", &[], 0, &[]);
}

#[test]
fn what_evalite_takes_beside_the_calls_counts() {
    let calls = r#""expectedCalls":[{"toolName":"f","input":{}},{"toolName":"g","input":{"x":1}}],"actualCalls":[{"toolName":"g","input":{"x":2}},{"toolName":"f","input":{}}]"#;
    let case = |id: &str, more: &str| format!(r#"{{"id":"{id}",{calls}{more}}}"#);
    let place = Place::with_cases(&[
        case("plain", ""),
        case("flexible", r#","mode":"flexible""#),
        case("weighed", r#","mode":"flexible","weights":{"nameOnly":0}"#),
        case("null", r#","mode":null"#),
    ]);
    let said = place.check("score cases.jsonl -e toolCallAccuracy --format csv", &[], 0, &[]).stdout;
    let scores: Vec<_> = said.lines().skip(1).map(|line| line.split(',').nth(5).unwrap()).collect();
    assert_eq!(scores, ["0.0", "0.75", "0.5", "0.0"]);
    for (more, message) in [
        (r#","mode":"flexibel""#, "`mode` takes one of exact, flexible, found the text \\\"flexibel\\\""),
        (r#","weights":{"Exact":1}"#, "has no setting `weights.Exact`; did you mean `exact`?"),
    ] {
        let said =
            Place::with_cases(&[case("a", more)]).check("score cases.jsonl -e toolCallAccuracy --format jsonl", &[], 2, &[]);
        assert!(
            said.stdout.contains("what the case states beside its calls: ") && said.stdout.contains(message),
            "{}",
            said.stdout
        );
    }
    let other = Place::with_cases(&[case("a", r#","Mode":"flexible""#)]);
    other.check("score cases.jsonl -e toolCallAccuracy", &[], 2, &["cases.jsonl:1 /Mode: expected `mode`, found `Mode`"]);
    place.check(
        "score cases.jsonl -e toolCallAccuracy,weights.Exact=1",
        &[],
        2,
        &["no setting `weights.Exact`; did you mean `exact`?"],
    );
}

#[test]
fn an_unknown_mode_of_one_tool_is_refused() {
    let said = "`tool_args_match_overrides.find` takes exact, ignore, subset, superset or a list of dotted paths, found the text \"exat\"";
    suite("agentevals/trajectory-match", "").check(
        "score cases.jsonl -e",
        &[r#"agentevals/trajectory-match,tool_args_match_overrides={"find":"exat"}"#],
        2,
        &[said],
    );
    suite("{evaluator: agentevals/trajectory-match, tool_args_match_overrides: {find: exat}}", "").check(
        "run suite.yaml",
        &[],
        2,
        &["suite.yaml:2 /evaluators/0/tool_args_match_overrides/find: ", said],
    );
}
