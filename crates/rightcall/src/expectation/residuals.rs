//! What is left of a tree when some calls were made: its markings, made as the search comes to them.
//!
//! A marking is kept as the term of what may still follow, each term once, so that two ways to the same rest are one marking. A step is a
//! partial derivative of a term by a leaf. Nothing is made for an empty round of a loop, and none but the reachable terms are made.
//!
//! Sources: Antimirov, *Partial derivatives of regular expressions and finite automaton constructions* (1996); van der Aalst, *Process
//! Mining* (2016), for the operators.

use std::rc::Rc;

use hashbrown::HashMap;

use super::bounds::NameBounds;
use super::tree::{ProcessTree, TreeOperator};

/// The number of a term.
pub(super) type Term = u32;

/// The term of the empty rest.
pub(super) const DONE: Term = 0;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum TermShape {
    Done,
    Leaf(u32),
    /// The children of a sequence from one on.
    Rest {
        node: u32,
        from: u32,
    },
    Then(Term, Term),
    /// The branches of a parallel block that are left, sorted.
    Parallel {
        node: u32,
        branches: Rc<[Term]>,
    },
    Node(u32),
    Loop {
        node: u32,
        min: u64,
        max: Option<u64>,
    },
}

/// One step from a term to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Step {
    /// By a call of a leaf.
    Leaf(u32, Term),
    /// By all calls of a parallel block of plain calls, a term itself.
    Block(Term, Term),
}

/// The terms of a tree that were reached.
pub(super) struct Residuals<'t> {
    tree: &'t ProcessTree,
    shapes: Vec<TermShape>,
    numbers: HashMap<TermShape, Term, foldhash::fast::FixedState>,
    is_nullable: Vec<bool>,
    bounds: Vec<NameBounds>,
    steps: Vec<Option<Rc<[Step]>>>,
    leaf_steps: Vec<Option<Rc<[Step]>>>,
    /// By leaf, the first leaf that demands the same.
    same_as: Vec<u32>,
    /// By leaf, the part of the names that its name belongs to.
    name_parts: Vec<usize>,
    /// By sequence, the bounds of its children from each on.
    rest_bounds: Vec<Vec<NameBounds>>,
    node_bounds: Vec<NameBounds>,
}

impl<'t> Residuals<'t> {
    /// The terms of a tree, whose leaves belong to these parts of the names.
    pub(super) fn new(tree: &'t ProcessTree, name_parts: Vec<usize>) -> Self {
        let mut residuals = Self {
            tree,
            shapes: Vec::new(),
            numbers: HashMap::default(),
            is_nullable: Vec::new(),
            bounds: Vec::new(),
            steps: Vec::new(),
            leaf_steps: Vec::new(),
            same_as: same_leaves(tree),
            name_parts,
            rest_bounds: vec![Vec::new(); tree.nodes.len()],
            node_bounds: Vec::with_capacity(tree.nodes.len()),
        };
        for node in 0..tree.nodes.len() {
            residuals.bound_node(node);
        }
        let done = residuals.intern(TermShape::Done);
        debug_assert_eq!(done, DONE, "the first term is the empty one");
        residuals
    }

    fn bound_node(&mut self, node: usize) {
        let of = |child: &u32| &self.node_bounds[*child as usize];
        let bounds = match &self.tree.nodes[node].operator {
            TreeOperator::Call(leaf) => NameBounds::one(self.name_parts[*leaf as usize]),
            TreeOperator::Sequence(children) => {
                let mut rest = vec![NameBounds::default(); children.len() + 1];
                for (index, child) in children.iter().enumerate().rev() {
                    rest[index] = rest[index + 1].clone().and(of(child));
                }
                let all = rest[0].clone();
                self.rest_bounds[node] = rest;
                all
            }
            TreeOperator::Parallel(children) => children
                .iter()
                .fold(NameBounds::default(), |bounds, child| bounds.and(of(child))),
            TreeOperator::Choice(children) => {
                let first = of(&children[0]).clone();
                children[1..]
                    .iter()
                    .fold(first, |bounds, child| bounds.or(of(child)))
            }
            TreeOperator::Optional(child) => of(child).clone().times(0, Some(1)),
            TreeOperator::Loop { child, min, max } => {
                let min = if self.tree.node(*child).is_nullable {
                    0
                } else {
                    *min
                };
                of(child).clone().times(min, *max)
            }
        };
        self.node_bounds.push(bounds);
    }

