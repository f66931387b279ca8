//! Counts of broken runs.

/// Broken runs of one operator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MutationTally {
    /// Broken runs that were judged.
    pub broken: u64,
    /// Broken runs that a deciding judge passed before, and now fails or no longer judges.
    pub noticed: u64,
    /// Noticed runs that no judge fails, because a deciding judge no longer judges them.
    pub silenced: u64,
    /// Noticed runs, and broken runs that any other judge passed before and now fails.
    pub seen: u64,
    /// Survivors whose change the expectation leaves open.
    pub open: u64,
    /// Broken runs that are left out because they have the effect of a passing run of the case.
    pub same: u64,
    /// The counts of each judge.
    pub judges: Vec<JudgeTally>,
    /// The counts of each candidate.
    pub candidates: Vec<CandidateTally>,
}

/// Broken runs of one operator, for one judge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JudgeTally {
    /// Broken runs of runs on which the judge has a verdict.
    pub broken: u64,
    /// Broken runs that the judge notices.
    pub noticed: u64,
    /// Broken runs that only this judge notices.
    pub alone: u64,
}

/// Broken runs of one operator, for a suite with one more evaluator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CandidateTally {
    /// Broken runs of runs that the evaluator doesn't fail.
    pub broken: u64,
    /// Broken runs that the suite with the evaluator notices.
    pub noticed: u64,
    /// Broken runs that only the evaluator notices.
    pub caught: u64,
}

impl MutationTally {
    /// A tally without a broken run.
    pub(crate) fn new(judges: usize, candidates: usize) -> Self {
        Self {
            judges: vec![JudgeTally::default(); judges],
            candidates: vec![CandidateTally::default(); candidates],
            ..Self::default()
        }
    }

    /// The number of survivors.
    pub fn survivors(&self) -> u64 {
        self.broken - self.noticed
    }

    /// The share of noticed runs; `None` if no run was broken.
    pub fn share(&self) -> Option<f64> {
        share(self.noticed, self.broken)
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.broken += other.broken;
        self.noticed += other.noticed;
        self.silenced += other.silenced;
        self.seen += other.seen;
        self.open += other.open;
        self.same += other.same;
        for (sum, it) in self.judges.iter_mut().zip(&other.judges) {
            sum.broken += it.broken;
            sum.noticed += it.noticed;
            sum.alone += it.alone;
        }
        for (sum, it) in self.candidates.iter_mut().zip(&other.candidates) {
            sum.broken += it.broken;
            sum.noticed += it.noticed;
            sum.caught += it.caught;
        }
    }
}

impl JudgeTally {
    /// Counts a broken run.
    pub(crate) fn add(&mut self, applies: bool, noticed: bool, alone: bool) {
        self.broken += u64::from(applies);
        self.noticed += u64::from(noticed);
        self.alone += u64::from(noticed && alone);
    }
}

impl CandidateTally {
    /// Counts a broken run that the candidate may catch if it survives the suite.
    pub(crate) fn add(&mut self, survives: bool, caught: bool) {
        self.broken += 1;
        self.noticed += u64::from(!survives || caught);
        self.caught += u64::from(caught);
    }
}

/// A share; `None` if the whole is 0.
pub(crate) fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}
