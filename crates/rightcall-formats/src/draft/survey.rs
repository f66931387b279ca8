//! Lists the objects of a sample, each with its path.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::tuples;
use super::words::{self, ARGUMENTS, NAMES, NOT_MADE, TOOL_NAMES};
use crate::map::Memory;
use crate::node::Node;

/// An object in a sample.
#[derive(Debug)]
pub(super) struct Spot<'n> {
    pub(super) node: &'n Node<'n>,
    /// The index of its record.
    pub(super) record: usize,
    /// The keys from the record to the object; lists add none.
    pub(super) keys: Vec<&'n str>,
    /// For each list on that path, the number of keys before its items. An object with numbered
    /// keys counts as a list.
    pub(super) lists: Vec<usize>,
    /// The enclosing list item or record, where `^` starts.
    pub(super) outer: Option<usize>,
    /// The enclosing object.
    parent: Option<usize>,
}

impl<'n> Spot<'n> {
    /// The members with text keys, including repeated keys.
    pub(super) fn members(&self) -> impl Iterator<Item = (&'n str, &'n Node<'n>)> + use<'n> {
        let node = self.node;
        let entries = node.entries().iter();
        entries.filter_map(|(key, value)| Some((key.as_str()?, value)))
    }

    pub(super) fn get(&self, key: &str) -> Option<&'n Node<'n>> {
        let node = self.node;
        node.get(key).filter(|value| !value.is_null())
    }

    /// The best-ranked key among `words` with a fitting value.
    pub(super) fn key_of(
        &self,
        words: &[&str],
        fits: impl Fn(&'n Node<'n>) -> bool,
    ) -> Option<&'n str> {
        let ranked = self.members().filter_map(|(key, value)| {
            let rank = words::rank(key, words)?;
            fits(value).then_some((rank, key))
        });
        ranked.min().map(|(_, key)| key)
    }

    /// The path from the record to it.
    pub(super) fn path(&self) -> String {
        path_of(&self.keys)
    }

    /// True for a record or a list item: here `^` starts one level up.
    pub(super) fn is_level(&self) -> bool {
        self.keys.is_empty() || self.lists.last() == Some(&self.keys.len())
    }

    /// Its members, as paths with values.
    pub(super) fn fields(&self) -> Vec<(String, &'n Node<'n>)> {
        let members = self.members().filter(|(_, value)| !value.is_null());
        members.map(|(key, value)| (key_text(key), value)).collect()
    }

    pub(super) fn is_in_list(&self) -> bool {
        !self.lists.is_empty()
    }
}

/// The key for every value of an object, in paths.
pub(super) const ANY_KEY: &str = "*";

/// The path of these keys, quoted if needed.
pub(super) fn path_of(keys: &[&str]) -> String {
    let quoted = |key: &&str| match *key {
        ANY_KEY => ANY_KEY.to_owned(),
        key => key_text(key),
    };
    keys.iter().map(quoted).collect::<Vec<_>>().join(".")
}

/// A key in path syntax.
pub(super) fn key_text(key: &str) -> String {
    let is_plain = tuples::is_place(key)
        || !key.is_empty()
            && !key.starts_with(['^', '*', '$'])
            && !key.contains([' ', '[', ']', '"', '\'', '|', '\t', '\n', '.']);
    if is_plain {
        key.to_owned()
    } else {
        crate::json::quoted(key)
    }
}

/// True if a path leads into the value at `outer`, unless that is the record.
pub(super) fn is_inside(path: &str, outer: &str) -> bool {
    let rest = path.strip_prefix(outer).filter(|_| !outer.is_empty());
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// True for an object with a tool name and arguments.
fn is_call_like(node: &Node<'_>) -> bool {
    let values = |words: &'static [&'static str]| {
        let is_key = move |key: &str| words::is_one(key, words);
        let entries = node.entries().iter();
        entries
            .filter(move |(key, _)| key.as_str().is_some_and(is_key))
            .map(|(_, value)| value)
    };
    let mut names = values(TOOL_NAMES).chain(values(NAMES));
    let is_named = names.any(|value| value.str().is_some_and(words::is_tool_name));
    is_named && values(ARGUMENTS).any(Node::is_object)
}

