//! Reads the sample with its draft, and leaves out a part of the map that prevents this.

use std::path::Path;

use crate::error::CaseError;
use crate::format::Format;
use crate::input::Input;
use crate::options::{Limits, ReadOptions};

/// Parts that a map can do without, those first that fail most often.
const OPTIONAL: &[&str] = &["expected", "order", "result", "skip", "id"];

/// The map, with one part as a comment if the sample can be read only without it.
///
/// # Errors
/// The map reads no call.
pub(super) fn readable(sample: &Path, limits: Limits, map: String) -> Result<String, CaseError> {
    let Some(error) = error(sample, limits, &map) else {
        return Ok(map);
    };
    let mut without = OPTIONAL.iter().filter_map(|key| without(&map, key, &error));
    if let Some(map) = without.find(|map| self::error(sample, limits, map).is_none()) {
        return Ok(map);
    }
    if reads_a_call(sample, limits, &map) {
        return Ok(map);
    }
    let expected = "calls that a drafted map can read: the name of a tool next to its arguments";
    Err(CaseError::new(expected, "a log with calls in another form"))
}

/// True if a map reads a call, whatever it cannot read.
fn reads_a_call(sample: &Path, limits: Limits, map: &str) -> bool {
    let Ok(format) = Format::from_map("the draft", map) else {
        return false;
    };
    let options = ReadOptions {
        format: Some(format),
        ..ReadOptions::default()
    };
    let Ok(mut input) = Input::open(sample, limits, &options) else {
        return false;
    };
    while let Ok(Some(block)) = input.next_block(Input::BLOCK) {
        let cases = block
            .records()
            .filter_map(|record| record.content.ok()?.case(&options).ok());
        let mut runs = cases.filter_map(|case| case.actual);
        if runs.any(|run| !run.calls.is_empty()) {
            return true;
        }
    }
    false
}

/// The first error of the sample, read with a map.
fn error(sample: &Path, limits: Limits, map: &str) -> Option<String> {
    let format = match Format::from_map("the draft", map) {
        Ok(format) => format,
        Err(error) => return Some(error.to_string()),
    };
    let options = ReadOptions {
        format: Some(format),
        ..ReadOptions::default()
    };
    let mut input = Input::open(sample, limits, &options).ok()?;
    loop {
        let block = match input.next_block(Input::BLOCK) {
            Ok(block) => block?,
            Err(error) => return Some(error.to_string()),
        };
        let error = |content: crate::input::RecordContent<'_>| content.case(&options).err();
        let mut errors = block.records().filter_map(|record| match record.content {
            Ok(content) => error(content),
            Err(error) => Some(error),
        });
        if let Some(error) = errors.next() {
            return Some(error.to_string());
        }
    }
}

/// The map with this part as a comment; `None` if it has no such part.
fn without(map: &str, key: &str, error: &str) -> Option<String> {
    let (mut text, mut is_part, mut has_part) = (String::new(), false, false);
    for line in map.split_inclusive('\n') {
        if !line.starts_with([' ', '#']) {
            let rest = line.strip_prefix(key);
            is_part = rest.is_some_and(|rest| rest.starts_with(':'));
            if is_part {
                has_part = true;
                let why = error.lines().next().unwrap_or_default();
                text += "# check: the sample cannot be read with this part: ";
                text += why;
                text.push('\n');
            }
        }
        text += if is_part { "# " } else { "" };
        text += line;
    }
    has_part.then_some(text)
}
