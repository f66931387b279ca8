//! Expected tools against called tools as text: for a terminal, and as a Markdown table.

use std::fmt::Write as _;

use crate::markup::cell;
use crate::outputs::{ConfusionCell, ConfusionTable};
use crate::text::{count, cut_middle, left, push_wrapped, right, screen_columns, widest, width};

/// The maximum width of a row's name, in columns.
const NAME: usize = 30;

impl ConfusionTable {
    /// True if every call is of the expected tool.
    pub(crate) fn is_diagonal(&self) -> bool {
        let is_right = |it: &ConfusionCell| it.calls == 0 || it.expected == it.called;
        self.rows.iter().flat_map(|(_, cells)| cells).all(is_right)
    }

    /// The matrix for a terminal: a line for each expected tool, a column for each called one. If
    /// the column names are too wide, letters replace them; the letters are also before the names
    /// of lines.
    pub fn screen(&self) -> String {
        let wide = self.lines(&self.called, &vec![String::new(); self.rows.len()]);
        if widest(wide.lines()) <= screen_columns() {
            return wide;
        }
        let (heads, marks, legend) = self.letters();
        let mut out = self.lines(&heads, &marks);
        if !legend.is_empty() {
            push_wrapped(&mut out, 2, &legend.join(", "));
        }
        out
    }

    /// The matrix with these column heads, and marks before the names of lines.
    fn lines(&self, heads: &[String], marks: &[String]) -> String {
        let mark = widest(marks);
        let mark = if mark == 0 { 0 } else { mark + 1 };
        let names = self.rows.iter().zip(marks);
        let names: Vec<_> = names
            .map(|((name, _), own)| format!("{}{}", left(own, mark), cut_middle(name, NAME)))
            .collect();
        let margin = widest(&names);
        let digits = widest(self.cells().map(|it| it.calls.to_string()));
        let line = |name: &str, cells: &mut dyn Iterator<Item = String>| {
            let cells = cells.zip(heads);
            let cells = cells.map(|(it, head)| right(&it, width(head).max(digits) + 2));
            let line = format!("  {}{}", left(name, margin), cells.collect::<String>());
            format!("{}\n", line.trim_end())
        };
        let mut out = line("", &mut heads.iter().cloned());
        for (name, (_, cells)) in names.iter().zip(&self.rows) {
            out += &line(name, &mut cells.iter().map(shown));
        }
        if self.more > 0 {
            _ = writeln!(out, "  … and {}", count(self.more as u64, "more tool"));
        }
        out
    }

    /// The letters of columns, the letters of lines with the same tools, and a legend for other
    /// letters.
    fn letters(&self) -> (Vec<String>, Vec<String>, Vec<String>) {
        let first = self.rows.first().map_or(&[][..], |(_, cells)| cells);
        let mut heads = self.called.clone();
        let mut legend = Vec::new();
        let mut marks = vec![String::new(); self.rows.len()];
        for (number, (head, column)) in heads.iter_mut().zip(first).enumerate() {
            if column.called.is_none() {
                continue;
            }
            let name = std::mem::replace(head, letter(number));
            let is_row = |(_, cells): &(String, Vec<ConfusionCell>)| {
                cells.iter().any(|it| it.expected == column.called)
            };
            match self.rows.iter().position(is_row) {
                Some(row) => marks[row].clone_from(head),
                None => legend.push(format!("{head} {name}")),
            }
        }
        (heads, marks, legend)
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

/// A name in Markdown; `(not called)` and `(not expected)` aren't names.
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
    fn matrix_has_a_line_for_each_expected_tool() {
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
    fn wide_names_are_replaced_by_letters() {
        let long = |number: usize| format!("a_tool_with_a_long_name_{number}");
        let names: Vec<_> = (0..6).map(long).collect();
        let uses = names.iter().map(|it| (it.as_str(), it.as_str(), 1));
        let mut uses: Vec<_> = uses.collect();
        assert!(table(&uses).is_diagonal());
        uses.extend([
            ("", "another_tool", 12),
            ("a_tool_with_a_long_name_3", "", 1),
        ]);
        insta::assert_snapshot!(table(&uses).screen());
        assert_eq!((letter(0), letter(27)), ("a".to_owned(), "b1".to_owned()));
    }
}
