//! Results read back from the files they were written to: result lines, a document of results, an accepted baseline.

use std::fmt;
use std::io;
use std::path::Path;

use rightcall::value::{JsonWriter, Kind, Reader, Syntax, SyntaxError, Value, decode_with};
use rightcall_formats::{Limits, read_text};
use rightcall_stats::{CaseResult, Judged, Results};

use crate::baseline::{BASELINE, read_baseline};
use crate::{CaseKey, CaseRecord, RecordedOutcome, ResultRecord, meta_number};

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
    /// How large files may be.
    pub limits: Limits,
}

/// Reads result lines, a document of results, or a baseline.
///
/// # Errors
/// Where the file cannot be read or holds something else.
pub fn read_results(path: &Path, options: &ResultsOptions) -> Result<Results, ResultsError> {
    let text = read_text(path, options.limits.max_document).map_err(ResultsError::Io)?;
    let name = path.display().to_string();
    let results = if text.starts_with(BASELINE) {
        read_baseline(&text)?
    } else {
        let mut building = Building { options, results: Results::default() };
        each_line(&text, |line| building.add(line))?;
        building.results
    };
    if results.cases.is_empty() {
        return Err(ResultsError::Other { line: 1, message: NO_RESULT.to_owned() });
    }
    Ok(Results { name, ..results })
}

/// Reads result lines or a document of results with all that reports tell of them.
///
/// # Errors
/// Where the file cannot be read or holds something else.
pub fn read_records(path: &Path) -> Result<RecordedResults, ResultsError> {
    let text = read_text(path, Limits::default().max_document).map_err(ResultsError::Io)?;
    if text.starts_with(BASELINE) {
        return Err(ResultsError::Other { line: 1, message: "a baseline holds scores alone".to_owned() });
    }
    let mut building = BuildingRecords { file: path.display().to_string(), ..BuildingRecords::default() };
    let summary = each_line(&text, |line| building.add(line))?;
    if building.cases.is_empty() {
        return Err(ResultsError::Other { line: 1, message: NO_RESULT.to_owned() });
    }
    Ok(building.finish(summary.map(ToOwned::to_owned)))
}

/// Gives the result lines of a file, or the results of a document, to `add`. Gives the summary of a document.
fn each_line<'t>(text: &'t str, mut add: impl FnMut(ResultLine<'t>)) -> Result<Option<&'t str>, ResultsError> {
    if is_document(text) {
        return of_document(text, &mut add).map_err(|error| ResultsError::Other { line: 1, message: error.to_string() });
    }
    for (number, text) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let at = |message: String| ResultsError::Other { line: number + 1, message };
        let read = ResultLine::read(text).map_err(|error| at(error.to_string()))?.ok_or_else(|| at(NO_RESULT.to_owned()))?;
        add(ResultLine { number: number as u64 + 1, ..read });
    }
    Ok(None)
}

const NO_RESULT: &str = "expected a result such as {\"case\":\"a\",\"evaluator\":\"trajectory\",\"score\":1.0}";

/// `{"rightcall":"0.1.0","results":[…`.
fn is_document(text: &str) -> bool {
    text.trim_start().starts_with("{\"rightcall\":")
}

fn of_document<'t>(text: &'t str, add: &mut dyn FnMut(ResultLine<'t>)) -> Result<Option<&'t str>, SyntaxError> {
    let mut summary = None;
    let mut reader = Reader::new(text, Syntax::PYTHON);
    let mut first = reader.enter_object()?;
    while let Some(key) = reader.next_key(&mut first)? {
        if key == "results" && reader.peek()? == Kind::List {
            let mut first = reader.enter_list()?;
            while reader.next_item(&mut first)? {
                ResultLine::read(reader.raw()?)?.into_iter().for_each(&mut *add);
            }
        } else if key == "summary" {
            summary = Some(reader.raw()?);
        } else {
            reader.raw()?;
        }
    }
    Ok(summary)
}

/// What an evaluator, or without one all together, made of a case.
#[derive(Default)]
struct ResultLine<'t> {
    /// Its line in the file; 0 in a document.
    number: u64,
    label: String,
    trial: Option<&'t str>,
    evaluator: Option<String>,
    name: Option<String>,
    score: Option<f64>,
    passed: Option<bool>,
    is_error: bool,
    reason: String,
    alignment: Option<&'t str>,
    tags: Vec<String>,
    meta: Option<&'t str>,
    /// `input`, `output`, `description`, `tags` and `meta`, each with its JSON text.
    beside: Vec<(&'static str, &'t str)>,
}

