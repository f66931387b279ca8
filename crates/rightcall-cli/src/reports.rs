//! Reports of a run, and output for GitHub Actions.

use std::borrow::Cow;
use std::env;
use std::path::{Path, PathBuf};

use rightcall_report::{OutputFormat, is_screen};
use rightcall_run::{OutputFile, OutputFiles, OutputKind};

use crate::arguments::ReportRequest;
use crate::messages::{Trouble, note};

/// The variable with the path of the step summary on GitHub Actions.
const STEP_SUMMARY: &str = "GITHUB_STEP_SUMMARY";

/// The path of a report.
pub(crate) fn target(request: &ReportRequest) -> PathBuf {
    let OutputFormat { name, ending, .. } = request.format;
    target_of(name, ending, request.path.as_deref())
}

/// The path of a report in a format with this name and ending.
pub(crate) fn target_of(name: &str, ending: &str, path: Option<&Path>) -> PathBuf {
    let summary = env::var_os(STEP_SUMMARY).filter(|path| !path.is_empty());
    match (path, summary) {
        (Some(path), _) => path.to_owned(),
        (None, Some(path)) if name == "markdown" => path.into(),
        (None, _) => format!("rightcall-report.{ending}").into(),
    }
}

/// The output kind of a format.
pub(crate) fn kind(format: &'static OutputFormat) -> OutputKind<'static> {
    OutputKind {
        name: format!("{} report", format.name).into(),
        is_earlier: &format.is_earlier,
    }
}

/// The output kind of a screen.
pub(crate) const SCREEN: OutputKind<'static> = OutputKind {
    name: Cow::Borrowed("table"),
    is_earlier: &is_screen,
};

/// Opens the file of a report. A step summary is appended to, because earlier steps may have written to it.
pub(crate) fn open(
    format: &'static OutputFormat,
    path: &Path,
    files: &mut OutputFiles,
) -> Result<OutputFile, Trouble> {
    let is_summary = format.name == "markdown"
        && env::var_os(STEP_SUMMARY).is_some_and(|summary| Path::new(&summary) == path);
    Ok(if is_summary {
        files.append(path)?
    } else {
        files.create(path, &kind(format))?
    })
}

/// Prints the paths of the reports.
pub(crate) fn say(requests: &[ReportRequest]) {
    for request in requests {
        let path = target(request);
        if path.as_os_str() != "-" {
            note(&format!(
                "{} report: {}",
                request.format.name,
                path.display()
            ));
        }
    }
}

/// True if the run is a step of GitHub Actions, which can annotate pull requests.
pub(crate) fn is_github() -> bool {
    env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true")
}
