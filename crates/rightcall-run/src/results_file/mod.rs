//! Reads results back from files: result lines, a document of results, or an accepted baseline.

use std::fmt;
use std::io;
use std::path::Path;

use rightcall_core::value::{DocumentError, RawJson, from_json};
use rightcall_formats::{Limits, read_text};
use rightcall_results::{CaseResult, ResultLine, RunSummary};
use rightcall_stats::{RunScores, TrialScores};
use serde::Deserialize;

use crate::{CaseKey, Filter, Grouping, meta_number};
use baseline::{BASELINE, read_baseline};
use recorded::ResultsBuilder;

mod baseline;
mod recorded;

pub(crate) use baseline::is_baseline;
pub use baseline::{Baseline, baseline_text};
pub use recorded::RecordedResults;

/// Why results could not be read from a file.
#[derive(Debug)]
pub enum ResultsError {
    /// It cannot be read.
    Io(io::Error),
    /// The file is not valid results.
    Other {
        /// The line, from 1.
        line: usize,
        /// JSON pointer to the value; empty for the whole value.
        pointer: String,
        /// The error.
        message: String,
    },
}

impl fmt::Display for ResultsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) if error.kind() == io::ErrorKind::NotFound => {
                f.write_str("no such file")
            }
            Self::Io(error) => error.fmt(f),
            Self::Other {
                line,
                pointer,
                message,
            } if pointer.is_empty() => write!(f, "line {line}: {message}"),
            Self::Other {
                line,
                pointer,
                message,
            } => write!(f, "line {line} {pointer}: {message}"),
        }
    }
}

impl std::error::Error for ResultsError {}

impl ResultsError {
    /// An error in `text`, which follows the first `lines` lines of a file.
    fn after_lines(lines: usize, text: &str, error: DocumentError) -> Self {
        Self::Other {
            line: lines + lines_before(text, error.offset) + 1,
            pointer: error.pointer,
            message: error.message,
        }
    }

    /// The error with the file it is in: `results.jsonl:7 /score: …`.
    pub fn in_file(&self, path: &Path) -> String {
        let path = path.display();
        match self {
            Self::Io(_) => format!("{path}: {self}"),
            Self::Other {
                line,
                pointer,
                message,
            } => {
                let space = if pointer.is_empty() { "" } else { " " };
                format!("{path}:{line}{space}{pointer}: {message}")
            }
        }
    }

    fn of_file(message: &str) -> Self {
        Self::Other {
            line: 1,
            pointer: String::new(),
            message: message.to_owned(),
        }
    }
}

/// Options for reading results.
#[derive(Clone, Debug, Default)]
pub struct ResultsOptions {
    /// How to recognize the same case in two runs.
    pub key: CaseKey,
    /// The meta value to compare with scores. Results contain list and object values only if they were written with `--explain`.
    pub field: Option<String>,
    /// How to split one run into the sides of a comparison.
    pub by: Option<Grouping>,
    /// Which cases to read.
    pub only: Filter,
    /// Size limits for files.
    pub limits: Limits,
}

/// Reads result lines, a document of results, or a baseline.
///
/// # Errors
/// The file cannot be read, or does not hold valid results.
pub fn read_results(path: &Path, options: &ResultsOptions) -> Result<RunScores, ResultsError> {
    let text = read_text(path, options.limits.max_document).map_err(ResultsError::Io)?;
    let name = path.display().to_string();
    let results = if text.starts_with(BASELINE) {
        read_baseline(&text)?
    } else {
        let mut building = ResultsBuilder::new(&name, false);
        each_line(&text, |line| building.add(&line))?;
        building.finish().scores(options)
    };
    if results.cases.is_empty() {
        return Err(ResultsError::of_file("there is no result in it"));
    }
    Ok(RunScores { name, ..results })
}

/// Reads result lines or a document of results, with everything that reports show.
///
/// # Errors
/// The file cannot be read, or does not hold valid results.
pub fn read_records(path: &Path) -> Result<RecordedResults, ResultsError> {
    let text = read_text(path, Limits::default().max_document).map_err(ResultsError::Io)?;
    if text.starts_with(BASELINE) {
        return Err(ResultsError::of_file("a baseline holds scores alone"));
    }
    let mut building = ResultsBuilder::new(&path.display().to_string(), true);
    let summary = each_line(&text, |line| building.add(&line))?;
    if building.cases.is_empty() {
        return Err(ResultsError::of_file("there is no result in it"));
    }
    // A summary that cannot be parsed is from another version; the cases suffice.
    let summary = summary.and_then(|text| RunSummary::from_json(text).ok());
    let read = building.finish();
    Ok(RecordedResults {
        summary: read.summarise(summary.unwrap_or_default()),
        ..read
    })
}

