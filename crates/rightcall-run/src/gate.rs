//! Gates: conditions on a run that decide whether it is good enough.

use std::fmt;

use rightcall::value::JsonWriter;

use crate::scores::{Mark, Scores};

/// A condition on a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    /// What is looked at.
    pub subject: Subject,
    /// Only cases with this tag count.
    pub tag: Option<String>,
    /// Which number of it.
    pub statistic: Statistic,
    /// What that number is to be.
    pub wanted: Bound,
}

/// What a gate looks at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The scores of an evaluator.
    Evaluator {
        /// Its position in the plan.
        index: usize,
        /// Its name or id, as the user wrote it.
        label: String,
    },
    /// The cases: one passes if every verdict on it is *passed*.
    Cases,
}

/// A number of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statistic {
    /// Mean score.
    Mean,
    /// Lowest score.
    Min,
    /// Highest score.
    Max,
    /// The score below which this many percent of the cases lie.
    Percentile(u8),
    /// Share of cases that passed, of those with a verdict.
    PassRate,
    /// Number of cases that ended in an error.
    Errors,
    /// Number of cases to which the evaluator does not apply.
    NotApplicable,
}

/// A relation and the number on its right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    comparison: Comparison,
    number: f64,
    /// Written as a percentage.
    percent: bool,
}

/// A relation between two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `=`.
    Equal,
    /// `!=`.
    NotEqual,
    /// `>`.
    Greater,
    /// `>=`.
    GreaterOrEqual,
    /// `<`.
    Less,
    /// `<=`.
    LessOrEqual,
}

const COMPARISONS: [(&str, Comparison); 7] = [
    (">=", Comparison::GreaterOrEqual),
    ("<=", Comparison::LessOrEqual),
    ("!=", Comparison::NotEqual),
    ("==", Comparison::Equal),
    ("=", Comparison::Equal),
    (">", Comparison::Greater),
    ("<", Comparison::Less),
];

impl Comparison {
    fn holds(self, found: f64, wanted: f64) -> bool {
        match self {
            Self::Equal => found == wanted,
            Self::NotEqual => found != wanted,
            Self::Greater => found > wanted,
            Self::GreaterOrEqual => found >= wanted,
            Self::Less => found < wanted,
            Self::LessOrEqual => found <= wanted,
        }
    }

    /// The relation that holds where this one does not.
    fn negated(self) -> Self {
        match self {
            Self::Equal => Self::NotEqual,
            Self::NotEqual => Self::Equal,
            Self::Greater => Self::LessOrEqual,
            Self::GreaterOrEqual => Self::Less,
            Self::Less => Self::GreaterOrEqual,
            Self::LessOrEqual => Self::Greater,
        }
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
        })
    }
}

impl Bound {
    /// Reads `>= 0.9` or `>= 95%`.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (operator, comparison) = COMPARISONS.iter().find(|(operator, _)| text.starts_with(operator))?;
        let number = text[operator.len()..].trim();
        let (number, percent) = number.strip_suffix('%').map_or((number, false), |number| (number.trim_end(), true));
        let is_plain = number.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+' | b'e' | b'E'));
        let number: f64 = number.parse().ok().filter(|number: &f64| is_plain && number.is_finite())?;
        Some(Self { comparison: *comparison, number: if percent { number / 100.0 } else { number }, percent })
    }
}

impl Statistic {
    /// The statistics that a message lists.
    pub(crate) const NAMES: [&str; 9] = ["mean", "min", "max", "p05", "p50", "p95", "pass_rate", "errors", "not_applicable"];

    /// The statistic of a name.
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "mean" => Self::Mean,
            "min" => Self::Min,
            "max" => Self::Max,
            "pass_rate" => Self::PassRate,
            "errors" => Self::Errors,
            "not_applicable" => Self::NotApplicable,
            _ => {
                let digits =
                    name.strip_prefix('p').filter(|digits| digits.len() == 2 && digits.bytes().all(|it| it.is_ascii_digit()))?;
                Self::Percentile(digits.parse().ok().filter(|percent| *percent > 0)?)
            }
        })
    }

    fn of(self, scores: &Scores) -> Option<f64> {
        match self {
            Self::Mean => scores.mean(),
            Self::Min => scores.min(),
            Self::Max => scores.max(),
            Self::Percentile(percent) => scores.quantile(f64::from(percent) / 100.0),
            Self::PassRate => scores.pass_rate(),
            Self::Errors => Some(scores.errors as f64),
            Self::NotApplicable => Some(scores.not_applicable as f64),
        }
    }

    fn is_count(self) -> bool {
        matches!(self, Self::Errors | Self::NotApplicable)
    }
}

