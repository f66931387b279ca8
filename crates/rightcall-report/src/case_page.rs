//! A case for a page: the question, and for every evaluator the alignment in two lanes with its arithmetic.

use askama::Template;
use rightcall::Outcome;
use rightcall_formats::{ReadOptions, read_case};
use rightcall_results::{CaseResult, EvaluationResult};

use crate::explain::said;
use crate::lanes::Lanes;
use crate::numbers::score;
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
pub fn draw_case<'l>(labels: impl IntoIterator<Item = &'l str>, result: &CaseResult) -> CasePage {
    let json = result.case.as_ref().map_or("", |kept| kept.json.as_str());
    // What was written here can be read again; a damaged text leaves an empty case rather than no page.
    let case = read_case(json, &ReadOptions::default()).unwrap_or_default();
    // Where the calls are not known, that is not to say that there were none.
    let has_calls = !case.expected.is_empty() || case.actual.is_some();
    let scores = result.evaluations.iter().map(EvaluationResult::score);
    let scores = scores.enumerate();
    // The first of the lowest is what people look for.
    let lowest = scores
        .filter_map(|(index, score)| Some((score?, index)))
        .min_by(|one, other| one.0.total_cmp(&other.0))
        .map_or(0, |(_, index)| index);
    let evaluations = labels.into_iter().zip(&result.evaluations).enumerate();
    let evaluations = evaluations.map(|(index, (label, evaluation))| Evaluation {
        label: printable(label),
        score: match &evaluation.outcome {
            Outcome::NotApplicable(_) => "not applicable".to_owned(),
            outcome => score(outcome),
        },
        verdict: verdict(evaluation.passed),
        reason: shown(&evaluation.outcome.reason().unwrap_or_default()),
        lanes: has_calls.then(|| {
            let explanation = evaluation.explanation.as_deref();
            explanation.map_or_else(|| Lanes::of_lists(&case), |it| Lanes::new(&case, it))
        }),
        is_open: index == lowest,
    });
    let about = case.description.as_ref();
    let texts = [
        ("about", about.map(|text| text.to_display().into_owned())),
        ("input", case.input.map(said)),
        ("output", case.output.map(said)),
    ];
    let tags = result.tags.iter();
    CasePage {
        label: cut(&printable(&result.name()), 200),
        place: printable(&result.place()),
        scores: result
            .evaluations
            .iter()
            .map(|it| (score(&it.outcome), verdict(it.passed).0))
            .collect(),
        sentence: shown(&result.why()),
        tags: tags.map(|tag| cut(&printable(tag), 80)).collect(),
        json: shortened(&printable(json), 50 * TEXT),
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

/// A text of any length, cut where it would fill the page.
fn shown(text: &str) -> String {
    shortened(&printable(text), TEXT)
}
