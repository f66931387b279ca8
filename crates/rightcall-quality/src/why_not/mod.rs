//! Why a run does not reach a score: the smallest change of the run that reaches it, and a small change of the expectation.
//!
//! A change is a list of edits: a call added, removed, moved or renamed, or an argument added,
//! removed or replaced. Names, arguments and values come from the expectation. The evaluator itself
//! judges each changed run, fewest edits first, so this works for any evaluator and any settings.
//! The search ends at a [limit](MOST_EVALUATIONS). A change found without a search is then marked
//! as possibly not the smallest.

mod bound;
mod change;
mod judge;
mod layout;
mod plan;
mod pool;
mod repair;
mod search;
#[cfg(test)]
mod tests;
mod variants;
mod words;

use rightcall_core::call::{Call, Case};
use rightcall_core::expectation::Repair;
use rightcall_core::{
    Ask, Evaluation, Evaluator, ExpectedList, ExplainedPair, Explanation, Grade, Side,
};

pub use change::{AddedCall, RunEdit, edits_told};

use bound::PairTable;
use judge::{Judge, PairJudge, editable};
use plan::plan;
use pool::Pool;
use search::{Found, Search, SearchLimit};
use variants::{Variant, all_variants};

/// Maximum number of changed runs judged in a search.
pub const MOST_EVALUATIONS: u64 = 50_000;

/// Maximum number of edits to try if no change is known.
const MOST_EDITS: u32 = 4;

/// Maximum number of calls in a run to change.
const MOST_CALLS: usize = 60;

const LIMIT: SearchLimit = SearchLimit {
    evaluations: MOST_EVALUATIONS,
    steps: 200_000,
};

/// Why a run does not reach a score.
#[derive(Clone, Debug)]
pub struct WhyNot {
    /// The wanted score.
    pub target: f64,
    /// The answer.
    pub answer: WhyNotAnswer,
    /// A change of the expectation that lets the run reach the score.
    pub repair: Option<Repair>,
}

/// The answer to why a run does not reach a score.
#[derive(Clone, Debug)]
pub enum WhyNotAnswer {
    /// The run reaches it already, with this score.
    Reached(f64),
    /// The run has no score that other calls could change, for this reason.
    NoScore(String),
    /// This change reaches the score.
    Change(RunChange),
    /// No change was found.
    NotFound(Tried),
}

/// A change of a run that reaches a score.
#[derive(Clone, Debug)]
pub struct RunChange {
    /// The edits; edits of single calls come first.
    pub edits: Vec<RunEdit>,
    /// The score of the changed run.
    pub score: f64,
    /// True if no change with fewer edits reaches the score: all were tried, or ruled out by what the score requires of single calls.
    pub is_smallest: bool,
    /// The extent of the search.
    pub tried: Tried,
}

/// The extent of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tried {
    /// All changes with at most this number of edits were tried or ruled out.
    pub edits: u32,
    /// The number of runs judged.
    pub evaluations: u64,
}

impl WhyNot {
    /// No change can be computed, for this reason.
    pub fn without_score(target: f64, reason: impl Into<String>) -> Self {
        Self {
            target,
            answer: WhyNotAnswer::NoScore(reason.into()),
            repair: None,
        }
    }
}

/// The smallest change of the run of a case that reaches a score, and a small repair of its expectation.
///
/// ```
/// use rightcall_core::call::{Call, Case, Expectation, Trajectory};
/// use rightcall_core::Evaluator;
/// use rightcall_quality::{WhyNotAnswer, why_not};
///
/// let call = |name: &'static str| Call { name: name.into(), ..Call::default() };
/// let case = Case {
///     expected: Expectation::from_calls(vec![call("find_order"), call("refund")]),
///     actual: Some(Trajectory { calls: vec![call("find_order"), call("delete")], ..Trajectory::default() }),
///     ..Case::default()
/// };
/// let evaluator = Evaluator::new("trajectory", "{}", None)?;
/// let WhyNotAnswer::Change(change) = why_not(&evaluator, &case, 1.0).answer else {
///     panic!("a change reaches 1");
/// };
/// assert_eq!(change.edits[0].to_string(), "call 2: rename `delete` to `refund`");
/// # Ok::<(), rightcall_core::ConfigError>(())
/// ```
pub fn why_not(evaluator: &Evaluator, case: &Case<'_>, target: f64) -> WhyNot {
    match case.resolution() {
        Some(resolution) => why_not_within(evaluator, &case.resolved(&resolution), target, LIMIT),
        None => why_not_within(evaluator, case, target, LIMIT),
    }
}

/// [`why_not`] for a case with a resolved expectation, within a limit.
fn why_not_within(
    evaluator: &Evaluator,
    case: &Case<'_>,
    target: f64,
    limit: SearchLimit,
) -> WhyNot {
    let evaluation = evaluator.evaluate(case, Ask::EXPLANATION);
    let Some(score) = evaluation.score() else {
        let reason = evaluation.outcome.reason().unwrap_or_default();
        return WhyNot::without_score(target, reason);
    };
    if score >= target {
        return WhyNot {
            target,
            answer: WhyNotAnswer::Reached(score),
            repair: None,
        };
    }
    if evaluator.evaluate(&editable(case), Ask::OUTCOME).score() != Some(score) {
        let reason = "the evaluator judges more of this case than its calls, such as spans or an original's own text";
        return WhyNot::without_score(target, reason);
    }
    let list = evaluation.explanation.as_ref().map(|it| it.list);
    WhyNot {
        target,
        answer: answer(evaluator, case, &evaluation, target, limit),
        repair: repair::repair(evaluator, case, list.unwrap_or_default(), target),
    }
}

