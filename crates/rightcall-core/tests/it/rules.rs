//! Rules with arguments: the golden cases, run with the core crate alone, on whole runs and call by call.

#![expect(
    clippy::unwrap_used,
    reason = "a golden that cannot be read ends the test"
)]

mod cost;
mod guards;
mod verdicts;

use std::fs;
use std::path::Path;

use rightcall_core::call::{Arguments, Call, Case, Trajectory};
use rightcall_core::monitor::{Monitor, MonitorError, ResultOfCall};
use rightcall_core::value::{RawJson, from_json};
use rightcall_core::{Ask, Evaluation, Evaluator};
use serde::Deserialize;

#[derive(Deserialize)]
struct Line<'a> {
    id: String,
    #[serde(borrow)]
    rules: RawJson<'a>,
    #[serde(borrow)]
    calls: Vec<GoldenCall<'a>>,
    result: GoldenResult,
}

#[derive(Deserialize)]
struct GoldenCall<'a> {
    name: String,
    #[serde(borrow, default)]
    args: Option<RawJson<'a>>,
    #[serde(
        borrow,
        default,
        deserialize_with = "rightcall_core::value::deserialize_present"
    )]
    output: Option<RawJson<'a>>,
    #[serde(borrow, default)]
    error: Option<RawJson<'a>>,
    group: Option<String>,
}

#[derive(Debug, Deserialize, PartialEq)]
struct GoldenResult {
    held: Vec<Option<bool>>,
    vacuous: Vec<bool>,
    verdicts: Vec<Vec<Option<String>>>,
    may: Vec<bool>,
}

impl<'a> GoldenCall<'a> {
    /// The call before its result.
    fn asked(&self) -> Call<'a> {
        let mut call = Call {
            name: self.name.clone().into(),
            ..Call::default()
        };
        if let Some(RawJson(json)) = self.args {
            call.arguments = Arguments::json(json);
        }
        if let Some(group) = &self.group {
            call.metadata_mut().group = Some(group.clone().into());
        }
        call
    }

    /// Its result; `None` if nothing was recorded.
    fn result(&self) -> Option<ResultOfCall<'a>> {
        let result = ResultOfCall {
            output: self.output.map(|RawJson(json)| json),
            failed: self.error.map(|RawJson(error)| error != "false"),
        };
        (result != ResultOfCall::default()).then_some(result)
    }

    fn whole(&self) -> Call<'a> {
        let mut call = self.asked();
        let Some(result) = self.result() else {
            return call;
        };
        let metadata = call.metadata_mut();
        metadata.has_null_output = result.output == Some("null");
        metadata.output = result.output.filter(|it| *it != "null").map(Into::into);
        metadata.error = result.failed.map(|failed| failed.to_string().into());
        call
    }
}

fn lines() -> Vec<String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/rules.jsonl");
    let text = fs::read_to_string(file).unwrap();
    text.lines().map(str::to_owned).collect()
}

