//! `rightcall record`: a good run into expectations.

use std::collections::HashSet;
use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;
use rightcall_formats::join::Join;
use rightcall_formats::{Input, Report, read_case};
use rightcall_report::count;
use rightcall_run::OutputFile;

use crate::arguments::{InputArguments, Joining, RecordingArguments};
use crate::exit::Exit;
use crate::messages::{Trouble, error, note, warn_of_unread, warning};
use crate::scoring::refuse_to_overwrite;

#[derive(Debug, Args)]
pub(crate) struct RecordArguments {
    /// Files with good runs, in any format; `-` is standard input
    #[arg(required = true, value_name = "FILES")]
    pub(crate) files: Vec<PathBuf>,
    /// Write to a file, which appears when it is whole
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write the file anew, if it is there already
    #[arg(long)]
    pub(crate) force: bool,
    /// Leave the report out, but for errors and warnings
    #[arg(short, long)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) recording: RecordingArguments,
    #[command(flatten)]
    pub(crate) joining: Joining,
    #[command(flatten)]
    pub(crate) input: InputArguments,
}

/// How much is read of an input at a time.
const BLOCK: usize = 1 << 20;

pub(crate) fn record(arguments: &RecordArguments) -> Result<Exit, Trouble> {
    refuse_to_overwrite(arguments.output.as_deref(), arguments.files.iter())?;
    if let Some(path) = arguments
        .output
        .as_ref()
        .filter(|path| path.is_file() && !arguments.force)
    {
        let help =
            "`rightcall review` shows what today's runs would change in it; --force writes it anew";
        return Err(Trouble::with_help(
            format!("{}: is there already", path.display()),
            help,
        ));
    }
    let mut output = match &arguments.output {
        Some(path) => OutputFile::create(path)?,
        None => OutputFile::stdout(),
    };
    if arguments.joining.join == Some(Join::Order) {
        let help = "name what will find today's run of a case: --join id, file, or a key";
        return Err(Trouble::with_help(
            "a place in an order is no name for a case",
            help,
        ));
    }
    let recorder = arguments.recording.recorder();
    let limits = arguments.input.limits();
    let (_, options) = arguments.input.readings(&arguments.joining, true);
    let mut tally = RecordingTally::default();
    let mut seen = HashSet::new();
    for path in &arguments.files {
        let mut input = Input::open(path, limits, &options)?;
        loop {
            let block = match input.next_block(BLOCK) {
                Ok(Some(block)) => block,
                Ok(None) => break,
                Err(problem) => {
                    tally.unreadable += 1;
                    error(&problem.to_string(), problem.help.as_deref());
                    break;
                }
            };
            if let Some(report) = block.report() {
                tally.report.add(report);
            }
            for record in block.records() {
                let mut case = match record
                    .text
                    .clone()
                    .and_then(|text| read_case(text, &options))
                {
                    Ok(case) => case,
                    Err(problem) => {
                        tally.unreadable += 1;
                        let problem = problem.in_record(input.name(), &record);
                        error(&problem.to_string(), problem.help.as_deref());
                        continue;
                    }
                };
                // By what the run will be found again.
                case.id = options.join.of(&case, input.name());
                let Some(id) = &case.id else {
                    tally.without_id += 1;
                    let message = format!(
                        "{}:{}: a run without `{}` belongs to no case",
                        input.name(),
                        record.line,
                        options.join
                    );
                    warning(
                        &message,
                        Some("today's run of a case is found by it; --join names something else"),
                    );
                    continue;
                };
                let Some(line) = recorder.line(&case) else {
                    tally.without_run += 1;
                    continue;
                };
                if !seen.insert(id.to_string()) {
                    tally.again += 1;
                    continue;
                }
                tally.failed += case
                    .actual
                    .iter()
                    .flat_map(|run| &run.calls)
                    .filter(|call| call.failed() == Some(true))
                    .count() as u64;
                output.write_all(line.as_bytes())?;
                output.write_all(b"\n")?;
            }
        }
    }
    warn_of_unread("the runs", &tally.report);
    if seen.is_empty() {
        error(
            "no run to record (exit code 2)",
            Some("`rightcall inspect` shows what the files hold"),
        );
        return Ok(Exit::Wrong);
    }
    output.commit()?;
    if !arguments.quiet {
        tally.tell(seen.len() as u64, arguments);
    }
    Ok(if tally.unreadable + tally.without_id > 0 {
        Exit::Wrong
    } else {
        Exit::Fine
    })
}

/// What was met on the way.
#[derive(Default)]
struct RecordingTally {
    unreadable: u64,
    without_id: u64,
    without_run: u64,
    again: u64,
    failed: u64,
    /// What was left out of the traces.
    report: Report,
}

impl RecordingTally {
    fn tell(&self, recorded: u64, arguments: &RecordArguments) {
        let to = arguments
            .output
            .as_ref()
            .map_or_else(String::new, |path| format!(" to {}", path.display()));
        note(&format!("{} recorded{to}", count(recorded, "run")));
        for (number, what) in [
            (
                self.again,
                "further run of a case left out: the first is recorded",
            ),
            (self.without_run, "case without a run left out"),
            (
                self.failed,
                "call among them failed, and is expected now: was it a good run?",
            ),
        ] {
            if number > 0 {
                note(&format!("  {number} × {what}"));
            }
        }
    }
}
