//! The rules of a matcher.

use super::arguments::{ArgumentRule, MissingArguments};
use super::names::NameRule;
use super::nulls::NullMembers;
use crate::value::ValueEquality;

/// How outputs are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputRule {
    /// Not compared.
    Ignored,
    /// As values.
    Equal,
    /// By the JSON text that JavaScript writes, if the expected call has an output.
    StatedJsonText,
}

/// The rules of a matcher.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    pub(crate) names: NameRule,
    pub(crate) arguments: ArgumentRule,
    pub(crate) missing: MissingArguments,
    pub(crate) outputs: OutputRule,
    /// How null members of arguments and outputs are treated.
    pub(crate) nulls: NullMembers,
    pub(crate) equality: ValueEquality,
    /// True if the original raises an error when absent or null arguments are compared.
    pub(crate) null_arguments_raise: bool,
}

impl Rules {
    /// Compares only names.
    pub(crate) fn from_names(names: NameRule) -> Self {
        Self {
            names,
            arguments: ArgumentRule::Ignored,
            missing: MissingArguments::Compared,
            outputs: OutputRule::Ignored,
            nulls: NullMembers::Compared,
            equality: ValueEquality::Json,
            null_arguments_raise: false,
        }
    }

    /// Compares exact names, and arguments by a rule.
    pub(crate) fn from_arguments(arguments: ArgumentRule, equality: ValueEquality) -> Self {
        Self {
            arguments,
            equality,
            ..Self::from_names(NameRule::Exact)
        }
    }
}
