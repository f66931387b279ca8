//! Converts Python objects to cases.
//!
//! Plain calls are converted directly to the core's calls (`walked_calls`). Everything else is
//! written as JSON and parsed like a case in a file.

use pyo3::exceptions::{PyAttributeError, PyTypeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use rightcall_core::call::Case;
use rightcall_core::value::{JsonText, JsonWriter};
use rightcall_formats::{CaseError, case_text, read_case, refuse_near_keys, refuse_near_sides};

use crate::call_parts::check_side;
use crate::errors;
use crate::incomplete::incomplete;
use crate::settings::reading;
use crate::walk::{self, Plain};
use crate::walked_calls::WalkedCase;

/// The name of a case.
#[derive(Clone, Debug, FromPyObject, IntoPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Label {
    pub(crate) case: String,
    /// As JSON text.
    pub(crate) trial: Option<String>,
}

impl Label {
    /// The label of a case without a trial: its id, or its place.
    pub(crate) fn without_trial(case: String) -> Self {
        Self { case, trial: None }
    }
}

/// A case that owns its data, converted from Python objects.
#[derive(Debug)]
pub(crate) enum Subject {
    Walked(WalkedCase),
    /// The JSON text of a case. A side is an error if it is missing and another key looks like its
    /// name.
    Text(String),
    /// The JSON text of a case that is judged without a run, so without warnings. Any misspelled
    /// key is an error.
    Alone(String),
}

impl Subject {
    /// The case for two sides. A case as JSON is parsed later, when it is judged.
    pub(crate) fn of_sides(
        py: Python<'_>,
        expected: Option<&Bound<'_, PyAny>>,
        actual: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let [expected, actual] =
            [expected, actual].map(|side| side.filter(|side| !is_missing(side)));
        if let Some(walked) = WalkedCase::of_sides(expected, actual) {
            return Ok(Self::Walked(walked));
        }
        refuse_incomplete(py, expected)?;
        let actual = actual.map(|it| live_calls(it, "/actual")).transpose()?;
        let incomplete = incomplete(actual.as_ref())?;
        let mut writer = JsonWriter::new();
        writer.begin_object();
        for (key, side) in [("expected", expected), ("actual", actual.as_ref())] {
            if let Some(side) = side {
                check_side(side, &format!("/{key}"))?;
                walk::write(writer.key(key), side)
                    .map_err(|stopped| stopped.under(key).into_error(py))?;
            }
        }
        writer.optional("incomplete", incomplete);
        writer.end_object();
        Ok(Self::Text(writer.finish().into_string()))
    }

    /// Converts an object to a case. A case as JSON is parsed later, when it is judged.
    pub(crate) fn of_case(case: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = case.py();
        let own = case.getattr_opt(intern!(py, "to_dict"))?;
        let case = match own.filter(|_| is_own_case(case)) {
            Some(to_dict) => &to_dict.call0()?,
            None => case,
        };
        if let Ok(dict) = case.cast_exact::<PyDict>() {
            return Self::of_dict(dict);
        }
        let [expected, actual] =
            [intern!(py, "expected"), intern!(py, "actual")].map(|key| case.getattr_opt(key));
        let (expected, actual) = (expected?, actual?);
        for (side, pointer) in [(&expected, "/expected"), (&actual, "/actual")] {
            side.as_ref()
                .map_or(Ok(()), |side| check_side(side, pointer))?;
        }
        let text = walk::json_of(case)?;
        let why = incomplete(actual.as_ref())?;
        Ok(Self::Text(with_incomplete(text, why)))
    }

    /// The same case, to be judged alone.
    pub(crate) fn alone(self) -> Self {
        match self {
            Self::Text(text) => Self::Alone(text),
            other => other,
        }
    }

    /// The id of a case that may be invalid, if it is a text.
    pub(crate) fn id_of(object: &Bound<'_, PyAny>) -> Option<String> {
        let key = intern!(object.py(), "id");
        let id = match object.cast::<PyDict>() {
            Ok(dict) => dict.get_item(key).ok()?,
            Err(_) => object.getattr_opt(key).ok()?,
        };
        id?.cast_into::<PyString>().ok()?.extract().ok()
    }

    fn of_dict(dict: &Bound<'_, PyDict>) -> PyResult<Self> {
        if let Some(walked) = WalkedCase::of_dict(dict) {
            return Ok(Self::Walked(walked));
        }
        let py = dict.py();
        let dict = dict.copy()?;
        let key = intern!(py, "expected");
        match dict.get_item(key)? {
            Some(expected) if is_missing(&expected) => dict.del_item(key)?,
            Some(expected) => {
                refuse_incomplete(py, Some(&expected))?;
                check_side(&expected, "/expected")?;
            }
            None => {}
        }
        let key = intern!(py, "actual");
        let mut why = None;
        match dict.get_item(key)? {
            Some(actual) if is_missing(&actual) => dict.del_item(key)?,
            Some(actual) => {
                let live = live_calls(&actual, "/actual")?;
                why = incomplete(Some(&live))?;
                check_side(&live, "/actual")?;
                dict.set_item(key, live)?;
            }
            None => {}
        }
        if let Some(why) = why.filter(|_| !dict.contains("incomplete").unwrap_or(true)) {
            dict.set_item(intern!(py, "incomplete"), why)?;
        }
        Ok(Self::Text(walk::json_of(&dict)?))
    }

