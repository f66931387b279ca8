//! Compares expectations with today's runs: shows how the runs would change them, and writes the
//! changes that a person accepted.
//!
//! An expectation that its run meets stays unchanged, byte for byte. A list of calls, or an
//! expectation in blocks, gets a small repair: it accepts the run and everything that it accepted
//! before. If it is replaced or can't be repaired, only the failing parts are rewritten, and calls
//! that are still made keep their text.

use rightcall_core::call::{Call, Case};
use rightcall_core::expectation::ProcessTree;
use rightcall_core::learn::REDACTED;
use rightcall_formats::join::TraceIndex;
use rightcall_formats::{CaseError, ReadOptions, RecordContent, Report, case_text, read_case};
use rightcall_results::CaseResult;

use super::ignored::IgnoredArguments;
use super::recorder::ExpectationRecorder;
use super::redacted::without_redacted;
use super::written::{CALLS, ExpectationChange, WrittenExpectation, repaired};
use crate::case_label::Labelled;
use crate::plan::Unread;
use crate::records::{RecordPlace, each_record};
use crate::run::pieces;
use crate::{Observer, Plan, Redaction, RunError};

/// A comparison of expectations with runs.
#[derive(Debug, Default)]
pub struct Review {
    /// Proposed changes in file order; runs without an expectation come last.
    pub changes: Vec<ExpectationChange>,
    /// Expectations that all of today's runs meet.
    pub met: u64,
    /// Cases without a run.
    pub without_run: Vec<String>,
    /// The number of changed lists of calls of cases with several runs. The change is for the first
    /// run that differs.
    pub trials: u64,
    /// Records that could not be parsed.
    pub unreadable: u64,
}

/// Compares the expectations in the inputs of a plan with its traces. `ignored` adds to the
/// patterns of the cases.
///
/// # Errors
/// An input that cannot be opened. Records that cannot be parsed are reported to the observer and counted.
pub fn review(
    plan: &Plan,
    ignored: &[IgnoredArguments],
    observer: &mut dyn Observer,
) -> Result<Review, RunError> {
    let mut review = Review::default();
    let mut inputs = pieces(plan, &plan.inputs, &plan.reading);
    while let Some(piece) = inputs.next_piece()? {
        let left_out = &mut Report::default();
        review.unreadable += each_record(piece, observer, left_out, &mut |record, place| {
            review.record(plan, ignored, record, place)
        });
    }
    Ok(review)
}

/// The text of a case in the history, to compare its expectation with its calls. `None` if the text
/// was not kept or has redacted values, which later runs don't have.
pub fn text_to_review(case: &CaseResult) -> Option<String> {
    let json = case.case.as_ref().map(|kept| &kept.json)?;
    (!json.is_empty() && !json.contains(REDACTED)).then(|| json.clone())
}

impl Review {
    /// Replaces each repair by an expectation of today's run only.
    pub fn replace(&mut self) {
        for change in &mut self.changes {
            if let Some(replaced) = change.replaced.take() {
                change.text = replaced;
                change.repair.clear();
            }
        }
    }

    fn record(
        &mut self,
        plan: &Plan,
        ignored: &[IgnoredArguments],
        record: RecordContent<'_>,
        place: &RecordPlace<'_>,
    ) -> Result<(), Unread> {
        let case = record.case(&plan.reading)?;
        let text = record.text_of(&case);
        let label = case.label(place.file, place.at);
        // Without its trial, the case finds the runs of all trials. Without its own run, it finds no run of another model: that run would
        // change the expectations of all models in the file.
        let runs = plan.runs_of(
            &Case {
                trial: None,
                actual: None,
                ..case.clone()
            },
            place.number,
        )?;
        if runs.is_empty() {
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
        }
        let reading = plan.reading.of_any_format();
        let runs = runs.iter().map(|run| read_case(run.as_ref(), &reading));
        let runs = runs.collect::<Result<Vec<_>, _>>()?;
        let recorded_runs = runs.iter().filter(|run| run.actual.is_some());
        let recorded_runs: Vec<&Case<'_>> = recorded_runs.collect();
        if recorded_runs.is_empty() {
            self.without_run.push(label);
            return Ok(());
        }
        if let Some(tree) = &case.expected.tree {
            let change = in_blocks(tree, &text, &case, &recorded_runs, &plan.redaction)?;
            match change {
                None => self.met += 1,
                Some(change) => self.changes.push(ExpectationChange {
                    label,
                    line: Some(place.at.line),
                    ..change
                }),
            }
            return Ok(());
        }
        let ignored = [&IgnoredArguments::from_case(&case)[..], ignored].concat();
        let written = WrittenExpectation::new(&text, &case, ignored, &plan.redaction)?;
        let change = |run: &&Case<'_>| {
            let today = calls_of(run);
            without_redacted(&plan.redaction, run, |hidden| {
                written.change(label.clone(), place.at.line, today, calls_of(hidden))
            })
        };
        match recorded_runs.iter().find_map(change) {
            None => self.met += 1,
            Some(change) => {
                self.trials += u64::from(recorded_runs.len() > 1);
                self.changes.push(change);
            }
        }
        Ok(())
    }

    /// Adds the runs of an index without a case, as the recorder would write them.
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
            let (Some(line), Some(_)) = (recorder.line(&run), &run.actual) else {
                continue;
            };
            let shown = without_redacted(recorder.redaction(), &run, |hidden| {
                let mut shown = hidden.clone();
                shown.expected.calls = Some(Vec::new());
                case_text(&shown)
            });
            self.changes.push(ExpectationChange {
                label: run.id.as_ref().map(ToString::to_string).unwrap_or_default(),
                line: None,
                text: line,
                shown,
                by: vec![CALLS],
                replaced: None,
                repair: Vec::new(),
            });
        }
        Ok(())
    }
}

fn calls_of<'c, 'a>(case: &'c Case<'a>) -> &'c [Call<'a>] {
    case.actual.as_ref().map_or(&[], |run| &run.calls)
}

/// Repairs an expectation in blocks so that it accepts the first rejected run; `None` if it accepts
/// all runs.
fn in_blocks(
    tree: &ProcessTree,
    text: &str,
    case: &Case<'_>,
    runs: &[&Case<'_>],
    redaction: &Redaction,
) -> Result<Option<ExpectationChange>, Unread> {
    let by_hand = |error: String| CaseError {
        pointer: "/expected".to_owned(),
        expected: "a run that the expectation accepts, or one that it can be repaired for".into(),
        found: error,
        help: Some("change it by hand; `rightcall explain` shows where the run leaves it".into()),
    };
    let is_rejected = |run: &&&Case<'_>| {
        let calls: Vec<_> = calls_of(run).iter().map(Call::for_expectation).collect();
        !tree.resolve(&calls).is_ok_and(|it| it.is_accepted())
    };
    let Some(run) = runs.iter().find(is_rejected) else {
        return Ok(None);
    };
    without_redacted(redaction, run, |hidden| {
        let hidden = calls_of(hidden);
        let calls: Vec<_> = hidden.iter().map(Call::for_expectation).collect();
        let repair = tree
            .repair(&calls)
            .map_err(|error| by_hand(error.to_string()))?;
        let change = repaired(text, case, &repair, hidden);
        Ok(Some(change.map_err(|error| by_hand(error.to_string()))?))
    })
}
