//! Full-text search in cases.
//!
//! There is no index. A trigram index by FTS5, which finds the same texts, took about ten seconds of CPU to record fifty thousand cases of
//! 2 KB, and half their size again on disk. Scanning all of them takes a fraction of a second.

use std::fmt::Write as _;
use std::sync::Arc;

use regex::{Regex, RegexBuilder};
use rightcall_core::value::JsonText;
use rusqlite::Connection;
use rusqlite::functions::{Context, FunctionFlags};

/// The SQL function for searches: `finds(pattern, text)`.
const NAME: &str = "finds";

/// Maximum size of a compiled pattern in bytes; no text that people type needs more.
const SIZE: usize = 8 << 20;

/// The pattern for a search text: matches the text itself or its JSON-escaped form.
pub(crate) fn pattern_of(text: &str) -> String {
    let json = JsonText::from_type(text).into_string();
    let written = &json[1..json.len() - 1];
    let mut pattern = regex::escape(text);
    if written != text {
        _ = write!(pattern, "|{}", regex::escape(written));
    }
    pattern
}

/// Registers the search function on a connection.
pub(crate) fn register(connection: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function(NAME, 2, flags, finds)
}

fn finds(context: &Context<'_>) -> rusqlite::Result<bool> {
    // Compile the pattern once for each query.
    let regex: Arc<Regex> = context.get_or_create_aux(0, |pattern| {
        RegexBuilder::new(pattern.as_str()?)
            .case_insensitive(true)
            .size_limit(SIZE)
            .build()
            .map_err(Box::<dyn std::error::Error + Send + Sync>::from)
    })?;
    let text = context.get_raw(1).as_str_or_null()?;
    Ok(text.is_some_and(|text| regex.is_match(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, wanted: &str, is_found: bool) {
        let connection = Connection::open_in_memory().unwrap();
        register(&connection).unwrap();
        let values = [pattern_of(wanted), text.to_owned()];
        let found: bool = connection
            .query_row("SELECT finds(?1, ?2)", values, |row| row.get(0))
            .unwrap();
        assert_eq!(found, is_found, "{wanted} in {text}");
    }

    #[test]
    fn searches_are_literal_and_ignore_case() {
        check(r#"{"name":"find_order"}"#, "nd_OR", true);
        check(r#"{"name":"find_order"}"#, "find.order", false);
        check(r#"{"input":"Ärger in Köln"}"#, "äRGER", true);
        check(
            r#"{"input":"she said \"no\"\nand left"}"#,
            "said \"no\"",
            true,
        );
        check(r#"{"input":"she said \"no\"\nand left"}"#, "\"\nand", true);
        check(r#"{"input":"a"}"#, r#""input":"#, true);
        check("漢字仮名", "字仮", true);
        check("", "a", false);
    }
}
