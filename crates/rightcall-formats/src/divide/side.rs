//! A side of a record, split by part: calls by actor, messages by speaker, invocations by their number.

use rightcall_core::value::{JsonWriter, Text};

use super::Part;
use crate::messages::speaker::name_speaker;
use crate::node::Node;
use crate::trace::conversation::Conversation;
use crate::trace::parts::ACTOR;
use crate::trace::role::is_of_model;
use crate::trace::{CaseScope, Choices, Scope};

/// A list in a record, and the part of each item.
pub(super) struct Side<'n, 'a> {
    pub(super) key: &'static str,
    items: &'n [Node<'a>],
    parts: Vec<Option<usize>>,
    has_actors: bool,
}

impl<'n, 'a> Side<'n, 'a> {
    /// The list under the first of these keys that has one. Parts named only by its items are appended to `parts`.
    pub(super) fn of(
        record: &'n Node<'a>,
        keys: &[&'static str],
        choices: &Choices,
        known: &mut Vec<Part<'n, 'a>>,
    ) -> Option<Self> {
        let of_key = |key: &&'static str| Some((*key, record.get(key).filter(|it| it.is_list())?));
        let (key, list) = keys.iter().find_map(of_key)?;
        let mut place = |name: Text<'static>| {
            let place = known.iter().position(|(other, _)| *other == name);
            place.unwrap_or_else(|| {
                known.push((name, None));
                known.len() - 1
            })
        };
        let names = names(list.items(), choices).into_iter();
        Some(Self {
            key,
            items: list.items(),
            parts: names.map(|name| name.map(&mut place)).collect(),
            has_actors: choices.scope == CaseScope::Agent,
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// True if some item names its part.
    pub(super) fn names_any(&self) -> bool {
        self.parts.iter().any(Option::is_some)
    }

    /// True if the list is not empty and each item names its part.
    pub(super) fn names_all(&self) -> bool {
        !self.is_empty() && self.parts.iter().all(Option::is_some)
    }

    /// True if an item belongs to no known part.
    pub(super) fn has_rest(&self) -> bool {
        self.parts.contains(&None)
    }

    /// Writes the items of a part. The agent of the part is dropped as an actor, and `parent` indices are renumbered.
    pub(super) fn write(&self, writer: &mut JsonWriter, part: Option<usize>) {
        writer.begin_list();
        let items = self.items.iter().zip(&self.parts);
        for (item, _) in items.filter(|(_, of)| **of == part) {
            let names_itself = self.has_actors && part.is_some() && item.any(ACTOR).is_some();
            if !names_itself && !item.has("parent") {
                writer.raw(item.raw());
                continue;
            }
            writer.begin_object();
            for (key, value) in item.entries() {
                if *key == *"parent" {
                    let outer = value.whole().and_then(|outer| usize::try_from(outer).ok());
                    if let Some(place) = outer.and_then(|outer| self.place_in(part, outer)) {
                        writer.key("parent").count(place);
                    }
                } else if !names_itself || !ACTOR.iter().any(|actor| *key == **actor) {
                    writer.key_text(key).raw(value.raw());
                }
            }
            writer.end_object();
        }
        writer.end_list();
    }

    /// The index of an item within a part; `None` if it is in another part.
    fn place_in(&self, part: Option<usize>, item: usize) -> Option<usize> {
        let before = self.parts.get(..item)?.iter();
        (*self.parts.get(item)? == part).then(|| before.filter(|of| **of == part).count())
    }
}

/// The name of each item's part.
fn names(items: &[Node<'_>], choices: &Choices) -> Vec<Option<Text<'static>>> {
    let is_invocation = |item: &Node<'_>| item.any(INVOCATION).is_some();
    if choices.scope == CaseScope::Turn && items.iter().all(is_invocation) {
        let number = |number: usize| Some(Text::from(number.to_string()));
        return (1..=items.len()).map(number).collect();
    }
    if items.iter().any(is_of_model) {
        return speakers(items, choices);
    }
    let actor = |item: &Node<'_>| item.label_at(ACTOR);
    let is_by_agent = choices.scope == CaseScope::Agent;
    items
        .iter()
        .map(|item| actor(item).filter(|_| is_by_agent))
        .collect()
}

/// Keys of an Agent Development Kit invocation.
const INVOCATION: &[&str] = &["intermediate_data", "intermediateData"];

/// The agent that speaks in each message, or the number of its turn.
fn speakers(messages: &[Node<'_>], choices: &Choices) -> Vec<Option<Text<'static>>> {
    let mut conversation = Conversation::new(Scope {
        choices: *choices,
        ..Scope::default()
    });
    let speaker = |message: &Node<'_>| {
        name_speaker(message, &mut conversation);
        conversation.current_part.clone()
    };
    let mut names: Vec<_> = messages.iter().map(speaker).collect();
    // Instructions and questions before the first part belong to it.
    if let Some(first) = names.iter().position(Option::is_some)
        && !messages[..first].iter().any(is_of_model)
    {
        let name = names[first].clone();
        names[..first].fill(name);
    }
    names
}
