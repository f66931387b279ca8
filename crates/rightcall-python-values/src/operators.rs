//! Python's operators.

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};

use crate::arithmetic::{is_falsy, true_divide};
use crate::integer::Integer;
use crate::percent;
use crate::text::Text;
use crate::value::{Object, PythonValue, Value};

/// Maximum number of bits, characters or items in an operator's result.
const MAX_SIZE: usize = 1 << 16;

/// Evaluates a binary operator as Python does; `None` if Python raises, or if the result is very large.
pub fn binary(left: &Value<'_>, operator: &str, right: &Value<'_>) -> Option<Value<'static>> {
    match (left, operator, right) {
        (Value::String(format), "%", values) => percent::format(format, values).map(Value::String),
        (Value::String(left), "+", Value::String(right)) => {
            let joined = [left.as_bytes(), right.as_bytes()].concat();
            (joined.len() <= MAX_SIZE).then(|| text(&joined))
        }
        (Value::List(left), "+", Value::List(right)) => joined(left, right).map(Value::List),
        (Value::Object(left), "|", Value::Object(right)) => {
            let entries = left.iter().chain(right).cloned().collect();
            Some(Value::Object(Object::new(entries).into_owned()))
        }
        (Value::Python(left), "+", Value::Python(right)) => match (&**left, &**right) {
            (PythonValue::Tuple(left), PythonValue::Tuple(right)) => joined(left, right).map(tuple),
            _ => None,
        },
        (sequence @ (Value::String(_) | Value::List(_) | Value::Python(_)), "*", times)
        | (times, "*", sequence @ (Value::String(_) | Value::List(_) | Value::Python(_))) => {
            repeated(sequence, &integer(times)?)
        }
        (Value::Bool(left), "&", Value::Bool(right)) => Some(Value::Bool(left & right)),
        (Value::Bool(left), "|", Value::Bool(right)) => Some(Value::Bool(left | right)),
        (Value::Bool(left), "^", Value::Bool(right)) => Some(Value::Bool(left ^ right)),
        _ => match (integer(left), integer(right)) {
            (Some(left), Some(right)) => binary_integers(&left, operator, &right),
            _ => binary_floats(number(left)?, operator, number(right)?).map(Value::Float),
        },
    }
}

/// Evaluates a sign or `not` as Python does; `None` if Python raises.
pub fn unary(operator: &str, operand: &Value<'_>) -> Option<Value<'static>> {
    match (operator, operand) {
        ("not", operand) => Some(Value::Bool(is_falsy(operand))),
        ("-", Value::Float(float)) => Some(Value::Float(-float)),
        ("+", Value::Float(float)) => Some(Value::Float(*float)),
        (operator, operand) => {
            let operand = integer(operand)?.to_big();
            let result = match operator {
                "-" => -operand,
                "+" => operand,
                "~" => !operand,
                _ => return None,
            };
            Some(Value::Integer(result.into()))
        }
    }
}

fn text(bytes: &[u8]) -> Value<'static> {
    Value::String(Text::from_bytes(bytes).into_owned())
}

fn tuple(items: Vec<Value<'static>>) -> Value<'static> {
    Value::Python(Box::new(PythonValue::Tuple(items)))
}

fn joined(left: &[Value<'_>], right: &[Value<'_>]) -> Option<Vec<Value<'static>>> {
    let is_small = left.len() + right.len() <= MAX_SIZE;
    let items = left.iter().chain(right);
    is_small.then(|| items.map(|item| item.clone().into_owned()).collect())
}

/// The value as an integer; booleans count as integers.
fn integer(value: &Value<'_>) -> Option<Integer> {
    match value {
        Value::Integer(integer) => Some(integer.clone()),
        Value::Bool(flag) => Some(Integer::Small(i64::from(*flag))),
        _ => None,
    }
}

/// The value as a float; also `None` for an integer out of the range of floats, where Python raises an error.
fn number(value: &Value<'_>) -> Option<f64> {
    match value {
        Value::Float(float) => Some(*float),
        other => Some(integer(other)?.to_f64()).filter(|float| float.is_finite()),
    }
}

