//! The commands: one file each, with its arguments and its implementation.

use std::fs::File;
use std::io::Read;
use std::mem;
use std::path::{Path, PathBuf};

use anstream::ColorChoice;
use clap::{Parser, Subcommand, ValueEnum};
use rightcall_formats::is_object;
use rightcall_run::{Suite, SuiteOptions};
use rightcall_store::{History, PageRange, Reference, RunFilter, RunRow};

use crate::deferred_arguments::DeferredArguments;
use crate::exit::Exit;
use crate::help::after_all;
use crate::messages::Trouble;

mod compare;
mod completions;
mod convert;
mod coverage;
mod evaluators;
mod explain;
#[cfg(feature = "fetch")]
mod fetch;
#[cfg(not(feature = "fetch"))]
#[path = "fetch_left_out.rs"]
mod fetch;
mod formats;
mod guard;
mod history;
mod init;
mod inspect;
mod learn;
mod lint;
mod map;
mod record;
mod report;
mod rescore;
mod review;
mod review_recorded;
mod run;
mod schema;
mod score;
mod strength;
mod suite_file;
mod tools_file;
mod view;
mod watch;

/// Checks the tool calls of AI agents against expectations, and shows what went wrong.
#[derive(Debug, Parser)]
#[command(name = "rightcall", version, max_term_width = 100, after_help = after_all(), propagate_version = true)]
pub(crate) struct CommandLine {
    /// Color screens and messages [default: auto, on terminals unless `NO_COLOR` is set]
    #[arg(long, value_name = "WHEN", global = true)]
    pub(crate) color: Option<Coloring>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Where screens and messages are colored.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Coloring {
    /// At terminals
    Auto,
    /// In files and pipes too
    Always,
    /// Nowhere
    Never,
}

impl From<Coloring> for ColorChoice {
    fn from(coloring: Coloring) -> Self {
        match coloring {
            Coloring::Auto => Self::Auto,
            Coloring::Always => Self::AlwaysAnsi,
            Coloring::Never => Self::Never,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Score cases or traces with evaluators
    Score(DeferredArguments<score::ScoreArguments>),
    /// Run a suite and apply its gates
    #[command(visible_alias = "eval")]
    Run(DeferredArguments<run::RunArguments>),
    /// Compare runs or files case by case, with intervals and tests
    Compare(DeferredArguments<compare::CompareArguments>),
    /// Score the same rollouts under several settings, or prove the scores of another tool
    Rescore(DeferredArguments<rescore::RescoreArguments>),
    /// List, tag, export, import or delete runs
    #[command(after_help = crate::help::after_help("history"))]
    History(history::HistoryCommandArguments),
    /// Show one case in full: expected and actual calls, and the arithmetic of each score
    Explain(DeferredArguments<explain::ExplainArguments>),
    /// Refuse tool calls that rules forbid, before they are made: a hook of Claude Code, or an MCP proxy
    Guard(DeferredArguments<guard::GuardArguments>),
    /// Follow a growing log, and say where a rule is broken
    Watch(DeferredArguments<watch::WatchArguments>),
    /// Write a suite and cases to start from
    Init(DeferredArguments<init::InitArguments>),
    /// Print the JSON Schema of suites, cases, results or maps, for editors
    Schema(DeferredArguments<schema::SchemaArguments>),
    /// List the evaluators, or print the page of one
    Evaluators(DeferredArguments<evaluators::EvaluatorsArguments>),
    /// Show what traces contain: calls, what was dropped, what was not recorded
    Inspect(DeferredArguments<inspect::InspectArguments>),
    /// Turn good runs into expectations
    Record(DeferredArguments<record::RecordArguments>),
    /// Check expectations against themselves and against the schemas of tools
    Lint(DeferredArguments<lint::LintArguments>),
    /// Break passing runs with typical errors of agents, and show the share that the suite notices
    Strength(DeferredArguments<strength::StrengthArguments>),
    /// Show which tools, arguments and sequences of tools the cases test, and which they do not
    Coverage(DeferredArguments<coverage::CoverageArguments>),
    /// Learn expectations, or rules, from what good runs have in common
    Learn(DeferredArguments<learn::LearnArguments>),
    /// Show what new runs would change in expectations, to accept or reject
    Review(DeferredArguments<review::ReviewArguments>),
    #[command(
        about = "Download traces from Langfuse, LangSmith, Phoenix, MLflow or Braintrust into a file"
    )]
    Fetch(DeferredArguments<fetch::FetchArguments>),
    /// Write cases or traces of any format as canonical cases, or in another format
    Convert(DeferredArguments<convert::ConvertArguments>),
    /// Draft a map of a log in a format of your own
    Map(DeferredArguments<map::MapArguments>),
    /// List the formats, or print the page of one
    Formats(DeferredArguments<formats::FormatsArguments>),
    /// Write a run, or results in a file, as a report: HTML, Markdown, CSV, Parquet and others
    Report(DeferredArguments<report::ReportArguments>),
    /// Show the history in the browser
    View(DeferredArguments<view::ViewArguments>),
    /// Print completions for a shell
    Completions(DeferredArguments<completions::CompletionsArguments>),
}

impl Command {
    /// Runs the command.
    pub(crate) fn run(self) -> Result<Exit, Trouble> {
        match self {
            Self::Score(DeferredArguments(arguments)) => score::score(arguments),
            Self::Run(DeferredArguments(arguments)) => run::run(arguments),
            Self::Compare(DeferredArguments(arguments)) => compare::compare(&arguments),
            Self::Rescore(DeferredArguments(arguments)) => rescore::rescore(&arguments),
            Self::History(arguments) => history::history(&arguments),
            Self::Explain(DeferredArguments(arguments)) => explain::explain(&arguments),
            Self::Guard(DeferredArguments(arguments)) => guard::guard(&arguments),
            Self::Watch(DeferredArguments(arguments)) => watch::watch(&arguments),
            Self::Init(DeferredArguments(arguments)) => init::init(&arguments),
            Self::Schema(DeferredArguments(arguments)) => schema::schema(&arguments),
            Self::Evaluators(DeferredArguments(arguments)) => evaluators::evaluators(&arguments),
            Self::Inspect(DeferredArguments(arguments)) => inspect::inspect(&arguments),
            Self::Record(DeferredArguments(arguments)) => record::record(&arguments),
            Self::Lint(DeferredArguments(arguments)) => lint::lint(&arguments),
            Self::Strength(DeferredArguments(arguments)) => strength::strength(&arguments),
            Self::Coverage(DeferredArguments(arguments)) => coverage::coverage(&arguments),
            Self::Learn(DeferredArguments(arguments)) => learn::learn(&arguments),
            Self::Review(DeferredArguments(arguments)) => review::review(&arguments),
            Self::Fetch(DeferredArguments(arguments)) => fetch::fetch(arguments),
            Self::Convert(DeferredArguments(arguments)) => convert::convert(&arguments),
            Self::Map(DeferredArguments(arguments)) => map::map(&arguments),
            Self::Formats(DeferredArguments(arguments)) => formats::formats(&arguments),
            Self::Report(DeferredArguments(arguments)) => report::report(&arguments),
            Self::View(DeferredArguments(arguments)) => view::view(&arguments),
            Self::Completions(DeferredArguments(arguments)) => completions::completions(&arguments),
        }
    }
}

/// Reads a suite and checks that its files exist.
fn read_suite(path: &Path, options: &SuiteOptions) -> Result<Suite, Trouble> {
    let suite = Suite::read(path, options)?;
    let missing = suite
        .cases
        .iter()
        .chain(&suite.traces)
        .chain(suite.runs.iter().flat_map(|(_, files)| files))
        .find(|file| !is_object(file) && !file.exists());
    if let Some(missing) = missing {
        let message = format!(
            "{}: it names {}, and there is no such file",
            path.display(),
            missing.display()
        );
        return Err(Trouble::with_help(
            message,
            "paths are relative to the suite",
        ));
    }
    Ok(suite)
}

/// The trace files of a suite, or `instead` if given. An error if the suite has named runs, since
/// one must be chosen.
fn traces_of(suite: &mut Suite, path: &Path, instead: &[PathBuf]) -> Result<Vec<PathBuf>, Trouble> {
    suite.take_traces(instead, &[]);
    if suite.runs.is_empty() {
        return Ok(mem::take(&mut suite.traces));
    }
    let names: Vec<_> = suite.runs.iter().map(|(name, _)| name.as_str()).collect();
    let message = format!(
        "{}: it names {} runs: {}",
        path.display(),
        names.len(),
        names.join(", ")
    );
    let help = "choose the files of one: --traces FILES";
    Err(Trouble::with_help(message, help))
}

/// The file with this name. `None` if the name refers to the history.
fn file_called(name: &str) -> Option<&Path> {
    let path = Path::new(name);
    (!Reference::parse(name).is_position() && (path.exists() || is_object(path))).then_some(path)
}

/// The last run in a history file, such as an exported run. `None` for any other file.
fn exported_run(path: &Path) -> Result<Option<(History, RunRow)>, Trouble> {
    // A pipe cannot be read twice, so only regular files are probed.
    let is_file = path.metadata().is_ok_and(|metadata| metadata.is_file());
    let is_history = || {
        let mut head = [0; 15];
        File::open(path)
            .is_ok_and(|mut file| file.read_exact(&mut head).is_ok() && &head == b"SQLite format 3")
    };
    if !is_file || !is_history() {
        return Ok(None);
    }
    let history = History::open_to_read(path)?;
    let run = history
        .runs(&RunFilter::default(), PageRange::first(1))?
        .pop();
    let run =
        run.ok_or_else(|| Trouble::new(format!("{}: there is no run in it", path.display())))?;
    Ok(Some((history, run)))
}
