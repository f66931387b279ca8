//! The criteria of UiPath's evaluators for spans: the package's models, which pydantic has checked,
//! or a dict that pydantic would accept unchanged.

use pyo3::PyTypeInfo;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyList, PyString, PyTuple};
use rightcall_core::call::{
    Arguments, Call, CallMetadata, Count, Expectation, ExpectedOutput, Operator,
};
use rightcall_core::value::{Integer, JsonText, JsonWriter, Kind, Reader, Syntax};

use crate::exact;
use crate::walk::{self, Stopped};

/// A Python string.
pub(crate) type Name = Py<PyString>;

/// The expectation.
#[derive(Debug)]
pub(crate) enum Criteria {
    Order(Vec<Name>),
    /// Name, operator and number.
    Counts(Vec<(Name, Name, Integer)>),
    /// With the arguments as JSON.
    Calls(Vec<(Tool, JsonText)>),
    Outputs(Vec<(Tool, Name)>),
}

/// A tool with its name and id.
#[derive(Debug)]
pub(crate) struct Tool {
    pub(crate) name: Name,
    pub(crate) id: Option<Name>,
}

impl Criteria {
    /// Reads the criteria of an evaluator; an error if pydantic has to check them.
    pub(crate) fn of(evaluator: &str, criteria: &Bound<'_, PyAny>) -> Result<Self, Stopped> {
        let py = criteria.py();
        match evaluator {
            "uipath/tool-call-order" => {
                let order = under(criteria, intern!(py, "tool_calls_order"))?;
                each(&order, |name| text(&name)).map(Self::Order)
            }
            "uipath/tool-call-count" => {
                let counts = under(criteria, intern!(py, "tool_calls_count"))?;
                let counts = exactly::<PyDict>(&counts)?.iter().map(count);
                counts.collect::<Result<_, _>>().map(Self::Counts)
            }
            "uipath/tool-call-args" => {
                let calls = under(criteria, intern!(py, "tool_calls"))?;
                let call = |item| {
                    let (tool, arguments) = Tool::of_item(&item, intern!(py, "args"))?;
                    let mut json = JsonWriter::with_capacity(128);
                    exact::write(&mut json, exactly::<PyDict>(&arguments)?, 0)?;
                    Ok((tool, json.finish()))
                };
                each(&calls, call).map(Self::Calls)
            }
            _ => {
                let outputs = under(criteria, intern!(py, "tool_outputs"))?;
                let output = |item| {
                    let (tool, output) = Tool::of_item(&item, intern!(py, "output"))?;
                    Ok((tool, text(&output)?))
                };
                each(&outputs, output).map(Self::Outputs)
            }
        }
    }

