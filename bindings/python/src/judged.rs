//! A score whose explanation waits until somebody reads it.

use std::sync::Arc;

use pyo3::prelude::*;
use rightcall::{Ask, Evaluator as Core, Outcome};

use crate::settings::reading;
use crate::span_calls::SpanCalls;
use crate::values;

/// What an evaluator made of two sides in the original's shape: the score at once, the original's result when it is asked for.
#[pyclass(frozen, module = "rightcall._native")]
#[derive(Debug)]
pub(crate) struct Judged {
    core: Arc<Core>,
    sides: Sides,
    score: Option<f64>,
    reason: Option<String>,
}

/// What was judged.
#[derive(Debug)]
enum Sides {
    /// Two JSON texts.
    Texts(String, String),
    Spans(SpanCalls),
}

impl Judged {
    /// Judges two JSON texts.
    pub(crate) fn of_texts(core: Arc<Core>, expected: String, actual: String) -> Self {
        let outcome = core
            .evaluate_native(&expected, &actual, Ask::OUTCOME)
            .outcome;
        Self::new(core, &outcome, Sides::Texts(expected, actual))
    }

    /// Judges the calls of spans.
    pub(crate) fn of_spans(core: Arc<Core>, calls: SpanCalls, py: Python<'_>) -> Self {
        let outcome = calls.with_case(py, reading().hash_key, |case| {
            core.evaluate(case, Ask::OUTCOME).outcome
        });
        Self::new(core, &outcome, Sides::Spans(calls))
    }

    fn new(core: Arc<Core>, outcome: &Outcome, sides: Sides) -> Self {
        Self {
            core,
            sides,
            score: outcome.score(),
            reason: outcome.reason(),
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
        let evaluation = match &self.sides {
            Sides::Texts(expected, actual) => self.core.evaluate_native(expected, actual, ask),
            Sides::Spans(calls) => {
                let (expected, actual) = calls.to_texts(py);
                self.core.evaluate_native(&expected, &actual, ask)
            }
        };
        evaluation
            .result
            .map(|json| values::object_of(py, json.as_str()))
            .transpose()
    }
}
