//! Formats numbers in the same way on every screen and page.

use rightcall_core::Outcome;

/// The label of the combined results of cases.
pub const WHOLE_CASES: &str = "each case, weighted";

/// A number with three decimals, or a dash.
pub fn number(number: Option<f64>) -> String {
    number.map_or_else(|| "–".to_owned(), |number| format!("{number:.3}"))
}

/// A share in percent, or a dash.
pub fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "–".to_owned(), |share| format!("{:.1} %", share * 100.0))
}

/// A change with its sign and three decimals; more decimals if it would look like none.
pub fn signed(change: f64) -> String {
    if change == 0.0 {
        return "+0.000".to_owned();
    }
    let mut texts = (3..=6).map(|decimals| format!("{change:+.decimals$}"));
    let shows = |it: &String| it.contains(|it: char| ('1'..='9').contains(&it));
    texts.find(shows).unwrap_or_else(|| "±0.000".to_owned())
}

/// A score with three decimals, or its replacement text.
pub(crate) fn score(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Scored(score) => format!("{:.3}", score.get()),
        Outcome::NotApplicable(_) => "n/a".to_owned(),
        Outcome::Failed(_) => "error".to_owned(),
    }
}

/// The same in full words, if there is room.
pub(crate) fn score_in_full(outcome: &Outcome) -> String {
    match outcome {
        Outcome::NotApplicable(_) => "not applicable".to_owned(),
        outcome => score(outcome),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_change_is_not_written_as_none() {
        for (change, wanted) in [
            (0.25, "+0.250"),
            (-0.0004, "-0.0004"),
            (-0.000_02, "-0.00002"),
            (-1e-9, "±0.000"),
            (0.0, "+0.000"),
            (-0.0, "+0.000"),
        ] {
            assert_eq!(signed(change), wanted);
        }
    }
}
