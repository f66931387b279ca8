//! Learns expectations from the runs of each task.

use std::collections::{BTreeMap, HashSet};

use rightcall_core::call::{Call, Case, Trajectory};
use rightcall_core::expectation::{ActualCall, ExpectationError, ProcessTree, RunLanguage};
use rightcall_core::learn::{LearnedExpectation, LearningOptions, Tightening, learn};
use rightcall_core::value::{JsonWriter, on_one_line};
use rightcall_formats::join::Join;
use rightcall_formats::{Report, read_case};

use super::recorder::compact;
use super::redacted::without_redacted;
use crate::case_label::Labelled;
use crate::records::{RecordPlace, each_record};
use crate::run::pieces;
use crate::{Observer, Plan, Redaction, RunError};

/// How runs are grouped into tasks.
#[derive(Clone, Copy, Debug, Default)]
pub struct TaskGrouping {
    /// The key that identifies the task. With `None`, the first that every run has: the id, the question, or the name of the file.
    pub by: Option<Join>,
    /// Keeps failed calls even if a retry succeeded.
    pub keeps_failed: bool,
}

/// A task with its good runs.
#[derive(Debug, Default)]
pub struct Task {
    /// Its id.
    pub id: String,
    /// The question as JSON text, if all runs have the same one.
    pub input: Option<String>,
    /// The calls of each run.
    pub runs: Vec<Vec<ActualCall<'static>>>,
    /// The location of each run, `FILE:LINE`.
    pub places: Vec<String>,
    /// Failed calls that were left out because a later call of the same tool succeeded.
    pub retried: u64,
}

/// The runs of all tasks.
#[derive(Debug, Default)]
pub struct Tasks {
    /// The tasks, sorted by id.
    pub tasks: Vec<Task>,
    /// The key that identifies each task.
    pub join: Join,
    /// Records without a run, or with a run that may be incomplete.
    pub left_out: u64,
    /// Data of the traces that was skipped.
    pub report: Report,
}

/// A case with a learned expectation.
#[derive(Debug)]
pub struct LearnedCase {
    /// Its id.
    pub id: String,
    /// The question, as JSON text.
    pub input: Option<String>,
    /// The learned expectation.
    pub learned: LearnedExpectation,
    /// Number of accepted name sequences, at most as long as the longest run, that occur in no run; `None` for more than a million.
    pub others: Option<u64>,
    /// Some of these sequences.
    pub examples: Vec<Vec<String>>,
    /// The blocks that reject the fewest runs in a tighter form.
    pub tightenings: Vec<Tightening>,
    /// The location of each run, `FILE:LINE`.
    pub places: Vec<String>,
    /// Failed calls that were left out.
    pub retried: u64,
}

impl LearnedCase {
    /// The case as a line of JSON.
    pub fn line(&self) -> String {
        let mut writer = JsonWriter::new();
        writer.begin_object();
        writer.key("id").str(&self.id);
        if let Some(input) = &self.input {
            writer.key("input").raw(&compact(input));
        }
        writer.key("expected").raw(self.learned.json.as_str());
        writer.end_object();
        on_one_line(writer.finish())
    }
}

/// Leave-one-out check: how often an expectation learned from all other runs of a task accepts the one left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeldOut {
    /// Runs that were accepted.
    pub accepted: u64,
    /// Runs that were tried.
    pub tried: u64,
}

/// Counting stops here.
const MANY: u64 = 1_000_000;

/// At most this many runs of a task are left out in turn: each costs as much as learning.
const MOST_HELD_OUT: usize = 100;

/// Number of example sequences.
const EXAMPLES: usize = 2;

/// Reads the runs and groups them into tasks. Values that the plan redacts are left out.
///
/// # Errors
/// An input that cannot be opened. Records that cannot be parsed are reported to the observer.
pub fn tasks(
    plan: &Plan,
    grouping: TaskGrouping,
    observer: &mut dyn Observer,
) -> Result<Tasks, RunError> {
    let mut found = Tasks::default();
    let keys: Vec<Join> = grouping.by.map_or_else(|| KEYS.to_vec(), |by| vec![by]);
    let mut runs: Vec<FoundRun> = Vec::new();
    let mut report = Report::default();
    let mut inputs = pieces(plan, &plan.inputs, &plan.reading);
    while let Some(piece) = inputs.next_piece()? {
        each_record(piece, observer, &mut report, &mut |text, place| {
            let case = read_case(text, &plan.reading)?;
            if !plan
                .selection
                .admits(&case, &case.label(place.file, place.line))
            {
                return Ok(());
            }
            let Some(run) = case.complete_run() else {
                found.left_out += 1;
                return Ok(());
            };
            // A redacted key can't name a task.
            let names = without_redacted(&plan.redaction, &case, |hidden| {
                let name = |key: &Join| {
                    let name = key.of(&case, place.file)?;
                    (key.of(hidden, place.file)? == name).then(|| name.to_string())
                };
                keys.iter().map(name).collect()
            });
            let run = FoundRun::new(&case, run, place, grouping.keeps_failed, &plan.redaction);
            runs.push(FoundRun { names, ..run });
            Ok(())
        });
    }
    found.report = report;
    // A key that some run lacks cannot identify tasks.
    let have_all = |key: &usize| runs.iter().all(|run| run.names[*key].is_some());
    let key = (0..keys.len()).find(have_all).unwrap_or(keys.len() - 1);
    found.join = keys[key];
    let mut by_id = BTreeMap::<String, Task>::new();
    for mut run in runs {
        match run.names[key].take() {
            Some(id) => by_id.entry(id).or_default().add(run),
            None => found.left_out += 1,
        }
    }
    let tasks = by_id.into_iter().map(|(id, task)| Task { id, ..task });
    found.tasks = tasks.collect();
    Ok(found)
}

