//! Tightens learned blocks one at a time, and finds the runs that each tighter form rejects.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::expectation::{
    ActualCall, ChosenWay, ExpectationError, KnownWays, ProcessTree, TreeChoice,
};
use crate::value::{Text, pointer};

use super::LearnedExpectation;
use super::learned_block::{LearnedBlock, LearnedKind, json_of};
use super::runs::Runs;

#[cfg(test)]
mod tests;

/// A block in a tighter form, and the runs that need the looser form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tightening {
    /// The key of the block, such as `any_order`.
    pub block: &'static str,
    /// The location of the block in the expectation, an RFC 6901 pointer.
    pub pointer: String,
    /// The tighter form, such as `as required`.
    pub form: String,
    /// Indices of the runs that the expectation would reject in addition, ascending.
    pub rejected: Vec<usize>,
}

/// Maximum number of tightenings that are reported.
const MAX_REPORTED: usize = 3;

/// Maximum number of runs that are resolved again for a tightening. A block that more runs need is not in doubt.
const MAX_RESOLVED: usize = 10_000;

/// Maximum number of names in a form.
const MAX_NAMES: usize = 4;

impl LearnedExpectation {
    /// The blocks, at most three, that reject the fewest of these runs in a tighter form. Forms
    /// that reject more than half of the runs are skipped, and so are forms for which more than
    /// 10,000 runs must be resolved again. `runs` are the runs from which the expectation was
    /// learned.
    ///
    /// An `any_order` becomes a sequence in the most frequent order, a `one_of` its most frequent
    /// alternative. An `optional` block is required or left out, and a `repeat` loses its largest
    /// or its smallest number of rounds. A run is read and resolved again only if the tighter form
    /// excludes its way through the blocks, but allows its names.
    ///
    /// # Errors
    /// A run can't be read.
    pub fn tightenings<R: Runs>(&self, runs: &R) -> Result<Vec<Tightening>, R::Error> {
        let mut candidates = self.candidates();
        candidates.retain(|it| self.suspected_runs(it) <= MAX_RESOLVED);
        candidates.sort_by_key(|it| self.suspected_runs(it));
        let mut found: Vec<Tightening> = Vec::new();
        for candidate in candidates {
            let limit = match found.get(MAX_REPORTED - 1) {
                Some(last) => last.rejected.len(),
                None => runs.count() / 2,
            };
            let Some(rejected) = self.rejected_by(&candidate, runs, limit)? else {
                continue;
            };
            let Candidate {
                block,
                pointer,
                form,
                ..
            } = candidate;
            let known = found.iter().position(|it| it.pointer == pointer);
            match known.map(|at| found[at].rejected.len()) {
                Some(fewer) if fewer <= rejected.len() => continue,
                Some(_) => found.retain(|it| it.pointer != pointer),
                None => {}
            }
            let at = found.partition_point(|it| it.rejected.len() <= rejected.len());
            found.insert(
                at,
                Tightening {
                    block,
                    pointer,
                    form,
                    rejected,
                },
            );
            found.truncate(MAX_REPORTED);
        }
        Ok(found)
    }

    fn suspected_runs(&self, candidate: &Candidate) -> usize {
        let ways = candidate.suspects.iter();
        ways.map(|way| self.ways[*way].1.len()).sum()
    }

    /// The runs that the tighter form rejects, ascending; `None` if there are more than `limit`, or it has too many states.
    fn rejected_by<R: Runs>(
        &self,
        candidate: &Candidate,
        runs: &R,
        limit: usize,
    ) -> Result<Option<Vec<usize>>, R::Error> {
        let Ok(Some(form)) = self.tighter_form(candidate) else {
            return Ok(None);
        };
        let known = KnownWays::new(&form.tree);
        let names = self.names();
        let mut rejected = Vec::new();
        for (leaves, numbers) in candidate.suspects.iter().map(|way| &self.ways[*way]) {
            let named = leaves.iter().map(|leaf| names[*leaf as usize]);
            let Ok(way) = form.way_of_names(named) else {
                return Ok(None);
            };
            for &number in numbers {
                let accepts = match &way {
                    Some(way) => runs.with_run(number, |run| form.accepts(&known, way, run))?,
                    None => Ok(false),
                };
                match accepts {
                    Ok(true) => {}
                    Ok(false) => rejected.push(number),
                    Err(_) => return Ok(None),
                }
                if rejected.len() > limit {
                    return Ok(None);
                }
            }
        }
        rejected.sort_unstable();
        Ok(Some(rejected))
    }

