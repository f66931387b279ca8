//! A span, whatever carries it.

use std::borrow::Cow;

use rightcall::value::{MAX_DEPTH, Reader, Syntax, Text, is_json};

use crate::messages::content::json_text;
use crate::node::Node;
use crate::trace::TraceArguments;
use crate::trace::unread::Suspect;

/// A span, not yet interpreted.
#[derive(Debug, Default)]
pub(crate) struct TraceSpan<'a> {
    pub(crate) trace: Text<'a>,
    pub(crate) id: Text<'a>,
    pub(crate) parent: Option<Text<'a>>,
    pub(crate) name: Text<'a>,
    pub(crate) start: Option<i128>,
    pub(crate) end: Option<i128>,
    /// The error that its status tells, as JSON text.
    pub(crate) error: Option<String>,
    pub(crate) attributes: Attributes<'a>,
    pub(crate) events: Vec<Event<'a>>,
    /// What its carrier has seen in it that looks like a call and that no dialect is shown.
    pub(crate) unread: Vec<Suspect>,
    /// What its carrier says of it that is not in the file, such as the ids of child runs, by kind.
    pub(crate) left_over: Vec<String>,
    /// True if its carrier says that attributes or events of it were dropped.
    pub(crate) is_cut: bool,
}

impl TraceSpan<'_> {
    /// What may be a span, and was not read.
    pub(crate) fn from_suspect(suspect: Suspect) -> Self {
        Self {
            unread: vec![suspect],
            ..Self::default()
        }
    }
}

/// Something that happened within a span, or a log record that belongs to one.
#[derive(Debug, Default)]
pub(crate) struct Event<'a> {
    pub(crate) name: Text<'a>,
    pub(crate) attributes: Attributes<'a>,
    /// What it holds beside its attributes, as JSON text.
    pub(crate) body: Option<Cow<'a, str>>,
}

