//! The directly-follows graph: how often a name follows another, begins a trace or ends one.

use std::collections::BTreeSet;

use super::log::{Log, Sequences, Symbol};

/// The directly-follows graph of a log. Names are numbered by their index in `symbols`.
#[derive(Debug)]
pub(super) struct Graph {
    pub(super) symbols: Vec<Symbol>,
    /// The number of times that the second name directly follows the first, row by row.
    follows: Vec<u64>,
    pub(super) starts: Vec<u64>,
    pub(super) ends: Vec<u64>,
    /// For each name, the names between its two closest calls: rounds of one loop.
    pub(super) between: Vec<BTreeSet<usize>>,
}

impl Graph {
    pub(super) fn new(log: &Log, sequences: &Sequences) -> Self {
        let symbols = log.symbols();
        let count = symbols.len();
        let mut graph = Self {
            follows: vec![0; count * count],
            starts: vec![0; count],
            ends: vec![0; count],
            between: vec![BTreeSet::new(); count],
            symbols,
        };
        graph.add_between(log);
        for trace in &log.traces {
            let weight = sequences.weight(trace.sequence);
            let mut before = None;
            for event in &trace.events {
                let at = graph.place(*event);
                match before {
                    None => graph.starts[at] += weight,
                    Some(before) => graph.follows[before * count + at] += weight,
                }
                before = Some(at);
            }
            if let Some(last) = before {
                graph.ends[last] += weight;
            }
        }
        graph
    }

    /// Source: Leemans, Fahland, van der Aalst (2013), 4.1, the minimum self-distance.
    fn add_between(&mut self, log: &Log) {
        let mut nearest = vec![usize::MAX; self.len()];
        for trace in &log.traces {
            let mut last = vec![usize::MAX; self.len()];
            let events: Vec<_> = trace.events.iter().map(|it| self.place(*it)).collect();
            for (at, &event) in events.iter().enumerate() {
                let before = std::mem::replace(&mut last[event], at);
                if before == usize::MAX {
                    continue;
                }
                let inner = &events[before + 1..at];
                if inner.len() < nearest[event] {
                    nearest[event] = inner.len();
                    self.between[event].clear();
                }
                if inner.len() == nearest[event] {
                    self.between[event].extend(inner);
                }
            }
        }
    }

    /// The index of a name.
    pub(super) fn place(&self, symbol: Symbol) -> usize {
        let found = self.symbols.binary_search(&symbol);
        found.unwrap_or_else(|at| at)
    }

    pub(super) fn len(&self) -> usize {
        self.symbols.len()
    }

    /// True if the second name directly follows the first.
    pub(super) fn has(&self, from: usize, to: usize) -> bool {
        self.follows[from * self.len() + to] > 0
    }

    pub(super) fn is_start(&self, at: usize) -> bool {
        self.starts[at] > 0
    }

    pub(super) fn is_end(&self, at: usize) -> bool {
        self.ends[at] > 0
    }

    /// Drops edges that are rarer than this share of the most frequent alternative, among the followers of a name, the starts and the ends.
    ///
    /// Source: Leemans, Fahland, van der Aalst, *Discovering Block-Structured Process Models from Event Logs Containing Infrequent
    /// Behaviour* (2014), 3.1.
    pub(super) fn filter(&mut self, noise: f64) {
        let count = self.len();
        for from in 0..count {
            let row = &mut self.follows[from * count..(from + 1) * count];
            let most = row.iter().copied().max().unwrap_or(0).max(self.ends[from]);
            drop_rare(row, most, noise);
        }
        for row in [&mut self.starts, &mut self.ends] {
            let most = row.iter().copied().max().unwrap_or(0);
            drop_rare(row, most, noise);
        }
    }
}

fn drop_rare(row: &mut [u64], most: u64, noise: f64) {
    for count in row {
        if (*count as f64) < noise * most as f64 {
            *count = 0;
        }
    }
}

/// Disjoint sets that can be joined.
#[derive(Debug)]
pub(super) struct Groups(Vec<usize>);

impl Groups {
    /// Each number in its own set.
    pub(super) fn new(count: usize) -> Self {
        Self((0..count).collect())
    }

    pub(super) fn root(&self, mut at: usize) -> usize {
        while self.0[at] != at {
            at = self.0[at];
        }
        at
    }

    /// Joins the sets of two numbers; false if they already were in the same set.
    pub(super) fn join(&mut self, one: usize, other: usize) -> bool {
        let (one, other) = (self.root(one), self.root(other));
        self.0[one.max(other)] = one.min(other);
        one != other
    }

    /// The sets, each sorted, in the order of their smallest numbers.
    pub(super) fn sets(&self) -> Vec<Vec<usize>> {
        let mut sets: Vec<Vec<usize>> = Vec::new();
        let mut of_root = vec![usize::MAX; self.0.len()];
        for at in 0..self.0.len() {
            let root = self.root(at);
            if of_root[root] == usize::MAX {
                of_root[root] = sets.len();
                sets.push(Vec::new());
            }
            sets[of_root[root]].push(at);
        }
        sets
    }
}
