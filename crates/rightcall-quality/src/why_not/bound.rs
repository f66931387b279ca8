//! A lower bound on the edits that a run needs for a score of 1, regardless of the order of its calls.
//!
//! A score of 1 requires a separate equal actual call for each expected call, or an equal expected
//! call for each actual call, or both ([`PairDemand`]). So the cheapest assignment is a lower
//! bound. A call of the run becomes an expected call for the edits of its variant; an expected call
//! without a partner is added for 1 edit, and an actual call without a partner is removed for 1
//! edit.

use rightcall_core::PairDemand;
use rightcall_core::call::Call;

use super::change::{AddedCall, RunEdit};
use super::judge::PairJudge;
use super::variants::{COMBINED, MOST, Variant, all_of, chosen_of, edits_towards};

/// The cost of an impossible assignment.
const IMPOSSIBLE: u32 = u32::MAX / 4;

/// Maximum number of expected calls for an assignment. With more, a weaker bound is used.
const ASSIGNED: usize = 8;

/// The costs of a call in an assignment: the edits to make it equal to each expected call, and to
/// leave it without a partner.
#[derive(Clone, Debug)]
pub(super) struct Row {
    same: Vec<u32>,
    unassigned: u32,
}

/// The number of edits that make each call equal to each expected call.
pub(super) struct PairTable {
    pub(super) demand: PairDemand,
    /// The number of expected calls.
    expected: usize,
    /// The variants of each call of the run, the unchanged call first, each with the first expected
    /// call that it equals.
    pub(super) variants: Vec<Vec<(Row, usize)>>,
    /// The row of each call of the run before any edit.
    pub(super) open: Vec<Row>,
    /// The row of each call of the pool.
    pub(super) added: Vec<Row>,
}

impl PairTable {
    /// Compares all calls in pairs. Also returns the useful variants: the smallest variant that
    /// equals each expected call.
    pub(super) fn new<'j>(
        judge: &mut PairJudge<'j>,
        demand: PairDemand,
        (run, unexamined): (&[Call<'j>], &[usize]),
        (pool, goal): (&[AddedCall], &[AddedCall]),
    ) -> (Self, Vec<Vec<Variant<'j>>>) {
        if demand.sets {
            keep_different(judge, goal);
        }
        let expected = judge.expected();
        let mut table = Self {
            demand,
            expected,
            variants: Vec::new(),
            open: Vec::new(),
            added: Vec::new(),
        };
        let mut variants = Vec::new();
        for (index, call) in run.iter().enumerate() {
            let (of_call, least) = useful_variants(judge, (index, call), pool);
            let rows: Vec<_> = of_call
                .iter()
                .map(|variant| table.fixed(judge, &variant.call))
                .collect();
            let is_free = unexamined.contains(&index) || (demand.sets && rows[0].1 < expected);
            table.open.push(Row {
                same: least,
                unassigned: u32::from(demand.extra && !is_free),
            });
            table.variants.push(rows);
            variants.push(of_call);
        }
        for call in pool {
            let row = table.fixed(judge, &call.to_call()).0;
            table.added.push(row);
        }
        (table, variants)
    }

    /// The row of a call that is not edited further, and the first expected call that it equals;
    /// the number of expected calls if it equals none.
    fn fixed<'j>(&self, judge: &mut PairJudge<'j>, call: &Call<'j>) -> (Row, usize) {
        let same: Vec<u32> = (0..self.expected)
            .map(|expected| {
                if judge.is_same(expected, call) {
                    0
                } else {
                    IMPOSSIBLE
                }
            })
            .collect();
        let first = same.iter().position(|cost| *cost == 0);
        let is_free = !self.demand.extra || (self.demand.sets && first.is_some());
        let unassigned = if is_free { 0 } else { IMPOSSIBLE };
        (Row { same, unassigned }, first.unwrap_or(self.expected))
    }

    /// True if a call of the run equals an expected call.
    pub(super) fn is_named(&self, call: usize) -> bool {
        self.variants[call][0].1 < self.expected
    }

    /// The first expected call that a call equals; the number of expected calls if it equals none.
    pub(super) fn first_same(&self, row: &Row) -> usize {
        let first = row.same.iter().position(|cost| *cost == 0);
        first.unwrap_or(self.expected)
    }

    /// The minimum number of further edits for a run of these calls.
    pub(super) fn least(&self, rows: &[&Row]) -> u32 {
        let missed = u32::from(self.demand.missed);
        if self.expected > ASSIGNED {
            return self.least_of_many(rows, missed);
        }
        // `costs[set]` is the cheapest assignment of the rows so far in which exactly the expected
        // calls in `set` have a partner.
        let mut costs = vec![IMPOSSIBLE; 1 << self.expected];
        costs[0] = 0;
        for row in rows {
            for set in (0..costs.len()).rev() {
                let before = costs[set];
                let mut best = before.saturating_add(row.unassigned);
                for (expected, cost) in row.same.iter().enumerate() {
                    if set >> expected & 1 == 1 {
                        best = best.min(costs[set & !(1 << expected)].saturating_add(*cost));
                    }
                }
                costs[set] = best;
            }
        }
        let all = self.expected as u32;
        let whole = costs
            .iter()
            .enumerate()
            .map(|(set, cost)| cost.saturating_add(missed * (all - set.count_ones())));
        whole.min().unwrap_or(0)
    }

