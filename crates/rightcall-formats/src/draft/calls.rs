//! Finds the objects of a sample that look like calls, and a rule that matches them.

use std::collections::{BTreeMap, BTreeSet};

use super::kinds::{Condition, distinguishing_condition, holds};
use super::names::{self, Named};
use super::survey::{Spot, Survey, key_text};
use super::words::{self, ARGUMENTS, NAMES, TOOL_NAMES};
use crate::node::Node;

/// Calls of one form in one place.
#[derive(Debug)]
pub(super) struct DraftedCalls {
    /// The path to the items; empty if the records are the calls.
    pub(super) path: String,
    pub(super) name: String,
    /// Keys of the arguments, most frequent first.
    pub(super) args: Vec<String>,
    /// Indices of the items in [`Survey::spots`].
    pub(super) items: Vec<usize>,
    pub(super) condition: Option<Condition>,
    /// If set, all keys except these are arguments.
    pub(super) rest: Option<Vec<String>>,
    /// Doubts about the name and the arguments, written as comments.
    pub(super) unsure: Vec<(&'static str, String)>,
    /// Kinds of records that look like these calls but are not calls.
    pub(super) left_out: BTreeSet<String>,
    /// Objects that show an earlier state of these calls.
    pub(super) earlier: BTreeSet<usize>,
}

impl DraftedCalls {
    /// Adds a comment to the line of this key, if it has none.
    pub(super) fn doubt(&mut self, key: &'static str, why: String) {
        if !self.unsure.iter().any(|(known, _)| *known == key) {
            self.unsure.push((key, why));
        }
    }
}

/// Objects in a place that look like calls and are not read.
#[derive(Debug)]
pub(super) struct OtherPlace {
    pub(super) path: String,
    pub(super) number: usize,
    /// True if it repeats calls of another place, or if its keys say that these were not made.
    pub(super) is_ignored: bool,
}

impl OtherPlace {
    fn new(path: String, number: usize) -> Self {
        Self {
            path,
            number,
            is_ignored: false,
        }
    }
}

/// The places that are probably the calls of a sample, and other places that look like calls.
pub(super) fn candidates(survey: &Survey<'_, '_>) -> (Vec<DraftedCalls>, Vec<OtherPlace>) {
    let final_records: Vec<bool> = (0..survey.records.len())
        .map(|record| !survey.is_not_final(record))
        .collect();
    let mut found = (Vec::new(), Vec::new());
    // A name alone is weak evidence, so it counts only without stronger evidence. So does a place that says that it holds no calls.
    for (least, with_aside) in [
        (Least::Telling, false),
        (Least::Pair, false),
        (Least::Telling, true),
        (Least::Name, true),
        (Least::Shape, true),
    ] {
        let before = std::mem::take(&mut found.1);
        found = named(survey, &final_records, least, with_aside);
        if least == Least::Pair {
            let is_new = |it: &OtherPlace| !found.1.iter().any(|known| known.path == it.path);
            let new: Vec<_> = before.into_iter().filter(is_new).collect();
            found.1.extend(new);
        }
        let number: usize = found.0.iter().map(|rule| rule.items.len()).sum();
        if least == Least::Telling
            && let Some(rule) = by_key(survey).filter(|rule| rule.items.len() > number)
        {
            found.1.extend(
                found
                    .0
                    .drain(..)
                    .map(|other| OtherPlace::new(other.path, other.items.len())),
            );
            found.0.push(rule);
        }
        if !found.0.is_empty() {
            break;
        }
    }
    found
}

/// The minimum evidence for a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Least {
    /// A tool-name key, or a name with arguments.
    Telling,
    /// A text before arguments.
    Pair,
    /// Any name key.
    Name,
    /// A text before an object, under any keys.
    Shape,
}

/// Lists of objects with one key each: the tool name, with the arguments as its value.
fn by_key(survey: &Survey<'_, '_>) -> Option<DraftedCalls> {
    let is_item = |spot: &Spot<'_>| {
        let mut members = spot.members();
        let first = members.next().filter(|_| members.next().is_none());
        let is_call =
            first.is_some_and(|(key, value)| words::is_tool_name(key) && value.is_object());
        let of_calls = spot
            .keys
            .last()
            .is_some_and(|key| words::is_one(key, words::LISTS_BY_NAME));
        spot.is_in_list() && spot.is_level() && of_calls && is_call
    };
    let items: Vec<usize> = (0..survey.spots.len())
        .filter(|&it| is_item(&survey.spots[it]))
        .collect();
    let path = survey.spots[*items.first()?].path();
    Some(DraftedCalls {
        path: format!("{path}.*"),
        name: "$key".to_owned(),
        args: vec!["$item".to_owned()],
        items,
        condition: None,
        rest: None,
        unsure: vec![("name", "is each key the name of a tool?".to_owned())],
        left_out: BTreeSet::new(),
        earlier: BTreeSet::new(),
    })
}

