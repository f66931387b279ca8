//! `rightcall run`: runs a suite with its gates, and records the run in the history.

mod agent;
mod change;
mod drawn;
mod named_runs;
mod recorded;
mod watch;

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use rightcall_formats::ReadOptions;
use rightcall_report::{CollectedCases, ExplainCommand, earlier_runs, facts};
use rightcall_results::EarlierRun;
use rightcall_run::{
    Baseline, FailedCases, Output, Plan, Recording, Selection, Suite, SuiteOptions, SuiteReading,
    fresh_hash_key,
};
use rightcall_store::{
    AlikeRuns, GateFilter, GateFilterValues, History, NewRun, Reference, RunFilter, RunRow,
    RunSettings, RunSink, StoreError, WeightedEvaluator,
};

use super::read_suite;
use super::suite_file::suite_file;
use crate::arguments::{CommonArguments, HistoryArguments};
use crate::clock;
use crate::completing;
use crate::exit::Exit;
use crate::hint::explain_suite;
use crate::history_lookup::{find_cause, history_files, suite_key};
use crate::messages::{Trouble, note, warning};
use crate::scoring::{ResultFiles, ScoringJob, score};
use crate::working_copy::WorkingCopy;
use agent::AgentArguments;
use recorded::print_record;

/// Rejects a gate on the command line.
fn no_gate(_: &str) -> Result<String, &'static str> {
    Err("gates are part of the suite: write them there, under `gates:`")
}

#[derive(Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub(crate) struct RunArguments {
    /// The suite, in YAML or JSON, or an eval set of UiPath, or the folder of one [default: suite.yaml, here or in evals/]
    #[arg(value_name = "SUITE")]
    pub(crate) named: Option<PathBuf>,
    /// The file that is meant.
    #[arg(skip)]
    pub(crate) suite: PathBuf,
    /// Files with the runs, joined to the cases by id; instead of those that the suite names
    #[arg(long, value_name = "FILES", num_args = 1..)]
    pub(crate) traces: Vec<PathBuf>,
    /// Files with runs, in addition to those of the suite
    #[arg(long, value_name = "FILES", num_args = 1..)]
    pub(crate) add_traces: Vec<PathBuf>,
    /// Gates are part of a suite: this says so.
    #[arg(long, hide = true, value_name = "CONDITION", value_parser = no_gate)]
    pub(crate) gate: Option<String>,
    /// The profile of the suite, such as the one for CI
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// Score only the cases that failed when they were last run
    #[arg(long)]
    pub(crate) failed: bool,
    /// Score only the cases that had this cause in the last run, or the only cause that has this text in it
    #[arg(long, value_name = "TEXT", conflicts_with = "failed", add = completing::causes())]
    pub(crate) cause: Option<String>,
    /// Make the results the baseline of the suite; gates on changes are not judged
    #[arg(long, conflicts_with_all = ["failed", "cause", "text", "tags", "meta"])]
    pub(crate) accept: bool,
    /// Do not record the run
    #[arg(long, help_heading = "History")]
    pub(crate) no_history: bool,
    /// Run again whenever the suite or one of its files changes
    #[arg(long)]
    pub(crate) watch: bool,
    #[command(flatten)]
    pub(crate) agent: AgentArguments,
    #[command(flatten)]
    pub(crate) history: HistoryArguments,
    #[command(flatten)]
    pub(crate) common: CommonArguments,
}

pub(crate) fn run(mut arguments: RunArguments) -> Result<Exit, Trouble> {
    arguments.suite = suite_file(arguments.named.as_deref())?;
    if arguments.watch {
        return watch::run(&mut arguments);
    }
    run_once(&mut arguments)
}

