//! What gates came to, and the numbers that they look at.

use std::fmt;

use serde::{Deserialize, Serialize};

/// When a case with several trials has passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrialRule {
    /// Each trial counts as a case of its own.
    #[default]
    Each,
    /// If all its trials did.
    All,
    /// If any of its trials did.
    Any,
}

/// What a gate looks at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GateSubject {
    /// The scores of an evaluator.
    Evaluator {
        /// Its position in the run, while that goes on.
        index: Option<usize>,
        /// Its name or id, as the user wrote it.
        label: String,
    },
    /// The weighted scores of the cases.
    Score,
    /// The verdicts on the cases.
    Passed(TrialRule),
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
    relation: BoundRelation,
    number: f64,
    /// Written as a percentage.
    percent: bool,
}

/// A relation between two numbers.
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

impl BoundRelation {
    fn parse(text: &str) -> Self {
        let known = RELATIONS.iter().find(|(operator, _)| *operator == text);
        known.map_or(Self::Equal, |(_, relation)| *relation)
    }
}

impl fmt::Display for BoundRelation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Of two ways to write it the last is the short one.
        let known = RELATIONS.iter().rfind(|(_, relation)| relation == self);
        f.write_str(known.map_or("=", |(operator, _)| operator))
    }
}

impl Bound {
    /// Of at least this share.
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

    /// Whether a number is as wanted.
    pub fn holds(self, found: f64) -> bool {
        self.relation.holds(found, self.number)
    }

    /// Whether the number was written as a percentage.
    pub fn is_percent(self) -> bool {
        self.percent
    }

    /// Reads `>= 0.9` or `>= 95%`.
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

    /// The statistic of a name.
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

    /// True for what changed since the baseline.
    pub fn is_of_change(self) -> bool {
        matches!(self, Self::Change(_))
    }

    /// True for what is judged of the cases that an evaluator applies to.
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

/// A number of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeStatistic {
    /// The change of the mean.
    Change,
    /// The lower end of its interval: with 95 % confidence the mean changed by this or more.
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

    /// The statistic of a name.
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

/// What a gate came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "GateText", into = "GateText")]
pub struct GateResult {
    /// What was looked at.
    pub subject: GateSubject,
    /// Which number of it.
    pub statistic: Statistic,
    /// The cases that counted, in words; empty for all.
    pub only: String,
    /// What the gate groups cases by, in words.
    pub by: Option<String>,
    /// The group, for a gate that looks at groups.
    pub group: Option<String>,
    /// What the number was to be.
    pub wanted: Bound,
    /// The number found; `None` where no case gave one, which misses the gate.
    pub found: Option<f64>,
    /// Whether the condition holds.
    pub held: bool,
    /// Whether no case at all was judged by what the gate looks at. The condition then never holds.
    pub unjudged: bool,
}

/// A result of a gate as JSON has it.
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
    /// Where shares are not written as such, or something else is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    percent: Option<bool>,
    found: Option<f64>,
    held: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    unjudged: bool,
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
            found: gate.found,
            held: gate.held,
            unjudged: gate.unjudged,
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
            found: text.found,
            held: text.held,
            unjudged: text.unjudged,
        }
    }
}

impl GateResult {
    /// Notes that no case was judged, so that nothing holds of them.
    pub fn mark_unjudged(&mut self) {
        self.unjudged = true;
        if self.held {
            (self.held, self.found) = (false, None);
        }
    }

    /// The evaluator's name or id, `score` or `passed`, with the cases that are meant.
    pub fn label(&self) -> String {
        let subject = match &self.subject {
            GateSubject::Evaluator { label, .. } => label,
            GateSubject::Score => "score",
            GateSubject::Passed(TrialRule::Each) => "passed",
            GateSubject::Passed(TrialRule::All) => "passed in all trials",
            GateSubject::Passed(TrialRule::Any) => "passed in any trial",
        };
        let only = Some(self.only.clone()).filter(|only| !only.is_empty());
        // Histories of the first version do not say what the groups are.
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

    /// The name of the number: `mean`; nothing for a pass rate of cases, whose label says it already.
    pub fn statistic_name(&self) -> String {
        match (&self.subject, self.statistic) {
            (GateSubject::Passed(_), Statistic::PassRate) => String::new(),
            (_, statistic) => statistic.to_string(),
        }
    }

    /// The number found, as the gate writes numbers.
    pub fn found_text(&self) -> String {
        self.found
            .map_or_else(|| "–".to_owned(), |found| self.number(found))
    }

    /// What was wanted: `>= 0.900`.
    pub fn wanted_text(&self) -> String {
        format!(
            "{} {}",
            self.wanted.relation,
            self.number(self.wanted.number)
        )
    }

    /// Why the gate is missed: `0.871 < 0.900`.
    pub fn missed_by(&self) -> String {
        match self.found {
            None if self.statistic.is_of_change() => format!(
                "nothing to compare in the baseline, wanted {}",
                self.wanted_text()
            ),
            None if self.unjudged => format!("no case was judged, wanted {}", self.wanted_text()),
            None if self.statistic.is_count() => {
                format!("there is no such case, wanted {}", self.wanted_text())
            }
            None => format!("no case was scored, wanted {}", self.wanted_text()),
            Some(found) => {
                let Bound {
                    relation, number, ..
                } = self.wanted;
                let mut sides = (self.number(found), self.number(number));
                if sides.0 == sides.1 && found != number {
                    // Rounded alike: only all digits show the difference.
                    sides = (found.to_string(), number.to_string());
                }
                format!("{} {} {}", sides.0, relation.negated(), sides.1)
            }
        }
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

    /// What was missed and by how much, under the gate's label or one that was made to fit: `order mean 0.871 < 0.900`.
    pub fn missed(&self, label: &str) -> String {
        let statistic = self.statistic_name();
        let space = if statistic.is_empty() { "" } else { " " };
        format!("{label}{space}{statistic} {}", self.missed_by())
    }
}
