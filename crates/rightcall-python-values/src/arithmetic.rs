//! Python's truth, rounding and division.
//!
//! Published scores are quotients of counts, rounded at the end. Both steps are computed exactly and rounded once, so results match bit for
//! bit. Small numbers take one float operation; division of larger integers costs as much as in `num-bigint`.
//!
//! Source: spec/semantics.md 11.7; for division, `long_true_divide` of `CPython`.

use num_bigint::BigUint;
use num_traits::{ToPrimitive, Zero};

use crate::integer::Integer;
use crate::value::{PythonValue, Value};

/// True if `bool(value)` is `False` in Python: null, false, zero, and empty values. NaN and `...` are true.
pub fn is_falsy(value: &Value<'_>) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(truth) => !truth,
        Value::Integer(integer) => integer.is_zero(),
        Value::Float(float) => *float == 0.0,
        Value::String(text) => text.is_empty(),
        Value::List(items) => items.is_empty(),
        Value::Object(object) => object.is_empty(),
        Value::Python(value) => match &**value {
            PythonValue::Tuple(items) | PythonValue::Set(items) => items.is_empty(),
            PythonValue::Dict(entries) => entries.is_empty(),
            PythonValue::Bytes(bytes) => bytes.is_empty(),
            PythonValue::Complex { real, imaginary } => *real == 0.0 && *imaginary == 0.0,
            PythonValue::Ellipsis => false,
        },
    }
}

/// Python's `round(number, digits)`: the exact value to that many decimals, ties to even, then the nearest float.
pub fn round(number: f64, digits: usize) -> f64 {
    /// From this many digits on, rounding changes no float, as in `CPython`.
    const LAST_DIGIT: usize = 323;
    if number.fract() == 0.0 || !number.is_finite() || digits > LAST_DIGIT {
        return number;
    }
    // Rust formats the exact value and breaks ties to even, as Python does; its parser is correctly rounded.
    format!("{number:.digits$}").parse().unwrap_or(number)
}

/// Bits of a float's significand.
const PRECISION: i64 = 53;
/// The exponent of the smallest positive float, 2^-1074.
const MIN_EXPONENT: i64 = -1074;
/// Every integer up to this magnitude is exactly a float.
const EXACT: i64 = 1 << PRECISION;

/// Python's `dividend / divisor` for integers: the float nearest to the exact quotient, ties to even.
///
/// The divisor is not zero. If Python raises `OverflowError`, the result is infinite.
pub fn true_divide(dividend: &Integer, divisor: &Integer) -> f64 {
    if let (&Integer::Small(dividend), &Integer::Small(divisor)) = (dividend, divisor)
        && (-EXACT..=EXACT).contains(&dividend)
        && (-EXACT..=EXACT).contains(&divisor)
    {
        return dividend as f64 / divisor as f64;
    }
    let magnitude = divide_magnitudes(dividend.to_big().magnitude(), divisor.to_big().magnitude());
    if dividend.is_negative() == divisor.is_negative() {
        magnitude
    } else {
        -magnitude
    }
}

fn divide_magnitudes(dividend: &BigUint, divisor: &BigUint) -> f64 {
    if dividend.is_zero() {
        return 0.0;
    }
    // 2^(scale - 1) < quotient < 2^(scale + 1)
    let scale = dividend.bits().cast_signed() - divisor.bits().cast_signed();
    if scale > 1024 {
        return f64::INFINITY;
    }
    if scale < MIN_EXPONENT - 1 {
        return 0.0;
    }
    // The quotient is computed in units of 2^unit, so small that at least two bits are below the last one kept.
    let unit = (scale - 1 - PRECISION).max(MIN_EXPONENT) - 2;
    let (scaled_dividend, scaled_divisor) = if unit < 0 {
        (dividend << unit.unsigned_abs(), divisor.clone())
    } else {
        (dividend.clone(), divisor << unit.unsigned_abs())
    };
    let quotient = &scaled_dividend / &scaled_divisor;
    let inexact = &quotient * &scaled_divisor != scaled_dividend;
    // At most 57 bits by the choice of the unit.
    let units = quotient.to_u64().unwrap_or(u64::MAX);
    let length = i64::from(u64::BITS - units.leading_zeros());
    let dropped = (length - PRECISION).max(MIN_EXPONENT - unit);
    let kept = units >> dropped;
    let rest = units - (kept << dropped);
    let half = 1 << (dropped - 1);
    let up = rest > half || rest == half && (inexact || kept & 1 == 1);
    // Exact: the significand has at most 53 bits, or is 2^53.
    (kept + u64::from(up)) as f64 * power_of_two(unit + dropped)
}

