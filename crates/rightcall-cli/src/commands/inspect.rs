//! `rightcall inspect`: shows the contents of trace files, the omitted parts, and the parts that
//! were not recorded.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::Args;
use rightcall_formats::{Inspection, Limits, OpenError, ReadOptions, in_order};
use rightcall_report::{ListLength, inspected_run, inspection, inspection_json, warnings};
use rightcall_run::{Observer as _, Problem};

use crate::arguments::{InputArguments, ListFormat, parse_threads};
use crate::exit::Exit;
use crate::messages::{Trouble, give, show, warn, warn_of_unread};
use crate::problems::ProblemCounter;
use crate::scoring::threads;

#[derive(Debug, Args)]
pub(crate) struct InspectArguments {
    /// Files of traces or cases; `-` is standard input
    #[arg(required = true, value_name = "FILES")]
    pub(crate) files: Vec<PathBuf>,
    /// For people, or one JSON object a file
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    pub(crate) format: ListFormat,
    /// Show all calls of all trajectories and all errors, not only the first
    #[arg(long)]
    pub(crate) all: bool,
    /// Number of threads; a file is read by one [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub(crate) threads: Option<NonZeroUsize>,
    #[command(flatten)]
    pub(crate) input: InputArguments,
}

/// The limits of a list of runs with their calls.
#[derive(Clone, Copy)]
pub(super) struct ShownRuns {
    /// Maximum number of trajectories.
    pub(super) runs: usize,
    /// Maximum number of calls of each.
    pub(super) calls: usize,
}

impl ShownRuns {
    pub(super) const NONE: Self = Self { runs: 0, calls: 0 };
}

/// The limits without `--all`.
const SHOWN: ShownRuns = ShownRuns { runs: 5, calls: 40 };

/// The content of a file, and its first runs as they are shown.
pub(super) fn with_first_runs(
    path: &Path,
    limits: Limits,
    options: &ReadOptions,
    shown: ShownRuns,
) -> Result<(Inspection, Vec<String>), OpenError> {
    let mut runs = Vec::new();
    let found = Inspection::from_file(path, limits, options, &mut |case, line| {
        if runs.len() < shown.runs {
            runs.push(inspected_run(case, line, shown.calls));
        }
    })?;
    Ok((found, runs))
}

pub(crate) fn inspect(arguments: &InspectArguments) -> Result<Exit, Trouble> {
    let (limits, options) = (arguments.input.limits(), arguments.input.reading());
    let shown = match (arguments.format, arguments.all) {
        (ListFormat::Json, _) => ShownRuns::NONE,
        (ListFormat::Table, true) => ShownRuns {
            runs: usize::MAX,
            calls: usize::MAX,
        },
        (ListFormat::Table, false) => SHOWN,
    };
    let listed = ListLength(arguments.all.then_some(usize::MAX));
    let mut exit = Exit::Success;
    let (mut files, mut gap) = (arguments.files.iter(), "");
    in_order(
        threads(arguments.threads),
        || Ok::<_, Trouble>(files.next()),
        |path| with_first_runs(path, limits, &options, shown),
        |found| {
            let (found, runs) = found?;
            let mut problems = ProblemCounter::listing(listed);
            for problem in &found.errors {
                exit = Exit::NotJudged;
                problems.problem(&Problem::Unreadable(problem.clone()));
            }
            problems.finish();
            warn_of_unread(&found.file, &found.report);
            warn(warnings::near_keys(&found.near_keys));
            match arguments.format {
                ListFormat::Json => give(&format!("{}\n", inspection_json(&found)))?,
                ListFormat::Table => show(&format!("{gap}{}", inspection(&found, &runs, "--all")))?,
            }
            gap = "\n";
            Ok(())
        },
    )?;
    Ok(exit)
}