fn run_once(arguments: &mut RunArguments) -> Result<Exit, Trouble> {
    let mut suite = suite_of(arguments)?;
    if !suite.runs.is_empty() {
        return named_runs::run(arguments, &suite);
    }
    if arguments.agent.is_wanted() {
        // A missing baseline must not waste the work of the agent.
        baseline(arguments, &suite)?;
        let history = arguments.history.file();
        let name = suite_key(&arguments.suite, &history).replace(['/', ':'], "-");
        let name = format!("agent-{name}");
        let folder = history.parent().filter(|it| !it.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        let (input, selection) = (&arguments.common.input, selection_of(arguments)?);
        let agent = &arguments.agent;
        // Open the outputs before the agent runs: an unwritable path must not waste its work.
        let kept = folder.join(format!("{name}.jsonl"));
        let files = result_files(arguments, &suite, Some(kept))?;
        let mut sink = run_sink(arguments, &suite, None);
        let mut announce = |done| {
            if let Some((sink, _)) = &mut sink {
                sink.announce(done);
            }
        };
        let traces = agent.run(&suite, selection, input, (folder, &name), &mut announce)?;
        suite.traces = vec![traces.path().to_owned()];
        let exit = run_suite(arguments, suite, None, sink, Some(files))?;
        return Ok(exit.max(traces.exit()));
    }
    let sink = run_sink(arguments, &suite, None);
    run_suite(arguments, suite, None, sink, None)
}

/// Opens the outputs of a suite. They must not overwrite the files that it reads, nor `other`.
fn result_files(
    arguments: &RunArguments,
    suite: &Suite,
    other: Option<PathBuf>,
) -> Result<ResultFiles, Trouble> {
    let input_files = input_files(arguments, suite).into_iter().chain(other);
    let named = suite.cases.iter().chain(&suite.traces).cloned();
    let accept = suite.baseline.as_deref().filter(|_| arguments.accept);
    ResultFiles::open(input_files.chain(named), accept, &arguments.common)
}

/// Records the run in the history; `None` with `--no-history`.
fn run_sink(
    arguments: &RunArguments,
    suite: &Suite,
    named: Option<&NamedRun>,
) -> Option<(RunSink, NewRun)> {
    if arguments.no_history {
        return None;
    }
    let run = new_run(arguments, suite, named);
    let recording = Arc::new(Recording::new(suite.max_cases));
    let path = arguments.history.file();
    Some((RunSink::new(path, run.clone(), recording, clock::now), run))
}

/// The selected cases.
fn selection_of(arguments: &RunArguments) -> Result<Selection, Trouble> {
    let failed = match &arguments.cause {
        Some(cause) => Some(cases_with_cause(cause, arguments)?),
        None if arguments.failed => Some(failed_cases(arguments)?),
        None => None,
    };
    Ok(Selection {
        failed,
        ..arguments.common.selection()
    })
}

/// The suite with the overrides from the command line.
fn suite_of(arguments: &RunArguments) -> Result<Suite, Trouble> {
    let options = SuiteOptions {
        edition: arguments.common.edition,
        profile: arguments.profile.clone(),
        limits: arguments.common.input.limits(),
        ..SuiteOptions::default()
    };
    let mut suite = read_suite(&arguments.suite, &options)?;
    let replaced = suite.take_traces(&arguments.traces, &arguments.add_traces);
    if !replaced.is_empty() && !arguments.common.quiet {
        let replaced: Vec<_> = replaced
            .iter()
            .map(|path| plain(path).display().to_string())
            .collect();
        note(&format!(
            "not scored: {}, which --traces replaces (--add-traces scores both)",
            replaced.join(", ")
        ));
    }
    Ok(suite)
}

/// Removes `..` steps from a path: `evals/../a.jsonl` becomes `a.jsonl`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for step in path.components() {
        let is_named = plain.file_name().is_some();
        match step {
            Component::ParentDir if is_named => _ = plain.pop(),
            step => plain.push(step),
        }
    }
    plain
}

/// One of the runs in a comparison.
struct NamedRun {
    name: String,
    cases: CollectedCases,
}

/// Scores the suite, or one of its named runs. The output files may be open already.
fn run_suite(
    arguments: &RunArguments,
    suite: Suite,
    named: Option<&NamedRun>,
    record: Option<(RunSink, NewRun)>,
    files: Option<ResultFiles>,
) -> Result<Exit, Trouble> {
    check_eval_set(arguments, &suite)?;
    let selection = selection_of(arguments)?;
    let baseline = baseline(arguments, &suite)?;
    let mut records: Vec<Box<dyn Output>> = Vec::new();
    records.extend(named.map(|named| named.cases.output()));
    let (mut recorded, mut earlier, mut known) = (None, Vec::new(), Vec::new());
    if let Some((sink, run)) = record {
        if !arguments.common.reports.is_empty() {
            earlier = runs_before(arguments, &run);
        }
        known = facts(&run);
        recorded = Some(sink.outcome());
        records.push(Box::new(sink));
    }
    let accepts = arguments.accept;
    let subject = arguments.suite.display();
    let reading = SuiteReading::of(&suite);
    let scoring = ScoringJob {
        subject: match named {
            Some(named) => format!("{subject} · {}", named.name),
            None => subject.to_string(),
        },
        traces: suite.traces.clone(),
        explain: explain(arguments, &suite, named.is_some()),
        reading,
        facts: known,
        earlier,
        files: match files {
            Some(files) => files,
            None => result_files(arguments, &suite, None)?,
        },
        records,
        accept: suite.baseline.clone().filter(|_| accepts),
        plan: plan(suite, accepts, baseline, selection, arguments),
    };
    let exit = score(scoring, &arguments.common)?;
    let recorded = recorded.map_or(Exit::Success, |recorded| print_record(&recorded, arguments));
    Ok(exit.max(recorded))
}

