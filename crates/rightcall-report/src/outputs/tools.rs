//! The tools of a run as text: a table of calls, and a matrix of expected and called tools.

use std::fmt::Write as _;
use std::io::{self, Write};

use rightcall_results::RunSummary;
use rightcall_run::{Output, OutputFile, Wants};

use super::html::{ConfusionTable, MATRIX};
use super::{OutputFormat, OutputSettings, RunReport};
use crate::case_column::CaseColumn;
use crate::text::{count, left, name_cell, printable, right, screen_columns, widest, width};
use crate::tools::{TOOL_COLUMNS, Tools};

pub(super) const FORMAT: OutputFormat = OutputFormat {
    name: "tools",
    // Any other `.txt` is a table.
    ending: "tools.txt",
    about: "text for a terminal: how each tool was called, and expected against called tools",
    is_earlier: |existing| existing.first_line().starts_with(TITLE),
    begin: |out, settings| {
        let settings = settings.clone();
        Ok(Box::new(ToolText { out, settings }))
    },
    comparison: None,
};

/// The start of the first line.
const TITLE: &str = "tools of ";

/// The minimum and maximum width of tool names, in columns.
const NAMES: (usize, usize) = (4, 30);

/// A screen with fewer columns has one blank between numbers.
const NARROW: usize = 70;

struct ToolText {
    out: OutputFile,
    settings: OutputSettings,
}

impl Output for ToolText {
    fn wants(&self) -> Wants {
        Wants::everything()
    }

    fn finish(&mut self, summary: &RunSummary) -> io::Result<()> {
        let text = text(&self.settings.report(summary));
        self.out.write_all(text.as_bytes())?;
        self.out.commit()
    }
}

fn text(report: &RunReport<'_>) -> String {
    let (title, tools) = (printable(&report.head.title), report.tools());
    let cases = count(report.summary.cases, "case");
    let mut out = format!("{TITLE}{title} · {cases}\n");
    if tools.counts().is_empty() {
        out.push_str("\n  no tool was expected or called\n");
        return out;
    }
    table(&mut out, &tools);
    let matrix = matrix(&tools);
    if !matrix.is_empty() {
        out.push_str("\n  expected tools in rows, called tools in columns\n\n");
        out.push_str(&matrix);
    }
    if !tools.note.is_empty() {
        _ = writeln!(out, "\n  {}", tools.note);
    }
    out
}

/// Expected against called tools, as many as fit on the screen; empty if there are none.
fn matrix(tools: &Tools) -> String {
    let screen = |most: usize| {
        let matrix = ConfusionTable::new(&tools.confusion(most));
        if matrix.rows.is_empty() {
            return String::new();
        }
        matrix.screen()
    };
    let mut screens = (1..=MATRIX).rev().map(screen);
    let fits = |screen: &String| widest(screen.lines()) <= screen_columns();
    screens.find(fits).unwrap_or_default()
}

/// The table of calls by tool.
fn table(out: &mut String, tools: &Tools) {
    let cells: Vec<_> = (tools.counts().iter())
        .map(|it| it.cells().map(|(number, _)| number))
        .collect();
    let gap = if screen_columns() < NARROW { 1 } else { 2 };
    let widths = |heads: [&str; 7]| -> [usize; 7] {
        std::array::from_fn(|column| {
            let numbers = cells.iter().map(|cells| &cells[column]);
            widest(numbers).max(width(heads[column])) + gap
        })
    };
    let names = tools.counts().iter().map(|it| it.name.clone());
    let room = |widths: [usize; 7]| {
        let numbers: usize = widths.iter().sum();
        screen_columns().saturating_sub(numbers + 2)
    };
    let [long, short] = [
        TOOL_COLUMNS.map(|(head, _)| head),
        TOOL_COLUMNS.map(|(_, head)| head),
    ];
    let widest_name = widest(names.clone().map(|name| printable(&name)));
    let has_room = room(widths(long)) >= widest_name.min(NAMES.1);
    let heads = if has_room { long } else { short };
    let widths = widths(heads);
    // Numbers keep their columns on a narrow screen, and long names get their own line.
    let column = CaseColumn::new(names, (NAMES.0, room(widths).min(NAMES.1)));
    let line = |name: &str, cells: [&str; 7]| {
        let cells = cells.iter().zip(widths);
        let cells = cells.map(|(cell, width)| right(cell, width));
        format!("  {name}{}\n", cells.collect::<String>())
    };
    let head = left("tool", column.width);
    _ = write!(out, "\n{}", line(&head, heads));
    for (name, cells) in column.names.iter().zip(&cells) {
        out.push_str(&line(
            &name_cell(name, column.width, "  "),
            cells.each_ref().map(String::as_str),
        ));
    }
}
