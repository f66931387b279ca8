//! Compares our scores case by case with another tool's scores.

use std::collections::HashMap;
use std::fmt::Write as _;

use rightcall_results::case_name;
use rightcall_run::WrittenScore;
use serde::Serialize;

use super::rows::RescoredRows;
use crate::list_length::ListLength;
use crate::text::{
    BAD, HEAD, and_more, count, cut_end, left, paint, printable, right, screen_columns, widest,
};

/// Maximum number of rows on a screen.
const SHOWN: usize = 20;

/// Our scores under one setting, compared case by case with another tool's scores.
#[derive(Debug, Serialize)]
pub struct Proof {
    /// The setting.
    pub setting: String,
    /// The file of the other tool.
    pub results: String,
    /// Scores that differ by at most this are equal.
    pub tolerance: f64,
    /// Rows with equal scores, or with none on either side.
    pub equal: usize,
    /// Rows with different scores, or with a score on only one side.
    pub differing: Vec<DifferingRow>,
    /// Rows that the other tool's file lacks.
    pub only_here: Vec<String>,
    /// Rows that only the other tool's file has.
    pub only_there: Vec<String>,
}

/// A row with different scores.
#[derive(Debug, PartialEq, Serialize)]
pub struct DifferingRow {
    /// The row.
    pub row: String,
    /// Our score; `None` if it has none.
    pub ours: Option<f64>,
    /// The other tool's; `None` if it has none.
    pub theirs: Option<f64>,
    /// Why ours is low, or why there is none; empty if nothing is known.
    pub why: String,
}

impl Proof {
    /// Compares the scores of the first setting with the scores in a file. Rows are matched by id and trial. Without trials in the file,
    /// rows with the same id are matched in order.
    pub fn new(
        rows: &RescoredRows,
        results: String,
        written: &[WrittenScore],
        tolerance: f64,
    ) -> Self {
        let mut proof = Self {
            setting: rows.scores.measures.first().cloned().unwrap_or_default(),
            results,
            tolerance,
            equal: 0,
            differing: Vec::new(),
            only_here: Vec::new(),
            only_there: Vec::new(),
        };
        let mut open = OpenRows::new(rows);
        let mut is_paired = vec![false; rows.len()];
        for theirs in written {
            match open.take(theirs) {
                None => {
                    let name = case_name(&theirs.id, theirs.trial.as_deref());
                    proof.only_there.push(name);
                }
                Some(at) => {
                    is_paired[at] = true;
                    proof.compare(rows, at, theirs.score);
                }
            }
        }
        let unpaired = (0..rows.len()).filter(|at| !is_paired[*at]);
        proof.only_here = unpaired.map(|at| rows.name(at)).collect();
        proof
    }

    fn compare(&mut self, rows: &RescoredRows, at: usize, theirs: Option<f64>) {
        let ours = rows.score(at, 0);
        let is_equal = match (ours, theirs) {
            (Some(ours), Some(theirs)) => (ours - theirs).abs() <= self.tolerance,
            (None, None) => true,
            _ => false,
        };
        if is_equal {
            self.equal += 1;
            return;
        }
        self.differing.push(DifferingRow {
            row: rows.name(at),
            ours,
            theirs,
            why: rows.reason(at, 0).why.clone(),
        });
    }

    /// True if all rows on both sides are equal.
    pub fn holds(&self) -> bool {
        self.differing.is_empty()
    }

    /// True if there are rows, and each row of either side has a partner.
    pub fn is_complete(&self) -> bool {
        let compared = self.equal + self.differing.len();
        self.only_here.is_empty() && self.only_there.is_empty() && compared > 0
    }

    /// The screen: the differences, then one line with the numbers.
    pub fn screen(&self, listed: ListLength) -> String {
        let listed = listed.or(SHOWN);
        let mut out = String::new();
        if !self.differing.is_empty() {
            self.add_differing(&mut out, listed);
        }
        for (names, where_) in [
            (&self.only_here, "the rollouts"),
            (&self.only_there, self.results.as_str()),
        ] {
            if names.is_empty() {
                continue;
            }
            let rows = count(names.len() as u64, "row");
            _ = writeln!(out, "  {rows} only in {}", printable(where_));
            for name in names.iter().take(listed) {
                _ = writeln!(out, "    {}", cut_end(name, screen_columns() - 4));
            }
            and_more(&mut out, names.len().saturating_sub(listed) as u64);
            out.push('\n');
        }
        let word = if self.holds() { "equal" } else { "differs" };
        _ = writeln!(
            out,
            "{}: {} of {} have the score of {}: {word}",
            printable(&self.setting),
            self.equal,
            count((self.equal + self.differing.len()) as u64, "row"),
            printable(&self.results),
        );
        out
    }

    fn add_differing(&self, out: &mut String, listed: usize) {
        let rows = &self.differing[..self.differing.len().min(listed)];
        let score = |it: Option<f64>| it.map_or_else(|| "none".to_owned(), |it| it.to_string());
        let names = widest(rows.iter().map(|it| printable(&it.row)));
        let names = names.clamp("row".len(), screen_columns() / 3);
        let ours = widest(rows.iter().map(|it| score(it.ours))).max("ours".len());
        let theirs = widest(rows.iter().map(|it| score(it.theirs))).max("theirs".len());
        let head = format!(
            "  {}  {}  {}  why ours is low",
            left("row", names),
            right("ours", ours),
            right("theirs", theirs)
        );
        _ = writeln!(out, "{}", paint(HEAD, &head));
        for it in rows {
            let line = format!(
                "  {}  {}  {}  ",
                left(&cut_end(&it.row, names), names),
                right(&score(it.ours), ours),
                paint(BAD, &right(&score(it.theirs), theirs))
            );
            let room = screen_columns().saturating_sub(names + ours + theirs + 8);
            _ = writeln!(
                out,
                "{}",
                format!("{line}{}", cut_end(&it.why, room)).trim_end()
            );
        }
        and_more(out, (self.differing.len() - rows.len()) as u64);
        out.push('\n');
    }

    /// A JSON document on one line.
    ///
    /// # Panics
    /// Never: keys are strings, and numbers that are not finite become null.
    pub fn json(&self) -> String {
        serde_json::to_string(self)
            .expect("keys are texts, and numbers that are not finite are null")
    }
}

/// Rows that no written score belongs to yet, by id, each with its trial.
struct OpenRows<'r>(HashMap<&'r str, Vec<(Option<String>, usize)>>);

impl<'r> OpenRows<'r> {
    fn new(rows: &'r RescoredRows) -> Self {
        let mut open: HashMap<&str, Vec<_>> = HashMap::new();
        for (at, row) in rows.scores.cases.iter().enumerate() {
            let trial = row.trial.as_deref().map(plain_trial);
            open.entry(&row.label).or_default().push((trial, at));
        }
        Self(open)
    }

    /// The row that a written score belongs to.
    fn take(&mut self, written: &WrittenScore) -> Option<usize> {
        let rows = self.0.get_mut(written.id.as_str())?;
        let place = match &written.trial {
            Some(_) => rows.iter().position(|(trial, _)| *trial == written.trial),
            None => (!rows.is_empty()).then_some(0),
        };
        place.map(|place| rows.remove(place).1)
    }
}

/// A trial as text: `"a"` as JSON text is `a`.
fn plain_trial(json: &str) -> String {
    serde_json::from_str(json).unwrap_or_else(|_| json.to_owned())
}
