//! Reports of a run, and output for GitHub Actions.

use std::borrow::Cow;
use std::env;
use std::path::{Path, PathBuf};

use rightcall_report::{OUTPUTS, OutputFormat, is_screen};
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

/// The endings of compressed files. Only `fetch` compresses its output.
const COMPRESSED: [&str; 5] = ["gz", "zst", "zip", "bz2", "xz"];

/// Rejects a path with the ending of a compressed file.
fn refuse_compressed(path: &Path) -> Result<(), Trouble> {
    match ending(path) {
        Some(ending) if is_one_of(&ending, &COMPRESSED) => Err(Trouble::with_help(
            format!("{}: this command does not compress files", path.display()),
            format!("leave `.{ending}` out, and compress the file afterwards"),
        )),
        _ => Ok(()),
    }
}

/// Checks that a file has a known ending, or none. Another ending would promise a format that the
/// file doesn't have.
pub(crate) fn check_ending(path: &Path, known: &[&str], more_help: &str) -> Result<(), Trouble> {
    refuse_compressed(path)?;
    match ending(path) {
        Some(ending) if !is_one_of(&ending, known) => {
            let known: Vec<_> = known.iter().map(|it| format!(".{it}")).collect();
            Err(Trouble::with_help(
                format!("{}: no format has the ending `.{ending}`", path.display()),
                format!("known endings: {}{more_help}", known.join(", ")),
            ))
        }
        _ => Ok(()),
    }
}

/// Checks the ending of `--output`: it must be that of an output format, or one of `others`. With
/// `--format`, any ending is allowed, except those of compressed files.
pub(crate) fn check_output_ending(
    path: Option<&Path>,
    others: &[&str],
    has_format: bool,
) -> Result<(), Trouble> {
    let Some(path) = path else {
        return Ok(());
    };
    if has_format {
        return refuse_compressed(path);
    }
    // The extension of a path contains no dot, so `.tools.txt` is not recognized.
    let of_formats = OUTPUTS.iter().map(|it| it.ending);
    let of_formats = of_formats.filter(|it| !it.contains('.'));
    let known: Vec<_> = of_formats
        .chain(["ndjson"])
        .chain(others.iter().copied())
        .collect();
    check_ending(
        path,
        &known,
        "; `--format` chooses the format for any other",
    )
}

fn ending(path: &Path) -> Option<Cow<'_, str>> {
    path.extension().map(|it| it.to_string_lossy())
}

fn is_one_of(ending: &str, known: &[&str]) -> bool {
    known.iter().any(|it| it.eq_ignore_ascii_case(ending))
}

/// Opens the file of a report. Appends to a step summary, because earlier steps may have written to
/// it.
pub(crate) fn open(
    format: &'static OutputFormat,
    path: &Path,
    files: &mut OutputFiles,
) -> Result<OutputFile, Trouble> {
    let is_summary = format.name == "markdown"
        && env::var_os(STEP_SUMMARY).is_some_and(|summary| Path::new(&summary) == path);
    let file = if is_summary {
        files.append(path)?
    } else {
        files.create(path, &kind(format))?
    };
    refuse_compressed(path)?;
    Ok(file)
}

/// Prints the paths of the reports.
pub(crate) fn print_paths(requests: &[ReportRequest]) {
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