/// Repeats a text, a list or a tuple.
fn repeated(sequence: &Value<'_>, times: &Integer) -> Option<Value<'static>> {
    let times = if times.is_negative() {
        0
    } else {
        times.to_big().to_usize()?
    };
    let has_room = |length: usize| length.checked_mul(times).is_some_and(|it| it <= MAX_SIZE);
    let items = |items: &[Value<'_>]| {
        let all = items.iter().cycle().take(items.len().saturating_mul(times));
        has_room(items.len()).then(|| all.map(|item| item.clone().into_owned()).collect())
    };
    match sequence {
        Value::String(one) => {
            has_room(one.as_bytes().len()).then(|| text(&one.as_bytes().repeat(times)))
        }
        Value::List(list) => items(list).map(Value::List),
        Value::Python(value) => match &**value {
            PythonValue::Tuple(list) => items(list).map(tuple),
            _ => None,
        },
        _ => None,
    }
}

fn binary_integers(left: &Integer, operator: &str, right: &Integer) -> Option<Value<'static>> {
    let (large, other) = (left.to_big(), right.to_big());
    let result = match operator {
        "+" => large + other,
        "-" => large - other,
        "*" => large * other,
        "&" => large & other,
        "|" => large | other,
        "^" => large ^ other,
        "//" | "%" | "/" if other.is_zero() => return None,
        "/" => {
            let quotient = true_divide(left, right);
            return quotient.is_finite().then_some(Value::Float(quotient));
        }
        "//" => floored(&large, &other).0,
        "%" => floored(&large, &other).1,
        "<<" | ">>" if other.is_negative() => return None,
        "<<" if large.is_zero() => large,
        "<<" => large << room(other.to_usize()?)?,
        // A larger shift gives the same result: no bits are left.
        ">>" => large >> other.to_usize().unwrap_or(usize::MAX).min(MAX_SIZE),
        "**" if other.is_negative() => {
            let power = binary_floats(number_of(left)?, operator, number_of(right)?)?;
            return Some(Value::Float(power));
        }
        "**" if large.bits() < 2 => match (large.to_i8()?, other.bit(0)) {
            (-1, false) => BigInt::from(1),
            (0, _) if other.is_zero() => BigInt::from(1),
            (base, _) => BigInt::from(base),
        },
        "**" => {
            let power = other.to_u32()?;
            room(
                usize::try_from(large.bits())
                    .ok()?
                    .checked_mul(power as usize)?,
            )?;
            large.pow(power)
        }
        _ => return None,
    };
    room(usize::try_from(result.bits()).ok()?)?;
    Some(Value::Integer(result.into()))
}

fn number_of(integer: &Integer) -> Option<f64> {
    Some(integer.to_f64()).filter(|float| float.is_finite())
}

fn room(size: usize) -> Option<usize> {
    (size <= MAX_SIZE).then_some(size)
}

/// Floored quotient and remainder; the remainder has the sign of the divisor.
fn floored(dividend: &BigInt, divisor: &BigInt) -> (BigInt, BigInt) {
    let (quotient, rest) = (dividend / divisor, dividend % divisor);
    if rest.is_zero() || rest.is_negative() == divisor.is_negative() {
        (quotient, rest)
    } else {
        (quotient - 1, rest + divisor)
    }
}

fn binary_floats(left: f64, operator: &str, right: f64) -> Option<f64> {
    Some(match operator {
        "+" => left + right,
        "-" => left - right,
        "*" => left * right,
        "/" | "//" | "%" if right == 0.0 => return None,
        "/" => left / right,
        "//" => floored_floats(left, right).0,
        "%" => floored_floats(left, right).1,
        "**" => power(left, right)?,
        _ => return None,
    })
}

