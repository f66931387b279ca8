//! The changes of a case between two runs, over all of its trials.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;

use rightcall_core::call::Call;
use rightcall_store::StoreError;

use super::compared_run::ComparedRun;
use crate::case_page::kept_case;

/// How a cause changed between two runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CauseTurn {
    /// No trial before has it.
    New,
    /// A larger share of the trials has it.
    MoreOften,
    /// A smaller share of the trials has it.
    LessOften,
    /// No trial after has it.
    Gone,
}

impl CauseTurn {
    /// In words: `now`, `more often`, `less often`, `no longer`.
    pub fn words(self) -> &'static str {
        match self {
            Self::New => "now",
            Self::MoreOften => "more often",
            Self::LessOften => "less often",
            Self::Gone => "no longer",
        }
    }

    /// True if the change makes a case worse.
    pub fn is_worse(self) -> bool {
        matches!(self, Self::New | Self::MoreOften)
    }
}

/// The number of trials of a case with a cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CauseTrials {
    /// Trials with the cause.
    pub shown: usize,
    /// All trials.
    pub all: usize,
}

/// A cause with a different share of a case's trials than before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CauseChange {
    /// How it changed.
    pub turn: CauseTurn,
    /// The cause, in the wording of pages.
    pub cause: String,
    /// The trials before and after.
    pub trials: [CauseTrials; 2],
}

impl CauseChange {
    /// True if the case has several trials in a run.
    pub fn has_trials(&self) -> bool {
        self.trials.iter().any(|it| it.all > 1)
    }
}

/// `now refund was not called`; with several trials, followed by their numbers.
impl fmt::Display for CauseChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [before, after] = self.trials;
        let colon = if self.turn == CauseTurn::New { "" } else { ":" };
        write!(f, "{}{colon} {}", self.turn.words(), self.cause)?;
        let of = |it: CauseTrials| format!("{} of {} trials", it.shown, it.all);
        match self.turn {
            _ if !self.has_trials() => Ok(()),
            CauseTurn::New => write!(f, " ({})", of(after)),
            CauseTurn::Gone => write!(f, " ({} before)", of(before)),
            _ => write!(f, " ({} before, {} after)", of(before), of(after)),
        }
    }
}

/// The changes of a case.
#[derive(Debug, Default)]
pub struct CaseChanges {
    /// Changes in the direction of the case come first. Within a direction, new or gone causes come
    /// first, then causes with the most trials.
    pub changes: Vec<CauseChange>,
    is_worse: bool,
    /// The trials before and after.
    trials: [Vec<TrialCauses>; 2],
}

/// A trial of a case with its causes.
#[derive(Debug)]
struct TrialCauses {
    position: usize,
    score: Option<f64>,
    causes: BTreeSet<String>,
}

/// The calls of a trial, each as its name and arguments.
type TrialCalls = Vec<(String, String)>;

fn calls_of(run: &ComparedRun, trial: &TrialCauses) -> Result<TrialCalls, StoreError> {
    let result = run.case(trial.position)?;
    let case = result.as_deref().and_then(kept_case);
    let calls = case
        .iter()
        .flat_map(|it| &it.actual)
        .flat_map(|it| &it.calls);
    let call = |call: &Call<'_>| {
        let arguments = format!("{:?}", call.arguments.to_value());
        (call.name.to_string(), arguments)
    };
    Ok(calls.map(call).collect())
}

impl CaseChanges {
    /// Compares the trials of the case with this key that the same evaluators scored; all trials if
    /// there are none. `is_worse` is the direction of the case.
    ///
    /// # Errors
    /// The history cannot be read.
    pub fn between(runs: [&ComparedRun; 2], key: &str, is_worse: bool) -> Result<Self, StoreError> {
        let mut common = ComparedRun::trials_of_common_evaluators(runs, key, false);
        if common.iter().any(Vec::is_empty) {
            common = runs.map(|run| run.trials().trials(key).to_vec());
        }
        let trials = [trials(runs[0], &common[0])?, trials(runs[1], &common[1])?];
        Ok(Self::from_trials(trials, is_worse))
    }

    fn from_trials(trials: [Vec<TrialCauses>; 2], is_worse: bool) -> Self {
        let mut counts: BTreeMap<&String, [usize; 2]> = BTreeMap::new();
        for (side, trials) in trials.iter().enumerate() {
            for cause in trials.iter().flat_map(|it| &it.causes) {
                counts.entry(cause).or_default()[side] += 1;
            }
        }
        let all = trials.each_ref().map(Vec::len);
        let mut changes: Vec<_> = counts
            .into_iter()
            .filter_map(|(cause, shown)| change(cause, shown, all))
            .collect();
        changes.sort_by_key(|it| {
            let rank = if is_worse {
                it.turn as u8
            } else {
                3 - it.turn as u8
            };
            let side = usize::from(it.turn.is_worse());
            (rank, Reverse(it.trials[side].shown))
        });
        Self {
            changes,
            is_worse,
            trials,
        }
    }

    /// The changes in the direction of the case.
    pub fn fitting(&self) -> &[CauseChange] {
        let end = self
            .changes
            .partition_point(|it| it.turn.is_worse() == self.is_worse);
        &self.changes[..end]
    }

