//! A metric as data: a choice from each vocabulary, and the one interpreter of such choices.
//!
//! Two lists of calls come in. The [`Rules`] say when two calls are the same, [`Order`] in which order the actual ones are taken,
//! the [`EmptyPolicy`] what empty lists are worth, [`Align`] which call answers which. Scoring reads the tally of that, and so do
//! explanations.

mod align;
mod comparisons;
mod explain;
mod original;
mod rendering;
mod sides;
mod source;

pub(crate) use align::{Align, Aligned, Unlooked};
pub(crate) use comparisons::{Comparisons, explained_lines};
pub(crate) use explain::explain_empty;
pub(crate) use original::{Composed, Original};
pub(crate) use rendering::{Layout, error_result, evaluation};
pub(crate) use sides::{
    Field, Sides, Turns, expected_calls, expected_order, not_expected, require_expected,
    require_recorded, run,
};
pub(crate) use source::{Preset, Source};

use crate::alignment::Alignment;
use crate::evaluation::Ask;
use crate::explanation::Explanation;
use crate::matching::{Matcher, Rules};
use crate::outcome::{EvaluationError, Outcome};
use crate::scoring::{EmptyPolicy, Rounding, Scored, Scoring, Worth};
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
    GroupsInAnyOrder,
    /// Both sides sorted by name, then key by key and text by text.
    Sorted,
}

/// What becomes of a score at last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Finish {
    /// Nothing.
    AsIs,
    /// It is rounded.
    Rounded(Rounding),
    /// Below 1 it is 0.
    OneOrZero,
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
    pub(crate) fn judge<'j, 'm, 'c>(
        &self,
        source: &Source<'_>,
        sides: &'j Sides<'c>,
        matcher: &'j Matcher<'m, 'c>,
        ask: Ask,
    ) -> Result<Judged<'j, 'm, 'c>, Outcome> {
        let (expected, actual) = (sides.expected.len(), sides.actual.len());
        let (aligned, tally, scored) = match self.empty.worth(expected, actual) {
            Worth::Error(message) => {
                return Err(EvaluationError::Raised(message.to_owned()).into());
            }
            Worth::Fixed(score) => {
                let scored = Scored::fixed(self.empty.rule, score).costing(self.empty.costs);
                (None, Tally::of_none(expected, actual), scored)
            }
            Worth::Compute => {
                let aligned = self.align(source, sides, matcher, ask)?;
                let tally = Tally::of(&aligned.alignment, aligned.expected, aligned.actual);
                let scored = self.score.score(&tally, aligned.holds);
                let scored = match self.finish {
                    Finish::Rounded(rounding) => scored.rounded(rounding),
                    Finish::AsIs | Finish::OneOrZero => scored,
                };
                (Some(aligned), tally, scored)
            }
        };
        let scored = if self.finish == Finish::OneOrZero && scored.score < 1.0 {
            scored.only_if("strict mode: nothing is lost", false)
        } else {
            scored
        };
        Ok(Judged {
            sides,
            matcher,
            aligned,
            tally,
            scored,
        })
    }
}

/// What a recipe makes of two lists.
pub(crate) struct Judged<'j, 'm, 'c> {
    pub(crate) sides: &'j Sides<'c>,
    pub(crate) matcher: &'j Matcher<'m, 'c>,
    /// `None` where an empty side decided.
    pub(crate) aligned: Option<Aligned>,
    pub(crate) tally: Tally,
    pub(crate) scored: Scored,
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

    /// The expected and the actual calls that are in no pair, in order.
    pub(crate) fn left_over(&self) -> (Vec<usize>, Vec<usize>) {
        let (expected, actual) = (self.sides.expected.len(), self.sides.actual.len());
        self.alignment().left_over(expected, actual)
    }

    /// True if an empty side decided, and nothing was aligned.
    pub(crate) fn is_decided_by_nothing(&self) -> bool {
        self.aligned.is_none()
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
        let explanation = match (&self.aligned, &self.sides.places) {
            (None, _) => explain_empty(self.sides.expected.len(), self.sides.actual.len()),
            (Some(aligned), places) => {
                let explanation = explain::explain(self.matcher, aligned, self.whole_tally());
                match places {
                    None => explanation,
                    Some(places) => explain::at_places(explanation, places),
                }
            }
        };
        Explanation {
            list: self.sides.list,
            ..explanation
        }
    }
}
