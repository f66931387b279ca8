//! Reads the runs of a suite, and the definitions of tools.

use std::path::Path;

use rightcall_formats::ReadOptions;
use rightcall_formats::join::RunIdentity;
use rightcall_report::ListLength;
use rightcall_run::{Plan, SuiteOptions, SuiteReading, SuiteRuns, each_labelled_case};

use super::StrengthArguments;
use crate::commands::tools_file::{catalogue, tools_of_traces};
use crate::commands::{read_suite, traces_of};
use crate::messages::Trouble;
use crate::problems::ProblemCounter;
use crate::scoring::{index, threads};

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
    let traces = traces_of(&mut suite, path, &arguments.traces)?;
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

/// Reads the runs, and the definitions of tools. The second value is true if an input could not be read.
pub(super) fn runs(
    plan: &Plan,
    arguments: &StrengthArguments,
) -> Result<(SuiteRuns, bool), Trouble> {
    let mut runs = SuiteRuns::default();
    for path in &arguments.tools {
        let tools = catalogue(path, plan.limits)?;
        runs.add_tools(&tools, &path.display().to_string());
    }
    let traces = plan.traces.iter().flat_map(|it| &it.files);
    for path in plan.inputs.iter().chain(traces) {
        if let Some(tools) = tools_of_traces(path, plan.limits, &plan.reading)? {
            runs.add_tools(&tools, &path.display().to_string());
        }
    }
    let mut problems = ProblemCounter::default();
    each_labelled_case(plan, &mut problems, &mut |case, label| {
        runs.add_case(case, label);
    })?;
    problems.finish();
    Ok((runs, problems.count() > 0))
}
