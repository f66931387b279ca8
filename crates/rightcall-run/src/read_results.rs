//! Results read back from the files they were written to: result lines, a document of results, an accepted baseline.

use std::fmt;
use std::fs;
use std::io;
use std::path::Path;

use rightcall::value::{Kind, Reader, Syntax, SyntaxError};
use rightcall_stats::{CaseResult, Judged, Results};

use crate::baseline::{BASELINE, read_baseline};
use crate::{CaseKey, meta_number};

/// Why a file holds no results.
#[derive(Debug)]
pub enum ResultsError {
    /// It cannot be read.
    Io(io::Error),
    /// It holds something else.
    Other {
        /// The line, from 1.
        line: usize,
        /// What is wrong there.
        message: String,
    },
}

impl fmt::Display for ResultsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) if error.kind() == io::ErrorKind::NotFound => f.write_str("no such file"),
            Self::Io(error) => error.fmt(f),
            Self::Other { line, message } => write!(f, "line {line}: {message}"),
        }
    }
}

impl std::error::Error for ResultsError {}

/// How results are read.
#[derive(Clone, Debug, Default)]
pub struct ResultsOptions {
    /// How cases are told to be the same.
    pub key: CaseKey,
    /// The meta value that scores are compared with; results have meta values where they were written with `--explain`.
    pub field: Option<String>,
}

/// Reads result lines, a document of results, or a baseline.
///
/// # Errors
/// Where the file cannot be read or holds something else.
pub fn read_results(path: &Path, options: &ResultsOptions) -> Result<Results, ResultsError> {
    let text = fs::read_to_string(path).map_err(ResultsError::Io)?;
    let name = path.display().to_string();
    let results = if text.starts_with(BASELINE) {
        read_baseline(&text)?
    } else if is_document(&text) {
        of_document(&text, options).map_err(|error| ResultsError::Other { line: 1, message: error.to_string() })?
    } else {
        let mut building = Building { options, results: Results::default() };
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let at = |message: String| ResultsError::Other { line: number + 1, message };
            building.line(line).map_err(|error| at(error.to_string()))?.ok_or_else(|| at(NO_RESULT.to_owned()))?;
        }
        building.results
    };
    if results.cases.is_empty() {
        return Err(ResultsError::Other { line: 1, message: NO_RESULT.to_owned() });
    }
    Ok(Results { name, ..results })
}

const NO_RESULT: &str = "expected a result such as {\"case\":\"a\",\"evaluator\":\"trajectory\",\"score\":1.0}";

/// `{"rightcall":"0.1.0","results":[…`.
fn is_document(text: &str) -> bool {
    text.trim_start().starts_with("{\"rightcall\":")
}

fn of_document(text: &str, options: &ResultsOptions) -> Result<Results, SyntaxError> {
    let mut building = Building { options, results: Results::default() };
    let mut reader = Reader::new(text, Syntax::PYTHON);
    let mut first = reader.enter_object()?;
    while let Some(key) = reader.next_key(&mut first)? {
        if key == "results" && reader.peek()? == Kind::List {
            let mut first = reader.enter_list()?;
            while reader.next_item(&mut first)? {
                building.line(reader.raw()?)?;
            }
        } else {
            reader.raw()?;
        }
    }
    Ok(building.results)
}

/// Results in the making; the lines of a case follow each other.
struct Building<'o> {
    options: &'o ResultsOptions,
    results: Results,
}

