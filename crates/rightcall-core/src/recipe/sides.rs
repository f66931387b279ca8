//! The expected and the actual calls of a recipe.

use std::ops::Range;

use crate::alignment::Turn;
use crate::call::{Call, runs};
use crate::explanation::ExpectedList;
use crate::matching::{Item, Items};
use crate::outcome::Outcome;
use crate::value::Value;

/// The lists of expected and actual calls.
#[derive(Debug)]
pub(crate) struct Sides<'c> {
    pub(crate) expected: Items<'c>,
    pub(crate) actual: Items<'c>,
    /// The list that indices of expected calls refer to.
    pub(crate) list: ExpectedList,
    /// Additional data of some cases and recipes.
    pub(crate) more: Option<Box<MoreOfSides<'c>>>,
}

/// The two lists, or the outcome if they can't be built.
pub(crate) type Reading<'c> = Result<Sides<'c>, Outcome>;

/// Additional data of some cases and recipes.
#[derive(Debug, Default)]
pub(crate) struct MoreOfSides<'c> {
    /// The expected and the actual turns, for alignments by turn.
    pub(crate) turns: Option<[Turns; 2]>,
    /// Ranges of actual calls requested in parallel, for recipes that use them.
    pub(crate) groups: Vec<Range<usize>>,
    /// Indices of actual calls that the original ignores.
    pub(crate) skipped: Vec<usize>,
    /// Original indices of the calls, if they were sorted or some were skipped.
    pub(crate) places: Option<[Vec<usize>; 2]>,
    /// The expected and the actual values in the original's own shape, if its details show them.
    pub(crate) values: Option<[Vec<Value<'c>>; 2]>,
}

/// The turns of one side.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    /// The calls of each turn.
    pub(crate) calls: Vec<Turn>,
    /// The author of each turn's message, if roles are compared.
    pub(crate) roles: Vec<&'static str>,
}

impl Turns {
    /// Builds turns from runs of consecutive calls that belong together.
    pub(crate) fn from_calls(
        calls: &[Call<'_>],
        together: impl Fn(&Call<'_>, &Call<'_>) -> bool,
    ) -> Self {
        let turns = runs(calls, together).map(|calls| Turn { calls });
        Self {
            calls: turns.collect(),
            roles: Vec::new(),
        }
    }
}

impl<'c> Sides<'c> {
    /// Two lists without additional data.
    #[inline]
    pub(crate) fn new(expected: Items<'c>, actual: Items<'c>) -> Self {
        Self {
            expected,
            actual,
            list: ExpectedList::Calls,
            more: None,
        }
    }

    /// Adds additional data.
    pub(crate) fn with(mut self, more: MoreOfSides<'c>) -> Self {
        self.more = Some(Box::new(more));
        self
    }

    /// Removes the actual calls that the original ignores.
    pub(crate) fn skipping(self, is_skipped: impl Fn(&Item<'c>) -> bool) -> Self {
        let calls = self.actual.as_slice();
        if !calls.iter().any(&is_skipped) {
            return self;
        }
        let (skipped, kept): (Vec<_>, Vec<_>) =
            (0..calls.len()).partition(|&place| is_skipped(&calls[place]));
        let actual = Items::Own(kept.iter().map(|&place| calls[place].clone()).collect());
        let all = (0..self.expected.len()).collect();
        Self { actual, ..self }.with(MoreOfSides {
            places: Some([all, kept]),
            skipped,
            ..MoreOfSides::default()
        })
    }

    pub(super) fn turns(&self) -> Option<&[Turns; 2]> {
        self.more.as_ref()?.turns.as_ref()
    }

    pub(super) fn groups(&self) -> &[Range<usize>] {
        self.more.as_ref().map_or(&[], |more| &more.groups)
    }

    pub(super) fn skipped(&self) -> &[usize] {
        self.more.as_ref().map_or(&[], |more| &more.skipped)
    }

    pub(super) fn places(&self) -> Option<&[Vec<usize>; 2]> {
        self.more.as_ref()?.places.as_ref()
    }

    /// The expected and the actual values, if the case is in the original's own shape.
    pub(crate) fn values(&self) -> Option<&[Vec<Value<'c>>; 2]> {
        self.more.as_ref()?.values.as_ref()
    }
}
