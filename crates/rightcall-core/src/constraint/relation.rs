//! Relations between the numbers of calls of two tools: `validate_item == process_item`.

use std::fmt;

use super::judgement::{Judgement, ObservedValue};
use crate::call::{Call, Operator};
use crate::matching::NamePattern;
use crate::value::Text;

/// A relation between two numbers of calls.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Relation {
    left: NamePattern,
    operator: Operator<'static>,
    right: NamePattern,
}

/// The form of a relation, for messages.
pub(crate) const RELATION: &str = "relations such as `validate_item == process_item`";

impl Relation {
    /// Parses a relation: two names or patterns with an operator between them.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let start = text.find(['=', '<', '>', '!'])?;
        let (left, rest) = text.split_at(start);
        let end = rest.find(|character| !matches!(character, '=' | '<' | '>' | '!'))?;
        let (operator, right) = rest.split_at(end);
        let operator = Operator::parse(&Text::from(operator.to_owned()));
        let (left, right) = (left.trim(), right.trim());
        let is_whole = operator.is_known() && !left.is_empty() && !right.is_empty();
        is_whole.then(|| Self {
            left: NamePattern::new(left),
            operator,
            right: NamePattern::new(right),
        })
    }

    /// Judges the run; counts the calls of both sides.
    pub(crate) fn judge(&self, calls: &[Call<'_>]) -> Judgement {
        let of = |pattern: &NamePattern| {
            calls
                .iter()
                .filter(|call| pattern.matches(&call.name))
                .count()
        };
        let (left, right) = (of(&self.left), of(&self.right));
        let held = self.operator.holds(&left.into(), &right.into()) == Some(true);
        let is_counted =
            |call: &Call<'_>| self.left.matches(&call.name) || self.right.matches(&call.name);
        let counted = (0..calls.len())
            .filter(|&index| is_counted(&calls[index]))
            .collect();
        Judgement::new(held, ObservedValue::Both(left, right), counted)
    }

    /// The required relation, as its operator.
    pub(crate) fn wanted(&self) -> String {
        self.operator.to_string()
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.left, self.operator, self.right)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::tests::{broken, calls, held};

    #[test]
    fn numbers_of_calls_are_compared() {
        let run = calls(&["check", "work", "check_all", "work"]);
        for (relation, expected) in [
            (
                "work == check_all",
                broken(ObservedValue::Both(2, 1), &[1, 2, 3]),
            ),
            (
                "check* = work",
                held(ObservedValue::Both(2, 2), &[0, 1, 2, 3]),
            ),
            ("check<work", held(ObservedValue::Both(1, 2), &[0, 1, 3])),
            ("check >= never", held(ObservedValue::Both(1, 0), &[0])),
        ] {
            assert_eq!(
                Relation::parse(relation).unwrap().judge(&run),
                expected,
                "{relation}"
            );
        }
    }

    #[test]
    fn incomplete_relations_are_rejected() {
        for text in ["a", "a ==", "== b", "a =! b", "a b", ""] {
            assert_eq!(Relation::parse(text), None, "{text}");
        }
    }
}
