//! An expectation as lists of elements, in its written form.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::value::{Integer, Object, Text, Value};

use super::super::tree_reader::NOTE;

/// Consecutive elements. Lists with equal numbers are equal.
#[derive(Debug)]
pub(super) struct ElementList {
    pub(super) number: usize,
    pub(super) elements: Vec<Element>,
}

/// A call or a block, and its location in the expectation.
#[derive(Clone, Debug)]
pub(super) struct Element {
    pub(super) pointer: String,
    /// The remark on a block, as written.
    pub(super) note: Option<Value<'static>>,
    pub(super) kind: ElementKind,
}

#[derive(Clone, Debug)]
pub(super) enum ElementKind {
    Call(Value<'static>),
    Sequence(Rc<ElementList>),
    AnyOrder(Vec<Rc<ElementList>>),
    OneOf(Vec<Rc<ElementList>>),
    Optional(Rc<ElementList>),
    Repeat {
        round: Rc<ElementList>,
        min: u64,
        max: Option<u64>,
    },
}

/// Creates and numbers lists.
#[derive(Debug, Default)]
pub(super) struct ElementLists {
    next: usize,
}

impl ElementLists {
    pub(super) fn list(&mut self, elements: Vec<Element>) -> Rc<ElementList> {
        self.next += 1;
        Rc::new(ElementList {
            number: self.next,
            elements,
        })
    }

    /// Reads a list of elements from a valid expectation.
    pub(super) fn read(&mut self, value: &Value<'static>, pointer: &str) -> Rc<ElementList> {
        let elements = match value {
            Value::List(items) => (items.iter().enumerate())
                .map(|(index, item)| self.element(item, format!("{pointer}/{index}")))
                .collect(),
            one => vec![self.element(one, pointer.to_owned())],
        };
        self.list(elements)
    }

    fn element(&mut self, value: &Value<'static>, pointer: String) -> Element {
        let block = value.as_object().filter(|it| it.get_str("name").is_none());
        let kind = block.and_then(|block| self.block(block, &pointer));
        Element {
            kind: kind.unwrap_or_else(|| ElementKind::Call(value.clone())),
            note: block.and_then(|it| it.get_str(NOTE)).cloned(),
            pointer,
        }
    }

    fn block(&mut self, block: &Object<'static>, pointer: &str) -> Option<ElementKind> {
        let content = |key: &str| Some((block.get_str(key)?, format!("{pointer}/{key}")));
        if let Some((content, at)) = content("sequence") {
            return Some(ElementKind::Sequence(self.read(content, &at)));
        }
        if let Some((content, at)) = content("any_order") {
            return Some(ElementKind::AnyOrder(self.branches(content, &at)));
        }
        if let Some((content, at)) = content("one_of") {
            return Some(ElementKind::OneOf(self.branches(content, &at)));
        }
        if let Some((content, at)) = content("optional") {
            return Some(ElementKind::Optional(self.read(content, &at)));
        }
        let (content, at) = content("repeat")?;
        let bound = |key: &str| block.get_str(key).and_then(Value::as_f64);
        Some(ElementKind::Repeat {
            round: self.read(content, &at),
            min: bound("min").map_or(1, |min| min as u64),
            max: bound("max").map(|max| max as u64),
        })
    }

    fn branches(&mut self, value: &Value<'static>, pointer: &str) -> Vec<Rc<ElementList>> {
        match value {
            Value::List(items) => (items.iter().enumerate())
                .map(|(index, item)| self.read(item, &format!("{pointer}/{index}")))
                .collect(),
            one => vec![self.read(one, pointer)],
        }
    }
}

impl ElementList {
    /// The list as JSON.
    pub(super) fn written(&self) -> Value<'static> {
        Value::List(self.elements.iter().map(Element::written).collect())
    }

    /// The list as JSON; a list of one element as that element.
    fn written_short(&self) -> Value<'static> {
        match &self.elements[..] {
            [one] => one.written(),
            _ => self.written(),
        }
    }

    /// The called tools.
    pub(super) fn names(&self) -> BTreeSet<Text<'static>> {
        let mut names = BTreeSet::new();
        self.collect_names(&mut names);
        names
    }

    fn collect_names(&self, names: &mut BTreeSet<Text<'static>>) {
        for element in &self.elements {
            match &element.kind {
                ElementKind::Call(call) => names.extend(call_name(call).cloned()),
                ElementKind::Sequence(list)
                | ElementKind::Optional(list)
                | ElementKind::Repeat { round: list, .. } => list.collect_names(names),
                ElementKind::AnyOrder(lists) | ElementKind::OneOf(lists) => {
                    lists.iter().for_each(|list| list.collect_names(names));
                }
            }
        }
    }
}

impl Element {
    pub(super) fn new(pointer: &str, kind: ElementKind) -> Self {
        Self {
            pointer: pointer.to_owned(),
            note: None,
            kind,
        }
    }

    /// The element with another content.
    pub(super) fn with_kind(&self, kind: ElementKind) -> Self {
        Self {
            pointer: self.pointer.clone(),
            note: self.note.clone(),
            kind,
        }
    }

    fn written(&self) -> Value<'static> {
        let branches = |lists: &[Rc<ElementList>]| {
            Value::List(lists.iter().map(|list| list.written_short()).collect())
        };
        let (key, content) = match &self.kind {
            ElementKind::Call(call) => return call.clone(),
            ElementKind::Sequence(list) => ("sequence", list.written()),
            ElementKind::AnyOrder(lists) => ("any_order", branches(lists)),
            ElementKind::OneOf(lists) => ("one_of", branches(lists)),
            ElementKind::Optional(list) => ("optional", list.written_short()),
            ElementKind::Repeat { round, .. } => ("repeat", round.written_short()),
        };
        let mut members = vec![(Text::new(key), content)];
        if let ElementKind::Repeat { min, max, .. } = &self.kind {
            let number = |number: u64| Value::Integer(Integer::from(number as usize));
            members.push((Text::new("min"), number(*min)));
            members.extend(max.map(|max| (Text::new("max"), number(max))));
        }
        members.extend(self.note.clone().map(|note| (Text::new(NOTE), note)));
        Value::Object(Object::new(members))
    }
}

/// The tool of a call as written.
pub(super) fn call_name<'v>(call: &'v Value<'static>) -> Option<&'v Text<'static>> {
    match call {
        Value::Object(call) => call.get_str("name")?.as_text(),
        name => name.as_text(),
    }
}