/// Keys that may identify tasks, in order of preference.
const KEYS: [Join; 3] = [Join::Id, Join::Input, Join::File];

/// A run whose task is not known yet.
pub(super) struct FoundRun {
    /// Its value for each of the keys.
    names: Vec<Option<String>>,
    input: Option<String>,
    retried: u64,
    calls: Vec<ActualCall<'static>>,
    place: String,
}

impl FoundRun {
    /// The run of a case, without failed calls that were made again with success, unless they are kept.
    pub(super) fn new(
        case: &Case<'_>,
        run: &Trajectory<'_>,
        place: &RecordPlace<'_>,
        keeps_failed: bool,
        redaction: &Redaction,
    ) -> Self {
        let kept = |at: &usize| keeps_failed || !is_retried(&run.calls, *at);
        let kept: Vec<usize> = (0..run.calls.len()).filter(kept).collect();
        let call = |call: &Call<'_>| call.for_expectation().into_owned();
        let (input, calls) = without_redacted(redaction, case, |hidden| {
            let calls = hidden.actual.as_ref().map_or(&[][..], |run| &run.calls);
            let calls = kept.iter().filter_map(|at| calls.get(*at)).map(call);
            (hidden.input.map(ToOwned::to_owned), calls.collect())
        });
        Self {
            names: Vec::new(),
            input,
            retried: (run.calls.len() - kept.len()) as u64,
            calls,
            place: format!("{}:{}", place.file, place.line),
        }
    }
}

/// True for a failed call if a later call of the same tool succeeded.
fn is_retried(calls: &[Call<'_>], at: usize) -> bool {
    let call = &calls[at];
    let mut later = calls[at + 1..].iter().filter(|it| it.name == call.name);
    call.failed() == Some(true) && later.any(|it| it.failed() != Some(true))
}

impl Tasks {
    /// True if each task has a single run, and some tasks have the same question.
    pub fn share_questions(&self) -> bool {
        let is_single = |task: &Task| task.runs.len() == 1;
        let questions: HashSet<_> = self
            .tasks
            .iter()
            .filter_map(|it| it.input.as_ref())
            .collect();
        let asked = self.tasks.iter().filter(|it| it.input.is_some()).count();
        self.join == Join::Id && self.tasks.iter().all(is_single) && questions.len() < asked
    }
}

impl Task {
    pub(super) fn add(&mut self, run: FoundRun) {
        if self.runs.is_empty() {
            self.input = run.input;
        } else if self.input != run.input {
            self.input = None;
        }
        self.retried += run.retried;
        self.runs.push(run.calls);
        self.places.push(run.place);
    }

    /// Learns an expectation from the runs.
    ///
    /// # Errors
    /// The blocks have too many states to explore.
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
        let all = language.as_mut().map(RunLanguage::count);
        let accepted = known.len() as u64;
        let others = all.map(|all| all.saturating_sub(accepted));
        let examples = language.map(|mut it| it.others(&is_known, EXAMPLES));
        Ok(LearnedCase {
            id: self.id.clone(),
            input: self.input.clone(),
            tightenings: learned.tightenings(&self.runs),
            places: self.places.clone(),
            learned,
            others: others.filter(|others| *others <= MANY),
            examples: examples.unwrap_or_default(),
            retried: self.retried,
        })
    }

    /// Leaves out each run in turn (at most 100), learns from the others, and counts how many of the runs left out are accepted.
    pub fn hold_out(&self, options: &LearningOptions) -> HeldOut {
        let mut held = HeldOut::default();
        if self.runs.len() < 2 {
            return held;
        }
        let each = self.runs.len().div_ceil(MOST_HELD_OUT);
        let mut others = self.runs.clone();
        for left in (0..self.runs.len()).step_by(each) {
            let run = others.remove(left);
            let accepts = || {
                let learned = learn(&others, options).ok()?;
                let tree = ProcessTree::read(learned.json.as_str()).ok()?;
                Some(tree.align(&run).ok()?.cost == 0)
            };
            held.tried += 1;
            held.accepted += u64::from(accepts().unwrap_or(false));
            others.insert(left, run);
        }
        held
    }
}

impl HeldOut {
    /// The lower end of the 90 % confidence interval of the accepted share.
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
