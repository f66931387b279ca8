//! How often names come up in the runs that a part of a tree accepts, from which a search knows what a rest costs at least.

/// Names are kept in so many parts; names of one part are counted together.
pub(super) const PARTS: usize = 16;

/// A number of calls; more than it can hold count as the most that it can, which keeps the bound a lower one.
type Count = u16;

/// By part of the names, the least and the greatest number of calls.
#[derive(Clone, Debug)]
pub(super) struct NameBounds {
    min: [Count; PARTS],
    max: [Count; PARTS],
}

impl Default for NameBounds {
    /// Those of the empty run.
    fn default() -> Self {
        Self {
            min: [0; PARTS],
            max: [0; PARTS],
        }
    }
}

/// What is left of the actual calls at some position: by part, all calls, and those that no expected call matches in full.
#[derive(Clone, Debug, Default)]
pub(super) struct NamesLeft {
    all: [Count; PARTS],
    unmatched: [Count; PARTS],
}

impl NamesLeft {
    /// Adds a call.
    pub(super) fn add(&mut self, part: usize, is_matched: bool) {
        self.all[part] = self.all[part].saturating_add(1);
        self.unmatched[part] = self.unmatched[part].saturating_add(Count::from(!is_matched));
    }
}

impl NameBounds {
    /// Those of one call.
    pub(super) fn one(part: usize) -> Self {
        let mut bounds = Self::default();
        (bounds.min[part], bounds.max[part]) = (1, 1);
        bounds
    }

    /// Those of one run and another.
    pub(super) fn and(mut self, other: &Self) -> Self {
        for part in 0..PARTS {
            self.min[part] = self.min[part].saturating_add(other.min[part]);
            self.max[part] = self.max[part].saturating_add(other.max[part]);
        }
        self
    }

    /// Those of one run or another.
    pub(super) fn or(mut self, other: &Self) -> Self {
        for part in 0..PARTS {
            self.min[part] = self.min[part].min(other.min[part]);
            self.max[part] = self.max[part].max(other.max[part]);
        }
        self
    }

    /// Those of so many runs.
    pub(super) fn times(mut self, min: u64, max: Option<u64>) -> Self {
        let times = |count: Count, rounds: u64| {
            Count::try_from(u64::from(count).saturating_mul(rounds)).unwrap_or(Count::MAX)
        };
        for part in 0..PARTS {
            self.min[part] = times(self.min[part], min);
            self.max[part] = times(self.max[part], max.unwrap_or(u64::MAX));
        }
        self
    }

    /// What the rest costs at least: calls that match nothing in full, calls of a name that are too many, and too few.
    ///
    /// No step lowers it by more than the step costs, so that the search settles each state once.
    pub(super) fn least_cost(&self, left: &NamesLeft) -> u64 {
        let missed = |part: usize| self.min[part].saturating_sub(left.all[part]);
        sum(|part| self.extra(left, part).saturating_add(missed(part)))
    }

    /// The same of a run that goes on, where nothing is missed yet.
    pub(super) fn least_cost_so_far(&self, left: &NamesLeft) -> u64 {
        sum(|part| self.extra(left, part))
    }

    fn extra(&self, left: &NamesLeft, part: usize) -> Count {
        let matched = left.all[part] - left.unmatched[part];
        let too_many = matched.saturating_sub(self.max[part]);
        left.unmatched[part].saturating_add(too_many)
    }
}

/// Over all parts, in a form that compilers turn into few instructions.
fn sum(of_part: impl Fn(usize) -> Count) -> u64 {
    let counts: [Count; PARTS] = std::array::from_fn(of_part);
    counts
        .iter()
        .map(|count| u32::from(*count))
        .sum::<u32>()
        .into()
}
