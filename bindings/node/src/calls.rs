//! The calls of one run.

use napi::bindgen_prelude::{Buffer, Either};
use rightcall_formats::{Format, Input, Limits, ReadOptions, only_run, run_of_text};

use crate::answer::Fault;

/// Finds a format by name, or creates one from a map: JSON text, or a file.
pub(crate) fn format_of(
    format: Option<&str>,
    map: Option<&str>,
) -> Result<Option<&'static Format>, Fault> {
    match (format, map) {
        (Some(_), Some(_)) => Err(Fault::config(
            "expected either `format` or `map`, found both",
        )),
        (None, Some(map)) => {
            let format = Format::from_map_or_file(map);
            format.map(Some).map_err(|error| Fault::from(&error))
        }
        (format, None) => Ok(format.map(Format::find).transpose()?),
    }
}

/// The calls in a JSON text or in the bytes of a file, with the call-like parts that could not be parsed.
pub(crate) fn calls(
    source: Either<String, Buffer>,
    format: Option<&str>,
    map: Option<&str>,
    tools: Option<&str>,
) -> Result<String, Fault> {
    let options = ReadOptions {
        format: format_of(format, map)?,
        questions: false,
        ..ReadOptions::default()
    };
    match source {
        Either::A(text) => Ok(run_of_text(&text, tools, &options)?),
        Either::B(bytes) => {
            let (bytes, limits) = (bytes.to_vec(), Limits::default());
            let input = Input::from_bytes("<buffer>", bytes, limits, &options)?;
            only_run(input).map_err(|error| Fault::from(&error))
        }
    }
}
