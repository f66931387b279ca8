//! Arguments that several commands share.

use std::fmt::Display;
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use rightcall_core::value::MAX_DEPTH;
use rightcall_core::{Edition, did_you_mean, nearest};
use rightcall_formats::join::Join;
use rightcall_formats::{Choices, Format as InputFormat, Limits, MAX_THREADS, ReadOptions};
use rightcall_report::{ListLength, OUTPUTS, OutputFormat, push_option};
use rightcall_results::LineContents;
use rightcall_run::{
    CaseKey, Cells, Configured, EvaluatorArgument, ExpectationRecorder, Filter, Grouping,
    IgnoredArguments, RecordedPart, Redaction, Selection, Suite, SuiteOptions, SuiteReading,
    fresh_hash_key,
};

use crate::completing;
use crate::history_lookup::history_file;
use crate::maps;
use crate::messages::Trouble;
use crate::size;

/// Where runs are recorded.
#[derive(Debug, Args)]
pub(crate) struct HistoryArguments {
    /// The history file [default: .rightcall/history.db, here or in a folder above]
    #[arg(long = "history", value_name = "FILE", help_heading = "History")]
    pub(crate) path: Option<PathBuf>,
}

impl HistoryArguments {
    /// The file.
    pub(crate) fn file(&self) -> PathBuf {
        history_file(self.path.as_deref())
    }

    /// The words that name the same file in another command; none for the default.
    pub(crate) fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        if let Some(path) = &self.path {
            push_option(&mut words, "--history", &path.display().to_string());
        }
        words
    }
}

/// The common arguments of `score` and `run`.
#[derive(Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub(crate) struct CommonArguments {
    /// Score only cases with this text in their id
    #[arg(short = 'k', value_name = "TEXT", help_heading = "Which cases")]
    pub(crate) text: Option<String>,
    /// Score only cases with this tag; given again, with any of them
    #[arg(long = "tag", value_name = "TAG", help_heading = "Which cases")]
    pub(crate) tags: Vec<String>,
    /// Score only cases with this meta value; given again for the same key, with any of them
    #[arg(long = "where", value_name = "KEY=VALUE", value_parser = parse_where, add = completing::meta_values(), help_heading = "Which cases")]
    pub(crate) meta: Vec<(String, String)>,

    /// Show results by group too: by meta keys, or `tag`
    #[arg(long, value_name = "KEY,…", value_parser = parse_grouping, add = completing::groupings(), help_heading = "Results")]
    pub(crate) by: Option<Grouping>,
    /// What to print [default: by the ending of the output file, else a table]
    #[arg(long, value_name = "FORMAT", value_parser = result_format(), help_heading = "Results")]
    pub(crate) format: Option<ResultFormat>,
    /// Write the results to a file, which appears when it is complete
    #[arg(short, long, value_name = "FILE", help_heading = "Results")]
    pub(crate) output: Option<PathBuf>,
    /// In CSV, write ' before cells that a spreadsheet would take for formulas
    #[arg(long, help_heading = "Results")]
    pub(crate) csv_safe: bool,
    /// In JUnit, leave out the tests that passed
    #[arg(long, help_heading = "Results")]
    pub(crate) failures_only: bool,
    /// Add to each result its alignment, why the score is low, and the rest of the case
    #[arg(long, help_heading = "Results")]
    pub(crate) explain: bool,
    /// List in the table the cases on which the editions of an evaluator differ
    #[arg(long, help_heading = "Results")]
    pub(crate) editions: bool,
    #[command(flatten)]
    pub(crate) lists: ListArguments,
    /// Leave the details, tags and meta values out of the results
    #[arg(long, help_heading = "Results")]
    pub(crate) no_details: bool,
    /// Write another format too; may be given several times [default path: rightcall-report.ENDING]
    #[arg(long = "report", value_name = "FORMAT[=PATH]", value_parser = parse_report, add = completing::outputs(), help_heading = "Results")]
    pub(crate) reports: Vec<ReportRequest>,
    /// Print the verdict in place of the table, and no notes and warnings
    #[arg(short, long, help_heading = "Results")]
    pub(crate) quiet: bool,

    /// Which numbers to use where document and package differ: documented or package
    #[arg(long, value_name = "EDITION", value_parser = parse_edition, add = completing::editions(), help_heading = "How to score")]
    pub(crate) edition: Option<Edition>,
    /// Number of threads [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = parse_threads, help_heading = "How to score")]
    pub(crate) threads: Option<NonZeroUsize>,
    #[command(flatten)]
    pub(crate) effort: Effort,

    /// Records that cannot be read do not change the exit code
    #[arg(long, help_heading = "Input")]
    pub(crate) skip_invalid: bool,
    #[command(flatten)]
    pub(crate) joining: Joining,
    #[command(flatten)]
    pub(crate) input: InputArguments,
}

