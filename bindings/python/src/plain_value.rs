//! Evaluations and runs as values: comparison, copying and pickling.
//!
//! A pickle holds the score and the inputs of an evaluation: the evaluator and the case, or the
//! stored results of a run over files. The case is judged again only if details are accessed.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use rightcall_core::value::JsonWriter;
use rightcall_core::{Explanation, Outcome};
use rightcall_results::{EvaluationResult, EvaluatorHead};
use rightcall_run::Configured;

use crate::errors;
use crate::evaluation::{Evaluation, Source, Wanted};
use crate::evaluator::configured_of;
use crate::run::{Row, Run, RunTotals};
use crate::subject::{Label, Subject};

/// A function and its arguments, the form that `pickle` expects.
pub(crate) type Reduced<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>);

/// The state of an evaluation, in types that Python can pickle.
type EvaluationState<'py> = (SourceState<'py>, Option<Label>, ResultState);

/// The evaluator's spec, its name, and the case; or the evaluator's id and name, the details and the alignment.
#[derive(FromPyObject, IntoPyObject)]
pub(crate) enum SourceState<'py> {
    Asked(Bound<'py, PyString>, Option<String>, Bound<'py, PyString>),
    Kept(String, Option<String>, Option<String>, Option<String>),
}

/// Outcome, score, reason and verdict.
type ResultState = (String, Option<f64>, Option<String>, Option<bool>);

/// Deduplicates texts that several evaluations of a run share.
#[derive(Default)]
struct StateWriter<'py> {
    arguments: HashMap<*const Configured, Bound<'py, PyString>>,
    cases: HashMap<*const Subject, Bound<'py, PyString>>,
}

impl<'py> StateWriter<'py> {
    fn state(
        &mut self,
        py: Python<'py>,
        source: &Source,
        label: Option<&Label>,
        result: &EvaluationResult,
    ) -> EvaluationState<'py> {
        let source = match source {
            Source::Asked(configured, subject) => {
                let argument = self
                    .arguments
                    .entry(Arc::as_ptr(configured))
                    .or_insert_with(|| PyString::new(py, &configured.argument));
                let argument = argument.clone();
                let case = if let Some(case) = self.cases.get(&Arc::as_ptr(subject)) {
                    case.clone()
                } else {
                    let text = PyString::new(py, &subject.to_text());
                    self.cases.insert(Arc::as_ptr(subject), text.clone());
                    text
                };
                SourceState::Asked(argument, configured.name.clone(), case)
            }
            Source::Kept(head) => SourceState::Kept(
                head.id.clone(),
                head.name.clone(),
                result.details.as_ref().map(ToString::to_string),
                result.alignment(),
            ),
        };
        let outcome = &result.outcome;
        let result = (
            outcome.name().to_owned(),
            outcome.score(),
            outcome.reason(),
            result.passed,
        );
        (source, label.cloned(), result)
    }
}

/// The reverse of [`StateWriter`]: parses shared texts only once.
#[derive(Default)]
struct StateReader {
    evaluators: HashMap<(String, Option<String>), Arc<Configured>>,
    cases: HashMap<String, Arc<Subject>>,
}

impl StateReader {
    fn evaluator(
        &mut self,
        py: Python<'_>,
        argument: &str,
        name: Option<String>,
    ) -> PyResult<Arc<Configured>> {
        let key = (argument.to_owned(), name);
        if let Some(known) = self.evaluators.get(&key) {
            return Ok(Arc::clone(known));
        }
        let mut made = configured_of(py, argument)?;
        made.name.clone_from(&key.1);
        let made = Arc::new(made);
        self.evaluators.insert(key, Arc::clone(&made));
        Ok(made)
    }

    fn case(&mut self, py: Python<'_>, text: &str) -> PyResult<Arc<Subject>> {
        if let Some(known) = self.cases.get(text) {
            return Ok(Arc::clone(known));
        }
        let made = Subject::Text(text.to_owned());
        made.with_case(|_| ())
            .map_err(|error| errors::case(py, &error))?;
        let made = Arc::new(made);
        self.cases.insert(text.to_owned(), Arc::clone(&made));
        Ok(made)
    }

    fn parts(
        &mut self,
        py: Python<'_>,
        state: EvaluationState<'_>,
    ) -> PyResult<(EvaluationResult, Option<Label>, Source)> {
        let (source, label, (name, score, reason, passed)) = state;
        let outcome = Outcome::from_parts(&name, score, reason.unwrap_or_default())
            .ok_or_else(|| errors::value(py, "state: expected that of an evaluation"))?;
        let mut result = EvaluationResult::new(outcome, passed);
        let source = match source {
            SourceState::Asked(argument, name, case) => Source::Asked(
                self.evaluator(py, argument.to_str()?, name)?,
                self.case(py, case.to_str()?)?,
            ),
            SourceState::Kept(id, name, details, alignment) => {
                result.details = details.map(|json| {
                    let mut writer = JsonWriter::new();
                    writer.raw(&json);
                    writer.finish()
                });
                result.explanation =
                    alignment.and_then(|json| Explanation::from_json(&json).ok().map(Box::new));
                let label = name.clone().unwrap_or_else(|| id.clone());
                Source::Kept(Arc::new(EvaluatorHead { id, name, label }))
            }
        };
        Ok((result, label, source))
    }
}

