//! One tool before another: `verify_identity before refund`.

use std::fmt;

use super::judgement::{Judgement, ObservedValue};
use crate::call::{Call, are_parallel};
use crate::matching::NamePattern;

/// Requires a call of `first` before any call of `then`. Holds if `then` is never called.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Before {
    first: NamePattern,
    then: NamePattern,
}

/// The form of such a constraint, for messages.
pub(crate) const BEFORE: &str = "orders such as `verify_identity before refund`";

impl Before {
    /// Parses the constraint.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (first, then) = text.split_once(" before ")?;
        let (first, then) = (first.trim(), then.trim());
        let is_whole = !first.is_empty() && !then.is_empty() && !then.contains(" before ");
        is_whole.then(|| Self {
            first: NamePattern::new(first),
            then: NamePattern::new(then),
        })
    }

    /// Finds the calls that came too early. Parallel calls are not before one another.
    pub(crate) fn judge(&self, calls: &[Call<'_>]) -> Judgement {
        let of_then: Vec<usize> = (0..calls.len())
            .filter(|&index| self.then.matches(&calls[index].name))
            .collect();
        let first = calls.iter().position(|call| self.first.matches(&call.name));
        let is_early = |&index: &usize| {
            first.is_none_or(|first| index <= first || are_parallel(&calls[first], &calls[index]))
        };
        let early: Vec<usize> = of_then.iter().copied().filter(is_early).collect();
        let found = ObservedValue::TooEarly(early.len(), of_then.len());
        if early.is_empty() {
            Judgement::new(true, found, of_then)
        } else {
            Judgement::new(false, found, early)
        }
    }

    /// True for a call that others must wait for.
    pub(crate) fn is_first(&self, call: &Call<'_>) -> bool {
        self.first.matches(&call.name)
    }

    /// True for a call that must wait for another.
    pub(crate) fn is_then(&self, call: &Call<'_>) -> bool {
        self.then.matches(&call.name)
    }

    /// The requirement as a sentence.
    pub(crate) fn wanted(&self) -> String {
        format!("{} first", self.first)
    }
}

impl fmt::Display for Before {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} before {}", self.first, self.then)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::tests::{broken, calls, held};

    #[track_caller]
    fn check(names: &[&'static str], expected: &Judgement) {
        assert_eq!(
            Before::parse("check before pay*")
                .unwrap()
                .judge(&calls(names)),
            *expected
        );
    }

    #[test]
    fn every_later_call_needs_an_earlier_one() {
        check(
            &["check", "pay", "pay_again"],
            &held(ObservedValue::TooEarly(0, 2), &[1, 2]),
        );
        check(
            &["pay", "check", "pay"],
            &broken(ObservedValue::TooEarly(1, 2), &[0]),
        );
        check(
            &["pay", "pay"],
            &broken(ObservedValue::TooEarly(2, 2), &[0, 1]),
        );
        check(&["check"], &held(ObservedValue::TooEarly(0, 0), &[]));
        check(&[], &held(ObservedValue::TooEarly(0, 0), &[]));
    }

    #[test]
    fn a_tool_before_itself_fails_at_its_first_call() {
        let before = Before::parse("a before a").unwrap();
        assert_eq!(
            before.judge(&calls(&["a", "a"])),
            broken(ObservedValue::TooEarly(1, 2), &[0])
        );
    }

    #[test]
    fn parallel_calls_are_not_before_one_another() {
        let mut run = calls(&["check", "pay", "pay"]);
        run[0].metadata_mut().group = Some("g".into());
        run[1].metadata_mut().group = Some("g".into());
        assert_eq!(
            Before::parse("check before pay").unwrap().judge(&run),
            broken(ObservedValue::TooEarly(1, 2), &[1])
        );
    }

    #[test]
    fn incomplete_orders_are_rejected() {
        for text in [
            "a",
            "a before",
            " before b",
            "a before b before c",
            "beforehand",
            "",
        ] {
            assert_eq!(Before::parse(text), None, "{text}");
        }
    }
}