/// Passes each result of a file to `add`. Returns the summary if the file is a document.
fn each_line<'t>(
    text: &'t str,
    mut add: impl FnMut(ResultLine<'t>),
) -> Result<Option<&'t str>, ResultsError> {
    if is_document(text) {
        return of_document(text, &mut add);
    }
    for (index, text) in text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
    {
        let read = ResultLine::read(text, index as u64 + 1);
        add(read.map_err(|error| ResultsError::after_lines(index, text, error))?);
    }
    Ok(None)
}

/// True if a file with this head holds result lines or a document of results. A line longer than
/// the head is recognized by its keys.
pub fn is_results(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    match text.split_once('\n') {
        _ if is_document(&text) => true,
        Some((line, _)) => ResultLine::read(line, 1).is_ok(),
        None => text.starts_with("{\"case\":") && text.contains(",\"evaluator\":\""),
    }
}

/// `{"rightcall":"0.1.0","results":[…`.
fn is_document(text: &str) -> bool {
    text.trim_start().starts_with("{\"rightcall\":")
}

/// A document of results.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ResultsDocument<'t> {
    #[serde(borrow)]
    results: Vec<RawJson<'t>>,
    summary: Option<RawJson<'t>>,
}

fn of_document<'t>(
    text: &'t str,
    add: &mut dyn FnMut(ResultLine<'t>),
) -> Result<Option<&'t str>, ResultsError> {
    let document = from_json::<ResultsDocument<'t>>(text);
    let document = document.map_err(|error| ResultsError::after_lines(0, text, error))?;
    // Counts line ends between results, so each byte is counted once.
    let (mut lines, mut counted) = (0, 0);
    for (number, RawJson(item)) in document.results.into_iter().enumerate() {
        let offset = item.as_ptr().addr() - text.as_ptr().addr();
        lines += lines_before(&text[counted..], offset - counted);
        counted = offset;
        let place = |error: DocumentError| {
            let error = error.under(&number.to_string()).under("results");
            ResultsError::after_lines(lines, item, error)
        };
        add(ResultLine::read(item, lines as u64 + 1).map_err(place)?);
    }
    Ok(document.summary.map(|json| json.0))
}

/// Number of line ends in the first `offset` bytes.
fn lines_before(text: &str, offset: usize) -> usize {
    let bytes = text.bytes().take(offset);
    bytes.filter(|byte| *byte == b'\n').count()
}

impl ResultsOptions {
    /// The scores of a case for a comparison; `None` if the filter excludes it.
    pub fn scores(&self, case: &CaseResult) -> Option<TrialScores> {
        let meta = case.case.as_ref().and_then(|case| case.meta.as_deref());
        self.place(case.trial_scores(String::new()), &case.tags, meta)
    }

