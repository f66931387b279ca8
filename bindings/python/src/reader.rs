//! Runs from files and bytes.

use rightcall_formats::{Input, ReadError, Trace};

/// The runs of an input, in order.
pub(crate) fn runs_of(mut input: Input) -> Result<Vec<Trace>, Box<ReadError>> {
    let mut runs = Vec::new();
    while let Some(records) = input.next_traces()? {
        for (line, run) in records {
            runs.push(run.map_err(|error| error.at(input.name(), Some(line)))?);
        }
    }
    Ok(runs)
}
