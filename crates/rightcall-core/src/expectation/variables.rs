//! The candidate values of an expectation's variables.
//!
//! Candidates are the values found where a variable is used. Of candidates that make the same calls match, only the earliest is kept. All
//! combinations of the rest are tried in order.

use crate::value::{Text, Value};

use super::actual::ActualCall;
use super::error::ExpectationError;
use super::matches::MatchTable;
use super::pattern::{Binding, ValueCondition, ValuePattern, equal};
use super::search::Goal;
use super::tree::ProcessTree;

/// Maximum number of assignments tried.
const MAX_ASSIGNMENTS: usize = 10_000;

/// A step from a value to a nested one.
#[derive(Clone, Debug)]
enum PlaceStep {
    Key(Text<'static>),
    Index(usize),
}

/// A variable's location in a leaf's demand.
#[derive(Clone, Debug)]
pub(super) struct VariablePlace {
    pub(super) leaf: u32,
    pub(super) is_output: bool,
    steps: Vec<PlaceStep>,
}

impl VariablePlace {
    /// The key that holds the variable.
    pub(super) fn key(&self) -> Option<String> {
        self.steps.iter().rev().find_map(|step| match step {
            PlaceStep::Key(key) => Some(key.to_display().into_owned()),
            PlaceStep::Index(_) => None,
        })
    }

    /// The value at this location in a call.
    pub(super) fn value<'v>(&self, call: &'v ActualCall<'_>) -> Option<&'v Value<'v>> {
        let mut value = if self.is_output {
            call.read_output()
        } else {
            call.arguments.as_ref()
        }?;
        for step in &self.steps {
            value = match step {
                PlaceStep::Key(key) => value.as_object()?.get(key)?,
                PlaceStep::Index(index) => value.as_list()?.get(*index)?,
            };
        }
        Some(value)
    }
}

/// The candidate values of a variable, each with the calls that match under it.
#[derive(Debug)]
pub(super) struct Candidates<'v> {
    /// `None` means no value.
    values: Vec<(Option<&'v Value<'v>>, LeafRows)>,
}

/// For each leaf with the variable, one bit per call that matches under a value.
type LeafRows = Vec<(u32, Vec<u64>)>;

/// The value of each variable; `None` if it has none.
pub(super) type Assignment<'v> = Vec<Option<&'v Value<'v>>>;

/// The locations of all variables, in written order.
pub(super) fn places(tree: &ProcessTree) -> Vec<Vec<VariablePlace>> {
    let mut places = vec![Vec::new(); tree.variables.len()];
    for (number, leaf) in tree.leaves.iter().enumerate() {
        let output = leaf.output.as_ref().map(|output| &output.pattern);
        for (pattern, is_output) in [(leaf.arguments.as_ref(), false), (output, true)] {
            let Some(pattern) = pattern else { continue };
            let mut add = |variable: usize, steps: &[PlaceStep]| {
                places[variable].push(VariablePlace {
                    leaf: number as u32,
                    is_output,
                    steps: steps.to_vec(),
                });
            };
            walk(pattern, &mut Vec::new(), &mut add);
        }
    }
    places
}

/// Calls `add` for each variable in a pattern, with the steps to it.
fn walk(
    pattern: &ValuePattern,
    steps: &mut Vec<PlaceStep>,
    add: &mut dyn FnMut(usize, &[PlaceStep]),
) {
    match pattern {
        ValuePattern::Exact(_) | ValuePattern::Literal { .. } => {}
        ValuePattern::Optional { pattern, .. } => walk(pattern, steps, add),
        ValuePattern::List(patterns) => {
            for (index, pattern) in patterns.iter().enumerate() {
                steps.push(PlaceStep::Index(index));
                walk(pattern, steps, add);
                steps.pop();
            }
        }
        ValuePattern::Object { members, .. } => {
            for (key, pattern) in members {
                steps.push(PlaceStep::Key(key.clone()));
                walk(pattern, steps, add);
                steps.pop();
            }
        }
        ValuePattern::Matcher { conditions, .. } => {
            for condition in conditions {
                if let ValueCondition::Variable(number) = condition {
                    add(*number, steps);
                }
            }
        }
    }
}

/// Decides which leaves match which calls under given bindings.
pub(super) struct Matching<'m, 'c> {
    pub(super) tree: &'m ProcessTree,
    pub(super) calls: &'m [ActualCall<'c>],
    /// For an unfinished run, an unrecorded output of the last call is not a mismatch.
    pub(super) goal: Goal,
    /// An unrecorded output of any call is not a mismatch.
    pub(super) awaits_all: bool,
    /// If set, the last call is unknown: it meets this leaf's whole demand and no other.
    pub(super) next: Option<u32>,
}

impl<'m, 'c> Matching<'m, 'c> {
    /// For the calls of a complete run.
    pub(super) fn complete(tree: &'m ProcessTree, calls: &'m [ActualCall<'c>]) -> Self {
        Self {
            tree,
            calls,
            goal: Goal::Complete,
            awaits_all: false,
            next: None,
        }
    }

    /// For the calls of an unfinished run.
    pub(super) fn so_far(
        tree: &'m ProcessTree,
        calls: &'m [ActualCall<'c>],
        awaits_all: bool,
    ) -> Self {
        Self {
            tree,
            calls,
            goal: Goal::Prefix,
            awaits_all,
            next: None,
        }
    }

    /// True for the unknown last call.
    pub(super) fn is_unknown(&self, actual: usize) -> bool {
        self.next.is_some() && actual + 1 == self.calls.len()
    }

