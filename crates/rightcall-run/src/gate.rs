//! Gates: conditions on a run that decide whether it is good enough.

use std::collections::BTreeMap;
use std::fmt;

use rightcall::call::Case;
use rightcall::value::JsonWriter;

use crate::scores::{Mark, Marked, Scores};
use crate::trials::TrialVerdicts;
use crate::{ChangeStatistic, Filter, Grouping};

/// A condition on a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    /// What is looked at.
    pub subject: Subject,
    /// Only these cases count.
    pub only: Filter,
    /// The condition must hold in each of these groups.
    pub by: Option<Grouping>,
    /// Which number of it.
    pub statistic: Statistic,
    /// What that number is to be.
    pub wanted: Bound,
    /// Nobody wrote it: it stands beside every gate on scores, so that a few good cases cannot speak for many that the
    /// evaluator did not apply to. It is shown only where it is missed.
    pub implied: bool,
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
    /// The weighted scores of the cases.
    Score,
    /// The verdicts on the cases.
    Passed(Trials),
}

/// When a case with several trials has passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trials {
    /// Each trial counts as a case of its own.
    #[default]
    Each,
    /// If all its trials did.
    All,
    /// If any of its trials did.
    Any,
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
    /// Share of cases to which the evaluator applies.
    Applicable,
    /// Number of cases that ended in an error.
    Errors,
    /// Number of cases to which the evaluator does not apply.
    NotApplicable,
    /// A number of what changed since the baseline.
    Change(ChangeStatistic),
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
    /// Of at least this share.
    pub(crate) const fn at_least_percent(percent: u8) -> Self {
        Self {
            comparison: Comparison::GreaterOrEqual,
            number: percent as f64 / 100.0,
            percent: true,
        }
    }

    /// The number on the right.
    pub(crate) fn number(self) -> f64 {
        self.number
    }

    /// The relation.
    pub(crate) fn comparison(self) -> Comparison {
        self.comparison
    }

    /// Whether a number is as wanted.
    pub(crate) fn holds(self, found: f64) -> bool {
        self.comparison.holds(found, self.number)
    }

    /// Whether the number was written as a percentage.
    pub(crate) fn is_percent(self) -> bool {
        self.percent
    }

    /// Reads `>= 0.9` or `>= 95%`.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (operator, comparison) = COMPARISONS
            .iter()
            .find(|(operator, _)| text.starts_with(operator))?;
        let number = text[operator.len()..].trim();
        let (number, percent) = number
            .strip_suffix('%')
            .map_or((number, false), |number| (number.trim_end(), true));
        let is_plain = number
            .bytes()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+' | b'e' | b'E'));
        let number: f64 = number
            .parse()
            .ok()
            .filter(|number: &f64| is_plain && number.is_finite())?;
        Some(Self {
            comparison: *comparison,
            number: if percent { number / 100.0 } else { number },
            percent,
        })
    }
}

impl Statistic {
    /// The statistic of a name.
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "mean" => Self::Mean,
            "min" => Self::Min,
            "max" => Self::Max,
            "pass_rate" => Self::PassRate,
            "applicable" => Self::Applicable,
            "errors" => Self::Errors,
            "not_applicable" => Self::NotApplicable,
            change if ChangeStatistic::parse(change).is_some() => {
                Self::Change(ChangeStatistic::parse(change)?)
            }
            _ => {
                let digits = name.strip_prefix('p').filter(|digits| {
                    digits.len() == 2 && digits.bytes().all(|it| it.is_ascii_digit())
                })?;
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
            Self::Applicable => scores.applicable(),
            // None of no cases is no good news.
            Self::Errors | Self::NotApplicable
                if scores.scored + scores.not_applicable + scores.errors == 0 =>
            {
                None
            }
            Self::Errors => Some(scores.errors as f64),
            Self::NotApplicable => Some(scores.not_applicable as f64),
            // Judged beside the baseline.
            Self::Change(_) => None,
        }
    }

    /// True for a number of cases.
    fn is_count(self) -> bool {
        match self {
            Self::Errors | Self::NotApplicable => true,
            Self::Change(change) => change.is_count(),
            _ => false,
        }
    }

    /// True for what changed since the baseline.
    pub fn is_of_change(self) -> bool {
        matches!(self, Self::Change(_))
    }

    /// True for what is judged of the cases that an evaluator applies to.
    pub(crate) fn is_of_applicable(self) -> bool {
        !self.is_count() && self != Self::Applicable && !self.is_of_change()
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
            Self::Applicable => f.pad("applicable"),
            Self::Errors => f.pad("errors"),
            Self::NotApplicable => f.pad("not_applicable"),
            Self::Change(change) => f.pad(change.name()),
        }
    }
}

