//! Doubts whether all objects that look like calls are calls, and the conditions that leave out the others.

use std::collections::{BTreeMap, BTreeSet};

use super::calls::{DraftedCalls, OtherPlace};
use super::groups::is_of_call;
use super::kinds::{Condition, kinds};
use super::outcome::{has_output, last_key};
use super::runs;
use super::survey::{Spot, Survey, key_text};
use super::words::{self, ARGUMENTS, NAMES, STATES, SURE_IDS};
use crate::node::Node;

/// The items of each value of a kind.
type ItemsOfValues = BTreeMap<String, Vec<usize>>;

/// Leaves out places that hold no calls, and marks doubtful ones. Places that repeat the calls of others become `others`.
pub(super) fn settle(
    survey: &Survey<'_, '_>,
    calls: &mut Vec<DraftedCalls>,
    others: &mut Vec<OtherPlace>,
) {
    for rule in calls.iter_mut() {
        by_kind(survey, rule);
        by_other_key(survey, rule);
        by_prefix(survey, rule);
        by_state(survey, rule);
    }
    let repeated = repeated(survey, calls);
    let has_outcome = |rule: &DraftedCalls| {
        let mut items = rule.items.iter();
        items.any(|&it| has_output(&survey.spots[it]))
    };
    // A plan or a summary repeats calls, and never has their results.
    let is_told_again = |rule: &DraftedCalls| {
        !has_outcome(rule) && rule.items.iter().any(|it| repeated.contains_key(it))
    };
    let is_main = |rule: &DraftedCalls| {
        has_outcome(rule) && rule.items.iter().any(|it| repeated.contains_key(it))
    };
    if calls.iter().any(is_main) {
        let told_again = calls.extract_if(.., |rule| is_told_again(rule));
        others.extend(told_again.map(|rule| OtherPlace {
            number: rule.items.len(),
            is_ignored: !rule.path.is_empty(),
            path: rule.path,
        }));
    }
    let places = calls.len();
    for rule in calls {
        let all = rule.items.len();
        let again = |it: &&usize| repeated.get(it).is_some_and(|is_later| *is_later);
        let again = rule.items.iter().filter(again).count();
        if places > 1 {
            rule.doubt(
                "name",
                format!("calls are in {places} places: were all of them made?"),
            );
        } else if again > 0 {
            rule.doubt(
                "name",
                format!(
                    "{again} of {all} calls repeat another of their run: were they made again?"
                ),
            );
        } else if others.iter().any(|it| !it.is_ignored) {
            rule.doubt("name", "other places look like calls too".to_owned());
        } else if !says_that_it_is_call(rule) {
            rule.doubt("name", "is it the name of a tool?".to_owned());
        }
    }
}

/// True if keys or kinds say that these are calls.
fn says_that_it_is_call(rule: &DraftedCalls) -> bool {
    let mut values = rule.condition.iter().flat_map(|it| &it.values);
    let is_usual = |key: &String| {
        words::is_one(key, words::sure_arguments())
            && words::rank(key, ARGUMENTS) < words::rank("parameters", ARGUMENTS)
    };
    let mut args = rule.args.iter();
    !words::is_one(&rule.name, NAMES)
        || rule.path.split('.').any(words::says_call)
        || values.any(|value| words::says_call(value))
        || args.any(is_usual)
}

