//! A guard decides before each call whether it is allowed.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyString;
use rightcall_core::call::{Arguments, Call};
use rightcall_core::monitor::{
    Guard, GuardDecision, GuardMode, GuardOptions, MonitorError, ResultOfCall, RuleVerdict,
};
use rightcall_core::value::{JsonText, Syntax, is_json};
use rightcall_formats::Limits;
use rightcall_results::EvaluatorHead;
use rightcall_run::{Configured, EvaluatorArgument, rules_in};

use crate::evaluation::{Evaluation, Source};
use crate::{errors, values, walk};

/// The state of a `rightcall.Guard`, shared by threads.
#[pyclass(frozen, module = "rightcall._native")]
#[derive(Debug)]
pub(crate) struct RunGuard(Mutex<Guard>);

/// The index of the call if it is allowed, whether the run is stopped, the message, and the violated rules.
type DecisionTuple<'py> = (Option<usize>, bool, String, Option<Bound<'py, PyAny>>);

impl RunGuard {
    /// Locks the state for one event, so that no call of another thread comes in between.
    fn state(&self) -> MutexGuard<'_, Guard> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn wrong_event(py: Python<'_>, error: &MonitorError) -> PyErr {
    errors::value(py, &error.to_string())
}

/// A call with the data that a framework has before it is made.
fn call(
    name: &str,
    arguments: Option<&Bound<'_, PyAny>>,
    group: Option<&str>,
) -> PyResult<Call<'static>> {
    let mut call = Call {
        name: name.to_owned().into(),
        ..Call::default()
    };
    if let Some(given) = arguments {
        let is_object = |json: &str| json.trim_start().starts_with('{');
        call.arguments = if let Ok(text) = given.cast::<PyString>() {
            // A model may write arguments that are not valid JSON: rules then see no arguments, as in a recorded run.
            let text = walk::text(text).into_owned();
            let is_other_json = |json: &str| is_json(json, Syntax::PYTHON) && !is_object(json);
            if is_other_json(&text.to_display()) {
                return Err(no_arguments(given));
            }
            Arguments::owned_text(text)
        } else {
            let json = walk::json_under("args", given)?;
            if !is_object(&json) {
                return Err(no_arguments(given));
            }
            Arguments::owned_json(json)
        };
    }
    if let Some(group) = group {
        call.metadata_mut().group = Some(group.to_owned().into());
    }
    Ok(call)
}

fn no_arguments(given: &Bound<'_, PyAny>) -> PyErr {
    errors::wrong_type("args", "a dict or its JSON text", given)
}

