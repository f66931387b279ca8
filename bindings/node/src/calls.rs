//! The calls of one run.

use napi::bindgen_prelude::{Buffer, Either};
use rightcall_formats::{Format, Input, Limits, ReadOptions, only_run, run_of_text, run_text};

use crate::answer::Fault;

/// The calls of a JSON text or of the bytes of a file, with what may be calls and was not read.
pub(crate) fn calls(
    source: Either<String, Buffer>,
    format: Option<&str>,
    tools: Option<&str>,
) -> Result<String, Fault> {
    let options = ReadOptions {
        format: format.map(Format::find).transpose()?,
        questions: false,
        ..ReadOptions::default()
    };
    let run = match source {
        Either::A(text) => run_of_text(&text, tools, &options)?,
        Either::B(bytes) => {
            let (bytes, limits) = (bytes.to_vec(), Limits::default());
            let input = Input::from_bytes("<buffer>", bytes, limits, &options)?;
            only_run(input).map_err(|error| Fault::from(&error))?
        }
    };
    Ok(run_text(&run))
}
