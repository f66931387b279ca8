//! Builds commands that the reader can run as printed.

use std::path::{Path, PathBuf};

use rightcall_formats::Format;
use rightcall_formats::join::Join;
use rightcall_report::{ExplainCommand, push_option};
use rightcall_run::Plan;

use crate::arguments::CommonArguments;

/// The command that explains a case of a suite whose runs are in these files, or in the suite's files by default.
pub(crate) fn explain_suite(
    path: &Path,
    profile: Option<&str>,
    traces: &[PathBuf],
    common: &CommonArguments,
) -> ExplainCommand {
    let mut options = Vec::new();
    if let Some(profile) = profile {
        push_option(&mut options, "--profile", profile);
    }
    if let Some(edition) = common.edition {
        push_option(&mut options, "--edition", edition.as_str());
    }
    push_reading(&mut options, traces, common);
    ExplainCommand {
        source: Some(path.display().to_string()),
        filters: common.meta.clone(),
        options,
    }
}

/// The command that explains a case of the files of a plan; `None` if its file alone does not give the same case.
pub(crate) fn explain_file(
    plan: &Plan,
    expect: Option<&Path>,
    traces: &[PathBuf],
    common: &CommonArguments,
) -> Option<ExplainCommand> {
    // With `--join order`, positions count across all files. Explaining one file alone would count from its own start.
    let joins_by_order = !traces.is_empty() && common.joining.join == Some(Join::Order);
    if joins_by_order && plan.inputs.len() != 1 {
        return None;
    }
    let mut options = Vec::new();
    if let Some(expect) = expect {
        push_option(&mut options, "--expect", &expect.display().to_string());
    }
    for configured in &plan.evaluators {
        options.extend(["-e".to_owned(), configured.argument.clone()]);
    }
    push_reading(&mut options, traces, common);
    Some(ExplainCommand {
        source: None,
        filters: common.meta.clone(),
        options,
    })
}

/// Adds the files of runs, and the options for reading them.
fn push_reading(options: &mut Vec<String>, traces: &[PathBuf], common: &CommonArguments) {
    if !traces.is_empty() {
        options.push("--traces".to_owned());
        options.extend(traces.iter().map(|path| path.display().to_string()));
    }
    if let Some(join) = &common.joining.join {
        push_option(options, "--join", &join.to_string());
    }
    for (key, value) in &common.input.choices {
        push_option(options, "--read", &format!("{key}={value}"));
    }
    if let Some(file) = common.input.map.and_then(Format::map_file) {
        push_option(options, "--map", file);
    }
    if let Some(format) = common.input.input_format {
        push_option(options, "--input-format", format.name);
    }
}
