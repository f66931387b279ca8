//! Judges the tool calls of AI agents: did the agent make the right calls, in the right order, the right number of times,
//! with the right arguments?
//!
//! Every published metric of this kind is the same four steps with other choices at each: [`matching`](crate::EVALUATORS)
//! decides when an actual call is the same as an expected one, alignment which call answers which, a tally says what came out,
//! and scoring what that is worth. A preset is a choice from each of these vocabularies that gives the same numbers as
//! its original, bit for bit; the evaluator `trajectory` lets a user choose.
//!
//! [`Evaluator`] is the way in, [`EVALUATORS`] the list of all there is. The crate reads no files, knows no clock and
//! draws no random numbers.

pub mod call;
pub mod expectation;
pub mod learn;
pub mod monitor;

mod alignment;
mod constraint;
mod entry;
mod evaluation;
mod evaluator;
mod explanation;
mod matching;
mod outcome;
mod prepared;
mod presets;
mod recipe;
mod registry;
mod rule;
mod scoring;
mod settings;
mod tally;

pub use rightcall_json as value;
pub use rightcall_python_values::difflib as similarity;

pub use alignment::{CallAlignment, Grade};
pub use entry::{Departure, Edition, Entry, Example, Page};
pub use evaluation::{Ask, Evaluation};
pub use evaluator::Evaluator;
pub use explanation::{
    Costs, Difference, ExpectedList, ExplainedCheck, ExplainedPair, Explanation, Side, Term,
};
pub use matching::fits as fits_pattern;
pub use outcome::{EvaluationError, NotApplicable, Outcome, Score};
pub use prepared::PreparedCase;
pub use recipe::PairDemand;
pub use registry::{EVALUATORS, find, help_with_id, of_system};
pub use rule::{LearnedRule, LearnedRules, learn_rules, tools_in_rules};
pub use settings::{
    ConfigError, RESERVED, Setting, SettingKind, describe, did_you_mean, folded, nearest,
};
pub use tally::Tally;

/// An empty list with room for so many calls.
#[deprecated = "use `Vec::with_capacity`"]
pub fn call_list<'a>(room: usize) -> Vec<call::Call<'a>> {
    Vec::with_capacity(room)
}

/// Lists are no longer kept for the next case.
#[deprecated = "drop the case"]
pub fn give_back(_: &mut call::Case<'_>) {}

/// The examples of pages, which run as tests.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../../README.md")]
    struct Readme;
    #[doc = include_str!("../../../docs/rust.md")]
    struct Rust;
}
