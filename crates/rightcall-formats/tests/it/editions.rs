//! The effect of an edition, of absent values and of another tool's shape on a canonical case.

use rightcall_core::{Ask, Edition, Evaluator, Outcome};
use rightcall_formats::{ReadOptions, read_case};

#[derive(Debug, PartialEq)]
enum Found {
    Score(f64),
    NotApplicable(String),
    Failed(String),
}
use Found::{Failed, NotApplicable, Score};

fn evaluate(evaluator: &str, settings: &str, case: &str) -> Found {
    let case = read_case(case, &ReadOptions::default()).expect("the case is well formed");
    let evaluator = Evaluator::new(evaluator, settings, None).expect("the settings are right");
    match evaluator.evaluate(&case, Ask::ALL).outcome {
        Outcome::Scored(score) => Score(score.get()),
        Outcome::NotApplicable(reason) => NotApplicable(reason.to_string()),
        Outcome::Failed(error) => Failed(error.to_string()),
    }
}

#[test]
fn an_empty_order_is_an_error_only_where_the_user_wrote_it() {
    let derived = r#"{"expected":[],"actual":[{"name":"a"}]}"#;
    let stated = r#"{"expected":{"order":[]},"actual":[{"name":"a"}]}"#;
    let order = "uipath/tool-call-order";
    assert!(matches!(evaluate(order, "{}", derived), NotApplicable(_)));
    assert!(matches!(evaluate(order, "{}", stated), Failed(_)));
    assert_eq!(
        evaluate(order, r#"{"edition":"package"}"#, derived),
        Score(0.0)
    );
    assert_eq!(
        evaluate(
            order,
            r#"{"edition":"package"}"#,
            r#"{"expected":[],"actual":[]}"#
        ),
        Score(1.0)
    );
}

#[test]
fn what_was_not_recorded_is_not_zero() {
    let case = r#"{"expected":[{"name":"a","args":{"x":1}}],"actual":[{"name":"a"}]}"#;
    for (evaluator, settings) in [
        ("uipath/tool-call-args", "{}"),
        ("tpmjs/tool-call-accuracy-score", "{}"),
        ("evalite/tool-call-accuracy", "{}"),
        ("axion/tool-correctness", r#"{"check_parameters":true}"#),
        (
            "deepeval/tool-correctness",
            r#"{"evaluation_params":["input_parameters"]}"#,
        ),
        ("ragas/tool-call-f1", "{}"),
        ("agentevals/trajectory-match", "{}"),
        ("adk/trajectory", "{}"),
        ("trajectory", "{}"),
    ] {
        let expected = NotApplicable("call 1 (`a`) was recorded without `args`".to_owned());
        assert_eq!(evaluate(evaluator, settings, case), expected, "{evaluator}");
    }
    assert_eq!(evaluate("uipath/tool-call-order", "{}", case), Score(1.0));
    assert_eq!(
        evaluate(
            "uipath/tool-call-output",
            "{}",
            r#"{"expected":{"outputs":[{"name":"a","output":"x"}]},"actual":[{"name":"a"}]}"#
        ),
        NotApplicable("call 1 (`a`) was recorded without `output`".to_owned())
    );
    assert!(matches!(
        evaluate("uipath/tool-call-order", "{}", r#"{"expected":["a"]}"#),
        NotApplicable(_)
    ));
}

#[test]
fn arguments_left_open_demand_nothing_where_the_evaluator_can_say_so() {
    let case = r#"{"expected":["a"],"actual":[{"name":"a","args":{"x":1}}]}"#;
    for (evaluator, settings, expected) in [
        ("uipath/tool-call-args", "{}", Score(1.0)),
        (
            "axion/tool-correctness",
            r#"{"check_parameters":true,"parameter_matching_strategy":"subset"}"#,
            Score(1.0),
        ),
        ("evalite/tool-call-accuracy", "{}", Score(1.0)),
        ("trajectory", "{}", Score(1.0)),
    ] {
        assert_eq!(evaluate(evaluator, settings, case), expected, "{evaluator}");
    }
    let open = NotApplicable(
        "expected call 1 (`a`) has no `args`, and this evaluator compares it".to_owned(),
    );
    for (evaluator, settings) in [
        ("tpmjs/tool-call-accuracy-score", "{}"),
        ("axion/tool-correctness", r#"{"check_parameters":true}"#),
        ("evalite/tool-call-accuracy", r#"{"mode":"flexible"}"#),
        ("ragas/tool-call-accuracy", "{}"),
    ] {
        assert_eq!(evaluate(evaluator, settings, case), open, "{evaluator}");
    }
}

#[test]
fn an_originals_own_shape_is_read_by_its_rules_and_scored_by_all() {
    let tpmjs =
        r#"{"expected":[{"tool":"a","args":["x"]}],"actual":[{"tool":"a","args":{"0":"x"}}]}"#;
    assert_eq!(
        evaluate("tpmjs/tool-call-accuracy-score", "{}", tpmjs),
        Score(1.0)
    );
    assert_eq!(evaluate("uipath/tool-call-order", "{}", tpmjs), Score(1.0));
    let evalite = r#"{"actualCalls":[{"toolName":"a"}],"expectedCalls":[{"toolName":"a"}]}"#;
    assert_eq!(
        evaluate(
            "evalite/tool-call-accuracy",
            r#"{"mode":"flexible"}"#,
            evalite
        ),
        Score(1.0)
    );
    let axion = r#"{"query":"q","tools_called":[{"name":"a","args":{"id":7}}],"expected_tools":[{"name":"a","args":{"id":7.0}}]}"#;
    assert_eq!(
        evaluate(
            "axion/tool-correctness",
            r#"{"check_parameters":true}"#,
            axion
        ),
        Score(1.0)
    );
    let deepeval = r#"{"input":"q","actual_output":"a","tools_called":[{"name":"a","input_parameters":{"id":7}}],"expected_tools":[{"name":"a"}]}"#;
    assert_eq!(
        evaluate("deepeval/tool-correctness", "{}", deepeval),
        Score(1.0)
    );
    let ragas = r#"{"user_input":[{"type":"human","content":"q"},{"type":"ai","content":"","tool_calls":[{"name":"a","args":{"id":7}}]}],"reference_tool_calls":[{"name":"a","args":{"id":"7"}}]}"#;
    assert_eq!(
        evaluate("ragas/tool-call-accuracy", "{}", ragas),
        Score(1.0)
    );
    assert_eq!(evaluate("ragas/tool-call-f1", "{}", ragas), Score(0.0));
    let spans = r#"{"expected":{"tool_calls_order":["a"]},"actual":[{"attributes":{"tool.name":"a","tool.id":"t"}},{"attributes":{"tool.name":"b","tool.synthesized":true}}]}"#;
    assert_eq!(evaluate("uipath/tool-call-order", "{}", spans), Score(1.0));
    assert_eq!(
        evaluate("uipath/tool-call-order", r#"{"edition":"package"}"#, spans),
        Score(0.0)
    );
}

#[test]
fn parallel_calls_may_stand_in_any_order() {
    let case = r#"{"expected":["a","b","c"],"actual":[{"name":"b","group":"g"},{"name":"a","group":"g"},{"name":"c"}]}"#;
    let settings = |align: &str, parallel: &str| {
        format!(
            r#"{{"match":{{"args":"ignore"}},"align":"{align}","score":"recall","parallel":"{parallel}"}}"#
        )
    };
    for align in ["position", "lcs", "subsequence"] {
        assert_eq!(
            evaluate("trajectory", &settings(align, "any_order"), case),
            Score(1.0),
            "{align}"
        );
    }
    assert_eq!(
        evaluate("trajectory", &settings("lcs", "recorded"), case),
        Score(2.0 / 3.0)
    );
    assert_eq!(
        evaluate("trajectory", &settings("position", "recorded"), case),
        Score(1.0 / 3.0)
    );
}

#[test]
fn the_native_evaluator_composes_what_it_is_told() {
    let case = r#"{"expected":[{"name":"a","args":{"x":1,"y":2}},{"name":"b","args":{}}],"actual":[{"name":"b","args":{}},{"name":"A","args":{"x":1,"y":3}},{"name":"c","args":{}}]}"#;
    for (settings, expected) in [
        ("{}", Score(2.0 * (1.0 / 3.0) * 0.5 / (1.0 / 3.0 + 0.5))),
        (
            r#"{"match":{"names":"casefold","args":"overlap"},"score":"recall"}"#,
            Score(0.75),
        ),
        (
            r#"{"match":{"names":"casefold","args":"keys","keys":["x"]},"mode":"superset"}"#,
            Score(1.0),
        ),
        (
            r#"{"match":{"names":"casefold","args":"keys","keys":["/y"]},"mode":"superset"}"#,
            Score(0.0),
        ),
        (
            r#"{"match":{"aliases":{"A":"a"},"args":"ignore"},"align":"lcs","score":"precision"}"#,
            Score(1.0 / 3.0),
        ),
        (
            r#"{"match":{"aliases":{"A":"a"},"args":"ignore"},"score":"recall"}"#,
            Score(1.0),
        ),
        (
            r#"{"match":{"names":"casefold"},"align":"first_fit","score":"weighted"}"#,
            Score(1.5 / 2.0 - 0.25 * (1.0 / 2.0)),
        ),
        (
            r#"{"match":{"args":"ignore"},"align":"distinct","score":"recall"}"#,
            Score(0.5),
        ),
        (
            r#"{"match":{"args":"ignore"},"align":"multiset","score":"precision"}"#,
            Score(1.0 / 3.0),
        ),
        (r#"{"mode":"unordered"}"#, Score(0.0)),
    ] {
        assert_eq!(
            evaluate("trajectory", settings, case),
            expected,
            "{settings}"
        );
    }
    let error = |settings: &str| {
        Evaluator::new("trajectory", settings, None)
            .unwrap_err()
            .to_string()
    };
    assert!(error(r#"{"mode":"strict","align":"lcs"}"#).contains("not both"));
    assert!(error(r#"{"align":"multiset","match":{"args":"subset"}}"#).contains("multiset"));
    assert!(error(r#"{"align":"once","match":{"args":"subset"}}"#).contains("once"));
    assert!(error(r#"{"align":"free"}"#).contains("of one side"));
    assert!(
        error(r#"{"align":"free","score":"recall","match":{"args":"overlap"}}"#).contains("shares")
    );
}

#[test]
fn the_native_evaluator_has_the_words_of_vertex_azure_mlflow_and_strands() {
    let case = r#"{"expected":[{"name":"a","args":{"x":1}},{"name":"a","args":{"x":1}},{"name":"b","args":{"y":2}}],"actual":[{"name":"b","args":{"y":"2"}},{"name":"a","args":{"x":1.0}},{"name":"a","args":{"x":1}},{"name":"c","args":{}}]}"#;
    for (settings, expected) in [
        // One call meets both equal conditions, and both equal calls are correct.
        (r#"{"align":"free","score":"recall"}"#, Score(2.0 / 3.0)),
        (r#"{"align":"free","score":"precision"}"#, Score(0.5)),
        (
            r#"{"align":"free","score":"covers_expected","match":{"args":"text"}}"#,
            Score(1.0),
        ),
        (
            r#"{"align":"free","score":"covers_actual","match":{"args":"text"}}"#,
            Score(0.0),
        ),
        (r#"{"align":"once","score":"recall"}"#, Score(1.0 / 3.0)),
        (
            r#"{"align":"multiset","score":"recall","match":{"equality":"strict"}}"#,
            Score(1.0 / 3.0),
        ),
        (
            r#"{"align":"assignment","score":"recall","match":{"args":"text"}}"#,
            Score(2.0 / 3.0),
        ),
    ] {
        assert_eq!(
            evaluate("trajectory", settings, case),
            expected,
            "{settings}"
        );
    }
    let sets = r#"{"expected":["a","a","b"],"actual":[{"name":"b"},{"name":"a"},{"name":"b"}]}"#;
    let both = r#"{"align":"free","score":"all_or_nothing"}"#;
    assert_eq!(evaluate("trajectory", both, sets), Score(1.0));
    let longer = r#"{"expected":["a","b"],"actual":[{"name":"b"},{"name":"a"},{"name":"b"}]}"#;
    assert_eq!(evaluate("trajectory", both, longer), Score(0.0));
}

#[test]
fn what_azure_and_mlflow_compare_follows_from_the_case() {
    let score = |id: &str, settings: &str, case: &str| match evaluate(id, settings, case) {
        Score(score) => Some(score),
        NotApplicable(_) => None,
        Failed(reason) => panic!("{id}: {reason}"),
    };
    let azure = "azure/task-navigation-efficiency";
    let case = |expected: &str| {
        format!(
            r#"{{"expected":{expected},"actual":[{{"name":"a","args":{{"x":"7"}}}},{{"name":" b","args":{{}}}}]}}"#
        )
    };
    for (expected, settings, wanted) in [
        (r#"["a","b"]"#, "{}", Some(1.0)),
        (r#"[{"name":"a"},{"name":"b "}]"#, "{}", Some(1.0)),
        (
            r#"[{"name":"a","args":{"x":7}},{"name":"b","args":{}}]"#,
            "{}",
            Some(1.0),
        ),
        (
            r#"[{"name":"a","args":{"x":8}},{"name":"b","args":{}}]"#,
            "{}",
            Some(0.0),
        ),
        (
            r#"[{"name":"a","args":{"x":8}},{"name":"b","args":{}}]"#,
            r#"{"parameters":false}"#,
            Some(1.0),
        ),
        (
            r#"[{"name":"a","args":{"x":8}},{"name":"b","args":{}}]"#,
            r#"{"score":"f1"}"#,
            Some(0.5),
        ),
        (r#"[{"name":"a","args":{"x":7}},{"name":"b"}]"#, "{}", None),
        ("[]", "{}", None),
    ] {
        assert_eq!(
            score(azure, settings, &case(expected)),
            wanted,
            "{expected} {settings}"
        );
    }
    for (expected, wanted) in [
        (r#"[{"name":"a","args":{"x":7}},{"name":" b"}]"#, Some(1.0)),
        (
            r#"[{"name":"a","args":{"x":7}},{"name":" b","args":{}}]"#,
            Some(0.0),
        ),
        ("[]", None),
    ] {
        let mlflow = "mlflow/tool-call-correctness";
        assert_eq!(score(mlflow, "{}", &case(expected)), wanted, "{expected}");
    }
}

#[test]
fn an_edition_that_a_preset_lacks_is_an_error_and_a_default_one_is_passed_over() {
    let error = Evaluator::new(
        "deepeval/tool-correctness",
        r#"{"edition":"documented"}"#,
        None,
    )
    .unwrap_err()
    .to_string();
    assert_eq!(
        error,
        "deepeval/tool-correctness has no `documented` edition; it has `package`"
    );
    let evaluator =
        Evaluator::new("deepeval/tool-correctness", "{}", Some(Edition::Documented)).unwrap();
    assert_eq!(evaluator.edition(), Edition::Package);
    assert_eq!(
        Evaluator::new("axion/tool-correctness", "{}", Some(Edition::Package))
            .unwrap()
            .edition(),
        Edition::Package
    );
}

#[test]
fn a_threshold_of_the_user_marks_and_a_presets_own_is_its_default() {
    let case = read_case(
        r#"{"expected":["a","b"],"actual":[{"name":"a"}]}"#,
        &ReadOptions::default(),
    )
    .unwrap();
    let passed = |id: &str, settings: &str| {
        Evaluator::new(id, settings, None)
            .unwrap()
            .evaluate(&case, Ask::OUTCOME)
            .passed
    };
    assert_eq!(passed("uipath/tool-call-order", "{}"), None);
    assert_eq!(
        passed("uipath/tool-call-order", r#"{"threshold":0.5}"#),
        Some(true)
    );
    assert_eq!(
        passed("uipath/tool-call-order", r#"{"threshold":0.6}"#),
        Some(false)
    );
    assert_eq!(passed("axion/tool-correctness", "{}"), Some(true));
    assert_eq!(
        passed("axion/tool-correctness", r#"{"threshold":0.9}"#),
        Some(false)
    );
}
