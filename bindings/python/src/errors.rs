//! Converts errors to Python exceptions; their classes are in `rightcall.errors`.

use std::io;
use std::path::Path;

use pyo3::exceptions::{PyFileNotFoundError, PyOSError, PyTypeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyIterator, PyString, PyType};
use rightcall_core::{ConfigError, find, nearest};
use rightcall_formats::join::IndexError;
use rightcall_formats::{CaseError, OpenError, ReadError};
use rightcall_run::{ArgumentError, Problem, ResultsError, RunError, SuiteError};

/// An exception of `rightcall.errors` with its attributes.
fn exception<'py>(
    py: Python<'py>,
    class: &str,
    message: &str,
    facts: impl FnOnce(&Bound<'py, PyDict>) -> PyResult<()>,
) -> PyErr {
    let made = || -> PyResult<PyErr> {
        let class = py.import(intern!(py, "rightcall.errors"))?.getattr(class)?;
        let keywords = PyDict::new(py);
        facts(&keywords)?;
        Ok(PyErr::from_value(class.call((message,), Some(&keywords))?))
    };
    made().unwrap_or_else(|error| error)
}

/// The advice with the options of the command as arguments of Python.
fn in_python(help: &str) -> String {
    help.replace("--input-format", "`format=`")
        .replace(
            "`rightcall map FILE` drafts",
            "the command `rightcall map FILE` drafts",
        )
        .replace(
            "`rightcall formats` lists",
            "the command `rightcall formats` lists",
        )
}

/// An argument with an invalid value.
pub(crate) fn value(py: Python<'_>, message: &str) -> PyErr {
    exception(py, "ArgumentError", message, |_| Ok(()))
}

/// An argument of the wrong type.
pub(crate) fn wrong_type(argument: &str, expected: &str, found: &Bound<'_, PyAny>) -> PyErr {
    let message = format!("{argument}: expected {expected}, found {}", describe(found));
    exception(found.py(), "ArgumentTypeError", &message, |_| Ok(()))
}

/// The iterator of an argument; an error of this module if it has none. A text is no list of its letters.
pub(crate) fn items_of<'py>(
    argument: &str,
    expected: &str,
    object: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyIterator>> {
    let is_text = object.is_instance_of::<PyString>() || object.is_instance_of::<PyBytes>();
    match object.try_iter() {
        Ok(items) if !is_text => Ok(items),
        Err(error) if !error.is_instance_of::<PyTypeError>(object.py()) => Err(error),
        _ => Err(wrong_type(argument, expected, object)),
    }
}

/// The type of an object in a few words: `a set`, `an object of class Path`.
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
        "bytes" => name,
        "str" | "bool" | "float" | "list" | "dict" | "tuple" | "set" => {
            format!("a {name}")
        }
        _ => format!("an object of class {name}"),
    }
}

/// A Python object that JSON cannot represent.
pub(crate) fn unsuited(py: Python<'_>, pointer: &str, message: &str) -> PyErr {
    exception(py, "UnsuitedType", message, |facts| {
        facts.set_item("pointer", pointer)
    })
}

/// An invalid case.
pub(crate) fn case(py: Python<'_>, error: &CaseError) -> PyErr {
    let message = format!("expected {}, found {}", error.expected, error.found);
    exception(py, "CaseError", &message, |facts| {
        facts.set_item("pointer", &error.pointer)?;
        facts.set_item("help", error.help.as_deref().map(in_python))
    })
}

/// A record of a file that cannot be read.
pub(crate) fn read(py: Python<'_>, error: &ReadError) -> PyErr {
    let message = format!("expected {}, found {}", error.expected, error.found);
    exception(py, "ReadError", &message, |facts| {
        facts.set_item("file", &*error.at.file)?;
        facts.set_item("line", error.at.line)?;
        facts.set_item("pointer", &error.at.pointer)?;
        facts.set_item("help", error.help.as_deref().map(in_python))
    })
}

/// A file that cannot be opened.
pub(crate) fn open(py: Python<'_>, error: OpenError) -> PyErr {
    match error.cause {
        // Python's own exceptions are more specific: `FileNotFoundError` and others.
        Some(cause) if cause.raw_os_error().is_some() => {
            of_system(py, &cause, &error.path.display().to_string(), "")
        }
        _ => exception(py, "ReadError", &error.reason, |facts| {
            facts.set_item("file", error.path.display().to_string())?;
            facts.set_item("help", error.help.as_deref().map(in_python))
        }),
    }
}

/// Python's own exception for an error of the operating system, with `errno`, `strerror` and
/// `filename`. The text starts with `place`.
fn of_system(py: Python<'_>, cause: &io::Error, filename: &str, place: &str) -> PyErr {
    let code = cause.raw_os_error().unwrap_or_default();
    let text = py
        .import(intern!(py, "os"))
        .and_then(|os| os.call_method1(intern!(py, "strerror"), (code,)))
        .map_or_else(|_| cause.to_string(), |text| text.to_string());
    // `OSError` chooses the subclass by the number.
    let made = py
        .get_type::<PyOSError>()
        .call1((code, format!("{place}{text}"), filename));
    made.map_or_else(|error| error, PyErr::from_value)
}

/// A file that does not exist. `place` is the location that names it.
pub(crate) fn no_file(py: Python<'_>, path: &Path, place: &str) -> PyErr {
    let filename = path.display().to_string();
    match std::fs::metadata(path) {
        Err(cause) if cause.raw_os_error().is_some() => of_system(py, &cause, &filename, place),
        _ => PyFileNotFoundError::new_err(format!("{place}no such file: {filename}")),
    }
}

