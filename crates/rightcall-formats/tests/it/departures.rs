//! Checks the documented differences between evaluators and their packages.

use rightcall_core::{
    Ask, Departure, EVALUATORS, Edition, Entry, Evaluation, EvaluationError, Evaluator, Outcome,
};
use rightcall_formats::{ReadOptions, read_case};

/// The evaluators with this documented difference.
fn with(point: &str) -> Vec<(&'static Entry, &'static Departure)> {
    let of_entry = |entry: &&'static Entry| {
        let departure = entry
            .page
            .departures
            .iter()
            .find(|it| it.point.starts_with(point));
        departure.map(|departure| (*entry, departure))
    };
    let found: Vec<_> = EVALUATORS.iter().filter_map(of_entry).collect();
    assert!(!found.is_empty(), "no page says {point:?}");
    found
}

/// The evaluator with its package's defaults, but comparing arguments.
fn evaluator(entry: &Entry) -> Evaluator {
    let settings = match entry.id {
        "axion/tool-correctness" => r#"{"check_parameters": true}"#,
        "deepeval/tool-correctness" => r#"{"evaluation_params": ["input_parameters"]}"#,
        "adk/trajectory" => r#"{"threshold": 0.5}"#,
        _ => "{}",
    };
    Evaluator::new(entry.id, settings, Some(Edition::Package)).expect("settings of the package")
}

fn evaluate(entry: &Entry, line: &str) -> Evaluation {
    evaluator(entry).evaluate(
        &read_case(line, &ReadOptions::default()).expect("a case"),
        Ask::ALL,
    )
}

