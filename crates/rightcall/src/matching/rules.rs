//! The choices of a matcher.

use super::arguments::{ArgumentRule, MissingArguments};
use super::names::NameRule;
use super::nulls::NullMembers;
use crate::value::ValueEquality;

/// How outputs are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputRule {
    /// Not at all.
    Ignored,
    /// As values.
    Equal,
    /// Where the expected call states one, by the JSON text that JavaScript writes of them.
    StatedJsonText,
}

/// The choices of a matcher.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    pub(crate) names: NameRule,
    pub(crate) arguments: ArgumentRule,
    pub(crate) missing: MissingArguments,
    pub(crate) outputs: OutputRule,
    /// In arguments and outputs of a case.
    pub(crate) nulls: NullMembers,
    pub(crate) equality: ValueEquality,
    /// The original raises an error when absent or null arguments are compared.
    pub(crate) null_arguments_raise: bool,
}

impl Rules {
    /// Names alone.
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

    /// Exact names with a rule for arguments.
    pub(crate) fn from_arguments(arguments: ArgumentRule, equality: ValueEquality) -> Self {
        Self {
            arguments,
            equality,
            ..Self::from_names(NameRule::Exact)
        }
    }
}
