//! Spans for UiPath's evaluators. Their texts stay Python objects, without a detour through JSON.

use std::borrow::Cow;

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use rightcall_core::call::{ArgumentSource, Arguments, Case, Trajectory};
use rightcall_core::value::{
    HashKey, JsonText, JsonWriter, Kind, Reader, Syntax, Text, decode_with,
};
use rightcall_core::{Ask, Evaluation, Evaluator as Core, Outcome};

use crate::recorded::{self, SpanReader};
use crate::span_criteria::{Criteria, Name, Tool, optional_text, plain_arguments, text};
use crate::walk::{self, Stopped};

/// The expectation and the recorded calls.
#[derive(Debug)]
pub(crate) struct SpanCase {
    criteria: Criteria,
    actual: Actual,
}

/// The recorded calls.
#[derive(Debug)]
enum Actual {
    Calls(Vec<SpanCall>),
    /// Spans as JSON, if one has values other than strings.
    Json(JsonText),
}

/// A recorded call.
#[derive(Debug)]
struct SpanCall {
    tool: Tool,
    /// The attribute to compare with the expectation.
    value: Option<Name>,
}

/// The part of a call to compare.
enum Value<'p> {
    Absent,
    /// Arguments that all JSON parsers read in the same way.
    Arguments(Arguments<'p>),
    /// Arguments for the evaluator to decode, and the text as a JSON string.
    Text(Text<'p>, JsonText),
    /// An output as JSON: the object in its text, else the text.
    Output(Cow<'p, str>),
}

impl SpanCase {
    /// Converts criteria and spans for an evaluator. An error if Python's own objects must decide.
    pub(crate) fn of(
        evaluator: &str,
        criteria: &Bound<'_, PyAny>,
        spans: &Bound<'_, PyAny>,
    ) -> Result<Self, Stopped> {
        let py = criteria.py();
        let criteria = Criteria::of(evaluator, criteria)?;
        let compared = criteria.attribute(py);
        let is_plain = criteria.is_plain(py);
        let actual = match is_plain.then(|| calls_of(spans, compared)).flatten() {
            Some(calls) => Actual::Calls(calls),
            None => Actual::Json(recorded::json(spans, compared)?),
        };
        Ok(Self { criteria, actual })
    }

    /// The evaluator's outcome, without explanation.
    pub(crate) fn outcome(&self, py: Python<'_>, core: &Core, hash_key: HashKey) -> Outcome {
        let Actual::Calls(calls) = &self.actual else {
            return self.evaluate_native(py, core, Ask::OUTCOME).outcome;
        };
        let values: Vec<_> = calls.iter().map(|call| self.value(call, py)).collect();
        let calls = calls.iter().zip(&values).map(|(call, value)| {
            let mut made = call.tool.call(py);
            match value {
                Value::Absent => {}
                Value::Arguments(arguments) => made.arguments = arguments.clone(),
                Value::Text(text, json) => {
                    made.arguments = Arguments::new(ArgumentSource::Text {
                        text: text.reborrow(),
                        json: json.as_str(),
                    });
                }
                Value::Output(json) => made.metadata_mut().output = Some(Cow::Borrowed(json)),
            }
            made
        });
        let case = Case {
            expected: self.criteria.expectation(py),
            actual: Some(Trajectory {
                calls: calls.collect(),
                spans: Vec::new(),
            }),
            hash_key,
            ..Case::default()
        };
        core.evaluate(&case, Ask::OUTCOME).outcome
    }

    /// Evaluates both sides in the original's shape.
    pub(crate) fn evaluate_native(&self, py: Python<'_>, core: &Core, ask: Ask) -> Evaluation {
        let expected = self.criteria.to_json(py);
        let calls_json;
        let actual = match &self.actual {
            Actual::Json(json) => json,
            Actual::Calls(calls) => {
                calls_json = json_of(py, calls, self.criteria.attribute(py));
                &calls_json
            }
        };
        core.evaluate_native(expected.as_str(), actual.as_str(), ask)
    }

    /// The part of a call to compare with the expectation.
    fn value<'p>(&self, call: &'p SpanCall, py: Python<'p>) -> Value<'p> {
        let Some(value) = &call.value else {
            return Value::Absent;
        };
        let value = value.bind(py);
        let utf8 = value.to_str().ok();
        let is_output = matches!(self.criteria, Criteria::Outputs(_));
        if is_output && let Some(object) = utf8.filter(|it| is_object(it)) {
            return Value::Output(Cow::Borrowed(object));
        }
        if !is_output && let Some(arguments) = utf8.and_then(plain_arguments) {
            return Value::Arguments(arguments);
        }
        let text = walk::text(value);
        let mut json = JsonWriter::new();
        json.text(&text);
        let json = json.finish();
        if is_output {
            Value::Output(Cow::Owned(json.into_string()))
        } else {
            Value::Text(text, json)
        }
    }
}

/// The calls in spans; `None` unless everything is in the usual plain form.
fn calls_of(
    spans: &Bound<'_, PyAny>,
    compared: Option<&Bound<'_, PyString>>,
) -> Option<Vec<SpanCall>> {
    let py = spans.py();
    let spans = spans.cast_exact::<PyList>().ok()?;
    let mut calls = Vec::with_capacity(spans.len());
    let mut reader = SpanReader::default();
    for span in spans {
        let Some(attributes) = reader.attributes(&span).ok()? else {
            continue;
        };
        if let Some(name) = attributes.get_item(intern!(py, "tool.name")).ok()?
            && let Some(call) = SpanCall::of(&name, &attributes, compared)?
        {
            calls.push(call);
        }
    }
    Some(calls)
}

/// Writes calls as spans, as JSON in the original's shape.
fn json_of(py: Python<'_>, calls: &[SpanCall], compared: Option<&Bound<'_, PyString>>) -> JsonText {
    let mut writer = JsonWriter::new();
    writer.begin_list();
    for call in calls {
        writer.begin_object().key("attributes").begin_object();
        call.tool.write(py, &mut writer, ["tool.name", "tool.id"]);
        if let (Some(value), Some(key)) = (&call.value, compared) {
            writer
                .key_text(&walk::text(key))
                .text(&walk::text(value.bind(py)));
        }
        writer.end_object().end_object();
    }
    writer.end_list();
    writer.finish()
}

impl SpanCall {
    /// Reads the call of a span. `None` if it is not plain, `Some(None)` if it is not a call.
    #[expect(clippy::option_option, reason = "not plain, or no call")]
    fn of<'py>(
        name: &Bound<'py, PyAny>,
        attributes: &Bound<'py, PyDict>,
        value: Option<&Bound<'py, PyString>>,
    ) -> Option<Option<Self>> {
        let py = name.py();
        if attributes.contains(intern!(py, "tool.synthesized")).ok()? {
            return None;
        }
        let id = attributes.get_item(intern!(py, "tool.id")).ok()?;
        let name = name.cast_exact::<PyString>().ok()?;
        if name.is_empty().ok()? {
            return Some(None);
        }
        let value = match value {
            Some(key) => Some(text(&attributes.get_item(key).ok()??).ok()?),
            None => None,
        };
        Some(Some(Self {
            tool: Tool {
                name: name.clone().unbind(),
                id: optional_text(id.as_ref()).ok()?,
            },
            value,
        }))
    }
}

/// True if the text is a JSON object, which the evaluator decodes.
fn is_object(json: &str) -> bool {
    let mut reader = Reader::new(json, Syntax::PYTHON);
    if reader.peek() != Ok(Kind::Object) {
        return false;
    }
    let is_plain = reader.plain_object(|_, _, _| {}) && reader.end().is_ok();
    // Skipping a value checks less than decoding it, so decode unless the object is plain.
    is_plain || decode_with(json, Syntax::PYTHON).is_ok()
}