    /// True if a call meets a leaf's whole demand.
    pub(super) fn is_full(&self, leaf: u32, actual: usize, bindings: &[Binding<'_>]) -> bool {
        if self.is_unknown(actual) {
            return self.next == Some(leaf);
        }
        let (leaf, call) = (&self.tree.leaves[leaf as usize], &self.calls[actual]);
        let arguments = leaf.arguments.as_ref().is_none_or(|pattern| {
            call.arguments
                .as_ref()
                .is_some_and(|value| pattern.holds(Some(value), bindings))
        });
        let is_last = actual + 1 == self.calls.len();
        let is_awaited = self.goal == Goal::Prefix && (is_last || self.awaits_all);
        arguments
            && leaf
                .output
                .as_ref()
                .is_none_or(|output| match call.read_output() {
                    Some(value) => output.pattern.holds(Some(value), bindings),
                    None => is_awaited,
                })
    }

    fn rows(&self, leaves: &[u32], table: &MatchTable<'_>, bindings: &[Binding<'_>]) -> LeafRows {
        let row = |&leaf: &u32| {
            let mut row = table.row(leaf).to_vec();
            for actual in 0..self.calls.len() {
                if table.is_full(leaf, actual) && !self.is_full(leaf, actual, bindings) {
                    row[actual / 64] &= !(1 << (actual % 64));
                }
            }
            (leaf, row)
        };
        leaves.iter().map(row).collect()
    }
}

/// The candidates of all variables; `table` holds the matches that are possible under some values.
///
/// # Errors
/// There are more than 10,000 assignments; the error names the variable that exceeds the limit.
pub(super) fn candidates<'v>(
    matching: &'v Matching<'v, '_>,
    table: &MatchTable<'_>,
) -> Result<Vec<Candidates<'v>>, ExpectationError> {
    let tree = matching.tree;
    if tree.variables.is_empty() {
        return Ok(Vec::new());
    }
    let mut all = Vec::with_capacity(tree.variables.len());
    let mut assignments = 1usize;
    for (variable, places) in places(tree).iter().enumerate() {
        let mut leaves: Vec<u32> = places.iter().map(|place| place.leaf).collect();
        leaves.dedup();
        let mut bindings = vec![Binding::Open; tree.variables.len()];
        let mut values: Vec<(Option<&Value<'_>>, LeafRows)> = Vec::new();
        for found in found_values(places, &leaves, matching, table) {
            bindings[variable] = Binding::Value(found);
            let rows = matching.rows(&leaves, table, &bindings);
            if values.iter().all(|(_, known)| *known != rows) {
                values.push((Some(found), rows));
            }
        }
        bindings[variable] = Binding::Nothing;
        let rows = matching.rows(&leaves, table, &bindings);
        if values.iter().all(|(_, known)| *known != rows) {
            values.push((None, rows));
        }
        assignments = assignments.saturating_mul(values.len());
        if assignments > MAX_ASSIGNMENTS {
            let name = tree.variables[variable].name.to_display();
            return Err(ExpectationError::new(
                format!("at most {MAX_ASSIGNMENTS} assignments of variables"),
                format!("{assignments} with the values that `{name}` may have"),
            )
            .help("demand more of the calls in which the variable stands, so that fewer values come into question")
            .at(&tree.variables[variable].pointer));
        }
        all.push(Candidates { values });
    }
    Ok(all)
}

/// The distinct values found where a variable is used, in order.
fn found_values<'v>(
    places: &[VariablePlace],
    leaves: &[u32],
    matching: &'v Matching<'v, '_>,
    table: &MatchTable<'_>,
) -> Vec<&'v Value<'v>> {
    let mut found: Vec<&Value<'_>> = Vec::new();
    for &leaf in leaves {
        for (actual, call) in matching.calls.iter().enumerate() {
            if !table.is_named(leaf, actual) {
                continue;
            }
            for place in places.iter().filter(|place| place.leaf == leaf) {
                if let Some(value) = place.value(call)
                    && !found.iter().any(|known| equal(known, value))
                {
                    found.push(value);
                }
            }
        }
    }
    found
}

/// Iterates over the assignments, each with its match table; the first variable changes slowest.
pub(super) struct Assignments<'a, 'v> {
    candidates: &'a [Candidates<'v>],
    /// The matches that are possible under some values; the last assignment takes the table.
    table: Option<MatchTable<'v>>,
    /// The index of each variable's value; `None` at the end.
    next: Option<Vec<usize>>,
}

impl<'a, 'v> Assignments<'a, 'v> {
    pub(super) fn new(candidates: &'a [Candidates<'v>], table: MatchTable<'v>) -> Self {
        Self {
            next: Some(vec![0; candidates.len()]),
            candidates,
            table: Some(table),
        }
    }

    /// The next combination of value indices.
    fn after(&self, chosen: &[usize]) -> Option<Vec<usize>> {
        let is_last =
            |&variable: &usize| chosen[variable] + 1 == self.candidates[variable].values.len();
        let variable = (0..chosen.len()).rev().find(|it| !is_last(it))?;
        let mut after = chosen.to_vec();
        after[variable] += 1;
        after[variable + 1..].fill(0);
        Some(after)
    }
}

impl<'v> Iterator for Assignments<'_, 'v> {
    type Item = (Assignment<'v>, MatchTable<'v>);

    fn next(&mut self) -> Option<Self::Item> {
        let chosen = self.next.take()?;
        self.next = self.after(&chosen);
        let mut table = match &self.next {
            Some(_) => self.table.clone(),
            None => self.table.take(),
        }?;
        let mut assignment = Vec::with_capacity(chosen.len());
        for (candidates, &number) in self.candidates.iter().zip(&chosen) {
            let (value, rows) = &candidates.values[number];
            assignment.push(*value);
            for (leaf, row) in rows {
                let all = table.row_mut(*leaf as usize);
                all.iter_mut().zip(row).for_each(|(all, bits)| *all &= bits);
            }
        }
        Some((assignment, table))
    }
}
