//! An expectation as a process tree: calls, and blocks that define the order, number and choice of calls.
//!
//! Sources: van der Aalst, *Process Mining* (2016), 3.2.8, for process trees.

use crate::value::{Text, Value};

use super::actual::ActualCall;
use super::facts::TreeFacts;
use super::node::{Leaf, LeafOutput, TreeNode, TreeOperator};
use super::pattern::ValuePattern;
use super::pattern_reader::Variable;

/// A parsed and validated expectation with blocks or matchers.
#[derive(Debug, Default)]
pub struct ProcessTree {
    /// Children precede their parents; the root is last.
    pub(super) nodes: Vec<TreeNode>,
    pub(super) leaves: Vec<Leaf>,
    pub(super) variables: Vec<Variable>,
    pub(super) text: String,
    /// Facts about the whole tree.
    pub(super) facts: TreeFacts,
}

impl ProcessTree {
    /// The tree of these calls in order. A call matches if its arguments and output, as far as stated, are equal.
    pub(crate) fn from_run<'c>(calls: impl Iterator<Item = ActualCall<'c>>) -> Self {
        let leaf = |(index, call): (usize, ActualCall<'c>)| {
            let call = call.into_owned();
            let demand = call.read_output().cloned().map(ValuePattern::Exact);
            let output = demand.zip(call.output().cloned());
            Leaf {
                arguments: call.arguments.map(ValuePattern::Exact),
                output: output.map(|(pattern, written)| LeafOutput { pattern, written }),
                ..Leaf::from_name(index, &call.name)
            }
        };
        Self::from_leaves(calls.enumerate().map(leaf))
    }

    /// The tree of names in order, which accepts calls of these tools with any arguments.
    pub fn from_names(names: &[Text<'_>]) -> Self {
        let leaf = |(index, name): (usize, &Text<'_>)| Leaf::from_name(index, name);
        Self::from_leaves(names.iter().enumerate().map(leaf))
    }

    fn from_leaves(leaves: impl Iterator<Item = Leaf>) -> Self {
        let mut tree = Self::default();
        let mut children = Vec::new();
        for (index, leaf) in leaves.enumerate() {
            let pointer = leaf.pointer.clone();
            tree.leaves.push(leaf);
            children.push(tree.push(TreeOperator::Call(index as u32), pointer));
        }
        tree.push(TreeOperator::Sequence(children), String::new());
        tree.facts = TreeFacts::new(&tree.nodes, &tree.leaves);
        tree
    }

    /// The JSON text of the expectation: a list of elements.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// True for a list of calls without blocks and matchers, which resolves to itself.
    pub fn is_plain(&self) -> bool {
        let is_exact =
            |pattern: Option<&ValuePattern>| pattern.is_none_or(|it| it.exact().is_some());
        let is_call_of_list = |node: &TreeNode| match node.operator {
            TreeOperator::Call(_) => true,
            TreeOperator::Sequence(_) => node.pointer.is_empty(),
            _ => false,
        };
        self.nodes.iter().all(is_call_of_list)
            && self.leaves.iter().all(|leaf| {
                is_exact(leaf.arguments.as_ref())
                    && is_exact(leaf.output.as_ref().map(|output| &output.pattern))
            })
    }

    /// Number of written calls; a repeated call counts once.
    pub fn leaf_count(&self) -> usize {
        self.leaves.len()
    }

    /// The tool of a leaf, numbered in written order.
    pub fn leaf_name(&self, leaf: usize) -> Option<&Text<'static>> {
        self.leaves.get(leaf).map(|leaf| &leaf.name)
    }

    /// The expected arguments of a leaf as written, with matchers; `None` if it has no demand on them.
    pub fn leaf_arguments(&self, leaf: usize) -> Option<Value<'static>> {
        let arguments = self.leaves.get(leaf)?.arguments.as_ref()?;
        Some(arguments.written())
    }

    /// The number of calls in the shortest accepted run.
    pub fn shortest(&self) -> u64 {
        self.nodes.last().map_or(0, |root| root.shortest)
    }

    /// True if some call of this name has a demand on its output.
    pub(crate) fn demands_output(&self, name: &Text<'_>) -> bool {
        let mut leaves = self.leaves.iter();
        leaves.any(|leaf| leaf.output.is_some() && leaf.name == *name)
    }

    /// True if each tool has a call without demands.
    pub(crate) fn may_accept_all(&self) -> bool {
        let accepting = |it: &u32| self.accepts_any_call(*it);
        let names_of = |leaf: u32| &self.leaves[leaf as usize].name;
        let accepted: Vec<_> = self
            .leaf_numbers()
            .filter(accepting)
            .map(names_of)
            .collect();
        self.leaf_numbers()
            .all(|leaf| accepted.contains(&names_of(leaf)))
    }

    /// True if a leaf demands nothing of arguments and output.
    pub(super) fn accepts_any_call(&self, leaf: u32) -> bool {
        let leaf = &self.leaves[leaf as usize];
        leaf.arguments.is_none() && leaf.output.is_none()
    }

    fn leaf_numbers(&self) -> impl Iterator<Item = u32> {
        0..self.leaves.len() as u32
    }

    pub(super) fn root(&self) -> u32 {
        (self.nodes.len() - 1) as u32
    }

    pub(super) fn node(&self, number: u32) -> &TreeNode {
        &self.nodes[number as usize]
    }

    /// The leaves in order, if the tree is only a sequence of calls.
    pub(super) fn plain_run(&self) -> Option<Vec<u32>> {
        let is_plain = |node: &TreeNode| {
            matches!(
                node.operator,
                TreeOperator::Call(_) | TreeOperator::Sequence(_)
            )
        };
        let count = self.leaves.len() as u32;
        self.nodes
            .iter()
            .all(is_plain)
            .then(|| (0..count).collect())
    }

    /// Adds a node; its children must already exist.
    pub(super) fn push(&mut self, operator: TreeOperator, pointer: String) -> u32 {
        let end = self.leaves.len() as u32;
        let children = operator.children();
        let start = match (&operator, children.first()) {
            (TreeOperator::Call(leaf), _) => *leaf,
            (_, Some(&first)) => self.node(first).leaves.0,
            (_, None) => end,
        };
        let nullable = |node: &u32| self.node(*node).is_nullable;
        let shortest = |node: &u32| self.node(*node).shortest;
        let (is_nullable, shortest) = match &operator {
            TreeOperator::Call(_) => (false, 1),
            TreeOperator::Sequence(children) | TreeOperator::Parallel(children) => (
                children.iter().all(nullable),
                children.iter().map(shortest).fold(0, u64::saturating_add),
            ),
            TreeOperator::Choice(children) => (
                children.iter().any(nullable),
                children.iter().map(shortest).min().unwrap_or(0),
            ),
            TreeOperator::Optional(_) => (true, 0),
            TreeOperator::Loop { child, min, .. } => (
                *min == 0 || nullable(child),
                min.saturating_mul(shortest(child)),
            ),
        };
        self.nodes.push(TreeNode {
            operator,
            pointer,
            note: None,
            leaves: (start, end),
            is_nullable,
            shortest,
        });
        self.root()
    }
}
