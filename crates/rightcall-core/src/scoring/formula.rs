//! Score formulas, with the steps of each computation.

use std::fmt;

use super::Rounding;
use crate::alignment::Grade;
use crate::explanation::{Costs, ExplainedPair, Explanation, Term};
use crate::tally::Tally;

/// A score and the steps of its computation, formatted only on request.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Scored {
    pub(crate) score: f64,
    /// Which unpaired calls lower the score.
    pub(crate) costs: Costs,
    steps: [Option<Step>; 4],
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Step {
    label: &'static str,
    formula: Formula,
    value: f64,
}

/// A formula with its numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Formula {
    Quotient(f64, usize),
    WeighedQuotient(f64, f64),
    HarmonicMean(f64, f64),
    Overlap(f64, f64, f64),
    Condition(&'static str, bool),
    Credit(Weights, usize, usize, usize),
    Penalty(f64, Penalised, usize),
    Clamp(f64, f64),
    LessSurplus(f64, f64, usize, usize),
    Unanswered(usize, usize),
    LessRepeated(f64, f64, usize),
    Rounded(f64, Rounding),
    Fixed(&'static str),
}

impl Scored {
    fn new(label: &'static str, formula: Formula, value: f64) -> Self {
        Self::default().then(label, formula, value)
    }

    fn then(mut self, label: &'static str, formula: Formula, value: f64) -> Self {
        let free = self.steps.iter().take_while(|step| step.is_some()).count();
        if let Some(step) = self.steps.get_mut(free) {
            *step = Some(Step {
                label,
                formula,
                value,
            });
        }
        self.score = value;
        self
    }

    /// Sets which unpaired calls lower the score.
    pub(crate) fn with_costs(self, costs: Costs) -> Self {
        Self { costs, ..self }
    }

    /// A fixed score from a rule.
    pub(crate) fn fixed(rule: &'static str, value: f64) -> Self {
        Self::new("score", Formula::Fixed(rule), value)
    }

    /// The score, rounded.
    pub(crate) fn rounded(self, rounding: Rounding) -> Self {
        let score = self.score;
        self.then(
            "rounded",
            Formula::Rounded(score, rounding),
            rounding.apply(score),
        )
    }

    /// Subtracts penalties from the score. None makes it negative.
    pub(crate) fn with_penalties(
        self,
        penalties: Penalties,
        tally: &Tally,
        repeated: usize,
    ) -> Self {
        let Penalties {
            surplus: surplus_weight,
            repeated: repeated_weight,
        } = penalties;
        let mut scored = self;
        let surplus = tally.actual.saturating_sub(tally.expected);
        if surplus_weight != 0.0 && surplus > 0 {
            let (score, expected) = (scored.score, tally.expected);
            let penalty = surplus as f64 / expected as f64 * surplus_weight;
            let formula = Formula::LessSurplus(score, surplus_weight, surplus, expected);
            scored = scored.then("less surplus", formula, (score - penalty).max(0.0));
        }
        if repeated_weight != 0.0 && repeated > 0 {
            let score = scored.score;
            let penalty = repeated as f64 * repeated_weight;
            let formula = Formula::LessRepeated(score, repeated_weight, repeated);
            scored = scored.then("less repeats", formula, (score - penalty).max(0.0));
        }
        let costs = Costs {
            extra: surplus_weight != 0.0 || repeated_weight != 0.0,
            ..scored.costs
        };
        scored.with_costs(costs)
    }

    /// The score if a condition holds, otherwise 0.
    pub(crate) fn only_if(self, condition: &'static str, holds: bool) -> Self {
        let score = if holds { self.score } else { 0.0 };
        self.then("score", Formula::Condition(condition, holds), score)
    }

    /// Adds the computation of the score to an explanation.
    pub(crate) fn explain(&self, explanation: Explanation) -> Explanation {
        Explanation {
            arithmetic: self.terms(&explanation.pairs),
            costs: self.costs,
            ..explanation
        }
    }

    /// The steps as text. If partial pairs earn credit, the first step is their sum.
    fn terms(&self, pairs: &[ExplainedPair]) -> Vec<Term> {
        let sum = self.steps[0].and_then(|step| match step.formula {
            Formula::Quotient(credit, _) => Some(Term {
                label: "credit".into(),
                formula: credit_sum(pairs)?,
                value: credit,
            }),
            _ => None,
        });
        let steps = self.steps.iter().flatten();
        let steps = steps.map(|step| Term {
            label: step.label.into(),
            formula: step.formula.to_string(),
            value: step.value,
        });
        sum.into_iter().chain(steps).collect()
    }
}

/// The sum of credits, with equal credits combined: `2 + 0.5 + 3 × 0.25`. `None` if no pair is partial, or if only one pair earns credit.
fn credit_sum(pairs: &[ExplainedPair]) -> Option<String> {
    let (mut full, mut shares) = (0, Vec::<(f64, usize)>::new());
    for pair in pairs.iter().filter(|pair| pair.counted) {
        match pair.grade {
            Grade::Full => full += 1,
            Grade::Partial(share) => match shares.iter_mut().find(|(known, _)| *known == share) {
                Some((_, times)) => *times += 1,
                None => shares.push((share, 1)),
            },
            Grade::NameOnly | Grade::Unlike => {}
        }
    }
    if matches!((full, &shares[..]), (_, []) | (0, [(_, 1)])) {
        return None;
    }
    let whole = (full > 0).then(|| full.to_string());
    let parts = shares.iter().map(|(share, times)| {
        if *times == 1 {
            share.to_string()
        } else {
            format!("{times} × {share}")
        }
    });
    Some(
        whole
            .into_iter()
            .chain(parts)
            .collect::<Vec<_>>()
            .join(" + "),
    )
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Quotient(credit, of) => write!(f, "{credit} / {of}"),
            Self::WeighedQuotient(credit, weight) => write!(f, "{credit} / {weight}"),
            Self::HarmonicMean(p, r) => write!(f, "2 × {p} × {r} / ({p} + {r})"),
            Self::Overlap(credit, expected, actual) => {
                write!(f, "2 × {credit} / ({expected} + {actual})")
            }
            Self::Condition(condition, held) => {
                write!(f, "{condition}: {}", if held { "yes" } else { "no" })
            }
            Self::Credit(
                Weights {
                    full: w,
                    name_only: v,
                    ..
                },
                full,
                name_only,
                expected,
            ) => {
                write!(
                    f,
                    "({w} × {full} + {v} × {name_only}) / {}",
                    AtLeastOne(expected)
                )
            }
            Self::Penalty(weight, penalised, expected) => {
                write!(f, "{weight} × ({penalised} / {})", AtLeastOne(expected))
            }
            Self::Clamp(credit, penalty) => write!(f, "{credit} − {penalty}, clamped to 0..1"),
            Self::Unanswered(unanswered, expected) => {
                write!(f, "{unanswered} / {}", AtLeastOne(expected))
            }
            Self::LessSurplus(score, weight, surplus, expected) => write!(
                f,
                "{score} − {weight} × ({surplus} surplus / {expected}), clamped to 0..1"
            ),
            Self::LessRepeated(score, weight, repeated) => {
                write!(
                    f,
                    "{score} − {weight} × {repeated} repeated, clamped to 0..1"
                )
            }
            Self::Rounded(score, Rounding::JsHundredths | Rounding::JsPlainHundredths) => {
                write!(f, "round({score}, 2)")
            }
            Self::Rounded(score, Rounding::JsThousandths) => write!(f, "round({score}, 3)"),
            Self::Rounded(score, Rounding::Python4) => write!(f, "round({score}, 4)"),
            Self::Fixed(rule) => f.write_str(rule),
        }
    }
}

