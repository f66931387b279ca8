//! A column of case names on a screen.

use std::fmt::Write as _;

use crate::text::{cut_end, left, printable, screen_columns, widest, width};

/// A column of case names. Names are never cut: a name that is too long gets its own line.
pub(crate) struct CaseColumn {
    pub(crate) names: Vec<String>,
    pub(crate) width: usize,
}

impl CaseColumn {
    /// A column for these names, at least `least` wide, and wide enough for all names that fit into `room`.
    pub(crate) fn new(names: impl Iterator<Item = String>, (least, room): (usize, usize)) -> Self {
        let names: Vec<_> = names.map(|name| printable(&name)).collect();
        let fitting = names.iter().filter(|name| width(name) <= room);
        Self {
            width: widest(fitting).max(least),
            names,
        }
    }

    /// The cell for a name. A name that is too long is written on its own line first.
    pub(crate) fn cell(&self, out: &mut String, name: &str) -> String {
        if width(name) <= self.width {
            return left(name, self.width);
        }
        _ = writeln!(out, "    {}", cut_end(name, screen_columns() - 4));
        " ".repeat(self.width)
    }
}
