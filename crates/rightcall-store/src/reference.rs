//! References to runs.

use crate::error::Result;
use crate::{History, PageRange, RunFilter, RunRow, StoreError};

/// A reference to a run: `latest`, `latest~2`, a number, a branch or a tag. A branch or a tag selects its last run, and may be
/// followed by `~N` too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The text as the user wrote it.
    pub text: String,
    name: String,
    /// Number of runs to go back.
    back: u64,
}

impl Reference {
    /// Parses a reference; any text is valid.
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

    /// True for a number and for `latest` with or without `~N`; any other text is a branch or a tag.
    pub fn is_position(&self) -> bool {
        self.name == "latest" || self.number().is_some()
    }

    /// The number of the run. A number with `~N` is a branch or a tag.
    fn number(&self) -> Option<i64> {
        let is_number = self.back == 0 && self.name.bytes().all(|digit| digit.is_ascii_digit());
        is_number.then(|| self.name.parse().ok()).flatten()
    }
}

/// The meta values of a part of a run with their keys, as in `model=gpt-4o,region=eu`. Values may contain commas. `None` if a key is
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
    /// The run that the reference selects among those that the filter accepts.
    ///
    /// # Errors
    /// No such run, or the history cannot be read.
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
    fn a_branch_may_start_with_latest() {
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
