use super::*;
use crate::call::{Arguments, Call, Expectation, Native, Shape, Trajectory};
use crate::registry::EVALUATORS;
use crate::settings::{Setting, SettingKind};

fn error(id: &str, settings: &str) -> String {
    Evaluator::new(id, settings, None)
        .map(|_| ())
        .unwrap_err()
        .to_string()
}

/// Values that no setting of this kind takes: other kinds, and members that nothing reads.
fn wrong(kind: SettingKind) -> Vec<String> {
    let nested = |inner: &[Setting]| {
        let mut objects = vec![r#"{"zzz":1}"#.to_owned(), "7".to_owned()];
        for setting in inner {
            let mut values = wrong(setting.kind);
            // An argument may have any value.
            values.retain(|value| setting.name != "defaults" || !value.starts_with('{'));
            objects.extend(
                values
                    .iter()
                    .map(|value| format!("{{\"{}\":{value}}}", setting.name)),
            );
            objects.push(format!("{{\"{}\":null}}", setting.name.to_uppercase()));
        }
        objects
    };
    let values: &[&str] = match kind {
        SettingKind::Bool | SettingKind::Number => &["\"zzz\"", "{}"],
        SettingKind::Choice(_) => &["\"zzz\"", "7", "{}"],
        SettingKind::Text => &["7", "{}"],
        SettingKind::Object(inner) => return nested(inner),
        SettingKind::Map => &["7", "[]", r#"{"x":{"zzz":1}}"#, r#"{"x":true}"#],
        SettingKind::Texts => &["7", "[7]", "{}"],
        SettingKind::Any => &["[]", r#"{"zzz":1}"#],
    };
    values.iter().map(|value| (*value).to_owned()).collect()
}

#[test]
fn no_setting_of_any_evaluator_takes_what_it_does_not_read() {
    let mut tried = 0;
    for entry in EVALUATORS {
        for setting in entry.settings {
            let Setting { name, kind, .. } = setting;
            let mut values = wrong(*kind);
            // An argument may have any value.
            values.retain(|value| *name != "defaults" || !value.starts_with('{'));
            for value in values {
                let settings = format!("{{\"{name}\":{value}}}");
                assert!(
                    Evaluator::new(entry.id, &settings, None).is_err(),
                    "{}: {settings}",
                    entry.id
                );
                tried += 1;
            }
            for other in [name.to_uppercase(), format!("{name}z")] {
                let said = error(entry.id, &format!("{{\"{other}\":null}}"));
                assert!(
                    said.contains(&format!("has no setting `{other}`")),
                    "{said}"
                );
            }
        }
        assert!(error(entry.id, r#"{"threshold":"high"}"#).contains("`threshold` takes"));
        assert!(
            error(entry.id, r#"{"threshold":80}"#)
                .contains("`threshold` takes a number from 0 to 1, found the number 80")
        );
    }
    assert!(tried > 150, "{tried}");
}

#[test]
fn an_override_is_a_mode_or_paths_and_the_package_takes_the_rest_for_ignore() {
    let of = |value: &str| format!(r#"{{"tool_args_match_overrides":{{"refund":{value}}}}}"#);
    for known in [
        "\"exact\"",
        "\"ignore\"",
        "\"subset\"",
        "\"superset\"",
        r#"["id","card.number"]"#,
        "null",
    ] {
        assert!(
            Evaluator::new("agentevals/trajectory-match", &of(known), None).is_ok(),
            "{known}"
        );
    }
    let takes = "agentevals/trajectory-match: `tool_args_match_overrides.refund` takes exact, ignore, subset, superset or a list of dotted paths";
    for (unknown, found) in [
        ("\"exat\"", "the text \"exat\""),
        ("\"Exact\"", "the text \"Exact\""),
        ("\"\"", "the text \"\""),
        ("false", "false"),
        ("7", "the number 7"),
        ("[]", "an empty list"),
        ("[7]", "a list that holds something else"),
    ] {
        assert_eq!(
            error("agentevals/trajectory-match", &of(unknown)),
            format!("{takes}, found {found}")
        );
    }
    let package = Evaluator::from_config(
        "agentevals/trajectory-match",
        &of("\"exat\""),
        Edition::Package,
    )
    .unwrap();
    let calls = |id: u8| {
        format!(
            r#"[{{"role":"assistant","tool_calls":[{{"name":"refund","args":{{"id":{id}}}}}]}}]"#
        )
    };
    assert_eq!(
        package
            .evaluate_native(&calls(1), &calls(2), Ask::OUTCOME)
            .score(),
        Some(1.0)
    );
}

/// A case of Evalite in which the right tool was called with other arguments, then the right one.
fn evalite<'c>(settings: Vec<(&'static str, &'c str)>) -> Case<'c> {
    let native = Native {
        shape: Shape::Evalite,
        expected: r#"[{"toolName":"list","input":{}},{"toolName":"add","input":{"title":"milk"}}]"#,
        actual: r#"[{"toolName":"add","input":{"title":"bread"}},{"toolName":"list","input":{}}]"#,
        settings,
    };
    Case {
        native: Some(native),
        ..Case::default()
    }
}

#[test]
fn what_a_case_states_beside_its_calls_goes_before_the_settings() {
    let score = |settings: &str, stated: &[(&'static str, &'static str)]| {
        let evaluator = Evaluator::new("evalite/tool-call-accuracy", settings, None).unwrap();
        evaluator
            .evaluate(&evalite(stated.to_vec()), Ask::OUTCOME)
            .score()
    };
    let flexible = ("mode", "\"flexible\"");
    assert_eq!(score("{}", &[]), Some(0.0));
    assert_eq!(score("{}", &[flexible]), Some(0.75));
    assert_eq!(
        score(r#"{"mode":"flexible"}"#, &[("mode", "\"exact\"")]),
        Some(0.0)
    );
    assert_eq!(
        score("{}", &[flexible, ("weights", r#"{"nameOnly":0}"#)]),
        Some(0.5)
    );
    // Weights that the case leaves out are those of the settings.
    let weights = r#"{"weights":{"exact":0.5,"name_only":1}}"#;
    assert_eq!(
        score(weights, &[flexible, ("weights", r#"{"nameOnly":0}"#)]),
        Some(0.25)
    );
}

#[test]
fn what_a_case_states_is_read_as_strictly_as_settings() {
    let evaluator = Evaluator::new("evalite/tool-call-accuracy", "{}", None).unwrap();
    for (name, json, said) in [
        (
            "mode",
            "\"sideways\"",
            "`mode` takes one of exact, flexible, found the text \"sideways\"",
        ),
        (
            "weights",
            r#"{"Exact":0}"#,
            "has no setting `weights.Exact`; did you mean `exact`?",
        ),
        (
            "weights",
            r#"{"exact":"all"}"#,
            "`weights.exact` takes a finite number, found the text \"all\"",
        ),
        (
            "weights",
            "7",
            "`weights` takes an object, found the number 7",
        ),
    ] {
        match evaluator
            .evaluate(&evalite(vec![(name, json)]), Ask::OUTCOME)
            .outcome
        {
            Outcome::Failed(error) => {
                let error = error.to_string();
                assert!(
                    error.starts_with("what the case states beside its calls: ")
                        && error.ends_with(said),
                    "{error}"
                );
            }
            other => panic!("{name}: {json}: {other:?}"),
        }
    }
}

#[test]
fn the_users_threshold_goes_before_the_verdict_of_an_evaluator_that_has_none() {
    let call = |name: &'static str| Call {
        name: name.into(),
        arguments: Arguments::json("{}"),
        ..Call::default()
    };
    let case = Case {
        expected: Expectation::from_calls(vec![call("a"), call("b")]),
        actual: Some(Trajectory {
            calls: vec![call("a")],
            spans: Vec::new(),
        }),
        ..Case::default()
    };
    let passed = |settings: &str| {
        Evaluator::new("tau2/action-check", settings, None)
            .unwrap()
            .evaluate(&case, Ask::OUTCOME)
            .passed
    };
    assert_eq!(passed(r#"{"strict":false}"#), Some(false));
    assert_eq!(passed(r#"{"strict":false,"threshold":0.5}"#), Some(true));
    assert_eq!(passed(r#"{"strict":false,"threshold":0.6}"#), Some(false));
}
