//! Cases for which engine and reference once differed.

use rightcall_reference::Reference;
use rightcall_reference::differential::Case;

fn check(evaluator: &'static str, config: &str, expected: &str, actual: &str, score: f64) {
    let case = Case {
        evaluator,
        config: config.to_owned(),
        expected: expected.to_owned(),
        actual: actual.to_owned(),
    };
    assert_eq!(case.check(), Ok(Reference::Score(score)));
}

const EVALITE: &str = "evalite/tool-call-accuracy";
const FLEXIBLE: &str = r#"{"mode":"flexible"}"#;

/// They used to be skipped, as in exact mode.
#[test]
fn evalite_takes_falsy_items_for_calls_without_fields_in_flexible_mode() {
    check(EVALITE, FLEXIBLE, r#"[{"input":{"a":1}}]"#, "[0]", 0.5);
    check(EVALITE, FLEXIBLE, "[{}]", r#"[""]"#, 1.0);
    check(EVALITE, FLEXIBLE, "[false]", "[{}]", 1.0);
    check(EVALITE, "{}", "[{}]", "[0]", 0.0);
}

/// They used to be skipped, like actual ones.
#[test]
fn tpmjs_takes_falsy_expected_items_for_calls_without_fields() {
    for item in ["0", "false", r#""""#] {
        let (expected, actual) = (format!("[{item}]"), r#"[{"args":{}}]"#.to_owned());
        let case = Case {
            evaluator: "tpmjs/tool-call-accuracy-score",
            config: "{}".to_owned(),
            expected,
            actual,
        };
        assert_eq!(case.check(), Ok(Reference::Raised));
    }
}

#[test]
fn evalite_compares_names_by_their_json_text_in_flexible_mode() {
    check(
        EVALITE,
        FLEXIBLE,
        r#"[{"toolName":{}}]"#,
        r#"[{"toolName":{}}]"#,
        1.0,
    );
    check(
        EVALITE,
        FLEXIBLE,
        r#"[{"toolName":1e400}]"#,
        r#"[{"toolName":null}]"#,
        1.0,
    );
}
