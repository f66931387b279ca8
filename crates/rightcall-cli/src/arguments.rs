//! The command line as a type.

use std::net::IpAddr;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum};
use rightcall::value::MAX_DEPTH;
use rightcall::{Edition, did_you_mean, nearest};
use rightcall_formats::join::Join;
use rightcall_formats::{Choices, Format as InputFormat, Limits, ReadOptions, Writer};
use rightcall_report::{REPORTS, ReportFormat};
use rightcall_run::{CaseKey, ChangeGate, Grouping, Ignored, Keep, fresh_hash_key};
use rightcall_store::HISTORY;

use crate::later::Later;
use crate::{clock, size};

/// Scores the tool calls of AI agents against what was expected, and says why.
#[derive(Debug, Parser)]
#[command(name = "rightcall", version, max_term_width = 100, after_help = EXIT_CODES, propagate_version = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXIT_CODES: &str = "\
Exit codes:
  0  fine
  1  a gate, or a threshold that you wrote, is missed
  2  wrong usage, unreadable input, an evaluation that ended in an error, or no case to score";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Score case files with the evaluators named
    Score(Later<ScoreArguments>),
    /// Run a suite and apply its gates
    #[command(visible_alias = "eval")]
    Run(Later<RunArguments>),
    /// Compare runs or files case by case, with intervals and tests
    Compare(Later<CompareArguments>),
    /// List the runs so far; tag, export, import or delete them
    History(HistoryCommandArguments),
    /// Show one case in full: what was expected, what was called, and how each score comes about
    Explain(Later<ExplainArguments>),
    /// Write a suite and cases to start from
    Init(Later<InitArguments>),
    /// Print the JSON Schema of suites or cases, for editors
    Schema(Later<SchemaArguments>),
    /// List the evaluators, or show the page of one
    Evaluators(Later<EvaluatorsArguments>),
    /// Show what traces hold: calls, what was dropped, what was not recorded
    Inspect(Later<InspectArguments>),
    /// Write good runs down as what the next ones are expected to do
    Record(Later<RecordArguments>),
    /// Show what today's runs would change in expectations, to accept or reject one by one
    Review(Later<ReviewArguments>),
    /// Write cases or traces of any format as canonical cases, or in another format
    Convert(Later<ConvertArguments>),
    /// List the formats that are read, or show the page of one
    Formats(Later<FormatsArguments>),
    /// Write a run, or results in a file, as a report: HTML, Markdown, CSV, Parquet and others
    Report(Later<ReportArguments>),
    /// Show the history in the browser
    View(Later<ViewArguments>),
    /// Print completions for a shell
    Completions(Later<CompletionsArguments>),
}

#[derive(Debug, Args)]
pub(crate) struct ScoreArguments {
    /// Case files; `-` is standard input
    #[arg(required = true, value_name = "FILES")]
    pub(crate) files: Vec<PathBuf>,
    /// An evaluator with its settings: `axion/tool-correctness,threshold=0.8`, or a JSON object
    #[arg(short, long = "evaluator", required = true, value_name = "EVALUATOR[,KEY=VALUE…]")]
    pub(crate) evaluators: Vec<String>,
    /// Files with the runs, joined to the cases by id
    #[arg(long, value_name = "FILES", num_args = 1..)]
    pub(crate) traces: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) common: CommonArguments,
}

#[derive(Debug, Args)]
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

