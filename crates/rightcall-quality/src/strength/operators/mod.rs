//! How agents break runs: one file a way, and the one list of them.

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

/// A way in which agents break a run.
#[derive(Debug)]
pub struct MutationOperator {
    /// Its name, in words with hyphens.
    pub code: &'static str,
    /// What is wrong with the run, in a few words.
    pub summary: &'static str,
    /// The table that it is in.
    pub group: OperatorGroup,
    /// Its weight in percent; those of a group sum to 100.
    pub weight: u32,
    /// Why it applies to no run, where that is so.
    pub needs: &'static str,
    /// Breaks a run; `None` where it has nothing to break in this way.
    pub(crate) make: for<'r, 'c, 'n> fn(&'r SubjectRun<'c>, &'n mut Random) -> Option<Mutant<'c>>,
}

/// The tables of operators. Each has a strength of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OperatorGroup {
    /// One call is wrong. Weights by the frequency of errors.
    SingleCalls,
    /// The course of the run is wrong. Weights are estimates.
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

/// All operators: those of single calls first, each group by weight.
///
/// Weights of single calls are a convention; docs/strength.md compares them with measured shares. Those of whole runs are estimates: the
/// first four are in the proportions of Cemri et al., *Why Do Multi-Agent LLM Systems Fail?* (2025), where steps repeated are 15.7 % of all
/// failures, unaware of the end 12.4 %, no verification 8.2 % and premature ends 6.2 %; no source counts the last two.
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
