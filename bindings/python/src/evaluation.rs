//! What an evaluator makes of a case, as Python sees it.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use pyo3::prelude::*;
use rightcall::value::JsonText;
use rightcall::{Ask, EvaluationError, Outcome};
use rightcall_results::{EvaluationResult, EvaluatorHead};
use rightcall_run::Configured;

use crate::errors;
use crate::subject::{Label, Subject};

/// The columns that cost their making.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromPyObject, IntoPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Wanted {
    pub(crate) details: bool,
    pub(crate) alignment: bool,
}

/// How the parts that cost their making are come by.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// By asking again, when somebody wants them.
    Asked(Arc<Configured>, Arc<Subject>),
    /// They were kept with the result, as far as they were wanted.
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

/// JSON texts.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    pub(crate) details: Option<String>,
    pub(crate) result: Option<String>,
    pub(crate) alignment: Option<String>,
}

impl Evaluation {
    /// Asks an evaluator about a case.
    pub(crate) fn asked(
        py: Python<'_>,
        configured: Arc<Configured>,
        mut subject: Subject,
        label: Option<Label>,
    ) -> PyResult<Self> {
        // Other threads of Python go on, unless the calls are still objects of theirs.
        let result = if subject.is_text() {
            py.detach(|| outcome(&configured, &subject))
        } else {
            outcome(&configured, &subject)
        };
        match subject.take_error(py) {
            None => Ok(Self::new(
                result,
                label,
                Source::Asked(configured, Arc::new(subject)),
            )),
            Some(error) => Err(error),
        }
    }

    pub(crate) fn new(result: EvaluationResult, label: Option<Label>, source: Source) -> Self {
        Self {
            result,
            label,
            source,
            parts: OnceLock::new(),
        }
    }

    pub(crate) fn parts(&self, py: Python<'_>) -> PyResult<&Parts> {
        if let Some(parts) = self.parts.get() {
            return Ok(parts);
        }
        let source = self.copied(py)?;
        let parts = py.detach(|| source.parts(&self.result));
        Ok(self.parts.get_or_init(|| parts))
    }

    /// The source with a case in its own memory.
    pub(crate) fn copied(&self, py: Python<'_>) -> PyResult<Cow<'_, Source>> {
        if let Source::Asked(configured, subject) = &self.source
            && let Some(copy) = subject.copied(py)?
        {
            let again = outcome(configured, &copy);
            if (again.outcome, again.passed) != (self.result.outcome.clone(), self.result.passed) {
                return Err(errors::changed(py));
            }
            return Ok(Cow::Owned(Source::Asked(
                Arc::clone(configured),
                Arc::new(copy),
            )));
        }
        Ok(Cow::Borrowed(&self.source))
    }
}

/// The outcome alone, which costs least.
pub(crate) fn outcome(configured: &Configured, subject: &Subject) -> EvaluationResult {
    let result = subject.with_case(|case| configured.evaluator.evaluate(case, Ask::OUTCOME).into());
    // A subject was read when it was made, so it can be read again.
    result.unwrap_or_else(|error| {
        failed(format!(
            "expected {}, found {}",
            error.expected, error.found
        ))
    })
}

/// A case that could not be judged, and why.
pub(crate) fn failed(reason: String) -> EvaluationResult {
    EvaluationResult::new(Outcome::Failed(EvaluationError::Raised(reason)), None)
}

impl Source {
    /// A result with the parts that are wanted, and no others.
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
