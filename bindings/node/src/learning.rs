//! Learns expectations from runs.

use rightcall_core::expectation::ActualCall;
use rightcall_core::learn::{LearnedArguments, LearningOptions, learn};
use rightcall_formats::{ReadOptions, read_case};

use crate::answer::Fault;

/// Parses what to learn about arguments.
pub(crate) fn arguments(name: &str) -> Result<LearnedArguments, Fault> {
    LearnedArguments::parse(name).ok_or_else(|| {
        let message = format!("expected `names`, `types` or `values`, found {name:?}");
        Fault::config(message)
    })
}

/// Learns the elements that runs (JSON texts) have in common, as JSON text.
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

/// The calls of a run. A run without recorded calls is an error, because nothing can be learned from it.
fn calls(run: &str) -> Result<Vec<ActualCall<'static>>, Fault> {
    let case = format!("{{\"actual\":{run}}}");
    let case = read_case(&case, &ReadOptions::default())?;
    let calls = case.complete_run().map(|run| run.calls.iter());
    let owned = calls.map(|calls| {
        calls
            .map(|call| call.for_expectation().into_owned())
            .collect()
    });
    owned.ok_or_else(|| Fault::config("expected a run whose calls were all recorded"))
}