/// How much an evaluator may do.
#[derive(Debug, Args)]
pub(crate) struct Effort {
    /// The most pairs of calls whose arguments an evaluator compares in a case [default: 2500000000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "How to score")]
    pub(crate) max_comparisons: Option<u64>,
}

/// How runs are found.
#[derive(Debug, Args)]
pub(crate) struct Joining {
    /// The key that matches runs to cases: id, input (the question), file (its name), order, a meta key or a span attribute [default: id]
    #[arg(long, value_name = "KEY", value_parser = parse_join, help_heading = "Input")]
    pub(crate) join: Option<Join>,
}

/// A report to write.
#[derive(Clone, Debug)]
pub(crate) struct ReportRequest {
    pub(crate) format: &'static OutputFormat,
    /// The path; `None` for the format's default path.
    pub(crate) path: Option<PathBuf>,
}

/// How inputs are read.
#[derive(Debug, Args)]
pub(crate) struct InputArguments {
    /// The format of the input [default: recognized by its first values]
    #[arg(long, value_name = "FORMAT", value_parser = maps::find, add = completing::formats(), help_heading = "Input")]
    pub(crate) input_format: Option<&'static InputFormat>,
    /// The map of the input: a YAML or JSON file that says where the calls are
    #[arg(long, value_name = "FILE", value_parser = parse_map, conflicts_with = "input_format", help_heading = "Input")]
    pub(crate) map: Option<&'static InputFormat>,
    /// How traces are read where opinions differ, such as `order=document`; `rightcall formats` lists the choices
    #[arg(long = "read", value_name = "KEY=VALUE", value_parser = parse_choice, add = completing::choices(), help_heading = "Input")]
    pub(crate) choices: Vec<(String, String)>,
    /// The longest line
    #[arg(long, value_name = "SIZE", value_parser = size::parse, default_value = "64MiB", help_heading = "Input")]
    pub(crate) max_line: usize,
    /// The deepest nesting, at most 512
    #[arg(long, value_name = "DEPTH", value_parser = |text: &str| parse_number(text, &(1..=MAX_DEPTH)), default_value = "512", help_heading = "Input")]
    pub(crate) max_depth: usize,
    /// The largest document that is not JSON Lines
    #[arg(long, value_name = "SIZE", value_parser = size::parse, default_value = "1GiB", help_heading = "Input")]
    pub(crate) max_document: usize,
}

impl InputArguments {
    pub(crate) fn limits(&self) -> Limits {
        Limits {
            max_line: self.max_line,
            max_depth: self.max_depth,
            max_document: self.max_document,
        }
    }

    /// How to read the cases, and how to read the runs that are joined to them.
    pub(crate) fn readings(
        &self,
        joining: &Joining,
        is_joined: bool,
    ) -> (ReadOptions, ReadOptions) {
        self.readings_with(&SuiteReading::default(), joining.join, is_joined)
    }

    /// Like [`InputArguments::readings`], with the settings of a suite, which the command line overrides.
    pub(crate) fn readings_with(
        &self,
        of_suite: &SuiteReading,
        join: Option<Join>,
        is_joined: bool,
    ) -> (ReadOptions, ReadOptions) {
        let of_traces = ReadOptions {
            join: join.unwrap_or_default(),
            ..self.reading_with(of_suite)
        };
        // A trace format applies to the traces only; the cases are in another format.
        let format = of_traces
            .format
            .filter(|format| !is_joined || !format.holds_traces());
        (
            ReadOptions {
                format,
                ..of_traces
            },
            of_traces,
        )
    }

