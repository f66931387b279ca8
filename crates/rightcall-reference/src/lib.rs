//! Every published preset once more, in its `package` edition, as slow and obvious as its description.
//!
//! The engine matches by digests, aligns in bit-parallel words and reads text without a tree. Here are nested loops over
//! decoded trees, with equalities and alignments of their own, so that an error would have to be made twice to stay unseen.
//! What the originals say in words, `details` and explanations, is not repeated: the golden cases hold that.

pub mod choices;
pub mod decoder;
pub mod equality;
pub mod expectation;

pub mod differential;

mod adk;
mod agentevals;
mod axion;
mod azure;
mod bfcl;
mod calls;
mod deepeval;
mod evalite;
mod loops;
mod mastra;
mod mlflow;
mod promptfoo;
mod ragas;
mod reading;
mod strands;
mod tau2;
mod tpmjs;
mod uipath;
mod vertex;

use choices::{Choices, Parts};
use rightcall::value::Value;
use rightcall::{EVALUATORS, Entry};

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

/// The score of a case: the settings, the expected and the actual side.
type Score = fn(&Value<'_>, &Value<'_>, &Value<'_>) -> Scored;

/// Draws a case.
type Cases = fn(&mut Choices<'_>) -> Parts;

/// An evaluator written again.
struct Preset {
    score: Score,
    cases: Cases,
}

/// Every evaluator that has an original, which is written here again.
pub fn evaluators() -> impl Iterator<Item = &'static str> {
    let has_original = |entry: &&&Entry| entry.system().is_some();
    EVALUATORS.iter().filter(has_original).map(|entry| entry.id)
}

/// The evaluator of an id.
fn preset(id: &str) -> Preset {
    let (score, cases): (Score, Cases) = match id {
        "uipath/tool-call-count" => (uipath::count::score, uipath::count::cases),
        "uipath/tool-call-order" => (uipath::order::score, uipath::order::cases),
        "uipath/tool-call-args" => (uipath::args::score, uipath::args::cases),
        "uipath/tool-call-output" => (uipath::output::score, uipath::output::cases),
        "axion/tool-correctness" => (axion::score, axion::cases),
        "tpmjs/tool-call-accuracy-score" => (tpmjs::score, tpmjs::cases),
        "evalite/tool-call-accuracy" => (evalite::score, evalite::cases),
        "deepeval/tool-correctness" => (deepeval::score, deepeval::cases),
        "ragas/tool-call-accuracy" => (ragas::accuracy, ragas::cases),
        "ragas/tool-call-f1" => (ragas::f1, ragas::cases),
        "agentevals/trajectory-match" => (agentevals::score, agentevals::cases),
        "adk/trajectory" => (adk::score, adk::cases),
        "tau2/action-check" => (tau2::score, tau2::cases),
        "mastra/tool-call-accuracy" => (mastra::accuracy::score, mastra::accuracy::cases),
        "mastra/trajectory" => (mastra::dimensions::score, mastra::dimensions::cases),
        "mastra/trajectory-accuracy" => (mastra::trajectory::score, mastra::trajectory::cases),
        "bfcl/ast-checker" => (bfcl::score, bfcl::cases),
        "promptfoo/tool-used" => (promptfoo::used::score, promptfoo::used::cases),
        "promptfoo/tool-sequence" => (promptfoo::sequence::score, promptfoo::sequence::cases),
        "promptfoo/tool-args-match" => (promptfoo::arguments::score, promptfoo::arguments::cases),
        "promptfoo/tool-call-f1" => (promptfoo::f1::score, promptfoo::f1::cases),
        "azure/task-navigation-efficiency" => (azure::score, azure::cases),
        "mlflow/tool-call-correctness" => (mlflow::score, mlflow::cases),
        "strands/exact-match" => (strands::exact_match, strands::cases),
        "strands/in-order-match" => (strands::in_order_match, strands::cases),
        "strands/any-order-match" => (strands::any_order_match, strands::cases),
        "strands/tool-called" => (strands::tool_called, strands::cases_of_one_tool),
        "openevals/trajectory-match" => (agentevals::score_of_openevals, agentevals::cases),
        "vertex/trajectory-exact-match" => (vertex::exact_match, vertex::cases),
        "vertex/trajectory-in-order-match" => (vertex::in_order_match, vertex::cases),
        "vertex/trajectory-any-order-match" => (vertex::any_order_match, vertex::cases),
        "vertex/trajectory-precision" => (vertex::precision, vertex::cases),
        "vertex/trajectory-recall" => (vertex::recall, vertex::cases),
        "vertex/trajectory-single-tool-use" => (vertex::single_tool_use, vertex::cases_of_one_tool),
        other => panic!("{other} is not written in the reference"),
    };
    Preset { score, cases }
}

/// Scores a case with an evaluator, each side in the original's own shape.
///
/// # Panics
/// Where the evaluator is not written here.
pub fn score(
    evaluator: &str,
    config: &Value<'_>,
    expected: &Value<'_>,
    actual: &Value<'_>,
) -> Reference {
    match (preset(evaluator).score)(config, expected, actual) {
        Ok(score) => Reference::Score(score),
        Err(Stop::ErrorResult) => Reference::ErrorResult,
        Err(Stop::Raised) => Reference::Raised,
        Err(Stop::Unknown) => Reference::Unknown,
    }
}
