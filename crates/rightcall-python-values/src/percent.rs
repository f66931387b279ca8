//! Python's `format % values`.

use std::iter::Peekable;
use std::str::Chars;

use num_bigint::BigInt;
use num_traits::{FromPrimitive, Signed};

use crate::repr::{repr, str};
use crate::text::Text;
use crate::value::{PythonValue, Value};

/// The maximum field width and number of digits.
const MAX_WIDTH: usize = 1 << 12;

/// Formats the values; `None` if Python raises.
pub(crate) fn format(format: &Text<'_>, values: &Value<'_>) -> Option<Text<'static>> {
    let mut arguments = Arguments::new(values);
    let mut letters = format.as_str()?.chars().peekable();
    let mut out = String::new();
    while let Some(letter) = letters.next() {
        if letter == '%' {
            out += &Conversion::parse(&mut letters, &mut arguments)?.text(&mut arguments)?;
        } else {
            out.push(letter);
        }
    }
    arguments.are_used().then(|| Text::from(out))
}

/// The values, consumed in order or by key.
struct Arguments<'v, 'a> {
    all: &'v Value<'a>,
    /// A tuple is several values, any other value is one.
    rest: &'v [Value<'a>],
    /// The value under the key of the conversion.
    keyed: Option<&'v Value<'a>>,
}

impl<'v, 'a> Arguments<'v, 'a> {
    fn new(all: &'v Value<'a>) -> Self {
        let rest = match all {
            Value::Python(value) => match &**value {
                PythonValue::Tuple(items) => items,
                _ => std::slice::from_ref(all),
            },
            _ => std::slice::from_ref(all),
        };
        let keyed = None;
        Self { all, rest, keyed }
    }

    fn next(&mut self) -> Option<&'v Value<'a>> {
        if let Some(value) = self.keyed.take() {
            return Some(value);
        }
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    /// True if all values were consumed. Python doesn't require this for values that allow look-up by key.
    fn are_used(&self) -> bool {
        self.rest.is_empty() || matches!(self.all, Value::Object(_) | Value::List(_))
    }

    fn size(&mut self) -> Option<i64> {
        match self.next()? {
            Value::Integer(integer) => integer.to_digits().parse().ok(),
            Value::Bool(flag) => Some(i64::from(*flag)),
            _ => None,
        }
    }
}

/// A conversion: `%[(key)][flags][width][.precision]kind`.
#[derive(Default)]
struct Conversion {
    flags: Vec<char>,
    width: usize,
    precision: Option<usize>,
    kind: char,
}

impl Conversion {
    fn parse(letters: &mut Peekable<Chars<'_>>, arguments: &mut Arguments<'_, '_>) -> Option<Self> {
        let mut conversion = Self::default();
        if letters.next_if_eq(&'(').is_some() {
            let Value::Object(object) = arguments.all else {
                return None;
            };
            arguments.keyed = Some(object.get_str(&key(letters)?)?);
        }
        while let Some(flag) = letters.next_if(|letter| "-+ #0".contains(*letter)) {
            conversion.flags.push(flag);
        }
        if let Some(width) = size(letters, arguments)? {
            conversion.flags.extend((width < 0).then_some('-'));
            conversion.width = usize::try_from(width.unsigned_abs()).ok()?;
        }
        if letters.next_if_eq(&'.').is_some() {
            let precision = size(letters, arguments)?.unwrap_or(0).max(0);
            conversion.precision = Some(usize::try_from(precision).ok()?);
        }
        letters.next_if(|letter| "hlL".contains(*letter));
        conversion.kind = letters.next()?;
        let is_small = conversion.width.max(conversion.precision.unwrap_or(0)) <= MAX_WIDTH;
        is_small.then_some(conversion)
    }

    fn has(&self, flag: char) -> bool {
        self.flags.contains(&flag)
    }

    fn text(&self, arguments: &mut Arguments<'_, '_>) -> Option<String> {
        if self.kind == '%' {
            return Some("%".to_owned());
        }
        let value = arguments.next()?;
        let (prefix, body) = match self.kind {
            's' | 'r' | 'a' => (String::new(), self.shown(value)?),
            'c' => (String::new(), character(value)?.to_string()),
            'd' | 'i' | 'u' | 'x' | 'X' | 'o' => self.integer(value)?,
            'e' | 'E' | 'f' | 'F' | 'g' | 'G' => self.float(value)?,
            _ => return None,
        };
        let is_number = !matches!(self.kind, 's' | 'r' | 'a' | 'c');
        let length = prefix.chars().count() + body.chars().count();
        let fill = self.width.saturating_sub(length);
        Some(if self.has('-') {
            format!("{prefix}{body}{}", " ".repeat(fill))
        } else if self.has('0') && is_number {
            format!("{prefix}{}{body}", "0".repeat(fill))
        } else {
            format!("{}{prefix}{body}", " ".repeat(fill))
        })
    }

