//! Tracks the possible places of a run in a tree, call by call. The cost per call doesn't grow with
//! the run.
//!
//! A place is the remaining expectation, a partial derivative of the tree (Antimirov, *Partial
//! derivatives of regular expressions and finite automaton constructions*, 1996). If any place is
//! left, the run can continue: its prefix cost is 0. Trees with variables are searched instead.

use std::collections::BTreeSet;
use std::slice;

use super::actual::ActualCall;
use super::next::NextCall;
use super::node::TreeOperator;
use super::tree::ProcessTree;
use super::variables::Matching;

/// Maximum number of places to track.
const MAX_PLACES: usize = 1_000;

/// Maximum number of walks that [`TreeWalk::accepts_all`] explores.
const MAX_WALKS: usize = 1_000;

/// The remaining parts, the next part last.
type Rest = Vec<Part>;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Node(u32),
    /// Parallel branches in progress, sorted.
    Parallel(Vec<Rest>),
    /// A repeated block and its completed rounds, counted only as far as its bounds need.
    Repeat {
        node: u32,
        done: u64,
    },
}

/// The places where a run may be.
#[derive(Clone, Debug)]
pub(crate) struct TreeWalk {
    places: BTreeSet<Rest>,
}

/// Returns true if a call matches a leaf.
type Fits<'f> = &'f mut dyn FnMut(u32) -> bool;

impl TreeWalk {
    /// The start of a tree; `None` if it has variables.
    pub(crate) fn begin(tree: &ProcessTree) -> Option<Self> {
        tree.variables.is_empty().then(|| Self {
            places: BTreeSet::from([vec![Part::Node(tree.root())]]),
        })
    }

    /// The walk after a call, which may have no output yet; `None` if there are too many places.
    pub(crate) fn after(&self, tree: &ProcessTree, call: &ActualCall<'_>) -> Option<Self> {
        self.after_match(tree, &Matching::so_far(tree, slice::from_ref(call), true))
    }

