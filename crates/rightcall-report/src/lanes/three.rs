//! Expected calls next to the calls of two runs: one row for each expected call, so that changes are side by side.

use std::collections::{BTreeMap, BTreeSet};

use askama::Template;
use rightcall_core::Explanation;
use rightcall_core::call::Case;

use super::card::{Card, Group, State};
use super::{CARDS, Check, Lanes, NO_RUN, NOT_REACHED};
use crate::explain::{Shown, actual, expected};

/// This many consecutive calls, or more, are folded if both runs made the expected ones.
const FOLDED: usize = 4;

/// A case in two runs: the expected calls, and the actual calls before and after.
#[derive(Debug, Template)]
#[template(path = "three_lanes.html")]
pub struct ThreeLanes {
    stretches: Vec<Stretch>,
    /// The names of the runs in narrow cells.
    names: [String; 2],
    pub(crate) has_expected: bool,
    /// The text for a case without any call.
    nothing: String,
    checks: Vec<ComparedCheck>,
    /// The number of omitted cards.
    more: usize,
    /// The tally and the arithmetic, before and after.
    arithmetic: [Vec<String>; 2],
}

/// Consecutive rows.
#[derive(Debug)]
struct Stretch {
    rows: Vec<LaneRow>,
    /// Why the stretch is folded; `None` if it isn't.
    folded: Option<FoldReason>,
}

/// Why rows can be folded: both runs made the expected calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FoldReason {
    Right,
    /// They follow a missed call, so they do not count.
    NotReached,
}

impl Stretch {
    /// The summary of a folded stretch.
    fn summary(&self) -> String {
        let calls = self.rows.len();
        match self.folded {
            Some(FoldReason::NotReached) => {
                format!("{calls} calls alike in both runs, which do not count after a missed call")
            }
            _ => format!("{calls} calls that are right in both runs"),
        }
    }
}

/// An expected call with the matching calls before and after, or unmatched calls.
#[derive(Debug)]
struct LaneRow {
    expected: Option<Card>,
    cells: [LaneCell; 2],
    is_changed: bool,
}

/// The cell of one run in a row.
#[derive(Debug)]
enum LaneCell {
    Call(Card),
    /// No call matches the expected one: the card's state and remark.
    Missed(State, String),
    Empty,
}

/// A condition in two runs.
#[derive(Debug)]
struct ComparedCheck {
    label: String,
    wanted: String,
    /// For each run, the found value, and the CSS class and text of the verdict; `None` without the
    /// condition.
    sides: [Option<(String, (&'static str, &'static str))>; 2],
}

/// One of the two runs.
struct RunLane {
    lanes: Lanes,
    calls: Vec<Shown>,
    /// For each expected call, the matching actual one.
    answers: BTreeMap<usize, usize>,
    /// Unmatched actual calls without a row so far.
    free: Vec<usize>,
    has_run: bool,
}

