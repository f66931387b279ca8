//! Learned blocks of an expectation.

use super::log::Symbol;

/// A block, and the number of runs that use it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) support: u64,
    pub(super) kind: BlockKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum BlockKind {
    Call(Symbol),
    Sequence(Vec<Block>),
    AnyOrder(Vec<Block>),
    OneOf(Vec<Block>),
    Optional(Box<Block>),
    Repeat {
        body: Box<Block>,
        min: u64,
        max: Option<u64>,
    },
}

impl Block {
    /// The same language in fewer blocks: nested blocks of one kind are merged, and blocks of one element become that element.
    pub(super) fn simplified(self) -> Self {
        let support = self.support;
        let kind = match self.kind {
            BlockKind::Call(symbol) => BlockKind::Call(symbol),
            BlockKind::Sequence(blocks) => joined(blocks, BlockKind::Sequence),
            BlockKind::AnyOrder(blocks) => joined(blocks, BlockKind::AnyOrder),
            BlockKind::OneOf(blocks) => joined(blocks, BlockKind::OneOf),
            BlockKind::Optional(inner) => optional(inner.simplified()),
            BlockKind::Repeat { body, min, max } => repeat(body.simplified(), min, max),
        };
        Self { support, kind }
    }

    /// The blocks of a sequence; any other block is its only element.
    pub(super) fn elements(&self) -> &[Self] {
        match &self.kind {
            BlockKind::Sequence(blocks) => blocks,
            _ => std::slice::from_ref(self),
        }
    }
}

/// Combines blocks; nested blocks of the same kind are inlined.
fn joined(blocks: Vec<Block>, kind: fn(Vec<Block>) -> BlockKind) -> BlockKind {
    let mut inner = Vec::new();
    for block in blocks {
        let block = block.simplified();
        match (kind(Vec::new()), block.kind) {
            (BlockKind::Sequence(_), BlockKind::Sequence(blocks))
            | (BlockKind::AnyOrder(_), BlockKind::AnyOrder(blocks))
            | (BlockKind::OneOf(_), BlockKind::OneOf(blocks)) => inner.extend(blocks),
            (_, kind) => inner.push(Block {
                support: block.support,
                kind,
            }),
        }
    }
    match inner.len() {
        1 => inner.remove(0).kind,
        _ => kind(inner),
    }
}

fn optional(inner: Block) -> BlockKind {
    match inner.kind {
        BlockKind::Repeat {
            body,
            min: 0 | 1,
            max,
        } => BlockKind::Repeat { body, min: 0, max },
        BlockKind::Optional(_) => inner.kind,
        _ => BlockKind::Optional(Box::new(inner)),
    }
}

fn repeat(body: Block, min: u64, max: Option<u64>) -> BlockKind {
    match (min, max) {
        (0, Some(1)) => optional(body),
        (1, Some(1)) => body.kind,
        // A small, constant number of rounds is written out.
        (2..=3, Some(most)) if most == min => {
            let rounds = vec![body; min as usize];
            joined(rounds, BlockKind::Sequence)
        }
        _ => BlockKind::Repeat {
            body: Box::new(body),
            min,
            max,
        },
    }
}
