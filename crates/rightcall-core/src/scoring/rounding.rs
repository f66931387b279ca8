//! Rounding as in published metrics.

use crate::value::{javascript, python};

/// How a score is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rounding {
    /// `Math.round(x * 1000) / 1000`.
    JsThousandths,
    /// Python's `round(x, 4)`.
    Python4,
    /// `Math.round((x + Number.EPSILON) * 100) / 100`.
    JsHundredths,
    /// `Math.round(x * 100) / 100`.
    JsPlainHundredths,
}

impl Rounding {
    /// The rounded number.
    pub(crate) fn apply(self, number: f64) -> f64 {
        match self {
            Self::JsThousandths => javascript::math_round(number * 1000.0) / 1000.0,
            Self::JsPlainHundredths => javascript::math_round(number * 100.0) / 100.0,
            Self::Python4 => python::round(number, 4),
            Self::JsHundredths => javascript::math_round((number + f64::EPSILON) * 100.0) / 100.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties() {
        assert_eq!(Rounding::JsThousandths.apply(2.0 / 3.0), 0.667);
        assert_eq!(Rounding::JsThousandths.apply(0.0625), 0.063);
        assert_eq!(Rounding::Python4.apply(1.0 / 32.0), 0.0312);
        assert_eq!(Rounding::Python4.apply(2.0 / 3.0), 0.6667);
        assert_eq!(Rounding::JsHundredths.apply(2.0 / 3.0), 0.67);
        assert_eq!(Rounding::JsHundredths.apply(1.0 / 8.0), 0.13);
        // 1.005 is slightly less as a float, so without the epsilon it rounds down.
        assert_eq!(Rounding::JsHundredths.apply(1.005), 1.01);
        assert_eq!(Rounding::JsPlainHundredths.apply(1.005), 1.0);
    }
}