    pub(crate) fn reading(&self) -> ReadOptions {
        self.reading_with(&SuiteReading::default())
    }

    /// Like [`InputArguments::reading`], with the settings of a suite, which the command line overrides.
    pub(crate) fn reading_with(&self, of_suite: &SuiteReading) -> ReadOptions {
        let mut choices = Choices::default();
        for (key, value) in of_suite.choices.iter().chain(&self.choices) {
            // Keys and values were validated when the arguments were parsed.
            _ = choices.set(key, value);
        }
        ReadOptions {
            format: self.map.or(self.input_format).or(of_suite.map),
            maps: maps::known(),
            choices,
            max_depth: self.max_depth,
            hash_key: fresh_hash_key(),
            ..ReadOptions::default()
        }
    }
}

/// The evaluators named with `-e`.
pub(crate) fn configured(
    evaluators: &[String],
    edition: Option<Edition>,
) -> Result<Vec<Configured>, Trouble> {
    let configured = |text: &String| -> Result<Configured, Trouble> {
        Ok(Configured::new(EvaluatorArgument::parse(text)?, edition)?)
    };
    evaluators.iter().map(configured).collect()
}

/// How to write CSV cells.
pub(crate) fn cells(csv_safe: bool) -> Cells {
    if csv_safe { Cells::Safe } else { Cells::Exact }
}

impl CommonArguments {
    /// The format of the results: `--format`, else the ending of the output file, else a table.
    pub(crate) fn format(&self) -> ResultFormat {
        let of_file = || OutputFormat::from_path(self.output.as_ref()?).map(ResultFormat::File);
        self.format.or_else(of_file).unwrap_or(ResultFormat::Table)
    }

    /// How many entries of each list to show.
    pub(crate) fn listed(&self) -> ListLength {
        self.lists.length()
    }

    /// The contents of JSON lines in addition to scores and verdicts.
    pub(crate) fn contents(&self) -> LineContents {
        LineContents {
            details: !self.no_details,
            explained: self.explain,
        }
    }
}

/// How much of lists is shown.
#[derive(Debug, Default, Args)]
pub(crate) struct ListArguments {
    /// Show whole lists in the table: all cases, causes, errors and warnings
    #[arg(long, help_heading = "Results")]
    all: bool,
    /// Show N entries of each list in the table
    #[arg(
        long,
        value_name = "N",
        conflicts_with = "all",
        help_heading = "Results"
    )]
    limit: Option<usize>,
}

impl ListArguments {
    pub(crate) fn length(&self) -> ListLength {
        let all = self.all.then_some(usize::MAX);
        ListLength(all.or(self.limit))
    }
}

/// How results are printed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ResultFormat {
    /// For people, on a screen.
    Table,
    File(&'static OutputFormat),
}

/// Parses a result format by name.
pub(crate) fn result_format() -> impl TypedValueParser<Value = ResultFormat> {
    formats(|_| false)
}

/// The same for a comparison: formats that can't hold one are not listed. They parse, so that the error can say why.
pub(crate) fn comparison_format() -> impl TypedValueParser<Value = ResultFormat> {
    formats(|format| !format.has_comparisons())
}

fn formats(is_hidden: fn(&OutputFormat) -> bool) -> impl TypedValueParser<Value = ResultFormat> {
    let table = PossibleValue::new("table").help("a screen for people");
    let files = OUTPUTS.iter().map(|it| {
        let value = PossibleValue::new(it.name).help(it.about);
        value.hide(is_hidden(it))
    });
    PossibleValuesParser::new([table].into_iter().chain(files))
        .map(|name| OutputFormat::find(&name).map_or(ResultFormat::Table, ResultFormat::File))
}