/// What a gate came to.
#[derive(Clone, Debug, PartialEq)]
pub struct GateResult {
    /// The gate.
    pub gate: Gate,
    /// The group, for a gate that looks at groups.
    pub group: Option<String>,
    /// The number found; `None` where no case gave one, which misses the gate.
    pub found: Option<f64>,
    /// Whether the condition holds.
    pub held: bool,
}

impl GateResult {
    /// The evaluator's name or id, `score` or `passed`, with the cases that are meant.
    pub fn label(&self) -> String {
        let subject = match &self.gate.subject {
            Subject::Evaluator { label, .. } => label,
            Subject::Score => "score",
            Subject::Passed(Trials::Each) => "passed",
            Subject::Passed(Trials::All) => "passed in all trials",
            Subject::Passed(Trials::Any) => "passed in any trial",
        };
        let only = Some(self.gate.only.to_string()).filter(|only| !only.is_empty());
        let group = self
            .gate
            .by
            .as_ref()
            .zip(self.group.as_ref())
            .map(|(by, group)| format!("{by}: {group}"));
        let cases: Vec<_> = only.into_iter().chain(group).collect();
        if cases.is_empty() {
            subject.to_owned()
        } else {
            format!("{subject} [{}]", cases.join("; "))
        }
    }

    /// The name of the number: `mean`; nothing for a pass rate of cases, whose label says it already.
    pub fn statistic(&self) -> String {
        match (&self.gate.subject, self.gate.statistic) {
            (Subject::Passed(_), Statistic::PassRate) => String::new(),
            (_, statistic) => statistic.to_string(),
        }
    }

    /// The number found, as the gate writes numbers.
    pub fn found(&self) -> String {
        self.found
            .map_or_else(|| "–".to_owned(), |found| self.number(found))
    }

    /// What was wanted: `>= 0.900`.
    pub fn wanted(&self) -> String {
        format!(
            "{} {}",
            self.gate.wanted.comparison,
            self.number(self.gate.wanted.number)
        )
    }

    /// Why the gate is missed: `0.871 < 0.900`.
    pub fn missed_by(&self) -> String {
        match self.found {
            None if self.gate.statistic.is_of_change() => format!(
                "nothing to compare in the baseline, wanted {}",
                self.wanted()
            ),
            None if self.gate.statistic.is_count() => {
                format!("there is no such case, wanted {}", self.wanted())
            }
            None => format!("no case was scored, wanted {}", self.wanted()),
            Some(found) => {
                let Bound {
                    comparison, number, ..
                } = self.gate.wanted;
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
        } else if !number.is_finite() {
            "unknown".to_owned()
        } else if self.gate.statistic.is_of_change() && !self.gate.wanted.percent {
            format!("{number:+.3}")
        } else if self.gate.wanted.percent {
            format!("{:.1} %", number * 100.0)
        } else {
            format!("{number:.3}")
        }
    }

    pub(crate) fn write(&self, writer: &mut JsonWriter) {
        writer.begin_object();
        match &self.gate.subject {
            Subject::Evaluator { label, .. } => _ = writer.key("evaluator").str(label),
            Subject::Score => _ = writer.key("of").str("score"),
            Subject::Passed(_) => _ = writer.key("of").str("passed"),
        }
        writer
            .key("statistic")
            .str(&self.gate.statistic.to_string());
        if !self.gate.only.is_everything() {
            writer.key("only").str(&self.gate.only.to_string());
        }
        if let Some(group) = &self.group {
            writer.key("group").str(group);
        }
        writer
            .key("wanted")
            .begin_list()
            .str(&self.gate.wanted.comparison.to_string())
            .float(self.gate.wanted.number)
            .end_list();
        writer
            .key("found")
            .float(self.found.unwrap_or(f64::NAN))
            .key("held")
            .bool(self.held)
            .end_object();
    }
}

/// The scores that one gate looks at, group by group.
pub(crate) struct GateScores {
    /// By name of the group; under the empty name where the gate does not look at groups.
    groups: BTreeMap<String, GroupScores>,
    /// There were more groups than are kept.
    overflowed: bool,
}

/// Groups that one gate or table takes: memory must not grow with the number of cases.
pub(crate) const MAX_GROUPS: usize = 1000;

/// A case, as gates see it.
pub(crate) struct JudgedCase<'c> {
    /// By evaluator.
    pub(crate) marks: &'c [Mark],
    /// Of all evaluators.
    pub(crate) mark: &'c Mark,
    /// What its trials have in common.
    pub(crate) trials: u64,
}