/// The attributes of a span, in order.
#[derive(Debug, Default)]
pub(crate) struct Attributes<'a> {
    entries: Vec<(Text<'a>, Attribute<'a>)>,
    /// A bit for each length that a key has: dialects ask for many keys that are not there.
    lengths: u64,
}

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Attribute<'a> {
    Text(Text<'a>),
    /// JSON text of any kind but a string.
    Json(Cow<'a, str>),
}

impl<'a> Attributes<'a> {
    /// The attributes that an object holds.
    pub(crate) fn from_object(node: &Node<'a>) -> Self {
        node.entries()
            .iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(key, value)| (key.clone(), Attribute::from_node(value)))
            .collect()
    }

    /// The attributes in a list: pairs of keys and values, or objects that hold some.
    pub(crate) fn from_list(list: &Node<'a>) -> Self {
        let mut attributes = Self::default();
        for item in list.items() {
            match (item.get("key").and_then(Node::text), item.get("value")) {
                // A value may be wrapped in the name of its kind.
                (Some(key), Some(value)) => {
                    let only = value
                        .entries()
                        .first()
                        .filter(|_| value.entries().len() == 1);
                    let value = only.map_or(value, |(_, inner)| inner);
                    attributes.extend([(key.clone(), Attribute::from_node(value))]);
                }
                _ if item.is_object() => {
                    let inner = Self::from_object(item);
                    attributes.extend(inner.entries);
                }
                _ => {
                    let inner = item.str().map(Self::from_text).unwrap_or_default();
                    if inner.entries.is_empty() {
                        attributes.extend([(Text::default(), Attribute::from_node(item))]);
                    }
                    attributes.extend(inner.entries);
                }
            }
        }
        attributes
    }

    /// The attributes of an object that was written as text.
    pub(crate) fn from_text(text: &str) -> Attributes<'static> {
        let Ok(node) = Node::parse(text, MAX_DEPTH) else {
            return Attributes::default();
        };
        let entries = Attributes::from_object(&node).entries.into_iter();
        entries
            .map(|(key, value)| (key.into_owned(), value.into_owned()))
            .collect()
    }

    /// Takes the values out of the JSON text that `MLflow` makes of each, whatever its library; a text that is none stays.
    pub(crate) fn decoded(self) -> Self {
        let decode = |value: Attribute<'a>| match value {
            Attribute::Text(text) => {
                Attribute::from_json_text(&text).unwrap_or(Attribute::Text(text))
            }
            json @ Attribute::Json(_) => json,
        };
        let entries = self.entries.into_iter();
        entries.map(|(key, value)| (key, decode(value))).collect()
    }

    /// [`Self::decoded`], if `MLflow` wrote them: it puts quotes around the words of others, too.
    pub(crate) fn decoded_if_of_mlflow(self) -> Self {
        const WORDS: [&str; 4] = [
            "mlflow.spanType",
            "mlflow.traceRequestId",
            "gen_ai.operation.name",
            "gen_ai.tool.name",
        ];
        let is_json = |key: &str| match self.get(key) {
            Some(Attribute::Text(text)) => text.as_bytes().starts_with(b"\""),
            _ => false,
        };
        if WORDS.into_iter().any(is_json) {
            self.decoded()
        } else {
            self
        }
    }

    /// All keys and values.
    pub(crate) fn iter(&self) -> std::slice::Iter<'_, (Text<'a>, Attribute<'a>)> {
        self.entries.iter()
    }

    /// How many were given under a key that had been given before.
    pub(crate) fn repeated(&self) -> usize {
        // Few spans have so many attributes that this is slow, and those that do are cut off by their libraries.
        let looked_at = &self.entries[..self.entries.len().min(128)];
        let is_repeated = |&place: &usize| {
            looked_at[..place]
                .iter()
                .any(|it| it.0 == looked_at[place].0)
        };
        (1..looked_at.len()).filter(is_repeated).count()
    }

    /// The value under a key, the last where a key is repeated.
    pub(crate) fn get(&self, key: &str) -> Option<&Attribute<'a>> {
        if self.lengths & length_bit(key.as_bytes()) == 0 {
            return None;
        }
        self.iter()
            .rev()
            .find(|(name, _)| *name == *key)
            .map(|(_, value)| value)
    }

    /// The value under the first of these keys that is there.
    pub(crate) fn any(&self, keys: &[&str]) -> Option<&Attribute<'a>> {
        keys.iter().find_map(|key| self.get(key))
    }

    /// The value under a key as arguments, which are not recorded where there is none.
    pub(crate) fn arguments(&self, key: &str) -> TraceArguments {
        self.get(key)
            .map_or(TraceArguments::Absent, Attribute::arguments)
    }

    /// The value under a key as an output.
    pub(crate) fn output(&self, key: &str) -> Option<String> {
        self.get(key).map(Attribute::output)
    }

    /// [`Self::text`], with its own memory.
    pub(crate) fn label(&self, key: &str) -> Option<Text<'static>> {
        self.text(key).map(Text::into_owned)
    }

    /// The text under a key; other values as their JSON text, empty text as nothing.
    pub(crate) fn text(&self, key: &str) -> Option<Text<'_>> {
        self.get(key)
            .map(Attribute::text)
            .filter(|text| !text.is_empty())
    }

    /// True if the value under a key is this text.
    pub(crate) fn says(&self, key: &str, word: &str) -> bool {
        matches!(self.get(key), Some(Attribute::Text(text)) if *text == *word)
    }
}

fn length_bit(key: &[u8]) -> u64 {
    1 << (key.len() % 64)
}

fn lengths_of(entries: &[(Text<'_>, Attribute<'_>)]) -> u64 {
    let bits = entries.iter().map(|(key, _)| length_bit(key.as_bytes()));
    bits.fold(0, |all, bit| all | bit)
}

impl<'a> IntoIterator for Attributes<'a> {
    type Item = (Text<'a>, Attribute<'a>);
    type IntoIter = std::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

impl<'a> Extend<(Text<'a>, Attribute<'a>)> for Attributes<'a> {
    fn extend<I: IntoIterator<Item = (Text<'a>, Attribute<'a>)>>(&mut self, entries: I) {
        let before = self.entries.len();
        self.entries.extend(entries);
        self.lengths |= lengths_of(&self.entries[before..]);
    }
}

impl<'a> FromIterator<(Text<'a>, Attribute<'a>)> for Attributes<'a> {
    fn from_iter<I: IntoIterator<Item = (Text<'a>, Attribute<'a>)>>(entries: I) -> Self {
        let entries: Vec<_> = entries.into_iter().collect();
        Self {
            lengths: lengths_of(&entries),
            entries,
        }
    }
}

impl<'a> Attribute<'a> {
    pub(crate) fn from_node(node: &Node<'a>) -> Self {
        match node.text() {
            Some(text) => Self::Text(text.clone()),
            None => Self::Json(Cow::Borrowed(node.raw())),
        }
    }

