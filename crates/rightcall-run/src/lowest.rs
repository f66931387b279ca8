//! The cases with the lowest scores, which are the ones that people look at first.

use std::sync::Arc;

use rightcall_formats::Block;

use crate::scored::{RecordPlace, ScoredBlock, ScoredCase};
use crate::scores::Mark;

/// How many are kept.
const KEPT: usize = 10;

/// The text of a case is kept up to this length, so that the few worst cases cannot fill the memory.
const LONGEST_TEXT: usize = 256 << 10;

/// A case with a low score.
#[derive(Clone, Debug)]
pub struct LowCase {
    /// Its id, or `FILE:LINE`.
    pub label: String,
    /// Its trial as JSON text.
    pub trial: Option<String>,
    /// Its file.
    pub file: Arc<str>,
    /// Its line.
    pub line: u64,
    /// Its scores by evaluator; `None` where there is none.
    pub scores: Vec<Option<f64>>,
    /// Records before its own, where they are counted.
    pub number: u64,
    /// Its record, unless that is very long.
    pub text: Option<Arc<str>>,
}

/// The lowest cases, lowest first; of equal ones the first of the input.
#[derive(Clone, Debug, Default)]
pub struct Lowest(Vec<(f64, LowCase)>);

impl Lowest {
    /// The cases, lowest first.
    pub fn iter(&self) -> impl Iterator<Item = &LowCase> {
        self.0.iter().map(|(_, case)| case)
    }

    /// True if no case is low.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Notes a case, unless its score is full marks or enough are lower.
    pub(crate) fn offer(
        &mut self,
        score: f64,
        scored: &ScoredBlock,
        case: &ScoredCase,
        marks: &[Mark],
    ) {
        let is_low =
            self.0.len() < KEPT || self.0.last().is_some_and(|(highest, _)| score < *highest);
        if score >= 1.0 || !is_low {
            return;
        }
        let low = LowCase {
            label: scored.label(case).to_owned(),
            trial: scored.trial(case).map(ToOwned::to_owned),
            file: Arc::clone(&scored.file),
            line: case.record.line,
            number: case.record.number,
            scores: marks.iter().map(Mark::score).collect(),
            text: scored
                .block
                .as_ref()
                .and_then(|block| text_of(block, case.record))
                .map(Arc::from),
        };
        let place = self.0.partition_point(|(kept, _)| *kept <= score);
        self.0.insert(place, (score, low));
        self.0.truncate(KEPT);
    }
}

fn text_of(block: &Block, record: RecordPlace) -> Option<&str> {
    if record.length <= LONGEST_TEXT {
        block.text_at(record.offset, record.length)
    } else {
        None
    }
}
