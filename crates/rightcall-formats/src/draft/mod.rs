//! Drafts a map from a sample of a log.
//!
//! [`survey`] lists the objects of the sample, [`calls`] finds those that look like calls, [`doubts`] leaves out or marks those that may be
//! none, and [`records`], [`runs`] and [`results`] find their records, runs and results. [`write`] turns that into YAML, with a comment on each guessed line;
//! [`trial`] reads the sample with it. This module doesn't read the log itself: the map's interpreter does.

mod arguments;
mod calls;
mod doubts;
mod finer;
mod groups;
mod kinds;
mod lines;
mod links;
mod lists;
mod messages;
mod names;
mod outcome;
mod records;
mod results;
mod runs;
mod said;
mod survey;
#[cfg(test)]
mod tests;
mod trial;
mod tuples;
mod words;
mod write;
mod write_call;
mod yaml;

use std::path::Path;

use rightcall_core::value::MAX_DEPTH;

use crate::error::{CaseError, OpenError, ReadError};
use crate::map::{Kept, Memory, stem};
use crate::node::Node;
use crate::options::Limits;
use crate::plain_values::{ValuesError, plain_values};
use calls::{DraftedCalls, OtherPlace};
use survey::Survey;

/// Limits of a sample, in values and in bytes.
const LONGEST: (usize, usize) = (5_000, 8 << 20);

/// The advice without a draft.
const SKELETON: &str = "write the map yourself, docs/maps.md says how: put paths to such keys into `call: {name: PATH, args: PATH, output: PATH}` and `run: PATH`; `messages: PATH` reads messages in a known format";

/// Why a map cannot be drafted.
#[derive(Debug, thiserror::Error)]
pub enum DraftError {
    /// The file cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The file cannot be read, or has no call-like object.
    #[error(transparent)]
    Read(#[from] ReadError),
}

/// Drafts a map from a sample of a log: YAML, with a comment on each guessed line.
///
/// # Errors
/// The file cannot be read, or has no call-like object.
pub fn draft_map(sample: &Path, limits: Limits) -> Result<String, DraftError> {
    let (mut texts, mut size, mut unreadable) = (Vec::new(), 0, None);
    plain_values(sample, limits, &mut |_, value| {
        match value {
            Ok(text) => {
                size += text.len();
                texts.push(text);
            }
            Err(error) => _ = unreadable.get_or_insert(error),
        }
        texts.len() < LONGEST.0 && size < LONGEST.1
    })?;
    if let Some(error) = unreadable.filter(|_| texts.is_empty()) {
        return Err(error.into());
    }
    let name = sample.to_string_lossy();
    let map = draft(stem(&name), &texts);
    let map = map.map_err(|error| error.at(&name.as_ref().into(), None))?;
    let map = trial::readable(sample, limits, map);
    Ok(map.map_err(|error| error.help(SKELETON).at(&name.as_ref().into(), None))?)
}

impl From<ValuesError> for DraftError {
    fn from(error: ValuesError) -> Self {
        match error {
            ValuesError::Open(error) => Self::Open(error),
            ValuesError::Read(error) => Self::Read(error),
        }
    }
}

/// Drafts a map from the values of a log.
fn draft(name: &str, values: &[String]) -> Result<String, CaseError> {
    let values: Vec<_> = values.iter().map(|text| tuples::opened(text)).collect();
    let parsed: Vec<Node<'_>> = values
        .iter()
        .filter_map(|text| Node::parse(text, MAX_DEPTH).ok())
        .collect();
    let (texts, nodes) = (Kept::new(), Kept::new());
    let memory = Memory::new("", MAX_DEPTH, &texts, &nodes);
    let records: Vec<&Node<'_>> = parsed.iter().collect();
    let survey = Survey::new(&memory, &records);
    if let Some(found) = messages::find(&survey) {
        return Ok(write::messages_map(&survey, name, None, &found));
    }
    let (calls, others) = calls_of(&survey);
    if calls.is_empty() {
        let found = parsed
            .first()
            .map_or_else(|| "an empty file".to_owned(), crate::case::described);
        return Err(CaseError::new(
            "something that looks like a call: the name of a tool next to its arguments",
            found,
        )
        .help(SKELETON));
    }
    let Some(inner) = records::inner(&survey, &calls) else {
        return Ok(write::calls_map(&survey, name, None, &calls, &others));
    };
    let path = Some(inner.path.as_str());
    if let Some(found) = messages::find(&inner.survey) {
        return Ok(write::messages_map(&inner.survey, name, path, &found));
    }
    Ok(write::calls_map(
        &inner.survey,
        name,
        path,
        &inner.calls,
        &inner.others,
    ))
}

/// The calls of a sample, and other places that look like calls.
fn calls_of(survey: &Survey<'_, '_>) -> (Vec<DraftedCalls>, Vec<OtherPlace>) {
    let (mut calls, mut others) = calls::candidates(survey);
    doubts::settle(survey, &mut calls, &mut others);
    (calls, others)
}
