//! A JSON tree that keeps the source text of every part.
//!
//! Trace readers walk it and copy what they keep. Numbers, repeated keys and lone surrogates stay as written, because values are passed
//! on as source text.

use std::collections::HashSet;

use rightcall_core::value::{Kind, MAX_DEPTH, Reader, Syntax, SyntaxError, Text};

/// A value of a JSON text.
#[derive(Clone, Debug)]
pub(crate) struct Node<'a> {
    raw: &'a str,
    content: Content<'a>,
}

#[derive(Clone, Debug)]
enum Content<'a> {
    /// Null, a boolean or a number, represented by its text.
    Plain,
    Text(Text<'a>),
    List(Vec<Node<'a>>),
    Object(Vec<(Text<'a>, Node<'a>)>),
}

/// Limits on the size of a tree, since a text of very short values takes many times its size in memory.
struct Allowed {
    /// Maximum items per list.
    items: usize,
    /// Remaining number of values.
    values: usize,
    /// Set for a text that may end anywhere: true once its end was reached.
    is_cut: Option<bool>,
    /// True if an object has two structures under one key.
    has_repeats: bool,
}

impl Allowed {
    /// The number of values that any text may have.
    const VALUES: usize = 1 << 23;

    /// Longer texts may have one value per this number of bytes.
    const BYTES: usize = 8;

    fn new(text: &str, items: usize) -> Self {
        Self {
            items,
            values: (text.len() / Self::BYTES).max(Self::VALUES),
            is_cut: None,
            has_repeats: false,
        }
    }

    /// The value; `None` at the end of a text that may end anywhere.
    #[inline]
    fn kept<T>(&mut self, read: Result<T, SyntaxError>) -> Result<Option<T>, SyntaxError> {
        if read.is_err() && self.is_cut.is_some() {
            self.is_cut = Some(true);
            return Ok(None);
        }
        read.map(Some)
    }

    #[inline]
    fn one_more(&mut self, reader: &Reader<'_>) -> Result<(), SyntaxError> {
        match self.values.checked_sub(1) {
            Some(left) => {
                self.values = left;
                Ok(())
            }
            None => Err(reader.refuse(
                "fewer values",
                format!("more than {}, of a few bytes each", Self::VALUES),
            )),
        }
    }
}

impl<'a> Node<'a> {
    /// Parses one JSON text. `NaN` and infinities are accepted as Python writes them.
    pub(crate) fn parse(text: &'a str, max_depth: usize) -> Result<Self, SyntaxError> {
        Self::parse_sample(text, max_depth, usize::MAX)
    }

    /// Like [`Node::parse`], and true if an object in it has two structures under one key.
    pub(crate) fn parse_record(
        text: &'a str,
        max_depth: usize,
    ) -> Result<(Self, bool), SyntaxError> {
        let mut allowed = Allowed::new(text, usize::MAX);
        let node = Self::parse_within(text, max_depth, &mut allowed)?;
        Ok((node, allowed.has_repeats))
    }

    /// Like [`Node::parse`], but parses at most `items` items of each list. The rest is only in the list's text and isn't validated.
    pub(crate) fn parse_sample(
        text: &'a str,
        max_depth: usize,
        items: usize,
    ) -> Result<Self, SyntaxError> {
        Self::parse_within(text, max_depth, &mut Allowed::new(text, items))
    }

    fn parse_within(
        text: &'a str,
        max_depth: usize,
        allowed: &mut Allowed,
    ) -> Result<Self, SyntaxError> {
        let mut reader = Reader::new(
            text,
            Syntax {
                max_depth,
                ..Syntax::PYTHON
            },
        );
        let node = Self::read(text, &mut reader, allowed)?;
        reader.end().map(|()| node)
    }

    /// The first key of an object with two structures.
    pub(crate) fn repeated_key(&self) -> Option<&Text<'a>> {
        repeated_key(self.entries())
    }

    /// Parses the list at the beginning of a text, up to this number of items; `None` if it isn't a list.
    pub(crate) fn parse_first_items(text: &'a str, items: usize) -> Option<Self> {
        let mut reader = Reader::new(text, Syntax::PYTHON);
        let mut first = reader.enter_list().ok()?;
        let mut list = Vec::new();
        let mut allowed = Allowed::new(text, usize::MAX);
        while list.len() < items && reader.next_item(&mut first).ok()? {
            list.push(Self::read(text, &mut reader, &mut allowed).ok()?);
        }
        Some(Self {
            raw: text.get(..reader.offset())?,
            content: Content::List(list),
        })
    }

    /// Parses the value at the beginning of a text that may be cut off; `None` if there is no value.
    pub(crate) fn parse_beginning(text: &'a str) -> Option<Self> {
        let mut allowed = Allowed::new(text, usize::MAX);
        allowed.is_cut = Some(false);
        Self::read(text, &mut Reader::new(text, Syntax::PYTHON), &mut allowed).ok()
    }

    fn read(
        text: &'a str,
        reader: &mut Reader<'a>,
        allowed: &mut Allowed,
    ) -> Result<Self, SyntaxError> {
        let kind = reader.peek()?;
        allowed.one_more(reader)?;
        let from = reader.offset();
        let content = match kind {
            Kind::Null | Kind::Bool | Kind::Number => {
                reader.raw()?;
                Content::Plain
            }
            Kind::String => Content::Text(reader.string()?),
            Kind::List => {
                let mut items = Vec::new();
                let mut first = reader.enter_list()?;
                while allowed.is_cut != Some(true)
                    && allowed.kept(reader.next_item(&mut first))? == Some(true)
                {
                    // The other items are only in the raw text.
                    if items.len() == allowed.items {
                        reader.leave_list_unread()?;
                        break;
                    }
                    let item = Self::read(text, reader, allowed);
                    items.extend(allowed.kept(item)?);
                }
                Content::List(items)
            }
            Kind::Object => {
                let (mut entries, mut structures) = (Vec::new(), 0);
                let mut first = reader.enter_object()?;
                while allowed.is_cut != Some(true)
                    && let Some(Some(key)) = allowed.kept(reader.next_key(&mut first))?
                {
                    let value = Self::read(text, reader, allowed);
                    entries.extend(allowed.kept(value)?.map(|value| (key, value)));
                    structures += usize::from(entries.last().is_some_and(is_structure));
                }
                allowed.has_repeats |= structures > 1 && repeated_key(&entries).is_some();
                Content::Object(entries)
            }
        };
        Ok(Self {
            raw: text.get(from..reader.offset()).unwrap_or_default(),
            content,
        })
    }

    /// The text of the value.
    pub(crate) fn raw(&self) -> &'a str {
        self.raw
    }

    /// The value under a key, the last if the key is repeated; `None` for null.
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        self.entries()
            .iter()
            .rev()
            .find(|(name, _)| *name == *key)
            .map(|(_, node)| node)
            .filter(|node| !node.is_null())
    }

    /// The value under the first of these keys that exists.
    pub(crate) fn any(&self, keys: &[&str]) -> Option<&Self> {
        keys.iter().find_map(|key| self.get(key))
    }

    /// The value at the end of a path of keys.
    pub(crate) fn at(&self, path: &[&str]) -> Option<&Self> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }

    /// True if the key exists, even with null.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.entries().iter().any(|(name, _)| *name == *key)
    }

    /// True if one of these keys exists, even with null.
    pub(crate) fn has_any(&self, keys: &[&str]) -> bool {
        keys.iter().any(|key| self.has(key))
    }

    /// True if all keys of an object are among these.
    pub(crate) fn has_only(&self, keys: &[&str]) -> bool {
        let is_known = |name: &Text<'_>| keys.iter().any(|key| *name == **key);
        self.entries().iter().all(|(name, _)| is_known(name))
    }

    /// True if an item of the list under a key passes a test.
    pub(crate) fn holds(&self, key: &str, test: impl FnMut(&Self) -> bool) -> bool {
        self.list(key).iter().any(test)
    }

    /// The object under the first of these keys that exists; otherwise the node itself.
    pub(crate) fn inner(&self, keys: &[&str]) -> &Self {
        let inner = self.any(keys).filter(|inner| inner.is_object());
        inner.unwrap_or(self)
    }

    /// The list under the first of these keys that exists; otherwise the node itself.
    pub(crate) fn inner_list(&self, keys: &[&str]) -> &Self {
        let inner = self.any(keys).filter(|inner| inner.is_list());
        inner.unwrap_or(self)
    }

    /// The items of a list; empty for other values.
    pub(crate) fn items(&self) -> &[Self] {
        match &self.content {
            Content::List(items) => items,
            _ => &[],
        }
    }

    /// The first item of a list, or the value itself; it decides the format of a file's records.
    pub(crate) fn first_record(&self) -> &Self {
        self.items().first().unwrap_or(self)
    }

    /// The entries of an object; empty for other values.
    pub(crate) fn entries(&self) -> &[(Text<'a>, Self)] {
        match &self.content {
            Content::Object(entries) => entries,
            _ => &[],
        }
    }

    /// The items of a list; for other values, the value itself.
    pub(crate) fn items_or_self(&self) -> &[Self] {
        match &self.content {
            Content::List(items) => items,
            _ => std::slice::from_ref(self),
        }
    }

    /// Passes each value of a list, including nested lists; other values are passed themselves. Objects and lists in JSON text are parsed
    /// first.
    pub(crate) fn each_item(&self, each: &mut dyn FnMut(&Node<'_>)) {
        let text = self
            .str()
            .filter(|text| text.trim_start().starts_with(['{', '[']));
        let parsed = text.and_then(|text| Node::parse(text, MAX_DEPTH).ok());
        match (&self.content, parsed) {
            (Content::List(items), _) => items.iter().for_each(|item| item.each_item(each)),
            (_, Some(parsed)) => parsed.each_item(each),
            _ => each(self),
        }
    }

    /// The keys with a list or without a value; other values aren't read as a list.
    pub(crate) fn keys_of_lists<'k>(&self, keys: &[&'k str]) -> Vec<&'k str> {
        let is_list = |key: &&&str| self.get(key).is_none_or(Self::is_list);
        keys.iter().filter(is_list).copied().collect()
    }

    /// The items of the list at the end of a path of keys.
    pub(crate) fn list_at(&self, path: &[&str]) -> &[Self] {
        self.at(path).map_or(&[], Self::items)
    }

    /// The items of the list under the first of these keys that exists.
    pub(crate) fn any_list(&self, keys: &[&str]) -> &[Self] {
        self.any(keys).map_or(&[], Self::items)
    }

    /// The items of the list under a key.
    pub(crate) fn list(&self, key: &str) -> &[Self] {
        self.get(key).map_or(&[], Self::items)
    }

    /// The string, if it is one.
    pub(crate) fn text(&self) -> Option<&Text<'a>> {
        match &self.content {
            Content::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The string without lone surrogates, if it is one.
    pub(crate) fn str(&self) -> Option<&str> {
        let text = self.text()?;
        // A text without escapes is a part of the source, whose encoding is known.
        let quoted = self.raw.strip_prefix('"');
        quoted
            .and_then(|raw| raw.strip_suffix('"'))
            .filter(|raw| raw.len() == text.as_bytes().len())
            .or_else(|| text.as_str())
    }

    /// The string under the first of these keys that exists, or an empty one.
    pub(crate) fn text_at(&self, keys: &[&str]) -> Text<'a> {
        let text = self.any(keys).and_then(Self::text);
        text.cloned().unwrap_or_default()
    }

    /// The text of the value under a key.
    pub(crate) fn raw_at(&self, key: &str) -> Option<String> {
        self.get(key).map(|value| value.raw.to_owned())
    }

    /// True if the value under a key is `true`.
    pub(crate) fn is_set(&self, key: &str) -> bool {
        self.get(key).is_some_and(Self::is_true)
    }

    /// The string under a key.
    pub(crate) fn str_at(&self, key: &str) -> Option<&str> {
        self.get(key).and_then(Self::str)
    }

    /// True if the value under a key is this string.
    pub(crate) fn says(&self, key: &str, word: &str) -> bool {
        self.str_at(key) == Some(word)
    }

    /// A string, or the text of a number, since names and ids come as both.
    pub(crate) fn label(&self) -> Option<Text<'static>> {
        match &self.content {
            Content::Text(text) => Some(text.clone().into_owned()),
            Content::Plain if self.is_number() => Some(Text::new(self.raw).into_owned()),
            _ => None,
        }
    }

    /// The label under the first of these keys that has one.
    pub(crate) fn label_at(&self, keys: &[&str]) -> Option<Text<'static>> {
        keys.iter()
            .find_map(|key| self.get(key).and_then(Self::label))
    }

    /// The string under the first of these keys that has one. Tool names are strings, never numbers.
    pub(crate) fn name_at(&self, keys: &[&str]) -> Option<Text<'static>> {
        let text = keys.iter().find_map(|key| self.get(key)?.text());
        text.map(|text| text.clone().into_owned())
    }

    /// A whole number, also one in a string.
    pub(crate) fn whole(&self) -> Option<i128> {
        match &self.content {
            Content::Text(text) => text.as_str()?.parse().ok(),
            Content::Plain => self.raw.parse().ok(),
            _ => None,
        }
    }

    /// The whole number under a key.
    pub(crate) fn whole_at(&self, key: &str) -> Option<i128> {
        self.get(key).and_then(Self::whole)
    }

    pub(crate) fn is_null(&self) -> bool {
        self.raw == "null"
    }

    pub(crate) fn is_true(&self) -> bool {
        self.raw == "true"
    }

    pub(crate) fn is_false(&self) -> bool {
        self.raw == "false"
    }

    pub(crate) fn is_object(&self) -> bool {
        matches!(self.content, Content::Object(_))
    }

    pub(crate) fn is_list(&self) -> bool {
        matches!(self.content, Content::List(_))
    }

    fn is_number(&self) -> bool {
        matches!(self.content, Content::Plain) && !matches!(self.raw, "null" | "true" | "false")
    }
}

