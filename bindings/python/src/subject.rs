//! Cases from Python objects.
//!
//! Calls of two sides that are a name and arguments stay the objects that they are (`plain_calls`). Others given as plain dicts are
//! walked straight into the core's calls: names and arguments go into one buffer, and the case borrows from it. Everything else, such
//! as messages, spans and the shapes of other packages, is written as the JSON that the reader of cases knows, which then decides what
//! it is.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use rightcall::call::Case;
use rightcall::value::JsonWriter;
use rightcall_formats::{CaseError, case_text, read_case};

use crate::plain_calls::PlainCalls;
use crate::settings::reading;
use crate::walked_calls::{ConvertedCase, Walk};
use crate::{errors, spans, walk};

/// Which case it was.
#[derive(Clone, Debug, FromPyObject, IntoPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Label {
    pub(crate) case: String,
    /// JSON text.
    pub(crate) trial: Option<String>,
}

/// A case with its own memory, made from Python objects.
#[derive(Debug)]
pub(crate) struct Subject(Form);

#[derive(Debug)]
enum Form {
    Plain(PlainCalls),
    Calls(ConvertedCase),
    /// A JSON text that is known to hold a case.
    Text(String),
}

impl Subject {
    /// The case of two sides.
    pub(crate) fn of_sides(
        expected: Option<&Bound<'_, PyAny>>,
        actual: Option<&Bound<'_, PyAny>>,
        py: Python<'_>,
    ) -> PyResult<Self> {
        let [expected, actual] = [expected, actual].map(|side| side.filter(|side| !side.is_none()));
        if expected.is_none() && actual.is_none() {
            // No key tells what there could be, so no reader is asked.
            return Ok(Self(Form::Text("{}".to_owned())));
        }
        if let Some(calls) = PlainCalls::of(expected, actual) {
            return Ok(Self(Form::Plain(calls)));
        }
        let mut walk = Walk::new();
        if let Some(sides) = walk.sides(expected, actual)? {
            let walked = walk.finish(sides, None, None);
            if !walked.may_hold_matchers() {
                return Ok(Self(Form::Calls(walked)));
            }
        }
        let actual = actual.map(live_calls).transpose()?;
        let mut writer = JsonWriter::new();
        writer.begin_object();
        for (key, side) in [("expected", expected), ("actual", actual.as_ref())] {
            if let Some(side) = side {
                walk::write(writer.key(key), side)
                    .map_err(|stopped| stopped.under(key).into_error(py))?;
            }
        }
        writer.end_object();
        Self::of_text(py, writer.finish().into_string())
    }

    /// The case that an object stands for.
    pub(crate) fn of_case(case: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = case.py();
        let own = case.getattr_opt(intern!(py, "to_dict"))?;
        let case = match own.filter(|_| is_own_case(case)) {
            Some(to_dict) => &to_dict.call0()?,
            None => case,
        };
        let Ok(dict) = case.cast_exact::<PyDict>() else {
            return Self::of_text(py, walk::json_of(case)?);
        };
        if let Some(walked) = Walk::of_case(dict)? {
            return Ok(Self(Form::Calls(walked)));
        }
        let key = intern!(py, "actual");
        let json = match dict.get_item(key)?.filter(is_foreign) {
            Some(actual) => {
                let dict = dict.copy()?;
                dict.set_item(key, live_calls(&actual)?)?;
                walk::json_of(&dict)?
            }
            None => walk::json_of(dict)?,
        };
        Self::of_text(py, json)
    }

    fn of_text(py: Python<'_>, text: String) -> PyResult<Self> {
        let text = spans::read_actual(text).map_err(|message| errors::spans(py, &message))?;
        Self::of_json(text).map_err(|error| errors::case(py, &error))
    }

    /// The case that a JSON text holds.
    pub(crate) fn of_json(text: String) -> Result<Self, CaseError> {
        read_case(&text, reading())?;
        Ok(Self(Form::Text(text)))
    }

