//! An alignment for pages: expected and actual calls in two lanes, joined by lines.
//!
//! The height of each card follows from its number of lines. So the lines between cards can be
//! drawn without a script, before the browser lays out the page. Colours only repeat the words on
//! the cards.

mod card;
mod parts;
mod three;
mod timing;

use std::collections::{BTreeMap, BTreeSet};

use askama::Template;
use rightcall_core::call::{Call, Case};
use rightcall_core::{ExpectedList, ExplainedPair, Explanation, Grade, Side};

use crate::difference;
use crate::explain::{
    DifferingArgument, Row, Shown, actual, answers, arithmetic, expected, first_gap, rows, tally,
    texts,
};
use crate::text::{capitalized, cut_middle, printable};
use card::{Card, Group, State};
use parts::{JoinedPair, Part, UNCOUNTED, parts};

pub use three::ThreeLanes;

/// Maximum number of cards per side; long stretches of equal calls are folded.
const CARDS: usize = 5000;

/// With this many calls or more, the first difference is named above the lanes.
const LONG: usize = 12;

/// Maximum number of calls listed for a check.
const NAMED: usize = 200;

/// Maximum number of differences listed on a card.
const LISTED: usize = 6;

/// Width of the space between the lanes in pixels.
const WIDTH: u32 = 72;

/// An evaluation of a case as lanes.
#[derive(Debug, Template)]
#[template(path = "lanes.html")]
pub struct Lanes {
    expected: Vec<Card>,
    actual: Vec<Card>,
    /// The number of omitted cards.
    more: usize,
    /// Positions of joined calls, and the CSS class of each line.
    pairs: Vec<JoinedPair>,
    parts: Vec<Part>,
    /// Number of differing calls, and a description of the first.
    differences: usize,
    first: String,
    /// True if the page has no other lanes, so differences can be linked.
    is_alone: bool,
    /// The texts of empty lanes.
    nothing_expected: &'static str,
    nothing_called: &'static str,
    checks: Vec<Check>,
    tally: String,
    arithmetic: Vec<String>,
}

/// A line between two cards.
#[derive(Debug)]
struct Link {
    path: String,
    class: &'static str,
}

/// A condition.
#[derive(Debug)]
struct Check {
    label: String,
    wanted: String,
    found: String,
    verdict: (&'static str, &'static str),
    calls: String,
}

impl Lanes {
    /// Draws the result of an evaluator on a case.
    pub fn new(case: &Case<'_>, explanation: &Explanation) -> Self {
        let (left, right) = (expected(case, explanation), actual(case, explanation));
        let cards = |calls: &[Shown]| -> Vec<Card> {
            calls
                .iter()
                .take(CARDS)
                .enumerate()
                .map(|(index, call)| Card::new(index + 1, call))
                .collect()
        };
        let mut lanes = Self {
            expected: cards(&left),
            actual: cards(&right),
            more: left.len().saturating_sub(CARDS) + right.len().saturating_sub(CARDS),
            pairs: Vec::new(),
            parts: Vec::new(),
            differences: 0,
            first: String::new(),
            is_alone: false,
            nothing_expected: nothing_expected(case, explanation),
            nothing_called: match case.actual {
                Some(_) => "nothing was called",
                None => NO_RUN,
            },
            checks: checks(explanation),
            tally: if explanation.checks.is_empty() {
                printable(&tally(explanation))
            } else {
                String::new()
            },
            arithmetic: arithmetic(explanation),
        };
        let calls: Vec<&Call<'_>> = case.actual.iter().flat_map(|run| &run.calls).collect();
        lanes.note_times(&calls);
        lanes.note_groups(&calls);
        if explanation.checks.is_empty() {
            let gap = first_gap(explanation);
            for row in rows(explanation, &left, &right) {
                match row {
                    Row::Pair(pair) => {
                        let ignored = ignored_arguments(pair, &left, &right);
                        lanes.note_pair(pair, explanation, gap, &ignored);
                    }
                    _ => lanes.note_single(row, explanation),
                }
            }
            lanes.note_answers(explanation);
        } else {
            lanes.note_checks(explanation);
        }
        lanes.settle();
        lanes
    }

