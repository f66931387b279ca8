//! The list of runs.

use std::fmt::Write as _;

use jiff::Timestamp;
use rightcall_store::{RunRow, UnfinishedRun};

use crate::numbers::{number, percent};
use crate::text::{
    BAD, FAINT, GOOD, HEAD, count, cut_end, cut_middle, left, paint, printable, right,
    screen_columns, widest, width,
};

/// Number of characters shown of a commit hash.
const COMMIT: usize = 7;

/// A time of UTC as `2026-11-21T16:40:18Z`, from milliseconds since 1970.
pub fn time(milliseconds: i64) -> String {
    Timestamp::from_millisecond(milliseconds / 1000 * 1000)
        .map_or_else(|_| milliseconds.to_string(), |time| time.to_string())
}

/// `2026-11-21 16:40`.
pub fn minute(milliseconds: i64) -> String {
    time(milliseconds)
        .replace('T', " ")
        .chars()
        .take(16)
        .collect()
}

/// Runs, latest first; `all` is their total number.
pub fn run_list(runs: &[RunRow], all: u64) -> String {
    let mut out = String::new();
    if runs.is_empty() {
        return "no run in the history matches\n".to_owned();
    }
    let rows: Vec<[String; 8]> = runs.iter().map(row).collect();
    let heads = [
        "run",
        "when (UTC)",
        "branch",
        "commit",
        "cases",
        "mean",
        "passed",
        "gates",
    ];
    let width_of = |(column, head): (usize, &&str)| {
        widest(rows.iter().map(|row| &row[column])).max(width(head))
    };
    let widths: Vec<_> = heads.iter().enumerate().map(width_of).collect();
    let shown = shown_columns(&widths);
    let line = |cells: &[String; 8]| {
        let cells = shown.iter().map(|&column| match column {
            1..=3 | 7 => left(&cells[column], widths[column]),
            _ => right(&cells[column], widths[column]),
        });
        cells.collect::<Vec<_>>().join("  ")
    };
    let head = line(&heads.map(ToOwned::to_owned));
    let room = screen_columns().saturating_sub(width(&head) + 4).max(12);
    _ = writeln!(out, "  {}", paint(HEAD, &format!("{head}  suite")));
    for (run, cells) in runs.iter().zip(&rows) {
        let text = line(cells);
        // Style only the last column, since a branch name may contain the same words.
        let (text, gates) = text.split_at(text.len() - left(&cells[7], widths[7]).len());
        let (style, word) = match run.gates_missed {
            0 => (GOOD, "hold"),
            _ => (BAD, "failed"),
        };
        let gates = gates.replacen(word, &paint(style, word), 1);
        _ = writeln!(
            out,
            "  {text}{gates}  {}",
            cut_middle(&printable(&suite(run)), room).trim_end()
        );
        if !run.tags.is_empty() {
            let tags = format!("tagged {}", run.tags.join(", "));
            let tags = cut_end(&tags, screen_columns() - widths[0] - 4);
            _ = writeln!(out, "  {}  {}", left("", widths[0]), paint(FAINT, &tags));
        }
    }
    if all > runs.len() as u64 {
        let (shown, all) = (runs.len(), count(all, "run"));
        _ = writeln!(out, "\n{shown} of {all}; -n shows more");
    }
    out
}

/// Minimum width of the suite column.
const SUITE: usize = 12;

/// The columns that fit. Narrow screens omit commit, branch, share and number of cases, in this
/// order.
fn shown_columns(widths: &[usize]) -> Vec<usize> {
    let mut shown: Vec<usize> = (0..widths.len()).collect();
    for dropped in [3, 2, 6, 4] {
        let taken: usize = shown.iter().map(|column| widths[*column] + 2).sum();
        if taken + 2 + SUITE <= screen_columns() {
            break;
        }
        shown.retain(|column| *column != dropped);
    }
    shown
}

/// Unfinished runs, one per line; empty without any.
pub fn unfinished_list(runs: &[UnfinishedRun]) -> String {
    let mut out = String::new();
    for run in runs {
        let (number, begun, suite) = (run.number, minute(run.started), printable(&run.suite));
        let state = if run.is_being_written {
            format!("still being written, {} so far", count(run.cases, "case"))
        } else {
            "its process has ended; the next run clears it away".to_owned()
        };
        let line = format!("unfinished: run {number} of {suite}, begun {begun}: {state}");
        _ = writeln!(
            out,
            "{}{}",
            if out.is_empty() { "\n" } else { "" },
            paint(FAINT, &line)
        );
    }
    out
}

fn suite(run: &RunRow) -> String {
    let about = &run.about;
    let words = [
        Some(&about.suite),
        about.profile.as_ref(),
        about.selection.as_ref(),
    ];
    let words: Vec<_> = words.into_iter().flatten().map(String::as_str).collect();
    words.join(" ")
}

fn row(run: &RunRow) -> [String; 8] {
    let commit = run.about.git_commit.as_deref().unwrap_or("–");
    let commit: String = commit.chars().take(COMMIT).collect();
    [
        run.number.to_string(),
        minute(run.about.started),
        cut_end(run.about.git_branch.as_deref().unwrap_or("–"), 20),
        format!("{commit}{}", if run.about.git_dirty { "*" } else { "" }),
        run.cases.to_string(),
        number(run.mean),
        percent(run.pass_rate),
        match (run.gates, run.gates_missed) {
            (0, _) => "–".to_owned(),
            (_, 0) => "hold".to_owned(),
            (_, missed) => format!("{missed} failed"),
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_gates_are_coloured_and_branch_names_are_not() {
        for (branch, gates, missed, coloured) in [
            ("household", 0, 0, None),
            ("household", 1, 0, Some(paint(GOOD, "hold"))),
            ("failed-calls", 2, 1, Some(paint(BAD, "failed"))),
        ] {
            let mut run = RunRow {
                gates,
                gates_missed: missed,
                ..RunRow::default()
            };
            run.about.git_branch = Some(branch.to_owned());
            let list = run_list(&[run], 1);
            assert!(list.contains(branch), "{list}");
            assert!(coloured.is_none_or(|it| list.contains(&it)), "{list}");
        }
    }
}
