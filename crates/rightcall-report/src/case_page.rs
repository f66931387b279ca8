//! The page of a case: the question, and for each evaluator the alignment in two lanes with its
//! arithmetic.

use std::collections::BTreeSet;

use askama::Template;
use rightcall_core::Outcome;
use rightcall_core::call::{Call, Case};
use rightcall_core::value::JsonText;
use rightcall_formats::{ReadOptions, read_case};
use rightcall_results::{CaseResult, EvaluationResult};

use crate::expectation_tree::ExpectationTree;
use crate::explain::unquoted;
use crate::lanes::Lanes;
use crate::markup::STYLE;
use crate::numbers::{score, score_in_full};
use crate::text::{cut_middle, cut_page_text, page_text, printable};

/// Maximum length of a text on a page, in characters.
const TEXT: usize = 4000;

/// Maximum length of a question in a list, in characters.
const QUESTION: usize = 160;

/// The number of calls per side shown in full, not counting those that differ.
const CALLS: usize = 200;

/// The part of a page that shows a case, without its heading.
#[derive(Debug, Template)]
#[template(path = "case_body.html")]
pub struct CasePage {
    /// Its id, or `FILE:LINE`, with its trial.
    pub label: String,
    /// The location as `FILE:LINE`.
    pub place: String,
    /// Its score by evaluator, each with the CSS class of its verdict.
    pub scores: Vec<(String, &'static str)>,
    /// Why its lowest score is low.
    pub sentence: String,
    /// Its labels.
    pub tags: Vec<String>,
    /// The canonical case as JSON.
    pub json: String,
    /// The question, shortened to a few lines.
    pub question: String,
    /// The calls with all recorded data.
    pub calls: Vec<FullCall>,
    texts: Vec<(&'static str, String)>,
    /// The expectation, if it has several accepted runs.
    tree: Option<ExpectationTree>,
    evaluations: Vec<Evaluation>,
}

/// The last part of a page about a case: its calls in full, and its JSON.
#[derive(Debug, Template)]
#[template(path = "recorded_data.html")]
pub struct RecordedData<'p> {
    calls: &'p [FullCall],
    json: &'p str,
}

/// A case as a separate file.
#[derive(Template)]
#[template(path = "case_file.html")]
struct CaseFile<'p> {
    style: &'static str,
    title: &'p str,
    /// The run of the case.
    run: &'p str,
    drawn: &'p CasePage,
}

/// A call with all recorded data.
#[derive(Debug)]
pub struct FullCall {
    /// `expected` or `actual`.
    pub side: &'static str,
    /// Its position, from 1.
    pub number: usize,
    /// The tool.
    pub name: String,
    /// True if it ended in an error.
    pub failed: bool,
    /// The recorded data by name: arguments, output, error.
    pub parts: Vec<(&'static str, String)>,
}

impl FullCall {
    /// The first calls of each side, and all that differ.
    fn all(case: &Case<'_>, differing: &BTreeSet<(&'static str, usize)>) -> Vec<Self> {
        let expected = case.expected.calls.iter().flatten();
        let actual = case.actual.iter().flat_map(|run| &run.calls);
        let of = |side, (index, call): (usize, &Call<'_>)| Self {
            side,
            number: index + 1,
            name: cut_middle(&printable(&call.name.to_display()), 200),
            failed: call.failed() == Some(true),
            parts: [
                (
                    "arguments",
                    call.arguments
                        .to_value()
                        .map(|it| JsonText::from_value(&it).into_string()),
                ),
                (
                    "output",
                    call.metadata().output.as_deref().map(ToOwned::to_owned),
                ),
                (
                    "error",
                    call.metadata().error.as_deref().map(ToOwned::to_owned),
                ),
            ]
            .into_iter()
            .filter_map(|(name, json)| Some((name, shown(&json?))))
            .collect(),
        };
        let is_shown = |side, index: usize| index < CALLS || differing.contains(&(side, index));
        let expected = expected.enumerate();
        let expected = expected.filter(|(index, _)| is_shown("expected", *index));
        let actual = actual.enumerate();
        let actual = actual.filter(|(index, _)| is_shown("actual", *index));
        let expected = expected.map(|call| of("expected", call));
        expected
            .chain(actual.map(|call| of("actual", call)))
            .collect()
    }
}

#[derive(Debug)]
struct Evaluation {
    label: String,
    score: String,
    verdict: (&'static str, &'static str),
    reason: String,
    lanes: Option<Lanes>,
    is_open: bool,
    /// False if the page shows only another evaluator.
    is_shown: bool,
}

/// Draws a case by the evaluators with these labels.
pub fn draw_case<'l>(labels: impl IntoIterator<Item = &'l str>, result: &CaseResult) -> CasePage {
    let json = result.case.as_ref().map_or("", |kept| kept.json.as_str());
    // If the text is damaged, show an empty case rather than no page.
    let case = kept_case(result).unwrap_or_default();
    let labels: Vec<&str> = labels.into_iter().collect();
    let tags = result.tags.iter();
    case.with_resolved(|case| {
        let evaluations = evaluations(&labels, result, case);
        let lanes = evaluations.iter().flat_map(|it| &it.lanes);
        let differing = lanes.flat_map(Lanes::differing).collect();
        CasePage {
            question: question_of(result),
            calls: FullCall::all(case, &differing),
            label: heading(&result.name()),
            place: printable(&result.place()),
            scores: result.evaluations.iter().map(score_of).collect(),
            sentence: shown(&result.why()),
            tags: tags.map(|tag| cut_middle(&printable(tag), 80)).collect(),
            json: cut_page_text(&printable(json), 50 * TEXT),
            tree: ExpectationTree::new(case),
            evaluations,
            texts: texts(case),
        }
    })
}