fn judged(rules: &str, calls: &[GoldenCall<'_>]) -> Evaluation {
    let case = Case {
        actual: Some(Trajectory {
            calls: calls.iter().map(GoldenCall::whole).collect(),
            ..Trajectory::default()
        }),
        ..Case::default()
    };
    let settings = format!("{{\"rules\":{rules}}}");
    let evaluator = Evaluator::new("constraints", &settings, None).unwrap();
    evaluator.evaluate(&case, Ask::ALL)
}

fn words(monitor: &Monitor) -> Vec<Option<String>> {
    let verdicts = monitor.verdicts().into_iter();
    verdicts
        .map(|it| it.map(|it| it.as_str().to_owned()))
        .collect()
}

/// The verdicts, separated by spaces.
fn joined(monitor: &Monitor) -> String {
    let words: Vec<_> = words(monitor)
        .into_iter()
        .map(Option::unwrap_or_default)
        .collect();
    words.join(" ")
}

#[test]
fn golden_cases_match_for_whole_runs_and_call_by_call() {
    let (mut lines_failed, mut messages) = (0, Vec::new());
    let lines = lines();
    assert!(lines.len() > 1200);
    for line in &lines {
        let line: Line<'_> = from_json(line).unwrap();
        let whole = judged(line.rules.0, &line.calls);
        let mut monitor = Monitor::new(line.rules.0).unwrap();
        let count = line.result.held.len();
        let checks = whole.explanation.as_ref().map(|it| &it.checks);
        let check = |rule: usize| checks.and_then(|checks| checks.get(rule));
        let mut found = GoldenResult {
            held: (0..count).map(|rule| check(rule)?.held).collect(),
            vacuous: (0..count)
                .map(|rule| check(rule).is_some_and(|it| it.vacuous))
                .collect(),
            verdicts: vec![words(&monitor)],
            may: Vec::new(),
        };
        for call in &line.calls {
            let asked = call.asked();
            found.may.push(monitor.may(&asked).unwrap().is_empty());
            let number = monitor.observe(&asked).unwrap();
            if let Some(result) = call.result() {
                monitor.result(number, result).unwrap();
            }
            found.verdicts.push(words(&monitor));
        }
        let finished = monitor.finish().unwrap();
        if found != line.result || finished.result != whole.result {
            lines_failed += 1;
            messages.push(format!(
                "{}\n  wanted {:?}\n  found  {found:?}",
                line.id, line.result
            ));
        }
    }
    messages.truncate(5);
    assert_eq!(lines_failed, 0, "{}", messages.join("\n"));
}

#[test]
fn errors_have_a_location_and_a_correction() {
    for (rules, wanted) in [
        (
            r#"["verify befor refund"]"#,
            "`rules/0` takes a sentence such as `verify before refund` or `at most 1 refund`, found `verify befor refund`; did you mean `verify before refund`?",
        ),
        (
            r#"[{"call":"a","neds":"b"}]"#,
            "found the key `neds`; did you mean `needs`?",
        ),
        (
            r#"[{"call":"a","needs":"b","never":true}]"#,
            "`rules/0/never`",
        ),
        (r#"[{"needs":"b"}]"#, "`rules/0/call` takes `call`"),
        (r#"[{"call":"a","first":"b"}]"#, "`rules/0/call`"),
        (r#"[{"call":"a"}]"#, "`rules/0`"),
        (
            r#"[{"call":"a","never":false}]"#,
            "`rules/0/never` takes true",
        ),
        (
            r#"[{"call":"a","never":true,"same":"k"}]"#,
            "`rules/0/same`",
        ),
        (
            r#"[{"call":"a","at_most":1,"same":{"k":"j"}}]"#,
            "`rules/0/same`",
        ),
        (r#"[{"call":"a","needs":"b","same":[]}]"#, "`rules/0/same`"),
        (
            r#"[{"call":"a","needs":"b","same":["k",1]}]"#,
            "`rules/0/same/1`",
        ),
        (
            r#"[{"call":"a","at_most":1.5}]"#,
            "`rules/0/at_most` takes an integer of 0 or more",
        ),
        (r#"[{"call":"a","at_least":-1}]"#, "`rules/0/at_least`"),
        (r#"[{"call":["a",[]],"needs":"b"}]"#, "`rules/0/call/1`"),
        (
            r#"[{"call":{"name":"a","failed":1},"needs":"b"}]"#,
            "`rules/0/call/failed`",
        ),
        (
            r#"[{"call":"a","needs":{"name":"b","args":{"k":{"$var":"x"}}}}]"#,
            "`rules/0/needs/args/k/$var` takes a value or another matcher, found a variable; a rule has no variables: name the arguments that two calls must share under `same`",
        ),
        (
            r#"[{"call":"a","call":"b","never":true}]"#,
            "/rules/0/call: expected each key once",
        ),
        (r#"{"call":"a"}"#, "no setting `call`"),
        ("7", "not an object"),
    ] {
        let message = Monitor::new(rules).unwrap_err().to_string();
        assert!(message.contains(wanted), "{rules}\n{message}");
    }
}

fn call(name: &'static str, arguments: &'static str) -> Call<'static> {
    Call {
        name: name.into(),
        arguments: Arguments::json(arguments),
        ..Call::default()
    }
}

#[test]
fn events_in_a_wrong_order_are_errors() {
    let mut monitor = Monitor::new("[]").unwrap();
    let result = ResultOfCall::default();
    let message = |error: MonitorError| error.to_string();
    assert_eq!(
        message(monitor.result(0, result).unwrap_err()),
        "there is no call 0: the run has 0 so far, and a result belongs to a recorded call"
    );
    let number = monitor.observe(&call("a", "{}")).unwrap();
    monitor.result(number, result).unwrap();
    assert!(matches!(
        monitor.result(number, result),
        Err(MonitorError::SecondResult { call: 0 })
    ));
    monitor.finish().unwrap();
    assert_eq!(
        monitor.observe(&call("a", "{}")),
        Err(MonitorError::Finished)
    );
    let mut again = Monitor::restore(monitor.snapshot().as_str()).unwrap();
    assert!(matches!(again.finish(), Err(MonitorError::Finished)));
    assert!(Monitor::restore("{}").is_err() && Monitor::restore("[").is_err());
}

#[test]
fn a_restored_monitor_continues_like_the_original() {
    for line in &lines() {
        let line: Line<'_> = from_json(line).unwrap();
        let mut monitor = Monitor::new(line.rules.0).unwrap();
        for call in &line.calls {
            let number = monitor.observe(&call.asked()).unwrap();
            if let Some(result) = call.result() {
                monitor.result(number, result).unwrap();
            }
            let snapshot = monitor.snapshot();
            let again = Monitor::restore(snapshot.as_str()).unwrap();
            assert_eq!(words(&again), words(&monitor), "{}", line.id);
            assert_eq!(again.snapshot().as_str(), snapshot.as_str());
            monitor = again;
        }
        let whole = judged(line.rules.0, &line.calls);
        assert_eq!(monitor.finish().unwrap().result, whole.result);
    }
}

#[test]
fn snapshots_distinguish_null_from_unrecorded() {
    let rules = r#"[{"call":{"name":"a","args":{"k":1}},"never":true}]"#;
    for (arguments, wanted) in [
        (Some("null"), Some("satisfied_so_far".to_owned())),
        (None, None),
    ] {
        let mut monitor = Monitor::new(rules).unwrap();
        let mut asked = call("a", "{}");
        asked.arguments = arguments.map(Arguments::json).unwrap_or_default();
        asked.metadata_mut().start = Some("null".into());
        monitor.observe(&asked).unwrap();
        assert_eq!(words(&monitor), std::slice::from_ref(&wanted));
        let snapshot = monitor.snapshot();
        let again = Monitor::restore(snapshot.as_str()).unwrap();
        assert_eq!(words(&again), [wanted]);
        assert_eq!(again.snapshot().as_str(), snapshot.as_str());
    }
}