/// An unknown evaluator, or one with invalid settings.
pub(crate) fn config(py: Python<'_>, error: &ConfigError) -> PyErr {
    let help = match error {
        ConfigError::UnknownEvaluator { .. } => {
            Some("rightcall.evaluators() lists them".to_owned())
        }
        ConfigError::UnknownSetting {
            evaluator,
            setting,
            nearest,
        } if nearest.is_empty() => settings_help(evaluator, setting),
        _ => None,
    };
    exception(py, "ConfigError", &error.to_string(), |facts| {
        facts.set_item("help", help)
    })
}

/// Advice for a keyword that is neither a side nor like a setting.
fn settings_help(evaluator: &str, keyword: &str) -> Option<String> {
    if let Some(side) = nearest(keyword, ["expected", "actual"]).first() {
        return Some(format!("did you mean `{side}`?"));
    }
    let settings = find(evaluator).ok()?.settings.iter().map(|it| it.name);
    let names: Vec<_> = settings.collect();
    Some(format!(
        "the sides are `expected` and `actual`; its settings are {}",
        names.join(", ")
    ))
}

/// An invalid evaluator argument.
pub(crate) fn argument(py: Python<'_>, error: &ArgumentError) -> PyErr {
    match error {
        ArgumentError::Config(error) => config(py, error),
        other => exception(py, "ConfigError", &other.to_string(), |facts| {
            let help = matches!(other, ArgumentError::NoEvaluator)
                .then_some("write {\"evaluator\": \"trajectory\", …} with the settings beside it");
            facts.set_item("help", help)
        }),
    }
}

/// An invalid suite.
pub(crate) fn suite(py: Python<'_>, error: &SuiteError) -> PyErr {
    exception(py, "SuiteError", &error.message, |facts| {
        facts.set_item("file", &error.file)?;
        facts.set_item("line", error.line)?;
        facts.set_item("pointer", &error.pointer)?;
        facts.set_item("help", error.help.as_deref().map(in_python))
    })
}

/// A baseline that cannot be read.
pub(crate) fn baseline(
    py: Python<'_>,
    error: &ResultsError,
    path: Option<&Path>,
    suite: &Path,
) -> PyErr {
    let path = path
        .map(|path| path.display().to_string())
        .unwrap_or_default();
    let help = format!(
        "`rightcall run {} --accept` writes the baseline",
        suite.display()
    );
    match error {
        ResultsError::Io(cause) if cause.kind() == io::ErrorKind::NotFound => {
            PyFileNotFoundError::new_err(format!("{path}: no such file; {help}"))
        }
        _ => {
            let (line, pointer, message) = match error {
                ResultsError::Other {
                    line,
                    pointer,
                    message,
                } => (Some(*line), pointer.as_str(), message.clone()),
                ResultsError::Io(_) => (None, "", error.to_string()),
            };
            exception(py, "ReadError", &message, |facts| {
                facts.set_item("file", path)?;
                facts.set_item("line", line)?;
                facts.set_item("pointer", pointer)?;
                facts.set_item("help", help)
            })
        }
    }
}

/// An error that ends a run.
pub(crate) fn run(py: Python<'_>, error: RunError) -> PyErr {
    match error {
        RunError::Open(error) => open(py, error),
        RunError::Io(error) => error.into(),
        other => exception(py, "ReadError", &other.to_string(), |_| Ok(())),
    }
}

/// An error that prevents joining traces.
pub(crate) fn index(py: Python<'_>, error: IndexError) -> PyErr {
    match error {
        IndexError::Open(error) => open(py, error),
        IndexError::Read(error) => read(py, &error),
        other => exception(py, "ReadError", &other.to_string(), |_| Ok(())),
    }
}

/// A case that a run could not score.
pub(crate) fn problem(py: Python<'_>, problem: &Problem) -> PyErr {
    match problem {
        Problem::Unreadable(error) | Problem::BrokenInput(error) => read(py, error),
        Problem::Duplicate { again: at, .. }
        | Problem::SameQuestion { again: at, .. }
        | Problem::WithoutRun { at, .. } => {
            let text = problem.to_string();
            let message = text.strip_prefix(&format!("{at}: ")).unwrap_or(&text);
            exception(py, "ReadError", message, |facts| {
                facts.set_item("file", &*at.file)?;
                facts.set_item("line", at.line)?;
                facts.set_item("help", problem.help())
            })
        }
    }
}

/// Adds the case's place to an exception.
pub(crate) fn of_case_number(py: Python<'_>, error: PyErr, place: &str) -> PyErr {
    // Only our own exceptions have this attribute; others stay unchanged.
    _ = error.value(py).setattr(intern!(py, "case"), place);
    error
}

/// Why something is not a case, in one line and without its place.
pub(crate) fn reason(py: Python<'_>, error: &PyErr) -> String {
    let value = error.value(py);
    let text = |name: &str| -> Option<String> { value.getattr_opt(name).ok()??.extract().ok() };
    match (text("message"), text("pointer")) {
        (Some(message), Some(pointer)) if !pointer.is_empty() => format!("{pointer}: {message}"),
        (Some(message), _) => message,
        _ => {
            let class = error.get_type(py);
            let class = class
                .name()
                .map_or_else(|_| "error".to_owned(), |it| it.to_string());
            format!("{class}: {value}")
        }
    }
}

/// A table that cannot be read.
pub(crate) fn table(py: Python<'_>, message: &str, help: Option<&str>) -> PyErr {
    exception(py, "CaseError", message, |facts| {
        facts.set_item("help", help)
    })
}
