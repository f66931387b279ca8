//! The services: one file each, and the list of them.

use serde_json::value::RawValue;

use crate::circles::Circles;
use crate::connection::base_address;
use crate::{FetchError, FetchQuestion, Pause};

mod braintrust;
mod langfuse;
mod langsmith;
mod mlflow;
mod phoenix;

/// All services, in display order.
pub static SERVICES: &[Service] = &[
    langfuse::ENTRY,
    langsmith::ENTRY,
    phoenix::ENTRY,
    mlflow::ENTRY,
    braintrust::ENTRY,
];

/// A tracing service.
#[derive(Debug)]
pub struct Service {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its display name.
    pub title: &'static str,
    /// The rightcall format of the traces fetched from it.
    pub format: &'static str,
    /// Its environment variables, and the meaning of each.
    pub variables: &'static [(&'static str, &'static str)],
    /// The supported filters: keys, and the meaning of each. A key that ends in a dot accepts any name after it.
    pub filters: &'static [(&'static str, &'static str)],
    /// Reads the variables and finds the project.
    pub(crate) open: OpenSource,
}

/// Opens a service's traces for a query.
pub(crate) type OpenSource = fn(
    &Variables<'_>,
    &FetchQuestion,
    Box<dyn FnMut(&Pause)>,
) -> Result<Box<dyn TraceSource>, FetchError>;

impl Service {
    /// The service with this name.
    ///
    /// # Errors
    /// No service has this name.
    pub fn find(name: &str) -> Result<&'static Self, FetchError> {
        let found = SERVICES.iter().find(|service| service.name == name);
        found.ok_or_else(|| FetchError::UnknownService {
            name: name.to_owned(),
            known: SERVICES
                .iter()
                .map(|service| service.name)
                .collect::<Vec<_>>()
                .join(", "),
        })
    }

    /// Connects to the service and finds the project. `pause` waits while the service is busy, and
    /// may report the delay.
    ///
    /// # Errors
    /// A variable is missing, a filter is unknown, or the service does not answer.
    pub fn open(
        &self,
        variables: &Variables<'_>,
        question: &FetchQuestion,
        pause: Box<dyn FnMut(&Pause)>,
    ) -> Result<Box<dyn TraceSource>, FetchError> {
        for (key, _) in &question.filters {
            let is_known = |(known, _): &(&str, &str)| match known.strip_suffix('.') {
                Some(_) => key.starts_with(known) && key.len() > known.len(),
                None => known == key,
            };
            if !self.filters.iter().any(is_known) {
                let known: Vec<_> = self.filters.iter().map(|(key, _)| shown_key(key)).collect();
                return Err(FetchError::usage(
                    format!("{} has no filter `{key}`", self.title),
                    format!("it has {}", known.join(", ")),
                ));
            }
        }
        (self.open)(variables, question, pause)
    }
}

/// A key for display. One that accepts any name after it is shown as `metadata.KEY`.
fn shown_key(key: &str) -> String {
    if key.ends_with('.') {
        format!("{key}KEY")
    } else {
        key.to_owned()
    }
}

/// The environment variables.
pub struct Variables<'v>(pub &'v dyn Fn(&str) -> Option<String>);

impl Variables<'_> {
    /// The first of these variables that is set and not empty, with its name.
    pub(crate) fn first<'n>(&self, names: &[&'n str]) -> Option<(&'n str, String)> {
        names.iter().find_map(|name| {
            let value = (self.0)(name)?.trim().to_owned();
            (!value.is_empty()).then_some((*name, value))
        })
    }

    /// The value of the first of these variables that is set and not empty.
    pub(crate) fn value(&self, names: &[&str]) -> Option<String> {
        Some(self.first(names)?.1)
    }

    /// The address in the first of these variables that is set.
    pub(crate) fn address(&self, names: &[&str], default: &str) -> Result<String, FetchError> {
        let (variable, address) = self.first(names).unwrap_or((names[0], default.to_owned()));
        base_address(variable, &address)
    }

    /// The requested project, or the one in the first of these variables that is set.
    pub(crate) fn project(&self, question: &FetchQuestion, names: &[&str]) -> Option<String> {
        question.project.clone().or_else(|| self.value(names))
    }

    /// The value of the first of these variables that is set; an error if none is.
    pub(crate) fn required(
        &self,
        names: &[&str],
        service: &'static str,
        help: &'static str,
    ) -> Result<String, FetchError> {
        self.value(names)
            .ok_or_else(|| FetchError::MissingVariable {
                service,
                variable: names[0].to_owned(),
                help,
            })
    }
}

