//! A run that is compared: the results of its cases, and where they are in full.

use std::collections::{BTreeSet, HashSet};

use rightcall_report::{case_causes, printable};
use rightcall_run::ResultsOptions;
use rightcall_stats::RunScores;
use rightcall_store::{History, RunRow};

use crate::pages::Missing;

/// A run with the results of its cases, and the number of each.
pub(super) struct Side {
    pub(super) row: RunRow,
    pub(super) results: RunScores,
    numbers: Vec<u64>,
    /// The positions of the cases, by their keys.
    by_key: Vec<usize>,
}

impl Side {
    pub(super) fn new(history: &History, run: i64) -> Result<Self, Missing> {
        let row = history.run(run)?;
        let (results, numbers) = history.results(run, &ResultsOptions::default())?;
        let mut by_key: Vec<usize> = (0..results.cases.len()).collect();
        by_key.sort_by(|one, other| results.cases[*one].key.cmp(&results.cases[*other].key));
        Ok(Self {
            row,
            results,
            numbers,
            by_key,
        })
    }

    /// The positions of the trials of a case.
    fn trials(&self, key: &str) -> &[usize] {
        let key_of = |position: &usize| self.results.cases[*position].key.as_str();
        let from = self.by_key.partition_point(|it| key_of(it) < key);
        let behind = &self.by_key[from..];
        &behind[..behind.partition_point(|it| key_of(it) == key)]
    }

    /// The number of the trial of a case with the lowest score, or the highest.
    pub(super) fn number(&self, key: &str, lowest: bool) -> Option<u64> {
        let score = |position: &&usize| {
            let score = self.results.cases[**position].overall.score;
            score.unwrap_or(f64::NEG_INFINITY)
        };
        let by_score = |one: &&usize, other: &&usize| score(one).total_cmp(&score(other));
        let trials = self.trials(key).iter();
        let position = if lowest {
            trials.min_by(by_score)
        } else {
            trials.max_by(by_score)
        };
        position.map(|position| self.numbers[*position])
    }

    /// The mean score of a case over its trials.
    pub(super) fn mean(&self, key: &str) -> Option<f64> {
        let trials = self.trials(key).iter();
        let scores = trials.filter_map(|position| self.results.cases[*position].overall.score);
        rightcall_stats::mean(&scores.collect::<Vec<_>>())
    }

    /// The keys of the cases that expect or call a tool.
    pub(super) fn with_tool(
        &self,
        history: &History,
        tool: &str,
    ) -> Result<HashSet<&str>, Missing> {
        let meant = history.cases_with_tool(self.row.number, tool)?;
        let cases = self.results.cases.iter().zip(&self.numbers);
        let cases = cases.filter(|(_, number)| meant.contains(number));
        Ok(cases.map(|(case, _)| case.key.as_str()).collect())
    }

    /// What the alignments of a case show, in words.
    pub(super) fn causes(
        &self,
        history: &History,
        number: Option<u64>,
    ) -> Result<BTreeSet<String>, Missing> {
        let case = number.map(|number| history.case(self.row.number, number));
        let causes = case.transpose()?.flatten().map(|case| case_causes(&case));
        let causes = causes.iter().flatten();
        Ok(causes.map(|it| printable(&it.to_string())).collect())
    }
}
