//! `rightcall score`: scores case files with evaluators from the command line, without gates.

use std::path::PathBuf;

use clap::Args;
use rightcall_formats::ReadOptions;
use rightcall_report::count;
use rightcall_run::{Plan, SuiteReading, expectations_in};

use crate::arguments::{CommonArguments, configured};
use crate::completing;
use crate::exit::Exit;
use crate::hint::explain_file;
use crate::messages::Trouble;
use crate::scoring::{ResultFiles, ScoringJob, score as score_plan};

#[derive(Debug, Args)]
pub(crate) struct ScoreArguments {
    /// Case files; `-` is standard input
    #[arg(required = true, value_name = "FILES")]
    pub(crate) files: Vec<PathBuf>,
    /// An evaluator with its settings: `axion/tool-correctness,threshold=0.8`, or a JSON object
    #[arg(
        short,
        long = "evaluator",
        required = true,
        value_name = "EVALUATOR[,KEY=VALUE…]",
        add = completing::evaluators()
    )]
    pub(crate) evaluators: Vec<String>,
    /// Files with the runs, joined to the cases by id
    #[arg(long, value_name = "FILES", num_args = 1..)]
    pub(crate) traces: Vec<PathBuf>,
    /// A JSON or YAML file with the expectation for runs without their own, as `expect:` of a suite
    #[arg(long, value_name = "FILE")]
    pub(crate) expect: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) common: CommonArguments,
}

pub(crate) fn score(arguments: ScoreArguments) -> Result<Exit, Trouble> {
    let common = arguments.common;
    let subject = match &arguments.files[..] {
        [file] if file.as_os_str() == "-" => "standard input".to_owned(),
        [file] => file.display().to_string(),
        files => count(files.len() as u64, "file"),
    };
    let selection = common.selection();
    let limits = common.input.limits();
    let expected = match &arguments.expect {
        Some(file) => expectations_in(file, limits.max_document)?,
        None => Vec::new(),
    };
    let plan = Plan {
        evaluators: configured(&arguments.evaluators, common.edition)?,
        expected,
        selection,
        ..Plan::new(arguments.files, ReadOptions::default(), limits)
    };
    let reads = plan.inputs.iter().chain(&arguments.traces);
    let files = ResultFiles::open(reads.chain(&arguments.expect), None, &common)?;
    let expect = arguments.expect.as_deref();
    let scoring = ScoringJob {
        explain: explain_file(&plan, expect, &arguments.traces, &common),
        plan,
        traces: arguments.traces,
        reading: SuiteReading::default(),
        subject,
        facts: Vec::new(),
        earlier: Vec::new(),
        files,
        records: Vec::new(),
        accept: None,
    };
    score_plan(scoring, &common)
}
