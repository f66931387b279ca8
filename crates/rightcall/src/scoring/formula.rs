//! The formulas.

use std::fmt;

use super::Rounding;
use crate::explanation::{Costs, Term};

/// A score with the steps that led to it; the steps become text only for those who ask.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Scored {
    pub(crate) score: f64,
    /// Which calls without an answer lower it.
    pub(crate) costs: Costs,
    steps: [Option<Step>; 4],
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Step {
    label: &'static str,
    formula: Formula,
    value: f64,
}

/// A formula with its numbers put in.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Formula {
    Quotient(f64, usize),
    HarmonicMean(f64, f64),
    Condition(&'static str, bool),
    Credit(Weights, usize, usize, usize),
    Penalty(f64, usize, usize),
    Clamp(f64, f64),
    Rounded(f64),
    Fixed(&'static str),
}

impl Scored {
    fn of(label: &'static str, formula: Formula, value: f64) -> Self {
        Self::default().then(label, formula, value)
    }

    fn then(mut self, label: &'static str, formula: Formula, value: f64) -> Self {
        let free = self.steps.iter().take_while(|step| step.is_some()).count();
        if let Some(step) = self.steps.get_mut(free) {
            *step = Some(Step { label, formula, value });
        }
        self.score = value;
        self
    }

    /// The score, which only these calls without an answer lower.
    pub(crate) fn costing(self, costs: Costs) -> Self {
        Self { costs, ..self }
    }

    /// A number that a rule gives.
    pub(crate) fn fixed(rule: &'static str, value: f64) -> Self {
        Self::of("score", Formula::Fixed(rule), value)
    }

    /// The score, rounded.
    pub(crate) fn rounded(self, rounding: Rounding) -> Self {
        let score = self.score;
        self.then("rounded", Formula::Rounded(score), rounding.apply(score))
    }

    /// The score if a condition holds, else 0.
    pub(crate) fn only_if(self, condition: &'static str, holds: bool) -> Self {
        let score = if holds { self.score } else { 0.0 };
        self.then("score", Formula::Condition(condition, holds), score)
    }

    /// The steps as text.
    pub(crate) fn terms(&self) -> Vec<Term> {
        let steps = self.steps.iter().flatten();
        steps.map(|step| Term { label: step.label.into(), formula: step.formula.to_string(), value: step.value }).collect()
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Quotient(credit, of) => write!(f, "{credit} / {of}"),
            Self::HarmonicMean(p, r) => write!(f, "2 × {p} × {r} / ({p} + {r})"),
            Self::Condition(condition, held) => write!(f, "{condition}: {}", if held { "yes" } else { "no" }),
            Self::Credit(Weights { full: w, name_only: v, .. }, full, name_only, d) => {
                write!(f, "({w} × {full} + {v} × {name_only}) / {d}")
            }
            Self::Penalty(weight, penalised, d) => write!(f, "{weight} × ({penalised} / {d})"),
            Self::Clamp(credit, penalty) => write!(f, "{credit} − {penalty}, clamped to 0..1"),
            Self::Rounded(score) => write!(f, "round({score})"),
            Self::Fixed(rule) => f.write_str(rule),
        }
    }
}

/// `credit / expected`: the share of what was demanded that was done. 0 for nothing demanded.
pub(crate) fn recall(credit: f64, expected: usize) -> Scored {
    share("recall", credit, expected).costing(Costs::MISSED)
}

/// `credit / actual`: the share of what was done that was demanded. 0 for nothing done.
pub(crate) fn precision(credit: f64, actual: usize) -> Scored {
    share("precision", credit, actual).costing(Costs::EXTRA)
}

fn share(label: &'static str, credit: f64, of: usize) -> Scored {
    Scored::of(label, Formula::Quotient(credit, of), if of == 0 { 0.0 } else { credit / of as f64 })
}

/// `2 · precision · recall / (precision + recall)`, from left to right; 0 where both are 0.
pub(crate) fn f1(precision: Scored, recall: Scored) -> Scored {
    let (p, r) = (precision.score, recall.score);
    let value = if p + r == 0.0 { 0.0 } else { 2.0 * p * r / (p + r) };
    let mut both = precision;
    for step in recall.steps.iter().flatten() {
        both = both.then(step.label, step.formula, step.value);
    }
    both.then("f1", Formula::HarmonicMean(p, r), value).costing(Costs::default())
}