/// The candidates of each place.
type Places<'n> = BTreeMap<Vec<&'n str>, Vec<Named<'n>>>;

/// The objects in final records that may be calls.
fn places<'n>(survey: &Survey<'_, 'n>, final_records: &[bool], least: Least) -> Places<'n> {
    let mut places = Places::new();
    let spots = survey.spots.iter().enumerate();
    for (place, spot) in spots.filter(|(_, spot)| final_records[spot.record]) {
        let Some((name, args)) = name_and_args(survey, spot, least) else {
            continue;
        };
        let all = places.entry(spot.keys.clone()).or_default();
        let known = all.iter().position(|it| it.name == name);
        let number = known.unwrap_or(all.len());
        if known.is_none() {
            all.push(Named {
                name,
                spots: Vec::new(),
                with_args: Vec::new(),
            });
        }
        let named = &mut all[number];
        named.spots.push(place);
        named.with_args.extend(args.map(|path| (place, path)));
    }
    for all in places.values_mut() {
        names::correct(survey, all);
    }
    places
}

fn named<'n>(
    survey: &Survey<'_, 'n>,
    final_records: &[bool],
    least: Least,
    with_aside: bool,
) -> (Vec<DraftedCalls>, Vec<OtherPlace>) {
    let places = places(survey, final_records, least);
    let weight = |all: &Vec<Named<'n>>| all.iter().map(Named::weight).sum::<usize>();
    let is_aside = |keys: &[&str]| keys.iter().any(|key| words::is_aside(key));
    let Some(main) = places
        .iter()
        .filter(|(keys, _)| with_aside || !is_aside(keys))
        .max_by_key(|(_, all)| weight(all))
        .map(|(keys, _)| keys.clone())
    else {
        return (Vec::new(), ignored(&places));
    };
    let main_weight = weight(&places[&main]);
    let records: BTreeSet<usize> = places[&main]
        .iter()
        .flat_map(|it| &it.spots)
        .map(|&place| survey.spots[place].record)
        .collect();
    let (mut calls, mut others) = (Vec::new(), Vec::new());
    for (keys, all) in places {
        let is_main = keys == main;
        let last = keys.last().copied().unwrap_or_default();
        let is_other_form = || {
            let is_apart = all
                .iter()
                .flat_map(|it| &it.spots)
                .all(|&place| !records.contains(&survey.spots[place].record));
            let is_place =
                last.is_empty() || words::is_one(last, TOOL_NAMES) || words::is_one(last, NAMES);
            is_apart && weight(&all) * 4 >= main_weight && is_place && !is_aside(&keys)
        };
        if is_main || is_other_form() {
            let rules = all.iter().filter_map(|named| rule(survey, named, is_main));
            calls.extend(rules);
        } else {
            let number = all.iter().map(|it| it.with_args.len()).sum();
            if number > 0 {
                let mut other = OtherPlace::new(super::survey::path_of(&keys), number);
                other.is_ignored = is_aside(&keys);
                others.push(other);
            }
        }
    }
    if is_aside(&main) {
        let path = super::survey::path_of(&main);
        let why = || format!("does `{path}` hold calls that were made?");
        calls
            .iter_mut()
            .for_each(|rule| rule.unsure.insert(0, ("name", why())));
    }
    // Sort by frequency, since the interpreter applies the first rule that finds a name.
    calls.sort_by_key(|rule| std::cmp::Reverse(rule.items.len()));
    (calls, others)
}

