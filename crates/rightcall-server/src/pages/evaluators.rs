//! The reference pages of the evaluators, with the settings that a run uses them with.

use askama::Template;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query as Parameters, State};
use axum::response::{Html, IntoResponse};
use pulldown_cmark::{Options, Parser, html};
use rightcall::value::{Value, decode};
use rightcall::{EVALUATORS, Entry};
use rightcall_report::{page_markdown, printable};
use rightcall_store::History;

use super::{Missing, Place, page};
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
    /// The run that it was asked of, and what its suite says of the evaluator.
    run: Option<i64>,
    in_use: Vec<String>,
    /// Made of the program's own pages.
    body: String,
}

pub(crate) async fn evaluators() -> Result<impl IntoResponse, Missing> {
    let row = |entry: &&Entry| {
        let link = format!(
            "/evaluators/{}",
            entry
                .id
                .split('/')
                .map(encoded)
                .collect::<Vec<_>>()
                .join("/")
        );
        (link, entry.id, entry.summary.to_owned())
    };
    let page = EvaluatorsPage {
        rows: EVALUATORS.iter().map(row).collect(),
    };
    page.render()
        .map(Html)
        .map_err(|error| Missing::Broken(error.to_string()))
}

pub(crate) async fn evaluator(
    State(place): State<Place>,
    Path(id): Path<String>,
    parameters: Result<Parameters<Vec<(String, String)>>, QueryRejection>,
) -> Result<impl IntoResponse, Missing> {
    let entry = rightcall::find(&id)
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
            Parser::new_ext(&page_markdown(entry), Options::ENABLE_TABLES),
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

/// The evaluator with its settings as a run uses it: once, or several times.
fn in_use(history: &History, run: i64, entry: &Entry) -> Result<Vec<String>, Missing> {
    let settings = history.run(run)?.about.settings;
    let settings = decode(&settings).unwrap_or(Value::Null);
    let written = settings
        .as_object()
        .and_then(|object| object.get_str("evaluators"))
        .and_then(Value::as_list)
        .unwrap_or_default();
    let text = |value: &Value<'_>| {
        let argument = value
            .as_object()?
            .get_str("evaluator")?
            .as_text()?
            .to_display()
            .into_owned();
        let weight = value
            .as_object()?
            .get_str("weight")
            .and_then(Value::as_f64)
            .filter(|weight| *weight != 1.0);
        Some(printable(&format!(
            "{argument}{}",
            weight.map_or_else(String::new, |weight| format!(", weight {weight}"))
        )))
    };
    let rows = history.evaluators(run)?;
    Ok(rows
        .iter()
        .zip(written)
        .filter(|(row, _)| row.id == entry.id)
        .filter_map(|(_, value)| text(value))
        .collect())
}
