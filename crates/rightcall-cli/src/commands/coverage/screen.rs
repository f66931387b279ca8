//! Coverage for people: tools with their arguments, then untested parts.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use rightcall_quality::{Coverage, ToolCoverage, UncoveredPair};
use rightcall_report::{ListLength, count, cut_end, left, right, screen_columns, width, wrap};

use super::{covered_text, inputs_text};

const HEAD: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();
const WARN: Style = AnsiColor::Yellow.on_default();

/// Maximum width of a name, and the width of each number.
const NAME: usize = 32;
const NUMBER: usize = 8;

/// Default number of listed pairs.
const PAIRS: usize = 10;

/// A line of the table: an indented name, three numbers, and a remark.
struct Row {
    name: String,
    numbers: [String; 3],
    remark: String,
}

/// The coverage as a table, with the missing parts at the end.
pub(super) fn screen(coverage: &Coverage, listed: ListLength) -> String {
    let mut out = format!("{}\n", inputs_text(coverage));
    if !coverage.tools.is_empty() {
        table(&mut out, coverage);
    }
    without_case(&mut out, coverage);
    pairs(&mut out, &coverage.pairs, listed);
    if coverage.percent().is_some() {
        _ = writeln!(out, "\n{}", covered_text(coverage));
    }
    out
}

fn table(out: &mut String, coverage: &Coverage) {
    let rows = rows(coverage);
    let names = rows.iter().map(|row| width(&row.name));
    let columns = names.max().unwrap_or_default().max(4);
    let line = |name: &str, numbers: [&str; 3], remark: &str| {
        let numbers = numbers.map(|it| right(it, NUMBER)).concat();
        let line = format!("  {}{numbers}", left(name, columns));
        let room = screen_columns().saturating_sub(width(&line) + 2);
        if width(remark) > room {
            let below = wrap(remark, screen_columns() - 8).join("\n        ");
            return format!("{line}\n        {WARN}{below}{WARN:#}");
        }
        format!("{line}  {WARN}{remark}{WARN:#}")
    };
    let heads = line("tool", ["cases", "runs", "failed"], "");
    _ = writeln!(out, "\n{HEAD}{}{HEAD:#}", plain(&heads));
    for row in rows {
        let [cases, runs, failed] = &row.numbers;
        let line = line(&row.name, [cases, runs, failed], &row.remark);
        let line = if row.remark.is_empty() {
            plain(&line)
        } else {
            line
        };
        _ = writeln!(out, "{line}");
    }
    let legend = "cases that test the tool or the argument; runs that call it; runs in which a call of it failed";
    for line in wrap(legend, screen_columns() - 2) {
        _ = writeln!(out, "  {FAINT}{line}{FAINT:#}");
    }
}

/// A line without colours, and without spaces at its end.
fn plain(line: &str) -> String {
    anstream::adapter::strip_str(line)
        .to_string()
        .trim_end()
        .to_owned()
}

fn rows(coverage: &Coverage) -> Vec<Row> {
    let mut rows = Vec::new();
    for tool in &coverage.tools {
        let failed = tool.failed_runs.map(|it| it.to_string());
        rows.push(Row {
            name: cut_end(&tool.name, NAME),
            numbers: [
                tool.cases.to_string(),
                tool.runs.to_string(),
                failed.unwrap_or_else(|| "–".to_owned()),
            ],
            remark: tool.remark(coverage).to_owned(),
        });
        rows.extend(tool.arguments.iter().map(|argument| Row {
            name: format!("  {}", cut_end(&argument.name, NAME - 2)),
            numbers: [
                argument.pinned.to_string(),
                argument.seen.to_string(),
                String::new(),
            ],
            remark: argument.remark(tool),
        }));
    }
    rows
}

fn without_case(out: &mut String, coverage: &Coverage) {
    let tools: Vec<_> = coverage.without_case().collect();
    if tools.is_empty() {
        return;
    }
    let title = format!("{} without a case", count(tools.len() as u64, "tool"));
    _ = writeln!(out, "\n  {HEAD}{title}{HEAD:#}");
    let names: Vec<_> = tools.iter().map(|it| cut_end(&it.name, NAME)).collect();
    let columns = names.iter().map(|it| width(it)).max().unwrap_or_default();
    for (tool, name) in tools.iter().zip(&names) {
        _ = writeln!(out, "    {}   {}", left(name, columns), called(tool));
    }
}

/// `called in 2 runs`, or `not called`.
pub(super) fn called(tool: &ToolCoverage) -> String {
    match tool.runs {
        0 => "not called".to_owned(),
        runs => format!("called in {}", count(runs, "run")),
    }
}

fn pairs(out: &mut String, pairs: &[UncoveredPair], listed: ListLength) {
    if pairs.is_empty() {
        return;
    }
    let title = pairs_text(pairs.len());
    _ = writeln!(out, "\n  {HEAD}{title}{HEAD:#}");
    let shown = &pairs[..pairs.len().min(listed.0.unwrap_or(PAIRS))];
    let name = |pair: &UncoveredPair| {
        cut_end(
            &format!("{} → {}", pair.before, pair.after),
            screen_columns() - 4,
        )
    };
    let names: Vec<_> = shown.iter().map(name).collect();
    // A name that leaves no room for its runs gets its own line.
    let room = screen_columns() - 20;
    let fitting = names.iter().map(|it| width(it)).filter(|it| *it <= room);
    let columns = fitting.max().unwrap_or_default();
    for (pair, name) in shown.iter().zip(&names) {
        let mut name = name.as_str();
        if width(name) > columns {
            _ = writeln!(out, "    {name}");
            name = "";
        }
        let line = format!("    {}   {}", left(name, columns), count(pair.runs, "run"));
        let room = screen_columns().saturating_sub(width(&line) + 3);
        let first = cut_end(&pair.first, room);
        _ = writeln!(out, "{}", format!("{line}   {first}").trim_end());
    }
    match pairs.len() - shown.len() {
        0 => {}
        more => _ = writeln!(out, "    … and {more} more; --all lists them"),
    }
}

/// `2 pairs of consecutive tools are in runs and in no case`.
pub(super) fn pairs_text(number: usize) -> String {
    let verb = if number == 1 { "is" } else { "are" };
    let pairs = count(number as u64, "pair");
    format!("{pairs} of consecutive tools {verb} in runs and in no case")
}
