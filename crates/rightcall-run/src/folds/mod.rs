//! Aggregates over cases, one file each. Cases are added one by one, in input order.

mod causes;
mod changes;
mod duplicates;
mod editions;
mod gates;
mod groups;
mod names_seen;
mod near_names;
mod near_rules;
mod totals;
mod trials;
mod unjudged_rules;

use rightcall_formats::{Block, Report};
use rightcall_results::{Decides, Findings, RunSummary, SameTrial, Scores, ToolSums};
use rightcall_stats::RunScores;

pub(crate) use duplicates::SeenCases;
pub use groups::is_without_values;
pub use names_seen::NamesSeen;
pub use near_rules::NearRules;

use crate::judged::{JudgedBlock, JudgedCase};
use crate::rule_names::MAX_NAMES;
use crate::slips::Slips;
use crate::{Gate, Plan, Problem, Unmatched, Wants};
use causes::Causes;
use changes::Changes;
use editions::Editions;
use gates::GateScores;
use groups::Groups;
use near_names::NearNames;
use totals::{EvaluatorTotals, Lowest, failure};
use trials::RepeatedCases;
use unjudged_rules::UnjudgedRules;

/// An aggregate over cases, added in input order.
pub(crate) trait Fold {
    /// The result of the aggregate.
    type Total;

    /// Adds a case.
    fn add(&mut self, case: &JudgedCase);

    /// Returns the result.
    fn finish(self) -> Self::Total;
}

/// At most this many runs without a case are listed; all are counted.
const UNUSED: usize = 10;

/// At most this many causes and names are reported; the others are counted.
const WRITTEN: usize = 100;

/// The summary of a run, and data that only the caller of the run needs.
#[derive(Clone, Debug, Default)]
pub struct FinishedRun {
    /// The summary.
    pub summary: RunSummary,
    /// Skipped data of traces that are inputs themselves.
    pub reading: Report,
    /// The scores of all cases, if they are compared with a baseline or become one.
    pub scores: Option<RunScores>,
}

/// All aggregates of a run.
pub(crate) struct Sums<'p> {
    plan: &'p Plan,
    finished: FinishedRun,
    evaluators: Vec<EvaluatorTotals>,
    whole_cases: Scores,
    lowest: Option<Lowest>,
    groups: Groups,
    gates: Vec<GateScores<'p>>,
    changes: Option<Changes<'p>>,
    trials: RepeatedCases,
    same_trial: SameTrial,
    slips: Slips,
    near_rules: NearRules,
    findings: Option<(Causes, NearNames, Editions, UnjudgedRules)>,
    tools: Option<ToolSums>,
}

impl<'p> Sums<'p> {
    pub(crate) fn new(plan: &'p Plan, wants: &Wants) -> Self {
        let keeps_lowest = wants.shortfall;
        let evaluators = EvaluatorTotals::all(plan, keeps_lowest);
        let unscored = evaluators.iter().map(EvaluatorTotals::unscored).collect();
        let own = |(_, gate): &(usize, &Gate)| !gate.statistic.is_of_change();
        let gates = plan.gates().iter().enumerate().filter(own);
        let findings = plan.investigation.as_ref();
        Self {
            plan,
            finished: FinishedRun::default(),
            evaluators,
            whole_cases: Scores::default(),
            lowest: keeps_lowest.then(|| Lowest::new(plan.listed)),
            groups: Groups::new(plan, unscored),
            gates: gates
                .map(|(position, gate)| GateScores::new(gate, position))
                .collect(),
            changes: plan.baseline.as_ref().map(|_| Changes::new(plan)),
            trials: RepeatedCases::default(),
            same_trial: SameTrial::default(),
            slips: Slips::default(),
            near_rules: NearRules::new(&plan.evaluators),
            findings: findings.map(|of| {
                (
                    Causes::default(),
                    NearNames::default(),
                    Editions::new(of),
                    UnjudgedRules::default(),
                )
            }),
            tools: wants.counts_tools().then(ToolSums::default),
        }
    }

    /// Adds the counts of a block that are not part of its cases.
    pub(crate) fn add_block(&mut self, block: &JudgedBlock, reads_cases: bool) {
        let summary = &mut self.finished.summary;
        for problem in &block.problems {
            *match problem {
                Problem::Unreadable(_) => &mut summary.unreadable,
                Problem::BrokenInput(_) => &mut summary.broken_inputs,
                Problem::Duplicate { .. } | Problem::SameQuestion { .. } => &mut summary.duplicates,
                Problem::WithoutRun { .. } => &mut summary.unpaired,
            } += 1;
        }
        summary.ignored += block.without_run;
        summary.without_expectation += block.without_expectation;
        self.slips.merge(&block.slips);
        block
            .rule_names
            .iter()
            .for_each(|names| self.near_rules.add(names));
        // Skipped data of runs was reported when they were indexed.
        let report = block.block.as_ref().and_then(Block::report);
        if let Some(report) = report.filter(|_| reads_cases) {
            self.finished.reading.add(report);
        }
    }