    /// A bound without an assignment: an edit fixes at most one expected call and one call of the
    /// run.
    fn least_of_many(&self, rows: &[&Row], missed: u32) -> u32 {
        let is_open = |expected: &usize| rows.iter().all(|row| row.same[*expected] > 0);
        let open = (0..self.expected).filter(is_open).count() as u32;
        let is_impossible = |row: &&&Row| {
            row.unassigned == IMPOSSIBLE && row.same.iter().all(|it| *it == IMPOSSIBLE)
        };
        if rows.iter().any(|row| is_impossible(&row)) {
            return IMPOSSIBLE;
        }
        let unmatched = |row: &&&Row| row.unassigned > 0 && row.same.iter().all(|it| *it > 0);
        let unmatched = rows.iter().filter(unmatched).count() as u32;
        (open * missed).max(unmatched)
    }
}

/// Removes duplicate expected calls, for evaluators that compare sets.
fn keep_different(judge: &mut PairJudge<'_>, goal: &[AddedCall]) {
    let mut kept: Vec<usize> = Vec::new();
    for (index, call) in goal.iter().enumerate().take(judge.expected()) {
        let call = call.to_call();
        if !kept.iter().any(|known| judge.is_same(*known, &call)) {
            kept.push(index);
        }
    }
    judge.keep(&kept);
}

/// The smallest variants of a call that equal an expected call, the unchanged call first; and the
/// minimum number of edits for each expected call.
fn useful_variants<'j>(
    judge: &mut PairJudge<'j>,
    (index, call): (usize, &Call<'j>),
    pool: &[AddedCall],
) -> (Vec<Variant<'j>>, Vec<u32>) {
    let mut variants = vec![Variant::unchanged(call)];
    let mut least = Vec::new();
    for expected in 0..judge.expected() {
        if judge.is_same(expected, call) {
            least.push(0);
            continue;
        }
        let (found, edits_of_found) = smallest_same(judge, (index, call), expected, pool);
        least.push(edits_of_found);
        if let Some(variant) = found
            && variants.iter().all(|known| known.edits != variant.edits)
        {
            variants.push(variant);
        }
    }
    variants.sort_by_key(|variant| variant.edits.len());
    (variants, least)
}

/// The smallest variant of a call that equals an expected call, with edits towards one call of the
/// pool; and the minimum number of edits of any such variant.
fn smallest_same<'j>(
    judge: &mut PairJudge<'j>,
    (index, call): (usize, &Call<'j>),
    expected: usize,
    pool: &[AddedCall],
) -> (Option<Variant<'j>>, u32) {
    let (mut smallest, mut least): (Option<Variant<'j>>, u32) = (None, IMPOSSIBLE);
    for named in pool {
        let edits = edits_towards(index, call, named);
        let all = Variant::chosen(call, &edits, all_of(edits.len()));
        if edits.is_empty() || !judge.is_same(expected, &all.call) {
            continue;
        }
        let (found, edits_of_found) = if edits.len() > COMBINED {
            without_idle_edits(judge, call, expected, &edits)
        } else {
            let found = chosen_of(edits.len())
                .into_iter()
                .map(|chosen| Variant::chosen(call, &edits, chosen))
                .find(|variant| judge.is_same(expected, &variant.call))
                .unwrap_or(all);
            let edits_of_found = found.edits.len() as u32;
            (found, edits_of_found)
        };
        least = least.min(edits_of_found);
        let fewest = smallest.as_ref().map_or(usize::MAX, |it| it.edits.len());
        if found.edits.len() < fewest {
            smallest = Some(found);
        }
    }
    (smallest, least)
}

/// The call after many edits, without edits that it doesn't need to equal the expected call; and
/// the number of edits that every equal call needs.
fn without_idle_edits<'j>(
    judge: &mut PairJudge<'j>,
    call: &Call<'j>,
    expected: usize,
    edits: &[RunEdit],
) -> (Variant<'j>, u32) {
    let all = all_of(edits.len());
    let (mut kept, mut needed) = (all, 0);
    for index in 0..edits.len().min(MOST) {
        let mut is_same = |chosen: u64| {
            let variant = Variant::chosen(call, edits, chosen & !(1 << index));
            judge.is_same(expected, &variant.call)
        };
        needed += u32::from(!is_same(all));
        if is_same(kept) {
            kept &= !(1 << index);
        }
    }
    (Variant::chosen(call, edits, kept), needed.max(1))
}
