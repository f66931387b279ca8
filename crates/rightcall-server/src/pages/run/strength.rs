//! The share of broken runs that the evaluators and gates of a run notice, as `rightcall strength`
//! counts them.

use std::path::Path;
use std::sync::atomic::AtomicU64;

use rightcall_formats::{Limits, ReadOptions, read_case};
use rightcall_quality::strength::{MutationOperator, MutationTally, OperatorGroup, StrengthReport};
use rightcall_report::{
    SurvivorText, count, judge_told, percent, printable, silenced_told, strength_summary,
    survivors, weakest_runs,
};
use rightcall_results::{Decides, RunSummary, case_name};
use rightcall_run::{
    CaseRule, Configured, EvaluatorArgument, Filter, Gate, Plan, SuiteRuns, SuiteStrength,
    Unmatched,
};
use rightcall_store::{History, RunRow, RunSettings, StoreError};

use super::{ROWS, case_address};
use crate::link::Query;
use crate::pages::Missing;
use crate::strength_reports::{StrengthResult, StrengthState};
use crate::viewed::Viewed;

/// Maximum number of runs to break for a page.
const MOST_RUNS: usize = 2000;

/// The number of mutants of a run per way to break it; the command's default.
const MUTANTS: usize = 10;

/// Why a suite with gates has no strength.
const NO_GATE: &str = "no gate of the run is known that could fail: its list of gates is empty, or an older version stored them without their filters";

/// The strength of a run's suite, formatted for the template.
pub(super) enum StrengthTab {
    /// Not finished: the progress as text.
    Unfinished(String),
    /// Why there is no strength.
    None(String),
    Finished(Box<StrengthView>),
}

