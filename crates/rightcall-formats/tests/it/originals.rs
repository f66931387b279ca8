//! Fields and settings in the original tools' own spelling.

use rightcall_core::{Ask, Edition, Evaluator, Outcome};
use rightcall_formats::{ReadOptions, read_case};

/// The score of a case in the original tool's shape; `None` for an error.
fn score(evaluator: &str, settings: &str, expected: &str, actual: &str) -> Option<f64> {
    let evaluator = Evaluator::from_config(evaluator, settings, Edition::Package)
        .expect("the settings are right");
    match evaluator
        .evaluate_native(expected, actual, Ask::OUTCOME)
        .outcome
    {
        Outcome::Scored(score) => Some(score.get()),
        _ => None,
    }
}

#[test]
fn axion_takes_a_latency_that_is_a_number_or_null() {
    let call =
        |latency: &str| format!(r#"[{{"name":"a","args":{{}},"request_latency":{latency}}}]"#);
    for (latency, wanted) in [
        ("0.5", Some(1.0)),
        ("2", Some(1.0)),
        ("null", Some(1.0)),
        ("[]", None),
        ("{}", None),
    ] {
        assert_eq!(
            score(
                "axion/tool-correctness",
                "{}",
                r#"[{"name":"a","args":{}}]"#,
                &call(latency)
            ),
            wanted,
            "{latency}"
        );
    }
}

#[test]
fn evalite_takes_weights_under_names_of_both_kinds() {
    let case = r#"{"expected":[{"name":"a","args":{"x":1}},{"name":"b","args":{}}],"actual":[{"name":"a","args":{"x":2}},{"name":"c","args":{}}]}"#;
    let case = read_case(case, &ReadOptions::default()).expect("the case is well formed");
    for (weights, wanted) in [
        ("{}", 0.125),
        (r#"{"name_only":0.75,"extra_penalty":0.5}"#, 0.125),
        (r#"{"nameOnly":1,"extraPenalty":0.5}"#, 0.25),
        (r#"{"name_only":1,"extra_penalty":0}"#, 0.5),
    ] {
        let settings = format!(r#"{{"mode":"flexible","weights":{weights}}}"#);
        let evaluator = Evaluator::new("evalite/tool-call-accuracy", &settings, None)
            .expect("the settings are right");
        let found = evaluator.evaluate(&case, Ask::OUTCOME).outcome;
        assert!(
            matches!(found, Outcome::Scored(score) if score.get() == wanted),
            "{weights}: {found:?}"
        );
    }
    assert!(
        Evaluator::new(
            "evalite/tool-call-accuracy",
            r#"{"weights":{"name_only":"much"}}"#,
            None
        )
        .is_err()
    );
}
