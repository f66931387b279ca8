//! Baselines: accepted results in a file that is committed to a repository and reviewed as a diff.

use std::fmt::Write as _;

use rightcall_core::value::{JsonText, RawJson, deserialize_present, from_json};
use rightcall_results::LineScore;
use rightcall_stats::{Measurement, RunScores, TrialScores};
use serde::{Deserialize, Serialize};

use super::ResultsError;
use crate::CaseKey;

/// Results that a run is compared with.
#[derive(Clone, Debug, Default)]
pub struct Baseline {
    /// The results; `None` if this run will become the baseline.
    pub results: Option<RunScores>,
    /// How to identify the same case in both runs.
    pub key: CaseKey,
}

/// The start of a baseline; its version is 1.
pub(super) const BASELINE: &str = "{\"rightcall_baseline\":1,";

/// True if a file with this head is a baseline, of any version.
pub(crate) fn is_baseline(head: &[u8]) -> bool {
    head.starts_with(b"{\"rightcall_baseline\":")
}

/// The first line of a baseline.
#[derive(Serialize, Deserialize)]
struct BaselineHead {
    rightcall_baseline: u32,
    evaluators: Vec<String>,
}

/// Any other line: a case and a trial, with the result of the case and of each evaluator.
#[derive(Serialize, Deserialize)]
struct BaselineCase<'t> {
    case: String,
    #[serde(
        borrow,
        default,
        deserialize_with = "deserialize_present",
        skip_serializing_if = "Option::is_none"
    )]
    trial: Option<RawJson<'t>>,
    #[serde(default, skip_serializing_if = "LineScore::is_none")]
    score: LineScore,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    passed: Option<bool>,
    #[serde(default)]
    results: Vec<BaselineResult>,
}

#[derive(Serialize, Deserialize)]
struct BaselineResult {
    #[serde(default, skip_serializing_if = "LineScore::is_none")]
    score: LineScore,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    passed: Option<bool>,
}

/// The text of a baseline: a line with the evaluators, then a line for each case and trial, sorted,
/// with scores in the order of the evaluators. Equal results always produce equal text.
pub fn baseline_text(results: &RunScores) -> String {
    let head = BaselineHead {
        rightcall_baseline: 1,
        evaluators: results.measures.clone(),
    };
    let mut text = format!("{}\n", JsonText::from_type(&head));
    let mut cases: Vec<&TrialScores> = results.cases.iter().collect();
    cases.sort_by_key(|case| (&case.key, &case.trial, &case.label));
    for case in cases {
        let judged = |it: &Measurement| BaselineResult {
            score: LineScore(it.score),
            passed: it.passed,
        };
        let line = BaselineCase {
            case: case.key.clone(),
            trial: case.trial.as_deref().map(RawJson),
            score: LineScore(case.overall.score),
            passed: case.overall.passed,
            results: case.values.iter().map(judged).collect(),
        };
        _ = writeln!(text, "{}", JsonText::from_type(&line));
    }
    text
}

pub(super) fn read_baseline(text: &str) -> Result<RunScores, ResultsError> {
    let mut results = RunScores::default();
    let lines = text.lines().enumerate();
    for (number, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        let read = if number == 0 {
            from_json(line).map(|head: BaselineHead| results.measures = head.evaluators)
        } else {
            from_json(line).map(|case: BaselineCase<'_>| results.cases.push(case.into()))
        };
        read.map_err(|error| ResultsError::after_lines(number, line, error))?;
    }
    Ok(results)
}

impl From<BaselineCase<'_>> for TrialScores {
    fn from(case: BaselineCase<'_>) -> Self {
        let measurement = |LineScore(score), passed| Measurement { score, passed };
        let values = case.results.iter();
        Self {
            label: case.case.clone(),
            key: case.case,
            trial: case.trial.map(|json| json.0.to_owned()),
            values: values.map(|it| measurement(it.score, it.passed)).collect(),
            overall: measurement(case.score, case.passed),
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn baseline_is_sorted_and_round_trips() {
        let judged = |score, passed| Measurement { score, passed };
        let case = |key: &str,
                    trial: Option<&str>,
                    overall: Measurement,
                    values: Vec<Measurement>| TrialScores {
            key: key.to_owned(),
            label: key.to_owned(),
            trial: trial.map(ToOwned::to_owned),
            values,
            overall,
            field: None,
            sides: Vec::new(),
            missing: None,
        };
        let results = RunScores {
            name: String::new(),
            measures: vec!["order".into(), "right \"calls\"".into()],
            cases: vec![
                case(
                    "b",
                    None,
                    judged(Some(0.1 + 0.2), Some(false)),
                    vec![judged(Some(1.0), None), judged(None, Some(false))],
                ),
                case("a", Some("2"), judged(None, None), vec![judged(None, None)]),
            ],
        };
        let text = baseline_text(&results);
        assert_eq!(
            text,
            r#"{"rightcall_baseline":1,"evaluators":["order","right \"calls\""]}
{"case":"a","trial":2,"results":[{}]}
{"case":"b","score":0.30000000000000004,"passed":false,"results":[{"score":1.0},{"passed":false}]}
"#
        );
        let reread = read_baseline(&text).unwrap();
        assert_eq!(
            reread.cases,
            [results.cases[1].clone(), results.cases[0].clone()]
        );
        assert_eq!(baseline_text(&reread), text);
        assert!(matches!(
            read_baseline(&format!("{BASELINE}\"evaluators\":[]}}\n[")),
            Err(ResultsError::Other { line: 2, .. })
        ));
    }
}