/// Parses the stored case of a result; `None` if its text is damaged.
pub fn kept_case(result: &CaseResult) -> Option<Case<'_>> {
    let json = result.case.as_ref().map_or("", |kept| kept.json.as_str());
    read_case(json, &ReadOptions::default()).ok()
}

/// The results of the evaluators on a case. The lowest score is unfolded.
fn evaluations(labels: &[&str], result: &CaseResult, case: &Case<'_>) -> Vec<Evaluation> {
    // Without known calls, don't show an empty run.
    let has_calls = !case.expected.is_empty() || case.actual.is_some();
    let scores = result.evaluations.iter().map(EvaluationResult::score);
    let scores = scores.enumerate();
    // On a tie, the first of the lowest scores is unfolded.
    let lowest = scores
        .filter_map(|(index, score)| Some((score?, index)))
        .min_by(|one, other| one.0.total_cmp(&other.0))
        .map_or(0, |(_, index)| index);
    let evaluations = labels.iter().zip(&result.evaluations).enumerate();
    let evaluation =
        |(index, (label, evaluation)): (usize, (&&str, &EvaluationResult))| Evaluation {
            label: printable(label),
            score: score_in_full(&evaluation.outcome),
            verdict: verdict_of(evaluation),
            reason: shown(&evaluation.outcome.reason().unwrap_or_default()),
            lanes: has_calls.then(|| {
                let explanation = evaluation.explanation.as_deref();
                explanation.map_or_else(|| Lanes::of_lists(case), |it| Lanes::new(case, it))
            }),
            is_open: index == lowest,
            is_shown: true,
        };
    evaluations.map(evaluation).collect()
}

/// The texts of a case, each with its label.
pub(crate) fn texts(case: &Case<'_>) -> Vec<(&'static str, String)> {
    let about = case.description.as_ref();
    let texts = [
        ("about", about.map(|text| text.to_display().into_owned())),
        ("input", case.input.map(unquoted)),
        ("output", case.output.map(unquoted)),
    ];
    let said = texts.into_iter();
    said.filter_map(|(label, text)| Some((label, shown(&text?))))
        .collect()
}

impl CasePage {
    /// The page of the same case with another name.
    #[must_use]
    pub fn named(self, name: &str) -> Self {
        Self {
            label: heading(name),
            ..self
        }
    }

    /// Its calls in full, and its JSON.
    pub fn recorded_data(&self) -> RecordedData<'_> {
        RecordedData {
            calls: &self.calls,
            json: &self.json,
        }
    }

    /// The case of this run as a self-contained HTML file without scripts.
    ///
    /// # Errors
    /// The template cannot be rendered.
    pub fn file(&self, run: &str) -> Result<String, askama::Error> {
        let file = CaseFile {
            style: STYLE,
            title: &self.label,
            run,
            drawn: self,
        };
        Ok(page_text(&file.render()?).into_owned())
    }

    /// The evaluators with their scores, the CSS class and text of each verdict, and whether each is shown.
    pub fn tabs(&self) -> impl Iterator<Item = (&str, &str, (&'static str, &'static str), bool)> {
        self.evaluations
            .iter()
            .map(|it| (&*it.label, &*it.score, it.verdict, it.is_open))
    }

    /// Keeps only the result of this evaluator, or the lowest score if there is none at this index.
    #[must_use]
    pub fn only(mut self, evaluator: Option<usize>) -> Self {
        let lowest = self.evaluations.iter().position(|it| it.is_open);
        let wanted = evaluator.filter(|wanted| *wanted < self.evaluations.len());
        for (index, evaluation) in self.evaluations.iter_mut().enumerate() {
            evaluation.is_open = Some(index) == wanted.or(lowest);
            evaluation.is_shown = evaluation.is_open;
            evaluation.lanes = evaluation.lanes.take().map(Lanes::alone);
        }
        self
    }
}

/// The question of a case, cut to a few lines for a list; empty if it is unknown.
pub fn question_of(result: &CaseResult) -> String {
    let question = result.case.as_ref().map_or("", |kept| &kept.question);
    cut_middle(&printable(question), QUESTION)
}

/// The name of a case for the heading of a page.
fn heading(name: &str) -> String {
    cut_middle(&printable(name), 200)
}

/// The CSS class and the text of a verdict.
pub fn verdict(passed: Option<bool>) -> (&'static str, &'static str) {
    match passed {
        Some(true) => ("good", "passed"),
        Some(false) => ("bad", "failed"),
        None => ("muted", ""),
    }
}

/// The CSS class and the text of a result. An error has no text, since its message replaces the score.
pub(crate) fn verdict_of(result: &EvaluationResult) -> (&'static str, &'static str) {
    match result.outcome {
        Outcome::Failed(_) => ("bad", ""),
        _ => verdict(result.passed),
    }
}

/// The score of an evaluator or its replacement text, with its CSS class.
pub fn score_of(result: &EvaluationResult) -> (String, &'static str) {
    (score(&result.outcome), verdict_of(result).0)
}

/// Text for a page, shortened if it is too long.
pub(crate) fn shown(text: &str) -> String {
    cut_page_text(&printable(text), TEXT)
}
