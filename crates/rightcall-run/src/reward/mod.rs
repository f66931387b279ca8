//! Rewards for training: one number for each completion of a model, from its tool calls and the expected ones.
//!
//! [`Reward`] has the settings, [`Completion`] parses the output of a model, `credit.rs` is the
//! default metric, and `audit.rs` checks that errors can't raise a metric. `docs/rewards.md` lists
//! the properties.

mod arguments;
mod audit;
mod credit;
mod faults;
mod row;
#[cfg(test)]
mod table;
#[cfg(test)]
mod tests;
mod weights;

pub use audit::{GameableProperty, RewardAudit};
pub use credit::RewardParts;
pub use rightcall_formats::{Completion, ScoredTurns};
pub use row::{ExpectationFault, RewardRow, RowExpectation, RowReward};
pub use weights::{RewardWeights, WeightsError};

use rightcall_core::Ask;
use rightcall_core::call::{Call, Case, Trajectory};
use rightcall_formats::{ReadCompletion, ReadOptions, ToolCatalogue, in_order, read_case};

use self::credit::{Expected, credit};
use crate::Configured;

/// The reward of a right completion.
const RIGHT: f64 = 1.0;

/// How completions are scored.
#[derive(Clone, Debug)]
pub enum RewardMetric {
    /// Credit for names, keys, values and order, minus the cost of extra calls.
    Credit(RewardWeights),
    /// The score of an evaluator.
    Evaluator(std::sync::Arc<Configured>),
}

/// A reward with its settings: a pure function of its rows.
#[derive(Clone, Debug)]
pub struct Reward {
    /// How completions are scored.
    pub metric: RewardMetric,
    /// The reward of a completion with a call that could not be parsed.
    pub malformed: f64,
    /// The reward of a completion without calls if calls are expected.
    pub missing: f64,
    /// Which turns of a conversation are scored.
    pub turns: ScoredTurns,
    /// The tools of all rows. Their schemas give types to arguments that a model writes as text.
    pub tools: ToolCatalogue,
}

/// Why the settings of a reward are invalid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "expected -1 <= malformed <= missing < 1, found malformed {malformed} and missing {missing}"
)]
pub struct RewardRangeError {
    malformed: f64,
    missing: f64,
}

/// Number of rows that a thread takes at a time.
const CHUNK: usize = 32;

impl Reward {
    /// A reward with these values for malformed and missing calls.
    ///
    /// # Errors
    /// Numbers that are out of order, or below -1.
    pub fn new(
        metric: RewardMetric,
        malformed: f64,
        missing: f64,
    ) -> Result<Self, RewardRangeError> {
        let is_ordered = -RIGHT <= malformed && malformed <= missing && missing < RIGHT;
        if !is_ordered {
            return Err(RewardRangeError { malformed, missing });
        }
        Ok(Self {
            metric,
            malformed,
            missing,
            turns: ScoredTurns::All,
            tools: ToolCatalogue::default(),
        })
    }

