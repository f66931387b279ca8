//! Reports progress to Python.

use pyo3::intern;
use pyo3::prelude::*;

/// The progress object of `rightcall._progress`.
#[derive(Debug)]
pub(crate) struct Progress(Option<Py<PyAny>>);

impl Progress {
    /// Starts to show progress: `True` for a bar, a function for a callback, `None` for no output.
    pub(crate) fn start(py: Python<'_>, asked: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let Some(asked) = asked else {
            return Ok(Self(None));
        };
        let shown = py
            .import(intern!(py, "rightcall._progress"))?
            .call_method1(intern!(py, "start"), (asked,))?;
        Ok(Self::shown(shown.unbind()))
    }

    /// Wraps progress that is already shown; may be `None`.
    pub(crate) fn shown(shown: Py<PyAny>) -> Self {
        Python::attach(|py| Self((!shown.is_none(py)).then_some(shown)))
    }

    /// Reports that this many more cases are finished.
    pub(crate) fn advance(&self, py: Python<'_>, cases: usize) -> PyResult<()> {
        match &self.0 {
            Some(shown) => shown
                .call_method1(py, intern!(py, "advance"), (cases,))
                .map(drop),
            None => Ok(()),
        }
    }

    /// Ends the progress display.
    pub(crate) fn close(&self, py: Python<'_>) -> PyResult<()> {
        match &self.0 {
            Some(shown) => shown.call_method0(py, intern!(py, "close")).map(drop),
            None => Ok(()),
        }
    }
}
