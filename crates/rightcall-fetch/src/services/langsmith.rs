//! `LangSmith`: lists root runs page by page, and requests all runs of their traces together.
//!
//! Source: the public API as used by the Python client 0.11.1, `POST /runs/query` and `GET /sessions`, under the same base address.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::{
    RecordPage, Service, TracePage, TraceSource, Variables, all_pages, distinct, grouped, quoted,
};
use crate::connection::Connection;
use crate::url::with_query;
use crate::{FetchError, FetchQuestion, Pause, TimeBound};

const TITLE: &str = "LangSmith";
const URL: &[&str] = &["LANGSMITH_ENDPOINT", "LANGCHAIN_ENDPOINT"];
const KEY: &[&str] = &["LANGSMITH_API_KEY", "LANGCHAIN_API_KEY"];
const PROJECT: &[&str] = &["LANGSMITH_PROJECT", "LANGCHAIN_PROJECT"];
const WORKSPACE: &[&str] = &["LANGSMITH_WORKSPACE_ID"];

/// Traces per page, and runs per response.
const PAGE: usize = 50;
const RUNS: usize = 100;

/// The fields requested for each run.
const FIELDS: [&str; 16] = [
    "id",
    "trace_id",
    "parent_run_id",
    "dotted_order",
    "session_id",
    "name",
    "run_type",
    "start_time",
    "end_time",
    "inputs",
    "outputs",
    "error",
    "extra",
    "tags",
    "status",
    "reference_example_id",
];

pub(super) const ENTRY: Service = Service {
    name: "langsmith",
    title: TITLE,
    format: "langsmith",
    variables: &[
        ("LANGSMITH_API_KEY", "the key"),
        (
            "LANGSMITH_PROJECT",
            "the project, `default` unless set; --project overrides it",
        ),
        (
            "LANGSMITH_WORKSPACE_ID",
            "the workspace, where a key is good for several",
        ),
        (
            "LANGSMITH_ENDPOINT",
            "the address, https://api.smith.langchain.com unless set",
        ),
    ],
    filters: &[
        ("name", "the name of the root run"),
        ("tag", "a tag of it; may stand several times"),
        ("status", "its status, `success` or `error`"),
        ("metadata.", "a value of its metadata"),
        (
            "where",
            "a filter in LangSmith's own language, of the root run",
        ),
    ],
    open,
};

struct LangSmith {
    connection: Connection,
    session: String,
    since: Option<String>,
    /// The filter of root runs, in the service's query language.
    filter: Option<String>,
}

fn open(
    variables: &Variables<'_>,
    question: &FetchQuestion,
    pause: Box<dyn FnMut(&Pause)>,
) -> Result<Box<dyn TraceSource>, FetchError> {
    let key = variables.required(KEY, TITLE, "the settings of LangSmith give keys")?;
    let address = variables.address(URL, "https://api.smith.langchain.com")?;
    let project = variables.project(question, PROJECT);
    let project = project.unwrap_or_else(|| "default".to_owned());
    let filter = filter(question)?;
    let connection = Connection::new(address, KEY[0], pause);
    let mut connection = connection.with_secret("x-api-key", key.clone(), &key);
    if let Some(workspace) = variables.value(WORKSPACE) {
        connection = connection.with_header("x-tenant-id", workspace);
    }
    let session = session(&mut connection, &project)?;
    Ok(Box::new(LangSmith {
        connection,
        session,
        since: question.since.as_ref().map(TimeBound::rfc3339),
        filter,
    }))
}

/// Looks up the id of a project by its name.
fn session(connection: &mut Connection, project: &str) -> Result<String, FetchError> {
    #[derive(Deserialize)]
    struct Session {
        id: String,
    }
    let pairs = [("name", project.to_owned()), ("limit", "1".to_owned())];
    let answer = connection.get(&with_query("/sessions", &pairs))?;
    let sessions: Vec<Session> = answer.value;
    let first = sessions.into_iter().next();
    first.map(|session| session.id).ok_or_else(|| {
        let what = format!("LangSmith has no project `{project}`");
        FetchError::usage(what, "--project or LANGSMITH_PROJECT names one")
    })
}

