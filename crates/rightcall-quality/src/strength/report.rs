//! The strength of a suite: the weighted shares of broken runs that it notices.

use super::tally::share;
use super::{
    BrokenRun, MutationOperator, MutationTally, OPERATORS, OperatorGroup, Survivor, UnbrokenRun,
};

/// A judge of the suite: an evaluator with a verdict, or a gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgeName {
    /// Its display name.
    pub label: String,
    /// True for a gate.
    pub is_gate: bool,
    /// True if it decides whether the suite passes. If the suite has gates, only gates do.
    pub decides: bool,
}

/// An evaluator that the suite could add.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CandidateName {
    /// Its entry under `evaluators:`.
    pub evaluator: String,
    /// Its entry under `gates:`, if the suite has gates and none of them covers it.
    pub gate: Option<String>,
    /// Both entries as text for reports.
    pub told: String,
}

impl CandidateName {
    /// An evaluator, with its gate if it needs one.
    pub fn new(evaluator: String, gate: Option<String>) -> Self {
        let told = match &gate {
            Some(gate) => format!("{evaluator} and the gate {gate}"),
            None => evaluator.clone(),
        };
        Self {
            evaluator,
            gate,
            told,
        }
    }
}

/// The runs of a suite by verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunCounts {
    /// Passing runs. Only these are broken.
    pub passing: u64,
    /// Runs that fail even unbroken.
    pub failing: u64,
    /// Runs without a verdict.
    pub unjudged: u64,
    /// Cases without a run.
    pub without_run: u64,
}

/// The strength of a suite on one run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunStrength {
    /// The name of the case.
    pub label: String,
    /// The trial, as JSON text.
    pub trial: Option<String>,
    /// One tally per operator.
    pub tallies: Vec<MutationTally>,
}

/// The strength of a suite.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StrengthReport {
    /// The seed.
    pub seed: u64,
    /// Maximum number of broken runs for each operator and run.
    pub mutants: usize,
    /// The runs by verdict.
    pub runs: RunCounts,
    /// The judges, in the order of their tallies.
    pub judges: Vec<JudgeName>,
    /// Evaluators and gates that are not used, each with the reason.
    pub unused: Vec<(String, String)>,
    /// The evaluators that the suite could add.
    pub candidates: Vec<CandidateName>,
    /// One tally per operator, in the order of `OPERATORS`.
    pub tallies: Vec<MutationTally>,
    /// For each operator, its first survivor, preferably one that a candidate notices.
    pub survivors: Vec<Option<Survivor>>,
    /// For each candidate, the number of passing runs that it fails.
    pub rejected: Vec<u64>,
    /// The runs that were broken, in input order.
    pub by_run: Vec<RunStrength>,
}

impl StrengthReport {
    /// A report for these judges and candidates, without runs yet.
    pub fn new(judges: Vec<JudgeName>, candidates: Vec<CandidateName>) -> Self {
        let tally = MutationTally::new(judges.len(), candidates.len());
        Self {
            tallies: vec![tally; OPERATORS.len()],
            survivors: vec![None; OPERATORS.len()],
            rejected: vec![0; candidates.len()],
            judges,
            candidates,
            ..Self::default()
        }
    }

    /// Adds the results of breaking a run.
    pub fn add(&mut self, label: String, trial: Option<String>, run: BrokenRun) {
        self.runs.passing += 1;
        for (sum, it) in self.tallies.iter_mut().zip(&run.tallies) {
            sum.add(it);
        }
        for (kept, it) in self.survivors.iter_mut().zip(run.survivors) {
            let is_better = |it: &Survivor| kept.as_ref().is_none_or(|kept| kept.open && !it.open);
            if it.as_ref().is_some_and(is_better) {
                *kept = it;
            }
        }
        for (sum, rejected) in self.rejected.iter_mut().zip(&run.rejected) {
            *sum += u64::from(*rejected);
        }
        let mut tallies = run.tallies;
        // These are kept for each run, so they must be small.
        for tally in &mut tallies {
            (tally.judges, tally.candidates) = (Vec::new(), Vec::new());
        }
        self.by_run.push(RunStrength {
            label,
            trial,
            tallies,
        });
    }