    /// The span attribute to compare, in addition to the tool's name and id.
    pub(crate) fn attribute<'py>(&self, py: Python<'py>) -> Option<&'py Bound<'py, PyString>> {
        match self {
            Self::Order(_) | Self::Counts(_) => None,
            Self::Calls(_) => Some(intern!(py, "input.value")),
            Self::Outputs(_) => Some(intern!(py, "output.value")),
        }
    }

    /// True if a case can express them: non-empty lists and valid operators.
    pub(crate) fn is_plain(&self, py: Python<'_>) -> bool {
        let is_known = |operator: &Name| Operator::parse(&walk::text(operator.bind(py))).is_known();
        match self {
            Self::Order(_) => true,
            Self::Counts(counts) => counts.iter().all(|(_, operator, _)| is_known(operator)),
            Self::Calls(calls) => !calls.is_empty(),
            Self::Outputs(outputs) => !outputs.is_empty(),
        }
    }

    /// The criteria as an expectation of a case.
    pub(crate) fn expectation<'p>(&'p self, py: Python<'p>) -> Expectation<'p> {
        let text = |name: &'p Name| walk::text(name.bind(py));
        let mut expected = Expectation::default();
        match self {
            Self::Order(order) => expected.order = Some(order.iter().map(text).collect()),
            Self::Counts(counts) => {
                let count = |(name, operator, count): &'p (Name, Name, Integer)| Count {
                    name: text(name),
                    operator: Operator::parse(&text(operator)),
                    count: count.clone(),
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

    /// The criteria as JSON in the original's shape.
    pub(crate) fn to_json<'p>(&'p self, py: Python<'p>) -> JsonText {
        let text = |name: &'p Name| walk::text(name.bind(py));
        let mut writer = JsonWriter::new();
        writer.begin_object();
        match self {
            Self::Order(order) => {
                let writer = writer.key("tool_calls_order");
                writer.list(order, |writer, name| _ = writer.text(&text(name)));
            }
            Self::Counts(counts) => {
                writer.key("tool_calls_count").begin_object();
                for (name, operator, count) in counts {
                    let pair = writer.key_text(&text(name)).begin_list();
                    pair.text(&text(operator)).raw(&count.to_digits());
                    writer.end_list();
                }
                writer.end_object();
            }
            Self::Calls(calls) => {
                writer
                    .key("tool_calls")
                    .list(calls, |writer, (tool, json)| {
                        tool.write(py, writer.begin_object(), ["name", "id"]);
                        writer.key("args").raw(json.as_str()).end_object();
                    });
            }
            Self::Outputs(outputs) => {
                let writer = writer.key("tool_outputs");
                writer.list(outputs, |writer, (tool, output)| {
                    tool.write(py, writer.begin_object(), ["name", "id"]);
                    writer.key("output").text(&text(output)).end_object();
                });
            }
        }
        writer.end_object();
        writer.finish()
    }
}

impl Tool {
    /// The tool of an expected call or output, and the value of `key`; an error for missing or other members.
    fn of_item<'py>(
        item: &Bound<'py, PyAny>,
        key: &Bound<'py, PyString>,
    ) -> Result<(Self, Bound<'py, PyAny>), Stopped> {
        let py = item.py();
        let [name, id] = [intern!(py, "name"), intern!(py, "id")];
        let (name, value, id) = match item.cast_exact::<PyDict>() {
            Ok(dict) => {
                let (value, id) = (dict.get_item(key)?, dict.get_item(id)?);
                match (dict.get_item(name)?, value) {
                    (Some(name), Some(value)) if dict.len() == 2 + usize::from(id.is_some()) => {
                        (name, value, id)
                    }
                    _ => return Err(walk::unsuited(item)),
                }
            }
            Err(_) => (
                item.getattr(name)?,
                item.getattr(key)?,
                Some(item.getattr(id)?),
            ),
        };
        let tool = Self {
            name: text(&name)?,
            id: optional_text(id.as_ref())?,
        };
        Ok((tool, value))
    }

    /// A call of the tool.
    pub(crate) fn call<'p>(&'p self, py: Python<'p>) -> Call<'p> {
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

    /// Writes the name and the id as members.
    pub(crate) fn write(&self, py: Python<'_>, writer: &mut JsonWriter, [name, id]: [&str; 2]) {
        writer.key(name).text(&walk::text(self.name.bind(py)));
        let tool_id = self.id.as_ref();
        writer.optional(id, tool_id.map(|it| walk::text(it.bind(py))));
    }
}

/// The value of a key in criteria, which are the package's models or a dict.
fn under<'py>(
    criteria: &Bound<'py, PyAny>,
    key: &Bound<'py, PyString>,
) -> Result<Bound<'py, PyAny>, Stopped> {
    let found = match criteria.cast_exact::<PyDict>() {
        Ok(dict) if dict.len() == 1 => dict.get_item(key)?,
        Ok(_) => None,
        Err(_) => Some(criteria.getattr(key)?),
    };
    found.ok_or_else(|| walk::unsuited(criteria))
}

/// Applies `read` to the items of a list.
fn each<'py, T>(
    list: &Bound<'py, PyAny>,
    read: impl FnMut(Bound<'py, PyAny>) -> Result<T, Stopped>,
) -> Result<Vec<T>, Stopped> {
    exactly::<PyList>(list)?.iter().map(read).collect()
}

/// A name with an operator and a number.
fn count(
    (name, pair): (Bound<'_, PyAny>, Bound<'_, PyAny>),
) -> Result<(Name, Name, Integer), Stopped> {
    let (operator, number): (Bound<'_, PyAny>, Bound<'_, PyAny>) =
        exactly::<PyTuple>(&pair)?.extract()?;
    let number = walk::integer(exactly::<PyInt>(&number)?)?;
    Ok((text(&name)?, text(&operator)?, number))
}

/// An object of exactly this class; subclasses are rejected.
fn exactly<'b, 'py, T: PyTypeInfo>(
    object: &'b Bound<'py, PyAny>,
) -> Result<&'b Bound<'py, T>, Stopped> {
    object.cast_exact().map_err(|_| walk::unsuited(object))
}

/// A string of Python's own class.
pub(crate) fn text(object: &Bound<'_, PyAny>) -> Result<Name, Stopped> {
    Ok(exactly::<PyString>(object)?.clone().unbind())
}

/// A string that may be missing or None.
pub(crate) fn optional_text(object: Option<&Bound<'_, PyAny>>) -> Result<Option<Name>, Stopped> {
    object
        .filter(|object| !object.is_none())
        .map(text)
        .transpose()
}

/// Arguments as JSON, if they are an object of plain values, which all parsers read alike.
pub(crate) fn plain_arguments(json: &str) -> Option<Arguments<'_>> {
    let mut reader = Reader::new(json, Syntax::PYTHON);
    if reader.peek().ok()? != Kind::Object {
        return None;
    }
    let arguments = Arguments::read(&mut reader).ok()?;
    reader.end().ok()?;
    arguments.is_plain().then_some(arguments)
}
