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
        let found = match reference.name.as_str() {
            "latest" => of(filter.clone())?,
            digits if reference.back == 0 && digits.bytes().all(|digit| digit.is_ascii_digit()) => {
                digits
                    .parse()
                    .ok()
                    .map(|number| self.run(number))
                    .transpose()?
            }
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
