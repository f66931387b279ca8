//! Expectations learned from runs.

use rightcall::expectation::ActualCall;
use rightcall::learn::{LearnedArguments, LearningOptions, learn};
use rightcall_formats::{ReadOptions, read_case};

use crate::answer::Fault;

/// What is learned of arguments, by its name.
pub(crate) fn arguments(name: &str) -> Result<LearnedArguments, Fault> {
    match name {
        "names" => Ok(LearnedArguments::Names),
        "types" => Ok(LearnedArguments::Types),
        "values" => Ok(LearnedArguments::Values),
        other => Err(Fault::config(format!(
            "expected `names`, `types` or `values`, found {other:?}"
        ))),
    }
}

/// The elements that runs, each a JSON text, have in common, as JSON text.
pub(crate) fn learned(runs: &[String], options: &LearningOptions) -> Result<String, Fault> {
    if !(0.0..1.0).contains(&options.noise) {
        let message = format!(
            "expected a `noise` from 0 and below 1, found {}",
            options.noise
        );
        return Err(Fault::config(message));
    }
    let read: Result<Vec<_>, Fault> = runs.iter().map(|run| calls(run)).collect();
    let learned = learn(&read?, options).map_err(Fault::config)?;
    Ok(learned.json.into_string())
}

/// The calls of a run; one whose calls were not recorded teaches nothing.
fn calls(run: &str) -> Result<Vec<ActualCall<'static>>, Fault> {
    let case = format!("{{\"actual\":{run}}}");
    let case = read_case(&case, &ReadOptions::default())?;
    let run = case.actual.as_ref().filter(|_| case.incomplete.is_none());
    let calls = run.map(|run| run.calls.iter());
    let owned = calls.map(|calls| {
        calls
            .map(|call| call.for_expectation().into_owned())
            .collect()
    });
    owned.ok_or_else(|| Fault::config("expected a run whose calls were all recorded"))
}