    /// Adds a run without a verdict to the tallies of the candidates that pass it. In a suite with
    /// such a candidate, the run would be broken too.
    pub fn add_unjudged(&mut self, unbroken: &UnbrokenRun, run: &BrokenRun) {
        for (sum, it) in self.tallies.iter_mut().zip(&run.tallies) {
            let candidates = sum.candidates.iter_mut().zip(&it.candidates).enumerate();
            for (_, (sum, it)) in candidates.filter(|(at, _)| unbroken.is_passed_by(*at)) {
                sum.broken += it.broken;
                sum.noticed += it.noticed;
            }
        }
    }

    /// True if some judges do not decide whether the suite passes.
    pub fn has_others(&self) -> bool {
        self.judges.iter().any(|it| !it.decides)
    }

    /// The weighted share of broken runs that some judge notices, including judges that do not
    /// decide.
    pub fn strength_of_all(&self, group: OperatorGroup) -> Option<f64> {
        weighted(group, |at| {
            let tally = self.tallies.get(at)?;
            share(tally.seen, tally.broken)
        })
    }

    /// The strength of the suite for a group, 0 to 1: the weighted share of broken runs that it notices. `None` if no operator applies.
    pub fn strength(&self, group: OperatorGroup) -> Option<f64> {
        strength(group, &self.tallies)
    }

    /// The strength of one judge alone, on the runs on which it has a verdict.
    pub fn strength_of(&self, judge: usize, group: OperatorGroup) -> Option<f64> {
        weighted(group, |at| {
            let tally = self.tallies[at].judges.get(judge)?;
            share(tally.noticed, tally.broken)
        })
    }

    /// The number of broken runs that only this judge notices.
    pub fn noticed_alone(&self, judge: usize) -> u64 {
        let tallies = self.tallies.iter().filter_map(|it| it.judges.get(judge));
        tallies.map(|it| it.alone).sum()
    }

    /// The strength of the suite with one of the candidates, on the runs that the candidate doesn't fail.
    pub fn strength_with(&self, candidate: usize, group: OperatorGroup) -> Option<f64> {
        weighted(group, |at| {
            let tally = self.tallies[at].candidates.get(candidate)?;
            share(tally.noticed, tally.broken)
        })
    }

    /// The operators, each with its tally.
    pub fn operators(&self) -> impl Iterator<Item = (&'static MutationOperator, &MutationTally)> {
        OPERATORS.iter().zip(&self.tallies)
    }

    /// The strength lost to survivors of an operator, in points from 0 to 100.
    pub(crate) fn points(&self, operator: usize) -> f64 {
        let group = OPERATORS[operator].group;
        let applies = |(it, tally): &(&MutationOperator, &MutationTally)| {
            it.group == group && tally.broken > 0
        };
        let weights = self.operators().filter(applies).map(|(it, _)| it.weight);
        let all = f64::from(weights.sum::<u32>());
        let survive = self.tallies[operator]
            .share()
            .map_or(0.0, |share| 1.0 - share);
        100.0 * f64::from(OPERATORS[operator].weight) * survive / all.max(1.0)
    }
}

impl RunStrength {
    /// The strength of the suite for a group on this run.
    pub fn strength(&self, group: OperatorGroup) -> Option<f64> {
        strength(group, &self.tallies)
    }

    /// The mean of both strengths, to sort runs.
    pub fn mean(&self) -> Option<f64> {
        let strengths = OperatorGroup::ALL
            .iter()
            .filter_map(|it| self.strength(*it));
        let (sum, count) = strengths.fold((0.0, 0.0), |(sum, count), it| (sum + it, count + 1.0));
        (count > 0.0).then(|| sum / count)
    }
}

fn strength(group: OperatorGroup, tallies: &[MutationTally]) -> Option<f64> {
    weighted(group, |at| tallies.get(at)?.share())
}

/// The weighted mean of the shares of a group. Operators without a share don't count.
fn weighted(group: OperatorGroup, share: impl Fn(usize) -> Option<f64>) -> Option<f64> {
    let (mut sum, mut weights) = (0.0, 0.0);
    for (at, operator) in OPERATORS.iter().enumerate() {
        if let Some(share) = share(at).filter(|_| operator.group == group) {
            sum += f64::from(operator.weight) * share;
            weights += f64::from(operator.weight);
        }
    }
    (weights > 0.0).then(|| sum / weights)
}
