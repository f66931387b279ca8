//! The pages, one file each.

pub(crate) mod accept;
pub(crate) mod case;
mod case_filter;
mod case_view;
mod choice;
pub(crate) mod compare;
pub(crate) mod evaluators;
mod live;
pub(crate) mod run;
pub(crate) mod runs;

use std::rc::Rc;
use std::sync::Arc;

use askama::Template;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{Html, IntoResponse, Response};
use rightcall_report::{STYLE, page_text};
pub(crate) use rightcall_report::{number as score, percent, verdict};
use rightcall_store::{History, StoreError};

use crate::viewed::Viewed;

const VIEWER_STYLE: &str = include_str!("../../assets/viewer.css");
const SCRIPT: &str = include_str!("../../assets/viewer.js");

/// The history file, and the cache of its data.
pub(crate) type Place = Arc<Viewed>;

/// Why a page cannot be shown.
#[derive(Debug)]
pub(crate) enum Missing {
    /// No page at this address.
    NotFound(String),
    /// The address is invalid.
    Unclear(String),
    /// The request is not from a page of this viewer.
    Refused(String),
    /// A new expectation cannot be accepted.
    Conflict(String),
    /// The history cannot be read.
    Broken(String),
}

impl From<StoreError> for Missing {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NoSuchRun(run) => {
                Self::NotFound(format!("There is no run {run} in this history."))
            }
            error => Self::Broken(error.to_string()),
        }
    }
}

impl From<QueryRejection> for Missing {
    fn from(rejection: QueryRejection) -> Self {
        Self::Unclear(rejection.body_text())
    }
}

impl From<PathRejection> for Missing {
    fn from(rejection: PathRejection) -> Self {
        Self::Unclear(rejection.body_text())
    }
}

#[derive(Template)]
#[template(path = "missing.html")]
struct MissingPage {
    title: &'static str,
    message: String,
}

impl IntoResponse for Missing {
    fn into_response(self) -> Response {
        let (status, title, message) = match self {
            Self::NotFound(message) => (StatusCode::NOT_FOUND, "Not found", message),
            Self::Unclear(message) => (StatusCode::BAD_REQUEST, "Unclear request", message),
            Self::Refused(message) => (StatusCode::FORBIDDEN, "Refused", message),
            Self::Conflict(message) => (StatusCode::CONFLICT, "Not accepted", message),
            Self::Broken(message) => (StatusCode::INTERNAL_SERVER_ERROR, "Not readable", message),
        };
        let page = MissingPage { title, message }
            .render()
            .unwrap_or_else(|_| title.to_owned());
        (status, Html(page_text(&page).into_owned())).into_response()
    }
}

/// Makes a page from the history on a blocking thread, so that database reads don't delay other requests.
pub(crate) async fn page<T: Template>(
    place: Place,
    make: impl FnOnce(&Rc<History>) -> Result<T, Missing> + Send + 'static,
) -> Result<Html<String>, Missing> {
    drawn(place, move |history| rendered(&make(history)?)).await
}

/// Like [`page`], for addresses that return different kinds of pages.
pub(crate) async fn drawn(
    place: Place,
    draw: impl FnOnce(&Rc<History>) -> Result<String, Missing> + Send + 'static,
) -> Result<Html<String>, Missing> {
    let made = tokio::task::spawn_blocking(move || {
        let history = History::open_to_read(&place.history)?;
        history.stay_in_moment()?;
        let page = draw(&Rc::new(history))?;
        Ok::<_, Missing>(page_text(&page).into_owned())
    });
    made.await
        .map_err(|error| Missing::Broken(error.to_string()))?
        .map(Html)
}

/// Renders a page, or a part of one.
pub(crate) fn rendered(part: &impl Template) -> Result<String, Missing> {
    let failed = |error: askama::Error| Missing::Broken(error.to_string());
    part.render().map_err(failed)
}

pub(crate) async fn style() -> impl IntoResponse {
    (
        [(CONTENT_TYPE, "text/css; charset=utf-8")],
        [STYLE, VIEWER_STYLE].concat(),
    )
}

pub(crate) async fn script() -> impl IntoResponse {
    ([(CONTENT_TYPE, "text/javascript; charset=utf-8")], SCRIPT)
}

pub(crate) async fn not_found() -> Missing {
    Missing::NotFound("There is no such page.".to_owned())
}
