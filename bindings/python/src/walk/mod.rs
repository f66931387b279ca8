//! Python objects to JSON text: what cases are made of, walked once.
//!
//! Plain objects (dicts, lists, texts, numbers) come first and cost little. Others are taken by what they say of themselves:
//! dataclasses, pydantic models, named tuples, mappings, enumerations, OpenTelemetry spans, scalars of numpy, and those of `scalar`. Anything else is an
//! error that names the place; nothing is turned into text by its `repr`.

mod object;

pub(crate) use object::unsuited;

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyString};
use rightcall::value::pointer::escaped;
use rightcall::value::{Integer, JsonWriter, MAX_DEPTH, Text, TextBuilder};

use crate::errors;
pub(crate) use crate::plain::Plain;

/// Steps that the pointer to something too deep has.
const STEPS: usize = 8;

/// Why a walk ended.
#[derive(Debug)]
pub(crate) enum Stopped {
    /// Something stands there that no case can hold.
    Unsuited { pointer: String, message: String },
    /// Something is nested too deep, or in itself; the pointer has the first steps.
    TooDeep { pointer: String },
    /// Python raised an error.
    Raised(PyErr),
}

impl Stopped {
    /// The same, one step further out.
    pub(crate) fn under(self, step: impl std::fmt::Display) -> Self {
        let step = || escaped(&step.to_string()).into_owned();
        match self {
            Self::Unsuited { pointer, message } => Self::Unsuited {
                pointer: format!("/{}{pointer}", step()),
                message,
            },
            Self::TooDeep { mut pointer } => {
                pointer.insert_str(0, &format!("/{}", step()));
                if let Some((end, _)) = pointer.match_indices('/').nth(STEPS) {
                    pointer.truncate(end);
                }
                Self::TooDeep { pointer }
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
            Self::TooDeep { pointer } => {
                let message = format!(
                    "expected at most {MAX_DEPTH} levels of nesting, found more, or a value that holds itself"
                );
                errors::unsuited(py, &pointer, &message)
            }
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

/// The same, where it stands under a key.
pub(crate) fn json_under(key: &str, object: &Bound<'_, PyAny>) -> PyResult<String> {
    let mut writer = JsonWriter::new();
    write(&mut writer, object).map_err(|stopped| stopped.under(key).into_error(object.py()))?;
    Ok(writer.finish().into_string())
}

fn write_at(
    writer: &mut JsonWriter,
    object: &Bound<'_, PyAny>,
    depth: usize,
) -> Result<(), Stopped> {
    if depth > MAX_DEPTH {
        return Err(Stopped::TooDeep {
            pointer: String::new(),
        });
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
                entry(writer, dict, &key, &value, depth)?;
            }
            writer.end_object();
        }
        Plain::List(list) => return items(writer, list.iter(), depth),
        Plain::Not => return object::write_other(writer, object, depth),
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

/// Writes a member of a dict, or of what is like one.
fn entry(
    writer: &mut JsonWriter,
    dict: &Bound<'_, PyAny>,
    key: &Bound<'_, PyAny>,
    value: &Bound<'_, PyAny>,
    depth: usize,
) -> Result<(), Stopped> {
    let digits;
    let name = if let Ok(name) = key.cast::<PyString>() {
        name
    } else {
        digits = digits_of_key(dict, key)?;
        &digits
    };
    match name.to_str() {
        Ok(name) => writer.key(name),
        Err(_) => writer.key_text(&with_surrogates(name)?),
    };
    write_at(writer, value, depth + 1).map_err(|stopped| stopped.under(name.to_string_lossy()))
}

/// An integer as a key is the text of its digits, unless that is a key too.
#[cold]
fn digits_of_key<'py>(
    dict: &Bound<'py, PyAny>,
    key: &Bound<'py, PyAny>,
) -> Result<Bound<'py, PyString>, Stopped> {
    let unsuited = |what: &str| {
        let found = errors::describe(key);
        Err(Stopped::unsuited(format!(
            "expected texts or integers as keys, found {found}{what}"
        )))
    };
    match key.cast::<PyInt>() {
        Ok(integer) if !key.is_instance_of::<PyBool>() => {
            let digits = PyString::new(key.py(), &digits_of(integer)?);
            if dict.contains(&digits)? {
                return unsuited(" beside the text of its digits");
            }
            Ok(digits)
        }
        _ => unsuited(""),
    }
}

/// Writes a text; lone surrogates, which Python's texts may hold, as their escapes.
pub(crate) fn write_text(writer: &mut JsonWriter, text: &Bound<'_, PyString>) -> PyResult<()> {
    match text.to_str() {
        Ok(plain) => writer.str(plain),
        Err(_) => writer.text(&with_surrogates(text)?),
    };
    Ok(())
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
    match integer.extract() {
        Ok(integer) => writer.integer(integer),
        Err(_) => writer.raw(&digits_of(integer)?),
    };
    Ok(())
}

/// The number that an integer is.
pub(crate) fn integer(integer: &Bound<'_, PyInt>) -> PyResult<Integer> {
    if let Ok(small) = integer.extract::<i64>() {
        return Ok(small.into());
    }
    let digits = digits_of(integer)?;
    Integer::parse(&digits).ok_or_else(|| {
        let message = format!("expected the digits of an integer, found {digits}");
        errors::value(integer.py(), &message)
    })
}

/// The digits of the number itself, also where a subclass prints another text.
fn digits_of(integer: &Bound<'_, PyInt>) -> PyResult<String> {
    let int = integer.py().get_type::<PyInt>();
    int.call_method1(intern!(integer.py(), "__repr__"), (integer,))?
        .extract()
}

/// A settings object, or an error for anything that is none.
pub(crate) fn settings_json(settings: Option<&Bound<'_, PyDict>>) -> PyResult<String> {
    match settings {
        None => Ok("{}".to_owned()),
        Some(settings) => json_of(settings.as_any()),
    }
}
