//! The accepted run nearest to what was done: the shortest path over markings and positions.
//!
//! A state is a marking of the tree and a position in the actual calls; a step misses an expected call, takes an actual one as extra, or
//! pairs the two. States are settled in the order of what they cost at least to the end (A* with a consistent bound), so that only those
//! are visited that could lie on a best path. Exact: all best paths are kept, and the least run among them is walked out.
//!
//! Sources: Adriansyah, *Aligning Observed and Modeled Behavior* (2014), for optimal alignments as shortest paths; Hart, Nilsson and
//! Raphael (1968) for the order of the search.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

use hashbrown::{HashMap, HashSet};

use super::block::PlainBlock;
use super::bounds::NamesLeft;
use super::facts::name_part;
use super::matches::MatchTable;
use super::residuals::{DONE, Residuals, Step, Term};
use super::weight::Weight;

type FastMap<K, V> = HashMap<K, V, foldhash::fast::FixedState>;
type FastSet<K> = HashSet<K, foldhash::fast::FixedState>;

/// A marking and a position in the actual calls.
type SearchState = (Term, u32);

/// So many states inside of parallel blocks are visited.
pub(super) const MAX_PARALLEL_STATES: usize = 4_500_000;

/// So many states are visited in all.
const MAX_STATES: usize = 24_000_000;

/// More states would have to be visited than there is room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooManyStates {
    /// The parallel block; `None` for the expectation as a whole.
    pub(super) node: Option<u32>,
}

/// What a search looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    /// A run that is complete.
    Complete,
    /// A run that goes on.
    Prefix,
}

/// A nearest run: its weight, and its leaves.
pub(super) type NearestRun = (Weight, Vec<u32>);

/// A state that was come to.
#[derive(Clone, Copy, Debug)]
struct Visited {
    state: SearchState,
    /// What the best way to it weighs.
    weight: Weight,
    is_settled: bool,
    /// It lies on a best path to the end.
    is_best: bool,
}

/// A search over one table of matches.
pub(super) struct Search<'s, 't> {
    residuals: &'s mut Residuals<'t>,
    table: &'s MatchTable,
    goal: Goal,
    /// By position, what is left of the names.
    left: Vec<NamesLeft>,
    blocks: FastMap<Term, Rc<PlainBlock>>,
    block_weights: FastMap<SearchState, Rc<[(usize, Weight)]>>,
    /// The states that were come to.
    visited: Vec<Visited>,
    numbers: FastMap<SearchState, u32>,
    /// In the order in which they were settled.
    settled: Vec<u32>,
    visited_in_parallel: usize,
    max_parallel_states: usize,
}

/// By part of the names, what is left of the actual calls at each position.
fn names_left(table: &MatchTable) -> Vec<NamesLeft> {
    let count = table.actual_len();
    let mut is_matched = vec![0u64; count.div_ceil(64)];
    for leaf in 0..table.leaf_names.len() {
        let row = table.row(leaf as u32);
        is_matched
            .iter_mut()
            .zip(row)
            .for_each(|(all, bits)| *all |= bits);
    }
    let mut left = vec![NamesLeft::default(); count + 1];
    for actual in (0..count).rev() {
        let mut names = left[actual + 1].clone();
        let part = name_part(table.actual_names[actual]);
        names.all[part] += 1;
        names.unmatched[part] += u32::from(is_matched[actual / 64] >> (actual % 64) & 1 == 0);
        left[actual] = names;
    }
    left
}

impl<'s, 't> Search<'s, 't> {
    pub(super) fn new(
        residuals: &'s mut Residuals<'t>,
        table: &'s MatchTable,
        goal: Goal,
        max_parallel_states: usize,
    ) -> Self {
        let room = 8 * table.actual_len().min(100);
        Self {
            left: names_left(table),
            residuals,
            table,
            goal,
            blocks: FastMap::default(),
            block_weights: FastMap::default(),
            visited: Vec::with_capacity(room),
            numbers: FastMap::with_capacity_and_hasher(room, foldhash::fast::FixedState::default()),
            settled: Vec::new(),
            visited_in_parallel: 0,
            max_parallel_states,
        }
    }

    /// The nearest run; `None` where each is worse than the best so far.
    pub(super) fn nearest(
        mut self,
        best: Option<Weight>,
    ) -> Result<Option<NearestRun>, TooManyStates> {
        let Some(weight) = self.settle(best)? else {
            return Ok(None);
        };
        if self.goal == Goal::Prefix {
            return Ok(Some((weight, Vec::new())));
        }
        self.mark_best_paths(weight);
        Ok(Some((weight, self.least_run(weight))))
    }

