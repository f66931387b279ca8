//! Orders parallel calls so that an alignment matches as much as possible.
//!
//! Calls of one group have no order, so they are arranged before an alignment that depends on
//! order. By position, each group is first searched for the calls expected at its positions. In
//! sequence, a dynamic program over groups and expected positions finds the longest common
//! subsequence over all arrangements: a group matched with a range of expected calls counts as
//! their maximum matching, which is grown call by call from the end of the range.
//!
//! Time, in sequence: groups × expected calls × range length. Memory: four bytes per group and expected call.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use super::{Alignment, Comparison, Grade, Symbols, is_full};
use crate::outcome::EvaluationError;

/// Maximum calls per side that are arranged in sequence.
const LIMIT: usize = 2_000;

/// The alignment for which the order is optimised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrange {
    /// [`position`](super::position): most equal calls at the same position, then most calls with the same name. (Only optimal if equality
    /// is transitive.)
    Position,
    /// [`longest_common_subsequence`](super::longest_common_subsequence): the longest one.
    Sequence,
    /// [`subsequence`](super::subsequence): the longest matched prefix of the expected calls.
    Beginning,
}

/// Returns an order of the actual calls that moves calls only within their group; `order[place]` is an index.
///
/// `groups` are ascending, disjoint ranges of actual calls that were requested in parallel.
///
/// # Errors
/// A comparison fails, or, in sequence, a side has more than 2,000 calls.
pub(crate) fn arrange<C: Comparison>(
    calls: &C,
    groups: &[Range<usize>],
    order: Arrange,
) -> Result<Vec<usize>, EvaluationError> {
    let mut arranged: Vec<usize> = (0..calls.actual()).collect();
    if groups.is_empty() {
        return Ok(arranged);
    }
    match order {
        Arrange::Position => {
            for group in groups {
                by_position(calls, group, &mut arranged[group.clone()])?;
            }
        }
        Arrange::Sequence => in_sequence(calls, &blocks(calls.actual(), groups), &mut arranged)?,
        Arrange::Beginning => {
            for_beginning(calls, &blocks(calls.actual(), groups), &mut arranged)?;
        }
    }
    Ok(arranged)
}

/// Fills the positions of one group: with equal calls, those already in place first; then with calls of the same name; then with the
/// others, in order.
fn by_position<C: Comparison>(
    calls: &C,
    group: &Range<usize>,
    places: &mut [usize],
) -> Result<(), EvaluationError> {
    let mut filling = Filling {
        members: vec![None; group.len()],
        is_used: vec![false; group.len()],
    };
    let expected_places = calls.expected().clamp(group.start, group.end) - group.start;
    let is_equal = |place, member| is_full(calls, group.start + place, group.start + member);
    let has_same_name = |place, member| {
        let names = calls.names();
        Ok(names.same(group.start + place, group.start + member))
    };
    filling.fill(expected_places, is_equal)?;
    filling.fill(expected_places, has_same_name)?;
    let is_used = filling.is_used;
    let mut others = (0..group.len()).filter(|&member| !is_used[member]);
    for (place, member) in places.iter_mut().zip(filling.members) {
        *place = group.start + member.or_else(|| others.next()).unwrap_or_default();
    }
    Ok(())
}

/// Assigns the members of a group to its places.
struct Filling {
    /// The member at each place.
    members: Vec<Option<usize>>,
    /// True for members that have a place.
    is_used: Vec<bool>,
}

impl Filling {
    /// Fills empty places with members that fit: first those already in place, then the first of the others.
    fn fill(
        &mut self,
        expected_places: usize,
        fits: impl Fn(usize, usize) -> Result<bool, EvaluationError>,
    ) -> Result<(), EvaluationError> {
        for place in 0..expected_places {
            self.put(place, place, &fits)?;
        }
        for place in 0..expected_places {
            for member in 0..self.members.len() {
                self.put(place, member, &fits)?;
            }
        }
        Ok(())
    }

    fn put(
        &mut self,
        place: usize,
        member: usize,
        fits: &impl Fn(usize, usize) -> Result<bool, EvaluationError>,
    ) -> Result<(), EvaluationError> {
        if self.members[place].is_none() && !self.is_used[member] && fits(place, member)? {
            self.members[place] = Some(member);
            self.is_used[member] = true;
        }
        Ok(())
    }
}

/// The groups, with each call between them as a group of one.
fn blocks(actual: usize, groups: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut blocks = Vec::new();
    let mut end = 0;
    for group in groups {
        blocks.extend((end..group.start).map(|index| index..index + 1));
        blocks.push(group.clone());
        end = group.end;
    }
    blocks.extend((end..actual).map(|index| index..index + 1));
    blocks
}

