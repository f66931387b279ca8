//! Inductive mining: cuts a log into smaller ones until each has a single name.
//!
//! Sources: Leemans, Fahland, van der Aalst, *Discovering Block-Structured Process Models from Event Logs* (2013), and *… Containing
//! Infrequent Behaviour* (2014) for `noise`.

use super::block::{Block, BlockKind};
use super::cuts::{Cut, Part, cut};
use super::graph::Graph;
use super::log::{Log, Sequences, Symbol};

/// Cuts logs.
pub(super) struct Miner<'s> {
    sequences: &'s Sequences,
    /// Behavior with a share below this is left out; 0 keeps everything.
    noise: f64,
    /// True if repeats get no upper bound.
    open_repeats: bool,
}

/// The parts of a trace.
type Parts = Vec<Vec<Symbol>>;

impl<'s> Miner<'s> {
    pub(super) fn new(sequences: &'s Sequences, noise: f64, open_repeats: bool) -> Self {
        Self {
            sequences,
            noise,
            open_repeats,
        }
    }

    /// A block that accepts the traces of a log; all of them without noise.
    pub(super) fn mine(&self, log: Log) -> Block {
        let all = self.weight(&log);
        let (empty, rest) = log.split_empty();
        if rest.traces.is_empty() {
            return self.block(&rest, BlockKind::Sequence(Vec::new()));
        }
        let left_out = all - self.weight(&rest);
        if empty > 0 && left_out as f64 >= self.noise * all as f64 {
            let inner = self.mine(rest);
            return Block {
                support: inner.support,
                kind: BlockKind::Optional(Box::new(inner)),
            };
        }
        let log = rest;
        let mut graph = Graph::new(&log, self.sequences);
        if let [symbol] = graph.symbols[..] {
            return self.one_name(&log, symbol);
        }
        // The source filters only if no cut is found otherwise. Here rare behavior never affects the cut.
        if self.noise > 0.0 {
            graph.filter(self.noise);
        }
        match cut(&graph) {
            Some(Cut::Choice(parts)) => self.choice(&log, &graph, &parts),
            Some(Cut::Sequence(parts)) => {
                let blocks = self.projected(&log, &graph, &parts);
                self.block(&log, BlockKind::Sequence(blocks))
            }
            Some(Cut::Parallel(parts)) => {
                let blocks = self.projected(&log, &graph, &parts);
                self.block(&log, BlockKind::AnyOrder(blocks))
            }
            Some(Cut::Loop(parts)) => self.rounds(&log, &graph, &parts),
            None => self.fall_through(&log, &graph),
        }
    }

    fn weight(&self, log: &Log) -> u64 {
        let traces = log.traces.iter();
        traces.map(|it| self.sequences.weight(it.sequence)).sum()
    }

    fn block(&self, log: &Log, kind: BlockKind) -> Block {
        Block {
            support: self.sequences.support(log),
            kind,
        }
    }

    /// A log with only one name.
    fn one_name(&self, log: &Log, symbol: Symbol) -> Block {
        let call = self.block(log, BlockKind::Call(symbol));
        match bounds(log.traces.iter().map(|it| it.events.len())) {
            (_, 0 | 1) => call,
            bounds => self.repeat(log, call, bounds),
        }
    }

    /// Repeats `body`, with the smallest and largest observed number of rounds as bounds.
    fn repeat(&self, log: &Log, body: Block, (fewest, most): (usize, usize)) -> Block {
        let kind = BlockKind::Repeat {
            body: Box::new(body),
            min: fewest as u64,
            max: (!self.open_repeats).then_some(most as u64),
        };
        self.block(log, kind)
    }

    fn choice(&self, log: &Log, graph: &Graph, parts: &[Part]) -> Block {
        let alternatives = parts.iter().map(|part| {
            let is_of = |event: &Symbol| part.contains(&graph.place(*event));
            // With noise, a trace belongs to the part that has most of its calls.
            let belongs = |events: &[Symbol]| {
                let count = events.iter().filter(|it| is_of(it)).count();
                count * 2 > events.len()
            };
            let mut matching = log.clone();
            matching.traces.retain(|trace| belongs(&trace.events));
            matching.project(|symbol| is_of(&symbol))
        });
        let alternatives: Vec<_> = alternatives.filter(|it| !it.traces.is_empty()).collect();
        let most = alternatives.iter().map(|it| self.weight(it)).max();
        let least = self.noise * most.unwrap_or(0) as f64;
        let frequent = alternatives.into_iter();
        let frequent = frequent.filter(|it| self.weight(it) as f64 >= least);
        let mut blocks: Vec<_> = frequent.map(|log| self.mine(log)).collect();
        // The most frequent alternative first.
        blocks.sort_by_key(|block| std::cmp::Reverse(block.support));
        self.block(log, BlockKind::OneOf(blocks))
    }

    fn projected(&self, log: &Log, graph: &Graph, parts: &[Part]) -> Vec<Block> {
        let project = |part: &Part| log.project(|it| part.contains(&graph.place(it)));
        parts.iter().map(|part| self.mine(project(part))).collect()
    }

