//! Converts Python objects to JSON if both mean the same.
//!
//! Values that JSON cannot represent are errors, and so are values that Python compares or prints differently than JSON: tuples,
//! subclasses, and NaN, which is equal to itself if both sides hold the same object. Python's own code must judge those.

use pyo3::prelude::*;
use pyo3::types::PyString;
use rightcall_core::value::{JsonWriter, MAX_DEPTH};

use crate::walk::{self, Plain, Stopped};

/// The JSON text of an object.
pub(crate) fn text_of(object: &Bound<'_, PyAny>) -> PyResult<String> {
    let mut writer = JsonWriter::new();
    write(&mut writer, object, 0).map_err(|stopped| stopped.into_error(object.py()))?;
    let text = writer.finish().into_string();
    // Arguments may be JSON text. A Python parser may return the same object for every NaN in it, so NaN could be equal there.
    if text.contains("NaN") {
        return Err(walk::unsuited(object).into_error(object.py()));
    }
    Ok(text)
}

/// Writes an object.
pub(crate) fn write(
    writer: &mut JsonWriter,
    object: &Bound<'_, PyAny>,
    depth: usize,
) -> Result<(), Stopped> {
    let is_nested = depth > MAX_DEPTH;
    match Plain::of_exact(object) {
        Plain::Text(text) => walk::write_text(writer, text)?,
        Plain::Integer(integer) => walk::write_integer(writer, integer)?,
        Plain::Float(float) if !float.value().is_nan() => _ = writer.python_float(float.value()),
        Plain::Bool(boolean) => _ = writer.bool(boolean),
        Plain::None => _ = writer.null(),
        Plain::Dict(dict) if !is_nested => {
            writer.begin_object();
            for (key, value) in dict {
                write_key(writer, &key)?;
                write(writer, &value, depth + 1)?;
            }
            writer.end_object();
        }
        Plain::List(list) if !is_nested => write_items(writer, list.iter(), depth + 1)?,
        _ => return Err(walk::unsuited(object)),
    }
    Ok(())
}

/// Writes a list.
pub(crate) fn write_items<'py>(
    writer: &mut JsonWriter,
    items: impl Iterator<Item = Bound<'py, PyAny>>,
    depth: usize,
) -> Result<(), Stopped> {
    writer.begin_list();
    for item in items {
        write(writer, &item, depth)?;
    }
    writer.end_list();
    Ok(())
}

/// Writes the key of a member.
pub(crate) fn write_key(writer: &mut JsonWriter, key: &Bound<'_, PyAny>) -> Result<(), Stopped> {
    let Ok(text) = key.cast_exact::<PyString>() else {
        return Err(walk::unsuited(key));
    };
    match text.to_str() {
        Ok(plain) => writer.key(plain),
        Err(_) => writer.key_text(&walk::text(text)),
    };
    Ok(())
}
