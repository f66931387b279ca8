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

/// Values that a setting of this kind rejects: other kinds, and objects with unknown members.
fn invalid_values(kind: SettingKind) -> Vec<String> {
    let nested = |inner: &[Setting]| {
        let mut objects = vec![r#"{"zzz":1}"#.to_owned(), "7".to_owned()];
        for setting in inner {
            let mut values = invalid_values(setting.kind);
            // An argument accepts any value.
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
        SettingKind::Rules => &[
            "7",
            "[7]",
            "{}",
            r#"["a befor b"]"#,
            r#"[{"call":"a","nver":true}]"#,
        ],
        SettingKind::Any => &["[7]", r#"{"zzz":1}"#],
    };
    values.iter().map(|value| (*value).to_owned()).collect()
}

#[test]
fn all_settings_reject_unknown_keys_and_invalid_values() {
    let mut tried = 0;
    for entry in EVALUATORS {
        for setting in entry.settings {
            let Setting { name, kind, .. } = setting;
            let mut values = invalid_values(*kind);
            // An argument accepts any value.
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
                let message = error(entry.id, &format!("{{\"{other}\":null}}"));
                assert!(
                    message.contains(&format!("has no setting `{other}`")),
                    "{message}"
                );
            }
        }
        assert!(error(entry.id, r#"{"threshold":"high"}"#).contains("`threshold` takes"));
        assert!(
            error(entry.id, r#"{"threshold":80}"#).contains(
                "`threshold` takes a number from 0 to 1, such as 0.8, found the number 80"
            )
        );
    }
    assert!(tried > 150, "{tried}");
}

#[test]
fn overrides_are_modes_or_paths_and_the_package_treats_others_as_ignore() {
    let of = |value: &str| format!(r#"{{"tool_args_match_overrides":{{"refund":{value}}}}}"#);
    for known in [
        "\"exact\"",
        "\"ignore\"",
        "\"subset\"",
        "\"superset\"",
        r#"["id","card.number"]"#,
        r#"[""]"#,
        // The general mode.
        "null",
        "[]",
        "\"\"",
        "false",
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
        ("true", "true"),
        ("7", "the number 7"),
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

/// An Evalite case: the right tool is called with other arguments first, then with the right ones.
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
fn settings_of_a_case_override_configured_settings() {
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
    // Weights missing from the case come from the settings.
    let weights = r#"{"weights":{"exact":0.5,"name_only":1}}"#;
    assert_eq!(
        score(weights, &[flexible, ("weights", r#"{"nameOnly":0}"#)]),
        Some(0.25)
    );
}

#[test]
fn settings_of_a_case_are_checked_strictly() {
    let evaluator = Evaluator::new("evalite/tool-call-accuracy", "{}", None).unwrap();
    for (name, json, message) in [
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
                        && error.ends_with(message),
                    "{error}"
                );
            }
            other => panic!("{name}: {json}: {other:?}"),
        }
    }
}

#[test]
fn a_user_threshold_overrides_the_verdict_of_the_original() {
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

/// A run of `find` and `look` that may lack calls.
fn incomplete(expected: &[&'static str], actual: Option<&[&'static str]>) -> Case<'static> {
    let calls = |names: &[&'static str]| -> Vec<Call<'static>> {
        let call = |name: &&'static str| Call {
            name: (*name).into(),
            arguments: Arguments::json("{}"),
            ..Call::default()
        };
        names.iter().map(call).collect()
    };
    Case {
        expected: Expectation::from_calls(calls(expected)),
        actual: actual.map(|names| Trajectory {
            calls: calls(names),
            spans: Vec::new(),
        }),
        incomplete: Some("1 result without a call".into()),
        ..Case::default()
    }
}

#[track_caller]
fn outcome(id: &str, settings: &str, case: &Case<'_>) -> Result<f64, String> {
    let evaluator = Evaluator::new(id, settings, None).unwrap();
    let outcome = evaluator.evaluate(case, Ask::OUTCOME).outcome;
    outcome
        .score()
        .ok_or_else(|| outcome.reason().unwrap_or_default())
}

#[test]
fn evaluators_of_all_calls_do_not_apply_to_incomplete_runs() {
    let case = incomplete(&["find", "look"], Some(&["find"]));
    let needs_all =
        "the run is incomplete, and this evaluator needs all of its calls: 1 result without a call";
    for (id, settings) in [
        ("trajectory", "{}"),
        ("trajectory", r#"{"score":"precision"}"#),
        ("trajectory", r#"{"mode":"exact"}"#),
        ("uipath/tool-call-count", "{}"),
        ("ragas/tool-call-f1", "{}"),
        ("adk/trajectory", r#"{"match_type":"EXACT"}"#),
        ("constraints", r#"{"forbidden":["pay"]}"#),
        ("constraints", r#"{"max_calls":3}"#),
        ("constraints", r#"{"counts":{"find":1}}"#),
        ("constraints", r#"{"order":["find before pay"]}"#),
    ] {
        assert_eq!(
            outcome(id, settings, &case),
            Err(needs_all.to_owned()),
            "{id} {settings}"
        );
    }
}

#[test]
fn incomplete_runs_are_scored_if_missing_calls_cannot_change_the_score() {
    let case = incomplete(&["find", "look"], Some(&["find"]));
    for (id, settings, score) in [
        ("trajectory", r#"{"score":"recall"}"#, 0.5),
        ("trajectory", r#"{"mode":"superset"}"#, 0.0),
        ("vertex/trajectory-recall", "{}", 0.5),
        ("adk/trajectory", r#"{"match_type":"ANY_ORDER"}"#, 0.0),
        ("constraints", r#"{"required":["find"]}"#, 1.0),
        ("constraints", r#"{"required":["look"]}"#, 0.0),
        ("constraints", r#"{"forbidden":["find"]}"#, 0.0),
        ("constraints", r#"{"max_calls":0}"#, 0.0),
        ("constraints", r#"{"counts":{"find":">= 1"}}"#, 1.0),
        ("constraints", r#"{"counts":{"find":0}}"#, 0.0),
        // Constraints that can't be decided are left out.
        (
            "constraints",
            r#"{"required":["find"],"forbidden":["pay"]}"#,
            1.0,
        ),
    ] {
        assert_eq!(outcome(id, settings, &case), Ok(score), "{id} {settings}");
    }
}

#[test]
fn no_evaluator_scores_an_unrecorded_run() {
    let case = incomplete(&[], None);
    for entry in EVALUATORS {
        let Ok(evaluator) = Evaluator::new(entry.id, "{}", None) else {
            continue;
        };
        let outcome = evaluator.evaluate(&case, Ask::ALL).outcome;
        let reason = "the run was not recorded: 1 result without a call";
        assert_eq!(outcome.reason().as_deref(), Some(reason), "{}", entry.id);
    }
}
