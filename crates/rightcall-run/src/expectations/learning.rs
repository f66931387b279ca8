//! Learns expectations from the runs of each task.

use rightcall_core::expectation::{ActualCall, ProcessTree, RunLanguage};
use rightcall_core::learn::{LearnedExpectation, LearningOptions, Runs, Tightening, learn};
use rightcall_core::value::{JsonWriter, RawJson, on_one_line};

use super::recorder::compact;
use super::stored_runs::LearningError;
use super::tasks::{RunLocation, Task};

/// A case with a learned expectation.
#[derive(Debug)]
pub struct LearnedCase {
    /// Its id.
    pub id: String,
    /// The question, as JSON text.
    pub input: Option<String>,
    /// The learned expectation.
    pub learned: LearnedExpectation,
    /// The number of accepted sequences of tools that occur in no run and are at most as long as
    /// the longest run; `None` for more than a million.
    pub others: Option<u64>,
    /// Some of these sequences.
    pub examples: Vec<Vec<String>>,
    /// The blocks that reject the fewest runs in a tighter form.
    pub tightenings: Vec<Tightening>,
    /// The location of each run.
    pub places: Vec<RunLocation>,
    /// Failed calls that were left out.
    pub retried: u64,
    /// Failed calls that were not left out.
    pub failed: u64,
}

impl LearnedCase {
    /// Describes the omitted calls, if any: `left out: 2 failed calls, made again with success;
    /// runs with such calls are rejected`.
    pub fn left_out(&self) -> Option<String> {
        let calls = match self.retried {
            0 => return None,
            1 => "1 failed call".to_owned(),
            retried => format!("{retried} failed calls"),
        };
        let made = "made again with success; runs with such calls are rejected";
        Some(format!("left out: {calls}, {made}"))
    }

    /// The case as a line of JSON.
    pub fn line(&self) -> String {
        let mut writer = JsonWriter::new();
        writer.begin_object();
        writer.key("id").str(&self.id);
        let input = self.input.as_deref().map(compact);
        writer.optional("input", input.as_deref().map(RawJson));
        writer.key("expected").raw(self.learned.json.as_str());
        writer.end_object();
        on_one_line(writer.finish())
    }
}

/// The result of leave-one-out checks: an expectation is learned from all other runs of a task, and
/// tried on the one left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeldOut {
    /// Runs that were accepted.
    pub accepted: u64,
    /// Runs that were tried.
    pub tried: u64,
}

/// The maximum number that is reported.
const MAX_REPORTED: u64 = 1_000_000;

/// The maximum number of runs of a task to leave out in turn, since each costs as much as learning.
const MOST_HELD_OUT: usize = 100;

/// Number of example sequences.
const EXAMPLES: usize = 2;

impl Task {
    /// Learns an expectation from the runs.
    ///
    /// # Errors
    /// The blocks have too many states to explore, or a run cannot be read again.
    pub fn learn(&self, options: &LearningOptions) -> Result<LearnedCase, LearningError> {
        let learned = learn(&self.runs, options)?;
        let tree = ProcessTree::read(learned.json.as_str())?;
        let mut language = tree.language(learned.longest());
        let all = language.as_mut().map(RunLanguage::count);
        let accepted = learned.sequence_count() as u64;
        let others = all.map(|all| all.saturating_sub(accepted));
        let examples = language.map(|mut it| it.others(&|run| learned.has_sequence(run), EXAMPLES));
        Ok(LearnedCase {
            id: self.id.clone(),
            input: self.input.clone(),
            tightenings: learned.tightenings(&self.runs)?,
            places: self.places.clone(),
            learned,
            others: others.filter(|others| *others <= MAX_REPORTED),
            examples: examples.unwrap_or_default(),
            retried: self.retried,
            failed: self.failed,
        })
    }

    /// Leaves out each run in turn (at most 100), learns from the others, and counts how many of
    /// the omitted runs are accepted.
    ///
    /// # Errors
    /// A run cannot be read again.
    pub fn hold_out(&self, options: &LearningOptions) -> Result<HeldOut, LearningError> {
        let mut result = HeldOut::default();
        let count = self.runs.count();
        if count < 2 {
            return Ok(result);
        }
        for omitted in (0..count).step_by(count.div_ceil(MOST_HELD_OUT)) {
            let accepts = match learn(&self.runs.without(omitted), options) {
                Ok(learned) => {
                    let tree = ProcessTree::read(learned.json.as_str());
                    let accepts = |run: &[ActualCall<'_>]| {
                        tree.is_ok_and(|tree| tree.align(run).is_ok_and(|it| it.cost == 0))
                    };
                    self.runs.with_run(omitted, accepts)?
                }
                Err(LearningError::Expectation(_)) => false,
                Err(error) => return Err(error),
            };
            result.tried += 1;
            result.accepted += u64::from(accepts);
        }
        Ok(result)
    }
}

impl HeldOut {
    /// The lower end of the 90 % confidence interval of the accepted share.
    ///
    /// Source: Wilson, *Probable inference, the law of succession, and statistical inference* (1927).
    pub fn at_least(self) -> f64 {
        const Z: f64 = 1.644_853_626_951_472_2;
        if self.tried == 0 {
            return 0.0;
        }
        let count = self.tried as f64;
        let share = self.accepted as f64 / count;
        let middle = share + Z * Z / (2.0 * count);
        let spread = Z * (share * (1.0 - share) / count + Z * Z / (4.0 * count * count)).sqrt();
        (middle - spread) / (1.0 + Z * Z / count)
    }
}
