//! Expectations learned from the runs of each task.

use std::collections::{BTreeMap, HashSet};

use rightcall::call::{Call, Case};
use rightcall::expectation::{ActualCall, ExpectationError, ProcessTree};
use rightcall::learn::{LearnedExpectation, LearningOptions, learn};
use rightcall_formats::join::Join;
use rightcall_formats::{Report, read_case};

use crate::records::each_record;
use crate::run::pieces;
use crate::{Observer, Plan, RunError};

/// How runs become tasks.
#[derive(Clone, Copy, Debug, Default)]
pub struct TaskGrouping {
    /// The key whose value is the task; `None` for the id, else the question, else the name of the file.
    pub by: Option<Join>,
    /// Keeps calls that failed and were made again with success.
    pub keeps_failed: bool,
}

/// A task, and good runs of it.
#[derive(Debug, Default)]
pub struct Task {
    /// Its id.
    pub id: String,
    /// The question, as JSON text, if all runs have the same.
    pub input: Option<String>,
    /// What each run did.
    pub runs: Vec<Vec<ActualCall<'static>>>,
    /// Failed calls that were left out, because one of the same tool succeeded later.
    pub retried: u64,
}

/// The runs of tasks.
#[derive(Debug, Default)]
pub struct Tasks {
    /// The tasks, sorted by id.
    pub tasks: Vec<Task>,
    /// Records without a run, or with a run of which calls may be missing.
    pub left_out: u64,
    /// What was left out of the traces.
    pub report: Report,
}

/// A case with an expectation that was learned.
#[derive(Debug)]
pub struct LearnedCase {
    /// Its id.
    pub id: String,
    /// The question, as JSON text.
    pub input: Option<String>,
    /// What was learned.
    pub learned: LearnedExpectation,
    /// Sequences of names, no longer than the longest run, that are accepted and that no run has; `None` for more than a million.
    pub others: Option<u64>,
    /// Some of these sequences.
    pub examples: Vec<Vec<String>>,
    /// Failed calls that were left out.
    pub retried: u64,
}

/// How often an expectation that is learned from all runs of a task but one accepts that one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeldOut {
    /// Runs that were accepted.
    pub accepted: u64,
    /// Runs that were tried.
    pub tried: u64,
}

/// More are not counted.
const MANY: u64 = 1_000_000;

/// Examples of other sequences.
const EXAMPLES: usize = 2;

/// Reads the runs of all tasks.
///
/// # Errors
/// An input that cannot be opened. What cannot be read is reported to the observer.
pub fn tasks(
    plan: &Plan,
    grouping: TaskGrouping,
    observer: &mut dyn Observer,
) -> Result<Tasks, RunError> {
    let mut found = Tasks::default();
    let mut by_id = BTreeMap::<String, Task>::new();
    let mut report = Report::default();
    let mut inputs = pieces(plan, &plan.inputs, &plan.reading);
    while let Some(piece) = inputs.next_piece()? {
        each_record(piece, observer, &mut report, &mut |text, place| {
            let case = read_case(text, &plan.reading)?;
            let id = id_of(&case, place.file, grouping.by);
            if !plan.selection.admits(&case, &id) {
                return Ok(());
            }
            let Some(run) = case.actual.as_ref().filter(|_| case.incomplete.is_none()) else {
                found.left_out += 1;
                return Ok(());
            };
            let task = by_id.entry(id).or_default();
            let kept = |at: &usize| grouping.keeps_failed || !is_retried(&run.calls, *at);
            let kept: Vec<usize> = (0..run.calls.len()).filter(kept).collect();
            task.retried += (run.calls.len() - kept.len()) as u64;
            let calls = kept
                .iter()
                .map(|at| run.calls[*at].for_expectation().into_owned());
            let calls = calls.collect();
            let input = case.input.map(ToOwned::to_owned);
            if task.runs.is_empty() {
                task.input = input;
            } else if task.input != input {
                task.input = None;
            }
            task.runs.push(calls);
            Ok(())
        });
    }
    found.report = report;
    found.tasks = by_id
        .into_iter()
        .map(|(id, task)| Task { id, ..task })
        .collect();
    Ok(found)
}

/// The task of a run.
fn id_of(case: &Case<'_>, file: &str, by: Option<Join>) -> String {
    let by = by.map_or_else(
        || vec![Join::Id, Join::Input, Join::File],
        |join| vec![join],
    );
    let mut names = by.into_iter().filter_map(|join| join.of(case, file));
    names
        .next()
        .map(|name| name.to_string())
        .unwrap_or_default()
}

/// True for a call that failed, if a later one of the same tool did not.
fn is_retried(calls: &[Call<'_>], at: usize) -> bool {
    let call = &calls[at];
    let mut later = calls[at + 1..].iter().filter(|it| it.name == call.name);
    call.failed() == Some(true) && later.any(|it| it.failed() != Some(true))
}

impl Task {
    /// Learns what the runs have in common.
    ///
    /// # Errors
    /// The blocks have more states than can be looked at.
    pub fn learn(&self, options: &LearningOptions) -> Result<LearnedCase, ExpectationError> {
        let learned = learn(&self.runs, options)?;
        let longest = self.runs.iter().map(Vec::len).max().unwrap_or(0);
        let names = |run: &Vec<ActualCall<'_>>| -> Vec<String> {
            run.iter().map(|call| call.name().to_string()).collect()
        };
        let known: HashSet<Vec<String>> = self.runs.iter().map(names).collect();
        let is_known = |run: &[&str]| {
            known.contains(&run.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>())
        };
        let tree = ProcessTree::read(learned.json.as_str())?;
        let mut language = tree.language(longest);
        let all = language.as_mut().map(|it| it.count());
        let accepted = known.len() as u64;
        let others = all.map(|all| all.saturating_sub(accepted));
        let examples = language.map(|mut it| it.others(&is_known, EXAMPLES));
        Ok(LearnedCase {
            id: self.id.clone(),
            input: self.input.clone(),
            learned,
            others: others.filter(|others| *others <= MANY),
            examples: examples.unwrap_or_default(),
            retried: self.retried,
        })
    }

    /// Learns from all runs but one, for each run, and counts those that are accepted.
    pub fn hold_out(&self, options: &LearningOptions) -> HeldOut {
        let mut held = HeldOut::default();
        for left in 0..self.runs.len() {
            let mut others = self.runs.clone();
            let run = others.remove(left);
            if others.is_empty() {
                continue;
            }
            let accepts = || {
                let learned = learn(&others, options).ok()?;
                let tree = ProcessTree::read(learned.json.as_str()).ok()?;
                Some(tree.align(&run).ok()?.cost == 0)
            };
            held.tried += 1;
            held.accepted += u64::from(accepts().unwrap_or(false));
        }
        held
    }
}

impl HeldOut {
    /// The lower end of the 90 % interval of the share of runs that are accepted.
    ///
    /// Source: Wilson, *Probable inference, the law of succession, and statistical inference* (1927).
    pub fn at_least(self) -> f64 {
        const Z: f64 = 1.644_853_626_951_472_2;
        if self.tried == 0 {
            return 0.0;
        }
        let count = self.tried as f64;
        let share = self.accepted as f64 / count;
        let middle = share + Z * Z / (2.0 * count);
        let spread = Z * (share * (1.0 - share) / count + Z * Z / (4.0 * count * count)).sqrt();
        (middle - spread) / (1.0 + Z * Z / count)
    }
}
