//! Places in a record, and how paths are resolved.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use rightcall_core::value::Text;

use super::path::{Alternative, Path, Start, Step, joined};
use crate::json;
use crate::node::Node;

/// A value in a record, and the path to it.
#[derive(Clone, Debug)]
pub(super) struct Place<'r> {
    pub(super) node: &'r Node<'r>,
    /// The last key on the path.
    key: Option<&'r Text<'r>>,
    /// The position from the document on; places are compared by it.
    pub(super) way: Way,
    /// The enclosing level.
    outer: Option<Rc<Place<'r>>>,
    /// True for a document, a record, an item of a list and a value that `*` matches.
    is_level: bool,
}

/// A position in a document: the index of each member or item.
pub(super) type Way = Vec<WayStep>;

/// One step of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct WayStep {
    index: usize,
    /// True for an item of a list, false for a member of an object.
    pub(super) is_item: bool,
}

/// The steps where two positions diverge; `None` if one contains the other.
pub(super) fn parting<'w>(one: &'w [WayStep], other: &'w [WayStep]) -> Option<(WayStep, WayStep)> {
    let mut steps = one.iter().copied().zip(other.iter().copied());
    steps.find(|(one, other)| one != other)
}

/// The lists at the end of a path inside a record.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lists {
    /// The number of lists.
    pub(super) all: usize,
    /// The number of empty lists.
    pub(super) empty: usize,
}

impl<'r> Place<'r> {
    pub(super) fn document(node: &'r Node<'r>) -> Self {
        Self {
            node,
            key: None,
            way: Way::new(),
            outer: None,
            is_level: true,
        }
    }

    /// Marks it as a level.
    pub(super) fn into_level(self) -> Self {
        Self {
            is_level: true,
            ..self
        }
    }

    fn inner(
        &self,
        node: &'r Node<'r>,
        key: Option<&'r Text<'r>>,
        step: WayStep,
        is_level: bool,
    ) -> Self {
        let mut way = Way::with_capacity(self.way.len() + 1);
        way.extend_from_slice(&self.way);
        way.push(step);
        Self {
            node,
            key: key.or(self.key),
            way,
            outer: if self.is_level {
                Some(Rc::new(self.clone()))
            } else {
                self.outer.clone()
            },
            is_level,
        }
    }

    fn member(&self, index: usize, is_level: bool) -> Self {
        let (key, node) = &self.node.entries()[index];
        let step = WayStep {
            index,
            is_item: false,
        };
        self.inner(node, Some(key), step, is_level)
    }

    fn item(&self, index: usize) -> Self {
        let step = WayStep {
            index,
            is_item: true,
        };
        self.inner(&self.node.items()[index], None, step, true)
    }

    /// Its items that are not null.
    pub(super) fn items(&self) -> impl Iterator<Item = Self> + '_ {
        let items = self.node.items().iter().enumerate();
        items
            .filter(|(_, node)| !node.is_null())
            .map(|(index, _)| self.item(index))
    }

    /// The level that is `count` levels further out.
    fn further_out(&self, count: usize) -> Option<&Self> {
        (0..count).try_fold(self, |place, _| place.outer.as_deref())
    }
}

/// The index of the last member with this key, unless it is null.
fn member(node: &Node<'_>, key: &str) -> Option<usize> {
    let index = node.entries().iter().rposition(|(name, _)| *name == *key)?;
    (!node.entries()[index].1.is_null()).then_some(index)
}

/// The index of an item; negative numbers count from the end.
fn item(node: &Node<'_>, number: i64) -> Option<usize> {
    let items = node.items();
    let index = if number < 0 {
        items
            .len()
            .checked_sub(usize::try_from(number.unsigned_abs()).ok()?)?
    } else {
        usize::try_from(number).ok()?
    };
    items.get(index).filter(|item| !item.is_null())?;
    Some(index)
}

