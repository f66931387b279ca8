//! What changed in a case between two runs, over all of its trials.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;

use rightcall_results::{CaseResult, Cause};
use rightcall_store::StoreError;

use super::compared_run::{ComparedRun, case_causes};
use crate::case_page::kept_case;

/// How a cause changed between two runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CauseTurn {
    /// No trial showed it before.
    New,
    /// A larger share of the trials shows it.
    MoreOften,
    /// A smaller share of the trials shows it.
    LessOften,
    /// No trial shows it any more.
    Gone,
}

impl CauseTurn {
    /// In plain words: `now`, `more often`, `less often`, `no longer`.
    pub fn words(self) -> &'static str {
        match self {
            Self::New => "now",
            Self::MoreOften => "more often",
            Self::LessOften => "less often",
            Self::Gone => "no longer",
        }
    }

    /// Whether it makes a case worse.
    pub fn is_worse(self) -> bool {
        matches!(self, Self::New | Self::MoreOften)
    }
}

/// In how many trials of a case a cause shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CauseTrials {
    /// The trials that show it.
    pub shown: usize,
    /// All trials of the case.
    pub all: usize,
}

/// A cause that more or fewer trials of a case show than before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CauseChange {
    /// How it changed.
    pub turn: CauseTurn,
    /// The cause.
    pub cause: Cause,
    /// The trials that show it, before and after.
    pub trials: [CauseTrials; 2],
}

/// `now refund was not called`, of several trials with their numbers.
impl fmt::Display for CauseChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [before, after] = self.trials;
        let colon = if self.turn == CauseTurn::New { "" } else { ":" };
        write!(f, "{}{colon} {}", self.turn.words(), self.cause)?;
        let of = |it: CauseTrials| format!("{} of {} trials", it.shown, it.all);
        match self.turn {
            _ if before.all <= 1 && after.all <= 1 => Ok(()),
            CauseTurn::New => write!(f, " ({})", of(after)),
            CauseTurn::Gone => write!(f, " ({} before)", of(before)),
            _ => write!(f, " ({} before, {} after)", of(before), of(after)),
        }
    }
}

/// What changed in a case that moved.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CaseChanges {
    /// What went the way of the case comes first, and of this what is new, or gone; then what shows in most trials.
    pub changes: Vec<CauseChange>,
    /// How many of them go the way of the case.
    pub fitting: usize,
    /// The trials that tell it best, by their positions in the runs, if both have any: one that shows the first change, and of the other run's trials
    /// without that cause the one whose calls differ least.
    pub told: Option<[usize; 2]>,
}

/// A trial of a case, as far as changes are told of it.
struct TrialCauses {
    position: usize,
    score: Option<f64>,
    result: Option<Arc<CaseResult>>,
    causes: BTreeSet<Cause>,
}

impl TrialCauses {
    /// Its calls, each by its name and arguments.
    fn calls(&self) -> Vec<(String, String)> {
        let case = self.result.as_deref().and_then(kept_case);
        let calls = case
            .iter()
            .flat_map(|it| &it.actual)
            .flat_map(|it| &it.calls);
        calls
            .map(|call| {
                (
                    call.name.to_string(),
                    format!("{:?}", call.arguments.to_value()),
                )
            })
            .collect()
    }
}

impl CaseChanges {
    /// Compares all trials of the case of a key that got worse, or else better.
    ///
    /// # Errors
    /// Where the history cannot be read.
    pub fn between(runs: [&ComparedRun; 2], key: &str, is_worse: bool) -> Result<Self, StoreError> {
        let [before, after] = [trials(runs[0], key)?, trials(runs[1], key)?];
        Ok(Self::of_trials(&before, &after, is_worse))
    }

