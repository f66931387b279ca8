//! Metrics as data: an option for each step, and the interpreter of these options.
//!
//! The input is two lists of calls. The [`Rules`] define when two calls are equal, [`Order`] the order of the actual calls, the
//! [`EmptyPolicy`] the score of empty lists, and [`Align`] how calls are paired. Scoring and explanations use the resulting tally.

mod align;
mod comparisons;
mod demand;
mod explain;
mod needs;
mod original;
mod pair_demand;
mod rendering;
mod sides;
mod source;
mod weighing;

use align::Aligned;
pub(crate) use align::{Align, Unreached};
pub(crate) use comparisons::{Comparisons, explained_lines};
pub(crate) use explain::explain_empty;
pub(crate) use needs::{
    Field, calls_and_run, expected_calls, expected_order, not_expected, nothing_expected,
    require_expected, require_named, require_recorded, trajectory,
};
pub(crate) use original::{Composed, Original};
pub use pair_demand::PairDemand;
pub(crate) use rendering::{Layout, error_result, evaluation};
pub(crate) use sides::{MoreOfSides, Reading, Sides, Turns};
pub(crate) use source::{Preset, Source};
pub(crate) use weighing::Weighing;

use crate::alignment::{Alignment, Comparison as _};
use crate::evaluation::Ask;
use crate::explanation::{Explanation, Side};
use crate::matching::{Item, Matcher, Rules};
use crate::outcome::{EvaluationError, Outcome};
use crate::scoring::{EmptyPolicy, Penalties, Rounding, Scored, Scoring, Worth};
use crate::tally::Tally;

/// A metric that pairs calls.
#[derive(Clone, Debug)]
pub(crate) struct Recipe {
    /// When two calls are equal.
    pub(crate) rules: Rules,
    /// The order of the calls.
    pub(crate) order: Order,
    /// The score of empty lists.
    pub(crate) empty: EmptyPolicy,
    /// How actual calls are paired with expected ones.
    pub(crate) align: Align,
    /// How the tally becomes a score.
    pub(crate) score: Scoring,
    /// Which calls count more than once.
    pub(crate) weigh: Option<Weighing>,
    /// The final adjustment of the score.
    pub(crate) finish: Finish,
}

/// The order of a case's calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// As recorded.
    Recorded,
    /// As recorded, but actual calls of one group may be reordered where order matters.
    GroupsFree,
    /// Both sides sorted by name, then by keys and texts of arguments.
    Sorted,
}

/// The final adjustment of a score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Finish {
    /// None.
    AsIs,
    /// Rounding.
    Rounded(Rounding),
    /// A score below 1 becomes 0.
    OneOrZero,
    /// Penalties are subtracted and the result is rounded.
    Penalised(Penalties, Rounding),
}

impl Recipe {
    /// A metric of these rules with calls in recorded order: two empty lists score 1, a single empty list 0.
    pub(crate) fn new(rules: Rules, align: Align, score: Scoring) -> Self {
        Self {
            rules,
            order: Order::Recorded,
            empty: EmptyPolicy::ALIKE,
            align,
            score,
            weigh: None,
            finish: Finish::AsIs,
        }
    }

    /// Judges two lists. The matcher must be made from these lists and this recipe's rules.
    ///
    /// # Errors
    /// The original raises, or the lists lack data that the alignment needs.
    #[inline]
    pub(crate) fn judge<'j, 'm, 'c>(
        &'j self,
        source: &Source<'_>,
        sides: &'j Sides<'c>,
        matcher: &'j Matcher<'m, 'c>,
        ask: Ask,
    ) -> Result<Judged<'j, 'm, 'c>, Outcome> {
        let (expected, actual) = (sides.expected.len(), sides.actual.len());
        let aligned = match self.empty.worth(expected, actual) {
            Worth::Compute => {
                require_named(matcher)?;
                Some(self.align(source, sides, matcher, ask)?)
            }
            Worth::Fixed(_) => None,
            Worth::Error(message) => {
                return Err(EvaluationError::Raised(message.to_owned()).into());
            }
        };
        let tally = match &aligned {
            Some(aligned) => {
                let counted = aligned.more.as_ref().and_then(|more| more.counted);
                let (expected, actual) = counted.unwrap_or((expected, actual));
                let tally = Tally::from_alignment(&aligned.alignment, expected, actual);
                if self.align.is_shared() {
                    aligned.with_open_calls(tally)
                } else {
                    tally
                }
            }
            None => Tally::without_pairs(expected, actual),
        };
        let mut judged = Judged {
            recipe: self,
            sides,
            matcher,
            aligned,
            tally,
            score: 0.0,
        };
        judged.score = judged.scored().score;
        Ok(judged)
    }
}

