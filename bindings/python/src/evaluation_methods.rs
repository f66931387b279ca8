//! The Python methods of an evaluation.

use std::borrow::Cow;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyTuple};
use rightcall_core::Ask;
use rightcall_core::call::Case;
use rightcall_report::{Explained, ExplainedResult, explain_screen};
use rightcall_results::sentence;
use rightcall_run::Configured;

use crate::evaluation::{Evaluation, Source};
use crate::subject::Label;
use crate::{plain_value, values};

#[pymethods]
impl Evaluation {
    /// The score, or `None` if there is none.
    #[getter]
    fn score(&self) -> Option<f64> {
        self.result.score()
    }

    /// Whether the case passed, by a threshold or by the original's own verdict; `None` if there is neither.
    #[getter]
    fn passed(&self) -> Option<bool> {
        self.result.passed
    }

    /// `"scored"`, `"not_applicable"` or `"error"`.
    #[getter]
    fn outcome(&self) -> &'static str {
        self.result.outcome.name()
    }

    /// Why there is no score; `None` if there is one.
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

    /// The id of the case, or its place; `None` if two lists were judged.
    #[getter]
    fn case(&self) -> Option<&str> {
        self.label.as_ref().map(|label| label.case.as_str())
    }

    /// The repetition of the case, or `None`.
    #[getter]
    fn trial<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let trial = self.label.as_ref().and_then(|label| label.trial.as_deref());
        values::optional(py, trial)
    }

    /// The original's own details, key for key, or `None`.
    #[getter]
    fn details<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        values::optional(py, self.parts(py).details.as_deref())
    }

    /// The original's whole result, key for key, or `None`.
    #[getter]
    fn result<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        values::optional(py, self.parts(py).result.as_deref())
    }

    /// The pairs of calls with their differences, the missed and extra calls, and the calculation of the score.
    #[getter]
    fn alignment<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        values::optional(py, self.parts(py).alignment.as_deref())
    }

    /// The main reason for a low score, in a few words; empty if nothing lowers it or the reason is unknown.
    #[getter]
    fn sentence(&self, py: Python<'_>) -> String {
        let Source::Asked(configured, subject) = &self.source else {
            return String::new();
        };
        let explained = |case: &Case<'_>| {
            configured
                .evaluator
                .evaluate(case, Ask::EXPLANATION)
                .explanation
                .map(|explanation| sentence(case, &explanation))
        };
        let sentence = py.detach(|| subject.with_case(explained));
        sentence.ok().flatten().unwrap_or_default()
    }

    /// The evaluation as text: expected and actual calls side by side, and the arithmetic. With `color` for a terminal.
    #[pyo3(signature = (*, color = false, full = false))]
    fn explain(&self, py: Python<'_>, color: bool, full: bool) -> String {
        let Source::Asked(configured, subject) = &self.source else {
            return self.__repr__();
        };
        let text = py.detach(|| {
            subject.with_case(|case| explained(configured, case, self.label.as_ref(), full))
        });
        let text = text.unwrap_or_else(|error| error.to_string());
        if color {
            text
        } else {
            anstream::adapter::strip_str(&text).to_string()
        }
    }

    /// The evaluation as a dict. `details` and `alignment` are expensive to compute; without them, they are `None`.
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

    /// The names of the values of the evaluation as a row: those that are known without computing anything.
    #[classattr]
    fn _fields(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
        PyTuple::new(py, FIELDS)
    }

    /// The number of values of the evaluation as a row.
    #[expect(clippy::unused_self, reason = "a method of Python")]
    fn __len__(&self) -> usize {
        FIELDS.len()
    }

    /// A value of the evaluation as a row. Data frames read rows this way.
    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        index: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.row(py)?.as_any().get_item(index)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.row(py)?.as_any().try_iter()
    }

    fn __eq__(&self, py: Python<'_>, other: &Self) -> bool {
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
            // In Python's notation.
            Some(score) => parts.push(format!(
                "score={}",
                rightcall_core::value::python_repr(&rightcall_core::value::Value::Float(score))
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

    fn __str__(&self, py: Python<'_>) -> String {
        self.explain(py, false, false)
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

/// The columns of a row.
const FIELDS: [&str; 8] = [
    "case",
    "trial",
    "evaluator",
    "name",
    "outcome",
    "score",
    "passed",
    "reason",
];

impl Evaluation {
    /// The values of `FIELDS`.
    fn row<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        (
            self.case(),
            self.trial(py)?,
            self.evaluator(),
            self.name(),
            self.outcome(),
            self.score(),
            self.passed(),
            self.reason(),
        )
            .into_pyobject(py)
    }
}

/// The output of `rightcall explain`, without the line with the name of a case that has none.
fn explained(
    configured: &Configured,
    case: &Case<'_>,
    label: Option<&Label>,
    full: bool,
) -> String {
    let evaluator = &configured.evaluator;
    let evaluation = evaluator.evaluate(case, Ask::EXPLANATION);
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
