//! The results of a run for reports: sentences first, then numbers.

use rightcall_results::{EarlierRun, EvaluatorSummary, NearName, RunHead, RunSummary, Totals};

use crate::gate_words::gates_verdict;
use crate::numbers::WHOLE_CASES;
use crate::text::{count, printable};
use crate::tools::Tools;

/// The results of a run for reports.
#[derive(Clone, Copy, Debug)]
pub struct RunReport<'r> {
    /// Facts that are known before the run.
    pub head: &'r RunHead,
    /// The results.
    pub summary: &'r RunSummary,
    /// Notes for the reader.
    pub notes: &'r [String],
}

impl<'r> RunReport<'r> {
    /// True if a gate failed, an input or a case could not be scored, or a decisive evaluator judged no case.
    pub fn is_bad(&self) -> bool {
        let summary = self.summary;
        summary.missed_gates().next().is_some()
            || !summary.troubles().is_empty()
            || !summary.unjudged().is_empty()
    }

    /// True if there are cases, and no evaluator has a score or an error for any of them.
    pub fn is_unscored(&self) -> bool {
        let evaluators = &self.summary.evaluators;
        let has_result = |it: &EvaluatorSummary| it.totals.scored + it.totals.errors > 0;
        self.summary.cases > 0 && !evaluators.iter().any(has_result)
    }

    /// For a run without scores: the number of cases to which each evaluator does not apply, with
    /// the first reason if it is known.
    fn unscored(&self) -> impl Iterator<Item = String> {
        let evaluators = self.summary.evaluators.iter();
        let evaluators = evaluators.filter(|it| self.is_unscored() && it.totals.not_applicable > 0);
        evaluators.map(|it| {
            let cases = count(it.totals.not_applicable, "case");
            let reason = it.reasons.first();
            let reason = reason.map_or_else(String::new, |(why, _)| format!(": {why}"));
            printable(&format!(
                "{} is not applicable to {cases}{reason}",
                it.label
            ))
        })
    }

    /// The verdict, in a sentence.
    pub fn verdict(&self) -> String {
        let cases = count(self.summary.cases, "case");
        let failed = self.summary.missed_gates().count();
        if let Some(verdict) = gates_verdict(failed, self.summary.gates.len()) {
            return format!("{verdict} · {cases}");
        }
        if self.is_unscored() {
            return format!("No case was scored · {cases}");
        }
        let evaluators = self.summary.evaluators.len() as u64;
        format!("{cases} scored by {}", count(evaluators, "evaluator"))
    }

    /// The number of failed cases, in a sentence; `None` if findings were not collected.
    pub fn shortfall(&self) -> Option<String> {
        let findings = self.summary.findings.as_ref()?;
        if self.is_unscored() && findings.fell_short == 0 {
            return None;
        }
        let (cases, rule) = (
            count(self.summary.cases, "case"),
            self.summary.shortfall_rule(),
        );
        Some(match findings.fell_short {
            0 => format!("No case {rule}."),
            short if findings.causes.is_empty() => format!("{short} of {cases} {rule}."),
            short => format!(
                "{short} of {cases} {rule}. A case may have several causes; the most frequent are:"
            ),
        })
    }

    /// The most frequent causes, at most `most`: as text, with the number of cases and the first case.
    pub fn causes(&self, most: usize) -> Vec<(String, u64, String)> {
        let findings = self.summary.findings.iter();
        findings
            .flat_map(|findings| &findings.causes)
            .take(most)
            .map(|it| (printable(&it.why), it.cases, printable(&it.first)))
            .collect()
    }

    /// The end of a list with this many causes: `… and 3 more`; empty if the list is complete.
    pub fn other_causes(&self, listed: usize) -> String {
        let Some(findings) = &self.summary.findings else {
            return String::new();
        };
        let more = findings.causes.len().saturating_sub(listed) as u64 + findings.more_causes;
        match (more, findings.uncounted_causes) {
            (0, false) => String::new(),
            (more, false) => format!("… and {more} more"),
            (more, true) => format!("… and {more} more, and others that were not counted"),
        }
    }

    /// The earlier runs and this one; empty if there are no earlier ones, or if the run has no
    /// combined scores.
    pub(crate) fn over_runs(&self) -> Vec<EarlierRun> {
        let earlier = &self.head.earlier;
        let Some(totals) = self
            .summary
            .whole_cases
            .as_ref()
            .filter(|_| !earlier.is_empty())
        else {
            return Vec::new();
        };
        // Show the number of the run if it is known.
        let mut facts = self.head.facts.iter();
        let number = facts.find(|(label, _)| label == "run");
        let this = EarlierRun {
            label: number.map_or_else(|| "this".to_owned(), |(_, number)| number.clone()),
            mean: totals.mean,
            pass_rate: totals.pass_rate,
        };
        earlier.iter().cloned().chain([this]).collect()
    }

    /// Reasons to distrust the run; possibly misspelled names come first.
    pub fn warnings(&self) -> Vec<String> {
        let findings = self.summary.findings.iter();
        let near_names = findings.flat_map(|findings| &findings.near_names);
        near_names
            .map(near_name)
            .chain(self.summary.troubles())
            .chain(self.unscored())
            .collect()
    }

    /// The tools of the run.
    pub fn tools(&self) -> Tools {
        let totals = self.summary.tools.as_ref();
        totals.map(Tools::new).unwrap_or_default()
    }

    /// The label, id and totals of each evaluator; with several evaluators, the combined results follow.
    pub fn rows(&self) -> impl Iterator<Item = (&'r str, &'r str, &'r Totals)> {
        let evaluators = self.summary.evaluators.iter();
        let whole = self.summary.whole_cases.as_ref();
        let whole = whole.filter(|_| self.summary.evaluators.len() > 1);
        evaluators
            .map(|it| (it.label.as_str(), it.id.as_str(), &it.totals))
            .chain(whole.map(|totals| (WHOLE_CASES, "", totals)))
    }
}

/// A note on a name that was expected but never called, although a similar name was.
fn near_name(name: &NearName) -> String {
    let (expected, called) = (&name.expected, &name.called);
    let calls = count(name.calls, "call");
    printable(&format!(
        "{expected} was expected and never called, but {called} was ({calls}): is a name misspelled?"
    ))
}
