//! Spans that UiPath's evaluators judge: their texts stay Python's own, and none is written as JSON to be parsed again.

use std::borrow::Cow;

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyList, PyString, PyTuple};
use rightcall::call::{
    ArgumentSource, Arguments, Call, CallMetadata, Case, Count, Expectation, ExpectedOutput,
    Operator, Trajectory,
};
use rightcall::value::{
    HashKey, Integer, JsonText, JsonWriter, Kind, Reader, Syntax, Text, is_json,
};

use crate::exact;
use crate::recorded::SpanReader;
use crate::walk;

type Name = Py<PyString>;

/// What is expected, and the calls that were made.
#[derive(Debug)]
pub(crate) struct SpanCalls {
    expected: Expected,
    actual: Vec<SpanCall>,
}

#[derive(Debug)]
enum Expected {
    Order(Vec<Name>),
    /// Name, operator and number.
    Counts(Vec<(Name, Name, i64)>),
    /// With the JSON of the arguments.
    Calls(Vec<(Tool, JsonText)>),
    Outputs(Vec<(Tool, Name)>),
}

/// A tool, by its name and its id.
#[derive(Debug)]
struct Tool {
    name: Name,
    id: Option<Name>,
}

/// A call that a span recorded.
#[derive(Debug)]
struct SpanCall {
    tool: Tool,
    /// The attribute that is compared with what is expected.
    value: Option<Name>,
}