    /// Both lists of a case without an evaluation.
    pub fn of_lists(case: &Case<'_>) -> Self {
        let mut lanes = Self::new(case, &Explanation::default());
        for card in lanes.expected.iter_mut().chain(&mut lanes.actual) {
            (card.state, card.remark) = (State::Neutral, String::new());
        }
        lanes.tally.clear();
        lanes
    }

    /// Marks an unmatched call.
    fn note_single(&mut self, row: Row<'_>, explanation: &Explanation) {
        let free = |costs: bool| if costs { "" } else { " (costs nothing)" };
        let state = |costs: bool| if costs { State::Alone } else { State::Neutral };
        let costs = explanation.costs;
        match row {
            Row::Pair(_) => {}
            Row::Missed { expected, .. } => {
                self.mark(
                    Side::Expected,
                    expected,
                    state(costs.missed),
                    &format!("missed{}", free(costs.missed)),
                );
            }
            Row::Extra(index) => {
                self.mark(
                    Side::Actual,
                    index,
                    state(costs.extra),
                    &format!("extra{}", free(costs.extra)),
                );
            }
            Row::Duplicate(side, index) => {
                self.mark(side, index, State::Neutral, "a duplicate, counted once");
            }
            Row::NotExamined(side, index) => {
                self.mark(side, index, State::Neutral, "not looked at");
            }
        }
    }

    /// Marks and joins two calls. `gap` is the first expected call without an equal one; `ignored` has the differing arguments that the
    /// evaluator ignores.
    fn note_pair(
        &mut self,
        pair: &ExplainedPair,
        explanation: &Explanation,
        gap: usize,
        ignored: &[DifferingArgument],
    ) {
        let is_placed = pair.differences.is_empty() && explanation.list != ExpectedList::Outputs;
        let (state, remark, class) = match pair.grade {
            Grade::Full if pair.counted || pair.expected < gap => {
                if ignored.is_empty() {
                    (State::Same, "same".to_owned(), "same")
                } else {
                    let remark = "same tool, arguments not compared".to_owned();
                    (State::Loose, remark, "loose")
                }
            }
            Grade::Full => (State::Neutral, NOT_REACHED.to_owned(), UNCOUNTED),
            Grade::Partial(share) => (
                State::Differs,
                format!("partly right: {share:.3}"),
                "differs",
            ),
            _ if !pair.counted && is_placed => {
                (State::Differs, "in another place".to_owned(), "uncounted")
            }
            _ if explanation.list == ExpectedList::Outputs => {
                (State::Differs, "another output".to_owned(), "differs")
            }
            _ if pair.differences.is_empty() => {
                (State::Differs, "other arguments".to_owned(), "differs")
            }
            _ => (
                State::Differs,
                "other arguments".to_owned(),
                if pair.counted { "differs" } else { "uncounted" },
            ),
        };
        self.mark(Side::Expected, pair.expected, state, &remark);
        self.mark(Side::Actual, pair.actual, state, &remark);
        let compared: Vec<_> = pair
            .differences
            .iter()
            .flat_map(|it| {
                let pointer = if it.pointer.is_empty() {
                    "(all)".to_owned()
                } else {
                    cut_middle(&printable(&it.pointer), 28)
                };
                let lines = difference::lines(it).into_iter();
                lines.map(move |(line, marked)| (format!("{pointer}{line}"), marked))
            })
            .collect();
        let compared_count = compared.len();
        let ignored_count = ignored.len();
        let ignored = ignored.iter().map(|(key, expected, found)| {
            let marked = difference::between(expected.clone(), found.clone());
            (cut_middle(key, 28), marked)
        });
        // Compared differences come first, since only these affect the score.
        for (pointer, (on_left, on_right)) in compared.into_iter().chain(ignored).take(LISTED) {
            for (cards, index, marked) in [
                (&mut self.expected, pair.expected, on_left),
                (&mut self.actual, pair.actual, on_right),
            ] {
                if let Some(card) = cards.get_mut(index) {
                    card.differences.push((pointer.clone(), marked));
                }
            }
        }
        let all = compared_count + ignored_count;
        for (cards, index, partner) in [
            (&mut self.expected, pair.expected, pair.actual),
            (&mut self.actual, pair.actual, pair.expected),
        ] {
            if let Some(card) = cards.get_mut(index) {
                card.partner = Some(partner + 1);
                card.more = all.saturating_sub(LISTED) + pair.more_differences;
            }
        }
        self.pairs.push((pair.expected, pair.actual, class));
    }

