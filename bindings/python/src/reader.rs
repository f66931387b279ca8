//! The calls of one run, wherever it is: in a file, in bytes, or in objects.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyList, PyString};
use rightcall::call::argument_text;
use rightcall::value::{JsonWriter, Value};
use rightcall_formats::{
    CaseError, Format, Input, Limits, OpenError, ReadError, ReadOptions, Trace,
};

use crate::settings::reading;
use crate::subject::live_calls;
use crate::{errors, values, walk};

/// The runs of an input, in order.
pub(crate) fn runs_of(mut input: Input) -> Result<Vec<Trace>, Box<ReadError>> {
    let mut runs = Vec::new();
    while let Some(records) = input.next_traces()? {
        for (line, run) in records {
            runs.push(run.map_err(|error| error.at(input.name(), Some(line)))?);
        }
    }
    Ok(runs)
}

/// Where a run is.
enum Place {
    File(PathBuf),
    Bytes(Vec<u8>),
    /// JSON text of the objects that it was.
    Objects(String),
}

impl Place {
    fn of(
        source: &Bound<'_, PyAny>,
        format: Option<&Format>,
        tools: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        if source.is_instance_of::<PyString>() || source.hasattr("__fspath__")? {
            return source.extract().map(Self::File);
        }
        if source.is_instance_of::<PyBytes>() || source.is_instance_of::<PyByteArray>() {
            return source.extract().map(Self::Bytes);
        }
        let run = live_calls(source)?;
        if format.is_some() {
            return walk::json_of(&run).map(Self::Objects);
        }
        let mut writer = JsonWriter::new();
        writer.begin_object();
        for (key, value) in [("tools", tools), ("actual", Some(&run))] {
            if let Some(value) = value {
                walk::write(writer.key(key), value)
                    .map_err(|stopped| stopped.under(key).into_error(source.py()))?;
            }
        }
        writer.end_object();
        Ok(Self::Objects(writer.finish().into_string()))
    }

    fn open(self, options: &ReadOptions) -> Result<Input, OpenError> {
        let limits = Limits::default();
        match self {
            Self::File(path) => Input::open(&path, limits, options),
            Self::Bytes(bytes) => Input::from_bytes("bytes", bytes, limits, options),
            Self::Objects(json) => Input::from_bytes("source", json.into_bytes(), limits, options),
        }
    }
}

/// The calls of one run as dicts, and what looks like a call and was not read as one.
#[pyfunction]
#[pyo3(signature = (source, /, *, format, tools))]
pub(crate) fn read_calls<'py>(
    source: &Bound<'py, PyAny>,
    format: Option<&str>,
    tools: Option<&Bound<'py, PyAny>>,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyList>)> {
    let py = source.py();
    let format = format.map(Format::find).transpose();
    let format = format.map_err(|error| errors::value(py, &error.to_string()))?;
    let place = Place::of(source, format, tools)?;
    let is_of_objects = matches!(place, Place::Objects(_));
    let options = ReadOptions {
        format,
        questions: false,
        ..*reading()
    };
    let read = py.detach(|| place.open(&options).map(runs_of));
    let runs = read
        .map_err(|error| errors::open(py, error))?
        .map_err(|error| {
            if is_of_objects {
                errors::case(py, &of_object(*error))
            } else {
                errors::read(py, &error)
            }
        })?;
    let run = only_run(runs).map_err(|found| errors::one_run(py, &found))?;
    Ok((calls_of(py, &run)?, malformed(py, &run)?))
}

/// The calls of a run as dicts; arguments in a text that holds an object are that object.
fn calls_of<'py>(py: Python<'py>, run: &Trace) -> PyResult<Bound<'py, PyAny>> {
    let calls = values::object_of(py, &run.to_case())?.get_item("actual")?;
    for call in calls.try_iter()? {
        let call = call?.cast_into::<PyDict>()?;
        if let Some(arguments) = call.get_item("args")?
            && let Ok(text) = arguments.cast::<PyString>()
            && let (object @ Value::Object(_), _) = argument_text(&walk::text(text))
        {
            call.set_item("args", values::value(py, &object)?)?;
        }
    }
    Ok(calls)
}

/// The error of what was no file, which has a place in the objects alone.
fn of_object(error: ReadError) -> CaseError {
    CaseError {
        pointer: error.at.pointer,
        expected: error.expected,
        found: error.found.into(),
        help: error.help,
    }
}

/// The run of a source that holds one; else what it holds.
fn only_run(mut runs: Vec<Trace>) -> Result<Trace, String> {
    match (runs.pop(), runs.len()) {
        (None, _) => Err("nothing".to_owned()),
        (Some(run), 0) if run.lacks_run => Err("only what is expected of one".to_owned()),
        (Some(run), 0) => Ok(run),
        (Some(_), more) => Err(format!("{} runs", more + 1)),
    }
}

/// What looks like a call and was not read as one.
fn malformed<'py>(py: Python<'py>, run: &Trace) -> PyResult<Bound<'py, PyList>> {
    let found = PyList::empty(py);
    for (looks, count, place) in run.report.unread_kinds() {
        let kind = PyDict::new(py);
        kind.set_item("looks", looks)?;
        kind.set_item("count", count)?;
        kind.set_item("first", place)?;
        found.append(kind)?;
    }
    Ok(found)
}