/// A number of calls used as a divisor, at least 1.
struct AtLeastOne(usize);

impl fmt::Display for AtLeastOne {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.write_str("max(0, 1)"),
            number => write!(f, "{number}"),
        }
    }
}

/// `credit / expected`: the share of expected calls that were made. 0 if no calls are expected.
pub(crate) fn recall(credit: f64, expected: usize) -> Scored {
    share("recall", credit, expected, "nothing is expected").with_costs(Costs::MISSED)
}

/// `credit / actual`: the share of actual calls that were expected. 0 if no calls were made.
pub(crate) fn precision(credit: f64, actual: usize) -> Scored {
    share("precision", credit, actual, "nothing was called").with_costs(Costs::EXTRA)
}

/// `unanswered / expected`: the share of forbidden calls that were not made. 0 if no calls are forbidden.
pub(crate) fn unanswered(unanswered: usize, expected: usize) -> Scored {
    let formula = Formula::Unanswered(unanswered, expected);
    let share = unanswered as f64 / expected.max(1) as f64;
    Scored::new("unanswered", formula, share).with_costs(Costs::NONE)
}

/// A quotient; 0 if the divisor is 0, with `nothing` as the reason.
fn share(label: &'static str, credit: f64, divisor: usize, nothing: &'static str) -> Scored {
    match divisor {
        0 => Scored::new(label, Formula::Fixed(nothing), 0.0),
        _ => Scored::new(
            label,
            Formula::Quotient(credit, divisor),
            credit / divisor as f64,
        ),
    }
}

/// A quotient of sums of weights; 0 if the divisor is 0, with `nothing` as the reason.
pub(crate) fn weighed_share(
    label: &'static str,
    credit: f64,
    divisor: f64,
    nothing: &'static str,
) -> Scored {
    if divisor == 0.0 {
        return Scored::new(label, Formula::Fixed(nothing), 0.0);
    }
    Scored::new(
        label,
        Formula::WeighedQuotient(credit, divisor),
        credit / divisor,
    )
}

