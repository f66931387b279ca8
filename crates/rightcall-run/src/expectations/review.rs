//! Expectations beside today's runs: what today's behaviour would change in them, and the file with the changes that a person
//! accepted.
//!
//! An expectation that a run meets is left as it is, byte for byte; of one that it does not meet, only the parts that fail are
//! written anew, and calls that are still made stay as they were written.

use rightcall::call::{Case, Trajectory};
use rightcall_formats::join::TraceIndex;
use rightcall_formats::{CaseError, ReadOptions, Report, case_text, read_case};

use super::ignored::IgnoredArguments;
use super::recorder::ExpectationRecorder;
use super::written::{CALLS, ExpectationChange, WrittenExpectation};
use crate::case_label::Labelled;
use crate::plan::Unread;
use crate::records::{RecordPlace, each_record};
use crate::run::pieces;
use crate::{Observer, Plan, RunError};

/// A comparison of expectations with runs.
#[derive(Debug, Default)]
pub struct Review {
    /// What would change, in the order of the file; runs without an expectation come last.
    pub changes: Vec<ExpectationChange>,
    /// Expectations that today's run meets.
    pub met: u64,
    /// Cases that no run was found for.
    pub without_run: Vec<String>,
    /// Expectations with several runs, of which the first was taken.
    pub trials: u64,
    /// Records that could not be read.
    pub unreadable: u64,
}

/// Compares the expectations in the inputs of a plan with its traces; `ignored` adds to what the cases themselves say.
///
/// # Errors
/// An input that cannot be opened. What cannot be read is told to the observer and counted.
pub fn review(
    plan: &Plan,
    ignored: &[IgnoredArguments],
    observer: &mut dyn Observer,
) -> Result<Review, RunError> {
    let mut review = Review::default();
    let mut inputs = pieces(plan, &plan.inputs, &plan.reading);
    while let Some(piece) = inputs.next_piece()? {
        let left_out = &mut Report::default();
        review.unreadable += each_record(piece, observer, left_out, &mut |text, place| {
            review.record(plan, ignored, text, place)
        });
    }
    Ok(review)
}

/// What to do about an expectation that rejects a run: its smallest repair, if one is found.
fn repair_help(case: &Case<'_>, is_resolved: bool) -> String {
    let repair = || {
        let tree = case.expected.tree.as_ref()?;
        let calls: Vec<_> = (case.actual.as_ref()?.calls.iter())
            .map(rightcall::call::Call::for_expectation)
            .collect();
        tree.repair(&calls).ok()
    };
    let Some(repair) = repair().filter(|_| is_resolved) else {
        return "change it by hand; `rightcall explain` shows the tree and where the run leaves it"
            .to_owned();
    };
    let changes: Vec<_> = (repair.changes.iter())
        .map(|change| format!("{} {}", change.pointer, change.what))
        .collect();
    let which = if repair.is_smallest() {
        "the smallest repair"
    } else {
        "a repair"
    };
    format!(
        "{which} that accepts it too, if the run is good: {}; that is `\"expected\": {}`",
        changes.join("; "),
        repair.expected.as_str()
    )
}

impl Review {
    fn record(
        &mut self,
        plan: &Plan,
        ignored: &[IgnoredArguments],
        text: &str,
        place: &RecordPlace<'_>,
    ) -> Result<(), Unread> {
        let case = read_case(text, &plan.reading)?;
        let label = case.label(place.file, place.line);
        let runs = plan.runs_of(
            &Case {
                trial: None,
                ..case.clone()
            },
            place.number,
        )?;
        let Some(run) = runs.first() else {
            if let (true, Some(traces)) = (plan.joins_by_order(), &plan.traces) {
                let id = case.id.as_ref().map(ToString::to_string);
                return Err(Unread::WithoutRun {
                    id,
                    number: place.number,
                    runs: traces.index.records(),
                });
            }
            self.without_run.push(label);
            return Ok(());
        };
        self.trials += u64::from(runs.len() > 1);
        let run = read_case(run, &plan.reading.of_any_format())?;
        let Some(today) = &run.actual else {
            self.without_run.push(label);
            return Ok(());
        };
        if case.expected.tree.is_some() {
            return self.in_blocks(&case, today);
        }
        let ignored = [&IgnoredArguments::from_case(&case)[..], ignored].concat();
        let written = WrittenExpectation::new(text, &case, ignored)?;
        match written.change(label, place.line, &today.calls) {
            None => self.met += 1,
            Some(change) => self.changes.push(change),
        }
        Ok(())
    }

    /// An expectation with several right ways is kept: it is met, or a person has to say which way is right now.
    fn in_blocks(&mut self, case: &Case<'_>, today: &Trajectory<'_>) -> Result<(), Unread> {
        let case = Case {
            actual: Some(today.clone()),
            ..case.clone()
        };
        match case.resolution() {
            Some(Ok(resolution)) if resolution.is_accepted() => {
                self.met += 1;
                Ok(())
            }
            resolution => Err(Unread::from(CaseError {
                pointer: "/expected".to_owned(),
                expected: "a run that is accepted, or a list of calls, which can be written anew"
                    .into(),
                found: "an expectation in blocks or with matchers, which this run does not meet"
                    .to_owned(),
                help: Some(repair_help(&case, resolution.is_some()).into()),
            })),
        }
    }

    /// Adds the runs of an index that no case has asked for, as the recorder would write them.
    ///
    /// # Errors
    /// A run that can no longer be read.
    pub fn add_new(
        &mut self,
        index: &TraceIndex,
        recorder: &ExpectationRecorder,
        reading: &ReadOptions,
    ) -> Result<(), CaseError> {
        for (text, file) in index.unused_texts() {
            let mut run = read_case(&text, &reading.of_any_format())?;
            run.id = reading.name_of(&run, file);
            let (Some(line), Some(actual)) = (recorder.line(&run), &run.actual) else {
                continue;
            };
            let mut shown = run.clone();
            shown.expected.calls = Some(Vec::new());
            shown.actual = Some(actual.clone());
            self.changes.push(ExpectationChange {
                label: run.id.as_ref().map(ToString::to_string).unwrap_or_default(),
                line: None,
                text: line,
                shown: case_text(&shown),
                by: vec![CALLS],
            });
        }
        Ok(())
    }
}
