//! JSON with a fixed key order, for files that must be the same byte for byte.

use std::fmt;

/// A JSON value in a workload.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    Integer(u64),
    /// In hundredths, so that floating-point arithmetic is not involved.
    Decimal(u64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(&'static str, Json)>),
}

impl fmt::Display for Json {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => out.write_str("null"),
            Self::Bool(value) => write!(out, "{value}"),
            Self::Integer(value) => write!(out, "{value}"),
            Self::Decimal(hundredths) => write!(out, "{:?}", *hundredths as f64 / 100.0),
            // Only arguments in a text contain characters that JSON escapes.
            Self::Text(text) if text.contains('"') => write!(out, "{text:?}"),
            Self::Text(text) => write!(out, "\"{text}\""),
            Self::List(items) => separated(out, '[', items, ']', |item, out| write!(out, "{item}")),
            Self::Object(entries) => separated(out, '{', entries, '}', |(key, value), out| {
                write!(out, "\"{key}\":{value}")
            }),
        }
    }
}

fn separated<T>(
    out: &mut fmt::Formatter<'_>,
    open: char,
    items: &[T],
    close: char,
    write: impl Fn(&T, &mut fmt::Formatter<'_>) -> fmt::Result,
) -> fmt::Result {
    write!(out, "{open}")?;
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            write!(out, ",")?;
        }
        write(item, out)?;
    }
    write!(out, "{close}")
}
