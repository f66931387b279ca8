//! A span in any carrier format.

use std::borrow::Cow;

use rightcall_core::value::{MAX_DEPTH, Reader, Syntax, Text, is_json};

use crate::messages::content::json_text;
use crate::node::Node;
use crate::trace::TraceArguments;
use crate::trace::unread::Suspect;

/// An uninterpreted span.
#[derive(Debug, Default)]
pub(crate) struct TraceSpan<'a> {
    pub(crate) trace: Text<'a>,
    pub(crate) id: Text<'a>,
    pub(crate) parent: Option<Text<'a>>,
    pub(crate) name: Text<'a>,
    pub(crate) start: Option<i128>,
    pub(crate) end: Option<i128>,
    /// The error from its status, as JSON text.
    pub(crate) error: Option<String>,
    pub(crate) attributes: Attributes<'a>,
    pub(crate) events: Vec<Event<'a>>,
    /// Call-like values seen by the carrier that no dialect receives.
    pub(crate) unread: Vec<Suspect>,
    /// Parts missing from the file according to the carrier, such as the ids of child runs, by kind.
    pub(crate) left_over: Vec<String>,
    /// True if its carrier has no kind, so that it may be a tool's.
    pub(crate) may_be_tool: bool,
    /// True if the carrier reports dropped attributes or events.
    pub(crate) is_cut: bool,
    /// The number of spans in its trace that the carrier counts; 0 if unknown.
    pub(crate) counted: u64,
    /// The expectation of the run, as the JSON text of a case's.
    pub(crate) expected: Option<String>,
}

impl TraceSpan<'_> {
    /// A value that may be a span, but was not read.
    pub(crate) fn from_suspect(suspect: Suspect) -> Self {
        Self {
            unread: vec![suspect],
            ..Self::default()
        }
    }
}

/// An event within a span, or a log record that belongs to one.
#[derive(Debug, Default)]
pub(crate) struct Event<'a> {
    pub(crate) name: Text<'a>,
    pub(crate) attributes: Attributes<'a>,
    /// Its content other than attributes, as JSON text.
    pub(crate) body: Option<Cow<'a, str>>,
}

/// The attributes of a span, in order.
#[derive(Debug, Default)]
pub(crate) struct Attributes<'a> {
    entries: Vec<(Text<'a>, Attribute<'a>)>,
    /// A bit for each key length that occurs: dialects ask for many missing keys, and this rejects most of them quickly.
    lengths: u64,
}

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Attribute<'a> {
    Text(Text<'a>),
    /// JSON text of any kind except a string.
    Json(Cow<'a, str>),
}

impl<'a> Attributes<'a> {
    /// The members of an object as attributes.
    pub(crate) fn from_object(node: &Node<'a>) -> Self {
        node.entries()
            .iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(key, value)| (key.clone(), Attribute::from_node(value)))
            .collect()
    }

    /// The attributes in a list: key-value pairs, or objects of attributes.
    pub(crate) fn from_list(list: &Node<'a>) -> Self {
        let mut attributes = Self::default();
        for item in list.items() {
            match (item.get("key").and_then(Node::text), item.get("value")) {
                // A value may be wrapped in an object with its type as the key.
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

    /// The attributes in an object written as text.
    pub(crate) fn from_text(text: &str) -> Attributes<'static> {
        let Ok(node) = Node::parse(text, MAX_DEPTH) else {
            return Attributes::default();
        };
        let entries = Attributes::from_object(&node).entries.into_iter();
        entries
            .map(|(key, value)| (key.into_owned(), value.into_owned()))
            .collect()
    }

    /// Decodes values that `MLflow` wrote as JSON text; other texts are unchanged.
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

    /// Like [`Self::decoded`], if `MLflow` wrote them: it also quotes the attributes of others.
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

    /// The number of attributes with a repeated key.
    pub(crate) fn repeated(&self) -> usize {
        // The quadratic search is fine: few spans have this many attributes, and libraries truncate those that do.
        let looked_at = &self.entries[..self.entries.len().min(128)];
        let is_repeated = |&place: &usize| {
            looked_at[..place]
                .iter()
                .any(|it| it.0 == looked_at[place].0)
        };
        (1..looked_at.len()).filter(is_repeated).count()
    }

    /// The value under a key, the last if the key is repeated.
    pub(crate) fn get(&self, key: &str) -> Option<&Attribute<'a>> {
        if self.lengths & length_bit(key.as_bytes()) == 0 {
            return None;
        }
        self.iter()
            .rev()
            .find(|(name, _)| *name == *key)
            .map(|(_, value)| value)
    }

    /// The value under the first of these keys that exists.
    pub(crate) fn any(&self, keys: &[&str]) -> Option<&Attribute<'a>> {
        keys.iter().find_map(|key| self.get(key))
    }

    /// The value under a key as arguments; absent if there is none.
    pub(crate) fn arguments(&self, key: &str) -> TraceArguments {
        self.get(key)
            .map_or(TraceArguments::Absent, Attribute::arguments)
    }

    /// The value under a key as an output.
    pub(crate) fn output(&self, key: &str) -> Option<String> {
        self.get(key).map(Attribute::output)
    }

    /// [`Self::text`] as an owned text.
    pub(crate) fn label(&self, key: &str) -> Option<Text<'static>> {
        self.text(key).map(Text::into_owned)
    }

    /// The text under a key; other values as JSON text, an empty text as `None`.
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
        self.entries
            .extend(entries.into_iter().filter(|(_, value)| !value.is_hidden()));
        self.lengths |= lengths_of(&self.entries[before..]);
    }
}

impl<'a> FromIterator<(Text<'a>, Attribute<'a>)> for Attributes<'a> {
    fn from_iter<I: IntoIterator<Item = (Text<'a>, Attribute<'a>)>>(entries: I) -> Self {
        let entries = entries.into_iter().filter(|(_, value)| !value.is_hidden());
        let entries: Vec<_> = entries.collect();
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

    /// True for OpenInference's mark of a value that is not recorded, by the user's choice.
    fn is_hidden(&self) -> bool {
        matches!(self, Self::Text(text) if *text == *"__REDACTED__")
    }

    /// The same, as an owned value.
    pub(crate) fn into_owned(self) -> Attribute<'static> {
        match self {
            Self::Text(text) => Attribute::Text(text.into_owned()),
            Self::Json(json) => Attribute::Json(Cow::Owned(json.into_owned())),
        }
    }

    /// The value in a JSON text.
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

    /// The text that may be JSON, or the JSON text.
    pub(crate) fn source(&self) -> Option<&str> {
        match self {
            Self::Text(text) => simdutf8::basic::from_utf8(text.as_bytes()).ok(),
            Self::Json(json) => Some(json),
        }
    }

    /// The value as arguments: JSON, or a text that should be JSON. Python's `None` as text is a missing value.
    pub(crate) fn arguments(&self) -> TraceArguments {
        match self {
            Self::Text(text) if *text == *"None" => TraceArguments::Absent,
            Self::Text(text) => TraceArguments::Text(text.clone().into_owned()),
            Self::Json(json) => TraceArguments::Json(json.clone().into_owned()),
        }
    }

    /// The value as an output in JSON: a text stays a string unless it contains an object or a list.
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

    /// Passes the trailing items of a list whose text passes this test, so that only a small part of a long history is parsed.
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

    /// Passes the value to `read`, decoded if it is JSON text.
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
