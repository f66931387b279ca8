//! Assignment: the pairing with the greatest total credit.
//!
//! H. W. Kuhn, "The Hungarian method" (1955), in the form of J. Edmonds and R. M. Karp (1972): one shortest augmenting path per expected
//! call, in a graph with lengths that potentials keep non-negative. Credits are rounded to multiples of 2^-32 and summed as integers, so
//! the order of summation doesn't matter.
//!
//! Ties between pairings are broken by the list of actual indices, ordered by expected index: the lexicographically smallest list wins, and
//! *no partner* counts as greater than any index. By complementary slackness, the best pairings are exactly those that use only tight edges
//! and leave no call of positive potential unpaired. So each expected call in order takes the first tight partner for which the later calls
//! can be rearranged within these rules; one backward search finds it.
//!
//! Calls with different names can't be paired, so each group of connected names is solved separately. Time: cubic in the largest group in
//! the worst case, usually far less. Memory: eight bytes per pair in a group. If whole calls have symbols and no pair has partial credit,
//! the time is linear: the k-th of equal calls pairs with the k-th.

use super::free::FreeCalls;
use super::{Alignment, Comparison, Grade, Pair, Symbols};
use crate::outcome::EvaluationError;

/// Maximum calls per side if pairs must be compared.
const LIMIT: usize = 2_000;

/// Marks a call without a partner.
const UNPAIRED: usize = usize::MAX;

/// The pairing with the greatest credit, in expected order. Then, also in that order, the leftover calls, paired by name as
/// [`Grade::NameOnly`], which adds no credit. A pair with a credit that rounds to 0 is a leftover pair.
///
/// # Errors
/// A comparison fails; pairs with the same name are compared by expected call, then by actual call.
/// Or a side has more than 2,000 calls and they have no symbols.
pub(crate) fn assignment<C: Comparison>(calls: &C) -> Result<Alignment, EvaluationError> {
    let partners = match calls.calls() {
        Some(symbols)
            if !calls.has_partial() && symbols.expected.iter().all(|[one, other]| one == other) =>
        {
            pair_by_symbol(symbols)
        }
        _ => best_partners(calls)?,
    };
    let names = calls.names();
    let mut free = FreeCalls::actual(names);
    let mut pairs = Vec::new();
    for (expected, &actual) in partners.iter().enumerate() {
        if actual != UNPAIRED {
            free.take(actual);
            pairs.push(Pair {
                expected,
                actual,
                grade: calls.grade(expected, actual)?,
            });
        }
    }
    // Leftover calls are paired by name, for display: these pairs earn no credit.
    for (expected, _) in partners
        .iter()
        .enumerate()
        .filter(|(_, partner)| **partner == UNPAIRED)
    {
        if let Some(actual) = free.first_of_either(names.expected[expected]) {
            free.take(actual);
            pairs.push(Pair {
                expected,
                actual,
                grade: Grade::NameOnly,
            });
        }
    }
    Ok(Alignment::from_pairs(pairs))
}

fn pair_by_symbol(symbols: &Symbols) -> Vec<usize> {
    let mut free = FreeCalls::actual(symbols);
    let mut partner = |&[symbol, _]: &[u32; 2]| {
        let actual = free.first_of(symbol)?;
        free.take(actual);
        Some(actual)
    };
    symbols
        .expected
        .iter()
        .map(|symbols| partner(symbols).unwrap_or(UNPAIRED))
        .collect()
}

fn best_partners<C: Comparison>(calls: &C) -> Result<Vec<usize>, EvaluationError> {
    let most = calls.expected().max(calls.actual());
    if most > LIMIT {
        return Err(EvaluationError::TooManyCalls {
            calls: most,
            alignment: "assignment",
            limit: LIMIT,
        });
    }
    let names = calls.names();
    let (group_of, mut groups) = groups(names);
    for (expected, &group) in group_of.iter().enumerate() {
        let Some(group) = groups.get_mut(group) else {
            continue;
        };
        group.rows.push(expected);
        for &actual in &group.columns {
            let same = names.same(expected, actual);
            let credit = if same {
                calls.grade(expected, actual)?.credit()
            } else {
                0.0
            };
            // Fixed-point credits make sums exact and independent of their order.
            group
                .worths
                .push((credit * (1_u64 << 32) as f64).round() as i64);
        }
    }
    let mut partners = vec![UNPAIRED; calls.expected()];
    for group in &groups {
        for (&expected, partner) in group.rows.iter().zip(Matching::best(group)) {
            partners[expected] = if partner == UNPAIRED {
                UNPAIRED
            } else {
                group.columns[partner]
            };
        }
    }
    Ok(partners)
}

