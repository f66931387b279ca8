//! A run: the verdict, the evaluators, the tools, and the cases, worst first, filtered in the database.

use std::cmp::Reverse;

use askama::Template;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query as Parameters, State};
use axum::response::IntoResponse;
use rightcall_report::{
    ConfusionTable, EvaluatorRow, FindingsPart, RunReport, TOOL_COLUMNS, TOOLS_TOLD, ToolCounts,
    Tools, WHOLE_CASES, count, head, printable,
};
use rightcall_results::{EvaluatorSummary, GroupSummary, RunSummary};
use rightcall_store::{History, RunRow};

use super::case_filter::{Filters, NO_TOOL, bin_told, filter_of, order_of};
use super::case_view::CaseView;
use super::choice::short;
use super::live::LivePage;
use super::{Missing, Place, drawn, percent, rendered, score};
use crate::link::{Paging, Query, comparison_of};

/// Cases of a page, tools of the table, and tools of the matrix.
pub(super) const ROWS: u64 = 50;
const TOOLS: usize = 500;
const MATRIX: usize = 16;

pub(crate) async fn run(
    State(place): State<Place>,
    number: Result<Path<i64>, PathRejection>,
    parameters: Result<Parameters<Vec<(String, String)>>, QueryRejection>,
) -> Result<impl IntoResponse, Missing> {
    let (number, query) = (number?.0, Query::new(parameters?.0));
    drawn(place, move |history| {
        match history.run_being_written(number)? {
            Some(run) => rendered(&LivePage::new(history, run, &query)?),
            None => rendered(&RunPage::new(history, number, &query)?),
        }
    })
    .await
}

#[derive(Template)]
#[template(path = "run.html")]
struct RunPage {
    run: RunRow,
    findings: String,
    /// The run before, and where this one is compared with it.
    before: Option<(RunRow, String)>,
    /// Gates, runs before, trials.
    details: String,
    evaluators: Vec<EvaluatorView>,
    together: Option<EvaluatorView>,
    tools: Tools,
    confusion: ConfusionTable,
    path: String,
    query: Query,
    filters: Filters,
    heads: Vec<Head>,
    cases: Vec<CaseView>,
    paging: Paging,
    groups: Vec<GroupView>,
}

/// The head of a column, with the address that sorts by it.
struct Head {
    label: String,
    link: String,
    is_number: bool,
    is_current: bool,
}

/// A group of the summary, with the mean of each evaluator.
struct GroupView {
    name: String,
    cases: u64,
    means: Vec<(String, String)>,
}

struct EvaluatorView {
    row: EvaluatorRow,
    /// The reference page, with the settings of this run.
    page: String,
    /// The cases in the order of this evaluator's scores.
    link: String,
    /// By tenth of the distribution, the address of its cases, and what they are, where there are any.
    bins: Vec<Option<(String, String)>>,
}

/// The evaluators of a run, each with links to the cases by its scores.
fn evaluators(summary: &RunSummary, run: i64, query: &Query, path: &str) -> Vec<EvaluatorView> {
    let view = |(position, it): (usize, &EvaluatorSummary)| {
        let at = position.to_string();
        let address = |query: &Query| format!("{}#cases", query.of(path));
        let of = query
            .without(&["page", "outcome"])
            .with("evaluator", Some(&at));
        let bin = |(bin, cases): (usize, &u64)| {
            let cases = (*cases > 0).then(|| count(*cases, "case"))?;
            let link = address(&of.with("bin", Some(&bin.to_string())));
            Some((
                link,
                format!("{cases} with a score of {}", bin_told(bin as u64)),
            ))
        };
        let link = address(&query.without(&["page"]).with("sort", Some(&at)));
        EvaluatorView {
            row: EvaluatorRow::new(&it.label, &it.id, &it.totals),
            page: format!("/evaluators/{}?run={run}", it.id),
            link,
            bins: it.totals.histogram.iter().enumerate().map(bin).collect(),
        }
    };
    summary.evaluators.iter().enumerate().map(view).collect()
}

