//! Rejects bytes and dates where a call has text.
//!
//! Inside arguments they become text, as in the table of values. As a name, as the arguments themselves or as a whole side, that text would
//! be judged although the user never wrote it.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyList, PyMemoryView, PyTuple};

use crate::errors;

/// An error if a side of a case is bytes, or one of its calls has bytes or a date as its name or its arguments. `pointer` is its place.
pub(crate) fn check_side(side: &Bound<'_, PyAny>, pointer: &str) -> PyResult<()> {
    if is_bytes(side) {
        let message = "expected calls, found bytes: `rightcall.calls` reads the bytes of a file";
        return Err(errors::unsuited(side.py(), pointer, message));
    }
    let check = |(index, call): (usize, Bound<'_, PyAny>)| {
        let pointer = || format!("{pointer}/{index}");
        if is_bytes(&call) {
            let message = "expected a call, found bytes: decode them first";
            return Err(errors::unsuited(call.py(), &pointer(), message));
        }
        match call.cast::<PyDict>() {
            Ok(call) => check_call(call, pointer),
            Err(_) if is_moment(&call)? => {
                let message = format!("expected a call, found {}", errors::describe(&call));
                Err(errors::unsuited(call.py(), &pointer(), &message))
            }
            Err(_) => Ok(()),
        }
    };
    if let Ok(list) = side.cast::<PyList>() {
        list.iter().enumerate().try_for_each(check)
    } else if let Ok(tuple) = side.cast::<PyTuple>() {
        tuple.iter().enumerate().try_for_each(check)
    } else {
        Ok(())
    }
}

fn check_call(call: &Bound<'_, PyDict>, pointer: impl Fn() -> String) -> PyResult<()> {
    let py = call.py();
    for (key, expected) in [
        (intern!(py, "name"), "the name of a tool"),
        (intern!(py, "args"), "an object or its JSON text"),
        (intern!(py, "arguments"), "an object or its JSON text"),
    ] {
        let Some(value) = call.get_item(key)? else {
            continue;
        };
        let help = if is_bytes(&value) {
            ": decode them first"
        } else if is_moment(&value)? {
            ""
        } else {
            continue;
        };
        let found = errors::describe(&value);
        let message = format!("expected {expected}, found {found}{help}");
        return Err(errors::unsuited(
            py,
            &format!("{}/{key}", pointer()),
            &message,
        ));
    }
    Ok(())
}

fn is_bytes(value: &Bound<'_, PyAny>) -> bool {
    value.is_instance_of::<PyBytes>()
        || value.is_instance_of::<PyByteArray>()
        || value.is_instance_of::<PyMemoryView>()
}

/// True for dates and times.
fn is_moment(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    value.hasattr(intern!(value.py(), "isoformat"))
}
