//! The reference pages of the evaluators, with the settings of a run.

use askama::Template;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query as Parameters, State};
use axum::response::{Html, IntoResponse};
use pulldown_cmark::{Options, Parser, html};
use rightcall_core::{EVALUATORS, Entry};
use rightcall_report::{page_markdown, printable};
use rightcall_store::{History, RunSettings};

use super::{Missing, Place, page, rendered};
use crate::link::{Query, encoded};

#[derive(Template)]
#[template(path = "evaluators.html")]
struct EvaluatorsPage {
    rows: Vec<(String, &'static str, String)>,
}

#[derive(Template)]
#[template(path = "evaluator.html")]
struct EvaluatorPage {
    id: &'static str,
    /// The run that links here, and the evaluator's settings in its suite.
    run: Option<i64>,
    in_use: Vec<String>,
    /// Trusted HTML: generated from built-in pages.
    body: String,
}

pub(crate) async fn evaluators() -> Result<impl IntoResponse, Missing> {
    let row = |entry: &&Entry| {
        let parts: Vec<_> = entry.id.split('/').map(encoded).collect();
        let link = format!("/evaluators/{}", parts.join("/"));
        (link, entry.id, entry.summary.to_owned())
    };
    let page = EvaluatorsPage {
        rows: EVALUATORS.iter().map(row).collect(),
    };
    rendered(&page).map(Html)
}

pub(crate) async fn evaluator(
    State(place): State<Place>,
    Path(id): Path<String>,
    parameters: Result<Parameters<Vec<(String, String)>>, QueryRejection>,
) -> Result<impl IntoResponse, Missing> {
    let entry = rightcall_core::find(&id)
        .map_err(|_| Missing::NotFound(format!("There is no evaluator {id}.")))?;
    let run = Query::new(parameters?.0)
        .number("run")
        .and_then(|run| i64::try_from(run).ok());
    page(place, move |history| {
        let in_use = run
            .map(|run| in_use(history, run, entry))
            .transpose()?
            .unwrap_or_default();
        let mut body = String::new();
        html::push_html(
            &mut body,
            Parser::new_ext(&page_markdown(entry, None), Options::ENABLE_TABLES),
        );
        Ok(EvaluatorPage {
            id: entry.id,
            run,
            in_use,
            body,
        })
    })
    .await
}

/// The evaluator with its settings in a run; several if the run uses it more than once.
fn in_use(history: &History, run: i64, entry: &Entry) -> Result<Vec<String>, Missing> {
    let settings = RunSettings::from_json(&history.run(run)?.about.settings);
    let rows = history.evaluators(run)?;
    let used = rows.iter().zip(settings.evaluators);
    let used = used.filter(|(row, _)| row.id == entry.id).map(|(_, it)| {
        let weight = match it.weight {
            1.0 => String::new(),
            weight => format!(", weight {weight}"),
        };
        printable(&format!("{}{weight}", it.evaluator))
    });
    Ok(used.collect())
}
