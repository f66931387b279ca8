//! Baselines: results that were accepted into a repository, in a file that people read in a diff.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use rightcall::value::{JsonWriter, Reader, Syntax, Text};
use rightcall_stats::{ComparisonSettings, Measurement, PairedComparison, RunScores, TrialScores};

use crate::CaseKey;
use crate::gate::{Gate, GateResult, MAX_GROUPS, Statistic, Subject};
use crate::read_results::ResultsError;
use crate::result_line::{Wrong, read_score};

/// Results that a run is compared with.
#[derive(Clone, Debug, Default)]
pub struct Baseline {
    /// The results; `None` where the run itself is to become the baseline.
    pub results: Option<RunScores>,
    /// How cases are told to be the same.
    pub key: CaseKey,
}

impl Baseline {
    /// Judges the gates on what changed; `looked_at` says which cases each of them looks at.
    pub(crate) fn judge(
        &self,
        gates: &[Gate],
        labels: &[&str],
        after: &RunScores,
        looked_at: &[LookedAt],
    ) -> Vec<GateResult> {
        let of_change = || {
            gates
                .iter()
                .zip(looked_at)
                .filter(|(gate, _)| gate.statistic.is_of_change())
        };
        let (Some(before), true) = (&self.results, of_change().next().is_some()) else {
            return Vec::new();
        };
        let whole = PairedComparison::between(before, after, ComparisonSettings::default());
        let mut results = Vec::new();
        for (gate, LookedAt(groups)) in of_change() {
            if !LookedAt::is_for(gate) {
                results.push(judged(gate, None, &whole, labels));
                continue;
            }
            for (group, cases) in groups {
                let after = RunScores {
                    cases: cases.iter().map(|at| after.cases[*at].clone()).collect(),
                    measures: after.measures.clone(),
                    name: after.name.clone(),
                };
                let mut before = before.clone();
                before.retain(&after.keys().into_iter().map(ToOwned::to_owned).collect());
                let comparison =
                    PairedComparison::between(&before, &after, ComparisonSettings::default());
                results.push(judged(
                    gate,
                    gate.by.is_some().then(|| group.clone()),
                    &comparison,
                    labels,
                ));
            }
            if groups.is_empty() {
                results.push(judged(
                    gate,
                    None,
                    &PairedComparison::between(
                        &RunScores::default(),
                        &RunScores::default(),
                        ComparisonSettings::default(),
                    ),
                    labels,
                ));
            }
        }
        results
    }
}

fn judged(
    gate: &Gate,
    group: Option<String>,
    comparison: &PairedComparison,
    labels: &[&str],
) -> GateResult {
    let change = match &gate.subject {
        Subject::Score => comparison.overall.score.as_ref(),
        Subject::Passed(_) => comparison.overall.passed.as_ref(),
        Subject::Evaluator { index, .. } => comparison
            .measures
            .iter()
            .find(|measure| measure.label == labels[*index])
            .and_then(|it| it.score.as_ref()),
    };
    let found = match gate.statistic {
        Statistic::Change(statistic) => change.map(|change| statistic.of(change)),
        _ => None,
    };
    GateResult {
        gate: gate.clone(),
        group,
        found,
        held: found.is_some_and(|found| gate.wanted.holds(found)),
    }
}

/// Which cases a gate on changes looks at, by their positions: those of each group, under the empty name where it looks at none.
#[derive(Debug, Default)]
pub(crate) struct LookedAt(BTreeMap<String, Vec<usize>>);

impl LookedAt {
    /// Whether the gate looks at some cases alone, or at groups.
    pub(crate) fn is_for(gate: &Gate) -> bool {
        gate.statistic.is_of_change() && (!gate.only.is_everything() || gate.by.is_some())
    }

    /// Adds the case at a position. Groups beyond those that are kept have no case, so that no gate holds of them.
    pub(crate) fn add(&mut self, groups: Option<&[String]>, position: usize) {
        for group in groups.unwrap_or(&[String::new()]) {
            if self.0.contains_key(group) || self.0.len() < MAX_GROUPS {
                self.0.entry(group.clone()).or_default().push(position);
            } else {
                self.0
                    .entry(format!("more than {MAX_GROUPS} groups"))
                    .or_default();
            }
        }
    }
}

/// How a baseline begins; its version is 1.
pub(crate) const BASELINE: &str = "{\"rightcall_baseline\":1,";