/// Where runs are recorded.
#[derive(Debug, Args)]
pub(crate) struct HistoryArguments {
    /// The file with the runs so far
    #[arg(long = "history", value_name = "FILE", default_value = HISTORY, help_heading = "History")]
    pub(crate) path: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct HistoryCommandArguments {
    #[command(subcommand)]
    pub(crate) action: Option<HistoryAction>,
    /// Only runs of this suite
    #[arg(long, value_name = "SUITE")]
    pub(crate) suite: Option<String>,
    /// Only runs of this branch
    #[arg(long, value_name = "NAME")]
    pub(crate) branch: Option<String>,
    /// Only runs with this tag
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Option<String>,
    /// Only runs since a day such as 2026-11-21, a time such as 2026-11-21T16:00Z, or the last 12h, 7d
    #[arg(long, value_name = "TIME", value_parser = clock::parse_since)]
    pub(crate) since: Option<i64>,
    /// Runs at most
    #[arg(short = 'n', long, value_name = "N", default_value = "20")]
    pub(crate) limit: u64,
    /// For people or for machines
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    pub(crate) format: ListFormat,
    /// The file with the runs so far
    #[arg(long = "history", value_name = "FILE", default_value = HISTORY, global = true)]
    pub(crate) path: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct CompareArguments {
    /// Runs of the history (a number, branch, tag, `latest`, `latest~1`) or files of results; the first is what the others are
    /// compared with
    #[arg(required = true, value_name = "RUNS")]
    pub(crate) runs: Vec<String>,
    /// Score the files, of cases or traces, with this evaluator first
    #[arg(short, long = "evaluator", value_name = "EVALUATOR[,KEY=VALUE…]")]
    pub(crate) evaluators: Vec<String>,
    /// What cases pair by: meta keys, or the id without model and trial
    #[arg(long, value_name = "KEY,…", value_parser = parse_key, default_value = "id")]
    pub(crate) key: CaseKey,
    /// Show how well each evaluator predicts this number of the cases, such as reward
    #[arg(long, value_name = "FIELD")]
    pub(crate) against: Option<String>,
    /// A trial passes from this score on, or from this value of the field of --against [default: by its verdicts; a field from 1]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) pass_mark: Option<f64>,
    /// A condition on the change, such as `worse = 0` or `EVALUATOR change_low >= -0.02`; missed, the exit code is 1
    #[arg(long = "gate", value_name = "CONDITION", value_parser = parse_change_gate)]
    pub(crate) gates: Vec<ChangeGate>,
    /// Write the run to a file as the baseline for later ones
    #[arg(long, value_name = "FILE")]
    pub(crate) accept: Option<PathBuf>,
    /// The confidence of intervals, in percent
    #[arg(long, value_name = "PERCENT", default_value = "95", value_parser = parse_confidence)]
    pub(crate) confidence: f64,
    /// The change that would matter: without one shown, smaller ones are ruled out or there are not enough cases to tell
    #[arg(long, value_name = "CHANGE", default_value = "0.05", value_parser = parse_margin)]
    pub(crate) margin: f64,
    /// For people or for machines
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    pub(crate) format: ListFormat,
    /// What evaluators follow where document and package differ: documented or package
    #[arg(long, value_name = "EDITION", value_parser = parse_edition)]
    pub(crate) edition: Option<Edition>,
    /// The file with the runs so far
    #[arg(long, value_name = "FILE", default_value = HISTORY)]
    pub(crate) history: PathBuf,
    #[command(flatten)]
    pub(crate) input: InputArguments,
}

/// A run is named by its number, a branch, a tag, `latest` or `latest~1`.
#[derive(Debug, Subcommand)]
pub(crate) enum HistoryAction {
    /// Give a run a tag; a tagged run is not pruned
    Tag {
        /// Number, branch, tag, `latest` or `latest~1`
        run: String,
        /// The tag
        tag: String,
    },
    /// Take a tag from a run
    Untag {
        /// Number, branch, tag, `latest` or `latest~1`
        run: String,
        /// The tag
        tag: String,
    },
    /// Write a run to a file of its own
    Export {
        /// Number, branch, tag, `latest` or `latest~1`
        run: String,
        /// The file
        file: PathBuf,
    },
    /// Take in a run that was exported
    Import {
        /// The file
        file: PathBuf,
    },
    /// Delete a run
    Delete {
        /// Number, branch, tag, `latest` or `latest~1`
        run: String,
    },
    /// Delete runs that have no tag, by number or age
    Prune {
        /// All but the last so many
        #[arg(long, value_name = "N", required_unless_present = "before")]
        keep: Option<u64>,
        /// Those before a day or a time, or older than 90d
        #[arg(long, value_name = "TIME", value_parser = clock::parse_since)]
        before: Option<i64>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArguments {
    /// A file of cases, with evaluators by -e, or a suite
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The profile of the suite
    #[arg(long, value_name = "NAME", conflicts_with = "evaluators")]
    pub(crate) profile: Option<String>,
    /// Id of the case, or `FILE:LINE` of one without
    #[arg(long, value_name = "ID")]
    pub(crate) case: String,
    /// Which trial of the case, where there are several [default: the first]
    #[arg(long, value_name = "TRIAL")]
    pub(crate) trial: Option<String>,
    /// An evaluator with its settings, as `score` takes it
    #[arg(short, long = "evaluator", value_name = "EVALUATOR[,KEY=VALUE…]")]
    pub(crate) evaluators: Vec<String>,
    /// Files with the runs, joined to the cases by id
    #[arg(long, value_name = "FILES", num_args = 1..)]
    pub(crate) traces: Vec<PathBuf>,
    /// Cut nothing
    #[arg(long)]
    pub(crate) full: bool,
    /// For people or for machines
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    pub(crate) format: ListFormat,
    /// What evaluators follow where document and package differ: documented or package
    #[arg(long, value_name = "EDITION", value_parser = parse_edition)]
    pub(crate) edition: Option<Edition>,
    #[command(flatten)]
    pub(crate) joining: Joining,
    #[command(flatten)]
    pub(crate) input: InputArguments,
}

/// What `score` and `run` have in common.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct CommonArguments {
    /// Score only cases whose id has this text in it
    #[arg(short = 'k', value_name = "TEXT", help_heading = "Which cases")]
    pub(crate) text: Option<String>,
    /// Score only cases with this tag, or another one given
    #[arg(long = "tag", value_name = "TAG", help_heading = "Which cases")]
    pub(crate) tags: Vec<String>,
    /// Score only cases with this meta value, or another one given for the same key
    #[arg(long = "where", value_name = "KEY=VALUE", value_parser = parse_where, help_heading = "Which cases")]
    pub(crate) meta: Vec<(String, String)>,

    /// Show each group too: by meta keys, or `tag`
    #[arg(long, value_name = "KEY,…", value_parser = parse_grouping, help_heading = "Results")]
    pub(crate) by: Option<Grouping>,
    /// What to print [default: by the ending of the output file, else a table]
    #[arg(long, value_name = "FORMAT", help_heading = "Results")]
    pub(crate) format: Option<Format>,
    /// Write the results to a file, which appears when it is whole
    #[arg(short, long, value_name = "FILE", help_heading = "Results")]
    pub(crate) output: Option<PathBuf>,
    /// Add to each result its alignment and what the case says beside its calls
    #[arg(long, help_heading = "Results")]
    pub(crate) explain: bool,
    /// List in the table the cases on which the editions of an evaluator differ
    #[arg(long, help_heading = "Results")]
    pub(crate) editions: bool,
    /// Leave the details out of the results
    #[arg(long, help_heading = "Results")]
    pub(crate) no_details: bool,
    /// Write a report too: html, junit, markdown, csv, parquet or arrow [default path: rightcall-report.ENDING]
    #[arg(long = "report", value_name = "FORMAT[=PATH]", value_parser = parse_report, help_heading = "Results")]
    pub(crate) reports: Vec<ReportRequest>,
    /// Leave the messages out, but for the error that ends the run
    #[arg(short, long, help_heading = "Results")]
    pub(crate) quiet: bool,

    /// What evaluators follow where document and package differ: documented or package
    #[arg(long, value_name = "EDITION", value_parser = parse_edition, help_heading = "How to score")]
    pub(crate) edition: Option<Edition>,
    /// Number of threads [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = parse_threads, help_heading = "How to score")]
    pub(crate) threads: Option<NonZeroUsize>,

    /// Records that cannot be read do not change the exit code
    #[arg(long, help_heading = "Input")]
    pub(crate) skip_invalid: bool,
    #[command(flatten)]
    pub(crate) joining: Joining,
    #[command(flatten)]
    pub(crate) input: InputArguments,
}

/// How runs are found.
#[derive(Debug, Args)]
pub(crate) struct Joining {
    /// By what runs are joined with cases: id, file (its name), order, or the key of a meta value or an attribute of spans [default: id]
    #[arg(long, value_name = "KEY", value_parser = parse_join, help_heading = "Input")]
    pub(crate) join: Option<Join>,
}

/// A report that a run writes.
#[derive(Clone, Debug)]
pub(crate) struct ReportRequest {
    pub(crate) format: &'static ReportFormat,
    /// Where; `None` where the format's usual place is meant.
    pub(crate) path: Option<PathBuf>,
}

/// How inputs are read.
#[derive(Debug, Args)]
pub(crate) struct InputArguments {
    /// The format of the input [default: recognised by its first values]
    #[arg(long, value_name = "FORMAT", value_parser = parse_input_format, help_heading = "Input")]
    pub(crate) input_format: Option<&'static InputFormat>,
    /// How traces are read where opinions differ, such as `order=document`; `rightcall formats` lists the choices
    #[arg(long = "read", value_name = "KEY=VALUE", value_parser = parse_choice, help_heading = "Input")]
    pub(crate) choices: Vec<(String, String)>,
    /// The longest line
    #[arg(long, value_name = "SIZE", value_parser = size::parse, default_value = "64MiB", help_heading = "Input")]
    pub(crate) max_line: usize,
    /// The deepest nesting, at most 512
    #[arg(long, value_name = "DEPTH", value_parser = parse_depth, default_value = "512", help_heading = "Input")]
    pub(crate) max_depth: usize,
    /// The largest document that is not JSON Lines
    #[arg(long, value_name = "SIZE", value_parser = size::parse, default_value = "1GiB", help_heading = "Input")]
    pub(crate) max_document: usize,
}

impl InputArguments {
    pub(crate) fn limits(&self) -> Limits {
        Limits { max_line: self.max_line, max_depth: self.max_depth, max_document: self.max_document }
    }

    /// How cases are read, and how the runs that are joined to them.
    pub(crate) fn readings(&self, joining: &Joining, is_joined: bool) -> (ReadOptions, ReadOptions) {
        self.readings_with(&[], joining.join, is_joined)
    }

    /// The same, with choices that count where the command line says nothing else.
    pub(crate) fn readings_with(
        &self,
        before: &[(String, String)],
        join: Option<Join>,
        is_joined: bool,
    ) -> (ReadOptions, ReadOptions) {
        let of_traces = ReadOptions { join: join.unwrap_or_default(), ..self.reading_with(before) };
        // A format of traces is meant for them; the cases are in another.
        let format = of_traces.format.filter(|format| !is_joined || !format.holds_traces());
        (ReadOptions { format, ..of_traces }, of_traces)
    }

    pub(crate) fn reading(&self) -> ReadOptions {
        self.reading_with(&[])
    }

    fn reading_with(&self, before: &[(String, String)]) -> ReadOptions {
        let mut choices = Choices::default();
        for (key, value) in before.iter().chain(&self.choices) {
            // Checked where it was parsed.
            _ = choices.set(key, value);
        }
        ReadOptions { format: self.input_format, choices, max_depth: self.max_depth, hash_key: fresh_hash_key(), join: Join::Id }
    }
}

impl CommonArguments {
    /// The format of the results: as said, else as the output file's name says, else a table.
    pub(crate) fn format(&self) -> Format {
        let ending = self.output.as_ref().and_then(|path| path.extension()).and_then(|ending| ending.to_str());
        self.format.unwrap_or(match ending {
            Some("jsonl" | "ndjson") => Format::Jsonl,
            Some("json") => Format::Json,
            Some("csv") => Format::Csv,
            _ => Format::Table,
        })
    }
}

/// How results are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Table,
    /// One JSON object for each case and evaluator
    Jsonl,
    /// One JSON document with results and summary
    Json,
    /// One row for each case and evaluator
    Csv,
}

#[derive(Debug, Args)]
pub(crate) struct InitArguments {
    /// The folder, which is made if it is not there
    #[arg(default_value = ".")]
    pub(crate) directory: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct SchemaArguments {
    /// What is described
    #[arg(default_value = "suite")]
    pub(crate) of: Described,
}

/// What has a published schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Described {
    /// A suite, in YAML or JSON
    Suite,
    /// A case, or a file with a list of them
    Case,
}

#[derive(Debug, Args)]
pub(crate) struct EvaluatorsArguments {
    /// Id or alias of an evaluator
    pub(crate) name: Option<String>,
    /// For people or for machines
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    pub(crate) format: ListFormat,
}

#[derive(Debug, Args)]
pub(crate) struct InspectArguments {
    /// Files of traces or cases; `-` is standard input
    #[arg(required = true, value_name = "FILES")]
    pub(crate) files: Vec<PathBuf>,
    /// For people, or one JSON object a file
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    pub(crate) format: ListFormat,
    /// Show the calls of all trajectories, not only of the first
    #[arg(long)]
    pub(crate) all: bool,
    /// Number of threads; a file is read by one [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub(crate) threads: Option<NonZeroUsize>,
    #[command(flatten)]
    pub(crate) input: InputArguments,
}

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

/// What becomes an expectation.
#[derive(Debug, Args)]
pub(crate) struct RecordingArguments {
    /// What of a run is expected: args (calls with arguments), names (calls by name), outputs, order, counts
    #[arg(long = "keep", value_name = "WHAT,…", value_delimiter = ',', value_parser = parse_keep, default_value = "args")]
    pub(crate) keep: Vec<Keep>,
    /// Arguments that are others each time: `/created_at`, `/items/*/id`, `/**/id`, `refund:/at` for one tool
    #[arg(long = "ignore", value_name = "PATTERN", value_parser = Ignored::parse)]
    pub(crate) ignored: Vec<Ignored>,
}

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct ReviewArguments {
    /// The expectations, as JSON Lines
    #[arg(value_name = "EXPECTATIONS")]
    pub(crate) file: PathBuf,
    /// Files with today's runs, joined to the expectations by id
    #[arg(long, value_name = "FILES", num_args = 1.., required = true)]
    pub(crate) traces: Vec<PathBuf>,
    /// Change nothing; exit code 1 if anything would change
    #[arg(long, conflicts_with_all = ["accept_all", "accept"])]
    pub(crate) check: bool,
    /// Take all changes
    #[arg(long, conflicts_with = "accept")]
    pub(crate) accept_all: bool,
    /// Take the changes of these cases
    #[arg(long, value_name = "ID", num_args = 1..)]
    pub(crate) accept: Vec<String>,
    /// Offer runs without an expectation too, to be added
    #[arg(long)]
    pub(crate) add: bool,
    /// Cut nothing
    #[arg(long)]
    pub(crate) full: bool,
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

#[derive(Debug, Args)]
pub(crate) struct ConvertArguments {
    /// Files of cases or traces; `-` is standard input
    #[arg(required = true, value_name = "FILES")]
    pub(crate) files: Vec<PathBuf>,
    /// Files with the runs, joined to the cases by id
    #[arg(long, value_name = "FILES", num_args = 1..)]
    pub(crate) traces: Vec<PathBuf>,
    /// What to write: cases, openai-chat, anthropic or otlp, one a line
    #[arg(long, value_name = "FORMAT", value_parser = parse_writer, default_value = "cases")]
    pub(crate) to: &'static Writer,
    /// Write to a file, which appears when it is whole
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Leave the report out, but for errors that end the work
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

#[derive(Debug, Args)]
pub(crate) struct FormatsArguments {
    /// Name of a format
    pub(crate) name: Option<String>,
    /// For people or for machines
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    pub(crate) format: ListFormat,
}

#[derive(Debug, Args)]
pub(crate) struct ReportArguments {
    /// A run of the history (`latest`, `latest~1`, a number, a branch, a tag), or a file: an exported run, or result lines
    #[arg(default_value = "latest")]
    pub(crate) run: String,
    /// What to write: html, junit, markdown, csv, parquet or arrow [default: by the ending of the output file, else html]
    #[arg(long, value_name = "FORMAT", value_parser = parse_report_format)]
    pub(crate) format: Option<&'static ReportFormat>,
    /// Where to [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) history: HistoryArguments,
}

impl ReportArguments {
    /// As said, else as the output file's name says, else HTML.
    pub(crate) fn format(&self) -> &'static ReportFormat {
        let ending = self.output.as_ref().and_then(|path| path.extension()).and_then(|ending| ending.to_str());
        self.format.or_else(|| ReportFormat::of_ending(ending?)).unwrap_or(&REPORTS[0])
    }
}

#[derive(Debug, Args)]
pub(crate) struct ViewArguments {
    /// The address to answer at; another than this machine's own lets others read the history
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub(crate) host: IpAddr,
    /// The port to answer at; 0 takes any that is free
    #[arg(long, value_name = "PORT", default_value_t = 7300)]
    pub(crate) port: u16,
    #[command(flatten)]
    pub(crate) history: HistoryArguments,
}

/// How lists are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListFormat {
    /// For people
    Table,
    /// A JSON document
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArguments {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

fn parse_where(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').filter(|(key, _)| !key.is_empty());
    pair.map(|(key, value)| (key.to_owned(), value.to_owned())).ok_or_else(|| "write KEY=VALUE, such as model=gpt-4o".to_owned())
}

fn parse_grouping(text: &str) -> Result<Grouping, String> {
    Grouping::parse(text).ok_or_else(|| "write meta keys with commas between, such as model,domain".to_owned())
}

fn parse_key(text: &str) -> Result<CaseKey, String> {
    CaseKey::parse(text).ok_or_else(|| "write id, or meta keys with commas between, such as domain,task".to_owned())
}

fn parse_change_gate(text: &str) -> Result<ChangeGate, String> {
    let help = "write [EVALUATOR] change, change_low, change_high, worse or better, an operator and a number: `worse = 0`";
    ChangeGate::parse(text).ok_or_else(|| help.to_owned())
}

fn parse_confidence(text: &str) -> Result<f64, String> {
    let percent = text.trim_end_matches('%').parse().ok().filter(|percent| (50.0..=99.9).contains(percent));
    percent.ok_or_else(|| "expected a number from 50 to 99.9".to_owned())
}

fn parse_margin(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|margin| *margin > 0.0 && *margin < 1.0)
        .ok_or_else(|| "expected a number between 0 and 1".to_owned())
}

/// `html`, `html=out.html`, or `out.html` alone.
fn parse_report(text: &str) -> Result<ReportRequest, String> {
    let (name, path) = text.split_once('=').map_or((text, None), |(name, path)| (name, Some(path)));
    let ending = Path::new(text).extension().and_then(|ending| ending.to_str());
    if let Some(format) = ending.filter(|_| path.is_none()).and_then(ReportFormat::of_ending) {
        return Ok(ReportRequest { format, path: Some(PathBuf::from(text)) });
    }
    Ok(ReportRequest { format: parse_report_format(name)?, path: path.map(PathBuf::from) })
}

fn parse_report_format(name: &str) -> Result<&'static ReportFormat, String> {
    if let Some(format) = ReportFormat::find(name) {
        return Ok(format);
    }
    let names: Vec<_> = REPORTS.iter().map(|format| format.name).collect();
    let near = did_you_mean(&nearest(name, names.iter().copied()));
    Err(format!("there is no report `{name}`{near}; there are {}", names.join(", ")))
}

fn parse_edition(name: &str) -> Result<Edition, String> {
    Edition::parse(name).ok_or_else(|| "expected documented or package".to_owned())
}

fn parse_input_format(name: &str) -> Result<&'static InputFormat, String> {
    InputFormat::find(name).map_err(|error| error.to_string())
}

fn parse_join(text: &str) -> Result<Join, String> {
    if text.is_empty() { Err("write id, file, order, or a key such as session.id".to_owned()) } else { Ok(Join::parse(text)) }
}

fn parse_keep(word: &str) -> Result<Keep, String> {
    let known = Keep::ALL.iter().find(|(name, _)| *name == word).map(|(_, keep)| *keep);
    let names = || Keep::ALL.map(|(name, _)| name).join(", ");
    known.ok_or_else(|| format!("there are {}", names()))
}

fn parse_writer(name: &str) -> Result<&'static Writer, String> {
    Writer::find(name).map_err(|error| error.to_string())
}

fn parse_choice(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("expected KEY=VALUE, such as order=document")?;
    Choices::default().set(key, value).map_err(|error| error.to_string())?;
    Ok((key.to_owned(), value.to_owned()))
}

fn parse_threads(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "expected a number from 1".to_owned())
}

fn parse_depth(text: &str) -> Result<usize, String> {
    let depth = text.parse().ok().filter(|depth| (1..=MAX_DEPTH).contains(depth));
    depth.ok_or_else(|| format!("expected a number from 1 to {MAX_DEPTH}"))
}