/// True for an object or a list, also as a text.
fn is_structure((_, value): &(Text<'_>, Node<'_>)) -> bool {
    value
        .raw
        .strip_prefix('"')
        .unwrap_or(value.raw)
        .starts_with(['[', '{'])
}

/// The first key with two structures.
fn repeated_key<'n, 'a>(entries: &'n [(Text<'a>, Node<'a>)]) -> Option<&'n Text<'a>> {
    /// More keys are looked up in a set.
    const FEW: usize = 16;
    if entries.len() > FEW {
        let mut keys = HashSet::new();
        let structures = entries.iter().filter(|it| is_structure(it));
        let mut known = structures.map(|(key, _)| key);
        return known.find(|key| !keys.insert(key.as_bytes()));
    }
    let repeats = |(place, entry): &(usize, &(Text<'a>, Node<'a>))| {
        let mut earlier = entries[..*place].iter();
        is_structure(entry) && earlier.any(|it| it.0 == entry.0 && is_structure(it))
    };
    let (_, (key, _)) = entries.iter().enumerate().find(repeats)?;
    Some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_keeps_its_text_and_a_repeated_key_its_last_value() {
        let node = Node::parse(
            r#"{"a": {"n": 1.0, "t": "x\ud83d"}, "a": {"n": 1e2, "l": [ 1, null ]}, "z": null}"#,
            512,
        )
        .unwrap();
        assert_eq!(node.at(&["a", "n"]).map(Node::raw), Some("1e2"));
        assert_eq!(node.at(&["a", "l"]).map(Node::raw), Some("[ 1, null ]"));
        assert_eq!((node.get("z").is_none(), node.has("z")), (true, true));
        assert_eq!(node.get("a").unwrap().list("l").len(), 2);
        assert_eq!(node.at(&["a", "t"]).map(Node::raw), None);
    }

    #[test]
    fn items_of_lists_in_lists_and_in_texts_are_given_one_by_one() {
        let text = r#"[{"a":1},[{"b":2}],"{\"c\":3}","[{\"d\":4}]","plain","{no"]"#;
        let node = Node::parse(text, 512).unwrap();
        let mut found = Vec::new();
        node.each_item(&mut |item| found.push(item.raw().to_owned()));
        let expected = [
            r#"{"a":1}"#,
            r#"{"b":2}"#,
            r#"{"c":3}"#,
            r#"{"d":4}"#,
            r#""plain""#,
            r#""{no""#,
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_sample_keeps_the_first_items_of_each_list() {
        let node = Node::parse_sample(r#"{"l": [[1, 2, 3], {"k": 4}, 5]}"#, 512, 2).unwrap();
        assert_eq!(
            node.list("l").iter().map(Node::raw).collect::<Vec<_>>(),
            ["[1, 2, 3]", r#"{"k": 4}"#]
        );
        assert_eq!(node.list("l")[0].items().len(), 2);
        assert_eq!(
            node.get("l").map(Node::raw),
            Some(r#"[[1, 2, 3], {"k": 4}, 5]"#)
        );
        assert!(Node::parse_sample("[1, 2, 3", 512, 2).is_err());
    }

    #[test]
    fn the_beginning_of_a_value_is_read_as_far_as_it_goes() {
        let whole = r#"{"a": [1, {"b": "c"}], "d": "e"}"#;
        let found = |length: usize| Node::parse_beginning(&whole[..length]);
        let cut = found(18).unwrap();
        assert_eq!(
            (
                cut.list("a").len(),
                cut.list("a")[1].entries().len(),
                cut.has("d")
            ),
            (2, 0, false)
        );
        assert_eq!(found(20).unwrap().list("a")[1].str_at("b"), Some("c"));
        assert!((1..=whole.len()).all(|length| found(length).is_some_and(|node| node.is_object())));
        assert!(Node::parse_beginning("  ").is_none());
    }

    #[test]
    fn the_first_items_of_a_list_need_no_end() {
        let node = Node::parse_first_items("[ {\"a\": 1}, 2, 3, ", 2).unwrap();
        assert_eq!(node.items().len(), 2);
        assert!(Node::parse_first_items("{}", 2).is_none());
    }
}
