//! Facts about a tree that don't depend on the run: which leaves share a name or a demand, and the bounds of each subtree.

use hashbrown::HashMap;

use crate::value::{JsonText, Text, Value};

use super::bounds::{NameBounds, PARTS};
use super::node::{Leaf, TreeNode, TreeOperator};

/// A map with a fast hash without a key.
pub(crate) type FastMap<K, V> = HashMap<K, V, foldhash::fast::FixedState>;

/// Facts about a tree that don't depend on the run.
#[derive(Debug, Default)]
pub(super) struct TreeFacts {
    /// The number of each leaf name.
    names: FastMap<Text<'static>, u32>,
    /// The name number of each leaf.
    pub(super) leaf_names: Vec<u32>,
    /// For each leaf, the first leaf with the same demand.
    same_as: Vec<u32>,
    node_bounds: Vec<NameBounds>,
    /// For each sequence, one after another: the bounds of its children from each child on.
    rest_bounds: Vec<NameBounds>,
    /// For each node, the start of its children's bounds in `rest_bounds`.
    rest_starts: Vec<u32>,
}

impl TreeFacts {
    pub(super) fn new(nodes: &[TreeNode], leaves: &[Leaf]) -> Self {
        let mut names: FastMap<Text<'static>, u32> = FastMap::default();
        let leaf_names = leaves
            .iter()
            .map(|leaf| {
                let next = names.len() as u32;
                *names.entry_ref(&leaf.name).or_insert(next)
            })
            .collect();
        let count = nodes.len();
        let mut facts = Self {
            names,
            leaf_names,
            same_as: same_leaves(leaves),
            node_bounds: Vec::with_capacity(count),
            rest_bounds: Vec::with_capacity(count),
            rest_starts: Vec::with_capacity(count),
        };
        for node in nodes {
            facts.rest_starts.push(facts.rest_bounds.len() as u32);
            let bounds = facts.bounds_of(nodes, &node.operator);
            facts.node_bounds.push(bounds);
        }
        facts
    }

    /// The bounds of a node. The bounds of its children must be known.
    fn bounds_of(&mut self, nodes: &[TreeNode], operator: &TreeOperator) -> NameBounds {
        let of = |child: &u32| self.node_bounds[*child as usize];
        match operator {
            TreeOperator::Call(leaf) => NameBounds::one(self.name_part(*leaf)),
            TreeOperator::Sequence(children) => {
                let start = self.rest_bounds.len();
                let mut rest = NameBounds::default();
                for child in children.iter().rev() {
                    rest = rest.and(self.node_bounds[*child as usize]);
                    self.rest_bounds.push(rest);
                }
                self.rest_bounds[start..].reverse();
                rest
            }
            TreeOperator::Parallel(children) => children
                .iter()
                .fold(NameBounds::default(), |bounds, child| bounds.and(of(child))),
            TreeOperator::Choice(children) => {
                let first = of(&children[0]);
                children[1..]
                    .iter()
                    .fold(first, |bounds, child| bounds.or(of(child)))
            }
            TreeOperator::Optional(child) => of(child).times(0, Some(1)),
            TreeOperator::Loop { child, min, max } => {
                let min = if nodes[*child as usize].is_nullable {
                    0
                } else {
                    *min
                };
                of(child).times(min, *max)
            }
        }
    }

    /// The number of a name. All names without a leaf share the next number.
    pub(super) fn name(&self, name: &Text<'_>) -> u32 {
        let none = self.names.len() as u32;
        self.names.get(name).copied().unwrap_or(none)
    }

    /// The part of the names that a leaf's name belongs to.
    pub(super) fn name_part(&self, leaf: u32) -> usize {
        name_part(self.leaf_names[leaf as usize])
    }

    /// The first leaf with the same name, arguments and output as written.
    pub(super) fn same_as(&self, leaf: u32) -> u32 {
        self.same_as[leaf as usize]
    }

    /// The bounds of a node.
    pub(super) fn node_bounds(&self, node: u32) -> NameBounds {
        self.node_bounds[node as usize]
    }

    /// The bounds of a sequence's children from one child on.
    pub(super) fn rest_bounds(&self, node: u32, from: u32) -> NameBounds {
        self.rest_bounds[(self.rest_starts[node as usize] + from) as usize]
    }
}

/// The part of the names that a name belongs to.
pub(super) fn name_part(name: u32) -> usize {
    name as usize % PARTS
}

fn same_leaves(leaves: &[Leaf]) -> Vec<u32> {
    let mut first: FastMap<_, u32> = FastMap::default();
    let text = |value: Value<'_>| JsonText::from_python_value(&value).into_string();
    let key = |leaf: &'_ Leaf| {
        (
            leaf.arguments.as_ref().map(|it| text(it.written())),
            leaf.output.as_ref().map(|it| text(it.written.clone())),
        )
    };
    leaves
        .iter()
        .zip(0..)
        .map(|(leaf, number)| *first.entry((&leaf.name, key(leaf))).or_insert(number))
        .collect()
}
