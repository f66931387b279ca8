//! UiPath's criteria and the spans that an agent recorded, as the package's own objects hold them.
//!
//! Of a span only those attributes are written that the evaluator reads. The spans of OpenTelemetry's SDK keep theirs in a plain dict
//! behind a lock and a read-only view, each of which costs more than to compare what is in it, so the dict is taken where the class
//! is the SDK's own.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyInt, PyList, PyString, PyTuple, PyType};
use rightcall::value::JsonWriter;

use crate::exact;
use crate::walk::{self, Stopped};

/// What of criteria and spans an evaluator reads.
struct Fields {
    /// The key of the criteria.
    key: &'static str,
    /// The members of what stands under it, where these are objects; the first two must be there.
    members: &'static [&'static str],
    /// The attribute beside the name and the id of the tool.
    value: Option<&'static str>,
}

impl Fields {
    fn of(evaluator: &str) -> Self {
        let (key, members, value) = match evaluator {
            "uipath/tool-call-order" => ("tool_calls_order", &[][..], None),
            "uipath/tool-call-count" => ("tool_calls_count", &[][..], None),
            "uipath/tool-call-args" => (
                "tool_calls",
                &["name", "args", "id"][..],
                Some("input.value"),
            ),
            _ => (
                "tool_outputs",
                &["name", "output", "id"][..],
                Some("output.value"),
            ),
        };
        Self {
            key,
            members,
            value,
        }
    }
}

/// The criteria and the calls as JSON texts in the original's shape.
pub(crate) fn texts(
    evaluator: &str,
    criteria: &Bound<'_, PyAny>,
    spans: &Bound<'_, PyAny>,
) -> PyResult<(String, String)> {
    let py = criteria.py();
    let into_error = |stopped: Stopped| stopped.into_error(py);
    let fields = Fields::of(evaluator);
    let mut expected = JsonWriter::with_capacity(256);
    write_criteria(&mut expected, criteria, &fields).map_err(into_error)?;
    let mut actual = JsonWriter::with_capacity(512);
    write_spans(&mut actual, spans, fields.value).map_err(into_error)?;
    Ok((
        expected.finish().into_string(),
        actual.finish().into_string(),
    ))
}

/// Writes criteria: the package's models, whose types pydantic has seen to, or a dict that pydantic would take as it is.
fn write_criteria(
    writer: &mut JsonWriter,
    criteria: &Bound<'_, PyAny>,
    fields: &Fields,
) -> Result<(), Stopped> {
    let py = criteria.py();
    let key = PyString::intern(py, fields.key);
    let given = match criteria.cast_exact::<PyDict>() {
        Ok(dict) if dict.len() == 1 => dict.get_item(&key)?,
        Ok(_) => None,
        Err(_) => Some(criteria.getattr(&key)?),
    };
    let given = given.ok_or_else(|| walk::unsuited(criteria))?;
    writer.begin_object().key(fields.key);
    if let Ok(counts) = given.cast_exact::<PyDict>() {
        write_counts(writer, counts)?;
    } else {
        let list = given
            .cast_exact::<PyList>()
            .map_err(|_| walk::unsuited(&given))?;
        let members: Vec<_> = fields
            .members
            .iter()
            .map(|member| PyString::intern(py, member))
            .collect();
        writer.begin_list();
        for item in list {
            if members.is_empty() {
                write_text(writer, &item)?;
            } else {
                write_item(writer, &item, fields.members, &members)?;
            }
        }
        writer.end_list();
    }
    writer.end_object();
    Ok(())
}

fn write_counts(writer: &mut JsonWriter, counts: &Bound<'_, PyDict>) -> Result<(), Stopped> {
    writer.begin_object();
    for (name, count) in counts {
        exact::write_key(writer, &name)?;
        let pair = count
            .cast_exact::<PyTuple>()
            .map_err(|_| walk::unsuited(&count))?;
        let (operator, number): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
        writer.begin_list();
        write_text(writer, &operator)?;
        if !number.is_exact_instance_of::<PyInt>() {
            return Err(walk::unsuited(&number));
        }
        exact::write(writer, &number, 0)?;
        writer.end_list();
    }
    writer.end_object();
    Ok(())
}

fn write_text(writer: &mut JsonWriter, object: &Bound<'_, PyAny>) -> Result<(), Stopped> {
    let text = object
        .cast_exact::<PyString>()
        .map_err(|_| walk::unsuited(object))?;
    Ok(walk::write_text(writer, text)?)
}

