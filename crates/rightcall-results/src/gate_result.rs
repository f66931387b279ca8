//! Results of gates, and the statistics that gates check.

use std::fmt;

use rightcall_stats::{TrialCounts, is_same_score};
use serde::{Deserialize, Serialize};

/// The rule for passing a case with several trials.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrialRule {
    /// Each trial counts separately.
    #[default]
    Each,
    /// The case passes if all trials pass.
    All,
    /// The case passes if any trial passes.
    Any,
}

/// The subject that a gate measures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GateSubject {
    /// The scores of an evaluator.
    Evaluator {
        /// Its index in the run; only set during the run.
        index: Option<usize>,
        /// Its name or id, as the user wrote it.
        label: String,
    },
    /// The weighted scores of the cases.
    Score,
    /// The verdicts on the cases.
    Passed(TrialRule),
}

/// A statistic of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statistic {
    /// Mean score.
    Mean,
    /// Lowest score.
    Min,
    /// Highest score.
    Max,
    /// A percentile of the scores: this many percent of the cases are below it.
    Percentile(u8),
    /// Share of cases that passed, of those with a verdict.
    PassRate,
    /// Share of cases to which the evaluator applies.
    Applicable,
    /// Number of cases that ended in an error.
    Errors,
    /// Number of cases to which the evaluator does not apply.
    NotApplicable,
    /// A statistic of the change since the baseline.
    Change(ChangeStatistic),
}

/// A comparison operator with the number on its right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    relation: BoundRelation,
    number: f64,
    /// True if written as a percentage.
    percent: bool,
}

/// A comparison operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundRelation {
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

const RELATIONS: [(&str, BoundRelation); 7] = [
    (">=", BoundRelation::GreaterOrEqual),
    ("<=", BoundRelation::LessOrEqual),
    ("!=", BoundRelation::NotEqual),
    ("==", BoundRelation::Equal),
    ("=", BoundRelation::Equal),
    (">", BoundRelation::Greater),
    ("<", BoundRelation::Less),
];

impl BoundRelation {
    fn holds(self, found: f64, wanted: f64) -> bool {
        // A mean of floats may differ from its true value in the last digits.
        let is_equal = is_same_score(found, wanted);
        match self {
            Self::Equal => is_equal,
            Self::NotEqual => !is_equal,
            Self::Greater => found > wanted && !is_equal,
            Self::GreaterOrEqual => found > wanted || is_equal,
            Self::Less => found < wanted && !is_equal,
            Self::LessOrEqual => found < wanted || is_equal,
        }
    }

    /// The operator that is true exactly if this one is false.
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

impl BoundRelation {
    fn parse(text: &str) -> Self {
        let known = RELATIONS.iter().find(|(operator, _)| *operator == text);
        known.map_or(Self::Equal, |(_, relation)| *relation)
    }
}

impl TrialRule {
    /// True if a case passed, by its trials.
    pub fn is_passed(self, trials: TrialCounts) -> bool {
        match self {
            Self::Each | Self::All => trials.passed == trials.trials,
            Self::Any => trials.passed > 0,
        }
    }
}

impl fmt::Display for BoundRelation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // If an operator has two spellings, the last one is shorter.
        let known = RELATIONS.iter().rfind(|(_, relation)| relation == self);
        f.write_str(known.map_or("=", |(operator, _)| operator))
    }
}

impl Bound {
    /// At least this share in percent.
    pub const fn at_least_percent(percent: u8) -> Self {
        Self {
            relation: BoundRelation::GreaterOrEqual,
            number: percent as f64 / 100.0,
            percent: true,
        }
    }

    /// The number on the right.
    pub fn number(self) -> f64 {
        self.number
    }

    /// The relation.
    pub fn relation(self) -> BoundRelation {
        self.relation
    }

    /// True if the number satisfies the condition.
    pub fn holds(self, found: f64) -> bool {
        self.relation.holds(found, self.number)
    }

    /// True if the number was written as a percentage.
    pub fn is_percent(self) -> bool {
        self.percent
    }

    /// Parses `>= 0.9` or `>= 95%`.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (operator, relation) = RELATIONS
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
            relation: *relation,
            number: if percent { number / 100.0 } else { number },
            percent,
        })
    }
}

