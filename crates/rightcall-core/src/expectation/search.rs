//! Finds the accepted run nearest to the actual calls: a shortest path over markings and positions.
//!
//! A state is a marking of the tree and a position in the actual calls. A step misses an expected call, takes an actual call as extra, or
//! pairs the two. States are settled in the order of their lower bound (A* with a consistent heuristic), so only states that could be on a
//! best path are visited. Steps that raise the bound are deferred until all states of the current cost are settled; many are never taken.
//! The search is exact: it keeps all best paths, and picks the lexicographically smallest run among them.
//!
//! Sources: Adriansyah, *Aligning Observed and Modeled Behavior* (2014), for optimal alignments as shortest paths; Hart, Nilsson and
//! Raphael (1968) for A\*; Yoshizumi, Miura and Ishida, *A\* with partial expansion for large branching factor problems* (2000), for
//! deferred steps.

use std::rc::Rc;

use smallvec::{SmallVec, smallvec};

use super::block::PlainBlock;
use super::block_order::least_order;
use super::bounds::NamesLeft;
use super::facts::{FastMap, name_part};
use super::matches::MatchTable;
use super::residuals::Residuals;
use super::states::{Passage, SearchState, StateNumber, States, Visited};
use super::terms::{DONE, Step, Term};
use super::weight::Weight;

/// Maximum visited states inside parallel blocks.
pub(super) const MAX_PARALLEL_STATES: usize = 4_500_000;

/// Maximum visited states in total.
const MAX_STATES: usize = 24_000_000;

/// The search would exceed its limit of states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooManyStates {
    /// The parallel block; `None` for the expectation as a whole.
    pub(super) node: Option<u32>,
}

/// The goal of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    /// A complete run.
    Complete,
    /// An unfinished run.
    Prefix,
}

/// The weight and the leaves of a nearest run.
pub(super) type NearestRun = (Weight, Vec<u32>);

/// Which steps from a state to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StepCost {
    /// Steps that don't raise the lower bound.
    Same,
    /// The other steps.
    More,
}

/// A search over one match table.
pub(super) struct Search<'s, 't> {
    residuals: &'s mut Residuals<'t>,
    table: &'s MatchTable<'s>,
    goal: Goal,
    blocks: FastMap<Term, Rc<PlainBlock>>,
    block_weights: FastMap<SearchState, Rc<[(usize, Weight)]>>,
    states: States,
    /// The lower bound of the states that are settled now.
    cost: u64,
    settled: usize,
    visited_in_parallel: usize,
    max_parallel_states: usize,
}

/// Counts the actual calls left at each position, per part of the names.
fn names_left(table: &MatchTable<'_>, left: &mut Vec<NamesLeft>) {
    let count = table.actual_len();
    let mut is_matched: SmallVec<[u64; 4]> = smallvec![0; count.div_ceil(64)];
    for leaf in 0..table.leaf_names.len() {
        let row = table.row(leaf as u32);
        is_matched
            .iter_mut()
            .zip(row)
            .for_each(|(all, bits)| *all |= bits);
    }
    left.resize(count + 1, NamesLeft::default());
    for actual in (0..count).rev() {
        let is_matched = is_matched[actual / 64] >> (actual % 64) & 1 == 1;
        left[actual] = left[actual + 1];
        left[actual].add(name_part(table.actual_names[actual]), is_matched);
    }
}

impl Drop for Search<'_, '_> {
    fn drop(&mut self) {
        std::mem::take(&mut self.states).keep_buffers();
    }
}

impl<'s, 't> Search<'s, 't> {
    pub(super) fn new(
        residuals: &'s mut Residuals<'t>,
        table: &'s MatchTable<'s>,
        goal: Goal,
        max_parallel_states: usize,
    ) -> Self {
        let mut states = States::with_kept_buffers();
        names_left(table, &mut states.left);
        Self {
            residuals,
            table,
            goal,
            blocks: FastMap::default(),
            block_weights: FastMap::default(),
            states,
            cost: 0,
            settled: 0,
            visited_in_parallel: 0,
            max_parallel_states,
        }
    }

    /// The nearest run; `None` if none is at least as good as the best so far.
    pub(super) fn nearest(
        mut self,
        best: Option<Weight>,
    ) -> Result<Option<NearestRun>, TooManyStates> {
        let ends = self.settle(best)?;
        let Some(&end) = ends.first() else {
            return Ok(None);
        };
        let weight = self.states.visited(end).weight;
        let run = match self.goal {
            Goal::Complete => self.least_run(&ends, weight.calls()),
            Goal::Prefix => Vec::new(),
        };
        Ok(Some((weight, run)))
    }