/// A finished report.
pub(super) struct StrengthView {
    pub(super) summary: String,
    /// The strength by group, each with its name.
    pub(super) strengths: [(&'static str, String); 2],
    pub(super) survivors: Vec<SurvivorView>,
    pub(super) groups: [(&'static str, Vec<OperatorRow>); 2],
    pub(super) judges: Vec<JudgeRow>,
    /// The strength of evaluators and gates together, if only gates decide.
    pub(super) together: Option<[String; 2]>,
    /// A text about noticed runs that no judge fails.
    pub(super) silenced: Option<String>,
    /// Evaluators and gates that are not used, each with the reason.
    pub(super) unused: Vec<(String, String)>,
    pub(super) weakest: Vec<WeakRun>,
    /// The number of runs that are not listed.
    pub(super) more_runs: usize,
}

pub(super) struct SurvivorView {
    pub(super) text: SurvivorText,
    /// The address of the example; empty if its case is not kept.
    pub(super) link: String,
}

/// A way to break runs.
pub(super) struct OperatorRow {
    pub(super) operator: &'static MutationOperator,
    /// `None` if it applies to no run.
    pub(super) tally: Option<MutationTally>,
}

/// An evaluator or a gate, as if it judged alone.
pub(super) struct JudgeRow {
    pub(super) label: String,
    pub(super) strengths: [String; 2],
    pub(super) alone: u64,
}

pub(super) struct WeakRun {
    pub(super) name: String,
    pub(super) link: String,
    pub(super) strengths: [String; 2],
}

impl StrengthTab {
    pub(super) fn new(
        history: &History,
        viewed: &Viewed,
        run: &RunRow,
        query: &Query,
    ) -> Result<Self, Missing> {
        let seed = query.number("seed").unwrap_or(1);
        let (path, number) = (viewed.history.clone(), run.number);
        let key = format!("{} {seed}", run.about.key);
        let make = move |done: &AtomicU64| break_stored_runs(&path, number, seed, done);
        let state = viewed.strength.get_or_start(&key, make);
        Ok(
            match state.map_err(|error| Missing::Broken(error.to_string()))? {
                StrengthState::Finished(report) => match &*report {
                    Ok(report) => Self::Finished(Box::new(StrengthView::new(history, run, report))),
                    Err(reason) => Self::None(reason.clone()),
                },
                StrengthState::Working(done) => {
                    Self::Unfinished(format!("{} broken so far", count(done, "run")))
                }
                StrengthState::Waiting => Self::Unfinished("waiting for another run".to_owned()),
            },
        )
    }
}

/// Breaks the stored runs. A history has no tool definitions.
fn break_stored_runs(path: &Path, number: i64, seed: u64, done: &AtomicU64) -> StrengthResult {
    let failed = |error: StoreError| error.to_string();
    let history = History::open_to_read(path).map_err(failed)?;
    let run = history.run(number).map_err(failed)?;
    let summary = history.summary(&run).map_err(failed)?;
    let (plan, unknown_gates) = plan(&run, &summary)?;
    let strength = SuiteStrength::new(&plan, None, seed, MUTANTS);
    if strength.is_without_judges() {
        return Err("no evaluator or gate judges a run by itself, so no broken run can be noticed: give an evaluator a `threshold`, or write `gates:`".to_owned());
    }
    let mut runs = SuiteRuns::default();
    for (label, json) in history.case_texts(number).map_err(failed)? {
        // Stored text parses unless the file is damaged.
        if runs.count() < MOST_RUNS
            && let Ok(case) = read_case(&json, &plan.reading)
        {
            runs.add_case(&case, &label);
        }
    }
    let mut report = strength.test(runs, done).map_err(|it| it.to_string())?;
    report.unused.extend(unknown_gates);
    Ok(report)
}

/// The evaluators and gates of a run, and incompletely stored gates with the reason.
fn plan(run: &RunRow, summary: &RunSummary) -> Result<(Plan, Vec<(String, String)>), String> {
    let settings = RunSettings::from_json(&run.about.settings);
    let mut evaluators = Vec::new();
    for stored in &settings.evaluators {
        let wrong = |error: &dyn std::fmt::Display| format!("`{}`: {error}", stored.evaluator);
        let argument = EvaluatorArgument::parse(&stored.evaluator).map_err(|it| wrong(&it))?;
        let mut configured = Configured::new(argument, None).map_err(|it| wrong(&it))?;
        configured.weight = stored.weight;
        evaluators.push(configured);
    }
    let filters = settings.gate_filters.into_iter().map(|it| Filter {
        tags: it.tags,
        agents: it.agents,
        meta: it.meta.into_iter().map(|it| (it.key, it.values)).collect(),
    });
    let filters: Vec<Filter> = filters.collect();
    let (mut gates, mut unknown) = (Vec::new(), Vec::new());
    for result in &summary.gates {
        match Gate::from_result(result, &evaluators, &filters) {
            // A gate with groups has a result for each.
            Some(gate) if gates.contains(&gate) => {}
            Some(gate) => gates.push(gate),
            None => unknown.push((
                result.label().clone(),
                "an older version stored the run without its filter".to_owned(),
            )),
        }
    }
    unknown.dedup();
    if gates.is_empty() && summary.decides != Decides::Verdicts {
        return Err(NO_GATE.to_owned());
    }
    let plan = Plan {
        case_rule: Some(CaseRule::new(&evaluators, Unmatched::Fail)),
        evaluators,
        gates: Some(gates),
        ..Plan::new(Vec::new(), ReadOptions::default(), Limits::default())
    };
    Ok((plan, unknown))
}

impl StrengthView {
    fn new(history: &History, run: &RunRow, report: &StrengthReport) -> Self {
        let address = |name: &str| case_address(history, run.number, name).unwrap_or_default();
        let by_group = |of: &dyn Fn(OperatorGroup) -> Option<f64>| {
            OperatorGroup::ALL.map(|group| percent(of(group)))
        };
        let survivors = survivors(report, true).into_iter().map(|text| {
            let name = text.example.as_ref().map(|(name, _)| printable(name));
            SurvivorView {
                link: name.map(|name| address(&name)).unwrap_or_default(),
                text,
            }
        });
        let judges = report
            .judges
            .iter()
            .enumerate()
            .map(|(at, judge)| JudgeRow {
                label: printable(&judge_told(judge)),
                strengths: by_group(&|group| report.strength_of(at, group)),
                alone: report.noticed_alone(at),
            });
        let runs = weakest_runs(report);
        let weakest = runs.iter().take(ROWS as usize).map(|it| {
            let name = printable(&case_name(&it.label, it.trial.as_deref()));
            WeakRun {
                link: address(&name),
                name,
                strengths: by_group(&|group| it.strength(group)),
            }
        });
        Self {
            summary: summary(report, run),
            strengths: OperatorGroup::ALL
                .map(|group| (group.name(), percent(report.strength(group)))),
            survivors: survivors.collect(),
            groups: OperatorGroup::ALL.map(|group| (heading(group), operators(report, group))),
            judges: judges.collect(),
            together: report
                .has_others()
                .then(|| by_group(&|group| report.strength_of_all(group))),
            silenced: silenced_told(report),
            unused: report.unused.clone(),
            weakest: weakest.collect(),
            more_runs: runs.len().saturating_sub(ROWS as usize),
        }
    }
}

fn heading(group: OperatorGroup) -> &'static str {
    match group {
        OperatorGroup::SingleCalls => "Single calls",
        OperatorGroup::WholeRuns => "Whole runs (weights are estimates)",
    }
}

/// The ways of a group to break runs. Those that apply to no run come last.
fn operators(report: &StrengthReport, group: OperatorGroup) -> Vec<OperatorRow> {
    let of_group = report.operators().filter(|(it, _)| it.group == group);
    let rows = of_group.map(|(operator, tally)| OperatorRow {
        operator,
        tally: (tally.broken > 0).then(|| tally.clone()),
    });
    let mut rows: Vec<_> = rows.collect();
    rows.sort_by_key(|it| it.tally.is_none());
    rows
}

/// `9 passing runs broken · at most 10 times in each way · seed 1. Of the 200 kept cases of 5000.`
fn summary(report: &StrengthReport, run: &RunRow) -> String {
    let summary = strength_summary(report);
    let kept = count(run.kept, "kept case");
    if run.kept > MOST_RUNS as u64 {
        format!("{summary}. Of the first {MOST_RUNS} runs of {kept}.")
    } else if run.kept < run.cases {
        format!("{summary}. Of the {kept} of {}.", run.cases)
    } else {
        format!("{summary}.")
    }
}

impl OperatorRow {
    pub(super) fn share(tally: &MutationTally) -> String {
        percent(tally.share())
    }
}
