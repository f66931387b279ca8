//! The tools, arguments and pairs of tools that the cases of a run test, as `rightcall coverage` counts them.

use rightcall_formats::{ReadOptions, ToolCatalogue, read_case};
use rightcall_quality::{Coverage, CoverageCounter};
use rightcall_report::{count, printable};
use rightcall_run::{Configured, EvaluatorArgument, tools_in_settings};
use rightcall_store::{History, RunRow, RunSettings};

use super::ROWS;
use crate::link::Query;
use crate::pages::Missing;
use crate::viewed::Viewed;

/// The coverage of a run, formatted for the template.
pub(super) struct CoverageTab {
    /// The number of tools with a case, and the cases that count.
    pub(super) summary: String,
    pub(super) rows: Vec<CoverageRow>,
    /// Pairs of consecutive tools that no case expects, each with the number of runs.
    pub(super) pairs: Vec<(String, String)>,
    /// The number of pairs that are not listed.
    pub(super) more_pairs: usize,
}

/// A tool, or an argument of the tool above.
pub(super) struct CoverageRow {
    pub(super) name: String,
    /// The cases with the tool; empty for an argument.
    pub(super) link: String,
    pub(super) cases: u64,
    pub(super) runs: u64,
    pub(super) failed: String,
    /// The missing coverage; empty if there is none.
    pub(super) remark: String,
}

impl CoverageTab {
    pub(super) fn new(
        history: &History,
        viewed: &Viewed,
        run: &RunRow,
        path: &str,
    ) -> Result<Self, Missing> {
        let read = || counted(history, run);
        let coverage = viewed.coverage.get_or_make(&run.about.key, read)?;
        let shown = coverage.pairs.iter().take(ROWS as usize);
        let pairs = shown.map(|pair| {
            let [before, after] = [&pair.before, &pair.after].map(|it| printable(it));
            (format!("{before} → {after}"), count(pair.runs, "run"))
        });
        Ok(Self {
            summary: summary(&coverage, run),
            rows: rows(&coverage, path),
            pairs: pairs.collect(),
            more_pairs: coverage.pairs.len().saturating_sub(ROWS as usize),
        })
    }
}

/// Counts the stored cases. A history has no tool definitions.
fn counted(history: &History, run: &RunRow) -> Result<Coverage, Missing> {
    let mut counter = CoverageCounter::new(&ToolCatalogue::default());
    let arguments = RunSettings::from_json(&run.about.settings).into_arguments();
    let evaluators = arguments.iter().filter_map(|it| {
        let argument = EvaluatorArgument::parse(it).ok()?;
        Configured::new(argument, None).ok()
    });
    counter.add_rules(tools_in_settings(&evaluators.collect::<Vec<_>>()));
    for (_, json) in history.case_texts(run.number)? {
        // Stored text parses unless the file is damaged.
        if let Ok(case) = read_case(&json, &ReadOptions::default()) {
            counter.add_case(&case);
            counter.add_run(&case);
        }
    }
    Ok(counter.finish())
}

/// `8 of 9 tools in the runs have a case. Counted on the 200 kept cases of 5000.`
fn summary(coverage: &Coverage, run: &RunRow) -> String {
    let (covered, all) = coverage.covered();
    let verb = if all == 1 { "has" } else { "have" };
    let tools = count(all, "tool");
    let summary = format!("{covered} of {tools} in the runs {verb} a case.");
    if run.kept < run.cases {
        let kept = count(run.kept, "kept case");
        return format!("{summary} Counted on the {kept} of {}.", run.cases);
    }
    summary
}

fn rows(coverage: &Coverage, path: &str) -> Vec<CoverageRow> {
    let mut rows = Vec::new();
    for tool in &coverage.tools {
        let query = Query::default().with("tool", Some(&tool.name));
        let failed = tool.failed_runs.map(|it| it.to_string());
        rows.push(CoverageRow {
            name: printable(&tool.name),
            link: format!("{}#cases", query.of(path)),
            cases: tool.cases,
            runs: tool.runs,
            failed: failed.unwrap_or_else(|| "–".to_owned()),
            remark: tool.remark(coverage).to_owned(),
        });
        rows.extend(tool.arguments.iter().map(|argument| CoverageRow {
            name: printable(&argument.name),
            link: String::new(),
            cases: argument.pinned,
            runs: argument.seen,
            failed: String::new(),
            remark: printable(&argument.remark(tool)),
        }));
    }
    rows
}
