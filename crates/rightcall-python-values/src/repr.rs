//! `repr` and `str` of Python 3.11.
//!
//! Several published metrics compare or report the Python text of a value, so these texts are part of their definition. Time is linear in
//! the length of the text; recursion is as deep as the value's nesting.
//!
//! The order in which Python prints a set follows from hashes. It is computed if Python fixes the hashes of all members (integers,
//! booleans, integral floats): small non-negative integers ascend. Otherwise the order differs from run to run in Python itself; here it is
//! the order of first appearance.
//!
//! Source: spec/semantics.md 11.2; for sets, `setobject.c` of `CPython`.

use std::fmt::Write as _;

use crate::integer::Integer;
use crate::printable::is_printable;
use crate::text::{Text, TextBuilder, is_plain};
use crate::value::{PythonValue, Value};

/// The text of Python's `repr(value)`.
pub fn repr(value: &Value<'_>) -> Text<'static> {
    let mut out = TextBuilder::default();
    push_repr(value, &mut out);
    out.finish()
}

/// The text of Python's `str(value)`: a string itself, and [`repr`] for all other values.
pub fn str(value: &Value<'_>) -> Text<'static> {
    match value {
        Value::String(text) => text.reborrow().into_owned(),
        _ => repr(value),
    }
}

/// Appends the text of [`repr`].
pub fn push_repr(value: &Value<'_>, out: &mut TextBuilder) {
    match value {
        Value::Null => out.push_str("None"),
        Value::Bool(true) => out.push_str("True"),
        Value::Bool(false) => out.push_str("False"),
        Value::Integer(integer) => out.push_integer(integer),
        Value::Float(float) => out.push_str(&float_text(*float, ".0")),
        Value::String(text) => push_repr_text(text, out),
        Value::List(items) => push_items(("[", "]"), items, out),
        Value::Object(object) => push_list(("{", "}"), object, out, |(key, value), out| {
            push_repr_text(key, out);
            out.push_str(": ");
            push_repr(value, out);
        }),
        Value::Python(value) => push_python(value, out),
    }
}

fn push_python(value: &PythonValue<'_>, out: &mut TextBuilder) {
    match value {
        PythonValue::Tuple(items) => {
            push_items(("(", if items.len() == 1 { ",)" } else { ")" }), items, out);
        }
        PythonValue::Set(members) if members.is_empty() => out.push_str("set()"),
        PythonValue::Set(members) => match set_order(members) {
            Some(order) => push_list(("{", "}"), order, out, |at, out| {
                push_repr(&members[at], out);
            }),
            None => push_items(("{", "}"), members, out),
        },
        PythonValue::Dict(entries) => push_list(("{", "}"), entries, out, |(key, value), out| {
            push_repr(key, out);
            out.push_str(": ");
            push_repr(value, out);
        }),
        PythonValue::Bytes(bytes) => push_bytes(bytes, out),
        PythonValue::Complex { real, imaginary } => push_complex(*real, *imaginary, out),
        PythonValue::Ellipsis => out.push_str("Ellipsis"),
    }
}

fn push_items(brackets: (&str, &str), items: &[Value<'_>], out: &mut TextBuilder) {
    push_list(brackets, items, out, push_repr);
}

/// Appends members between brackets.
pub fn push_list<T>(
    (open, close): (&str, &str),
    items: impl IntoIterator<Item = T>,
    out: &mut TextBuilder,
    mut push: impl FnMut(T, &mut TextBuilder),
) {
    out.push_str(open);
    for (place, item) in items.into_iter().enumerate() {
        if place > 0 {
            out.push_str(", ");
        }
        push(item, out);
    }
    out.push_str(close);
}

/// The float in Python's layout. `point_zero` is appended to integral floats without an exponent.
fn float_text(float: f64, point_zero: &str) -> String {
    if float.is_nan() {
        return "nan".to_owned();
    }
    let sign = if float.is_sign_negative() { "-" } else { "" };
    if float.is_infinite() {
        return format!("{sign}inf");
    }
    let scientific = shortest(float.abs());
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if !(-4..16).contains(&exponent) {
        let exponent_sign = if exponent < 0 { '-' } else { '+' };
        return format!(
            "{sign}{mantissa}e{exponent_sign}{:02}",
            exponent.unsigned_abs()
        );
    }
    let digits = mantissa.replace('.', "");
    if exponent < 0 {
        let zeros = "0".repeat(exponent.unsigned_abs() as usize - 1);
        return format!("{sign}0.{zeros}{digits}");
    }
    let whole = exponent.unsigned_abs() as usize + 1;
    match digits.split_at_checked(whole) {
        Some((whole, rest)) if !rest.is_empty() => format!("{sign}{whole}.{rest}"),
        _ => format!("{sign}{digits:0<whole$}{point_zero}"),
    }
}

/// The shortest digits that parse back to the float, as `d` or `d.ddd`, and the exponent of the first digit.
///
/// Python takes the nearer of two such texts, and on a tie the one with the even last digit.
fn shortest(float: f64) -> String {
    let text = format!("{float:e}");
    // One digit, a point and 15 more. With fewer digits, no two numbers parse back to the same float.
    let digits = text.find('e').unwrap_or(0).saturating_sub(1);
    if digits < 16 {
        return text;
    }
    // On a tie, Rust takes the greater text. Formatting with that many digits rounds the exact value to even. At a power of two the result
    // may parse to the float below, since floats there are half as far apart.
    let nearest = format!("{float:.*e}", digits - 1);
    if nearest.parse() == Ok(float) {
        nearest
    } else {
        text
    }
}

fn push_complex(real: f64, imaginary: f64, out: &mut TextBuilder) {
    let text = float_text(imaginary, "");
    if real.to_bits() == 0 {
        out.push_str(&text);
        out.push_str("j");
        return;
    }
    out.push_str("(");
    out.push_str(&float_text(real, ""));
    out.push_str(if text.starts_with('-') { "" } else { "+" });
    out.push_str(&text);
    out.push_str("j)");
}

/// The quote that Python chooses for a text, given as its bytes without quotes.
fn quote(bytes: &[u8]) -> u8 {
    if bytes.contains(&b'\'') && !bytes.contains(&b'"') {
        b'"'
    } else {
        b'\''
    }
}

/// Python's text of a list; `push` writes each member.
pub fn list_text<T>(
    items: impl IntoIterator<Item = T>,
    push: impl FnMut(T, &mut TextBuilder),
) -> Text<'static> {
    let mut out = TextBuilder::with_room();
    push_list(("[", "]"), items, &mut out, push);
    out.finish()
}

/// Appends the `repr` of a string.
pub fn push_repr_text(text: &Text<'_>, out: &mut TextBuilder) {
    // Nearly all texts are ASCII without quotes and escapes.
    if is_plain(text.as_bytes(), *b"'\"\\\x7F") {
        out.push_str("'");
        out.push_text(text);
        out.push_str("'");
        return;
    }
    let quote = quote(text.as_bytes());
    out.push_ascii(quote);
    let mut points = text.code_points();
    loop {
        out.push_bytes(points.take_plain(|byte| is_special(byte, quote)));
        match points.next() {
            None => break,
            Some(point) if is_unescaped(point, quote) => out.push(point),
            Some(point) => push_escape(point, out),
        }
    }
    out.push_ascii(quote);
}

fn push_bytes(bytes: &[u8], out: &mut TextBuilder) {
    let quote = quote(bytes);
    out.push_str("b");
    out.push_ascii(quote);
    for &byte in bytes {
        let point = u32::from(byte);
        if byte < 0x80 && is_unescaped(point, quote) {
            out.push(point);
        } else {
            push_escape(point, out);
        }
    }
    out.push_ascii(quote);
}

/// True for bytes that may need an escape between these quotes.
#[expect(
    clippy::needless_bitwise_bool,
    reason = "without branches, eight bytes are checked at once"
)]
fn is_special(byte: u8, quote: u8) -> bool {
    !(0x20..=0x7E).contains(&byte) | (byte == quote) | (byte == b'\\')
}

