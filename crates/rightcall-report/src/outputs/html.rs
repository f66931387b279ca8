//! A self-contained HTML file: findings in sentences, then tables and plots, then the lowest cases in full.
//!
//! It contains no script, and its content security policy allows none.

use std::collections::BTreeMap;
use std::io;

use askama::Template;
use rightcall_results::Totals;
use rightcall_stats::{TrialCounts, TrialStatistics};

use super::lowest::{LowestCases, LowestReport};
use super::{OutputFormat, RunReport};
use crate::case_page::{CasePage, draw_case};
use crate::comparison::{
    EVERY_VERDICT, UNEQUAL_TRIALS, agreement_told, flaky_told, has_equal_trials, passed_of,
};
use crate::markup::STYLE;
use crate::numbers::{number, percent};
use crate::plot;
use crate::text::{cut_middle, distinct_names, page_text, printable};
use crate::tools::{Confusion, TOOL_COLUMNS, TOOLS_TOLD, Tools};

pub(super) const FORMAT: OutputFormat = OutputFormat {
    name: "html",
    ending: "html",
    about: "one HTML file with findings, plots and the lowest cases in full",
    is_earlier: |existing| existing.head_has(" · rightcall</title>"),
    begin: |out, settings| Ok(LowestReport::begin(out, settings, html)),
    comparison: Some(|report| report.html().map_err(io::Error::other)),
};

/// The maximum numbers of causes, unfolded flaky cases, tools in the table, and tools in the
/// matrix.
const CAUSES: usize = 8;
const FLAKY: usize = 20;

/// Maximum number of flaky cases with a link, since each is looked up.
const LINKED: usize = 200;
const TOOLS: usize = 100;
pub(super) const MATRIX: usize = 16;

/// The width of a name in a heading of the matrix, in columns, as in the style sheet.
const HEADING: usize = 26;

fn html(report: &RunReport<'_>, lowest: &LowestCases) -> io::Result<String> {
    let page = Page::new(report, lowest).render();
    Ok(page_text(&page.map_err(io::Error::other)?).into_owned())
}

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'p> {
    style: &'static str,
    title: &'p str,
    findings: FindingsPart<'p>,
    evaluators: Vec<EvaluatorRow>,
    tools: Tools,
    confusion: ConfusionTable,
    /// The cases, each with the command that explains it.
    cases: Vec<(CasePage, Option<String>)>,
    more: u64,
}

/// The opening part of a page: the findings, in sentences.
#[derive(Debug, Template)]
#[template(path = "findings.html")]
pub struct FindingsPart<'p> {
    report: RunReport<'p>,
    tags: &'p [String],
    shows_causes: bool,
    causes: Vec<CauseRow>,
    gates: Vec<GateRow>,
    trials: Option<TrialsView>,
    line: String,
    line_told: String,
    /// Links to cases, by name.
    links: BTreeMap<String, String>,
}

/// A cause, formatted for the template.
#[derive(Debug)]
pub struct CauseRow {
    /// The cause.
    pub why: String,
    /// Number of its cases.
    pub cases: u64,
    /// The first of its cases.
    pub first: String,
    /// Link to the list of its cases; empty without one.
    pub link: String,
}

/// The following parts of a page: earlier runs, trials.
#[derive(Debug, Template)]
#[template(path = "run_details.html")]
pub struct RunDetails<'f, 'p> {
    findings: &'f FindingsPart<'p>,
    has_over_runs: bool,
    has_trials: bool,
}

/// A gate, formatted for the template.
#[derive(Debug)]
struct GateRow {
    label: String,
    statistic: String,
    found: String,
    wanted: String,
    held: bool,
}