fn answer(
    evaluator: &Evaluator,
    case: &Case<'_>,
    evaluation: &Evaluation,
    target: f64,
    limit: SearchLimit,
) -> WhyNotAnswer {
    let run = case.actual.as_ref().map(|run| run.calls.clone());
    let run = run.unwrap_or_default();
    let mut pool = Pool::new(case);
    let explanation = evaluation.explanation.as_deref();
    if explanation.is_some_and(|it| !it.checks.is_empty()) {
        // Evaluators of conditions don't use the expected calls.
        pool.goal.clear();
    }
    if run.len().max(pool.calls.len()) > MOST_CALLS {
        return WhyNotAnswer::NoScore(format!(
            "changes are looked for in runs and expectations of at most {MOST_CALLS} calls"
        ));
    }
    let mut judge = Judge::new(evaluator, case, target);
    let named = (&pool.calls[..], &pool.goal[..]);
    let planned = plan(&run, named, &mut judge);
    judge.evaluations = 0;
    // If the expected calls don't reach the score, another run is unlikely to.
    let limit = match planned {
        Some(_) => limit,
        None => limit.shortened(),
    };
    let candidates = Candidates::new(evaluator, case, explanation, (&run, &pool), target);
    let full = |pair: &&ExplainedPair| pair.counted && pair.grade == Grade::Full;
    let pairs = explanation.iter().flat_map(|it| &it.pairs);
    let answers: Vec<usize> = pairs.filter(full).map(|pair| pair.actual).collect();
    let calls = (&run[..], &candidates.variants[..], &answers[..]);
    let mut search = Search::new(calls, named, candidates.table.as_ref(), limit);
    search_deeper(&mut search, &mut judge, planned, candidates.is_complete)
}

/// The possible changes of the calls of a run.
struct Candidates<'j> {
    /// Rules out changes; `None` if every run must be judged.
    table: Option<PairTable>,
    /// The variants of each call of the run, the unchanged call first.
    variants: Vec<Vec<Variant<'j>>>,
    /// False if variants were left out.
    is_complete: bool,
}

impl<'j> Candidates<'j> {
    fn new(
        evaluator: &'j Evaluator,
        case: &'j Case<'_>,
        explanation: Option<&Explanation>,
        (run, pool): (&[Call<'j>], &Pool),
        target: f64,
    ) -> Self {
        let list = explanation.map_or(ExpectedList::Settings, |it| it.list);
        let unexamined = explanation.iter().flat_map(|it| &it.not_examined);
        let unexamined = unexamined.filter(|(side, _)| *side == Side::Actual);
        let unexamined: Vec<usize> = unexamined.map(|(_, index)| *index).collect();
        let demand = evaluator.pair_demand().filter(|_| target >= 1.0);
        if let Some(demand) = demand
            && let Some(mut pairs) = PairJudge::new(evaluator, case, list)
        {
            let named = (&pool.calls[..], &pool.goal[..]);
            let (table, variants) = PairTable::new(&mut pairs, demand, (run, &unexamined), named);
            return Self {
                table: Some(table),
                variants,
                is_complete: true,
            };
        }
        let all = run.iter().enumerate();
        let all = all.map(|(index, call)| all_variants(index, call, &pool.calls));
        let (variants, complete): (Vec<_>, Vec<bool>) = all.unzip();
        Self {
            table: None,
            variants,
            is_complete: complete.into_iter().all(|complete| complete),
        }
    }
}

/// Searches with one more edit each time, up to the number of edits of a planned change.
fn search_deeper<'j>(
    search: &mut Search<'_, 'j>,
    judge: &mut Judge<'j>,
    planned: Option<Found>,
    is_complete: bool,
) -> WhyNotAnswer {
    let most = planned
        .as_ref()
        .map_or(MOST_EDITS, |it| it.edits.len() as u32);
    let least = search.least().max(1);
    let mut ruled_out = least.min(most + 1) - 1;
    let mut found = None;
    for edits in least..=most {
        found = search.with_edits(edits, judge);
        if found.is_some() || search.is_over(judge) {
            break;
        }
        ruled_out = edits;
    }
    let tried = Tried {
        edits: ruled_out,
        evaluations: judge.evaluations,
    };
    match found.or(planned) {
        Some(found) => {
            let edits = found.edits.len() as u32;
            WhyNotAnswer::Change(RunChange {
                is_smallest: edits == 1 || (is_complete && edits <= ruled_out + 1),
                edits: found.edits,
                score: found.score,
                tried,
            })
        }
        None => WhyNotAnswer::NotFound(tried),
    }
}