/// Which runs become expectations.
#[derive(Debug, Default, Args)]
pub(crate) struct ChoiceArguments {
    /// Only runs with this text in their id
    #[arg(short = 'k', value_name = "TEXT", help_heading = "Which runs")]
    pub(crate) text: Option<String>,
    /// Only runs with this tag; given again, with any of them
    #[arg(long = "tag", value_name = "TAG", help_heading = "Which runs")]
    pub(crate) tags: Vec<String>,
    /// Only runs with this meta value, such as reward=1.0; given again for the same key, with any of them
    #[arg(long = "where", value_name = "KEY=VALUE", value_parser = parse_where, help_heading = "Which runs")]
    pub(crate) meta: Vec<(String, String)>,
    /// Only the run with this id; may be given several times
    #[arg(long = "case", value_name = "ID", help_heading = "Which runs")]
    pub(crate) cases: Vec<String>,
}

impl ChoiceArguments {
    pub(crate) fn selection(&self) -> Selection {
        Selection {
            text: self.text.clone(),
            only: filter(&self.tags, &self.meta),
            cases: self.cases.clone(),
            failed: None,
        }
    }
}

/// Selects cases that have one of these tags, and one of the given values for each key.
pub(crate) fn filter(tags: &[String], meta: &[(String, String)]) -> Filter {
    let mut filter = Filter {
        tags: tags.to_vec(),
        ..Filter::default()
    };
    meta.iter()
        .for_each(|(key, value)| filter.or_meta(key, value));
    filter
}

/// What becomes an expectation.
#[derive(Debug, Args)]
pub(crate) struct RecordingArguments {
    /// The part of a run that is expected: args (calls with arguments), names (calls by name), outputs, order, counts
    #[arg(long = "keep", value_name = "WHAT,…", value_delimiter = ',', value_parser = parse_keep, default_value = "args")]
    pub(crate) keep: Vec<RecordedPart>,
    /// Arguments that change each time: `/created_at`, `/items/*/id`, `/**/id`, `refund:/at` for one tool
    #[arg(long = "ignore", value_name = "PATTERN", value_parser = IgnoredArguments::parse)]
    pub(crate) ignored: Vec<IgnoredArguments>,
}

impl RecordingArguments {
    pub(crate) fn recorder(&self) -> ExpectationRecorder {
        ExpectationRecorder::new(self.keep.clone(), self.ignored.clone())
    }
}

/// What is left out of expectations.
#[derive(Debug, Args)]
pub(crate) struct RedactionArguments {
    /// Values that are not written and may be any: a pattern such as `password` or `/card/number`, or a suite, for the patterns of its `redact`
    #[arg(long = "redact", value_name = "PATTERN|SUITE", value_parser = parse_redaction)]
    redacted: Vec<Redaction>,
}

impl RedactionArguments {
    pub(crate) fn redaction(&self) -> Redaction {
        let mut all = Redaction::default();
        self.redacted.iter().for_each(|it| all.add(it));
        all
    }
}

/// True if the file may be a suite, by its ending.
pub(crate) fn names_suite(path: &Path) -> bool {
    let ending = path.extension().and_then(|it| it.to_str());
    matches!(ending, Some("yaml" | "yml" | "json"))
}

fn parse_redaction(text: &str) -> Result<Redaction, String> {
    let path = Path::new(text);
    if !names_suite(path) {
        return Redaction::new([text]).map_err(|error| error.to_string());
    }
    let options = SuiteOptions {
        settings_alone: true,
        ..SuiteOptions::default()
    };
    let suite = Suite::read(path, &options).map_err(|error| error.to_string())?;
    if suite.redaction.is_empty() {
        return Err("the suite has no `redact`".to_owned());
    }
    Ok(suite.redaction)
}

/// How lists are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListFormat {
    /// For people
    Table,
    /// A JSON document
    Json,
}

pub(crate) fn parse_where(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').filter(|(key, _)| !key.is_empty());
    pair.map(|(key, value)| (key.to_owned(), value.to_owned()))
        .ok_or_else(|| "write KEY=VALUE, such as model=gpt-4o".to_owned())
}

pub(crate) fn parse_grouping(text: &str) -> Result<Grouping, String> {
    Grouping::parse(text)
        .ok_or_else(|| "write meta keys with commas between, such as model,domain".to_owned())
}

