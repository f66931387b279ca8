//! The remaining leaves of one name in a parallel block, and their worth over the calls from each position on.
//!
//! Without a given leaf, the maximum number of full pairs is one less over the calls from any position up to some limit, and unchanged
//! after it. One maximum matching yields the limits of all leaves: the limit is the first call that an alternating path reaches from the
//! leaf, or none if a path reaches an unpaired leaf. So leaves are tested without new matchings. When a leaf is taken, shifting pairs along
//! that path updates the matching of the others.
//!
//! Time per taken leaf: the number of matches in its connected component.

use smallvec::{SmallVec, smallvec};

use super::bits::{BitSet, next_one, ones};
use super::name_matching::{NONE, NameMatching, Numbers};
use super::name_part::NamePart;

/// The worth of the leaves placed so far (1 per pair by name, 2 per full pair), and the position up
/// to which calls are used. Results of equal worth need the same worth from the rest, so only the
/// one with the first position is kept.
pub(super) type Reached = (u32, usize);

/// Limits on the next leaf from a position. Skipping a call that the rest of another name needs
/// would lose worth.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends {
    /// The part with the first needed call.
    pub(super) part: u32,
    /// The position of that call: no leaf of another part may pass it.
    pub(super) limit_of_others: usize,
    /// The first needed call of any other part: no leaf of this part may pass it.
    pub(super) limit_of_part: usize,
}

/// The calls of a name that a leaf may take from a position on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    first: usize,
    /// The first two paired calls in the window, or its end if there are none.
    paired: [usize; 2],
}

/// A connected component of the leaves and calls of a name.
#[derive(Clone, Debug, Default)]
struct Component {
    leaves: SmallVec<[u32; 2]>,
    /// Ascending.
    calls: SmallVec<[u32; 2]>,
}

/// The components of a name's leaves with some of its calls, and the component of each leaf.
fn components(part: &NamePart, first: usize, end: usize) -> (SmallVec<[Component; 2]>, Numbers) {
    let count = part.leaves.len();
    let mut components: SmallVec<[Component; 2]> = SmallVec::new();
    let mut component_of: Numbers = smallvec![NONE; count];
    let mut unreached = BitSet::none(part.calls.len());
    (first..end).for_each(|call| unreached.insert(call));
    let mut queue: SmallVec<[usize; 8]> = SmallVec::new();
    for start in 0..count {
        if component_of[start] != NONE {
            continue;
        }
        let number = components.len() as u32;
        let mut component = Component::default();
        component_of[start] = number;
        queue.push(start);
        while let Some(leaf) = queue.pop() {
            component.leaves.push(leaf as u32);
            let reached = component.calls.len();
            let calls = unreached.common(part.of_leaves.row(leaf));
            component.calls.extend(calls.map(|call| call as u32));
            for &call in &component.calls[reached..] {
                unreached.remove(call as usize);
                for other in ones(part.of_calls.row(call as usize).iter().copied()) {
                    if std::mem::replace(&mut component_of[other], number) == NONE {
                        queue.push(other);
                    }
                }
            }
        }
        component.calls.sort_unstable();
        components.push(component);
    }
    (components, component_of)
}

/// The remaining leaves of a name, and a maximum matching with the interval's calls that pairs the last calls first.
pub(super) struct NameRest<'b> {
    part: &'b NamePart,
    /// The interval's first call, and the one after its last.
    pub(super) first: usize,
    end: usize,
    /// Number of remaining leaves.
    count: usize,
    /// Connected components: leaves and calls in different ones don't affect each other.
    components: SmallVec<[Component; 2]>,
    /// The component of each leaf.
    component_of: Numbers,
    call_of: Numbers,
    leaf_of: Numbers,
    /// The paired calls.
    paired: BitSet,
    /// Scratch space of a search; empty between searches.
    unreached: BitSet,
    /// For each leaf, its limit: without the leaf, the calls from any number below the limit on
    /// allow one full pair fewer.
    needed_before: Numbers,
    /// For each leaf, the next leaf on the alternating path that proves the limit, or [`NONE`] at its end.
    path: Numbers,
    pub(super) windows: SmallVec<[Window; 2]>,
    /// The step that the windows were computed for.
    step: u32,
}

impl<'b> NameRest<'b> {
    pub(super) fn new(part: &'b NamePart, first: usize, end: usize) -> Self {
        let mut matching = NameMatching::new(part, first);
        (first..end).rev().for_each(|call| matching.add(call));
        let call_of = matching.call_of;
        let mut leaf_of: Numbers = smallvec![NONE; part.calls.len()];
        let mut paired = BitSet::none(part.calls.len());
        for (leaf, &call) in call_of.iter().enumerate() {
            if call != NONE {
                leaf_of[call as usize] = leaf as u32;
                paired.insert(call as usize);
            }
        }
        let count = part.leaves.len();
        let (components, component_of) = components(part, first, end);
        let mut rest = Self {
            part,
            first,
            end,
            count,
            components,
            component_of,
            call_of,
            leaf_of,
            unreached: BitSet::none(part.calls.len()),
            paired,
            needed_before: smallvec![0; count],
            path: smallvec![NONE; count],
            windows: SmallVec::new(),
            step: 0,
        };
        (0..rest.components.len()).for_each(|component| rest.find_needs(component));
        rest
    }

