//! What an evaluator makes of a case, as Python sees it.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use pyo3::exceptions::PyTypeError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use rightcall::call::Case;
use rightcall::value::JsonText;
use rightcall::{Ask, EvaluationError, Outcome};
use rightcall_report::{Explained, ExplainedResult, explain_screen};
use rightcall_results::{EvaluationResult, EvaluatorHead, sentence};
use rightcall_run::Configured;

use crate::run::Wanted;
use crate::subject::Subject;
use crate::{errors, plain_value, values};

/// Which case it was.
#[derive(Clone, Debug, FromPyObject, IntoPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Label {
    pub(crate) case: String,
    /// JSON text.
    pub(crate) trial: Option<String>,
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

#[pymethods]
impl Evaluation {
    /// The score, or `None` where there is none.
    #[getter]
    fn score(&self) -> Option<f64> {
        self.result.score()
    }

    /// Whether the case passed, by a threshold or by the original's own verdict; `None` where there is neither.
    #[getter]
    fn passed(&self) -> Option<bool> {
        self.result.passed
    }

    /// `"scored"`, `"not_applicable"` or `"error"`.
    #[getter]
    fn outcome(&self) -> &'static str {
        self.result.outcome.name()
    }

    /// Why there is no score; `None` where there is one.
    #[getter]
    fn reason(&self) -> Option<String> {
        self.result.outcome.reason()
    }

    /// The id of the evaluator.
    #[getter]
    fn evaluator(&self) -> &str {
        self.source.id()
    }

    /// The user's name for the evaluator, or `None`.
    #[getter]
    fn name(&self) -> Option<&str> {
        self.source.name()
    }

    /// The id of the case, or where it stands; `None` where two lists were judged.
    #[getter]
    fn case(&self) -> Option<&str> {
        self.label.as_ref().map(|label| label.case.as_str())
    }

    /// Which repetition of the case it was, or `None`.
    #[getter]
    fn trial<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let trial = self.label.as_ref().and_then(|label| label.trial.as_deref());
        values::optional(py, trial)
    }

    /// The original's own details, key for key, or `None`.
    #[getter]
    fn details<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        values::optional(py, self.parts(py)?.details.as_deref())
    }

    /// The original's whole result, key for key, or `None`.
    #[getter]
    fn result<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        values::optional(py, self.parts(py)?.result.as_deref())
    }

    /// Which call answers which, what differs in each pair, what was missed and extra, and how the score came about.
    #[getter]
    fn alignment<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        values::optional(py, self.parts(py)?.alignment.as_deref())
    }

    /// The weightiest reason for a low score, in a few words; empty where nothing lowers it or nothing is known.
    #[getter]
    fn sentence(&self, py: Python<'_>) -> PyResult<String> {
        let source = self.copied(py)?;
        let Source::Asked(configured, subject) = &*source else {
            return Ok(String::new());
        };
        let explained = |case: &Case<'_>| {
            let ask = Ask {
                explanation: true,
                ..Ask::OUTCOME
            };
            configured
                .evaluator
                .evaluate(case, ask)
                .explanation
                .map(|explanation| sentence(case, &explanation))
        };
        let sentence = py.detach(|| subject.with_case(explained));
        Ok(sentence.ok().flatten().unwrap_or_default())
    }

    /// The evaluation for people: expected and actual calls side by side, and the arithmetic. With `color`, for a terminal.
    #[pyo3(signature = (*, color = false, full = false))]
    fn explain(&self, py: Python<'_>, color: bool, full: bool) -> PyResult<String> {
        let source = self.copied(py)?;
        let Source::Asked(configured, subject) = &*source else {
            return Ok(self.__repr__());
        };
        let text = py.detach(|| {
            subject.with_case(|case| explained(configured, case, self.label.as_ref(), full))
        });
        let text = text
            .unwrap_or_else(|error| format!("expected {}, found {}", error.expected, error.found));
        Ok(if color { text } else { plain(&text) })
    }

    /// The evaluation as a dict; without `details` or `alignment`, which cost their making, these are `None`.
    #[pyo3(signature = (*, details = true, alignment = true))]
    fn to_dict<'py>(
        slf: &Bound<'py, Self>,
        details: bool,
        alignment: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        slf.py()
            .import("rightcall._tables")?
            .call_method1("evaluation_dict", (slf, details, alignment))
    }

    fn __eq__(&self, py: Python<'_>, other: &Self) -> PyResult<bool> {
        plain_value::same_evaluations(py, self, other)
    }

    fn __hash__(&self) -> u64 {
        plain_value::hash_of_evaluation(self)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<plain_value::Reduced<'py>> {
        plain_value::reduce_evaluation(py, self)
    }

    fn __repr__(&self) -> String {
        let mut parts = vec![format!(
            "{:?}",
            self.source.name().unwrap_or(self.source.id())
        )];
        if let Some(label) = &self.label {
            parts.push(format!("case={:?}", label.case));
        }
        match self.result.score() {
            // As Python writes it.
            Some(score) => parts.push(format!(
                "score={}",
                rightcall::value::python_repr(&rightcall::value::Value::Float(score))
            )),
            None => parts.push(format!("outcome={:?}", self.result.outcome.name())),
        }
        if let Some(passed) = self.result.passed {
            parts.push(format!("passed={}", if passed { "True" } else { "False" }));
        }
        if let Some(reason) = self.result.outcome.reason() {
            parts.push(format!("reason={reason:?}"));
        }
        format!("Evaluation({})", parts.join(", "))
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        self.explain(py, false, false)
    }

    /// Tells Python's garbage collector what is held, for an evaluation may be put into its own arguments. What several evaluations
    /// hold together is none's own to tell.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        match &self.source {
            Source::Asked(_, subject) if Arc::strong_count(subject) == 1 => {
                subject.held().try_for_each(|held| visit.call(held))
            }
            _ => Ok(()),
        }
    }

    fn _repr_html_(slf: &Bound<'_, Self>) -> PyResult<String> {
        slf.py()
            .import("rightcall._html")?
            .call_method1("evaluation", (slf,))?
            .extract()
    }

    #[expect(clippy::unused_self, reason = "a method of Python")]
    fn __bool__(&self) -> PyResult<bool> {
        Err(PyTypeError::new_err(
            "an Evaluation is neither true nor false: ask for its `passed` or its `score`",
        ))
    }
}

