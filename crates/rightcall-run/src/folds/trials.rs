//! Verdicts of cases with several trials.
//!
//! A trial takes 8 bytes: 63 bits of its case's keyed hash, and the verdict. The list grows by
//! doubling and is copied once for sorting, so a trial costs at most 24 bytes.

use std::collections::{BTreeMap, HashMap};

use rightcall_stats::{TrialCounts, TrialStatistics};

use super::Fold;
use crate::judged::JudgedCase;

/// The verdicts of all trials, in input order.
#[derive(Debug, Default)]
pub(crate) struct TrialVerdicts(Vec<u64>);

/// The numbers of cases, by the verdicts on their trials.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct CaseVerdicts {
    /// Number of cases.
    pub(crate) cases: usize,
    /// Cases that passed in all their trials.
    pub(crate) in_all: usize,
    /// Cases that passed in at least one trial.
    pub(crate) in_any: usize,
}

impl TrialVerdicts {
    /// Adds a trial of the case with this hash.
    pub(crate) fn add(&mut self, case: u64, passed: bool) {
        self.0.push(case << 1 | u64::from(passed));
    }

    /// Calls `each` with the stored part of the hash of each case, and its trials.
    fn each(&self, mut each: impl FnMut(u64, TrialCounts)) {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        for trials in sorted.chunk_by(|one, other| one >> 1 == other >> 1) {
            let passed = trials.iter().map(|verdict| verdict & 1).sum();
            each(
                trials[0] >> 1,
                TrialCounts {
                    trials: trials.len() as u64,
                    passed,
                },
            );
        }
    }

    /// Counts the cases.
    pub(crate) fn count(&self) -> CaseVerdicts {
        let mut count = CaseVerdicts::default();
        self.each(|_, of| {
            count.cases += 1;
            count.in_all += usize::from(of.passed == of.trials);
            count.in_any += usize::from(of.passed > 0);
        });
        count
    }
}

/// The maximum number of stored names of cases, to limit memory.
const NAMED: usize = 10_000;

/// The maximum number of listed flaky cases.
const LISTED: usize = 100;

/// The trials of a run, for its summary.
#[derive(Debug, Default)]
pub(crate) struct RepeatedCases {
    verdicts: TrialVerdicts,
    /// The names of the first cases, by the stored bits of the hash.
    names: HashMap<u64, String>,
    /// The numbers of cases without a trial that failed and that passed: each is a case with one.
    without_trial: [usize; 2],
}

impl RepeatedCases {
    fn note(&mut self, hash: u64, name: &str, passed: bool) {
        self.verdicts.add(hash, passed);
        if self.names.len() < NAMED {
            let kept = hash << 1 >> 1;
            self.names.entry(kept).or_insert_with(|| name.to_owned());
        }
    }
}

impl Fold for RepeatedCases {
    type Total = Option<TrialStatistics>;

    fn add(&mut self, case: &JudgedCase) {
        let Some(passed) = case.result.whole.verdict() else {
            return;
        };
        match &case.trials {
            Some((hash, name)) => self.note(*hash, name, passed),
            None => self.without_trial[usize::from(passed)] += 1,
        }
    }

    /// The statistics of the trials; `None` if no case has several trials.
    fn finish(mut self) -> Option<TrialStatistics> {
        let (mut counts, mut flaky) = (BTreeMap::new(), Vec::new());
        self.verdicts.each(|case, of| {
            *counts.entry(of).or_default() += 1;
            if of.are_flaky() {
                flaky.extend(self.names.remove(&case).map(|name| (name, of)));
            }
        });
        for (passed, cases) in (0..).zip(self.without_trial) {
            *counts.entry(TrialCounts { trials: 1, passed }).or_default() += cases;
        }
        counts.retain(|_, cases| *cases > 0);
        let mut found =
            TrialStatistics::from_counts(&counts, flaky).filter(|found| found.most_trials > 1)?;
        found.flaky.truncate(LISTED);
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trials_of_a_case_are_grouped_in_any_order() {
        let mut verdicts = TrialVerdicts::default();
        for (case, passed) in [
            (7, true),
            (8, false),
            (9, true),
            (7, false),
            (9, true),
            (8, false),
        ] {
            verdicts.add(case, passed);
        }
        assert_eq!(
            verdicts.count(),
            CaseVerdicts {
                cases: 3,
                in_all: 1,
                in_any: 2
            }
        );
        assert_eq!(TrialVerdicts::default().count(), CaseVerdicts::default());
    }

    #[test]
    fn listed_cases_are_flaky_and_unlisted_ones_are_counted() {
        let mut cases = RepeatedCases::default();
        for number in 0..NAMED as u64 + 10 {
            for trial in 0..3 {
                cases.note(
                    number << 40 | 1 << 63,
                    &format!("case {number}"),
                    trial > 0 || number % 2 == 0,
                );
            }
        }
        let found = cases.finish().unwrap();
        assert_eq!(
            (found.cases, found.most_trials, found.flaky_cases),
            (NAMED + 10, 3, NAMED / 2 + 5)
        );
        assert_eq!(
            (found.flaky.len(), found.flaky[0].0.as_str()),
            (LISTED, "case 1")
        );
        let mut once = RepeatedCases::default();
        once.note(7, "a", true);
        assert_eq!(once.finish(), None);
    }

    #[test]
    fn a_trial_costs_at_most_24_bytes() {
        let mut verdicts = TrialVerdicts::default();
        let (mut capacity, mut trials) = (0, 0);
        while trials < 1_000_000 {
            verdicts.add(trials as u64, true);
            trials += 1;
            let grown = verdicts.0.capacity();
            // While the list grows, the old list and the new one both exist; while it is counted, a copy exists.
            let moved = if grown == capacity {
                trials
            } else {
                capacity.max(trials)
            };
            let bytes = (grown + moved) * size_of::<u64>();
            assert!(
                trials < 16 || bytes <= 24 * trials,
                "{bytes} bytes for {trials} trials"
            );
            capacity = grown;
        }
    }
}