    /// The pair of trials that shows the change best, as indices into the runs: one trial with a
    /// fitting cause, and one without it. Prefers trials whose calls are in no trial of the other
    /// run, those after the change first; then the first cause, the lowest score, and the most
    /// similar calls. `None` if there is no such pair.
    ///
    /// # Errors
    /// The history cannot be read.
    pub fn shown_trials(&self, runs: [&ComparedRun; 2]) -> Result<Option<[usize; 2]>, StoreError> {
        let calls = |side: usize, trial: &TrialCauses| calls_of(runs[side], trial);
        self.shown_by(&calls)
    }

    fn shown_by(
        &self,
        calls: &dyn Fn(usize, &TrialCauses) -> Result<TrialCalls, StoreError>,
    ) -> Result<Option<[usize; 2]>, StoreError> {
        let side = usize::from(self.is_worse);
        let of_side = |side: usize| -> Result<Vec<(&TrialCauses, TrialCalls)>, StoreError> {
            let trials = self.trials[side].iter();
            trials.map(|it| Ok((it, calls(side, it)?))).collect()
        };
        let (worse, better) = (of_side(side)?, of_side(1 - side)?);
        let fitting = self.fitting();
        // The position of the first fitting cause of one trial that the other lacks. Without
        // fitting causes, any pair will do.
        let cause_of = |one: &TrialCauses, other: &TrialCauses| {
            let shows = |it: &CauseChange| {
                one.causes.contains(&it.cause) && !other.causes.contains(&it.cause)
            };
            match fitting.iter().position(shows) {
                None if fitting.is_empty() => Some(0),
                position => position,
            }
        };
        let low = |trial: &TrialCauses| trial.score.unwrap_or(f64::NEG_INFINITY);
        let is_in = |calls: &TrialCalls, others: &[(&TrialCauses, TrialCalls)]| {
            others.iter().any(|(_, other)| other == calls)
        };
        let in_other_run = |trials: &[(&TrialCauses, TrialCalls)], others: &[_]| -> Vec<bool> {
            trials
                .iter()
                .map(|(_, calls)| is_in(calls, others))
                .collect()
        };
        let in_both = [in_other_run(&worse, &better), in_other_run(&better, &worse)];
        let mut best = None;
        for (shown, in_other) in worse.iter().zip(&in_both[0]) {
            for (other, in_shown) in better.iter().zip(&in_both[1]) {
                let Some(cause) = cause_of(shown.0, other.0) else {
                    continue;
                };
                // A trial after the change with the same calls as an old trial shows no change.
                let is_known = if self.is_worse { *in_other } else { *in_shown };
                // Without a cause, only scores distinguish the two, so prefer a higher score in the
                // other trial.
                let is_same = fitting.is_empty() && low(other.0) <= low(shown.0);
                let rank = (
                    is_known,
                    *in_other,
                    cause,
                    OrderedScore(low(shown.0)),
                    is_same,
                );
                if best.as_ref().is_some_and(|((least, _), _)| rank > *least) {
                    continue;
                }
                let key = (rank, distance(&other.1, &shown.1));
                if best.as_ref().is_none_or(|(least, _)| key < *least) {
                    best = Some((key, [shown.0.position, other.0.position]));
                }
            }
        }
        Ok(best.map(|(_, [shown, other])| match side {
            1 => [other, shown],
            _ => [shown, other],
        }))
    }
}

/// A score with a total order, for sort keys.
#[derive(Clone, Copy, Debug, PartialEq)]
struct OrderedScore(f64);

impl Eq for OrderedScore {}

impl PartialOrd for OrderedScore {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for OrderedScore {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// The change of a cause, from its trials and all trials of both runs; `None` if the share or the
/// number is equal.
fn change(cause: &str, shown: [usize; 2], all: [usize; 2]) -> Option<CauseChange> {
    let trials = [0, 1].map(|side| CauseTrials {
        shown: shown[side],
        all: all[side],
    });
    let turn = match shown {
        [0, _] => CauseTurn::New,
        [_, 0] => CauseTurn::Gone,
        // Only the number of trials differs.
        [before, after] if before == after => return None,
        [before, after] => match (after * all[0]).cmp(&(before * all[1])) {
            Ordering::Greater => CauseTurn::MoreOften,
            Ordering::Less => CauseTurn::LessOften,
            Ordering::Equal => return None,
        },
    };
    Some(CauseChange {
        turn,
        cause: cause.to_owned(),
        trials,
    })
}

/// The trials at these indices.
fn trials(run: &ComparedRun, positions: &[usize]) -> Result<Vec<TrialCauses>, StoreError> {
    positions
        .iter()
        .map(|&position| {
            Ok(TrialCauses {
                position,
                score: run.scores.cases[position].overall.score,
                causes: run.causes(position)?,
            })
        })
        .collect()
}

/// The distance of two lists of calls: the number of unmatched calls, then the number of positions with different calls.
fn distance(one: &[(String, String)], other: &[(String, String)]) -> (usize, usize) {
    let mut balance: HashMap<_, isize> = HashMap::new();
    one.iter()
        .for_each(|call| *balance.entry(call).or_default() += 1);
    other
        .iter()
        .for_each(|call| *balance.entry(call).or_default() -= 1);
    let unmatched = balance.values().map(|count| count.unsigned_abs()).sum();
    let places = one.iter().zip(other).filter(|(a, b)| a != b).count();
    (unmatched, places)
}

#[cfg(test)]
mod tests;
