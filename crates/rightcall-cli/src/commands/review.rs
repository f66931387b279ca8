//! `rightcall review`: shows what today's runs would change in expectations, to accept or reject one by one.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use console::{Key, Term};
use rightcall_core::call::Case;
use rightcall_formats::join::RunIdentity;
use rightcall_formats::{ReadOptions, read_case};
use rightcall_report::{ChangeView, change_screen, count};
use rightcall_run::{
    ExpectationChange, OriginalFile, OutputError, OutputFiles, Plan, Review, RewriteError, Traces,
    printable, review as compare, rewrite,
};

use super::review_recorded::{RecordedRunArguments, recorded_runs};
use crate::arguments::{InputArguments, Joining, RecordingArguments, RedactionArguments};
use crate::exit::Exit;
use crate::messages::{Trouble, error, first_of, note, show, show_last, warning};
use crate::progress::Progress;
use crate::scoring::{index, threads, told};

#[derive(Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub(crate) struct ReviewArguments {
    /// The expectations, as JSON Lines
    #[arg(value_name = "EXPECTATIONS")]
    pub(crate) file: PathBuf,
    /// Files with today's runs, joined to the expectations by id
    #[arg(long, value_name = "FILES", num_args = 1.., required_unless_present = "run")]
    pub(crate) traces: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) recorded: RecordedRunArguments,
    /// Change nothing; exit code 1 if anything would change
    #[arg(long, conflicts_with_all = ["accept_all", "accept"])]
    pub(crate) check: bool,
    /// Accept all changes
    #[arg(long, conflicts_with = "accept")]
    pub(crate) accept_all: bool,
    /// Accept the changes of these cases
    #[arg(long, value_name = "ID", num_args = 1..)]
    pub(crate) accept: Vec<String>,
    /// Accept today's run alone, and no longer the runs accepted before
    #[arg(long)]
    pub(crate) replace: bool,
    /// Offer runs without an expectation too, to be added
    #[arg(long)]
    pub(crate) add: bool,
    /// Do not shorten anything
    #[arg(long)]
    pub(crate) full: bool,
    /// Print errors and warnings only
    #[arg(short, long)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) recording: RecordingArguments,
    #[command(flatten)]
    pub(crate) redaction: RedactionArguments,
    #[command(flatten)]
    pub(crate) joining: Joining,
    #[command(flatten)]
    pub(crate) input: InputArguments,
}

/// The answer to a proposed change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReviewAnswer {
    Accept,
    Reject,
    Skip,
    Quit,
}

/// Checks that the file can be reviewed in this way.
fn check(arguments: &ReviewArguments) -> Result<(), Trouble> {
    let path = &arguments.file;
    if path.as_os_str() == "-" {
        return Err(Trouble::with_help(
            "expectations are rewritten in place, so they cannot come from standard input",
            "name the file",
        ));
    }
    if path.is_dir() {
        let help = format!("such as {}", path.join("cases.jsonl").display());
        let message = format!("{} is a folder: name its file of cases", path.display());
        return Err(Trouble::with_help(message, help));
    }
    let is_interactive = !arguments.check && !arguments.accept_all && arguments.accept.is_empty();
    if is_interactive && !console::user_attended() {
        let help = "--check shows what would change, --accept ID or --accept-all takes it";
        return Err(Trouble::with_help("there is no terminal to ask", help));
    }
    if !arguments.check {
        let claimed = OutputFiles::new(&arguments.traces).claim(path);
        claimed.map_err(|error| match error {
            OutputError::Input(path) => Trouble::with_help(
                format!("{} is both the expectations and the traces", path.display()),
                "name the files of new runs with --traces",
            ),
            error => error.into(),
        })?;
    }
    Ok(())
}

