//! Builds commands that the reader can run as printed.

use std::path::{Path, PathBuf};

use rightcall_core::Edition;
use rightcall_formats::ReadOptions;
use rightcall_formats::join::Join;
use rightcall_report::{ExplainCommand, push_option};
use rightcall_run::Plan;

/// The suite of the run.
pub(crate) struct RunSuite {
    pub(crate) path: PathBuf,
    pub(crate) profile: Option<String>,
    pub(crate) edition: Option<Edition>,
    /// The files of `--traces`.
    pub(crate) traces: Vec<PathBuf>,
}

/// The files that a run is read from, and how.
pub(crate) struct RunInputs<'r> {
    pub(crate) suite: Option<&'r RunSuite>,
    /// The file of `--expect`.
    pub(crate) expect: Option<&'r Path>,
    pub(crate) traces: &'r [PathBuf],
    pub(crate) reading: &'r ReadOptions,
    pub(crate) of_traces: &'r ReadOptions,
}

/// The command that explains a case: with the suite if one was run, else with the file that contains the case. `None` if a file alone does
/// not give the same case.
pub(crate) fn explain(plan: &Plan, inputs: &RunInputs<'_>) -> Option<ExplainCommand> {
    let RunInputs {
        suite,
        expect,
        traces,
        reading,
        of_traces,
    } = *inputs;
    let join = Some(of_traces.join).filter(|_| !traces.is_empty());
    // With `--join order`, positions count across all files. Explaining one file alone would count from its own start.
    if suite.is_none() && plan.inputs.len() != 1 && join == Some(Join::Order) {
        return None;
    }
    let mut options = Vec::new();
    if let Some(profile) = suite.and_then(|suite| suite.profile.as_ref()) {
        push_option(&mut options, "--profile", profile);
    }
    if let Some(edition) = suite.and_then(|suite| suite.edition) {
        push_option(&mut options, "--edition", edition.as_str());
    }
    if let Some(expect) = expect {
        push_option(&mut options, "--expect", &expect.display().to_string());
    }
    let named = suite.map_or(traces, |suite| &suite.traces);
    if suite.is_none() {
        for configured in &plan.evaluators {
            options.extend(["-e".to_owned(), configured.argument.clone()]);
        }
    }
    if !named.is_empty() {
        options.push("--traces".to_owned());
        options.extend(named.iter().map(|path| path.display().to_string()));
    }
    if let Some(join) = join.filter(|join| *join != Join::Id) {
        push_option(&mut options, "--join", &join.to_string());
    }
    if suite.is_none() {
        for (key, value) in of_traces.choices.stated() {
            push_option(&mut options, "--read", &format!("{key}={value}"));
        }
    }
    if let Some(format) = reading.format {
        match format.map_file() {
            Some(file) => push_option(&mut options, "--map", file),
            None => push_option(&mut options, "--input-format", format.name),
        }
    }
    Some(ExplainCommand {
        source: suite.map(|suite| suite.path.display().to_string()),
        options,
    })
}
