//! Options of the comparison of settings.

use crate::list_length::ListLength;

/// Options of the comparison of settings.
#[derive(Clone, Debug)]
pub struct RescoringOptions {
    /// The confidence of intervals, from 0 to 1.
    pub confidence: f64,
    /// The minimum score of a row that passes; `None` for its verdict, or else a score of 1.
    pub mark: Option<f64>,
    /// The key of a number of the rows, to compare scores with.
    pub against: Option<String>,
    /// The minimum of that number that counts as yes, if it isn't a boolean.
    pub positive: Option<f64>,
    /// The length of lists.
    pub listed: ListLength,
}

impl RescoringOptions {
    /// Describes when a row passes.
    pub(super) fn mark_text(&self) -> String {
        match self.mark {
            Some(mark) => format!("a row passes from a score of {mark}"),
            None => "a row passes by the verdict of the setting, else from a score of 1".to_owned(),
        }
    }

    /// Describes the number that scores are compared with.
    pub(super) fn against_text(&self) -> Option<String> {
        let field = self.against.as_ref()?;
        Some(match self.positive {
            Some(from) => format!("{field} >= {from}"),
            None => field.clone(),
        })
    }
}
