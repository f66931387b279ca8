//! Evaluators with the originals' own inputs, for the drop-ins.

use std::sync::Arc;

use pyo3::prelude::*;
use rightcall_core::value::JsonText;
use rightcall_core::{Ask, Evaluator as Core};

use crate::exact;
use crate::{values, walk};

/// An evaluator with an original's configuration, which accepts the original's inputs.
#[pyclass(frozen, module = "rightcall._native")]
#[derive(Debug)]
pub(crate) struct Native(pub(crate) Arc<Core>);

/// The original's result, whether it passed, the kind of the outcome, and the reason if there is one.
type NativeResult<'py> = (
    Option<Bound<'py, PyAny>>,
    Option<bool>,
    &'static str,
    Option<String>,
);

#[pymethods]
impl Native {
    /// The result that the original would return (a dict) and the passed flag. If it raises an exception: the outcome and the reason.
    #[pyo3(signature = (expected, actual, /))]
    fn result<'py>(
        &self,
        py: Python<'py>,
        expected: &Bound<'py, PyAny>,
        actual: &Bound<'py, PyAny>,
    ) -> PyResult<NativeResult<'py>> {
        let (expected, actual) = (walk::json_of(expected)?, walk::json_of(actual)?);
        self.result_of_json(py, &expected, &actual)
    }

    /// Like `result`, for JSON texts.
    #[pyo3(signature = (expected, actual, /))]
    fn result_of_json<'py>(
        &self,
        py: Python<'py>,
        expected: &str,
        actual: &str,
    ) -> PyResult<NativeResult<'py>> {
        let ask = Ask {
            result: true,
            ..Ask::OUTCOME
        };
        let evaluation = py.detach(|| self.0.evaluate_native(expected, actual, ask));
        let result = values::optional(py, evaluation.result.as_ref().map(JsonText::as_str))?;
        let outcome = evaluation.outcome;
        Ok((result, evaluation.passed, outcome.name(), outcome.reason()))
    }

    /// Like `result`, if both sides mean the same in Python and in JSON. Otherwise a `TypeError`: Python's own code must judge.
    #[pyo3(signature = (expected, actual, /))]
    fn result_exact<'py>(
        &self,
        py: Python<'py>,
        expected: &Bound<'py, PyAny>,
        actual: &Bound<'py, PyAny>,
    ) -> PyResult<NativeResult<'py>> {
        let (expected, actual) = (exact::text_of(expected)?, exact::text_of(actual)?);
        self.result_of_json(py, &expected, &actual)
    }

    /// The reason for the score, as in `Evaluation.alignment`.
    #[pyo3(signature = (expected, actual, /))]
    fn alignment<'py>(
        &self,
        py: Python<'py>,
        expected: &Bound<'py, PyAny>,
        actual: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let (expected, actual) = (walk::json_of(expected)?, walk::json_of(actual)?);
        let explanation = self
            .0
            .evaluate_native(&expected, &actual, Ask::EXPLANATION)
            .explanation;
        let json = explanation.map(|it| it.to_json());
        values::optional(py, json.as_ref().map(JsonText::as_str))
    }
}
