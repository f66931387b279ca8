//! Breaks all passing runs of a suite.

use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use rightcall_core::Edition;
use rightcall_core::call::Case;
use rightcall_formats::{in_order, read_case};
use rightcall_quality::strength::{BrokenRun, PassingRun, StrengthReport, StrengthTest, is_fair};

use super::SuiteRuns;
use super::judges::SuiteJudges;
use super::runs::RecordedRun;
use crate::Plan;

/// The number of runs that a thread takes at a time.
const CHUNK: usize = 8;

/// Measures the strength of a plan's evaluators and gates.
#[derive(Debug)]
pub struct SuiteStrength<'p> {
    plan: &'p Plan,
    judges: SuiteJudges<'p>,
    seed: u64,
    mutants: usize,
}

impl<'p> SuiteStrength<'p> {
    /// Breaks each run at most `mutants` times with each operator. Random choices depend only on the seed.
    pub fn new(plan: &'p Plan, edition: Option<Edition>, seed: u64, mutants: usize) -> Self {
        Self {
            plan,
            judges: SuiteJudges::new(plan, edition),
            seed,
            mutants,
        }
    }

    /// True if no deciding judge can judge a single run, so no broken run can be noticed.
    pub fn is_without_judges(&self) -> bool {
        self.judges.is_empty()
    }

    /// Breaks the passing runs on the plan's threads, and adds up the results. Increments `done` after each run.
    ///
    /// # Errors
    /// No thread can be started.
    pub fn test(&self, runs: SuiteRuns, done: &AtomicU64) -> io::Result<StrengthReport> {
        let mut report = StrengthReport::new(self.judges.names(), self.judges.entries());
        (report.seed, report.mutants) = (self.seed, self.mutants);
        report.unused = self.judges.unused();
        report.runs.without_run = runs.without_run;
        let (runs, material) = runs.with_material(&self.plan.reading.of_any_format());
        let test = StrengthTest {
            material: &material,
            judges: &self.judges,
            seed: self.seed,
            mutants: self.mutants,
        };
        let unbroken = self.each_run(&runs, |_, number, case| test.unbroken(case, number))?;
        let mut passing: HashMap<&str, HashSet<u128>> = HashMap::new();
        let (mut passing_runs, mut rejected) = (0, vec![0; report.candidates.len()]);
        for (run, unbroken) in runs.iter().zip(&unbroken) {
            match unbroken.as_ref().map(|it| (it.passes, it)) {
                Some((Some(true), unbroken)) => {
                    passing_runs += 1;
                    passing.entry(&run.label).or_default().insert(unbroken.act);
                    for (candidate, sum) in rejected.iter_mut().enumerate() {
                        *sum += u64::from(unbroken.is_rejected_by(candidate));
                    }
                }
                Some((Some(false), _)) => report.runs.failing += 1,
                Some((None, _)) | None => report.runs.unjudged += 1,
            }
        }
        let fair = rejected.iter().map(|it| is_fair(*it, passing_runs));
        let fair: Vec<bool> = fair.collect();
        let broken: Vec<Option<BrokenRun>> = self.each_run(&runs, |run, number, case| {
            done.fetch_add(1, Ordering::Relaxed);
            let unbroken = unbroken[number].as_ref()?;
            // A run without a verdict is broken for the candidates that pass it.
            let is_passed = |candidate: usize| fair[candidate] && unbroken.is_passed_by(candidate);
            if unbroken.passes != Some(true) && !(0..fair.len()).any(is_passed) {
                return None;
            }
            let own = HashSet::from([unbroken.act]);
            let passing = PassingRun {
                case,
                number,
                label: &run.label,
                trial: run.trial.as_deref(),
                unbroken,
                passing: passing.get(&*run.label).unwrap_or(&own),
                fair: &fair,
            };
            Some(test.break_run(&passing))
        })?;
        for ((run, unbroken), broken) in runs.into_iter().zip(&unbroken).zip(broken) {
            match (unbroken, broken) {
                (Some(unbroken), Some(broken)) if unbroken.passes.is_none() => {
                    report.add_unjudged(unbroken, &broken);
                }
                (_, Some(broken)) => report.add(run.label, run.trial, broken),
                (_, None) => {}
            }
        }
        Ok(report)
    }

    /// Processes each run, on all threads. The results are in the order of the runs.
    fn each_run<T: Send>(
        &self,
        runs: &[RecordedRun],
        look: impl Fn(&RecordedRun, usize, &Case<'_>) -> Option<T> + Sync,
    ) -> io::Result<Vec<Option<T>>> {
        let reading = self.plan.reading.of_any_format();
        let mut chunks = runs.chunks(CHUNK).enumerate();
        let mut all = Vec::with_capacity(runs.len());
        in_order::<_, _, io::Error>(
            self.plan.threads,
            || Ok(chunks.next()),
            |(chunk, runs)| {
                let looked = (chunk * CHUNK..).zip(runs).map(|(number, run)| {
                    // The text comes from a case, so it is valid.
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
}
