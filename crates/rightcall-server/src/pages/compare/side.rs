//! A run that is compared: the results of its cases, and where they are in full.

use std::collections::{BTreeSet, HashSet};

use rightcall_report::{case_causes, printable};
use rightcall_run::ResultsOptions;
use rightcall_stats::{RunScores, TrialIndex};
use rightcall_store::{History, RunRow};

use crate::pages::Missing;

/// A run with the results of its cases, and the number of each.
pub(super) struct Side {
    pub(super) row: RunRow,
    pub(super) results: RunScores,
    numbers: Vec<u64>,
    trials: TrialIndex,
}

impl Side {
    pub(super) fn new(history: &History, run: i64) -> Result<Self, Missing> {
        let row = history.run(run)?;
        let (results, numbers) = history.results(run, &ResultsOptions::default())?;
        let trials = results.trial_index();
        Ok(Self {
            row,
            results,
            numbers,
            trials,
        })
    }

    /// The number of the trial of a case with the lowest score, or the highest.
    pub(super) fn number(&self, key: &str, lowest: bool) -> Option<u64> {
        let position = self.trials.extreme(&self.results, key, lowest);
        position.map(|position| self.numbers[position])
    }

    /// The mean score of a case over its trials.
    pub(super) fn mean(&self, key: &str) -> Option<f64> {
        let trials = self.trials.trials(&self.results, key).iter();
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
