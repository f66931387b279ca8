//! `rightcall record`: turns good runs into expectations.

use std::borrow::Cow;
use std::path::PathBuf;

use clap::Args;
use rightcall_formats::Location;
use rightcall_formats::join::Join;
use rightcall_report::count;
use rightcall_run::{
    OutputFile, OutputFiles, OutputKind, Plan, RecordingTally, record as record_plan,
};

use super::learn;
use crate::arguments::{
    ChoiceArguments, InputArguments, Joining, RecordingArguments, RedactionArguments,
};
use crate::exit::Exit;
use crate::messages::{Trouble, error, note, to_file, warn_of_unread, warning};
use crate::problems::ProblemCounter;

#[derive(Debug, Args)]
pub(crate) struct RecordArguments {
    /// Files with good runs, in any format; `-` is standard input
    #[arg(required = true, value_name = "FILES")]
    pub(crate) files: Vec<PathBuf>,
    /// Write to a file, which appears when it is complete
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Replace an existing file
    #[arg(long)]
    pub(crate) force: bool,
    /// Print errors and warnings only
    #[arg(short, long)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) choice: ChoiceArguments,
    #[command(flatten)]
    pub(crate) recording: RecordingArguments,
    #[command(flatten)]
    pub(crate) redaction: RedactionArguments,
    #[command(flatten)]
    pub(crate) joining: Joining,
    #[command(flatten)]
    pub(crate) input: InputArguments,
}

/// The output kind of expectations.
const RECORDED: OutputKind<'static> = OutputKind {
    name: Cow::Borrowed("file of expectations"),
    is_earlier: &|existing| existing.is_of("cases"),
};

pub(crate) fn record(arguments: &RecordArguments) -> Result<Exit, Trouble> {
    let mut output = match &arguments.output {
        Some(path) => OutputFiles::new(&arguments.files).create(path, &RECORDED)?,
        None => OutputFile::stdout(),
    };
    if let Some(path) = arguments
        .output
        .as_ref()
        .filter(|path| path.is_file() && !arguments.force)
    {
        let help =
            "`rightcall review` shows what today's runs would change in it; --force replaces it";
        return Err(Trouble::with_help(
            format!("{}: already exists", path.display()),
            help,
        ));
    }
    if arguments.joining.join == Some(Join::Order) {
        let help = "name the key that matches later runs to the case: --join id, file, or a key";
        return Err(Trouble::with_help(
            "--join order gives a case no name",
            help,
        ));
    }
    let (_, reading) = arguments.input.readings(&arguments.joining, true);
    let limits = arguments.input.limits();
    let plan = Plan {
        selection: arguments.choice.selection(),
        ..Plan::new(arguments.files.clone(), reading, limits)
    };
    let without_id = &mut |at: &Location| {
        let message = format!("{at}: a run without `{}` belongs to no case", reading.join);
        let help = "later runs are matched to the case by it; `--join file` takes the name of the file instead";
        warning(&message, Some(help));
    };
    let recorder = arguments.recording.recorder();
    let recorder = recorder.redacting(arguments.redaction.redaction());
    let observer = &mut ProblemCounter::default();
    let tally = record_plan(&plan, &recorder, &mut output, observer, without_id)?;
    observer.finish();
    warn_of_unread("the runs", &tally.report);
    if tally.recorded == 0 {
        error(
            "no run to record (exit code 2)",
            Some(if tally.left_out > 0 {
                "no run is chosen by -k, --tag, --where or --case"
            } else {
                "`rightcall inspect` shows what the files hold"
            }),
        );
        return Ok(Exit::NotJudged);
    }
    output.commit()?;
    if !arguments.quiet {
        print_tally(&tally, arguments);
    }
    Ok(Exit::not_judged_if(tally.unreadable + tally.without_id > 0))
}

/// Prints the counts of recorded cases on standard error.
fn print_tally(tally: &RecordingTally, arguments: &RecordArguments) {
    let to = to_file(arguments.output.as_deref());
    note(&format!("{} recorded{to}", count(tally.recorded, "case")));
    if !tally.learned.is_empty() {
        let cases = count(tally.learned.len() as u64, "case");
        note(&format!(
            "  {cases} learned from several runs; `rightcall learn` writes the same as YAML"
        ));
        tally.learned.iter().for_each(learn::report_learned);
    }
    for (number, what) in [
        (
            tally.again,
            "further run of a case left out: the first is recorded",
        ),
        (
            tally.without_run,
            "record left out: no run, or calls may be missing",
        ),
        (
            tally.without_calls,
            "case that expects no calls: is this a good run?",
        ),
        (
            tally.failed,
            "failed call, which is now expected: is this a good run?",
        ),
    ] {
        if number > 0 {
            note(&format!("  {number} × {what}"));
        }
    }
}
