//! Records good runs as expectations for later ones.

use std::collections::HashMap;
use std::io::{self, Write};

use rightcall_core::call::Case;
use rightcall_core::learn::LearningOptions;
use rightcall_formats::{Location, Report};

use super::learning::LearnedCase;
use super::recorder::ExpectationRecorder;
use super::redacted::without_redacted;
use super::stored_runs::LearningError;
use super::tasks::{FoundTask, RunReader};
use crate::records::{RecordPlace, each_record};
use crate::run::pieces;
use crate::{Observer, Plan, RunError};

/// The counts of a recording.
#[derive(Debug, Default)]
pub struct RecordingTally {
    /// Cases that were recorded.
    pub recorded: u64,
    /// Records that could not be parsed.
    pub unreadable: u64,
    /// Runs without the key that would match them to a case.
    pub without_id: u64,
    /// Records without a run, or with a run that may lack calls.
    pub without_run: u64,
    /// Recorded cases without calls, as in their runs.
    pub without_calls: u64,
    /// Runs that were not selected.
    pub left_out: u64,
    /// Omitted further runs of a case.
    pub again: u64,
    /// Cases whose expectation was learned from several runs.
    pub learned: Vec<LearnedCase>,
    /// Failed calls in the recorded cases.
    pub failed: u64,
    /// Data of the traces that was skipped.
    pub report: Report,
}

/// A case with its runs.
struct RecordedCase {
    id: String,
    /// Its first run as an expectation.
    line: String,
    /// Calls of the first run that failed.
    failed: u64,
    /// True if no run made a call.
    is_without_calls: bool,
    /// All its runs, if whole calls are kept.
    runs: FoundTask,
}

/// Cases in the order of their first runs.
struct CaseRecording<'r> {
    recorder: &'r ExpectationRecorder,
    cases: Vec<RecordedCase>,
    by_id: HashMap<String, usize>,
    reader: RunReader<'r>,
    tally: RecordingTally,
}

impl CaseRecording<'_> {
    fn add(&mut self, id: String, case: &Case<'_>, place: &RecordPlace<'_>) -> io::Result<()> {
        let (Some(run), Some(line)) = (case.complete_run(), self.recorder.line(case)) else {
            self.tally.without_run += 1;
            return Ok(());
        };
        let at = *self.by_id.entry(id.clone()).or_insert(self.cases.len());
        if at == self.cases.len() {
            let failed = run.calls.iter().filter(|it| it.failed() == Some(true));
            self.cases.push(RecordedCase {
                id,
                line,
                failed: failed.count() as u64,
                is_without_calls: true,
                runs: FoundTask::default(),
            });
        } else if !self.recorder.keeps_whole_calls() {
            self.tally.again += 1;
        }
        self.cases[at].is_without_calls &= run.calls.is_empty();
        if self.recorder.keeps_whole_calls() {
            let run = self.reader.read(case, run, place)?;
            self.cases[at].runs.add(run);
        }
        Ok(())
    }

    /// Writes a line for each case.
    fn write(mut self, output: &mut dyn Write) -> std::io::Result<RecordingTally> {
        let runs = self.reader.finish()?;
        for case in self.cases {
            self.tally.recorded += 1;
            self.tally.without_calls += u64::from(case.is_without_calls);
            let count = case.runs.count();
            let several = (count > 1).then(|| runs.task(&case.id, case.runs));
            // A case with too many different runs keeps its first.
            match several.map(|it| it.learn(&LearningOptions::default())) {
                Some(Ok(learned)) => {
                    writeln!(output, "{}", learned.line())?;
                    self.tally.learned.push(learned);
                    continue;
                }
                Some(Err(LearningError::Io(error))) => return Err(error),
                Some(Err(LearningError::Expectation(_))) => self.tally.again += count as u64 - 1,
                None => {}
            }
            writeln!(output, "{}", case.line)?;
            self.tally.failed += case.failed;
        }
        Ok(self.tally)
    }
}

/// Writes one line for each case: the expectation recorded from its run in the inputs of a plan. `without_id` is called for runs that
/// could not be matched again.
///
/// # Errors
/// An input that cannot be opened, or an output that cannot be written to. Records that cannot be parsed are reported to the observer
/// and counted.
pub fn record(
    plan: &Plan,
    recorder: &ExpectationRecorder,
    output: &mut dyn Write,
    observer: &mut dyn Observer,
    without_id: &mut dyn FnMut(&Location),
) -> Result<RecordingTally, RunError> {
    let mut recording = CaseRecording {
        recorder,
        cases: Vec::new(),
        by_id: HashMap::new(),
        reader: RunReader::new(false, recorder.redaction()),
        tally: RecordingTally::default(),
    };
    let (mut report, mut added) = (Report::default(), Ok(()));
    let mut inputs = pieces(plan, &plan.inputs, &plan.reading);
    while let Some(piece) = inputs.next_piece()? {
        let unreadable = each_record(piece, observer, &mut report, &mut |record, place| {
            let mut case = record.case(&plan.reading)?;
            // The key that will match later runs to this case.
            case.id = plan.reading.name_of(&case, place.file);
            let name = case.id.as_ref();
            // A redacted name can't be part of an expectation.
            let is_kept = without_redacted(recorder.redaction(), &case, |hidden| {
                plan.reading.name_of(hidden, place.file).as_ref() == name
            });
            case.id = case.id.filter(|_| is_kept);
            match &case.id {
                None => {
                    recording.tally.without_id += 1;
                    without_id(&Location::on_line(place.file, place.at.line));
                }
                Some(id) if !plan.selection.admits(&case, &id.to_display()) => {
                    recording.tally.left_out += 1;
                }
                Some(id) => {
                    if let Err(error) = recording.add(id.to_string(), &case, place) {
                        added = Err(error);
                    }
                }
            }
            Ok(())
        });
        std::mem::replace(&mut added, Ok(()))?;
        recording.tally.unreadable += unreadable;
    }
    let tally = recording.write(output)?;
    Ok(RecordingTally { report, ..tally })
}