    /// The scores with the key that pairs them, from tags and meta values (JSON text); `None` if the filter excludes the case.
    pub fn place(
        &self,
        scores: TrialScores,
        tags: &[String],
        meta: Option<&str>,
    ) -> Option<TrialScores> {
        if !self.only.admits_judged(tags, meta) {
            return None;
        }
        let sides = self.by.as_ref().map(|by| by.of_judged(tags, meta));
        let key = self.key.of(&scores.label, scores.trial.as_deref(), meta);
        let key = key.unwrap_or_else(|| scores.label.clone());
        let field = self.field.as_ref();
        Some(TrialScores {
            key: match (&self.by, &self.key) {
                (Some(by), CaseKey::Id) => by.without_values(&key, tags, meta),
                _ => key,
            },
            field: field.and_then(|field| meta_number(meta?, field)),
            sides: sides.unwrap_or_default(),
            missing: self.key.missing(meta).map(Box::new),
            ..scores
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use rightcall_stats::Measurement;

    fn read(text: &str) -> Result<RunScores, ResultsError> {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), text).unwrap();
        read_results(
            file.path(),
            &ResultsOptions {
                field: Some("reward".into()),
                ..ResultsOptions::default()
            },
        )
    }

    #[test]
    fn result_lines_become_cases() {
        let lines = r#"{"case":"a","evaluator":"x","score":1.0,"passed":true,"meta":{"reward":1}}
{"case":"a","evaluator":"y","name":"mine","outcome":"error","reason":"r"}
{"case":"a","score":0.5,"passed":false}
{"case":"a","evaluator":"x","trial":2,"outcome":"not_applicable","reason":"r"}
"#;
        let document = format!(
            "{{\"rightcall\":\"0.1.0\",\"results\":[\n{}\n],\"summary\":{{}}}}",
            lines.trim().replace('\n', ",\n")
        );
        for text in [lines, &document] {
            let results = read(text).unwrap();
            assert_eq!(results.measures, ["x", "mine"]);
            let [first, second] = &results.cases[..] else {
                panic!("two cases")
            };
            assert_eq!(
                first.values[1],
                Measurement {
                    score: None,
                    passed: Some(false)
                }
            );
            assert_eq!(
                (first.overall, first.field),
                (
                    Measurement {
                        score: Some(0.5),
                        passed: Some(false)
                    },
                    Some(1.0)
                )
            );
            assert_eq!(
                (second.trial.as_deref(), second.overall),
                (Some("2"), Measurement::default())
            );
        }
    }

    #[test]
    fn other_files_are_not_results() {
        for text in [
            "",
            "{}\n",
            "[1]",
            r#"{"id":"a","expected":[]}"#,
            "case,evaluator",
            r#"{"case":"a"}"#,
        ] {
            assert!(
                matches!(read(text), Err(ResultsError::Other { line: 1, .. })),
                "{text}"
            );
        }
    }

    #[test]
    fn invalid_score_is_an_error_with_location() {
        let fine = r#"{"case":"a","evaluator":"x","score":1.0}"#;
        for (score, found) in [
            ("NaN", "found NaN"),
            ("Infinity", "found inf"),
            ("-Infinity", "found -inf"),
            ("1e999", "found inf"),
            (r#""high""#, r#"found "high""#),
            (r#"{"value":1}"#, r#"found {"value":1}"#),
            ("[1]", "found [1]"),
            ("true", "found true"),
        ] {
            let bad = format!(r#"{{"case":"b","evaluator":"x","score":{score}}}"#);
            let baseline = format!(
                "{BASELINE}\"evaluators\":[\"x\"]}}\n{{\"case\":\"b\",\"results\":[{{\"score\":{score}}}]}}"
            );
            for (text, place) in [
                (format!("{fine}\n{bad}\n"), "line 2 /score: "),
                (
                    format!("{{\"rightcall\":\"0.1.0\",\"results\":[\n{fine},\n{bad}\n]}}"),
                    "line 3 /results/1/score: ",
                ),
                (baseline, "line 2 /results/0/score: "),
            ] {
                let message = read(&text).unwrap_err().to_string();
                assert!(
                    message.starts_with(place) && message.ends_with(found),
                    "{text}\n{message}"
                );
                let file = tempfile::NamedTempFile::new().unwrap();
                fs::write(file.path(), &text).unwrap();
                assert!(read_records(file.path()).is_err(), "{text}");
            }
        }
        assert!(
            read(r#"{"case":"a","evaluator":"x","score":null}"#)
                .unwrap()
                .cases[0]
                .values[0]
                .score
                .is_none()
        );
    }

    #[test]
    fn trailing_text_and_empty_results_are_errors() {
        let fine = r#"{"case":"a","evaluator":"x","score":1.0}"#;
        for (bad, place) in [
            (format!("{fine}{fine}"), "line 2: "),
            (
                r#"{"case":"a","evaluator":"x"}"#.to_owned(),
                "line 2: expected a result",
            ),
            (
                r#"{"case":"a","evaluator":"x","passed":"yes"}"#.to_owned(),
                "line 2 /passed: ",
            ),
            (
                r#"{"case":"a","evaluator":"x","outcome":"fine"}"#.to_owned(),
                "line 2 /outcome: ",
            ),
        ] {
            let message = read(&format!("{fine}\n{bad}\n")).unwrap_err().to_string();
            assert!(message.starts_with(place), "{bad}\n{message}");
        }
        assert!(
            read(&format!(
                "{{\"rightcall\":\"0.1.0\",\"results\":[\n{fine}\n]}}\n{fine}"
            ))
            .is_err()
        );
    }
}
