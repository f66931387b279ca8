//! `rightcall run`: a suite with its gates; recorded in the history.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use rightcall::value::JsonWriter;
use rightcall_formats::ReadOptions;
use rightcall_report::{earlier_runs, facts};
use rightcall_results::EarlierRun;
use rightcall_run::{
    Baseline, FailedCases, Gate, Output, Plan, Recording, Selection, Suite, SuiteOptions,
    fresh_hash_key,
};
use rightcall_store::{
    AlikeRuns, History, NewRun, Reference, RunFilter, RunOutcome, RunSink, StoreError,
};

use super::{EXIT_CODES, read_suite};
use crate::arguments::{CommonArguments, HistoryArguments};
use crate::clock;
use crate::exit::Exit;
use crate::hint::RunSuite;
use crate::messages::{Trouble, note, warning};
use crate::scoring::{ScoringJob, score};
use crate::working_copy::WorkingCopy;

#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct RunArguments {
    /// The suite, in YAML or JSON, or an eval set of UiPath
    pub(crate) suite: PathBuf,
    /// Files with the runs, joined to the cases by id; beside those that the suite names
    #[arg(long, value_name = "FILES", num_args = 1..)]
    pub(crate) traces: Vec<PathBuf>,
    /// The profile of the suite, such as the one for CI
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// Score only the cases that failed in the last run
    #[arg(long)]
    pub(crate) failed: bool,
    /// Make the results the baseline of the suite; gates on changes are not judged
    #[arg(long, conflicts_with_all = ["failed", "text", "tags", "meta"])]
    pub(crate) accept: bool,
    /// Do not record the run
    #[arg(long, help_heading = "History")]
    pub(crate) no_history: bool,
    #[command(flatten)]
    pub(crate) history: HistoryArguments,
    #[command(flatten)]
    pub(crate) common: CommonArguments,
}

pub(crate) fn run(mut arguments: RunArguments) -> Result<Exit, Trouble> {
    let limits = arguments.common.input.limits();
    let mut suite = suite(&mut arguments)?;
    let failed = if arguments.failed {
        Some(failed_cases(&arguments)?)
    } else {
        None
    };
    let baseline = baseline(&arguments, &suite)?;
    let accepts = arguments.accept;
    let gates = if accepts {
        suite.gates.take().and_then(without_changes)
    } else {
        suite.gates.take()
    };
    let mut records: Vec<Box<dyn Output>> = Vec::new();
    let (mut recorded, mut earlier, mut known) = (None, Vec::new(), Vec::new());
    if !arguments.no_history {
        let run = new_run(&arguments, &suite);
        if !arguments.common.reports.is_empty() {
            earlier = runs_before(&arguments, &run);
        }
        known = facts(&run);
        let recording = Arc::new(Recording::new(suite.max_cases));
        let path = arguments.history.path.clone();
        let output = RunSink::new(path, run, recording, clock::now);
        recorded = Some(output.outcome());
        records.push(Box::new(output));
    }
    let RunArguments {
        suite: path,
        profile,
        traces,
        common,
        ..
    } = arguments;
    let plan = Plan {
        evaluators: suite.evaluators,
        gates,
        baseline,
        redaction: suite.redaction,
        expected: suite.expected,
        case_rule: Some(suite.case_rule),
        trial_group: suite.trial_group,
        selection: Selection {
            failed,
            ..common.selection()
        },
        ..Plan::new(suite.cases, ReadOptions::default(), limits)
    };
    let scoring = ScoringJob {
        plan,
        subject: path.display().to_string(),
        traces: suite.traces,
        suite: Some(RunSuite {
            path,
            profile,
            traces,
        }),
        facts: known,
        earlier,
        records,
        accept: suite.baseline.filter(|_| accepts),
    };
    let exit = score(scoring, &common)?;
    if let Some(recorded) = recorded {
        // The results are worth more than their memory.
        tell(&recorded);
    }
    Ok(exit)
}

/// The suite that is named; what it says of reading and joining is added to the arguments, and their traces to its own.
fn suite(arguments: &mut RunArguments) -> Result<Suite, Trouble> {
    let options = SuiteOptions {
        edition: arguments.common.edition,
        profile: arguments.profile.clone(),
        limits: arguments.common.input.limits(),
    };
    let mut suite = read_suite(&arguments.suite, &options)?;
    // What the command line says comes last, and so counts.
    arguments
        .common
        .input
        .choices
        .splice(..0, std::mem::take(&mut suite.read));
    arguments.common.joining.join = arguments.common.joining.join.or(suite.join);
    suite.traces.extend(arguments.traces.iter().cloned());
    if let Some(set) = &suite.eval_set {
        if suite.traces.is_empty() {
            let message = format!("{}: an eval set holds no runs", arguments.suite.display());
            return Err(Trouble::with_help(
                message,
                "name the files with the runs: --traces FILES",
            ));
        }
        if !set.skipped.is_empty() && !arguments.common.quiet {
            let names: Vec<_> = set
                .skipped
                .iter()
                .map(|it| format!("{} ({})", it.id, it.kind))
                .collect();
            note(&format!(
                "skipped, as they do not judge tool calls: {}",
                names.join(", ")
            ));
        }
    }
    Ok(suite)
}

