//! Expected calls next to the calls of two runs: one row for each expected call, so that changes are side by side.

use std::collections::{BTreeMap, BTreeSet};

use askama::Template;
use rightcall_core::Explanation;
use rightcall_core::call::Case;

use super::card::{Card, Group, State};
use super::{CARDS, Check, Lanes};
use crate::explain::{Shown, actual, expected};

/// At least this many consecutive calls that are right in both runs are folded.
const FOLDED: usize = 4;

/// A case in two runs: the expected calls, and the actual calls before and after.
#[derive(Debug, Template)]
#[template(path = "three_lanes.html")]
pub struct ThreeLanes {
    stretches: Vec<Stretch>,
    has_expected: bool,
    checks: Vec<ComparedCheck>,
    /// Number of cards that are left out.
    more: usize,
    /// The tally and the arithmetic, before and after.
    arithmetic: [Vec<String>; 2],
}

/// Consecutive rows.
#[derive(Debug)]
struct Stretch {
    rows: Vec<LaneRow>,
    is_folded: bool,
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
    /// The found value, and the CSS class and text of the verdict.
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
}

impl ThreeLanes {
    /// Draws the results of an evaluator on a case in two runs; `None` instead of an explanation if it did not evaluate the case.
    /// Returns `None` if the expectations differ, since the runs then share no lane.
    pub fn new(
        before: (&Case<'_>, Option<&Explanation>),
        after: (&Case<'_>, Option<&Explanation>),
    ) -> Option<Self> {
        let none = Explanation::default();
        let stated = |(case, explanation): (&Case<'_>, Option<&Explanation>)| {
            let calls = expected(case, explanation.unwrap_or(&none));
            let texts = calls.iter().map(|it| (it.name.clone(), it.after_name()));
            texts.collect::<Vec<_>>()
        };
        // If only one run was evaluated, take the list of expected calls for both from its explanation.
        let is_same =
            stated((before.0, before.1.or(after.1))) == stated((after.0, after.1.or(before.1)));
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
            stretches: stretches(rows(&mut runs)),
            has_expected,
            checks,
            more,
            arithmetic,
        })
    }
}

impl ThreeLanes {
    /// Whether any call is expected; otherwise the lane of expected calls is left out.
    pub(crate) fn has_expected(&self) -> bool {
        self.has_expected
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
            answers,
            calls,
            lanes,
        }
    }

    /// Takes the unmatched calls before this position out of `free`.
    fn free_before(&mut self, position: usize) -> Vec<usize> {
        let later = self.free.partition_point(|index| *index < position);
        self.free.drain(..later).collect()
    }

    /// The cell in the row of an expected call.
    fn answer(&self, expected: usize) -> LaneCell {
        match self.answers.get(&expected) {
            Some(actual) => self.call(*actual),
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
        rows.extend(unasked(runs, &free));
        let is_same_call = match runs.each_ref().map(|run| run.answers.get(&index)) {
            [Some(before), Some(after)] => runs[0].calls.get(*before) == runs[1].calls.get(*after),
            [before, after] => before.is_none() && after.is_none(),
        };
        let cells = runs.each_ref().map(|run| run.answer(index));
        rows.push(LaneRow::new(demanded(runs, index), cells, is_same_call));
    }
    let free = runs.each_mut().map(|run| run.free_before(usize::MAX));
    rows.extend(unasked(runs, &free));
    rows
}

