//! What pages and Markdown have in common: the style sheet, and foreign text that is no markup.

use crate::text::{cut, printable};

/// The style sheet of all pages.
pub const STYLE: &str = include_str!("../assets/style.css");

/// Text in a code span, whose fence is longer than any run of backticks in it.
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

/// A sentence with foreign words in it, as one code span where these could be markup.
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

/// A code span in a cell of a table, which a pipe would end even there.
pub fn cell(text: &str) -> String {
    code(text).replace('|', "\\|")
}