impl Statistic {
    const NAMES: [(Self, &'static str); 7] = [
        (Self::Mean, "mean"),
        (Self::Min, "min"),
        (Self::Max, "max"),
        (Self::PassRate, "pass_rate"),
        (Self::Applicable, "applicable"),
        (Self::Errors, "errors"),
        (Self::NotApplicable, "not_applicable"),
    ];

    /// The statistic with this name.
    pub fn parse(name: &str) -> Option<Self> {
        let known = Self::NAMES.iter().find(|(_, known)| *known == name);
        if let Some((statistic, _)) = known {
            return Some(*statistic);
        }
        if let Some(change) = ChangeStatistic::parse(name) {
            return Some(Self::Change(change));
        }
        let is_two_digits =
            |it: &&str| it.len() == 2 && it.bytes().all(|byte| byte.is_ascii_digit());
        let percent = name.strip_prefix('p').filter(is_two_digits)?.parse().ok();
        percent.filter(|it| *it > 0).map(Self::Percentile)
    }

    /// True for a number of cases.
    pub fn is_count(self) -> bool {
        match self {
            Self::Errors | Self::NotApplicable => true,
            Self::Change(change) => change.is_count(),
            _ => false,
        }
    }

    /// True for a share of cases.
    fn is_share(self) -> bool {
        matches!(self, Self::PassRate | Self::Applicable)
    }

    /// True for a statistic of the change since the baseline.
    pub fn is_of_change(self) -> bool {
        matches!(self, Self::Change(_))
    }

    /// True for a statistic over the cases to which an evaluator applies.
    pub fn is_of_applicable(self) -> bool {
        !self.is_count() && self != Self::Applicable && !self.is_of_change()
    }
}

impl fmt::Display for Statistic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self, Self::NAMES.iter().find(|(known, _)| known == self)) {
            (Self::Percentile(percent), _) => f.pad(&format!("p{percent:02}")),
            (Self::Change(change), _) => f.pad(change.name()),
            (_, known) => f.pad(known.map_or("", |(_, name)| name)),
        }
    }
}

/// A statistic of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeStatistic {
    /// The change of the mean.
    Change,
    /// The lower end of its interval: with 95 % confidence the true change is at least this.
    Low,
    /// The upper end of its interval.
    High,
    /// Number of cases that got worse.
    Worse,
    /// Number of cases that got better.
    Better,
}

impl ChangeStatistic {
    const NAMES: [(Self, &'static str); 5] = [
        (Self::Change, "change"),
        (Self::Low, "change_low"),
        (Self::High, "change_high"),
        (Self::Worse, "worse"),
        (Self::Better, "better"),
    ];

    /// The statistic with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::NAMES
            .iter()
            .find(|(_, known)| *known == name)
            .map(|(statistic, _)| *statistic)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::NAMES
            .iter()
            .find(|(statistic, _)| *statistic == self)
            .map_or("", |(_, name)| name)
    }

    /// True for a number of cases.
    pub fn is_count(self) -> bool {
        matches!(self, Self::Worse | Self::Better)
    }
}

/// The reason for an unknown end of an interval.
pub const UNKNOWN_END: &str = "unknown: 1 case is in both runs, an interval needs 2";

/// The result of a gate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "GateText", into = "GateText")]
pub struct GateResult {
    /// The subject that the gate measures.
    pub subject: GateSubject,
    /// The statistic of the subject.
    pub statistic: Statistic,
    /// The filter for cases, as text; empty for all cases.
    pub only: String,
    /// The grouping of cases, as text.
    pub by: Option<String>,
    /// The group, for a gate with groups.
    pub group: Option<String>,
    /// The condition on the number.
    pub wanted: Bound,
    /// The number found; `None` if no case has one, which fails the gate. Infinite for the end of an interval over a single case.
    pub found: Option<f64>,
    /// True if the condition holds.
    pub held: bool,
    /// True if the subject scored no case at all. The gate then always fails.
    pub unjudged: bool,
    /// For a gate on changes: cases that the baseline judged in more trials. If there are any, the gate fails.
    pub no_longer_judged: u64,
}

/// The JSON form of a gate's result.
#[derive(Serialize, Deserialize)]
struct GateText {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    evaluator: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    of: Option<String>,
    statistic: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    only: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    by: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    group: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    trials: Option<TrialRule>,
    wanted: (String, f64),
    /// Set only if it differs from the default: percent for shares, plain numbers otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    percent: Option<bool>,
    found: Option<f64>,
    /// True for an end of an interval that needs more cases; `found` is null then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    unknown: bool,
    held: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    unjudged: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    no_longer_judged: Option<u64>,
}