impl<'p> FindingsPart<'p> {
    /// The findings of a run with these tags.
    pub fn new(report: RunReport<'p>, tags: &'p [String]) -> Self {
        let runs = report.over_runs();
        let line = if runs.is_empty() {
            String::new()
        } else {
            plot::over_runs(&runs)
        };
        let gates = report.summary.gates.iter().map(|gate| GateRow {
            label: printable(&gate.label()),
            statistic: gate.statistic_name(),
            found: gate.found_text(),
            wanted: gate.wanted_text(),
            held: gate.held,
        });
        Self {
            tags,
            shows_causes: true,
            causes: causes_of(report, CAUSES),
            gates: gates.collect(),
            trials: report.summary.trials.as_ref().map(TrialsView::new),
            line,
            line_told: plot::told(&runs),
            links: BTreeMap::new(),
            report,
        }
    }

    /// Adds links to the cases that it names; `address` returns none for cases without a page.
    #[must_use]
    pub fn leading_to(mut self, address: impl Fn(&str) -> Option<String>) -> Self {
        let causes = self.causes.iter().map(|cause| &cause.first);
        let flaky = self.trials.iter().flat_map(|it| &it.flaky);
        let flaky = flaky.map(|[case, _]| case).take(LINKED);
        let names = causes.chain(flaky).cloned();
        self.links = names
            .filter_map(|name| Some((name.clone(), address(&name)?)))
            .collect();
        self
    }

    /// Adds links to the cases of each cause.
    #[must_use]
    pub fn with_causes(mut self, address: impl Fn(&str) -> String) -> Self {
        let known = self
            .report
            .summary
            .findings
            .iter()
            .flat_map(|it| &it.causes);
        for (row, cause) in self.causes.iter_mut().zip(known) {
            row.link = address(&cause.why);
        }
        self
    }

    /// Removes the causes.
    #[must_use]
    pub fn without_causes(self) -> Self {
        Self {
            shows_causes: false,
            ..self
        }
    }

    /// The parts that follow the findings.
    pub fn details(&self) -> RunDetails<'_, 'p> {
        RunDetails {
            findings: self,
            has_over_runs: true,
            has_trials: true,
        }
    }

    /// Only the trend line.
    pub fn over_runs(&self) -> RunDetails<'_, 'p> {
        RunDetails {
            has_trials: false,
            ..self.details()
        }
    }

    /// Only the trials.
    pub fn trials(&self) -> RunDetails<'_, 'p> {
        RunDetails {
            has_over_runs: false,
            ..self.details()
        }
    }
}

/// The most frequent causes, up to a limit.
fn causes_of(report: RunReport<'_>, most: usize) -> Vec<CauseRow> {
    let causes = report.causes(most).into_iter();
    let row = |(why, cases, first)| CauseRow {
        why,
        cases,
        first,
        link: String::new(),
    };
    causes.map(row).collect()
}

/// Trials, formatted for the template.
#[derive(Debug)]
struct TrialsView {
    told: String,
    /// `k`, and the probabilities that any and that all of `k` trials pass.
    by_k: Vec<[String; 3]>,
    /// Whether `pass@1` differs from the pass rate of trials and needs an explanation.
    are_unequal: bool,
    flaky_told: String,
    flaky: Vec<[String; 2]>,
    more: usize,
}

impl TrialsView {
    fn new(trials: &TrialStatistics) -> Self {
        let shown = |(case, of): &(String, TrialCounts)| {
            [cut_middle(&printable(case), 200), passed_of(*of)]
        };
        let flaky: Vec<_> = trials.flaky.iter().map(shown).collect();
        let share = |share: f64| percent(Some(share));
        Self {
            told: agreement_told(trials),
            are_unequal: !has_equal_trials(trials),
            by_k: trials
                .by_k
                .iter()
                .map(|of| [of.k.to_string(), share(of.any), share(of.all)])
                .collect(),
            flaky_told: match trials.flaky_cases {
                0 => "No case is flaky".to_owned(),
                _ => format!(
                    "{}: passed in some trials and not in others",
                    flaky_told(trials)
                ),
            },
            more: trials.flaky_cases - flaky.len(),
            flaky,
        }
    }
}