/// `2 · precision · recall / (precision + recall)`, evaluated from left to right; 0 if both are 0.
pub(crate) fn f1(precision: Scored, recall: Scored) -> Scored {
    let (p, r) = (precision.score, recall.score);
    let (formula, value) = if p + r == 0.0 {
        (Formula::Fixed(ZERO), 0.0)
    } else {
        (Formula::HarmonicMean(p, r), 2.0 * p * r / (p + r))
    };
    after_both(precision, recall, formula, value)
}

/// `2 · credit / (expected + actual)` after the steps of precision and recall. This is F1 with a
/// single rounding: 0.75 for 6 of 8, where [`f1`] returns 0.7499999999999999. 0 without credit.
pub(crate) fn exact_f1(
    precision: Scored,
    recall: Scored,
    credit: f64,
    [expected, actual]: [f64; 2],
) -> Scored {
    let (formula, value) = if credit == 0.0 {
        (Formula::Fixed(ZERO), 0.0)
    } else {
        let value = 2.0 * credit / (expected + actual);
        (Formula::Overlap(credit, expected, actual), value)
    };
    after_both(precision, recall, formula, value)
}

/// The rule shown where F1 would divide by zero.
const ZERO: &str = "precision and recall are zero";

/// F1 as the step after precision and recall.
fn after_both(precision: Scored, recall: Scored, formula: Formula, value: f64) -> Scored {
    let mut both = precision;
    for step in recall.steps.iter().flatten() {
        both = both.then(step.label, step.formula, step.value);
    }
    both.then("f1", formula, value).with_costs(Costs::default())
}

/// 1 if the condition held, otherwise 0.
pub(crate) fn all_or_nothing(condition: &'static str, held: bool) -> Scored {
    Scored::new(
        "all or nothing",
        Formula::Condition(condition, held),
        f64::from(u8::from(held)),
    )
}

/// The mean of parts, summed in order; 0 if there are none.
pub(crate) fn mean(label: &'static str, parts: impl IntoIterator<Item = f64>) -> Scored {
    let (sum, count) = parts
        .into_iter()
        .fold((0.0, 0_usize), |(sum, count), part| (sum + part, count + 1));
    share(label, sum, count, "there is nothing to judge")
}

/// The weights of [`weighted`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Weights {
    /// For a full match.
    pub(crate) full: f64,
    /// For the right tool with other arguments.
    pub(crate) name_only: f64,
    /// Subtracted for each penalised call.
    pub(crate) penalty: f64,
}

/// The penalties of a score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Penalties {
    /// For surplus actual calls: this factor times their number divided by the number of expected calls.
    pub(crate) surplus: f64,
    /// For each name that several actual calls share.
    pub(crate) repeated: f64,
}

/// Numbers of calls that cost a penalty.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Penalised {
    /// Unpaired actual calls.
    pub(crate) extra: usize,
    /// Actual calls beyond the number of expected ones, if they cost a further penalty.
    pub(crate) too_many: usize,
    /// Expected calls beyond the number of actual ones, if they cost a penalty.
    pub(crate) too_few: usize,
}

impl Penalised {
    /// The number of penalties.
    pub(crate) fn total(self) -> usize {
        self.extra + self.too_many + self.too_few
    }
}

/// `2 extra`, `(2 extra + 1 too many)`.
impl fmt::Display for Penalised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            (self.extra, "extra"),
            (self.too_many, "too many"),
            (self.too_few, "too few"),
        ];
        let parts: Vec<_> = parts
            .iter()
            .filter(|(number, _)| *number > 0)
            .map(|(number, what)| format!("{number} {what}"))
            .collect();
        match &parts[..] {
            [] => f.write_str("0"),
            [one] => f.write_str(one),
            several => write!(f, "({})", several.join(" + ")),
        }
    }
}

/// Weighted credit minus penalties, clamped to 0..=1:
/// `(w_full · full + w_name · name_only) / d − w_penalty · (penalised / d)` with `d = max(expected, 1)`. NaN if a weight is NaN.
pub(crate) fn weighted(
    weights: Weights,
    full: usize,
    name_only: usize,
    penalised: Penalised,
    expected: usize,
) -> Scored {
    let d = expected.max(1);
    let credit = (weights.full * full as f64 + weights.name_only * name_only as f64) / d as f64;
    let penalty = weights.penalty * (penalised.total() as f64 / d as f64);
    // `clamp` keeps NaN.
    let score = (credit - penalty).clamp(0.0, 1.0);
    Scored::new(
        "credit",
        Formula::Credit(weights, full, name_only, expected),
        credit,
    )
    .then(
        "penalty",
        Formula::Penalty(weights.penalty, penalised, expected),
        penalty,
    )
    .then("score", Formula::Clamp(credit, penalty), score)
    .with_costs(Costs {
        missed: true,
        extra: weights.penalty != 0.0,
    })
}

#[cfg(test)]
mod tests;