/// The calls of a block, grouped by the expected calls they match.
struct BlockClasses {
    /// The expected calls considered.
    expected: Range<usize>,
    /// The classes that match each expected call.
    matching: Vec<Vec<usize>>,
    /// The calls of each class, ascending.
    members: Vec<Vec<usize>>,
}

impl BlockClasses {
    fn new<C: Comparison>(
        calls: &C,
        block: &Range<usize>,
        expected: Range<usize>,
    ) -> Result<Self, EvaluationError> {
        let mut matching = vec![Vec::new(); expected.len()];
        let mut members: Vec<Vec<usize>> = Vec::new();
        let mut class_of: BTreeMap<Vec<usize>, usize> = BTreeMap::new();
        for actual in block.clone() {
            let mut matched = Vec::new();
            for index in expected.clone() {
                if is_full(calls, index, actual)? {
                    matched.push(index - expected.start);
                }
            }
            if matched.is_empty() {
                continue;
            }
            if let Some(&class) = class_of.get(&matched) {
                members[class].push(actual);
                continue;
            }
            for &index in &matched {
                matching[index].push(members.len());
            }
            class_of.insert(matched, members.len());
            members.push(vec![actual]);
        }
        Ok(Self {
            expected,
            matching,
            members,
        })
    }

    fn classes_of(&self, expected: usize) -> &[usize] {
        &self.matching[expected - self.expected.start]
    }
}

/// A matching of expected calls with members of classes, grown one expected call at a time.
struct PartialMatching<'c> {
    classes: &'c BlockClasses,
    /// The expected calls matched with each class.
    matched: Vec<Vec<usize>>,
    tried: Vec<bool>,
}

impl<'c> PartialMatching<'c> {
    fn new(classes: &'c BlockClasses) -> Self {
        Self {
            classes,
            matched: vec![Vec::new(); classes.members.len()],
            tried: vec![false; classes.members.len()],
        }
    }

    /// Matches another expected call, if possible; true on success.
    fn add_match(&mut self, expected: usize) -> bool {
        self.tried.fill(false);
        self.find_member(expected)
    }

    /// Finds a member for an expected call; matched calls move to other classes if needed.
    fn find_member(&mut self, expected: usize) -> bool {
        let classes = self.classes;
        for &class in classes.classes_of(expected) {
            if std::mem::replace(&mut self.tried[class], true) {
                continue;
            }
            if self.matched[class].len() < classes.members[class].len() {
                self.matched[class].push(expected);
                return true;
            }
            for place in 0..self.matched[class].len() {
                let other = self.matched[class][place];
                if classes.classes_of(other).len() > 1 && self.find_member(other) {
                    self.matched[class][place] = expected;
                    return true;
                }
            }
        }
        false
    }

    /// Arranges a block: matched calls in expected order, then the others in their own order.
    fn place(&self, block: &Range<usize>, places: &mut [usize]) {
        let mut matched_pairs: Vec<(usize, usize)> = Vec::new();
        for (expected, members) in self.matched.iter().zip(&self.classes.members) {
            let mut expected = expected.clone();
            expected.sort_unstable();
            matched_pairs.extend(expected.into_iter().zip(members.iter().copied()));
        }
        matched_pairs.sort_unstable();
        let mut first: Vec<usize> = matched_pairs
            .into_iter()
            .map(|(_, actual)| actual)
            .collect();
        let mut is_placed = vec![false; block.len()];
        for &actual in &first {
            is_placed[actual - block.start] = true;
        }
        first.extend(
            block
                .clone()
                .filter(|actual| !is_placed[actual - block.start]),
        );
        places.copy_from_slice(&first);
    }
}