/// Restricts a rule to the kinds that say that they are calls, or marks it if its items are of several kinds.
fn by_kind(survey: &Survey<'_, '_>, rule: &mut DraftedCalls) {
    let mut doubt = None;
    let kinds = items_of_kinds(survey, rule).into_iter();
    for ((is_of_record, path), values) in kinds.chain(items_of_other_kinds(survey, rule)) {
        // Values of an unusual key count only if they speak of calls.
        let is_kind = words::kind_rank(last_key(&path)).is_some();
        let is_telling = is_kind || values.keys().any(|value| words::says_call(value));
        let chosen = || chosen(survey, rule, &values);
        let Some(chosen) = is_telling.then(chosen).flatten() else {
            doubt = doubt.or_else(|| {
                let values: Vec<_> = values.keys().take(4).cloned().collect();
                Some(format!(
                    "are all of these calls: {path} {}?",
                    values.join(", ")
                ))
            });
            continue;
        };
        let (calls, left_out): (BTreeMap<_, _>, BTreeMap<_, _>) = values
            .into_iter()
            .partition(|(value, _)| chosen.contains(value));
        rule.items = calls.into_values().flatten().collect();
        rule.items.sort_unstable();
        let names: Vec<_> = left_out.keys().take(4).cloned().collect();
        rule.unsure.retain(|(key, _)| *key != "name");
        rule.doubt("when", format!("this leaves out {}", names.join(", ")));
        rule.left_out = left_out
            .into_keys()
            .filter(|value| is_of_record && !words::is_result_kind(value))
            .collect();
        rule.condition = Some(Condition {
            is_of_record,
            path,
            values: chosen,
        });
        return;
    }
    if let Some(doubt) = doubt {
        rule.doubt("name", doubt);
    }
}

