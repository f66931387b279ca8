//! Spans that are judged by the names of their tools alone, which stay the texts of Python that they are.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyList, PyString, PyTuple};
use rightcall::call::{Call, CallMetadata, Case, Count, Expectation, Operator, Trajectory};
use rightcall::value::{HashKey, Integer, JsonWriter};

use crate::recorded::SpanReader;
use crate::walk;

type Name = Py<PyString>;

/// What is expected of the names, and the names of the calls that were made.
#[derive(Debug)]
pub(crate) struct NamedCalls {
    expected: Expected,
    /// With the ids of the tools.
    actual: Vec<(Name, Option<Name>)>,
}

#[derive(Debug)]
enum Expected {
    Order(Vec<Name>),
    /// Name, operator and number.
    Counts(Vec<(Name, Name, i64)>),
}

impl NamedCalls {
    /// The calls of spans by criteria for an order or for counts; `None` where anything is not as plain as it mostly is.
    pub(crate) fn of(
        evaluator: &str,
        criteria: &Bound<'_, PyAny>,
        spans: &Bound<'_, PyAny>,
    ) -> Option<Self> {
        let py = criteria.py();
        let expected = match evaluator {
            "uipath/tool-call-order" => {
                Expected::order(&under(criteria, intern!(py, "tool_calls_order"))?)?
            }
            "uipath/tool-call-count" => {
                Expected::counts(&under(criteria, intern!(py, "tool_calls_count"))?)?
            }
            _ => return None,
        };
        let mut reader = SpanReader::default();
        let mut actual = Vec::new();
        for span in spans.cast_exact::<PyList>().ok()? {
            let Some(attributes) = reader.attributes(&span).ok()? else {
                continue;
            };
            let attribute = |name| attributes.get_item(name).ok();
            let Some(name) = attribute(intern!(py, "tool.name"))? else {
                continue;
            };
            if attribute(intern!(py, "tool.synthesized"))?.is_some() {
                return None;
            }
            let id = match attribute(intern!(py, "tool.id"))? {
                Some(id) if !id.is_none() => Some(text(&id)?),
                _ => None,
            };
            let name = name.cast_into_exact::<PyString>().ok()?;
            if name.is_empty().ok()? {
                continue;
            }
            actual.push((name.unbind(), id));
        }
        Some(Self { expected, actual })
    }

    /// Lends the case to `look`.
    pub(crate) fn with_case<T>(
        &self,
        py: Python<'_>,
        hash_key: HashKey,
        look: impl FnOnce(&Case<'_>) -> T,
    ) -> T {
        let text = |name: &'_ Name| walk::text(name.bind(py)).into_owned();
        let mut expected = Expectation::default();
        match &self.expected {
            Expected::Order(order) => {
                expected.order = Some(order.iter().map(|name| walk::text(name.bind(py))).collect());
            }
            Expected::Counts(counts) => {
                let count = |(name, operator, count): &(Name, Name, i64)| Count {
                    name: text(name),
                    operator: Operator::parse(&text(operator)),
                    count: Integer::from(*count),
                };
                expected.counts = Some(counts.iter().map(count).collect());
            }
        }
        let calls = self.actual.iter().map(|(name, id)| Call {
            name: walk::text(name.bind(py)),
            metadata: id.as_ref().map(|id| {
                Box::new(CallMetadata {
                    tool_id: Some(walk::text(id.bind(py))),
                    ..CallMetadata::default()
                })
            }),
            ..Call::default()
        });
        look(&Case {
            expected,
            actual: Some(Trajectory {
                calls: calls.collect(),
                spans: Vec::new(),
            }),
            hash_key,
            ..Case::default()
        })
    }

    /// Both sides as JSON texts in the original's shape.
    pub(crate) fn to_texts(&self, py: Python<'_>) -> (String, String) {
        let mut expected = JsonWriter::new();
        expected.begin_object();
        match &self.expected {
            Expected::Order(order) => {
                expected.key("tool_calls_order").begin_list();
                for name in order {
                    expected.text(&walk::text(name.bind(py)));
                }
                expected.end_list();
            }
            Expected::Counts(counts) => {
                expected.key("tool_calls_count").begin_object();
                for (name, operator, count) in counts {
                    expected
                        .key_text(&walk::text(name.bind(py)))
                        .begin_list()
                        .text(&walk::text(operator.bind(py)));
                    expected.integer(*count);
                    expected.end_list();
                }
                expected.end_object();
            }
        }
        expected.end_object();
        let mut actual = JsonWriter::new();
        actual.begin_list();
        for (name, id) in &self.actual {
            actual.begin_object().key("attributes").begin_object();
            actual.key("tool.name").text(&walk::text(name.bind(py)));
            if let Some(id) = id {
                actual.key("tool.id").text(&walk::text(id.bind(py)));
            }
            actual.end_object().end_object();
        }
        actual.end_list();
        (
            expected.finish().into_string(),
            actual.finish().into_string(),
        )
    }
}

impl Expected {
    fn order(order: &Bound<'_, PyAny>) -> Option<Self> {
        let names = order.cast_exact::<PyList>().ok()?.iter();
        Some(Self::Order(
            names.map(|name| text(&name)).collect::<Option<_>>()?,
        ))
    }

    fn counts(counts: &Bound<'_, PyAny>) -> Option<Self> {
        let count = |(name, pair): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
            let pair = pair.cast_exact::<PyTuple>().ok()?;
            let [operator, number] = [pair.get_item(0).ok()?, pair.get_item(1).ok()?];
            let is_plain = pair.len() == 2 && number.is_exact_instance_of::<PyInt>();
            let operator = text(&operator).filter(|operator| {
                is_plain && Operator::parse(&walk::text(operator.bind(pair.py()))).is_known()
            })?;
            Some((text(&name)?, operator, number.extract().ok()?))
        };
        let counts = counts.cast_exact::<PyDict>().ok()?.iter();
        Some(Self::Counts(counts.map(count).collect::<Option<_>>()?))
    }
}

/// What stands under the key of criteria, the package's models or a dict.
fn under<'py>(
    criteria: &Bound<'py, PyAny>,
    key: &Bound<'py, PyString>,
) -> Option<Bound<'py, PyAny>> {
    match criteria.cast_exact::<PyDict>() {
        Ok(dict) if dict.len() == 1 => dict.get_item(key).ok()?,
        Ok(_) => None,
        Err(_) => criteria.getattr(key).ok(),
    }
}

fn text(object: &Bound<'_, PyAny>) -> Option<Name> {
    Some(object.cast_exact::<PyString>().ok()?.clone().unbind())
}