/// The command that explains a case. Runs of an agent are only in the history.
fn explain(arguments: &RunArguments, suite: &Suite, is_named: bool) -> Option<ExplainCommand> {
    if arguments.agent.is_wanted() {
        let words = arguments.history.words();
        return (!arguments.no_history).then(|| ExplainCommand::of_run("latest", words));
    }
    let of_suite = arguments.traces.is_empty() && arguments.add_traces.is_empty() && !is_named;
    let traces = match (of_suite, suite.traces.is_empty()) {
        (true, _) => &[],
        (false, false) => &suite.traces[..],
        (false, true) => &suite.cases,
    };
    let profile = arguments.profile.as_deref();
    let command = explain_suite(&arguments.suite, profile, traces, &arguments.common);
    Some(command)
}

/// The files that the run reads, other than cases and traces.
fn input_files(arguments: &RunArguments, suite: &Suite) -> Vec<PathBuf> {
    let baseline = suite.baseline.clone().filter(|_| !arguments.accept);
    let mut input_files = history_files(&arguments.history.file());
    input_files.push(arguments.suite.clone());
    input_files.extend(baseline);
    input_files
}

/// The plan of the run, with its gates.
fn plan(
    suite: Suite,
    accepts: bool,
    baseline: Option<Baseline>,
    selection: Selection,
    arguments: &RunArguments,
) -> Plan {
    let mut gates = suite.gates;
    let number = |gates: &Option<Vec<_>>| gates.as_ref().map_or(0, Vec::len) as u64;
    let of_suite = number(&gates);
    if accepts {
        let is_empty = gates.as_ref().is_some_and(Vec::is_empty);
        gates
            .iter_mut()
            .for_each(|gates| gates.retain(|gate| !gate.statistic.is_of_change()));
        // `--accept` drops gates on changes. If none is left, evaluator verdicts decide. A suite with an empty list of gates keeps the
        // empty list, and its warning was already printed.
        gates = gates.filter(|left| !left.is_empty() || is_empty);
    }
    let limits = arguments.common.input.limits();
    Plan {
        evaluators: suite.evaluators,
        unjudged_changes: of_suite - number(&gates),
        gates,
        baseline,
        redaction: suite.redaction,
        expected: suite.expected,
        case_rule: Some(suite.case_rule),
        trial_group: suite.trial_group,
        identity: suite.identity,
        selection,
        ..Plan::new(suite.cases, ReadOptions::default(), limits)
    }
}

/// Checks an eval set, which has no runs and may have evaluators that do not judge tool calls.
fn check_eval_set(arguments: &RunArguments, suite: &Suite) -> Result<(), Trouble> {
    let Some(set) = &suite.eval_set else {
        return Ok(());
    };
    if suite.traces.is_empty() {
        let message = format!("{}: an eval set holds no runs", arguments.suite.display());
        return Err(Trouble::with_help(
            message,
            "name the files with the runs: --traces FILES",
        ));
    }
    if !set.skipped.is_empty() && !arguments.common.quiet {
        note(&format!(
            "skipped, as they do not judge tool calls: {}",
            set.skipped.join(", ")
        ));
    }
    Ok(())
}