pub(crate) fn review(arguments: &ReviewArguments) -> Result<Exit, Trouble> {
    check(arguments)?;
    let path = &arguments.file;
    let (reading, trace_reading) = arguments.input.readings(&arguments.joining, true);
    let limits = arguments.input.limits();
    let originals = OriginalFile::read(path, limits)
        .map_err(|error| Trouble::new(format!("{}: {error}", path.display())))?;
    let traces = traces(arguments, trace_reading)?;
    let left_out = traces.as_ref().map_or(0, |traces| traces.left_out);
    let plan = Plan {
        traces,
        redaction: arguments.redaction.redaction(),
        ..Plan::new(vec![path.clone()], reading, limits)
    };
    let mut progress = Progress::new(&plan.inputs, arguments.quiet, false);
    let found = compare(&plan, &arguments.recording.ignored, &mut progress);
    progress.finish();
    let mut found = found?;
    found.unreadable += left_out;
    if arguments.replace {
        found.replace();
    }
    if let (true, Some(traces)) = (arguments.add, &plan.traces) {
        let recorder = arguments.recording.recorder();
        let recorder = recorder.redacting(plan.redaction.clone());
        found
            .add_new(&traces.index, &recorder, &plan.reading)
            .map_err(|error| {
                Trouble::with_help(error.found, "traces must not change while they are read")
            })?;
    }
    if found.met == 0 && found.changes.is_empty() && found.unreadable == 0 {
        error(
            "nothing to review (exit code 2)",
            Some("no case of the file has a run among the traces, joined by `id`"),
        );
        return Ok(Exit::NotJudged);
    }
    let changes = &found.changes;
    if !arguments.check && !originals.hold(changes) {
        let help = format!(
            "`rightcall convert {} -o cases.jsonl` makes them; --check works with any file",
            path.display()
        );
        return Err(Trouble::with_help(
            format!("{}: only plain JSON Lines are rewritten", path.display()),
            help,
        ));
    }
    let accepted = decide(arguments, &found, &Term::stdout())?;
    if !accepted.is_empty() {
        rewrite(path, changes, &accepted, &originals)
            .map_err(|error| rewrite_trouble(path, error))?;
    }
    if !arguments.quiet {
        print_summary(arguments, &plan, &found, accepted.len());
    }
    Ok(if found.unreadable > 0 {
        Exit::NotJudged
    } else if arguments.check && !changes.is_empty() {
        Exit::Failed
    } else {
        Exit::Success
    })
}

/// The runs to compare with: cases of the history, or files.
fn traces(arguments: &ReviewArguments, reading: ReadOptions) -> Result<Option<Traces>, Trouble> {
    if let Some(run) = &arguments.recorded.run {
        let limits = arguments.input.limits();
        return recorded_runs(run, &arguments.recorded, &arguments.accept, reading, limits);
    }
    index(
        arguments.traces.clone(),
        reading,
        arguments.input.limits(),
        threads(None),
        &RunIdentity::default(),
        told(arguments.quiet),
    )
}

fn rewrite_trouble(path: &Path, error: RewriteError) -> Trouble {
    match error {
        RewriteError::Changed(line) => Trouble::with_help(
            format!(
                "{}:{line}: the file has changed since it was read",
                path.display()
            ),
            "review it again",
        ),
        RewriteError::Io(error) => error.into(),
        other => Trouble::new(format!("{}: {other}", path.display())),
    }
}

/// The indices of the accepted changes.
fn decide(
    arguments: &ReviewArguments,
    found: &Review,
    terminal: &Term,
) -> Result<BTreeSet<usize>, Trouble> {
    let changes = &found.changes;
    let all = 0..changes.len();
    if arguments.check {
        for number in all {
            show_last(&screen(arguments, changes, number))?;
        }
        return Ok(BTreeSet::new());
    }
    if arguments.accept_all {
        return Ok(all.collect());
    }
    if !arguments.accept.is_empty() {
        return changes_of(&arguments.accept, changes);
    }
    let draw = |number: usize| show(&screen(arguments, changes, number));
    let ask = |prompt: &str| -> io::Result<ReviewAnswer> {
        terminal.write_str(prompt)?;
        loop {
            if let Some(answer) = answer(&terminal.read_key()?) {
                terminal.write_line(&format!("{answer:?}").to_lowercase())?;
                return Ok(answer);
            }
        }
    };
    Ok(one_by_one(changes.len(), draw, ask)?)
}

/// The indices of the changes to the cases with these ids.
fn changes_of(ids: &[String], changes: &[ExpectationChange]) -> Result<BTreeSet<usize>, Trouble> {
    let mut accepted = BTreeSet::new();
    for id in ids {
        let is_of_case = |number: &usize| changes[*number].label == *id;
        let of_case: Vec<_> = (0..changes.len()).filter(is_of_case).collect();
        if of_case.is_empty() {
            let labels = changes.iter().map(|change| change.label.as_str());
            let help = match rightcall_core::nearest(id, labels).first() {
                Some(name) => format!("did you mean `{name}`?"),
                None => "--check shows what would change".to_owned(),
            };
            let message = format!("nothing would change in `{id}`");
            return Err(Trouble::with_help(message, help));
        }
        accepted.extend(of_case);
    }
    Ok(accepted)
}