impl<'t> ResultLine<'t> {
    /// Reads a line; `None` for an object that is no result.
    fn read(text: &'t str) -> Result<Option<Self>, SyntaxError> {
        let mut reader = Reader::new(text, Syntax::PYTHON);
        if reader.peek()? != Kind::Object {
            return Ok(None);
        }
        let (mut line, mut has_case) = (Self::default(), false);
        let mut first = reader.enter_object()?;
        while let Some(key) = reader.next_key(&mut first)? {
            match key.as_str() {
                Some("case") => (line.label, has_case) = (reader.string()?.to_display().into_owned(), true),
                Some("evaluator") => line.evaluator = Some(reader.string()?.to_display().into_owned()),
                Some("name") => line.name = Some(reader.string()?.to_display().into_owned()),
                Some("trial") => line.trial = Some(reader.raw()?),
                Some("score") => line.score = reader.value()?.as_f64(),
                Some("passed") => line.passed = Some(reader.bool()?),
                Some("outcome") => line.is_error = reader.string()? == "error",
                Some("reason") => line.reason = reader.string()?.to_display().into_owned(),
                Some("alignment") => line.alignment = Some(reader.raw()?),
                Some(other) => {
                    let known = BESIDE.iter().find(|known| **known == other);
                    let json = reader.raw()?;
                    line.beside.extend(known.map(|known| (*known, json)));
                }
                None => _ = reader.raw()?,
            }
        }
        let of_key = |wanted: &str| line.beside.iter().find(|(key, _)| *key == wanted).map(|(_, json)| *json);
        line.meta = of_key("meta");
        let tags = of_key("tags").and_then(|json| decode_with(json, Syntax::PYTHON).ok());
        let tags = tags.as_ref().and_then(Value::as_list).unwrap_or_default();
        line.tags = tags.iter().filter_map(Value::as_text).map(|tag| tag.to_display().into_owned()).collect();
        let is_result = line.evaluator.is_some() || line.score.is_some() || line.passed.is_some() || line.is_error;
        Ok((has_case && is_result).then_some(line))
    }

    /// An error is no score, and not passed.
    fn judged(&self) -> Judged {
        Judged { score: self.score, passed: if self.is_error { Some(false) } else { self.passed } }
    }
}

/// What a result line may say of the case beside its calls.
const BESIDE: [&str; 5] = ["input", "output", "description", "tags", "meta"];

/// Results in the making; the lines of a case follow each other.
struct Building<'o> {
    options: &'o ResultsOptions,
    results: Results,
}

impl Building<'_> {
    fn add(&mut self, line: ResultLine<'_>) {
        let judged = line.judged();
        let trial = line.trial.map(ToOwned::to_owned);
        let is_new = self.results.cases.last().is_none_or(|last| last.label != line.label || last.trial != trial);
        if is_new {
            // Without the values that make its key a case pairs with no other.
            let key = self.options.key.of(&line.label, line.trial, line.meta);
            let key = key.unwrap_or_else(|| line.label.clone());
            self.results.cases.push(CaseResult { key, label: line.label, trial, ..CaseResult::default() });
        }
        let Some(result) = self.results.cases.last_mut() else { return };
        if let (Some(field), Some(meta)) = (&self.options.field, line.meta) {
            result.field = meta_number(meta, field);
        }
        match line.name.or(line.evaluator) {
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
    }
}