    /// Marks calls that match several expected ones with their number.
    fn note_answers(&mut self, explanation: &Explanation) {
        for (index, expected) in answers(explanation)
            .iter()
            .filter(|(_, expected)| expected.len() > 1)
        {
            if let Some(card) = self.actual.get_mut(*index) {
                card.remark = format!("{}, answers {} expected calls", card.remark, expected.len());
            }
        }
    }

    fn note_checks(&mut self, explanation: &Explanation) {
        for card in self.expected.iter_mut().chain(&mut self.actual) {
            card.state = State::Neutral;
        }
        let mut broken: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for check in explanation
            .checks
            .iter()
            .filter(|check| check.held == Some(false))
        {
            for &index in &check.actual {
                broken
                    .entry(index)
                    .or_default()
                    .push(printable(&check.label));
            }
        }
        for (index, labels) in broken {
            self.mark(
                Side::Actual,
                index,
                State::Differs,
                &format!("breaks {}", cut_middle(&labels.join(", "), 60)),
            );
        }
    }

    fn mark(&mut self, side: Side, index: usize, state: State, remark: &str) {
        let cards = if side == Side::Expected {
            &mut self.expected
        } else {
            &mut self.actual
        };
        if let Some(card) = cards.get_mut(index) {
            (card.state, card.remark) = (state, remark.to_owned());
        }
    }

