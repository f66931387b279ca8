//! Learns expectations from good runs of a task.
//!
//! Inductive mining turns the names of calls into blocks. The common properties of a call's arguments become matchers, and a value passed
//! from one call to another becomes a variable. Without noise, the expectation accepts every run that it was learned from.
//!
//! Source: Leemans, Fahland, van der Aalst, *Discovering Block-Structured Process Models from Event Logs* (2013).

mod block;
mod cuts;
mod graph;
#[cfg(test)]
mod large_logs;
mod learned_block;
mod leaves;
mod log;
mod miner;
mod pattern;
mod survey;
#[cfg(test)]
mod tests;
mod tightening;

use std::collections::BTreeMap;

use crate::expectation::{ActualCall, ExpectationError, KnownWays, ProcessTree};
use crate::value::{JsonText, JsonWriter};

use block::{Block, BlockKind};
use learned_block::json_of;
use leaves::{LeafDemand, Occurrence, demands};
use log::{Sequences, Symbol};
use miner::Miner;

pub use learned_block::{LearnedBlock, LearnedKind};
pub use tightening::Tightening;

/// The start of a text that replaces a redacted value, such as `[redacted 1]`. Where it occurs, any value is learned, or a variable if equal
/// texts are passed from call to call.
pub const REDACTED: &str = "[redacted ";

/// What to learn about arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LearnedArguments {
    /// Only the names of calls.
    Names,
    /// Keys and types.
    Types,
    /// Values, choices among a few, forms, types, and values passed from call to call.
    #[default]
    Values,
}

impl LearnedArguments {
    /// `names`, `types` or `values`.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "names" => Some(Self::Names),
            "types" => Some(Self::Types),
            "values" => Some(Self::Values),
            _ => None,
        }
    }
}

/// Options for learning.
#[derive(Clone, Copy, Debug, Default)]
pub struct LearningOptions {
    /// Behavior with a share below this is left out; 0 or more, below 1.
    pub noise: f64,
    /// True if repeats get no upper bound; otherwise it is the largest number seen.
    pub open_repeats: bool,
    /// What to learn about arguments.
    pub arguments: LearnedArguments,
    /// Keeps whole runs as alternatives: at most this many distinct ones, the most frequent first.
    pub variants: Option<usize>,
}

/// An expectation that was learned.
#[derive(Clone, Debug)]
pub struct LearnedExpectation {
    /// Its elements.
    pub elements: Vec<LearnedBlock>,
    /// The elements as JSON text: a list.
    pub json: JsonText,
    /// Number of runs that it was learned from.
    pub runs: u64,
    /// Indices of the runs that it rejects; empty without noise and variants.
    pub rejected: Vec<usize>,
    /// The leaves that the accepted runs go through, in order, each sequence with the indices of its runs.
    ways: Vec<(Vec<u32>, Vec<usize>)>,
}

