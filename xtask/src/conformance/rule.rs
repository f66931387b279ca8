//! Goldens of rules with arguments: the verdicts on a whole run, and after each call.

use rightcall_core::call::Call;
use rightcall_core::monitor::{Monitor, ResultOfCall};
use rightcall_core::value::{JsonText, RawJson, from_json};
use rightcall_core::{Ask, Edition, Evaluation, Evaluator};
use rightcall_formats::{ReadOptions, read_case};
use serde::{Deserialize, Serialize};

use super::decode;

/// A line with rules and a run.
#[derive(Deserialize)]
struct RuleLine<'a> {
    #[serde(borrow)]
    rules: RawJson<'a>,
    #[serde(borrow)]
    calls: RawJson<'a>,
}

/// Compares the rules that hold, the vacuous ones, the verdicts, and the answers of `may`.
pub(super) fn check(line: &str, result: &str) -> Result<(), String> {
    let read: RuleLine<'_> = from_json(line).map_err(|error| error.to_string())?;
    let rules = format!("{{\"rules\":{}}}", read.rules.0);
    let text = format!("{{\"actual\":{}}}", read.calls.0);
    let case = read_case(&text, &ReadOptions::default()).map_err(|error| error.to_string())?;
    let calls = case.actual.as_ref().map_or(&[][..], |run| &run.calls);
    let evaluator =
        Evaluator::new("constraints", &rules, None).map_err(|error| error.to_string())?;
    let whole = evaluator.evaluate(&case, Ask::ALL);
    let watched = watch(&rules, calls)?;
    if watched.finished.result != whole.result {
        return Err(format!(
            "finish: expected {:?}, found {:?}",
            whole.result, watched.finished.result
        ));
    }
    let checks = whole.explanation.map(|it| it.checks).unwrap_or_default();
    let checks = || (0..watched.verdicts[0].len()).map(|rule| checks.get(rule));
    let found = JsonText::from_type(&RuleResults {
        held: checks().map(|check| check?.held).collect(),
        vacuous: checks()
            .map(|check| check.is_some_and(|it| it.vacuous))
            .collect(),
        verdicts: &watched.verdicts,
        may: &watched.may,
    });
    let wanted = decode(result)?;
    super::compare("", &wanted, &found.to_value(), Edition::Package)
}

/// The results for a run in the format of the goldens.
#[derive(Serialize)]
struct RuleResults<'w> {
    held: Vec<Option<bool>>,
    vacuous: Vec<bool>,
    verdicts: &'w [Vec<Option<&'static str>>],
    may: &'w [bool],
}

/// The monitor's results for a run.
struct MonitorResults {
    verdicts: Vec<Vec<Option<&'static str>>>,
    may: Vec<bool>,
    finished: Evaluation,
}

fn watch(rules: &str, calls: &[Call<'_>]) -> Result<MonitorResults, String> {
    let to_text = |error: &dyn std::fmt::Display| error.to_string();
    let mut monitor = Monitor::new(rules).map_err(|error| to_text(&error))?;
    let verdicts_of = |monitor: &Monitor| {
        let verdicts = monitor.verdicts().into_iter();
        verdicts
            .map(|it| it.map(rightcall_core::monitor::RuleVerdict::as_str))
            .collect()
    };
    let (mut verdicts, mut may) = (vec![verdicts_of(&monitor)], Vec::new());
    for call in calls {
        let refusals = monitor.may(call).map_err(|error| to_text(&error))?;
        may.push(refusals.is_empty());
        let number = monitor.observe(call).map_err(|error| to_text(&error))?;
        let metadata = call.metadata();
        let result = ResultOfCall {
            output: metadata.recorded_output(),
            failed: call.failed(),
        };
        if result != ResultOfCall::default() {
            let recorded = monitor.result(number, result);
            recorded.map_err(|error| to_text(&error))?;
        }
        verdicts.push(verdicts_of(&monitor));
    }
    let finished = monitor.finish().map_err(|error| to_text(&error))?;
    Ok(MonitorResults {
        verdicts,
        may,
        finished,
    })
}