    /// The whole tree.
    pub(super) fn root(&mut self) -> Term {
        self.node_term(self.tree.root())
    }

    /// Whether nothing need follow.
    pub(super) fn is_nullable(&self, term: Term) -> bool {
        self.is_nullable[term as usize]
    }

    /// How often names come up in what follows.
    pub(super) fn bounds(&self, term: Term) -> &NameBounds {
        &self.bounds[term as usize]
    }

    /// The parallel block that a term is inside of, if it needs a marking for each of its states.
    pub(super) fn parallel(&self, mut term: Term) -> Option<u32> {
        loop {
            match &self.shapes[term as usize] {
                TermShape::Then(first, _) => term = *first,
                TermShape::Parallel { node, .. } => return Some(*node),
                _ => return None,
            }
        }
    }

    /// The leaves of a block of plain calls, in order.
    pub(super) fn block_leaves(&self, block: Term) -> Vec<u32> {
        let leaf = |term: &Term| match self.shapes[*term as usize] {
            TermShape::Leaf(leaf) => Some(leaf),
            _ => None,
        };
        let mut leaves: Vec<u32> = match &self.shapes[block as usize] {
            TermShape::Parallel { branches, .. } => branches.iter().filter_map(leaf).collect(),
            _ => Vec::new(),
        };
        leaves.sort_unstable();
        leaves
    }

    fn intern(&mut self, shape: TermShape) -> Term {
        if let Some(&known) = self.numbers.get(&shape) {
            return known;
        }
        let is_nullable = match &shape {
            TermShape::Done => true,
            TermShape::Leaf(_) => false,
            TermShape::Rest { node, from } => {
                let children = self.tree.node(*node).operator.children();
                children[*from as usize..]
                    .iter()
                    .all(|child| self.tree.node(*child).is_nullable)
            }
            TermShape::Then(first, then) => self.is_nullable(*first) && self.is_nullable(*then),
            TermShape::Parallel { branches, .. } => branches.iter().all(|it| self.is_nullable(*it)),
            TermShape::Node(node) => self.tree.node(*node).is_nullable,
            TermShape::Loop { min, .. } => *min == 0,
        };
        let bounds = match &shape {
            TermShape::Done => NameBounds::default(),
            TermShape::Leaf(leaf) => NameBounds::one(self.name_parts[*leaf as usize]),
            TermShape::Rest { node, from } => {
                self.rest_bounds[*node as usize][*from as usize].clone()
            }
            TermShape::Then(first, then) => self.bounds(*first).clone().and(self.bounds(*then)),
            TermShape::Parallel { branches, .. } => branches
                .iter()
                .fold(NameBounds::default(), |all, it| all.and(self.bounds(*it))),
            TermShape::Node(node) => self.node_bounds[*node as usize].clone(),
            TermShape::Loop { node, min, max } => {
                let child = self.tree.node(*node).operator.children()[0];
                self.node_bounds[child as usize].clone().times(*min, *max)
            }
        };
        let term = self.shapes.len() as Term;
        self.shapes.push(shape.clone());
        self.numbers.insert(shape, term);
        self.is_nullable.push(is_nullable);
        self.bounds.push(bounds);
        self.steps.push(None);
        self.leaf_steps.push(None);
        term
    }