/// The contents of a sample.
pub(super) struct Survey<'m, 'n> {
    pub(super) memory: &'m Memory<'n>,
    pub(super) spots: Vec<Spot<'n>>,
    /// The spots of each record; the record itself is first.
    pub(super) records: Vec<Range<usize>>,
    /// For each record, the result of [`near_fields`](Self::near_fields).
    near: Vec<Vec<NearField<'n>>>,
    /// True if debug output only repeats calls.
    is_debug_noise: bool,
}

/// A path from a record, the last key and the value.
pub(super) type NearField<'n> = (String, &'n str, &'n Node<'n>);

impl<'m, 'n> Survey<'m, 'n> {
    pub(super) fn new(memory: &'m Memory<'n>, records: &[&'n Node<'n>]) -> Self {
        let mut survey = Self {
            memory,
            spots: Vec::new(),
            records: Vec::new(),
            near: Vec::new(),
            is_debug_noise: false,
        };
        for record in records {
            let record = memory.unfold(record);
            if record.is_object() {
                let start = survey.spots.len();
                survey.walk(record, &mut WalkPosition::default());
                let near = near_fields(&survey.spots[start..]);
                survey.near.push(near);
                survey.records.push(start..survey.spots.len());
            }
        }
        survey.is_debug_noise = survey.repeats_calls_in_debug();
        survey
    }

    /// True if each call in debug output repeats another, and other records have calls too. Many logs have all calls at this level.
    fn repeats_calls_in_debug(&self) -> bool {
        let is_debug: Vec<bool> = self
            .near
            .iter()
            .map(|fields| {
                let mut fields = fields.iter();
                fields.any(|(_, key, value)| words::is_debug(key, value.raw()))
            })
            .collect();
        let mut calls: BTreeMap<(&str, &str), (usize, bool)> = BTreeMap::new();
        let mut has_others = false;
        for spot in &self.spots {
            let is_name = |value: &Node<'_>| value.str().is_some_and(words::is_tool_name);
            let is_object = |value: &'n Node<'n>| self.memory.unfold(value).is_object();
            let name = spot
                .key_of(TOOL_NAMES, is_name)
                .or_else(|| spot.key_of(NAMES, is_name));
            let args = spot.key_of(ARGUMENTS, is_object);
            if let (Some(name), Some(args)) = (
                name.and_then(|key| spot.get(key)),
                args.and_then(|key| spot.get(key)),
            ) {
                let (number, in_debug) = calls.entry((name.raw(), args.raw())).or_default();
                *number += 1;
                *in_debug |= is_debug[spot.record];
                has_others |= !is_debug[spot.record];
            }
        }
        let mut in_debug = calls
            .into_values()
            .filter(|(_, in_debug)| *in_debug)
            .peekable();
        has_others && in_debug.peek().is_some() && in_debug.all(|(number, _)| number > 1)
    }

    fn walk(&mut self, node: &'n Node<'n>, position: &mut WalkPosition<'n>) {
        let node = self.memory.unfold(node);
        if node.is_list() {
            position.lists.push(position.keys.len());
            node.items()
                .iter()
                .for_each(|item| self.walk(item, position));
            position.lists.pop();
            return;
        }
        if !node.is_object() {
            return;
        }
        let place = self.spots.len();
        let spot = Spot {
            node,
            record: self.records.len(),
            keys: position.keys.clone(),
            lists: position.lists.clone(),
            outer: position.outer,
            parent: position.parent,
        };
        let members: Vec<_> = spot.members().collect();
        let around = (position.outer, position.parent.replace(place));
        if spot.is_level() {
            position.outer = Some(place);
        }
        self.spots.push(spot);
        let is_named = members.iter().any(|(key, value)| {
            let is_name = words::is_one(key, TOOL_NAMES) || words::is_one(key, NAMES);
            is_name && value.str().is_some()
        });
        let numbered = self.numbered(&members);
        for (key, value) in members {
            // Arguments may hold anything, so they aren't searched, unless a key for arguments
            // holds the whole call.
            let is_arguments = is_named
                && words::is_one(key, ARGUMENTS)
                && !is_call_like(self.memory.unfold(value));
            if !is_arguments && !words::is_one(key, NOT_MADE) {
                let is_numbered = numbered.contains(key);
                position.keys.push(if is_numbered { ANY_KEY } else { key });
                let length = position.keys.len();
                position.lists.extend(is_numbered.then_some(length));
                self.walk(value, position);
                position.keys.pop();
                position
                    .lists
                    .truncate(position.lists.len() - usize::from(is_numbered));
            }
        }
        (position.outer, position.parent) = around;
    }