fn filter(question: &FetchQuestion) -> Result<Option<String>, FetchError> {
    let mut parts = Vec::new();
    for (operator, bound) in question.bounds(["gte", "lt"]) {
        parts.push(format!("{operator}(start_time, \"{}\")", bound.rfc3339()));
    }
    for key in ["name", "status"] {
        if let Some(value) = question.value(key)? {
            parts.push(format!("eq({key}, {})", quoted(value, '"')?));
        }
    }
    for tag in question.values("tag") {
        parts.push(format!("has(tags, {})", quoted(tag, '"')?));
    }
    for (key, value) in question.under("metadata.") {
        let (key, value) = (quoted(key, '"')?, quoted(value, '"')?);
        parts.push(format!(
            "and(eq(metadata_key, {key}), eq(metadata_value, {value}))"
        ));
    }
    parts.extend(question.values("where").map(str::to_owned));
    Ok(match parts.len() {
        0 => None,
        1 => parts.pop(),
        _ => Some(format!("and({})", parts.join(", "))),
    })
}

#[derive(Deserialize)]
struct RunList {
    runs: Vec<Box<RawValue>>,
    #[serde(default)]
    cursors: Option<RunCursors>,
}

#[derive(Deserialize)]
struct RunCursors {
    next: Option<String>,
}

#[derive(Deserialize)]
struct ListedRun {
    trace_id: String,
}

impl LangSmith {
    fn query(
        &mut self,
        more: Value,
        filter: Option<String>,
        cursor: Option<String>,
    ) -> Result<RecordPage, FetchError> {
        let mut body = Map::new();
        body.insert("session".to_owned(), json!([self.session]));
        let optional = [
            ("start_time", self.since.clone()),
            ("filter", filter),
            ("cursor", cursor),
        ];
        for (key, value) in optional {
            body.extend(value.map(|value| (key.to_owned(), value.into())));
        }
        if let Value::Object(more) = more {
            body.extend(more);
        }
        let answer = self.connection.post("/runs/query", &body.into())?;
        let list: RunList = answer.value;
        let with_trace = |run: Box<RawValue>| {
            let listed: ListedRun = answer.place.read_part(&run)?;
            Ok((listed.trace_id, run))
        };
        let next = list.cursors.and_then(|cursors| cursors.next);
        let runs: Result<Vec<_>, FetchError> = list.runs.into_iter().map(with_trace).collect();
        Ok((runs?, next))
    }
}

impl TraceSource for LangSmith {
    fn address(&self) -> &str {
        self.connection.base()
    }

    fn page(&mut self, cursor: Option<&str>, most: usize) -> Result<TracePage, FetchError> {
        self.connection.begin_page();
        let roots =
            json!({"is_root": true, "order": "asc", "limit": PAGE, "select": ["id", "trace_id"]});
        let (roots, next) = self.query(roots, self.filter.clone(), cursor.map(str::to_owned))?;
        let ids = distinct(roots.into_iter().map(|(trace, _)| trace), most);
        if ids.is_empty() {
            let traces = Vec::new();
            return Ok(TracePage { traces, next });
        }
        let quoted: Result<Vec<_>, _> = ids.iter().map(|id| quoted(id, '"')).collect();
        let filter = format!("in(trace_id, [{}])", quoted?.join(", "));
        let place = self.connection.place("/runs/query");
        let all = all_pages(&place.url, |cursor| {
            let more = json!({"limit": RUNS, "select": FIELDS});
            self.query(more, Some(filter.clone()), cursor)
        })?;
        let traces = grouped(ids, all).map_err(|what| place.unexpected(&what))?;
        Ok(TracePage { traces, next })
    }
}