/// Trees created while reading a document: for texts that contain JSON, and for names that are read as texts.
pub(crate) struct Memory<'r> {
    file: &'r str,
    max_depth: usize,
    texts: &'r Kept<String>,
    nodes: &'r Kept<Node<'r>>,
    /// The parsed contents of texts, by the address of their node.
    unfolded: RefCell<HashMap<*const Node<'r>, Option<&'r Node<'r>>>>,
}

impl<'r> Memory<'r> {
    pub(crate) fn new(
        file: &'r str,
        max_depth: usize,
        texts: &'r Kept<String>,
        nodes: &'r Kept<Node<'r>>,
    ) -> Self {
        Self {
            file,
            max_depth,
            texts,
            nodes,
            unfolded: RefCell::default(),
        }
    }

    /// The value of a path from a record or an item; `None` for null.
    pub(super) fn find(&self, path: &Path, from: &Place<'r>) -> Option<&'r Node<'r>> {
        let find = |alternative: &Alternative| {
            let from = from.further_out(alternative.out)?;
            let found = match alternative.start {
                Start::Value => self.descend(from.node, &alternative.steps),
                Start::Item => Some(from.node),
                Start::Key => self.tree(json::written(|writer| {
                    _ = from.key.map(|key| writer.text(key));
                })),
                Start::File => self.tree(json::quoted(self.file)),
            };
            found.filter(|node| !node.is_null())
        };
        path.alternatives.iter().find_map(find)
    }

    /// True if a path leads to null: its last key is there, without a value.
    pub(super) fn is_null(&self, path: &Path, from: &Place<'r>) -> bool {
        let is_null = |alternative: &Alternative| {
            let (Step::Key { name, .. }, outer) = alternative.steps.split_last()? else {
                return None;
            };
            let from = from.further_out(alternative.out)?;
            let outer = self.unfold(self.descend(from.node, outer)?);
            let last = outer.entries().iter().rfind(|(key, _)| *key == **name);
            last.map(|(_, value)| value.is_null())
        };
        path.alternatives.iter().filter_map(is_null).any(|it| it)
    }

    fn descend(&self, node: &'r Node<'r>, steps: &[Step]) -> Option<&'r Node<'r>> {
        let Some(first) = steps.first() else {
            return Some(node);
        };
        let node = self.unfold(node);
        match first {
            Step::Key { .. } => joined(steps).find_map(|(key, count)| {
                let index = member(node, &key)?;
                self.descend(&node.entries()[index].1, &steps[count..])
            }),
            Step::Item(number) => self.descend(&node.items()[item(node, *number)?], &steps[1..]),
            Step::Each => None,
        }
    }

