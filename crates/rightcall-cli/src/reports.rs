//! Reports beside a run, and what GitHub Actions gets to read.

use std::env;
use std::path::{Path, PathBuf};

use rightcall_report::{
    EvaluatorHead, Head, LowLine, PassRate, ReportFormat, ReportSink, annotations,
};
use rightcall_run::{Cells, Configured, Output, Sink, Summary, labels};

use crate::arguments::ReportRequest;
use crate::messages::{Trouble, note, tell};

/// Where GitHub Actions collects the summary of a step.
const STEP_SUMMARY: &str = "GITHUB_STEP_SUMMARY";

/// Where a report goes.
pub(crate) fn target(request: &ReportRequest) -> PathBuf {
    match (
        &request.path,
        env::var_os(STEP_SUMMARY).filter(|path| !path.is_empty()),
    ) {
        (Some(path), _) => path.clone(),
        (None, Some(path)) if request.format.name == "markdown" => path.into(),
        (None, _) => format!("rightcall-report.{}", request.format.ending).into(),
    }
}

/// The output of a report. The summary of a step may have been begun by others.
pub(crate) fn open(format: &ReportFormat, path: &Path) -> Result<Output, Trouble> {
    let is_summary = format.name == "markdown"
        && env::var_os(STEP_SUMMARY).is_some_and(|summary| Path::new(&summary) == path);
    Ok(if is_summary {
        Output::append(path)?
    } else {
        Output::create(path)?
    })
}

/// Begins the reports that the user asked for. They come before the work, so that a path that cannot be written fails at once.
pub(crate) fn begin(
    requests: &[ReportRequest],
    head: &Head,
) -> Result<Vec<Box<dyn Sink>>, Trouble> {
    let begin = |request: &ReportRequest| -> Result<Box<dyn Sink>, Trouble> {
        let path = target(request);
        let sink = ReportSink::begin(request.format, open(request.format, &path)?, head)?;
        Ok(Box::new(sink))
    };
    requests.iter().map(begin).collect()
}

/// What reports say of a run before its first case.
pub(crate) fn head(
    title: &str,
    facts: Vec<(String, String)>,
    evaluators: &[Configured],
    earlier: Vec<PassRate>,
    cells: Cells,
) -> Head {
    let evaluator = |(configured, label): (&Configured, String)| EvaluatorHead {
        id: configured.evaluator.id().to_owned(),
        name: configured.name.clone(),
        label,
    };
    Head {
        title: title.to_owned(),
        facts,
        evaluators: evaluators
            .iter()
            .zip(labels(evaluators))
            .map(evaluator)
            .collect(),
        earlier,
        cells,
    }
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

/// Annotates the pull request, where the run is a step of GitHub Actions.
pub(crate) fn annotate(summary: &Summary, lowest: &[LowLine]) {
    if env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true") {
        tell(&annotations(summary, lowest));
    }
}