    /// Settles states until all states on a best path are known. Returns the end states, or none if every path weighs more than the best so
    /// far.
    fn settle(&mut self, best: Option<Weight>) -> Result<Vec<StateNumber>, TooManyStates> {
        let start = (self.residuals.root(), 0);
        let least = self.least_total(start, Weight::default());
        self.states.reach(start, (Weight::default(), least), None);
        let mut ends = Vec::new();
        let mut limit = best;
        self.cost = least.cost();
        while !self.states.deferred.is_empty() || self.states.next().is_some() {
            let next = self.states.next();
            let Some((least, number)) = next.filter(|(least, _)| least.cost() <= self.cost) else {
                // All states of this cost are settled: raise the cost and take the deferred steps.
                self.cost += 1;
                if limit.is_some_and(|limit| limit.cost() < self.cost) {
                    break;
                }
                let mut deferred = std::mem::take(&mut self.states.deferred);
                for number in deferred.drain(..) {
                    self.take_steps(number, StepCost::More);
                }
                self.states.deferred = deferred;
                continue;
            };
            // Every path through the remaining states weighs more than a known end.
            if limit.is_some_and(|limit| least > limit) {
                break;
            }
            let Some(Visited { state, weight, .. }) = self.states.settle_next() else {
                continue;
            };
            self.count(state)?;
            if self.is_end(state) {
                ends.push(number);
                limit = Some(weight);
                if self.goal == Goal::Prefix {
                    break;
                }
            }
            self.take_steps(number, StepCost::Same);
            self.states.deferred.push(number);
        }
        Ok(ends)
    }

    fn count(&mut self, (term, _): SearchState) -> Result<(), TooManyStates> {
        let node = self.residuals.parallel(term);
        if node.is_some() {
            self.visited_in_parallel += 1;
            if self.visited_in_parallel > self.max_parallel_states {
                return Err(TooManyStates { node });
            }
        }
        self.settled += 1;
        if self.settled > MAX_STATES {
            return Err(TooManyStates { node });
        }
        Ok(())
    }

    fn is_end(&self, (term, position): SearchState) -> bool {
        position as usize == self.table.actual_len()
            && (self.goal == Goal::Prefix || self.residuals.is_nullable(term))
    }

    fn least_total(&self, (term, position): SearchState, weight: Weight) -> Weight {
        let (bounds, left) = (
            self.residuals.bounds(term),
            &self.states.left[position as usize],
        );
        let cost = match self.goal {
            Goal::Complete => bounds.least_cost(left),
            Goal::Prefix => bounds.least_cost_so_far(left),
        };
        weight.plus(Weight::new(cost, 0, 0))
    }

    /// Takes the steps from a state that raise the lower bound, or those that don't.
    fn take_steps(&mut self, number: StateNumber, cost: StepCost) {
        let Visited { state, weight, .. } = *self.states.visited(number);
        let (term, position) = state;
        let at = position as usize;
        let from = (number, weight, cost);
        let has_call = at < self.table.actual_len();
        if has_call {
            self.take(from, Passage::Extra, (term, position + 1), Weight::EXTRA);
        }
        for number in self.residuals.steps(term) {
            match self.residuals.step(number) {
                Step::Leaf(leaf, target) => {
                    let by = Passage::Leaf(leaf);
                    self.take(from, by, (target, position), Weight::MISSED);
                    if has_call && self.table.is_named(leaf, at) {
                        let pair_weight = self.pair_weight(leaf, at);
                        self.take(from, by, (target, position + 1), pair_weight);
                    }
                }
                Step::Block(block, target) => {
                    let by = Passage::Block(block);
                    for (end, block_weight) in &*self.block_weights(block, position) {
                        self.take(from, by, (target, *end as u32), *block_weight);
                    }
                    if self.goal == Goal::Prefix {
                        let prefix_weight = self.block(block).prefix_weight(at, self.table);
                        let end = (DONE, self.table.actual_len() as u32);
                        self.take(from, by, end, prefix_weight);
                    }
                }
            }
        }
    }

    /// Takes a step if its cost is in the requested group.
    fn take(
        &mut self,
        (number, weight, cost): (StateNumber, Weight, StepCost),
        by: Passage,
        to: SearchState,
        step_weight: Weight,
    ) {
        let weight = weight.plus(step_weight);
        let least = self.least_total(to, weight);
        let is_taken = match cost {
            StepCost::Same => least.cost() <= self.cost,
            StepCost::More => least.cost() >= self.cost,
        };
        if is_taken {
            self.states.reach(to, (weight, least), Some((number, by)));
        }
    }

    fn pair_weight(&self, leaf: u32, actual: usize) -> Weight {
        if self.table.is_full(leaf, actual) {
            Weight::FULL
        } else {
            Weight::NAME_ONLY
        }
    }

    fn block(&mut self, block: Term) -> Rc<PlainBlock> {
        if let Some(known) = self.blocks.get(&block) {
            return Rc::clone(known);
        }
        let leaves = self.residuals.block_leaves(block);
        let made = Rc::new(PlainBlock::new(leaves, self.table));
        self.blocks.insert(block, Rc::clone(&made));
        made
    }