    fn tighter_form(&self, candidate: &Candidate) -> Result<Option<TighterForm>, ExpectationError> {
        let mut elements = self.elements.clone();
        let Some(block) = block_at(&mut elements, &candidate.path) else {
            return Ok(None);
        };
        block.kind = candidate.kind.clone();
        TighterForm::new(elements, self.runs).map(Some)
    }

    /// The names of the leaves, in order.
    fn names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        self.elements.iter().for_each(|it| it.add_names(&mut names));
        names
    }

    fn candidates(&self) -> Vec<Candidate> {
        let Ok(tree) = ProcessTree::read(self.json.as_str()) else {
            return Vec::new();
        };
        let choices = tree.choices(self.ways.iter().map(|(way, _)| &way[..]));
        let mut finder = Finder {
            expectation: self,
            choices,
            leaf: 0,
            candidates: Vec::new(),
        };
        finder.list(&self.elements, &[], "");
        finder.candidates
    }
}

/// The expectation with a block in a tighter form.
struct TighterForm {
    tree: ProcessTree,
    /// The same expectation without demands on arguments and outputs.
    by_names: ProcessTree,
}

impl TighterForm {
    fn new(mut elements: Vec<LearnedBlock>, runs: u64) -> Result<Self, ExpectationError> {
        let tree = ProcessTree::read(json_of(&elements, runs).as_str())?;
        elements.iter_mut().for_each(LearnedBlock::keep_names);
        let by_names = ProcessTree::read(json_of(&elements, runs).as_str())?;
        Ok(Self { tree, by_names })
    }

    /// The way of a sequence of names; `None` if it is rejected with any arguments.
    fn way_of_names<'n>(
        &self,
        names: impl Iterator<Item = &'n str>,
    ) -> Result<Option<Vec<u32>>, ExpectationError> {
        let calls = names.map(|name| ActualCall::new(Text::new(name), None, None));
        let alignment = self.by_names.align(&calls.collect::<Vec<_>>())?;
        Ok((alignment.cost == 0).then_some(alignment.run))
    }

    /// True if a run is accepted, by the way of its names or another one.
    fn accepts(
        &self,
        known: &KnownWays<'_>,
        way: &[u32],
        run: &[ActualCall<'_>],
    ) -> Result<bool, ExpectationError> {
        Ok(known.accept(way, run) || self.tree.align(run)?.cost == 0)
    }
}

/// A block in a tighter form that has not been tried.
struct Candidate {
    block: &'static str,
    pointer: String,
    form: String,
    /// The indices that lead to the block.
    path: Vec<usize>,
    kind: LearnedKind,
    /// Indices of the ways that the tighter form excludes. It accepts the runs of all other ways.
    suspects: Vec<usize>,
}

fn block_at<'b>(elements: &'b mut [LearnedBlock], path: &[usize]) -> Option<&'b mut LearnedBlock> {
    let (at, rest) = path.split_first()?;
    let block = elements.get_mut(*at)?;
    if rest.is_empty() {
        return Some(block);
    }
    block_at(block.kind.elements_mut(), rest)
}

/// Walks the blocks in written order.
struct Finder<'f> {
    expectation: &'f LearnedExpectation,
    /// The choices of each way.
    choices: Vec<Vec<TreeChoice>>,
    /// The number of the next leaf.
    leaf: u32,
    candidates: Vec<Candidate>,
}

