//! Shared by pages and Markdown: the style sheet, and escaping of foreign text.

use crate::text::{cut, printable};

/// The style sheet of all pages.
pub const STYLE: &str = include_str!("../assets/style.css");

/// Text as a code span, with a fence longer than any run of backticks in the text.
pub fn code(text: &str) -> String {
    let text = cut(&printable(text), 160);
    let longest = text
        .split(|character| character != '`')
        .map(str::len)
        .max()
        .unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let space = if text.starts_with('`') || text.ends_with('`') || text.is_empty() {
        " "
    } else {
        ""
    };
    format!("{fence}{space}{text}{space}{fence}")
}

/// A sentence with foreign words in it; as one code span if it could contain markup.
pub(crate) fn sentence_of(text: &str) -> String {
    let is_plain = text
        .chars()
        .all(|character| character.is_alphanumeric() || " .,:;()%/-–".contains(character));
    if is_plain {
        text.to_owned()
    } else {
        code(text)
    }
}

/// A code span for a table cell. Pipes are escaped, since they end the cell even inside a code span.
pub fn cell(text: &str) -> String {
    code(text).replace('|', "\\|")
}