impl From<GateResult> for GateText {
    fn from(gate: GateResult) -> Self {
        let (evaluator, of, trials) = match gate.subject {
            GateSubject::Evaluator { label, .. } => (Some(label), None, None),
            GateSubject::Score => (None, Some("score".to_owned()), None),
            GateSubject::Passed(rule) => (
                None,
                Some("passed".to_owned()),
                Some(rule).filter(|rule| *rule != TrialRule::Each),
            ),
        };
        Self {
            evaluator,
            of,
            statistic: gate.statistic.to_string(),
            only: gate.only,
            by: gate.by,
            group: gate.group,
            trials,
            wanted: (gate.wanted.relation.to_string(), gate.wanted.number),
            percent: Some(gate.wanted.percent)
                .filter(|percent| *percent != gate.statistic.is_share()),
            found: gate.found.filter(|found| found.is_finite()),
            unknown: gate.found.is_some_and(|found| !found.is_finite()),
            held: gate.held,
            unjudged: gate.unjudged,
            no_longer_judged: Some(gate.no_longer_judged).filter(|cases| *cases > 0),
        }
    }
}

impl From<GateText> for GateResult {
    fn from(text: GateText) -> Self {
        let subject = match (text.evaluator, text.of.as_deref()) {
            (Some(label), _) => GateSubject::Evaluator { index: None, label },
            (None, Some("passed")) => GateSubject::Passed(text.trials.unwrap_or_default()),
            (None, _) => GateSubject::Score,
        };
        let statistic = Statistic::parse(&text.statistic).unwrap_or(Statistic::Mean);
        let percent = text.percent.unwrap_or(statistic.is_share());
        Self {
            subject,
            statistic,
            only: text.only,
            by: text.by,
            group: text.group,
            wanted: Bound {
                relation: BoundRelation::parse(&text.wanted.0),
                number: text.wanted.1,
                percent,
            },
            found: text.found.or(match statistic {
                Statistic::Change(ChangeStatistic::High) if text.unknown => Some(f64::INFINITY),
                _ if text.unknown => Some(f64::NEG_INFINITY),
                _ => None,
            }),
            held: text.held,
            unjudged: text.unjudged,
            no_longer_judged: text.no_longer_judged.unwrap_or_default(),
        }
    }
}

impl GateResult {
    /// Records that the subject scored no case, so the gate fails.
    pub fn mark_unjudged(&mut self) {
        self.unjudged = true;
        if self.held {
            (self.held, self.found) = (false, None);
        }
    }

    /// Records that cases of the baseline are no longer judged in all their trials. A gate on changes fails then: a run could pass it by
    /// losing the cases that got worse.
    pub fn mark_lost(&mut self, cases: usize) {
        self.no_longer_judged = cases as u64;
        self.held &= cases == 0;
    }

    /// The evaluator's name or id, `score` or `passed`, with the filter for cases.
    pub fn label(&self) -> String {
        let subject = match &self.subject {
            GateSubject::Evaluator { label, .. } => label,
            GateSubject::Score => "score",
            GateSubject::Passed(TrialRule::Each) => "passed",
            GateSubject::Passed(TrialRule::All) => "passed in all trials",
            GateSubject::Passed(TrialRule::Any) => "passed in any trial",
        };
        let only = Some(self.only.clone()).filter(|only| !only.is_empty());
        // Histories of the first version do not store the grouping.
        let group = self.group.as_ref().map(|group| match &self.by {
            Some(by) => format!("{by}: {group}"),
            None => group.clone(),
        });
        let cases: Vec<_> = only.into_iter().chain(group).collect();
        if cases.is_empty() {
            subject.to_owned()
        } else {
            format!("{subject} [{}]", cases.join("; "))
        }
    }

    /// The name of the statistic: `mean`; empty for a pass rate of cases, since the label already
    /// includes it.
    pub fn statistic_name(&self) -> String {
        match (&self.subject, self.statistic) {
            (GateSubject::Passed(_), Statistic::PassRate) => String::new(),
            (_, statistic) => statistic.to_string(),
        }
    }

