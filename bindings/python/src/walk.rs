//! Python objects to JSON text: what cases are made of, walked once.
//!
//! Plain objects (dicts, lists, texts, numbers) come first and cost little. Others are taken by what they say of themselves:
//! dataclasses, pydantic models, named tuples, mappings, enumerations, OpenTelemetry spans, scalars of numpy. Anything else is an
//! error that names the place; nothing is turned into text by its `repr`.

use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyMapping, PySequence, PyString, PyTuple, PyType};
use rightcall::call::{ArgumentsWriter, WrittenArguments, WrittenKey};
use rightcall::value::{JsonWriter, MAX_DEPTH, Text, TextBuilder};

use crate::errors;
pub(crate) use crate::plain::Plain;

/// Why a walk ended.
#[derive(Debug)]
pub(crate) enum Stopped {
    /// Something stands there that no case can hold.
    Unsuited { pointer: String, message: String },
    /// Python raised an error.
    Raised(PyErr),
}

impl Stopped {
    /// The same, one step further out.
    pub(crate) fn under(self, step: impl std::fmt::Display) -> Self {
        match self {
            Self::Unsuited { pointer, message } => {
                let step = step.to_string().replace('~', "~0").replace('/', "~1");
                Self::Unsuited {
                    pointer: format!("/{step}{pointer}"),
                    message,
                }
            }
            raised @ Self::Raised(_) => raised,
        }
    }

    fn unsuited(message: String) -> Self {
        Self::Unsuited {
            pointer: String::new(),
            message,
        }
    }

    /// As Python sees it.
    pub(crate) fn into_error(self, py: Python<'_>) -> PyErr {
        match self {
            Self::Unsuited { pointer, message } => errors::unsuited(py, &pointer, &message),
            Self::Raised(error) => error,
        }
    }
}

impl From<PyErr> for Stopped {
    fn from(error: PyErr) -> Self {
        Self::Raised(error)
    }
}

/// Writes a Python object as JSON.
pub(crate) fn write(writer: &mut JsonWriter, object: &Bound<'_, PyAny>) -> Result<(), Stopped> {
    write_at(writer, object, 0)
}

/// The JSON text of a Python object.
pub(crate) fn json_of(object: &Bound<'_, PyAny>) -> PyResult<String> {
    let mut writer = JsonWriter::new();
    write(&mut writer, object).map_err(|stopped| stopped.into_error(object.py()))?;
    Ok(writer.finish().as_str().to_owned())
}

fn write_at(
    writer: &mut JsonWriter,
    object: &Bound<'_, PyAny>,
    depth: usize,
) -> Result<(), Stopped> {
    if depth > MAX_DEPTH {
        return Err(Stopped::unsuited(format!(
            "nested deeper than {MAX_DEPTH} levels, or in itself"
        )));
    }
    match Plain::of(object) {
        Plain::Text(text) => write_text(writer, text)?,
        Plain::Integer(integer) => write_integer(writer, integer)?,
        Plain::Float(float) => _ = writer.python_float(float.value()),
        Plain::Bool(boolean) => _ = writer.bool(boolean),
        Plain::None => _ = writer.null(),
        Plain::Dict(dict) => {
            writer.begin_object();
            for (key, value) in dict {
                entry(writer, &key, &value, depth)?;
            }
            writer.end_object();
        }
        Plain::List(list) => return items(writer, list.iter(), depth),
        Plain::Not => return write_other(writer, object, depth),
    }
    Ok(())
}

/// Keys that were written into a text, by the objects that they were: arguments of one origin share these.
#[derive(Default)]
pub(crate) struct Keys<'py>([Option<(Bound<'py, PyAny>, WrittenKey)>; KEYS]);

/// How many keys are known at once.
const KEYS: usize = 16;

impl<'py> Keys<'py> {
    /// Writes a key; false, and nothing is written, if it is not a plain text.
    #[inline]
    fn write(&mut self, arguments: &mut ArgumentsWriter<'_>, key: &Bound<'py, PyAny>) -> bool {
        let known = &mut self.0[place_of(key.as_ptr().addr())];
        if let Some((object, written)) = known
            && key.is(&*object)
        {
            arguments.key_again(written);
            return true;
        }
        let text = text_of(key);
        if let Some(text) = text {
            *known = Some((key.clone(), arguments.key(text)));
        }
        text.is_some()
    }
}

/// Where a key at an address is known, if it is.
fn place_of(address: usize) -> usize {
    // The golden ratio spreads addresses, which are multiples of sizes.
    ((address as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - KEYS.ilog2())) as usize
}

/// Writes the arguments of a call.
pub(crate) fn write_arguments<'py>(
    writer: &mut JsonWriter,
    keys: &mut Keys<'py>,
    dict: &Bound<'py, PyDict>,
) -> Result<WrittenArguments, Stopped> {
    let mut arguments = ArgumentsWriter::new(writer);
    for (key, value) in dict {
        if keys.write(&mut arguments, &key) {
            write_argument(&mut arguments, &value).map_err(|stopped| stopped.under(&key))?;
        } else {
            entry(arguments.any(), &key, &value, 0)?;
        }
    }
    Ok(arguments.finish())
}

