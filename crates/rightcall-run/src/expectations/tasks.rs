//! Groups runs into tasks.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::io;
use std::sync::Arc;

use rightcall_core::call::{Call, Case, Trajectory};
use rightcall_core::learn::Runs as _;
use rightcall_core::value::ValueEquality;
use rightcall_formats::Report;
use rightcall_formats::join::Join;

use super::redacted::without_redacted;
use super::stored_runs::{RunPlace, RunStore, RunWriter, StoredRuns};
use crate::case_label::Labelled;
use crate::records::{RecordPlace, each_record};
use crate::run::pieces;
use crate::{Observer, Plan, Redaction, RunError};

/// How runs are grouped into tasks.
#[derive(Clone, Copy, Debug, Default)]
pub struct TaskGrouping {
    /// The key that identifies the task. `None` means the first of id, question and file name that
    /// every run has.
    pub by: Option<Join>,
    /// Leaves out failed calls if an equal call succeeded later. The learned expectation then rejects runs with such calls.
    pub without_failed: bool,
}

/// A task with its good runs.
#[derive(Debug)]
pub struct Task {
    /// Its id.
    pub id: String,
    /// The question as JSON text, if all runs have the same one.
    pub input: Option<String>,
    /// The calls of each run.
    pub runs: StoredRuns,
    /// The location of each run.
    pub places: Vec<RunLocation>,
    /// Failed calls that were left out because an equal call succeeded later.
    pub retried: u64,
    /// Failed calls that were not left out.
    pub failed: u64,
}

/// The location of a run, `FILE:LINE`.
#[derive(Clone, Debug)]
pub struct RunLocation {
    file: Arc<str>,
    line: u64,
}

impl fmt::Display for RunLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// The runs of all tasks.
#[derive(Debug)]
pub struct Tasks {
    /// The tasks, sorted by id.
    pub tasks: Vec<Task>,
    /// The key that identifies each task.
    pub join: Join,
    /// The records outside of all tasks.
    pub left_out: LeftOutRecords,
    /// Data of the traces that was skipped.
    pub report: Report,
}

/// The number of records outside of all tasks, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOutRecords {
    /// Excluded by the selection.
    pub unselected: u64,
    /// Without a run.
    pub without_run: u64,
    /// With a run that may lack calls.
    pub incomplete: u64,
    /// With a run, but without the key that identifies the task.
    pub without_key: u64,
}

impl LeftOutRecords {
    /// The selected records as text: `2 without a run, 1 with a run that may lack calls`. `None` if
    /// there are none.
    pub fn selected(&self, key: &Join) -> Option<String> {
        let parts = [
            (self.without_run, "without a run".to_owned()),
            (self.incomplete, "with a run that may lack calls".to_owned()),
            (self.without_key, format!("without `{key}`")),
        ];
        let parts = parts.iter().filter(|(number, _)| *number > 0);
        let parts: Vec<_> = parts
            .map(|(number, what)| format!("{number} {what}"))
            .collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

/// Keys that may identify tasks, in order of preference.
const KEYS: [Join; 3] = [Join::Id, Join::Input, Join::File];

/// Reads the runs of a plan and groups them into tasks, without redacted values.
///
/// # Errors
/// An input that cannot be opened, or runs that cannot be written to a temporary file. Records that cannot be parsed are reported to the
/// observer.
pub fn tasks(
    plan: &Plan,
    grouping: TaskGrouping,
    observer: &mut dyn Observer,
) -> Result<Tasks, RunError> {
    let keys: Vec<Join> = grouping.by.map_or_else(|| KEYS.to_vec(), |by| vec![by]);
    let mut found: Vec<([Option<TextNumber>; KEYS.len()], FoundRun)> = Vec::new();
    let mut reader = RunReader::new(grouping.without_failed, &plan.redaction);
    let (mut report, mut written) = (Report::default(), Ok(()));
    let mut left_out = LeftOutRecords::default();
    let mut inputs = pieces(plan, &plan.inputs, &plan.reading);
    while let Some(piece) = inputs.next_piece()? {
        each_record(piece, observer, &mut report, &mut |record, place| {
            let case = record.case(&plan.reading)?;
            if !plan
                .selection
                .admits(&case, &case.label(place.file, place.at))
            {
                left_out.unselected += 1;
                return Ok(());
            }
            let Some(run) = case.complete_run() else {
                let has_run = case.actual.is_some();
                left_out.incomplete += u64::from(has_run);
                left_out.without_run += u64::from(!has_run);
                return Ok(());
            };
            let mut names = [None; KEYS.len()];
            // A redacted key can't name a task.
            without_redacted(&plan.redaction, &case, |hidden| {
                for (key, number) in keys.iter().zip(&mut names) {
                    let name = key.of(&case, place.file);
                    let name = name.filter(|it| key.of(hidden, place.file).as_ref() == Some(it));
                    *number = name.map(|name| reader.texts.number(&name.to_display()));
                }
            });
            match reader.read(&case, run, place) {
                Ok(run) => found.push((names, run)),
                Err(error) => written = Err(error),
            }
            Ok(())
        });
        std::mem::replace(&mut written, Ok(()))?;
    }
    // A key that some run lacks cannot identify tasks.
    let have_all = |key: &usize| found.iter().all(|(names, _)| names[*key].is_some());
    let key = (0..keys.len()).find(have_all).unwrap_or(keys.len() - 1);
    let mut by_name = BTreeMap::<TextNumber, FoundTask>::new();
    for (names, run) in found {
        match names[key] {
            Some(name) => by_name.entry(name).or_default().add(run),
            None => left_out.without_key += 1,
        }
    }
    let runs = reader.finish()?;
    let task = |(name, task): (TextNumber, FoundTask)| runs.task(runs.texts.text(name), task);
    let mut tasks: Vec<_> = by_name.into_iter().map(task).collect();
    tasks.sort_unstable_by(|one, other| one.id.cmp(&other.id));
    Ok(Tasks {
        tasks,
        join: keys[key],
        left_out,
        report,
    })
}

/// Interned texts: many runs share a name or a question, so each text is stored once.
#[derive(Debug, Default)]
struct InternedTexts {
    numbers: HashMap<Arc<str>, TextNumber>,
    texts: Vec<Arc<str>>,
}

/// The number of a text.
type TextNumber = u32;

impl InternedTexts {
    fn number(&mut self, text: &str) -> TextNumber {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let (text, number) = (Arc::<str>::from(text), self.texts.len() as TextNumber);
        self.texts.push(Arc::clone(&text));
        self.numbers.insert(text, number);
        number
    }

    fn text(&self, number: TextNumber) -> &str {
        &self.texts[number as usize]
    }
}

/// Reads the runs of cases and writes their calls to a store.
pub(super) struct RunReader<'r> {
    writer: RunWriter,
    texts: InternedTexts,
    /// Leaves out failed calls that were retried with success.
    without_failed: bool,
    redaction: &'r Redaction,
}

/// A run whose task is not known yet.
pub(super) struct FoundRun {
    input: Option<TextNumber>,
    retried: u64,
    failed: u64,
    place: RunPlace,
    location: RunLocation,
}

impl<'r> RunReader<'r> {
    pub(super) fn new(without_failed: bool, redaction: &'r Redaction) -> Self {
        Self {
            writer: RunWriter::new(),
            texts: InternedTexts::default(),
            without_failed,
            redaction,
        }
    }

