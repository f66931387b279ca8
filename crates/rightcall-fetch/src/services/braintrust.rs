//! Braintrust: queries the logs of a project, a page of traces with all their spans at a time.
//!
//! Source: `GET /v1/project` of the `OpenAPI` document 1.0.0 (commit b561b12 of braintrust-openapi), and Braintrust's documentation of
//! `POST /btql`: SQL over `project_logs` in the shape `traces`, with a `LIMIT` that counts traces. Rows are under `data`. The next cursor
//! is in the response or in `x-bt-cursor`, and is sent back as `OFFSET`.

use std::fmt::Write as _;

use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use super::{Service, TracePage, TraceSource, Variables, distinct, grouped, quoted};
use crate::connection::Connection;
use crate::url::with_query;
use crate::{FetchError, FetchQuestion, Pause};

const TITLE: &str = "Braintrust";
const URL: &[&str] = &["BRAINTRUST_API_URL"];
const KEY: &[&str] = &["BRAINTRUST_API_KEY"];
const PROJECT: &[&str] = &["BRAINTRUST_PROJECT", "BRAINTRUST_DEFAULT_PROJECT"];

const NAMES_PROJECT: &str = "--project or BRAINTRUST_PROJECT names one";
/// Traces per page.
const PAGE: usize = 50;

pub(super) const ENTRY: Service = Service {
    name: "braintrust",
    title: TITLE,
    format: "braintrust",
    variables: &[
        ("BRAINTRUST_API_KEY", "the key"),
        (
            "BRAINTRUST_API_URL",
            "the address, https://api.braintrust.dev unless set",
        ),
        (
            "BRAINTRUST_PROJECT",
            "the project, by its name; BRAINTRUST_DEFAULT_PROJECT is read too, --project overrides both",
        ),
    ],
    filters: &[
        ("name", "the name of the root span"),
        ("tag", "a tag of it; may stand several times"),
        ("metadata.", "a value of its metadata"),
        (
            "where",
            "a filter in Braintrust's own language, of the root span",
        ),
    ],
    open,
};

struct Braintrust {
    connection: Connection,
    project: String,
    /// The filter of root spans, in the service's query language.
    filter: String,
}

fn open(
    variables: &Variables<'_>,
    question: &FetchQuestion,
    pause: Box<dyn FnMut(&Pause)>,
) -> Result<Box<dyn TraceSource>, FetchError> {
    let key = variables.required(KEY, TITLE, "the settings of Braintrust give keys")?;
    let address = variables.address(URL, "https://api.braintrust.dev")?;
    let name = variables.project(question, PROJECT).ok_or_else(|| {
        let what = "Braintrust keeps traces by project, and none is named";
        FetchError::usage(what, NAMES_PROJECT)
    })?;
    let filter = filter(question)?;
    let mut connection = Connection::new(address, KEY[0], pause).with_key(&key);
    let project = project(&mut connection, &name)?;
    Ok(Box::new(Braintrust {
        connection,
        project: quoted(&project, '\'')?,
        filter,
    }))
}

/// Looks up the id of a project by its name.
fn project(connection: &mut Connection, name: &str) -> Result<String, FetchError> {
    #[derive(Deserialize)]
    struct Projects {
        objects: Vec<Project>,
    }
    #[derive(Deserialize)]
    struct Project {
        id: String,
    }
    let pairs = [("project_name", name.to_owned()), ("limit", "1".to_owned())];
    let answer = connection.get(&with_query("/v1/project", &pairs))?;
    let projects: Projects = answer.value;
    let first = projects.objects.into_iter().next();
    first.map(|project| project.id).ok_or_else(|| {
        let what = format!("Braintrust has no project `{name}`");
        FetchError::usage(what, NAMES_PROJECT)
    })
}

fn filter(question: &FetchQuestion) -> Result<String, FetchError> {
    let mut parts = vec!["is_root = true".to_owned()];
    for (operator, bound) in question.bounds([">=", "<"]) {
        parts.push(format!("created {operator} '{}'", bound.rfc3339()));
    }
    if let Some(name) = question.value("name")? {
        parts.push(format!("span_attributes.name = {}", quoted(name, '\'')?));
    }
    for tag in question.values("tag") {
        parts.push(format!("tags IN ({})", quoted(tag, '\'')?));
    }
    for (key, value) in question.under("metadata.") {
        parts.push(format!(
            "metadata.{} = {}",
            quoted(key, '"')?,
            quoted(value, '\'')?
        ));
    }
    parts.extend(
        question
            .values("where")
            .map(|expression| format!("({expression})")),
    );
    Ok(parts.join(" AND "))
}

#[derive(Deserialize)]
struct RowList {
    data: Vec<Box<RawValue>>,
    #[serde(default)]
    cursor: Option<String>,
}

#[derive(Deserialize)]
struct ListedRow {
    root_span_id: String,
}

impl TraceSource for Braintrust {
    fn address(&self) -> &str {
        self.connection.base()
    }

    fn page(&mut self, cursor: Option<&str>, most: usize) -> Result<TracePage, FetchError> {
        self.connection.begin_page();
        let mut query = format!(
            "SELECT * FROM project_logs({}, shape => 'traces') WHERE {} ORDER BY _pagination_key DESC LIMIT {PAGE}",
            self.project, self.filter
        );
        if let Some(cursor) = cursor {
            _ = write!(query, " OFFSET {}", quoted(cursor, '\'')?);
        }
        let body = json!({"query": query, "fmt": "json"});
        let answer = self.connection.post("/btql", &body)?;
        let list: RowList = answer.value;
        let mut rows = Vec::new();
        for row in list.data {
            let listed: ListedRow = answer.place.read_part(&row)?;
            rows.push((listed.root_span_id, row));
        }
        let next = list.cursor.or_else(|| answer.cursor.clone());
        // After the last rows, the service may still send a cursor, to an empty page.
        let next = next.filter(|next| !next.is_empty() && !rows.is_empty());
        let ids = distinct(rows.iter().map(|(trace, _)| trace.clone()), most);
        rows.retain(|(trace, _)| ids.contains(trace));
        let traces = grouped(ids, rows).map_err(|what| answer.place.unexpected(&what))?;
        Ok(TracePage { traces, next })
    }
}
