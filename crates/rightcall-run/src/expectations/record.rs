//! Records good runs as expectations for later ones.

use std::collections::HashSet;
use std::io::Write;

use rightcall_formats::{Location, Report, read_case};

use super::recorder::ExpectationRecorder;
use crate::records::each_record;
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
    /// Cases without a run.
    pub without_run: u64,
    /// Runs that were not selected.
    pub left_out: u64,
    /// Further runs of a case.
    pub again: u64,
    /// Failed calls in the recorded cases.
    pub failed: u64,
    /// Data of the traces that was skipped.
    pub report: Report,
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
    let (mut tally, mut report) = (RecordingTally::default(), Report::default());
    let (mut seen, mut lines) = (HashSet::new(), String::new());
    let mut inputs = pieces(plan, &plan.inputs, &plan.reading);
    while let Some(piece) = inputs.next_piece()? {
        let unreadable = each_record(piece, observer, &mut report, &mut |text, place| {
            let mut case = read_case(text, &plan.reading)?;
            // The key that will match later runs to this case.
            case.id = plan.reading.name_of(&case, place.file);
            let Some(id) = &case.id else {
                tally.without_id += 1;
                without_id(&Location::on_line(place.file, place.line));
                return Ok(());
            };
            if !plan.selection.admits(&case, &id.to_display()) {
                tally.left_out += 1;
                return Ok(());
            }
            match recorder.line(&case) {
                None => tally.without_run += 1,
                Some(_) if !seen.insert(id.to_string()) => tally.again += 1,
                Some(line) => {
                    let calls = case.actual.iter().flat_map(|run| &run.calls);
                    let failed = calls.filter(|call| call.failed() == Some(true));
                    tally.failed += failed.count() as u64;
                    tally.recorded += 1;
                    lines += &line;
                    lines.push('\n');
                }
            }
            Ok(())
        });
        tally.unreadable += unreadable;
        output.write_all(lines.as_bytes())?;
        lines.clear();
    }
    Ok(RecordingTally { report, ..tally })
}