    /// Adds a case.
    pub(crate) fn add(&mut self, case: &JudgedCase) {
        let summary = &mut self.finished.summary;
        if case.is_read {
            summary.cases += 1;
        } else {
            summary.unread_errors += case.result.evaluations.len() as u64;
        }
        if !case.has_run {
            summary.no_run += 1;
            if summary.first_no_run.len() < self.plan.listed {
                let why = crate::case_rule::NO_RUN.to_owned();
                summary.first_no_run.push(failure(&case.result, why));
            }
        }
        self.evaluators.iter_mut().for_each(|fold| fold.add(case));
        self.whole_cases.add(&case.result.whole);
        self.lowest.iter_mut().for_each(|fold| fold.add(case));
        self.groups.add(case);
        self.gates.iter_mut().for_each(|fold| fold.add(case));
        self.changes.iter_mut().for_each(|fold| fold.add(case));
        self.trials.add(case);
        self.same_trial.add(&case.result);
        if let Some(tools) = &mut self.tools {
            tools.add(&case.tools, MAX_NAMES);
        }
        if let Some((causes, names, editions, rules)) = &mut self.findings {
            rules.add(case);
            causes.add(case);
            names.add(case);
            editions.add(case);
        }
    }

    /// True if runs in separate files were expected and no case, selected or not, found one: the ids do not match the cases' ids.
    fn nothing_joined(&self) -> bool {
        let plan = self.plan;
        let Some(traces) = plan.traces.as_ref().filter(|_| !plan.joins_by_order()) else {
            return false;
        };
        let rule = plan.case_rule.as_ref();
        let is_accepted = rule.is_some_and(|rule| rule.unmatched == Unmatched::Ignore);
        // With an expectation for all, runs without a case are scored too.
        let summary = &self.finished.summary;
        let is_wanted = if plan.expected.is_empty() {
            summary.cases > 0
        } else {
            summary.no_run > 0
        };
        is_wanted && !is_accepted && !traces.index.is_asked()
    }

    pub(crate) fn finish(mut self) -> FinishedRun {
        let plan = self.plan;
        let nothing_joined = self.nothing_joined();
        let mut gates: Vec<_> = self.gates.into_iter().flat_map(Fold::finish).collect();
        let (changes, scores) = self.changes.map(Fold::finish).unzip();
        gates.extend(changes.into_iter().flatten());
        // With an expectation for all, runs without a case were scored as cases.
        let unused = plan.traces.as_ref().filter(|_| plan.expected.is_empty());
        let (unused_runs, first) = unused
            .map(|traces| traces.index.unused(UNUSED))
            .unwrap_or_default();
        let (groups, more_groups) = self.groups.finish();
        let explains = plan.investigation.as_ref().is_some_and(|it| it.explains);
        let mut findings = self.findings.map(|(causes, names, editions, rules)| {
            let mut near_names = names.finish();
            let more_near_names = near_names.len().saturating_sub(WRITTEN) as u64;
            near_names.truncate(WRITTEN);
            Findings {
                near_names,
                more_near_names,
                editions: editions.finish(),
                unjudged_rules: rules.finish(),
                ..causes.finish()
            }
        });
        let near_names = if explains {
            Vec::new()
        } else {
            findings.take().map(|it| it.near_names).unwrap_or_default()
        };
        let left_out = plan.traces.as_ref().map_or(0, |traces| traces.left_out);
        self.slips.finish(&mut self.finished.summary);
        let (near_rules, unshared_keys) = self.near_rules.finish();
        let mut summary = RunSummary {
            unreadable: self.finished.summary.unreadable + left_out,
            evaluators: self.evaluators.into_iter().map(Fold::finish).collect(),
            whole_cases: plan.case_rule.is_some().then(|| self.whole_cases.totals()),
            lowest: self.lowest.map(Fold::finish).unwrap_or_default(),
            decides: match plan.gates.as_deref() {
                None => Decides::Verdicts,
                Some([]) => Decides::Nothing,
                Some(_) => Decides::Gates,
            },
            gates,
            unjudged_changes: plan.unjudged_changes,
            unpaired: self.finished.summary.unpaired + plan.runs_out_of_place(),
            nothing_joined,
            unused_runs,
            first_unused_runs: first.iter().map(ToString::to_string).collect(),
            near_rules,
            unshared_keys,
            near_names,
            groups,
            more_groups,
            trials: self.trials.finish(),
            findings,
            tools: self.tools.map(ToolSums::finish),
            ..self.finished.summary
        };
        // Selected trials are not all trials of their cases, so their names are needed.
        if plan.selection.failed.is_none() {
            self.same_trial.shorten_names(&mut summary);
        }
        FinishedRun {
            summary,
            scores,
            ..self.finished
        }
    }
}
