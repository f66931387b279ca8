//! The names of cases in a column of a screen.

use std::fmt::Write as _;

use crate::text::{fit, left, printable, screen_columns, widest, width};

/// The names of cases in a column. None is cut: one that is too long has a line of its own.
pub(crate) struct CaseColumn {
    pub(crate) names: Vec<String>,
    pub(crate) width: usize,
}

impl CaseColumn {
    /// Names of which those that fit this room share a column of at least this width.
    pub(crate) fn new(names: impl Iterator<Item = String>, (least, room): (usize, usize)) -> Self {
        let names: Vec<_> = names.map(|name| printable(&name)).collect();
        let fitting = names.iter().filter(|name| width(name) <= room);
        Self {
            width: widest(fitting).max(least),
            names,
        }
    }

    /// The cell of a name; one that is too long is written on a line of its own.
    pub(crate) fn cell(&self, out: &mut String, name: &str) -> String {
        if width(name) <= self.width {
            return left(name, self.width);
        }
        _ = writeln!(out, "    {}", fit(name, screen_columns() - 4));
        " ".repeat(self.width)
    }
}