impl Finder<'_> {
    fn list(&mut self, elements: &[LearnedBlock], path: &[usize], pointer: &str) {
        for (at, element) in elements.iter().enumerate() {
            let path = [path, &[at]].concat();
            self.element(element, &path, &pointer::item(pointer, at));
        }
    }

    fn element(&mut self, element: &LearnedBlock, path: &[usize], pointer: &str) {
        let Some(block) = element.kind.key() else {
            self.leaf += 1;
            return;
        };
        let first = self.leaf;
        let inside = pointer::child(pointer, block);
        self.list(element.kind.elements(), path, &inside);
        for (form, kind, suspects) in self.tighter(element, pointer, first) {
            self.candidates.push(Candidate {
                block,
                pointer: pointer.to_owned(),
                form,
                path: path.to_vec(),
                kind,
                suspects,
            });
        }
    }

    /// The tighter forms of a block that starts with this leaf.
    fn tighter(
        &self,
        block: &LearnedBlock,
        pointer: &str,
        first: u32,
    ) -> Vec<(String, LearnedKind, Vec<usize>)> {
        let suspects_unless = |allows: &dyn Fn(ChosenWay) -> bool| self.suspects(pointer, allows);
        match &block.kind {
            LearnedKind::Call { .. } | LearnedKind::Sequence(_) => Vec::new(),
            LearnedKind::AnyOrder(elements) => vec![self.in_one_order(elements, first)],
            LearnedKind::OneOf(elements) => {
                // On a tie, the first.
                let alternatives = elements.iter().enumerate().rev();
                let most_frequent = alternatives.max_by_key(|(_, it)| it.support);
                let only = most_frequent.map(|(at, alternative)| {
                    let form = format!("as {}", names(std::slice::from_ref(alternative)));
                    let suspects = suspects_unless(&|way| way == ChosenWay::Alternative(at));
                    (
                        form,
                        LearnedKind::Sequence(vec![alternative.clone()]),
                        suspects,
                    )
                });
                only.into_iter().collect()
            }
            LearnedKind::Optional(elements) => {
                let taken = suspects_unless(&|way| way == ChosenWay::Option(true));
                let left_out = suspects_unless(&|way| way == ChosenWay::Option(false));
                let without = LearnedKind::Sequence(Vec::new());
                let required = LearnedKind::Sequence(elements.clone());
                vec![
                    ("left out".to_owned(), without, left_out),
                    ("as required".to_owned(), required, taken),
                ]
            }
            LearnedKind::Repeat { elements, min, max } => {
                let is_open = max.is_none_or(|max| max > *min);
                let fewer = max.filter(|_| is_open).map(|max| {
                    let form = format!("with max {}", max - 1);
                    (form, *min, Some(max - 1))
                });
                let more = is_open.then(|| (format!("with min {}", min + 1), min + 1, *max));
                let tighter = |(form, min, max): (String, u64, Option<u64>)| {
                    let fits = |rounds: u64| min <= rounds && max.is_none_or(|it| rounds <= it);
                    let suspects =
                        suspects_unless(&|way| matches!(way, ChosenWay::Rounds(it) if fits(it)));
                    let elements = elements.clone();
                    (form, LearnedKind::Repeat { elements, min, max }, suspects)
                };
                fewer.into_iter().chain(more).map(tighter).collect()
            }
        }
    }

    /// The ways with a choice at this block that `allows` rejects.
    fn suspects(&self, pointer: &str, allows: &dyn Fn(ChosenWay) -> bool) -> Vec<usize> {
        let is_allowed = |it: &TreeChoice| it.pointer != pointer || allows(it.chosen);
        let ways = self.choices.iter().enumerate();
        let other = ways.filter(|(_, choices)| !choices.iter().all(is_allowed));
        other.map(|(way, _)| way).collect()
    }

    /// The elements of a block as a sequence, in the order that most runs have.
    fn in_one_order(
        &self,
        elements: &[LearnedBlock],
        first: u32,
    ) -> (String, LearnedKind, Vec<usize>) {
        let mut start = first;
        let ranges = elements.iter().map(|element| {
            let range = start..start + element.leaf_count();
            start = range.end;
            range
        });
        let ranges: Vec<Range<u32>> = ranges.collect();
        let branch = |leaf: &u32| ranges.iter().position(|range| range.contains(leaf));
        // For each way, the element of each call.
        let ways = self.expectation.ways.iter();
        let ways =
            ways.map(|(way, runs)| (way.iter().filter_map(branch).collect::<Vec<_>>(), runs));
        let ways: Vec<_> = ways.collect();
        let order = |way: &[usize]| {
            let mut order: Vec<usize> = Vec::with_capacity(ranges.len());
            for &branch in way.iter().chain(&(0..ranges.len()).collect::<Vec<_>>()) {
                if !order.contains(&branch) {
                    order.push(branch);
                }
            }
            order
        };
        let mut orders = BTreeMap::<Vec<usize>, usize>::new();
        for (way, runs) in &ways {
            *orders.entry(order(way)).or_default() += runs.len();
        }
        let most_frequent = orders.into_iter().rev().max_by_key(|(_, runs)| *runs);
        let order = most_frequent.map_or_else(|| (0..ranges.len()).collect(), |(order, _)| order);
        let place = |branch: &usize| order.iter().position(|it| it == branch);
        let other = ways.iter().enumerate();
        let other = other.filter(|(_, (way, _))| !way.is_sorted_by_key(place));
        let suspects = other.map(|(way, _)| way).collect();
        let elements: Vec<_> = order.iter().map(|at| elements[*at].clone()).collect();
        let form = format!("in the order {}", names(&elements));
        (form, LearnedKind::Sequence(elements), suspects)
    }
}

/// The names of the calls in these elements, at most four.
fn names(elements: &[LearnedBlock]) -> String {
    let mut names = Vec::new();
    elements.iter().for_each(|it| it.add_names(&mut names));
    let more = if names.len() > MAX_NAMES { ", …" } else { "" };
    names.truncate(MAX_NAMES);
    format!("{}{more}", names.join(", "))
}