    /// The number of a state, and whether the way to it that weighs this is the best so far.
    fn reach(&mut self, state: SearchState, weight: Weight) -> (u32, bool) {
        let next = self.visited.len() as u32;
        let number = *self.numbers.entry(state).or_insert(next);
        if number == next {
            self.visited.push(Visited {
                state,
                weight,
                is_settled: false,
                is_best: false,
            });
            return (number, true);
        }
        let known = &mut self.visited[number as usize];
        let is_better = weight < known.weight;
        if is_better {
            known.weight = weight;
        }
        (number, is_better)
    }

    /// Settles states until the best way to the end is known, and all states that lie on one as good.
    fn settle(&mut self, best: Option<Weight>) -> Result<Option<Weight>, TooManyStates> {
        let start = (self.residuals.root(), 0);
        let mut queue = BinaryHeap::new();
        let (number, _) = self.reach(start, Weight::default());
        queue.push(Reverse((
            self.least_total(start, Weight::default()),
            number,
        )));
        let mut found: Option<Weight> = None;
        let mut steps = Vec::new();
        while let Some(Reverse((least, number))) = queue.pop() {
            if found.or(best).is_some_and(|best| least > best) {
                break;
            }
            let Visited {
                state,
                weight,
                is_settled,
                ..
            } = self.visited[number as usize];
            if is_settled {
                continue;
            }
            self.visited[number as usize].is_settled = true;
            self.count(state)?;
            self.settled.push(number);
            if self.is_end(state) && found.is_none_or(|found| weight < found) {
                found = Some(weight);
                if self.goal == Goal::Prefix {
                    break;
                }
            }
            self.steps(state, &mut steps);
            for &(step, target) in &steps {
                let reached = weight.plus(step);
                let (number, is_better) = self.reach(target, reached);
                if is_better {
                    queue.push(Reverse((self.least_total(target, reached), number)));
                }
            }
        }
        Ok(found)
    }

    fn count(&mut self, (term, _): SearchState) -> Result<(), TooManyStates> {
        let node = self.residuals.parallel(term);
        if node.is_some() && !self.is_block(term) {
            self.visited_in_parallel += 1;
            if self.visited_in_parallel > self.max_parallel_states {
                return Err(TooManyStates { node });
            }
        }
        if self.settled.len() >= MAX_STATES {
            return Err(TooManyStates { node });
        }
        Ok(())
    }

    /// A block of plain calls is one step.
    fn is_block(&mut self, term: Term) -> bool {
        let steps = self.residuals.steps(term);
        steps.len() == 1 && matches!(self.residuals.step(steps.start), Step::Block(..))
    }

    fn is_end(&self, (term, position): SearchState) -> bool {
        position as usize == self.table.actual_len()
            && (self.goal == Goal::Prefix || self.residuals.is_nullable(term))
    }

    fn least_total(&self, (term, position): SearchState, weight: Weight) -> Weight {
        let (bounds, left) = (self.residuals.bounds(term), &self.left[position as usize]);
        let cost = match self.goal {
            Goal::Complete => bounds.least_cost(left),
            Goal::Prefix => bounds.least_cost_so_far(left),
        };
        weight.plus(Weight::new(cost, 0, 0))
    }

