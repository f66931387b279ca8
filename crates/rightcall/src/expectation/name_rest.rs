//! The leaves of one name that are left of a parallel block, and what they are worth over the calls from each position on.
//!
//! Without a leaf, the most pairs in full are one fewer over the calls from some position or an earlier one, and the same over those behind
//! it. All these positions come from one maximum matching: it is that of the first call to which an alternating path leads from the leaf, or
//! none if a path leads to a leaf without a call. So each leaf is tested without a new matching, and where one is taken, the matching of
//! the others is had by moving pairs along that path.
//!
//! Time for each leaf that is taken: the matches of those that it is connected with by matches.

use smallvec::{SmallVec, smallvec};

use super::bits::{BitSet, next_one, ones};
use super::name_matching::{NONE, NameMatching, Numbers};
use super::name_part::NamePart;

/// A position up to which calls are used up, and what the leaves before are worth: a pair 1, a pair in full 2. The worth of the rest
/// follows from it, so that of two positions of one worth the first will do.
pub(super) type Reached = (u32, usize);

/// How far a leaf may reach from a position: to pass a call that the rest of another name needs would cost its worth.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends {
    /// The part whose rest needs the first of such calls.
    pub(super) part: u32,
    /// Where that call is: no leaf of another name may pass it.
    pub(super) of_others: usize,
    /// The first such call of another part, which no leaf of this part may pass.
    pub(super) of_part: usize,
}

/// The calls of a name that a leaf may take, seen from a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    first: usize,
    /// The first two that are paired in the matching; the one behind the last where there are none.
    paired: [usize; 2],
}

/// Leaves and calls of a name between which paths of matches lead.
#[derive(Clone, Debug, Default)]
struct Component {
    leaves: SmallVec<[u32; 2]>,
    /// In order.
    calls: SmallVec<[u32; 2]>,
}

/// The components of the leaves of a name with some of its calls, and the component of each leaf.
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

/// The leaves of a name that are left, and a maximum matching of them with the calls of the interval, in which the last calls are paired
/// first.
pub(super) struct NameRest<'b> {
    part: &'b NamePart,
    /// The first of the calls of the interval, and the one behind the last.
    pub(super) first: usize,
    end: usize,
    /// How many leaves are left.
    count: usize,
    /// Leaves and calls between which no path leads do not matter to each other.
    components: SmallVec<[Component; 2]>,
    /// The component of each leaf.
    component_of: Numbers,
    call_of: Numbers,
    leaf_of: Numbers,
    /// The calls that are paired.
    paired: BitSet,
    /// Room for a search: empty, but while it lasts.
    unreached: BitSet,
    /// By leaf: without it, one pair in full fewer is possible over the calls from each of those before this one on.
    needed_before: Numbers,
    /// By leaf, the next one on the alternating path that shows it, or [`NONE`] at the end.
    path: Numbers,
    pub(super) windows: SmallVec<[Window; 2]>,
    /// The step of which the windows are.
    step: u32,
}

impl<'b> NameRest<'b> {
    pub(super) fn new(part: &'b NamePart, first: usize, end: usize) -> Self {
        let mut matching = NameMatching::new(part, first);
        (first..end).rev().for_each(|call| matching.add(call));
        let call_of = matching.into_calls();
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

    /// True if the rest is worth less without a call and those before it.
    pub(super) fn needs(&self, call: usize) -> bool {
        self.paired.contains(call) || self.end - call <= self.count
    }

    /// Finds for each leaf of a component up to which call it is needed.
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

    /// Takes a leaf out of those that are left.
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

    /// Finds the calls that leaves of this part may take in a step, from each position that was reached.
    pub(super) fn look_from(&mut self, step: u32, part: u32, reached: &[Reached], ends: &[Ends]) {
        if std::mem::replace(&mut self.step, step) == step {
            return;
        }
        self.windows.clear();
        for ((_, position), ends) in reached.iter().zip(ends) {
            let first = self.part.call_from(*position).min(self.end);
            let end = if ends.part == part {
                ends.of_part
            } else {
                ends.of_others
            };
            // So many calls of the name may be passed until there are too few for all leaves.
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

    /// Adds what is reached if a leaf is next, from one position that was reached: the leaf is missed, or takes a call by name or in full,
    /// and the rest can still come to all that it has to.
    pub(super) fn test(
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
        if first >= needed_before && self.end - first < self.count {
            after.push((worth, position));
        }
        // By name alone: the first call, if no pair in full is lost by it.
        let is_by_name = first < paired[0] && first + 1 >= needed_before;
        if is_by_name && !self.part.of_leaves.contains(leaf, first) {
            after.push((worth + 1, position_after(first)));
        }
        // In full: a call for which no other leaf is needed, or one in place of the first of those that are paired.
        let unneeded = next_one(matched, first, paired[0]).filter(|call| call + 1 < needed_before);
        let from = paired[0].max(needed_before.saturating_sub(1));
        let needed = next_one(matched, from, paired[1]);
        let calls = unneeded.into_iter().chain(needed);
        after.extend(calls.map(|call| (worth + 2, position_after(call))));
    }
}