impl fmt::Display for Statistic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mean => f.pad("mean"),
            Self::Min => f.pad("min"),
            Self::Max => f.pad("max"),
            Self::Percentile(percent) => f.pad(&format!("p{percent:02}")),
            Self::PassRate => f.pad("pass_rate"),
            Self::Errors => f.pad("errors"),
            Self::NotApplicable => f.pad("not_applicable"),
        }
    }
}

/// What a gate came to.
#[derive(Clone, Debug, PartialEq)]
pub struct GateResult {
    /// The gate.
    pub gate: Gate,
    /// The number found; `None` where no case gave one, which misses the gate.
    pub found: Option<f64>,
    /// Whether the condition holds.
    pub held: bool,
}

impl GateResult {
    /// The evaluator's name or id, or `passed`, with the tag.
    pub fn label(&self) -> String {
        let subject = match &self.gate.subject {
            Subject::Evaluator { label, .. } => label,
            Subject::Cases => "passed",
        };
        self.gate.tag.as_ref().map_or_else(|| subject.to_owned(), |tag| format!("{subject} [{tag}]"))
    }

    /// The name of the number: `mean`; nothing for `passed`, which says it already.
    pub fn statistic(&self) -> String {
        match self.gate.subject {
            Subject::Cases => String::new(),
            Subject::Evaluator { .. } => self.gate.statistic.to_string(),
        }
    }

    /// The number found, as the gate writes numbers.
    pub fn found(&self) -> String {
        self.found.map_or_else(|| "–".to_owned(), |found| self.number(found))
    }

    /// What was wanted: `>= 0.900`.
    pub fn wanted(&self) -> String {
        format!("{} {}", self.gate.wanted.comparison, self.number(self.gate.wanted.number))
    }

    /// Why the gate is missed: `0.871 < 0.900`.
    pub fn missed_by(&self) -> String {
        match self.found {
            None => format!("no case was scored, wanted {}", self.wanted()),
            Some(found) => {
                let Bound { comparison, number, .. } = self.gate.wanted;
                let mut sides = (self.number(found), self.number(number));
                if sides.0 == sides.1 && found != number {
                    // Rounded alike: only all digits show the difference.
                    sides = (found.to_string(), number.to_string());
                }
                format!("{} {} {}", sides.0, comparison.negated(), sides.1)
            }
        }
    }

    fn number(&self, number: f64) -> String {
        if self.gate.statistic.is_count() {
            number.to_string()
        } else if self.gate.wanted.percent {
            format!("{:.1} %", number * 100.0)
        } else {
            format!("{number:.3}")
        }
    }

    pub(crate) fn write(&self, writer: &mut JsonWriter) {
        writer.begin_object();
        if let Subject::Evaluator { label, .. } = &self.gate.subject {
            writer.key("evaluator").str(label).key("statistic").str(&self.gate.statistic.to_string());
        } else {
            writer.key("statistic").str("passed");
        }
        if let Some(tag) = &self.gate.tag {
            writer.key("tag").str(tag);
        }
        writer.key("wanted").begin_list().str(&self.gate.wanted.comparison.to_string()).float(self.gate.wanted.number).end_list();
        writer.key("found").float(self.found.unwrap_or(f64::NAN)).key("held").bool(self.held).end_object();
    }
}

/// The scores that one gate looks at.
pub(crate) struct GateScores(Scores);

impl GateScores {
    pub(crate) fn new(gate: &Gate) -> Self {
        Self(if matches!(gate.statistic, Statistic::Percentile(_)) { Scores::with_quantiles() } else { Scores::default() })
    }

    pub(crate) fn add(&mut self, gate: &Gate, marks: &[Mark]) {
        match gate.subject {
            Subject::Evaluator { index, .. } => self.0.add(&marks[index]),
            Subject::Cases => {
                let mut verdicts = marks.iter().filter_map(Mark::verdict).peekable();
                if verdicts.peek().is_some() {
                    self.0.judged += 1;
                    self.0.passed += u64::from(verdicts.all(|passed| passed));
                }
            }
        }
    }
}

