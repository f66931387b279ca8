//! Expected calls on the left, actual calls on the right, each with its number, and a mark between them.

use std::fmt::Write as _;

use crate::text::{BAD, GOOD, WARN, left, paint, right, screen_columns, wrap};

/// Width of a call on either side; two sides with numbers and mark fill the screen.
pub(super) fn call_columns() -> usize {
    (screen_columns() - 14) / 2
}

/// Indentation of lines that belong to the row above.
pub(super) const BELOW_INDENT: usize = 9;

/// One side of a row: the number of a call, from 0, and text.
#[derive(Clone, Debug, Default)]
pub(super) struct Cell {
    pub(super) index: Option<usize>,
    pub(super) text: String,
}

impl Cell {
    /// A call.
    pub(super) fn call(index: usize, text: String) -> Self {
        Self {
            index: Some(index),
            text,
        }
    }

    /// A note.
    pub(super) fn remark(text: impl Into<String>) -> Self {
        Self {
            index: None,
            text: text.into(),
        }
    }

    fn number(&self) -> String {
        right(
            &self
                .index
                .map_or_else(String::new, |index| (index + 1).to_string()),
            3,
        )
    }
}

/// A coloured mark: right, different, or missing on one side.
fn painted(mark: &str) -> String {
    let cell = left(mark, 2);
    match mark.trim() {
        "══" => paint(GOOD, &cell),
        "≠" | "≈" | "⇅" => paint(WARN, &cell),
        "–" | "+" => paint(BAD, &cell),
        _ => cell,
    }
}

/// Adds a row; text that is too wide continues in the next line of its column.
pub(super) fn row(out: &mut String, expected: &Cell, mark: &str, actual: &Cell) {
    let (on_left, on_right) = (
        wrap(&expected.text, call_columns()),
        wrap(&actual.text, call_columns()),
    );
    for line in 0..on_left.len().max(on_right.len()).max(1) {
        let text = |lines: &[String]| lines.get(line).cloned().unwrap_or_default();
        let only_first =
            |text: String, blank: usize| if line == 0 { text } else { " ".repeat(blank) };
        let (first, second) = (
            only_first(expected.number(), 3),
            only_first(actual.number(), 3),
        );
        let mark = only_first(painted(mark), 2);
        let whole = format!(
            "  {first} {} {mark} {second} {}",
            left(&text(&on_left), call_columns()),
            text(&on_right)
        );
        _ = writeln!(out, "{}", whole.trim_end());
    }
}