    fn block_weights(&mut self, block: Term, position: u32) -> Rc<[(usize, Weight)]> {
        if let Some(known) = self.block_weights.get(&(block, position)) {
            return Rc::clone(known);
        }
        let made = self.block(block).weights(position as usize, self.table);
        let made: Rc<[_]> = made.into();
        self.block_weights
            .insert((block, position), Rc::clone(&made));
        made
    }

    /// The smallest run on the best paths, which all have the same number of calls.
    fn least_run(&mut self, ends: &[StateNumber], calls: usize) -> Vec<u32> {
        self.states.find_best_steps(ends);
        let mut run = Vec::with_capacity(calls);
        let mut points: SmallVec<[RunPoint; 8]> = smallvec![RunPoint::State(0)];
        // For each state, the length of the run when it was last visited.
        let mut seen_at = vec![usize::MAX; self.states.len()];
        let mut next: SmallVec<[(u32, RunPoint); 8]> = SmallVec::new();
        let mut blocks: Vec<BlockStep> = Vec::new();
        loop {
            while let Some(point) = points.pop() {
                let from = match point {
                    RunPoint::Inside(inside) => {
                        next.push(inside.next());
                        continue;
                    }
                    RunPoint::State(from) => from,
                };
                if std::mem::replace(&mut seen_at[from as usize], run.len()) == run.len() {
                    continue;
                }
                let mut best = self.states.best_step_from(from);
                while let Some(step) = best {
                    best = self.states.best_step(step.other);
                    let after = RunPoint::State(step.to);
                    match step.by {
                        Passage::Extra => points.push(after),
                        Passage::Leaf(leaf) => next.push((leaf, after)),
                        Passage::Block(block) => {
                            let states = [from, step.to].map(|it| *self.states.visited(it));
                            blocks.push(BlockStep::new(block, states, step.to));
                        }
                    }
                }
            }
            self.enter_blocks(&mut blocks, &mut next);
            let Some(least) = next.iter().map(|(leaf, _)| *leaf).min() else {
                return run;
            };
            run.push(least);
            let is_least = |(leaf, point)| (leaf == least).then_some(point);
            points.extend(next.drain(..).filter_map(is_least));
        }
    }

    /// Adds the first points inside of blocks.
    ///
    /// Steps of one kind differ only in extra calls before or after the block. The longest of their intervals admits every order that the
    /// others admit. From the end of a shorter interval, a run can continue in every way that it can from a longer one. So it suffices to
    /// take the smallest order, with the shortest interval that admits it.
    fn enter_blocks(
        &mut self,
        steps: &mut Vec<BlockStep>,
        next: &mut SmallVec<[(u32, RunPoint); 8]>,
    ) {
        steps.sort_unstable();
        for steps in steps.chunk_by(|one, other| one.kind == other.kind) {
            let block = self.block(steps[0].kind.block);
            let from = steps.iter().map(|step| step.from).min().unwrap_or(0);
            let order = |to: u32| least_order(&block, (from as usize, to as usize), self.table);
            // The steps are sorted by their ends.
            let longest = order(steps[steps.len() - 1].to);
            let shortest = steps.partition_point(|step| order(step.to) != longest);
            let inside = InsideBlock {
                order: longest.into(),
                from: 0,
                then: steps[shortest].end,
            };
            next.push(inside.next());
        }
        steps.clear();
    }
}

/// A step through a block on a best path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct BlockStep {
    kind: BlockStepKind,
    /// The position after the block, and the one before it.
    to: u32,
    from: u32,
    end: StateNumber,
}

/// The parts that block steps share if they differ only in extra calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct BlockStepKind {
    block: Term,
    target: Term,
    /// The weights of the paths to both ends of the step, without extra calls.
    weights: [[i64; 3]; 2],
}

impl BlockStep {
    fn new(block: Term, [before, behind]: [Visited; 2], end: StateNumber) -> Self {
        let weight = |it: Visited| it.weight.without_extra(it.state.1);
        Self {
            kind: BlockStepKind {
                block,
                target: behind.state.0,
                weights: [weight(before), weight(behind)],
            },
            to: behind.state.1,
            from: before.state.1,
            end,
        }
    }
}

/// A point on a run.
#[derive(Clone, Debug)]
enum RunPoint {
    State(StateNumber),
    Inside(InsideBlock),
}

/// Inside a block of plain calls with a known order.
#[derive(Clone, Debug)]
struct InsideBlock {
    order: Rc<[u32]>,
    from: usize,
    then: StateNumber,
}

impl InsideBlock {
    /// The next leaf, and the point after it.
    fn next(mut self) -> (u32, RunPoint) {
        let leaf = self.order[self.from];
        self.from += 1;
        let after = if self.from == self.order.len() {
            RunPoint::State(self.then)
        } else {
            RunPoint::Inside(self)
        };
        (leaf, after)
    }
}