/// Calls connected by their names.
#[derive(Default)]
struct Group {
    /// Expected calls, ascending.
    rows: Vec<usize>,
    /// Actual calls, ascending.
    columns: Vec<usize>,
    /// The credit of each pair, row by row, in multiples of 2^-32.
    worths: Vec<i64>,
}

/// The group of each expected call, or [`UNPAIRED`], and the groups with their actual calls. Two names are in the same group if an expected
/// call has both.
fn groups(names: &Symbols) -> (Vec<usize>, Vec<Group>) {
    let mut parents: Vec<u32> = (0..names.count as u32).collect();
    let root = |parents: &mut Vec<u32>, mut symbol: u32| {
        while parents[symbol as usize] != symbol {
            parents[symbol as usize] = parents[parents[symbol as usize] as usize];
            symbol = parents[symbol as usize];
        }
        symbol
    };
    for &[one, other] in &*names.expected {
        if one != other && one != Symbols::NONE && other != Symbols::NONE {
            let (one, other) = (root(&mut parents, one), root(&mut parents, other));
            parents[other as usize] = one;
        }
    }
    let mut groups: Vec<Group> = Vec::new();
    let mut group_of_root = vec![UNPAIRED; names.count];
    for (actual, &symbol) in names.actual.iter().enumerate() {
        if symbol != Symbols::NONE {
            let group = &mut group_of_root[root(&mut parents, symbol) as usize];
            if *group == UNPAIRED {
                *group = groups.len();
                groups.push(Group::default());
            }
            groups[*group].columns.push(actual);
        }
    }
    let mut group_of = |symbols: &[u32; 2]| {
        let symbol = symbols
            .iter()
            .copied()
            .find(|&symbol| symbol != Symbols::NONE);
        symbol.map_or(UNPAIRED, |symbol| {
            group_of_root[root(&mut parents, symbol) as usize]
        })
    };
    (names.expected.iter().map(&mut group_of).collect(), groups)
}

/// A matching of rows and columns with its potentials. For each pair of positive worth, `row_price + column_price >= worth`. Prices are at
/// least 0, and 0 for processed rows and columns without a partner.
struct Matching<'g> {
    group: &'g Group,
    row_prices: Vec<i64>,
    column_prices: Vec<i64>,
    /// The column paired with each row.
    partners: Vec<usize>,
    /// The row paired with each column.
    holders: Vec<usize>,
}

impl<'g> Matching<'g> {
    /// The best column for each row, or [`UNPAIRED`].
    fn best(group: &'g Group) -> Vec<usize> {
        let (rows, columns) = (group.rows.len(), group.columns.len());
        let mut matching = Self {
            group,
            row_prices: vec![0; rows],
            column_prices: vec![0; columns],
            partners: vec![UNPAIRED; rows],
            holders: vec![UNPAIRED; columns],
        };
        for row in 0..rows {
            matching.augment(row);
        }
        matching.make_smallest();
        matching.partners
    }

