//! Numbers and times to sort records by.

use std::cmp::Ordering;

use crate::case::described;
use crate::error::CaseError;
use crate::node::Node;
use crate::trace::time;

/// The sort key of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Number(Decimal),
    /// In nanoseconds since 1970.
    Time(i128),
}

/// A decimal number: `0.DIGITS` times ten to the power of the exponent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    is_negative: bool,
    exponent: i64,
    /// Without leading and trailing zeros; empty for zero.
    digits: String,
}

impl Order {
    /// Reads a number (also as text) or a time.
    ///
    /// # Errors
    /// The value is neither.
    pub(super) fn of(node: &Node<'_>) -> Result<Self, CaseError> {
        let text = node.str();
        let number = Decimal::parse(text.unwrap_or(node.raw())).map(Self::Number);
        let time = || text.and_then(time::from_iso).map(Self::Time);
        number.or_else(time).ok_or_else(|| {
            CaseError::new(
                "a number or a time where `order` of the map leads",
                described(node),
            )
        })
    }

    /// Compares two values of one kind; `None` for a number and a time.
    pub(super) fn compare(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Number(one), Self::Number(other)) => Some(one.compare(other)),
            (Self::Time(one), Self::Time(other)) => Some(one.cmp(other)),
            _ => None,
        }
    }
}

impl Decimal {
    fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
        let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let has_digits = !(whole.is_empty() && fraction.is_empty());
        if !(has_digits && is_number(whole) && is_number(fraction)) {
            return None;
        }
        let exponent: i64 = exponent.parse().ok()?;
        let all = format!("{whole}{fraction}");
        let significant = all.trim_start_matches('0');
        let zeros = all.len() - significant.len();
        let digits = significant.trim_end_matches('0').to_owned();
        let is_zero = digits.is_empty();
        let places = i64::try_from(whole.len()).ok()? - i64::try_from(zeros).ok()?;
        Some(Self {
            is_negative: text.starts_with('-') && !is_zero,
            exponent: if is_zero {
                i64::MIN
            } else {
                exponent.checked_add(places)?
            },
            digits,
        })
    }

    fn size(&self) -> (i64, &str) {
        (self.exponent, &self.digits)
    }

    fn compare(&self, other: &Self) -> Ordering {
        match (self.is_negative, other.is_negative) {
            (false, false) => self.size().cmp(&other.size()),
            (true, true) => other.size().cmp(&self.size()),
            (one, other) => other.cmp(&one),
        }
    }
}

/// Sorts records. A record without a value stays behind its predecessor, or comes first.
///
/// # Errors
/// Some values are numbers and some are times.
pub(super) fn sort<T>(
    records: Vec<T>,
    order_of: impl Fn(&T) -> Option<&Order>,
) -> Result<Vec<T>, CaseError> {
    let mut blocks: Vec<(Option<Order>, Vec<T>)> = Vec::new();
    for record in records {
        match (order_of(&record).cloned(), blocks.last_mut()) {
            (None, Some((_, block))) => block.push(record),
            (order, _) => blocks.push((order, vec![record])),
        }
    }
    let kinds = |wanted: fn(&Order) -> bool| {
        blocks
            .iter()
            .filter_map(|(order, _)| order.as_ref())
            .any(wanted)
    };
    if kinds(|it| matches!(it, Order::Number(_))) && kinds(|it| matches!(it, Order::Time(_))) {
        return Err(CaseError::new(
            "numbers or times where `order` of the map leads",
            "both in one run",
        ));
    }
    blocks.sort_by(|(one, _), (other, _)| match (one, other) {
        (Some(one), Some(other)) => one.compare(other).unwrap_or(Ordering::Equal),
        (one, other) => one.is_some().cmp(&other.is_some()),
    });
    Ok(blocks.into_iter().flat_map(|(_, block)| block).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_compare_exactly() {
        let sorted = [
            "-1e400",
            "-12",
            "-1.5",
            "-0.001",
            "0",
            "1e-400",
            "0.5",
            "007",
            "7.1",
            "1e2",
            "1760000002020000000",
            "1760000002020000001",
        ];
        for pair in sorted.windows(2) {
            let [one, other] = [pair[0], pair[1]].map(|text| Decimal::parse(text).unwrap());
            assert_eq!(one.compare(&other), Ordering::Less, "{pair:?}");
        }
        for (one, other) in [("-0", "0.0"), ("1.50", "15e-1"), ("100", "1E2")] {
            assert_eq!(Decimal::parse(one), Decimal::parse(other), "{one}");
        }
        for text in ["", "-", ".", "1e", "1x", "NaN", "late", "1_000"] {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
    }
}
