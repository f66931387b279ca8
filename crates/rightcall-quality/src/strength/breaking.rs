//! Breaks one run with all operators, and counts the broken runs that the suite notices.

use std::collections::HashSet;
use std::hash::Hasher;

use rightcall_core::PreparedCase;
use rightcall_core::call::{Case, Trajectory};
use rightcall_stats::Random;
use siphasher::sip::SipHasher13;

use super::open::ExpectationDistance;
use super::tally::MutationTally;
use super::{Material, MutationOperator, OPERATORS, SubjectRun, Survivor};

/// Computes the verdicts of a suite on one run, and of candidates: evaluators that the suite could
/// add.
pub trait StrengthJudges: Sync {
    /// The verdict of each judge of the suite; `None` if it has none on this run.
    fn judge(&self, case: &PreparedCase<'_>) -> Vec<Option<bool>>;

    /// True if this judge decides whether the suite passes. The others are only shown.
    fn decides(&self, judge: usize) -> bool;

    /// The verdict of each wanted candidate; `None` for the others.
    fn consider(
        &self,
        case: &PreparedCase<'_>,
        is_wanted: &dyn Fn(usize) -> bool,
    ) -> Vec<Option<bool>>;
}

/// Breaks runs and judges them.
pub struct StrengthTest<'t> {
    /// The data for broken runs.
    pub material: &'t Material,
    /// The judges.
    pub judges: &'t dyn StrengthJudges,
    /// The seed. Random choices depend on it and on the names of case and operator.
    pub seed: u64,
    /// The number of broken runs for each operator and run.
    pub mutants: usize,
}

/// The verdicts on a run as it was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnbrokenRun {
    /// True if it passes: no deciding judge fails it, and at least one passes it. `None` if no
    /// deciding judge has a verdict.
    pub passes: Option<bool>,
    /// The hash of its effect.
    pub act: u128,
    verdicts: Vec<Option<bool>>,
    /// The verdicts of the candidates; empty if the run fails.
    candidates: Vec<Option<bool>>,
}

impl UnbrokenRun {
    /// True if a candidate fails it.
    pub fn is_rejected_by(&self, candidate: usize) -> bool {
        self.candidates.get(candidate) == Some(&Some(false))
    }

    /// True if no deciding judge has a verdict on it, and a candidate passes it. With the
    /// candidate, it would be a passing run.
    pub fn is_passed_by(&self, candidate: usize) -> bool {
        self.passes.is_none() && self.candidates.get(candidate) == Some(&Some(true))
    }
}

/// A passing run to break.
#[derive(Clone, Copy, Debug)]
pub struct PassingRun<'r> {
    /// Its case.
    pub case: &'r Case<'r>,
    /// The number of the case in the material.
    pub number: usize,
    /// The name of the case.
    pub label: &'r str,
    /// The trial, as JSON text.
    pub trial: Option<&'r str>,
    /// The verdicts on it.
    pub unbroken: &'r UnbrokenRun,
    /// The hashes of the case's passing runs. A run with the same effect isn't broken.
    pub passing: &'r HashSet<u128>,
    /// By candidate: true if it fails few enough passing runs to be proposed. Others are not tried.
    pub fair: &'r [bool],
}

/// The results of breaking one run.
#[derive(Clone, Debug, PartialEq)]
pub struct BrokenRun {
    /// By operator, in the order of the list.
    pub tallies: Vec<MutationTally>,
    /// A survivor of each operator, if there is one.
    pub survivors: Vec<Option<Survivor>>,
    /// By candidate: true if it fails the unbroken run.
    pub rejected: Vec<bool>,
}