    fn worth(&self, row: usize) -> &'g [i64] {
        let columns = self.group.columns.len();
        &self.group.worths[row * columns..(row + 1) * columns]
    }

    /// Adds a row by the shortest path from it to a free column, or to a row that can stay unpaired.
    fn augment(&mut self, row: usize) {
        let columns = self.holders.len();
        // With this price, no edge of the row has a negative length, as the search requires.
        let worths = self.worth(row).iter().zip(&self.column_prices);
        self.row_prices[row] = worths.map(|(worth, price)| worth - price).fold(0, i64::max);
        let mut distances = vec![i64::MAX; columns];
        let mut previous = vec![row; columns];
        let mut settled = vec![false; columns];
        let mut visited = Vec::new();
        let mut dropped = (i64::MAX, row);
        let (mut current, mut reached) = (row, 0);
        // The path ends at a free column, or at a row that gives up its column.
        let (length, mut column) = loop {
            visited.push((current, reached));
            // The path may also end at a visited row that stays unpaired, at a distance of its price.
            dropped = dropped.min((reached + self.row_prices[current], current));
            let (mut nearest, mut next) = (i64::MAX, UNPAIRED);
            for (column, &worth) in self.worth(current).iter().enumerate() {
                if settled[column] {
                    continue;
                }
                if worth > 0 {
                    let distance =
                        reached + self.row_prices[current] + self.column_prices[column] - worth;
                    if distance < distances[column] {
                        distances[column] = distance;
                        previous[column] = current;
                    }
                }
                let distance = distances[column];
                // On a tie, prefer a free column: it ends the search at once.
                if distance < nearest
                    || (distance == nearest && next != UNPAIRED && self.holders[column] == UNPAIRED)
                {
                    (nearest, next) = (distance, column);
                }
            }
            if next == UNPAIRED || dropped.0 <= nearest {
                break (dropped.0, UNPAIRED);
            }
            if self.holders[next] == UNPAIRED {
                break (nearest, next);
            }
            settled[next] = true;
            reached = nearest;
            current = self.holders[next];
        };
        // Update the potentials, so that the edges of the path become tight.
        for &(visited, distance) in &visited {
            self.row_prices[visited] -= length - distance;
            if self.partners[visited] != UNPAIRED {
                self.column_prices[self.partners[visited]] += length - distance;
            }
        }
        if column == UNPAIRED {
            column = std::mem::replace(&mut self.partners[dropped.1], UNPAIRED);
        }
        // Shift the pairs along the path.
        while column != UNPAIRED {
            let taker = previous[column];
            self.holders[column] = taker;
            column = std::mem::replace(&mut self.partners[taker], column);
        }
    }

    /// Turns a best matching into the lexicographically smallest one.
    fn make_smallest(&mut self) {
        let (rows, columns) = (self.partners.len(), self.holders.len());
        let mut tight = Tight::none(rows, columns);
        for row in 0..rows {
            for (column, &worth) in self.worth(row).iter().enumerate() {
                if worth > 0 && self.row_prices[row] + self.column_prices[column] == worth {
                    tight.insert(row, column);
                }
            }
        }
        for row in 0..rows {
            let old = self.partners[row];
            // The columns of earlier rows are final.
            let is_settled = |column: usize| self.holders[column] < row;
            let candidates: Vec<usize> = (0..columns.min(old))
                .filter(|&column| tight.contains(row, column) && !is_settled(column))
                .collect();
            if candidates.is_empty() {
                continue;
            }
            let row_moves = RowMoves::search(self, row, &tight);
            if let Some(&column) = candidates
                .iter()
                .find(|&&column| row_moves.ends_in_old[column] || row_moves.ends_elsewhere[column])
            {
                self.partners[row] = UNPAIRED;
                if old != UNPAIRED {
                    self.holders[old] = UNPAIRED;
                }
                if !row_moves.ends_in_old[column] {
                    self.fill_vacancy(&row_moves);
                }
                self.shift(row, column, &row_moves.moves);
            }
        }
    }

    /// Moves other rows into the column that becomes free.
    fn fill_vacancy(&mut self, row_moves: &RowMoves) {
        let Some((enters, column)) = row_moves.vacancy else {
            return;
        };
        if enters != UNPAIRED {
            self.shift(enters, column, &row_moves.moves);
        } else if column != UNPAIRED && self.holders[column] != UNPAIRED {
            let mover = std::mem::replace(&mut self.holders[column], UNPAIRED);
            self.shift(mover, row_moves.moves[mover], &row_moves.moves);
        }
    }

    /// Gives a column to a row and moves each displaced row on.
    fn shift(&mut self, row: usize, column: usize, moves: &[usize]) {
        let (mut taker, mut column) = (row, column);
        loop {
            self.partners[taker] = column;
            if column == UNPAIRED {
                return;
            }
            let loser = std::mem::replace(&mut self.holders[column], taker);
            if loser == UNPAIRED {
                return;
            }
            (taker, column) = (loser, moves[loser]);
        }
    }
}

/// For each column, the rows with a tight edge to it: the two prices sum to exactly the pair's worth.
struct Tight {
    words: usize,
    bits: Vec<u64>,
}

impl Tight {
    fn none(rows: usize, columns: usize) -> Self {
        let words = rows.div_ceil(64);
        Self {
            words,
            bits: vec![0; words * columns],
        }
    }