/// Shows each change and asks; returns the accepted ones. Quitting keeps the changes accepted so far.
fn one_by_one(
    changes: usize,
    mut draw: impl FnMut(usize) -> io::Result<()>,
    mut ask: impl FnMut(&str) -> io::Result<ReviewAnswer>,
) -> io::Result<BTreeSet<usize>> {
    let mut accepted = BTreeSet::new();
    for number in 0..changes {
        draw(number)?;
        match ask("\n  a accept   r reject   s skip   q quit   ")? {
            ReviewAnswer::Accept => _ = accepted.insert(number),
            ReviewAnswer::Reject | ReviewAnswer::Skip => {}
            ReviewAnswer::Quit => break,
        }
    }
    Ok(accepted)
}

fn answer(key: &Key) -> Option<ReviewAnswer> {
    match key {
        Key::Char('a' | 'A' | 'y') => Some(ReviewAnswer::Accept),
        Key::Char('r' | 'R' | 'n') => Some(ReviewAnswer::Reject),
        Key::Char('s' | 'S') => Some(ReviewAnswer::Skip),
        Key::Char('q' | 'Q') | Key::Escape => Some(ReviewAnswer::Quit),
        _ => None,
    }
}

/// A change as text for the screen.
fn screen(arguments: &ReviewArguments, changes: &[ExpectationChange], number: usize) -> String {
    let change = &changes[number];
    let place = match change.line {
        Some(line) => format!("{}:{line}", arguments.file.display()),
        None => "has no expectation yet".to_owned(),
    };
    let options = arguments.input.reading();
    let Ok(case) = read_case(&change.shown, &options.of_any_format()) else {
        return format!("{}\n", printable(&change.text));
    };
    let shown = |case: &Case<'_>| case_screen(arguments, changes, number, &place, case);
    case.with_resolved(shown)
}

/// The screen of a change to a readable case. An expectation in blocks is resolved.
fn case_screen(
    arguments: &ReviewArguments,
    changes: &[ExpectationChange],
    number: usize,
    place: &str,
    case: &Case<'_>,
) -> String {
    let change = &changes[number];
    change_screen(&ChangeView {
        number: number + 1,
        of: changes.len(),
        label: &change.label,
        place,
        case,
        explanations: &change.explanations(case),
        repair: &change.repair,
        full: arguments.full,
    })
}

/// Prints the number of expectations that were met, accepted and left, and warnings.
fn print_summary(arguments: &ReviewArguments, plan: &Plan, found: &Review, accepted: usize) {
    let changes = found.changes.len();
    let line = |number: usize, what: &str| {
        let number = count(number as u64, "expectation");
        note(&format!("{number} {what}"));
    };
    line(found.met as usize, "met");
    if !arguments.check {
        let file = arguments.file.display();
        line(accepted, &format!("accepted into {file}"));
    }
    if changes > accepted {
        let rest = if arguments.check {
            "would change (exit code 1)"
        } else {
            "left as before"
        };
        line(changes - accepted, rest);
    }
    if found.trials > 0 {
        note(&format!(
            "{} with several runs: the first that differs is shown",
            count(found.trials, "case")
        ));
    }
    // With `--run`, the options choose the cases.
    if !found.without_run.is_empty() && arguments.recorded.run.is_none() {
        let number = found.without_run.len() as u64;
        let (what, names) = (
            count(number, "case"),
            first_of(&found.without_run, 5, number),
        );
        warning(
            &format!("{what} without a run: {names}"),
            Some(
                "a run belongs to the case with its `id`; if ids are new each time, use `--join input` or `--join order`",
            ),
        );
    }
    let unused = plan
        .traces
        .as_ref()
        .map_or(0, |traces| traces.index.unused(0).0);
    if unused > 0 && !arguments.add {
        note(&format!(
            "{} without an expectation; --add offers them too",
            count(unused, "run")
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quitting_keeps_the_accepted_changes() {
        let mut answers = [
            ReviewAnswer::Accept,
            ReviewAnswer::Reject,
            ReviewAnswer::Skip,
            ReviewAnswer::Accept,
            ReviewAnswer::Quit,
            ReviewAnswer::Accept,
        ]
        .into_iter();
        let mut drawn = Vec::new();
        let draw = |number| {
            drawn.push(number);
            Ok(())
        };
        let accepted = one_by_one(6, draw, |_| Ok(answers.next().unwrap())).unwrap();
        assert_eq!(accepted.into_iter().collect::<Vec<_>>(), [0, 3]);
        assert_eq!(drawn, [0, 1, 2, 3, 4]);
    }

    #[test]
    fn other_keys_are_ignored() {
        assert_eq!(answer(&Key::Char('a')), Some(ReviewAnswer::Accept));
        assert_eq!(answer(&Key::Escape), Some(ReviewAnswer::Quit));
        assert_eq!(answer(&Key::Enter), None);
    }
}