/// The result of a recipe on two lists.
pub(crate) struct Judged<'j, 'm, 'c> {
    recipe: &'j Recipe,
    pub(crate) sides: &'j Sides<'c>,
    pub(crate) matcher: &'j Matcher<'m, 'c>,
    /// `None` if an empty side decided the score.
    aligned: Option<Aligned>,
    pub(crate) tally: Tally,
    pub(crate) score: f64,
}

impl Judged<'_, '_, '_> {
    /// The alignment; empty if an empty side decided the score.
    pub(crate) fn alignment(&self) -> &Alignment {
        const NONE: Alignment = Alignment {
            pairs: Vec::new(),
            credit: 0.0,
            broken_off: false,
        };
        match &self.aligned {
            Some(aligned) => &aligned.alignment,
            None => const { &NONE },
        }
    }

    /// The expected and the actual items.
    pub(crate) fn items(&self) -> (&[Item<'_>], &[Item<'_>]) {
        let Sides {
            expected, actual, ..
        } = self.sides;
        (expected.as_slice(), actual.as_slice())
    }

    /// The unpaired expected and actual calls, in order.
    pub(crate) fn left_over(&self) -> (Vec<usize>, Vec<usize>) {
        let (expected, actual) = (self.sides.expected.len(), self.sides.actual.len());
        self.alignment().left_over(expected, actual)
    }

    /// The alignment and its recorded comparisons.
    pub(crate) fn compared(&self) -> Option<(&Alignment, &Comparisons)> {
        let aligned = self.aligned.as_ref()?;
        Some((&aligned.alignment, &aligned.more.as_ref()?.comparisons))
    }

    /// True if an empty side decided the score, without an alignment.
    pub(crate) fn is_decided_by_nothing(&self) -> bool {
        self.aligned.is_none()
    }

    /// The score and the steps of its computation.
    #[inline]
    fn scored(&self) -> Scored {
        let Recipe {
            empty,
            score,
            weigh,
            finish,
            ..
        } = self.recipe;
        let scored = match (
            &self.aligned,
            empty.worth(self.tally.expected, self.tally.actual),
        ) {
            (None, Worth::Fixed(score)) => Scored::fixed(empty.rule, score).with_costs(empty.costs),
            (aligned, _) => {
                let holds = aligned.as_ref().is_some_and(|aligned| aligned.holds);
                let weighed = weigh.as_ref().and_then(|it| {
                    let (expected, actual) = self.items();
                    score.weighed(it.sums([expected, actual], self.alignment()))
                });
                weighed.unwrap_or_else(|| score.score(&self.tally, holds))
            }
        };
        match finish {
            Finish::Rounded(rounding) if self.aligned.is_some() => scored.rounded(*rounding),
            Finish::Penalised(penalties, rounding) if self.aligned.is_some() => scored
                .with_penalties(*penalties, &self.tally, self.repeated_names())
                .rounded(*rounding),
            Finish::OneOrZero if scored.score < 1.0 => {
                scored.only_if("strict mode: nothing is lost", false)
            }
            _ => scored,
        }
    }

    /// Number of names that several actual calls share.
    fn repeated_names(&self) -> usize {
        let names = self.matcher.names();
        let mut counts = vec![0_usize; names.count];
        for &symbol in &*names.actual {
            if let Some(count) = counts.get_mut(symbol as usize) {
                *count += 1;
            }
        }
        counts.iter().filter(|count| **count > 1).count()
    }

    /// The tally of whole lists; a score may count each class of calls only once.
    pub(crate) fn whole_tally(&self) -> Tally {
        Tally {
            expected: self.sides.expected.len(),
            actual: self.sides.actual.len(),
            ..self.tally
        }
    }

    /// The explanation, with the indices of the original lists.
    pub(crate) fn explain(&self) -> Explanation {
        let explanation = match &self.aligned {
            None => explain_empty(self.sides.expected.len(), self.sides.actual.len()),
            Some(aligned) => {
                let mut explanation = explain::explain(
                    self.matcher,
                    aligned,
                    self.whole_tally(),
                    &self.recipe.align,
                );
                if matches!(
                    self.recipe.align,
                    Align::Subsequence | Align::FirstOccurrences
                ) {
                    explain::count_after_the_first_missed(&mut explanation, self.matcher, aligned);
                }
                explanation
            }
        };
        let mut explanation = match self.sides.places() {
            None => explanation,
            Some(places) => explain::at_places(explanation, places),
        };
        let skipped = self.sides.skipped().iter();
        let skipped = skipped.map(|&place| (Side::Actual, place));
        explanation.not_examined.extend(skipped);
        explanation.tally.actual += self.sides.skipped().len();
        let list = self.sides.list;
        self.scored().explain(Explanation {
            list,
            ..explanation
        })
    }
}
