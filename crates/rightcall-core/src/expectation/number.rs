//! Numbers by exact value: integers of any size, and decimals as the nearest double.

use std::cmp::Ordering;

use num_bigint::{BigInt, Sign};

use crate::value::Value;

/// A finite number: `mantissa * 2^exponent`.
#[derive(Clone, Debug)]
pub(super) struct ExactNumber {
    mantissa: BigInt,
    exponent: i32,
}

impl ExactNumber {
    /// The value as a number; `None` if it is not a finite number.
    pub(super) fn from_value(value: &Value<'_>) -> Option<Self> {
        match value {
            Value::Integer(integer) => Some(Self {
                mantissa: integer.to_big(),
                exponent: 0,
            }),
            Value::Float(float) if float.is_finite() => Some(Self::from_float(*float)),
            _ => None,
        }
    }

    /// Source: IEEE 754-2019, 3.4: 52 stored bits, an exponent biased by 1023, and subnormal numbers below.
    fn from_float(float: f64) -> Self {
        let bits = float.to_bits();
        let (biased, stored) = ((bits >> 52 & 0x7FF) as i32, bits & ((1 << 52) - 1));
        let (mantissa, exponent) = if biased == 0 {
            (stored, -1074)
        } else {
            (stored | 1 << 52, biased - 1075)
        };
        let mantissa = BigInt::from(mantissa);
        Self {
            mantissa: if float.is_sign_negative() {
                -mantissa
            } else {
                mantissa
            },
            exponent,
        }
    }

    /// The mantissas of two numbers with a common exponent.
    fn aligned(&self, other: &Self) -> (BigInt, BigInt, i32) {
        let exponent = self.exponent.min(other.exponent);
        let shifted = |number: &Self| &number.mantissa << (number.exponent - exponent) as usize;
        (shifted(self), shifted(other), exponent)
    }

    pub(super) fn compare(&self, other: &Self) -> Ordering {
        let (one, other, _) = self.aligned(other);
        one.cmp(&other)
    }

    /// True if the two are at most `distance` apart.
    pub(super) fn is_within(&self, other: &Self, distance: &Self) -> bool {
        let (one, other, exponent) = self.aligned(other);
        let difference = one - other;
        let difference = Self {
            mantissa: if difference.sign() == Sign::Minus {
                -difference
            } else {
                difference
            },
            exponent,
        };
        difference.compare(distance) != Ordering::Greater
    }

    pub(super) fn is_negative(&self) -> bool {
        self.mantissa.sign() == Sign::Minus
    }

    /// True for a whole number in any notation.
    pub(super) fn is_whole(&self) -> bool {
        let one = Self {
            mantissa: BigInt::from(1),
            exponent: 0,
        };
        let (mantissa, unit, _) = self.aligned(&one);
        (mantissa % unit).sign() == Sign::NoSign
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::decode;

    #[track_caller]
    fn number(text: &str) -> ExactNumber {
        ExactNumber::from_value(&decode(text).unwrap()).unwrap()
    }

    #[test]
    fn numbers_are_compared_by_their_exact_values() {
        for (one, other, expected) in [
            ("9007199254740993", "9007199254740992.0", Ordering::Greater),
            ("1", "1.0", Ordering::Equal),
            ("-0.0", "0", Ordering::Equal),
            ("1e22", "10000000000000000000000", Ordering::Equal),
            ("5e-324", "0", Ordering::Greater),
            ("-2.5", "-2", Ordering::Less),
        ] {
            assert_eq!(
                number(one).compare(&number(other)),
                expected,
                "{one} {other}"
            );
        }
        assert!(number("2.0").is_whole() && !number("2.5").is_whole() && number("0").is_whole());
        assert!(number("9.5").is_within(&number("10"), &number("0.5")));
        assert!(!number("9.4").is_within(&number("10"), &number("0.5")));
        assert!(ExactNumber::from_value(&Value::Float(f64::NAN)).is_none());
    }
}
