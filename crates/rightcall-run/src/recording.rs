//! What is kept of a case.

use rightcall::call::Case;
use rightcall::value::JsonWriter;
use rightcall::{Ask, Explanation, Outcome};
use rightcall_formats::case_text;

use crate::scores::{Mark, Marked};
use crate::select::{Rank, rank_of};
use crate::tools::{ToolUse, tools_of};
use crate::{Configured, Plan};

/// A case with everything that people look at.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseRecord {
    /// Its id, or `FILE:LINE`.
    pub label: String,
    /// Its trial as JSON text.
    pub trial: Option<String>,
    /// The file it was read from.
    pub file: String,
    /// The line, from 1.
    pub line: u64,
    /// Its labels.
    pub tags: Vec<String>,
    /// Its other keys, an object as JSON text; `None` if there are none.
    pub meta: Option<String>,
    /// The case, canonical: what was asked, expected and done.
    pub case: String,
    /// Which tools were expected and which were called.
    pub tools: Vec<ToolUse>,
    /// What all evaluators together made of it.
    pub result: ResultRecord,
    /// What each evaluator made of it, in the plan's order.
    pub evaluations: Vec<ResultRecord>,
    /// True if any evaluation did not pass or ended in an error.
    pub failed: bool,
    /// Its place in the order in which cases are chosen.
    pub rank: Rank,
}

/// What came out for a case.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultRecord {
    /// A score, or why there is none.
    pub outcome: RecordedOutcome,
    /// Whether the case passed.
    pub passed: Option<bool>,
    /// The universal alignment as JSON text; `None` for all evaluators together.
    pub alignment: Option<String>,
}

/// A score, or why there is none.
#[derive(Clone, Debug, PartialEq)]
pub enum RecordedOutcome {
    /// A score.
    Scored(f64),
    /// The evaluator does not apply, and why.
    NotApplicable(String),
    /// The evaluation failed, and why.
    Error(String),
}

impl CaseRecord {
    /// The record of a case as it may be seen, if the plan keeps it.
    pub(crate) fn of(
        plan: &Plan,
        case: &Case<'_>,
        place: (&str, u64),
        label: &str,
        marks: &[Mark],
        mark: &Mark,
        has_run: bool,
    ) -> Option<Self> {
        let recording = plan.recording.as_ref()?;
        let rank = rank_of(label, case.trial);
        let failed = marks
            .iter()
            .chain([mark])
            .any(|mark| mark.verdict() == Some(false));
        if !recording.admits(rank, failed) {
            return None;
        }
        let ask = Ask {
            explanation: has_run,
            ..Ask::OUTCOME
        };
        let evaluations =
            plan.evaluators
                .iter()
                .zip(marks)
                .map(|(configured, mark): (&Configured, &Mark)| {
                    let evaluation = configured.evaluate(case, ask);
                    let alignment = evaluation
                        .explanation
                        .as_deref()
                        .map(|it: &Explanation| on_one_line(it.to_json().as_str()));
                    let outcome = match (outcome_of(mark), evaluation.outcome) {
                        // The mark knows the kind of the reason alone.
                        (RecordedOutcome::NotApplicable(_), Outcome::NotApplicable(why)) => {
                            RecordedOutcome::NotApplicable(why.to_string())
                        }
                        (outcome, _) => outcome,
                    };
                    ResultRecord {
                        outcome,
                        passed: mark.passed,
                        alignment,
                    }
                });
        Some(Self {
            label: label.to_owned(),
            trial: case.trial.map(on_one_line),
            file: place.0.to_owned(),
            line: place.1,
            tags: case
                .tags
                .iter()
                .map(|tag| tag.to_display().into_owned())
                .collect(),
            meta: meta_of(case),
            case: case_text(case),
            tools: tools_of(case),
            evaluations: evaluations.collect(),
            result: ResultRecord {
                outcome: outcome_of(mark),
                passed: mark.passed,
                alignment: None,
            },
            failed,
            rank,
        })
    }
}

fn outcome_of(mark: &Mark) -> RecordedOutcome {
    match &mark.outcome {
        Marked::Score(score) => RecordedOutcome::Scored(*score),
        Marked::NotApplicable(why) => RecordedOutcome::NotApplicable(why.clone()),
        Marked::Error(why) => RecordedOutcome::Error(why.clone()),
    }
}

fn on_one_line(json: &str) -> String {
    json.replace(['\n', '\r'], " ")
}

pub(crate) fn meta_of(case: &Case<'_>) -> Option<String> {
    let mut writer = JsonWriter::new();
    writer.begin_object();
    for (key, json) in &case.meta {
        writer.key_text(key).raw(json);
    }
    writer.end_object();
    (!case.meta.is_empty()).then(|| on_one_line(writer.finish().as_str()))
}
