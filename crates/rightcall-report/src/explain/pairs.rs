//! An alignment side by side: the matching calls, and the differences of each pair.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use rightcall_core::call::Case;
use rightcall_core::expectation::Resolution;
use rightcall_core::value::JsonText;
use rightcall_core::value::pointer::unescaped;
use rightcall_core::{Difference, ExpectedList, ExplainedPair, Explanation, Grade, Side};

use super::below::{below, difference_below};
use super::call::{Shown, actual, expected};
use super::columns::{Cell, call_columns, row};
use super::fold::{FoldReason, Stretch, folded, stretches};
use super::rows::{Row, first_gap, rows};
use crate::text::{FAINT, paint, printable, screen_columns, wrap};

/// This many consecutive equal rows, or more, are folded.
const FOLDED: usize = 12;

/// Default number of differences listed for a pair.
const LISTED: usize = 8;

/// Draws the alignment.
pub(super) fn draw(out: &mut String, case: &Case<'_>, explanation: &Explanation, full: bool) {
    let (expected, actual) = (expected(case, explanation), actual(case, explanation));
    let table = Table {
        expected,
        actual,
        explanation,
        answers: answers(explanation),
        gap: first_gap(explanation),
        resolution: match case.expected.resolution {
            Some(Ok(resolution)) => Some(resolution),
            _ => None,
        },
        full,
    };
    if table.expected.is_empty() && table.actual.is_empty() {
        _ = writeln!(out, "\n  nothing is expected, and nothing was called");
        return;
    }
    head(out);
    let rows = rows(explanation, &table.expected, &table.actual);
    let mut has_lenient_match = false;
    let fold = if full { usize::MAX } else { FOLDED };
    for part in stretches(&rows, fold, |row| table.alike(row)) {
        match part {
            Stretch::Row(row) => has_lenient_match |= table.row(out, row),
            Stretch::Folded(rows, alike) => below(out, &folded(rows, alike)),
        }
    }
    if has_lenient_match {
        let legend = "=   the same to this evaluator, which ignores the differing arguments";
        out.push('\n');
        for line in wrap(legend, screen_columns() - 2) {
            _ = writeln!(out, "  {}", paint(FAINT, &line));
        }
    }
}

/// Both lists without an alignment, for a case without a score.
pub(super) fn lists(out: &mut String, case: &Case<'_>, full: bool) {
    let explanation = Explanation::default();
    let (expected, actual) = (expected(case, &explanation), actual(case, &explanation));
    if expected.is_empty() && actual.is_empty() {
        return;
    }
    head(out);
    let cell = |calls: &[Shown], index: usize| {
        let text = |call: &Shown| {
            if full {
                call.whole()
            } else {
                call.in_columns(&[], call_columns())
            }
        };
        calls
            .get(index)
            .map_or_else(Cell::default, |call| Cell::call(index, text(call)))
    };
    for index in 0..expected.len().max(actual.len()) {
        row(out, &cell(&expected, index), "", &cell(&actual, index));
    }
}

fn head(out: &mut String) {
    let mut line = String::new();
    row(
        &mut line,
        &Cell::remark("expected"),
        "",
        &Cell::remark("actual"),
    );
    _ = write!(out, "\n{}\n", paint(FAINT, line.trim_end()));
}

struct Table<'e> {
    expected: Vec<Shown>,
    actual: Vec<Shown>,
    explanation: &'e Explanation,
    /// The expected calls that match each actual call.
    answers: BTreeMap<usize, Vec<usize>>,
    /// The first expected call without an equal call.
    gap: usize,
    /// The resolution of an expectation with several accepted runs.
    resolution: Option<&'e Resolution>,
    full: bool,
}

/// For each actual call, the expected calls of its counted pairs. Some evaluators pair a call
/// several times.
pub(crate) fn answers(explanation: &Explanation) -> BTreeMap<usize, Vec<usize>> {
    let mut answers: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for pair in explanation.pairs.iter().filter(|pair| pair.counted) {
        answers.entry(pair.actual).or_default().push(pair.expected);
    }
    answers
}

