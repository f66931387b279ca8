//! Converts Python objects to cases.
//!
//! Calls in the plainest form are converted directly to the core's calls (`walked_calls`). Everything else is written as JSON and parsed by
//! the reader of cases, like the same text in a file.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use rightcall_core::call::Case;
use rightcall_core::value::JsonWriter;
use rightcall_formats::{CaseError, case_text, read_case};

use crate::settings::reading;
use crate::walk;
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
    /// The JSON text of a case.
    Text(String),
}

impl Subject {
    /// The case for two sides. A case written as JSON is not parsed here, but when it is judged.
    pub(crate) fn of_sides(
        py: Python<'_>,
        expected: Option<&Bound<'_, PyAny>>,
        actual: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let [expected, actual] = [expected, actual].map(|side| side.filter(|side| !side.is_none()));
        if let Some(walked) = WalkedCase::of_sides(expected, actual) {
            return Ok(Self::Walked(walked));
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
        Ok(Self::Text(writer.finish().into_string()))
    }

    /// Converts an object to a case. A case written as JSON is not parsed here, but when it is judged.
    pub(crate) fn of_case(case: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = case.py();
        let own = case.getattr_opt(intern!(py, "to_dict"))?;
        let case = match own.filter(|_| is_own_case(case)) {
            Some(to_dict) => &to_dict.call0()?,
            None => case,
        };
        match case.cast_exact::<PyDict>() {
            Ok(dict) => Self::of_dict(dict),
            Err(_) => Ok(Self::Text(walk::json_of(case)?)),
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
        let key = intern!(dict.py(), "actual");
        let Some(actual) = dict.get_item(key)?.filter(is_foreign) else {
            return Ok(Self::Text(walk::json_of(dict)?));
        };
        let dict = dict.copy()?;
        dict.set_item(key, live_calls(&actual)?)?;
        Ok(Self::Text(walk::json_of(&dict)?))
    }

    /// The case as JSON.
    pub(crate) fn to_text(&self) -> String {
        match self {
            Self::Walked(walked) => case_text(&walked.case(reading().hash_key)),
            Self::Text(text) => text.clone(),
        }
    }

    /// Its approximate length as JSON.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Walked(walked) => walked.len(),
            Self::Text(text) => text.len(),
        }
    }

    /// True if judging it takes less time than reacquiring Python's global lock may take.
    pub(crate) fn is_short(&self) -> bool {
        self.len() < SHORT
    }

    /// As [`with_case`](Self::with_case), with the label of the case, if it has an id.
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

    /// Passes the case to `look`; an error if the text is not a valid case.
    pub(crate) fn with_case<T>(&self, look: impl FnOnce(&Case<'_>) -> T) -> Result<T, CaseError> {
        let options = reading();
        match self {
            Self::Walked(walked) => Ok(look(&walked.case(options.hash_key))),
            Self::Text(text) => read_case(text, options).map(|case| look(&case)),
        }
    }
}

/// The maximum size of a short case, in bytes.
const SHORT: usize = 1 << 12;

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
pub(crate) fn live_calls<'py>(actual: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if !is_foreign(actual) {
        return Ok(actual.clone());
    }
    let py = actual.py();
    py.import(intern!(py, "rightcall.live"))?
        .call_method1(intern!(py, "calls_of"), (actual,))
}