    /// The rewards of rows, in order, for any number of threads.
    ///
    /// # Errors
    /// The first row (by index) with an invalid expectation, or threads that cannot be started.
    pub fn score(
        &self,
        rows: &[RewardRow<'_>],
        options: &ReadOptions,
        threads: usize,
    ) -> Result<Vec<RowReward>, RewardError> {
        let mut chunks = rows.chunks(CHUNK).enumerate();
        let mut rewards = Vec::with_capacity(rows.len());
        let threads = threads.min(rows.len().div_ceil(CHUNK));
        in_order(
            threads,
            || Ok::<_, RewardError>(chunks.next()),
            |(number, chunk)| {
                let rewards = chunk.iter().enumerate().map(|(place, row)| {
                    self.row(row, options).map_err(|error| RewardError::Row {
                        row: number * CHUNK + place,
                        error,
                    })
                });
                rewards.collect::<Result<Vec<_>, _>>()
            },
            |chunk| {
                rewards.extend(chunk?);
                Ok(())
            },
        )?;
        Ok(rewards)
    }

    /// The reward of a row.
    ///
    /// # Errors
    /// An invalid expectation.
    pub fn row(
        &self,
        row: &RewardRow<'_>,
        options: &ReadOptions,
    ) -> Result<RowReward, ExpectationFault> {
        let (text, read);
        let case = match &row.expected {
            None => return Ok(RowReward::default()),
            Some(RowExpectation::Case(case)) => case,
            Some(RowExpectation::Json(json)) => {
                text = format!("{{\"expected\":{json}}}");
                read = read_case(&text, options)?;
                &read
            }
        };
        ReadCompletion::with(&row.completion, self.turns, &self.tools, |read| {
            self.judge(case, read)
        })
    }

    /// The reward of a parsed completion under the expectation of a case.
    fn judge(
        &self,
        case: &Case<'_>,
        read: ReadCompletion<'_>,
    ) -> Result<RowReward, ExpectationFault> {
        if read.is_malformed {
            return Ok(RowReward {
                reward: Some(self.malformed),
                parts: Some(RewardParts::MALFORMED),
            });
        }
        let made = read.calls.into_iter().map(|it| (it.repeats_key, it.call));
        let (repeated, calls): (Vec<_>, Vec<_>) = made.unzip();
        let share = |case: &Case<'_>, calls: &[Call<'_>]| {
            self.share(case, calls, &repeated, read.in_reasoning)
        };
        if let (RewardMetric::Credit(_), None) = (&self.metric, &case.expected.tree) {
            return share(case, &calls);
        }
        let case = Case {
            actual: Some(Trajectory {
                calls,
                ..Trajectory::default()
            }),
            ..case.clone()
        };
        case.with_resolved(|case| {
            let run = case.actual.as_ref();
            share(case, run.map_or(&[], |run| &run.calls))
        })
    }

    /// The reward of these calls. If the metric is an evaluator, they become the run of the case.
    fn share(
        &self,
        case: &Case<'_>,
        calls: &[Call<'_>],
        repeated: &[bool],
        in_reasoning: usize,
    ) -> Result<RowReward, ExpectationFault> {
        let expected = row::expected_calls(case)?;
        let weights = match &self.metric {
            RewardMetric::Credit(weights) => *weights,
            RewardMetric::Evaluator(_) => RewardWeights::default(),
        };
        let judged = expected.map(|expected| {
            let expected: Vec<_> = expected.iter().map(Expected::new).collect();
            credit(&expected, calls, repeated, in_reasoning, &weights)
        });
        let parts = judged.as_ref().map(|(_, parts)| *parts);
        let expects_calls = expected.is_some_and(|expected| !expected.is_empty());
        let share = match &self.metric {
            _ if calls.is_empty() && expects_calls => Some(0.0),
            RewardMetric::Credit(_) => {
                let (share, _) = judged.ok_or(ExpectationFault::WithoutCalls)?;
                Some(share)
            }
            RewardMetric::Evaluator(configured) => {
                let evaluation = configured.evaluator.evaluate(case, Ask::OUTCOME);
                evaluation.score().map(|score| score.clamp(0.0, 1.0))
            }
        };
        Ok(RowReward {
            reward: share.map(|share| self.between(share)),
            parts,
        })
    }

    /// Maps a share from 0 to 1 to a reward from `missing` to `RIGHT`.
    fn between(&self, share: f64) -> f64 {
        if share >= 1.0 {
            return RIGHT;
        }
        self.missing + (RIGHT - self.missing) * share
    }
}

/// Why a batch could not be scored.
#[derive(Debug, thiserror::Error)]
pub enum RewardError {
    /// An invalid expectation, with the index of its row (from 0).
    #[error("row {row}: {error}")]
    Row {
        /// The index.
        row: usize,
        /// The error.
        error: ExpectationFault,
    },
    /// Threads could not be started.
    #[error(transparent)]
    Threads(#[from] std::io::Error),
}
