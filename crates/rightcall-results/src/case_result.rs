//! What came out of one case.

use std::sync::Arc;

use rightcall::call::Case;
use rightcall::expectation::ResolutionPart;
use rightcall::value::{JsonText, JsonWriter, Value, decode, on_one_line};
use rightcall::{Evaluation, Explanation, NotApplicable, Outcome};
use rightcall_stats::{Measurement, TrialScores};

use crate::{CaseCause, Cause, ToolUse, causes, sentence, tools_of};

/// What came out of one case, live or kept.
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
    /// What each evaluator made of it, in the order of the run's evaluators.
    pub evaluations: Vec<EvaluationResult>,
    /// What all evaluators together made of it.
    pub whole: EvaluationResult,
    /// Why evaluators gave it a low score, each cause once, where an output asks for it.
    pub causes: Vec<CaseCause>,
    /// The case itself, where it is kept.
    pub case: Option<Arc<KeptCase>>,
}

/// What an evaluator, or all together, made of a case.
#[derive(Clone, Debug)]
pub struct EvaluationResult {
    /// A score, or why there is none.
    pub outcome: Outcome,
    /// Whether the case passed.
    pub passed: Option<bool>,
    /// The original's own details, where they are asked for.
    pub details: Option<JsonText>,
    /// The universal alignment, where it is asked for.
    pub explanation: Option<Box<Explanation>>,
    /// Why the score is low, in a sentence; empty where there is nothing to say, or nobody asks.
    pub why: String,
}

/// A case with everything that people look at, apart from what evaluators made of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeptCase {
    /// Its other keys, an object as JSON text on one line; `None` if there are none.
    pub meta: Option<String>,
    /// The case, canonical, as JSON text: what was asked, expected and done.
    pub json: String,
    /// Which tools were expected and which were called.
    pub tools: Vec<ToolUse>,
    /// The beginning of what was asked, or else of its description; empty where neither is known.
    pub question: String,
    /// What an expectation with several right ways was resolved to, an object as JSON text: whether the run is accepted, its cost, the ways
    /// that were taken. `None` for a list of calls.
    pub expectation: Option<String>,
}

/// Characters of a question that are kept beside the case.
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
    /// Adds the causes that this evaluator shows to those of others, each once. They count if it scored the case too low.
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

    /// A result of which no more is known.
    pub fn new(outcome: Outcome, passed: Option<bool>) -> Self {
        Evaluation {
            passed,
            ..Evaluation::without_score(outcome)
        }
        .into()
    }

    /// No score, for a reason in words.
    pub fn not_applicable(reason: &str) -> Self {
        let reason = NotApplicable::Reason(reason.to_owned());
        Self::new(Outcome::NotApplicable(reason), None)
    }

    /// The score, if there is one.
    pub fn score(&self) -> Option<f64> {
        self.outcome.score()
    }

    /// Whether the case passed; an error counts as not passed.
    pub fn verdict(&self) -> Option<bool> {
        self.outcome.verdict(self.passed)
    }

    /// By the verdict where there is one, else by a score below 1.
    pub fn falls_short(&self) -> bool {
        self.score()
            .is_some_and(|score| self.passed.map_or(score < 1.0, |passed| !passed))
    }

    /// Says in a sentence why the score is low, as far as an alignment tells.
    pub fn explain(&mut self, case: &Case<'_>) {
        let is_low = |score| score < 1.0 || self.passed == Some(false);
        if let (Some(explanation), true) = (&self.explanation, self.score().is_some_and(is_low)) {
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

impl CaseResult {
    /// Its name, with its trial: `refund-7 (trial 2)`.
    pub fn name(&self) -> String {
        let trial = |trial: &String| format!("{} (trial {trial})", self.label);
        self.trial
            .as_ref()
            .map_or_else(|| self.label.clone(), trial)
    }

    /// `FILE:LINE`.
    pub fn place(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }

    /// The scores and verdicts alone, as statistics take them; the key says which case it is in another run.
    pub fn trial_scores(&self, key: String) -> TrialScores {
        TrialScores {
            key,
            label: self.label.clone(),
            trial: self.trial.clone(),
            values: self.evaluations.iter().map(measurement).collect(),
            overall: measurement(&self.whole),
            field: None,
            sides: Vec::new(),
        }
    }

    /// The causes that count: those of evaluators that it fell short of.
    pub fn counted_causes(&self) -> impl Iterator<Item = &Cause> {
        let counted = self.causes.iter().filter(|it| it.counts);
        counted.map(|it| &it.cause)
    }

    /// What each evaluator made of it, then all together.
    pub fn all(&self) -> impl Iterator<Item = &EvaluationResult> {
        self.evaluations.iter().chain([&self.whole])
    }

    /// True if any evaluation did not pass or ended in an error.
    pub fn failed(&self) -> bool {
        self.all().any(|it| it.verdict() == Some(false))
    }

    /// Why the lowest of its scores is low; empty where nothing is to be said.
    pub fn lowest_why(&self) -> String {
        let scores = self.evaluations.iter();
        let scores = scores.filter_map(|it| Some((it.score()?, it)));
        // A case without a flaw needs no reason.
        let lowest = scores
            .filter(|(score, _)| *score < 1.0)
            .min_by(|one, other| one.0.total_cmp(&other.0));
        lowest.map(|(_, it)| it.why.clone()).unwrap_or_default()
    }

    /// Why the case is low: an error, the lowest of its scores, or why it has none.
    pub fn why(&self) -> String {
        let is_error = |it: &&EvaluationResult| matches!(it.outcome, Outcome::Failed(_));
        let error = self.evaluations.iter().find(is_error);
        let error = error.and_then(|it| it.outcome.reason());
        let lowest = Some(self.lowest_why()).filter(|why| !why.is_empty());
        let none = || self.whole.outcome.reason();
        error.or(lowest).or_else(none).unwrap_or_default()
    }

    /// Whether the case passed as a whole: not where any evaluation did not pass or ended in an error.
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

/// The beginning of what a case was asked, or else of its description.
fn question_of(case: &Case<'_>) -> String {
    let asked = case.input.map(|input| match decode(input) {
        Ok(Value::String(text)) => text.to_display().into_owned(),
        _ => input.to_owned(),
    });
    let described = || Some(case.description.as_ref()?.to_display().into_owned());
    let text = asked.or_else(described).unwrap_or_default();
    text.chars().take(QUESTION).collect()
}

/// What the expectation of a case was resolved to, on one line; `None` for a list of calls.
pub(crate) fn resolution_json(case: &Case<'_>, part: ResolutionPart) -> Option<String> {
    let resolution = case.expected.resolution?.as_ref().ok()?;
    Some(on_one_line(resolution.to_json(part)))
}

/// A score and a verdict: an error is no score, and not passed.
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
