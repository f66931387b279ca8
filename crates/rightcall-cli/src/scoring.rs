//! What `score` and `run` share: from a plan to results, a screen and an exit code.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::available_parallelism;

use rightcall::Ask;
use rightcall::call::Case;
use rightcall_formats::join::{LeftOut, TraceIndex};
use rightcall_formats::{Limits, Location, ReadOptions};
use rightcall_report::{LowLine, PassRate, Screen, count, sentence, undecided};
use rightcall_run::{
    BY_ORDER, Baseline, CaseRule, Configured, CsvSink, EvaluatorSummary, ExpectationRule, Filter,
    Gate, Investigation, JsonLines, JsonSink, LinesSink, LowCase, Output, Plan, Recording,
    Redaction, Selection, Sink, Summary, Traces, Wanted, baseline_text,
};
use rightcall_stats::RunScores;

use crate::arguments::{CommonArguments, Format, cells};
use crate::exit::Exit;
use crate::hint::{self, RunSuite};
use crate::messages::{
    Trouble, error, note, show_last, warn_of_near_keys, warn_of_unread, warning,
};
use crate::progress::Progress;
use crate::reports;

/// What is scored, by whom, and how good it must be.
pub(crate) struct Task {
    /// The suite, if there is one.
    pub(crate) suite: Option<RunSuite>,
    /// In the user's words.
    pub(crate) subject: String,
    pub(crate) inputs: Vec<PathBuf>,
    pub(crate) traces: Vec<PathBuf>,
    pub(crate) evaluators: Vec<Configured>,
    pub(crate) gates: Option<Vec<Gate>>,
    pub(crate) baseline: Option<Baseline>,
    pub(crate) redaction: Redaction,
    /// Where the results are written as the new baseline.
    pub(crate) accept: Option<PathBuf>,
    pub(crate) expected: Vec<ExpectationRule>,
    pub(crate) case_rule: Option<CaseRule>,
    pub(crate) trial_group: Option<String>,
    pub(crate) selection: Selection,
    /// Where results go beside what the user asked for; these get JSON lines.
    pub(crate) records: Vec<Box<dyn Sink>>,
    /// What the runs before came to, for reports.
    pub(crate) earlier: Vec<PassRate>,
    /// Which cases a record keeps.
    pub(crate) recording: Option<Arc<Recording>>,
    /// Draws the screen.
    pub(crate) draw: fn(&Screen<'_>) -> String,
}

/// Low cases that a screen shows of each list.
const SHOWN: usize = 5;

/// Cases on which editions differ that are listed for each evaluator.
const LISTED: usize = 1000;

/// Scores, prints, and says how it went.
pub(crate) fn score(task: Task, arguments: &CommonArguments) -> Result<Exit, Trouble> {
    let format = arguments.format();
    refuse_to_overwrite(
        arguments.output.as_deref(),
        task.inputs.iter().chain(&task.traces),
    )?;
    // Outputs come first, so that a path that cannot be written fails before the work.
    let output = match &arguments.output {
        Some(path) => Output::create(path)?,
        None => Output::stdout(),
    };
    let mut table = None;
    let mut sinks: Vec<Box<dyn Sink>> = Vec::new();
    let details = JsonLines {
        details: !arguments.no_details,
        explained: arguments.explain,
    };
    let cells = cells(arguments.csv_safe);
    let mut wanted = Wanted {
        json: (!task.records.is_empty()).then(JsonLines::default),
        csv: (format == Format::Csv).then_some(cells),
    };
    match format {
        Format::Table => table = Some(output),
        Format::Csv => sinks.push(Box::new(CsvSink::new(output))),
        Format::Jsonl => sinks.push(Box::new(LinesSink::new(output))),
        Format::Json => sinks.push(Box::new(JsonSink::new(output))),
    }
    if matches!(format, Format::Jsonl | Format::Json) {
        wanted.json = Some(details);
    }

    let facts = task
        .suite
        .as_ref()
        .and_then(|suite| suite.profile.clone())
        .map(|profile| ("profile".to_owned(), profile));
    let head = reports::head(
        &task.subject,
        facts.into_iter().collect(),
        &task.evaluators,
        task.earlier,
        cells,
    );
    sinks.extend(reports::begin(&arguments.reports, &head)?);
    // Last, so that no run is remembered whose results could not be written.
    sinks.extend(task.records);
    // A report takes every case.
    let recording = if arguments.reports.is_empty() {
        task.recording
    } else {
        Some(Arc::new(Recording::new(usize::MAX)))
    };

    let (reading, of_traces) = arguments
        .input
        .readings(&arguments.joining, !task.traces.is_empty());
    let reading = ReadOptions {
        max_comparisons: arguments.effort.max_comparisons,
        ..reading
    };
    let mut left_out = 0;
    let traces = if task.traces.is_empty() {
        None
    } else {
        let index = index(
            &task.traces,
            &of_traces,
            arguments.input.limits(),
            threads(arguments.threads),
            arguments.quiet,
            &mut left_out,
        )?;
        Some(Traces {
            index,
            files: task.traces,
            reading: of_traces,
        })
    };
    // Findings cost a second look at each case. Reports have them, and so does the history.
    let is_kept = recording.is_some();
    let is_read = is_kept || !arguments.quiet && (table.is_some() || arguments.output.is_some());
    let listed = if arguments.editions { LISTED } else { 1 };
    let investigation = is_read.then(|| Investigation::new(&task.evaluators, listed));
    let plan = Plan {
        inputs: task.inputs,
        reading,
        limits: arguments.input.limits(),
        traces,
        expected: task.expected,
        evaluators: task.evaluators,
        case_rule: task.case_rule,
        trial_group: task.trial_group,
        by: arguments.by.clone(),
        gates: task.gates,
        baseline: task.baseline,
        redaction: task.redaction,
        selection: task.selection,
        wanted,
        investigation,
        keeps_lowest: table.is_some() || !arguments.quiet,
        recording,
        threads: threads(arguments.threads),
    };
    let mut progress = Progress::new(&plan.inputs, arguments.quiet, arguments.skip_invalid);
    let summary = rightcall_run::run(&plan, &mut sinks, &mut progress);
    progress.finish();
    let mut summary = summary?;
    summary.unreadable += left_out;
    let exit = Exit::of_run(&summary, arguments.skip_invalid);

    // Beside results on standard output there is no room for a screen.
    let shows_screen = table.is_some()
        || arguments
            .output
            .as_ref()
            .is_some_and(|path| path.as_os_str() != "-");
    if !summary.is_empty() && (table.is_some() || (arguments.output.is_some() && !arguments.quiet))
    {
        let lowest = lines(&plan, summary.lowest.iter(), None);
        let by_evaluator: Vec<_> = summary
            .evaluators
            .iter()
            .enumerate()
            .map(|(index, it)| lines(&plan, it.lowest.iter(), Some(index)))
            .collect();
        let next = summary
            .lowest
            .iter()
            .next()
            .filter(|low| &*low.file != "<stdin>")
            // One file alone would count its cases from its own beginning.
            .filter(|_| task.suite.is_some() || plan.inputs.len() == 1 || !plan.joins_by_order())
            .map(|low| hint::explain(&plan, task.suite.as_ref(), low));
        let screen = Screen {
            subject: &task.subject,
            summary: &summary,
            lowest: &lowest,
            lowest_by_evaluator: &by_evaluator,
            exit_code: exit as u8,
            next: next.as_deref(),
        };
        print(&(task.draw)(&screen), table, arguments.output.as_deref())?;
    }
    conclude(&plan, &summary, arguments);
    if !arguments.quiet {
        reports::say(&arguments.reports);
        reports::annotate(&summary, &lines(&plan, summary.lowest.iter(), None));
    }
    if !shows_screen && !arguments.quiet {
        for gate in summary.gates.iter().filter(|gate| !gate.held) {
            note(&format!(
                "gate failed: {} {} {}   (exit code {})",
                gate.label(),
                gate.statistic(),
                gate.missed_by(),
                exit as u8
            ));
        }
        if exit == Exit::Fine
            && let Some(undecided) = undecided(&summary)
        {
            note(&undecided);
        }
    }
    if let (Some(path), Some(results)) = (&task.accept, &summary.results) {
        accept(results, path, exit, arguments)?;
    }
    Ok(exit)
}

/// Writes the results as the baseline of later runs.
fn accept(
    results: &RunScores,
    path: &Path,
    exit: Exit,
    arguments: &CommonArguments,
) -> Result<(), Trouble> {
    if exit == Exit::Wrong {
        return Err(Trouble::with_help(
            "a run with errors is not accepted as baseline",
            "mend what is reported above",
        ));
    }
    write_baseline(results, path)?;
    if !arguments.quiet {
        note(&format!(
            "{} is the baseline now: {}",
            path.display(),
            count(results.cases.len() as u64, "case")
        ));
    }
    Ok(())
}

pub(crate) fn write_baseline(results: &RunScores, path: &Path) -> Result<(), Trouble> {
    let mut file = Output::create(path)?;
    file.write_all(baseline_text(results).as_bytes())?;
    file.commit()?;
    Ok(())
}

/// The screen goes to the output if that is a table, else to standard output beside the results in their file.
fn print(screen: &str, table: Option<Output>, output: Option<&Path>) -> io::Result<()> {
    match table {
        Some(mut file) if output.is_some_and(|path| path.as_os_str() != "-") => {
            file.write_all(anstream::adapter::strip_str(screen).to_string().as_bytes())?;
            file.commit()
        }
        None if output.is_some_and(|path| path.as_os_str() == "-") => Ok(()),
        _ => show_last(screen),
    }
}

/// Says what stands in the way of a good exit code.
fn conclude(plan: &Plan, summary: &Summary, arguments: &CommonArguments) {
    warn_of_unread("the inputs", &summary.reading);
    plan.traces
        .iter()
        .for_each(|traces| warn_of_unread("the traces", traces.index.report()));
    if summary.is_empty() {
        if summary.unreadable + summary.broken_inputs > 0 {
            error("no case could be read (exit code 2)", None);
            return;
        }
        let help = if plan.selection.is_everything() {
            "the inputs hold no case"
        } else {
            "no case is selected by -k, --tag, --where or --failed"
        };
        error("no case to score (exit code 2)", Some(help));
        return;
    }
    if summary.nothing_joined {
        let help = if plan
            .traces
            .as_ref()
            .is_some_and(|traces| traces.index.is_empty())
        {
            "the files of traces hold no run with a name to be found by"
        } else {
            "a run belongs to the case with its `id`, unless --join says otherwise; `unmatched: ignore` in a suite accepts cases without a run"
        };
        error("no run belongs to a case (exit code 2)", Some(help));
    }
    if arguments.quiet {
        return;
    }
    warn_of_near_keys(
        summary
            .near_keys
            .iter()
            .map(|(key, (meant, cases))| (&**key, *meant, *cases)),
    );
    let exit = |accepted: &str| {
        if arguments.skip_invalid && !accepted.is_empty() {
            String::new()
        } else {
            format!(" (exit code 2{accepted})")
        }
    };
    if summary.unreadable > 0 {
        let all = summary.cases + summary.unreadable + summary.duplicates;
        let (unreadable, were) = (
            summary.unreadable,
            if summary.cases == 1 { "was" } else { "were" },
        );
        let exit = exit("; --skip-invalid accepts this");
        note(&format!(
            "{unreadable} of {} could not be read; {} {were} scored{exit}",
            count(all, "case"),
            summary.cases
        ));
    }
    for (number, what) in [
        (summary.broken_inputs, "input could not be read to the end"),
        (
            summary.duplicates,
            "case came a second time and was left out",
        ),
        (summary.errors(), "evaluation ended in an error"),
    ] {
        if number > 0 {
            note(&format!(
                "{number} {}{}",
                if number == 1 {
                    what.to_owned()
                } else {
                    plural(what)
                },
                exit("")
            ));
        }
    }
    if summary.ignored > 0 {
        note(&format!(
            "{} without a run left out, as `unmatched: ignore` says",
            count(summary.ignored, "case")
        ));
    }
    if summary.without_expectation > 0 {
        let what = count(summary.without_expectation, "run");
        note(&format!(
            "{what} left out: `expect:` says nothing of {}",
            them(summary.without_expectation)
        ));
    }
    if summary.unused_runs > 0 {
        let help = "a run belongs to the case with its `id`, unless --join says otherwise; `expect:` in a suite scores runs without a case";
        tell_unused(plan, summary.unused_runs, &summary.first_unused_runs, help);
    }
    if summary.unpaired > 0 {
        let (number, has) = (
            summary.unpaired,
            if summary.unpaired == 1 {
                "case or run has"
            } else {
                "cases or runs have"
            },
        );
        note(&format!("{number} {has} no partner (exit code 2)"));
    }
    for remark in plan
        .traces
        .iter()
        .flat_map(|traces| &traces.index.report().notes)
    {
        note(&format!("of the traces: {remark}"));
    }
    if let (Some(by), [group]) = (&plan.by, &summary.groups[..])
        && group.is_without_values()
    {
        warning(
            &format!("no case has {by} to be grouped by"),
            Some("--by takes keys of the cases' meta values, and `tag`"),
        );
    }
    if plan.gates.is_some() {
        return;
    }
    if summary.no_run > 0 && summary.unpaired == 0 && !summary.nothing_joined {
        note(&format!(
            "{} failed: no run found (exit code 1; `unmatched: ignore` accepts this)",
            count(summary.no_run, "case")
        ));
    }
    let below: u64 = summary
        .evaluators
        .iter()
        .filter(|it| it.threshold.is_some())
        .map(EvaluatorSummary::failed)
        .sum();
    if below > 0 {
        note(&format!(
            "{} below the threshold (exit code 1)",
            count(below, "score")
        ));
    }
    for evaluator in summary
        .evaluators
        .iter()
        .filter(|it| it.threshold.is_none() && it.failed() > 0)
    {
        note(&format!(
            "{} says no to {} (exit code 1)",
            evaluator.label,
            count(evaluator.failed(), "case")
        ));
    }
}

/// Says which runs belong to no case: an error where that means that others may have been given to wrong cases.
pub(crate) fn tell_unused(plan: &Plan, number: u64, first: &[Location], help: &str) {
    let places: Vec<_> = first.iter().take(SHOWN).map(ToString::to_string).collect();
    let more = if number > places.len() as u64 {
        ", …"
    } else {
        ""
    };
    let message = format!(
        "{} without a case: {}{more}",
        count(number, "run"),
        places.join(", ")
    );
    if plan.joins_by_order() {
        error(&message, Some(BY_ORDER));
    } else {
        warning(&message, Some(help));
    }
}

fn them(number: u64) -> &'static str {
    if number == 1 { "it" } else { "them" }
}

