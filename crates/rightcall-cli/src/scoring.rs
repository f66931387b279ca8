//! The common part of `score` and `run`: from a plan to results, a screen and an exit code.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

use rightcall_formats::join::{LeftOutRun, RunIdentity};
use rightcall_formats::{Limits, ReadOptions};
use rightcall_report::{
    ExplainCommand, Github, ListLength, OutputSettings, Table, count, failed_gate, undecided,
};
use rightcall_results::{EarlierRun, RunHead, RunSummary};
use rightcall_run::{
    BASELINE_FILE, FinishedRun, Grouping, Investigation, Output, OutputFile, OutputFiles, Plan,
    Selection, SuiteReading, Traces, baseline_text,
};
use rightcall_stats::{ComparisonSettings, PairedComparison, RunScores};

use crate::arguments::{CommonArguments, ReportRequest, ResultFormat, cells, filter};
use crate::conclusion::conclude;
use crate::exit::Exit;
use crate::messages::{Trouble, note, show_last, tell, warning};
use crate::moved_cases::moved_sentence;
use crate::problems::ProblemList;
use crate::progress::Progress;
use crate::reports;

/// A plan, with the command's own data.
pub(crate) struct ScoringJob {
    /// The cases, evaluators and gates. The reading options come from the arguments.
    pub(crate) plan: Plan,
    /// Files with runs.
    pub(crate) traces: Vec<PathBuf>,
    /// The command that explains a case; `None` if no command can.
    pub(crate) explain: Option<ExplainCommand>,
    /// The suite's reading settings. The command line overrides them.
    pub(crate) reading: SuiteReading,
    /// The name of the scored input, as the user typed it.
    pub(crate) subject: String,
    /// Further facts about the run, for reports.
    pub(crate) facts: Vec<(String, String)>,
    /// Results of earlier runs, for reports.
    pub(crate) earlier: Vec<EarlierRun>,
    /// The output files.
    pub(crate) files: ResultFiles,
    /// Further outputs that the user did not ask for, such as the history.
    pub(crate) records: Vec<Box<dyn Output>>,
    /// The path of the new baseline.
    pub(crate) accept: Option<PathBuf>,
}

/// The output files. They are opened before the work starts, so an unwritable path fails at once.
pub(crate) struct ResultFiles {
    /// The file of `--output`; `None` for standard output.
    output: Option<OutputFile>,
    /// The file of each `--report`, in their order.
    reports: Vec<OutputFile>,
    baseline: Option<OutputFile>,
}

impl ResultFiles {
    /// Opens the files for a command that reads these inputs, and writes the new baseline to this path.
    pub(crate) fn open<P: AsRef<Path>>(
        reads: impl IntoIterator<Item = P>,
        accept: Option<&Path>,
        arguments: &CommonArguments,
    ) -> Result<Self, Trouble> {
        let mut files = OutputFiles::new(reads);
        let path = arguments.output.as_deref();
        let output = match (arguments.format(), path.filter(|it| it.as_os_str() != "-")) {
            (_, None) => None,
            (ResultFormat::Table, Some(path)) => Some(files.create(path, &reports::SCREEN)?),
            (ResultFormat::File(format), Some(path)) => {
                Some(reports::open(format, path, &mut files)?)
            }
        };
        reports::check_output_ending(path, &["txt"], arguments.format.is_some())?;
        let open = |it: &ReportRequest| reports::open(it.format, &reports::target(it), &mut files);
        Ok(Self {
            output,
            reports: arguments
                .reports
                .iter()
                .map(open)
                .collect::<Result<_, _>>()?,
            baseline: accept
                .map(|path| files.create(path, &BASELINE_FILE))
                .transpose()?,
        })
    }
}

/// The maximum number of cases to list for each evaluator if its editions differ on them.
const LISTED: usize = 1000;