/// The results of an evaluator on a run, formatted for the template.
#[derive(Debug)]
pub struct EvaluatorRow {
    /// The display name.
    pub label: String,
    /// Its id, if the display name differs.
    pub id: String,
    /// The mean of its scores.
    pub mean: String,
    /// The share of cases that passed.
    pub passed: String,
    /// Cases with a score.
    pub scored: u64,
    /// Cases to which it does not apply.
    pub not_applicable: u64,
    /// Cases that ended in an error.
    pub errors: u64,
    /// A histogram of its scores, as SVG.
    pub distribution: String,
    /// A description of the histogram.
    pub described: String,
}

/// Expected tools against called tools, formatted for the template.
#[derive(Clone, Debug, Default)]
pub struct ConfusionTable {
    /// The heads of columns.
    pub called: Vec<String>,
    /// Heads of rows, with their cells.
    pub rows: Vec<(String, Vec<ConfusionCell>)>,
    /// The number of omitted tools.
    pub more: usize,
}

/// A cell of the matrix.
#[derive(Clone, Debug, Default)]
pub struct ConfusionCell {
    /// Number of calls.
    pub calls: u64,
    /// The CSS class for its shade.
    pub class: String,
    /// The tool that was expected.
    pub expected: Option<String>,
    /// The tool that was called.
    pub called: Option<String>,
}

impl ConfusionTable {
    /// The matrix with its shades; the cell with the most calls is the darkest.
    pub fn new(confusion: &Confusion) -> Self {
        let most = confusion
            .calls
            .iter()
            .flatten()
            .copied()
            .max()
            .unwrap_or(0)
            .max(1) as f64;
        let names = confusion.expected.iter().chain(&confusion.called).flatten();
        let short = distinct_names(names, HEADING);
        let name = |name: &Option<String>, none: &str| {
            let short = name.as_ref().and_then(|name| short.get(name.as_str()));
            short.map_or_else(|| none.to_owned(), Clone::clone)
        };
        let cell = |expected: &Option<String>, called: &Option<String>, calls: u64| {
            let shade = ((calls as f64 / most).sqrt() * 5.0).ceil() as u64;
            let side = if expected == called { "right" } else { "wrong" };
            let class = if calls == 0 {
                "zero".to_owned()
            } else {
                format!("{side} shade-{shade}")
            };
            ConfusionCell {
                calls,
                class,
                expected: expected.clone(),
                called: called.clone(),
            }
        };
        let rows = confusion
            .expected
            .iter()
            .zip(&confusion.calls)
            .map(|(expected, calls)| {
                let cells = confusion
                    .called
                    .iter()
                    .zip(calls)
                    .map(|(called, calls)| cell(expected, called, *calls));
                (name(expected, "(not expected)"), cells.collect())
            });
        Self {
            called: confusion
                .called
                .iter()
                .map(|called| name(called, "(not called)"))
                .collect(),
            rows: rows.collect(),
            more: confusion.more,
        }
    }
}

impl<'p> Page<'p> {
    fn new(report: &RunReport<'p>, lowest: &LowestCases) -> Self {
        let tools = report.tools();
        let labels = || report.head.evaluators.iter().map(|it| it.label.as_str());
        let cases: Vec<_> = lowest
            .cases()
            .map(|case| {
                let page = draw_case(labels(), case).named(&lowest.name(case));
                (page, lowest.command(case))
            })
            .collect();
        Self {
            style: STYLE,
            title: &report.head.title,
            findings: FindingsPart::new(*report, &[]),
            evaluators: (report.rows())
                .map(|(label, id, totals)| EvaluatorRow::new(label, id, totals))
                .collect(),
            confusion: ConfusionTable::new(&tools.confusion(MATRIX)),
            tools,
            more: lowest.seen.saturating_sub(cases.len() as u64),
            cases,
        }
    }
}

impl EvaluatorRow {
    /// The results of the evaluator with this label and id.
    pub fn new(label: &str, id: &str, totals: &Totals) -> Self {
        Self {
            id: if id == label { "" } else { id }.to_owned(),
            label: printable(label),
            mean: number(totals.mean),
            passed: percent(totals.pass_rate),
            scored: totals.scored,
            not_applicable: totals.not_applicable,
            errors: totals.errors,
            distribution: plot::distribution(&totals.histogram),
            described: plot::distribution_told(&totals.histogram),
        }
    }
}