    fn note_times(&mut self, calls: &[&Call<'_>]) {
        let times = timing::of_calls(calls);
        for ((card, timing), call) in self.actual.iter_mut().zip(times).zip(calls) {
            card.timing = timing;
            card.failed = call.failed() == Some(true);
        }
    }

    fn note_groups(&mut self, calls: &[&Call<'_>]) {
        let same = |one: usize, other: usize| {
            let group = |index: usize| {
                calls
                    .get(index)
                    .and_then(|call| call.metadata().group.as_ref())
            };
            group(one).is_some() && group(one) == group(other)
        };
        for (index, card) in self.actual.iter_mut().enumerate() {
            card.group = match (index > 0 && same(index, index - 1), same(index, index + 1)) {
                (false, false) => Group::None,
                (false, true) => Group::First,
                (true, true) => Group::Middle,
                (true, false) => Group::Last,
            };
        }
    }

    /// Splits the lanes into parts, positions the cards, and numbers the differences.
    fn settle(&mut self) {
        self.parts = parts(&mut self.expected, &mut self.actual, &self.pairs);
        let paired: BTreeSet<usize> = self.pairs.iter().map(|(_, actual, _)| *actual).collect();
        let differs = |card: &Card| matches!(card.state, State::Differs | State::Alone);
        for part in self.parts.iter().filter(|part| !part.is_folded) {
            let unpaired = part.actual.clone().filter(|index| !paired.contains(index));
            let sides = part.expected.clone().map(|index| (Side::Expected, index));
            for (side, index) in sides.chain(unpaired.map(|index| (Side::Actual, index))) {
                let cards = match side {
                    Side::Expected => &mut self.expected,
                    Side::Actual => &mut self.actual,
                };
                let card = &mut cards[index];
                if !differs(card) {
                    continue;
                }
                self.differences += 1;
                card.difference = self.differences;
                if self.differences == 1 {
                    let place = card.differences.first();
                    let place = place.map_or_else(String::new, |(it, _)| format!(" at {it}"));
                    self.first = format!(
                        "call {}, {}: {}{place}",
                        card.number, card.name, card.remark
                    );
                }
            }
        }
    }

    /// Makes these the only lanes of a page, so differences can be linked.
    #[must_use]
    pub(crate) fn alone(self) -> Self {
        Self {
            is_alone: true,
            ..self
        }
    }

    /// The calls that differ, each with its side (`expected` or `actual`) and its position.
    pub(crate) fn differing(&self) -> impl Iterator<Item = (&'static str, usize)> {
        let differs = |card: &&Card| !matches!(card.state, State::Same | State::Neutral);
        let of = move |side, cards: &[Card]| -> Vec<(&'static str, usize)> {
            let cards = cards.iter().filter(differs);
            cards.map(|card| (side, card.number - 1)).collect()
        };
        let expected = of("expected", &self.expected);
        expected.into_iter().chain(of("actual", &self.actual))
    }

    /// The summary of a folded part: `136 calls alike, 1 to 136`.
    fn folded(&self, part: &Part) -> String {
        let remark = match self.expected[part.expected.start].state {
            State::Same => "",
            _ => ", but they follow a missed call",
        };
        let (calls, from) = (part.expected.len(), part.expected.start + 1);
        format!(
            "{calls} calls alike, {from} to {}{remark}",
            part.expected.end
        )
    }

    /// True if the first difference is named above the lanes.
    fn names_first(&self) -> bool {
        self.differences > 0 && self.expected.len().max(self.actual.len()) > LONG
    }

    /// The id of a card in the page; empty if no link leads to it.
    fn id_of(&self, card: &Card) -> String {
        match (self.is_alone, card.difference) {
            (true, number @ 1..) => format!("difference-{number}"),
            _ => String::new(),
        }
    }

    /// Both lanes are empty: `Nothing is expected, and nothing was called.`
    fn nothing(&self) -> String {
        capitalized(&format!(
            "{}, and {}.",
            self.nothing_expected, self.nothing_called
        ))
    }

    /// A description of the picture for screen readers.
    fn label(&self) -> String {
        let joined = self.pairs.len();
        let drawn = if self.more > 0 {
            "of the calls that are drawn, "
        } else {
            ""
        };
        format!(
            "{drawn}{joined} of {} expected calls are joined to one of {} actual calls",
            self.expected.len(),
            self.actual.len()
        )
    }
}

/// The remark on an equal call that does not count.
pub(super) const NOT_REACHED: &str = "same, but follows a missed call";

/// The text for a case without a run.
pub(super) const NO_RUN: &str = "no run found";

/// The text in the lane of a case without expected calls.
fn nothing_expected(case: &Case<'_>, explanation: &Explanation) -> &'static str {
    let expectation = &case.expected;
    let has_rules = expectation.constraints.is_some() || !explanation.checks.is_empty();
    if has_rules && expectation.calls.is_none() && expectation.counts.is_none() {
        "only rules"
    } else {
        "nothing is expected"
    }
}

/// The differing arguments of two calls that the evaluator treats as equal.
fn ignored_arguments(
    pair: &ExplainedPair,
    left: &[Shown],
    right: &[Shown],
) -> Vec<DifferingArgument> {
    match (left.get(pair.expected), right.get(pair.actual)) {
        (Some(left), Some(right)) if pair.grade == Grade::Full => left.differing_arguments(right),
        _ => Vec::new(),
    }
}

fn checks(explanation: &Explanation) -> Vec<Check> {
    let check = |check: &rightcall_core::ExplainedCheck| {
        let [label, wanted, found] = texts(check).map(|text| cut_middle(&text, 200));
        let mut calls: Vec<_> = check
            .actual
            .iter()
            .take(NAMED)
            .map(|index| (index + 1).to_string())
            .collect();
        if check.actual.len() > NAMED {
            calls.push(format!("… and {} more", check.actual.len() - NAMED));
        }
        let verdict = match check.held {
            Some(true) => ("good", "holds"),
            Some(false) => ("bad", "broken"),
            None => ("muted", "not recorded"),
        };
        Check {
            label,
            wanted,
            found,
            verdict,
            calls: calls.join(", "),
        }
    };
    explanation.checks.iter().map(check).collect()
}
