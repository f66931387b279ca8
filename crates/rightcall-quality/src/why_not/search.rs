//! Searches all changes of a run, in order of the number of edits, for the first that reaches the score.
//!
//! A change is a fate for each call of the run (it stays, becomes a variant, is moved or removed), some added calls, and a layout of moved
//! and added calls among the others. The search deepens by one edit at a time. Among changes with the same number of edits, it prefers
//! those that keep the calls that answer an expected call, then those that change the earliest call. Calls are added last, each first at
//! its expected place.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use rightcall_core::call::Call;

use super::bound::{PairTable, Row};
use super::change::{AddedCall, RunEdit, in_turn};
use super::judge::Judge;
use super::layout::{Entry, Fate, Origin, edits_of, natural_place, turns_at};
use super::variants::{Variant, identity};

/// The limits of a search.
#[derive(Clone, Copy, Debug)]
pub(super) struct SearchLimit {
    /// Maximum number of runs judged.
    pub(super) evaluations: u64,
    /// Maximum number of partial changes visited.
    pub(super) steps: u64,
}

impl SearchLimit {
    /// A tenth of the limit.
    pub(super) fn shortened(self) -> Self {
        Self {
            evaluations: self.evaluations / 10,
            steps: self.steps / 10,
        }
    }
}

/// The relation of a call of the run to the expected calls, before the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// It answers an expected call, so it is preferably kept.
    Answers,
    /// It is the same as an expected call, but doesn't answer it, so it is preferably moved.
    Named,
    /// It is preferably changed.
    Other,
}

/// A search for the smallest change of a run.
pub(super) struct Search<'s, 'j> {
    pub(super) run: &'s [Call<'j>],
    pub(super) pool: &'s [AddedCall],
    /// By call of the run, the call itself first.
    pub(super) variants: &'s [Vec<Variant<'j>>],
    /// Rules changes out; `None` if every run must be judged.
    pub(super) table: Option<&'s PairTable>,
    /// The expected calls in order.
    pub(super) goal: &'s [AddedCall],
    pub(super) limit: SearchLimit,
    /// By call of the run.
    standings: Vec<Standing>,
    fates: Vec<Fate>,
    added: Vec<usize>,
    /// Runs that do not reach the score.
    failed: HashSet<Vec<(u32, Option<u64>)>>,
    kinds: HashMap<String, u32>,
    steps: u64,
}

/// A change that reaches the score.
pub(super) struct Found {
    pub(super) edits: Vec<RunEdit>,
    pub(super) score: f64,
}

