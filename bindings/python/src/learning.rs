//! Expectations learned from runs.

use pyo3::prelude::*;
use rightcall_core::call::Call;
use rightcall_core::expectation::ActualCall;
use rightcall_core::learn::{LearnedArguments, LearningOptions, learn};

use crate::subject::Subject;
use crate::{errors, values};

/// Learns the elements that the runs have in common, as an expectation.
#[pyfunction]
#[pyo3(signature = (runs, /, *, arguments, noise, variants, open_repeats))]
pub(crate) fn learn_runs<'py>(
    runs: &Bound<'py, PyAny>,
    arguments: &str,
    noise: f64,
    variants: Option<usize>,
    open_repeats: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let py = runs.py();
    let arguments = LearnedArguments::parse(arguments).ok_or_else(|| {
        let message = format!("expected `names`, `types` or `values`, found {arguments:?}");
        errors::value(py, &message)
    })?;
    if !(0.0..1.0).contains(&noise) {
        let message = format!("expected a `noise` from 0 and below 1, found {noise}");
        return Err(errors::value(py, &message));
    }
    let mut read: Vec<Vec<ActualCall<'static>>> = Vec::new();
    for (number, run) in errors::items_of("runs", "a list of runs", runs)?.enumerate() {
        let place = format!("runs/{number}");
        let calls = calls_of(&run?).map_err(|error| errors::of_case_number(py, error, &place))?;
        read.push(calls);
    }
    let options = LearningOptions {
        noise,
        open_repeats,
        arguments,
        variants,
    };
    let learned = py.detach(|| learn(&read, &options));
    let learned = learned.map_err(|error| errors::value(py, &error.to_string()))?;
    values::object_of(py, learned.json.as_str())
}

/// The calls of a run. It is an error if calls may be missing, because learning would take them as not made.
fn calls_of(run: &Bound<'_, PyAny>) -> PyResult<Vec<ActualCall<'static>>> {
    let py = run.py();
    let subject = Subject::of_sides(py, None, Some(run))?;
    let owned = |call: &Call<'_>| call.for_expectation().into_owned();
    let calls = subject.with_case(|case| {
        case.complete_run()
            .map(|run| run.calls.iter().map(owned).collect())
    });
    let calls: Option<Vec<_>> = calls.map_err(|error| errors::case(py, &error))?;
    let message = "expected a run whose calls were all recorded";
    calls.ok_or_else(|| errors::value(py, message))
}