/// The first noun of a sentence in the plural.
fn plural(sentence: &str) -> String {
    let (noun, rest) = sentence.split_once(' ').unwrap_or((sentence, ""));
    format!("{noun}s {}", rest.replacen("was ", "were ", 1))
}

/// An output must not be one of the inputs.
pub(crate) fn refuse_to_overwrite<'p>(
    output: Option<&Path>,
    mut inputs: impl Iterator<Item = &'p PathBuf>,
) -> Result<(), Trouble> {
    let Some(output) = output else { return Ok(()) };
    let same = |path: &PathBuf| {
        path.canonicalize()
            .ok()
            .zip(output.canonicalize().ok())
            .is_some_and(|(a, b)| a == b && a.is_file())
    };
    if inputs.any(same) {
        return Err(Trouble::with_help(
            format!("{}: is an input too", output.display()),
            "write the results to another file",
        ));
    }
    Ok(())
}

/// As many threads as asked for, else one for each processor.
pub(crate) fn threads(wanted: Option<NonZeroUsize>) -> usize {
    wanted
        .or_else(|| available_parallelism().ok())
        .map_or(1, usize::from)
}

/// The runs of all files, by case.
pub(crate) fn index(
    paths: &[PathBuf],
    reading: &ReadOptions,
    limits: Limits,
    threads: usize,
    quiet: bool,
    left_out: &mut u64,
) -> Result<TraceIndex, Trouble> {
    let traces = TraceIndex::build(paths, limits, reading, threads, |left| {
        let tell = |message: &str, help: Option<&str>| {
            if !quiet {
                warning(message, help);
            }
        };
        match left {
            LeftOut::Duplicate { id, first, again } => {
                *left_out += 1;
                tell(
                    &format!("{again}: the run of case `{id}` is already at {first}"),
                    Some("the first is scored"),
                );
            }
            LeftOut::Unreadable(error) => {
                *left_out += 1;
                tell(&error.to_string(), error.help.as_deref());
            }
            LeftOut::WithoutId(at) => {
                tell(
                    &format!("{at}: a run without `{}` belongs to no case", reading.join),
                    Some("--join says by what runs are found"),
                );
            }
            _ => {}
        }
    })?;
    Ok(traces)
}

