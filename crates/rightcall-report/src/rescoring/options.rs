//! How settings are compared.

use crate::list_length::ListLength;

/// How settings are compared.
#[derive(Clone, Debug)]
pub struct RescoringOptions {
    /// The confidence of intervals, from 0 to 1.
    pub confidence: f64,
    /// The score from which a row passes; `None`: by its verdict, or else from 1.
    pub mark: Option<f64>,
    /// The number of the rows with which scores are compared.
    pub against: Option<String>,
    /// Where that number is no yes or no: the value from which it is a yes.
    pub positive: Option<f64>,
    /// How much of lists is shown.
    pub listed: ListLength,
}

impl RescoringOptions {
    /// When a row passes, in words.
    pub(super) fn mark_text(&self) -> String {
        match self.mark {
            Some(mark) => format!("a row passes from a score of {mark}"),
            None => "a row passes by the verdict of the setting, else from a score of 1".to_owned(),
        }
    }

    /// What scores are compared with, in words.
    pub(super) fn against_text(&self) -> Option<String> {
        let field = self.against.as_ref()?;
        Some(match self.positive {
            Some(from) => format!("{field} >= {from}"),
            None => field.clone(),
        })
    }
}
