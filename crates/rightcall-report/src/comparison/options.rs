//! How runs are compared, and when a trial passes.

use rightcall_stats::{ComparisonSettings, PassMark};

use crate::list_length::ListLength;

/// Describes the default condition for a trial to pass.
pub(crate) const EVERY_VERDICT: &str = "every verdict on the trial";

/// How runs are compared.
#[derive(Clone, Debug, Default)]
pub struct ComparisonOptions {
    /// The settings of intervals and tests.
    pub settings: ComparisonSettings,
    /// The minimum of the number for a trial to pass.
    pub from: Option<f64>,
    /// The field of the cases that scores should predict.
    pub against: Option<String>,
    /// How much of each list to show.
    pub listed: ListLength,
}

impl ComparisonOptions {
    /// When a trial passes.
    pub fn pass_mark(&self) -> PassMark {
        match (&self.against, self.from) {
            (Some(_), mark) => PassMark::Field(mark.unwrap_or(1.0)),
            (None, Some(mark)) => PassMark::Score(mark),
            (None, None) => PassMark::Verdicts,
        }
    }

    /// Describes the condition.
    pub fn pass_mark_text(&self) -> String {
        match (&self.against, self.pass_mark()) {
            (Some(field), PassMark::Field(mark)) => format!("{field} >= {mark}"),
            (_, PassMark::Score(mark)) => format!("weighted score >= {mark}"),
            _ => EVERY_VERDICT.to_owned(),
        }
    }
}
