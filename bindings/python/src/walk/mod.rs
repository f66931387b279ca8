//! Converts Python objects to JSON text in one pass.
//!
//! Plain objects (dicts, lists, strings, numbers) come first and are fast. Other objects are recognized by their attributes: dataclasses,
//! pydantic models, named tuples, mappings, enumerations, OpenTelemetry spans, numpy scalars, bytes, decimals and UUIDs. Anything else is
//! an error with its place; `repr` is never used.

mod object;

pub(crate) use object::unsuited;

use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyString};
use rightcall_core::value::pointer::escaped;
use rightcall_core::value::{Integer, JsonWriter, MAX_DEPTH, Text, TextBuilder};

use crate::errors;
pub(crate) use crate::plain::Plain;

/// The maximum number of steps in the pointer to a value that is nested too deeply.
const STEPS: usize = 8;

/// Why a walk stopped.
#[derive(Debug)]
pub(crate) enum Stopped {
    /// This value cannot be part of a case.
    Unsuited { pointer: String, message: String },
    /// A value is nested too deep or contains itself; the pointer has the first steps.
    TooDeep { pointer: String },
    /// Python raised an exception.
    Raised(PyErr),
}

impl Stopped {
    /// Adds an outer step to the pointer.
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

    /// The Python exception.
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
    Ok(writer.finish().into_string())
}

/// The JSON text of an object under a key.
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
            let mut write = |(key, value)| entry(writer, dict, &key, &value, depth);
            if depth < PAUSED_DEPTH {
                // Other threads may change the dict during a pause.
                let entries: Vec<_> = dict.iter().collect();
                entries.into_iter().try_for_each(write)?;
            } else {
                dict.iter().try_for_each(&mut write)?;
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
        let before = writer.len();
        write_at(writer, &item, depth + 1).map_err(|stopped| stopped.under(index))?;
        if depth <= PAUSED_DEPTH {
            let_others_run(item.py(), before, writer.len());
        }
    }
    writer.end_list();
    Ok(())
}

/// The depth of the innermost lists between whose items a walk pauses: the calls in a message, in the messages of a case.
const PAUSED_DEPTH: usize = 3;

/// The number of bytes between two pauses.
const SLICE: usize = 1 << 14;

/// Releases Python's global lock if the text reached the next slice, since an event loop may wait
/// for it. Never call this while iterating over a dict, because other threads may change it.
#[inline]
pub(crate) fn let_others_run(py: Python<'_>, before: usize, after: usize) {
    if before / SLICE != after / SLICE {
        py.detach(|| ());
    }
}

/// Writes a member of a dict or a dict-like object.
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

/// An integer key becomes the text of its digits, unless that text is a key too.
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

/// Writes a string. Lone surrogates, which Python strings may contain, are escaped.
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
        // Every string can be read by code points.
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

pub(crate) fn write_integer(
    writer: &mut JsonWriter,
    integer: &Bound<'_, PyInt>,
) -> Result<(), Stopped> {
    match integer.extract() {
        Ok(integer) => writer.integer(integer),
        Err(_) => match digits_of(integer) {
            Ok(digits) => writer.raw(&digits),
            // Python prints no more digits, and the engine reads no more.
            Err(error) if error.is_instance_of::<PyValueError>(integer.py()) => {
                return Err(Stopped::unsuited(
                    "expected an integer of at most 4300 digits, found more: write it as a text"
                        .to_owned(),
                ));
            }
            Err(error) => return Err(error.into()),
        },
    };
    Ok(())
}

/// The value of a Python integer.
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

/// The digits of the number, even if a subclass prints another text.
fn digits_of(integer: &Bound<'_, PyInt>) -> PyResult<String> {
    let int = integer.py().get_type::<PyInt>();
    int.call_method1(intern!(integer.py(), "__repr__"), (integer,))?
        .extract()
}

/// The settings as JSON; an error for anything that is not an object.
pub(crate) fn settings_json(settings: Option<&Bound<'_, PyDict>>) -> PyResult<String> {
    match settings {
        None => Ok("{}".to_owned()),
        Some(settings) => json_of(settings.as_any()),
    }
}
