//! Reports beside a run, and what GitHub Actions gets to read.

use std::borrow::Cow;
use std::env;
use std::path::{Path, PathBuf};

use rightcall_report::{OutputFormat, is_screen};
use rightcall_run::{OutputFile, OutputFiles, OutputKind};

use crate::arguments::ReportRequest;
use crate::messages::{Trouble, note};

/// Where GitHub Actions collects the summary of a step.
const STEP_SUMMARY: &str = "GITHUB_STEP_SUMMARY";

/// Where a report goes.
pub(crate) fn target(request: &ReportRequest) -> PathBuf {
    let OutputFormat { name, ending, .. } = request.format;
    target_of(name, ending, request.path.as_deref())
}

/// Where a report of a format with this name and ending goes.
pub(crate) fn target_of(name: &str, ending: &str, path: Option<&Path>) -> PathBuf {
    let summary = env::var_os(STEP_SUMMARY).filter(|path| !path.is_empty());
    match (path, summary) {
        (Some(path), _) => path.to_owned(),
        (None, Some(path)) if name == "markdown" => path.into(),
        (None, _) => format!("rightcall-report.{ending}").into(),
    }
}

/// A format as a kind of output.
pub(crate) fn kind(format: &'static OutputFormat) -> OutputKind<'static> {
    OutputKind {
        name: format!("{} report", format.name).into(),
        is_earlier: &format.is_earlier,
    }
}

/// A screen as a kind of output.
pub(crate) const SCREEN: OutputKind<'static> = OutputKind {
    name: Cow::Borrowed("table"),
    is_earlier: &is_screen,
};

/// The file of a report. The summary of a step may have been begun by others.
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

/// Says where the reports are.
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

/// Whether the run is a step of GitHub Actions, where a pull request is annotated.
pub(crate) fn is_github() -> bool {
    env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true")
}
