//! Finds results in a list next to the list of their calls.

use std::collections::BTreeSet;

use super::calls::DraftedCalls;
use super::outcome::{Outcome, of_items};
use super::survey::Survey;
use super::words::{self, OUTPUTS};
use crate::node::Node;

/// The path to the list of outputs next to each list of calls, with the same length, and the outcome in its items.
pub(super) fn list_beside(
    survey: &Survey<'_, '_>,
    calls: &[DraftedCalls],
) -> Option<(String, Outcome)> {
    let [rule] = calls else {
        return None;
    };
    let mut common: Option<BTreeSet<Vec<&str>>> = None;
    for &item in &rule.items {
        let spot = &survey.spots[item];
        let length = *spot.lists.last()?;
        let mut around = survey.upwards(item).map(|it| &survey.spots[it]);
        let holder = around.find(|it| it.keys.len() < length)?;
        let number = holder.get(spot.keys[length - 1])?.items().len();
        let is_list = |(key, value): &(&str, &Node<'_>)| {
            let one = key.strip_suffix('s').unwrap_or(key);
            let items = value.items();
            words::is_one(one, OUTPUTS) && items.len() == number
        };
        let lists = holder.members().filter(is_list);
        let keys = |(key, _)| holder.keys.iter().copied().chain([key]).collect();
        let lists: BTreeSet<Vec<&str>> = lists.map(keys).collect();
        common = Some(match common {
            Some(common) => common.intersection(&lists).cloned().collect(),
            None => lists,
        });
    }
    let keys = common?.pop_first()?;
    let (last, before) = keys.split_last()?;
    let holders = survey.spots.iter().filter(|spot| spot.keys == before);
    let lists = holders.filter_map(|spot| spot.get(last));
    let items: Vec<_> = lists.flat_map(Node::items).collect();
    Some((super::survey::path_of(&keys), of_items(&items)))
}
