//! The other dimensions of Mastra's trajectory scorer, besides the expected steps: budgets, forbidden tools, retries. Each depends only on
//! the actual steps.

use std::borrow::Cow;
use std::fmt;

use super::write_names;
use crate::matching::have_same_json_text;
use crate::presets::prelude::*;

/// An actual step.
pub(super) struct Step<'c> {
    pub(super) name: Text<'c>,
    pub(super) arguments: Option<Cow<'c, Value<'c>>>,
    pub(super) failed: bool,
    /// Its duration, if known.
    pub(super) milliseconds: Option<f64>,
}

/// The budgets of a run.
#[derive(Debug)]
pub(super) struct Budgets {
    pub(super) steps: Option<f64>,
    pub(super) milliseconds: Option<f64>,
    pub(super) no_redundant_calls: bool,
}

/// The efficiency after a budget, or after repeated steps.
#[derive(Clone, Copy)]
enum Share {
    Kept,
    Over { used: f64, limit: f64 },
    Repeats(usize),
}

impl Share {
    fn new(used: f64, limit: f64) -> Self {
        if used > limit {
            Self::Over { used, limit }
        } else {
            Self::Kept
        }
    }

    fn value(self) -> f64 {
        match self {
            Self::Kept => 1.0,
            Self::Over { used, limit } => f64::max(0.0, 1.0 - (used - limit) / limit),
            Self::Repeats(count) => f64::max(0.0, 1.0 - count as f64 * 0.2),
        }
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kept => f.write_str("1"),
            Self::Over { used, limit } => write!(f, "max(0, 1 − ({used} − {limit}) / {limit})"),
            Self::Repeats(count) => write!(f, "max(0, 1 − 0.2 × {count})"),
        }
    }
}

/// The efficiency of a run.
pub(super) struct Efficiency {
    pub(super) score: f64,
    shares: Vec<Share>,
    pub(super) is_over_steps: bool,
    pub(super) milliseconds: f64,
    pub(super) is_over_time: bool,
    /// Steps that repeat the one before.
    pub(super) redundant: Vec<usize>,
}

impl Budgets {
    pub(super) fn judge(&self, steps: &[Step<'_>]) -> Efficiency {
        let milliseconds = steps
            .iter()
            .fold(0.0, |sum, step| sum + step.milliseconds.unwrap_or(0.0));
        let is_over = |used: f64, limit: Option<f64>| limit.is_some_and(|limit| used > limit);
        let number = steps.len() as f64;
        let redundant: Vec<usize> = (1..steps.len())
            .filter(|&step| self.no_redundant_calls && is_same(&steps[step - 1], &steps[step]))
            .collect();
        let repeats = Share::Repeats(redundant.len());
        let shares = [
            self.steps.map(|limit| Share::new(number, limit)),
            self.milliseconds
                .map(|limit| Share::new(milliseconds, limit)),
            self.no_redundant_calls.then_some(repeats),
        ];
        let shares: Vec<Share> = shares.into_iter().flatten().collect();
        let sum = shares.iter().fold(0.0, |sum, share| sum + share.value());
        let score = if shares.is_empty() {
            1.0
        } else {
            sum / shares.len() as f64
        };
        Efficiency {
            score: Rounding::JsHundredths.apply(score.clamp(0.0, 1.0)),
            shares,
            is_over_steps: is_over(number, self.steps),
            milliseconds,
            is_over_time: is_over(milliseconds, self.milliseconds),
            redundant,
        }
    }
}

fn is_same(one: &Step<'_>, other: &Step<'_>) -> bool {
    one.name == other.name
        && match (&one.arguments, &other.arguments) {
            (None, None) => true,
            (Some(one), Some(other)) => have_same_json_text(one, other),
            _ => false,
        }
}

/// The forbidden tools and sequences.
#[derive(Debug)]
pub(super) struct Blacklist {
    pub(super) tools: Vec<Text<'static>>,
    pub(super) sequences: Vec<Vec<Text<'static>>>,
}

/// Forbidden calls that were made.
pub(super) struct Violations<'b> {
    pub(super) tools: Vec<&'b Text<'static>>,
    pub(super) sequences: Vec<&'b [Text<'static>]>,
}

