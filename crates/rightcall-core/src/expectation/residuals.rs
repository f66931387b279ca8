//! The rest of a tree after some calls: its markings, created when the search reaches them.
//!
//! A marking is stored as a term: the rest of the tree that may still follow. Each term is stored
//! once, so equal rests share a marking. A step is a partial derivative of a term by a leaf. Empty
//! rounds of a loop create no terms, and only reachable terms are created.
//!
//! Sources: Antimirov, *Partial derivatives of regular expressions and finite automaton constructions* (1996); van der Aalst, *Process
//! Mining* (2016), for the operators.

use std::ops::Range;

use super::bounds::NameBounds;
use super::node::TreeOperator;
use super::terms::{Branches, DONE, NewSteps, PartRange, Step, Term, TermShape, Terms, range};
use super::tree::ProcessTree;

/// The remaining parts of a tree, as terms.
pub(super) struct Residuals<'t> {
    tree: &'t ProcessTree,
    terms: Terms,
}

impl Drop for Residuals<'_> {
    fn drop(&mut self) {
        std::mem::take(&mut self.terms).keep_buffers();
    }
}

impl<'t> Residuals<'t> {
    pub(super) fn new(tree: &'t ProcessTree) -> Self {
        let mut residuals = Self {
            tree,
            terms: Terms::with_kept_buffers(),
        };
        let done = residuals.intern(TermShape::Done);
        debug_assert_eq!(done, DONE, "the first term is the empty one");
        residuals
    }

    /// The term of the whole tree.
    pub(super) fn root(&mut self) -> Term {
        self.node_term(self.tree.root())
    }

    /// True if the run may end here.
    pub(super) fn is_nullable(&self, term: Term) -> bool {
        self.terms.get(term).is_nullable
    }

    /// The bounds of the calls that follow, per name.
    pub(super) fn bounds(&self, term: Term) -> &NameBounds {
        &self.terms.get(term).bounds
    }

    /// The parallel block that contains a term, if its states need separate markings. Blocks of plain calls don't.
    pub(super) fn parallel(&self, mut term: Term) -> Option<u32> {
        loop {
            match self.shape(term) {
                TermShape::Then(first, _) => term = first,
                TermShape::Parallel { node, branches } => {
                    return (!self.is_plain(branches)).then_some(node);
                }
                _ => return None,
            }
        }
    }

    /// The leaves of a block of plain calls, in order.
    pub(super) fn block_leaves(&self, block: Term) -> Vec<u32> {
        let leaf = |term: &Term| match self.shape(*term) {
            TermShape::Leaf(leaf) => Some(leaf),
            _ => None,
        };
        let mut leaves: Vec<u32> = match self.shape(block) {
            TermShape::Parallel { branches, .. } => {
                self.branches(branches).iter().filter_map(leaf).collect()
            }
            _ => Vec::new(),
        };
        leaves.sort_unstable();
        leaves
    }

    fn shape(&self, term: Term) -> TermShape {
        self.terms.shape(term)
    }

    fn branches(&self, branches: PartRange) -> &[Term] {
        self.terms.branches(branches)
    }

    fn intern(&mut self, shape: TermShape) -> Term {
        self.terms
            .find(shape)
            .unwrap_or_else(|hash| self.add(shape, hash))
    }

    fn intern_parallel(&mut self, node: u32, branches: &[Term]) -> Term {
        self.terms
            .find_parallel(node, branches)
            .unwrap_or_else(|hash| {
                let branches = self.terms.keep_branches(branches);
                self.add(TermShape::Parallel { node, branches }, hash)
            })
    }

    fn add(&mut self, shape: TermShape, hash: u64) -> Term {
        let facts = self.facts_of(shape);
        self.terms.add((shape, hash), facts)
    }

    /// True if a run may end with this shape, and its bounds.
    fn facts_of(&self, shape: TermShape) -> (bool, NameBounds) {
        let (tree, facts) = (self.tree, &self.tree.facts);
        match shape {
            TermShape::Done => (true, NameBounds::default()),
            TermShape::Leaf(leaf) => (false, NameBounds::one(facts.name_part(leaf))),
            TermShape::Rest { node, from } => {
                let children = &tree.node(node).operator.children()[from as usize..];
                let is_nullable = children.iter().all(|it| tree.node(*it).is_nullable);
                (is_nullable, facts.rest_bounds(node, from))
            }
            TermShape::Then(first, then) => (
                self.is_nullable(first) && self.is_nullable(then),
                self.bounds(first).and(*self.bounds(then)),
            ),
            TermShape::Parallel { branches, .. } => {
                let branches = self.branches(branches);
                let of_all = |all: NameBounds, it: &Term| all.and(*self.bounds(*it));
                (
                    branches.iter().all(|it| self.is_nullable(*it)),
                    branches.iter().fold(NameBounds::default(), of_all),
                )
            }
            TermShape::Node(node) => (tree.node(node).is_nullable, facts.node_bounds(node)),
            TermShape::Loop { node, min, max } => {
                let child = tree.node(node).operator.children()[0];
                (min == 0, facts.node_bounds(child).times(min, max))
            }
        }
    }