    /// Keys with objects or lists that differ only in a number, such as `step_1` and `step_2`.
    fn numbered(&self, members: &[(&'n str, &'n Node<'n>)]) -> BTreeSet<&'n str> {
        let mut found: BTreeMap<&str, Vec<&'n str>> = BTreeMap::new();
        for (key, value) in members {
            let value = self.memory.unfold(value);
            let number = key.find(|letter: char| letter.is_ascii_digit());
            let number = number.filter(|_| !tuples::is_place(key));
            if let Some(number) = number.filter(|_| value.is_object() || value.is_list()) {
                found.entry(&key[..number]).or_default().push(key);
            }
        }
        let found = found.into_values().filter(|keys| keys.len() > 1);
        found.flatten().collect()
    }

    /// An object and its ancestors, nearest first.
    pub(super) fn upwards(&self, place: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(place), |it| self.spots[*it].parent)
    }

    /// The fields within reach of a path: its own members and, unless it is a level itself, those of the enclosing level.
    pub(super) fn fields(&self, spot: &Spot<'n>) -> Vec<(String, &'n Node<'n>)> {
        let mut fields = spot.fields();
        if let Some(outer) = spot.outer.filter(|_| !spot.is_level()) {
            let outer = &self.spots[outer];
            let branch = spot.keys[outer.keys.len()];
            let around = outer
                .members()
                .filter(|(key, value)| *key != branch && !value.is_null());
            fields.extend(around.map(|(key, value)| (format!("^{}", key_text(key)), value)));
        }
        fields
    }

    /// [`Survey::fields`] of each of these objects.
    pub(super) fn all_fields(&self, spots: &[usize]) -> Vec<Vec<(String, &'n Node<'n>)>> {
        spots
            .iter()
            .map(|&place| self.fields(&self.spots[place]))
            .collect()
    }

    /// True for a record that is not final: a partial one, or debug output that only repeats calls.
    pub(super) fn is_not_final(&self, record: usize) -> bool {
        self.not_final_fields(record).next().is_some()
    }

    /// The fields that mark a record as not final.
    pub(super) fn not_final_fields(&self, record: usize) -> impl Iterator<Item = &NearField<'n>> {
        self.near_fields(record).iter().filter(|(_, key, value)| {
            let json = value.raw();
            words::is_partial(key, json) || self.is_debug_noise && words::is_debug(key, json)
        })
    }

    /// The members of a record and of its nested objects outside lists, at most two keys deep: path, last key and value.
    pub(super) fn near_fields(&self, record: usize) -> &[NearField<'n>] {
        &self.near[record]
    }
}

/// The near fields of the record with these spots.
fn near_fields<'n>(spots: &[Spot<'n>]) -> Vec<NearField<'n>> {
    let mut fields = Vec::new();
    for spot in spots
        .iter()
        .filter(|it| !it.is_in_list() && it.keys.len() <= 2)
    {
        for (key, value) in spot.members().filter(|(_, value)| !value.is_null()) {
            let mut keys = spot.keys.clone();
            keys.push(key);
            fields.push((path_of(&keys), key, value));
        }
    }
    fields
}

/// The position of the walk.
#[derive(Default)]
struct WalkPosition<'n> {
    keys: Vec<&'n str>,
    lists: Vec<usize>,
    outer: Option<usize>,
    parent: Option<usize>,
}
