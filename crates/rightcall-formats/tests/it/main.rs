//! Tests of the public API, with cases as users write them.

mod columns;
mod departures;
mod doors;
mod editions;
mod expectations;
mod explanations;
mod found;
mod found_files;
mod moved_calls;
mod originals;
mod questions;
mod recorders;
mod registry;
mod renamed;
mod several_agents;
mod traces;
mod written_files;

use rightcall_core::call::{Call, Case};
use rightcall_formats::{Block, CaseError, Input, ReadError, ReadOptions, Report};

/// An input, read to its end.
struct WholeInput<'b> {
    cases: Vec<Result<Case<'b>, CaseError>>,
    report: Report,
    /// The error that ended it.
    error: Option<ReadError>,
}

/// Reads an input to its end, and passes its content to `look`.
fn with_whole_input<T>(
    mut input: Input,
    options: &ReadOptions,
    look: impl FnOnce(WholeInput<'_>) -> T,
) -> T {
    let (mut blocks, mut report, mut error) = (Vec::new(), Report::default(), None);
    loop {
        match input.next_block(1 << 20) {
            Ok(Some(block)) => blocks.push(block),
            Ok(None) => break,
            Err(it) => {
                error = Some(it);
                break;
            }
        }
    }
    let reports = blocks.iter().filter_map(Block::report);
    reports.for_each(|it| report.add(it));
    let records = blocks.iter().flat_map(Block::records);
    let cases = records.map(|record| record.content.and_then(|it| it.case(options)));
    look(WholeInput {
        cases: cases.collect(),
        report,
        error,
    })
}

/// The calls of a case.
fn calls_of<'c, 'a>(case: &'c Case<'a>) -> &'c [Call<'a>] {
    case.actual.as_ref().map_or(&[], |run| &run.calls)
}