/// Places that say that they hold no calls.
fn ignored(places: &Places<'_>) -> Vec<OtherPlace> {
    let number = |all: &[Named<'_>]| all.iter().map(|it| it.with_args.len()).sum::<usize>();
    let found = places.iter().filter(|(_, all)| number(all) > 0);
    let other = |(keys, all): (&Vec<&str>, &Vec<Named<'_>>)| OtherPlace {
        is_ignored: true,
        ..OtherPlace::new(super::survey::path_of(keys), number(all))
    };
    found.map(other).collect()
}

/// The keys that hold the name and the arguments of a possible call.
fn name_and_args<'n>(
    survey: &Survey<'_, 'n>,
    spot: &Spot<'n>,
    least: Least,
) -> Option<(&'n str, Option<String>)> {
    if matches!(least, Least::Pair | Least::Shape) {
        let (name, args) = text_and_object(survey, spot)?;
        let is_usual =
            words::is_one(args, words::sure_arguments()) || words::is_one(args, &["with"]);
        let is_one = least == Least::Shape || is_usual;
        return is_one.then(|| (name, Some(key_text(args))));
    }
    let is_name = |value: &'n Node<'n>| value.str().is_some_and(words::is_tool_name);
    let has_prefix = |value: &'n Node<'n>| value.str().and_then(words::tool_prefix).is_some();
    let tool_name = spot.key_of(TOOL_NAMES, is_name);
    let name = tool_name
        .or_else(|| spot.key_of(NAMES, is_name))
        .or_else(|| spot.key_of(words::KINDS, has_prefix))?;
    let args = spot
        .key_of(ARGUMENTS, |value| is_arguments(survey, value))
        .filter(|key| *key != name);
    let args = args.map(key_text).or_else(|| args_beside(survey, spot));
    let is_definition = spot.get("description").is_some() && spot.get("parameters").is_some();
    let is_call = (tool_name.is_some() || args.is_some() || least == Least::Name) && !is_definition;
    is_call.then_some((name, args))
}

fn is_arguments<'n>(survey: &Survey<'_, 'n>, value: &'n Node<'n>) -> bool {
    let is_schema = || value.has("properties") || value.has("$schema");
    let held = survey.memory.unfold(value);
    held.is_object() && !is_schema() || value.str().is_some_and(|text| text.trim().is_empty())
}

/// The path to arguments beside an object that holds only the tool, such as `{"tool": {"name": …}, "input": {…}}`.
fn args_beside(survey: &Survey<'_, '_>, spot: &Spot<'_>) -> Option<String> {
    let outer = &survey.spots[spot.outer.filter(|_| !spot.is_level())?];
    let is_tool =
        spot.keys.len() == outer.keys.len() + 1 && words::is_one(spot.keys.last()?, TOOL_NAMES);
    let args = outer.key_of(ARGUMENTS, |value| is_arguments(survey, value))?;
    is_tool.then(|| format!("^{}", key_text(args)))
}

/// The keys of a text that may be a name and of the object right behind it.
fn text_and_object<'n>(survey: &Survey<'_, 'n>, spot: &Spot<'n>) -> Option<(&'n str, &'n str)> {
    let members: Vec<_> = spot.members().collect();
    let is_pair = |pair: &&[(&'n str, &'n Node<'n>)]| {
        let [(key, name), (_, args)] = pair else {
            return false;
        };
        let is_name = name.str().is_some_and(words::is_tool_name);
        is_name && !words::is_known(key) && survey.memory.unfold(args).is_object()
    };
    let pair = members.windows(2).find(is_pair)?;
    Some((pair[0].0, pair[1].0))
}

/// Drafts the rule that matches these objects.
fn rule(survey: &Survey<'_, '_>, named: &Named<'_>, is_main: bool) -> Option<DraftedCalls> {
    let first = &survey.spots[*named.spots.first()?];
    let path = first.path();
    let sure: BTreeSet<usize> = match &named.with_args[..] {
        [] => named.spots.iter().copied().collect(),
        with_args => with_args.iter().map(|(place, _)| *place).collect(),
    };
    let has_args = !named.with_args.is_empty();
    let keys = first.keys.clone();
    let others: Vec<usize> = (0..survey.spots.len())
        .filter(|place| survey.spots[*place].keys == keys && !sure.contains(place))
        .collect();
    let doubtful: BTreeSet<usize> = named
        .spots
        .iter()
        .copied()
        .filter(|it| !sure.contains(it))
        .collect();
    let mut unsure = Vec::new();
    let has_output = |it: &usize| has_output(&survey.spots[*it]);
    let mut condition = distinguishing_condition(survey, &sure, &others, &doubtful);
    let mut items: Vec<usize> = sure.iter().copied().collect();
    match &condition {
        Some(condition) => {
            items.extend(doubtful.iter().filter(|&&it| holds(survey, condition, it)));
        }
        // A result with a name has no arguments, so without other evidence these distinguish the call.
        None if doubtful.iter().any(has_output) && !sure.iter().any(has_output) => {
            unsure.push(("when", "are the others no calls?".to_owned()));
            condition = Some(Condition {
                is_of_record: false,
                path: named.with_args[0].1.clone(),
                values: BTreeSet::new(),
            });
        }
        None => items.extend(&doubtful),
    }
    items.sort_unstable();
    let is_usual = words::is_one(named.name, TOOL_NAMES)
        || has_args && words::rank(named.name, NAMES) == Some(0);
    if !is_usual || !is_main {
        unsure.push(("name", "is it the name of the tool?".to_owned()));
    } else if items.len() == 1 {
        unsure.push((
            "name",
            "only one call of this form in the sample".to_owned(),
        ));
    } else if condition.is_none() && others.iter().any(|it| doubtful.contains(it)) {
        unsure.push(("name", "some have no arguments".to_owned()));
    }
    let mut args = args_by_number(named);
    if args
        .first()
        .is_some_and(|key| !words::is_one(key, words::sure_arguments()))
    {
        unsure.push(("args", "are these the arguments?".to_owned()));
    }
    let unusual = (!has_args).then(|| unusual_args(survey, &items, named.name));
    if let Some(key) = unusual.flatten() {
        args.push(key_text(key));
        unsure.push(("args", "are these the arguments?".to_owned()));
    }
    let rest = args.is_empty().then(|| rest(survey, &items)).flatten();
    Some(DraftedCalls {
        path,
        name: key_text(named.name),
        args,
        items,
        condition,
        rest,
        unsure,
        left_out: BTreeSet::new(),
        earlier: BTreeSet::new(),
    })
}

/// The paths to the arguments, most frequent first.
fn args_by_number(named: &Named<'_>) -> Vec<String> {
    let mut args: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, path) in &named.with_args {
        *args.entry(path).or_default() += 1;
    }
    let mut args: Vec<_> = args.into_iter().collect();
    args.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    args.into_iter().map(|(path, _)| path.to_owned()).collect()
}

