//! Cases from Python objects.
//!
//! Calls in the plainest words are walked straight into the core's calls (`walked_calls`). Everything else is written as JSON, and the
//! reader of cases says what it is, as it does of the same text in a file.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use rightcall::call::Case;
use rightcall::value::JsonWriter;
use rightcall_formats::{CaseError, case_text, read_case};

use crate::settings::reading;
use crate::walked_calls::WalkedCase;
use crate::{errors, walk};

/// Which case it was.
#[derive(Clone, Debug, FromPyObject, IntoPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Label {
    pub(crate) case: String,
    /// JSON text.
    pub(crate) trial: Option<String>,
}

impl Label {
    /// Of a case without id.
    pub(crate) fn of_place(place: String) -> Self {
        Self {
            case: place,
            trial: None,
        }
    }
}

/// A case with its own memory, made from Python objects.
#[derive(Debug)]
pub(crate) enum Subject {
    Walked(WalkedCase),
    /// The JSON text of a case.
    Text(String),
}

impl Subject {
    /// The case of two sides. One that is written as JSON is not read here, but where it is judged.
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

    /// The case that an object stands for, and what it is called, if it has a name.
    pub(crate) fn of_case(case: &Bound<'_, PyAny>) -> PyResult<(Self, Option<Label>)> {
        let py = case.py();
        let own = case.getattr_opt(intern!(py, "to_dict"))?;
        let case = match own.filter(|_| is_own_case(case)) {
            Some(to_dict) => &to_dict.call0()?,
            None => case,
        };
        let subject = match case.cast_exact::<PyDict>() {
            Ok(dict) => Self::of_dict(dict)?,
            Err(_) => Self::Text(walk::json_of(case)?),
        };
        let label = subject.label().map_err(|error| errors::case(py, &error))?;
        Ok((subject, label))
    }

    /// The id of what is no case, if it has one.
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

    /// True if it is judged in less time than it may take to get the interpreter back from other threads of Python.
    pub(crate) fn is_short(&self) -> bool {
        let length = match self {
            Self::Walked(walked) => walked.len(),
            Self::Text(text) => text.len(),
        };
        length < SHORT
    }

    /// What the case is called, if it has a name; an error where the text holds no case.
    pub(crate) fn label(&self) -> Result<Option<Label>, CaseError> {
        self.with_case(|case| {
            let case_id = case.id.as_ref()?.to_display().into_owned();
            Some(Label {
                case: case_id,
                trial: case.trial.map(ToOwned::to_owned),
            })
        })
    }

    /// Lends the case to `look`.
    pub(crate) fn with_case<T>(&self, look: impl FnOnce(&Case<'_>) -> T) -> Result<T, CaseError> {
        let options = reading();
        match self {
            Self::Walked(walked) => Ok(look(&walked.case(options.hash_key))),
            Self::Text(text) => read_case(text, options).map(|case| look(&case)),
        }
    }
}

/// Bytes of a case that is short.
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
pub(crate) fn live_calls<'py>(actual: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if !is_foreign(actual) {
        return Ok(actual.clone());
    }
    let py = actual.py();
    py.import(intern!(py, "rightcall.live"))?
        .call_method1(intern!(py, "calls_of"), (actual,))
}
