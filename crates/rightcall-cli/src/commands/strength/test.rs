//! Breaks all runs of a suite that pass.

use std::collections::{HashMap, HashSet};

use rightcall_core::call::Case;
use rightcall_formats::{in_order, read_case};
use rightcall_quality::strength::{
    BrokenRun, PassingRun, StrengthReport, StrengthTest, UnbrokenRun,
};
use rightcall_run::Plan;

use super::StrengthArguments;
use super::judges::SuiteJudges;
use super::read::{RecordedRun, SuiteRuns};
use crate::messages::Trouble;

/// Runs that a thread takes at a time.
const TOGETHER: usize = 8;

/// Breaks the runs that pass, and adds up what came of it.
pub(super) fn test(
    plan: &Plan,
    judges: &SuiteJudges<'_>,
    suite: &SuiteRuns,
    arguments: &StrengthArguments,
) -> Result<StrengthReport, Trouble> {
    let mut report = StrengthReport::new(judges.names(), judges.entries());
    (report.seed, report.mutants) = (arguments.seed, arguments.mutants);
    report.unused = judges.unused();
    report.runs.without_run = suite.without_run;
    let test = StrengthTest {
        material: &suite.material,
        judges,
        seed: arguments.seed,
        mutants: arguments.mutants,
    };
    let unbroken = each_run(
        plan,
        suite,
        |_| true,
        |_, number, case| test.unbroken(case, number),
    )?;
    let mut passing: HashMap<&str, HashSet<u128>> = HashMap::new();
    for (run, unbroken) in suite.runs.iter().zip(&unbroken) {
        match unbroken.as_ref().and_then(|it| it.passes) {
            Some(true) => {
                let act = unbroken.iter().map(|it| it.act);
                passing.entry(&run.label).or_default().extend(act);
            }
            Some(false) => report.runs.failing += 1,
            None => report.runs.unjudged += 1,
        }
    }
    let passes = |number: usize| {
        let unbroken: &Option<UnbrokenRun> = &unbroken[number];
        unbroken.is_some_and(|it| it.passes == Some(true))
    };
    let broken: Vec<Option<BrokenRun>> = each_run(plan, suite, passes, |run, number, case| {
        let passing = PassingRun {
            case,
            number,
            label: &run.label,
            trial: run.trial.as_deref(),
            passing: passing.get(&*run.label)?,
        };
        Some(test.break_run(&passing))
    })?;
    for (run, broken) in suite.runs.iter().zip(broken) {
        if let Some(broken) = broken {
            report.add(run.label.clone(), run.trial.clone(), broken);
        }
    }
    Ok(report)
}

/// Does something with each run that is wanted, on all threads. What comes of it is in the order of the runs.
fn each_run<T: Send>(
    plan: &Plan,
    suite: &SuiteRuns,
    is_wanted: impl Fn(usize) -> bool + Sync,
    look: impl Fn(&RecordedRun, usize, &Case<'_>) -> Option<T> + Sync,
) -> Result<Vec<Option<T>>, Trouble> {
    let reading = plan.reading.of_any_format();
    let mut chunks = suite.runs.chunks(TOGETHER).enumerate();
    let mut all = Vec::with_capacity(suite.runs.len());
    in_order::<_, _, Trouble>(
        plan.threads,
        || Ok(chunks.next()),
        |(chunk, runs)| {
            let looked = (chunk * TOGETHER..).zip(runs).map(|(number, run)| {
                if !is_wanted(number) {
                    return None;
                }
                // The text was written from a case.
                let case = read_case(&run.text, &reading).ok()?;
                look(run, number, &case)
            });
            looked.collect::<Vec<_>>()
        },
        |looked| {
            all.extend(looked);
            Ok(())
        },
    )?;
    Ok(all)
}
