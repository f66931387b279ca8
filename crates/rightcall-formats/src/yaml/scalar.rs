//! The values of scalars in the core schema of YAML 1.2.
//!
//! One rule is stricter: a number with a leading zero is refused. In the schema `007` is the number 7, so a postal code or order number
//! written this way would be compared as a different value.

use granit_parser::ScalarStyle;

use super::node::{Yaml, YamlError};

/// A scalar without a tag.
pub(super) fn untagged(text: &str, style: ScalarStyle, line: u64) -> Result<Yaml, YamlError> {
    if style == ScalarStyle::Plain {
        plain(text, line)
    } else {
        Ok(Yaml::Text(text.to_owned()))
    }
}

/// The value of a plain text in the core schema.
pub(super) fn plain(text: &str, line: u64) -> Result<Yaml, YamlError> {
    let yaml = match text {
        "" | "~" | "null" | "Null" | "NULL" => Yaml::Null,
        "true" | "True" | "TRUE" => Yaml::Bool(true),
        "false" | "False" | "FALSE" => Yaml::Bool(false),
        ".nan" | ".NaN" | ".NAN" => Yaml::Number("NaN".to_owned()),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => {
            Yaml::Number("Infinity".to_owned())
        }
        "-.inf" | "-.Inf" | "-.INF" => Yaml::Number("-Infinity".to_owned()),
        _ => {
            return Ok(
                number(text, line)?.map_or_else(|| Yaml::Text(text.to_owned()), Yaml::Number)
            );
        }
    };
    Ok(yaml)
}

/// The number as JSON text; `None` for other texts.
fn number(text: &str, line: u64) -> Result<Option<String>, YamlError> {
    for (prefix, radix) in [("0x", 16), ("0o", 8)] {
        if let Some(digits) = text
            .strip_prefix(prefix)
            .filter(|digits| digits.chars().all(|digit| digit.is_digit(radix)))
        {
            return Ok(u128::from_str_radix(digits, radix)
                .ok()
                .map(|number| number.to_string()));
        }
    }
    let (sign, rest) = match text.as_bytes().first() {
        Some(b'-') => ("-", &text[1..]),
        Some(b'+') => ("", &text[1..]),
        _ => ("", text),
    };
    let (mantissa, exponent) = rest
        .find(['e', 'E'])
        .map_or((rest, ""), |at| rest.split_at(at));
    let (whole, fraction) = mantissa
        .split_once('.')
        .map_or((mantissa, None), |(whole, fraction)| {
            (whole, Some(fraction))
        });
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let exponent_digits = exponent
        .get(1..)
        .map(|digits| digits.strip_prefix(['-', '+']).unwrap_or(digits));
    let is_number = digits(whole)
        && fraction.is_none_or(digits)
        && !(whole.is_empty() && fraction.unwrap_or_default().is_empty())
        && exponent_digits.is_none_or(|exponent| !exponent.is_empty() && digits(exponent));
    if !is_number {
        return Ok(None);
    }
    if whole.len() > 1 && whole.starts_with('0') {
        return Err(YamlError::new(
            line,
            "a number without leading zeros, or a text in quotes",
            text,
            "write '007' for the text, 7 for the number",
        ));
    }
    let whole = if whole.is_empty() { "0" } else { whole };
    let fraction = match fraction {
        None => String::new(),
        Some("") => ".0".to_owned(),
        Some(digits) => format!(".{digits}"),
    };
    Ok(Some(format!("{sign}{whole}{fraction}{exponent}")))
}