    /// True if skipping this call, and those before it, lowers the worth of the rest.
    pub(super) fn needs(&self, call: usize) -> bool {
        self.paired.contains(call) || self.end - call <= self.count
    }

    /// Computes `needed_before` for each leaf of a component.
    fn find_needs(&mut self, number: usize) {
        let component = std::mem::take(&mut self.components[number]);
        let mut queue: SmallVec<[u32; 8]> = SmallVec::new();
        let is_paired = |call: &&u32| self.paired.contains(**call as usize);
        for call in component.calls.iter().filter(is_paired) {
            self.unreached.insert(*call as usize);
        }
        for leaf in &component.leaves {
            if self.call_of[*leaf as usize] == NONE {
                self.needed_before[*leaf as usize] = 0;
                queue.push(*leaf);
            }
        }
        self.follow_paths(&mut queue, 0);
        for &call in &component.calls {
            if !self.unreached.contains(call as usize) {
                continue;
            }
            self.unreached.remove(call as usize);
            let leaf = self.leaf_of[call as usize];
            self.needed_before[leaf as usize] = call + 1;
            self.path[leaf as usize] = NONE;
            queue.push(leaf);
            self.follow_paths(&mut queue, call + 1);
        }
        self.components[number] = component;
    }

    /// Follows all alternating paths that end in these leaves.
    fn follow_paths(&mut self, queue: &mut SmallVec<[u32; 8]>, needed_before: u32) {
        while let Some(to) = queue.pop() {
            let calls = self.part.of_leaves.row(to as usize);
            let reached: SmallVec<[usize; 8]> = self.unreached.common(calls).collect();
            for call in reached {
                self.unreached.remove(call);
                let leaf = self.leaf_of[call];
                self.needed_before[leaf as usize] = needed_before;
                self.path[leaf as usize] = to;
                queue.push(leaf);
            }
        }
    }

    /// Removes a leaf from the remaining ones.
    pub(super) fn take(&mut self, leaf: usize) {
        self.count -= 1;
        let mut at = leaf;
        let mut call = std::mem::replace(&mut self.call_of[leaf], NONE);
        while call != NONE {
            let next = self.path[at];
            self.leaf_of[call as usize] = next;
            if next == NONE {
                self.paired.remove(call as usize);
                break;
            }
            at = next as usize;
            call = std::mem::replace(&mut self.call_of[at], call);
        }
        let component = self.component_of[leaf] as usize;
        self.components[component]
            .leaves
            .retain(|it| *it as usize != leaf);
        self.find_needs(component);
    }

    /// Computes the windows of this part's calls for a step, one for each reached position.
    pub(super) fn compute_windows(
        &mut self,
        step: u32,
        part: u32,
        reached: &[Reached],
        ends: &[Ends],
    ) {
        if std::mem::replace(&mut self.step, step) == step {
            return;
        }
        self.windows.clear();
        for ((_, position), ends) in reached.iter().zip(ends) {
            let first = self.part.call_from(*position).min(self.end);
            let end = if ends.part == part {
                ends.limit_of_part
            } else {
                ends.limit_of_others
            };
            // Number of calls that can be skipped while enough are left for all leaves.
            let spare = (self.end - first).saturating_sub(self.count);
            let end = self.part.call_from(end).min(first + spare + 1);
            let end = end.min(self.end);
            let next = |from: usize| next_one(self.paired.words(), from, end).unwrap_or(end);
            let paired = next(first);
            self.windows.push(Window {
                first,
                paired: [paired, next(paired + 1)],
            });
        }
    }

    /// Adds the results of placing a leaf next, from one reached position: it is missed, or takes a call by name or in full. Only results
    /// from which the rest can still reach its worth are added.
    pub(super) fn add_placements(
        &self,
        leaf: usize,
        window: &Window,
        (worth, position): Reached,
        after: &mut SmallVec<[Reached; 4]>,
    ) {
        let &Window { first, paired } = window;
        let needed_before = self.needed_before[leaf] as usize;
        let matched = self.part.of_leaves.row(leaf);
        let position_after = |call: usize| self.part.calls[call] as usize + 1;
        // Missed: no full pair needs the leaf, and there are fewer calls than leaves.
        if first >= needed_before && self.end - first < self.count {
            after.push((worth, position));
        }
        // By name alone: take the first call, if that loses no full pair.
        let is_by_name = first < paired[0] && first + 1 >= needed_before;
        if is_by_name && !self.part.of_leaves.contains(leaf, first) {
            after.push((worth + 1, position_after(first)));
        }
        // In full: take a call that no other leaf needs, or replace the first paired call.
        let unneeded = next_one(matched, first, paired[0]).filter(|call| call + 1 < needed_before);
        let from = paired[0].max(needed_before.saturating_sub(1));
        let needed = next_one(matched, from, paired[1]);
        let calls = unneeded.into_iter().chain(needed);
        after.extend(calls.map(|call| (worth + 2, position_after(call))));
    }
}