/// Marks a rule if some values of a key say that its items are calls or who made them, and others say something else.
fn by_other_key(survey: &Survey<'_, '_>, rule: &mut DraftedCalls) {
    if rule.condition.is_some() || rule.rest.is_some() {
        return;
    }
    let mut found: BTreeMap<String, ItemsOfValues> = BTreeMap::new();
    for &item in &rule.items {
        let spot = &survey.spots[item];
        let near = survey.near_fields(spot.record).iter();
        let near = near.filter(|_| !spot.keys.is_empty());
        let near = near.map(|(path, _, value)| (path.clone(), *value));
        let is_free =
            |(path, _): &(String, &Node<'_>)| *path != rule.name && !is_of_call(path, &rule.args);
        for (path, value) in spot.fields().into_iter().chain(near).filter(is_free) {
            let value = value.str().filter(|it| (1..=60).contains(&it.len()));
            let is_output = words::is_one(last_key(&path), words::OUTPUTS);
            if let Some(value) = value.filter(|_| !is_output) {
                let of_key = found.entry(path).or_default();
                of_key.entry(value.to_owned()).or_default().push(item);
            }
        }
    }
    let is_mixed = |values: &ItemsOfValues, says: fn(&str) -> bool| {
        let number = values.keys().filter(|value| says(value)).count();
        (1..values.len()).contains(&number)
    };
    let mut mixed = found.iter().filter(|(_, values)| {
        let all: usize = values.values().map(Vec::len).sum();
        let is_few = (2..=6).contains(&values.len()) && values.len() < all;
        let is_telling =
            is_mixed(values, words::says_call) || is_mixed(values, words::is_user_role);
        is_few && all == rule.items.len() && is_telling
    });
    let doubt = mixed.next().map(|(path, values)| {
        let values: Vec<_> = values.keys().take(4).cloned().collect();
        format!("are all of these calls: {path} {}?", values.join(", "))
    });
    if let Some(doubt) = doubt {
        rule.doubt("name", doubt);
    }
}

/// Restricts a rule to the names that say that they are names of tools, if only some do.
fn by_prefix(survey: &Survey<'_, '_>, rule: &mut DraftedCalls) {
    let name_of = |item: usize| {
        let fields = survey.spots[item].fields().into_iter();
        let mut named = fields.filter(|(path, _)| *path == rule.name);
        named.next().and_then(|(_, value)| value.str())
    };
    let names: Vec<_> = rule.items.iter().map(|&it| (it, name_of(it))).collect();
    let prefix_of =
        |(_, name): &(usize, Option<&str>)| Some(words::tool_prefix((*name)?)?.to_owned());
    let prefixes: BTreeSet<String> = names.iter().filter_map(prefix_of).collect();
    let (Some(prefix), 1, None) = (prefixes.first(), prefixes.len(), &rule.condition) else {
        return;
    };
    let (calls, others): (Vec<_>, Vec<_>) = names.iter().partition(|it| prefix_of(it).is_some());
    let Some((_, Some(other))) = others.first() else {
        return;
    };
    let (why, values) = (format!("this leaves out {other}"), [format!("{prefix}*")]);
    let is_of_record = rule.path.is_empty();
    let left_out = others.iter().filter_map(|(_, name)| *name);
    rule.left_out = left_out
        .filter(|_| is_of_record)
        .map(str::to_owned)
        .collect();
    rule.items = calls.into_iter().map(|(item, _)| item).collect();
    rule.condition = Some(Condition {
        is_of_record,
        path: rule.name.clone(),
        values: values.into(),
    });
    rule.doubt("when", why);
}

/// The kinds that have several values among the items of a rule.
fn items_of_kinds(
    survey: &Survey<'_, '_>,
    rule: &DraftedCalls,
) -> Vec<((bool, String), ItemsOfValues)> {
    let mut found: Vec<((bool, String), ItemsOfValues)> = Vec::new();
    for &item in &rule.items {
        for kind in kinds(survey, item) {
            let is_own = kind.is_of_record && !rule.path.is_empty();
            let is_own = is_own && kind.path.starts_with(&rule.path);
            if is_own || kind.path == rule.name {
                continue;
            }
            let key = (kind.is_of_record, kind.path);
            let place = found.iter().position(|(known, _)| *known == key);
            let place = place.unwrap_or_else(|| {
                found.push((key, ItemsOfValues::new()));
                found.len() - 1
            });
            found[place].1.entry(kind.value).or_default().push(item);
        }
    }
    found.retain(|(_, values)| {
        let all: usize = values.values().map(Vec::len).sum();
        values.len() > 1 && all == rule.items.len()
    });
    found
}

/// Unusual keys with a few values whose items have different keys: these may be things of several kinds.
fn items_of_other_kinds(
    survey: &Survey<'_, '_>,
    rule: &DraftedCalls,
) -> Vec<((bool, String), ItemsOfValues)> {
    let mut found: BTreeMap<&str, ItemsOfValues> = BTreeMap::new();
    // Among arguments any key may have any value.
    let items = rule.items.iter().filter(|_| rule.rest.is_none());
    for &item in items {
        for (key, value) in survey.spots[item].members() {
            let value = value.str().filter(|it| (1..=60).contains(&it.len()));
            let is_used = words::is_known(key) || *key == rule.name;
            if let Some(value) = value.filter(|_| !is_used) {
                let of_key = found.entry(key).or_default();
                of_key.entry(value.to_owned()).or_default().push(item);
            }
        }
    }
    found.retain(|key, values| {
        let all: usize = values.values().map(Vec::len).sum();
        let is_few = (2..=4).contains(&values.len()) && values.len() < all;
        is_few && all == rule.items.len() && differ_in_keys(survey, key, values)
    });
    let is_of_record = rule.path.is_empty();
    let found = found.into_iter();
    found
        .map(|(key, values)| ((is_of_record, key_text(key)), values))
        .collect()
}

/// True if all items of one value have a key that no other item has.
fn differ_in_keys(survey: &Survey<'_, '_>, key: &str, values: &ItemsOfValues) -> bool {
    let has = |item: &usize, key: &str| survey.spots[*item].get(key).is_some();
    values.iter().any(|(value, items)| {
        let others = || values.iter().filter(|(other, _)| *other != value);
        let first = items.first().map(|&it| &survey.spots[it]);
        let mut keys = first.into_iter().flat_map(Spot::members);
        keys.any(|(other, _)| {
            other != key
                && items.iter().all(|it| has(it, other))
                && !others().any(|(_, items)| items.iter().any(|it| has(it, other)))
        })
    })
}

/// The values of calls, if some say that they are calls, or others that they are not.
fn chosen(
    survey: &Survey<'_, '_>,
    rule: &DraftedCalls,
    values: &ItemsOfValues,
) -> Option<BTreeSet<String>> {
    let of = |is_call: &dyn Fn(&String, &Vec<usize>) -> bool| {
        let calls = values.iter().filter(|(value, items)| is_call(value, items));
        let calls: BTreeSet<String> = calls.map(|(value, _)| value.clone()).collect();
        (!calls.is_empty() && calls.len() < values.len()).then_some(calls)
    };
    let is_result = |value: &str| words::is_result_kind(value);
    let has_output = |items: &[usize]| items.iter().any(|&it| has_output(&survey.spots[it]));
    of(&|value, _| words::says_call(value) && !is_result(value))
        .or_else(|| of(&|value, _| !is_result(value)))
        .or_else(|| {
            let is_repeated = !repeated(survey, std::slice::from_ref(rule)).is_empty();
            of(&|_, items| has_output(items)).filter(|_| is_repeated)
        })
}

/// The items equal to another of their run in name, arguments and id; true for those that are not the first.
fn repeated(survey: &Survey<'_, '_>, calls: &[DraftedCalls]) -> BTreeMap<usize, bool> {
    let same = equal_calls(survey, calls).into_iter();
    same.flat_map(|(_, items)| {
        items
            .into_iter()
            .enumerate()
            .map(|(place, it)| (it, place > 0))
    })
    .collect()
}

/// Items of a run with equal name, arguments and id, each with the id.
type EqualCalls<'n> = (Option<&'n str>, BTreeSet<usize>);