    /// The term of a whole node.
    fn node_term(&mut self, node: u32) -> Term {
        let tree = self.tree;
        match &tree.node(node).operator {
            TreeOperator::Call(leaf) => self.intern(TermShape::Leaf(*leaf)),
            TreeOperator::Sequence(_) => self.rest(node, 0),
            TreeOperator::Parallel(children) => {
                let branches = children
                    .iter()
                    .map(|child| self.node_term(*child))
                    .collect();
                self.in_parallel(node, branches)
            }
            TreeOperator::Choice(children) if children.len() == 1 => self.node_term(children[0]),
            TreeOperator::Choice(_) | TreeOperator::Optional(_) => {
                self.intern(TermShape::Node(node))
            }
            TreeOperator::Loop { child, min, max } => {
                let is_nullable = tree.node(*child).is_nullable;
                self.rounds(node, if is_nullable { 0 } else { *min }, *max)
            }
        }
    }

    fn rest(&mut self, node: u32, from: u32) -> Term {
        let children = self.tree.node(node).operator.children();
        match children.len() - from as usize {
            0 => DONE,
            1 => self.node_term(children[from as usize]),
            _ => self.intern(TermShape::Rest { node, from }),
        }
    }

    fn rounds(&mut self, node: u32, min: u64, max: Option<u64>) -> Term {
        match max {
            Some(0) => DONE,
            _ => self.intern(TermShape::Loop { node, min, max }),
        }
    }

    fn then(&mut self, first: Term, then: Term) -> Term {
        match (first, then) {
            (DONE, rest) | (rest, DONE) => rest,
            _ => self.intern(TermShape::Then(first, then)),
        }
    }

    /// Branches side by side; a block among them joins its branches to these.
    fn in_parallel(&mut self, node: u32, branches: Vec<Term>) -> Term {
        let mut all = Vec::with_capacity(branches.len());
        for branch in branches {
            match &self.shapes[branch as usize] {
                TermShape::Done => {}
                TermShape::Parallel { branches, .. } => all.extend_from_slice(branches),
                _ => all.push(branch),
            }
        }
        all.sort_unstable();
        match all[..] {
            [] => DONE,
            [one] => one,
            _ => {
                let branches = all.into();
                self.intern(TermShape::Parallel { node, branches })
            }
        }
    }

    /// The steps of a term, where a block of plain calls is one step.
    pub(super) fn steps(&mut self, term: Term) -> Rc<[Step]> {
        if let Some(known) = &self.steps[term as usize] {
            return Rc::clone(known);
        }
        let made = match &self.shapes[term as usize] {
            TermShape::Parallel { branches, .. } => {
                let is_plain = |it: &Term| matches!(self.shapes[*it as usize], TermShape::Leaf(_));
                if branches.iter().all(is_plain) {
                    Rc::from([Step::Block(term, DONE)])
                } else {
                    self.leaf_steps(term)
                }
            }
            _ => self.made(term, Self::steps),
        };
        self.steps[term as usize] = Some(Rc::clone(&made));
        made
    }

    /// The steps of a term, call by call.
    fn leaf_steps(&mut self, term: Term) -> Rc<[Step]> {
        if let Some(known) = &self.leaf_steps[term as usize] {
            return Rc::clone(known);
        }
        let made = match self.shapes[term as usize].clone() {
            TermShape::Parallel { node, branches } => self.parallel_steps(node, &branches),
            _ => self.made(term, Self::leaf_steps),
        };
        self.leaf_steps[term as usize] = Some(Rc::clone(&made));
        made
    }

    fn parallel_steps(&mut self, node: u32, branches: &[Term]) -> Rc<[Step]> {
        let mut made = Vec::new();
        for (index, &branch) in branches.iter().enumerate() {
            if index > 0 && branches[index - 1] == branch || self.has_same_before(branch, branches)
            {
                continue;
            }
            for step in &*self.leaf_steps(branch) {
                if let Step::Leaf(leaf, target) = *step {
                    let mut rest = branches.to_vec();
                    rest[index] = target;
                    made.push(Step::Leaf(leaf, self.in_parallel(node, rest)));
                }
            }
        }
        sorted(made)
    }

