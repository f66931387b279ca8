//! Evaluates the tool calls of AI agents: did the agent make the right calls, in the right order, the right number of times, with the right
//! arguments?
//!
//! Every published metric of this kind has the same four steps, with a choice at each. [`matching`](crate::EVALUATORS) decides when an
//! actual call equals an expected one, alignment pairs the calls, a tally counts the results, and scoring turns the counts into a number. A
//! preset is a set of choices that returns exactly the same numbers as its original. The evaluator `trajectory` lets the user choose.
//!
//! Start with [`Evaluator`]; [`EVALUATORS`] lists all evaluators. The crate reads no files, uses no clock and draws no random numbers.
//!
//! Its interface may change. For your own program, use the crate `rightcall`, which also reads what agents wrote.

pub mod call;
pub mod expectation;
pub mod learn;
pub mod monitor;

mod alignment;
mod constraint;
mod definitions;
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
pub use definitions::{
    ArgumentViolation, ToolDefinitionReader, ToolDefinitions, ToolSource, ToolSourceError,
    use_tool_definition_reader,
};
pub use entry::{Departure, Edition, Entry, Example, Page};
pub use evaluation::{Ask, Evaluation};
pub use evaluator::Evaluator;
pub use explanation::{
    Costs, Difference, ExpectedList, ExplainedCheck, ExplainedPair, Explanation, Side, Term,
};
pub use matching::fits as fits_pattern;
pub use outcome::{EvaluationError, NotApplicable, Outcome, Score};
pub use prepared::PreparedCase;
pub use presets::{GENERAL_DEPARTURES, check_constraints};
pub use recipe::PairDemand;
pub use registry::{EVALUATORS, find, help_with_id, of_system};
pub use rule::{LearnedRule, LearnedRules, SameKey, learn_rules, tools_in_rules};
pub use settings::{
    ConfigError, RESERVED, Setting, SettingKind, describe, did_you_mean, folded, nearest,
};
pub use tally::Tally;
