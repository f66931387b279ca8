//! Langfuse: lists traces page by page, and gets each with its observations.
//!
//! Source: the public API in the Python client 4.14.3, `GET /api/public/traces` and `/api/public/traces/{id}`.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{FetchedTrace, Service, TracePage, TraceSource, Variables};
use crate::connection::Connection;
use crate::url::{segment, with_query};
use crate::{FetchError, FetchQuestion, Pause};

const TITLE: &str = "Langfuse";
const URL: &[&str] = &["LANGFUSE_BASE_URL", "LANGFUSE_HOST"];
const PUBLIC_KEY: &str = "LANGFUSE_PUBLIC_KEY";
const SECRET_KEY: &str = "LANGFUSE_SECRET_KEY";
const HELP: &str = "the project's settings in Langfuse show its keys";

/// Traces per page. Pages are requested by number, so all have the same size.
const PAGE: usize = 50;

pub(super) const ENTRY: Service = Service {
    name: "langfuse",
    title: TITLE,
    format: "langfuse",
    variables: &[
        (PUBLIC_KEY, "the public key"),
        (SECRET_KEY, "the secret key"),
        (
            "LANGFUSE_BASE_URL",
            "the address, https://cloud.langfuse.com unless set; LANGFUSE_HOST is read too",
        ),
    ],
    filters: &[
        ("name", "the trace's name"),
        ("session", "its session"),
        ("user", "its user"),
        ("tag", "a tag; may stand several times"),
        ("environment", "its environment"),
        ("version", "its version"),
        ("release", "its release"),
    ],
    open,
};

struct Langfuse {
    connection: Connection,
    /// The query parameters other than the page number.
    pairs: Vec<(&'static str, String)>,
}

fn open(
    variables: &Variables<'_>,
    question: &FetchQuestion,
    pause: Box<dyn FnMut(&Pause)>,
) -> Result<Box<dyn TraceSource>, FetchError> {
    if question.project.is_some() {
        return Err(FetchError::usage(
            "a key of Langfuse belongs to one project",
            "leave --project out, and set the keys of the project",
        ));
    }
    let public = variables.required(&[PUBLIC_KEY], TITLE, HELP)?;
    let secret = variables.required(&[SECRET_KEY], TITLE, HELP)?;
    let address = variables.address(URL, "https://cloud.langfuse.com")?;
    let keys = "LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY";
    let connection = Connection::new(address, keys, pause);
    Ok(Box::new(Langfuse {
        connection: connection.with_password(&public, &secret),
        pairs: pairs(question)?,
    }))
}

fn pairs(question: &FetchQuestion) -> Result<Vec<(&'static str, String)>, FetchError> {
    // The oldest first, so that traces added meanwhile are on pages not read yet.
    let mut pairs = vec![
        ("limit", PAGE.to_string()),
        ("orderBy", "timestamp.asc".to_owned()),
        ("fields", "core".to_owned()),
    ];
    let bounds = question.bounds(["fromTimestamp", "toTimestamp"]);
    pairs.extend(bounds.map(|(key, bound)| (key, bound.rfc3339())));
    for (filter, key) in [
        ("name", "name"),
        ("session", "sessionId"),
        ("user", "userId"),
        ("environment", "environment"),
        ("version", "version"),
        ("release", "release"),
    ] {
        pairs.extend(question.value(filter)?.map(|value| (key, value.to_owned())));
    }
    pairs.extend(question.values("tag").map(|tag| ("tags", tag.to_owned())));
    Ok(pairs)
}

#[derive(Deserialize)]
struct TraceList {
    data: Vec<ListedTrace>,
    meta: ListMeta,
}

#[derive(Deserialize)]
struct ListedTrace {
    id: String,
}

#[derive(Deserialize)]
struct ListMeta {
    #[serde(rename = "totalPages")]
    total_pages: u64,
}

impl TraceSource for Langfuse {
    fn address(&self) -> &str {
        self.connection.base()
    }

    fn page(&mut self, cursor: Option<&str>, most: usize) -> Result<TracePage, FetchError> {
        self.connection.begin_page();
        let number: u64 = cursor.and_then(|cursor| cursor.parse().ok()).unwrap_or(1);
        let mut pairs = self.pairs.clone();
        pairs.push(("page", number.to_string()));
        let answer = self
            .connection
            .get(&with_query("/api/public/traces", &pairs))?;
        let list: TraceList = answer.value;
        let mut traces = Vec::new();
        for listed in list.data.into_iter().take(most) {
            let path = format!("/api/public/traces/{}", segment(&listed.id));
            let records: Vec<Box<RawValue>> = match self.connection.get(&path) {
                // The trace was deleted after it was listed.
                Err(FetchError::Status { status: 404, .. }) => Vec::new(),
                answer => vec![answer?.value],
            };
            traces.push(FetchedTrace {
                id: listed.id,
                records,
            });
        }
        Ok(TracePage {
            traces,
            next: (number < list.meta.total_pages).then(|| (number + 1).to_string()),
        })
    }
}
