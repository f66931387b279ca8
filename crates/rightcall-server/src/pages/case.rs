//! A case: its alignment in two lanes for every evaluator, the arithmetic, and the raw JSON; also as a separate file.

use std::sync::Arc;

use askama::Template;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query as Parameters, State};
use axum::http::header::CONTENT_DISPOSITION;
use axum::response::IntoResponse;
use rightcall_report::{
    CasePage as Drawn, ExplainCommand, command_line, draw_case, kept_case, printable, push_case,
    run_told,
};
use rightcall_results::{CaseResult, EvaluationResult};
use rightcall_run::{CaseKey, text_to_review};
use rightcall_store::{History, PageRange, RunRow, RunSettings};

use super::case_filter::{CASE_KEYS, filter_of, order_of};
use super::{Missing, Place, drawn, page, score, verdict};
use crate::link::{Query, comparison_of, encoded};
use crate::viewed::Viewed;

pub(crate) async fn case(
    State(place): State<Place>,
    numbers: Result<Path<(i64, u64)>, PathRejection>,
    parameters: Result<Parameters<Vec<(String, String)>>, QueryRejection>,
) -> Result<impl IntoResponse, Missing> {
    let ((run, number), query) = (numbers?.0, Query::new(parameters?.0));
    let viewed = Arc::clone(&place);
    page(place, move |history| {
        CasePage::new((history, &viewed), run, number, &query)
    })
    .await
}

/// The case as a self-contained file.
pub(crate) async fn file(
    State(place): State<Place>,
    numbers: Result<Path<(i64, u64)>, PathRejection>,
) -> Result<impl IntoResponse, Missing> {
    let (run, number) = numbers?.0;
    let page = drawn(place, move |history| {
        let (row, case) = case_of(history, run, number)?;
        let labels = labels_of(history, &row)?;
        let drawn = draw_case(labels.iter().map(String::as_str), &case);
        let file = drawn.file(&run_told(&row));
        file.map_err(|error| Missing::Broken(error.to_string()))
    });
    let name = format!("attachment; filename=\"run-{run}-case-{number}.html\"");
    Ok(([(CONTENT_DISPOSITION, name)], page.await?))
}

#[derive(Template)]
#[template(path = "case.html")]
struct CasePage {
    run: RunRow,
    drawn: Drawn,
    /// The command that shows the case in a terminal.
    command: Option<String>,
    /// The file with only this case.
    file: String,
    /// The page that accepts its calls, if the viewer may change files.
    acceptance: Option<String>,
    /// The command that accepts its calls.
    accepting: Option<String>,
    /// Link back to the list that this case was opened from.
    back: String,
    previous: Option<String>,
    next: Option<String>,
    /// The previous run, if it has the case, with a link to the comparison.
    before: Option<(i64, String)>,
    /// Other trials of the case.
    trials: Vec<(String, String, bool)>,
    /// The verdict on the case, and its score.
    verdict: (&'static str, &'static str),
    score: String,
    /// The evaluators: address, name, score, verdict, and whether it is shown.
    tabs: Vec<Tab>,
}

type Tab = (String, String, String, (&'static str, &'static str), bool);

impl CasePage {
    fn new(
        (history, viewed): (&History, &Viewed),
        run: i64,
        number: u64,
        query: &Query,
    ) -> Result<Self, Missing> {
        let (row, stored) = case_of(history, run, number)?;
        let path = format!("/runs/{run}");
        let (previous, next) = neighbours(history, run, number, query)?;
        let mut trials = Vec::new();
        if stored.trial.is_some() {
            for (other, trial) in history.trials_called(run, &stored.label)? {
                let link = query.without(&["at"]).of(&format!("{path}/cases/{other}"));
                trials.extend(trial.map(|trial| (printable(&trial), link, other == number)));
                if trials.len() > 50 {
                    break;
                }
            }
        }
        let labels = labels_of(history, &row)?;
        let chosen = query.number("by").map(|position| position as usize);
        let drawn = draw_case(labels.iter().map(String::as_str), &stored).only(chosen);
        let here = format!("{path}/cases/{number}");
        let tab = |(position, (label, score, verdict, is_open)): (usize, (&str, &str, _, bool))| {
            let link = query.with("by", Some(&position.to_string())).of(&here);
            (link, label.to_owned(), score.to_owned(), verdict, is_open)
        };
        let accepting = accept_command(&row, &stored, viewed);
        let is_editable = viewed.token.is_some();
        let explain = ExplainCommand::of_run(&run.to_string(), viewed.history_words.clone());
        Ok(Self {
            file: format!("{here}/file"),
            acceptance: (is_editable && accepting.is_some()).then(|| format!("{here}/accept")),
            accepting,
            verdict: verdict(stored.verdict()),
            score: stored
                .whole
                .score()
                .map(|it| score(Some(it)))
                .unwrap_or_default(),
            tabs: drawn.tabs().enumerate().map(tab).collect(),
            before: compared(history, &row, &stored)?,
            drawn,
            command: explain.of(&stored),
            back: format!("{}#cases", query.without(&["at"]).of(&path)),
            previous,
            next,
            trials,
            run: row,
        })
    }
}