/// Arranges the blocks for the longest common subsequence.
fn in_sequence<C: Comparison>(
    calls: &C,
    blocks: &[Range<usize>],
    arranged: &mut [usize],
) -> Result<(), EvaluationError> {
    let most = calls.expected().max(calls.actual());
    if most > LIMIT {
        return Err(EvaluationError::TooManyCalls {
            calls: most,
            alignment: "parallel calls in sequence",
            limit: LIMIT,
        });
    }
    let width = calls.expected() + 1;
    // Row b: the greatest length for the first b blocks and the first j expected calls.
    let mut lengths = vec![0_u32; (blocks.len() + 1) * width];
    let mut classes = Vec::with_capacity(blocks.len());
    for (number, block) in blocks.iter().enumerate() {
        let block_classes = BlockClasses::new(calls, block, 0..calls.expected())?;
        let (before, row) = lengths[number * width..].split_at_mut(width);
        for j in 1..width {
            row[j] = before[j].max(row[j - 1]);
            // Each expected call can increase the length by at most one.
            if row[j] == row[j - 1]
                && let Some((_, _, length)) =
                    shortest_range(&block_classes, block.len(), before, j, row[j - 1] + 1)
            {
                row[j] = length;
            }
        }
        classes.push(block_classes);
    }
    // Trace back: each block that lengthens the subsequence is arranged for its range of expected calls.
    let mut j = calls.expected();
    for (number, block) in blocks.iter().enumerate().rev() {
        let (before, row) = lengths[number * width..].split_at(width);
        while j > 0 && row[j] > before[j] {
            if row[j] == row[j - 1] {
                j -= 1;
            } else {
                let Some((start, growing, _)) =
                    shortest_range(&classes[number], block.len(), before, j, row[j])
                else {
                    break;
                };
                growing.place(block, &mut arranged[block.clone()]);
                j = start;
                break;
            }
        }
    }
    Ok(())
}

/// The shortest range of expected calls that ends before `end` and lets the block reach a length, if any: its start, its matching and the
/// length.
fn shortest_range<'c>(
    classes: &'c BlockClasses,
    most: usize,
    before: &[u32],
    end: usize,
    wanted: u32,
) -> Option<(usize, PartialMatching<'c>, u32)> {
    // A range that ends with an unmatched call could end earlier.
    if classes.classes_of(end - 1).is_empty() {
        return None;
    }
    let mut growing = PartialMatching::new(classes);
    let mut matched = 0;
    for start in (0..end).rev() {
        if growing.add_match(start) {
            matched += 1;
            if before[start] + matched >= wanted {
                return Some((start, growing, before[start] + matched));
            }
            if matched as usize == most {
                return None;
            }
        }
    }
    None
}

/// Arranges the blocks for the longest matched prefix of the expected calls.
fn for_beginning<C: Comparison>(
    calls: &C,
    blocks: &[Range<usize>],
    arranged: &mut [usize],
) -> Result<(), EvaluationError> {
    let mut pointer = 0;
    for block in blocks {
        let within = pointer..calls.expected().min(pointer + block.len());
        let classes = BlockClasses::new(calls, block, within.clone())?;
        let mut growing = PartialMatching::new(&classes);
        while pointer < within.end && growing.add_match(pointer) {
            pointer += 1;
        }
        growing.place(block, &mut arranged[block.clone()]);
    }
    Ok(())
}

/// A comparison with reordered actual calls.
pub(crate) struct Permuted<'c, C> {
    calls: &'c C,
    order: Vec<usize>,
    names: Symbols<'c>,
    symbols: Option<Symbols<'c>>,
}

impl<'c, C: Comparison> Permuted<'c, C> {
    /// The actual call at position `place` has the index `order[place]`.
    pub(crate) fn new(calls: &'c C, order: Vec<usize>) -> Self {
        let permute = |symbols: &'c Symbols<'_>| Symbols {
            expected: Cow::Borrowed(&*symbols.expected),
            actual: order.iter().map(|&index| symbols.actual[index]).collect(),
            count: symbols.count,
        };
        Self {
            names: permute(calls.names()),
            symbols: calls.calls().map(permute),
            calls,
            order,
        }
    }

    /// Maps an alignment of this comparison back to the original indices.
    pub(crate) fn original(&self, mut alignment: Alignment) -> Alignment {
        for pair in &mut alignment.pairs {
            pair.actual = self.order[pair.actual];
        }
        alignment
    }
}

impl<C: Comparison> Comparison for Permuted<'_, C> {
    fn expected(&self) -> usize {
        self.calls.expected()
    }

    fn actual(&self) -> usize {
        self.order.len()
    }

    fn names(&self) -> &Symbols<'_> {
        &self.names
    }

    fn calls(&self) -> Option<&Symbols<'_>> {
        self.symbols.as_ref()
    }

    fn has_partial(&self) -> bool {
        self.calls.has_partial()
    }

    fn most_comparisons(&self) -> u64 {
        self.calls.most_comparisons()
    }

    fn grade(&self, expected: usize, actual: usize) -> Result<Grade, EvaluationError> {
        self.calls.grade(expected, self.order[actual])
    }
}

#[cfg(test)]
mod tests;