impl Building<'_> {
    /// Adds a result line; `None` for an object that is none.
    fn line(&mut self, line: &str) -> Result<Option<()>, SyntaxError> {
        let mut reader = Reader::new(line, Syntax::PYTHON);
        let (mut case, mut evaluator, mut name, mut trial, mut meta) = (None, None, None, None, None);
        let (mut judged, mut failed) = (Judged::default(), false);
        if reader.peek()? != Kind::Object {
            return Ok(None);
        }
        let mut first = reader.enter_object()?;
        while let Some(key) = reader.next_key(&mut first)? {
            match key.as_str() {
                Some("case") => case = Some(reader.string()?.to_display().into_owned()),
                Some("evaluator") => evaluator = Some(reader.string()?.to_display().into_owned()),
                Some("name") => name = Some(reader.string()?.to_display().into_owned()),
                Some("trial") => trial = Some(reader.raw()?.to_owned()),
                Some("score") => judged.score = reader.value()?.as_f64(),
                Some("passed") => judged.passed = Some(reader.bool()?),
                Some("outcome") => failed = reader.string()? == "error",
                Some("meta") => meta = Some(reader.raw()?),
                _ => _ = reader.raw()?,
            }
        }
        let Some(label) = case else { return Ok(None) };
        if evaluator.is_none() && judged == Judged::default() && !failed {
            return Ok(None);
        }
        if failed {
            judged.passed = Some(false);
        }
        let is_new = self.results.cases.last().is_none_or(|last| last.label != label || last.trial != trial);
        if is_new {
            // Without the values that make its key a case pairs with no other.
            let key = self.options.key.of(&label, trial.as_deref(), meta);
            let key = key.unwrap_or_else(|| label.clone());
            self.results.cases.push(CaseResult { key, label, trial, ..CaseResult::default() });
        }
        let Some(result) = self.results.cases.last_mut() else { return Ok(None) };
        if let (Some(field), Some(meta)) = (&self.options.field, meta) {
            result.field = meta_number(meta, field);
        }
        match name.or(evaluator) {
            None => result.overall = judged,
            Some(measure) => {
                let position = self.results.measures.iter().position(|known| *known == measure).unwrap_or_else(|| {
                    self.results.measures.push(measure);
                    self.results.measures.len() - 1
                });
                if result.values.len() <= position {
                    result.values.resize(position + 1, Judged::default());
                }
                result.values[position] = judged;
                result.overall = mean_of(&result.values);
            }
        }
        Ok(Some(()))
    }
}

/// Where no line tells what all evaluators together made of a case: the mean of their scores, and their verdicts if all passed.
fn mean_of(values: &[Judged]) -> Judged {
    let scores: Vec<f64> = values.iter().filter_map(|judged| judged.score).collect();
    let verdicts = || values.iter().filter_map(|judged| judged.passed);
    let passed = (verdicts().count() > 0).then(|| verdicts().all(|passed| passed));
    Judged { score: rightcall_stats::mean(&scores), passed }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Results, ResultsError> {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), text).unwrap();
        read_results(file.path(), &ResultsOptions { field: Some("reward".into()), ..ResultsOptions::default() })
    }

    #[test]
    fn result_lines_become_cases() {
        let lines = r#"{"case":"a","evaluator":"x","score":1.0,"passed":true,"meta":{"reward":1}}
{"case":"a","evaluator":"y","name":"mine","outcome":"error","reason":"r"}
{"case":"a","score":0.5,"passed":false}
{"case":"a","evaluator":"x","trial":2,"outcome":"not_applicable","reason":"r"}
"#;
        let document =
            format!("{{\"rightcall\":\"0.1.0\",\"results\":[\n{}\n],\"summary\":{{}}}}", lines.trim().replace('\n', ",\n"));
        for text in [lines, &document] {
            let results = read(text).unwrap();
            assert_eq!(results.measures, ["x", "mine"]);
            let [first, second] = &results.cases[..] else { panic!("two cases") };
            assert_eq!(first.values[1], Judged { score: None, passed: Some(false) });
            assert_eq!((first.overall, first.field), (Judged { score: Some(0.5), passed: Some(false) }, Some(1.0)));
            assert_eq!((second.trial.as_deref(), second.overall), (Some("2"), Judged::default()));
        }
    }

    #[test]
    fn other_files_hold_no_results() {
        for text in ["", "{}\n", "[1]", r#"{"id":"a","expected":[]}"#, "case,evaluator", r#"{"case":"a"}"#] {
            assert!(matches!(read(text), Err(ResultsError::Other { line: 1, .. })), "{text}");
        }
    }
}