/// What of a call is compared.
enum Value<'p> {
    Absent,
    /// Arguments that every reader of JSON reads alike.
    Arguments(Arguments<'p>),
    /// Arguments that the evaluator decodes, and the JSON of the text.
    Text(Text<'p>, JsonText),
    /// An output as JSON: the object that its text holds, else the text.
    Output(Cow<'p, str>),
}

impl SpanCalls {
    /// The calls of spans, and the criteria for them; `None` where anything is not as plain as it mostly is.
    pub(crate) fn of(
        evaluator: &str,
        criteria: &Bound<'_, PyAny>,
        spans: &Bound<'_, PyAny>,
    ) -> Option<Self> {
        let py = criteria.py();
        let criteria = |key| under(criteria, key);
        let (expected, attribute) = match evaluator {
            "uipath/tool-call-order" => (
                Expected::order(&criteria(intern!(py, "tool_calls_order"))?)?,
                None,
            ),
            "uipath/tool-call-count" => (
                Expected::counts(&criteria(intern!(py, "tool_calls_count"))?)?,
                None,
            ),
            "uipath/tool-call-args" => (
                Expected::calls(&criteria(intern!(py, "tool_calls"))?)?,
                Some(intern!(py, "input.value")),
            ),
            "uipath/tool-call-output" => (
                Expected::outputs(&criteria(intern!(py, "tool_outputs"))?)?,
                Some(intern!(py, "output.value")),
            ),
            _ => return None,
        };
        let spans = spans.cast_exact::<PyList>().ok()?;
        let mut actual = Vec::with_capacity(spans.len());
        let mut reader = SpanReader::default();
        for span in spans {
            let Some(attributes) = reader.attributes(&span).ok()? else {
                continue;
            };
            if let Some(name) = attributes.get_item(intern!(py, "tool.name")).ok()?
                && let Some(call) = SpanCall::of(&name, &attributes, attribute)?
            {
                actual.push(call);
            }
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
        let values: Vec<_> = self
            .actual
            .iter()
            .map(|call| self.value(call, py))
            .collect();
        let calls = self.actual.iter().zip(&values).map(|(call, value)| {
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
                Value::Output(json) => made.metadata_mut().output = Some(json),
            }
            made
        });
        look(&Case {
            expected: self.expected.expectation(py),
            actual: Some(Trajectory {
                calls: calls.collect(),
                spans: Vec::new(),
            }),
            hash_key,
            ..Case::default()
        })
    }

    /// What of a call is compared with what is expected.
    fn value<'p>(&self, call: &'p SpanCall, py: Python<'p>) -> Value<'p> {
        let Some(value) = &call.value else {
            return Value::Absent;
        };
        let value = value.bind(py);
        let utf8 = value.to_str().ok();
        let is_output = matches!(self.expected, Expected::Outputs(_));
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

    /// Both sides as JSON texts in the original's shape.
    pub(crate) fn to_texts(&self, py: Python<'_>) -> (String, String) {
        let mut expected = JsonWriter::new();
        self.expected.write(py, &mut expected);
        let value = match self.expected {
            Expected::Outputs(_) => "output.value",
            _ => "input.value",
        };
        let mut actual = JsonWriter::new();
        actual.begin_list();
        for call in &self.actual {
            actual.begin_object().key("attributes").begin_object();
            call.tool.write(py, &mut actual, ["tool.name", "tool.id"]);
            if let Some(text) = &call.value {
                actual.key(value).text(&walk::text(text.bind(py)));
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

impl SpanCall {
    /// The call of a span; nothing where it is none.
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
            Some(key) => Some(text(&attributes.get_item(key).ok()??)?),
            None => None,
        };
        Some(Some(Self {
            tool: Tool {
                name: name.clone().unbind(),
                id: optional_text(id.as_ref())?,
            },
            value,
        }))
    }
}

impl Tool {
    /// The tool of an expected call or output, and what stands under `key`; `None` if anything else is there, or is missing.
    fn of_item<'py>(
        item: &Bound<'py, PyAny>,
        key: &Bound<'py, PyString>,
    ) -> Option<(Self, Bound<'py, PyAny>)> {
        let py = item.py();
        let [name, id] = [intern!(py, "name"), intern!(py, "id")];
        let (name, value, id) = match item.cast_exact::<PyDict>() {
            Ok(dict) => {
                let id = dict.get_item(id).ok()?;
                if dict.len() != 2 + usize::from(id.is_some()) {
                    return None;
                }
                (dict.get_item(name).ok()??, dict.get_item(key).ok()??, id)
            }
            Err(_) => (
                item.getattr(name).ok()?,
                item.getattr(key).ok()?,
                Some(item.getattr(id).ok()?),
            ),
        };
        let tool = Self {
            name: text(&name)?,
            id: optional_text(id.as_ref())?,
        };
        Some((tool, value))
    }

    /// A call of the tool.
    fn call<'p>(&'p self, py: Python<'p>) -> Call<'p> {
        let id = self.id.as_ref();
        Call {
            name: walk::text(self.name.bind(py)),
            metadata: id.map(|id| {
                Box::new(CallMetadata {
                    tool_id: Some(walk::text(id.bind(py))),
                    ..CallMetadata::default()
                })
            }),
            ..Call::default()
        }
    }

    /// Writes name and id as members.
    fn write(&self, py: Python<'_>, writer: &mut JsonWriter, [name, id]: [&str; 2]) {
        writer.key(name).text(&walk::text(self.name.bind(py)));
        if let Some(tool_id) = &self.id {
            writer.key(id).text(&walk::text(tool_id.bind(py)));
        }
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

    fn calls(calls: &Bound<'_, PyAny>) -> Option<Self> {
        let call = |item: Bound<'_, PyAny>| {
            let (tool, arguments) = Tool::of_item(&item, intern!(item.py(), "args"))?;
            let mut json = JsonWriter::with_capacity(128);
            exact::write(&mut json, arguments.cast_exact::<PyDict>().ok()?, 0).ok()?;
            Some((tool, json.finish()))
        };
        let calls = stated(calls)?.iter();
        Some(Self::Calls(calls.map(call).collect::<Option<_>>()?))
    }

    fn outputs(outputs: &Bound<'_, PyAny>) -> Option<Self> {
        let output = |item: Bound<'_, PyAny>| {
            let (tool, output) = Tool::of_item(&item, intern!(item.py(), "output"))?;
            Some((tool, text(&output)?))
        };
        let outputs = stated(outputs)?.iter();
        Some(Self::Outputs(outputs.map(output).collect::<Option<_>>()?))
    }

    fn expectation<'p>(&'p self, py: Python<'p>) -> Expectation<'p> {
        let text = |name: &'p Name| walk::text(name.bind(py));
        let mut expected = Expectation::default();
        match self {
            Self::Order(order) => expected.order = Some(order.iter().map(text).collect()),
            Self::Counts(counts) => {
                let count = |(name, operator, count): &'p (Name, Name, i64)| Count {
                    name: text(name),
                    operator: Operator::parse(&text(operator)),
                    count: Integer::from(*count),
                };
                expected.counts = Some(counts.iter().map(count).collect());
            }
            Self::Calls(calls) => {
                let call = |(tool, json): &'p (Tool, JsonText)| {
                    let mut call = tool.call(py);
                    call.arguments = plain_arguments(json.as_str())
                        .unwrap_or_else(|| Arguments::json(json.as_str()));
                    call
                };
                expected.calls = Some(calls.iter().map(call).collect());
            }
            Self::Outputs(outputs) => {
                let output = |(tool, output): &'p (Tool, Name)| ExpectedOutput {
                    name: text(&tool.name),
                    tool_id: tool.id.as_ref().map(text),
                    output: text(output),
                };
                expected.outputs = Some(outputs.iter().map(output).collect());
            }
        }
        expected
    }

    /// Writes the criteria.
    fn write(&self, py: Python<'_>, writer: &mut JsonWriter) {
        let text = |name: &Name| walk::text(name.bind(py)).into_owned();
        writer.begin_object();
        match self {
            Self::Order(order) => {
                writer.key("tool_calls_order").begin_list();
                for name in order {
                    writer.text(&text(name));
                }
                writer.end_list();
            }
            Self::Counts(counts) => {
                writer.key("tool_calls_count").begin_object();
                for (name, operator, count) in counts {
                    writer
                        .key_text(&text(name))
                        .begin_list()
                        .text(&text(operator));
                    writer.integer(*count);
                    writer.end_list();
                }
                writer.end_object();
            }
            Self::Calls(calls) => {
                writer.key("tool_calls").begin_list();
                for (tool, json) in calls {
                    writer.begin_object();
                    tool.write(py, writer, ["name", "id"]);
                    writer.key("args").raw(json.as_str());
                    writer.end_object();
                }
                writer.end_list();
            }
            Self::Outputs(outputs) => {
                writer.key("tool_outputs").begin_list();
                for (tool, output) in outputs {
                    writer.begin_object();
                    tool.write(py, writer, ["name", "id"]);
                    writer.key("output").text(&text(output));
                    writer.end_object();
                }
                writer.end_list();
            }
        }
        writer.end_object();
    }
}

