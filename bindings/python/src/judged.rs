//! A score whose explanation waits until somebody reads it.

use std::sync::Arc;

use pyo3::prelude::*;
use rightcall::{Ask, Evaluator as Core};

use crate::values;

/// What an evaluator made of two sides in the original's shape: the score at once, the original's result when it is asked for.
#[pyclass(frozen, module = "rightcall._native")]
#[derive(Debug)]
pub(crate) struct Judged {
    core: Arc<Core>,
    expected: String,
    actual: String,
    score: Option<f64>,
    reason: Option<String>,
}

impl Judged {
    /// Judges two JSON texts.
    pub(crate) fn new(core: Arc<Core>, expected: String, actual: String) -> Self {
        let outcome = core
            .evaluate_native(&expected, &actual, Ask::OUTCOME)
            .outcome;
        Self {
            score: outcome.score(),
            reason: outcome.reason(),
            core,
            expected,
            actual,
        }
    }
}

#[pymethods]
impl Judged {
    /// The score; `None` where the original raises an error.
    #[getter]
    fn score(&self) -> Option<f64> {
        self.score
    }

    /// Why there is no score.
    #[getter]
    fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    /// What the original would have returned, a dict; `None` where it raises an error.
    fn result<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let ask = Ask {
            result: true,
            ..Ask::OUTCOME
        };
        let evaluation = self.core.evaluate_native(&self.expected, &self.actual, ask);
        evaluation
            .result
            .map(|json| values::object_of(py, json.as_str()))
            .transpose()
    }
}