    /// The term of a whole node.
    fn node_term(&mut self, node: u32) -> Term {
        let tree = self.tree;
        match &tree.node(node).operator {
            TreeOperator::Call(leaf) => self.intern(TermShape::Leaf(*leaf)),
            TreeOperator::Sequence(_) => self.rest_term(node, 0),
            TreeOperator::Parallel(children) => {
                let mut branches = Branches::new();
                for &child in children {
                    let branch = self.node_term(child);
                    self.add_branch(&mut branches, branch);
                }
                self.parallel_term(node, &branches)
            }
            TreeOperator::Choice(children) if children.len() == 1 => self.node_term(children[0]),
            TreeOperator::Choice(_) | TreeOperator::Optional(_) => {
                self.intern(TermShape::Node(node))
            }
            TreeOperator::Loop { child, min, max } => {
                let is_nullable = tree.node(*child).is_nullable;
                self.loop_term(node, if is_nullable { 0 } else { *min }, *max)
            }
        }
    }

    /// The term of a sequence's children from one child on.
    fn rest_term(&mut self, node: u32, from: u32) -> Term {
        let children = self.tree.node(node).operator.children();
        match children.len() - from as usize {
            0 => DONE,
            1 => self.node_term(children[from as usize]),
            _ => self.intern(TermShape::Rest { node, from }),
        }
    }

    /// The term of the remaining rounds of a loop.
    fn loop_term(&mut self, node: u32, min: u64, max: Option<u64>) -> Term {
        match max {
            Some(0) => DONE,
            _ => self.intern(TermShape::Loop { node, min, max }),
        }
    }

    /// The term of one term followed by another.
    fn then_term(&mut self, first: Term, then: Term) -> Term {
        match (first, then) {
            (DONE, rest) | (rest, DONE) => rest,
            _ => self.intern(TermShape::Then(first, then)),
        }
    }

    /// True if all branches are calls.
    fn is_plain(&self, branches: PartRange) -> bool {
        let is_call = |it: &Term| matches!(self.shape(*it), TermShape::Leaf(_));
        self.branches(branches).iter().all(is_call)
    }

    /// Inserts a branch in order. A parallel block's own branches are inserted instead of the block.
    fn add_branch(&self, branches: &mut Branches, branch: Term) {
        match self.shape(branch) {
            TermShape::Done => {}
            TermShape::Parallel {
                branches: others, ..
            } => {
                (self.branches(others).iter()).for_each(|it| insert(branches, *it));
            }
            _ => insert(branches, branch),
        }
    }

    /// The term of parallel branches, in order.
    fn parallel_term(&mut self, node: u32, branches: &[Term]) -> Term {
        match *branches {
            [] => DONE,
            [one] => one,
            _ => self.intern_parallel(node, branches),
        }
    }

    /// The range of a term's steps; a block of plain calls is a single step.
    pub(super) fn steps(&mut self, term: Term) -> Range<usize> {
        if let Some(known) = self.terms.get(term).steps {
            return range(known);
        }
        let created = match self.shape(term) {
            TermShape::Parallel { branches, .. } => {
                if self.is_plain(branches) {
                    self.terms
                        .keep_steps(&mut [Step::Block(term, DONE)].into_iter().collect())
                } else {
                    self.leaf_steps(term)
                }
            }
            _ => self.create_steps(term, Self::steps),
        };
        self.terms.get_mut(term).steps = Some((created.start as u32, created.end as u32));
        created
    }

    /// The step with this number.
    pub(super) fn step(&self, number: usize) -> Step {
        self.terms.step(number)
    }

    /// The range of a term's steps, call by call.
    pub(super) fn leaf_steps(&mut self, term: Term) -> Range<usize> {
        if let Some(known) = self.terms.get(term).leaf_steps {
            return range(known);
        }
        let created = match self.shape(term) {
            TermShape::Parallel { node, branches } => {
                let branches = Branches::from_slice(self.branches(branches));
                self.parallel_steps(node, &branches)
            }
            _ => self.create_steps(term, Self::leaf_steps),
        };
        self.terms.get_mut(term).leaf_steps = Some((created.start as u32, created.end as u32));
        created
    }