/// Writes a call or an output: its name, what it is to have, and the id of its tool, which may be missing.
fn write_item<'py>(
    writer: &mut JsonWriter,
    item: &Bound<'py, PyAny>,
    names: &[&str],
    members: &[Bound<'py, PyString>],
) -> Result<(), Stopped> {
    let dict = item.cast_exact::<PyDict>().ok();
    let mut found = 0;
    writer.begin_object();
    for (name, member) in names.iter().zip(members) {
        let value = match dict {
            Some(dict) => dict.get_item(member)?,
            None => Some(item.getattr(member)?),
        };
        let Some(value) = value else { continue };
        found += 1;
        let is_suited = match *name {
            "args" => value.is_exact_instance_of::<PyDict>(),
            "id" => value.is_none() || value.is_exact_instance_of::<PyString>(),
            _ => value.is_exact_instance_of::<PyString>(),
        };
        if !is_suited {
            return Err(walk::unsuited(&value));
        }
        exact::write(writer.key(name), &value, 0)?;
    }
    writer.end_object();
    // What is missing, and what is not known, is for pydantic to judge.
    if dict.is_some_and(|dict| dict.len() != found || found < 2) {
        return Err(walk::unsuited(item));
    }
    Ok(())
}

fn write_spans(
    writer: &mut JsonWriter,
    spans: &Bound<'_, PyAny>,
    value: Option<&str>,
) -> Result<(), Stopped> {
    let py = spans.py();
    let read = [
        intern!(py, "tool.name").clone(),
        intern!(py, "tool.synthesized").clone(),
        intern!(py, "tool.id").clone(),
    ];
    let value = value.map(|value| PyString::intern(py, value));
    let mut reader = SpanReader::default();
    writer.begin_list();
    for span in spans.try_iter()? {
        let Some(attributes) = reader.attributes(&span?)? else {
            continue;
        };
        writer.begin_object().key("attributes").begin_object();
        for name in read.iter().chain(&value) {
            if let Some(found) = attributes.get_item(name)? {
                exact::write(writer.key(name.to_str()?), &found, 0)?;
            }
        }
        writer.end_object().end_object();
    }
    writer.end_list();
    Ok(())
}

/// Finds the attributes of spans.
#[derive(Default)]
pub(crate) struct SpanReader<'py> {
    /// A class whose attributes are those of the SDK's spans.
    of_sdk: Option<Bound<'py, PyType>>,
}

impl<'py> SpanReader<'py> {
    /// The attributes of a span; `None` where there are none.
    pub(crate) fn attributes(
        &mut self,
        span: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        let py = span.py();
        let given = if self.is_of_sdk(span)? {
            let kept = span.getattr(intern!(py, "_attributes"))?;
            if kept.is_instance_of::<PyDict>() || kept.is_none() {
                kept
            } else {
                kept.getattr_opt(intern!(py, "_dict"))?.unwrap_or(kept)
            }
        } else if let Ok(dict) = span.cast::<PyDict>() {
            match dict.get_item(intern!(py, "attributes"))? {
                Some(attributes) => attributes,
                None => return Ok(None),
            }
        } else {
            span.getattr(intern!(py, "attributes"))?
        };
        if given.is_none() {
            return Ok(None);
        }
        match given.cast_into::<PyDict>() {
            Ok(dict) => Ok(Some(dict)),
            Err(other) => {
                let copied = py.get_type::<PyDict>().call1((other.into_inner(),))?;
                Ok(Some(copied.cast_into()?))
            }
        }
    }

    /// True if the span's class has the `attributes` of the SDK, which only show what `_attributes` holds.
    fn is_of_sdk(&mut self, span: &Bound<'py, PyAny>) -> PyResult<bool> {
        static SHOWN: PyOnceLock<Option<Py<PyAny>>> = PyOnceLock::new();
        let class = span.get_type();
        if self.of_sdk.as_ref().is_some_and(|known| known.is(&class)) {
            return Ok(true);
        }
        let py = span.py();
        let name = intern!(py, "attributes");
        let Some(shown) = SHOWN.get_or_init(py, || {
            let sdk = py.import("opentelemetry.sdk.trace").ok()?;
            let class = sdk.getattr("ReadableSpan").ok()?;
            class.getattr(name).ok().map(Bound::unbind)
        }) else {
            return Ok(false);
        };
        let is_of_sdk = class.getattr_opt(name)?.is_some_and(|it| it.is(shown));
        if is_of_sdk {
            self.of_sdk = Some(class);
        }
        Ok(is_of_sdk)
    }
}