    /// The number found, in the format of the gate.
    pub fn found_text(&self) -> String {
        self.found
            .map_or_else(|| "–".to_owned(), |found| self.number(found))
    }

    /// The condition: `>= 0.900`.
    pub fn wanted_text(&self) -> String {
        format!(
            "{} {}",
            self.wanted.relation,
            self.number(self.wanted.number)
        )
    }

    /// Why the gate fails: `0.871 < 0.900`.
    pub fn missed_by(&self) -> String {
        match self.found {
            None => format!("{}, wanted {}", self.why_unknown(), self.wanted_text()),
            Some(found) if !found.is_finite() => {
                format!("{UNKNOWN_END}, wanted {}", self.wanted_text())
            }
            Some(found) => {
                let Bound {
                    relation, number, ..
                } = self.wanted;
                let mut sides = (self.number(found), self.number(number));
                if sides.0 == sides.1 && found != number {
                    // Both round to the same text, so show all digits.
                    sides = (found.to_string(), number.to_string());
                }
                format!("{} {} {}", sides.0, relation.negated(), sides.1)
            }
        }
    }

    /// The reason for a missing number.
    fn why_unknown(&self) -> &'static str {
        if self.statistic.is_of_change() {
            "no case of both runs was judged"
        } else if self.unjudged {
            "no case was judged"
        } else if self.statistic.is_count() {
            "there is no such case"
        } else {
            "no case was scored"
        }
    }

    /// For a gate on a number of cases: the numbers found and allowed, as text. `None` for other
    /// gates.
    fn counted_cases(&self) -> Option<String> {
        let found = self.found?;
        let what = match self.statistic {
            Statistic::Errors => "ended in an error",
            Statistic::NotApplicable if found == 1.0 => "is not applicable",
            Statistic::NotApplicable => "are not applicable",
            Statistic::Change(ChangeStatistic::Worse) => "got worse",
            Statistic::Change(ChangeStatistic::Better) => "got better",
            _ => return None,
        };
        let cases = if found == 1.0 { "case" } else { "cases" };
        let is_wanted = self.statistic == Statistic::Change(ChangeStatistic::Better);
        let verb = if is_wanted { "wanted" } else { "allowed" };
        let limit = self.wanted.number;
        let limit = match self.wanted.relation {
            BoundRelation::Equal => format!("{limit} {verb}"),
            BoundRelation::NotEqual => format!("any other number {verb}"),
            BoundRelation::Greater => format!("more than {limit} {verb}"),
            BoundRelation::GreaterOrEqual => format!("at least {limit} {verb}"),
            BoundRelation::Less => format!("fewer than {limit} {verb}"),
            BoundRelation::LessOrEqual => format!("at most {limit} {verb}"),
        };
        Some(format!("{found} {cases} {what}, {limit}"))
    }

    fn number(&self, number: f64) -> String {
        if self.statistic.is_count() {
            number.to_string()
        } else if !number.is_finite() {
            "unknown".to_owned()
        } else if self.statistic.is_of_change() && !self.wanted.percent {
            format!("{number:+.3}")
        } else if self.wanted.percent {
            format!("{:.1} %", number * 100.0)
        } else {
            format!("{number:.3}")
        }
    }

    /// The failed statistic and the reason, after the gate's label or a shortened one: `order mean
    /// 0.871 < 0.900`, `order: 1 case got worse, 0 allowed`.
    pub fn missed(&self, label: &str) -> String {
        let meets = self.found.is_some_and(|found| self.wanted.holds(found));
        if meets && self.no_longer_judged > 0 {
            let cases = match self.no_longer_judged {
                1 => "1 case is".to_owned(),
                cases => format!("{cases} cases are"),
            };
            return format!(
                "{label} {}: {cases} no longer judged",
                self.statistic_name()
            );
        }
        if let Some(counted) = self.counted_cases() {
            let is_whole = self.label() == "score";
            return if is_whole && self.statistic.is_of_change() {
                counted
            } else {
                format!("{label}: {counted}")
            };
        }
        let statistic = self.statistic_name();
        let space = if statistic.is_empty() { "" } else { " " };
        if self.found.is_none() {
            let (why, wanted) = (self.why_unknown(), self.wanted_text());
            return format!("{label}: {why}, wanted {statistic}{space}{wanted}");
        }
        format!("{label}{space}{statistic} {}", self.missed_by())
    }
}

#[cfg(test)]
mod tests;
