//! `rightcall map`: drafts a map from a sample of a log.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use rightcall_formats::{DraftError, Format, Limits, ReadOptions, draft_map};
use rightcall_report::{count, inspection};
use rightcall_run::{ExistingFile, Observer as _, OutputFiles, OutputKind, Problem};

use super::inspect::{ShownRuns, with_first_runs};
use crate::exit::Exit;
use crate::messages::{Trouble, give, note, show, tell, warn_of_unread};
use crate::problems::ProblemCounter;

#[derive(Debug, Args)]
pub(crate) struct MapArguments {
    /// A file of the log: JSON, JSON Lines, CSV or YAML
    #[arg(value_name = "SAMPLE")]
    pub(crate) sample: PathBuf,
    /// Write the map to a file
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// The limits of the preview.
const SHOWN: ShownRuns = ShownRuns { runs: 3, calls: 20 };

pub(crate) fn map(arguments: &MapArguments) -> Result<Exit, Trouble> {
    if arguments.sample.as_os_str() == "-" {
        let message = "expected a file as the sample, found standard input";
        return Err(Trouble::with_help(
            message,
            "the sample is read twice: write it to a file first",
        ));
    }
    let limits = Limits::default();
    let known = known_format(&arguments.sample, limits)?;
    let text = draft_map(&arguments.sample, limits)?;
    if let Some(known) = known {
        note(&known);
    }
    let file = arguments.output.as_deref();
    match file {
        Some(path) => {
            // A map that a person corrected is kept.
            let kind = OutputKind {
                name: "draft of this sample".into(),
                is_earlier: &|existing: &ExistingFile| existing.head == text.as_bytes(),
            };
            let mut output = OutputFiles::new([&arguments.sample]).create(path, &kind)?;
            output.write_all(text.as_bytes())?;
            output.commit()?;
        }
        None => give(&text)?,
    }
    // Preview the calls that the draft finds. The preview is for people and not part of the map.
    let name = file.map_or_else(|| "the draft".into(), |path| path.to_string_lossy());
    let options = ReadOptions {
        format: Some(
            Format::from_map(&name, &text).map_err(|it| Trouble::said(&it, it.help.clone()))?,
        ),
        ..ReadOptions::default()
    };
    let (found, runs) = with_first_runs(&arguments.sample, limits, &options, SHOWN)?;
    let mut problems = ProblemCounter::default();
    for problem in &found.errors {
        problems.problem(&Problem::Unreadable(problem.clone()));
    }
    problems.finish();
    warn_of_unread(&found.file, &found.report);
    let table = inspection(&found, &runs, "`rightcall inspect --all`");
    match file {
        Some(_) => show(&table)?,
        None => tell(&table),
    }
    let unsure = text.matches("# check").count();
    let unread: Vec<_> = text
        .lines()
        .filter_map(|line| line.strip_prefix("# not read: "))
        .collect();
    let marks = match (unsure, unread.len()) {
        (0, 0) => String::new(),
        (_, 0) => ", marked `# check`".to_owned(),
        (_, places) => format!(" (`# check`), {} not read", count(places as u64, "place")),
    };
    note(&format!(
        "{} of {} with a result; {} to check{marks}",
        found.with_result,
        count(found.calls, "call"),
        count(unsure as u64, "line"),
    ));
    if let Some(path) = file {
        let told = unread.iter();
        told.for_each(|what| note(&format!("not read: {what}")));
        let (sample, path) = (arguments.sample.display(), path.display());
        note(&format!(
            "read it with `rightcall inspect {sample} --map {path}`"
        ));
    }
    Ok(Exit::not_judged_if(problems.count() > 0))
}

/// Rejects a sample that can be read without a map. Returns a note instead if no call would have a
/// result.
fn known_format(sample: &Path, limits: Limits) -> Result<Option<String>, Trouble> {
    let Ok((found, _)) = with_first_runs(sample, limits, &ReadOptions::default(), ShownRuns::NONE)
    else {
        return Ok(None);
    };
    let is_read = found.errors.is_empty() && found.calls + found.expected_calls > 0;
    let Some(format) = found.format.filter(|_| is_read) else {
        return Ok(None);
    };
    let known = format!("{} is read as {} already", sample.display(), format.title);
    if format.holds_traces() && found.with_result == 0 {
        let calls = count(found.calls, "call");
        return Ok(Some(format!("{known}: {calls}, none with a result")));
    }
    if let Some(gap) = found.report.gaps() {
        return Ok(Some(format!("{known}, but not all of it: {gap}")));
    }
    Err(Trouble::with_help(
        format!("{known}; no map is needed"),
        format!("`rightcall inspect {}` shows its calls", sample.display()),
    ))
}

impl From<DraftError> for Trouble {
    fn from(error: DraftError) -> Self {
        match error {
            DraftError::Open(error) => error.into(),
            DraftError::Read(error) => Self::said(&error, error.help.clone()),
        }
    }
}
