//! Conditions with the wanted and the found value, then the calls with the conditions that they violate.

use std::fmt::Write as _;

use rightcall_core::call::Case;
use rightcall_core::{ExplainedCheck, Explanation};

use super::call::actual;
use crate::text::{
    BAD, FAINT, GOOD, cut_end, cut_middle, left, paint, printable, push_wrapped, right,
    screen_columns, width, wrap,
};

/// Draws the checks.
pub(super) fn draw(out: &mut String, case: &Case<'_>, explanation: &Explanation, full: bool) {
    let checks: Vec<[String; 3]> = explanation.checks.iter().map(texts).collect();
    let column = |index: usize, head: &str, most: usize| {
        checks
            .iter()
            .map(|check| width(&check[index]))
            .filter(|width| index < 2 || *width <= MOST_FOUND)
            .max()
            .unwrap_or(0)
            .max(head.len())
            .min(most)
    };
    let is_cut = checks.iter().any(|[_, _, found]| width(found) > MOST_FOUND);
    let (label, wanted, found) = (
        column(0, "check", 38),
        column(1, "wanted", 18),
        column(2, "found", MOST_FOUND).max(if is_cut { SEE_BELOW.len() } else { 0 }),
    );
    // A label that is too long for the screen gets its own line.
    let room = screen_columns().saturating_sub(8 + 9 + wanted + found + CALLS);
    let fitting = checks.iter().map(|[label, ..]| width(label));
    let fitting = fitting.filter(|width| *width <= room).max();
    let label = label.min(fitting.unwrap_or(0).max("check".len()));
    let line = |texts: [&str; 4]| {
        let [first, second, third, calls] = texts;
        let cells = [
            left(&cut_middle(first, label), label),
            left(&cut_middle(second, wanted), wanted),
            left(&cut_middle(third, found), found),
        ];
        format!("{}   {calls}", cells.join("   "))
    };
    _ = writeln!(
        out,
        "\n        {}",
        paint(FAINT, &line(["check", "wanted", "found", "calls"]))
    );
    for (check, [name, wanted, found]) in explanation.checks.iter().zip(&checks) {
        let mut mark = match check.held {
            Some(true) => paint(GOOD, "ok  "),
            Some(false) => paint(BAD, "FAIL"),
            None => "n/a ".to_owned(),
        };
        let calls: Vec<_> = check
            .actual
            .iter()
            .map(|index| (index + 1).to_string())
            .collect();
        let shown = if width(found) > MOST_FOUND {
            SEE_BELOW
        } else {
            found
        };
        let mut name = name.as_str();
        if width(name) > label {
            _ = writeln!(out, "  {mark}  {}", cut_end(name, screen_columns() - 8));
            (mark, name) = ("    ".to_owned(), "");
        }
        let line = line([name, wanted, shown, ""]);
        let room = screen_columns().saturating_sub(8 + width(&line));
        _ = writeln!(
            out,
            "{}",
            format!(
                "  {mark}  {line}{}",
                cut_middle(&calls.join(", "), room.max(1))
            )
            .trim_end()
        );
        reasons(out, check, found);
    }
    calls(out, case, explanation, full);
}

/// Half of a screen that has room for a call and a remark.
const HALF_SCREEN: usize = 45;

/// Columns for the numbers of calls.
const CALLS: usize = 12;

/// Refers to a found value that is shown below the table.
const SEE_BELOW: &str = "see below";

/// Maximum width of a found value in the table; longer ones are shown below it.
const MOST_FOUND: usize = 28;

/// The found value if it is too wide for the table, and the reason for a violated condition.
fn reasons(out: &mut String, check: &ExplainedCheck, found: &str) {
    let sentence = (width(found) > MOST_FOUND).then(|| found.to_owned());
    let why = check.why.as_ref().filter(|_| check.held == Some(false));
    let why = why.map(|why| format!("why: {}", printable(why)));
    for text in sentence.into_iter().chain(why) {
        push_wrapped(out, 10, &text);
    }
}

pub(crate) fn texts(check: &ExplainedCheck) -> [String; 3] {
    [&check.label, &check.wanted, &check.found].map(|text| printable(text))
}

fn calls(out: &mut String, case: &Case<'_>, explanation: &Explanation, full: bool) {
    let calls = actual(case, explanation);
    let broken = |index: usize| {
        let breaks =
            |check: &&ExplainedCheck| check.held == Some(false) && check.actual.contains(&index);
        let labels: Vec<_> = explanation
            .checks
            .iter()
            .filter(breaks)
            .map(|check| printable(&check.label))
            .collect();
        labels.join(", ")
    };
    if calls.is_empty() {
        _ = writeln!(out, "\n  nothing was called");
        return;
    }
    _ = writeln!(out, "\n      {}", paint(FAINT, "called"));
    for (index, call) in calls.iter().enumerate() {
        let broken = broken(index);
        let remark = if broken.is_empty() {
            String::new()
        } else {
            format!("   <- {}", cut_middle(&broken, 40))
        };
        // A remark without room next to the call is below it.
        let all = screen_columns() - 6;
        let is_below = width(&call.whole()) + width(&remark) > all && all < 2 * HALF_SCREEN;
        let (beside, below) = if is_below {
            ("", broken.as_str())
        } else {
            (&*remark, "")
        };
        let room = all - width(beside);
        let lines = if full {
            wrap(&call.whole(), room)
        } else {
            vec![call.in_columns(&[], room)]
        };
        for (number, line) in lines.iter().enumerate() {
            let (index, remark) = if number == 0 {
                ((index + 1).to_string(), beside)
            } else {
                (String::new(), "")
            };
            _ = writeln!(out, "  {} {line}{remark}", right(&index, 3));
        }
        if !below.is_empty() {
            push_wrapped(out, 9, &format!("<- {below}"));
        }
    }
}
