//! Converts objects that are not plain, by their attributes.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{
    PyByteArray, PyBytes, PyDict, PyFrozenSet, PyList, PyMapping, PyMemoryView, PySequence, PySet,
    PyString, PyTuple, PyType,
};
use rightcall_core::value::JsonWriter;

use super::{Stopped, entry, items, write_at};
use crate::{errors, scalar};

/// Writes an object that is not plain.
pub(super) fn write_other(
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
    if write_scalar(writer, object)? {
        return Ok(());
    }
    if let Ok(fields) = object.getattr(intern!(py, "__dataclass_fields__")) {
        return attributes(writer, object, &fields, depth);
    }
    if let Ok(dump) = object.getattr(intern!(py, "model_dump")) {
        return model(writer, &dump, depth);
    }
    if object.hasattr(intern!(py, "attributes"))? && object.hasattr(intern!(py, "start_time"))? {
        return span(writer, object, depth);
    }
    if let Ok(mapping) = object.cast::<PyMapping>() {
        writer.begin_object();
        for pair in mapping.items()?.iter() {
            let (key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
            entry(writer, object, &key, &value, depth)?;
        }
        writer.end_object();
        return Ok(());
    }
    if object.hasattr(intern!(py, "_value_"))? && object.hasattr(intern!(py, "_name_"))? {
        return write_at(writer, &object.getattr(intern!(py, "_value_"))?, depth + 1);
    }
    if let Some(dtype) = object.getattr_opt(intern!(py, "dtype"))? {
        let is_moment = dtype
            .getattr_opt(intern!(py, "kind"))?
            .is_some_and(|kind| kind.cast::<PyString>().is_ok_and(|kind| kind == "M"));
        // Timestamps in nanoseconds would become bare integers.
        let object = if is_moment {
            let texts = object.call_method1(intern!(py, "astype"), (intern!(py, "str"),))?;
            refuse_no_time(object, &texts)?;
            texts
        } else {
            object.clone()
        };
        let list = object.call_method0(intern!(py, "tolist"))?;
        // A number with more precision than Python's float is its own item.
        if list.get_type().is(object.get_type()) && list.hasattr(intern!(py, "__float__"))? {
            return wide_float(writer, &list);
        }
        return write_at(writer, &list, depth + 1);
    }
    if let Ok(moment) = object.call_method0(intern!(py, "isoformat")) {
        refuse_no_time(object, &moment)?;
        return write_at(writer, &moment, depth + 1);
    }
    match object.cast::<PySequence>() {
        // Bytes and texts of other classes have items of their own class.
        Ok(sequence)
            if !object.hasattr(intern!(py, "decode"))?
                && !object.hasattr(intern!(py, "encode"))? =>
        {
            items(writer, sequence.to_list()?.iter(), depth)
        }
        _ => Err(unsuited(object)),
    }
}

/// Rejects `NaT`, the missing moment of numpy and pandas: its text would be compared like any other.
fn refuse_no_time(object: &Bound<'_, PyAny>, text: &Bound<'_, PyAny>) -> Result<(), Stopped> {
    if text.str()?.to_string_lossy() != "NaT" {
        return Ok(());
    }
    let found = errors::describe(object);
    Err(Stopped::unsuited(format!(
        "expected a value that JSON can hold, found {found} without a time: write None"
    )))
}

/// Writes a number with more precision than Python's float, if a float has the same value.
fn wide_float(writer: &mut JsonWriter, number: &Bound<'_, PyAny>) -> Result<(), Stopped> {
    let float: f64 = number
        .call_method0(intern!(number.py(), "__float__"))?
        .extract()?;
    if !float.is_nan() && !number.eq(float)? {
        let found = errors::describe(number);
        return Err(Stopped::unsuited(format!(
            "expected a number that a float holds, found {found} with more digits: convert it with `float`"
        )));
    }
    writer.python_float(float);
    Ok(())
}

/// Writes a pydantic model. Values without a JSON counterpart, such as sets, are written as in the
/// model's own JSON.
fn model(writer: &mut JsonWriter, dump: &Bound<'_, PyAny>, depth: usize) -> Result<(), Stopped> {
    let plain = dump.call0()?;
    let mut own = JsonWriter::new();
    let stopped = match write_at(&mut own, &plain, depth + 1) {
        Ok(()) => {
            writer.raw(own.finish().as_str());
            return Ok(());
        }
        Err(stopped) => stopped,
    };
    let mode = PyDict::new(dump.py());
    mode.set_item("mode", "json")?;
    match dump.call((), Some(&mode)) {
        Ok(json) if matches!(stopped, Stopped::Unsuited { .. }) => {
            write_at(writer, &writable_or_json(&plain, &json)?, depth + 1)
        }
        _ => Err(stopped),
    }
}

/// The plain values that can be written; all others are from `json`.
fn writable_or_json<'py>(
    plain: &Bound<'py, PyAny>,
    json: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = plain.py();
    if let (Ok(plain), Ok(json)) = (plain.cast::<PyDict>(), json.cast::<PyDict>()) {
        let entries = PyDict::new(py);
        for ((_, plain), (key, json)) in plain.iter().zip(json) {
            entries.set_item(key, writable_or_json(&plain, &json)?)?;
        }
        return Ok(entries.into_any());
    }
    if let (Ok(plain), Ok(json)) = (plain.cast::<PyList>(), json.cast::<PyList>()) {
        let items = plain.iter().zip(json);
        let items: PyResult<Vec<_>> = items
            .map(|(plain, json)| writable_or_json(&plain, &json))
            .collect();
        return Ok(PyList::new(py, items?)?.into_any());
    }
    let can_write = write_at(&mut JsonWriter::new(), plain, 0).is_ok();
    Ok(if can_write { plain } else { json }.clone())
}

