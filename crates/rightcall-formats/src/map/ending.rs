//! How a call ended: failed, without an error, or not recorded.

use super::definition::{Field, Rule};
use super::place::{Memory, Place};
use crate::node::Node;
use crate::trace::{NO_ERROR, failed};

/// How a call ended, if the log says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// With this error, as JSON text.
    Error(String),
    /// It failed, with no recorded error.
    Failed,
    /// Without an error.
    Succeeded,
}

impl Ending {
    /// How the call of an item ended; `None` if its rule does not show it. With a result, the call failed only if the rule says so.
    pub(super) fn find<'r>(
        rule: &Rule,
        item: &Place<'r>,
        memory: &Memory<'r>,
        has_result: bool,
    ) -> Option<Self> {
        let path = rule.field(Field::Error);
        let error = path.and_then(|path| memory.find(path, item));
        let says_error = |node: &&Node<'_>| {
            node.raw() != NO_ERROR && node.text().is_none_or(|text| !text.is_empty())
        };
        if let Some(error) = error.filter(says_error) {
            return Some(Self::Error(error.raw().to_owned()));
        }
        if rule.failed.as_ref().is_some_and(|it| it.hold(item, memory)) {
            return Some(Self::Failed);
        }
        let is_recorded = rule.failed.as_ref().is_some_and(|failed| {
            has_result || failed.paths().any(|path| memory.find(path, item).is_some())
        });
        let is_null = || path.is_some_and(|path| memory.is_null(path, item));
        (is_recorded || error.is_some() || is_null()).then_some(Self::Succeeded)
    }

    /// The ending of a call with this `error`, as JSON text.
    pub(super) fn from_json(error: String) -> Self {
        if error == NO_ERROR {
            Self::Succeeded
        } else if error == failed() {
            Self::Failed
        } else {
            Self::Error(error)
        }
    }

    pub(super) fn has_failed(&self) -> bool {
        *self != Self::Succeeded
    }

    /// The `error` of a call that may already have one. A success found later doesn't undo that.
    pub(super) fn into_error(self, own: Option<String>) -> String {
        let own = own.filter(|own| own != NO_ERROR);
        match self {
            Self::Error(error) => error,
            Self::Failed => own.unwrap_or_else(failed),
            Self::Succeeded => own.unwrap_or_else(|| NO_ERROR.to_owned()),
        }
    }
}
