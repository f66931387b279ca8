//! Values that JSON has no kind of its own for, by one rule for objects and for tables.
//!
//! A decimal is the number that it prints, and is refused where no number of JSON keeps all its digits; bytes are text in base64; dates
//! and times are text as in ISO 8601; a UUID is its text. No two values of one kind become the same.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use rightcall::value::JsonWriter;

/// Writes a decimal number, given in digits without an exponent, as the number of JSON with the same digits.
pub(crate) fn decimal(writer: &mut JsonWriter, digits: &str) -> Result<(), String> {
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let fraction = fraction.trim_end_matches('0');
    if fraction.is_empty() {
        writer.raw(if whole == "-0" { "0" } else { whole });
        return Ok(());
    }
    let digits = format!("{whole}.{fraction}");
    match digits.parse::<f64>() {
        // What is read of this text has these digits again, so no other decimal is written the same.
        Ok(float) if float.to_string() == digits => {
            writer.python_float(float);
            Ok(())
        }
        _ => Err(format!(
            "expected a decimal with digits that a number of JSON keeps, found {digits}"
        )),
    }
}

/// Writes bytes as text in base64.
pub(crate) fn bytes(writer: &mut JsonWriter, bytes: &[u8]) {
    writer.str(&BASE64_STANDARD.encode(bytes));
}