impl Table<'_> {
    fn call(&self, side: Side, index: usize, differing: &[String]) -> Cell {
        let calls = if side == Side::Expected {
            &self.expected
        } else {
            &self.actual
        };
        let Some(call) = calls.get(index) else {
            return Cell::call(index, "?".to_owned());
        };
        Cell::call(
            index,
            if self.full {
                call.whole()
            } else {
                call.in_columns(differing, call_columns())
            },
        )
    }

    /// Why a row can be folded; `None` if it must be shown.
    fn alike(&self, row: &Row<'_>) -> Option<FoldReason> {
        let Row::Pair(pair) = *row else {
            return None;
        };
        let calls = (
            self.expected.get(pair.expected)?,
            self.actual.get(pair.actual)?,
        );
        let is_same = pair.grade == Grade::Full && pair.differences.is_empty();
        let answers = self.answers.get(&pair.actual);
        let is_first = answers.is_none_or(|answers| answers.first() == Some(&pair.expected));
        if !is_same || !is_first || calls.0.differs_in_arguments(calls.1) {
            return None;
        }
        let counts = pair.counted || pair.expected <= self.gap;
        Some(if counts {
            FoldReason::Same
        } else {
            FoldReason::NotReached
        })
    }

    /// Draws a row. Returns true if its calls are equal for this evaluator only.
    fn row(&self, out: &mut String, it: &Row<'_>) -> bool {
        let costs = self.explanation.costs;
        let free = |costs: bool| if costs { "" } else { " (costs nothing)" };
        match *it {
            Row::Pair(pair) => return self.pair(out, pair),
            Row::Missed { expected, nearest } => {
                let mut remark = format!("missed{}", free(costs.missed));
                if let Some(index) = nearest {
                    remark = format!(
                        "{remark}; nearest: {} {}",
                        index + 1,
                        self.actual[index].name
                    );
                }
                row(
                    out,
                    &self.call(Side::Expected, expected, &[]),
                    "–",
                    &Cell::remark(remark),
                );
            }
            Row::Extra(index) => {
                let remark = Cell::remark(format!("extra{}", free(costs.extra)));
                row(out, &remark, " +", &self.call(Side::Actual, index, &[]));
            }
            Row::Duplicate(side, index) => {
                self.row_of_one_side(out, side, index, "a duplicate, counted once");
            }
            Row::NotExamined(side, index) => {
                self.row_of_one_side(out, side, index, "not looked at");
            }
        }
        false
    }

    fn row_of_one_side(&self, out: &mut String, side: Side, index: usize, remark: &str) {
        let call = self.call(side, index, &[]);
        match side {
            Side::Expected => row(out, &call, "", &Cell::remark(remark)),
            Side::Actual => row(out, &Cell::remark(remark), "", &call),
        }
    }

    fn pair(&self, out: &mut String, pair: &ExplainedPair) -> bool {
        let differing: Vec<String> = pair.differences.iter().map(top_level_key).collect();
        let (left, right) = (
            self.call(Side::Expected, pair.expected, &differing),
            self.call(Side::Actual, pair.actual, &differing),
        );
        let differs = || match (
            self.expected.get(pair.expected),
            self.actual.get(pair.actual),
        ) {
            (Some(expected), Some(actual)) => expected.differs_in_arguments(actual),
            _ => false,
        };
        let is_lenient_match = pair.grade == Grade::Full && differs();
        let other_output = self.other_output(pair);
        let is_same = pair.grade == Grade::Full;
        let not_reached = !pair.counted && is_same && pair.expected > self.gap;
        let is_out_of_order =
            !pair.counted && !is_same && pair.differences.is_empty() && other_output.is_none();
        let mark = match pair.grade {
            Grade::Full if is_lenient_match => "=",
            Grade::Full => "══",
            Grade::Partial(_) => "≈",
            _ if is_out_of_order => "⇅",
            _ => "≠",
        };
        row(out, &left, mark, &right);
        if not_reached {
            below(out, "follows a missed call, so it does not count");
        }
        if is_out_of_order {
            let extra = if self.explanation.costs.extra {
                " and extra"
            } else {
                ""
            };
            below(
                out,
                &format!("called out of order, so it counts as missed{extra}"),
            );
        }
        if let Some(difference) = other_output {
            difference_below(out, &difference, self.resolution, self.full);
        }
        if let Grade::Partial(share) = pair.grade {
            below(out, &format!("partly right: {share:.3}"));
        }
        if let Some([first, ..]) = self.answers.get(&pair.actual).map(Vec::as_slice)
            && pair.counted
            && *first != pair.expected
        {
            below(
                out,
                &format!("the call that answers {} answers this one too", first + 1),
            );
        }
        self.differences(out, pair);
        is_lenient_match
    }

    fn differences(&self, out: &mut String, pair: &ExplainedPair) {
        let kept = pair.differences.len();
        let shown = if self.full { kept } else { kept.min(LISTED) };
        pair.differences[..shown]
            .iter()
            .for_each(|it| difference_below(out, it, self.resolution, self.full));
        let more = kept - shown + pair.more_differences;
        if more > 0 {
            let hint = match (shown < kept, pair.more_differences) {
                (false, _) => String::new(),
                (true, 0) => " (--full shows all)".to_owned(),
                (true, _) => format!(" (--full shows the first {kept})"),
            };
            below(out, &format!("… and {more} more{hint}"));
        }
    }

    /// The different outputs of a pair, if they are why it is not equal.
    fn other_output(&self, pair: &ExplainedPair) -> Option<Difference> {
        let compares = pair.counted || self.explanation.list == ExpectedList::Outputs;
        if !compares || pair.grade == Grade::Full || !pair.differences.is_empty() {
            return None;
        }
        let expected = self.expected.get(pair.expected)?.output.as_ref()?;
        let found = self.actual.get(pair.actual)?.output.as_ref()?;
        (expected != found).then(|| Difference {
            pointer: "output".to_owned(),
            expected: Some(JsonText::from_type(expected)),
            found: Some(JsonText::from_type(found)),
        })
    }
}

