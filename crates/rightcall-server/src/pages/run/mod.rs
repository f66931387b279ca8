//! A run: the verdict, its numbers, and tabs for cases, causes, tools, coverage, strength,
//! evaluators, trials and groups. The database filters the cases.

mod coverage;
mod strength;
mod strip;
mod tabs;

use std::cmp::Reverse;
use std::sync::Arc;

use askama::Template;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query as Parameters, State};
use axum::response::IntoResponse;
use rightcall_report::{
    CauseRow, ConfusionTable, EvaluatorRow, FindingsPart, GATES_DECIDE, NO_SETTING, RunReport,
    TOOL_COLUMNS, TOOLS_TOLD, ToolCounts, Tools, WHOLE_CASES, count, head, printable,
};
use rightcall_results::{EvaluatorSummary, GroupSummary, RunSummary, case_name};
use rightcall_store::{CaseFilter, CaseList, CaseOrder, History, PageRange, RunRow};

use coverage::CoverageTab;
use strength::{OperatorRow, StrengthTab};
use strip::StripCell;
use tabs::{Tab, TabLink};

use super::case_filter::{Filters, NO_TOOL, bin_text, filter_of, ignored, order_of};
use super::case_view::CaseView;
use super::choice::short;
use super::live::LivePage;
use super::{Missing, Place, drawn, percent, rendered, score};
use crate::link::{Paging, Query, encoded};
use crate::viewed::Viewed;

/// The numbers of cases on a page, of tools in the table, and of tools in the matrix.
pub(super) const ROWS: u64 = 50;
const TOOLS: usize = 500;
const MATRIX: usize = 16;

pub(crate) async fn run(
    State(place): State<Place>,
    number: Result<Path<i64>, PathRejection>,
    parameters: Result<Parameters<Vec<(String, String)>>, QueryRejection>,
) -> Result<impl IntoResponse, Missing> {
    let (number, query) = (number?.0, Query::new(parameters?.0));
    let viewed = Arc::clone(&place);
    drawn(place, move |history| {
        match history.run_being_written(number)? {
            Some(run) => rendered(&LivePage::new(history, run, &query)?),
            None => rendered(&RunPage::new(history, &viewed, number, &query)?),
        }
    })
    .await
}

#[derive(Template)]
#[template(path = "run.html")]
struct RunPage {
    run: RunRow,
    findings: String,
    strip: Vec<StripCell>,
    tabs: Vec<TabLink>,
    path: String,
    query: Query,
    content: Content,
}

/// The content of the tab.
enum Content {
    Cases(Box<CasesTab>),
    Causes {
        /// The rule that selects the counted cases.
        rule: &'static str,
        /// The causes, each with the address of its first case, if it is known.
        rows: Vec<(CauseRow, Option<String>)>,
    },
    Tools(Tools, ConfusionTable),
    Coverage(CoverageTab),
    Strength(StrengthTab),
    Evaluators {
        rows: Vec<EvaluatorView>,
        over_runs: String,
        /// Links to the comparison of each other model with the first, with names.
        models: Vec<(String, String)>,
    },
    Trials(String),
    Groups(Vec<String>, Vec<GroupView>),
}

struct CasesTab {
    filters: Filters,
    /// Unknown parts of the address, which are ignored.
    ignored: Vec<String>,
    heads: Vec<Head>,
    cases: Vec<CaseView>,
    paging: Paging,
}

/// A column head, with the address that sorts by the column.
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
    /// The reference page, showing the settings of this run.
    page: String,
    /// The cases sorted by this evaluator's scores.
    link: String,
    /// For each step of the histogram, a link to its cases and a description, if it has cases.
    bins: Vec<Option<(String, String)>>,
}

