//! How people name a run.

use crate::error::Result;
use crate::{History, PageRange, RunFilter, RunRow, StoreError};

/// How people name a run: `latest`, `latest~2`, a number, a branch, a tag. A branch and a tag mean its last run, and may have `~N`
/// behind them too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// As it was written.
    pub text: String,
    name: String,
    /// How many runs before that one.
    back: u64,
}

impl Reference {
    /// Reads a reference; everything is one.
    pub fn parse(text: &str) -> Self {
        let split = text
            .rsplit_once('~')
            .and_then(|(name, back)| Some((name.to_owned(), back.parse().ok()?)));
        let (name, back) = split.unwrap_or_else(|| (text.to_owned(), 0));
        Self {
            text: text.to_owned(),
            name,
            back,
        }
    }

    /// True for a number and for `latest`, with or without a `~N`; anything else names a branch or a tag.
    pub fn is_position(&self) -> bool {
        self.name == "latest" || self.number().is_some()
    }

    /// The number of a run. One with a `~N` is a branch or a tag.
    fn number(&self) -> Option<i64> {
        let is_number = self.back == 0 && self.name.bytes().all(|digit| digit.is_ascii_digit());
        is_number.then(|| self.name.parse().ok()).flatten()
    }
}

/// The meta values of a part of a run, each with its key, as `model=gpt-4o,region=eu`. A value may have commas. `None` where a key is
/// missing.
pub fn part_values(text: &str) -> Option<Vec<(String, String)>> {
    let mut values: Vec<(String, String)> = Vec::new();
    for pair in text.split(',').filter(|it| !it.is_empty()) {
        match (pair.split_once('='), values.last_mut()) {
            (Some((key, value)), _) => values.push((key.to_owned(), value.to_owned())),
            (None, Some((_, value))) => *value = format!("{value},{pair}"),
            (None, None) => return None,
        }
    }
    Some(values)
}

impl History {
    /// The run that is meant, of those that the filter takes.
    ///
    /// # Errors
    /// Where there is none, or the history cannot be read.
    pub fn find(&self, reference: &Reference, filter: &RunFilter) -> Result<RunRow> {
        let page = PageRange {
            offset: reference.back,
            limit: 1,
        };
        let of =
            |filter: RunFilter| -> Result<Option<RunRow>> { Ok(self.runs(&filter, page)?.pop()) };
        let name = || Some(reference.name.clone());
        let found = match (reference.name.as_str(), reference.number()) {
            ("latest", _) => of(filter.clone())?,
            (_, Some(number)) => Some(self.run(number)?),
            _ => match of(RunFilter {
                branch: name(),
                ..filter.clone()
            })? {
                None => of(RunFilter {
                    tag: name(),
                    ..filter.clone()
                })?,
                found => found,
            },
        };
        found.ok_or_else(|| StoreError::NoSuchRun(reference.text.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_branch_may_begin_as_latest_does() {
        for (text, is_position) in [
            ("latest", true),
            ("latest~2", true),
            ("7", true),
            ("latest-models", false),
            ("latest-models~1", false),
            ("latest~", false),
            ("main", false),
            ("7~1", false),
            ("", false),
        ] {
            assert_eq!(Reference::parse(text).is_position(), is_position, "{text}");
        }
    }
}
