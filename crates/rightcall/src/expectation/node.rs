//! The parts of a process tree: calls, and blocks that say in which order, how often and which of them are expected.

use crate::value::{Text, Value};

use super::pattern::ValuePattern;

/// A node of the tree.
#[derive(Debug)]
pub(super) struct TreeNode {
    pub(super) operator: TreeOperator,
    /// Where it stands in the expectation, an RFC 6901 pointer.
    pub(super) pointer: String,
    /// The leaves below it, from the first to the one after the last.
    pub(super) leaves: (u32, u32),
    /// Whether it accepts the empty run.
    pub(super) is_nullable: bool,
    /// The number of calls of the shortest run that it accepts.
    pub(super) shortest: u64,
}

/// What a node says of its children.
#[derive(Clone, Debug)]
pub(super) enum TreeOperator {
    /// One call.
    Call(u32),
    /// One after another.
    Sequence(Vec<u32>),
    /// In parallel.
    Parallel(Vec<u32>),
    /// Exactly one.
    Choice(Vec<u32>),
    /// Once, or not at all.
    Optional(u32),
    /// At least so often, and at most.
    Loop {
        child: u32,
        min: u64,
        max: Option<u64>,
    },
}

/// A call that a tree expects.
#[derive(Debug)]
pub(super) struct Leaf {
    pub(super) name: Text<'static>,
    pub(super) arguments: Option<ValuePattern>,
    pub(super) output: Option<LeafOutput>,
    /// The keys of the call that are not matched: ids, turns, and what only some evaluators look at.
    pub(super) others: Vec<(Text<'static>, Value<'static>)>,
    pub(super) pointer: String,
}

/// The output that a leaf states.
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
