//! Baselines: results that were accepted into a repository, in a file that people read in a diff.

use std::fmt::Write as _;

use rightcall::value::{JsonWriter, Reader, Syntax, Text};
use rightcall_results::{Wrong, read_score};
use rightcall_stats::{Measurement, RunScores, TrialScores};

use super::ResultsError;
use crate::CaseKey;

/// Results that a run is compared with.
#[derive(Clone, Debug, Default)]
pub struct Baseline {
    /// The results; `None` where the run itself is to become the baseline.
    pub results: Option<RunScores>,
    /// How cases are told to be the same.
    pub key: CaseKey,
}

/// How a baseline begins; its version is 1.
pub(super) const BASELINE: &str = "{\"rightcall_baseline\":1,";

/// The text of a baseline: a line with the evaluators, then a line for each case and trial, sorted, with the scores in their order.
/// The same results give the same text, whenever and wherever they were made.
pub fn baseline_text(results: &RunScores) -> String {
    let mut head = JsonWriter::new();
    head.strs(&results.measures);
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

pub(super) fn read_baseline(text: &str) -> Result<RunScores, ResultsError> {
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
            sides: Vec::new(),
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