    /// The walk after these calls, whose outputs are final: a missing one stays missing. `None` as
    /// for [`begin`](Self::begin) and [`after`](Self::after).
    pub(crate) fn after_complete(tree: &ProcessTree, calls: &[ActualCall<'_>]) -> Option<Self> {
        calls.iter().try_fold(Self::begin(tree)?, |walk, call| {
            walk.after_match(tree, &Matching::complete(tree, slice::from_ref(call)))
        })
    }

    /// The walk after the call of a matching.
    fn after_match(&self, tree: &ProcessTree, matching: &Matching<'_, '_>) -> Option<Self> {
        let name = tree.facts.name(&matching.calls[0].name);
        let fits = &mut |leaf: u32| {
            tree.facts.leaf_names[leaf as usize] == name && matching.is_full(leaf, 0, &[])
        };
        let places = self.places_after(tree, fits);
        (places.len() <= MAX_PLACES).then_some(Self { places })
    }

    /// True if no accepted run starts with these calls.
    pub(crate) fn is_lost(&self) -> bool {
        self.places.is_empty()
    }

    /// True if the calls so far are an accepted run.
    pub(crate) fn is_accepted(&self, tree: &ProcessTree) -> bool {
        self.places.iter().any(|rest| is_nullable(tree, rest))
    }

    /// True if the calls so far are accepted with every continuation by calls of the tree's tools,
    /// with any arguments and outputs. Also false if the check needs more than [`MAX_WALKS`] walks.
    pub(crate) fn accepts_all(&self, tree: &ProcessTree) -> bool {
        let mut known = BTreeSet::from([self.places.clone()]);
        let mut open = vec![self.clone()];
        while let Some(walk) = open.pop() {
            if !walk.is_accepted(tree) || walk.places.len() > MAX_PLACES || known.len() > MAX_WALKS
            {
                return false;
            }
            for name in &tree.facts.leaf_names {
                let fits = &mut |leaf: u32| {
                    tree.facts.leaf_names[leaf as usize] == *name && tree.accepts_any_call(leaf)
                };
                let places = walk.places_after(tree, fits);
                if known.insert(places.clone()) {
                    open.push(Self { places });
                }
            }
        }
        true
    }

    /// The possible next calls, in written order.
    pub(crate) fn next(&self, tree: &ProcessTree) -> Vec<NextCall> {
        let mut leaves = BTreeSet::new();
        self.places_after(tree, &mut |leaf| {
            leaves.insert(leaf);
            false
        });
        let mut next = Vec::new();
        for leaf in leaves {
            let call = tree.next_call(&tree.leaves[leaf as usize], &Vec::new());
            if !next.contains(&call) {
                next.push(call);
            }
        }
        next
    }

    /// The places after a call that fits the leaves for which `fits` is true.
    fn places_after(&self, tree: &ProcessTree, fits: Fits<'_>) -> BTreeSet<Rest> {
        let mut places = BTreeSet::new();
        for rest in &self.places {
            derive(tree, rest, fits, &mut places);
        }
        places
    }
}

/// Adds the possible rests after a call that matches the start of `rest`.
fn derive(tree: &ProcessTree, rest: &[Part], fits: Fits<'_>, found: &mut BTreeSet<Rest>) {
    let Some((top, base)) = rest.split_last() else {
        return;
    };
    let with = |parts: &mut dyn Iterator<Item = Part>| -> Rest {
        let mut rest = base.to_vec();
        rest.extend(parts);
        rest
    };
    match top {
        Part::Node(node) => match &tree.node(*node).operator {
            TreeOperator::Call(leaf) => {
                if fits(*leaf) {
                    found.insert(base.to_vec());
                }
            }
            TreeOperator::Sequence(children) => {
                let rest = with(&mut children.iter().rev().map(|it| Part::Node(*it)));
                derive(tree, &rest, fits, found);
            }
            TreeOperator::Choice(children) => {
                for child in children {
                    let rest = with(&mut std::iter::once(Part::Node(*child)));
                    derive(tree, &rest, fits, found);
                }
            }
            TreeOperator::Optional(child) => {
                let rest = with(&mut std::iter::once(Part::Node(*child)));
                derive(tree, &rest, fits, found);
                derive(tree, base, fits, found);
            }
            TreeOperator::Parallel(children) => {
                let branches = children.iter().map(|it| vec![Part::Node(*it)]).collect();
                derive_parallel(tree, (branches, base), fits, found);
            }
            TreeOperator::Loop { .. } => {
                derive_repeat(tree, (*node, 0, base), fits, found);
            }
        },
        Part::Parallel(branches) => {
            derive_parallel(tree, (branches.clone(), base), fits, found);
        }
        Part::Repeat { node, done } => derive_repeat(tree, (*node, *done, base), fits, found),
    }
}

fn derive_parallel(
    tree: &ProcessTree,
    (branches, base): (Vec<Rest>, &[Part]),
    fits: Fits<'_>,
    found: &mut BTreeSet<Rest>,
) {
    for (place, branch) in branches.iter().enumerate() {
        let mut after = BTreeSet::new();
        derive(tree, branch, fits, &mut after);
        for rest in after {
            let mut remaining = branches.clone();
            remaining[place] = rest;
            remaining.retain(|branch| !branch.is_empty());
            // The order of branches doesn't matter.
            remaining.sort_unstable();
            let mut all = base.to_vec();
            match remaining.len() {
                0 => {}
                1 => all.extend(remaining.remove(0)),
                _ => all.push(Part::Parallel(remaining)),
            }
            found.insert(all);
        }
    }
    if branches.iter().all(|branch| is_nullable(tree, branch)) {
        derive(tree, base, fits, found);
    }
}

fn derive_repeat(
    tree: &ProcessTree,
    (node, done, base): (u32, u64, &[Part]),
    fits: Fits<'_>,
    found: &mut BTreeSet<Rest>,
) {
    let TreeOperator::Loop { child, min, max } = tree.node(node).operator else {
        return;
    };
    if max.is_none_or(|max| done < max) {
        let mut after = BTreeSet::new();
        // A round without a call doesn't count.
        derive(tree, &[Part::Node(child)], fits, &mut after);
        let done = match max {
            Some(_) => done + 1,
            None => (done + 1).min(min),
        };
        for rest in after {
            let mut all = base.to_vec();
            all.push(Part::Repeat { node, done });
            all.extend(rest);
            found.insert(all);
        }
    }
    if is_done(tree, node, done) {
        derive(tree, base, fits, found);
    }
}

/// True if a repeated block has completed enough rounds.
fn is_done(tree: &ProcessTree, node: u32, done: u64) -> bool {
    match tree.node(node).operator {
        TreeOperator::Loop { child, min, .. } => done >= min || tree.node(child).is_nullable,
        _ => true,
    }
}

fn is_nullable(tree: &ProcessTree, rest: &[Part]) -> bool {
    rest.iter().all(|part| match part {
        Part::Node(node) => tree.node(*node).is_nullable,
        Part::Parallel(branches) => branches.iter().all(|branch| is_nullable(tree, branch)),
        Part::Repeat { node, done } => is_done(tree, *node, *done),
    })
}
