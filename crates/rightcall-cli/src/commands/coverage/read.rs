//! Reads the cases and runs for coverage.

use std::path::{Path, PathBuf};

use rightcall_formats::{Report, ToolCatalogue};
use rightcall_quality::{Coverage, CoverageCounter};
use rightcall_report::count;
use rightcall_run::{
    ExpectationRule, Plan, SuiteOptions, SuiteReading, each_case, tools_in_settings,
};

use super::CoverageArguments;
use crate::commands::read_suite;
use crate::commands::suite_file::{is_suite, suite_file};
use crate::commands::tools_file::{catalogue, tools_of_traces};
use crate::messages::{Trouble, error, warn_of_unread, warning};
use crate::problems::ProblemCounter;

/// The result of reading.
pub(super) struct ReadCoverage {
    pub(super) coverage: Coverage,
    /// True if an input could not be read, or there was no case.
    pub(super) is_wrong: bool,
}

/// The files of one suite, or all files of cases.
#[derive(Default)]
struct Sources {
    cases: Vec<PathBuf>,
    traces: Vec<PathBuf>,
    /// The expectations for runs without one.
    expected: Vec<ExpectationRule>,
    /// The tools in the rules of the suite.
    ruled: Vec<String>,
    reading: SuiteReading,
}

/// The counts so far.
#[derive(Default)]
struct CoverageCounts {
    counter: CoverageCounter,
    problems: ProblemCounter,
    left_out: Report,
    /// The number of records in the traces without a run.
    without_run: u64,
}

/// Reads suites, cases, runs and catalogues.
pub(super) fn read(arguments: &CoverageArguments) -> Result<ReadCoverage, Trouble> {
    let mut tools = ToolCatalogue::default();
    for path in &arguments.tools {
        tools.merge(catalogue(path, arguments.input.limits())?);
    }
    let all = sources(arguments)?;
    if arguments.tools.is_empty() {
        all.iter()
            .flat_map(|it| found_tools(it, arguments))
            .for_each(|found| tools.merge(found));
    }
    let mut counted = CoverageCounts {
        counter: CoverageCounter::new(&tools),
        ..CoverageCounts::default()
    };
    for sources in all {
        counted.add(sources, arguments)?;
    }
    counted.problems.finish();
    warn_of_unread("the traces", &counted.left_out);
    if counted.without_run > 0 {
        let records = count(counted.without_run, "record");
        let help = "`rightcall inspect` shows what the files hold";
        warning(
            &format!("{records} of the traces without a run"),
            Some(help),
        );
    }
    let coverage = counted.counter.finish();
    let has_cases = coverage.cases > 0;
    if !has_cases {
        let help = "name a suite with rules, or files of cases with `expected`";
        error("no case has an expectation", Some(help));
    }
    Ok(ReadCoverage {
        is_wrong: counted.problems.count() > 0 || !has_cases,
        coverage,
    })
}

/// The tools that the files define, if they are traces. A file that cannot be opened is reported
/// when its runs are read.
fn found_tools(sources: &Sources, arguments: &CoverageArguments) -> Vec<ToolCatalogue> {
    let input = &arguments.input;
    let (_, reading) = input.readings_with(&sources.reading, None, true);
    let files = sources.cases.iter().chain(&sources.traces);
    let found = files.filter_map(|it| tools_of_traces(it, input.limits(), &reading).ok()?);
    found.collect()
}

impl CoverageCounts {
    /// Counts the cases and the runs of a suite, or of a file.
    fn add(&mut self, sources: Sources, arguments: &CoverageArguments) -> Result<(), Trouble> {
        let Self {
            counter,
            problems,
            left_out,
            without_run,
        } = self;
        counter.next_group();
        counter.add_rules(sources.ruled);
        let is_joined = !sources.traces.is_empty() || !arguments.traces.is_empty();
        let input = &arguments.input;
        let (of_cases, of_traces) = input.readings_with(&sources.reading, None, is_joined);
        let cases = Plan {
            expected: sources.expected,
            ..Plan::new(sources.cases, of_cases, input.limits())
        };
        let report = each_case(&cases, problems, &mut |case| {
            counter.add_case(case);
            // As in `run`, runs in separate files replace those in the cases.
            if !is_joined {
                counter.add_run(case);
            }
        })?;
        left_out.add(&report);
        let runs = Plan::new(sources.traces, of_traces, input.limits());
        let report = each_case(&runs, problems, &mut |case| {
            *without_run += u64::from(case.actual.is_none() && case.incomplete.is_none());
            counter.add_run(case);
        })?;
        left_out.add(&report);
        Ok(())
    }
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
    // Runs from the command line belong to all sources, and are counted once.
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
    let reading = SuiteReading::of(&suite);
    let runs = suite.runs.into_iter().flat_map(|(_, files)| files);
    let mut sources = Sources {
        traces: suite.traces.into_iter().chain(runs).collect(),
        cases: suite.cases,
        ruled: tools_in_settings(&suite.evaluators),
        expected: suite.expected,
        reading,
    };
    let is_replaced = !arguments.traces.is_empty();
    // With one expectation for all runs, each run is a case, unless it is replaced.
    if sources.cases.is_empty() || (suite.runs_are_cases && is_replaced) {
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
