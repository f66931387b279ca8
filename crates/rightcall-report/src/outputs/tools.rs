//! The tools of a run as text: how each was called, and expected against called tools.

use std::fmt::Write as _;
use std::io::{self, Write};

use rightcall_results::RunSummary;
use rightcall_run::{Output, OutputFile, Wants};

use super::html::{ConfusionTable, MATRIX};
use super::{OutputFormat, OutputSettings, RunReport};
use crate::text::{count, cut, left, printable, right, widest, width};
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

/// How the first line begins.
const TITLE: &str = "tools of ";

/// Columns of the name of a tool at most.
const NAME: usize = 30;

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
    let matrix = ConfusionTable::new(&tools.confusion(MATRIX));
    if !matrix.rows.is_empty() {
        _ = write!(
            out,
            "\n  expected tools in rows, called tools in columns\n\n{}",
            matrix.screen()
        );
    }
    if !tools.note.is_empty() {
        _ = writeln!(out, "\n  {}", tools.note);
    }
    out
}

/// How each tool was called.
fn table(out: &mut String, tools: &Tools) {
    let heads = TOOL_COLUMNS.map(|(head, _)| head);
    let names = tools
        .counts()
        .iter()
        .map(|it| cut(&printable(&it.name), NAME));
    let names: Vec<_> = names.collect();
    let columns = widest(&names).max(4);
    let line = |name: &str, cells: [&str; 7]| {
        let cells = cells.iter().zip(heads);
        let cells = cells.map(|(it, head)| right(it, width(head).max(6) + 2));
        format!("  {}{}\n", left(name, columns), cells.collect::<String>())
    };
    _ = write!(out, "\n{}", line("tool", heads));
    for (tool, name) in tools.counts().iter().zip(&names) {
        let cells = tool.cells().map(|(number, _)| number);
        out.push_str(&line(name, cells.each_ref().map(String::as_str)));
    }
}
