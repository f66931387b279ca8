//! A case for a page: the question, and for every evaluator the alignment in two lanes with its arithmetic.

use askama::Template;
use rightcall_run::{CaseRecord, RecordedOutcome};

use crate::explain::said;
use crate::lanes::Lanes;
use crate::reports::{ReadCase, label_of};
use crate::text::{cut, printable, shortened};

/// Characters of a text that a page shows.
const TEXT: usize = 4000;

/// A case, drawn. As text it is the part of a page that shows the case; its heading is left to the page.
#[derive(Debug, Template)]
#[template(path = "case_body.html")]
pub struct CasePage {
    /// Its id, or `FILE:LINE`, with its trial.
    pub label: String,
    /// `FILE:LINE`.
    pub place: String,
    /// Its scores by evaluator, each with the class of its verdict.
    pub scores: Vec<(String, &'static str)>,
    /// Why the lowest of them is low.
    pub sentence: String,
    /// Its labels.
    pub tags: Vec<String>,
    /// The canonical case as JSON.
    pub json: String,
    texts: Vec<(&'static str, String)>,
    evaluations: Vec<Evaluation>,
}

#[derive(Debug)]
struct Evaluation {
    label: String,
    score: String,
    verdict: (&'static str, &'static str),
    reason: String,
    lanes: Option<Lanes>,
    is_open: bool,
}

/// Draws a case that evaluators of these labels judged.
pub fn draw_case<'l>(labels: impl IntoIterator<Item = &'l str>, record: &CaseRecord) -> CasePage {
    let read = ReadCase::of(record);
    let case = &read.case;
    let scored = record
        .evaluations
        .iter()
        .enumerate()
        .filter_map(|(index, it)| match it.outcome {
            RecordedOutcome::Scored(score) => Some((score, index)),
            _ => None,
        });
    // The first of the lowest is what people look for.
    let lowest = scored
        .min_by(|one, other| one.0.total_cmp(&other.0))
        .map_or(0, |(_, index)| index);
    let evaluations = labels
        .into_iter()
        .zip(&record.evaluations)
        .zip(&read.explanations)
        .enumerate();
    let evaluations = evaluations.map(|(index, ((label, evaluation), explanation))| {
        let (score, reason) = match &evaluation.outcome {
            RecordedOutcome::Scored(score) => (format!("{score:.3}"), ""),
            RecordedOutcome::NotApplicable(reason) => {
                ("not applicable".to_owned(), reason.as_str())
            }
            RecordedOutcome::Error(reason) => ("error".to_owned(), reason.as_str()),
        };
        Evaluation {
            label: printable(label),
            score,
            verdict: verdict(evaluation.passed),
            reason: shown(reason),
            lanes: read.has_calls().then(|| {
                explanation
                    .as_ref()
                    .map_or_else(|| Lanes::of_lists(case), |it| Lanes::new(case, it))
            }),
            is_open: index == lowest,
        }
    });
    let texts = [
        (
            "about",
            case.description
                .as_ref()
                .map(|text| text.to_display().into_owned()),
        ),
        ("input", case.input.map(said)),
        ("output", case.output.map(said)),
    ];
    CasePage {
        label: cut(&label_of(record), 200),
        place: printable(&format!("{}:{}", record.file, record.line)),
        scores: record
            .evaluations
            .iter()
            .map(|it| score(&it.outcome, it.passed))
            .collect(),
        sentence: shown(&read.sentence(record)),
        tags: record
            .tags
            .iter()
            .map(|tag| cut(&printable(tag), 80))
            .collect(),
        json: shortened(&printable(&record.case), 50 * TEXT),
        evaluations: evaluations.collect(),
        texts: texts
            .into_iter()
            .filter_map(|(label, text)| Some((label, shown(&text?))))
            .collect(),
    }
}

/// The class and the word of a verdict.
fn verdict(passed: Option<bool>) -> (&'static str, &'static str) {
    match passed {
        Some(true) => ("good", "passed"),
        Some(false) => ("bad", "failed"),
        None => ("muted", ""),
    }
}

fn score(outcome: &RecordedOutcome, passed: Option<bool>) -> (String, &'static str) {
    let text = match outcome {
        RecordedOutcome::Scored(score) => format!("{score:.3}"),
        RecordedOutcome::NotApplicable(_) => "n/a".to_owned(),
        RecordedOutcome::Error(_) => "error".to_owned(),
    };
    (text, verdict(passed).0)
}

/// A text of any length, cut where it would fill the page.
fn shown(text: &str) -> String {
    shortened(&printable(text), TEXT)
}
