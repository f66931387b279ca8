//! The typical errors of agents: one file each, and one list of them.

mod argument_type;
mod argument_value;
mod call_count;
mod check_skipped;
mod cut_off;
mod failed_call_again;
mod goes_on;
mod invented_argument;
mod optional_argument_left_out;
mod other_tool;
mod required_argument_left_out;
mod step_repeated;
mod unparsable_arguments;
mod value_of_another_case;

use rightcall_stats::Random;

use super::SubjectRun;
use super::mutant::Mutant;

/// A way to break a run, after a typical error of agents.
#[derive(Debug)]
pub struct MutationOperator {
    /// Its name, such as `cut-off`.
    pub code: &'static str,
    /// What is wrong with the run, in a few words.
    pub summary: &'static str,
    /// Its group.
    pub group: OperatorGroup,
    /// Its weight in percent. The weights of a group add up to 100.
    pub weight: u32,
    /// The reason to show if it applies to no run.
    pub needs: &'static str,
    /// Breaks a run; `None` if it doesn't apply.
    pub(crate) make: for<'r, 'c, 'n> fn(&'r SubjectRun<'c>, &'n mut Random) -> Option<Mutant<'c>>,
}

/// The groups of operators. Each has a separate strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OperatorGroup {
    /// One call is wrong. Weights are a convention.
    SingleCalls,
    /// The order or number of calls is wrong. Weights are estimates.
    WholeRuns,
}

impl OperatorGroup {
    /// Both, in order.
    pub const ALL: [Self; 2] = [Self::SingleCalls, Self::WholeRuns];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::SingleCalls => "single calls",
            Self::WholeRuns => "whole runs",
        }
    }
}

/// All operators: single calls first, then whole runs, each by weight.
///
/// Weights of single calls are a convention; docs/strength.md compares them with measured shares. Weights of whole runs are estimates: the
/// first four have the proportions in Cemri et al., *Why Do Multi-Agent LLM Systems Fail?* (2025): step repetition 15.7 % of all failures,
/// unaware of termination 12.4 %, no verification 8.2 % and premature termination 6.2 %. No source counts the last two.
pub static OPERATORS: &[MutationOperator] = &[
    argument_value::OPERATOR,
    other_tool::OPERATOR,
    call_count::OPERATOR,
    optional_argument_left_out::OPERATOR,
    required_argument_left_out::OPERATOR,
    argument_type::OPERATOR,
    invented_argument::OPERATOR,
    unparsable_arguments::OPERATOR,
    step_repeated::OPERATOR,
    goes_on::OPERATOR,
    check_skipped::OPERATOR,
    cut_off::OPERATOR,
    failed_call_again::OPERATOR,
    value_of_another_case::OPERATOR,
];