    fn insert(&mut self, row: usize, column: usize) {
        self.bits[column * self.words + row / 64] |= 1 << (row % 64);
    }

    fn contains(&self, row: usize, column: usize) -> bool {
        self.bits[column * self.words + row / 64] >> (row % 64) & 1 == 1
    }

    fn rows(&self, column: usize) -> &[u64] {
        &self.bits[column * self.words..][..self.words]
    }
}

/// How the rows after `row` can move so that `row` can change its column.
struct RowMoves {
    /// Columns with a row that can move in a chain that ends in `row`'s old column.
    ends_in_old: Vec<bool>,
    /// Free columns, and columns with a row that can move in a chain that ends in a free column or
    /// leaves a row unpaired. The old column is then filled through `vacancy`. No row is in chains
    /// of both kinds, so they can't cross.
    ends_elsewhere: Vec<bool>,
    /// The column that each row moves to.
    moves: Vec<usize>,
    /// How the old column can be filled: either rows move up in a chain from this column, which then stays free, or this unpaired row takes
    /// this column.
    vacancy: Option<(usize, usize)>,
}

impl RowMoves {
    fn search(matching: &Matching<'_>, row: usize, tight: &Tight) -> Self {
        let (rows, columns) = (matching.partners.len(), matching.holders.len());
        let old = matching.partners[row];
        let mut row_moves = Self {
            ends_in_old: vec![false; columns],
            ends_elsewhere: vec![false; columns],
            moves: vec![UNPAIRED; rows],
            vacancy: None,
        };
        let (mut pending, mut unpaired) = (vec![0_u64; tight.words], vec![0_u64; tight.words]);
        for later in row + 1..rows {
            let set = if matching.partners[later] == UNPAIRED {
                &mut unpaired
            } else {
                &mut pending
            };
            set[later / 64] |= 1 << (later % 64);
        }
        let mut queue = Vec::new();
        // A row without a column leaves no vacancy to fill.
        if old == UNPAIRED {
            row_moves.vacancy = Some((UNPAIRED, UNPAIRED));
        } else {
            queue.push(old);
        }
        // Search backwards from the old column for rows that can move up in a chain.
        while let Some(column) = queue.pop() {
            row_moves.ends_in_old[column] = true;
            // By complementary slackness, a column with price 0 may stay free.
            if matching.column_prices[column] == 0 {
                row_moves.vacancy = Some((UNPAIRED, column));
            } else if let Some(word) =
                (0..tight.words).find(|&word| unpaired[word] & tight.rows(column)[word] != 0)
            {
                let enters = (unpaired[word] & tight.rows(column)[word]).trailing_zeros() as usize;
                row_moves.vacancy = Some((word * 64 + enters, column));
            }
            row_moves.move_to(column, matching, tight, &mut pending, &mut queue);
        }
        if row_moves.vacancy.is_none() {
            return row_moves;
        }
        // Then search backwards from free columns, and from rows with price 0, which may stay unpaired.
        queue.extend((0..columns).filter(|&column| matching.holders[column] == UNPAIRED));
        for later in row + 1..rows {
            let bit = 1 << (later % 64);
            if pending[later / 64] & bit != 0 && matching.row_prices[later] == 0 {
                pending[later / 64] &= !bit;
                queue.push(matching.partners[later]);
            }
        }
        while let Some(column) = queue.pop() {
            row_moves.ends_elsewhere[column] = true;
            row_moves.move_to(column, matching, tight, &mut pending, &mut queue);
        }
        row_moves
    }

    /// Moves all pending rows that can move to a column, and queues the columns they leave.
    fn move_to(
        &mut self,
        column: usize,
        matching: &Matching<'_>,
        tight: &Tight,
        pending: &mut [u64],
        queue: &mut Vec<usize>,
    ) {
        for (word, (pending, tight)) in pending.iter_mut().zip(tight.rows(column)).enumerate() {
            let mut movable = *pending & tight;
            *pending &= !movable;
            while movable != 0 {
                let mover = word * 64 + movable.trailing_zeros() as usize;
                movable &= movable - 1;
                self.moves[mover] = column;
                queue.push(matching.partners[mover]);
            }
        }
    }
}

#[cfg(test)]
mod tests;
