//! The runs of a suite, and what broken runs are made of.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use rightcall_core::call::Case;
use rightcall_formats::join::RunIdentity;
use rightcall_formats::{ReadOptions, ToolCatalogue, case_text, read_case};
use rightcall_quality::strength::Material;
use rightcall_report::ListLength;
use rightcall_run::{Plan, Suite, SuiteOptions, each_labelled_case};

use super::StrengthArguments;
use crate::arguments::SuiteReading;
use crate::commands::read_suite;
use crate::commands::tools_file::{catalogue, tools_of_traces};
use crate::messages::Trouble;
use crate::problems::ProblemCounter;
use crate::scoring::{index, threads};

/// The runs of a suite.
pub(super) struct SuiteRuns {
    pub(super) runs: Vec<RecordedRun>,
    /// Cases without a run.
    pub(super) without_run: u64,
    /// What broken runs are made of.
    pub(super) material: Material,
    /// True if something could not be read.
    pub(super) is_wrong: bool,
}

/// A case with its run.
pub(super) struct RecordedRun {
    pub(super) label: String,
    /// As JSON text.
    pub(super) trial: Option<String>,
    /// The case as canonical text.
    pub(super) text: String,
}

/// Keys of a case under which tools are defined.
const TOOLS: [&str; 4] = ["tools", "functions", "available_tools", "tool_definitions"];

/// The plan of the suite: its runs and its judges.
pub(super) fn plan(path: &Path, arguments: &StrengthArguments) -> Result<Plan, Trouble> {
    let limits = arguments.input.limits();
    let options = SuiteOptions {
        edition: arguments.edition,
        profile: arguments.profile.clone(),
        limits,
        ..SuiteOptions::default()
    };
    let mut suite = read_suite(path, &options)?;
    let traces = take_traces(&mut suite, path, arguments)?;
    let join = arguments.joining.join.or(suite.join);
    let of_suite = SuiteReading {
        join,
        ..SuiteReading::of(&suite)
    };
    let readings = arguments
        .input
        .readings_with(&of_suite, join, !traces.is_empty());
    let (reading, of_traces) = readings;
    let identity = RunIdentity::new(suite.identity.clone());
    let threads = threads(arguments.threads);
    Ok(Plan {
        traces: index(
            traces,
            of_traces,
            limits,
            threads,
            &identity,
            Some(ListLength::default()),
        )?,
        identity: suite.identity,
        expected: suite.expected,
        evaluators: suite.evaluators,
        gates: suite.gates,
        case_rule: Some(suite.case_rule),
        selection: arguments.choice.selection(),
        redaction: suite.redaction,
        threads,
        ..Plan::new(
            suite.cases,
            ReadOptions {
                max_comparisons: arguments.effort.max_comparisons,
                ..reading
            },
            limits,
        )
    })
}

/// The files of runs, as `run` takes them: of a suite without cases each run is a case.
fn take_traces(
    suite: &mut Suite,
    path: &Path,
    arguments: &StrengthArguments,
) -> Result<Vec<PathBuf>, Trouble> {
    suite.runs_to_traces();
    if !arguments.traces.is_empty() {
        suite.traces.clone_from(&arguments.traces);
        suite.runs.clear();
    } else if !suite.runs.is_empty() {
        let names: Vec<_> = suite.runs.iter().map(|(name, _)| name.as_str()).collect();
        let message = format!(
            "{}: it names {} runs: {}",
            path.display(),
            names.len(),
            names.join(", ")
        );
        let help = "choose the files of one: --traces FILES";
        return Err(Trouble::with_help(message, help));
    }
    suite.traces_to_cases();
    Ok(std::mem::take(&mut suite.traces))
}

/// Reads the runs, and the definitions of tools.
pub(super) fn runs(plan: &Plan, arguments: &StrengthArguments) -> Result<SuiteRuns, Trouble> {
    let mut suite = SuiteRuns {
        runs: Vec::new(),
        without_run: 0,
        material: Material::default(),
        is_wrong: false,
    };
    for path in &arguments.tools {
        let tools = catalogue(path, plan.limits)?;
        suite
            .material
            .add_tools(&tools, &path.display().to_string());
    }
    let traces = plan.traces.iter().flat_map(|it| &it.files);
    for path in plan.inputs.iter().chain(traces) {
        if let Some(tools) = tools_of_traces(path, plan.limits, &plan.reading)? {
            suite
                .material
                .add_tools(&tools, &path.display().to_string());
        }
    }
    let (mut problems, mut known) = (ProblemCounter::default(), HashSet::new());
    each_labelled_case(plan, &mut problems, &mut |case, label| {
        suite.add_tools_of(case, label, &mut known);
        if case.actual.is_none() {
            suite.without_run += 1;
            return;
        }
        suite.runs.push(RecordedRun {
            label: label.to_owned(),
            trial: case.trial.map(str::to_owned),
            text: case_text(case),
        });
    })?;
    problems.finish();
    suite.is_wrong = problems.count() > 0;
    // Only now: defaults in definitions say which calls are the same.
    let reading = plan.reading.of_any_format();
    for (number, run) in suite.runs.iter().enumerate() {
        if let Ok(case) = read_case(&run.text, &reading) {
            suite.material.add_case(&case, number);
        }
    }
    Ok(suite)
}

impl SuiteRuns {
    /// Adds the tools that a case defines, unless it shares the definitions of an earlier one.
    fn add_tools_of(&mut self, case: &Case<'_>, label: &str, known: &mut HashSet<String>) {
        for (_, json) in case
            .meta
            .iter()
            .filter(|(key, _)| TOOLS.iter().any(|it| *key == **it))
        {
            if known.insert((*json).to_owned())
                && let Ok(tools) = ToolCatalogue::from_json(json)
            {
                self.material.add_tools(&tools, label);
            }
        }
    }
}
