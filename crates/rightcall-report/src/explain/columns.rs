//! Expected on the left, actual on the right, each with its number, and a mark between them.

use std::fmt::Write as _;

use crate::text::{BAD, GOOD, WARN, left, paint, right, screen_columns, wrap};

/// Columns of a call on either side; with numbers and mark, two sides fill the width.
pub(super) fn call_columns() -> usize {
    (screen_columns() - 14) / 2
}

/// Where a line that belongs to a row begins.
pub(super) const BELOW: usize = 9;

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

    /// A remark.
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

/// A mark in its color: what is right, what differs, what one side lacks.
fn painted(mark: &str) -> String {
    let cell = left(mark, 2);
    match mark.trim() {
        "══" => paint(GOOD, &cell),
        "≠" | "≈" | "⇅" => paint(WARN, &cell),
        "–" | "+" => paint(BAD, &cell),
        _ => cell,
    }
}

/// Adds a row; a text that is too wide goes on in the next line of its column.
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
