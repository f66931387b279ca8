//! The result of one case.

use std::sync::Arc;

use rightcall_core::call::Case;
use rightcall_core::expectation::ResolutionPart;
use rightcall_core::value::{JsonText, JsonWriter, Value, decode, on_one_line};
use rightcall_core::{Evaluation, Explanation, NotApplicable, Outcome};
use rightcall_stats::{Measurement, TrialScores};

use crate::{CaseCause, Cause, ToolUse, causes, sentence, tools_of};

/// The result of one case, from the current run or from storage.
#[derive(Clone, Debug)]
pub struct CaseResult {
    /// Its id, or `FILE:LINE`.
    pub label: String,
    /// Its trial as JSON text.
    pub trial: Option<String>,
    /// The meta values that distinguish its run from others of the same id, such as the model, each with its key.
    pub variant: Vec<(String, String)>,
    /// The file it was read from.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: u64,
    /// Its labels.
    pub tags: Vec<String>,
    /// The result of each evaluator, in the order of the run's evaluators.
    pub evaluations: Vec<EvaluationResult>,
    /// The combined result of all evaluators.
    pub whole: EvaluationResult,
    /// The causes of low scores, each once, if an output needs them.
    pub causes: Vec<CaseCause>,
    /// The case itself, if it is stored.
    pub case: Option<Arc<KeptCase>>,
}

/// The result of one evaluator, or the combined result, on a case.
#[derive(Clone, Debug)]
pub struct EvaluationResult {
    /// A score, or the reason for having none.
    pub outcome: Outcome,
    /// Whether the case passed.
    pub passed: Option<bool>,
    /// The details of the original metric, if requested.
    pub details: Option<JsonText>,
    /// The alignment in the common format, if requested.
    pub explanation: Option<Box<Explanation>>,
    /// The reason for a low score, in one sentence; empty without a reason, or if none was
    /// requested.
    pub why: String,
}

/// A case with all parts that reports show, except its results.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeptCase {
    /// Its other keys, an object as JSON text on one line; `None` if there are none.
    pub meta: Option<String>,
    /// The case as canonical JSON text: question, expectation and calls.
    pub json: String,
    /// The tools that were expected and called.
    pub tools: Vec<ToolUse>,
    /// The beginning of the question, or else of the description; empty if it has neither.
    pub question: String,
    /// The resolution of an expectation with several accepted runs, as a JSON object: whether the
    /// run is accepted, its cost, and its choices. `None` for a list of calls.
    pub expectation: Option<String>,
}

/// Maximum length of the stored question in characters.
const QUESTION: usize = 400;

impl From<Evaluation> for EvaluationResult {
    fn from(evaluation: Evaluation) -> Self {
        Self {
            outcome: evaluation.outcome,
            passed: evaluation.passed,
            details: evaluation.details,
            explanation: evaluation.explanation,
            why: String::new(),
        }
    }
}

impl EvaluationResult {
    /// Adds the causes that this evaluator shows to `known`, each once. They count if it scored the case too low.
    pub fn add_causes(&self, known: &mut Vec<CaseCause>, case: &Case<'_>) {
        let counts = self.falls_short();
        let explanation = self.explanation.iter();
        for cause in explanation.flat_map(|it| causes(case, it)) {
            match known.iter_mut().find(|it| it.cause == cause) {
                Some(known) => known.counts |= counts,
                None => known.push(CaseCause { cause, counts }),
            }
        }
    }

    /// A result without details.
    pub fn new(outcome: Outcome, passed: Option<bool>) -> Self {
        Evaluation {
            passed,
            ..Evaluation::without_score(outcome)
        }
        .into()
    }

    /// No score, with a reason as text.
    pub fn not_applicable(reason: &str) -> Self {
        let reason = NotApplicable::Reason(reason.to_owned());
        Self::new(Outcome::NotApplicable(reason), None)
    }

    /// The score, if there is one.
    pub fn score(&self) -> Option<f64> {
        self.outcome.score()
    }

    /// Whether the case passed; an error counts as failed.
    pub fn verdict(&self) -> Option<bool> {
        self.outcome.verdict(self.passed)
    }

    /// True for a scored case that failed, or without a verdict for a score below 1.
    pub fn falls_short(&self) -> bool {
        self.score()
            .is_some_and(|score| self.passed.map_or(score < 1.0, |passed| !passed))
    }

    /// True for a score below 1, or one that failed.
    pub fn is_low(&self) -> bool {
        let is_low = |score| score < 1.0 || self.passed == Some(false);
        self.score().is_some_and(is_low)
    }

    /// Explains a low score in a sentence, if the alignment shows the reason.
    pub fn explain(&mut self, case: &Case<'_>) {
        if let (Some(explanation), true) = (&self.explanation, self.is_low()) {
            let findings = match case.expected.resolution {
                Some(Ok(resolution)) => resolution.findings.first(),
                _ => None,
            };
            self.why = findings.map_or_else(|| sentence(case, explanation), String::clone);
        }
    }

