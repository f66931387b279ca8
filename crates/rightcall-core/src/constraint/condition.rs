//! A constraint of any kind.

use std::borrow::Cow;
use std::sync::Arc;

use super::Wanted;
use super::before::Before;
use super::judgement::{Judgement, NOT_CALLED, ObservedValue, Verdict};
use super::loops::{LoopKind, judge_loops};
use super::relation::Relation;
use super::repeats::{judge_errors, judge_repeats, judge_retries};
use super::schema::SchemaCheck;
use super::times::Times;
use crate::call::{Call, Count};
use crate::explanation::ExplainedCheck;
use crate::matching::NamePattern;
use crate::outcome::EvaluationError;
use crate::rule::Rule;
use crate::value::HashKey;

/// A condition on a run.
#[derive(Clone, Debug)]
pub(crate) enum Constraint {
    /// A number of calls of a tool, or of all tools that match a pattern.
    Count(NamePattern, Wanted),
    /// At least one call.
    Required(NamePattern),
    /// No call.
    Forbidden(NamePattern),
    /// A relation between two numbers of calls.
    Relation(Relation),
    /// One tool before another.
    Before(Before),
    /// At most this number of calls.
    Calls(usize),
    /// At most this number of failed calls.
    Errors(usize),
    /// At most this number of repeats of the same call, not counting repeats after an error.
    Repeats(usize),
    /// At most this number of repeats after an error.
    Retries(usize),
    /// Maximum duration of a call, in seconds.
    CallSeconds(f64),
    /// Maximum duration of the run, in seconds.
    RunSeconds(f64),
    /// Maximum gap between calls, in seconds.
    GapSeconds(f64),
    /// At most this number of calls within sixty seconds.
    CallsPerMinute(usize),
    /// No loop with this number of iterations or more.
    Loop(LoopKind, usize),
    /// A rule with arguments.
    Rule(Arc<Rule>),
    /// Arguments that the schemas of the tools allow.
    Schema(SchemaCheck),
}

impl Constraint {
    /// The constraint for a count in a case; `None` if its operator is unknown.
    pub(crate) fn from_count(count: &Count<'_>) -> Option<Self> {
        Some(Self::Count(
            NamePattern::new(count.name.to_display()),
            Wanted::from_count(count)?,
        ))
    }

    /// Judges the calls of a run by this constraint.
    ///
    /// # Errors
    /// A time can't be parsed.
    pub(crate) fn judge(
        &self,
        calls: &[Call<'_>],
        key: HashKey,
    ) -> Result<Judgement, EvaluationError> {
        Ok(match self {
            Self::Count(pattern, wanted) => count(calls, pattern, wanted),
            Self::Required(pattern) => count(calls, pattern, &Wanted::at_least(1)),
            Self::Forbidden(pattern) => count(calls, pattern, &Wanted::exactly(0)),
            Self::Relation(relation) => relation.judge(calls),
            Self::Before(before) => before.judge(calls),
            Self::Calls(limit) => {
                // The calls above the limit are the last ones.
                Judgement::new(
                    calls.len() <= *limit,
                    ObservedValue::Calls(calls.len()),
                    (*limit..calls.len()).collect(),
                )
            }
            Self::Errors(limit) => judge_errors(calls, *limit),
            Self::Repeats(limit) => judge_repeats(calls, *limit, key),
            Self::Retries(limit) => judge_retries(calls, *limit, key),
            Self::CallSeconds(seconds) => {
                Times::from_calls(calls)?.judge_calls(nanoseconds(*seconds))
            }
            Self::RunSeconds(seconds) => Times::from_calls(calls)?.judge_run(nanoseconds(*seconds)),
            Self::GapSeconds(seconds) => {
                Times::from_calls(calls)?.judge_gaps(nanoseconds(*seconds))
            }
            Self::CallsPerMinute(limit) => Times::from_calls(calls)?.judge_rate(*limit),
            Self::Loop(kind, limit) => judge_loops(calls, *kind, *limit, key),
            Self::Rule(rule) => judge_rule(rule, calls, key),
            Self::Schema(schema) => schema.judge(calls),
        })
    }

    /// The constraint's label.
    pub(crate) fn label(&self) -> String {
        self.words().0
    }

    /// The reason for the constraint, if it has one.
    pub(crate) fn why(&self) -> Option<&str> {
        match self {
            Self::Rule(rule) => rule.why(),
            _ => None,
        }
    }

    /// The message to an agent about a constraint that does not hold yet.
    pub(crate) fn open_sentence(&self) -> String {
        format!("The rule {} does not hold yet.", self.quoted())
    }

    /// The constraint as quoted to an agent: `"calls" (<= 2)`. A rule is quoted by its label alone.
    pub(crate) fn quoted(&self) -> String {
        let (label, wanted) = self.words();
        match self {
            Self::Rule(_) => format!("\"{label}\""),
            _ => format!("\"{label}\" ({wanted})"),
        }
    }

    /// True if the constraint counts a call.
    pub(crate) fn counts(&self, call: &Call<'_>) -> bool {
        match self {
            Self::Count(pattern, _) | Self::Required(pattern) | Self::Forbidden(pattern) => {
                pattern.matches(&call.name)
            }
            Self::Calls(_) => true,
            _ => false,
        }
    }

    /// The number of calls wanted by a constraint that counts calls.
    pub(crate) fn wanted_count(&self) -> Option<Cow<'_, Wanted>> {
        match self {
            Self::Count(_, wanted) => Some(Cow::Borrowed(wanted)),
            Self::Required(_) => Some(Cow::Owned(Wanted::at_least(1))),
            Self::Forbidden(_) => Some(Cow::Owned(Wanted::exactly(0))),
            Self::Calls(limit) => Some(Cow::Owned(Wanted::at_most(*limit))),
            _ => None,
        }
    }

