//! Every published preset once more, in its `package` edition, as slow and obvious as its description.
//!
//! The engine matches by digests, aligns in bit-parallel words and reads text without a tree. Here are nested loops over
//! decoded trees, with equalities and alignments of their own, so that an error would have to be made twice to stay unseen.
//! What the originals say in words, `details` and explanations, is not repeated: the golden cases hold that.

pub mod choices;
pub mod decoder;
pub mod equality;

pub mod differential;

mod adk;
mod agentevals;
mod axion;
mod deepeval;
mod evalite;
mod ragas;
mod reading;
mod tau2;
mod tpmjs;
mod uipath;

use rightcall::value::Value;

/// What an original makes of a case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reference {
    /// A score; `NaN` where the original's arithmetic ends there.
    Score(f64),
    /// A result that reports an error and carries the score 0.
    ErrorResult,
    /// A raised error.
    Raised,
    /// Not written here: Python literals, settings that are no settings of the original.
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

/// Scores a case with an evaluator, each side in the original's own shape.
pub fn score(
    evaluator: &str,
    config: &Value<'_>,
    expected: &Value<'_>,
    actual: &Value<'_>,
) -> Reference {
    let scored = match evaluator {
        "uipath/tool-call-count" => uipath::count::score(config, expected, actual),
        "uipath/tool-call-order" => uipath::order::score(config, expected, actual),
        "uipath/tool-call-args" => uipath::args::score(config, expected, actual),
        "uipath/tool-call-output" => uipath::output::score(config, expected, actual),
        "axion/tool-correctness" => axion::score(config, expected, actual),
        "tpmjs/tool-call-accuracy-score" => tpmjs::score(expected, actual),
        "evalite/tool-call-accuracy" => evalite::score(config, expected, actual),
        "deepeval/tool-correctness" => deepeval::score(config, expected, actual),
        "ragas/tool-call-accuracy" => ragas::accuracy(config, expected, actual),
        "ragas/tool-call-f1" => ragas::f1(expected, actual),
        "agentevals/trajectory-match" => agentevals::score(config, expected, actual),
        "adk/trajectory" => adk::score(config, expected, actual),
        "tau2/action-check" => tau2::score(config, expected, actual),
        _ => Err(Stop::Unknown),
    };
    match scored {
        Ok(score) => Reference::Score(score),
        Err(Stop::ErrorResult) => Reference::ErrorResult,
        Err(Stop::Raised) => Reference::Raised,
        Err(Stop::Unknown) => Reference::Unknown,
    }
}
