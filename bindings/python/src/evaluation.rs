//! The result of an evaluator for one case, for Python.

use std::sync::{Arc, OnceLock};

use pyo3::prelude::*;
use rightcall_core::call::Case;
use rightcall_core::value::JsonText;
use rightcall_core::{Ask, EvaluationError, Outcome};
use rightcall_formats::CaseError;
use rightcall_results::{EvaluationResult, EvaluatorHead};
use rightcall_run::Configured;

use crate::errors;
use crate::subject::{Label, Subject};

/// The table columns that are expensive to compute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromPyObject, IntoPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Wanted {
    pub(crate) details: bool,
    pub(crate) alignment: bool,
}

/// The source of the expensive parts.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// Computed on first access, by evaluating again.
    Asked(Arc<Configured>, Arc<Subject>),
    /// Stored with the result, as far as they were requested.
    Kept(Arc<EvaluatorHead>),
}

/// The judgement of one evaluator on one case.
#[pyclass(frozen, module = "rightcall")]
#[derive(Debug)]
pub(crate) struct Evaluation {
    pub(crate) result: EvaluationResult,
    pub(crate) label: Option<Label>,
    pub(crate) source: Source,
    parts: OnceLock<Parts>,
}

/// The computed parts, as JSON texts.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    pub(crate) details: Option<String>,
    pub(crate) result: Option<String>,
    pub(crate) alignment: Option<String>,
}

impl Evaluation {
    /// Evaluates a case.
    pub(crate) fn evaluate(
        py: Python<'_>,
        configured: Arc<Configured>,
        subject: Subject,
    ) -> PyResult<Self> {
        let judged = if subject.is_short() {
            judged(&configured, &subject)
        } else {
            // Release Python's global lock meanwhile.
            py.detach(|| judged(&configured, &subject))
        };
        let (result, label) = judged.map_err(|error| errors::case(py, &error))?;
        let source = Source::Asked(configured, Arc::new(subject));
        Ok(Self::new(result, label, source))
    }

    pub(crate) fn new(result: EvaluationResult, label: Option<Label>, source: Source) -> Self {
        Self {
            result,
            label,
            source,
            parts: OnceLock::new(),
        }
    }

    pub(crate) fn parts(&self, py: Python<'_>) -> &Parts {
        if let Some(parts) = self.parts.get() {
            return parts;
        }
        // Computed before locking the cell: a thread that holds Python's global lock must not wait for it.
        let parts = py.detach(|| self.source.parts(&self.result));
        self.parts.get_or_init(|| parts)
    }
}

/// The outcome only, which is cheapest, and the label. An error if the subject is not a valid case.
fn judged(
    configured: &Configured,
    subject: &Subject,
) -> Result<(EvaluationResult, Option<Label>), CaseError> {
    subject.with_labelled_case(|case| outcome(configured, case))
}

/// The outcome of a parsed case.
pub(crate) fn outcome(configured: &Configured, case: &Case<'_>) -> EvaluationResult {
    configured.evaluator.evaluate(case, Ask::OUTCOME).into()
}

/// The result for a case that could not be judged, with the reason.
pub(crate) fn failed(reason: String) -> EvaluationResult {
    EvaluationResult::new(Outcome::Failed(EvaluationError::Raised(reason)), None)
}

impl Source {
    /// The source of a result that keeps only its outcome.
    pub(crate) fn of_outcome(configured: &Configured) -> Self {
        Self::Kept(Arc::new(configured.head()))
    }

    /// A result with only the requested parts.
    pub(crate) fn with_parts(&self, result: &EvaluationResult, wanted: Wanted) -> EvaluationResult {
        let known = match self {
            Self::Asked(configured, subject) if wanted.details || wanted.alignment => subject
                .with_case(|case| configured.evaluator.evaluate(case, Ask::ALL).into())
                .ok(),
            _ => None,
        };
        let known = known.unwrap_or_else(|| result.clone());
        EvaluationResult {
            details: known.details.filter(|_| wanted.details),
            explanation: known.explanation.filter(|_| wanted.alignment),
            ..known
        }
    }

    pub(crate) fn parts(&self, result: &EvaluationResult) -> Parts {
        match self {
            Self::Kept(_) => Parts {
                details: result.details.as_ref().map(ToString::to_string),
                result: None,
                alignment: result.alignment(),
            },
            Self::Asked(configured, subject) => {
                let parts = subject.with_case(|case| {
                    let core = configured.evaluator.evaluate(case, Ask::ALL);
                    Parts {
                        details: core.details.map(JsonText::into_string),
                        result: core.result.map(JsonText::into_string),
                        alignment: core
                            .explanation
                            .map(|explanation| explanation.to_json().into_string()),
                    }
                });
                parts.unwrap_or_default()
            }
        }
    }

    pub(crate) fn id(&self) -> &str {
        match self {
            Self::Asked(configured, _) => configured.evaluator.id(),
            Self::Kept(evaluator) => &evaluator.id,
        }
    }

    pub(crate) fn name(&self) -> Option<&str> {
        match self {
            Self::Asked(configured, _) => configured.name.as_deref(),
            Self::Kept(evaluator) => evaluator.name.as_deref(),
        }
    }
}