    /// The case as JSON.
    pub(crate) fn to_text(&self) -> String {
        match self {
            Self::Walked(walked) => case_text(&walked.case(reading().hash_key)),
            Self::Text(text) | Self::Alone(text) => text.clone(),
        }
    }

    /// Its approximate length as JSON.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Walked(walked) => walked.len(),
            Self::Text(text) | Self::Alone(text) => text.len(),
        }
    }

    /// True if judging it is probably faster than reacquiring Python's global lock.
    pub(crate) fn is_short(&self) -> bool {
        self.len() < MAX_SHORT_CASE
    }

    /// Like [`with_case`](Self::with_case), with the label of the case, if it has an id.
    pub(crate) fn with_labelled_case<T>(
        &self,
        look: impl FnOnce(&Case<'_>) -> T,
    ) -> Result<(T, Option<Label>), CaseError> {
        self.with_case(|case| {
            let label = case.id.as_ref().map(|id| Label {
                case: id.to_display().into_owned(),
                trial: case.trial.map(ToOwned::to_owned),
            });
            (look(case), label)
        })
    }

    /// Passes the case to `look`, resolved if its expectation has blocks; an error if the text is not a valid case.
    pub(crate) fn with_case<T>(&self, look: impl FnOnce(&Case<'_>) -> T) -> Result<T, CaseError> {
        let options = reading();
        let (text, is_alone) = match self {
            Self::Walked(walked) => return Ok(look(&walked.case(options.hash_key))),
            Self::Text(text) => (text, false),
            Self::Alone(text) => (text, true),
        };
        let case = read_case(text, options)?;
        if is_alone {
            refuse_near_keys(&case)?;
        } else {
            refuse_near_sides(&case)?;
        }
        Ok(case.with_resolved(look))
    }
}

/// True for a side without a value: `None`, and the missing values of pandas.
pub(crate) fn is_missing(side: &Bound<'_, PyAny>) -> bool {
    match Plain::of(side) {
        Plain::None => true,
        Plain::Float(float) => float.value().is_nan(),
        Plain::Not => {
            let class = side.get_type();
            let is_named = |name: &str| class.name().is_ok_and(|it| it == name);
            is_named("NAType") || is_named("NaTType")
        }
        _ => false,
    }
}

/// Rejects an incomplete expectation.
fn refuse_incomplete(py: Python<'_>, expected: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    match incomplete(expected)? {
        None => Ok(()),
        Some(why) => Err(errors::case(
            py,
            &CaseError {
                pointer: "/expected".to_owned(),
                expected: "all calls that are expected".into(),
                found: why,
                help: Some("pass `list(calls)` if these are all".into()),
            },
        )),
    }
}

/// The text of a case with the reason why its run may lack calls.
fn with_incomplete(text: String, why: Option<String>) -> String {
    match (why, text.strip_suffix('}')) {
        (Some(why), Some(open)) => {
            let why = JsonText::from_type(&why);
            format!("{open},\"incomplete\":{}}}", why.as_str())
        }
        _ => text,
    }
}

/// The maximum size of a short case, in bytes.
const MAX_SHORT_CASE: usize = 1 << 12;

/// True for a `rightcall.Case`.
fn is_own_case(object: &Bound<'_, PyAny>) -> bool {
    let module = object.get_type().module();
    module.is_ok_and(|module| {
        module
            .to_str()
            .is_ok_and(|module| module == "rightcall._case")
    })
}

/// True for an object of a class that is not built in, and for a list of such objects.
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

/// The calls in an agent framework's result, or the object itself.
pub(crate) fn live_calls<'py>(
    actual: &Bound<'py, PyAny>,
    pointer: &str,
) -> PyResult<Bound<'py, PyAny>> {
    if !is_foreign(actual) {
        return Ok(actual.clone());
    }
    let py = actual.py();
    py.import(intern!(py, "rightcall.live"))?
        .call_method1(intern!(py, "calls_of"), (actual,))
        .map_err(|error| {
            let is_ours = error.value(py).hasattr("pointer").unwrap_or(false);
            let is_odd = error.is_instance_of::<PyTypeError>(py)
                || error.is_instance_of::<PyAttributeError>(py);
            if is_ours || !is_odd {
                return error;
            }
            // The object has the attributes of a framework's result, but not their contents.
            let message = format!("expected calls, found {}", errors::describe(actual));
            errors::unsuited(py, pointer, &message)
        })
}