    /// Stores the run of a case. With `without_failed`, successfully retried calls are left out.
    pub(super) fn read(
        &mut self,
        case: &Case<'_>,
        run: &Trajectory<'_>,
        place: &RecordPlace<'_>,
    ) -> io::Result<FoundRun> {
        let kept = |at: &usize| !(self.without_failed && is_retried(&run.calls, *at));
        let kept: Vec<usize> = (0..run.calls.len()).filter(kept).collect();
        let has_failed = |at: &&usize| run.calls[**at].failed() == Some(true);
        let failed = kept.iter().filter(has_failed);
        let (writer, texts) = (&mut self.writer, &mut self.texts);
        let (input, written) = without_redacted(self.redaction, case, |hidden| {
            let calls = hidden.actual.as_ref().map_or(&[][..], |run| &run.calls);
            let calls = kept.iter().filter_map(|at| calls.get(*at));
            let input = hidden.input.map(|input| texts.number(input));
            (input, writer.add(calls))
        });
        Ok(FoundRun {
            input,
            retried: (run.calls.len() - kept.len()) as u64,
            failed: failed.count() as u64,
            place: written?,
            location: RunLocation {
                file: Arc::clone(place.file),
                line: place.at.line,
            },
        })
    }

    /// Completes the store, so that tasks can be made.
    pub(super) fn finish(self) -> io::Result<ReadRuns> {
        Ok(ReadRuns {
            store: self.writer.finish()?,
            texts: self.texts,
        })
    }
}

/// True for a failed call if an equal call succeeded later. A call without recorded arguments
/// equals no other.
fn is_retried(calls: &[Call<'_>], at: usize) -> bool {
    let call = &calls[at];
    if call.failed() != Some(true) {
        return false;
    }
    let Some(arguments) = call.arguments.to_value() else {
        return false;
    };
    let is_equal = |other: &Call<'_>| {
        let others = other.arguments.to_value();
        others.is_some_and(|others| ValueEquality::Json.equal(&arguments, &others))
    };
    let mut later = calls[at + 1..].iter();
    later.any(|it| it.name == call.name && it.failed() != Some(true) && is_equal(it))
}

/// A task while its runs are collected.
#[derive(Default)]
pub(super) struct FoundTask {
    input: Option<TextNumber>,
    retried: u64,
    failed: u64,
    runs: Vec<RunPlace>,
    places: Vec<RunLocation>,
}

impl FoundTask {
    pub(super) fn add(&mut self, run: FoundRun) {
        if self.runs.is_empty() {
            self.input = run.input;
        } else if self.input != run.input {
            self.input = None;
        }
        self.retried += run.retried;
        self.failed += run.failed;
        self.runs.push(run.place);
        self.places.push(run.location);
    }

    /// Number of runs.
    pub(super) fn count(&self) -> usize {
        self.runs.len()
    }
}

/// The store of all runs that were read.
pub(super) struct ReadRuns {
    store: RunStore,
    texts: InternedTexts,
}

impl ReadRuns {
    /// The task with these runs.
    pub(super) fn task(&self, id: &str, found: FoundTask) -> Task {
        Task {
            id: id.to_owned(),
            input: found.input.map(|it| self.texts.text(it).to_owned()),
            runs: StoredRuns::new(&self.store, found.runs),
            places: found.places,
            retried: found.retried,
            failed: found.failed,
        }
    }
}

impl Tasks {
    /// True if each task has a single run, and some tasks have the same question.
    pub fn share_questions(&self) -> bool {
        let is_single = |task: &Task| task.runs.count() == 1;
        let questions: HashSet<_> = self
            .tasks
            .iter()
            .filter_map(|it| it.input.as_ref())
            .collect();
        let asked = self.tasks.iter().filter(|it| it.input.is_some()).count();
        self.join == Join::Id && self.tasks.iter().all(is_single) && questions.len() < asked
    }
}