/// The sets of several items that are equal.
fn equal_calls<'n>(survey: &Survey<'_, 'n>, calls: &[DraftedCalls]) -> Vec<EqualCalls<'n>> {
    let runs = runs::find(survey, calls);
    let mut same: BTreeMap<_, BTreeSet<usize>> = BTreeMap::new();
    for rule in calls.iter().filter(|rule| rule.rest.is_none()) {
        for &item in &rule.items {
            let spot = &survey.spots[item];
            let value = |path: &String| {
                let mut fields = survey.fields(spot).into_iter();
                fields
                    .find(|(known, _)| known == path)
                    .map(|(_, it)| it.raw())
            };
            let id = spot.key_of(SURE_IDS, |value| value.label().is_some());
            let id = id.and_then(|key| spot.get(key)).map(Node::raw);
            let args = rule.args.iter().find_map(value);
            let run = if runs.run.is_empty() && !runs.of_file {
                Some(spot.record.to_string())
            } else {
                runs.of_record(survey, spot.record)
            };
            let key = (run, value(&rule.name), args, id);
            same.entry(key).or_default().insert(item);
        }
    }
    let same = same.into_iter().filter(|(_, items)| items.len() > 1);
    same.map(|((.., id), items)| (id, items)).collect()
}

/// Restricts a rule to the last state of each call, if records repeat calls with another state, such as `running` and then `completed`.
fn by_state(survey: &Survey<'_, '_>, rule: &mut DraftedCalls) {
    let equal = equal_calls(survey, std::slice::from_ref(rule));
    let (mut earlier, mut last) = (BTreeSet::new(), BTreeSet::from_iter(rule.items.clone()));
    for (_, mut items) in equal.into_iter().filter(|(id, _)| id.is_some()) {
        items.pop_last();
        last.retain(|it| !items.contains(it));
        earlier.extend(items);
    }
    if earlier.is_empty() || rule.condition.is_some() {
        return;
    }
    let values = |key: &str, items: &BTreeSet<usize>| -> Option<BTreeSet<String>> {
        let value = |&it: &usize| Some(survey.spots[it].get(key)?.str()?.to_owned());
        items.iter().map(value).collect()
    };
    let first = &survey.spots[rule.items[0]];
    let is_state = |key: &&str| words::is_one(key, STATES) || words::kind_rank(key).is_some();
    let mut keys = first.members().map(|(key, _)| key).filter(is_state);
    let found = keys.find_map(|key| {
        let (before, values) = (values(key, &earlier)?, values(key, &last)?);
        before.is_disjoint(&values).then_some((key, before, values))
    });
    let Some((key, before, values)) = found else {
        return;
    };
    let is_of_record = rule.path.is_empty();
    let names: Vec<_> = before.iter().take(4).cloned().collect();
    rule.items = last.into_iter().collect();
    rule.earlier = earlier;
    rule.condition = Some(Condition {
        is_of_record,
        path: key_text(key),
        values,
    });
    rule.unsure.retain(|(key, _)| *key != "name");
    rule.doubt("when", format!("this leaves out {}", names.join(", ")));
    rule.left_out = before.into_iter().filter(|_| is_of_record).collect();
}
