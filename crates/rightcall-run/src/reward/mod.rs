//! Rewards for training: one number for each completion of a model, from its tool calls and those expected.
//!
//! [`Reward`] holds the settings, [`Completion`] reads what a model wrote, `credit.rs` is the default metric, and `audit.rs` checks that a
//! metric can't be raised by errors. `docs/rewards.md` lists the properties.

mod audit;
mod credit;
mod faults;
mod repeated_keys;
mod row;
#[cfg(test)]
mod table;
#[cfg(test)]
mod tests;
mod weights;

pub use audit::{GameableProperty, RewardAudit};
pub use credit::RewardParts;
pub use rightcall_formats::{Completion, ScoredTurns};
pub use row::{ExpectationFault, RewardRow, RowReward};
pub use weights::{RewardWeights, WeightsError};

use rightcall::Ask;
use rightcall::call::{Case, Trajectory};
use rightcall_formats::{ReadCompletion, ReadOptions, ToolCatalogue, in_order};

use self::credit::{Expected, credit};
use crate::Configured;

/// What a right completion earns.
const RIGHT: f64 = 1.0;

/// How completions are scored.
#[derive(Clone, Debug)]
pub enum RewardMetric {
    /// Credit for names, keys, values and order, less what extra calls cost.
    Credit(RewardWeights),
    /// The score of an evaluator.
    Evaluator(std::sync::Arc<Configured>),
}

/// A reward with its settings: a pure function from rows to numbers.
#[derive(Clone, Debug)]
pub struct Reward {
    /// How completions are scored.
    pub metric: RewardMetric,
    /// What a completion earns that holds a call which could not be parsed.
    pub malformed: f64,
    /// What a completion without calls earns where calls are expected.
    pub missing: f64,
    /// Which turns of a conversation are scored.
    pub turns: ScoredTurns,
    /// The tools of all rows; their schemas type what a model writes as text.
    pub tools: ToolCatalogue,
}

/// Why a reward cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "expected -1 <= malformed <= missing < 1, found malformed {malformed} and missing {missing}"
)]
pub struct RewardRangeError {
    malformed: f64,
    missing: f64,
}

/// Rows that a thread takes at a time.
const TOGETHER: usize = 32;

impl Reward {
    /// A reward that earns these numbers at its lower end.
    ///
    /// # Errors
    /// Numbers that are not in order, or below -1.
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
    /// The first row with an expectation that cannot be read, by its place, or threads that cannot be started.
    pub fn score(
        &self,
        rows: &[RewardRow<'_>],
        options: &ReadOptions,
        threads: usize,
    ) -> Result<Vec<RowReward>, RewardError> {
        let mut chunks = rows.chunks(TOGETHER).enumerate();
        let mut rewards = Vec::with_capacity(rows.len());
        let threads = threads.min(rows.len().div_ceil(TOGETHER));
        in_order(
            threads,
            || Ok::<_, RewardError>(chunks.next()),
            |(number, chunk)| {
                let rewards = chunk.iter().enumerate().map(|(place, row)| {
                    self.row(row, options).map_err(|error| RewardError::Row {
                        row: number * TOGETHER + place,
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
    /// An expectation that cannot be read.
    pub fn row(
        &self,
        row: &RewardRow<'_>,
        options: &ReadOptions,
    ) -> Result<RowReward, ExpectationFault> {
        let read = ReadCompletion::of(&row.completion, self.turns, &self.tools);
        let Some(expected) = row.expected else {
            return Ok(RowReward::default());
        };
        row::with_case(expected, options, |case| self.judge(case, read))
    }

    /// The reward of what was read under the expectation of a case.
    fn judge(&self, case: &Case<'_>, read: ReadCompletion) -> Result<RowReward, ExpectationFault> {
        if read.is_malformed {
            return Ok(RowReward {
                reward: Some(self.malformed),
                parts: Some(RewardParts::MALFORMED),
            });
        }
        let ReadCompletion {
            calls,
            in_reasoning,
            ..
        } = read;
        let (repeated, calls): (Vec<_>, Vec<_>) = calls
            .into_iter()
            .map(|it| (it.repeats_key, it.call))
            .unzip();
        let case = Case {
            actual: Some(Trajectory {
                calls,
                ..Trajectory::default()
            }),
            ..case.clone()
        };
        case.with_resolved(|case| {
            let calls = case.actual.as_ref().map_or(&[][..], |run| &run.calls);
            let expected = row::expected_calls(case)?;
            let weights = match &self.metric {
                RewardMetric::Credit(weights) => *weights,
                RewardMetric::Evaluator(_) => RewardWeights::default(),
            };
            let judged = expected.map(|expected| {
                let expected: Vec<_> = expected.iter().map(Expected::new).collect();
                credit(&expected, calls, &repeated, in_reasoning, &weights)
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
        })
    }

    /// The reward of a share of what a right completion earns.
    fn between(&self, share: f64) -> f64 {
        if share >= 1.0 {
            return RIGHT;
        }
        self.missing + (RIGHT - self.missing) * share
    }
}

/// Why a batch has no rewards.
#[derive(Debug, thiserror::Error)]
pub enum RewardError {
    /// The expectation of a row, by its place from 0.
    #[error("row {row}: {error}")]
    Row {
        /// The place.
        row: usize,
        /// What is wrong with it.
        error: ExpectationFault,
    },
    /// Threads could not be started.
    #[error(transparent)]
    Threads(#[from] std::io::Error),
}