/// A case and its run.
fn case_of(history: &History, run: i64, number: u64) -> Result<(RunRow, CaseResult), Missing> {
    let row = match history.run_being_written(run)? {
        Some(row) => row,
        None => history.run(run)?,
    };
    let not_found = || {
        let more = if row.kept < row.cases {
            "; of a large run only failures and a sample are kept"
        } else {
            ""
        };
        Missing::NotFound(format!("Run {run} has no case {number}{more}."))
    };
    let case = history.case(run, number)?.ok_or_else(not_found)?;
    Ok((row, case))
}

/// The names of the evaluators of a run.
fn labels_of(history: &History, run: &RunRow) -> Result<Vec<String>, Missing> {
    let evaluators = history.evaluators(run.number)?;
    let labels: Vec<String> = evaluators.into_iter().map(|row| row.label).collect();
    if labels.is_empty() {
        // A run in progress has no summary yet; use its settings.
        return Ok(RunSettings::from_json(&run.about.settings).into_arguments());
    }
    Ok(labels)
}

/// The command that makes the calls of a case its expectation; `None` if the expectation is met or
/// cannot be rewritten.
fn accept_command(run: &RunRow, case: &CaseResult, viewed: &Viewed) -> Option<String> {
    // If the suite has one expectation for all runs, the file has none to rewrite. Rules have no
    // calls to rewrite.
    let settings = RunSettings::from_json(&run.about.settings);
    let of_suite = settings.cases.is_empty() && !settings.traces.is_empty();
    let expected =
        kept_case(case).map(|it| it.expected.calls.is_some() || it.expected.tree.is_some());
    if of_suite || expected == Some(false) {
        return None;
    }
    let is_lines = case.file.ends_with(".jsonl") || case.file.ends_with(".ndjson");
    let is_low = case.evaluations.iter().any(EvaluationResult::falls_short);
    if !is_lines || !is_low || text_to_review(case).is_none() {
        return None;
    }
    let mut words = ["rightcall", "review", &case.file, "--run"]
        .map(ToOwned::to_owned)
        .to_vec();
    words.push(run.number.to_string());
    push_case(&mut words, "--accept", case);
    words.extend(viewed.history_words.iter().cloned());
    Some(command_line(&words))
}

/// The previous run, with a link to the comparison of a case in both.
fn compared(
    history: &History,
    run: &RunRow,
    case: &CaseResult,
) -> Result<Option<(i64, String)>, Missing> {
    let Some(before) = history.run_before(run)?.map(|it| it.number) else {
        return Ok(None);
    };
    if history.trials_called(before, &case.label)?.is_empty() {
        return Ok(None);
    }
    let meta = case.case.as_ref().and_then(|kept| kept.meta.as_deref());
    let key = CaseKey::default().of(&case.label, case.trial.as_deref(), meta);
    let link = |key: String| {
        let comparison = comparison_of(before, run.number);
        (before, format!("{comparison}&case={}#case", encoded(&key)))
    };
    Ok(key.map(link))
}

/// The previous and the next case in the list that this one was opened from.
fn neighbours(
    history: &History,
    run: i64,
    number: u64,
    query: &Query,
) -> Result<(Option<String>, Option<String>), Missing> {
    let Some(at) = query.number("at") else {
        return Ok((None, None));
    };
    let range = PageRange {
        offset: at.saturating_sub(1),
        limit: 3,
    };
    let part = history.case_numbers(run, &filter_of(query), order_of(query), range)?;
    let Some(place) = part.iter().position(|it| *it == number) else {
        return Ok((None, None));
    };
    let kept = CASE_KEYS
        .iter()
        .chain(&["by"])
        .fold(Query::default(), |kept, key| kept.with(key, query.get(key)));
    let link = |index: usize| {
        let at = (range.offset + index as u64).to_string();
        part.get(index).map(|number| {
            kept.with("at", Some(&at))
                .of(&format!("/runs/{run}/cases/{number}"))
        })
    };
    Ok((place.checked_sub(1).and_then(link), link(place + 1)))
}
