//! The cases that a report for people shows: the lowest ones; and which tools all cases expected and called.

use std::sync::Arc;

use rightcall::Explanation;
use rightcall::call::Case;
use rightcall_formats::{ReadOptions, read_case};
use rightcall_run::{CaseRecord, RecordedOutcome};

use crate::sentence;
use crate::tools::Tools;

/// Cases that are kept.
pub const KEPT: usize = 200;

/// Bytes of kept cases, so that a few huge cases cannot fill a page.
const BYTES: usize = 8 << 20;

/// The lowest cases so far.
#[derive(Debug, Default)]
pub(super) struct Picked {
    lowest: Vec<(f64, Arc<CaseRecord>)>,
    pub(super) tools: Tools,
    pub(super) seen: u64,
}

impl Picked {
    pub(super) fn add(&mut self, case: &Arc<CaseRecord>) {
        self.seen += 1;
        self.tools.add_uses(&case.tools);
        let worth = worth(case);
        let place = self.lowest.partition_point(|(kept, _)| *kept <= worth);
        if place < KEPT {
            self.lowest.insert(place, (worth, Arc::clone(case)));
            self.lowest.truncate(KEPT);
        }
    }

    /// The cases, lowest first.
    pub(super) fn cases(&self) -> impl Iterator<Item = &CaseRecord> {
        let mut bytes = 0;
        self.lowest
            .iter()
            .map(|(_, case)| &**case)
            .enumerate()
            .take_while(move |(index, case)| {
                bytes += size(case);
                *index == 0 || bytes <= BYTES
            })
            .map(|(_, case)| case)
    }
}

fn size(case: &CaseRecord) -> usize {
    case.case.len()
        + case
            .evaluations
            .iter()
            .filter_map(|it| it.alignment.as_ref())
            .map(String::len)
            .sum::<usize>()
}

/// Errors and failures before low scores, and cases that nobody could judge last.
fn worth(case: &CaseRecord) -> f64 {
    let score = match case.result.outcome {
        RecordedOutcome::Scored(score) => score,
        RecordedOutcome::Error(_) => -1.0,
        RecordedOutcome::NotApplicable(_) => 2.0,
    };
    if case.failed {
        score.min(1.0) - 4.0
    } else {
        score
    }
}

fn has_calls(case: &Case<'_>) -> bool {
    !case.expected.is_empty() || case.actual.is_some()
}

/// A case as it was read, with the explanations of its evaluations; `None` where it was not kept whole.
#[derive(Debug, Default)]
pub(crate) struct ReadCase<'r> {
    pub(crate) case: Case<'r>,
    pub(crate) explanations: Vec<Option<Explanation>>,
}

impl<'r> ReadCase<'r> {
    pub(crate) fn of(record: &'r CaseRecord) -> Self {
        // What was written here can be read again; a damaged text leaves an empty case rather than no report.
        let case = read_case(&record.case, &ReadOptions::default()).unwrap_or_default();
        let has_calls = has_calls(&case);
        let explanation = |json: &Option<String>| {
            Explanation::from_json(json.as_ref()?)
                .ok()
                .filter(|_| has_calls)
        };
        Self {
            case,
            explanations: record
                .evaluations
                .iter()
                .map(|it| explanation(&it.alignment))
                .collect(),
        }
    }

    /// False where the calls are not known, which is not to say that there were none.
    pub(crate) fn has_calls(&self) -> bool {
        has_calls(&self.case)
    }

    /// Why the lowest of its scores is low.
    pub(crate) fn sentence(&self, record: &CaseRecord) -> String {
        let scored = record.evaluations.iter().zip(&self.explanations);
        let scores = scored.filter_map(|(evaluation, explanation)| match evaluation.outcome {
            RecordedOutcome::Scored(score) => Some((score, explanation)),
            _ => None,
        });
        // A case without a flaw needs no reason.
        let lowest = scores
            .filter(|(score, _)| *score < 1.0)
            .min_by(|one, other| one.0.total_cmp(&other.0));
        let unscored = record
            .evaluations
            .iter()
            .find_map(|evaluation| match &evaluation.outcome {
                RecordedOutcome::Error(reason) => Some(reason.clone()),
                _ => None,
            });
        unscored
            .or_else(|| Some(sentence(&self.case, lowest?.1.as_ref()?)))
            .unwrap_or_else(|| match &record.result.outcome {
                RecordedOutcome::NotApplicable(reason) | RecordedOutcome::Error(reason) => {
                    reason.clone()
                }
                RecordedOutcome::Scored(_) => String::new(),
            })
    }
}