/// The evaluators of a run with links to cases by score; with several evaluators, the combined result follows.
fn evaluators(summary: &RunSummary, run: i64, path: &str) -> Vec<EvaluatorView> {
    let view = |(position, it): (usize, &EvaluatorSummary)| {
        let at = position.to_string();
        let address = |query: &Query| format!("{}#cases", query.of(path));
        let of = Query::default().with("evaluator", Some(&at));
        let bin = |(bin, cases): (usize, &u64)| {
            let cases = (*cases > 0).then(|| count(*cases, "case"))?;
            let link = address(&of.with("bin", Some(&bin.to_string())));
            Some((
                link,
                format!("{cases} with a score of {}", bin_text(bin as u64)),
            ))
        };
        EvaluatorView {
            row: EvaluatorRow::new(&it.label, &it.id, &it.totals),
            page: format!("/evaluators/{}?run={run}", it.id),
            link: address(&Query::default().with("sort", Some(&at))),
            bins: it.totals.histogram.iter().enumerate().map(bin).collect(),
        }
    };
    let together = summary.whole_cases.as_ref();
    let together = together.filter(|_| summary.evaluators.len() > 1);
    let together = together.map(|totals| EvaluatorView {
        row: EvaluatorRow::new(WHOLE_CASES, "", totals),
        page: String::new(),
        link: String::new(),
        bins: Vec::new(),
    });
    let evaluators = summary.evaluators.iter().enumerate().map(view);
    evaluators.chain(together).collect()
}

/// Links to the comparison of each model in a run with the first one.
fn models(
    history: &History,
    viewed: &Viewed,
    run: &RunRow,
) -> Result<Vec<(String, String)>, Missing> {
    let read = || history.models(run.number);
    let models = viewed.models.get_or_make(&run.about.key, read)?;
    let run = run.number;
    let Some((first, others)) = models.split_first() else {
        return Ok(Vec::new());
    };
    let side = |model: &String| encoded(&format!("{run}@model={model}"));
    let compared = others.iter().map(|other| {
        let title = format!("{} against {}", short(first), short(other));
        (
            title,
            format!("/compare?run={}&run={}", side(first), side(other)),
        )
    });
    Ok(compared.collect())
}

/// All causes of a run: those listed in the summary, then others from its stored cases.
fn causes(
    history: &History,
    run: i64,
    report: &RunReport<'_>,
    link: &dyn Fn(&str) -> String,
) -> Result<Vec<CauseRow>, Missing> {
    let findings = report.summary.findings.iter();
    let listed: Vec<_> = findings.clone().flat_map(|it| &it.causes).collect();
    let mut rows: Vec<_> = listed
        .iter()
        .map(|cause| CauseRow {
            why: printable(&cause.why),
            cases: cause.cases,
            first: printable(&cause.first),
            link: link(&cause.why),
        })
        .collect();
    if findings.clone().any(|it| it.more_causes > 0) {
        for (cause, cases) in history.cause_counts(run)? {
            if listed.iter().all(|it| it.why != cause) {
                rows.push(CauseRow {
                    why: printable(&cause),
                    cases,
                    first: String::new(),
                    link: link(&cause),
                });
            }
        }
    }
    Ok(rows)
}

/// A page of the list of cases. The result of a filter is cached, so paging does not search again.
fn case_list(
    history: &History,
    viewed: &Viewed,
    run: &RunRow,
    query: &Query,
) -> Result<CaseList, Missing> {
    let range = Paging::range(query, ROWS);
    let (filter, order) = (filter_of(query), order_of(query));
    let is_indexed = filter == CaseFilter::default() && !matches!(order, CaseOrder::Evaluator(_));
    if is_indexed {
        let page = history.case_ids(run.number, &filter, order, range)?;
        return Ok(CaseList {
            total: run.kept,
            cases: history.cases_of(&page)?,
        });
    }
    let key = format!("{} {filter:?} {order:?}", run.about.key);
    let search = || history.case_ids(run.number, &filter, order, PageRange::ALL);
    let list = viewed.lists.get_or_make(&key, search)?;
    let whole = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let page = list.iter().skip(whole(range.offset)).take(whole(ROWS));
    let page: Vec<i64> = page.copied().collect();
    Ok(CaseList {
        total: list.len() as u64,
        cases: history.cases_of(&page)?,
    })
}

impl CasesTab {
    fn new(
        (history, viewed): (&History, &Viewed),
        run: &RunRow,
        report: &RunReport<'_>,
        query: &Query,
        path: &str,
    ) -> Result<Self, Missing> {
        let range = Paging::range(query, ROWS);
        let found = case_list(history, viewed, run, query)?;
        let run = run.number;
        let tools = report.tools();
        let names = tools.counts().iter();
        let mut names: Vec<_> = names
            .map(|it| (it.name.clone(), it.expected + it.called))
            .collect();
        names.sort_by_key(|(_, times)| Reverse(*times));
        let cases = (range.offset..).zip(&found.cases);
        let evaluators = report.summary.evaluators.iter();
        let evaluators: Vec<_> = evaluators.map(|it| short(&it.label)).collect();
        let cases = cases.map(|it| CaseView::new((path, query), &evaluators, it));
        Ok(Self {
            ignored: ignored(query, report.summary.evaluators.len()),
            filters: Filters::new(history, run, query, path, report.summary, names)?,
            heads: heads(query, path, report.summary),
            cases: cases.collect(),
            paging: Paging::new(query, path, ROWS, found.total),
        })
    }
}