/// Writes an argument.
#[inline]
fn write_argument(
    arguments: &mut ArgumentsWriter<'_>,
    value: &Bound<'_, PyAny>,
) -> Result<(), Stopped> {
    match Plain::of(value) {
        Plain::Text(text) => match text.to_str() {
            Ok(text) => arguments.string(text),
            Err(_) => write_text(arguments.any(), text)?,
        },
        Plain::Integer(integer) => match integer.extract() {
            Ok(integer) => arguments.integer(integer),
            Err(_) => write_integer(arguments.any(), integer)?,
        },
        Plain::Float(float) => arguments.float(float.value()),
        Plain::Bool(boolean) => arguments.bool(boolean),
        Plain::None => arguments.null(),
        Plain::Dict(_) | Plain::List(_) | Plain::Not => write_at(arguments.any(), value, 1)?,
    }
    Ok(())
}

fn items<'py>(
    writer: &mut JsonWriter,
    items: impl Iterator<Item = Bound<'py, PyAny>>,
    depth: usize,
) -> Result<(), Stopped> {
    writer.begin_list();
    for (index, item) in items.enumerate() {
        write_at(writer, &item, depth + 1).map_err(|stopped| stopped.under(index))?;
    }
    writer.end_list();
    Ok(())
}

fn entry(
    writer: &mut JsonWriter,
    key: &Bound<'_, PyAny>,
    value: &Bound<'_, PyAny>,
    depth: usize,
) -> Result<(), Stopped> {
    let Ok(name) = key.cast::<PyString>() else {
        let what = describe(key);
        return Err(Stopped::unsuited(format!(
            "expected texts as keys, found {what}"
        )));
    };
    match name.to_str() {
        Ok(name) => writer.key(name),
        Err(_) => writer.key_text(&with_surrogates(name)?),
    };
    write_at(writer, value, depth + 1).map_err(|stopped| stopped.under(name.to_string_lossy()))
}

/// Writes a text; lone surrogates, which Python's texts may hold, as their escapes.
pub(crate) fn write_text(writer: &mut JsonWriter, text: &Bound<'_, PyString>) -> PyResult<()> {
    match text.to_str() {
        Ok(plain) => writer.str(plain),
        Err(_) => writer.text(&with_surrogates(text)?),
    };
    Ok(())
}

/// The text of a string without lone surrogates.
pub(crate) fn text_of<'a>(object: &'a Bound<'_, PyAny>) -> Option<&'a str> {
    object
        .cast_exact::<PyString>()
        .or_else(|_| object.cast::<PyString>())
        .ok()?
        .to_str()
        .ok()
}

/// The text of a string.
#[inline]
pub(crate) fn text<'a>(text: &'a Bound<'_, PyString>) -> Text<'a> {
    match text.to_str() {
        Ok(text) => Text::new(text),
        // Every string has code points.
        Err(_) => with_surrogates(text).unwrap_or_default(),
    }
}