/// Pickles an evaluation.
pub(crate) fn reduce_evaluation<'py>(
    py: Python<'py>,
    evaluation: &Evaluation,
) -> PyResult<Reduced<'py>> {
    let (source, label) = (&evaluation.source, evaluation.label.as_ref());
    let state = StateWriter::default().state(py, source, label, &evaluation.result);
    Ok((
        function(py, "evaluation_of_state")?,
        (state,).into_pyobject(py)?.into_any(),
    ))
}

/// Pickles a run.
pub(crate) fn reduce_run<'py>(py: Python<'py>, run: &Run) -> PyResult<Reduced<'py>> {
    let mut sent = StateWriter::default();
    let rows = PyList::empty(py);
    for row in &run.rows {
        rows.append(sent.state(py, &row.source, Some(&row.label), &row.result))?;
    }
    let problems = PyList::new(py, &run.problems)?;
    let state = (rows, run.totals.clone(), problems, run.wanted);
    Ok((
        function(py, "run_of_state")?,
        state.into_pyobject(py)?.into_any(),
    ))
}

fn function<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import(intern!(py, "rightcall._native"))?.getattr(name)
}

/// Restores a pickled evaluation.
#[pyfunction]
#[pyo3(signature = (state, /))]
pub(crate) fn evaluation_of_state(
    py: Python<'_>,
    state: EvaluationState<'_>,
) -> PyResult<Evaluation> {
    let (result, label, source) = StateReader::default().parts(py, state)?;
    Ok(Evaluation::new(result, label, source))
}

/// Restores a pickled run.
#[pyfunction]
#[pyo3(signature = (rows, totals, problems, wanted, /))]
pub(crate) fn run_of_state(
    py: Python<'_>,
    rows: Vec<EvaluationState<'_>>,
    totals: RunTotals,
    problems: Vec<Py<PyAny>>,
    wanted: Wanted,
) -> PyResult<Run> {
    let mut received = StateReader::default();
    let rows = rows.into_iter().map(|state| {
        let (result, label, source) = received.parts(py, state)?;
        Ok(Row {
            label: label.ok_or_else(|| errors::value(py, "state: expected that of a run"))?,
            result,
            source,
        })
    });
    let rows = rows.collect::<PyResult<Vec<_>>>()?;
    Ok(Run::from_parts(rows, totals, problems, wanted))
}

/// The parts of an evaluation that need no explanation.
type EvaluationKey<'a> = (
    Option<(&'a str, Option<&'a str>)>,
    (&'a str, Option<&'a str>),
    (&'static str, Option<u64>, Option<bool>),
);

fn key_of(it: &Evaluation) -> EvaluationKey<'_> {
    let label = it
        .label
        .as_ref()
        .map(|label| (label.case.as_str(), label.trial.as_deref()));
    let outcome = &it.result.outcome;
    (
        label,
        (it.source.id(), it.source.name()),
        (
            outcome.name(),
            outcome.score().map(f64::to_bits),
            it.result.passed,
        ),
    )
}

/// True if two evaluations are equal: evaluator and case, outcome and verdict, details and alignment.
pub(crate) fn same_evaluations(py: Python<'_>, one: &Evaluation, other: &Evaluation) -> bool {
    if key_of(one) != key_of(other) || one.result.outcome.reason() != other.result.outcome.reason()
    {
        return false;
    }
    if let (Source::Asked(one, case), Source::Asked(other, other_case)) =
        (&one.source, &other.source)
    {
        let is_same = Arc::ptr_eq(one, other);
        if is_same && Arc::ptr_eq(case, other_case) {
            return true;
        }
        if !is_same && one.argument != other.argument {
            return false;
        }
    }
    let (one, other) = (one.parts(py), other.parts(py));
    one.details == other.details && one.alignment == other.alignment
}

/// True if two runs have equal evaluations and summaries.
pub(crate) fn same_runs(py: Python<'_>, one: &Run, other: &Run) -> PyResult<bool> {
    if std::ptr::eq(one, other) {
        return Ok(true);
    }
    let is_alike = one.rows.len() == other.rows.len()
        && one.totals == other.totals
        && one.wanted == other.wanted
        && texts(py, &one.problems)? == texts(py, &other.problems)?;
    if !is_alike {
        return Ok(false);
    }
    for (one, other) in one.rows.iter().zip(&other.rows) {
        let [one, other] = [one, other].map(|row| row.clone().into_evaluation());
        if !same_evaluations(py, &one, &other) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn texts(py: Python<'_>, problems: &[Py<PyAny>]) -> PyResult<Vec<String>> {
    let text = |problem: &Py<PyAny>| Ok(problem.bind(py).str()?.to_string_lossy().into_owned());
    problems.iter().map(text).collect()
}

/// A hash of the parts that need no explanation.
pub(crate) fn hash_of_evaluation(it: &Evaluation) -> u64 {
    hash_of(&key_of(it))
}

/// A hash that is the same in every process.
pub(crate) fn hash_of(it: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    it.hash(&mut hasher);
    hasher.finish()
}
