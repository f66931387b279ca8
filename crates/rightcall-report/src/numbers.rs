//! Numbers in words, the same on every screen and page.

use rightcall::Outcome;

/// The label of what was made of whole cases.
pub const WHOLE_CASES: &str = "each case, weighted";

/// A number to three places; a dash where there is none.
pub fn number(number: Option<f64>) -> String {
    number.map_or_else(|| "–".to_owned(), |number| format!("{number:.3}"))
}

/// A share in percent; a dash where there is none.
pub fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "–".to_owned(), |share| format!("{:.1} %", share * 100.0))
}

/// A score to three places, or what stands in its place.
pub(crate) fn score(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Scored(score) => format!("{:.3}", score.get()),
        Outcome::NotApplicable(_) => "n/a".to_owned(),
        Outcome::Failed(_) => "error".to_owned(),
    }
}

/// The same, where there is room for words.
pub(crate) fn score_in_full(outcome: &Outcome) -> String {
    match outcome {
        Outcome::NotApplicable(_) => "not applicable".to_owned(),
        outcome => score(outcome),
    }
}