    fn shown(&self, value: &Value<'_>) -> Option<String> {
        let text = match self.kind {
            's' => str(value),
            _ => repr(value),
        };
        let text = text.as_str()?;
        // `%a` escapes non-ASCII characters, which is not supported.
        if self.kind == 'a' && !text.is_ascii() {
            return None;
        }
        let precision = self.precision.unwrap_or(usize::MAX);
        Some(text.chars().take(precision).collect())
    }

    fn sign(&self, is_negative: bool) -> String {
        match (is_negative, self.has('+'), self.has(' ')) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (_, _, true) => " ",
            _ => "",
        }
        .to_owned()
    }

    fn integer(&self, value: &Value<'_>) -> Option<(String, String)> {
        let number = match value {
            Value::Integer(integer) => integer.to_big(),
            Value::Bool(flag) => BigInt::from(u8::from(*flag)),
            // Only the decimal conversions accept floats.
            Value::Float(float) if matches!(self.kind, 'd' | 'i' | 'u') => {
                BigInt::from_f64(float.trunc())?
            }
            _ => return None,
        };
        let (radix, mark) = match self.kind {
            'x' => (16, "0x"),
            'X' => (16, "0X"),
            'o' => (8, "0o"),
            _ => (10, ""),
        };
        let mut digits = number.magnitude().to_str_radix(radix);
        if self.kind == 'X' {
            digits.make_ascii_uppercase();
        }
        let missing = self.precision.unwrap_or(0).saturating_sub(digits.len());
        let mark = if self.has('#') { mark } else { "" };
        let prefix = self.sign(number.is_negative()) + mark;
        Some((prefix, "0".repeat(missing) + &digits))
    }

    fn float(&self, value: &Value<'_>) -> Option<(String, String)> {
        let number = match value {
            Value::Bool(flag) => f64::from(u8::from(*flag)),
            Value::Integer(integer) => Some(integer.to_f64()).filter(|it| it.is_finite())?,
            Value::Float(float) => *float,
            _ => return None,
        };
        let (size, precision) = (number.abs(), self.precision.unwrap_or(6));
        let mut body = match self.kind.to_ascii_lowercase() {
            _ if number.is_nan() => "nan".to_owned(),
            _ if number.is_infinite() => "inf".to_owned(),
            'f' => self.with_point(format!("{size:.precision$}")),
            'e' => self.scientific(size, precision),
            _ => self.general(size, precision.max(1)),
        };
        if self.kind.is_ascii_uppercase() {
            body.make_ascii_uppercase();
        }
        Some((
            self.sign(number.is_sign_negative() && !number.is_nan()),
            body,
        ))
    }

    /// The alternate form always has a point, even without digits after it.
    fn with_point(&self, digits: String) -> String {
        if self.has('#') && !digits.contains('.') {
            digits + "."
        } else {
            digits
        }
    }

    fn scientific(&self, size: f64, precision: usize) -> String {
        let (digits, exponent) = scientific_parts(size, precision);
        let sign = if exponent < 0 { '-' } else { '+' };
        let digits = self.with_point(digits);
        format!("{digits}e{sign}{:02}", exponent.unsigned_abs())
    }

    fn general(&self, size: f64, precision: usize) -> String {
        let (digits, exponent) = scientific_parts(size, precision - 1);
        let without_zeros = |digits: &str| {
            if self.has('#') || !digits.contains('.') {
                self.with_point(digits.to_owned())
            } else {
                digits
                    .trim_end_matches('0')
                    .trim_end_matches('.')
                    .to_owned()
            }
        };
        match usize::try_from(i64::from(exponent) + 4) {
            Ok(place) if place < precision + 4 => {
                let decimals = precision + 3 - place;
                without_zeros(&format!("{size:.decimals$}"))
            }
            _ => {
                let sign = if exponent < 0 { '-' } else { '+' };
                let digits = without_zeros(&digits);
                format!("{digits}e{sign}{:02}", exponent.unsigned_abs())
            }
        }
    }
}