/// The text of a baseline: a line with the evaluators, then a line for each case and trial, sorted, with the scores in their order.
/// The same results give the same text, whenever and wherever they were made.
pub fn baseline_text(results: &RunScores) -> String {
    let mut head = JsonWriter::new();
    head.begin_list();
    results
        .measures
        .iter()
        .for_each(|measure| _ = head.str(measure));
    head.end_list();
    let mut text = format!("{BASELINE}\"evaluators\":{}}}\n", head.finish());
    let mut cases: Vec<&TrialScores> = results.cases.iter().collect();
    cases.sort_by(|one, other| {
        (&one.key, &one.trial, &one.label).cmp(&(&other.key, &other.trial, &other.label))
    });
    for case in cases {
        let mut writer = JsonWriter::new();
        writer
            .begin_object()
            .key("case")
            .text(&Text::new(&case.key));
        if let Some(trial) = &case.trial {
            writer.key("trial").raw(trial);
        }
        write_judged(&mut writer, case.overall);
        writer.key("results").begin_list();
        for judged in &case.values {
            writer.begin_object();
            write_judged(&mut writer, *judged);
            writer.end_object();
        }
        writer.end_list().end_object();
        _ = writeln!(text, "{}", writer.finish());
    }
    text
}

fn write_judged(writer: &mut JsonWriter, judged: Measurement) {
    if let Some(score) = judged.score {
        writer.key("score").float(score);
    }
    if let Some(passed) = judged.passed {
        writer.key("passed").bool(passed);
    }
}

pub(crate) fn read_baseline(text: &str) -> Result<RunScores, ResultsError> {
    let mut results = RunScores::default();
    for (number, line) in text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
    {
        let read = if number == 0 {
            head(line, &mut results)
        } else {
            case(line, &mut results)
        };
        read.map_err(|wrong| ResultsError::behind(number, line, wrong))?;
    }
    Ok(results)
}

fn head(line: &str, results: &mut RunScores) -> Result<(), Wrong> {
    let mut reader = Reader::new(line, Syntax::PYTHON);
    let mut first = reader.enter_object()?;
    while let Some(key) = reader.next_key(&mut first)? {
        if key == "evaluators" {
            let mut first = reader.enter_list()?;
            while reader.next_item(&mut first)? {
                results
                    .measures
                    .push(reader.string()?.to_display().into_owned());
            }
        } else {
            reader.raw()?;
        }
    }
    Ok(reader.end()?)
}

fn case(line: &str, results: &mut RunScores) -> Result<(), Wrong> {
    let mut reader = Reader::new(line, Syntax::PYTHON);
    let mut case = TrialScores::default();
    let mut first = reader.enter_object()?;
    while let Some(key) = reader.next_key(&mut first)? {
        match key.as_str() {
            Some("case") => {
                case.key = reader.string()?.to_display().into_owned();
                case.label.clone_from(&case.key);
            }
            Some("trial") => case.trial = Some(reader.raw()?.to_owned()),
            Some("results") => {
                let mut first = reader.enter_list()?;
                while reader.next_item(&mut first)? {
                    let mut judged = Measurement::default();
                    let mut first = reader.enter_object()?;
                    while let Some(key) = reader.next_key(&mut first)? {
                        read_judged(&mut reader, key.as_str(), &mut judged).map_err(|wrong| {
                            wrong.under(&case.values.len().to_string()).under("results")
                        })?;
                    }
                    case.values.push(judged);
                }
            }
            other => {
                let other = other.map(ToOwned::to_owned);
                read_judged(&mut reader, other.as_deref(), &mut case.overall)?;
            }
        }
    }
    reader.end()?;
    results.cases.push(case);
    Ok(())
}

fn read_judged(
    reader: &mut Reader<'_>,
    key: Option<&str>,
    judged: &mut Measurement,
) -> Result<(), Wrong> {
    match key {
        Some("score") => judged.score = read_score(reader).map_err(|wrong| wrong.under("score"))?,
        Some("passed") => judged.passed = Some(reader.bool()?),
        _ => _ = reader.raw()?,
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_baseline_is_sorted_and_read_as_it_was_written() {
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
        let again = read_baseline(&text).unwrap();
        assert_eq!(
            again.cases,
            [results.cases[1].clone(), results.cases[0].clone()]
        );
        assert_eq!(baseline_text(&again), text);
        assert!(matches!(
            read_baseline(&format!("{BASELINE}\"evaluators\":[]}}\n[")),
            Err(ResultsError::Other { line: 2, .. })
        ));
    }
}
