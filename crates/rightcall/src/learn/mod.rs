//! Learns expectations from good runs of a task.
//!
//! Inductive mining turns the names of calls into blocks. The common properties of a call's arguments become matchers, and a value passed
//! from one call to another becomes a variable. Without noise, the expectation accepts every run that it was learned from.
//!
//! Source: Leemans, Fahland, van der Aalst, *Discovering Block-Structured Process Models from Event Logs* (2013).

mod block;
mod cuts;
mod graph;
mod leaves;
mod log;
mod miner;
mod pattern;
#[cfg(test)]
mod tests;

use crate::expectation::{ActualCall, ExpectationError, ProcessTree};
use crate::value::{JsonText, JsonWriter};

use block::{Block, BlockKind};
use leaves::{LeafDemand, Occurrence, demands};
use log::{Sequences, Symbol};
use miner::Miner;

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

/// A learned block, and the number of runs that support it.
#[derive(Clone, Debug)]
pub struct LearnedBlock {
    /// Number of runs that use it.
    pub support: u64,
    /// Its content.
    pub kind: LearnedKind,
}

/// The content of a learned block.
#[derive(Clone, Debug)]
pub enum LearnedKind {
    /// A call, as the JSON text of an element.
    Call {
        /// The element: a name, or an object with `args`.
        json: JsonText,
        /// True if an argument is unrestricted because it differs each time.
        is_open: bool,
    },
    /// Elements one after another.
    Sequence(Vec<LearnedBlock>),
    /// Elements in any order.
    AnyOrder(Vec<LearnedBlock>),
    /// Exactly one of the elements.
    OneOf(Vec<LearnedBlock>),
    /// Elements that may be left out.
    Optional(Vec<LearnedBlock>),
    /// Elements that are repeated.
    Repeat {
        /// One round.
        elements: Vec<LearnedBlock>,
        /// Minimum number of rounds.
        min: u64,
        /// Maximum number of rounds; `None` if unbounded.
        max: Option<u64>,
    },
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
}

/// Learns an expectation from runs of one task. The order of the runs doesn't affect the result.
///
/// # Errors
/// The blocks have too many states.
pub fn learn(
    runs: &[Vec<ActualCall<'_>>],
    options: &LearningOptions,
) -> Result<LearnedExpectation, ExpectationError> {
    let names = |run: &Vec<ActualCall<'_>>| -> Vec<String> {
        run.iter().map(|call| call.name().to_string()).collect()
    };
    let names: Vec<_> = runs.iter().map(names).collect();
    let names = || names.iter();
    let sequences = Sequences::new(names().map(|run| run.iter().map(String::as_str).collect()));
    let block = match options.variants {
        Some(most) => variants(&sequences, most),
        None => Miner::new(&sequences, options.noise, options.open_repeats).mine(sequences.log()),
    };
    let block = block.simplified();
    let by_names = elements(&block, &sequences, &[]);
    let tree = ProcessTree::read(json_of(&by_names).as_str())?;
    let mut leaves: Vec<Vec<Occurrence<'_, '_>>> = vec![Vec::new(); tree.leaf_count()];
    for (_, numbers) in &sequences.runs {
        let alignment = tree.align(&named(&runs[numbers[0]]))?;
        for &number in numbers {
            for pair in &alignment.pairs {
                leaves[alignment.run[pair.expected] as usize].push(Occurrence {
                    run: number,
                    place: pair.actual,
                    call: &runs[number][pair.actual],
                });
            }
        }
    }
    let demands = demands(&leaves, options.arguments);
    let elements = elements(&block, &sequences, &demands);
    let json = json_of(&elements);
    let tree = ProcessTree::read(json.as_str())?;
    let mut rejected = Vec::new();
    for (number, run) in runs.iter().enumerate() {
        if tree.align(run)?.cost > 0 {
            rejected.push(number);
        }
    }
    Ok(LearnedExpectation {
        elements,
        json,
        runs: runs.len() as u64,
        rejected,
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

/// Elements as JSON text.
fn json_of(elements: &[LearnedBlock]) -> JsonText {
    let mut writer = JsonWriter::new();
    write_list(elements, &mut writer);
    writer.finish()
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
            json: writer.finish(),
            is_open: arguments.is_some_and(pattern::Pattern::has_open_place),
        }
    }
}

fn write_list(elements: &[LearnedBlock], writer: &mut JsonWriter) {
    writer.begin_list();
    elements.iter().for_each(|it| it.write(writer));
    writer.end_list();
}

impl LearnedBlock {
    /// Writes the block as an element of an expectation.
    fn write(&self, writer: &mut JsonWriter) {
        let (key, elements) = match &self.kind {
            LearnedKind::Call { json, .. } => {
                writer.raw(json.as_str());
                return;
            }
            LearnedKind::Sequence(elements) => ("sequence", elements),
            LearnedKind::AnyOrder(elements) => ("any_order", elements),
            LearnedKind::OneOf(elements) => ("one_of", elements),
            LearnedKind::Optional(elements) => ("optional", elements),
            LearnedKind::Repeat { elements, .. } => ("repeat", elements),
        };
        writer.begin_object().key(key);
        write_list(elements, writer);
        if let LearnedKind::Repeat { min, max, .. } = &self.kind {
            writer.key("min").raw(&min.to_string());
            if let Some(max) = max {
                writer.key("max").raw(&max.to_string());
            }
        }
        writer.end_object();
    }
}