/// True if the code point is not escaped between these quotes.
fn is_unescaped(point: u32, quote: u8) -> bool {
    point != u32::from(quote) && point != u32::from('\\') && is_printable(point)
}

fn push_escape(point: u32, out: &mut TextBuilder) {
    let mut escape = String::with_capacity(10);
    // Writing to a string does not fail.
    let _ = match point {
        0x09 => escape.write_str("\\t"),
        0x0A => escape.write_str("\\n"),
        0x0D => escape.write_str("\\r"),
        0x20..0x7F => write!(escape, "\\{}", char::from(point as u8)),
        0..0x100 => write!(escape, "\\x{point:02x}"),
        0x100..0x1_0000 => write!(escape, "\\u{point:04x}"),
        _ => write!(escape, "\\U{point:08x}"),
    };
    out.push_str(&escape);
}

/// The order in which Python prints a set with members added in this order, if their hashes are fixed.
///
/// It is the order of the slots in the set's hash table.
fn set_order(members: &[Value<'_>]) -> Option<Vec<usize>> {
    let hashes = members
        .iter()
        .map(fixed_hash)
        .collect::<Option<Vec<u64>>>()?;
    let mut slots = vec![None; 8];
    for member in 0..hashes.len() {
        place(member, &hashes, &mut slots);
        let used = member + 1;
        if used * 5 >= (slots.len() - 1) * 3 {
            let wanted = if used > 50_000 { used * 2 } else { used * 4 };
            let old = std::mem::replace(&mut slots, vec![None; (wanted + 1).next_power_of_two()]);
            old.into_iter()
                .flatten()
                .for_each(|member| place(member, &hashes, &mut slots));
        }
    }
    Some(slots.into_iter().flatten().collect())
}

/// Puts a member into its slot by Python's probing: short linear runs, then a jump that mixes in the hash.
fn place(member: usize, hashes: &[u64], slots: &mut [Option<usize>]) {
    const RUN: usize = 9;
    let mask = slots.len() - 1;
    let mut perturb = hashes[member];
    let mut at = perturb as usize & mask;
    loop {
        let last = if at + RUN <= mask { at + RUN } else { at };
        if let Some(free) = slots[at..=last].iter_mut().find(|slot| slot.is_none()) {
            *free = Some(member);
            return;
        }
        perturb >>= 5;
        at = at
            .wrapping_mul(5)
            .wrapping_add(1)
            .wrapping_add(perturb as usize)
            & mask;
    }
}

/// Python's hash of an integral number in the range of `i64`.
fn fixed_hash(value: &Value<'_>) -> Option<u64> {
    const MODULUS: u64 = (1 << 61) - 1;
    let number = match value {
        Value::Bool(truth) => i64::from(*truth),
        Value::Integer(Integer::Small(small)) => *small,
        Value::Float(float) => match Integer::from_integral(*float)? {
            Integer::Small(small) => small,
            Integer::Big(_) => return None,
        },
        _ => return None,
    };
    let magnitude = number.unsigned_abs() % MODULUS;
    Some(match (number < 0, magnitude) {
        (false, _) => magnitude,
        // -1 signals an error in Python, so it becomes -2.
        (true, 1) => 2_u64.wrapping_neg(),
        (true, _) => magnitude.wrapping_neg(),
    })
}

#[cfg(test)]
#[allow(clippy::unreadable_literal)] // as Python prints them
mod tests;
