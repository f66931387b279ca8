//! A suite with several named runs, such as one for each model: scores each, then compares all with the first.

use rightcall_report::{
    CollectedCases, ComparedRun, ComparisonOptions, ComparisonReport, Incomparable,
};
use rightcall_run::{OutputFiles, ResultsOptions, Suite};

use super::super::compare::{ComparisonReports, check_formats};
use super::{NamedRun, RunArguments, input_files, run_sink, run_suite, suite_of};
use crate::arguments::ReportRequest;
use crate::exit::Exit;
use crate::messages::{Trouble, show_last, warning};

/// Scores each run and compares them.
pub(super) fn run(arguments: &mut RunArguments, suite: &Suite) -> Result<Exit, Trouble> {
    if arguments.agent.is_wanted() {
        let help = "leave `runs:` to traces that are there already";
        return Err(Trouble::with_help(
            "--agent, and a suite with `runs:`",
            help,
        ));
    }
    // Reports hold the comparison, not the single runs.
    let requests = std::mem::take(&mut arguments.common.reports);
    let exit = compare_runs(arguments, suite, &requests);
    arguments.common.reports = requests;
    exit
}

fn compare_runs(
    arguments: &RunArguments,
    suite: &Suite,
    requests: &[ReportRequest],
) -> Result<Exit, Trouble> {
    let common = &arguments.common;
    if common.output.is_some() || common.format.is_some() || arguments.accept {
        let help = "--report writes the comparison; `--traces FILES` scores one of the runs";
        return Err(Trouble::with_help(
            "a suite with `runs:` has no single result to print, write or accept",
            help,
        ));
    }
    check_formats(requests.iter().map(|it| it.format))?;
    let files = suite.runs.iter().flat_map(|(_, files)| files);
    let reads = input_files(arguments, suite);
    let reads = reads
        .iter()
        .chain(&suite.cases)
        .chain(&suite.traces)
        .chain(files);
    let reports = ComparisonReports::open(requests, &mut OutputFiles::new(reads))?;
    let (mut exit, mut runs) = (Exit::Success, Vec::new());
    for (name, files) in &suite.runs {
        let mut part = suite_of(arguments)?;
        part.runs.clear();
        if part.cases.is_empty() {
            part.cases.clone_from(files);
        } else {
            part.traces.extend(files.iter().cloned());
        }
        let named = NamedRun {
            name: name.clone(),
            cases: CollectedCases::default(),
        };
        let evaluators = suite_of(arguments)?.evaluators;
        let record = run_sink(arguments, &part, Some(&named));
        exit = exit.max(run_suite(arguments, part, Some(&named), record, None)?);
        let options = ResultsOptions::default();
        runs.push(ComparedRun::from_cases(
            named.name,
            &evaluators,
            &named.cases,
            &options,
        ));
    }
    let options = ComparisonOptions {
        listed: common.listed(),
        ..ComparisonOptions::default()
    };
    match ComparisonReport::new(&runs, &options) {
        Ok(report) => {
            let report = report.with_results(&runs);
            reports.write(&report)?;
            if !common.quiet {
                show_last(&format!("\n{}", report.screen()))?;
            }
        }
        Err(why) => warning(
            match why {
                Incomparable::NoCase => "the runs have no case in common and are not compared",
                Incomparable::NoEvaluator => "no evaluator has judged all of the runs",
            },
            None,
        ),
    }
    Ok(exit)
}
