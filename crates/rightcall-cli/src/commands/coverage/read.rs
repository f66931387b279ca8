//! Which cases and runs are counted.

use std::path::{Path, PathBuf};

use rightcall_formats::{ReadOptions, Report, ToolCatalogue};
use rightcall_quality::{Coverage, CoverageCounter};
use rightcall_run::{ExpectationRule, Plan, SuiteOptions, each_case};

use super::CoverageArguments;
use crate::arguments::SuiteReading;
use crate::commands::read_suite;
use crate::commands::suite_file::{is_suite, suite_file};
use crate::commands::tools_file::catalogue;
use crate::messages::{Trouble, error, warn_of_unread};
use crate::problems::ProblemCounter;

/// What was read.
pub(super) struct ReadCoverage {
    pub(super) coverage: Coverage,
    /// True if something could not be read, or there was no case.
    pub(super) is_wrong: bool,
}

/// The files that belong together.
#[derive(Default)]
struct Sources {
    cases: Vec<PathBuf>,
    traces: Vec<PathBuf>,
    /// What is expected of runs without an expectation of their own.
    expected: Vec<ExpectationRule>,
    reading: SuiteReading,
}

/// Reads suites, cases, runs and catalogues.
pub(super) fn read(arguments: &CoverageArguments) -> Result<ReadCoverage, Trouble> {
    let limits = arguments.input.limits();
    let mut tools = ToolCatalogue::default();
    for path in &arguments.tools {
        tools.merge(catalogue(path, limits)?);
    }
    let mut counter = CoverageCounter::new(&tools);
    let (mut problems, mut left_out) = (ProblemCounter::default(), Report::default());
    for sources in sources(arguments)? {
        counter.next_group();
        let is_joined = !sources.traces.is_empty() || !arguments.traces.is_empty();
        let readings = arguments
            .input
            .readings_with(&sources.reading, None, is_joined);
        let plan = |files: Vec<PathBuf>, reading: ReadOptions| Plan::new(files, reading, limits);
        let cases = Plan {
            expected: sources.expected,
            ..plan(sources.cases, readings.0)
        };
        let report = each_case(&cases, &mut problems, &mut |case| {
            counter.add_case(case);
            // As in `run`, runs in files of their own replace those in the cases.
            if !is_joined {
                counter.add_run(case);
            }
        })?;
        left_out.add(&report);
        let runs = plan(sources.traces, readings.1);
        let report = each_case(&runs, &mut problems, &mut |case| counter.add_run(case))?;
        left_out.add(&report);
    }
    problems.finish();
    warn_of_unread("the traces", &left_out);
    let coverage = counter.finish();
    let has_cases = coverage.cases > 0;
    if !has_cases {
        let help = "name a suite, or files of cases with `expected`";
        error("no case has an expectation", Some(help));
    }
    Ok(ReadCoverage {
        is_wrong: problems.count() > 0 || !has_cases,
        coverage,
    })
}

/// The files of each suite, and the files of cases together.
fn sources(arguments: &CoverageArguments) -> Result<Vec<Sources>, Trouble> {
    let named = if arguments.files.is_empty() {
        vec![suite_file(None)?]
    } else {
        arguments.files.clone()
    };
    let limits = arguments.input.limits();
    let mut all = Vec::new();
    for path in named {
        all.push(if is_suite(&path, limits) {
            of_suite(&path, arguments)?
        } else {
            Sources {
                cases: vec![path],
                ..Sources::default()
            }
        });
    }
    // Runs that the command line names belong to all of them, and are counted once.
    if let Some(first) = all.first_mut() {
        first.traces.extend(arguments.traces.iter().cloned());
    }
    Ok(all)
}

fn of_suite(path: &Path, arguments: &CoverageArguments) -> Result<Sources, Trouble> {
    let options = SuiteOptions {
        limits: arguments.input.limits(),
        ..SuiteOptions::default()
    };
    let suite = read_suite(&suite_file(Some(path))?, &options)?;
    let runs = suite.runs.into_iter().flat_map(|(_, files)| files);
    let mut sources = Sources {
        traces: suite.traces.into_iter().chain(runs).collect(),
        cases: suite.cases,
        expected: suite.expected,
        reading: SuiteReading {
            choices: suite.read,
            join: suite.join,
            map: suite.map,
        },
    };
    let is_replaced = !arguments.traces.is_empty();
    if sources.cases.is_empty() {
        // With an expectation for all, a run is a case.
        sources.cases = if is_replaced {
            arguments.traces.clone()
        } else {
            std::mem::take(&mut sources.traces)
        };
    }
    if is_replaced {
        sources.traces.clear();
    }
    Ok(sources)
}
