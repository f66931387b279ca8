//! Reads the calls of one run from a file, from bytes, or from objects.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyString};
use rightcall_core::call::argument_text;
use rightcall_core::value::Value;
use rightcall_formats::{Format, Input, Limits, OpenError, ReadOptions, only_run, run_of_text};

use crate::call_parts::check_side;
use crate::settings::reading;
use crate::subject::live_calls;
use crate::{errors, values, walk};

/// The source of a run.
enum Place {
    File(PathBuf),
    Bytes(Vec<u8>),
    /// Objects as JSON text, and the tools with them.
    Objects(String, Option<String>),
}

impl Place {
    fn of(source: &Bound<'_, PyAny>, tools: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        if source.is_instance_of::<PyString>() || source.hasattr("__fspath__")? {
            return source.extract().map(Self::File);
        }
        if source.is_instance_of::<PyBytes>() || source.is_instance_of::<PyByteArray>() {
            return source.extract().map(Self::Bytes);
        }
        let tools = tools.map(|tools| walk::json_under("tools", tools));
        let source = live_calls(source, "")?;
        check_side(&source, "")?;
        Ok(Self::Objects(walk::json_of(&source)?, tools.transpose()?))
    }

    fn read(self, py: Python<'_>, options: &ReadOptions) -> PyResult<String> {
        let limits = Limits::default();
        let of_input = |input: Result<Input, OpenError>| {
            let input = input.map_err(|error| errors::open(py, error))?;
            let run = py.detach(|| only_run(input));
            run.map_err(|error| errors::read(py, &error))
        };
        match self {
            Self::File(path) => of_input(Input::open(&path, limits, options)),
            Self::Bytes(bytes) => of_input(Input::from_bytes("<bytes>", bytes, limits, options)),
            Self::Objects(json, tools) => {
                let run = py.detach(|| run_of_text(&json, tools.as_deref(), options));
                run.map_err(|error| errors::case(py, &error))
            }
        }
    }
}

/// Finds a format by name, or creates one from a map: JSON text, or a file.
pub(crate) fn format_of(
    py: Python<'_>,
    format: Option<&str>,
    map: Option<&str>,
) -> PyResult<Option<&'static Format>> {
    match (format, map) {
        (Some(_), Some(_)) => Err(errors::value(
            py,
            "expected either `format` or `map`, found both",
        )),
        (None, Some(map)) => {
            let format = Format::from_map_or_file(map);
            format.map(Some).map_err(|error| errors::read(py, &error))
        }
        (format, None) => {
            let format = format.map(Format::find).transpose();
            format.map_err(|error| errors::value(py, &error.to_string()))
        }
    }
}

/// The `calls` of one run as dicts, and as `malformed` the call-like parts that could not be parsed.
#[pyfunction]
#[pyo3(signature = (source, /, *, format, map, tools))]
pub(crate) fn read_calls<'py>(
    source: &Bound<'py, PyAny>,
    format: Option<&str>,
    map: Option<&str>,
    tools: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = source.py();
    let options = ReadOptions {
        format: format_of(py, format, map)?,
        questions: false,
        ..*reading()
    };
    let run = Place::of(source, tools)?.read(py, &options)?;
    let read = values::object_of(py, &run)?;
    for call in read.get_item("calls")?.try_iter()? {
        understand(call?.cast()?)?;
    }
    Ok(read)
}

/// Replaces arguments in a JSON text by the object in it.
fn understand(call: &Bound<'_, PyDict>) -> PyResult<()> {
    if let Some(arguments) = call.get_item("args")?
        && let Ok(text) = arguments.cast::<PyString>()
        && let (object @ Value::Object(_), _) = argument_text(&walk::text(text))
    {
        call.set_item("args", values::value(call.py(), &object)?)?;
    }
    Ok(())
}
