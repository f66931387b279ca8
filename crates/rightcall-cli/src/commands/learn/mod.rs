//! `rightcall learn`: learns expectations or rules from good runs.

mod expectations;
mod rules;

pub(super) use expectations::{learned, report_learned};

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use rightcall_core::learn::LearnedArguments;
use rightcall_formats::join::Join;
use rightcall_run::{OutputFile, OutputFiles, OutputKind, Plan};

use crate::arguments::{ChoiceArguments, InputArguments, RedactionArguments, parse_join};
use crate::exit::Exit;
use crate::messages::Trouble;

#[derive(Debug, Args)]
pub(crate) struct LearnArguments {
    /// Files with good runs, in any format; `-` is standard input
    #[arg(required = true, value_name = "FILES")]
    files: Vec<PathBuf>,
    /// The key that tells tasks apart: id, input (the question), file, a meta key or a span attribute [default: id, else input, else file]
    #[arg(long, value_name = "KEY", value_parser = parse_join, conflicts_with = "rules")]
    by: Option<Join>,
    /// Leave out alternatives that are rarer than this share of the most frequent one
    #[arg(long, value_name = "SHARE", value_parser = parse_noise, allow_negative_numbers = true, conflicts_with = "rules")]
    noise: Option<f64>,
    /// How much of the arguments to learn
    #[arg(
        long,
        value_name = "WHAT",
        default_value = "values",
        conflicts_with = "rules"
    )]
    args: ArgumentDetail,
    /// Keep whole runs as alternatives, at most this many
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), conflicts_with_all = ["rules", "noise"])]
    variants: Option<u64>,
    /// Set no bound on repeats [default: the largest number seen]
    #[arg(long, conflicts_with = "rules")]
    open_repeats: bool,
    /// Leave out calls that failed if an equal call succeeded later: `failed`
    #[arg(long, value_name = "WHAT", value_parser = ["failed"], conflicts_with = "rules")]
    without: Option<String>,
    /// Propose rules instead
    #[arg(long)]
    rules: bool,
    /// With --rules: the share of runs that must keep a rule, of the runs that it applies to [default: 1]
    #[arg(long, value_name = "SHARE", value_parser = parse_share, requires = "rules")]
    support: Option<f64>,
    /// Write to a file, which appears when it is complete
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    redaction: RedactionArguments,
    #[command(flatten)]
    choice: ChoiceArguments,
    #[command(flatten)]
    input: InputArguments,
}

/// How much is learned of arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ArgumentDetail {
    /// Nothing
    Names,
    /// Keys and types
    Types,
    /// Values, choices, forms, and values that flow from call to call
    Values,
}

impl From<ArgumentDetail> for LearnedArguments {
    fn from(detail: ArgumentDetail) -> Self {
        match detail {
            ArgumentDetail::Names => Self::Names,
            ArgumentDetail::Types => Self::Types,
            ArgumentDetail::Values => Self::Values,
        }
    }
}

impl LearnArguments {
    /// Opens the output before the runs are read, so an unwritable path fails early.
    fn output(&self, kind: &OutputKind<'_>) -> Result<OutputFile, Trouble> {
        match &self.output {
            Some(path) => Ok(OutputFiles::new(&self.files).create(path, kind)?),
            None => Ok(OutputFile::stdout()),
        }
    }

    /// The runs to learn from.
    fn plan(&self) -> Plan {
        Plan {
            selection: self.choice.selection(),
            redaction: self.redaction.redaction(),
            ..Plan::new(
                self.files.clone(),
                self.input.reading(),
                self.input.limits(),
            )
        }
    }
}

pub(crate) fn learn(arguments: &LearnArguments) -> Result<Exit, Trouble> {
    if arguments.rules {
        rules::learn(arguments)
    } else {
        expectations::learn(arguments)
    }
}

fn parse_share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|it| *it > 0.0 && *it <= 1.0);
    share.ok_or_else(|| "expected a number above 0 and up to 1, such as 0.95".to_owned())
}

fn parse_noise(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|it| (0.0..1.0).contains(it));
    share.ok_or_else(|| "expected a number from 0 and below 1, such as 0.1".to_owned())
}
