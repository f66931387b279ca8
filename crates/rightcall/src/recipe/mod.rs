//! A metric as data: a choice from each vocabulary, and the one interpreter of such choices.
//!
//! Two lists of calls come in. The [`Rules`] say when two calls are the same, [`Order`] in which order the actual ones are taken,
//! the [`EmptyPolicy`] what empty lists are worth, [`Align`] which call answers which. Scoring reads the tally of that, and so do
//! explanations.

mod align;
mod comparisons;
mod demand;
mod explain;
mod needs;
mod original;
mod rendering;
mod sides;
mod source;

use align::Aligned;
pub(crate) use align::{Align, Unlooked};
pub(crate) use comparisons::{Comparisons, explained_lines};
pub use demand::PairDemand;
pub(crate) use explain::explain_empty;
pub(crate) use needs::{
    Field, calls_and_run, expected_calls, expected_order, not_expected, nothing_expected,
    require_expected, require_named, require_recorded, trajectory,
};
pub(crate) use original::{Composed, Original};
pub(crate) use rendering::{Layout, error_result, evaluation};
pub(crate) use sides::{MoreOfSides, Reading, Sides, Turns};
pub(crate) use source::{Preset, Source};

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
    /// When two calls are the same.
    pub(crate) rules: Rules,
    /// In which order the calls are taken.
    pub(crate) order: Order,
    /// What empty lists are worth.
    pub(crate) empty: EmptyPolicy,
    /// Which actual call answers which expected one.
    pub(crate) align: Align,
    /// What the tally is worth.
    pub(crate) score: Scoring,
    /// What becomes of the score at last.
    pub(crate) finish: Finish,
}

/// In which order the calls of a case are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// As they were recorded.
    Recorded,
    /// As they were recorded, but for actual calls of one group, which may stand in any order where order counts.
    GroupsFree,
    /// Both sides sorted by name, then key by key and text by text.
    Sorted,
}

/// What becomes of a score at last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Finish {
    /// Nothing.
    AsIs,
    /// It is rounded.
    Rounded(Rounding),
    /// Below 1 it is 0.
    OneOrZero,
    /// Penalties are taken off, and it is rounded.
    Penalised(Penalties, Rounding),
}

impl Recipe {
    /// A metric of these rules that takes calls as they were recorded, with 1 for two empty lists and 0 for one.
    pub(crate) fn new(rules: Rules, align: Align, score: Scoring) -> Self {
        Self {
            rules,
            order: Order::Recorded,
            empty: EmptyPolicy::ALIKE,
            align,
            score,
            finish: Finish::AsIs,
        }
    }

    /// Judges two lists. The matcher is of these lists, by these rules.
    ///
    /// # Errors
    /// Where the original raises, or the lists do not hold what the alignment goes by.
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

/// What a recipe makes of two lists.
pub(crate) struct Judged<'j, 'm, 'c> {
    recipe: &'j Recipe,
    pub(crate) sides: &'j Sides<'c>,
    pub(crate) matcher: &'j Matcher<'m, 'c>,
    /// `None` where an empty side decided.
    aligned: Option<Aligned>,
    pub(crate) tally: Tally,
    pub(crate) score: f64,
}

impl Judged<'_, '_, '_> {
    /// The pairs, and which calls are in none.
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

    /// The expected and the actual calls that are in no pair, in order.
    pub(crate) fn left_over(&self) -> (Vec<usize>, Vec<usize>) {
        let (expected, actual) = (self.sides.expected.len(), self.sides.actual.len());
        self.alignment().left_over(expected, actual)
    }

    /// The alignment with what was compared on the way, where that was noted.
    pub(crate) fn compared(&self) -> Option<(&Alignment, &Comparisons)> {
        let aligned = self.aligned.as_ref()?;
        Some((&aligned.alignment, &aligned.more.as_ref()?.comparisons))
    }

    /// True if an empty side decided, and nothing was aligned.
    pub(crate) fn is_decided_by_nothing(&self) -> bool {
        self.aligned.is_none()
    }

    /// The score with the steps that led to it.
    #[inline]
    fn scored(&self) -> Scored {
        let Recipe {
            empty,
            score,
            finish,
            ..
        } = self.recipe;
        let scored = match (
            &self.aligned,
            empty.worth(self.tally.expected, self.tally.actual),
        ) {
            (None, Worth::Fixed(score)) => Scored::fixed(empty.rule, score).costing(empty.costs),
            (aligned, _) => {
                let holds = aligned.as_ref().is_some_and(|aligned| aligned.holds);
                score.score(&self.tally, holds)
            }
        };
        match finish {
            Finish::Rounded(rounding) if self.aligned.is_some() => scored.rounded(*rounding),
            Finish::Penalised(penalties, rounding) if self.aligned.is_some() => scored
                .less(*penalties, &self.tally, self.repeated_names())
                .rounded(*rounding),
            Finish::OneOrZero if scored.score < 1.0 => {
                scored.only_if("strict mode: nothing is lost", false)
            }
            _ => scored,
        }
    }

    /// How many names several actual calls have.
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

    /// The tally of whole lists, where a score may count each class of calls once.
    pub(crate) fn whole_tally(&self) -> Tally {
        Tally {
            expected: self.sides.expected.len(),
            actual: self.sides.actual.len(),
            ..self.tally
        }
    }

    /// The universal alignment, in the places where the calls were given.
    pub(crate) fn explain(&self) -> Explanation {
        let explanation = match &self.aligned {
            None => explain_empty(self.sides.expected.len(), self.sides.actual.len()),
            Some(aligned) => {
                let mut explanation = explain::explain(self.matcher, aligned, self.whole_tally());
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