fn decided(py: Python<'_>, decision: GuardDecision) -> PyResult<DecisionTuple<'_>> {
    let refusals = if decision.refusals.is_empty() {
        None
    } else {
        let json = JsonText::from_type(&decision.refusals);
        Some(values::object_of(py, json.as_str())?)
    };
    Ok((
        decision.call,
        decision.is_stopped,
        decision.sentence,
        refusals,
    ))
}

/// The rules in a file, as JSON text for `RunGuard`.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "Python gives it away")]
pub(crate) fn rules_of_file(py: Python<'_>, path: PathBuf) -> PyResult<String> {
    rules_in(&path, Limits::default().max_document).map_err(|error| errors::suite(py, &error))
}

#[pymethods]
impl RunGuard {
    /// Creates a guard from the settings of `constraints` or a list of rules.
    #[new]
    #[pyo3(signature = (rules, /, mode, max_refusals))]
    fn new(
        py: Python<'_>,
        rules: &Bound<'_, PyAny>,
        mode: &str,
        max_refusals: u32,
    ) -> PyResult<Self> {
        let mode = GuardMode::parse(mode).ok_or_else(|| {
            let message = format!("mode: expected block, warn or observe, found {mode:?}");
            errors::value(py, &message)
        })?;
        let options = GuardOptions { mode, max_refusals };
        let settings = match rules.cast::<PyString>() {
            Ok(json) => json.to_str()?.to_owned(),
            Err(_) => walk::json_of(rules)?,
        };
        let guard = Guard::new(&settings, options).map_err(|error| errors::config(py, &error))?;
        Ok(Self(Mutex::new(guard)))
    }

    /// Restores a guard from a snapshot.
    #[staticmethod]
    fn restore(py: Python<'_>, snapshot: &str) -> PyResult<Self> {
        let guard = Guard::restore(snapshot).map_err(|error| wrong_event(py, &error))?;
        Ok(Self(Mutex::new(guard)))
    }

    /// The guard as JSON.
    fn snapshot(&self) -> String {
        self.state().snapshot().into_string()
    }

    /// The rules that this call would violate.
    #[pyo3(signature = (name, arguments, group, /))]
    fn may<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        arguments: Option<&Bound<'py, PyAny>>,
        group: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let call = call(name, arguments, group)?;
        let refusals = self.state().monitor().may(&call);
        let refusals = refusals.map_err(|error| wrong_event(py, &error))?;
        values::object_of(py, JsonText::from_type(&refusals).as_str())
    }

    /// Decides about a call, and records it if it is allowed.
    #[pyo3(signature = (name, arguments, group, /))]
    fn admit<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        arguments: Option<&Bound<'py, PyAny>>,
        group: Option<&str>,
    ) -> PyResult<DecisionTuple<'py>> {
        let call = call(name, arguments, group)?;
        let decision = self.state().admit(&call);
        decided(py, decision.map_err(|error| wrong_event(py, &error))?)
    }

    /// Records a call without a decision; returns its index.
    #[pyo3(signature = (name, arguments, group, /))]
    fn observe(
        &self,
        py: Python<'_>,
        name: &str,
        arguments: Option<&Bound<'_, PyAny>>,
        group: Option<&str>,
    ) -> PyResult<usize> {
        let call = call(name, arguments, group)?;
        let number = self.state().observe(&call);
        number.map_err(|error| wrong_event(py, &error))
    }

    /// Records the result of a call.
    #[pyo3(signature = (number, output, has_output, failed, /))]
    fn result(
        &self,
        py: Python<'_>,
        number: usize,
        output: &Bound<'_, PyAny>,
        has_output: bool,
        failed: Option<bool>,
    ) -> PyResult<()> {
        let output = if has_output {
            Some(walk::json_under("output", output)?)
        } else {
            None
        };
        let result = ResultOfCall {
            output: output.as_deref(),
            failed,
        };
        let recorded = self.state().result(number, result);
        recorded.map_err(|error| wrong_event(py, &error))
    }

    /// The name of each rule, and its verdict.
    fn verdicts(&self) -> Vec<(String, Option<&'static str>)> {
        let state = self.state();
        let verdicts = state.monitor().verdicts().into_iter();
        let words = verdicts.map(|it| it.map(RuleVerdict::as_str));
        state.monitor().labels().into_iter().zip(words).collect()
    }

    /// The expected calls that may come next.
    fn next<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let next = py.detach(|| self.state().monitor().next_json());
        values::object_of(py, next.as_str())
    }

    /// The rules that are still open.
    fn open<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let open = self.state().monitor().open();
        values::object_of(py, JsonText::from_type(&open).as_str())
    }

    /// The message about open rules for an agent that wants to end; returned once.
    fn reminder(&self) -> Option<String> {
        self.state().reminder()
    }

    /// Why the run was stopped.
    #[getter]
    fn stopped(&self) -> Option<String> {
        self.state().stopped().map(str::to_owned)
    }

    /// How forbidden calls are handled.
    #[getter]
    fn mode(&self) -> &'static str {
        self.state().options().mode.as_str()
    }

    /// Ends the run; returns the evaluation by `constraints`.
    fn finish(&self, py: Python<'_>) -> PyResult<Evaluation> {
        let evaluation = py.detach(|| self.state().finish());
        let evaluation = evaluation.map_err(|error| wrong_event(py, &error))?;
        let asked = EvaluatorArgument {
            id: "constraints".to_owned(),
            name: None,
            settings: "{}".to_owned(),
        };
        let configured =
            Configured::new(asked, None).map_err(|error| errors::config(py, &error))?;
        let head: EvaluatorHead = configured.head();
        Ok(Evaluation::new(
            evaluation.into(),
            None,
            Source::Kept(Arc::new(head)),
        ))
    }
}
