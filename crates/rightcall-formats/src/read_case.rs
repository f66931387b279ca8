//! Reads a record as a case.

use rightcall_core::call::{Call, Case};

use crate::case::{Draft, Result, keep_near_keys};
use crate::error::CaseError;
use crate::format::{Format, Reading};
use crate::options::ReadOptions;
use crate::shapes;
use crate::side::SidesReader;

/// Reads one case from the text of one JSON object.
///
/// Canonical cases and the shapes of other tools are distinguished by their keys, unless `options` name one. The case borrows from the
/// text; arguments are kept verbatim.
///
/// # Errors
/// The first place that is not JSON, or not valid in a case.
pub fn read_case<'a>(
    text: &'a str,
    options: &ReadOptions,
) -> std::result::Result<Case<'a>, CaseError> {
    read(text, options).map_err(|fault| fault.into_error(text))
}

/// Reads one call in the format of a case, and returns the answer of `look`.
///
/// # Errors
/// The first place that is not JSON, or not valid in a call.
pub fn read_call<T>(
    text: &str,
    look: impl FnOnce(&Call<'_>) -> T,
) -> std::result::Result<T, CaseError> {
    let text = format!("{{\"actual\":[{text}]}}");
    let case = read_case(&text, &ReadOptions::default())?;
    match case.actual.as_ref().map(|run| &run.calls[..]) {
        Some([call]) => Ok(look(call)),
        calls => {
            let found = format!("{} calls", calls.map_or(0, <[_]>::len));
            Err(CaseError::new("one call", found))
        }
    }
}

fn read<'a>(text: &'a str, options: &ReadOptions) -> Result<Case<'a>> {
    let is_shape = |format: &Format| matches!(format.reading, Reading::Shape(_));
    let sides_as_text = options.format.is_some_and(is_shape);
    let mut draft = Draft::read(text, options.max_depth, sides_as_text)?;
    draft.case.hash_key = options.hash_key;
    draft.case.max_comparisons = options.max_comparisons;
    if options.format.is_none() {
        shapes::find_run(&mut draft)?;
    }
    shapes::settle(&mut draft, options.format, &SidesReader(options))?;
    if !draft.case.near_keys.is_empty() {
        keep_near_keys(&mut draft.case);
    }
    shapes::look_over(&mut draft.case);
    Ok(draft.case)
}

#[cfg(test)]
mod tests;
