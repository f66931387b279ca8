//! Coverage for a pull request: first the missing parts, then the folded table.

use std::fmt::Write as _;

use rightcall_quality::Coverage;
use rightcall_report::{cell, code, count};

use super::screen::{called, pairs_text};
use super::{covered_text, inputs_text};
use crate::exit::Exit;

/// Maximum number of tools and of pairs listed.
const LISTED: usize = 20;

/// The coverage, with the verdict of a gate if there is one.
pub(super) fn markdown(coverage: &Coverage, gate: Option<Exit>) -> String {
    let sign = match gate {
        None => "",
        Some(Exit::Success) => "✅ ",
        Some(_) => "❌ ",
    };
    let mut out = format!("## {sign}{} · rightcall\n", covered_text(coverage));
    without_case(&mut out, coverage);
    pairs(&mut out, coverage);
    _ = writeln!(
        out,
        "\n<details><summary>Tools and arguments</summary>\n\n| tool | argument | cases | runs | failed | |\n| --- | --- | ---: | ---: | ---: | --- |"
    );
    for tool in &coverage.tools {
        let failed = tool.failed_runs.map(|it| it.to_string());
        let failed = failed.unwrap_or_else(|| "–".to_owned());
        let (name, remark) = (cell(&tool.name), tool.remark(coverage));
        let row = format!("| {name} | | {} | {} | {failed} |", tool.cases, tool.runs);
        _ = writeln!(out, "{row} {remark} |");
        for argument in &tool.arguments {
            let remark = argument.remark(tool);
            // The values of a schema are untrusted text.
            let remark = if remark.contains('"') {
                cell(&remark)
            } else {
                remark
            };
            let (name, pinned) = (cell(&argument.name), argument.pinned);
            _ = writeln!(
                out,
                "| | {name} | {pinned} | {} | | {remark} |",
                argument.seen
            );
        }
    }
    _ = writeln!(out, "\n</details>");
    let version = env!("CARGO_PKG_VERSION");
    _ = writeln!(
        out,
        "\n<sub>rightcall {version} · {}</sub>",
        inputs_text(coverage)
    );
    out
}

fn without_case(out: &mut String, coverage: &Coverage) {
    let tools: Vec<_> = coverage.without_case().collect();
    if tools.is_empty() {
        return;
    }
    out.push_str("\nNo case expects:\n\n");
    for tool in tools.iter().take(LISTED) {
        _ = writeln!(out, "- {}, {}", code(&tool.name), called(tool));
    }
    and_more(out, tools.len());
}

fn pairs(out: &mut String, coverage: &Coverage) {
    let pairs = &coverage.pairs;
    if pairs.is_empty() {
        return;
    }
    _ = writeln!(out, "\n{}:\n", pairs_text(pairs.len()));
    for pair in pairs.iter().take(LISTED) {
        let [before, after] = [&pair.before, &pair.after].map(|it| code(it));
        let runs = count(pair.runs, "run");
        let first = match pair.first.as_str() {
            "" => String::new(),
            id => format!(" (first: {})", code(id)),
        };
        _ = writeln!(out, "- {before} → {after}: {runs}{first}");
    }
    and_more(out, pairs.len());
}

fn and_more(out: &mut String, number: usize) {
    if number > LISTED {
        _ = writeln!(out, "- … and {} more", number - LISTED);
    }
}