impl StrengthTest<'_> {
    /// The verdicts on the run of a case as it was recorded; `None` without a run.
    pub fn unbroken(&self, case: &Case<'_>, number: usize) -> Option<UnbrokenRun> {
        let act = SubjectRun::new(case, number, self.material)?.act();
        Some(case.with_resolved(|case| {
            let prepared = PreparedCase::new(case);
            let verdicts = self.judges.judge(&prepared);
            let deciding = verdicts.iter().enumerate();
            let deciding = deciding.filter(|(judge, _)| self.judges.decides(*judge));
            let passes = deciding.filter_map(|(_, verdict)| *verdict);
            let passes = passes.reduce(|all, passed| all && passed);
            let candidates = match passes {
                Some(false) => Vec::new(),
                _ => self.judges.consider(&prepared, &|_| true),
            };
            UnbrokenRun {
                passes,
                act,
                verdicts,
                candidates,
            }
        }))
    }

    /// Breaks a passing run.
    pub fn break_run(&self, passing: &PassingRun<'_>) -> BrokenRun {
        let distance = passing.case.with_resolved(ExpectationDistance::new);
        let candidates = 0..passing.unbroken.candidates.len();
        let mut broken = BrokenRun {
            tallies: Vec::with_capacity(OPERATORS.len()),
            survivors: Vec::with_capacity(OPERATORS.len()),
            rejected: candidates
                .map(|it| passing.unbroken.is_rejected_by(it))
                .collect(),
        };
        let run = SubjectRun::new(passing.case, passing.number, self.material);
        // Copy the case only once, because an expectation may be large. Each broken run replaces
        // the calls.
        let mut work = passing.case.clone();
        for operator in OPERATORS {
            let (tally, survivor) = match &run {
                Some(run) => self.break_with(operator, run, (passing, &distance), &mut work),
                None => Default::default(),
            };
            broken.tallies.push(tally);
            broken.survivors.push(survivor);
        }
        broken
    }

    /// Breaks a run with one operator, as often as requested.
    fn break_with<'c>(
        &self,
        operator: &MutationOperator,
        run: &SubjectRun<'c>,
        (passing, distance): (&PassingRun<'c>, &ExpectationDistance),
        work: &mut Case<'c>,
    ) -> (MutationTally, Option<Survivor>) {
        let before = passing.unbroken;
        let mut tally = MutationTally::new(before.verdicts.len(), before.candidates.len());
        let mut survivor: Option<Survivor> = None;
        let mut made = HashSet::new();
        for index in 0..self.mutants {
            let mut random = self.random(passing, operator, index);
            let Some(mutant) = (operator.make)(run, &mut random) else {
                continue;
            };
            let act = mutant.act(run);
            if !made.insert(act) {
                continue;
            }
            if passing.passing.contains(&act) {
                tally.same += 1;
                continue;
            }
            work.actual = Some(Trajectory {
                calls: mutant.to_calls(run),
                spans: Vec::new(),
            });
            let is_open =
                work.with_resolved(|case| self.count(&mut tally, case, passing, distance));
            // A survivor that a setting can notice is more useful as an example.
            if let Some(open) = is_open
                && survivor.as_ref().is_none_or(|known| known.open && !open)
            {
                survivor = Some(Survivor {
                    label: passing.label.to_owned(),
                    trial: passing.trial.map(str::to_owned),
                    change: mutant.change,
                    open,
                });
            }
        }
        (tally, survivor)
    }

    /// Counts a broken run. If the run survives, returns true if the expectation leaves the change
    /// open.
    fn count(
        &self,
        tally: &mut MutationTally,
        case: &Case<'_>,
        passing: &PassingRun<'_>,
        distance: &ExpectationDistance,
    ) -> Option<bool> {
        let (prepared, before) = (PreparedCase::new(case), passing.unbroken);
        let after = self.judges.judge(&prepared);
        let verdicts = || before.verdicts.iter().zip(&after).enumerate();
        // If a deciding judge no longer judges the run, `rightcall run` would end with exit code 2.
        let is_noticed = |(judge, (before, after)): (usize, (&Option<bool>, &Option<bool>))| {
            *before == Some(true)
                && match after {
                    Some(passed) => !passed,
                    None => self.judges.decides(judge),
                }
        };
        let noticing = verdicts().filter(|it| is_noticed(*it)).count();
        let deciding = || verdicts().filter(|(judge, _)| self.judges.decides(*judge));
        let survives = !deciding().any(is_noticed);
        let is_failed = deciding().any(|it| is_noticed(it) && it.1.1.is_some());
        tally.broken += 1;
        tally.noticed += u64::from(!survives);
        tally.silenced += u64::from(!survives && !is_failed);
        tally.seen += u64::from(noticing > 0);
        for (judge, it) in tally.judges.iter_mut().zip(verdicts()) {
            judge.add(it.1.0.is_some(), is_noticed(it), noticing == 1);
        }
        // A candidate that also fails the unbroken run notices nothing.
        let could_notice = |it: usize| passing.fair[it] && before.candidates[it] == Some(true);
        let considered = if survives {
            self.judges.consider(&prepared, &could_notice)
        } else {
            Vec::new()
        };
        // As above, `rightcall run` would end with exit code 2 if the candidate no longer judges the run.
        let catches =
            |it: usize| could_notice(it) && considered.get(it).is_some_and(|it| *it != Some(true));
        for (index, candidate) in tally.candidates.iter_mut().enumerate() {
            if !before.is_rejected_by(index) {
                candidate.add(survives, catches(index));
            }
        }
        let is_open = survives.then(|| distance.is_open(case));
        tally.open += u64::from(is_open == Some(true));
        is_open
    }

    /// The random numbers for one broken run, independent of other runs.
    fn random(&self, run: &PassingRun<'_>, operator: &MutationOperator, index: usize) -> Random {
        let mut hasher = SipHasher13::new_with_keys(self.seed, 0);
        for part in [run.label, run.trial.unwrap_or_default(), operator.code] {
            hasher.write(part.as_bytes());
            // No text contains this byte.
            hasher.write_u8(0xFF);
        }
        hasher.write_usize(index);
        Random::from_seed(hasher.finish())
    }
}