#[derive(Default)]
struct GroupScores {
    scores: Scores,
    /// Kept only where trials count together.
    trials: TrialVerdicts,
}

impl GateScores {
    pub(crate) fn new(gate: &Gate) -> Self {
        let all = gate
            .by
            .is_none()
            .then(|| (String::new(), GroupScores::new(gate)));
        Self {
            groups: all.into_iter().collect(),
            overflowed: false,
        }
    }

    /// Adds a case; `groups` are those that it belongs to, for a gate that looks at groups.
    pub(crate) fn add(&mut self, gate: &Gate, groups: Option<&[String]>, case: &JudgedCase<'_>) {
        for group in groups.unwrap_or(&[String::new()]) {
            if let Some(known) = self.groups.get_mut(group) {
                known.add(gate, case);
            } else if self.groups.len() < MAX_GROUPS {
                let mut new = GroupScores::new(gate);
                new.add(gate, case);
                self.groups.insert(group.clone(), new);
            } else {
                self.overflowed = true;
            }
        }
    }
}

impl GroupScores {
    fn new(gate: &Gate) -> Self {
        let keeps_all = matches!(gate.statistic, Statistic::Percentile(_));
        Self {
            scores: if keeps_all {
                Scores::with_quantiles()
            } else {
                Scores::default()
            },
            ..Self::default()
        }
    }

    fn add(&mut self, gate: &Gate, case: &JudgedCase<'_>) {
        match gate.subject {
            Subject::Evaluator { index, .. } => self.scores.add(&case.marks[index]),
            Subject::Score => self.scores.add(case.mark),
            Subject::Passed(trials) => self.add_verdict(trials, case),
        }
    }

    fn add_verdict(&mut self, trials: Trials, case: &JudgedCase<'_>) {
        let Some(passed) = case.mark.verdict() else {
            self.scores.not_applicable += 1;
            return;
        };
        self.scores.scored += 1;
        self.scores.errors += u64::from(matches!(case.mark.outcome, Marked::Error(_)));
        if trials == Trials::Each {
            self.scores.judged += 1;
            self.scores.passed += u64::from(passed);
        } else {
            self.trials.add(case.trials, passed);
        }
    }

    fn found(&self, gate: &Gate) -> Option<f64> {
        let Subject::Passed(trials) = gate.subject else {
            return gate.statistic.of(&self.scores);
        };
        match (gate.statistic, trials) {
            (Statistic::PassRate, Trials::All | Trials::Any) => {
                let count = self.trials.count();
                let passed = if trials == Trials::All {
                    count.in_all
                } else {
                    count.in_any
                };
                (count.cases > 0).then(|| passed as f64 / count.cases as f64)
            }
            (Statistic::PassRate, Trials::Each) => (self.scores.judged > 0)
                .then(|| self.scores.passed as f64 / self.scores.judged as f64),
            // An error is a verdict too, so it counts once.
            (Statistic::Applicable, _) => {
                let all = self.scores.scored + self.scores.not_applicable;
                (all > 0).then(|| self.scores.scored as f64 / all as f64)
            }
            (statistic, _) => statistic.of(&self.scores),
        }
    }
}

impl Gate {
    /// Whether the case counts.
    pub(crate) fn looks_at(&self, case: &Case<'_>) -> bool {
        self.only.admits(case) && self.by.as_ref().is_none_or(|by| by.knows(case))
    }

    /// What the gate came to: one result, or one for each group; none of what nobody wrote and holds.
    pub(crate) fn judge(&self, scores: &GateScores) -> Vec<GateResult> {
        let nothing = GroupScores::default();
        let groups = scores
            .groups
            .iter()
            .map(|(name, group)| (self.by.is_some().then(|| name.clone()), group));
        let none = scores.groups.is_empty().then_some((None, &nothing));
        let judge = |(group, scores): (Option<String>, &GroupScores)| {
            let found = scores.found(self);
            let held =
                found.is_some_and(|found| self.wanted.comparison.holds(found, self.wanted.number));
            GateResult {
                gate: self.clone(),
                group,
                found,
                held,
            }
        };
        // What was not looked at does not hold.
        let more = scores
            .overflowed
            .then(|| (Some(format!("more than {MAX_GROUPS} groups")), &nothing));
        groups
            .chain(none)
            .chain(more)
            .map(judge)
            .filter(|result| !(self.implied && result.held))
            .collect()
    }
}

#[cfg(test)]
mod tests;