/// The baseline to compare with, if the suite has one.
fn baseline(arguments: &RunArguments, suite: &Suite) -> Result<Option<Baseline>, Trouble> {
    let Some(path) = &suite.baseline else {
        if arguments.accept {
            let help =
                "write `baseline: baseline.jsonl` into the suite; the path is relative to it";
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

/// The results of earlier runs. An unreadable history is reported when this run is recorded, so errors are ignored here.
fn runs_before(arguments: &RunArguments, run: &NewRun) -> Vec<EarlierRun> {
    let history = History::open_to_read(&arguments.history.file());
    history
        .and_then(|history| earlier_runs(&history, &AlikeRuns::of(run)))
        .unwrap_or_default()
}

fn new_run(arguments: &RunArguments, suite: &Suite, named: Option<&NamedRun>) -> NewRun {
    let key = fresh_hash_key();
    let copy = WorkingCopy::read();
    NewRun {
        key: format!("{:016x}{:016x}", key.0, key.1),
        started: clock::now(),
        suite: suite_key(&arguments.suite, &arguments.history.file()),
        profile: arguments.profile.clone(),
        suite_hash: suite.hash.clone(),
        selection: selection(arguments, named),
        settings: settings(suite, copy.subject),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        git_commit: copy.commit,
        git_branch: copy.branch,
        git_dirty: copy.dirty,
    }
}

/// The options that select cases, as typed; `None` if there are none.
fn selection(arguments: &RunArguments, named: Option<&NamedRun>) -> Option<String> {
    let common = &arguments.common;
    let mut words = Vec::new();
    words.extend(named.map(|named| format!("runs: {}", named.name)));
    words.extend(arguments.failed.then(|| "--failed".to_owned()));
    words.extend(arguments.cause.iter().map(|it| format!("--cause {it}")));
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

/// The settings of the run, as JSON for the history.
fn settings(suite: &Suite, commit_subject: Option<String>) -> String {
    let evaluators = suite.evaluators.iter().map(|it| WeightedEvaluator {
        evaluator: it.argument.clone(),
        weight: it.weight,
    });
    let names = |paths: &[PathBuf]| paths.iter().map(|it| it.display().to_string()).collect();
    let gates = suite.gates.iter().flatten();
    let filters = gates.filter(|it| !it.implied && !it.only.is_everything());
    let settings = RunSettings {
        evaluators: evaluators.collect(),
        gate_filters: filters
            .map(|it| GateFilter {
                tags: it.only.tags.clone(),
                agents: it.only.agents.clone(),
                meta: it.only.meta.iter().map(filter_values).collect(),
            })
            .collect(),
        cases: names(&suite.cases),
        traces: names(&suite.traces),
        max_cases: suite.max_cases,
        commit_subject,
    };
    settings.to_json()
}

fn filter_values((key, values): &(String, Vec<String>)) -> GateFilterValues {
    GateFilterValues {
        key: key.clone(),
        values: values.clone(),
    }
}

/// The cases with this cause in the last run of the suite.
fn cases_with_cause(cause: &str, arguments: &RunArguments) -> Result<FailedCases, Trouble> {
    let (history, _, last) = last_run(arguments, "run the suite once without --cause")?;
    let cause = find_cause(&history, last.number, cause)?;
    Ok(FailedCases::new(
        history.cases_with_cause(last.number, &cause)?,
    ))
}

/// The history, the suite's key in it, and the last run of the suite.
fn last_run(arguments: &RunArguments, help: &str) -> Result<(History, String, RunRow), Trouble> {
    let none = || Trouble::with_help("there is no last run of this suite", help);
    let history = match History::open_to_read(&arguments.history.file()) {
        Err(StoreError::NoHistory { .. }) => return Err(none()),
        opened => opened?,
    };
    let suite = suite_key(&arguments.suite, history.path());
    let filter = RunFilter {
        suite: Some(suite.clone()),
        ..RunFilter::default()
    };
    let last = match history.find(&Reference::parse("latest"), &filter) {
        Err(StoreError::NoSuchRun(_)) => return Err(none()),
        found => found?,
    };
    Ok((history, suite, last))
}

/// The cases of the suite that failed when they were last run.
fn failed_cases(arguments: &RunArguments) -> Result<FailedCases, Trouble> {
    let (history, suite, last) = last_run(arguments, "run the suite once without --failed")?;
    let profile = arguments.profile.as_deref();
    let failed = FailedCases::new(history.open_failures(&suite, profile)?);
    if failed.is_empty() {
        let help =
            "a case fails by the verdict of an evaluator, such as a `threshold`, or by an error";
        return Err(Trouble::with_help(
            "no case failed in the last run of all, or since",
            help,
        ));
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
