//! How a tree produces an accepted run: which alternatives and options are taken, and how often blocks repeat.

use std::collections::BTreeMap;

use serde::Serialize;

use super::node::TreeOperator;
use super::residuals::Residuals;
use super::tree::ProcessTree;

/// The choice made at a block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TreeChoice {
    /// The block's location in the expectation, an RFC 6901 pointer.
    pub pointer: String,
    /// The choice.
    #[serde(flatten)]
    pub chosen: ChosenWay,
}

/// A way through a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ChosenWay {
    /// The index of the alternative, from 0.
    Alternative(usize),
    /// Whether the option is taken.
    #[serde(rename = "taken")]
    Option(bool),
    /// The number of rounds.
    Rounds(u64),
}

impl ProcessTree {
    /// For each run, given as leaves, the choices with which the tree produces it.
    pub(crate) fn choices<'r>(
        &self,
        runs: impl Iterator<Item = &'r [u32]>,
    ) -> Vec<Vec<TreeChoice>> {
        let mut residuals = Residuals::new(self);
        runs.map(|run| choices(self, &mut residuals, run)).collect()
    }
}

/// The choices with which a tree produces a run, in written order. Choices inside a loop are listed
/// once per round.
///
/// If there are several ways, prefers the first alternative, then an option not taken, then the fewest rounds, then the longest early
/// rounds.
pub(super) fn choices(
    tree: &ProcessTree,
    residuals: &mut Residuals<'_>,
    run: &[u32],
) -> Vec<TreeChoice> {
    let mut reading = ChoiceReading {
        tree,
        residuals,
        choices: Vec::new(),
    };
    reading.read(tree.root(), run);
    reading.choices
}

struct ChoiceReading<'r, 't> {
    tree: &'r ProcessTree,
    residuals: &'r mut Residuals<'t>,
    choices: Vec<TreeChoice>,
}

impl ChoiceReading<'_, '_> {
    fn choose(&mut self, node: u32, chosen: ChosenWay) {
        self.choices.push(TreeChoice {
            pointer: self.tree.node(node).pointer.clone(),
            chosen,
        });
    }

    /// The leaves of a run that belong to a node.
    fn part(&self, node: u32, run: &[u32]) -> Vec<u32> {
        let (start, end) = self.tree.node(node).leaves;
        run.iter()
            .copied()
            .filter(|leaf| (start..end).contains(leaf))
            .collect()
    }

    fn read(&mut self, node: u32, run: &[u32]) {
        let tree = self.tree;
        let is_call = |child: &&u32| matches!(tree.node(**child).operator, TreeOperator::Call(_));
        match &tree.node(node).operator {
            TreeOperator::Call(_) => {}
            // Calls are skipped: they have no choices, and lists of calls may be long.
            TreeOperator::Sequence(children) => {
                for &child in children.iter().filter(|child| !is_call(child)) {
                    let (start, end) = tree.node(child).leaves;
                    let before = |end: u32| run.partition_point(|leaf| *leaf < end);
                    self.read(child, &run[before(start)..before(end)]);
                }
            }
            TreeOperator::Parallel(children) => {
                for &child in children.iter().filter(|child| !is_call(child)) {
                    let part = self.part(child, run);
                    self.read(child, &part);
                }
            }
            TreeOperator::Choice(children) => {
                let is_taken = |child: &u32| match run.first() {
                    Some(leaf) => {
                        let (start, end) = tree.node(*child).leaves;
                        (start..end).contains(leaf)
                    }
                    None => tree.node(*child).is_nullable,
                };
                if let Some(number) = children.iter().position(is_taken) {
                    self.choose(node, ChosenWay::Alternative(number));
                    self.read(children[number], run);
                }
            }
            TreeOperator::Optional(child) => {
                self.choose(node, ChosenWay::Option(!run.is_empty()));
                if !run.is_empty() {
                    self.read(*child, run);
                }
            }
            TreeOperator::Loop { child, min, .. } => {
                let (rounds, ends) = self.rounds(*child, *min, run);
                self.choose(node, ChosenWay::Rounds(rounds));
                let mut start = 0;
                for end in ends {
                    self.read(*child, &run[start..end]);
                    start = end;
                }
            }
        }
    }

    /// The number of rounds, and the end of each round that has calls.
    fn rounds(&mut self, child: u32, min: u64, run: &[u32]) -> (u64, Vec<usize>) {
        let is_nullable = self.tree.node(child).is_nullable;
        // The possible ends of a round, by its start.
        let mut ends: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut open = vec![0];
        while let Some(start) = open.pop() {
            if start < run.len() && !ends.contains_key(&start) {
                let mut found = self.residuals.accepted_ends(child, &run[start..]);
                found.iter_mut().for_each(|end| *end += start);
                found.retain(|end| *end > start);
                open.extend_from_slice(&found);
                ends.insert(start, found);
            }
        }
        // The possible numbers of rounds from each position to the end of the run.
        let mut counts: BTreeMap<usize, Vec<u64>> = BTreeMap::from([(run.len(), vec![0])]);
        for (&start, found) in ends.iter().rev() {
            let mut reached: Vec<u64> = found
                .iter()
                .filter_map(|end| counts.get(end))
                .flatten()
                .map(|count| count + 1)
                .collect();
            reached.sort_unstable();
            reached.dedup();
            counts.insert(start, reached);
        }
        let is_enough = |count: &&u64| is_nullable || **count >= min;
        let fewest = counts
            .get(&0)
            .and_then(|counts| counts.iter().find(is_enough));
        let mut remaining = fewest.copied().unwrap_or(0);
        let rounds = if is_nullable {
            remaining.max(min)
        } else {
            remaining
        };
        let mut round_ends = Vec::new();
        let mut start = 0;
        while remaining > 0 {
            remaining -= 1;
            let continues =
                |end: &&usize| counts.get(end).is_some_and(|it| it.contains(&remaining));
            let Some(&end) = ends
                .get(&start)
                .and_then(|ends| ends.iter().rev().find(continues))
            else {
                break;
            };
            round_ends.push(end);
            start = end;
        }
        (rounds, round_ends)
    }
}
