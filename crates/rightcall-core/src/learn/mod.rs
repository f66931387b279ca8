//! Learns expectations from good runs of a task.
//!
//! Inductive mining turns the names of calls into blocks. The common properties of a call's arguments become matchers, and a value passed
//! from one call to another becomes a variable. Without noise, the expectation accepts every run that it was learned from.
//!
//! Source: Leemans, Fahland, van der Aalst, *Discovering Block-Structured Process Models from Event Logs* (2013).

mod block;
mod cuts;
mod demand;
mod flow;
mod graph;
#[cfg(test)]
mod large_logs;
mod learned_block;
mod leaves;
mod log;
mod miner;
mod path;
mod pattern;
mod runs;
mod survey;
#[cfg(test)]
mod tests;
mod texts;
mod tightening;
mod ways;

use crate::expectation::ProcessTree;
use crate::value::{JsonText, JsonWriter};

use block::{Block, BlockKind};
use demand::LeafDemand;
use learned_block::json_of;
use leaves::SurveyedLeaves;
use log::{Sequences, Symbol};
use miner::Miner;
use ways::{Ways, named_ways};

pub use learned_block::{LearnedBlock, LearnedKind};
pub use runs::Runs;
pub use tightening::Tightening;

/// The start of a text that replaces a redacted value, such as `[redacted 1]`. A redacted value is
/// learned as any value, or as a variable if equal texts are passed from call to call.
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
    /// True if repeats get no upper bound; otherwise the bound is the largest observed number.
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
    sequences: Sequences,
}

impl LearnedExpectation {
    /// Number of different sequences of names among the runs.
    pub fn sequence_count(&self) -> usize {
        self.sequences.all.len()
    }

    /// Number of calls in the longest run.
    pub fn longest(&self) -> usize {
        let lengths = self.sequences.all.iter().map(|it| it.events.len());
        lengths.max().unwrap_or(0)
    }

    /// True if a run has this sequence of names.
    pub fn has_sequence(&self, names: &[&str]) -> bool {
        self.sequences.contains(names)
    }
}

/// Learns an expectation from runs of one task. The order of the runs doesn't affect the result.
///
/// The runs are read three times: for the blocks, for the common properties of their values, and to
/// check that each is accepted. Memory use depends on the different sequences of names, not on the
/// number of runs.
///
/// # Errors
/// The blocks have too many states, or a run can't be read.
pub fn learn<R: Runs>(runs: &R, options: &LearningOptions) -> Result<LearnedExpectation, R::Error> {
    let count = runs.count() as u64;
    let sequences = Sequences::new(runs)?;
    let block = match options.variants {
        Some(most) => variants(&sequences, most),
        None => Miner::new(&sequences, options.noise, options.open_repeats).mine(sequences.log()),
    };
    let block = block.simplified();
    let by_names = elements(&block, &sequences, &[]);
    let tree = ProcessTree::read(json_of(&by_names, count).as_str())?;
    let named = named_ways(&tree, runs, &sequences)?;
    let mut leaves = SurveyedLeaves::new(tree.leaf_count(), options.arguments);
    if options.arguments != LearnedArguments::Names {
        for (number, sequence) in sequences.of_runs.iter().enumerate() {
            let calls = &named[*sequence as usize].calls;
            runs.with_run(number, |run| leaves.add(number, run, calls))?;
        }
    }
    let demands = leaves.demands();
    let elements = elements(&block, &sequences, &demands);
    let json = json_of(&elements, count);
    let tree = ProcessTree::read(json.as_str())?;
    let is_open = demands.iter().all(LeafDemand::is_nothing);
    let ways = Ways::new(&tree, runs, &sequences, (&named, is_open))?;
    Ok(LearnedExpectation {
        elements,
        json,
        runs: count,
        rejected: ways.rejected,
        ways: ways.accepted,
        sequences,
    })
}

/// Whole runs as alternatives.
fn variants(sequences: &Sequences, most: usize) -> Block {
    let mut all: Vec<_> = sequences.all.iter().collect();
    all.sort_by_key(|sequence| std::cmp::Reverse(sequence.runs));
    let alternatives = all.into_iter().take(most).map(|sequence| {
        let support = sequence.runs;
        let calls = sequence.events.iter().map(|symbol| Block {
            support,
            kind: BlockKind::Call(*symbol),
        });
        Block {
            support,
            kind: BlockKind::Sequence(calls.collect()),
        }
    });
    Block {
        support: sequences.all.iter().map(|it| it.runs).sum(),
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
