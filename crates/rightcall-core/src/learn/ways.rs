//! The ways that runs take through a learned expectation.

use std::collections::BTreeMap;

use crate::expectation::{ActualCall, ExpectationError, KnownWays, ProcessTree, RunPair};

use super::demand::Occurrence;
use super::log::Sequences;
use super::runs::Runs;

/// The way of a sequence of names, with any arguments.
pub(super) struct NamedWay {
    /// The leaves that it goes through, in order.
    leaves: Vec<u32>,
    /// True if it is accepted.
    is_accepted: bool,
    /// Its calls that leaves accept, in order.
    pub(super) calls: Vec<Occurrence>,
}

/// The way of each sequence through a tree of names.
pub(super) fn named_ways<R: Runs>(
    tree: &ProcessTree,
    runs: &R,
    sequences: &Sequences,
) -> Result<Vec<NamedWay>, R::Error> {
    let mut ways = Vec::with_capacity(sequences.all.len());
    for sequence in &sequences.all {
        let alignment = runs.with_run(sequence.first, |run| tree.align(&named(run)))??;
        let call = |pair: &RunPair| Occurrence {
            leaf: alignment.run[pair.expected] as usize,
            place: pair.actual,
        };
        let mut calls: Vec<_> = alignment.pairs.iter().map(call).collect();
        calls.sort_unstable_by_key(|call| call.place);
        ways.push(NamedWay {
            is_accepted: alignment.cost == 0,
            leaves: alignment.run,
            calls,
        });
    }
    Ok(ways)
}

/// The calls of a run, without arguments and outputs.
fn named(run: &[ActualCall<'_>]) -> Vec<ActualCall<'static>> {
    let name =
        |call: &ActualCall<'_>| ActualCall::new(call.name().clone().into_owned(), None, None);
    run.iter().map(name).collect()
}

/// The ways of all runs.
#[derive(Debug, Default)]
pub(super) struct Ways {
    /// The leaves that accepted runs go through, in order, each sequence with the indices of its runs.
    pub(super) accepted: Vec<(Vec<u32>, Vec<usize>)>,
    /// Indices of rejected runs.
    pub(super) rejected: Vec<usize>,
}

/// The way of a run.
enum Way {
    Named,
    Other(Vec<u32>),
    Rejected,
}

impl Ways {
    /// Finds the way of each run. If `is_open`, calls are accepted with any arguments.
    pub(super) fn new<R: Runs>(
        tree: &ProcessTree,
        runs: &R,
        sequences: &Sequences,
        (named, is_open): (&[NamedWay], bool),
    ) -> Result<Self, R::Error> {
        let known = KnownWays::new(tree);
        let mut by_name: Vec<Vec<usize>> = vec![Vec::new(); named.len()];
        let mut others = BTreeMap::<Vec<u32>, Vec<usize>>::new();
        let mut rejected = Vec::new();
        for (number, &sequence) in sequences.of_runs.iter().enumerate() {
            let way = &named[sequence as usize];
            let find = |run: &[ActualCall<'_>]| -> Result<Way, ExpectationError> {
                // Most runs take the way that their names take. Only the others need a search.
                if way.is_accepted && known.accept(&way.leaves, run) {
                    return Ok(Way::Named);
                }
                let alignment = tree.align(run)?;
                Ok(match alignment.cost {
                    0 => Way::Other(alignment.run),
                    _ => Way::Rejected,
                })
            };
            let found = if is_open && way.is_accepted {
                Way::Named
            } else {
                runs.with_run(number, find)??
            };
            match found {
                Way::Named => by_name[sequence as usize].push(number),
                Way::Other(leaves) => others.entry(leaves).or_default().push(number),
                Way::Rejected => rejected.push(number),
            }
        }
        for (way, numbers) in named.iter().zip(by_name) {
            if !numbers.is_empty() {
                let all = others.entry(way.leaves.clone()).or_default();
                all.extend(numbers);
                all.sort_unstable();
            }
        }
        Ok(Self {
            accepted: others.into_iter().collect(),
            rejected,
        })
    }
}