    /// The steps of parallel branches: a step of one branch, with the other branches unchanged.
    fn parallel_steps(&mut self, node: u32, branches: &[Term]) -> Range<usize> {
        let mut new_steps = NewSteps::new();
        let mut others = Branches::from_slice(&branches[1..]);
        for (index, &branch) in branches.iter().enumerate() {
            if index > 0 {
                others[index - 1] = branches[index - 1];
            }
            if index > 0 && branches[index - 1] == branch || self.has_same_before(branch, branches)
            {
                continue;
            }
            for number in self.leaf_steps(branch) {
                let Step::Leaf(leaf, target) = self.step(number) else {
                    continue;
                };
                let rest = if target == DONE {
                    self.parallel_term(node, &others)
                } else {
                    let mut rest = others.clone();
                    self.add_branch(&mut rest, target);
                    self.parallel_term(node, &rest)
                };
                new_steps.push(Step::Leaf(leaf, rest));
            }
        }
        self.terms.keep_steps(&mut new_steps)
    }

    /// True if an earlier leaf with the same demand remains: such leaves are taken in order, to avoid equivalent runs.
    fn has_same_before(&self, branch: Term, branches: &[Term]) -> bool {
        let leaf = |term: Term| match self.shape(term) {
            TermShape::Leaf(leaf) => Some(leaf),
            _ => None,
        };
        let same = |leaf: u32| self.tree.facts.same_as(leaf);
        // Most calls occur only once in the tree.
        let repeated = leaf(branch).filter(|&leaf| same(leaf) != leaf);
        repeated.is_some_and(|repeated| {
            branches
                .iter()
                .filter_map(|&other| leaf(other))
                .any(|other| other < repeated && same(other) == same(repeated))
        })
    }

    /// Creates the steps of a term that is not a parallel block from the steps of its parts.
    fn create_steps(
        &mut self,
        term: Term,
        steps: fn(&mut Self, Term) -> Range<usize>,
    ) -> Range<usize> {
        let tree = self.tree;
        let mut new_steps = NewSteps::new();
        match self.shape(term) {
            TermShape::Done | TermShape::Parallel { .. } => {}
            TermShape::Leaf(leaf) => new_steps.push(Step::Leaf(leaf, DONE)),
            TermShape::Rest { node, from } => {
                let children = tree.node(node).operator.children();
                for (index, &child) in (from..).zip(&children[from as usize..]) {
                    let then = self.rest_term(node, index + 1);
                    self.node_steps(child, then, steps, &mut new_steps);
                    if !tree.node(child).is_nullable {
                        break;
                    }
                }
            }
            TermShape::Then(first, then) => {
                let first_steps = steps(self, first);
                self.add_continued(first_steps, then, &mut new_steps);
                if self.is_nullable(first) {
                    new_steps.extend(steps(self, then).map(|step| self.step(step)));
                }
            }
            TermShape::Node(node) => {
                for &child in tree.node(node).operator.children() {
                    self.node_steps(child, DONE, steps, &mut new_steps);
                }
            }
            TermShape::Loop { node, min, max } => {
                let child = tree.node(node).operator.children()[0];
                let then = self.loop_term(node, min.saturating_sub(1), max.map(|max| max - 1));
                self.node_steps(child, then, steps, &mut new_steps);
            }
        }
        self.terms.keep_steps(&mut new_steps)
    }

    /// Adds the steps of a node, each continued by the rest after it.
    fn node_steps(
        &mut self,
        node: u32,
        then: Term,
        steps: fn(&mut Self, Term) -> Range<usize>,
        new_steps: &mut NewSteps,
    ) {
        if let TreeOperator::Call(leaf) = self.tree.node(node).operator {
            new_steps.push(Step::Leaf(leaf, then));
            return;
        }
        let term = self.node_term(node);
        let inner_steps = steps(self, term);
        self.add_continued(inner_steps, then, new_steps);
    }

    /// Adds steps, each continued by the term `then`.
    fn add_continued(&mut self, steps: Range<usize>, then: Term, new_steps: &mut NewSteps) {
        for number in steps {
            new_steps.push(match self.step(number) {
                Step::Leaf(leaf, target) => Step::Leaf(leaf, self.then_term(target, then)),
                Step::Block(block, target) => Step::Block(block, self.then_term(target, then)),
            });
        }
    }

    /// The ends of all accepted runs of the node that start at the first leaf of `run`.
    pub(super) fn accepted_ends(&mut self, node: u32, run: &[u32]) -> Vec<usize> {
        let mut terms = vec![self.node_term(node)];
        let mut ends = Vec::new();
        for end in 0..=run.len() {
            if terms.iter().any(|term| self.is_nullable(*term)) {
                ends.push(end);
            }
            let Some(next) = run.get(end) else { break };
            let mut after = Vec::new();
            for term in terms {
                for number in self.leaf_steps(term) {
                    if let Step::Leaf(leaf, target) = self.step(number)
                        && leaf == *next
                    {
                        after.push(target);
                    }
                }
            }
            after.sort_unstable();
            after.dedup();
            terms = after;
            if terms.is_empty() {
                break;
            }
        }
        ends
    }
}

fn insert(branches: &mut Branches, branch: Term) {
    let place = branches.partition_point(|it| *it < branch);
    branches.insert(place, branch);
}
