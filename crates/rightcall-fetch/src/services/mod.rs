//! The services: one file each, and the one list of them.

use serde_json::value::RawValue;

use crate::circles::Circles;
use crate::connection::base_address;
use crate::{FetchError, FetchQuestion, Pause};

mod braintrust;
mod langfuse;
mod langsmith;
mod mlflow;
mod phoenix;

/// All services, in the order in which they are listed.
pub static SERVICES: &[Service] = &[
    langfuse::ENTRY,
    langsmith::ENTRY,
    phoenix::ENTRY,
    mlflow::ENTRY,
    braintrust::ENTRY,
];

/// A service that keeps traces.
#[derive(Debug)]
pub struct Service {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// The format in which rightcall reads what is fetched of it.
    pub format: &'static str,
    /// The variables that it is reached by, each with what it holds.
    pub variables: &'static [(&'static str, &'static str)],
    /// What traces can be asked for by: keys, with what they mean. A key that ends in a dot takes any name behind it.
    pub filters: &'static [(&'static str, &'static str)],
    /// Reads the variables, and finds the project.
    pub(crate) open: OpenSource,
}

/// How the traces of a service come, for this question.
pub(crate) type OpenSource = fn(
    &Variables<'_>,
    &FetchQuestion,
    Box<dyn FnMut(&Pause)>,
) -> Result<Box<dyn TraceSource>, FetchError>;

impl Service {
    /// The service of this name.
    ///
    /// # Errors
    /// There is none.
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

    /// Reaches the service, and finds the project that is asked for. `pause` waits while the service is busy, and may say so.
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

/// `metadata.KEY` for a key that takes any name behind it.
fn shown_key(key: &str) -> String {
    if key.ends_with('.') {
        format!("{key}KEY")
    } else {
        key.to_owned()
    }
}

/// The variables of the environment.
pub struct Variables<'v>(pub &'v dyn Fn(&str) -> Option<String>);

impl Variables<'_> {
    /// The first of these that is set to something, with its name.
    pub(crate) fn first<'n>(&self, names: &[&'n str]) -> Option<(&'n str, String)> {
        names.iter().find_map(|name| {
            let value = (self.0)(name)?.trim().to_owned();
            (!value.is_empty()).then_some((*name, value))
        })
    }

    /// The value of the first of these that is set to something.
    pub(crate) fn value(&self, names: &[&str]) -> Option<String> {
        Some(self.first(names)?.1)
    }

    /// The address that the first of these names.
    pub(crate) fn address(&self, names: &[&str], default: &str) -> Result<String, FetchError> {
        let (variable, address) = self.first(names).unwrap_or((names[0], default.to_owned()));
        base_address(variable, &address)
    }

    /// The project that is asked for, or that the first of these names.
    pub(crate) fn project(&self, question: &FetchQuestion, names: &[&str]) -> Option<String> {
        question.project.clone().or_else(|| self.value(names))
    }

    /// The value of the first of these, which the service needs.
    pub(crate) fn needed(
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

/// Where the traces of one question come from, page by page.
pub trait TraceSource {
    /// The address that is asked, as it may be shown.
    fn address(&self) -> &str;

    /// At most this number of traces, from the beginning or from where the cursor of the page before points.
    ///
    /// Traces are whole: all that belongs to one is in its page.
    ///
    /// # Errors
    /// The service does not answer, or with what its public interface does not say.
    fn page(&mut self, cursor: Option<&str>, most: usize) -> Result<TracePage, FetchError>;
}

/// Some traces, and where the next are.
#[derive(Debug, Default)]
pub struct TracePage {
    /// The traces.
    pub traces: Vec<FetchedTrace>,
    /// How to ask for the next page; `None` behind the last one.
    pub next: Option<String>,
}

/// A trace as a service answered it.
#[derive(Debug)]
pub struct FetchedTrace {
    /// Its id.
    pub id: String,
    /// What is written of it, each a line: the trace, or its spans. Nothing if the service lists it and has no more of it.
    pub records: Vec<Box<RawValue>>,
}

/// The records of traces by their ids, in the order of the traces. What belongs to none of them is an error of the service.
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

/// The records of traces, and the cursor behind them.
type RecordPage = (Vec<(String, Box<RawValue>)>, Option<String>);

/// All that is behind a question, asked for page by page.
///
/// # Errors
/// Of a page, and where a page or a cursor comes again.
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

/// The ids, each once, and no more than that.
fn distinct(ids: impl IntoIterator<Item = String>, most: usize) -> Vec<String> {
    let mut distinct: Vec<String> = Vec::new();
    for id in ids {
        if distinct.len() < most && !distinct.contains(&id) {
            distinct.push(id);
        }
    }
    distinct
}

/// A text in the quotes of a language for filters. What would need an escape there is refused, since each has its own.
fn quoted(text: &str, quote: char) -> Result<String, FetchError> {
    if text.contains([quote, '\\']) || text.contains(char::is_control) {
        return Err(FetchError::usage(
            format!("`{text}` cannot be asked for"),
            format!("values hold no {quote}, no backslash and no control characters"),
        ));
    }
    Ok(format!("{quote}{text}{quote}"))
}
