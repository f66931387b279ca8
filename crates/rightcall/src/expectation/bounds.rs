//! How often names come up in the runs that a part of a tree accepts, from which a search knows what a rest costs at least.

/// Names are kept in so many parts; names of one part are counted together.
pub(super) const PARTS: usize = 16;

/// By part of the names, the least and the greatest number of calls.
#[derive(Clone, Debug)]
pub(super) struct NameBounds {
    min: [u32; PARTS],
    max: [u32; PARTS],
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
    pub(super) all: [u32; PARTS],
    pub(super) unmatched: [u32; PARTS],
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
        let times = |count: u32, rounds: u64| {
            u32::try_from(u64::from(count).saturating_mul(rounds)).unwrap_or(u32::MAX)
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
        let mut cost = 0;
        for part in 0..PARTS {
            let matched = left.all[part] - left.unmatched[part];
            cost += left.unmatched[part]
                + matched.saturating_sub(self.max[part])
                + self.min[part].saturating_sub(left.all[part]);
        }
        u64::from(cost)
    }

    /// The same of a run that goes on, where nothing is missed yet.
    pub(super) fn least_cost_so_far(&self, left: &NamesLeft) -> u64 {
        let extra = |part: usize| {
            let matched = left.all[part] - left.unmatched[part];
            left.unmatched[part] + matched.saturating_sub(self.max[part])
        };
        (0..PARTS).map(|part| u64::from(extra(part))).sum()
    }
}