    /// Calls `each` with each value at the end of a path inside a record; lists on the path are traversed.
    pub(super) fn each(
        &self,
        path: &Path,
        from: &Place<'r>,
        lists: &mut Lists,
        each: &mut dyn FnMut(Place<'r>),
    ) {
        _ = path
            .alternatives
            .iter()
            .any(|alternative| self.walk(from.clone(), &alternative.steps, lists, each));
    }

    /// True if anything was found.
    fn walk(
        &self,
        place: Place<'r>,
        steps: &[Step],
        lists: &mut Lists,
        each: &mut dyn FnMut(Place<'r>),
    ) -> bool {
        let Some(first) = steps.first() else {
            let is_there = !place.node.is_null();
            if is_there {
                each(place);
            }
            return is_there;
        };
        let place = self.open(place);
        if let Step::Item(number) = first {
            return item(place.node, *number)
                .is_some_and(|index| self.walk(place.item(index), &steps[1..], lists, each));
        }
        // All other steps apply to each item of a list.
        if place.node.is_list() {
            let mut found = false;
            for item in place.items() {
                found |= self.walk(item, steps, lists, each);
            }
            return found;
        }
        match first {
            Step::Each => {
                // An empty object at a final `*` counts as an empty list.
                let is_empty = place.node.is_object() && place.node.entries().is_empty();
                if is_empty && steps.len() == 1 {
                    lists.all += 1;
                    lists.empty += 1;
                    return true;
                }
                let mut found = false;
                for (index, (key, value)) in last_entries(place.node) {
                    if key.as_str().is_some() && !value.is_null() {
                        let is_level = !self.unfold(value).is_list();
                        let value = place.member(index, is_level);
                        found |= self.walk(value, &steps[1..], lists, each);
                    }
                }
                found
            }
            _ => joined(steps).any(|(key, count)| {
                member(place.node, &key).is_some_and(|index| {
                    self.walk(place.member(index, false), &steps[count..], lists, each)
                })
            }),
        }
    }

    /// Calls `each` with each item at the end of a path: items of lists, and objects. Values matched by `*` may be of any kind.
    pub(super) fn each_item(
        &self,
        path: &Path,
        from: &Place<'r>,
        each: &mut dyn FnMut(Place<'r>),
    ) -> Lists {
        let (mut lists, mut more) = (Lists::default(), Lists::default());
        self.each(path, from, &mut lists, &mut |place| {
            let place = self.open(place);
            if place.node.is_list() {
                more.all += 1;
                more.empty += usize::from(place.node.items().is_empty());
                place.items().for_each(&mut *each);
            } else if place.node.is_object() || place.is_level {
                each(place);
            }
        });
        Lists {
            all: lists.all + more.all,
            empty: lists.empty + more.empty,
        }
    }

    /// The same place, with its text parsed.
    pub(super) fn open(&self, place: Place<'r>) -> Place<'r> {
        Place {
            node: self.unfold(place.node),
            ..place
        }
    }

    /// The contents of a text that is a JSON list or object; any other value unchanged.
    pub(crate) fn unfold(&self, node: &'r Node<'r>) -> &'r Node<'r> {
        let Some(text) = node.text() else {
            return node;
        };
        let known = self
            .unfolded
            .borrow()
            .get(&std::ptr::from_ref(node))
            .copied();
        let held = known.unwrap_or_else(|| {
            let held = self.held(text);
            self.unfolded.borrow_mut().insert(node, held);
            held
        });
        held.unwrap_or(node)
    }

    fn held(&self, text: &Text<'_>) -> Option<&'r Node<'r>> {
        let plain = text.as_str()?.trim();
        if !plain.starts_with(['{', '[', '"']) {
            return None;
        }
        let own = self.tree(plain.to_owned());
        let own = own.map(|node| self.unfold(node));
        own.filter(|node| node.is_object() || node.is_list())
            .or_else(|| self.tree(json::python_structure(plain)?))
    }

    fn tree(&self, json: String) -> Option<&'r Node<'r>> {
        let text = self.texts.keep(json);
        let node = Node::parse(text, self.max_depth).ok()?;
        Some(self.nodes.keep(node))
    }
}

/// The entries of an object with their indices; for repeated keys only the last.
pub(super) fn last_entries<'n, 'a>(
    node: &'n Node<'a>,
) -> impl Iterator<Item = (usize, &'n (Text<'a>, Node<'a>))> {
    let entries = node.entries().iter().enumerate();
    let last: HashMap<&Text<'a>, usize> = entries
        .clone()
        .map(|(index, (key, _))| (key, index))
        .collect();
    entries.filter(move |(index, (key, _))| last[key] == *index)
}

/// An arena: values keep their address while others are added.
pub(crate) struct Kept<T> {
    slots: Vec<OnceCell<T>>,
    used: Cell<usize>,
    more: OnceCell<Box<Self>>,
}

impl<T> Kept<T> {
    pub(crate) fn new() -> Self {
        Self::of(0)
    }

    fn of(size: usize) -> Self {
        Self {
            slots: std::iter::repeat_with(OnceCell::new).take(size).collect(),
            used: Cell::default(),
            more: OnceCell::new(),
        }
    }

    fn keep(&self, value: T) -> &T {
        let mut kept = self;
        loop {
            let place = kept.used.get();
            if let Some(slot) = kept.slots.get(place) {
                kept.used.set(place + 1);
                return slot.get_or_init(|| value);
            }
            let size = (kept.slots.len() * 2).max(8);
            kept = kept.more.get_or_init(|| Box::new(Self::of(size)));
        }
    }
}
