//! Checks runs along a known way through a tree, without a search: learning checks every run that it learned from.

use super::actual::ActualCall;
use super::pattern::Binding;
use super::tree::ProcessTree;
use super::variables::{Matching, VariablePlace, places};

/// Checks runs along known ways.
pub(crate) struct KnownWays<'t> {
    tree: &'t ProcessTree,
    /// The locations of each variable.
    places: Vec<Vec<VariablePlace>>,
}

impl<'t> KnownWays<'t> {
    pub(crate) fn new(tree: &'t ProcessTree) -> Self {
        Self {
            tree,
            places: places(tree),
        }
    }

    /// True if each call meets the whole demand of its leaf on this way, which the tree must accept. If not, the run may still be accepted
    /// on another way.
    pub(crate) fn accept(&self, way: &[u32], calls: &[ActualCall<'_>]) -> bool {
        let bindings: Vec<Binding<'_>> = (self.places.iter())
            .map(|places| first_value(places, way, calls))
            .collect();
        let matching = Matching::complete(self.tree, calls);
        let is_full = |(actual, leaf): (usize, &u32)| matching.is_full(*leaf, actual, &bindings);
        way.len() == calls.len() && way.iter().enumerate().all(is_full)
    }
}

/// The value of a variable, at its first location on the way.
fn first_value<'v>(
    places: &[VariablePlace],
    way: &[u32],
    calls: &'v [ActualCall<'_>],
) -> Binding<'v> {
    let found = way.iter().zip(calls).find_map(|(leaf, call)| {
        let mut own = places.iter().filter(|place| place.leaf == *leaf);
        own.find_map(|place| place.value(call))
    });
    found.map_or(Binding::Nothing, Binding::Value)
}
