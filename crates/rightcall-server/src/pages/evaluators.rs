//! The reference pages of the evaluators.

use askama::Template;
use axum::extract::Path;
use axum::response::{Html, IntoResponse};
use pulldown_cmark::{Options, Parser, html};
use rightcall::EVALUATORS;
use rightcall_report::page_markdown;

use super::Missing;
use crate::link::encoded;

#[derive(Template)]
#[template(path = "evaluators.html")]
struct EvaluatorsPage {
    rows: Vec<(String, &'static str, String)>,
}

#[derive(Template)]
#[template(path = "evaluator.html")]
struct EvaluatorPage {
    id: &'static str,
    /// Made of the program's own pages.
    body: String,
}

pub(crate) async fn evaluators() -> Result<impl IntoResponse, Missing> {
    let row = |entry: &&rightcall::Entry| {
        let link = format!("/evaluators/{}", entry.id.split('/').map(encoded).collect::<Vec<_>>().join("/"));
        (link, entry.id, entry.summary.to_owned())
    };
    let page = EvaluatorsPage { rows: EVALUATORS.iter().map(row).collect() };
    page.render().map(Html).map_err(|error| Missing::Broken(error.to_string()))
}

pub(crate) async fn evaluator(Path(id): Path<String>) -> Result<impl IntoResponse, Missing> {
    let entry = rightcall::find(&id).map_err(|_| Missing::NotFound(format!("There is no evaluator {id}.")))?;
    let markdown = page_markdown(entry);
    let mut body = String::new();
    html::push_html(&mut body, Parser::new_ext(&markdown, Options::ENABLE_TABLES));
    let page = EvaluatorPage { id: entry.id, body };
    page.render().map(Html).map_err(|error| Missing::Broken(error.to_string()))
}