    fn of_trials(before: &[TrialCauses], after: &[TrialCauses], is_worse: bool) -> Self {
        let mut counts: BTreeMap<&Cause, [CauseTrials; 2]> = BTreeMap::new();
        for (side, trials) in [before, after].into_iter().enumerate() {
            for cause in trials.iter().flat_map(|it| &it.causes) {
                counts.entry(cause).or_default()[side].shown += 1;
            }
        }
        let all = [before.len(), after.len()];
        let mut changes: Vec<_> = counts
            .into_iter()
            .filter_map(|(cause, counts)| change(cause, counts, all))
            .collect();
        changes.sort_by_key(|it| {
            let rank = if is_worse {
                it.turn as u8
            } else {
                3 - it.turn as u8
            };
            let side = usize::from(it.turn.is_worse());
            (rank, std::cmp::Reverse(it.trials[side].shown))
        });
        let fitting = changes.iter().filter(|it| it.turn.is_worse() == is_worse);
        Self {
            fitting: fitting.count(),
            told: told(before, after, is_worse, changes.first()),
            changes,
        }
    }
}

/// How a cause changed that so many trials of each run show; `None` if its share is the same.
fn change(cause: &Cause, mut trials: [CauseTrials; 2], all: [usize; 2]) -> Option<CauseChange> {
    for (trials, all) in trials.iter_mut().zip(all) {
        trials.all = all;
    }
    let [before, after] = trials;
    let turn = match (before.shown, after.shown) {
        (0, _) => CauseTurn::New,
        (_, 0) => CauseTurn::Gone,
        _ => match (after.shown * before.all).cmp(&(before.shown * after.all)) {
            std::cmp::Ordering::Greater => CauseTurn::MoreOften,
            std::cmp::Ordering::Less => CauseTurn::LessOften,
            std::cmp::Ordering::Equal => return None,
        },
    };
    Some(CauseChange {
        turn,
        cause: cause.clone(),
        trials,
    })
}

/// The trials of a case, in the order of the run.
fn trials(run: &ComparedRun, key: &str) -> Result<Vec<TrialCauses>, StoreError> {
    let positions = run.trials().trials(&run.scores, key).iter();
    positions
        .map(|&position| {
            let result = run.case(position)?;
            Ok(TrialCauses {
                position,
                score: run.scores.cases[position].overall.score,
                causes: result.as_deref().map(case_causes).unwrap_or_default(),
                result,
            })
        })
        .collect()
}

/// The pair of trials that tells best how a case moved.
fn told(
    before: &[TrialCauses],
    after: &[TrialCauses],
    is_worse: bool,
    first: Option<&CauseChange>,
) -> Option<[usize; 2]> {
    let (worse, better) = if is_worse {
        (after, before)
    } else {
        (before, after)
    };
    let cause = first
        .filter(|it| it.turn.is_worse() == is_worse)
        .map(|it| &it.cause);
    let shows = |trial: &&TrialCauses| cause.is_none_or(|it| trial.causes.contains(it));
    let lacks = |trial: &&TrialCauses| !cause.is_some_and(|it| trial.causes.contains(it));
    let low = |trial: &TrialCauses| trial.score.unwrap_or(f64::NEG_INFINITY);
    let shown = worse
        .iter()
        .filter(shows)
        .min_by(|one, other| low(one).total_cmp(&low(other)))?;
    let calls = shown.calls();
    // Without a cause the scores alone tell the two apart.
    let is_other = |trial: &&TrialCauses| cause.is_some() || low(trial) > low(shown);
    let candidates: Vec<&TrialCauses> = better.iter().filter(lacks).collect();
    let others: Vec<_> = candidates.iter().copied().filter(is_other).collect();
    let nearest = if others.is_empty() {
        candidates
    } else {
        others
    }
    .into_iter()
    .min_by_key(|trial| distance(&trial.calls(), &calls))?;
    Some(if is_worse {
        [nearest.position, shown.position]
    } else {
        [shown.position, nearest.position]
    })
}

/// How far two lists of calls are apart: the calls that one of them alone has, then those in another place.
fn distance(one: &[(String, String)], other: &[(String, String)]) -> (usize, usize) {
    let mut balance: HashMap<_, isize> = HashMap::new();
    one.iter()
        .for_each(|call| *balance.entry(call).or_default() += 1);
    other
        .iter()
        .for_each(|call| *balance.entry(call).or_default() -= 1);
    let alone = balance.values().map(|count| count.unsigned_abs()).sum();
    let places = one.iter().zip(other).filter(|(a, b)| a != b).count();
    (alone, places)
}

#[cfg(test)]
mod tests;
