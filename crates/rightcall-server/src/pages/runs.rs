//! All runs, with a line of mean and pass rate over them; two can be picked and compared.

use askama::Template;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query as Parameters, State};
use axum::response::IntoResponse;
use rightcall_report::{earlier_run, over_runs, printable, time, told};
use rightcall_store::{AlikeRuns, History, PageRange, RunFilter, RunRow};

use super::{Missing, Place, page, percent, score};
use crate::link::{Paging, Query};

/// Runs of a page, and of the line over runs.
const ROWS: u64 = 50;
const PLOTTED: u64 = 60;

/// Suites that are looked at for a line over runs.
const SUITES: usize = 5;

pub(crate) async fn runs(
    State(place): State<Place>,
    parameters: Result<Parameters<Vec<(String, String)>>, QueryRejection>,
) -> Result<impl IntoResponse, Missing> {
    let query = Query::new(parameters?.0);
    page(place, move |history| RunsPage::new(history, &query)).await
}

#[derive(Template)]
#[template(path = "runs.html")]
struct RunsPage {
    suites: Vec<Choice>,
    branches: Vec<Choice>,
    tags: Vec<Choice>,
    is_filtered: bool,
    rows: Vec<Row>,
    paging: Paging,
    /// The suite of the line over runs.
    suite: String,
    plot: String,
    described: String,
}

/// A choice of a filter.
pub(super) struct Choice {
    pub(super) value: String,
    pub(super) text: String,
    pub(super) is_chosen: bool,
}

struct Row {
    number: i64,
    when: String,
    suite: String,
    branch: String,
    commit: String,
    cases: u64,
    mean: String,
    /// By how much the mean differs from that of the run before it of the same cases, and its class.
    change: (&'static str, String),
    passed: String,
    gates: (&'static str, String),
    tags: Vec<String>,
}

impl RunsPage {
    fn new(history: &History, query: &Query) -> Result<Self, Missing> {
        let filter = RunFilter {
            suite: query.owned("suite"),
            branch: query.owned("branch"),
            tag: query.owned("tag"),
            since: None,
        };
        let offset = (Paging::page(query) - 1) * ROWS;
        let rows = history.runs(
            &filter,
            PageRange {
                offset,
                limit: ROWS,
            },
        )?;
        // Means of several suites on one line would tell nothing: that of the last run, or else of the last that has been run again.
        let mut suites: Vec<&String> = filter
            .suite
            .iter()
            .chain(rows.iter().map(|run| &run.about.suite))
            .collect();
        suites.dedup();
        let (mut suite, mut plotted) = (String::new(), Vec::new());
        for name in suites
            .into_iter()
            .take(if filter.suite.is_some() { 1 } else { SUITES })
        {
            plotted = history.runs(
                &RunFilter {
                    suite: Some(name.clone()),
                    ..filter.clone()
                },
                PageRange::first(PLOTTED),
            )?;
            // A run of chosen cases cannot stand on a line with runs of all.
            plotted.retain(|run| run.about.selection.is_none());
            suite.clone_from(name);
            if plotted.len() > 1 {
                break;
            }
        }
        plotted.reverse();
        let rates: Vec<_> = plotted.iter().map(earlier_run).collect();
        Ok(Self {
            suites: choices(history.suites()?, query.get("suite")),
            branches: choices(history.branches()?, query.get("branch")),
            tags: choices(history.run_tags()?, query.get("tag")),
            is_filtered: filter != RunFilter::default(),
            paging: Paging::new(query, "/", ROWS, history.count_runs(&filter)?),
            rows: rows
                .iter()
                .map(|run| Row::new(history, run))
                .collect::<Result<_, _>>()?,
            plot: if rates.len() > 1 {
                over_runs(&rates)
            } else {
                String::new()
            },
            described: told(&rates),
            suite: printable(&suite),
        })
    }
}

impl Row {
    fn new(history: &History, run: &RunRow) -> Result<Self, Missing> {
        let before = history.alike(&AlikeRuns::before(run), 1)?;
        let change = before
            .first()
            .and_then(|before| Some(run.mean? - before.mean?));
        let gates = match (run.gates, run.gates_missed) {
            (0, _) => ("muted", "–".to_owned()),
            (all, 0) => ("good", format!("{all} hold")),
            (all, missed) => ("bad", format!("{missed} of {all} missed")),
        };
        let profile = run
            .about
            .profile
            .as_ref()
            .map(|profile| format!(" ({profile})"))
            .unwrap_or_default();
        Ok(Self {
            number: run.number,
            when: time(run.about.started)
                .replace('T', " ")
                .chars()
                .take(16)
                .collect(),
            suite: printable(&format!("{}{profile}", run.about.suite)),
            branch: printable(run.about.git_branch.as_deref().unwrap_or("–")),
            commit: run
                .about
                .git_commit
                .as_deref()
                .unwrap_or_default()
                .chars()
                .take(7)
                .collect(),
            cases: run.cases,
            mean: score(run.mean),
            change: change.map_or(("muted", "–".to_owned()), change_told),
            passed: percent(run.pass_rate),
            gates,
            tags: run.tags.iter().map(|tag| printable(tag)).collect(),
        })
    }
}

/// A change of a mean, and its class.
fn change_told(change: f64) -> (&'static str, String) {
    let text = format!("{change:+.3}");
    match text.as_str() {
        "+0.000" | "-0.000" => ("muted", "same".to_owned()),
        _ if change > 0.0 => ("better", text),
        _ => ("worse", text),
    }
}

/// The values of a filter with their numbers, the one in use chosen even if nothing has it any more.
pub(super) fn choices(values: Vec<(String, u64)>, chosen: Option<&str>) -> Vec<Choice> {
    let gone = chosen
        .filter(|chosen| values.iter().all(|(value, _)| value != chosen))
        .map(|chosen| (chosen.to_owned(), 0));
    let choice = |(value, number): (String, u64)| Choice {
        is_chosen: chosen == Some(&value),
        text: format!("{} ({number})", short(&value)),
        value,
    };
    values.into_iter().chain(gone).map(choice).collect()
}

/// A name that fits a menu.
pub(super) fn short(name: &str) -> String {
    let name = printable(name);
    if name.chars().count() <= 60 {
        name
    } else {
        name.chars().take(59).chain(['…']).collect()
    }
}
