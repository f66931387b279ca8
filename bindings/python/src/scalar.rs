//! Values that JSON has no type for, with the same rules for objects and tables.
//!
//! A decimal becomes the number that it prints, and is rejected if no JSON number keeps all its digits. Bytes become base64 text, dates and
//! times ISO 8601 text, and UUIDs text. Different values of one type never become equal.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use rightcall_core::value::JsonWriter;

/// Writes a decimal number, given as digits without an exponent, as a JSON number with the same digits.
pub(crate) fn decimal(writer: &mut JsonWriter, digits: &str) -> Result<(), String> {
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let fraction = fraction.trim_end_matches('0');
    if fraction.is_empty() {
        writer.raw(if whole == "-0" { "0" } else { whole });
        return Ok(());
    }
    let digits = format!("{whole}.{fraction}");
    match digits.parse::<f64>() {
        // Parsing this text returns the same digits, so no other decimal has the same text.
        Ok(float) if float.to_string() == digits => {
            writer.python_float(float);
            Ok(())
        }
        _ => Err(format!(
            "expected a decimal with digits that a number of JSON keeps, found {digits}"
        )),
    }
}

/// Writes bytes as base64 text.
pub(crate) fn bytes(writer: &mut JsonWriter, bytes: &[u8]) {
    writer.str(&BASE64_STANDARD.encode(bytes));
}
