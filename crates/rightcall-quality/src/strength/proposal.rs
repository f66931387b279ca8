//! Survivors, and the evaluators that would notice them.

use super::{MutationOperator, MutationTally, OPERATORS, OperatorGroup, StrengthReport, Survivor};

/// The survivors of one operator.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal<'r> {
    /// Their operator.
    pub operator: &'static MutationOperator,
    /// Their counts.
    pub tally: &'r MutationTally,
    /// The strength lost to them, in points from 0 to 100.
    pub points: f64,
    /// An example.
    pub example: Option<&'r Survivor>,
    /// The evaluator that notices most of them, if any does.
    pub setting: Option<ProposedSetting<'r>>,
}

/// An evaluator that the suite could add.
#[derive(Clone, Debug, PartialEq)]
pub struct ProposedSetting<'r> {
    /// Its entry under `evaluators:`, and its gate if it needs one, as text for people.
    pub entry: &'r str,
    /// Its entry under `evaluators:`.
    pub evaluator: &'r str,
    /// Its entry under `gates:`, if gates decide the result and none covers the evaluator.
    pub gate: Option<&'r str>,
    /// Survivors that it notices.
    pub caught: u64,
    /// Passing runs that it fails.
    pub rejected: u64,
    /// The strength of the suite with it, by group.
    pub strengths: [Option<f64>; 2],
}

impl PartialEq for MutationOperator {
    fn eq(&self, other: &Self) -> bool {
        self.code == other.code
    }
}

/// The survivors of each operator, most points first.
pub fn proposals(report: &StrengthReport) -> Vec<Proposal<'_>> {
    let with_survivors = (0..OPERATORS.len()).filter(|at| report.tallies[*at].survivors() > 0);
    let mut proposals: Vec<_> = with_survivors
        .map(|at| Proposal {
            operator: &OPERATORS[at],
            tally: &report.tallies[at],
            points: report.points(at),
            example: report.survivors[at].as_ref(),
            setting: setting(report, at),
        })
        .collect();
    // The sort is stable, so equal points stay in the order of the list.
    proposals.sort_by(|one, other| other.points.total_cmp(&one.points));
    proposals
}

/// A candidate is not proposed if it fails more than one in `REJECTED` passing runs.
const REJECTED: u64 = 4;

/// True if a candidate that fails this number of passing runs can be proposed.
pub fn is_fair(rejected: u64, passing: u64) -> bool {
    rejected * REJECTED <= passing
}

/// The candidate that notices the most survivors of an operator, weighted by its share of passing
/// runs; on a tie, the strongest candidate.
fn setting(report: &StrengthReport, operator: usize) -> Option<ProposedSetting<'_>> {
    let tallies = report.tallies[operator].candidates.iter().enumerate();
    let passing = report.runs.passing;
    let is_fair = |candidate: usize| is_fair(report.rejected[candidate], passing);
    let catching = tallies.filter(|(it, tally)| tally.caught > 0 && is_fair(*it));
    let proposed = catching.map(|(candidate, tally)| ProposedSetting {
        entry: &report.candidates[candidate].told,
        evaluator: &report.candidates[candidate].evaluator,
        gate: report.candidates[candidate].gate.as_deref(),
        caught: tally.caught,
        rejected: report.rejected[candidate],
        strengths: OperatorGroup::ALL.map(|group| report.strength_with(candidate, group)),
    });
    proposed.reduce(|best, it| {
        if is_better(&it, &best, passing) {
            it
        } else {
            best
        }
    })
}

fn is_better(one: &ProposedSetting<'_>, other: &ProposedSetting<'_>, passing: u64) -> bool {
    let sum = |it: &ProposedSetting<'_>| it.strengths.iter().flatten().sum::<f64>();
    let rank = |it: &ProposedSetting<'_>| it.caught * (passing - it.rejected);
    rank(one) > rank(other) || rank(one) == rank(other) && sum(one) > sum(other)
}