/// A case with one call with these arguments on both sides.
fn same_call(arguments: &str) -> String {
    let calls = format!(r#"[{{"name":"f","args":{arguments}}}]"#);
    format!(r#"{{"id":"a","expected":{calls},"actual":{calls}}}"#)
}

fn score(evaluation: &Evaluation) -> f64 {
    match &evaluation.outcome {
        Outcome::Scored(score) => score.get(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_key_that_comes_twice_must_be_right_at_first() {
    let case = r#"{"id":"a","expected":[{"name":"f","args":3,"args":{}}],"actual":[]}"#;
    assert!(read_case(case, &ReadOptions::default()).is_err());
    for (entry, _) in with("a key that comes twice") {
        let case = same_call(r#"{"a":1,"a":2}"#).replacen(r#""a":1,"#, "", 1);
        let full = evaluate(entry, &same_call(r#"{"a":2}"#));
        let repeated = evaluate(entry, &case);
        assert_eq!(
            format!("{:?}", repeated.outcome),
            format!("{:?}", full.outcome),
            "{}",
            entry.id
        );
    }
}

#[test]
fn what_is_nested_too_deeply_is_an_error_of_that_case() {
    let deep = |levels: usize| {
        same_call(&format!(
            "{}1{}",
            r#"{"a":"#.repeat(levels),
            "}".repeat(levels)
        ))
    };
    assert!(read_case(&deep(600), &ReadOptions::default()).is_err());
    for (entry, departure) in with("more than 512 levels") {
        assert!(
            departure
                .point
                .contains(&rightcall_core::value::MAX_DEPTH.to_string())
        );
        evaluate(entry, &deep(500));
    }
}

#[test]
fn settings_of_unknown_names_are_refused_and_the_drop_ins_ignore_them() {
    for (entry, _) in with("a setting of an unknown name") {
        let settings = r#"{"zzz": 1, "threshold": 0.5}"#;
        let settings = if entry.id == "adk/trajectory" {
            settings
        } else {
            r#"{"zzz": 1}"#
        };
        assert!(
            Evaluator::new(entry.id, settings, None).is_err(),
            "{}",
            entry.id
        );
        assert!(
            Evaluator::from_config(entry.id, settings, Edition::Package).is_ok(),
            "{}",
            entry.id
        );
    }
}

#[test]
fn null_is_no_list_of_calls_but_in_the_package_s_own_shape() {
    for (entry, _) in with("`null` in place of a list of calls") {
        for case in [
            r#"{"id":"a","expected":null,"actual":[]}"#,
            r#"{"id":"a","expected":[],"actual":null}"#,
        ] {
            let outcome = evaluate(entry, case).outcome;
            assert!(
                matches!(outcome, Outcome::NotApplicable(_)),
                "{} {case}: {outcome:?}",
                entry.id
            );
        }
        let (expected, empty, actual) = match entry.id {
            "ragas/tool-call-f1" => (
                r#"{"reference_tool_calls":null}"#,
                r#"{"reference_tool_calls":[]}"#,
                "[]",
            ),
            "adk/trajectory" => (
                r#"[{"intermediate_data":null}]"#,
                r#"[{"intermediate_data":{"tool_uses":[]}}]"#,
                r#"[{"intermediate_data":null}]"#,
            ),
            _ => ("null", "[]", "[]"),
        };
        let native =
            |expected: &str| score(&evaluator(entry).evaluate_native(expected, actual, Ask::ALL));
        assert_eq!(native(expected), native(empty), "{}", entry.id);
    }
}

#[test]
fn an_error_result_is_no_score_and_is_kept() {
    let span = |input: &str| {
        format!(r#"[{{"name":"s","attributes":{{"tool.name":"f","input.value":{input}}}}}]"#)
    };
    for (entry, _) in with("an exception while a case is judged") {
        let (expected, actual) = match entry.id {
            "uipath/tool-call-count" => (r#"{"tool_calls_count":{"f":["~",1]}}"#, span("{}")),
            _ => (
                r#"{"tool_calls":[{"name":"f","args":{}}]}"#,
                span(r#""{[1]: 2}""#),
            ),
        };
        let evaluation = evaluator(entry).evaluate_native(expected, &actual, Ask::ALL);
        let is_error = matches!(
            evaluation.outcome,
            Outcome::Failed(EvaluationError::ErrorResult(_))
        );
        assert!(is_error, "{}: {:?}", entry.id, evaluation.outcome);
        let result = evaluation.result.unwrap();
        assert!(
            result
                .as_str()
                .starts_with(r#"{"score":0.0,"score_type":2,"#),
            "{}",
            result.as_str()
        );
    }
}

#[test]
fn nan_equals_nothing() {
    let points = [
        "`NaN` within arguments of both sides",
        "`NaN` within a list or an object",
        "`NaN` in a file",
    ];
    for (entry, _) in points.into_iter().flat_map(with) {
        for arguments in ["{\"a\":NaN}", "{\"a\":[NaN]}", "{\"a\":{\"b\":[1,NaN]}}"] {
            let full = score(&evaluate(entry, &same_call(&arguments.replace("NaN", "2"))));
            let found = score(&evaluate(entry, &same_call(arguments)));
            assert!(found < full, "{} {arguments}: {found} of {full}", entry.id);
        }
    }
}

#[test]
fn a_weight_that_is_no_number_gives_no_score() {
    for (entry, _) in with("a weight that is no number") {
        let evaluator = Evaluator::from_config(
            entry.id,
            r#"{"weights":{"nameOnly":"high"}}"#,
            Edition::Package,
        )
        .unwrap();
        let case = same_call("{}").replacen(r#""args":{}"#, r#""args":{"a":1}"#, 1);
        let outcome = evaluator
            .evaluate(
                &read_case(&case, &ReadOptions::default()).unwrap(),
                Ask::ALL,
            )
            .outcome;
        assert!(
            matches!(outcome, Outcome::Failed(_)),
            "{}: {outcome:?}",
            entry.id
        );
    }
}

#[test]
fn a_negative_zero_equals_itself() {
    for (entry, _) in with("`-0` in an expected argument") {
        assert_eq!(score(&evaluate(entry, &same_call(r#"{"n":-0.0}"#))), 1.0);
    }
}
