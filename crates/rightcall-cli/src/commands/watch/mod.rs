//! `rightcall watch`: follows a growing log and reports changed verdicts.

mod follow;
mod runs;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use clap::Args;
use rightcall_core::monitor::RuleVerdict;
use rightcall_core::value::{JsonWriter, RawJson};
use rightcall_report::count;
use rightcall_run::{live_rules_in, printable};

use super::suite_file::rules_file;
use crate::arguments::InputArguments;
use crate::exit::Exit;
use crate::messages::{Trouble, note, warning};
use follow::Follower;
use runs::{VerdictChange, WatchedRuns};

#[derive(Debug, Args)]
pub(crate) struct WatchArguments {
    /// The log, with a record a line, in any format; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The rules: a file with a list of rules, or a suite [default: suite.yaml, here or in evals/]
    #[arg(long, value_name = "RULES")]
    rules: Option<PathBuf>,
    /// Print a line only where a rule is broken
    #[arg(short, long)]
    quiet: bool,
    /// Run the program behind `--` whenever a rule is broken; it gets the event as JSON on standard input
    #[arg(long, requires = "program")]
    on_violated: bool,
    /// The program with its arguments, run without a shell
    #[arg(last = true, value_name = "PROGRAM", requires = "on_violated")]
    program: Vec<OsString>,
    #[command(flatten)]
    input: InputArguments,
}

/// The minimum pause between reads of a file.
const PAUSE: Duration = Duration::from_millis(200);

/// A log with runs spread over several lines is parsed again from its start whenever it grows. The
/// pause is at least this many times the parse time, to leave most of the CPU to other programs.
const PAUSES_A_READING: u32 = 4;

pub(crate) fn watch(arguments: &WatchArguments) -> Result<Exit, Trouble> {
    let how = "name a file of rules, or a suite, with --rules FILE";
    let rules = rules_file(arguments.rules.as_deref(), how)?;
    let limits = arguments.input.limits();
    let (settings, of_suite) = live_rules_in(&rules, limits.max_document)?;
    let name = if arguments.file == Path::new("-") {
        "<stdin>".to_owned()
    } else {
        arguments.file.display().to_string()
    };
    let reading = arguments.input.reading_with(&of_suite);
    let mut runs = WatchedRuns::new(name, settings, reading, limits)?;
    let mut follower = Follower::new(&arguments.file);
    while let Some(lines) = follower.lines(arguments.input.max_line)? {
        let began = Instant::now();
        if !lines.is_empty() {
            runs.add(lines, &mut |change| print_change(change, arguments))?;
        }
        follower.wait(PAUSE.max(began.elapsed() * PAUSES_A_READING));
    }
    runs.end(&mut |change| print_change(change, arguments))?;
    Ok(conclude(&runs))
}

/// Reports the totals at the end of the log.
fn conclude(runs: &WatchedRuns) -> Exit {
    let (number, broken, open) = runs.totals();
    let verb = |number: u64, one: &'static str, many| if number == 1 { one } else { many };
    note(&format!(
        "{} · {broken} {} a rule · {open} {} an open rule",
        count(number, "run"),
        verb(broken, "breaks", "break"),
        verb(open, "has", "have"),
    ));
    if runs.has_unreadable() || number == 0 {
        return Exit::NotJudged;
    }
    if broken + open > 0 {
        Exit::Failed
    } else {
        Exit::Success
    }
}

fn print_change(change: &VerdictChange<'_>, arguments: &WatchArguments) -> Result<(), Trouble> {
    let is_broken = change.verdict == Some(RuleVerdict::Violated);
    if is_broken || !arguments.quiet {
        let line = line_of(change);
        let mut stdout = io::stdout().lock();
        writeln!(stdout, "{}", printable(&line))?;
        stdout.flush()?;
    }
    if is_broken && arguments.on_violated {
        run_program(change, &arguments.program);
    }
    Ok(())
}

fn line_of(change: &VerdictChange<'_>) -> String {
    let verdict = match change.verdict {
        Some(_) if change.awaits_result => "open (no result recorded)",
        Some(verdict) => verdict.as_str(),
        None => "not recorded",
    };
    let why = change
        .why
        .map(|why| format!("   why: {why}"))
        .unwrap_or_default();
    let trial = change.trial.map(|trial| format!(" trial {trial}"));
    format!(
        "{}{}   {verdict}   {}   call {} {}{why}",
        change.run,
        trial.unwrap_or_default(),
        change.rule,
        change.call + 1,
        change.name
    )
}

/// Runs the program and waits for it. If it fails, watching continues.
fn run_program(change: &VerdictChange<'_>, program: &[OsString]) {
    let [name, arguments @ ..] = program else {
        return;
    };
    let mut writer = JsonWriter::new();
    writer.begin_object().key("run").str(change.run);
    writer.optional("trial", change.trial.map(RawJson));
    writer.key("rule").str(change.rule);
    writer.optional("why", change.why);
    writer.key("call").count(change.call + 1);
    writer.key("name").str(change.name).end_object();
    let event = writer.finish().into_string() + "\n";
    let mut command = Command::new(name);
    let started = command.args(arguments).stdin(Stdio::piped()).spawn();
    let ended = started.and_then(|mut child| {
        if let Some(mut stdin) = child.stdin.take() {
            // The program may ignore its input.
            _ = stdin.write_all(event.as_bytes());
        }
        child.wait()
    });
    let name = name.to_string_lossy();
    match ended {
        Ok(status) if status.success() => {}
        Ok(status) => warning(&format!("{name}: {status}"), None),
        Err(error) => warning(&format!("{name}: {error}"), None),
    }
}
