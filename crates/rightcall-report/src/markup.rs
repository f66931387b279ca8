//! Shared by pages and Markdown: the style sheet, and escaping of untrusted text.

use crate::text::{cut_middle, printable};

/// The style sheet of all pages.
pub const STYLE: &str = include_str!("../assets/style.css");

/// An English sentence as HTML. Text in another direction is isolated, so names and values keep
/// their place in the sentence.
pub fn isolated(sentence: &str) -> String {
    let mut out = String::with_capacity(sentence.len());
    let mut rest = sentence;
    while let Some(start) = rest.find(is_right_to_left) {
        // The right-to-left run ends at its last letter before left-to-right text, or before a
        // character that separates names and values.
        let run = &rest[start..];
        let ends = |it: char| it.is_alphanumeric() && !is_right_to_left(it);
        let end = run.find(|it: char| ends(it) || PARTING.contains(&it));
        let run = &run[..end.unwrap_or(run.len())];
        let last = run.rfind(is_right_to_left).unwrap_or_default();
        let length = last + run[last..].chars().next().map_or(0, char::len_utf8);
        push_escaped(&rest[..start], &mut out);
        out.push_str("<bdi>");
        push_escaped(&run[..length], &mut out);
        out.push_str("</bdi>");
        rest = &rest[start + length..];
    }
    push_escaped(rest, &mut out);
    out
}

/// Characters between names and values in a sentence.
const PARTING: [char; 12] = ['(', ')', '[', ']', '{', '}', '=', '"', ',', ':', ';', '/'];

/// True for a letter of a script that is written from right to left.
fn is_right_to_left(character: char) -> bool {
    matches!(character, '\u{590}'..='\u{8FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}' | '\u{10800}'..='\u{10FFF}' | '\u{1E800}'..='\u{1EFFF}')
}

fn push_escaped(text: &str, out: &mut String) {
    for character in text.chars() {
        match character {
            '<' => out.push_str("&#60;"),
            '>' => out.push_str("&#62;"),
            '&' => out.push_str("&#38;"),
            '"' => out.push_str("&#34;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
}

/// A warning as a code span. Our sentence around the names makes it longer than a name.
pub(crate) fn code_sentence(text: &str) -> String {
    span(&cut_middle(&printable(text), 1000))
}

/// Text as a code span, with a fence longer than any run of backticks in the text.
pub fn code(text: &str) -> String {
    span(&cut_middle(&printable(text), 160))
}

fn span(text: &str) -> String {
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

/// A sentence with untrusted words, as a code span if it could contain markup.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_in_another_direction_is_isolated() {
        assert_eq!(
            isolated("find <a> was not called"),
            "find &#60;a&#62; was not called"
        );
        assert_eq!(
            isolated("جستجوی_سفارش: متن differs"),
            "<bdi>جستجوی_سفارش</bdi>: <bdi>متن</bdi> differs"
        );
        assert_eq!(
            isolated("expected f(q=\"لغو کنم\"), called f(q=\"لغو\")"),
            "expected f(q=&#34;<bdi>لغو کنم</bdi>&#34;), called f(q=&#34;<bdi>لغو</bdi>&#34;)"
        );
        assert_eq!(isolated("شماره 7"), "<bdi>شماره</bdi> 7");
        assert_eq!(isolated(""), "");
    }
}