/// 1 if everything held, else 0.
pub(crate) fn all_or_nothing(condition: &'static str, held: bool) -> Scored {
    Scored::of("all or nothing", Formula::Condition(condition, held), f64::from(u8::from(held)))
}

/// The mean of parts, summed in their order; 0 of none.
pub(crate) fn mean(parts: impl IntoIterator<Item = f64>) -> Scored {
    let (sum, count) = parts.into_iter().fold((0.0, 0_usize), |(sum, count), part| (sum + part, count + 1));
    Scored::of("mean", Formula::Quotient(sum, count), if count == 0 { 0.0 } else { sum / count as f64 })
}

/// Weights of [`weighted`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Weights {
    /// Of a full match.
    pub(crate) full: f64,
    /// Of the right tool with other arguments.
    pub(crate) name_only: f64,
    /// Off for each penalised call.
    pub(crate) penalty: f64,
}

/// Weighted credit less penalties, clamped to 0..=1:
/// `(w_full · full + w_name · name_only) / d − w_penalty · (penalised / d)` with `d = max(expected, 1)`. Not a number where a
/// weight is none.
pub(crate) fn weighted(weights: Weights, full: usize, name_only: usize, penalised: usize, expected: usize) -> Scored {
    let d = expected.max(1);
    let credit = (weights.full * full as f64 + weights.name_only * name_only as f64) / d as f64;
    let penalty = weights.penalty * (penalised as f64 / d as f64);
    // `clamp` keeps NaN.
    let score = (credit - penalty).clamp(0.0, 1.0);
    Scored::of("credit", Formula::Credit(weights, full, name_only, d), credit)
        .then("penalty", Formula::Penalty(weights.penalty, penalised, d), penalty)
        .then("score", Formula::Clamp(credit, penalty), score)
        .costing(Costs { missed: true, extra: weights.penalty != 0.0 })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn shares_of_nothing_are_0() {
        assert_eq!(recall(0.0, 0).score, 0.0);
        assert_eq!(precision(2.0, 3).score, 2.0 / 3.0);
        assert_eq!(f1(precision(0.0, 1), recall(0.0, 1)).score, 0.0);
        assert_eq!(mean([]).score, 0.0);
    }

    #[test]
    fn the_two_quotients_are_taken_before_they_are_subtracted() {
        let weights = Weights { full: 1.0, name_only: 0.5, penalty: 0.25 };
        assert_eq!(weighted(weights, 1, 1, 1, 3).score, 1.5 / 3.0 - 0.25 * (1.0 / 3.0));
        assert_eq!(weighted(weights, 0, 0, 9, 3).score, 0.0);
        assert_eq!(weighted(Weights { full: 3.0, ..weights }, 3, 0, 0, 3).score, 1.0);
        assert!(weighted(Weights { full: f64::NAN, ..weights }, 1, 0, 0, 1).score.is_nan());
    }

    #[test]
    fn terms_show_the_numbers() {
        let scored = f1(precision(1.0, 2), recall(1.0, 4)).rounded(Rounding::Python4);
        let terms: Vec<_> =
            scored.terms().iter().map(|term| format!("{} = {} = {}", term.label, term.formula, term.value)).collect();
        assert_eq!(
            terms,
            [
                "precision = 1 / 2 = 0.5",
                "recall = 1 / 4 = 0.25",
                "f1 = 2 × 0.5 × 0.25 / (0.5 + 0.25) = 0.3333333333333333",
                "rounded = round(0.3333333333333333) = 0.3333"
            ]
        );
    }

    proptest! {
        #[test]
        fn formulas_stay_within_0_and_1(full in 0_usize..50, more_expected in 0_usize..50, more_actual in 0_usize..50) {
            let (expected, actual) = (full + more_expected, full + more_actual);
            let (p, r) = (precision(full as f64, actual), recall(full as f64, expected));
            let f = f1(p, r).score;
            prop_assert!((0.0..=1.0).contains(&f));
            prop_assert!(f <= p.score.max(r.score) + 1e-12 && f >= p.score.min(r.score) - 1e-12);
            prop_assert_eq!(f, f1(r, p).score);
        }

        #[test]
        fn the_mean_of_equal_parts_is_the_part(part in 0.0..=1.0_f64, count in 1_usize..20) {
            prop_assert!((mean(std::iter::repeat_n(part, count)).score - part).abs() < 1e-12);
        }
    }
}
