//! Builds commands that the reader can run as printed.

use std::path::{Path, PathBuf};

use rightcall_core::Edition;
use rightcall_formats::join::Join;
use rightcall_report::{command_line, push_option};
use rightcall_results::CaseResult;
use rightcall_run::{Plan, Traces};

/// The suite of the run.
pub(crate) struct RunSuite {
    pub(crate) path: PathBuf,
    pub(crate) profile: Option<String>,
    pub(crate) edition: Option<Edition>,
    /// The files of `--traces`.
    pub(crate) traces: Vec<PathBuf>,
}

/// The command that explains a case: with the suite if one was run, else with the file that contains the case.
pub(crate) fn explain(
    plan: &Plan,
    suite: Option<&RunSuite>,
    expect: Option<&Path>,
    low: &CaseResult,
) -> String {
    let mut words = vec!["rightcall".to_owned(), "explain".to_owned()];
    words.push(suite.map_or_else(
        || low.file.to_string(),
        |suite| suite.path.display().to_string(),
    ));
    if let Some(profile) = suite.and_then(|suite| suite.profile.as_ref()) {
        push_option(&mut words, "--profile", profile);
    }
    if let Some(edition) = suite.and_then(|suite| suite.edition) {
        push_option(&mut words, "--edition", edition.as_str());
    }
    push_option(&mut words, "--case", &low.label);
    for (key, value) in &low.variant {
        push_option(&mut words, "--where", &format!("{key}={value}"));
    }
    if let Some(trial) = &low.trial {
        push_option(&mut words, "--trial", trial);
    }
    if let Some(suite) = suite.filter(|suite| !suite.traces.is_empty()) {
        words.push("--traces".to_owned());
        words.extend(suite.traces.iter().map(|path| path.display().to_string()));
    }
    if let Some(expect) = expect {
        push_option(&mut words, "--expect", &expect.display().to_string());
    }
    if suite.is_none() {
        for configured in &plan.evaluators {
            words.extend(["-e".to_owned(), configured.argument.clone()]);
        }
        if let Some(Traces { files, .. }) = &plan.traces {
            words.push("--traces".to_owned());
            words.extend(files.iter().map(|path| path.display().to_string()));
        }
    }
    if let Some(Traces { reading, .. }) = &plan.traces
        && reading.join != Join::Id
    {
        push_option(&mut words, "--join", &reading.join.to_string());
    }
    if suite.is_none() {
        let traces = plan.traces.as_ref().map(|traces| &traces.reading);
        for (key, value) in traces.unwrap_or(&plan.reading).choices.stated() {
            push_option(&mut words, "--read", &format!("{key}={value}"));
        }
    }
    if let Some(format) = plan.reading.format {
        match format.map_file() {
            Some(file) => push_option(&mut words, "--map", file),
            None => push_option(&mut words, "--input-format", format.name),
        }
    }
    command_line(&words)
}
