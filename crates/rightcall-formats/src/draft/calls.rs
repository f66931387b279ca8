//! Finds the objects of a sample that look like calls, and a rule that matches them.

use std::collections::{BTreeMap, BTreeSet};

use super::arguments::{self, rest, unusual_args};
use super::kinds::{Condition, distinguishing_condition, holds};
use super::names::{self, Named, Places};
use super::outcome::has_output;
use super::survey::{Spot, Survey, key_text};
use super::words::{self, NAMES, TOOL_NAMES};
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
    /// A text before an object or beside arguments, under any keys.
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

/// The objects in final records that may be calls.
fn places<'n>(survey: &Survey<'_, 'n>, final_records: &[bool], least: Least) -> Places<'n> {
    let mut places = Places::new();
    let texts = match least {
        Least::Shape => names::texts(survey),
        _ => BTreeMap::new(),
    };
    let spots = survey.spots.iter().enumerate();
    for (place, spot) in spots.filter(|(_, spot)| final_records[spot.record]) {
        // Arguments may look like a call if the name of their tool is under an unusual key.
        let is_guess = matches!(least, Least::Name | Least::Shape);
        if is_guess && arguments::are_around(spot) {
            continue;
        }
        let text = || {
            let name = texts.get(&spot.keys[..])?;
            spot.get(name).and_then(Node::str)?;
            Some((*name, arguments::of(survey, spot)))
        };
        let Some((name, args)) = name_and_args(survey, spot, least).or_else(text) else {
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
    names::leave_out_constants(survey, &mut places);
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
        .max_by_key(|(_, all)| (weight(all), number_with_output(survey, all)))
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
    let main_pairs = names::pairs(survey, &places[&main]);
    let has_outputs = number_with_output(survey, &places[&main]) > 0;
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
                let is_told_again = || {
                    number_with_output(survey, &all) == 0
                        && has_outputs
                        && !names::pairs(survey, &all).is_disjoint(&main_pairs)
                };
                other.is_ignored = is_aside(&keys) || is_told_again();
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

/// The number of candidates with an output of their own.
fn number_with_output(survey: &Survey<'_, '_>, all: &[Named<'_>]) -> usize {
    let spots = all.iter().flat_map(|it| &it.spots);
    spots.filter(|it| has_output(&survey.spots[**it])).count()
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
    let args = arguments::of(survey, spot).filter(|path| *path != key_text(name));
    let is_definition = spot.get("description").is_some() && spot.get("parameters").is_some();
    let is_call = (tool_name.is_some() || args.is_some() || least == Least::Name) && !is_definition;
    is_call.then_some((name, args))
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

/// A doubt about the key of the name.
fn name_doubt(
    survey: &Survey<'_, '_>,
    named: &Named<'_>,
    items: &[usize],
    is_main: bool,
) -> Option<String> {
    let has_args = !named.with_args.is_empty();
    let is_usual = words::is_one(named.name, TOOL_NAMES)
        || has_args && words::rank(named.name, NAMES) == Some(0);
    if !is_usual || !is_main {
        return Some("is it the name of the tool?".to_owned());
    }
    if let Some(other) = names::other_name(survey, named.name, items) {
        return Some(format!("it is the same in all calls: or is it `{other}`?"));
    }
    (items.len() == 1).then(|| "only one call of this form in the sample".to_owned())
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
    let mut condition = distinguishing_condition(survey, &sure, &others, &doubtful);
    let mut items: Vec<usize> = sure.iter().copied().collect();
    // Objects that the rule reads too, since they have the name.
    let is_read = |it: &&usize| {
        let name = survey.spots[**it].get(named.name).and_then(Node::str);
        let is_met = || condition.as_ref().is_none_or(|of| holds(survey, of, **it));
        let is_final = || !survey.is_not_final(survey.spots[**it].record);
        name.is_some_and(|name| !name.is_empty()) && is_met() && is_final()
    };
    let read: Vec<usize> = others.iter().filter(is_read).copied().collect();
    let are_others = || {
        let is_weak = condition.is_none() && read.iter().any(|it| !doubtful.contains(it));
        is_weak || names::are_results(survey, named.name, &sure, &read)
    };
    if has_args && are_others() {
        unsure.push(("when", "are the others no calls?".to_owned()));
        condition = Some(Condition {
            is_of_record: false,
            path: named.args_by_number().join(" | "),
            values: BTreeSet::new(),
        });
    } else {
        items.extend(&read);
    }
    items.sort_unstable();
    let has_others = items.len() > sure.len() && condition.is_none()
        || unsure.is_empty() && read.iter().any(|it| !doubtful.contains(it));
    let without_args = || has_others.then(|| "some have no arguments".to_owned());
    let doubt = name_doubt(survey, named, &items, is_main).or_else(without_args);
    unsure.extend(doubt.map(|why| ("name", why)));
    let mut args = named.args_by_number();
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
