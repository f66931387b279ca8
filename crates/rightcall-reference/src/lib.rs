//! Tests the engine against independent implementations.
//!
//! - Presets without an installable package, and BFCL's checker, are reimplemented in their
//!   `package` edition, as slowly and obviously as their description. The other presets are tested
//!   by golden cases and the packages' own tests.
//! - Expectations in blocks, rules, equality of values and the decoder each have a naive
//!   counterpart.
//! - `cases` generates small cases of every evaluator, on which the engine must be consistent.
//!
//! The engine matches by digests, aligns in bit-parallel words and reads text without a tree. This
//! crate uses nested loops over decoded trees, with its own equalities and alignments, so an error
//! goes unnoticed only if both implementations have it. Texts of the originals, `details` and
//! explanations, are not repeated here: the golden cases cover them.

pub mod cases;
pub mod choices;
pub mod decoder;
pub mod equality;
pub mod expectation;
pub mod rules;
pub mod template;

pub mod differential;

mod loops;
mod parts;
mod reading;

mod axion;
mod bfcl;
mod tau2;
mod tpmjs;
mod vertex;

use rightcall_core::value::Value;

/// The presets of all modules above.
const PRESETS: &[&[Preset]] = &[
    axion::PRESETS,
    bfcl::PRESETS,
    tau2::PRESETS,
    tpmjs::PRESETS,
    vertex::PRESETS,
];

/// The result of an original for a case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reference {
    /// A score; `NaN` if the original computes it.
    Score(f64),
    /// A result that reports an error and has the score 0.
    ErrorResult,
    /// A raised error.
    Raised,
    /// Not implemented here: the evaluator, Python literals, settings that the original doesn't have.
    Unknown,
}

/// Why there is no score.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Stop {
    Raised,
    Unknown,
}

type Scored = Result<f64, Stop>;

/// Scores a case: settings, expected side, actual side.
type Score = fn(&Value<'_>, &Value<'_>, &Value<'_>) -> Scored;

/// A reimplemented evaluator: its id and its score.
type Preset = (&'static str, Score);

fn preset(id: &str) -> Option<&'static Preset> {
    PRESETS
        .iter()
        .copied()
        .flatten()
        .find(|(preset_id, _)| *preset_id == id)
}

/// True if [`score`] supports the evaluator.
pub fn is_reimplemented(evaluator: &str) -> bool {
    preset(evaluator).is_some()
}

/// Scores a case with an evaluator, each side in the original tool's shape.
pub fn score(
    evaluator: &str,
    config: &Value<'_>,
    expected: &Value<'_>,
    actual: &Value<'_>,
) -> Reference {
    let Some((_, score)) = preset(evaluator) else {
        return Reference::Unknown;
    };
    match score(config, expected, actual) {
        Ok(score) => Reference::Score(score),
        Err(Stop::Raised) => Reference::Raised,
        Err(Stop::Unknown) => Reference::Unknown,
    }
}