#[cold]
fn with_surrogates(text: &Bound<'_, PyString>) -> PyResult<Text<'static>> {
    let py = text.py();
    let bytes = text.call_method1(
        intern!(py, "encode"),
        (intern!(py, "utf-32-le"), intern!(py, "surrogatepass")),
    )?;
    let bytes: Vec<u8> = bytes.extract()?;
    let mut builder = TextBuilder::default();
    bytes
        .as_chunks()
        .0
        .iter()
        .for_each(|&point| builder.push(u32::from_le_bytes(point)));
    Ok(builder.finish())
}

pub(crate) fn write_integer(writer: &mut JsonWriter, integer: &Bound<'_, PyInt>) -> PyResult<()> {
    if let Ok(integer) = integer.extract() {
        writer.integer(integer);
        return Ok(());
    }
    // The digits of the number itself, also where a subclass prints another text.
    let int = integer.py().get_type::<PyInt>();
    let digits: String = int
        .call_method1(intern!(integer.py(), "__repr__"), (integer,))?
        .extract()?;
    writer.raw(&digits);
    Ok(())
}

/// What is not plain, by what it says of itself.
fn write_other(
    writer: &mut JsonWriter,
    object: &Bound<'_, PyAny>,
    depth: usize,
) -> Result<(), Stopped> {
    let py = object.py();
    if let Ok(tuple) = object.cast::<PyTuple>() {
        if let Ok(fields) = object.getattr(intern!(py, "_fields")) {
            return attributes(writer, object, &fields, depth);
        }
        return items(writer, tuple.iter(), depth);
    }
    if object.is_instance_of::<PyType>() {
        return Err(unsuited(object));
    }
    if let Ok(fields) = object.getattr(intern!(py, "__dataclass_fields__")) {
        return attributes(writer, object, &fields, depth);
    }
    if let Ok(dump) = object.getattr(intern!(py, "model_dump")) {
        return write_at(writer, &dump.call0()?, depth + 1);
    }
    if object.hasattr(intern!(py, "attributes"))? && object.hasattr(intern!(py, "start_time"))? {
        return span(writer, object, depth);
    }
    if let Ok(mapping) = object.cast::<PyMapping>() {
        writer.begin_object();
        for pair in mapping.items()?.iter() {
            let (key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
            entry(writer, &key, &value, depth)?;
        }
        writer.end_object();
        return Ok(());
    }
    if object.hasattr(intern!(py, "_value_"))? && object.hasattr(intern!(py, "_name_"))? {
        return write_at(writer, &object.getattr(intern!(py, "_value_"))?, depth + 1);
    }
    if object.hasattr(intern!(py, "dtype"))? {
        return write_at(
            writer,
            &object.call_method0(intern!(py, "tolist"))?,
            depth + 1,
        );
    }
    if let Ok(moment) = object.call_method0(intern!(py, "isoformat")) {
        return write_at(writer, &moment, depth + 1);
    }
    match object.cast::<PySequence>() {
        Ok(sequence) if !object.hasattr(intern!(py, "decode"))? => {
            items(writer, sequence.to_list()?.iter(), depth)
        }
        _ => Err(unsuited(object)),
    }
}

/// The fields of an object that names them.
fn attributes(
    writer: &mut JsonWriter,
    object: &Bound<'_, PyAny>,
    fields: &Bound<'_, PyAny>,
    depth: usize,
) -> Result<(), Stopped> {
    writer.begin_object();
    for name in fields.try_iter()? {
        let name = name?;
        let value = object.getattr(name.cast::<PyString>().map_err(PyErr::from)?)?;
        entry(writer, &name, &value, depth)?;
    }
    writer.end_object();
    Ok(())
}

/// A span of OpenTelemetry, with what its own `to_json` tells: ids, times in nanoseconds, attributes.
fn span(writer: &mut JsonWriter, span: &Bound<'_, PyAny>, depth: usize) -> Result<(), Stopped> {
    writer.begin_object();
    for name in ["name", "start_time", "end_time", "attributes"] {
        if let Some(value) = span.getattr_opt(name)?.filter(|value| !value.is_none()) {
            writer.key(name);
            write_at(writer, &value, depth + 1).map_err(|stopped| stopped.under(name))?;
        }
    }
    for (name, key) in [("context", "context"), ("parent", "parent_id")] {
        let Some(context) = span.getattr_opt(name)?.filter(|value| !value.is_none()) else {
            continue;
        };
        let id = |name: &str, digits: usize| -> PyResult<Option<String>> {
            let Some(id) = context.getattr_opt(name)? else {
                return Ok(None);
            };
            Ok(id
                .extract::<u128>()
                .ok()
                .map(|id| format!("0x{id:0digits$x}")))
        };
        let span_id = id("span_id", 16)?;
        if key == "context" {
            writer.key("context").begin_object();
            for (key, id) in [("trace_id", id("trace_id", 32)?), ("span_id", span_id)] {
                if let Some(id) = id {
                    writer.key(key).str(&id);
                }
            }
            writer.end_object();
        } else if let Some(id) = span_id {
            writer.key(key).str(&id);
        }
    }
    let status = span
        .getattr_opt("status")?
        .filter(|status| !status.is_none());
    let code = status
        .as_ref()
        .map(|status| status.getattr_opt("status_code"))
        .transpose()?
        .flatten();
    if let (Some(status), Some(code)) = (status, code.and_then(|code| code.getattr("name").ok())) {
        writer.key("status").begin_object().key("status_code");
        write_at(writer, &code, depth + 1)?;
        if let Some(description) = status
            .getattr_opt("description")?
            .filter(|it| !it.is_none())
        {
            writer.key("description");
            write_at(writer, &description, depth + 1)?;
        }
        writer.end_object();
    }
    writer.end_object();
    Ok(())
}

#[cold]
pub(crate) fn unsuited(object: &Bound<'_, PyAny>) -> Stopped {
    Stopped::unsuited(format!(
        "expected a value that JSON can hold, found {}",
        describe(object)
    ))
}

/// What an object is, in a few words: `a set`, `an object of class Path`.
pub(crate) fn describe(object: &Bound<'_, PyAny>) -> String {
    if object.is_none() {
        return "None".to_owned();
    }
    if object.is_instance_of::<PyType>() {
        return "a class".to_owned();
    }
    let name = object
        .get_type()
        .name()
        .map_or_else(|_| "object".to_owned(), |name| name.to_string());
    match name.as_str() {
        "int" => "an int".to_owned(),
        "str" | "bool" | "float" | "list" | "dict" | "tuple" | "set" | "bytes" => {
            format!("a {name}")
        }
        _ => format!("an object of class {name}"),
    }
}

/// A settings object, or an error for anything that is none.
pub(crate) fn settings_json(settings: Option<&Bound<'_, PyDict>>) -> PyResult<String> {
    match settings {
        None => Ok("{}".to_owned()),
        Some(settings) => json_of(settings.as_any()),
    }
}

/// A type error about an argument.
pub(crate) fn wrong_type(argument: &str, expected: &str, found: &Bound<'_, PyAny>) -> PyErr {
    PyTypeError::new_err(format!(
        "{argument}: expected {expected}, found {}",
        describe(found)
    ))
}
