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

/// An evaluator written again.
struct Preset {
    /// The score of a case: the settings, the expected and the actual side.
    score: fn(&Value<'_>, &Value<'_>, &Value<'_>) -> Scored,
    /// Draws a case.
    cases: fn(&mut Choices<'_>) -> Parts,
}

/// Every evaluator that has an original, which is written here again.
pub fn evaluators() -> impl Iterator<Item = &'static str> {
    let has_original = |entry: &&&Entry| entry.system().is_some();
    EVALUATORS.iter().filter(has_original).map(|entry| entry.id)
}

/// The evaluator of an id.
fn preset(id: &str) -> Preset {
    macro_rules! written {
        ($($module:ident)::+) => {
            Preset { score: $($module)::+::score, cases: $($module)::+::cases }
        };
    }
    match id {
        "uipath/tool-call-count" => written!(uipath::count),
        "uipath/tool-call-order" => written!(uipath::order),
        "uipath/tool-call-args" => written!(uipath::args),
        "uipath/tool-call-output" => written!(uipath::output),
        "axion/tool-correctness" => written!(axion),
        "tpmjs/tool-call-accuracy-score" => written!(tpmjs),
        "evalite/tool-call-accuracy" => written!(evalite),
        "deepeval/tool-correctness" => written!(deepeval),
        "ragas/tool-call-accuracy" => written!(ragas::accuracy),
        "ragas/tool-call-f1" => written!(ragas::f1),
        "agentevals/trajectory-match" => written!(agentevals),
        "adk/trajectory" => written!(adk),
        "tau2/action-check" => written!(tau2),
        "mastra/tool-call-accuracy" => written!(mastra::accuracy),
        "mastra/trajectory-accuracy" => written!(mastra::trajectory),
        "bfcl/ast-checker" => written!(bfcl),
        "promptfoo/tool-used" => written!(promptfoo::used),
        "promptfoo/tool-sequence" => written!(promptfoo::sequence),
        "promptfoo/tool-args-match" => written!(promptfoo::arguments),
        "promptfoo/tool-call-f1" => written!(promptfoo::f1),
        "azure/task-navigation-efficiency" => written!(azure),
        "mlflow/tool-call-correctness" => written!(mlflow),
        "strands/exact-match" => written!(strands::exact_match),
        "strands/in-order-match" => written!(strands::in_order_match),
        "strands/any-order-match" => written!(strands::any_order_match),
        "strands/tool-called" => written!(strands::tool_called),
        "openevals/trajectory-match" => written!(agentevals::openevals),
        "vertex/trajectory-exact-match" => written!(vertex::exact_match),
        "vertex/trajectory-in-order-match" => written!(vertex::in_order_match),
        "vertex/trajectory-any-order-match" => written!(vertex::any_order_match),
        "vertex/trajectory-precision" => written!(vertex::precision),
        "vertex/trajectory-recall" => written!(vertex::recall),
        "vertex/trajectory-single-tool-use" => written!(vertex::single_tool_use),
        other => panic!("{other} is not written in the reference"),
    }
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
