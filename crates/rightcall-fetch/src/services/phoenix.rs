//! Arize Phoenix: lists root spans page by page, and requests all spans of their traces together.
//!
//! Source: the public API as used by the Python client 3.5.0, `GET /v1/projects/{project}/spans`.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Service, TracePage, TraceSource, Variables, all_pages, distinct, grouped};
use crate::connection::{Connection, base_address};
use crate::url::{origin, segment, with_query};
use crate::{FetchError, FetchQuestion, Pause};

const URL: &[&str] = &[
    "PHOENIX_ENDPOINT",
    "PHOENIX_COLLECTOR_ENDPOINT",
    "PHOENIX_HOST",
];
const PROJECT: &[&str] = &["PHOENIX_PROJECT", "PHOENIX_PROJECT_NAME"];

/// Traces per page, and spans per response.
const PAGE: usize = 50;
const SPANS: usize = 500;

pub(super) const ENTRY: Service = Service {
    name: "phoenix",
    title: "Phoenix",
    format: "flat-spans",
    variables: &[
        (
            "PHOENIX_COLLECTOR_ENDPOINT",
            "the address, http://localhost:6006 unless set; PHOENIX_ENDPOINT and PHOENIX_HOST are read too",
        ),
        ("PHOENIX_API_KEY", "the key, where Phoenix asks for one"),
        (
            "PHOENIX_PROJECT",
            "the project, `default` unless set; PHOENIX_PROJECT_NAME is read too, --project overrides both",
        ),
    ],
    filters: &[
        ("name", "the name of the root span"),
        ("status", "its status, `OK` or `ERROR`"),
        ("session", "its session, the attribute `session.id`"),
        (
            "attribute.",
            "an attribute of it, as Phoenix reads it: a number, `true`, a text",
        ),
    ],
    open,
};

struct Phoenix {
    connection: Connection,
    path: String,
    /// The query parameters for root spans.
    pairs: Vec<(&'static str, String)>,
}

fn open(
    variables: &Variables<'_>,
    question: &FetchQuestion,
    pause: Box<dyn FnMut(&Pause)>,
) -> Result<Box<dyn TraceSource>, FetchError> {
    let project = variables.project(question, PROJECT);
    let project = project.unwrap_or_else(|| "default".to_owned());
    let mut connection = Connection::new(address(variables)?, "PHOENIX_API_KEY", pause);
    if let Some(key) = variables.value(&["PHOENIX_API_KEY"]) {
        connection = connection.with_key(&key);
    }
    Ok(Box::new(Phoenix {
        connection,
        path: format!("/v1/projects/{}/spans", segment(&project)),
        pairs: pairs(question)?,
    }))
}

/// The address of the service. A collector's address may end in the OTLP path, and a host may have no scheme.
fn address(variables: &Variables<'_>) -> Result<String, FetchError> {
    let (variable, value) = variables
        .first(URL)
        .unwrap_or((URL[1], "http://localhost:6006".to_owned()));
    let value = value.trim_end_matches('/');
    let value = value.strip_suffix("/v1/traces").unwrap_or(value);
    if variable == "PHOENIX_HOST" && origin(value).is_none() {
        let port = variables.value(&["PHOENIX_PORT"]);
        let port = port.unwrap_or_else(|| "6006".to_owned());
        return base_address(variable, &format!("http://{value}:{port}"));
    }
    base_address(variable, value)
}

fn pairs(question: &FetchQuestion) -> Result<Vec<(&'static str, String)>, FetchError> {
    let mut pairs = vec![
        ("parent_id", "null".to_owned()),
        ("limit", PAGE.to_string()),
    ];
    let bounds = question.bounds(["start_time", "end_time"]);
    pairs.extend(bounds.map(|(key, bound)| (key, bound.rfc3339())));
    for (filter, key) in [("name", "name"), ("status", "status_code")] {
        pairs.extend(question.value(filter)?.map(|value| (key, value.to_owned())));
    }
    let session = question.value("session")?;
    pairs.extend(session.map(|session| ("attribute", format!("session.id:\"{session}\""))));
    let attributes = question.under("attribute.");
    pairs.extend(attributes.map(|(key, value)| ("attribute", format!("{key}:{value}"))));
    Ok(pairs)
}

#[derive(Deserialize)]
struct SpanList {
    data: Vec<Box<RawValue>>,
    next_cursor: Option<String>,
}

#[derive(Deserialize)]
struct ListedSpan {
    context: ListedContext,
    parent_id: Option<String>,
}

#[derive(Deserialize)]
struct ListedContext {
    trace_id: String,
}

impl Phoenix {
    /// Spans with their trace ids, and whether any has a parent.
    fn spans(&mut self, pairs: &[(&str, String)]) -> Result<ListedSpans, FetchError> {
        let answer = self.connection.get(&with_query(&self.path, pairs))?;
        let list: SpanList = answer.value;
        let mut listed = ListedSpans {
            spans: Vec::new(),
            has_parents: false,
            next: list.next_cursor,
        };
        for text in list.data {
            let span: ListedSpan = answer.place.read_part(&text)?;
            listed.has_parents |= span.parent_id.is_some();
            listed.spans.push((span.context.trace_id, text));
        }
        Ok(listed)
    }

    /// The error for an old server: it ignores query parameters that it doesn't know.
    fn too_old(&self, what: &str) -> FetchError {
        let what = format!("{what}; Phoenix 13.15 or later is needed");
        self.connection.place(&self.path).unexpected(&what)
    }
}

struct ListedSpans {
    spans: Vec<(String, Box<RawValue>)>,
    has_parents: bool,
    next: Option<String>,
}

impl TraceSource for Phoenix {
    fn address(&self) -> &str {
        self.connection.base()
    }

    fn page(&mut self, cursor: Option<&str>, most: usize) -> Result<TracePage, FetchError> {
        self.connection.begin_page();
        let mut pairs = self.pairs.clone();
        pairs.extend(cursor.map(|cursor| ("cursor", cursor.to_owned())));
        let roots = self.spans(&pairs)?;
        if roots.has_parents {
            return Err(self.too_old("it holds other spans than root spans"));
        }
        let next = roots.next;
        let ids = distinct(roots.spans.into_iter().map(|(trace, _)| trace), most);
        if ids.is_empty() {
            let traces = Vec::new();
            return Ok(TracePage { traces, next });
        }
        let place = self.connection.place(&self.path);
        let all = all_pages(&place.url, |cursor| {
            let mut pairs = vec![("limit", SPANS.to_string())];
            pairs.extend(ids.iter().map(|id| ("trace_id", id.clone())));
            pairs.extend(cursor.map(|cursor| ("cursor", cursor)));
            let page = self.spans(&pairs)?;
            Ok((page.spans, page.next))
        })?;
        let traces = grouped(ids, all).map_err(|what| self.too_old(&what))?;
        Ok(TracePage { traces, next })
    }
}