impl RunPage {
    fn new(
        history: &History,
        viewed: &Viewed,
        number: i64,
        query: &Query,
    ) -> Result<Self, Missing> {
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
        let tags: Vec<_> = run.tags.iter().map(|tag| printable(tag)).collect();
        let cause_link = |cause: &str| {
            let cases = Query::default().with("cause", Some(cause)).of(&path);
            format!("{cases}#cases")
        };
        let findings = FindingsPart::new(report, &tags).with_causes(cause_link);
        let findings = findings.leading_to(|name| {
            let search = || Query::default().with("q", Some(name)).of(&path);
            let case = case_address(history, number, name);
            // A flaky case has several trials, each with a different name.
            Some(case.unwrap_or_else(|| format!("{}#cases", search())))
        });
        let tab = Tab::of(query);
        let content = match tab {
            Tab::Cases => Content::Cases(Box::new(CasesTab::new(
                (history, viewed),
                &run,
                &report,
                query,
                &path,
            )?)),
            Tab::Causes => Content::Causes {
                rule: summary.shortfall_rule(),
                rows: {
                    let rows = causes(history, number, &report, &cause_link)?.into_iter();
                    let first = |(at, row): (usize, CauseRow)| {
                        let link = (at < ROWS as usize && !row.first.is_empty())
                            .then(|| case_address(history, number, &row.first));
                        (row, link.flatten())
                    };
                    rows.enumerate().map(first).collect()
                },
            },
            Tab::Tools => {
                let tools = report.tools();
                let confusion = ConfusionTable::new(&tools.confusion(MATRIX));
                Content::Tools(tools, confusion)
            }
            Tab::Coverage => Content::Coverage(CoverageTab::new(history, viewed, &run, &path)?),
            Tab::Strength => Content::Strength(StrengthTab::new(history, viewed, &run, query)?),
            Tab::Evaluators => Content::Evaluators {
                rows: evaluators(&summary, number, &path),
                over_runs: rendered(&findings.over_runs())?,
                models: models(history, viewed, &run)?,
            },
            Tab::Trials => Content::Trials(rendered(&findings.trials())?),
            Tab::Groups => {
                let labels = summary.evaluators.iter().map(|it| printable(&it.label));
                let groups = summary.groups.iter().map(GroupView::new);
                Content::Groups(labels.collect(), groups.collect())
            }
        };
        let before = history.run_before(&run)?;
        let before = before.map(|row| Ok::<_, Missing>((history.summary(&row)?, row)));
        let before = before.transpose()?.map(|(summary, row)| (row, summary));
        let findings = match tab {
            Tab::Cases => findings,
            _ => findings.without_causes(),
        };
        Ok(Self {
            findings: rendered(&findings)?,
            strip: strip::cells(&run, &summary, before.as_ref(), &path),
            tabs: tabs::links(&path, tab, &summary),
            content,
            query: query.clone(),
            path,
            run,
        })
    }

    /// The numbers of a tool, each with its CSS class and the address of its cases.
    fn numbers(&self, tool: &ToolCounts) -> Vec<(String, &'static str, String)> {
        let query = Query::default().with("tool", Some(&tool.name));
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

    /// The address of the cases for a cell of the matrix.
    fn cell(&self, expected: Option<&String>, called: Option<&String>) -> String {
        let name = |name: Option<&String>| name.cloned().unwrap_or_else(|| NO_TOOL.to_owned());
        let query = Query::default()
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

/// The address of the case with this name: its id, followed by its trial if it has one.
fn case_address(history: &History, run: i64, name: &str) -> Option<String> {
    let label = name
        .rsplit_once(" (trial ")
        .map_or(name, |(label, _)| label);
    let trials = history.trials_called(run, label).ok()?;
    let is_named = |(_, trial): &&(u64, Option<String>)| match trial {
        None => name == label,
        Some(trial) => name == printable(&case_name(label, Some(trial))),
    };
    let (number, _) = trials.iter().find(is_named).or(trials.first())?;
    Some(format!("/runs/{run}/cases/{number}"))
}

/// The column heads of the list of cases.
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
