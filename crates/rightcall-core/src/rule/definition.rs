//! The definition of a rule.

use super::call_pattern::{CallPattern, RuleCall};
use super::fit::Fit;
use super::kind::RuleKind;
use super::same::{SharedKeys, SharedValue};
use crate::value::HashKey;

/// A rule for runs.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(super) kind: RuleKind,
    /// The pattern of activations, the calls that the rule constrains.
    pub(super) call: Option<CallPattern>,
    /// The pattern of T, the other call in the rule.
    pub(super) target: Option<CallPattern>,
    pub(super) same: Option<SharedKeys>,
    pub(super) name: Option<String>,
    pub(super) why: Option<String>,
}

/// The roles that a call may have in a rule.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallFacts {
    pub(super) activation: Fit,
    pub(super) target: Fit,
    pub(super) value_of_call: SharedValue,
    pub(super) value_of_target: SharedValue,
}

impl CallFacts {
    /// True if the rule does not concern the call.
    pub(super) fn is_nothing(&self) -> bool {
        self.activation.is_no() && self.target.is_no()
    }

    /// True if the call's result may change its roles.
    pub(crate) fn is_pending(&self) -> bool {
        self.activation.is_pending() || self.target.is_pending()
    }
}

impl Rule {
    pub(super) fn new(
        kind: RuleKind,
        call: Option<CallPattern>,
        target: Option<CallPattern>,
    ) -> Self {
        Self {
            kind,
            call,
            target,
            same: None,
            name: None,
            why: None,
        }
    }

    /// The roles of a call in the rule.
    pub(crate) fn facts(&self, call: &RuleCall<'_>, key: HashKey) -> CallFacts {
        let fit = |pattern: &Option<CallPattern>| {
            pattern
                .as_ref()
                .map_or(Fit::NO, |pattern| pattern.fit(call))
        };
        let (activation, target) = (fit(&self.call), fit(&self.target));
        let value =
            |fit: Fit, of: fn(&SharedKeys, &RuleCall<'_>, HashKey) -> SharedValue| match &self.same
            {
                Some(same) if !fit.is_no() => of(same, call, key),
                _ => SharedValue::Lacking,
            };
        CallFacts {
            activation,
            target,
            value_of_call: value(activation, SharedKeys::of_call),
            value_of_target: value(target, SharedKeys::of_target),
        }
    }

    /// The reason for the rule, if it has one.
    pub(crate) fn why(&self) -> Option<&str> {
        self.why.as_deref()
    }

    /// The tool names in the rule.
    pub(crate) fn names(&self) -> impl Iterator<Item = String> {
        let patterns = self.call.iter().chain(&self.target);
        patterns.flat_map(CallPattern::names)
    }
}