    /// The steps from a state, with what they weigh.
    fn steps(&mut self, state: SearchState, steps: &mut Vec<(Weight, SearchState)>) {
        steps.clear();
        let (term, position) = state;
        let at = position as usize;
        let has_call = at < self.table.actual_len();
        if has_call {
            steps.push((Weight::EXTRA, (term, position + 1)));
        }
        for number in self.residuals.steps(term) {
            match self.residuals.step(number) {
                Step::Leaf(leaf, target) => {
                    steps.push((Weight::MISSED, (target, position)));
                    if has_call && self.table.is_named(leaf, at) {
                        let weight = self.pair_weight(leaf, at);
                        steps.push((weight, (target, position + 1)));
                    }
                }
                Step::Block(block, target) => {
                    for (end, weight) in &*self.block_weights(block, position) {
                        steps.push((*weight, (target, *end as u32)));
                    }
                    if self.goal == Goal::Prefix {
                        let weight = self.block(block).begun(at, self.table);
                        steps.push((weight, (DONE, self.table.actual_len() as u32)));
                    }
                }
            }
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

    /// Marks the settled states from which a best end is reached by steps that all lie on best paths.
    fn mark_best_paths(&mut self, best: Weight) {
        let settled = std::mem::take(&mut self.settled);
        let mut steps = Vec::new();
        for &number in settled.iter().rev() {
            let Visited { state, weight, .. } = self.visited[number as usize];
            let mut is_best = self.is_end(state) && weight == best;
            if !is_best {
                self.steps(state, &mut steps);
                is_best = steps
                    .iter()
                    .any(|&(step, target)| self.is_best(target, weight.plus(step)));
            }
            self.visited[number as usize].is_best = is_best;
        }
    }

    /// True if a state lies on a best path, and the way to it that weighs this too.
    fn is_best(&self, state: SearchState, reached: Weight) -> bool {
        let known = self
            .numbers
            .get(&state)
            .map(|number| &self.visited[*number as usize]);
        known.is_some_and(|known| known.is_best && known.weight == reached)
    }

    /// What the best way to a state weighs.
    fn weight_of(&self, state: SearchState) -> Weight {
        let number = self.numbers.get(&state).copied().unwrap_or_default();
        self.visited[number as usize].weight
    }

    /// The least of the runs on best paths, which all have as many calls.
    fn least_run(&mut self, best: Weight) -> Vec<u32> {
        let mut run = Vec::new();
        let mut points = vec![RunPoint::State((self.residuals.root(), 0))];
        while (run.len() as u64) < best.calls() {
            let mut next: Vec<(u32, RunPoint)> = Vec::new();
            for point in self.with_extras(points) {
                self.leaves_after(point, &mut next);
            }
            let Some(least) = next.iter().map(|(leaf, _)| *leaf).min() else {
                break;
            };
            run.push(least);
            let is_least = |(leaf, point)| (leaf == least).then_some(point);
            points = next.into_iter().filter_map(is_least).collect();
            points.sort_unstable();
            points.dedup();
        }
        run
    }

    /// The points, and those that extra calls lead to.
    fn with_extras(&self, points: Vec<RunPoint>) -> Vec<RunPoint> {
        let mut all = Vec::with_capacity(points.len());
        let mut seen: FastSet<SearchState> = FastSet::default();
        for point in points {
            let RunPoint::State(mut state) = point else {
                all.push(point);
                continue;
            };
            while seen.insert(state) {
                all.push(RunPoint::State(state));
                let after = (state.0, state.1 + 1);
                if !self.is_best(after, self.weight_of(state).plus(Weight::EXTRA)) {
                    break;
                }
                state = after;
            }
        }
        all
    }

    /// The leaves by which the run can go on, each with where it then is.
    fn leaves_after(&mut self, point: RunPoint, next: &mut Vec<(u32, RunPoint)>) {
        let state = match point {
            RunPoint::State(state) => state,
            RunPoint::Inside { order, from, then } => {
                let after = match from + 1 {
                    end if end == order.len() => RunPoint::State(then),
                    from => RunPoint::Inside {
                        order: Rc::clone(&order),
                        from,
                        then,
                    },
                };
                next.push((order[from], after));
                return;
            }
        };
        let (term, position) = state;
        let weight = self.weight_of(state);
        let is_best = |search: &Self, step: Weight, target: SearchState| {
            search.is_best(target, weight.plus(step))
        };
        for number in self.residuals.steps(term) {
            match self.residuals.step(number) {
                Step::Leaf(leaf, target) => {
                    let missed = (target, position);
                    if is_best(self, Weight::MISSED, missed) {
                        next.push((leaf, RunPoint::State(missed)));
                    }
                    let at = position as usize;
                    let paired = (target, position + 1);
                    if at < self.table.actual_len()
                        && self.table.is_named(leaf, at)
                        && is_best(self, self.pair_weight(leaf, at), paired)
                    {
                        next.push((leaf, RunPoint::State(paired)));
                    }
                }
                Step::Block(block, target) => {
                    for &(end, step) in &*self.block_weights(block, position) {
                        let then = (target, end as u32);
                        if is_best(self, step, then) {
                            let order =
                                self.block(block)
                                    .least_order(position as usize, end, self.table);
                            let inside = RunPoint::Inside {
                                order: order.into(),
                                from: 0,
                                then,
                            };
                            self.leaves_after(inside, next);
                        }
                    }
                }
            }
        }
    }
}

/// Where a run is on its way.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum RunPoint {
    State(SearchState),
    /// Inside of a block of plain calls, whose order is known.
    Inside {
        order: Rc<[u32]>,
        from: usize,
        then: SearchState,
    },
}
