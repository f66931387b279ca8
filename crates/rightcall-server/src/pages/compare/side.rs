//! A run in a comparison: the results of its cases, and where to find the full cases.

use std::collections::HashSet;
use std::fmt;
use std::rc::Rc;

use rightcall_report::{ComparedRun, StoredScores, command_line, printable, run_label};
use rightcall_run::{Grouping, ResultsOptions};
use rightcall_store::{History, RunRow, StoreError, part_values};

use crate::pages::Missing;
use crate::viewed::Viewed;

/// A run or a part of one, as written in an address: `7`, or `7@model=gpt-4o`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SideName {
    pub(super) run: i64,
    /// The meta values of the part, each with its key.
    pub(super) values: Vec<(String, String)>,
}

/// In the form of addresses.
impl fmt::Display for SideName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.run)?;
        for (number, (key, value)) in self.values.iter().enumerate() {
            let before = if number == 0 { '@' } else { ',' };
            write!(f, "{before}{key}={value}")?;
        }
        Ok(())
    }
}

impl SideName {
    /// The display name: its values, or else its number.
    pub(super) fn label(&self) -> String {
        let values: Vec<_> = self.values.iter().map(|(_, it)| printable(it)).collect();
        match &values[..] {
            [] => format!("run {}", self.run),
            values => values.join(", "),
        }
    }

    /// Parses a name in an address; `None` if it is invalid.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (run, pairs) = text.split_once('@').unwrap_or((text, ""));
        Some(Self {
            run: run.parse().ok()?,
            values: part_values(pairs)?,
        })
    }
}

/// The command that compares the same sides in a terminal, ready to copy.
pub(super) fn command(sides: &[SideName], viewed: &Viewed) -> String {
    let head = ["rightcall", "compare"].map(ToOwned::to_owned);
    let sides: Vec<_> = sides.iter().map(SideName::to_string).collect();
    command_line(&[&head[..], &sides, &viewed.history_words].concat())
}

/// A run in a comparison.
pub(super) struct Side {
    /// The name that distinguishes it from the other side.
    pub(super) name: String,
    /// The key of its scores in caches.
    pub(super) key: String,
    pub(super) row: RunRow,
    pub(super) run: ComparedRun,
}

impl Side {
    pub(super) fn new(
        history: &Rc<History>,
        viewed: &Viewed,
        name: &SideName,
    ) -> Result<Self, StoreError> {
        let mut options = ResultsOptions {
            // Models as the sides of cases show whether several count as trials.
            by: Grouping::parse("model"),
            ..ResultsOptions::default()
        };
        for (key, value) in &name.values {
            options.only.or_meta(key, value);
        }
        let row = history.run(name.run)?;
        let key = format!("{} {name}", row.about.key);
        let read = || StoredScores::read(history, name.run, &options);
        let stored = viewed.scores.get_or_make(&key, read)?;
        Ok(Self {
            name: match &name.values[..] {
                [] => run_label(&row),
                _ => name.label(),
            },
            key,
            run: ComparedRun::from_stored(Rc::clone(history), stored)?,
            row,
        })
    }

    /// The indices of the trials of a case.
    pub(super) fn trials(&self, key: &str) -> &[usize] {
        self.run.trials().trials(key)
    }

    /// The number of a case's trial with the lowest score.
    pub(super) fn lowest(&self, key: &str) -> Option<u64> {
        let score = |position: &usize| {
            let score = self.run.scores.cases[*position].overall.score;
            score.unwrap_or(f64::NEG_INFINITY)
        };
        let trials = self.trials(key).iter();
        let lowest = trials.min_by(|one, other| score(one).total_cmp(&score(other)))?;
        Some(self.run.numbers()[*lowest])
    }

    /// The mean score over trials of a case.
    pub(super) fn mean(&self, trials: &[usize]) -> Option<f64> {
        let trials = trials.iter();
        let scores = trials.filter_map(|position| self.run.scores.cases[*position].overall.score);
        rightcall_stats::mean(&scores.collect::<Vec<_>>())
    }

    /// The keys of the cases that expect or call a tool.
    pub(super) fn with_tool(
        &self,
        history: &History,
        viewed: &Viewed,
        tool: &str,
    ) -> Result<HashSet<&str>, Missing> {
        let key = format!("{} {tool}", self.row.about.key);
        let search = || history.cases_with_tool(self.row.number, tool);
        let numbers = viewed.with_tool.get_or_make(&key, search)?;
        let cases = self.run.scores.cases.iter().zip(self.run.numbers());
        let cases = cases.filter(|(_, number)| numbers.contains(number));
        Ok(cases.map(|(case, _)| case.key.as_str()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn side_is_a_run_or_its_part_with_given_values() {
        for text in ["7", "7@model=a", "7@model=a,b", "7@model=a,region=b c"] {
            let name = SideName::parse(text).unwrap();
            assert_eq!((name.run, name.to_string()), (7, text.to_owned()));
        }
        for text in ["", "x", "7@a", "@model=a"] {
            assert_eq!(SideName::parse(text), None, "{text}");
        }
    }
}
