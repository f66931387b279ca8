//! The records of an input, one by one.

use std::sync::Arc;

use rightcall_formats::{LinePlace, Piece, RecordContent, Report};

use crate::plan::Unread;
use crate::{Observer, Problem};

/// The location of a record.
pub(crate) struct RecordPlace<'p> {
    pub(crate) file: &'p Arc<str>,
    pub(crate) at: LinePlace,
    /// Number of records before it.
    pub(crate) number: u64,
}

/// Passes each record of a piece to `each`, and adds skipped data to the report. Records that cannot be parsed are
/// reported to the observer and counted.
pub(crate) fn each_record(
    piece: Piece,
    observer: &mut dyn Observer,
    report: &mut Report,
    each: &mut dyn FnMut(RecordContent<'_>, &RecordPlace<'_>) -> Result<(), Unread>,
) -> u64 {
    let (file, before) = (Arc::clone(&piece.file), piece.records_before);
    let mut unreadable = 0;
    let mut tell = |problem: &Problem| {
        unreadable += 1;
        observer.problem(problem);
    };
    piece.each_block(|block| {
        let block = match block {
            Ok(block) => block,
            Err(broken) => return tell(&Problem::BrokenInput(broken)),
        };
        if let Some(left_out) = block.report() {
            report.add(left_out);
        }
        for (number, record) in (before..).zip(block.records()) {
            let place = RecordPlace {
                file: &file,
                at: record.place,
                number,
            };
            let read = match &record.content {
                Ok(content) => each(*content, &place),
                Err(error) => Err(error.clone().into()),
            };
            if let Err(unread) = read {
                tell(&unread.at(&file, &record));
            }
        }
    });
    unreadable
}
