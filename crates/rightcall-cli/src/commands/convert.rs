//! `rightcall convert`: writes cases and runs in another format.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use rightcall_formats::join::RunIdentity;
use rightcall_formats::{WRITERS, Writer};
use rightcall_report::{count, read_report};
use rightcall_run::{
    Conversion, ExistingFile, OutputFile, OutputFiles, OutputKind, Plan, convert as convert_plan,
};

use crate::arguments::{InputArguments, Joining, parse_threads};
use crate::completing;
use crate::conclusion::report_unused;
use crate::exit::Exit;
use crate::messages::{self, Trouble, error, note};
use crate::progress::Progress;
use crate::reports::check_ending;
use crate::scoring::{index, threads, told};

#[derive(Debug, Args)]
pub(crate) struct ConvertArguments {
    /// Files of cases or traces; `-` is standard input
    #[arg(required = true, value_name = "FILES")]
    pub(crate) files: Vec<PathBuf>,
    /// Files with the runs, joined to the cases by id
    #[arg(long, value_name = "FILES", num_args = 1..)]
    pub(crate) traces: Vec<PathBuf>,
    #[arg(long, value_name = "FORMAT", help = written_formats(), value_parser = parse_writer, add = completing::writers(), default_value = "cases")]
    pub(crate) to: &'static Writer,
    /// Write to a file, which appears when it is complete
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Print only errors that end the work
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// Number of threads [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Records that cannot be read do not change the exit code
    #[arg(long, help_heading = "Input")]
    pub(crate) skip_invalid: bool,
    #[command(flatten)]
    pub(crate) joining: Joining,
    #[command(flatten)]
    pub(crate) input: InputArguments,
}

fn written_formats() -> String {
    let names: Vec<_> = WRITERS.iter().map(|writer| writer.name).collect();
    format!("What to write: {}", names.join(", "))
}

fn parse_writer(name: &str) -> Result<&'static Writer, String> {
    Writer::find(name).map_err(|error| error.to_string())
}

/// The maximum number of inputs to report on.
const SHOWN: usize = 20;

pub(crate) fn convert(arguments: &ConvertArguments) -> Result<Exit, Trouble> {
    let mut files = OutputFiles::new(arguments.files.iter().chain(&arguments.traces));
    let is_earlier = |existing: &ExistingFile| existing.is_of(arguments.to.name);
    let mut output = match &arguments.output {
        Some(path) => files.create(path, &converted(&is_earlier, arguments.to.name))?,
        None => OutputFile::stdout(),
    };
    if let Some(path) = &arguments.output {
        check_ending(path, &["jsonl", "json", "ndjson"], "")?;
    }
    let (reading, of_traces) = arguments
        .input
        .readings(&arguments.joining, !arguments.traces.is_empty());
    let limits = arguments.input.limits();
    let workers = threads(arguments.threads);
    let traces = index(
        arguments.traces.clone(),
        of_traces,
        limits,
        workers,
        &RunIdentity::default(),
        told(arguments.quiet),
    )?;
    let plan = Plan {
        traces,
        threads: workers,
        ..Plan::new(arguments.files.clone(), reading, limits)
    };
    let mut progress = Progress::new(&plan.inputs, arguments.quiet, arguments.skip_invalid);
    let conversion = convert_plan(&plan, arguments.to, &mut output, &mut progress);
    progress.finish();
    let mut conversion = conversion?;
    conversion.unreadable += plan.traces.as_ref().map_or(0, |traces| traces.left_out);
    if conversion.written > 0 {
        output.commit()?;
    }
    conversion
        .inputs
        .iter()
        .for_each(|read| messages::warn_of_unread(&read.file, &read.report));
    plan.traces
        .iter()
        .for_each(|traces| messages::warn_of_unread("the traces", traces.index.report()));
    if !arguments.quiet {
        print_report(&conversion, &plan, arguments);
    }
    if conversion.written == 0 {
        let why = empty_output(&conversion, arguments.to);
        error("nothing to write (exit code 2)", Some(&why));
        return Ok(Exit::NotJudged);
    }
    let unreadable = conversion.unreadable > 0 && !arguments.skip_invalid;
    let incomplete = conversion.broken_inputs + conversion.unpaired > 0;
    Ok(Exit::not_judged_if(unreadable || incomplete))
}

/// The output kind of cases in a format.
pub(super) fn converted<'k>(
    is_earlier: &'k dyn Fn(&ExistingFile) -> bool,
    format: &str,
) -> OutputKind<'k> {
    OutputKind {
        name: format!("{format} file").into(),
        is_earlier,
    }
}

/// The reason for an empty output, and advice.
fn empty_output(conversion: &Conversion, writer: &Writer) -> String {
    if conversion.left_out > 0 {
        let needs = writer.needs;
        let join = if needs.contains("a run") {
            "join runs with --traces, or "
        } else {
            ""
        };
        format!("no case has {needs}; {join}write them as `--to cases`")
    } else if conversion.unreadable + conversion.broken_inputs > 0 {
        "nothing could be read".to_owned()
    } else {
        "the inputs hold no case".to_owned()
    }
}

/// Reports the inputs and the losses to standard error.
fn print_report(conversion: &Conversion, plan: &Plan, arguments: &ConvertArguments) {
    let writer = arguments.to;
    for read in conversion.inputs.iter().take(SHOWN) {
        messages::tell(&read_report(read));
    }

    if conversion.inputs.len() > SHOWN {
        let more = count((conversion.inputs.len() - SHOWN) as u64, "file");
        note(&format!("… and {more} more"));
    }
    let to = messages::to_file(arguments.output.as_deref());
    let written = count(conversion.written, "case");
    note(&format!("{written} written{to} as {}", writer.name));
    let mut lost: Vec<_> = writer
        .lacks
        .iter()
        .zip(&conversion.lost)
        .filter(|(_, count)| **count > 0)
        .collect();
    lost.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    for (lack, number) in lost {
        let (what, number) = (lack.what, count(*number, lack.unit()));
        note(&format!(
            "  {} cannot represent {what} ({number})",
            writer.name
        ));
    }
    if conversion.left_out > 0 {
        let left_out = count(conversion.left_out, "case");
        note(&format!("{left_out} without {} left out", writer.needs));
    }
    if conversion.contradicting > 0 {
        note(&format!(
            "{} left out: another of the same id expects something else",
            count(conversion.contradicting, "case")
        ));
    }
    if conversion.unreadable > 0 {
        let accepted = if arguments.skip_invalid {
            ""
        } else {
            " (exit code 2; --skip-invalid accepts this)"
        };
        let records = count(conversion.unreadable, "record");
        note(&format!("{records} could not be read{accepted}"));
    }
    let Some(traces) = &plan.traces else { return };
    let report = traces.index.report();
    if report.dropped_count() + report.orphans > 0 {
        let dropped = report.dropped_count();
        let orphans = count(report.orphans, "result");
        note(&format!(
            "of the traces, {dropped} dropped and {orphans} without a call; `rightcall inspect` shows more"
        ));
    }
    let (unused, first) = traces.index.unused(SHOWN);
    let first: Vec<_> = first.iter().map(ToString::to_string).collect();
    if unused > 0 {
        let help = "a run belongs to the case with its `id`; if ids are new each time, use `--join input` or `--join order`";
        report_unused(plan, unused, &first, help);
    }
}