impl RunPage {
    fn new(history: &History, number: i64, query: &Query) -> Result<Self, Missing> {
        let run = history.run(number)?;
        let path = format!("/runs/{number}");
        let summary = history.summary(&run)?;
        let mut head = head(history, &run, &summary)?;
        head.facts.insert(0, ("run".to_owned(), number.to_string()));
        let notes = rightcall_report::notes(&run);
        let report = RunReport {
            head: &head,
            summary: &summary,
            notes: &notes,
        };
        let tools = report.tools();
        let range = Paging::range(query, ROWS);
        let found = history.cases(number, &filter_of(query), order_of(query), range)?;
        let names = tools.counts().iter();
        let mut names: Vec<_> = names
            .map(|it| (it.name.clone(), it.expected + it.called))
            .collect();
        names.sort_by_key(|(_, times)| Reverse(*times));
        let evaluators = evaluators(&summary, number, query, &path);
        let together = summary
            .whole_cases
            .as_ref()
            .filter(|_| evaluators.len() > 1);
        let confusion = ConfusionTable::new(&tools.confusion(MATRIX));
        let tags: Vec<_> = run.tags.iter().map(|tag| printable(tag)).collect();
        let findings = FindingsPart::new(report, &tags);
        let findings = findings.leading_to(|name| case_address(history, number, name));
        let cases = (range.offset..).zip(&found.cases);
        let cases = cases.map(|(at, row)| CaseView::new(&path, query, at, row));
        let before = history.run_before(&run)?;
        Ok(Self {
            before: before.map(|it| {
                let link = comparison_of(it.number, number);
                (it, link)
            }),
            findings: rendered(&findings)?,
            details: rendered(&findings.details())?,
            together: together.map(|totals| EvaluatorView {
                row: EvaluatorRow::new(WHOLE_CASES, "", totals),
                page: String::new(),
                link: String::new(),
                bins: Vec::new(),
            }),
            tools,
            confusion,
            filters: Filters::new(history, number, query, &path, &summary, names)?,
            heads: heads(query, &path, &summary),
            groups: summary.groups.iter().map(GroupView::new).collect(),
            cases: cases.collect(),
            paging: Paging::new(query, &path, ROWS, found.total),
            query: query.clone(),
            evaluators,
            path,
            run,
        })
    }

    /// The numbers of a tool, each with its class and the address of its cases.
    fn numbers(&self, tool: &ToolCounts) -> Vec<(String, &'static str, String)> {
        let query = self.query.without(&["page", "expected", "called"]);
        let query = query.with("tool", Some(&tool.name));
        let cells = tool.cells().into_iter().zip(TOOL_COLUMNS);
        let of = |((number, class), (_, kind)): ((String, _), (_, &str))| {
            let link = match number.as_str() {
                "0" | "–" => String::new(),
                _ => format!("{}#cases", query.with("use", Some(kind)).of(&self.path)),
            };
            (number, class, link)
        };
        cells.map(of).collect()
    }

    /// The address of the cases in a cell of the matrix.
    fn cell(&self, expected: Option<&String>, called: Option<&String>) -> String {
        let name = |name: Option<&String>| name.cloned().unwrap_or_else(|| NO_TOOL.to_owned());
        let query = self.query.without(&["page", "tool", "use"]);
        let query = query
            .with("expected", Some(&name(expected)))
            .with("called", Some(&name(called)));
        format!("{}#cases", query.of(&self.path))
    }
}

impl GroupView {
    fn new(group: &GroupSummary) -> Self {
        let of = |it: &EvaluatorSummary| (score(it.totals.mean), percent(it.totals.pass_rate));
        Self {
            name: printable(&group.name),
            cases: group.cases,
            means: group.evaluators.iter().map(of).collect(),
        }
    }
}

/// Where a case of this name is shown: its id, with its trial behind it if it has one.
fn case_address(history: &History, run: i64, name: &str) -> Option<String> {
    let label = name
        .rsplit_once(" (trial ")
        .map_or(name, |(label, _)| label);
    let trials = history.trials_called(run, label).ok()?;
    let is_named = |(_, trial): &&(u64, Option<String>)| match trial {
        None => name == label,
        Some(trial) => name == printable(&format!("{label} (trial {trial})")),
    };
    let (number, _) = trials.iter().find(is_named).or(trials.first())?;
    Some(format!("/runs/{run}/cases/{number}"))
}

/// The columns of the list of cases.
fn heads(query: &Query, path: &str, summary: &RunSummary) -> Vec<Head> {
    let head = |label: String, sort: &str, is_number| {
        let link = query
            .without(&["page"])
            .with("sort", Some(sort).filter(|it| !it.is_empty()));
        Head {
            label,
            link: format!("{}#cases", link.of(path)),
            is_number,
            is_current: query.get("sort").unwrap_or_default() == sort,
        }
    };
    let fixed = [
        head("case".to_owned(), "label", false),
        head("score".to_owned(), "", true),
    ];
    let evaluators = summary.evaluators.iter().enumerate();
    let evaluators = evaluators.map(|(at, it)| head(short(&it.label), &at.to_string(), true));
    fixed.into_iter().chain(evaluators).collect()
}
