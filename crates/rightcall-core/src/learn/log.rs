//! Runs as sequences of names, with each distinct sequence stored once.

use std::borrow::Cow;

use crate::expectation::{ActualCall, FastMap};

/// A name, by its index among all names, which are sorted.
pub(super) type Symbol = u32;

/// A part of a run: some of its calls, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Trace {
    pub(super) events: Vec<Symbol>,
    /// The number of the sequence that it is a part of.
    pub(super) sequence: u32,
}

/// The traces from which a part of the tree is learned.
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

/// The runs of a task, grouped by their sequences of names.
#[derive(Debug, Default)]
pub(super) struct Sequences {
    pub(super) names: Vec<String>,
    /// The sequences, sorted, each with the indices of its runs.
    pub(super) runs: Vec<(Vec<Symbol>, Vec<usize>)>,
}

impl Sequences {
    /// Numbers names and sequences in sorted order, so that the order of the runs doesn't matter.
    pub(super) fn new(runs: &[Vec<ActualCall<'_>>]) -> Self {
        let mut found: FastMap<Cow<'_, str>, Symbol> = FastMap::default();
        let mut grouped: FastMap<Vec<Symbol>, Vec<usize>> = FastMap::default();
        let mut events: Vec<Symbol> = Vec::new();
        for (number, run) in runs.iter().enumerate() {
            events.clear();
            for call in run {
                let next = found.len() as Symbol;
                events.push(*found.entry(name(call)).or_insert(next));
            }
            grouped.entry_ref(&events[..]).or_default().push(number);
        }
        let mut names: Vec<_> = found.into_iter().collect();
        names.sort_unstable();
        let mut sorted: Vec<Symbol> = vec![0; names.len()];
        for ((_, found), symbol) in names.iter().zip(0..) {
            sorted[*found as usize] = symbol;
        }
        let renumbered = grouped.into_iter().map(|(mut events, runs)| {
            let symbols = events.iter_mut();
            symbols.for_each(|it| *it = sorted[*it as usize]);
            (events, runs)
        });
        let mut sequences: Vec<_> = renumbered.collect();
        sequences.sort_unstable();
        Self {
            names: names
                .into_iter()
                .map(|(name, _)| name.into_owned())
                .collect(),
            runs: sequences,
        }
    }

    /// The sequences as a log.
    pub(super) fn log(&self) -> Log {
        let traces = self.runs.iter().zip(0..);
        let traces = traces.map(|((events, _), sequence)| Trace {
            events: events.clone(),
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
        self.runs[sequence as usize].1.len() as u64
    }
}

fn name<'n>(call: &'n ActualCall<'_>) -> Cow<'n, str> {
    call.name().to_display()
}
