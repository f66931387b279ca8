//! Cases with several trials.

use crate::results::Subject;
use crate::{Results, Trials, agreement, mean, pass_at, pass_hat};

/// What the trials of cases come to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Repeated {
    /// Cases with a verdict.
    pub cases: usize,
    /// The fewest and the most trials of a case.
    pub trials: (u64, u64),
    /// For each `k` that any case has trials for, from 1.
    pub by_k: Vec<PassOf>,
    /// The chance that two trials of a case end alike, on average over the cases with two or more.
    pub agreement: Option<f64>,
    /// Cases that passed in some of their trials and not in others, the least decided first.
    pub flaky: Vec<(String, Trials)>,
}

/// `pass@k` and `pass^k`, over the cases with at least `k` trials.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PassOf {
    /// Number of trials.
    pub k: u64,
    /// Cases with that many.
    pub cases: usize,
    /// The chance that at least one passes.
    pub any: f64,
    /// The chance that all pass.
    pub all: f64,
}

impl Repeated {
    /// What the trials of these cases, each with a name, come to; `None` without a verdict.
    pub fn of(cases: &[(String, Trials)]) -> Option<Self> {
        let judged: Vec<_> = cases.iter().filter(|(_, of)| of.trials > 0).collect();
        let fewest = judged.iter().map(|(_, of)| of.trials).min()?;
        let most = judged.iter().map(|(_, of)| of.trials).max()?;
        let by_k = (1..=most).filter_map(|k| {
            let any: Vec<_> = judged.iter().filter_map(|(_, of)| pass_at(k, *of)).collect();
            let all: Vec<_> = judged.iter().filter_map(|(_, of)| pass_hat(k, *of)).collect();
            Some(PassOf { k, cases: any.len(), any: mean(&any)?, all: mean(&all)? })
        });
        let mut flaky: Vec<(String, Trials)> =
            judged.iter().filter(|(_, of)| of.passed > 0 && of.passed < of.trials).map(|it| (*it).clone()).collect();
        let undecided = |of: &Trials| (of.share().unwrap_or(0.0) - 0.5).abs();
        flaky.sort_by(|(one, of_one), (other, of_other)| undecided(of_one).total_cmp(&undecided(of_other)).then(one.cmp(other)));
        let agreements: Vec<_> = judged.iter().filter_map(|(_, of)| agreement(*of)).collect();
        Some(Self { cases: judged.len(), trials: (fewest, most), by_k: by_k.collect(), agreement: mean(&agreements), flaky })
    }
}

impl Results {
    /// The trials of each case by the verdicts of a subject.
    pub fn trials(&self, subject: Subject) -> Vec<(String, Trials)> {
        self.grouped().into_iter().map(|(key, trials)| (key.to_owned(), subject.passed(&trials))).collect()
    }

    /// The same where a case passes from a score, or a field, of `mark` on.
    pub fn trials_from(&self, mark: f64, value: impl Fn(&crate::CaseResult) -> Option<f64>) -> Vec<(String, Trials)> {
        let of = |trials: Vec<&crate::CaseResult>| {
            let values: Vec<f64> = trials.into_iter().filter_map(&value).collect();
            let passed = values.iter().filter(|it| **it >= mark).count();
            Trials { trials: values.len() as u64, passed: passed as u64 }
        };
        self.grouped().into_iter().map(|(key, trials)| (key.to_owned(), of(trials))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_that_sometimes_pass_are_flaky() {
        let of = |name: &str, trials, passed| (name.to_owned(), Trials { trials, passed });
        let cases = [of("sure", 4, 4), of("rare", 4, 1), of("even", 4, 2), of("never", 2, 0), of("none", 0, 0)];
        let found = Repeated::of(&cases).unwrap();
        assert_eq!((found.cases, found.trials), (4, (2, 4)));
        assert_eq!(found.flaky.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["even", "rare"]);
        assert_eq!(found.by_k[0], PassOf { k: 1, cases: 4, any: 1.75 / 4.0, all: 1.75 / 4.0 });
        assert_eq!((found.by_k[3].cases, found.by_k[3].all, found.by_k[3].any), (3, 1.0 / 3.0, 1.0));
        assert_eq!(Repeated::of(&[of("none", 0, 0)]), None);
    }
}
