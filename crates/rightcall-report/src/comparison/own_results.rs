//! The results of each run of a suite with several runs: its gates, and all of its cases.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use rightcall_results::GateResult;
use rightcall_stats::mean;
use serde::Serialize;

use super::compared_run::ComparedRun;
use super::report::ComparisonReport;
use crate::gate_words::gate_sentence;
use crate::text::printable;

/// A case in each run.
pub(super) struct CaseInRuns<'r> {
    pub key: &'r str,
    /// `None` if the run lacks the case.
    pub cells: Vec<Option<CaseCell>>,
}

/// The result of a case in a run, over all of its trials.
#[derive(Clone, Copy)]
pub(super) struct CaseCell {
    score: Option<f64>,
    passed: Option<bool>,
}

impl CaseCell {
    fn new(run: &ComparedRun, key: &str) -> Option<Self> {
        let trials = run.trials().trials(key).iter();
        let trials: Vec<_> = trials.map(|at| run.scores.cases[*at].overall).collect();
        let scores: Vec<_> = trials.iter().filter_map(|it| it.score).collect();
        let verdicts = || trials.iter().filter_map(|it| it.passed);
        (!trials.is_empty()).then(|| Self {
            score: mean(&scores),
            passed: verdicts().reduce(|one, other| one && other),
        })
    }

    pub(super) fn has_failed(self) -> bool {
        self.passed == Some(false)
    }

    /// `0.500`, and whether it passed.
    pub(super) fn text(self) -> String {
        let score = self
            .score
            .map_or_else(|| "no score".to_owned(), |it| format!("{it:.3}"));
        match self.passed {
            Some(true) => format!("{score} passed"),
            Some(false) => format!("{score} failed"),
            None => score,
        }
    }
}

impl CaseInRuns<'_> {
    fn failures(&self) -> usize {
        let cells = self.cells.iter().flatten();
        cells.filter(|it| it.has_failed()).count()
    }

    fn lowest(&self) -> f64 {
        let scores = self.cells.iter().flatten().filter_map(|it| it.score);
        scores.fold(f64::INFINITY, f64::min)
    }
}

/// A trial of a case as JSON.
#[derive(Serialize)]
pub(super) struct ScoredCase<'r> {
    case: &'r str,
    score: Option<f64>,
    passed: Option<bool>,
}

/// The cases of a run, one for each trial.
pub(super) fn scored_cases(run: &ComparedRun) -> Vec<ScoredCase<'_>> {
    let cases = run.scores.cases.iter().map(|it| ScoredCase {
        case: &it.label,
        score: it.overall.score,
        passed: it.overall.passed,
    });
    cases.collect()
}

impl<'r> ComparisonReport<'r> {
    /// Adds the results of each run of a suite with several runs, for reports with all of them.
    #[must_use]
    pub fn with_results(mut self, runs: &'r [ComparedRun]) -> Self {
        self.run_gates = runs.iter().flat_map(ComparedRun::named_gates).collect();
        self.own = runs;
        self
    }

    /// True if a run of the suite failed: by a gate, a verdict, or an input.
    pub(super) fn has_failed_run(&self) -> bool {
        self.own.iter().any(|run| run.has_failed)
    }

    /// The gate of a run with the run's name, if the report holds several runs.
    pub(crate) fn run_gate_name(&self, (run, gate): (&str, &GateResult)) -> String {
        let (label, statistic) = (gate.label(), gate.statistic_name());
        let name = format!("{label} {statistic} {}", gate.wanted_text()).replace("  ", " ");
        printable(&match self.own {
            [] => name,
            _ => format!("{run}: {name}"),
        })
    }

    /// All gates, starting with the gates of the runs: the gate, the number found, and whether it holds.
    pub(super) fn all_gates(&self) -> Vec<(String, String, bool)> {
        let run = self.run_gates.iter();
        let run = run.map(|it| (self.run_gate_name(*it), it.1.found_text(), it.1.held));
        let change = self.gates.iter().map(|it| {
            let gate = printable(&it.gate.to_string());
            (gate, it.found_text(), it.result.held)
        });
        run.chain(change).collect()
    }

    /// The sentences of the failed gates of the runs.
    pub(super) fn failed_run_gates(&self) -> impl Iterator<Item = String> {
        let failed = self.run_gates.iter().filter(|(_, gate)| !gate.held);
        failed.map(|(run, gate)| match self.own {
            [] => gate_sentence(gate),
            _ => format!("{}: {}", printable(run), gate_sentence(gate)),
        })
    }

    /// All cases of the suite's runs. Cases with the most failures come first, then those with the
    /// lowest score. Empty for other comparisons.
    pub(super) fn cases_in_runs(&self) -> Vec<CaseInRuns<'r>> {
        let keys: BTreeSet<&str> = self.own.iter().flat_map(|run| run.scores.keys()).collect();
        let case = |key: &'r str| CaseInRuns {
            key,
            cells: self.own.iter().map(|run| CaseCell::new(run, key)).collect(),
        };
        let mut cases: Vec<_> = keys.into_iter().map(case).collect();
        cases.sort_by(|one, other| {
            let failures = other.failures().cmp(&one.failures());
            let scores = || {
                one.lowest()
                    .partial_cmp(&other.lowest())
                    .unwrap_or(Ordering::Equal)
            };
            failures.then_with(scores)
        });
        cases
    }
}
