//! A condition on a number: `3`, `">= 1"`, `"3..5"`.

use std::fmt;

use crate::call::{Count, Operator};
use crate::value::{Integer, Text, Value};

/// A condition on a number of calls.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Wanted {
    /// A comparison with a number; the operator is known.
    Compared(Operator<'static>, Integer),
    /// An inclusive range; no upper bound if the second number is `None`.
    Between(Integer, Option<Integer>),
}

/// The form of a condition, for messages.
pub(crate) const WANTED: &str = "a number, an operator and a number (`>= 1`), or a range (`3..5`)";

impl Wanted {
    /// Exactly this number.
    pub(crate) fn exactly(number: usize) -> Self {
        Self::new("=", number.into())
    }

    /// This number or fewer.
    pub(crate) fn at_most(number: usize) -> Self {
        Self::new("<=", number.into())
    }

    /// This number or more.
    pub(crate) fn at_least(number: usize) -> Self {
        Self::new(">=", number.into())
    }

    fn new(operator: &'static str, number: Integer) -> Self {
        Self::Compared(Operator::parse(&Text::new(operator)), number)
    }

    /// The condition in a case; `None` if its operator is unknown.
    pub(crate) fn from_count(count: &Count<'_>) -> Option<Self> {
        let operator = Operator::parse(&count.operator.text().clone().into_owned());
        operator
            .is_known()
            .then(|| Self::Compared(operator, count.count.clone()))
    }

    /// The condition in a setting.
    pub(crate) fn from_value(value: &Value<'_>) -> Option<Self> {
        match value {
            Value::Integer(number) if !number.is_negative() => Some(Self::new("=", number.clone())),
            Value::String(text) => Self::parse(text.as_str()?),
            Value::List(pair) => match &pair[..] {
                [operator, Value::Integer(number)] if !number.is_negative() => {
                    let operator = Operator::parse(&operator.as_text()?.clone().into_owned());
                    operator
                        .is_known()
                        .then(|| Self::Compared(operator, number.clone()))
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Some((low, high)) = text.split_once("..") {
            let low = if low.trim().is_empty() {
                0_i64.into()
            } else {
                parse_integer(low)?
            };
            let high = if high.trim().is_empty() {
                None
            } else {
                Some(parse_integer(high)?)
            };
            return high
                .as_ref()
                .is_none_or(|high| low <= *high)
                .then_some(Self::Between(low, high));
        }
        let digits = text.find(|character: char| character.is_ascii_digit())?;
        let (operator, digits) = text.split_at(digits);
        let operator = Operator::parse(&Text::from(
            if operator.is_empty() {
                "="
            } else {
                operator.trim()
            }
            .to_owned(),
        ));
        operator
            .is_known()
            .then_some(Self::Compared(operator, parse_integer(digits)?))
    }

    /// True if every larger number gets the same verdict, or if there is no upper bound.
    pub(crate) fn is_settled(&self, found: usize) -> bool {
        let found = Integer::from(found);
        match self {
            Self::Compared(operator, number) => match &*operator.text().to_display() {
                ">" | ">=" => true,
                "<" => found >= *number,
                _ => found > *number,
            },
            Self::Between(_, None) => true,
            Self::Between(_, Some(high)) => found > *high,
        }
    }

    /// True if `found` or some larger number satisfies the condition.
    pub(crate) fn may_hold_from(&self, found: usize) -> bool {
        let found = Integer::from(found);
        match self {
            Self::Compared(operator, number) => match &*operator.text().to_display() {
                ">" | ">=" | "!=" => true,
                "<" => found < *number,
                _ => found <= *number,
            },
            Self::Between(_, high) => high.as_ref().is_none_or(|high| found <= *high),
        }
    }

    /// True if `found` or some larger number violates the condition.
    pub(crate) fn may_fail_from(&self, found: usize) -> bool {
        let found = Integer::from(found);
        match self {
            Self::Compared(operator, number) => match &*operator.text().to_display() {
                ">" | "!=" => found <= *number,
                ">=" => found < *number,
                _ => true,
            },
            Self::Between(low, high) => high.is_some() || found < *low,
        }
    }

    /// True if `found` satisfies the condition.
    pub(crate) fn holds(&self, found: usize) -> bool {
        let found = Integer::from(found);
        match self {
            Self::Compared(operator, number) => operator.holds(&found, number) == Some(true),
            Self::Between(low, high) => {
                *low <= found && high.as_ref().is_none_or(|high| found <= *high)
            }
        }
    }
}

fn parse_integer(digits: &str) -> Option<Integer> {
    let digits = digits.trim();
    let is_whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_whole {
        Integer::parse(digits)
    } else {
        None
    }
}

impl fmt::Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Compared(operator, number) => write!(f, "{operator} {number}"),
            Self::Between(low, Some(high)) => write!(f, "{low}..{high}"),
            Self::Between(low, None) => write!(f, "{low}.."),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::decode;

    #[test]
    fn conditions_are_parsed_in_every_format() {
        for (json, shown, held) in [
            ("2", "= 2", &[2][..]),
            ("\">= 1\"", ">= 1", &[1, 2, 3, 4]),
            ("\">=1\"", ">= 1", &[1, 2, 3, 4]),
            ("\"2\"", "= 2", &[2]),
            ("\"1..3\"", "1..3", &[1, 2, 3]),
            ("\" 3 .. \"", "3..", &[3, 4]),
            ("\"..1\"", "0..1", &[0, 1]),
            ("[\"!=\", 2]", "!= 2", &[0, 1, 3, 4]),
        ] {
            let wanted = Wanted::from_value(&decode(json).unwrap()).unwrap();
            assert_eq!(wanted.to_string(), shown);
            assert_eq!(
                (0..5)
                    .filter(|&found| wanted.holds(found))
                    .collect::<Vec<_>>(),
                held,
                "{json}"
            );
        }
    }

    #[test]
    fn invalid_conditions_are_rejected() {
        for json in [
            "-1",
            "1.5",
            "\"\"",
            "\"~ 1\"",
            "\"3..1\"",
            "\"a..b\"",
            "\">= \"",
            "[\"=\"]",
            "[\"~\",1]",
            "null",
            "\"1 2\"",
        ] {
            assert_eq!(Wanted::from_value(&decode(json).unwrap()), None, "{json}");
        }
    }
}
