//! `MLflow`: searches traces page by page, and requests the spans of each separately.
//!
//! Source: the REST API of `mlflow` 3.17.2, `POST /api/3.0/mlflow/traces/search`, `GET /api/2.0/mlflow/experiments/get-by-name`, and
//! `GET /ajax-api/3.0/mlflow/get-trace-artifact`, which its web pages use for spans. The `batchGet` endpoint doesn't find traces with spans
//! stored as files. A trace is written as the SDK exports it, `{"info", "data": {"spans"}}`.

use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};

use super::{FetchedTrace, Service, TracePage, TraceSource, Variables, quoted};
use crate::connection::{Connection, base_address};
use crate::url::with_query;
use crate::{FetchError, FetchQuestion, Pause};

const TITLE: &str = "MLflow";
const URL: &[&str] = &["MLFLOW_TRACKING_URI"];
const EXPERIMENT_ID: &[&str] = &["MLFLOW_EXPERIMENT_ID"];
const EXPERIMENT: &[&str] = &["MLFLOW_EXPERIMENT_NAME"];

/// Traces per page.
const PAGE: usize = 50;

pub(super) const ENTRY: Service = Service {
    name: "mlflow",
    title: TITLE,
    format: "mlflow",
    variables: &[
        ("MLFLOW_TRACKING_URI", "the address of the tracking server"),
        (
            "MLFLOW_TRACKING_TOKEN",
            "the token, where the server asks for one",
        ),
        (
            "MLFLOW_TRACKING_USERNAME",
            "the user, with MLFLOW_TRACKING_PASSWORD, where it asks for these",
        ),
        (
            "MLFLOW_EXPERIMENT_NAME",
            "the experiment, or MLFLOW_EXPERIMENT_ID; `Default` unless set, --project overrides both",
        ),
    ],
    filters: &[
        ("name", "the trace's name"),
        ("status", "its state, `OK` or `ERROR`"),
        ("session", "its session, `mlflow.trace.session`"),
        ("user", "its user, `mlflow.trace.user`"),
        ("tag.", "a tag"),
        ("metadata.", "a value of its metadata"),
        ("where", "a filter in MLflow's own language"),
    ],
    open,
};

struct MLflow {
    connection: Connection,
    experiment: String,
    filter: String,
}

fn open(
    variables: &Variables<'_>,
    question: &FetchQuestion,
    pause: Box<dyn FnMut(&Pause)>,
) -> Result<Box<dyn TraceSource>, FetchError> {
    let address = variables.required(URL, TITLE, "it holds the address of the tracking server")?;
    let filter = filter(question)?;
    let keys = "MLFLOW_TRACKING_TOKEN, or MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD";
    let mut connection = Connection::new(base_address(URL[0], &address)?, keys, pause);
    if let Some(user) = variables.value(&["MLFLOW_TRACKING_USERNAME"]) {
        let password = variables.required(
            &["MLFLOW_TRACKING_PASSWORD"],
            TITLE,
            "it belongs to MLFLOW_TRACKING_USERNAME",
        )?;
        connection = connection.with_password(&user, &password);
    } else if let Some(token) = variables.value(&["MLFLOW_TRACKING_TOKEN"]) {
        connection = connection.with_key(&token);
    }
    let experiment = experiment(&mut connection, variables, question)?;
    Ok(Box::new(MLflow {
        connection,
        experiment,
        filter,
    }))
}

/// The experiment's id: from a variable, or looked up by name.
fn experiment(
    connection: &mut Connection,
    variables: &Variables<'_>,
    question: &FetchQuestion,
) -> Result<String, FetchError> {
    #[derive(Deserialize)]
    struct FoundExperiment {
        experiment: Experiment,
    }
    #[derive(Deserialize)]
    struct Experiment {
        experiment_id: String,
    }
    if let (None, Some(id)) = (&question.project, variables.value(EXPERIMENT_ID)) {
        return Ok(id);
    }
    let name = variables.project(question, EXPERIMENT);
    let name = name.unwrap_or_else(|| "Default".to_owned());
    let path = "/api/2.0/mlflow/experiments/get-by-name";
    let answer = connection.get(&with_query(path, &[("experiment_name", name)]))?;
    let found: FoundExperiment = answer.value;
    Ok(found.experiment.experiment_id)
}

fn filter(question: &FetchQuestion) -> Result<String, FetchError> {
    let mut parts = Vec::new();
    for (operator, bound) in question.bounds([">=", "<"]) {
        parts.push(format!("trace.timestamp_ms {operator} {}", bound.at));
    }
    let column =
        |column: &str, value: &str| quoted(value, '\'').map(|value| format!("{column} = {value}"));
    for (key, name) in [
        ("name", "trace.name"),
        ("status", "trace.status"),
        ("session", "metadata.`mlflow.trace.session`"),
        ("user", "metadata.`mlflow.trace.user`"),
    ] {
        if let Some(value) = question.value(key)? {
            parts.push(column(name, value)?);
        }
    }
    for kind in ["tag", "metadata"] {
        for (key, value) in question.under(&format!("{kind}.")) {
            parts.push(column(&format!("{kind}.{}", quoted(key, '`')?), value)?);
        }
    }
    parts.extend(question.values("where").map(str::to_owned));
    Ok(parts.join(" AND "))
}

#[derive(Deserialize)]
struct SearchAnswer {
    #[serde(default)]
    traces: Vec<Box<RawValue>>,
    #[serde(default)]
    next_page_token: Option<String>,
}

#[derive(Deserialize)]
struct ListedInfo {
    trace_id: String,
}

/// A trace as the SDK exports it.
#[derive(Serialize)]
struct ExportedTrace {
    info: Box<RawValue>,
    data: Box<RawValue>,
}

impl MLflow {
    /// A trace with its spans; empty if its spans don't exist.
    fn trace(&mut self, id: &str, info: Box<RawValue>) -> Result<Vec<Box<RawValue>>, FetchError> {
        let pairs = [("request_id", id.to_owned())];
        let path = with_query("/ajax-api/3.0/mlflow/get-trace-artifact", &pairs);
        let answer = match self.connection.get(&path) {
            Err(FetchError::Status { status: 404, .. }) => return Ok(Vec::new()),
            answer => answer?,
        };
        let record = to_raw_value(&ExportedTrace {
            info,
            data: answer.value,
        });
        Ok(vec![
            record.map_err(|error| answer.place.unexpected(&error))?,
        ])
    }
}

impl TraceSource for MLflow {
    fn address(&self) -> &str {
        self.connection.base()
    }

    fn page(&mut self, cursor: Option<&str>, most: usize) -> Result<TracePage, FetchError> {
        self.connection.begin_page();
        let mut body = json!({
            "locations": [{"type": "MLFLOW_EXPERIMENT", "mlflow_experiment": {"experiment_id": self.experiment}}],
            "order_by": ["timestamp_ms ASC"],
            "max_results": PAGE,
        });
        if !self.filter.is_empty() {
            body["filter"] = self.filter.clone().into();
        }
        if let Some(cursor) = cursor {
            body["page_token"] = cursor.into();
        }
        let answer = self
            .connection
            .post("/api/3.0/mlflow/traces/search", &body)?;
        let found: SearchAnswer = answer.value;
        let mut traces = Vec::new();
        for info in found.traces.into_iter().take(most) {
            let listed: ListedInfo = answer.place.read_part(&info)?;
            traces.push(FetchedTrace {
                records: self.trace(&listed.trace_id, info)?,
                id: listed.trace_id,
            });
        }
        Ok(TracePage {
            traces,
            next: found.next_page_token.filter(|token| !token.is_empty()),
        })
    }
}
