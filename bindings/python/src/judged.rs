//! UiPath's evaluators on recorded spans: the score is computed immediately, the explanation on first access.

use std::sync::Arc;
use std::time::Instant;

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyString};
use rightcall_core::value::JsonText;
use rightcall_core::{Ask, EVALUATORS, Edition, Evaluator as Core, Outcome};

use crate::settings::reading;
use crate::span_calls::SpanCase;
use crate::{errors, values};

/// One of UiPath's evaluators, for any configuration.
#[pyclass(frozen, module = "rightcall._native")]
#[derive(Debug)]
pub(crate) struct SpanEvaluator {
    /// Indexed by `strict`, then by `subset`.
    cores: [[Arc<Core>; 2]; 2],
    /// Only some evaluators have the setting `subset`.
    has_subset: bool,
}

#[pymethods]
impl SpanEvaluator {
    /// The evaluator with this id.
    #[new]
    #[pyo3(signature = (evaluator, /))]
    fn new(py: Python<'_>, evaluator: &str) -> PyResult<Self> {
        let core = |strict: bool, subset: bool| {
            let config = format!("{{\"strict\":{strict},\"subset\":{subset}}}");
            Core::from_config(evaluator, &config, Edition::Package)
                .map(Arc::new)
                .map_err(|error| errors::config(py, &error))
        };
        let cores = |strict| -> PyResult<_> { Ok([core(strict, false)?, core(strict, true)?]) };
        Ok(Self {
            cores: [cores(false)?, cores(true)?],
            has_subset: EVALUATORS.iter().any(|entry| {
                entry.id == evaluator && entry.settings.iter().any(|it| it.name == "subset")
            }),
        })
    }

    /// Judges spans by criteria. Raises an exception if the original does, or if Python's own objects must decide.
    #[pyo3(signature = (evaluator, criteria, spans, /))]
    fn judge(
        &self,
        evaluator: &Bound<'_, PyAny>,
        criteria: &Bound<'_, PyAny>,
        spans: &Bound<'_, PyAny>,
    ) -> PyResult<Judged> {
        let (start, py) = (Instant::now(), evaluator.py());
        let config = evaluator.getattr(intern!(py, "evaluator_config"))?;
        let strict = flag(&config, intern!(py, "strict"))?;
        let subset = self.has_subset && flag(&config, intern!(py, "subset"))?;
        let core = Arc::clone(&self.cores[usize::from(strict)][usize::from(subset)]);
        let case = SpanCase::of(core.id(), criteria, spans);
        let case = case.map_err(|stopped| stopped.into_error(py))?;
        let outcome = case.outcome(py, &core, reading().hash_key);
        let Outcome::Scored(score) = outcome else {
            return Err(errors::value(py, &outcome.reason().unwrap_or_default()));
        };
        Ok(Judged {
            evaluator: evaluator.clone().unbind(),
            core,
            case,
            score: score.get(),
            seconds: start.elapsed().as_secs_f64(),
        })
    }
}

/// A boolean setting; an error if it was set to another type.
fn flag(config: &Bound<'_, PyAny>, name: &Bound<'_, PyString>) -> PyResult<bool> {
    Ok(config.getattr(name)?.cast::<PyBool>()?.is_true())
}

/// The result of an evaluator for criteria and spans.
#[pyclass(frozen, module = "rightcall._native")]
#[derive(Debug)]
pub(crate) struct Judged {
    /// The package's evaluator, or our replacement.
    evaluator: Py<PyAny>,
    core: Arc<Core>,
    case: SpanCase,
    score: f64,
    seconds: f64,
}

#[pymethods]
impl Judged {
    /// The score.
    #[getter]
    fn score(&self) -> f64 {
        self.score
    }

    /// The duration.
    #[getter]
    fn seconds(&self) -> f64 {
        self.seconds
    }

    /// The evaluator that was used.
    #[getter]
    fn evaluator(&self, py: Python<'_>) -> Py<PyAny> {
        self.evaluator.clone_ref(py)
    }

    /// The result that the original would return, a dict.
    fn result<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let ask = Ask {
            result: true,
            ..Ask::OUTCOME
        };
        let evaluation = self.case.evaluate_native(py, &self.core, ask);
        values::optional(py, evaluation.result.as_ref().map(JsonText::as_str))
    }
}