    /// True if unrecorded calls can't change the verdict, or if the constraint only requires
    /// recorded calls.
    pub(crate) fn is_settled(&self, judgement: &Judgement) -> bool {
        let is_broken = judgement.verdict == Verdict::Broken;
        match self {
            Self::Required(_) => true,
            Self::Count(_, wanted) => wanted.is_settled(judgement.calls.len()),
            Self::Forbidden(_)
            | Self::Calls(_)
            | Self::Errors(_)
            | Self::Repeats(_)
            | Self::Retries(_)
            | Self::CallSeconds(_)
            | Self::RunSeconds(_)
            | Self::CallsPerMinute(_)
            | Self::Schema(_) => is_broken,
            Self::Rule(rule) => {
                let number = judgement.calls.len();
                judgement.is_decided()
                    && rule.is_settled(judgement.verdict == Verdict::Held, number)
            }
            Self::Relation(_) | Self::Before(_) | Self::GapSeconds(_) | Self::Loop(..) => false,
        }
    }

    /// A readable explanation of a judgement.
    pub(crate) fn explain(&self, judgement: &Judgement) -> ExplainedCheck {
        let (label, wanted) = self.words();
        ExplainedCheck {
            is_count: matches!(self, Self::Count(..)),
            vacuous: judgement.found == NOT_CALLED,
            why: self.why().map(str::to_owned),
            ..judgement.explain(label, wanted)
        }
    }

    /// Its label and its requirement.
    fn words(&self) -> (String, String) {
        let at_most =
            |label: &str, limit: &usize| (label.to_owned(), Wanted::at_most(*limit).to_string());
        let seconds = |label: &str, limit: &f64| (label.to_owned(), format!("<= {limit} s"));
        match self {
            Self::Count(pattern, wanted) => (pattern.to_string(), wanted.to_string()),
            Self::Required(pattern) => (
                format!("{pattern} is required"),
                Wanted::at_least(1).to_string(),
            ),
            Self::Forbidden(pattern) => (
                format!("{pattern} is forbidden"),
                Wanted::exactly(0).to_string(),
            ),
            Self::Relation(relation) => (relation.to_string(), relation.wanted()),
            Self::Before(before) => (before.to_string(), before.wanted()),
            Self::Calls(limit) => at_most("calls", limit),
            Self::Errors(limit) => at_most("failed calls", limit),
            Self::Repeats(limit) => at_most("repeats of the same call", limit),
            Self::Retries(limit) => at_most("repeats after an error", limit),
            Self::CallSeconds(limit) => seconds("longest call", limit),
            Self::RunSeconds(limit) => seconds("whole run", limit),
            Self::GapSeconds(limit) => seconds("longest gap", limit),
            Self::CallsPerMinute(limit) => at_most("calls in a minute", limit),
            Self::Loop(kind, limit) => (kind.label().to_owned(), format!("< {limit} times")),
            Self::Rule(rule) => (rule.label(), rule.wanted()),
            Self::Schema(_) => ("arguments by schema".to_owned(), "no violation".to_owned()),
        }
    }
}

fn judge_rule(rule: &Rule, calls: &[Call<'_>], key: HashKey) -> Judgement {
    let judged = rule.judge(calls, key);
    let verdict = match (judged.held, judged.missing) {
        (Some(true), _) => Verdict::Held,
        (Some(false), _) => Verdict::Broken,
        (None, missing) => {
            let (call, field) = missing.unwrap_or((0, "args"));
            Verdict::NotRecorded { call, field }
        }
    };
    let found = match judged.sentence {
        Some(sentence) => ObservedValue::Sentence(sentence.into()),
        None if judged.is_vacuous => NOT_CALLED,
        None if rule.is_limit() => ObservedValue::Calls(judged.count),
        None => ObservedValue::Calls(judged.calls.len()),
    };
    Judgement {
        verdict,
        found,
        calls: judged.calls,
    }
}

fn count(calls: &[Call<'_>], pattern: &NamePattern, wanted: &Wanted) -> Judgement {
    let found: Vec<usize> = (0..calls.len())
        .filter(|&index| pattern.matches(&calls[index].name))
        .collect();
    Judgement::new(
        wanted.holds(found.len()),
        ObservedValue::Calls(found.len()),
        found,
    )
}

/// Whole nanoseconds. A time beyond their range sets no limit.
fn nanoseconds(seconds: f64) -> i128 {
    (seconds * 1e9).round() as i128
}