    /// The alignment as JSON text on one line.
    pub fn alignment(&self) -> Option<String> {
        let explanation = self.explanation.as_ref()?;
        Some(on_one_line(explanation.to_json()))
    }
}

/// The name of a case with its trial, if it has one: `refund-7 (trial 2)`.
pub fn case_name(label: &str, trial: Option<&str>) -> String {
    match trial {
        Some(trial) => format!("{label} (trial {trial})"),
        None => label.to_owned(),
    }
}

impl CaseResult {
    /// Its name, with its trial: `refund-7 (trial 2)`.
    pub fn name(&self) -> String {
        case_name(&self.label, self.trial.as_deref())
    }

    /// The location as `FILE:LINE`.
    pub fn place(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }

    /// Scores and verdicts for statistics. `key` identifies the same case in another run.
    pub fn trial_scores(&self, key: String) -> TrialScores {
        TrialScores {
            key,
            label: self.label.clone(),
            trial: self.trial.clone(),
            values: self.evaluations.iter().map(measurement).collect(),
            overall: measurement(&self.whole),
            field: None,
            sides: Vec::new(),
            missing: None,
        }
    }

    /// The causes that count: those of evaluators that the case failed.
    pub fn counted_causes(&self) -> impl Iterator<Item = &Cause> {
        let counted = self.causes.iter().filter(|it| it.counts);
        counted.map(|it| &it.cause)
    }

    /// The results of the evaluators, then the combined result.
    pub fn all(&self) -> impl Iterator<Item = &EvaluationResult> {
        self.evaluations.iter().chain([&self.whole])
    }

    /// True if any evaluation failed or ended in an error.
    pub fn failed(&self) -> bool {
        self.all().any(|it| it.verdict() == Some(false))
    }

    /// The reason for its lowest score; empty without a reason.
    pub fn lowest_why(&self) -> String {
        let scores = self.evaluations.iter();
        let scores = scores.filter_map(|it| Some((it.score()?, it)));
        // A perfect score needs no reason.
        let lowest = scores
            .filter(|(score, _)| *score < 1.0)
            .min_by(|one, other| one.0.total_cmp(&other.0));
        lowest.map(|(_, it)| it.why.clone()).unwrap_or_default()
    }

    /// Why the case failed: an error, the reason for its lowest score, or the reason for having no score.
    pub fn why(&self) -> String {
        let is_error = |it: &&EvaluationResult| matches!(it.outcome, Outcome::Failed(_));
        let error = self.evaluations.iter().find(is_error);
        let error = error.and_then(|it| it.outcome.reason());
        let lowest = Some(self.lowest_why()).filter(|why| !why.is_empty());
        let none = || self.whole.outcome.reason();
        error.or(lowest).or_else(none).unwrap_or_default()
    }

    /// Whether the case passed as a whole: failed if any evaluation failed or ended in an error.
    pub fn verdict(&self) -> Option<bool> {
        let failed = self.failed().then_some(false);
        failed.or(self.whole.passed)
    }
}

impl KeptCase {
    /// A case, with its canonical text.
    pub fn new(case: &Case<'_>, json: String) -> Self {
        Self {
            meta: meta_of(case),
            json,
            tools: tools_of(case),
            question: question_of(case),
            expectation: resolution_json(case, ResolutionPart::Choices),
        }
    }
}

/// The beginning of the question of a case, or else of its description.
fn question_of(case: &Case<'_>) -> String {
    let question = case.input.map(|input| match decode(input) {
        Ok(Value::String(text)) => text.to_display().into_owned(),
        _ => input.to_owned(),
    });
    let described = || Some(case.description.as_ref()?.to_display().into_owned());
    let text = question.or_else(described).unwrap_or_default();
    text.chars().take(QUESTION).collect()
}

/// The resolution of a case's expectation, on one line; `None` for a list of calls.
pub(crate) fn resolution_json(case: &Case<'_>, part: ResolutionPart) -> Option<String> {
    let resolution = case.expected.resolution?.as_ref().ok()?;
    Some(on_one_line(resolution.to_json(part)))
}

/// A score and a verdict. An error has no score and counts as failed.
fn measurement(result: &EvaluationResult) -> Measurement {
    Measurement {
        score: result.score(),
        passed: result.verdict(),
    }
}

/// The labels of a case.
pub fn tags_of(case: &Case<'_>) -> Vec<String> {
    let tags = case.tags.iter();
    tags.map(|tag| tag.to_display().into_owned()).collect()
}

/// The other keys of a case, an object as JSON text on one line; `None` if there are none.
pub fn meta_of(case: &Case<'_>) -> Option<String> {
    let mut writer = JsonWriter::new();
    case.write_meta(&mut writer);
    (!case.meta.is_empty()).then(|| on_one_line(writer.finish()))
}