/// Arguments as JSON, if this is an object of plain values, which every reader reads alike.
fn plain_arguments(json: &str) -> Option<Arguments<'_>> {
    let mut reader = Reader::new(json, Syntax::PYTHON);
    if reader.peek().ok()? != Kind::Object {
        return None;
    }
    let arguments = Arguments::read(&mut reader).ok()?;
    reader.end().ok()?;
    arguments.is_plain().then_some(arguments)
}

/// True for the JSON text of an object.
fn is_object(json: &str) -> bool {
    let kind = Reader::new(json, Syntax::PYTHON).peek();
    matches!(kind, Ok(Kind::Object)) && is_json(json, Syntax::PYTHON)
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

/// A list that demands anything.
fn stated<'b, 'py>(list: &'b Bound<'py, PyAny>) -> Option<&'b Bound<'py, PyList>> {
    let list = list.cast_exact::<PyList>().ok()?;
    (!list.is_empty()).then_some(list)
}

fn text(object: &Bound<'_, PyAny>) -> Option<Name> {
    Some(object.cast_exact::<PyString>().ok()?.clone().unbind())
}

#[expect(clippy::option_option, reason = "not plain, or none")]
fn optional_text(object: Option<&Bound<'_, PyAny>>) -> Option<Option<Name>> {
    match object.filter(|object| !object.is_none()) {
        Some(object) => text(object).map(Some),
        None => Some(None),
    }
}