/// Gates without those on changes. There may be none left, and then verdicts decide; of an empty list it was said that nothing does.
fn without_changes(mut gates: Vec<Gate>) -> Option<Vec<Gate>> {
    let says_nothing_decides = gates.is_empty();
    gates.retain(|gate| !gate.statistic.is_of_change());
    (says_nothing_decides || !gates.is_empty()).then_some(gates)
}

/// What the run is compared with, if anything asks for it.
fn baseline(arguments: &RunArguments, suite: &Suite) -> Result<Option<Baseline>, Trouble> {
    let Some(path) = &suite.baseline else {
        if arguments.accept {
            let help = "write `baseline: baseline.jsonl` into the suite: a file beside it";
            return Err(Trouble::with_help(
                format!("{}: it names no baseline", arguments.suite.display()),
                help,
            ));
        }
        return Ok(None);
    };
    if arguments.accept {
        return Ok(Some(Baseline::default()));
    }
    suite.read_baseline().map_err(|error| {
        let help = format!(
            "`rightcall run {} --accept` writes it",
            arguments.suite.display()
        );
        Trouble::with_help(format!("{}: {error}", path.display()), help)
    })
}

fn tell(recorded: &RunOutcome) {
    if let Ok(recorded) = recorded.lock()
        && let Some(Err(error)) = &*recorded
    {
        let help = error
            .help()
            .unwrap_or("--history FILE names another file, --no-history leaves it");
        warning(
            &format!("this run could not be recorded: {error}"),
            Some(help),
        );
    }
}

/// What the runs before came to. A history that cannot be read is told of when this run is recorded.
fn runs_before(arguments: &RunArguments, run: &NewRun) -> Vec<EarlierRun> {
    let history = History::open_to_read(&arguments.history.path);
    history
        .and_then(|history| earlier_runs(&history, &AlikeRuns::of(run)))
        .unwrap_or_default()
}

fn new_run(arguments: &RunArguments, suite: &Suite) -> NewRun {
    let key = fresh_hash_key();
    let copy = WorkingCopy::read();
    NewRun {
        key: format!("{:016x}{:016x}", key.0, key.1),
        started: clock::now(),
        suite: arguments.suite.display().to_string(),
        profile: arguments.profile.clone(),
        suite_hash: suite.hash.clone(),
        selection: selection(arguments),
        settings: settings(suite),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        git_commit: copy.commit,
        git_branch: copy.branch,
        git_dirty: copy.dirty,
    }
}

/// What was chosen beside the suite, as it was written; `None` if nothing.
fn selection(arguments: &RunArguments) -> Option<String> {
    let common = &arguments.common;
    let mut words = Vec::new();
    words.extend(arguments.failed.then(|| "--failed".to_owned()));
    words.extend(common.text.iter().map(|text| format!("-k {text}")));
    words.extend(common.tags.iter().map(|tag| format!("--tag {tag}")));
    words.extend(
        common
            .meta
            .iter()
            .map(|(key, value)| format!("--where {key}={value}")),
    );
    (!words.is_empty()).then(|| words.join(" "))
}

/// What gave the results, as JSON.
fn settings(suite: &Suite) -> String {
    let mut writer = JsonWriter::new();
    writer.begin_object().key("evaluators").begin_list();
    for evaluator in &suite.evaluators {
        writer
            .begin_object()
            .key("evaluator")
            .str(&evaluator.argument)
            .key("weight")
            .float(evaluator.weight)
            .end_object();
    }
    writer.end_list();
    for (key, paths) in [("cases", &suite.cases), ("traces", &suite.traces)] {
        writer.key(key).begin_list();
        paths
            .iter()
            .for_each(|path| _ = writer.str(&path.display().to_string()));
        writer.end_list();
    }
    writer.key("max_cases").count(suite.max_cases).end_object();
    writer.finish().to_string()
}

/// The cases that failed in the last run of the suite.
fn failed_cases(arguments: &RunArguments) -> Result<FailedCases, Trouble> {
    let none = || {
        Trouble::with_help(
            "there is no last run of this suite",
            "run the suite once without --failed",
        )
    };
    let history = match History::open_to_read(&arguments.history.path) {
        Err(StoreError::NoHistory { .. }) => return Err(none()),
        opened => opened?,
    };
    let filter = RunFilter {
        suite: Some(arguments.suite.display().to_string()),
        ..RunFilter::default()
    };
    let last = match history.find(&Reference::parse("latest"), &filter) {
        Err(StoreError::NoSuchRun(_)) => return Err(none()),
        found => found?,
    };
    let failed = FailedCases::new(history.failed_cases(last.number)?);
    if failed.is_empty() {
        let help =
            "a case fails by the verdict of an evaluator, such as a `threshold`, or by an error";
        return Err(Trouble::with_help("no case failed in the last run", help));
    }
    if last.kept < last.cases && last.failed > failed.len() as u64 {
        let message = format!(
            "of {} cases that failed in the last run, {} were kept and are run again",
            last.failed,
            failed.len()
        );
        warning(
            &message,
            Some("`history: {max_cases: N}` in the suite keeps more"),
        );
    }
    Ok(failed)
}
