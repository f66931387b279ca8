//! Text for terminals: width, wrapping and alignment.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicUsize, Ordering};

use anstyle::{AnsiColor, Style};
pub use rightcall_run::{page_text, printable};
use unicode_width::UnicodeWidthStr;

/// Default width of a screen in columns.
const DEFAULT_WIDTH: usize = 100;

/// Minimum and maximum width of a screen.
const WIDTHS: RangeInclusive<usize> = 60..=200;

static COLUMNS: AtomicUsize = AtomicUsize::new(DEFAULT_WIDTH);

/// Sets the width of all screens in columns; clamped to 60..=200.
pub fn set_columns(columns: usize) {
    let columns = columns.clamp(*WIDTHS.start(), *WIDTHS.end());
    COLUMNS.store(columns, Ordering::Relaxed);
}

/// The current width of screens in columns.
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

/// The width of the text in columns.
pub fn width(text: &str) -> usize {
    text.width()
}

/// The width of the widest text in columns.
pub(crate) fn widest(texts: impl IntoIterator<Item = impl AsRef<str>>) -> usize {
    let widths = texts.into_iter().map(|text| width(text.as_ref()));
    widths.max().unwrap_or(0)
}

/// The text, or a dash.
pub(crate) fn or_dash(text: Option<String>) -> String {
    text.unwrap_or_else(|| "–".to_owned())
}

/// The text in at most this many columns; `…` replaces its end if necessary.
pub fn cut_end(text: &str, columns: usize) -> String {
    let text = printable(text);
    if width(&text) <= columns {
        return text;
    }
    let head = prefix(text.chars(), columns.saturating_sub(1));
    // The text may already end in `…`.
    format!("{}…", head.trim_end_matches('…'))
}

/// The end of the text in at most this many columns; `…` replaces its beginning, so the line of
/// `FILE:LINE` stays visible.
pub(crate) fn cut_start(text: &str, columns: usize) -> String {
    let text = printable(text);
    if width(&text) <= columns {
        return text;
    }
    let tail = prefix(text.chars().rev(), columns.saturating_sub(1));
    format!("…{}", tail.chars().rev().collect::<String>())
}

/// The text in at most this many columns; `…` replaces its middle if necessary.
pub(crate) fn cut_middle(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let room = columns.saturating_sub(1);
    let head = prefix(text.chars(), room.div_ceil(2));
    let tail: String = prefix(text.chars().rev(), room - width(&head))
        .chars()
        .rev()
        .collect();
    format!("{head}…{tail}")
}

/// Cuts each name to this many columns. Names that would look the same are cut around their
/// difference. Returns the cut names by name.
pub(crate) fn distinct_names<'n>(
    names: impl Iterator<Item = &'n String>,
    columns: usize,
) -> BTreeMap<&'n str, String> {
    let mut short: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for name in names {
        let cut = cut_middle(&printable(name), columns);
        short.entry(cut).or_default().insert(name);
    }
    let mut distinct = BTreeMap::new();
    for (cut, names) in short {
        let (Some(first), Some(last)) = (names.first(), names.last()) else {
            continue;
        };
        // Names are sorted, so a prefix of the first and the last name is common to all.
        let pairs = first.chars().zip(last.chars());
        let shared = pairs.take_while(|(one, other)| one == other).count();
        for name in &names {
            let text = match names.len() {
                1 => cut.clone(),
                _ => cut_around(name, shared, columns),
            };
            distinct.insert(*name, text);
        }
    }
    distinct
}

/// The text in at most this many characters; `…` replaces its middle if necessary. For long texts
/// on pages, which have no columns.
pub(crate) fn cut_page_text(text: &str, characters: usize) -> String {
    let length = text.chars().count();
    if length <= characters {
        return text.to_owned();
    }
    let head: String = text.chars().take(characters / 2).collect();
    let tail: String = text.chars().skip(length - characters / 2).collect();
    format!("{head}…{tail}")
}

/// The part of the text around a character, in at most this many columns; `…` replaces the rest.
pub(crate) fn cut_around(text: &str, character: usize, columns: usize) -> String {
    let before = character.saturating_sub(columns / 3);
    if before == 0 || width(text) <= columns {
        return cut_end(text, columns);
    }
    let rest: String = text.chars().skip(before).collect();
    format!("…{}", cut_end(&rest, columns.saturating_sub(1)))
}