impl Gate {
    pub(crate) fn judge(&self, scores: &GateScores) -> GateResult {
        let found = self.statistic.of(&scores.0);
        let held = found.is_some_and(|found| self.wanted.comparison.holds(found, self.wanted.number));
        GateResult { gate: self.clone(), found, held }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scores::Marked;

    fn mark(score: f64, passed: Option<bool>) -> Mark {
        Mark { outcome: Marked::Score(score), passed }
    }

    fn error() -> Mark {
        Mark { outcome: Marked::Error("x".into()), passed: None }
    }

    fn judge(subject: Subject, statistic: &str, wanted: &str, cases: &[&[Mark]]) -> GateResult {
        let statistic = Statistic::parse(statistic).unwrap();
        let gate = Gate { subject, tag: None, statistic, wanted: Bound::parse(wanted).unwrap() };
        let mut scores = GateScores::new(&gate);
        for marks in cases {
            scores.add(&gate, marks);
        }
        gate.judge(&scores)
    }

    fn first() -> Subject {
        Subject::Evaluator { index: 0, label: "order".into() }
    }

    #[test]
    fn bounds_are_an_operator_and_a_number() {
        for (text, held_at_half) in [
            (">= 0.5", true),
            (">0.5", false),
            ("<= 50%", true),
            ("< 5e-1", false),
            ("= .5", true),
            ("== 0.5", true),
            ("!= 0.5", false),
        ] {
            let result = judge(first(), "mean", text, &[&[mark(0.5, None)]]);
            assert_eq!(result.held, held_at_half, "{text}");
        }
        for text in ["", "0.5", ">=", ">= x", "=> 1", ">= nan", ">= inf", ">= 5 %%", "> = 1"] {
            assert_eq!(Bound::parse(text), None, "{text}");
        }
    }

    #[test]
    fn statistics_have_names() {
        for name in ["mean", "min", "max", "p05", "p50", "p95", "pass_rate", "errors", "not_applicable"] {
            assert_eq!(Statistic::parse(name).unwrap().to_string(), name);
        }
        for name in ["p5", "p00", "p100", "p+5", "avg", ""] {
            assert_eq!(Statistic::parse(name), None, "{name}");
        }
    }

    #[test]
    fn no_scored_case_misses_every_gate_on_scores() {
        for statistic in ["mean", "min", "max", "p50", "pass_rate"] {
            let result = judge(first(), statistic, ">= 0", &[&[error()]]);
            assert!(!result.held, "{statistic}");
            assert_eq!(result.missed_by(), "no case was scored, wanted >= 0.000");
        }
        assert!(!judge(first(), "errors", "= 0", &[&[error()]]).held);
        assert!(judge(first(), "errors", "<= 1", &[&[error()]]).held);
    }

    #[test]
    fn a_case_passes_if_every_verdict_on_it_does() {
        let cases: [&[Mark]; 5] = [
            &[mark(1.0, Some(true)), mark(1.0, Some(true))],
            &[mark(1.0, Some(true)), mark(0.0, Some(false))],
            &[mark(0.3, None), mark(1.0, Some(true))],
            &[mark(0.0, None), mark(0.0, None)],
            &[mark(1.0, Some(true)), error()],
        ];
        let result = judge(Subject::Cases, "pass_rate", ">= 95%", &cases);
        assert_eq!(result.found, Some(0.5));
        assert_eq!(result.missed_by(), "50.0 % < 95.0 %");
        assert!(judge(Subject::Cases, "pass_rate", ">= 50%", &cases).held);
    }

    #[test]
    fn a_miss_shows_as_many_digits_as_it_needs() {
        let result = judge(first(), "mean", ">= 0.9", &[&[mark(0.871_4, None)]]);
        assert_eq!(
            (result.found(), result.wanted(), result.missed_by()),
            ("0.871".into(), ">= 0.900".into(), "0.871 < 0.900".into())
        );
        let close = judge(first(), "mean", ">= 0.9", &[&[mark(0.8999, None)]]);
        assert_eq!(close.missed_by(), "0.8999 < 0.9");
    }
}