/// The top-level argument that contains a difference.
fn top_level_key(difference: &Difference) -> String {
    let key = difference.pointer.split('/').nth(1).unwrap_or_default();
    printable(&unescaped(key))
}

/// The tally, in a sentence.
pub(crate) fn tally(explanation: &Explanation) -> String {
    let tally = &explanation.tally;
    let mut parts = Vec::new();
    if let Some(repeated) = repeated(explanation) {
        parts.push(format!(
            "{} of {} calls were expected",
            tally.full, tally.actual
        ));
        parts.push(repeated);
    } else if tally.expected > 0 {
        parts.push(format!(
            "{} of {} expected calls matched",
            tally.full, tally.expected
        ));
        parts.extend(shared(explanation));
    }
    for (number, what) in [
        (tally.partial, "partly right"),
        (tally.name_only, "with other arguments"),
        (tally.missed, "missed"),
        (tally.extra, "extra"),
        (explanation.duplicates.len(), "repeated and counted once"),
        (explanation.not_examined.len(), "not looked at"),
    ] {
        if number > 0 {
            parts.push(format!("{number} {what}"));
        }
    }
    if parts.is_empty() {
        return "nothing was expected".to_owned();
    }
    let answers: Vec<usize> = {
        let mut counted: Vec<_> = explanation
            .pairs
            .iter()
            .filter(|pair| pair.counted)
            .collect();
        counted.sort_by_key(|pair| pair.expected);
        counted.iter().map(|pair| pair.actual + 1).collect()
    };
    if !answers.is_sorted() {
        let listed: Vec<_> = answers.iter().take(20).map(ToString::to_string).collect();
        let more = if answers.len() > listed.len() {
            ", …"
        } else {
            ""
        };
        parts.push(format!("in another order: {}{more}", listed.join(", ")));
    }
    parts.join("; ")
}

/// A note on actual calls that match several expected ones: `call 1 answers 2 of them`.
fn shared(explanation: &Explanation) -> Option<String> {
    let (calls, of_them) = in_several_pairs(explanation, |pair| pair.actual)?;
    Some(match calls[..] {
        [call] => format!("call {} answers {of_them} of them", call + 1),
        _ => format!("{} calls answer {of_them} of them", calls.len()),
    })
}

/// A note on expected calls that match several actual ones: `expected call 1 is 2 of them`.
fn repeated(explanation: &Explanation) -> Option<String> {
    let (calls, of_them) = in_several_pairs(explanation, |pair| pair.expected)?;
    Some(match calls[..] {
        [call] => format!("expected call {} is {of_them} of them", call + 1),
        _ => format!("{} expected calls are {of_them} of them", calls.len()),
    })
}

/// The calls of a side that are in several counted pairs, and the number of these pairs.
fn in_several_pairs(
    explanation: &Explanation,
    of_side: fn(&ExplainedPair) -> usize,
) -> Option<(Vec<usize>, usize)> {
    let mut pairs: BTreeMap<usize, usize> = BTreeMap::new();
    for pair in explanation.pairs.iter().filter(|pair| pair.counted) {
        *pairs.entry(of_side(pair)).or_default() += 1;
    }
    pairs.retain(|_, times| *times > 1);
    let of_them = pairs.values().sum();
    (of_them > 0).then(|| (pairs.into_keys().collect(), of_them))
}