/// Scores, prints the results, and returns the exit code.
pub(crate) fn score(scoring: ScoringJob, arguments: &CommonArguments) -> Result<Exit, Trouble> {
    let ScoringJob {
        plan,
        traces,
        explain,
        reading,
        subject,
        facts,
        earlier,
        files,
        records,
        accept: accepted,
    } = scoring;
    let settings = OutputSettings {
        explain,
        head: RunHead {
            facts,
            earlier,
            ..plan.head(&subject)
        },
        notes: Vec::new(),
        cells: cells(arguments.csv_safe),
        contents: arguments.contents(),
        failures_only: arguments.failures_only,
    };
    let (files, screen, baseline) = begin(files, &settings, arguments)?;
    // Extracting questions requires a look at every span, so do it only if an output shows them.
    let questions = files
        .iter()
        .chain(&records)
        .any(|it| it.wants().shows_context());
    let mut plan = read_as(plan, traces, &reading, arguments, questions)?;
    let has_screen = screen.is_some();
    let is_read = has_screen && !arguments.quiet;
    if is_read || files.iter().chain(&records).any(|it| wants_findings(&**it)) {
        // Collecting findings requires a look at every case, so do it only if an output shows them.
        let listed = if arguments.editions { LISTED } else { 1 };
        plan.investigation = Some(Investigation::new(&plan.evaluators, listed));
    }
    let plan = &plan;
    let mut outputs: Vec<Box<dyn Output + '_>> = files;
    if let Some(show) = screen {
        outputs.push(Box::new(table(settings.explain, subject, arguments, show)));
    }
    // Annotations are for the pull request, not for this screen.
    if reports::is_github() {
        outputs.push(Box::new(Github { print: tell }));
    }
    // The history comes last: a run must not be recorded if its results could not be written.
    outputs.extend(records);
    let mut progress = Progress::new(&plan.inputs, arguments.quiet, arguments.skip_invalid)
        .listing(arguments.listed());
    // The duration comes first, so the screen is the last output.
    outputs.insert(0, Box::new(progress.end()));
    let finished = rightcall_run::run(plan, &mut outputs, &mut progress);
    progress.finish();
    let finished = finished?;
    let exit = Exit::of_run(&finished.summary, arguments.skip_invalid);
    conclude(plan, &finished, arguments);
    if !arguments.quiet {
        reports::print_paths(&arguments.reports);
        if !has_screen {
            report_failed_gates(&finished.summary, exit);
        }
        note_moved_cases(plan, &finished);
    }
    if let (Some(path), Some(file), Some(scores)) = (accepted, baseline, &finished.scores) {
        accept(scores, (&path, file), exit, arguments)?;
    }
    Ok(exit)
}

/// Lists the cases that got worse if a gate on changes failed.
fn note_moved_cases(plan: &Plan, finished: &FinishedRun) {
    let mut missed = finished.summary.missed_gates();
    let Some(after) = &finished.scores else {
        return;
    };
    if let Some(before) = plan.baseline_of(after)
        && missed.any(|gate| gate.statistic.is_of_change())
    {
        let comparison = PairedComparison::between(&before, after, ComparisonSettings::default());
        note(&format!(
            "since the baseline: {}",
            moved_sentence(&comparison)
        ));
    }
}

/// True if an output shows or stores why scores are low.
fn wants_findings(output: &dyn Output) -> bool {
    let wants = output.wants();
    wants.shortfall || wants.sample.is_some()
}

/// The outputs, a function that shows the screen unless results go to standard output, and the file of the new baseline.
type Outputs = (Vec<Box<dyn Output>>, Option<Show>, Option<OutputFile>);

/// Shows the text of a screen.
type Show = Box<dyn FnMut(&str) -> io::Result<()>>;

/// Starts the requested outputs, and chooses the destination of the screen. If results go to standard output, no screen is shown.
fn begin(
    files: ResultFiles,
    settings: &OutputSettings,
    arguments: &CommonArguments,
) -> Result<Outputs, Trouble> {
    let mut outputs = Vec::new();
    let screen: Option<Show> = match (arguments.format(), files.output) {
        (ResultFormat::Table, None) => Some(Box::new(show_last)),
        (ResultFormat::Table, Some(mut file)) => Some(Box::new(move |screen| {
            let plain = anstream::adapter::strip_str(screen).to_string();
            file.write_all(plain.as_bytes())?;
            file.commit()
        })),
        (ResultFormat::File(format), None) => {
            outputs.push(format.begin(OutputFile::stdout(), settings)?);
            None
        }
        (ResultFormat::File(format), Some(file)) => {
            outputs.push(format.begin(file, settings)?);
            (!arguments.quiet).then(|| Box::new(show_last) as Show)
        }
    };
    for (request, file) in arguments.reports.iter().zip(files.reports) {
        outputs.push(request.format.begin(file, settings)?);
    }
    Ok((outputs, screen, files.baseline))
}