/// The only key with an unusual name that holds an object in each of several calls.
fn unusual_args<'n>(survey: &Survey<'_, 'n>, items: &[usize], name: &str) -> Option<&'n str> {
    let keys = |&it: &usize| {
        let members = survey.spots[it].members();
        let is_free = |key: &str| !words::is_known(key) || words::is_one(key, words::QUESTIONS);
        let objects = members.filter(|(key, value)| {
            *key != name && is_free(key) && survey.memory.unfold(value).is_object()
        });
        objects.map(|(key, _)| key).collect::<BTreeSet<_>>()
    };
    let mut all = items.iter().map(keys);
    let first = all.next().filter(|_| items.len() > 1)?;
    let mut common = all.fold(first, |common, keys| &common & &keys).into_iter();
    common.next().filter(|_| common.next().is_none())
}

pub(super) fn has_output(spot: &Spot<'_>) -> bool {
    let words = [
        words::OUTPUTS,
        words::ERRORS,
        words::FAILED,
        words::SUCCEEDED,
    ];
    words
        .iter()
        .any(|words| spot.key_of(words, |value| !value.is_null()).is_some())
}

/// The keys that aren't arguments when all other keys are: those that the calls of every tool have.
fn rest(survey: &Survey<'_, '_>, items: &[usize]) -> Option<Vec<String>> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for &place in items {
        let keys: BTreeSet<&str> = survey.spots[place].members().map(|(key, _)| key).collect();
        keys.into_iter()
            .for_each(|key| *counts.entry(key).or_default() += 1);
    }
    // A tool often has an argument called `query`, so only `question` surely holds the question.
    let is_known = |key: &str| words::is_known(key) && !words::is_one(key, &words::QUESTIONS[1..]);
    let has_others = counts
        .iter()
        .any(|(key, count)| *count < items.len() && !words::is_known(key));
    let (has_columns, has_args) = (
        counts.keys().any(|key| words::is_column_of_arguments(key)),
        counts.keys().any(|key| words::is_one(key, ARGUMENTS)),
    );
    let free = counts.keys().filter(|key| !is_known(key)).count();
    let is_other = |key: &str, count: usize| match (has_columns, has_others) {
        (true, _) => !words::is_column_of_arguments(key),
        (_, true) => count == items.len(),
        _ => is_known(key),
    };
    (has_columns || has_others || free > 1 && !has_args).then(|| {
        let others = counts.iter().filter(|(key, count)| is_other(key, **count));
        others.map(|(key, _)| (*key).to_owned()).collect()
    })
}