/// 2^exponent, or infinity if that is too large. The exponent is at least `MIN_EXPONENT`.
fn power_of_two(exponent: i64) -> f64 {
    match exponent {
        1024.. => f64::INFINITY,
        -1022.. => f64::from_bits((exponent + 1023).unsigned_abs() << 52),
        _ => f64::from_bits(1 << (exponent - MIN_EXPONENT)),
    }
}

#[cfg(test)]
#[allow(clippy::unreadable_literal)] // as Python prints them
mod tests {
    use num_bigint::BigInt;
    use proptest::prelude::*;

    use super::*;
    use crate::{Object, Text};

    #[test]
    fn falsy_values_match_python() {
        let python = |value| Value::Python(Box::new(value));
        let complex = |real, imaginary| python(PythonValue::Complex { real, imaginary });
        let falsy = [
            Value::Null,
            Value::Bool(false),
            Value::Integer(Integer::Small(0)),
            Value::Float(0.0),
            Value::Float(-0.0),
            Value::from(""),
            Value::List(vec![]),
            Value::Object(Object::default()),
            python(PythonValue::Tuple(vec![])),
            python(PythonValue::Set(vec![])),
            python(PythonValue::Dict(vec![])),
            python(PythonValue::Bytes(vec![])),
            complex(0.0, -0.0),
        ];
        for value in falsy {
            assert!(is_falsy(&value), "{value:?}");
        }
        let truthy = [
            Value::Bool(true),
            Value::Integer(Integer::Small(-1)),
            Value::Integer(Integer::parse("99999999999999999999").unwrap()),
            Value::Float(f64::NAN),
            Value::Float(5e-324),
            Value::from(" "),
            Value::List(vec![Value::Null]),
            Value::Object(Object::new(vec![(Text::new(""), Value::Null)])),
            python(PythonValue::Tuple(vec![Value::Null])),
            python(PythonValue::Set(vec![Value::Null])),
            python(PythonValue::Dict(vec![(Value::Null, Value::Null)])),
            python(PythonValue::Bytes(vec![0])),
            complex(0.0, 1.0),
            complex(f64::NAN, 0.0),
            python(PythonValue::Ellipsis),
        ];
        for value in truthy {
            assert!(!is_falsy(&value), "{value:?}");
        }
    }

    #[test]
    fn rounding_matches_python() {
        let cases = [
            (0.03125, 4, 0.0312),
            (0.09375, 4, 0.0938),
            (0.5, 0, 0.0),
            (2.5, 0, 2.0),
            (-1.5, 0, -2.0),
            (0.12345, 4, 0.1235),
            (0.6666666666666666, 4, 0.6667),
            (0.3333333333333333, 4, 0.3333),
            (2.675, 2, 2.67),
            (1.005, 2, 1.0),
            (0.99995, 4, 1.0),
            (0.99994999, 4, 0.9999),
            (-1e-05, 4, -0.0),
            (-0.0, 4, -0.0),
            (1e+22, 4, 1e+22),
            (123456789.12345679, 4, 123456789.1235),
            (5e-324, 323, 0.0),
            (5e-324, 324, 5e-324),
            (1.7976931348623157e+308, 2, 1.7976931348623157e+308),
            (0.15, 1, 0.1),
            (0.25, 1, 0.2),
            (0.35, 1, 0.3),
            (7.62939453125e-06, 16, 7.6293945312e-06),
            (5e-05, 4, 0.0001),
        ];
        for (number, digits, rounded) in cases {
            let ours = round(number, digits);
            assert_eq!(
                ours.to_bits(),
                f64::to_bits(rounded),
                "round({number:?}, {digits}) = {ours:?}"
            );
        }
        assert!(round(f64::NAN, 4).is_nan());
        assert_eq!(round(f64::NEG_INFINITY, 4), f64::NEG_INFINITY);
    }

