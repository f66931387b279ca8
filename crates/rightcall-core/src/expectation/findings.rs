//! Errors of a run that a list of calls can't show: alternatives not taken, and values that should be equal but aren't.

use crate::value::Value;

use super::actual::ActualCall;
use super::alignment::RunPair;
use super::choices::{ChosenWay, TreeChoice};
use super::node::TreeOperator;
use super::pattern::equal;
use super::tree::ProcessTree;
use super::variables::{Assignment, VariablePlace, places};

/// The findings, one sentence each.
pub(super) fn findings(
    tree: &ProcessTree,
    actual: &[ActualCall<'_>],
    (run, pairs): (&[u32], &[RunPair]),
    values: &Assignment<'_>,
    choices: &[TreeChoice],
) -> Vec<String> {
    let mut findings = Vec::new();
    for choice in choices {
        findings.extend(choice_not_taken(tree, (run, pairs), choice));
    }
    for (places, value) in places(tree).iter().zip(values) {
        if let Some(value) = value {
            findings.extend(other_values(tree, actual, (run, pairs), places, value));
        }
    }
    findings.dedup();
    findings
}

/// `no alternative of /1 was taken: transfer, or refund and notify`.
fn choice_not_taken(
    tree: &ProcessTree,
    (run, pairs): (&[u32], &[RunPair]),
    choice: &TreeChoice,
) -> Option<String> {
    let ChosenWay::Alternative(_) = choice.chosen else {
        return None;
    };
    let is_choice = |operator: &TreeOperator| matches!(operator, TreeOperator::Choice(_));
    let node = tree
        .nodes
        .iter()
        .find(|node| node.pointer == choice.pointer && is_choice(&node.operator))?;
    let (start, end) = node.leaves;
    let mut places = (0..run.len())
        .filter(|&place| (start..end).contains(&run[place]))
        .peekable();
    places.peek()?;
    if places.any(|place| pairs.iter().any(|pair| pair.expected == place)) {
        return None;
    }
    let names_of = |child: &u32| {
        let (start, end) = tree.node(*child).leaves;
        let names: Vec<_> = (start..end)
            .map(|leaf| tree.leaves[leaf as usize].name.to_display().into_owned())
            .collect();
        if names.is_empty() {
            "nothing".to_owned()
        } else {
            names.join(" and ")
        }
    };
    let alternatives: Vec<_> = node.operator.children().iter().map(names_of).collect();
    Some(format!(
        "no alternative of {} was taken: {}",
        choice.pointer,
        alternatives.join(", or ")
    ))
}

/// `refund used another order_id than find_order returned`.
fn other_values(
    tree: &ProcessTree,
    actual: &[ActualCall<'_>],
    (run, pairs): (&[u32], &[RunPair]),
    places: &[VariablePlace],
    value: &Value<'_>,
) -> Vec<String> {
    let at = |place: &VariablePlace, is_same: bool| {
        let of_leaf = pairs.iter().filter(|pair| run[pair.expected] == place.leaf);
        of_leaf
            .filter_map(|pair| place.value(&actual[pair.actual]))
            .any(|found| equal(value, found) == is_same)
    };
    let name = |place: &VariablePlace| tree.leaves[place.leaf as usize].name.to_display();
    let Some(source) = places.iter().find(|place| at(place, true)) else {
        return Vec::new();
    };
    let told = |place: &VariablePlace| {
        let verb = if source.is_output { "returned" } else { "used" };
        let own = if place.is_output { "returned" } else { "used" };
        let what = place.key().unwrap_or_else(|| "value".to_owned());
        format!(
            "{} {own} another {what} than {} {verb}",
            name(place),
            name(source)
        )
    };
    places
        .iter()
        .filter(|place| at(place, false))
        .map(told)
        .collect()
}