impl<'s, 'j> Search<'s, 'j> {
    pub(super) fn new(
        (run, variants, answers): (&'s [Call<'j>], &'s [Vec<Variant<'j>>], &[usize]),
        (pool, goal): (&'s [AddedCall], &'s [AddedCall]),
        table: Option<&'s PairTable>,
        limit: SearchLimit,
    ) -> Self {
        let is_named = |call: usize| table.is_some_and(|table| table.is_named(call));
        let standing = |call: usize| match (answers.contains(&call), is_named(call)) {
            (true, _) => Standing::Answers,
            (false, true) => Standing::Named,
            (false, false) => Standing::Other,
        };
        Self {
            standings: (0..run.len()).map(standing).collect(),
            run,
            pool,
            variants,
            table,
            goal,
            limit,
            fates: Vec::new(),
            added: Vec::new(),
            failed: HashSet::new(),
            kinds: HashMap::new(),
            steps: 0,
        }
    }

    /// The first change with exactly this number of edits that reaches the score.
    pub(super) fn with_edits(&mut self, edits: u32, judge: &mut Judge<'j>) -> Option<Found> {
        self.fate(edits, judge)
    }

    /// True if the limit ended the search before all changes were tried.
    pub(super) fn is_over(&self, judge: &Judge<'j>) -> bool {
        judge.evaluations >= self.limit.evaluations || self.steps >= self.limit.steps
    }

    /// The minimum number of further edits after the decisions so far.
    pub(super) fn least(&self) -> u32 {
        let Some(table) = self.table else { return 0 };
        let mut rows: Vec<&Row> = Vec::with_capacity(self.run.len() + self.added.len());
        for (call, fate) in self.fates.iter().enumerate() {
            if let Fate::Become { variant, .. } = fate {
                rows.push(&table.variants[call][*variant].0);
            }
        }
        rows.extend(&table.open[self.fates.len()..]);
        rows.extend(self.added.iter().map(|added| &table.added[*added]));
        table.least(&rows)
    }

    /// Tries all fates of the next call.
    fn fate(&mut self, left: u32, judge: &mut Judge<'j>) -> Option<Found> {
        self.steps += 1;
        if self.is_over(judge) || self.least() > left {
            return None;
        }
        let at = self.fates.len();
        if at == self.run.len() {
            return self.add(0, left, judge);
        }
        for (fate, edits) in self.fates_of(at) {
            if edits <= left {
                self.fates.push(fate);
                let found = self.fate(left - edits, judge);
                self.fates.pop();
                if found.is_some() {
                    return found;
                }
            }
        }
        None
    }

    /// The possible fates of a call with their numbers of edits, in the order of trying.
    fn fates_of(&self, call: usize) -> Vec<(Fate, u32)> {
        let variants = self.variants[call].iter().enumerate();
        let fates = |is_moved: bool| {
            variants.clone().map(move |(variant, it)| {
                let edits = it.edits.len() as u32 + u32::from(is_moved);
                (Fate::Become { variant, is_moved }, edits)
            })
        };
        let changed: Vec<_> = fates(false).skip(1).collect();
        let is_ordered = self.table.is_none_or(|table| table.demand.order);
        let moved = fates(true).filter(|_| is_ordered);
        let stays = fates(false).take(1);
        let removed = [(Fate::Remove, 1)];
        if self.goal.is_empty() {
            let edited = changed.into_iter().chain(moved);
            return removed.into_iter().chain(edited).chain(stays).collect();
        }
        match self.standings[call] {
            Standing::Answers => stays.chain(moved).chain(changed).chain(removed).collect(),
            Standing::Named => moved.chain(changed).chain(removed).chain(stays).collect(),
            Standing::Other => changed
                .into_iter()
                .chain(moved)
                .chain(removed)
                .chain(stays)
                .collect(),
        }
    }

    /// Adds calls of the pool, from this one on.
    fn add(&mut self, from: usize, left: u32, judge: &mut Judge<'j>) -> Option<Found> {
        if left == 0 {
            let layout = self.kept();
            let open = self.unplaced();
            return self.place(&layout, &open, judge);
        }
        for added in from..self.pool.len() {
            self.steps += 1;
            self.added.push(added);
            let is_ruled_out = self.is_over(judge) || self.least() > left - 1;
            let found = if is_ruled_out {
                None
            } else {
                self.add(added, left - 1, judge)
            };
            self.added.pop();
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// The calls that are not moved.
    fn kept(&mut self) -> Vec<Entry<'j>> {
        let mut kept = Vec::new();
        for call in 0..self.fates.len() {
            if let Fate::Become {
                variant,
                is_moved: false,
            } = self.fates[call]
            {
                kept.push(self.entry(Origin::Kept(call), call, variant));
            }
        }
        kept
    }

    /// The moved calls, then the added calls.
    fn unplaced(&mut self) -> Vec<Entry<'j>> {
        let mut open = Vec::new();
        for call in 0..self.fates.len() {
            if let Fate::Become {
                variant,
                is_moved: true,
            } = self.fates[call]
            {
                open.push(self.entry(Origin::Moved(call), call, variant));
            }
        }
        for added in self.added.clone() {
            let call = self.pool[added].to_call();
            let kind = self.kind(&call);
            let row = self
                .table
                .map(|table| table.first_same(&table.added[added]));
            open.push(Entry {
                origin: Origin::Added(added),
                expected: self.expected_of(row, &call),
                call: Rc::new(call),
                kind,
            });
        }
        open
    }

    fn entry(&mut self, origin: Origin, call: usize, variant: usize) -> Entry<'j> {
        let changed = self.variants[call][variant].call.clone();
        let row = self.table.map(|table| table.variants[call][variant].1);
        Entry {
            origin,
            kind: self.kind(&changed),
            expected: self.expected_of(row, &changed),
            call: Rc::new(changed),
        }
    }

    fn expected_of(&self, same: Option<usize>, call: &Call<'_>) -> usize {
        let count = self.goal.len();
        let of_name = || self.goal.iter().position(|goal| goal.name == call.name);
        let same = same.filter(|same| *same < count);
        same.or_else(of_name).unwrap_or(count)
    }

    fn kind(&mut self, call: &Call<'_>) -> u32 {
        let next = self.kinds.len() as u32;
        *self.kinds.entry(identity(call)).or_insert(next)
    }

    /// Tries all places for the open calls, one call after another, and judges the runs.
    fn place(
        &mut self,
        layout: &[Entry<'j>],
        open: &[Entry<'j>],
        judge: &mut Judge<'j>,
    ) -> Option<Found> {
        let Some((first, rest)) = open.split_first() else {
            return self.judge(layout, judge);
        };
        let has_turns = self.run.iter().any(|call| call.metadata().turn.is_some());
        let natural = natural_place(layout, first.expected);
        let is_ordered = self.table.is_none_or(|table| table.demand.order);
        let others = (0..=layout.len()).filter(|place| is_ordered && *place != natural);
        for place in [natural].into_iter().chain(others) {
            let turns = if has_turns {
                turns_at(layout, place)
            } else {
                vec![None]
            };
            for turn in turns {
                if self.is_over(judge) {
                    return None;
                }
                let call = in_turn(Call::clone(&first.call), turn);
                let entry = Entry {
                    call: Rc::new(call),
                    ..first.clone()
                };
                let mut longer = layout.to_vec();
                longer.insert(place, entry);
                if let Some(found) = self.place(&longer, rest, judge) {
                    return Some(found);
                }
            }
        }
        None
    }

    fn judge(&mut self, layout: &[Entry<'j>], judge: &mut Judge<'j>) -> Option<Found> {
        let key = layout.iter().map(|it| (it.kind, it.call.metadata().turn));
        if !self.failed.insert(key.collect()) {
            return None;
        }
        let calls = layout
            .iter()
            .map(|entry| Call::clone(&entry.call))
            .collect();
        let score = judge.score_if_reached(calls)?;
        let edits = edits_of(layout, &self.fates, self.run, self.variants, self.pool);
        Some(Found { edits, score })
    }
}
