//! Reimplements every published preset, in its `package` edition, as slowly and obviously as its description.
//!
//! The engine matches by digests, aligns in bit-parallel words and reads text without a tree. This crate uses nested loops over decoded
//! trees, with its own equalities and alignments, so that an error would have to be made twice to go unnoticed. Texts of the originals,
//! `details` and explanations, are not repeated here: the golden cases cover them.

pub mod choices;
pub mod decoder;
pub mod equality;
pub mod expectation;
pub mod rules;

pub mod differential;

mod calls;
mod loops;
mod reading;

mod adk;
mod agentevals;
mod axion;
mod azure;
mod bfcl;
mod deepeval;
mod evalite;
mod mastra;
mod mlflow;
mod promptfoo;
mod ragas;
mod strands;
mod tau2;
mod tpmjs;
mod uipath;
mod vertex;

use choices::{Choices, Parts};
use rightcall::value::Value;
use rightcall::{EVALUATORS, Entry};

/// The presets of all modules above.
const PRESETS: &[&[Preset]] = &[
    adk::PRESETS,
    agentevals::PRESETS,
    axion::PRESETS,
    azure::PRESETS,
    bfcl::PRESETS,
    deepeval::PRESETS,
    evalite::PRESETS,
    mastra::PRESETS,
    mlflow::PRESETS,
    promptfoo::PRESETS,
    ragas::PRESETS,
    strands::PRESETS,
    tau2::PRESETS,
    tpmjs::PRESETS,
    uipath::PRESETS,
    vertex::PRESETS,
];

/// The result of an original for a case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reference {
    /// A score; `NaN` if the original's arithmetic ends in it.
    Score(f64),
    /// A result that reports an error and has the score 0.
    ErrorResult,
    /// A raised error.
    Raised,
    /// Not implemented here: Python literals, settings that the original doesn't have.
    Unknown,
}

/// Why there is no score.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Stop {
    ErrorResult,
    Raised,
    Unknown,
}

type Scored = Result<f64, Stop>;

/// Scores a case: settings, expected side, actual side.
type Score = fn(&Value<'_>, &Value<'_>, &Value<'_>) -> Scored;

/// Generates a case.
type Cases = fn(&mut Choices<'_>) -> Parts;

/// A reimplemented evaluator: its id, its score, and its case generator.
type Preset = (&'static str, Score, Cases);

/// All evaluators with an original, which are reimplemented here.
pub fn evaluators() -> impl Iterator<Item = &'static str> {
    let has_original = |entry: &&&Entry| entry.system().is_some();
    EVALUATORS.iter().filter(has_original).map(|entry| entry.id)
}

/// The evaluator of an id.
fn preset(id: &str) -> &'static Preset {
    let mut presets = PRESETS.iter().copied().flatten();
    presets
        .find(|(own, _, _)| *own == id)
        .unwrap_or_else(|| panic!("{id} is not written in the reference"))
}

/// Scores a case with an evaluator, each side in the original tool's shape.
///
/// # Panics
/// If the evaluator is not implemented here.
pub fn score(
    evaluator: &str,
    config: &Value<'_>,
    expected: &Value<'_>,
    actual: &Value<'_>,
) -> Reference {
    let (_, score, _) = preset(evaluator);
    match score(config, expected, actual) {
        Ok(score) => Reference::Score(score),
        Err(Stop::ErrorResult) => Reference::ErrorResult,
        Err(Stop::Raised) => Reference::Raised,
        Err(Stop::Unknown) => Reference::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_evaluator_that_has_an_original_is_written_once() {
        let written: Vec<_> = PRESETS.iter().copied().flatten().map(|it| it.0).collect();
        let ids: BTreeSet<_> = written.iter().copied().collect();
        assert_eq!(ids, evaluators().collect::<BTreeSet<_>>());
        assert_eq!(ids.len(), written.len(), "one stands twice: {written:?}");
    }
}
