//! Text for a terminal: how wide it is, what may stand in it.

use std::fmt::Write as _;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicUsize, Ordering};

use anstyle::{AnsiColor, Style};
pub use rightcall_run::{page_text, printable};
use unicode_width::UnicodeWidthStr;

/// Columns of a screen, where nobody says how many there are.
const USUAL: usize = 100;

/// A screen is drawn for no fewer and no more columns than these.
const POSSIBLE: RangeInclusive<usize> = 60..=200;

static COLUMNS: AtomicUsize = AtomicUsize::new(USUAL);

/// Has everything that is drawn from now on fit into so many columns, 60 to 200.
pub fn set_columns(columns: usize) {
    let columns = columns.clamp(*POSSIBLE.start(), *POSSIBLE.end());
    COLUMNS.store(columns, Ordering::Relaxed);
}

/// The width of everything that is drawn.
pub fn screen_columns() -> usize {
    COLUMNS.load(Ordering::Relaxed)
}

pub(crate) const HEAD: Style = Style::new().bold();
pub(crate) const FAINT: Style = Style::new().dimmed();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default();
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();

/// The text in a style.
pub(crate) fn paint(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// Columns that the text takes.
pub fn width(text: &str) -> usize {
    text.width()
}

/// Columns of the widest of these texts.
pub(crate) fn widest(texts: impl IntoIterator<Item = impl AsRef<str>>) -> usize {
    let widths = texts.into_iter().map(|text| width(text.as_ref()));
    widths.max().unwrap_or(0)
}

/// The text, or a dash where there is none.
pub(crate) fn or_dash(text: Option<String>) -> String {
    text.unwrap_or_else(|| "–".to_owned())
}

/// The text in at most so many columns, with `…` for what is cut off.
pub fn fit(text: &str, columns: usize) -> String {
    let text = printable(text);
    if width(&text) <= columns {
        return text;
    }
    format!("{}…", columns_of(text.chars(), columns.saturating_sub(1)))
}

/// The end of the text in at most this many columns, with `…` for the beginning: the line of `FILE:LINE` stays.
pub(crate) fn fit_end(text: &str, columns: usize) -> String {
    let text = printable(text);
    if width(&text) <= columns {
        return text;
    }
    let tail = columns_of(text.chars().rev(), columns.saturating_sub(1));
    format!("…{}", tail.chars().rev().collect::<String>())
}

/// The text in at most so many columns, with `…` for what is cut out of its middle.
pub(crate) fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let room = columns.saturating_sub(1);
    let head = columns_of(text.chars(), room.div_ceil(2));
    let tail: String = columns_of(text.chars().rev(), room - width(&head))
        .chars()
        .rev()
        .collect();
    format!("{head}…{tail}")
}

/// The text in at most so many characters, with `…` for what is cut out of its middle: for long texts on pages, where columns do not
/// count.
pub(crate) fn shortened(text: &str, characters: usize) -> String {
    let length = text.chars().count();
    if length <= characters {
        return text.to_owned();
    }
    let head: String = text.chars().take(characters / 2).collect();
    let tail: String = text.chars().skip(length - characters / 2).collect();
    format!("{head}…{tail}")
}

/// The part of the text around a character, in at most so many columns, with `…` for what is cut off.
pub(crate) fn around(text: &str, character: usize, columns: usize) -> String {
    let before = character.saturating_sub(columns / 3);
    if before == 0 || width(text) <= columns {
        return fit(text, columns);
    }
    let rest: String = text.chars().skip(before).collect();
    format!("…{}", fit(&rest, columns.saturating_sub(1)))
}

/// The first characters that fit into so many columns.
fn columns_of(characters: impl Iterator<Item = char>, columns: usize) -> String {
    let mut out = String::new();
    for character in characters {
        out.push(character);
        if width(&out) > columns {
            out.pop();
            break;
        }
    }
    out
}

