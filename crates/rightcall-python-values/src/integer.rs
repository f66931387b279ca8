//! Integers of any size, as in Python and JSON.

use std::cmp::Ordering;
use std::fmt;

use num_bigint::BigInt;
use num_traits::{FromPrimitive, ToPrimitive};

/// An integer. The large form is used only outside the range of `i64`, so equal integers have equal forms.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Integer {
    /// Within `i64`.
    Small(i64),
    /// Outside `i64`.
    Big(Box<BigInt>),
}

impl Integer {
    /// Parses decimal digits with an optional leading minus. The caller has checked the syntax.
    #[inline]
    pub fn parse(digits: &str) -> Option<Self> {
        if let Ok(small) = digits.parse() {
            return Some(Self::Small(small));
        }
        BigInt::parse_bytes(digits.as_bytes(), 10).map(Self::from)
    }

    /// The integer equal to a finite float without a fraction.
    pub fn from_integral(float: f64) -> Option<Self> {
        if float.fract() != 0.0 {
            return None;
        }
        // 2^63 is exact in f64; below it in magnitude the cast is exact.
        if float.abs() < 9_223_372_036_854_775_808.0 {
            return Some(Self::Small(float as i64));
        }
        BigInt::from_f64(float).map(Self::from)
    }

    /// The nearest f64, ties to even; infinite beyond its range.
    #[inline]
    pub fn to_f64(&self) -> f64 {
        match self {
            Self::Small(small) => *small as f64,
            Self::Big(big) => big.to_f64().unwrap_or(f64::NAN),
        }
    }

    /// True for 0.
    #[inline]
    pub fn is_zero(&self) -> bool {
        *self == Self::Small(0)
    }

    /// True below 0.
    pub fn is_negative(&self) -> bool {
        match self {
            Self::Small(small) => *small < 0,
            Self::Big(big) => big.sign() == num_bigint::Sign::Minus,
        }
    }

    /// The decimal digits, as from [`ToString`] but faster for the small form.
    pub fn to_digits(&self) -> String {
        match self {
            Self::Small(small) => small.to_string(),
            Self::Big(big) => big.to_string(),
        }
    }

    /// The value as a big integer.
    pub fn to_big(&self) -> BigInt {
        match self {
            Self::Small(small) => BigInt::from(*small),
            Self::Big(big) => (**big).clone(),
        }
    }
}

impl From<BigInt> for Integer {
    #[inline]
    fn from(big: BigInt) -> Self {
        big.to_i64()
            .map_or_else(|| Self::Big(Box::new(big)), Self::Small)
    }
}

impl From<i64> for Integer {
    #[inline]
    fn from(small: i64) -> Self {
        Self::Small(small)
    }
}

impl From<usize> for Integer {
    #[inline]
    fn from(count: usize) -> Self {
        i64::try_from(count).map_or_else(|_| Self::Big(Box::new(BigInt::from(count))), Self::Small)
    }
}

impl PartialOrd for Integer {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Integer {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Small(a), Self::Small(b)) => a.cmp(b),
            _ => self.to_big().cmp(&other.to_big()),
        }
    }
}

impl fmt::Display for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Small(small) => small.fmt(f),
            Self::Big(big) => big.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_integers_have_one_form() {
        let from_text = Integer::parse("9223372036854775808").unwrap();
        assert_eq!(
            Some(from_text),
            Integer::from_integral(9_223_372_036_854_775_808.0)
        );
        assert_eq!(
            Integer::parse("-9223372036854775808"),
            Some(Integer::Small(i64::MIN))
        );
        assert_eq!(Integer::parse("-0"), Some(Integer::Small(0)));
        assert_eq!(
            Integer::from_integral(-9_223_372_036_854_775_808.0),
            Some(Integer::Small(i64::MIN))
        );
    }

    #[test]
    fn conversion_to_float_rounds_to_nearest_even() {
        for digits in [
            "9007199254740993",
            "36028797018963969",
            "100000000000000000000000",
            "-18446744073709551617",
        ] {
            let float: f64 = digits.parse().unwrap();
            assert_eq!(Integer::parse(digits).unwrap().to_f64(), float, "{digits}");
        }
        assert_eq!(
            Integer::parse(&"9".repeat(400)).unwrap().to_f64(),
            f64::INFINITY
        );
    }

    #[test]
    fn order_is_numeric_across_sizes() {
        let big = Integer::parse("99999999999999999999").unwrap();
        assert!(Integer::Small(5) < big);
        assert!(Integer::parse("-99999999999999999999").unwrap() < Integer::Small(i64::MIN));
        assert!(
            Integer::parse("-99999999999999999999")
                .unwrap()
                .is_negative()
        );
    }
}
