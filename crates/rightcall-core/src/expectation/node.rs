//! The nodes of a process tree: calls, and blocks that define the order, number and choice of calls.

use crate::value::{Text, Value, pointer};

use super::pattern::ValuePattern;

/// A node of the tree.
#[derive(Debug)]
pub(super) struct TreeNode {
    pub(super) operator: TreeOperator,
    /// Its location in the expectation, an RFC 6901 pointer.
    pub(super) pointer: String,
    /// A remark on a block, which no run has to match.
    pub(super) note: Option<Box<str>>,
    /// The leaves below it: the first, and the one after the last.
    pub(super) leaves: (u32, u32),
    /// True if it accepts the empty run.
    pub(super) is_nullable: bool,
    /// The number of calls in its shortest accepted run.
    pub(super) shortest: u64,
}

/// How a node combines its children.
#[derive(Clone, Debug)]
pub(super) enum TreeOperator {
    /// One call.
    Call(u32),
    /// The children one after another.
    Sequence(Vec<u32>),
    /// The children in parallel.
    Parallel(Vec<u32>),
    /// Exactly one child.
    Choice(Vec<u32>),
    /// The child once, or not at all.
    Optional(u32),
    /// The child repeatedly, between a minimum and a maximum number of rounds.
    Loop {
        child: u32,
        min: u64,
        max: Option<u64>,
    },
}

/// An expected call of a tree.
#[derive(Debug)]
pub(super) struct Leaf {
    pub(super) name: Text<'static>,
    pub(super) arguments: Option<ValuePattern>,
    pub(super) output: Option<LeafOutput>,
    /// Keys of the call that don't take part in matching: ids, turns, and fields that only some evaluators use.
    pub(super) others: Vec<(Text<'static>, Value<'static>)>,
    pub(super) pointer: String,
}

impl Leaf {
    /// The call of a plain list at this index, with a demand on its name only.
    pub(super) fn from_name(index: usize, name: &Text<'_>) -> Self {
        Self {
            name: name.clone().into_owned(),
            arguments: None,
            output: None,
            others: Vec::new(),
            pointer: pointer::item("", index),
        }
    }
}

/// The output that a leaf demands.
#[derive(Debug)]
pub(super) struct LeafOutput {
    pub(super) pattern: ValuePattern,
    pub(super) written: Value<'static>,
}

impl TreeOperator {
    pub(super) fn children(&self) -> &[u32] {
        match self {
            Self::Call(_) => &[],
            Self::Sequence(children) | Self::Parallel(children) | Self::Choice(children) => {
                children
            }
            Self::Optional(child) | Self::Loop { child, .. } => std::slice::from_ref(child),
        }
    }
}