/// Parses `html`, `html=out.html` or just `out.html`.
pub(crate) fn parse_report(text: &str) -> Result<ReportRequest, String> {
    let (name, path) = text
        .split_once('=')
        .map_or((text, None), |(name, path)| (name, Some(path)));
    if path.is_none()
        && let Some(format) = OutputFormat::from_path(Path::new(text))
    {
        return Ok(ReportRequest {
            format,
            path: Some(PathBuf::from(text)),
        });
    }
    Ok(ReportRequest {
        format: parse_output_format(name)?,
        path: path.map(PathBuf::from),
    })
}

pub(crate) fn parse_output_format(name: &str) -> Result<&'static OutputFormat, String> {
    if let Some(format) = OutputFormat::find(name).or_else(|| OutputFormat::from_ending(name)) {
        return Ok(format);
    }
    let names: Vec<_> = OUTPUTS.iter().map(|format| format.name).collect();
    let near = did_you_mean(&nearest(name, names.iter().copied()));
    Err(format!(
        "there is no report `{name}`{near}{} Reports: {}",
        if near.is_empty() { "." } else { "" },
        names.join(", ")
    ))
}

pub(crate) fn parse_edition(name: &str) -> Result<Edition, String> {
    Edition::parse(name).ok_or_else(|| "expected documented or package".to_owned())
}

fn parse_map(file: &str) -> Result<&'static InputFormat, String> {
    InputFormat::from_map_file(Path::new(file)).map_err(|error| maps::in_words(&error))
}

pub(crate) fn parse_join(text: &str) -> Result<Join, String> {
    if text.is_empty() {
        Err("write id, input, file, order, or a key such as session.id".to_owned())
    } else {
        Ok(Join::parse(text))
    }
}

fn parse_keep(word: &str) -> Result<RecordedPart, String> {
    let known = RecordedPart::ALL
        .iter()
        .find(|(name, _)| *name == word)
        .map(|(_, keep)| *keep);
    let names = || RecordedPart::ALL.map(|(name, _)| name).join(", ");
    known.ok_or_else(|| format!("there are {}", names()))
}

fn parse_choice(text: &str) -> Result<(String, String), String> {
    let (key, value) = text
        .split_once('=')
        .ok_or("expected KEY=VALUE, such as order=document")?;
    Choices::default()
        .set(key, value)
        .map_err(|error| error.to_string())?;
    Ok((key.to_owned(), value.to_owned()))
}

pub(crate) fn parse_threads(text: &str) -> Result<NonZeroUsize, String> {
    let threads = parse_number(text, &(1..=MAX_THREADS))?;
    Ok(NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN))
}

/// Parses the keys by which cases are matched.
pub(crate) fn parse_key(text: &str) -> Result<CaseKey, String> {
    CaseKey::parse(text)
        .ok_or_else(|| "write id, or meta keys with commas between, such as domain,task".to_owned())
}

/// Parses a confidence in percent.
pub(crate) fn parse_confidence(text: &str) -> Result<f64, String> {
    parse_number(text.trim_end_matches('%'), &(50.0..=99.9))
}

/// Parses the score from which a case passes.
pub(crate) fn parse_pass_mark(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|mark: &f64| mark.is_finite())
        .ok_or_else(|| "expected a number".to_owned())
}

/// Parses a percentage, with or without its sign.
pub(crate) fn parse_percent(text: &str) -> Result<f64, String> {
    let number = text.trim_end_matches('%').trim().parse().ok();
    let percent = number.filter(|it| (0.0..=100.0).contains(it));
    percent.ok_or_else(|| "expected a percentage from 0 to 100, such as 80".to_owned())
}

/// Parses a number in an inclusive range.
pub(crate) fn parse_number<T: FromStr + PartialOrd + Display>(
    text: &str,
    range: &RangeInclusive<T>,
) -> Result<T, String> {
    let number = text.parse().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| {
        let (from, to) = (range.start(), range.end());
        format!("expected a number from {from} to {to}")
    })
}
