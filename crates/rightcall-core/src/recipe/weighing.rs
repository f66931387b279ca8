//! Weights of calls: calls that change something may count more than others.

use crate::alignment::Alignment;
use crate::matching::{Item, NamePattern};
use crate::tally::WeighedSums;

/// Which calls count more than once, and how much.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Weighing {
    /// The tools that change something.
    pub(crate) tools: Vec<NamePattern>,
    /// The weight of their calls, above 0. All others have weight 1.
    pub(crate) effects: f64,
}

impl Weighing {
    /// The sums of an alignment of these calls.
    pub(super) fn sums(
        &self,
        [expected, actual]: [&[Item<'_>]; 2],
        alignment: &Alignment,
    ) -> WeighedSums {
        let mut sums = WeighedSums {
            expected: expected.iter().map(|it| self.weight(it)).sum(),
            actual: actual.iter().map(|it| self.weight(it)).sum(),
            ..WeighedSums::default()
        };
        for pair in &alignment.pairs {
            let credit = pair.grade.credit();
            sums.recalled += credit * self.weight(&expected[pair.expected]);
            sums.precise += credit * self.weight(&actual[pair.actual]);
        }
        sums
    }

    fn weight(&self, item: &Item<'_>) -> f64 {
        let name = item.name().to_text();
        if self.tools.iter().any(|it| it.matches(&name)) {
            self.effects
        } else {
            1.0
        }
    }
}