impl ThreeLanes {
    /// Draws the results of an evaluator on a case in two runs. An explanation is `None` if the
    /// evaluator did not judge the case. Returns `None` if the expectations differ: the runs then
    /// share no lane.
    pub fn new(
        before: (&Case<'_>, Option<&Explanation>),
        after: (&Case<'_>, Option<&Explanation>),
        names: [String; 2],
    ) -> Option<Self> {
        let none = Explanation::default();
        let expected_calls = |(case, explanation): (&Case<'_>, Option<&Explanation>)| {
            let calls = expected(case, explanation.unwrap_or(&none));
            let texts = calls.iter().map(|it| (it.name.clone(), it.after_name()));
            texts.collect::<Vec<_>>()
        };
        // If only one run was judged, its explanation chooses the list of expected calls for both.
        let is_same = expected_calls((before.0, before.1.or(after.1)))
            == expected_calls((after.0, after.1.or(before.1)));
        if !is_same {
            return None;
        }
        let mut runs = [RunLane::new(before), RunLane::new(after)];
        let has_expected = runs.iter().any(|run| !run.lanes.expected.is_empty());
        let checks = compared_checks(&runs[0].lanes.checks, &runs[1].lanes.checks);
        let more = runs.iter().map(|run| run.lanes.more).max().unwrap_or(0);
        let arithmetic = runs.each_mut().map(|run| {
            let tally = std::mem::take(&mut run.lanes.tally);
            let lines = std::mem::take(&mut run.lanes.arithmetic);
            [tally]
                .into_iter()
                .chain(lines)
                .filter(|line| !line.is_empty())
                .collect()
        });
        Some(Self {
            nothing: runs[1].lanes.nothing(),
            stretches: stretches(rows(&mut runs)),
            names,
            has_expected,
            checks,
            more,
            arithmetic,
        })
    }
}

impl RunLane {
    fn new((case, explanation): (&Case<'_>, Option<&Explanation>)) -> Self {
        let lanes = explanation.map_or_else(|| Lanes::of_lists(case), |it| Lanes::new(case, it));
        let mut calls = actual(case, explanation.unwrap_or(&Explanation::default()));
        calls.truncate(CARDS);
        let mut answers = BTreeMap::new();
        for &(expected, actual, _) in &lanes.pairs {
            answers.entry(expected).or_insert(actual);
        }
        let placed: BTreeSet<usize> = lanes.pairs.iter().map(|(_, actual, _)| *actual).collect();
        let free = (0..lanes.actual.len()).filter(|index| !placed.contains(index));
        Self {
            free: free.collect(),
            has_run: case.actual.is_some(),
            answers,
            calls,
            lanes,
        }
    }

    /// Removes the unmatched calls before this position from `free`.
    fn free_before(&mut self, position: usize) -> Vec<usize> {
        let later = self.free.partition_point(|index| *index < position);
        self.free.drain(..later).collect()
    }

    /// The cell in the row of an expected call.
    fn answer(&self, expected: usize) -> LaneCell {
        match self.answers.get(&expected) {
            Some(actual) => self.call(*actual),
            None if !self.has_run => LaneCell::Missed(State::Alone, NO_RUN.to_owned()),
            None => match self.lanes.expected.get(expected) {
                Some(card) => LaneCell::Missed(card.state, card.remark.clone()),
                None => LaneCell::Empty,
            },
        }
    }

    fn call(&self, actual: usize) -> LaneCell {
        let card = |card: &Card| Card {
            timing: None,
            group: Group::None,
            ..card.clone()
        };
        let found = self.lanes.actual.get(actual);
        found.map_or(LaneCell::Empty, |it| LaneCell::Call(card(it)))
    }
}

/// A row for each expected call. Unmatched calls come before the first expected call with a later match.
fn rows(runs: &mut [RunLane; 2]) -> Vec<LaneRow> {
    let mut rows = Vec::new();
    let number = runs.iter().map(|run| run.lanes.expected.len()).max();
    for index in 0..number.unwrap_or(0) {
        let free = runs.each_mut().map(|run| {
            let answer = run.answers.get(&index).copied();
            answer.map_or_else(Vec::new, |position| run.free_before(position))
        });
        rows.extend(unexpected_rows(runs, &free));
        let is_same_call = match runs.each_ref().map(|run| run.answers.get(&index)) {
            [Some(before), Some(after)] => runs[0].calls.get(*before) == runs[1].calls.get(*after),
            [before, after] => before.is_none() && after.is_none(),
        };
        let cells = runs.each_ref().map(|run| run.answer(index));
        rows.push(LaneRow::new(
            expected_card(runs, index),
            cells,
            is_same_call,
        ));
    }
    let free = runs.each_mut().map(|run| run.free_before(usize::MAX));
    rows.extend(unexpected_rows(runs, &free));
    rows
}

/// The card of an expected call, with the expected values where either run differs.
fn expected_card(runs: &[RunLane; 2], index: usize) -> Option<Card> {
    let [before, after] = runs.each_ref().map(|run| run.lanes.expected.get(index));
    let mut card = before.or(after)?.clone();
    let others = after.iter().flat_map(|it| &it.differences);
    for (pointer, value) in others {
        if card.differences.iter().all(|(known, _)| known != pointer) {
            card.differences.push((pointer.clone(), value.clone()));
        }
    }
    (card.state, card.remark) = (State::Neutral, String::new());
    Some(card)
}

/// Unmatched calls; the same call in both runs gets one row.
fn unexpected_rows(runs: &[RunLane; 2], [before, after]: &[Vec<usize>; 2]) -> Vec<LaneRow> {
    let mut rows = Vec::new();
    let mut add_row = |cells: [LaneCell; 2], is_same_call| {
        rows.push(LaneRow::new(None, cells, is_same_call));
    };
    let mut after = after.as_slice();
    for &was in before {
        let is_same = |is: &usize| runs[0].calls.get(was) == runs[1].calls.get(*is);
        let Some(place) = after.iter().position(is_same) else {
            add_row([runs[0].call(was), LaneCell::Empty], false);
            continue;
        };
        for &is in &after[..place] {
            add_row([LaneCell::Empty, runs[1].call(is)], false);
        }
        add_row([runs[0].call(was), runs[1].call(after[place])], true);
        after = &after[place + 1..];
    }
    for &is in after {
        add_row([LaneCell::Empty, runs[1].call(is)], false);
    }
    rows
}

impl LaneRow {
    fn new(expected: Option<Card>, cells: [LaneCell; 2], is_same_call: bool) -> Self {
        // A call that follows a missed call in one run only is not a separate change.
        let is_alike = is_same_call && cells.iter().all(|it| it.alike().is_some());
        let is_changed = !is_alike
            && (!is_same_call
                || match &cells {
                    [LaneCell::Call(before), LaneCell::Call(after)] => {
                        (before.state, &before.remark) != (after.state, &after.remark)
                    }
                    [LaneCell::Missed(before, ..), LaneCell::Missed(after, ..)] => before != after,
                    _ => true,
                });
        Self {
            expected,
            cells,
            is_changed,
        }
    }

    /// Why the row can be folded: both runs made the expected call.
    fn alike(&self) -> Option<FoldReason> {
        let [before, after] = self.cells.each_ref().map(LaneCell::alike);
        let both = before.zip(after).filter(|_| !self.is_changed);
        both.map(|(before, after)| match (before, after) {
            (FoldReason::Right, FoldReason::Right) => FoldReason::Right,
            _ => FoldReason::NotReached,
        })
    }
}

impl LaneCell {
    /// Why the cell can be folded; `None` for any call but the expected one.
    fn alike(&self) -> Option<FoldReason> {
        match self {
            Self::Call(card) if card.state == State::Same => Some(FoldReason::Right),
            Self::Call(card) if card.remark == NOT_REACHED => Some(FoldReason::NotReached),
            _ => None,
        }
    }
}

/// Groups rows into stretches, and folds long ones that are equal in both runs.
fn stretches(rows: Vec<LaneRow>) -> Vec<Stretch> {
    let mut stretches: Vec<Stretch> = Vec::new();
    for row in rows {
        let folded = row.alike();
        match stretches.last_mut().filter(|it| it.folded == folded) {
            Some(stretch) => stretch.rows.push(row),
            None => stretches.push(Stretch {
                rows: vec![row],
                folded,
            }),
        }
    }
    for stretch in &mut stretches {
        stretch.folded = stretch.folded.filter(|_| stretch.rows.len() >= FOLDED);
    }
    stretches
}

/// The conditions of both runs; those with equal text share a row.
fn compared_checks(before: &[Check], after: &[Check]) -> Vec<ComparedCheck> {
    let side = |check: &Check| Some((check.found.clone(), check.verdict));
    let new = |check: &Check, sides| ComparedCheck {
        label: check.label.clone(),
        wanted: check.wanted.clone(),
        sides,
    };
    let mut checks: Vec<ComparedCheck> =
        before.iter().map(|it| new(it, [side(it), None])).collect();
    for check in after {
        let is_same = |it: &&mut ComparedCheck| {
            it.sides[1].is_none() && (&it.label, &it.wanted) == (&check.label, &check.wanted)
        };
        match checks.iter_mut().find(is_same) {
            Some(known) => known.sides[1] = side(check),
            None => checks.push(new(check, [None, side(check)])),
        }
    }
    checks
}

#[cfg(test)]
mod tests;
