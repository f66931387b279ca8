//! Text for a terminal: how wide it is, what may stand in it.

use anstyle::{AnsiColor, Style};
use unicode_width::UnicodeWidthStr;

/// The width of everything that is drawn.
pub(crate) const WIDTH: usize = 100;

pub(crate) const HEAD: Style = Style::new().bold();
pub(crate) const FAINT: Style = Style::new().dimmed();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();

/// The text in a style.
pub(crate) fn paint(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// The text without characters that would steer the terminal: input is foreign, and may hold anything.
pub fn printable(text: &str) -> String {
    let steers = |character: char| {
        character.is_control()
            || matches!(character, '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{FEFF}')
    };
    text.chars().fold(String::with_capacity(text.len()), |mut out, character| {
        match character {
            '\n' | '\r' | '\t' => out.push(' '),
            _ if steers(character) => out.extend(character.escape_unicode()),
            _ => out.push(character),
        }
        out
    })
}

/// Columns that the text takes.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// The text in at most so many columns, with `…` for what is cut off.
pub(crate) fn fit(text: &str, columns: usize) -> String {
    let text = printable(text);
    if width(&text) <= columns {
        return text;
    }
    let mut out = String::new();
    for character in text.chars() {
        let mut buffer = [0; 4];
        if width(&out) + width(character.encode_utf8(&mut buffer)) + 1 > columns {
            break;
        }
        out.push(character);
    }
    out.push('…');
    out
}

/// The text, filled with spaces on the right.
pub(crate) fn left(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// The text, filled with spaces on the left.
pub(crate) fn right(text: &str, columns: usize) -> String {
    format!("{}{text}", " ".repeat(columns.saturating_sub(width(text))))
}

/// A number of things: `1 case`, `12 cases`.
pub fn count(number: u64, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_cannot_steer_the_terminal() {
        assert_eq!(printable("a\u{1b}[31mb\nc\u{202e}d"), "a\\u{1b}[31mb c\\u{202e}d");
    }

    #[test]
    fn text_is_cut_to_its_columns() {
        assert_eq!(fit("abcdef", 6), "abcdef");
        assert_eq!(fit("abcdefg", 6), "abcde…");
        assert_eq!(fit("漢字漢字", 5), "漢字…");
        assert_eq!((left("漢", 4), right("漢", 4)), ("漢  ".into(), "  漢".into()));
    }
}
