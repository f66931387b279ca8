//! The objects of a sample, each with the way to it.

use std::ops::Range;

use super::words::{self, ARGUMENTS, NAMES, NOT_MADE, TOOL_NAMES};
use crate::map::Memory;
use crate::node::Node;

/// An object in a sample.
#[derive(Debug)]
pub(super) struct Spot<'n> {
    pub(super) node: &'n Node<'n>,
    /// The number of its record.
    pub(super) record: usize,
    /// The keys that lead to it from the record; lists on the way have none.
    pub(super) keys: Vec<&'n str>,
    /// Of each list on the way, the number of keys before it.
    pub(super) lists: Vec<usize>,
    /// The item of a list or the record around it, from which `^` starts.
    pub(super) outer: Option<usize>,
    /// The object around it.
    parent: Option<usize>,
}

impl<'n> Spot<'n> {
    /// The members whose keys are texts; of a repeated key all.
    pub(super) fn members(&self) -> impl Iterator<Item = (&'n str, &'n Node<'n>)> + use<'n> {
        let node = self.node;
        let entries = node.entries().iter();
        entries.filter_map(|(key, value)| Some((key.as_str()?, value)))
    }

    pub(super) fn get(&self, key: &str) -> Option<&'n Node<'n>> {
        let node = self.node;
        node.get(key).filter(|value| !value.is_null())
    }

    /// The key of the highest rank among words whose value fits.
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

    /// The path to it from its record.
    pub(super) fn path(&self) -> String {
        path_of(&self.keys)
    }

    /// True for a record and an item of a list: `^` starts from what is around them.
    pub(super) fn is_level(&self) -> bool {
        self.keys.is_empty() || self.lists.last() == Some(&self.keys.len())
    }

    /// Its members: each path with its value.
    pub(super) fn fields(&self) -> Vec<(String, &'n Node<'n>)> {
        let members = self.members().filter(|(_, value)| !value.is_null());
        members.map(|(key, value)| (key_text(key), value)).collect()
    }

    pub(super) fn is_in_list(&self) -> bool {
        !self.lists.is_empty()
    }
}

/// A path of these keys, quoted where it has to be.
pub(super) fn path_of(keys: &[&str]) -> String {
    let quoted = |key: &&str| key_text(key);
    keys.iter().map(quoted).collect::<Vec<_>>().join(".")
}

/// A key as it is written in a path.
pub(super) fn key_text(key: &str) -> String {
    let is_plain = !key.is_empty()
        && !key.starts_with(['^', '*', '$'])
        && !key.contains([' ', '[', ']', '"', '\'', '|', '\t', '\n', '.']);
    if is_plain {
        key.to_owned()
    } else {
        crate::json::quoted(key)
    }
}

/// True for an object that holds the name of a tool next to arguments.
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

/// What is in a sample.
pub(super) struct Survey<'m, 'n> {
    pub(super) memory: &'m Memory<'n>,
    pub(super) spots: Vec<Spot<'n>>,
    /// The spots of each record, the record first.
    pub(super) records: Vec<Range<usize>>,
    /// Of each record, what [`near_fields`](Self::near_fields) returns.
    near: Vec<Vec<NearField<'n>>>,
}

/// A path from a record, its last key and its value.
pub(super) type NearField<'n> = (String, &'n str, &'n Node<'n>);

impl<'m, 'n> Survey<'m, 'n> {
    pub(super) fn of(memory: &'m Memory<'n>, records: &[&'n Node<'n>]) -> Self {
        let mut survey = Self {
            memory,
            spots: Vec::new(),
            records: Vec::new(),
            near: Vec::new(),
        };
        for record in records {
            let record = memory.unfold(record);
            if record.is_object() {
                let start = survey.spots.len();
                survey.walk(record, &mut Way::default());
                let near = near_fields(&survey.spots[start..]);
                survey.near.push(near);
                survey.records.push(start..survey.spots.len());
            }
        }
        survey
    }

    fn walk(&mut self, node: &'n Node<'n>, way: &mut Way<'n>) {
        let node = self.memory.unfold(node);
        if node.is_list() {
            way.lists.push(way.keys.len());
            node.items().iter().for_each(|item| self.walk(item, way));
            way.lists.pop();
            return;
        }
        if !node.is_object() {
            return;
        }
        let place = self.spots.len();
        let spot = Spot {
            node,
            record: self.records.len(),
            keys: way.keys.clone(),
            lists: way.lists.clone(),
            outer: way.outer,
            parent: way.parent,
        };
        let members: Vec<_> = spot.members().collect();
        let around = (way.outer, way.parent.replace(place));
        if spot.is_level() {
            way.outer = Some(place);
        }
        self.spots.push(spot);
        let is_named = members.iter().any(|(key, value)| {
            let is_name = words::is_one(key, TOOL_NAMES) || words::is_one(key, NAMES);
            is_name && value.str().is_some()
        });
        for (key, value) in members {
            // Arguments may hold anything, but some logs wrap the call in what looks like arguments.
            let is_arguments = is_named
                && words::is_one(key, ARGUMENTS)
                && !is_call_like(self.memory.unfold(value));
            if !is_arguments && !words::is_one(key, NOT_MADE) {
                way.keys.push(key);
                self.walk(value, way);
                way.keys.pop();
            }
        }
        (way.outer, way.parent) = around;
    }

    /// An object, and the objects around it, the nearest first.
    pub(super) fn upwards(&self, place: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(place), |it| self.spots[*it].parent)
    }

    /// What paths find from an object: its members, and those of the level around it if it is none itself.
    pub(super) fn fields(&self, spot: &Spot<'n>) -> Vec<(String, &'n Node<'n>)> {
        let mut fields = spot.fields();
        if let Some(outer) = spot.outer.filter(|_| !spot.is_level()) {
            let outer = &self.spots[outer];
            let way = spot.keys[outer.keys.len()];
            let around = outer
                .members()
                .filter(|(key, value)| *key != way && !value.is_null());
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

    /// True for a record that is not final, such as one of debugging.
    pub(super) fn is_not_final(&self, record: usize) -> bool {
        self.near_fields(record)
            .iter()
            .any(|(_, key, value)| words::is_not_final(key, value.raw()))
    }

    /// The members of a record, and of objects in it that are in no list, down to two keys: each path with its last key and its value.
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

/// The way to the value that is walked.
#[derive(Default)]
struct Way<'n> {
    keys: Vec<&'n str>,
    lists: Vec<usize>,
    outer: Option<usize>,
    parent: Option<usize>,
}