    /// Of calls that demand the same the first is made first.
    fn has_same_before(&self, branch: Term, branches: &[Term]) -> bool {
        let leaf = |term: Term| match self.shapes[term as usize] {
            TermShape::Leaf(leaf) => Some(leaf),
            _ => None,
        };
        let same = |leaf: u32| self.same_as[leaf as usize];
        leaf(branch).is_some_and(|leaf_of_branch| {
            branches
                .iter()
                .filter_map(|&other| leaf(other))
                .any(|other| other < leaf_of_branch && same(other) == same(leaf_of_branch))
        })
    }

    /// The steps of a term that is no parallel block, from those of its parts.
    fn made(&mut self, term: Term, steps: fn(&mut Self, Term) -> Rc<[Step]>) -> Rc<[Step]> {
        let tree = self.tree;
        let mut made = Vec::new();
        match self.shapes[term as usize].clone() {
            TermShape::Done | TermShape::Parallel { .. } => {}
            TermShape::Leaf(leaf) => made.push(Step::Leaf(leaf, DONE)),
            TermShape::Rest { node, from } => {
                let children = tree.node(node).operator.children();
                for (index, &child) in (from..).zip(&children[from as usize..]) {
                    let first = self.node_term(child);
                    let then = self.rest(node, index + 1);
                    let first_steps = steps(self, first);
                    self.followed(&first_steps, then, &mut made);
                    if !self.is_nullable(first) {
                        break;
                    }
                }
            }
            TermShape::Then(first, then) => {
                let first_steps = steps(self, first);
                self.followed(&first_steps, then, &mut made);
                if self.is_nullable(first) {
                    made.extend_from_slice(&steps(self, then));
                }
            }
            TermShape::Node(node) => {
                for &child in tree.node(node).operator.children() {
                    let child = self.node_term(child);
                    made.extend_from_slice(&steps(self, child));
                }
            }
            TermShape::Loop { node, min, max } => {
                let child = self.node_term(tree.node(node).operator.children()[0]);
                let then = self.rounds(node, min.saturating_sub(1), max.map(|max| max - 1));
                let child_steps = steps(self, child);
                self.followed(&child_steps, then, &mut made);
            }
        }
        sorted(made)
    }

    fn followed(&mut self, steps: &[Step], then: Term, made: &mut Vec<Step>) {
        for step in steps {
            made.push(match *step {
                Step::Leaf(leaf, target) => Step::Leaf(leaf, self.then(target, then)),
                Step::Block(block, target) => Step::Block(block, self.then(target, then)),
            });
        }
    }

    /// Whether the node accepts these leaves, from each on to which it does: the ends of runs that begin at the first.
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
                for step in &*self.leaf_steps(term) {
                    if let Step::Leaf(leaf, target) = step
                        && leaf == next
                    {
                        after.push(*target);
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

fn sorted(mut steps: Vec<Step>) -> Rc<[Step]> {
    steps.sort_unstable();
    steps.dedup();
    steps.into()
}

/// By leaf, the first leaf with the same name, arguments and output as written.
fn same_leaves(tree: &ProcessTree) -> Vec<u32> {
    let mut first: HashMap<_, u32, foldhash::fast::FixedState> = HashMap::default();
    let key = |number: usize| {
        let leaf = &tree.leaves[number];
        let text = |value: crate::value::Value<'_>| {
            crate::value::JsonText::from_value(&value).into_string()
        };
        (
            leaf.name.clone(),
            leaf.arguments.as_ref().map(|it| text(it.written())),
            leaf.output.as_ref().map(|it| text(it.written.clone())),
        )
    };
    (0..tree.leaves.len())
        .map(|number| *first.entry(key(number)).or_insert(number as u32))
        .collect()
}
