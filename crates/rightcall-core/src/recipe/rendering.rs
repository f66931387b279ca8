//! Renders a score as an evaluation, with the original's result and details on request.

use crate::evaluation::{Ask, Evaluation};
use crate::explanation::Explanation;
use crate::outcome::{EvaluationError, Outcome, Score};
use crate::value::{JsonText, JsonWriter};

/// The layout of score and details in an original's result.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Layout {
    /// `{"score", "score_type": 1, "details": {…}}`.
    UiPath,
    /// Members next to the score.
    Flat,
    /// Members next to the score, which is a boolean.
    FlatBoolean,
}

/// An evaluation with a score.
#[inline]
pub(crate) fn evaluation(
    score: f64,
    passed: Option<bool>,
    ask: Ask,
    layout: Layout,
    members: impl Fn(&mut JsonWriter),
    explain: impl FnOnce() -> Explanation,
) -> Evaluation {
    let details = ask.details.then(|| {
        let mut writer = JsonWriter::with_room();
        writer.begin_object();
        members(&mut writer);
        writer.end_object();
        writer.finish()
    });
    let result = ask.result.then(|| {
        let mut writer = JsonWriter::with_room();
        writer.begin_object().key("score");
        match layout {
            Layout::UiPath => {
                writer.float(score).key("score_type").count(1);
                writer.key("details").begin_object();
                members(&mut writer);
                writer.end_object();
            }
            Layout::Flat => members(writer.float(score)),
            Layout::FlatBoolean => members(writer.bool(score == 1.0)),
        }
        writer.end_object();
        writer.finish()
    });
    let outcome =
        Score::new(score).map_or(Outcome::Failed(EvaluationError::NotFinite), Outcome::Scored);
    let passed = passed.filter(|_| matches!(outcome, Outcome::Scored(_)));
    let falls_short = score < 1.0 || passed == Some(false);
    let is_explained = ask.explanation || ask.shortfall && falls_short;
    let explanation = is_explained.then(|| Box::new(explain()));
    Evaluation {
        outcome,
        passed,
        details,
        result,
        explanation,
    }
}

/// The result of an original that catches its exception: a score of 0.
pub(crate) fn error_result(message: &str) -> JsonText {
    let mut writer = JsonWriter::new();
    let details = format!("Exception thrown by evaluator: {message}");
    writer.begin_object().key("score").float(0.0);
    writer.key("score_type").count(2);
    writer.key("details").str(&details).end_object();
    writer.finish()
}