/// Writes bytes, decimals and UUIDs; false for anything else.
fn write_scalar(writer: &mut JsonWriter, object: &Bound<'_, PyAny>) -> Result<bool, Stopped> {
    let py = object.py();
    if object.is_instance_of::<PyBytes>()
        || object.is_instance_of::<PyByteArray>()
        || object.is_instance_of::<PyMemoryView>()
    {
        let bytes = py.get_type::<PyBytes>().call1((object,))?;
        scalar::bytes(
            writer,
            bytes.cast::<PyBytes>().map_err(PyErr::from)?.as_bytes(),
        );
    } else if is_instance(object, "decimal", "Decimal")? {
        let is_finite: bool = object.call_method0(intern!(py, "is_finite"))?.extract()?;
        let exponent: i64 = object.call_method0(intern!(py, "adjusted"))?.extract()?;
        if !is_finite {
            let is_nan: bool = object.call_method0(intern!(py, "is_nan"))?.extract()?;
            let float = if is_nan { f64::NAN } else { object.extract()? };
            writer.python_float(float);
        } else if exponent.abs() > MAX_EXPONENT {
            return Err(Stopped::unsuited(format!(
                "expected a decimal of at most {MAX_EXPONENT} digits, found more"
            )));
        } else {
            let digits: String = object
                .call_method1(intern!(py, "__format__"), (intern!(py, "f"),))?
                .extract()?;
            scalar::decimal(writer, &digits).map_err(Stopped::unsuited)?;
        }
    } else if is_instance(object, "uuid", "UUID")? {
        writer.str(&object.str()?.to_string_lossy());
    } else {
        return Ok(false);
    }
    Ok(true)
}

/// The maximum number of digits of a decimal before or after its point.
const MAX_EXPONENT: i64 = 400;

/// True for an object of a class in a module that is already loaded. The module is never imported here.
fn is_instance(object: &Bound<'_, PyAny>, module: &str, class: &str) -> PyResult<bool> {
    let modules = object
        .py()
        .import(intern!(object.py(), "sys"))?
        .getattr("modules")?;
    match modules
        .cast::<PyDict>()
        .map_err(PyErr::from)?
        .get_item(module)?
    {
        Some(module) => object.is_instance(&module.getattr(class)?),
        None => Ok(false),
    }
}

/// The fields of an object that lists them.
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
        entry(writer, object, &name, &value, depth)?;
    }
    writer.end_object();
    Ok(())
}

/// An OpenTelemetry span with the data of its `to_json`: ids, times in nanoseconds, attributes.
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
            writer.optional("trace_id", id("trace_id", 32)?);
            writer.optional("span_id", span_id).end_object();
        } else {
            writer.optional(key, span_id);
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
    let has = |name: &str| object.hasattr(name).unwrap_or(false);
    let class = object.get_type();
    let is_of = |module: &str, name: &str| {
        class.module().is_ok_and(|it| it == module) && class.name().is_ok_and(|it| it == name)
    };
    let help = if is_of("unittest.mock", "_ANY") {
        ": write {\"$any\": true}, `rightcall.expect.anything()`"
    } else if is_of("re", "Pattern") {
        ": write {\"$pattern\": \"…\"}, `rightcall.expect.pattern(\"…\")`"
    } else if has("__await__") {
        ": await it first"
    } else if has("__aiter__") {
        ": await its items first, `[item async for item in it]`"
    } else if has("__next__") {
        ": make a list of it first, `list(it)`"
    } else if object.is_callable() && !object.is_instance_of::<PyType>() {
        ": call it first"
    } else if object.is_instance_of::<PySet>() || object.is_instance_of::<PyFrozenSet>() {
        ": make a list of it first, `sorted(it)`"
    } else {
        ": convert it to a dict, a list, a text or a number first"
    };
    Stopped::unsuited(format!(
        "expected a value that JSON can hold, found {}{help}",
        errors::describe(object)
    ))
}