impl Blacklist {
    pub(super) fn judge(&self, steps: &[Step<'_>]) -> Violations<'_> {
        let is_called = |tool: &&Text<'_>| steps.iter().any(|step| step.name == **tool);
        let is_taken = |sequence: &&[Text<'_>]| {
            let names = |taken: &[Step<'_>]| {
                taken
                    .iter()
                    .zip(*sequence)
                    .all(|(step, name)| step.name == *name)
            };
            !sequence.is_empty() && steps.windows(sequence.len()).any(names)
        };
        Violations {
            tools: self.tools.iter().filter(is_called).collect(),
            sequences: self
                .sequences
                .iter()
                .map(Vec::as_slice)
                .filter(is_taken)
                .collect(),
        }
    }
}

impl Violations<'_> {
    pub(super) fn score(&self) -> f64 {
        f64::from(u8::from(self.tools.is_empty() && self.sequences.is_empty()))
    }
}

/// A tool that was called again after it failed.
pub(super) struct Retry {
    /// The first of its consecutive calls.
    pub(super) first: usize,
    pub(super) count: usize,
    /// The tool called next, if the last call failed too.
    pub(super) alternative: Option<usize>,
    pub(super) has_succeeded: bool,
}

/// The retries of a run, in order.
pub(super) fn retries(steps: &[Step<'_>]) -> Vec<Retry> {
    let mut retries = Vec::new();
    let mut first = 0;
    for calls in steps.chunk_by(|one, next| one.name == next.name) {
        let next = first + calls.len();
        let count = calls[..calls.len() - 1]
            .iter()
            .filter(|step| step.failed)
            .count();
        let has_succeeded = !steps[next - 1].failed;
        if count > 0 {
            retries.push(Retry {
                first,
                count,
                alternative: Some(next).filter(|&next| next < steps.len() && !has_succeeded),
                has_succeeded,
            });
        }
        first = next;
    }
    retries
}

/// The number of retries above `most`, over all tools.
pub(super) fn excess(retries: &[Retry], most: f64) -> f64 {
    let excess = |retry: &Retry| f64::max(0.0, retry.count as f64 - most);
    retries.iter().fold(0.0, |sum, retry| sum + excess(retry))
}

/// The score for this number of excess retries.
pub(super) fn score_of_retries(excess: f64) -> f64 {
    let score = f64::max(0.0, 1.0 - excess * 0.2);
    Rounding::JsHundredths.apply(score.clamp(0.0, 1.0))
}

/// The reason for a score of 0.
pub(super) const FORBIDDEN: &str = "something forbidden was called";

/// The scorer's results for a run.
pub(super) struct Dimensions<'d> {
    pub(super) efficiency: Option<Efficiency>,
    pub(super) violations: Option<Violations<'d>>,
    pub(super) retries: Vec<Retry>,
    /// Retries beyond the free ones.
    pub(super) excess: f64,
    pub(super) retry_score: f64,
}

impl Dimensions<'_> {
    /// The computation of a dimension's value.
    pub(super) fn formula(&self, name: &str) -> String {
        match (name, &self.efficiency, &self.violations) {
            ("efficiency", Some(it), _) if it.shares.is_empty() => "there is no budget".to_owned(),
            ("efficiency", Some(it), _) => {
                let shares: Vec<_> = it.shares.iter().map(Share::to_string).collect();
                format!("round(({}) / {}, 2)", shares.join(" + "), shares.len())
            }
            ("blacklist", _, Some(it)) if it.score() > 0.0 => {
                "nothing forbidden was called".to_owned()
            }
            ("blacklist", ..) => FORBIDDEN.to_owned(),
            _ => format!("round(max(0, 1 − 0.2 × {}), 2)", self.excess),
        }
    }

    pub(super) fn write(&self, steps: &[Step<'_>], max_retries: f64, writer: &mut JsonWriter) {
        let name = |step: usize| steps[step].name.reborrow();
        if let Some(it) = &self.efficiency {
            writer.key("efficiency").begin_object();
            writer.key("score").float(it.score);
            writer.key("totalSteps").count(steps.len());
            writer.key("overStepBudget").bool(it.is_over_steps);
            writer.key("totalDurationMs").float(it.milliseconds);
            writer.key("overDurationBudget").bool(it.is_over_time);
            writer.key("redundantCalls");
            writer.list(&it.redundant, |writer, &step| {
                writer.begin_object().key("name").text(&name(step));
                writer.key("index").count(step).end_object();
            });
            writer.end_object();
        }
        if let Some(it) = &self.violations {
            writer.key("blacklist").begin_object();
            writer.key("score").float(it.score());
            writer.key("violatedTools").serialize(&it.tools);
            writer.key("violatedSequences").serialize(&it.sequences);
            writer.end_object();
        }
        writer.key("toolFailures").begin_object();
        writer.key("score").float(self.retry_score);
        writer.key("patterns").list(&self.retries, |writer, retry| {
            let alternative = retry.alternative.map(name);
            writer.begin_object();
            writer.key("toolName").text(&name(retry.first));
            writer.key("retryCount").count(retry.count);
            writer
                .key("fellBackToAlternative")
                .bool(alternative.is_some());
            writer.optional("alternativeTool", alternative);
            writer.key("eventuallySucceeded").bool(retry.has_succeeded);
            writer.end_object();
        });
        let total = self.retries.iter().map(|retry| retry.count).sum();
        writer.key("totalRetries").count(total);
        let excessive = self
            .retries
            .iter()
            .filter(|retry| retry.count as f64 > max_retries);
        write_names(
            writer,
            "excessiveRetryTools",
            excessive.map(|retry| name(retry.first)),
        );
        writer.end_object();
    }
}
