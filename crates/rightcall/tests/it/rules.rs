//! Rules with arguments: the goldens, through the core alone, on whole runs and call by call.

#![expect(
    clippy::unwrap_used,
    reason = "a golden that cannot be read ends the test"
)]

use std::fs;
use std::path::Path;

use rightcall::call::{Arguments, Call, Case, Trajectory};
use rightcall::monitor::{CallResult, Monitor};
use rightcall::value::{RawJson, from_json};
use rightcall::{Ask, Evaluation, Evaluator};
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
        deserialize_with = "rightcall::value::deserialize_present"
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

    /// What came of it; `None` where nothing was recorded.
    fn result(&self) -> Option<CallResult<'a>> {
        let result = CallResult {
            output: self.output.map(|RawJson(json)| json),
            failed: self.error.map(|RawJson(error)| error != "false"),
        };
        (result != CallResult::default()).then_some(result)
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

#[test]
fn every_golden_holds_on_the_whole_run_and_call_by_call() {
    let (mut lines_failed, mut said) = (0, Vec::new());
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
            said.push(format!(
                "{}\n  wanted {:?}\n  found  {found:?}",
                line.id, line.result
            ));
        }
    }
    said.truncate(5);
    assert_eq!(lines_failed, 0, "{}", said.join("\n"));
}