/// Reads the key up to its closing bracket.
fn key(letters: &mut Peekable<Chars<'_>>) -> Option<String> {
    let (mut key, mut depth) = (String::new(), 1);
    loop {
        let letter = letters.next()?;
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(key);
        }
        key.push(letter);
    }
}

/// Reads a width or precision: digits, or `*` for the next value; `None` if it is too large.
#[expect(clippy::option_option, reason = "an error, nothing, or a number")]
fn size(
    letters: &mut Peekable<Chars<'_>>,
    arguments: &mut Arguments<'_, '_>,
) -> Option<Option<i64>> {
    if letters.next_if_eq(&'*').is_some() {
        return arguments.size().map(Some);
    }
    let mut digits = String::new();
    while let Some(digit) = letters.next_if(char::is_ascii_digit) {
        digits.push(digit);
    }
    if digits.is_empty() {
        return Some(None);
    }
    digits.parse().ok().map(Some)
}

fn character(value: &Value<'_>) -> Option<char> {
    match value {
        Value::Integer(integer) => char::from_u32(integer.to_digits().parse().ok()?),
        Value::Bool(flag) => Some(char::from(u8::from(*flag))),
        Value::String(text) => {
            let mut letters = text.as_str()?.chars();
            letters.next().filter(|_| letters.next().is_none())
        }
        _ => None,
    }
}

/// Digits with a point, and the exponent of the first digit.
fn scientific_parts(size: f64, precision: usize) -> (String, i32) {
    let text = format!("{size:.precision$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    (digits.to_owned(), exponent.parse().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use crate::operators::binary;
    use crate::{Text, parse_literal, repr};

    /// Expected values as printed by Python 3.11.
    #[test]
    fn conversions_match_python() {
        for (format, values, expected) in [
            ("%d", "5", Some("'5'")),
            (
                "%05d|%-5d|%+d|% d",
                "(-5, 5, 5, 5)",
                Some("'-0005|5    |+5| 5'"),
            ),
            ("%d %i %u", "(3.9, True, -2)", Some("'3 1 -2'")),
            (
                "%x %X %#x %o %#o",
                "(255, 255, 255, 8, 8)",
                Some("'ff FF 0xff 10 0o10'"),
            ),
            ("%.3d", "7", Some("'007'")),
            (
                "%f %.2f %.0f %#.0f",
                "(1.5, 2.675, 2.5, 2.5)",
                Some("'1.500000 2.67 2 2.'"),
            ),
            (
                "%e %.1E",
                "(12345.678, 0.00012)",
                Some("'1.234568e+04 1.2E-04'"),
            ),
            (
                "%g %g %g %#g",
                "(100000.0, 1e6, 0.0001, 1.0)",
                Some("'100000 1e+06 0.0001 1.00000'"),
            ),
            ("%g %.3g %g", "(1e-5, 1234, 0)", Some("'1e-05 1.23e+03 0'")),
            (
                "%f %F %5.1f",
                "(1e400, -1e400, 2)",
                Some("'inf -INF   2.0'"),
            ),
            ("%s-%r-%.2s", "('a', 'a', 'abc')", Some("\"a-'a'-ab\"")),
            ("%c%c", "(97, 'b')", Some("'ab'")),
            ("%(a)s %(b)d", "{'a': 'x', 'b': 2}", Some("'x 2'")),
            ("100%%", "()", Some("'100%'")),
            ("%*d|%-*d", "(4, 1, 3, 2)", Some("'   1|2  '")),
            ("%s", "[1, 'a']", Some("\"[1, 'a']\"")),
            ("abc", "[1]", Some("'abc'")),
            ("%s", "{'a': 1}", Some("\"{'a': 1}\"")),
            ("abc", "5", None),
            ("%d", "'5'", None),
            ("%s %s", "('a',)", None),
            ("%s", "('a', 'b')", None),
            ("%x", "1.5", None),
            ("%y", "1", None),
            ("%", "1", None),
            ("%(a)s", "5", None),
            ("%c", "'ab'", None),
        ] {
            let format = crate::Value::String(Text::new(format));
            let values = parse_literal(&Text::new(values)).unwrap();
            let found = binary(&format, "%", &values).map(|found| repr(&found).to_string());
            assert_eq!(found.as_deref(), expected, "{format:?}");
        }
    }
}