    /// *do, redo, do* as a sequence: the body, then rounds of the parts in between and the body.
    fn rounds(&self, log: &Log, graph: &Graph, parts: &[Part]) -> Block {
        let part_of = |event: Symbol| {
            let at = graph.place(event);
            parts.iter().position(|part| part.contains(&at))
        };
        let pieces = |events: &[Symbol]| -> Vec<(usize, Vec<Symbol>)> {
            let mut pieces: Vec<(usize, Vec<Symbol>)> = Vec::new();
            for event in events {
                let part = part_of(*event).unwrap_or(0);
                match pieces.last_mut() {
                    Some((last, piece)) if *last == part => piece.push(*event),
                    _ => pieces.push((part, vec![*event])),
                }
            }
            pieces
        };
        let traces_of_part = |wanted: usize| {
            log.map(|events| {
                let pieces = pieces(events).into_iter();
                let wanted = pieces.filter(|(part, _)| *part == wanted);
                wanted.map(|(_, piece)| piece).collect::<Parts>()
            })
        };
        let counts = log.traces.iter().map(|trace| {
            let pieces = pieces(&trace.events);
            pieces.iter().filter(|(part, _)| *part > 0).count()
        });
        let bounds = bounds(counts);
        let body = self.mine(traces_of_part(0));
        let mut between: Vec<_> = (1..parts.len())
            .map(|it| self.mine(traces_of_part(it)))
            .collect();
        between.sort_by_key(|block| std::cmp::Reverse(block.support));
        let mut rest = traces_of_part(0);
        rest.traces.clear();
        rest.traces.extend(
            (1..parts.len())
                .flat_map(|it| traces_of_part(it).traces)
                .collect::<Vec<_>>(),
        );
        let between = self.block(&rest, BlockKind::OneOf(between));
        let round = self.block(&rest, BlockKind::Sequence(vec![between, body.clone()]));
        let repeated = self.repeat(&rest, round, bounds);
        self.block(log, BlockKind::Sequence(vec![body, repeated]))
    }

    /// The fallback if no cut exists: one name in parallel with the others, rounds, or any names in any number.
    fn fall_through(&self, log: &Log, graph: &Graph) -> Block {
        let without = |symbol: Symbol| log.project(|it| it != symbol);
        let is_once = |symbol: &&Symbol| {
            let count = |events: &[Symbol]| events.iter().filter(|it| it == symbol).count();
            log.traces.iter().all(|trace| count(&trace.events) == 1)
        };
        let divides = |symbol: &&Symbol| {
            let (_, rest) = without(**symbol).split_empty();
            cut(&Graph::new(&rest, self.sequences)).is_some()
        };
        let mut symbols = graph.symbols.iter();
        let parallel_name = symbols.clone().find(is_once);
        if let Some(&symbol) = parallel_name.or_else(|| symbols.find(divides)) {
            let single = self.mine(log.project(|it| it == symbol));
            let others = self.mine(without(symbol));
            return self.block(log, BlockKind::AnyOrder(vec![single, others]));
        }
        let start = |event: &Symbol| graph.is_start(graph.place(*event));
        let end = |event: &Symbol| graph.is_end(graph.place(*event));
        let strict = |before: &Symbol, next: &Symbol| end(before) && start(next);
        let loose = |_: &Symbol, next: &Symbol| start(next);
        let strict = log.map(|events| divide(events, strict));
        let loose = || log.map(|events| divide(events, loose));
        let more = |rounds: &Log| rounds.traces.len() > log.traces.len();
        let rounds = Some(strict)
            .filter(more)
            .or_else(|| Some(loose()).filter(more));
        if let Some(rounds) = rounds {
            let bounds = bounds(counts_of_parts(&rounds, log).into_iter());
            return self.repeat(log, self.mine(rounds), bounds);
        }
        let calls = graph.symbols.iter().map(|symbol| {
            let of_name = |log: &Log| log.project(|it| it == *symbol).split_empty().1;
            self.block(&of_name(log), BlockKind::Call(*symbol))
        });
        let any = self.block(log, BlockKind::OneOf(calls.collect()));
        let lengths = log.traces.iter().map(|it| it.events.len());
        self.repeat(log, any, bounds(lengths))
    }
}

/// The parts of a trace, split between events that `is_apart` separates.
fn divide(events: &[Symbol], is_apart: impl Fn(&Symbol, &Symbol) -> bool) -> Parts {
    let parts = events.chunk_by(|before, next| !is_apart(before, next));
    parts.map(<[Symbol]>::to_vec).collect()
}

/// The smallest and the largest number.
fn bounds(numbers: impl Iterator<Item = usize>) -> (usize, usize) {
    let wider = |bounds: Option<(usize, usize)>, it: usize| {
        let (least, most) = bounds.unwrap_or((it, it));
        Some((least.min(it), most.max(it)))
    };
    numbers.fold(None, wider).unwrap_or_default()
}

/// The number of parts of each trace; both logs are in the same order.
fn counts_of_parts(parts: &Log, whole: &Log) -> Vec<usize> {
    let mut parts = parts.traces.iter();
    let counts = whole.traces.iter().map(|trace| {
        let (mut left, mut count) = (trace.events.len(), 0);
        while left > 0 {
            left -= parts.next().map_or(left, |part| part.events.len());
            count += 1;
        }
        count
    });
    counts.collect()
}