/// The traces that match a query, page by page.
pub trait TraceSource {
    /// The service's address, safe to show.
    fn address(&self) -> &str;

    /// The next traces, at most this many, from the start or from the previous page's cursor.
    ///
    /// Traces are complete: all records of a trace are in the same page.
    ///
    /// # Errors
    /// The service does not answer, or its response does not match its public API.
    fn page(&mut self, cursor: Option<&str>, most: usize) -> Result<TracePage, FetchError>;
}

/// Some traces, and the cursor of the next ones.
#[derive(Debug, Default)]
pub struct TracePage {
    /// The traces.
    pub traces: Vec<FetchedTrace>,
    /// The next page's cursor; `None` after the last page.
    pub next: Option<String>,
}

/// A trace as a service sent it.
#[derive(Debug)]
pub struct FetchedTrace {
    /// Its id.
    pub id: String,
    /// The lines of its trace or spans. Empty if the service lists the trace but has no data for
    /// it.
    pub records: Vec<Box<RawValue>>,
}

/// Groups records by trace id, in the order of `ids`. A record of another trace is an error of the service.
fn grouped(
    ids: Vec<String>,
    records: impl IntoIterator<Item = (String, Box<RawValue>)>,
) -> Result<Vec<FetchedTrace>, String> {
    let empty = |id| FetchedTrace {
        id,
        records: Vec::new(),
    };
    let mut traces: Vec<_> = ids.into_iter().map(empty).collect();
    for (id, record) in records {
        let Some(trace) = traces.iter_mut().find(|trace| trace.id == id) else {
            return Err(format!("it holds the trace {id}, which was not asked for"));
        };
        trace.records.push(record);
    }
    Ok(traces)
}

/// Records with their trace ids, and the next cursor.
type RecordPage = (Vec<(String, Box<RawValue>)>, Option<String>);

/// Requests all pages of a query.
///
/// # Errors
/// An error of a page, or a repeated page or cursor.
fn all_pages(
    address: &str,
    mut page: impl FnMut(Option<String>) -> Result<RecordPage, FetchError>,
) -> Result<Vec<(String, Box<RawValue>)>, FetchError> {
    let (mut all, mut cursor) = (Vec::new(), None);
    let mut circles = Circles::default();
    loop {
        let (records, next) = page(cursor)?;
        let Some(next) = next.filter(|_| !records.is_empty()) else {
            all.extend(records);
            return Ok(all);
        };
        let texts = records.iter().map(|(_, record)| record.get());
        circles
            .page(texts, &next, 0)
            .map_err(|what| FetchError::Circle {
                address: address.to_owned(),
                what: what.to_owned(),
            })?;
        all.extend(records);
        cursor = Some(next);
    }
}

/// The first `most` distinct ids.
fn distinct(ids: impl IntoIterator<Item = String>, most: usize) -> Vec<String> {
    let mut distinct: Vec<String> = Vec::new();
    for id in ids {
        if distinct.len() < most && !distinct.contains(&id) {
            distinct.push(id);
        }
    }
    distinct
}

/// Quotes a text for a filter language. Texts that would need escapes are rejected, since each language escapes differently.
fn quoted(text: &str, quote: char) -> Result<String, FetchError> {
    if text.contains([quote, '\\']) || text.contains(char::is_control) {
        return Err(FetchError::usage(
            format!("`{text}` cannot be asked for"),
            format!("values hold no {quote}, no backslash and no control characters"),
        ));
    }
    Ok(format!("{quote}{text}{quote}"))
}