    /// The same, with its own memory.
    pub(crate) fn into_owned(self) -> Attribute<'static> {
        match self {
            Self::Text(text) => Attribute::Text(text.into_owned()),
            Self::Json(json) => Attribute::Json(Cow::Owned(json.into_owned())),
        }
    }

    /// The value in a text that is JSON.
    fn from_json_text(text: &Text<'_>) -> Option<Attribute<'a>> {
        let node = Node::parse(text.as_str()?, MAX_DEPTH).ok()?;
        Some(match node.text() {
            Some(text) => Self::Text(text.clone().into_owned()),
            None => Self::Json(Cow::Owned(node.raw().to_owned())),
        })
    }

    pub(crate) fn label(&self) -> Text<'static> {
        self.text().into_owned()
    }

    fn text(&self) -> Text<'_> {
        match self {
            Self::Text(text) => text.reborrow(),
            Self::Json(json) => Text::new(json),
        }
    }

    /// The text that should hold JSON, or the JSON text.
    pub(crate) fn source(&self) -> Option<&str> {
        match self {
            Self::Text(text) => simdutf8::basic::from_utf8(text.as_bytes()).ok(),
            Self::Json(json) => Some(json),
        }
    }

    /// The value as arguments, which are JSON or a text that should hold JSON.
    pub(crate) fn arguments(&self) -> TraceArguments {
        match self {
            Self::Text(text) => TraceArguments::Text(text.clone().into_owned()),
            Self::Json(json) => TraceArguments::Json(json.clone().into_owned()),
        }
    }

    /// The value as an output, as JSON text: a text stays a text unless it holds an object or a list.
    pub(crate) fn output(&self) -> String {
        match self {
            Self::Json(json) => json.clone().into_owned(),
            Self::Text(text) => match text.as_str().map(str::trim) {
                Some(json) if json.starts_with(['{', '[']) && is_json(json, Syntax::PYTHON) => {
                    json.to_owned()
                }
                _ => json_text(text),
            },
        }
    }

    /// Gives the items at the end of a list for whose text this holds: of a long history no more than these become trees.
    pub(crate) fn read_last_items(
        &self,
        holds: impl Fn(&str) -> bool,
        read: impl FnOnce(&[Node<'_>]),
    ) {
        let Some(text) = self.source() else { return };
        let Some(items) = items(text) else {
            // Some emitters encode twice.
            if let Ok(inner) = Reader::new(text, Syntax::PYTHON).string() {
                Attribute::Text(inner).read_last_items(holds, read);
            }
            return;
        };
        let asked_for = items.into_iter().rev().take_while(|item| holds(item));
        let mut last: Vec<_> = asked_for
            .filter_map(|item| Node::parse(item, MAX_DEPTH).ok())
            .collect();
        last.reverse();
        read(&last);
    }

    /// Gives the value, decoded if it is a text that holds JSON, to `read`.
    pub(crate) fn read<T>(&self, read: impl FnOnce(&Node<'_>) -> T) -> Option<T> {
        let node = Node::parse(self.source()?, MAX_DEPTH).ok()?;
        // Some emitters encode twice.
        match node.str().map(|inner| Node::parse(inner, MAX_DEPTH)) {
            Some(Ok(inner)) => Some(read(&inner)),
            _ => Some(read(&node)),
        }
    }
}

/// The texts of the items of a list.
fn items(text: &str) -> Option<Vec<&str>> {
    let mut reader = Reader::new(text, Syntax::PYTHON);
    let mut items = Vec::new();
    let mut first = reader.enter_list().ok()?;
    while reader.next_item(&mut first).ok()? {
        items.push(reader.raw().ok()?);
    }
    reader.end().ok().map(|()| items)
}