/// The text in lines of at most so many columns, broken at spaces where there are any; at least one line.
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest = text.trim_end();
    while width(rest) > columns {
        let mut line = columns_of(rest.chars(), columns);
        if line.is_empty() {
            // Not even one character fits.
            break;
        }
        let is_inside_a_word = !rest[line.len()..].starts_with(' ');
        if let Some(space) = line.rfind(' ').filter(|_| is_inside_a_word) {
            // A word that fits into no line is broken, where to begin it below would waste too much of this one.
            let word = rest[space + 1..].split(' ').next().unwrap_or_default();
            if width(word) <= columns || space > line.len() / 2 {
                line.truncate(space);
            }
        }
        rest = rest[line.len()..].trim_start();
        lines.push(line.trim_end().to_owned());
    }
    lines.push(rest.to_owned());
    lines
}

/// The text, filled with spaces on the right.
pub fn left(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// The text, filled with spaces on the left.
pub fn right(text: &str, columns: usize) -> String {
    format!("{}{text}", " ".repeat(columns.saturating_sub(width(text))))
}

/// What stands on a line, and as much of a text as there is room for behind it.
pub(crate) fn filled(line: &str, text: &str) -> String {
    let room = screen_columns().saturating_sub(width(line));
    format!("{line}{}", fit(text, room))
}

/// A text behind what stands on a line if there is room for all of it, else in lines of its own with this margin. Nothing is cut.
pub(crate) fn continued(line: &str, text: &str, margin: usize) -> String {
    let text = printable(text);
    if text.is_empty() || width(line) + width(&text) <= screen_columns() {
        return format!("{}\n", format!("{line}{text}").trim_end());
    }
    let below = paragraph(&text, margin, Style::new());
    format!("{}\n{below}", line.trim_end())
}

/// A text in lines with this margin, each in a style.
pub(crate) fn paragraph(text: &str, margin: usize, style: Style) -> String {
    let lines = wrap(text, screen_columns() - margin).into_iter();
    lines
        .flat_map(|line| [" ".repeat(margin), paint(style, &line), "\n".to_owned()])
        .collect()
}

/// An entry of a list with names of so many columns: what it is, and more of it below.
pub(crate) fn list_entry(name: &str, columns: usize, title: &str, more: &str) -> String {
    let line = format!("  {}  ", left(name, columns));
    let room = screen_columns().saturating_sub(width(&line));
    let more = paint(FAINT, &fit(more, room));
    format!(
        "{}\n{}{more}\n",
        filled(&line, title),
        " ".repeat(width(&line))
    )
}

/// A number of things: `1 case`, `12 cases`.
pub fn count(number: u64, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

/// How many lines of a list are left out.
pub(crate) fn and_more(out: &mut String, number: u64) {
    if number > 0 {
        _ = writeln!(out, "    … and {number} more");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_cut_where_it_hurts_least() {
        assert_eq!(cut("abcdefgh", 8), "abcdefgh");
        assert_eq!(cut("abcdefghi", 8), "abcd…ghi");
        assert_eq!(cut("漢字漢字漢", 8), "漢字…漢");
        assert_eq!(around("0123456789abcdefghij", 12, 9), "…9abcdef…");
        assert_eq!(around("0123456789abcdefghij", 1, 9), "01234567…");
        assert_eq!(around("0123456789abcdefghij", 20, 9), "…hij");
        assert_eq!(wrap("one two three", 8), ["one two", "three"]);
        assert_eq!(wrap("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(wrap("a bcdefgh i", 8), ["a", "bcdefgh", "i"]);
        assert_eq!(wrap("a bcdefghijk", 8), ["a bcdefg", "hijk"]);
        assert_eq!(wrap("", 4), [""]);
    }

    #[test]
    fn text_is_cut_to_its_columns() {
        assert_eq!(fit("abcdef", 6), "abcdef");
        assert_eq!(fit("abcdefg", 6), "abcde…");
        assert_eq!(fit("漢字漢字", 5), "漢字…");
        assert_eq!(
            (left("漢", 4), right("漢", 4)),
            ("漢  ".into(), "  漢".into())
        );
    }
}