/// Results of a file, with all that reports tell of them. The calls are not among it.
#[derive(Clone, Debug)]
pub struct RecordedResults {
    /// Ids of the evaluators, each with the user's name for it, in the order of the evaluations of each case.
    pub evaluators: Vec<(String, Option<String>)>,
    /// The cases in their order.
    pub cases: Vec<CaseRecord>,
    /// Whether the file tells what whole cases came to.
    pub has_whole_cases: bool,
    /// The summary of the run as JSON text, where the file has it.
    pub summary: Option<String>,
}

#[derive(Default)]
struct BuildingRecords {
    file: String,
    evaluators: Vec<(String, Option<String>)>,
    cases: Vec<CaseRecord>,
    has_whole_cases: bool,
}

/// An evaluator that has no line for a case which others have one for.
fn no_line() -> ResultRecord {
    let outcome = RecordedOutcome::NotApplicable("the file has no result of it for this case".to_owned());
    ResultRecord { outcome, passed: None, alignment: None }
}

impl BuildingRecords {
    fn add(&mut self, line: ResultLine<'_>) {
        let (judged, on_one_line) = (line.judged(), |json: &str| json.replace(['\n', '\r'], " "));
        let trial = line.trial.map(on_one_line);
        if self.cases.last().is_none_or(|last| last.label != line.label || last.trial != trial) {
            let mut case = JsonWriter::new();
            case.begin_object().key("id").str(&line.label);
            line.beside.iter().for_each(|(key, json)| _ = case.key(key).raw(json));
            case.end_object();
            self.cases.push(CaseRecord {
                label: line.label,
                trial,
                file: self.file.clone(),
                line: line.number.max(1),
                tags: line.tags,
                meta: line.meta.map(on_one_line),
                case: case.finish().to_string(),
                tools: Vec::new(),
                result: no_line(),
                evaluations: Vec::new(),
                failed: false,
                rank: 0,
            });
        }
        let Some(case) = self.cases.last_mut() else { return };
        let outcome = match line.score {
            _ if line.is_error => RecordedOutcome::Error(line.reason),
            Some(score) => RecordedOutcome::Scored(score),
            None => RecordedOutcome::NotApplicable(line.reason),
        };
        case.failed |= judged.passed == Some(false);
        let result = ResultRecord { outcome, passed: line.passed, alignment: line.alignment.map(on_one_line) };
        let Some(id) = line.evaluator else {
            self.has_whole_cases = true;
            case.result = result;
            return;
        };
        let evaluator = (id, line.name);
        let position = self.evaluators.iter().position(|known| *known == evaluator).unwrap_or_else(|| {
            self.evaluators.push(evaluator);
            self.evaluators.len() - 1
        });
        if case.evaluations.len() <= position {
            case.evaluations.resize_with(position + 1, no_line);
        }
        case.evaluations[position] = result;
    }

    fn finish(mut self, summary: Option<String>) -> RecordedResults {
        for case in &mut self.cases {
            case.evaluations.resize_with(self.evaluators.len(), no_line);
            if !self.has_whole_cases {
                let judged = |it: &ResultRecord| match it.outcome {
                    RecordedOutcome::Scored(score) => Judged { score: Some(score), passed: it.passed },
                    RecordedOutcome::NotApplicable(_) => Judged { score: None, passed: it.passed },
                    RecordedOutcome::Error(_) => Judged { score: None, passed: Some(false) },
                };
                let whole = mean_of(&case.evaluations.iter().map(judged).collect::<Vec<_>>());
                let none = || RecordedOutcome::NotApplicable("no evaluator applies".to_owned());
                case.result.outcome = whole.score.map_or_else(none, RecordedOutcome::Scored);
                case.result.passed = whole.passed;
            }
        }
        let Self { evaluators, cases, has_whole_cases, .. } = self;
        RecordedResults { evaluators, cases, has_whole_cases, summary }
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
