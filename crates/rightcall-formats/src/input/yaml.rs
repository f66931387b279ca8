//! Inputs in YAML: a list of cases, one case, or several documents of these.
//!
//! Cases are read from JSON text, so each is converted to it. Values keep their line, counted from the beginning of the case.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use super::block::{Block, Content};
use crate::error::CaseError;
use crate::place::LinePlace;
use crate::trace::Report;
use crate::yaml::{IgnoredTags, ListItems, YamlError, each_item};

/// The remaining cases of a YAML text.
#[derive(Debug)]
pub(super) struct YamlCases {
    json: Arc<String>,
    /// Range in `json` and place of each.
    parts: VecDeque<(Range<usize>, LinePlace)>,
    /// An error to report after the cases before it, with its line.
    failure: Option<(u64, CaseError)>,
    /// Tags that were ignored.
    tags: IgnoredTags,
}

impl YamlCases {
    pub(super) fn new(text: &str) -> Self {
        let (mut json, mut parts, mut place) =
            (String::new(), VecDeque::new(), LinePlace::default());
        let ListItems { error, tags } = each_item(text, |case| {
            let start = json.len();
            case.write(&mut json, &mut case.line.clone());
            parts.push_back((start..json.len(), place.move_to(case.line)));
        });
        Self {
            json: Arc::new(json),
            parts,
            failure: error.map(|error| (error.line, error.into())),
            tags,
        }
    }

    /// Ends the cases before the first tag without a JSON equivalent, with an error.
    pub(super) fn refuse_tags(&mut self) {
        if let Some((items, error)) = self.tags.first() {
            self.parts.truncate(*items);
            self.failure = Some((error.line, error.clone().into()));
        }
    }

    /// Reports the ignored tags.
    pub(super) fn report(&self) -> Report {
        let mut report = Report::default();
        for (tag, count) in self.tags.counts() {
            report.ignore_tag(tag, count);
        }
        report
    }

    /// The texts of the cases.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.parts
            .iter()
            .map(|(range, _)| &self.json[range.clone()])
    }

    /// The next cases, about `target` bytes in total; `None` at the end. Errors come with their line.
    pub(super) fn next(&mut self, target: usize) -> Result<Option<Block>, (u64, CaseError)> {
        let (mut parts, mut size) = (Vec::new(), 0);
        while size < target.max(1)
            && let Some(part) = self.parts.pop_front()
        {
            size += part.0.len();
            parts.push(part);
        }
        if parts.is_empty() {
            return self.failure.take().map_or(Ok(None), Err);
        }
        Ok(Some(Block::new(Content::Elements {
            document: Arc::clone(&self.json),
            offset: 0,
            parts,
        })))
    }
}

impl From<YamlError> for CaseError {
    fn from(error: YamlError) -> Self {
        Self {
            pointer: String::new(),
            expected: error.expected.into(),
            found: error.found,
            help: Some(error.help.into()),
        }
    }
}