/// Completes the plan with the reading options of the arguments.
fn read_as(
    plan: Plan,
    traces: Vec<PathBuf>,
    of_suite: &SuiteReading,
    arguments: &CommonArguments,
    questions: bool,
) -> Result<Plan, Trouble> {
    let input = &arguments.input;
    let join = arguments.joining.join.or(of_suite.join);
    let (mut reading, mut of_traces) = input.readings_with(of_suite, join, !traces.is_empty());
    (reading.questions, of_traces.questions) = (questions, questions);
    let threads = threads(arguments.threads);
    let grouped = arguments.by.iter().flat_map(Grouping::keys);
    let traces = index(
        traces,
        of_traces,
        input.limits(),
        threads,
        &RunIdentity::new(grouped.chain(&plan.identity).cloned()),
        (!arguments.quiet).then(|| arguments.listed()),
    )?;
    Ok(Plan {
        reading: ReadOptions {
            max_comparisons: arguments.effort.max_comparisons,
            ..reading
        },
        limits: input.limits(),
        traces,
        by: arguments.by.clone(),
        listed: arguments.listed().0.unwrap_or_default().max(plan.listed),
        threads,
        ..plan
    })
}

/// The screen of the run.
fn table(
    explain: Option<ExplainCommand>,
    subject: String,
    arguments: &CommonArguments,
    show: Show,
) -> Table<'_> {
    let path = arguments.output.as_deref();
    let to_screen = path.is_none_or(|path| path.as_os_str() == "-");
    Table {
        subject,
        exit_code: Box::new(|summary| Exit::of_run(summary, arguments.skip_invalid) as u8),
        next: Box::new(move |case| explain.as_ref()?.of(case)),
        listed: arguments.listed(),
        // A file holds the whole table.
        is_quiet: arguments.quiet && to_screen,
        show,
    }
}

/// Reports failed gates if no screen does.
fn report_failed_gates(summary: &RunSummary, exit: Exit) {
    for gate in summary.missed_gates() {
        note(&format!(
            "{}   (exit code {})",
            failed_gate(gate),
            exit as u8
        ));
    }
    if exit == Exit::Success
        && let Some(undecided) = undecided(summary)
    {
        note(&undecided);
    }
}

/// Writes the results as the baseline of later runs.
fn accept(
    results: &RunScores,
    (path, file): (&Path, OutputFile),
    exit: Exit,
    arguments: &CommonArguments,
) -> Result<(), Trouble> {
    if exit == Exit::NotJudged {
        return Err(Trouble::with_help(
            "a run with errors is not accepted as baseline",
            "fix the errors above",
        ));
    }
    write_baseline(results, file)?;
    if !arguments.quiet {
        note(&format!(
            "{} is the baseline now: {}",
            path.display(),
            count(results.cases.len() as u64, "case")
        ));
    }
    Ok(())
}

pub(crate) fn write_baseline(results: &RunScores, mut file: OutputFile) -> Result<(), Trouble> {
    file.write_all(baseline_text(results).as_bytes())?;
    file.commit()?;
    Ok(())
}

/// The number of errors to list: the default, or `None` with `--quiet`.
pub(crate) fn told(quiet: bool) -> Option<ListLength> {
    (!quiet).then(ListLength::default)
}

/// The requested number of threads, else one for each processor.
pub(crate) fn threads(wanted: Option<NonZeroUsize>) -> usize {
    wanted
        .or_else(|| available_parallelism().ok())
        .map_or(1, usize::from)
}

/// Indexes the runs of all files by case; `None` without files. `listed` is the number of errors of
/// a kind to list; with `None`, none are listed.
pub(crate) fn index(
    files: Vec<PathBuf>,
    reading: ReadOptions,
    limits: Limits,
    threads: usize,
    identity: &RunIdentity,
    listed: Option<ListLength>,
) -> Result<Option<Traces>, Trouble> {
    let mut problems = ProblemList::listing(listed.unwrap_or_default());
    let traces = Traces::open(files, reading, limits, identity, threads, |left| {
        let should_print = match &left {
            LeftOutRun::Duplicate { id, .. } => problems.add("duplicate", || id.clone()),
            LeftOutRun::Unreadable(error) => problems.add(&error.expected, || error.at.to_string()),
            LeftOutRun::WithoutId { at, .. } => problems.add("without id", || at.to_string()),
            _ => return,
        };
        if should_print && listed.is_some() {
            warning(&left.to_string(), left.help().as_deref());
        }
    })?;
    if listed.is_some() {
        problems.finish();
    }
    Ok(traces)
}

impl CommonArguments {
    /// The cases that the user chose.
    pub(crate) fn selection(&self) -> Selection {
        Selection {
            text: self.text.clone(),
            only: filter(&self.tags, &self.meta),
            ..Selection::default()
        }
    }
}