/// The first characters that fit into this many columns.
fn prefix(characters: impl Iterator<Item = char>, columns: usize) -> String {
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

/// A name in a column of this width, for a line with this indent. Names are never cut, since some
/// differ only at their end. A longer name gets its own line.
pub(crate) fn name_cell(name: &str, columns: usize, indent: &str) -> String {
    let whole = cut_end(name, screen_columns() - indent.len());
    if width(&whole) <= columns {
        return left(&whole, columns);
    }
    format!("{whole}\n{indent}{}", left("", columns))
}

/// Adds a text with all its lines indented, wrapped to the screen.
pub fn push_wrapped(out: &mut String, indent: usize, text: &str) {
    for line in wrap(text, screen_columns() - indent) {
        _ = writeln!(out, "{:indent$}{line}", "");
    }
}

/// Wraps the text to this many columns, at spaces if possible. Returns at least one line.
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest = text.trim_end();
    while width(rest) > columns {
        let mut line = prefix(rest.chars(), columns);
        if line.is_empty() {
            // The screen is too narrow for a single character.
            break;
        }
        let is_inside_a_word = !rest[line.len()..].starts_with(' ');
        if let Some(space) = line.rfind(' ').filter(|_| is_inside_a_word) {
            // Break a word that is too long for any line, if moving it down would waste over half
            // of this one.
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

/// Pads the text with spaces on the right.
pub fn left(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// Pads the text with spaces on the left.
pub fn right(text: &str, columns: usize) -> String {
    format!("{}{text}", " ".repeat(columns.saturating_sub(width(text))))
}

/// The line and as much of the text as fits.
pub(crate) fn filled(line: &str, text: &str) -> String {
    let room = screen_columns().saturating_sub(width(line));
    format!("{line}{}", cut_end(text, room))
}

/// The line and the text, if both fit; otherwise the text is in lines below, with this margin.
/// Never cuts the text.
pub(crate) fn continued(line: &str, text: &str, margin: usize) -> String {
    let text = printable(text);
    if text.is_empty() || width(line) + width(&text) <= screen_columns() {
        return format!("{}\n", format!("{line}{text}").trim_end());
    }
    let below = paragraph(&text, margin, Style::new());
    format!("{}\n{below}", line.trim_end())
}

/// The text in lines with this margin and style.
pub(crate) fn paragraph(text: &str, margin: usize, style: Style) -> String {
    let lines = wrap(text, screen_columns() - margin).into_iter();
    lines
        .flat_map(|line| [" ".repeat(margin), paint(style, &line), "\n".to_owned()])
        .collect()
}

/// A list entry: the name padded to a width, a title, and further text below.
pub(crate) fn list_entry(name: &str, columns: usize, title: &str, more: &str) -> String {
    let line = format!("  {}  ", left(name, columns));
    let room = screen_columns().saturating_sub(width(&line));
    let more = paint(FAINT, &cut_end(more, room));
    format!(
        "{}\n{}{more}\n",
        filled(&line, title),
        " ".repeat(width(&line))
    )
}

/// The text with a capital first letter, for a headline.
pub fn capitalized(text: &str) -> String {
    let mut rest = text.chars();
    let first = rest.next().into_iter().flat_map(char::to_uppercase);
    first.chain(rest).collect()
}

/// A number with its noun: `1 case`, `12 cases`.
pub fn count(number: u64, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

/// Notes the number of omitted lines of a list.
pub(crate) fn and_more(out: &mut String, number: u64) {
    if number > 0 {
        _ = writeln!(out, "    … and {number} more");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_cut_in_the_middle_or_around_a_position() {
        assert_eq!(cut_middle("abcdefgh", 8), "abcdefgh");
        assert_eq!(cut_middle("abcdefghi", 8), "abcd…ghi");
        assert_eq!(cut_middle("漢字漢字漢", 8), "漢字…漢");
        assert_eq!(cut_around("0123456789abcdefghij", 12, 9), "…9abcdef…");
        assert_eq!(cut_around("0123456789abcdefghij", 1, 9), "01234567…");
        assert_eq!(cut_around("0123456789abcdefghij", 20, 9), "…hij");
        assert_eq!(wrap("one two three", 8), ["one two", "three"]);
        assert_eq!(wrap("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(wrap("a bcdefgh i", 8), ["a", "bcdefgh", "i"]);
        assert_eq!(wrap("a bcdefghijk", 8), ["a bcdefg", "hijk"]);
        assert_eq!(wrap("", 4), [""]);
    }

    #[test]
    fn equal_looking_cut_names_show_their_difference() {
        let names = [
            "get_all_open_tickets_for_account",
            "get_all_shut_tickets_for_account",
            "find",
        ];
        let names = names.map(str::to_owned);
        let short = distinct_names(names.iter(), 14);
        let of = |name: &str| short[name].as_str();
        assert_eq!(of("find"), "find");
        assert_ne!(of(&names[0]), of(&names[1]));
        assert!(of(&names[0]).contains("open"), "{}", of(&names[0]));
        assert!(short.values().all(|it| width(it) <= 14), "{short:?}");
    }

    #[test]
    fn text_is_cut_to_the_width_in_columns() {
        assert_eq!(cut_end("abcdef", 6), "abcdef");
        assert_eq!(cut_end("abcdefg", 6), "abcde…");
        assert_eq!(cut_end("漢字漢字", 5), "漢字…");
        assert_eq!(
            (left("漢", 4), right("漢", 4)),
            ("漢  ".into(), "  漢".into())
        );
    }
}