    #[test]
    fn division_matches_python() {
        let cases = [
            ((0, 0, 1), (0, 0, 3), 0.3333333333333333),
            ((0, 0, 2), (0, 0, -3), -0.6666666666666666),
            ((0, 0, 0), (0, 0, -5), -0.0),
            ((1, 53, 1), (0, 0, 1), 9007199254740992.0),
            ((1, 53, 3), (0, 0, 1), 9007199254740996.0),
            ((1, 54, 2), (0, 0, 2), 9007199254740992.0),
            ((1, 63, -1), (0, 0, 1), 9.223372036854776e+18),
            ((-1, 63, 0), (0, 0, 7), -1.3176245766935393e+18),
            ((1, 100, 1), (1, 99, -1), 2.0),
            ((-1, 200, 3), (1, 147, 1), -9007199254740992.0),
            ((0, 0, 1), (1, 1074, 0), 5e-324),
            ((0, 0, 1), (1, 1075, 0), 0.0),
            ((0, 0, 1), (1, 1075, -1), 5e-324),
            ((0, 0, 3), (1, 1075, 0), 1e-323),
            ((0, 0, 1), (1, 1076, 0), 0.0),
            ((1, 53, -1), (1, 1075, 0), 2.2250738585072014e-308),
            ((1, 2000, 1), (1, 1990, -7), 1024.0),
            ((1, 1023, 0), (0, 0, 1), 8.98846567431158e+307),
            ((0, 0, 0), (1, 90, 0), 0.0),
            ((0, 0, 0), (-1, 90, 0), -0.0),
            ((1, 1024, -1), (0, 0, 3), 5.992310449541053e+307),
            ((1, 3000, 0), (-1, 4074, 0), -5e-324),
            ((5, 500, 1), (7, 1500, 1), 6.666168703594421e-302),
            ((1, 54, 1), (1, 54, 3), 0.9999999999999999),
            (
                (9007199254740993, 0, 0),
                (9007199254740995, 0, 0),
                0.9999999999999998,
            ),
        ];
        for (dividend, divisor, quotient) in cases {
            let ours = true_divide(&power_sum(dividend), &power_sum(divisor));
            assert_eq!(
                ours.to_bits(),
                f64::to_bits(quotient),
                "{dividend:?} / {divisor:?} = {ours:?}"
            );
        }
    }

    /// sign * 2^power + rest
    fn power_sum((sign, power, rest): (i64, u32, i64)) -> Integer {
        Integer::from((BigInt::from(sign) << power) + rest)
    }

    #[test]
    fn quotients_out_of_range_are_infinite() {
        let big = power_sum((1, 1100, 0));
        assert_eq!(true_divide(&big, &Integer::Small(-1)), f64::NEG_INFINITY);
        // Halfway between the largest float and 2^1024.
        let half: BigInt = power_sum((1, 1024, 0)).to_big() - (BigInt::from(1) << 970);
        assert_eq!(
            true_divide(&Integer::from(half.clone()), &Integer::Small(1)),
            f64::INFINITY
        );
        assert_eq!(
            true_divide(&Integer::from(half - 1), &Integer::Small(1)),
            f64::MAX
        );
    }

    /// The float as a multiple of 2^-1074.
    fn in_smallest_units(float: f64) -> BigInt {
        let bits = float.abs().to_bits();
        let (exponent, fraction) = (bits >> 52, bits & ((1 << 52) - 1));
        let magnitude = match exponent {
            0 => BigInt::from(fraction),
            _ => BigInt::from(fraction | 1 << 52) << (exponent - 1),
        };
        if float.is_sign_negative() {
            -magnitude
        } else {
            magnitude
        }
    }

    /// True if no float is nearer to the quotient, and ties went to the even float.
    fn is_nearest(float: f64, dividend: &BigInt, divisor: &BigInt) -> bool {
        // Everything times divisor * 2^1074.
        let exact = dividend.magnitude() << 1074_u32;
        let distance = |float: f64| {
            let difference = in_smallest_units(float.abs())
                * BigInt::from(divisor.magnitude().clone())
                - BigInt::from(exact.clone());
            difference.magnitude().clone()
        };
        let ours = distance(float);
        [float.abs().next_up(), float.abs().next_down()]
            .into_iter()
            .all(|other| {
                let other = distance(other);
                ours < other || ours == other && float.to_bits() & 1 == 0
            })
    }

    fn integers() -> impl Strategy<Value = Integer> {
        (
            any::<bool>(),
            any::<i64>(),
            0_u32..64,
            0_u32..1100,
            -2_i64..3,
        )
            .prop_map(|(small, digits, drop, power, rest)| {
                let digits = digits >> drop;
                Integer::from(if small {
                    BigInt::from(digits)
                } else {
                    (BigInt::from(digits) << power) + rest
                })
            })
    }

    proptest! {
        #[test]
        fn quotients_are_the_nearest_floats(dividend in integers(), divisor in integers()) {
            prop_assume!(!divisor.is_zero());
            let quotient = true_divide(&dividend, &divisor);
            if quotient.is_finite() {
                prop_assert!(is_nearest(quotient, &dividend.to_big(), &divisor.to_big()), "{} / {} = {:?}", dividend, divisor, quotient);
                prop_assert!(dividend.is_zero() || quotient.is_sign_negative() == (dividend.is_negative() != divisor.is_negative()));
            } else {
                let limit = BigInt::from(divisor.to_big().magnitude().clone()) << 1023_u32;
                prop_assert!(BigInt::from(dividend.to_big().magnitude().clone()) > limit);
            }
        }
    }
}