/// What `rightcall explain` prints, without the line that names the case where it has no name.
fn explained(
    configured: &Configured,
    case: &Case<'_>,
    label: Option<&Label>,
    full: bool,
) -> String {
    let evaluator = &configured.evaluator;
    let evaluation = evaluator.evaluate(
        case,
        Ask {
            explanation: true,
            ..Ask::OUTCOME
        },
    );
    let other = configured
        .in_other_edition()
        .map(|other| (other.edition(), other.evaluate(case, Ask::OUTCOME).outcome));
    let result = ExplainedResult::new(configured, Cow::Borrowed(case), evaluation, other);
    let case_label = label.map_or("", |label| &label.case);
    let explained = Explained {
        case,
        label: case_label,
        place: "",
        trials: &[],
        results: &[result],
        full,
    };
    let screen = explain_screen(&explained);
    let (head, body) = screen.split_once('\n').unwrap_or(("", &screen));
    let body = body.trim_start_matches('\n');
    match label {
        Some(_) => format!("{}\n\n{body}", head.trim_end_matches(" · ")),
        None => body.to_owned(),
    }
}

/// A text without the colours of terminals.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, sequence)) = rest.split_once("\u{1b}[") {
        plain.push_str(before);
        rest = sequence
            .find(|end: char| end.is_ascii_alphabetic())
            .map_or("", |end| &sequence[end + 1..]);
    }
    plain + rest
}
