//! The page with all runs, and a trend line of mean and pass rate. Two runs can be picked and
//! compared.

use askama::Template;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query as Parameters, State};
use axum::response::IntoResponse;
use rightcall_report::{earlier_run, minute, over_runs, printable, run_name, told};
use rightcall_results::EvaluatorSummary;
use rightcall_store::{History, PageRange, RunFilter, RunRow, UnfinishedRun};

use super::choice::{Choice, choices};
use super::{Missing, Place, page, percent, score};
use crate::link::{Paging, Query, comparison_of};

/// Number of runs on a page, and in the trend line.
const ROWS: u64 = 50;
const PLOTTED: u64 = 60;

/// Maximum number of suites to try for the trend line.
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
    /// Unfinished runs.
    being_written: Vec<UnfinishedRun>,
    suites: Vec<Choice>,
    branches: Vec<Choice>,
    tags: Vec<Choice>,
    is_filtered: bool,
    rows: Vec<Row>,
    paging: Paging,
    /// The suite of the trend line.
    suite: String,
    plot: String,
    described: String,
}

struct Row {
    number: i64,
    when: String,
    suite: String,
    /// The name of the run in a suite with several; else empty.
    name: String,
    branch: String,
    commit: String,
    cases: u64,
    mean: String,
    /// The change of the mean since the previous run of the same cases, on the same branch if there is one.
    change: Option<ChangeCell>,
    passed: String,
    gates: (&'static str, String),
    tags: Vec<String>,
}

/// A change of a mean, with a link to the comparison.
struct ChangeCell {
    class: &'static str,
    text: String,
    before: String,
    link: String,
}

impl RunsPage {
    fn new(history: &History, query: &Query) -> Result<Self, Missing> {
        let filter = RunFilter {
            suite: query.owned("suite"),
            branch: query.owned("branch"),
            tag: query.owned("tag"),
            ..RunFilter::default()
        };
        let rows = history.runs(&filter, Paging::range(query, ROWS))?;
        // Means of different suites can't share a line. Plot the suite of the last run, or the
        // latest suite with several runs.
        let mut suites: Vec<&String> = filter
            .suite
            .iter()
            .chain(rows.iter().map(|run| &run.about.suite))
            .collect();
        suites.dedup();
        let (mut suite, mut plotted) = (String::new(), Vec::new());
        let tried = if filter.suite.is_some() { 1 } else { SUITES };
        for name in suites.into_iter().take(tried) {
            let of_suite = RunFilter {
                suite: Some(name.clone()),
                ..filter.clone()
            };
            plotted = history.runs(&of_suite, PageRange::first(PLOTTED))?;
            // A run of selected cases is not comparable with runs of all cases.
            plotted.retain(|run| run.about.selection.is_none());
            suite.clone_from(name);
            if plotted.len() > 1 {
                break;
            }
        }
        plotted.reverse();
        let rates: Vec<_> = plotted.iter().map(earlier_run).collect();
        let mut being_written = history.unfinished()?;
        being_written.retain(|run| run.is_being_written);
        for run in &mut being_written {
            run.suite = printable(&run.suite);
        }
        Ok(Self {
            being_written,
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
        let before = history.run_before(run)?;
        let gates = match (run.gates, run.gates_missed) {
            (0, _) => ("muted", "–".to_owned()),
            (all, 0) => ("good", format!("{all} hold")),
            (all, missed) => ("bad", format!("{missed} of {all} failed")),
        };
        let profile = run.about.profile.iter().map(|it| format!(" ({it})"));
        let profile: String = profile.collect();
        Ok(Self {
            number: run.number,
            when: minute(run.about.started),
            suite: printable(&format!("{}{profile}", run.about.suite)),
            name: run_name(&run.about).unwrap_or_default(),
            branch: printable(run.about.git_branch.as_deref().unwrap_or("–")),
            commit: run
                .about
                .git_commit
                .iter()
                .flat_map(|it| it.chars().take(7))
                .collect(),
            cases: run.cases,
            mean: score(run.mean),
            change: match before {
                None => None,
                Some(before) => {
                    let [was, is] = [&before, run].map(|run| history.evaluators(run.number));
                    let is_alike = EvaluatorSummary::apply_alike(&was?, &is?);
                    ChangeCell::new(&before, run, is_alike)
                }
            },
            passed: percent(run.pass_rate),
            gates,
            tags: run.tags.iter().map(|tag| printable(tag)).collect(),
        })
    }
}

impl ChangeCell {
    /// The change, without a number if different evaluators applied.
    fn new(before: &RunRow, run: &RunRow, is_alike: bool) -> Option<Self> {
        let text = format!("{:+.3}", run.mean? - before.mean?);
        let (class, text) = match text.as_str() {
            _ if !is_alike => ("muted", "compare".to_owned()),
            "+0.000" | "-0.000" => ("muted", "same".to_owned()),
            // No colour: only the comparison shows whether the change is significant.
            _ => ("strong", text),
        };
        let branch = before.about.git_branch.as_deref();
        let branch = branch.map_or_else(String::new, |it| format!(" on {}", printable(it)));
        Some(Self {
            class,
            text,
            before: format!("run {}{branch}", before.number),
            link: comparison_of(before.number, run.number),
        })
    }
}
