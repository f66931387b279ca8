//! Converts the core's values to Python objects.

use pyo3::IntoPyObjectExt;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyInt, PyList, PyString};
use rightcall_core::value::{Syntax, Text, Value, decode_with};

/// The object for a JSON text: integers of any size, `NaN`, and lone surrogates are supported.
pub(crate) fn object_of<'py>(py: Python<'py>, json: &str) -> PyResult<Bound<'py, PyAny>> {
    value(
        py,
        &decode_with(json, Syntax::PYTHON).unwrap_or(Value::Null),
    )
}

/// The same for an optional text.
pub(crate) fn optional<'py>(
    py: Python<'py>,
    json: Option<&str>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    json.map(|json| object_of(py, json)).transpose()
}

/// The object for a value.
pub(crate) fn value<'py>(py: Python<'py>, it: &Value<'_>) -> PyResult<Bound<'py, PyAny>> {
    match it {
        Value::Null | Value::Python(_) => Ok(py.None().into_bound(py)),
        Value::Bool(boolean) => boolean.into_bound_py_any(py),
        Value::Integer(integer) => {
            let digits = integer.to_string();
            match digits.parse::<i64>() {
                Ok(small) => small.into_bound_py_any(py),
                Err(_) => py.get_type::<PyInt>().call1((digits,)),
            }
        }
        Value::Float(float) => float.into_bound_py_any(py),
        Value::String(text) => Ok(string(py, text)?.into_any()),
        Value::List(items) => {
            let list = PyList::empty(py);
            items
                .iter()
                .try_for_each(|item| list.append(value(py, item)?))?;
            Ok(list.into_any())
        }
        Value::Object(object) => {
            let dict = PyDict::new(py);
            for (key, member) in object {
                dict.set_item(string(py, key)?, value(py, member)?)?;
            }
            Ok(dict.into_any())
        }
    }
}

/// A Python string, including lone surrogates.
pub(crate) fn string<'py>(py: Python<'py>, text: &Text<'_>) -> PyResult<Bound<'py, PyString>> {
    if let Some(plain) = text.as_str() {
        return Ok(PyString::new(py, plain));
    }
    let bytes = PyBytes::new(py, text.as_bytes());
    let decoded = bytes.call_method1(
        intern!(py, "decode"),
        (intern!(py, "utf-8"), intern!(py, "surrogatepass")),
    )?;
    Ok(decoded.cast_into::<PyString>()?)
}
