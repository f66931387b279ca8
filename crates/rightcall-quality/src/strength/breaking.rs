//! Breaks one run in all ways, and counts what the suite notices.

use std::collections::HashSet;
use std::hash::Hasher;

use rightcall_core::PreparedCase;
use rightcall_core::call::{Case, Trajectory};
use rightcall_stats::Random;
use siphasher::sip::SipHasher13;

use super::open::ExpectationDistance;
use super::tally::MutationTally;
use super::{Material, MutationOperator, OPERATORS, SubjectRun, Survivor};

/// What a suite makes of one run, and what evaluators make that it could have besides.
pub trait StrengthJudges: Sync {
    /// The verdict of each judge of the suite; `None` where it has none on this run.
    fn judge(&self, case: &PreparedCase<'_>) -> Vec<Option<bool>>;

    /// The verdict of each candidate: an evaluator that the suite could have besides.
    fn consider(&self, case: &PreparedCase<'_>) -> Vec<Option<bool>>;
}

/// Breaks runs, and has them judged.
pub struct StrengthTest<'t> {
    /// What broken runs are made of.
    pub material: &'t Material,
    /// Who judges.
    pub judges: &'t dyn StrengthJudges,
    /// All choices by chance follow from it, and from the names of case and operator.
    pub seed: u64,
    /// Broken runs of each operator, for each run.
    pub mutants: usize,
}

/// What a suite makes of a run as it was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnbrokenRun {
    /// Whether it passes: no judge fails it, and one at least passes it. `None` where no judge has a verdict.
    pub passes: Option<bool>,
    /// What it does, as one number: runs that do the same share it.
    pub act: u128,
}

/// A run that passes, and is broken.
#[derive(Clone, Copy, Debug)]
pub struct PassingRun<'r> {
    /// Its case.
    pub case: &'r Case<'r>,
    /// The number of the case under which it was added to the material.
    pub number: usize,
    /// The name of the case.
    pub label: &'r str,
    /// The trial, as JSON text.
    pub trial: Option<&'r str>,
    /// What the passing runs of the case do: a broken run that does the same is not broken.
    pub passing: &'r HashSet<u128>,
}

/// What came of breaking one run.
#[derive(Clone, Debug, PartialEq)]
pub struct BrokenRun {
    /// By operator, in the order of the list.
    pub tallies: Vec<MutationTally>,
    /// By operator: a survivor, if there is one.
    pub survivors: Vec<Option<Survivor>>,
    /// By candidate: it fails the unbroken run.
    pub rejected: Vec<bool>,
}

/// What is known of a run before it is broken.
struct Before {
    verdicts: Vec<Option<bool>>,
    candidates: Vec<Option<bool>>,
    distance: ExpectationDistance,
}

impl StrengthTest<'_> {
    /// What the suite makes of a run as it was recorded; `None` where there is none.
    pub fn unbroken(&self, case: &Case<'_>, number: usize) -> Option<UnbrokenRun> {
        let act = SubjectRun::new(case, number, self.material)?.act();
        let verdicts = case.with_resolved(|case| self.judges.judge(&PreparedCase::new(case)));
        let verdicts = verdicts.into_iter().flatten();
        Some(UnbrokenRun {
            passes: verdicts.reduce(|all, passed| all && passed),
            act,
        })
    }

    /// Breaks a run that passes.
    pub fn break_run(&self, passing: &PassingRun<'_>) -> BrokenRun {
        let before = passing.case.with_resolved(|case| {
            let prepared = PreparedCase::new(case);
            Before {
                verdicts: self.judges.judge(&prepared),
                candidates: self.judges.consider(&prepared),
                distance: ExpectationDistance::new(case),
            }
        });
        let mut broken = BrokenRun {
            tallies: Vec::with_capacity(OPERATORS.len()),
            survivors: Vec::with_capacity(OPERATORS.len()),
            rejected: before
                .candidates
                .iter()
                .map(|it| *it == Some(false))
                .collect(),
        };
        let run = SubjectRun::new(passing.case, passing.number, self.material);
        for operator in OPERATORS {
            let (tally, survivor) = match &run {
                Some(run) => self.operate(operator, run, passing, &before),
                None => Default::default(),
            };
            broken.tallies.push(tally);
            broken.survivors.push(survivor);
        }
        broken
    }

    /// Breaks a run in one way, as often as wanted.
    fn operate(
        &self,
        operator: &MutationOperator,
        run: &SubjectRun<'_>,
        passing: &PassingRun<'_>,
        before: &Before,
    ) -> (MutationTally, Option<Survivor>) {
        let mut tally = MutationTally::new(before.verdicts.len(), before.candidates.len());
        let mut survivor: Option<Survivor> = None;
        let mut made = HashSet::new();
        let mut work = passing.case.clone();
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
            let is_open = work.with_resolved(|case| self.count(&mut tally, case, before));
            // One that a setting can notice says more.
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

    /// Counts a broken run. Of one that survives, whether the expectation leaves it open.
    fn count(&self, tally: &mut MutationTally, case: &Case<'_>, before: &Before) -> Option<bool> {
        let prepared = PreparedCase::new(case);
        let after = self.judges.judge(&prepared);
        let is_noticed = |(before, after): (&Option<bool>, &Option<bool>)| {
            *before == Some(true) && *after == Some(false)
        };
        let noticed: Vec<_> = before.verdicts.iter().zip(&after).map(is_noticed).collect();
        let noticing = noticed.iter().filter(|it| **it).count();
        tally.broken += 1;
        tally.noticed += u64::from(noticing > 0);
        for ((judge, noticed), verdict) in
            tally.judges.iter_mut().zip(&noticed).zip(&before.verdicts)
        {
            judge.add(verdict.is_some(), *noticed, noticing == 1);
        }
        let survives = noticing == 0;
        let considered = if survives {
            self.judges.consider(&prepared)
        } else {
            Vec::new()
        };
        for (index, (candidate, verdict)) in tally
            .candidates
            .iter_mut()
            .zip(&before.candidates)
            .enumerate()
        {
            let fails = considered.get(index) == Some(&Some(false));
            // A judge that also fails the unbroken run notices nothing.
            if *verdict != Some(false) {
                candidate.add(survives, fails && *verdict == Some(true));
            }
        }
        let is_open = survives.then(|| before.distance.is_open(case));
        tally.open += u64::from(is_open == Some(true));
        is_open
    }

    /// The random numbers of one broken run: they depend on nothing that other runs do.
    fn random(&self, run: &PassingRun<'_>, operator: &MutationOperator, index: usize) -> Random {
        let mut hasher = SipHasher13::new_with_keys(self.seed, 0);
        for part in [run.label, run.trial.unwrap_or_default(), operator.code] {
            hasher.write(part.as_bytes());
            // No text holds this byte.
            hasher.write_u8(0xFF);
        }
        hasher.write_usize(index);
        Random::from_seed(hasher.finish())
    }
}