/// `left ** right`; `None` for zero to a negative power, on overflow, and if the result is complex.
fn power(left: f64, right: f64) -> Option<f64> {
    let result = left.powf(right);
    let is_complex = left < 0.0 && left.is_finite() && right.is_finite() && right.fract() != 0.0;
    let overflows = result.is_infinite() && left.is_finite() && right.is_finite();
    (!is_complex && !overflows).then_some(result)
}

/// Floored quotient and remainder of floats, as in Python: the remainder has the sign of the divisor, and the quotient is derived from it.
fn floored_floats(dividend: f64, divisor: f64) -> (f64, f64) {
    let mut rest = dividend % divisor;
    let mut quotient = (dividend - rest) / divisor;
    if rest == 0.0 {
        rest = rest.copysign(divisor);
    } else if (rest < 0.0) != (divisor < 0.0) {
        rest += divisor;
        quotient -= 1.0;
    }
    let quotient = if quotient == 0.0 {
        0.0_f64.copysign(dividend / divisor)
    } else {
        // Round down, or up if the fraction is more than a half.
        let below = quotient.floor();
        if quotient - below > 0.5 {
            below + 1.0
        } else {
            below
        }
    };
    (quotient, rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{parse_literal, repr};

    fn read(source: &str) -> Value<'static> {
        parse_literal(&Text::new(source)).unwrap()
    }

    /// Expected values as printed by Python 3.11.
    #[test]
    fn operators_match_python() {
        for (left, operator, right, result) in [
            ("1", "<<", "3", Some("8")),
            ("1", "<<", "-1", None),
            ("-5", ">>", "1", Some("-3")),
            ("5", ">>", "1000000000", Some("0")),
            ("5", "&", "3", Some("1")),
            ("-5", "&", "3", Some("3")),
            ("5", "|", "2", Some("7")),
            ("5", "^", "1", Some("4")),
            ("5", "^", "1.0", None),
            ("True", "&", "False", Some("False")),
            ("True", "|", "2", Some("3")),
            ("2", "**", "100", Some("1267650600228229401496703205376")),
            ("2", "**", "-1", Some("0.5")),
            ("0", "**", "-1", None),
            ("-1", "**", "1001", Some("-1")),
            ("2.0", "**", "10000", None),
            ("-8.0", "**", "0.5", None),
            ("1e400", "-", "1e400", Some("nan")),
            ("1e308", "*", "10", Some("inf")),
            ("-7", "//", "2", Some("-4")),
            ("-7", "%", "3", Some("2")),
            ("7", "%", "-3", Some("-2")),
            ("-7.5", "//", "2", Some("-4.0")),
            ("7", "%", "-2.5", Some("-0.5")),
            ("7", "/", "2", Some("3.5")),
            ("1", "/", "0", None),
            ("1.0", "%", "0", None),
            ("[1]", "*", "2", Some("[1, 1]")),
            ("2", "*", "(1,)", Some("(1, 1)")),
            ("'ab'", "*", "-1", Some("''")),
            ("'ab'", "*", "True", Some("'ab'")),
            ("[1]", "+", "[2]", Some("[1, 2]")),
            ("(1,)", "+", "(2,)", Some("(1, 2)")),
            ("[1]", "+", "(2,)", None),
            ("'a'", "+", "1", None),
            ("{'a': 1}", "|", "{'a': 2}", Some("{'a': 2}")),
            ("'a'", "*", "100000", None),
        ] {
            let found = parse_literal(&Text::new(right)).ok();
            let found = found.and_then(|right| binary(&read(left), operator, &right));
            let found = found.map(|found| repr(&found).to_string());
            assert_eq!(found.as_deref(), result, "{left} {operator} {right}");
        }
        for (operator, operand, result) in [
            ("not", "0", Some("True")),
            ("not", "'a'", Some("False")),
            ("-", "True", Some("-1")),
            ("~", "5", Some("-6")),
            ("~", "1.5", None),
            ("-", "'a'", None),
        ] {
            let found = unary(operator, &read(operand)).map(|found| repr(&found).to_string());
            assert_eq!(found.as_deref(), result, "{operator} {operand}");
        }
    }
}