    /// The case that `to_text` wrote.
    pub(crate) fn of_own_text(text: String) -> Result<Self, CaseError> {
        if text == "{}" {
            return Ok(Self(Form::Text(text)));
        }
        Self::of_json(text)
    }

    /// The case as JSON.
    pub(crate) fn to_text(&self, py: Python<'_>) -> PyResult<String> {
        match &self.0 {
            Form::Plain(calls) => calls.to_json(py),
            Form::Calls(walked) => Ok(case_text(&walked.case(reading().hash_key))),
            Form::Text(text) => Ok(text.clone()),
        }
    }

    /// True if nothing of Python is needed to judge it.
    pub(crate) fn is_text(&self) -> bool {
        !matches!(self.0, Form::Plain(_))
    }

    /// What the case is called, if it has a name.
    pub(crate) fn label(&self) -> Option<Label> {
        let label = |case: &Case<'_>| {
            let case_id = case.id.as_ref()?.to_display().into_owned();
            Some(Label {
                case: case_id,
                trial: case.trial.map(ToOwned::to_owned),
            })
        };
        self.with_case(label).ok().flatten()
    }

    /// The same case in its own memory; `None` if it is.
    pub(crate) fn copied(&self, py: Python<'_>) -> PyResult<Option<Self>> {
        match &self.0 {
            Form::Plain(calls) => Self::of_text(py, calls.to_json(py)?).map(Some),
            Form::Calls(_) | Form::Text(_) => Ok(None),
        }
    }

    /// The error of arguments that somebody asked for and that JSON can't hold, if there was one.
    pub(crate) fn take_error(&mut self, py: Python<'_>) -> Option<PyErr> {
        match &mut self.0 {
            Form::Plain(calls) => calls.take_error(py),
            Form::Calls(_) | Form::Text(_) => None,
        }
    }

    /// The objects of Python that it holds.
    pub(crate) fn held(&self) -> impl Iterator<Item = &Py<PyDict>> {
        let plain = match &self.0 {
            Form::Plain(calls) => Some(calls.held()),
            Form::Calls(_) | Form::Text(_) => None,
        };
        plain.into_iter().flatten()
    }

    /// Lends the case to `look`.
    pub(crate) fn with_case<T>(&self, look: impl FnOnce(&Case<'_>) -> T) -> Result<T, CaseError> {
        let options = reading();
        match &self.0 {
            Form::Plain(calls) => Python::attach(|py| Ok(look(&calls.case(py, options.hash_key)))),
            Form::Calls(walked) => Ok(look(&walked.case(options.hash_key))),
            Form::Text(text) if text == "{}" => Ok(look(&Case {
                hash_key: options.hash_key,
                ..Case::default()
            })),
            Form::Text(text) => read_case(text, options).map(|case| look(&case)),
        }
    }
}

/// True for a `rightcall.Case`.
fn is_own_case(object: &Bound<'_, PyAny>) -> bool {
    let module = object.get_type().module();
    module.is_ok_and(|module| {
        module
            .to_str()
            .is_ok_and(|module| module == "rightcall._case")
    })
}

/// True for an object of a class that is not Python's own, and for a list of such.
fn is_foreign(object: &Bound<'_, PyAny>) -> bool {
    let is_plain = |object: &Bound<'_, PyAny>| {
        object.is_exact_instance_of::<PyDict>()
            || object.is_exact_instance_of::<PyString>()
            || object.is_none()
    };
    if let Ok(list) = object.cast_exact::<PyList>() {
        list.get_item(0).is_ok_and(|first| !is_plain(&first))
    } else if let Ok(tuple) = object.cast_exact::<PyTuple>() {
        tuple.get_item(0).is_ok_and(|first| !is_plain(&first))
    } else {
        !is_plain(object)
    }
}

/// The calls in what an agent framework returned, or the object itself.
fn live_calls<'py>(actual: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if !is_foreign(actual) {
        return Ok(actual.clone());
    }
    let py = actual.py();
    py.import(intern!(py, "rightcall.live"))?
        .call_method1(intern!(py, "calls_of"), (actual,))
}
