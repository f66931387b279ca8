//! Runs as sequences of names, with each distinct sequence stored once.

use crate::expectation::FastMap;

use super::runs::Runs;

/// A name, by its index among all names, which are sorted.
pub(super) type Symbol = u32;

/// A part of a run: some of its calls, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Trace {
    pub(super) events: Vec<Symbol>,
    /// The number of the sequence that it is a part of.
    pub(super) sequence: u32,
}

/// The traces that a part of the tree is learned from.
#[derive(Clone, Debug, Default)]
pub(super) struct Log {
    pub(super) traces: Vec<Trace>,
}

impl Log {
    /// The names that occur, sorted.
    pub(super) fn symbols(&self) -> Vec<Symbol> {
        let mut symbols: Vec<_> = self
            .traces
            .iter()
            .flat_map(|trace| trace.events.iter().copied())
            .collect();
        symbols.sort_unstable();
        symbols.dedup();
        symbols
    }

    /// Each trace restricted to some names.
    pub(super) fn project(&self, keeps: impl Fn(Symbol) -> bool) -> Self {
        self.map(|events| {
            let kept = events.iter().copied().filter(|it| keeps(*it));
            vec![kept.collect()]
        })
    }

    /// The parts of each trace as new traces.
    pub(super) fn map(&self, parts: impl Fn(&[Symbol]) -> Vec<Vec<Symbol>>) -> Self {
        let traces = self.traces.iter().flat_map(|trace| {
            let sequence = trace.sequence;
            let parts = parts(&trace.events).into_iter();
            parts.map(move |events| Trace { events, sequence })
        });
        Self {
            traces: traces.collect(),
        }
    }

    /// The number of empty traces, and the other traces.
    pub(super) fn split_empty(self) -> (usize, Self) {
        let all = self.traces.len();
        let traces: Vec<_> = self
            .traces
            .into_iter()
            .filter(|trace| !trace.events.is_empty())
            .collect();
        (all - traces.len(), Self { traces })
    }
}

/// A sequence of names, and the runs that have it.
#[derive(Clone, Debug)]
pub(super) struct Sequence {
    pub(super) events: Vec<Symbol>,
    /// The first of its runs.
    pub(super) first: usize,
    /// Number of its runs.
    pub(super) runs: u64,
}

/// The runs of a task, grouped by their sequences of names.
#[derive(Clone, Debug, Default)]
pub(super) struct Sequences {
    pub(super) names: Vec<String>,
    /// The sequences, sorted.
    pub(super) all: Vec<Sequence>,
    /// For each run, the index of its sequence.
    pub(super) of_runs: Vec<u32>,
}

impl Sequences {
    /// Numbers names and sequences in sorted order, so that the order of the runs doesn't matter.
    pub(super) fn new<R: Runs>(runs: &R) -> Result<Self, R::Error> {
        let mut symbols: FastMap<String, Symbol> = FastMap::default();
        let mut known: FastMap<Vec<Symbol>, u32> = FastMap::default();
        let mut sequences = Self::default();
        let mut events: Vec<Symbol> = Vec::new();
        for number in 0..runs.count() {
            events.clear();
            runs.with_names(number, |name| {
                let next = symbols.len() as Symbol;
                events.push(*symbols.entry_ref(&*name.to_display()).or_insert(next));
            })?;
            let next = sequences.all.len() as u32;
            let sequence = *known.entry_ref(&events[..]).or_insert(next);
            if sequence == next {
                sequences.all.push(Sequence {
                    events: events.clone(),
                    first: number,
                    runs: 0,
                });
            }
            sequences.all[sequence as usize].runs += 1;
            sequences.of_runs.push(sequence);
        }
        sequences.sort_names(symbols);
        sequences.sort();
        Ok(sequences)
    }

    fn sort_names(&mut self, symbols: FastMap<String, Symbol>) {
        let mut names: Vec<_> = symbols.into_iter().collect();
        names.sort_unstable();
        let mut sorted: Vec<Symbol> = vec![0; names.len()];
        for ((_, found), symbol) in names.iter().zip(0..) {
            sorted[*found as usize] = symbol;
        }
        for event in self.all.iter_mut().flat_map(|it| &mut it.events) {
            *event = sorted[*event as usize];
        }
        self.names = names.into_iter().map(|(name, _)| name).collect();
    }

    fn sort(&mut self) {
        let mut found: Vec<_> = std::mem::take(&mut self.all).into_iter().zip(0..).collect();
        found.sort_unstable_by(|(one, _), (other, _)| one.events.cmp(&other.events));
        let mut sorted: Vec<u32> = vec![0; found.len()];
        for ((_, found), sequence) in found.iter().zip(0..) {
            sorted[*found as usize] = sequence;
        }
        let of_runs = self.of_runs.iter_mut();
        of_runs.for_each(|sequence| *sequence = sorted[*sequence as usize]);
        self.all = found
            .into_iter()
            .map(|(sequence, _): (_, u32)| sequence)
            .collect();
    }

    /// True if a run has this sequence of names.
    pub(super) fn contains(&self, names: &[&str]) -> bool {
        let symbol = |name: &&str| {
            let found = self.names.binary_search_by(|it| it.as_str().cmp(name));
            found.ok().map(|symbol| symbol as Symbol)
        };
        let events: Option<Vec<Symbol>> = names.iter().map(symbol).collect();
        let all = |events: Vec<Symbol>| self.all.binary_search_by(|it| it.events.cmp(&events));
        events.is_some_and(|events| all(events).is_ok())
    }

    /// The sequences as a log.
    pub(super) fn log(&self) -> Log {
        let traces = self.all.iter().zip(0..);
        let traces = traces.map(|(found, sequence)| Trace {
            events: found.events.clone(),
            sequence,
        });
        Log {
            traces: traces.collect(),
        }
    }

    /// Number of runs that the traces of a log come from.
    pub(super) fn support(&self, log: &Log) -> u64 {
        let mut sequences: Vec<_> = log.traces.iter().map(|trace| trace.sequence).collect();
        sequences.sort_unstable();
        sequences.dedup();
        let runs = sequences.iter().map(|it| self.weight(*it));
        runs.sum()
    }

    /// Number of runs with a sequence.
    pub(super) fn weight(&self, sequence: u32) -> u64 {
        self.all[sequence as usize].runs
    }
}
