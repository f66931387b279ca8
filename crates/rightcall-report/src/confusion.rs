//! Expected tool against called tool as text: for a terminal, and as a table in Markdown.

use std::fmt::Write as _;

use crate::markup::cell;
use crate::outputs::{ConfusionCell, ConfusionTable};
use crate::text::{count, cut, left, right, screen_columns, widest, width, wrap};

/// Columns of the name of a row at most.
const NAME: usize = 30;

impl ConfusionTable {
    /// True if each call is of the tool that was expected.
    pub(crate) fn is_diagonal(&self) -> bool {
        let is_right = |it: &ConfusionCell| it.calls == 0 || it.expected == it.called;
        self.rows.iter().flat_map(|(_, cells)| cells).all(is_right)
    }

    /// The matrix for a terminal: a line for each expected tool, a column for each called one. Where the names of columns are too wide,
    /// they are letters, explained below.
    pub fn screen(&self) -> String {
        let names: Vec<_> = self.rows.iter().map(|(name, _)| cut(name, NAME)).collect();
        let margin = widest(&names) + 2;
        let digits = widest(self.cells().map(|it| it.calls.to_string()));
        let columns = |heads: &[String]| -> Vec<usize> {
            let wide = heads.iter().map(|head| width(head).max(digits) + 2);
            wide.collect()
        };
        let mut heads = self.called.clone();
        let is_wide = margin + columns(&heads).iter().sum::<usize>() > screen_columns();
        if is_wide {
            heads = (0..heads.len()).map(letter).collect();
        }
        let columns = columns(&heads);
        let line = |name: &str, cells: &mut dyn Iterator<Item = String>| {
            let cells = cells.zip(&columns).map(|(it, room)| right(&it, *room));
            let line = format!("  {}{}", left(name, margin - 2), cells.collect::<String>());
            format!("{}\n", line.trim_end())
        };
        let mut out = line("", &mut heads.iter().cloned());
        for (name, (_, cells)) in names.iter().zip(&self.rows) {
            out += &line(name, &mut cells.iter().map(shown));
        }
        if is_wide {
            let legend = heads.iter().zip(&self.called);
            let legend: Vec<_> = legend
                .map(|(head, name)| format!("{head} {name}"))
                .collect();
            for line in wrap(&legend.join(", "), screen_columns() - 2) {
                _ = writeln!(out, "  {line}");
            }
        }
        if self.more > 0 {
            _ = writeln!(out, "  … and {}", count(self.more as u64, "more tool"));
        }
        out
    }

    /// The matrix as a table in Markdown.
    pub fn markdown(&self) -> String {
        let heads: Vec<_> = self.called.iter().map(|it| head(it)).collect();
        let mut out = format!("| expected, called → | {} |\n", heads.join(" | "));
        _ = writeln!(out, "| --- |{}", " ---: |".repeat(heads.len()));
        for (name, cells) in &self.rows {
            let cells: Vec<_> = cells.iter().map(shown).collect();
            _ = writeln!(out, "| {} | {} |", head(name), cells.join(" | "));
        }
        if self.more > 0 {
            _ = writeln!(out, "\n… and {}", count(self.more as u64, "more tool"));
        }
        out
    }

    fn cells(&self) -> impl Iterator<Item = &ConfusionCell> {
        self.rows.iter().flat_map(|(_, cells)| cells)
    }
}

/// A name in Markdown; `(not called)` and `(not expected)` are no names.
fn head(name: &str) -> String {
    if name.starts_with('(') {
        name.to_owned()
    } else {
        cell(name)
    }
}

fn shown(cell: &ConfusionCell) -> String {
    match cell.calls {
        0 => "·".to_owned(),
        calls => calls.to_string(),
    }
}

/// `a` to `z`, then `a1` to `z1`, and so on.
fn letter(number: usize) -> String {
    let letter = char::from(b'a' + (number % 26) as u8);
    match number / 26 {
        0 => letter.to_string(),
        round => format!("{letter}{round}"),
    }
}

#[cfg(test)]
mod tests {
    use rightcall_results::{ToolTotals, ToolUse};

    use super::*;
    use crate::tools::Tools;

    fn table(uses: &[(&str, &str, u64)]) -> ConfusionTable {
        let name = |name: &str| Some(name.to_owned()).filter(|it| !it.is_empty());
        let uses = uses.iter().map(|(expected, called, times)| ToolUse {
            expected: name(expected),
            called: name(called),
            times: *times,
            ..ToolUse::default()
        });
        let totals = ToolTotals {
            uses: uses.collect(),
            ..ToolTotals::default()
        };
        ConfusionTable::new(&Tools::new(&totals).confusion(16))
    }

    #[test]
    fn a_matrix_has_a_line_for_each_expected_tool() {
        let table = table(&[
            ("find_order", "find_order", 12),
            ("refund", "refund", 3),
            ("refund", "find_order", 2),
            ("escalate", "", 1),
            ("", "send|email", 1),
        ]);
        insta::assert_snapshot!(format!("{}\n{}", table.screen(), table.markdown()));
        assert!(!table.is_diagonal());
    }

    #[test]
    fn names_that_are_too_wide_become_letters() {
        let long = |number: usize| format!("a_tool_with_a_long_name_{number}");
        let names: Vec<_> = (0..6).map(long).collect();
        let uses: Vec<_> = names
            .iter()
            .map(|it| (it.as_str(), it.as_str(), 1))
            .collect();
        let table = table(&uses);
        insta::assert_snapshot!(table.screen());
        assert!(table.is_diagonal());
        assert_eq!((letter(0), letter(27)), ("a".to_owned(), "b1".to_owned()));
    }
}