/// Low cases with the reason for the score of one evaluator, or for the lowest of all.
fn lines<'l>(
    plan: &Plan,
    lowest: impl Iterator<Item = &'l LowCase>,
    evaluator: Option<usize>,
) -> Vec<LowLine> {
    lowest
        .take(SHOWN)
        .map(|low| {
            let by_score = |a: &(usize, f64), b: &(usize, f64)| a.1.total_cmp(&b.1);
            let scores = low
                .scores
                .iter()
                .enumerate()
                .filter_map(|(index, score)| score.map(|score| (index, score)));
            let evaluator = evaluator.or_else(|| scores.min_by(by_score).map(|(index, _)| index));
            LowLine {
                label: low.trial.as_ref().map_or_else(
                    || low.label.clone(),
                    |trial| format!("{} (trial {trial})", low.label),
                ),
                place: format!("{}:{}", low.file, low.line),
                scores: low.scores.clone(),
                sentence: evaluator
                    .and_then(|index| reason(plan, low, &plan.evaluators[index]))
                    .unwrap_or_default(),
            }
        })
        .collect()
}

fn reason(plan: &Plan, low: &LowCase, configured: &Configured) -> Option<String> {
    let ask = Ask {
        explanation: true,
        ..Ask::OUTCOME
    };
    let look = |_: &Case<'_>, shown: &Case<'_>| {
        let shown = configured.view(shown).ok()?;
        Some(sentence(
            &shown,
            &*configured.evaluator.evaluate(&shown, ask).explanation?,
        ))
    };
    plan.look_again(
        (low.text.as_deref()?, low.number),
        low.trial.as_deref(),
        look,
    )?
}

impl CommonArguments {
    /// The cases that the user chose.
    pub(crate) fn selection(&self) -> Selection {
        let mut only = Filter {
            tags: self.tags.clone(),
            ..Filter::default()
        };
        self.meta
            .iter()
            .for_each(|(key, value)| only.or_meta(key, value));
        Selection {
            text: self.text.clone(),
            only,
            failed: None,
        }
    }
}