/// The card of an expected call, with the expected values where either run differs.
fn demanded(runs: &[RunLane; 2], index: usize) -> Option<Card> {
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
fn unasked(runs: &[RunLane; 2], [before, after]: &[Vec<usize>; 2]) -> Vec<LaneRow> {
    let mut rows = Vec::new();
    let mut alone = |cells: [LaneCell; 2], is_same_call| {
        rows.push(LaneRow::new(None, cells, is_same_call));
    };
    let mut after = after.as_slice();
    for &was in before {
        let is_same = |is: &usize| runs[0].calls.get(was) == runs[1].calls.get(*is);
        let Some(place) = after.iter().position(is_same) else {
            alone([runs[0].call(was), LaneCell::Empty], false);
            continue;
        };
        for &is in &after[..place] {
            alone([LaneCell::Empty, runs[1].call(is)], false);
        }
        alone([runs[0].call(was), runs[1].call(after[place])], true);
        after = &after[place + 1..];
    }
    for &is in after {
        alone([LaneCell::Empty, runs[1].call(is)], false);
    }
    rows
}

impl LaneRow {
    fn new(expected: Option<Card>, cells: [LaneCell; 2], is_same_call: bool) -> Self {
        let is_changed = !is_same_call
            || match &cells {
                [LaneCell::Call(before), LaneCell::Call(after)] => {
                    (before.state, &before.remark) != (after.state, &after.remark)
                }
                [LaneCell::Missed(before, ..), LaneCell::Missed(after, ..)] => before != after,
                _ => true,
            };
        Self {
            expected,
            cells,
            is_changed,
        }
    }

    /// Whether both runs made the expected call.
    fn is_right(&self) -> bool {
        let is_same =
            |cell: &LaneCell| matches!(cell, LaneCell::Call(card) if card.state == State::Same);
        !self.is_changed && self.cells.iter().all(is_same)
    }
}

/// Folds long stretches of calls that are right in both runs.
fn stretches(rows: Vec<LaneRow>) -> Vec<Stretch> {
    let mut stretches: Vec<Stretch> = Vec::new();
    for row in rows {
        let is_right = row.is_right();
        match stretches.last_mut().filter(|it| it.is_folded == is_right) {
            Some(stretch) => stretch.rows.push(row),
            None => stretches.push(Stretch {
                rows: vec![row],
                is_folded: is_right,
            }),
        }
    }
    for stretch in &mut stretches {
        stretch.is_folded &= stretch.rows.len() >= FOLDED;
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
mod tests {
    use rightcall_core::{Ask, Evaluator};
    use rightcall_formats::{ReadOptions, read_case};

    use super::*;

    /// The lanes of a case in two runs, one line for each row: expected, before, after.
    fn lanes(id: &str, before: &str, after: &str) -> Option<(Vec<String>, ThreeLanes)> {
        let evaluator = Evaluator::new(id, "{}", None).unwrap();
        let ask = Ask {
            explanation: true,
            ..Ask::OUTCOME
        };
        let [before, after] =
            [before, after].map(|it| read_case(it, &ReadOptions::default()).unwrap());
        let judge = |case| evaluator.evaluate(case, ask).explanation;
        let explained = [judge(&before), judge(&after)];
        let three = ThreeLanes::new(
            (&before, explained[0].as_deref()),
            (&after, explained[1].as_deref()),
        )?;
        let cell = |cell: &LaneCell| match cell {
            LaneCell::Call(card) => format!("{} {}", card.name, card.remark),
            LaneCell::Missed(_, remark) => remark.clone(),
            LaneCell::Empty => "-".to_owned(),
        };
        let line = |row: &LaneRow| {
            let expected = row.expected.as_ref().map_or("-", |card| &card.name);
            let mark = if row.is_changed { " *" } else { "" };
            format!(
                "{expected} | {} | {}{mark}",
                cell(&row.cells[0]),
                cell(&row.cells[1])
            )
        };
        let rows = three.stretches.iter().flat_map(|it| &it.rows);
        Some((rows.map(line).collect(), three))
    }

    #[test]
    fn each_expected_call_stands_beside_what_answered_it_in_both_runs() {
        let before = r#"{"expected":["find","pay","mail"],"actual":["find","look","mail","wait"]}"#;
        let after =
            r#"{"expected":["find","pay","mail"],"actual":["find","pay","wait","mail","look"]}"#;
        let (rows, three) = lanes("trajectory", before, after).unwrap();
        assert_eq!(
            rows,
            [
                "find | find same | find same",
                "pay | missed | pay same *",
                "- | look extra | - *",
                "- | - | wait extra *",
                "mail | mail same | mail same",
                "- | wait extra | - *",
                "- | - | look extra *",
            ]
        );
        assert!(three.stretches.iter().all(|it| !it.is_folded));
    }

    #[test]
    fn the_same_call_of_both_runs_shares_a_row_also_where_nothing_asks_for_it() {
        let before = r#"{"expected":[],"actual":["a","b","c"]}"#;
        let after = r#"{"expected":[],"actual":["b","d","c"]}"#;
        let (rows, three) = lanes("trajectory", before, after).unwrap();
        let wanted = [
            "- | a extra | - *",
            "- | b extra | b extra",
            "- | - | d extra *",
            "- | c extra | c extra",
        ];
        assert_eq!(rows, wanted);
        assert!(!three.has_expected);
    }

    #[test]
    fn long_stretches_that_are_right_in_both_are_folded_and_others_are_not() {
        let case = |last: &str| {
            format!(r#"{{"expected":["a","b","c","d","e"],"actual":["a","b","c","d","{last}"]}}"#)
        };
        let (_, three) = lanes("trajectory", &case("x"), &case("e")).unwrap();
        let folded: Vec<_> = three
            .stretches
            .iter()
            .map(|it| (it.rows.len(), it.is_folded))
            .collect();
        assert_eq!(folded, [(4, true), (2, false)]);
        let missed = r#"{"expected":["a","b","c","d"],"actual":[]}"#;
        let (_, three) = lanes("trajectory", missed, missed).unwrap();
        assert!(
            !three.stretches[0].is_folded,
            "what is missed in both stays in view"
        );
    }

    #[test]
    fn arguments_that_an_evaluator_does_not_compare_are_not_called_the_same() {
        let case = |amount: &str| {
            let call =
                |amount| format!(r#"{{"name":"refund","args":{{"id":7,"amount":{amount}}}}}"#);
            format!(
                r#"{{"expected":["find",{}],"actual":["find",{}]}}"#,
                call("39.9"),
                call(amount)
            )
        };
        let order = "uipath/tool-call-order";
        let (rows, three) = lanes(order, &case("39.9"), &case("47.88")).unwrap();
        let wanted = [
            "find | find same | find same",
            "refund | refund same | refund same tool, arguments not compared *",
        ];
        assert_eq!(rows, wanted);
        let LaneCell::Call(card) = &three.stretches[1].rows[0].cells[1] else {
            panic!("a call");
        };
        let marked: Vec<_> = card
            .differences
            .iter()
            .map(|(key, it)| (&**key, &*it.marked))
            .collect();
        assert_eq!(marked, [("amount", "47.88")]);
        assert_eq!(card.state.class(), "loose");
    }

    #[test]
    fn calls_before_the_first_difference_follow_no_missed_call() {
        let call = |id: u32| format!(r#"{{"name":"find","args":{{"id":{id}}}}}"#);
        let list = |ids: [u32; 4]| ids.map(call).join(",");
        let case = format!(
            r#"{{"expected":[{}],"actual":[{}]}}"#,
            list([1, 2, 3, 4]),
            list([1, 2, 9, 4])
        );
        let (rows, _) = lanes("agentevals/trajectory-match", &case, &case).unwrap();
        let remarks: Vec<_> = rows
            .iter()
            .map(|it| it.split(" | ").nth(1).unwrap())
            .collect();
        let wanted = ["find same", "find same", "find other arguments"];
        assert_eq!(remarks[..3], wanted, "{rows:?}");
    }

    #[test]
    fn runs_of_which_not_the_same_is_expected_share_no_lane() {
        let case = |name: &str| format!(r#"{{"expected":["{name}"],"actual":["a"]}}"#);
        assert!(lanes("trajectory", &case("a"), &case("b")).is_none());
    }

    #[test]
    fn conditions_of_both_runs_share_a_row() {
        let case = |calls: &str| {
            format!(r#"{{"expected":{{"counts":{{"a":1,"b":1}}}},"actual":[{calls}]}}"#)
        };
        let (_, three) = lanes(
            "uipath/tool-call-count",
            &case(r#""a""#),
            &case(r#""a","b""#),
        )
        .unwrap();
        let told: Vec<_> = three
            .checks
            .iter()
            .map(|it| {
                (
                    it.label.as_str(),
                    it.sides.clone().map(|side| side.unwrap().1.1),
                )
            })
            .collect();
        assert_eq!(
            told,
            [("a", ["holds", "holds"]), ("b", ["broken", "holds"])]
        );
    }
}
