//! Runs with a reason why calls may be missing.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyList;

/// The reason why calls may be missing, if the run is a `rightcall.Calls` with such a reason.
pub(crate) fn incomplete(run: Option<&Bound<'_, PyAny>>) -> PyResult<Option<String>> {
    let is_subclass = |run: &&Bound<'_, PyAny>| {
        run.is_instance_of::<PyList>() && !run.is_exact_instance_of::<PyList>()
    };
    let Some(run) = run.filter(is_subclass) else {
        return Ok(None);
    };
    match run.getattr_opt(intern!(run.py(), "incomplete"))? {
        Some(why) => Ok(why.extract().ok()),
        None => Ok(None),
    }
}
