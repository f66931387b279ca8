//! JavaScript's rules for numbers, truth and white space.

use rightcall_python_values::Value;

/// The text of a number in `JSON.stringify`: `null` if it is not finite, `-0` as `0`.
///
/// Source: ECMAScript, `Number::toString`.
pub fn number_to_json(number: f64) -> String {
    if !number.is_finite() {
        return "null".to_owned();
    }
    if number == 0.0 {
        return "0".to_owned();
    }
    // Not `{:e}`: of two equally near texts it takes the larger, but JavaScript takes the even one.
    let mut buffer = zmij::Buffer::new();
    let written = buffer.format_finite(number.abs());
    let (mantissa, exponent) = written.split_once('e').unwrap_or((written, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all_digits = format!("{whole}{fraction}");
    let significant = all_digits.trim_start_matches('0');
    // Number of digits before the decimal point.
    let point = exponent.parse::<i32>().unwrap_or(0) + whole.len() as i32
        - (all_digits.len() - significant.len()) as i32;
    let digits = significant.trim_end_matches('0').to_owned();
    let count = digits.len() as i32;
    let unsigned = if (count..=21).contains(&point) {
        digits + &"0".repeat((point - count) as usize)
    } else if (1..=21).contains(&point) {
        format!(
            "{}.{}",
            &digits[..point as usize],
            &digits[point as usize..]
        )
    } else if (-5..=0).contains(&point) {
        format!("0.{}{digits}", "0".repeat(-point as usize))
    } else {
        let (first, rest) = digits.split_at(1);
        format!(
            "{first}{}{rest}e{:+}",
            if rest.is_empty() { "" } else { "." },
            point - 1
        )
    };
    if number < 0.0 {
        format!("-{unsigned}")
    } else {
        unsigned
    }
}

/// `Math.round`: to the nearest integer, ties towards +∞.
pub fn math_round(number: f64) -> f64 {
    let floor = number.floor();
    if number - floor >= 0.5 {
        floor + 1.0
    } else {
        floor
    }
}

/// `toFixed(1)` of a number from 0 to 1e15: the exact value to one decimal, ties to the larger.
pub fn to_fixed_1(number: f64) -> String {
    // Enough digits to show a tie exactly: only x.25 and x.75 are f64 values halfway between two decimals.
    let rounded = format!("{number:.1}");
    let is_tie = (number * 4.0).fract() == 0.0 && (number * 4.0) % 2.0 == 1.0;
    if is_tie {
        format!("{:.1}", number + 0.05)
    } else {
        rounded
    }
}

/// JavaScript's `ToNumber` of a JSON value.
pub fn to_number(value: &Value<'_>) -> f64 {
    match value {
        Value::Null => 0.0,
        Value::Bool(it) => f64::from(u8::from(*it)),
        Value::Integer(_) | Value::Float(_) => value.as_f64().unwrap_or(f64::NAN),
        Value::String(text) => text.as_str().map_or(f64::NAN, text_to_number),
        Value::List(items) => match items.as_slice() {
            // A list becomes the text of its items, so a list of one item can be a number.
            [] | [Value::Null] => 0.0,
            [Value::Bool(_) | Value::Object(_)] => f64::NAN,
            [only] => to_number(only),
            _ => f64::NAN,
        },
        Value::Object(_) | Value::Python(_) => f64::NAN,
    }
}

/// JavaScript's white space for `trim`: Unicode white space without U+0085, plus U+FEFF.
///
/// Source: ECMAScript, `WhiteSpace` and `LineTerminator`.
pub fn is_space(point: u32) -> bool {
    match point {
        0x85 => false,
        0xFEFF => true,
        _ => char::from_u32(point).is_some_and(char::is_whitespace),
    }
}

fn text_to_number(text: &str) -> f64 {
    let text = text.trim_matches(|character| is_space(u32::from(character)));
    let radix = |digits: &str, radix| {
        u64::from_str_radix(digits, radix).map_or(f64::NAN, |number| number as f64)
    };
    match text.as_bytes() {
        [] => 0.0,
        [b'0', b'x' | b'X', ..] => radix(&text[2..], 16),
        [b'0', b'o' | b'O', ..] => radix(&text[2..], 8),
        [b'0', b'b' | b'B', ..] => radix(&text[2..], 2),
        _ => match text.trim_start_matches(['+', '-']) {
            "Infinity" if text.len() <= 9 => {
                if text.starts_with('-') {
                    f64::NEG_INFINITY
                } else {
                    f64::INFINITY
                }
            }
            digits if digits.starts_with(|first: char| first.is_ascii_digit() || first == '.') => {
                text.parse().unwrap_or(f64::NAN)
            }
            _ => f64::NAN,
        },
    }
}

/// True for a value that is falsy in JavaScript.
pub fn is_falsy(value: &Value<'_>) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(it) => !it,
        Value::Integer(it) => it.is_zero(),
        Value::Float(it) => *it == 0.0 || it.is_nan(),
        Value::String(it) => it.is_empty(),
        Value::List(_) | Value::Object(_) | Value::Python(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_in_javascript() {
        for (number, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (1.0, "1"),
            (-1.5, "-1.5"),
            (9_007_199_254_740_992.0, "9007199254740992"),
            (1e20, "100000000000000000000"),
            (123e18, "123000000000000000000"),
            (1e21, "1e+21"),
            (1.5e300, "1.5e+300"),
            (1e-6, "0.000001"),
            (1e-7, "1e-7"),
            (1.25e-9, "1.25e-9"),
            (2_f64.powi(-25), "2.9802322387695312e-8"),
            (0.1, "0.1"),
            (f64::INFINITY, "null"),
        ] {
            assert_eq!(number_to_json(number), text);
        }
    }

    #[test]
    fn rounding() {
        assert_eq!(math_round(0.5), 1.0);
        assert_eq!(math_round(0.499_999_999_999_999_94), 0.0);
        assert_eq!(math_round(666.666), 667.0);
        for (number, text) in [
            (0.25, "0.3"),
            (0.75, "0.8"),
            (33.300_000_000_000_004, "33.3"),
            (66.7, "66.7"),
            (100.0, "100.0"),
            (0.35, "0.3"),
            (12.25, "12.3"),
        ] {
            assert_eq!(to_fixed_1(number), text, "{number}");
        }
    }

    #[test]
    fn texts_to_numbers() {
        for (text, number) in [
            ("0.5", 0.5),
            (" 1 ", 1.0),
            ("", 0.0),
            ("0x10", 16.0),
            ("-Infinity", f64::NEG_INFINITY),
            (".5", 0.5),
            ("1.", 1.0),
            ("1e3", 1000.0),
        ] {
            assert_eq!(text_to_number(text), number, "{text}");
        }
        for text in ["x", "1_0", "inf", "nan", "0x", "--1", "1 2", "infinity"] {
            assert!(text_to_number(text).is_nan(), "{text}");
        }
    }
}