/// Learns an expectation from runs of one task. The order of the runs doesn't affect the result.
///
/// # Errors
/// The blocks have too many states.
pub fn learn(
    runs: &[Vec<ActualCall<'_>>],
    options: &LearningOptions,
) -> Result<LearnedExpectation, ExpectationError> {
    let sequences = Sequences::new(runs);
    let block = match options.variants {
        Some(most) => variants(&sequences, most),
        None => Miner::new(&sequences, options.noise, options.open_repeats).mine(sequences.log()),
    };
    let block = block.simplified();
    let by_names = elements(&block, &sequences, &[]);
    let tree = ProcessTree::read(json_of(&by_names, runs.len() as u64).as_str())?;
    let mut leaves: Vec<Vec<Occurrence<'_, '_>>> = vec![Vec::new(); tree.leaf_count()];
    let mut alignments = Vec::with_capacity(sequences.runs.len());
    for (_, numbers) in &sequences.runs {
        let alignment = tree.align(&named(&runs[numbers[0]]))?;
        for pair in &alignment.pairs {
            let occurrence = |&run: &usize| Occurrence {
                run,
                place: pair.actual,
                call: &runs[run][pair.actual],
            };
            let leaf = alignment.run[pair.expected] as usize;
            leaves[leaf].extend(numbers.iter().map(occurrence));
        }
        alignments.push(alignment);
    }
    let demands = demands(leaves, options.arguments);
    let elements = elements(&block, &sequences, &demands);
    let json = json_of(&elements, runs.len() as u64);
    let tree = ProcessTree::read(json.as_str())?;
    let known = KnownWays::new(&tree);
    let mut rejected = Vec::new();
    let mut ways = BTreeMap::<Vec<u32>, Vec<usize>>::new();
    for ((_, numbers), by_names) in sequences.runs.iter().zip(&alignments) {
        let mut own = Vec::new();
        for &number in numbers {
            // Most runs take the way that their names take. Only the others need a search.
            if by_names.cost == 0 && known.accept(&by_names.run, &runs[number]) {
                own.push(number);
                continue;
            }
            let alignment = tree.align(&runs[number])?;
            if alignment.cost > 0 {
                rejected.push(number);
            } else {
                ways.entry(alignment.run).or_default().push(number);
            }
        }
        if !own.is_empty() {
            ways.entry(by_names.run.clone()).or_default().extend(own);
        }
    }
    rejected.sort_unstable();
    Ok(LearnedExpectation {
        elements,
        json,
        runs: runs.len() as u64,
        rejected,
        ways: ways.into_iter().collect(),
    })
}

/// The calls of a run, without arguments and outputs.
fn named(run: &[ActualCall<'_>]) -> Vec<ActualCall<'static>> {
    let name =
        |call: &ActualCall<'_>| ActualCall::new(call.name().clone().into_owned(), None, None);
    run.iter().map(name).collect()
}

/// Whole runs as alternatives.
fn variants(sequences: &Sequences, most: usize) -> Block {
    let mut runs: Vec<_> = sequences.runs.iter().zip(0..).collect();
    runs.sort_by_key(|((_, numbers), _)| std::cmp::Reverse(numbers.len()));
    let alternatives = runs.into_iter().take(most).map(|((events, numbers), _)| {
        let support = numbers.len() as u64;
        let calls = events.iter().map(|symbol| Block {
            support,
            kind: BlockKind::Call(*symbol),
        });
        Block {
            support,
            kind: BlockKind::Sequence(calls.collect()),
        }
    });
    Block {
        support: sequences.runs.iter().map(|(_, it)| it.len() as u64).sum(),
        kind: BlockKind::OneOf(alternatives.collect()),
    }
}

/// The elements of a block, each leaf with its demand.
fn elements(block: &Block, sequences: &Sequences, demands: &[LeafDemand]) -> Vec<LearnedBlock> {
    let mut writer = Writer {
        sequences,
        demands,
        leaf: 0,
    };
    writer.elements(block.elements())
}

/// Converts blocks to elements, and numbers leaves in this order.
struct Writer<'w> {
    sequences: &'w Sequences,
    demands: &'w [LeafDemand],
    leaf: usize,
}

impl Writer<'_> {
    fn elements(&mut self, blocks: &[Block]) -> Vec<LearnedBlock> {
        blocks.iter().map(|block| self.element(block)).collect()
    }

    fn element(&mut self, block: &Block) -> LearnedBlock {
        let kind = match &block.kind {
            BlockKind::Call(symbol) => self.call(*symbol),
            BlockKind::Sequence(blocks) => LearnedKind::Sequence(self.elements(blocks)),
            BlockKind::AnyOrder(blocks) => LearnedKind::AnyOrder(self.elements(blocks)),
            BlockKind::OneOf(blocks) => LearnedKind::OneOf(self.elements(blocks)),
            BlockKind::Optional(inner) => LearnedKind::Optional(self.elements(inner.elements())),
            BlockKind::Repeat { body, min, max } => LearnedKind::Repeat {
                elements: self.elements(body.elements()),
                min: *min,
                max: *max,
            },
        };
        LearnedBlock {
            support: block.support,
            kind,
        }
    }

    fn call(&mut self, symbol: Symbol) -> LearnedKind {
        let name = &self.sequences.names[symbol as usize];
        let demand = self.demands.get(self.leaf).cloned().unwrap_or_default();
        self.leaf += 1;
        let mut writer = JsonWriter::new();
        if demand.arguments.is_none() && demand.output.is_none() {
            writer.str(name);
        } else {
            writer.begin_object().key("name").str(name);
            demand.write(&mut writer);
            writer.end_object();
        }
        let arguments = demand.arguments.as_ref();
        LearnedKind::Call {
            name: name.clone(),
            json: writer.finish(),
            is_open: arguments.is_some_and(pattern::Pattern::has_open_place),
        }
    }
}
