//! Builds trees from the events of a parser.

use std::borrow::Cow;
use std::collections::HashMap;

use granit_parser::{ErrorKind, Event, Parser, ScanError, Span, Tag, options};
use rightcall_core::value::MAX_DEPTH;

use super::node::{Key, Yaml, YamlError, YamlNode};
use super::scalar;
use super::tag::{Collection, IgnoredTags, UnknownTag, check_collection, tagged};

/// Limits on the nodes copied by aliases and kept for anchors in one file: no handwritten file exceeds them.
const MAX_COPIED: Size = Size {
    nodes: 250_000,
    bytes: 64 << 20,
};
const MAX_ANCHORED: Size = Size {
    nodes: 1_000_000,
    bytes: 128 << 20,
};

/// The maximum number of nodes in one tree: a document, or a list item if these are processed one by one.
const MAX_NODES: usize = 2_000_000;

/// The size of a part of a file.
#[derive(Clone, Copy, Debug, Default)]
struct Size {
    nodes: usize,
    /// Bytes of all texts.
    bytes: usize,
}

impl Size {
    fn from_yaml(value: &Yaml) -> Self {
        let (Yaml::Text(text) | Yaml::Number(text)) = value else {
            return Self { nodes: 1, bytes: 0 };
        };
        Self {
            nodes: 1,
            bytes: text.len(),
        }
    }

    fn add(&mut self, other: Self) {
        self.nodes += other.nodes;
        self.bytes += other.bytes;
    }

    fn exceeds(self, limit: Self) -> bool {
        self.nodes > limit.nodes || self.bytes > limit.bytes
    }
}

/// All documents of a text, and the error that ends it early.
pub fn documents(text: &str) -> (Vec<YamlNode>, Option<YamlError>) {
    let mut documents = Vec::new();
    let each = |document| documents.push(document);
    let (error, _) = build(text, false, UnknownTag::Refuse, each);
    (documents, error)
}

/// The results of reading items, other than the items.
pub(crate) struct ListItems {
    /// The error that ended them early.
    pub(crate) error: Option<YamlError>,
    /// Tags without a JSON equivalent.
    pub(crate) tags: IgnoredTags,
}

/// Passes each document of a text to `each`; for a list, its items one by one. Memory holds one of them at a time, plus anchored values.
/// Tags without a JSON equivalent are ignored.
pub(crate) fn each_item(text: &str, each: impl FnMut(YamlNode)) -> ListItems {
    let (error, tags) = build(text, true, UnknownTag::Count, each);
    ListItems { error, tags }
}

/// The maximum number of quoted texts in a file whose lines are indented as little as their keys.
const MAX_INDENTED: usize = 1000;

/// Passes the nodes to `each`. If a quoted text goes on at the indentation of its key, as other parsers allow, its lines are indented, and
/// the text is read again.
fn build(
    text: &str,
    by_item: bool,
    unknown_tag: UnknownTag,
    mut each: impl FnMut(YamlNode),
) -> (Option<YamlError>, IgnoredTags) {
    let mut text = Cow::Borrowed(text);
    let (mut given, mut tries) = (0, 0);
    loop {
        let mut place = 0;
        let new = |node| {
            place += 1;
            if place > given {
                given = place;
                each(node);
            }
        };
        let (error, outdented, tags) = build_once(&text, by_item, unknown_tag, new);
        tries += 1;
        match outdented.filter(|_| tries < MAX_INDENTED) {
            Some(line) => text = Cow::Owned(indented(&text, line)),
            None => return (error, tags),
        }
    }
}

/// The text with this line, and the following lines of the same quoted text, indented.
fn indented(text: &str, line: usize) -> String {
    let (mut indented, mut is_inside) = (String::with_capacity(text.len() + 256), true);
    for (number, written) in (1..).zip(text.split_inclusive('\n')) {
        if number >= line && is_inside {
            indented.push_str(&" ".repeat(MAX_DEPTH));
            is_inside = !written.trim_end().ends_with(['"', '\'']);
        }
        indented.push_str(written);
    }
    indented
}

/// Also returns the line of the error if a quoted text is indented too little.
fn build_once(
    text: &str,
    by_item: bool,
    unknown_tag: UnknownTag,
    each: impl FnMut(YamlNode),
) -> (Option<YamlError>, Option<usize>, IgnoredTags) {
    let limit = MAX_DEPTH - 1;
    let mut builder = Builder {
        each,
        by_item,
        unknown_tag,
        tags: IgnoredTags::default(),
        given: 0,
        open: Vec::new(),
        anchors: HashMap::new(),
        held: 0,
        copied: Size::default(),
        anchored: Size::default(),
    };
    for event in Parser::new_from_str_with_options(
        text,
        options! { flow_nesting_limit: limit, block_nesting_limit: limit },
    ) {
        let built = match event {
            Ok((event, span)) => builder.event(event, span),
            Err(error) => {
                let is_outdented = *error.kind() == ErrorKind::InvalidQuotedScalarIndent;
                let line = is_outdented.then(|| error.marker().line());
                return (Some(syntax(&error)), line, builder.tags);
            }
        };
        if let Err(error) = built {
            return (Some(error), None, builder.tags);
        }
    }
    (None, None, builder.tags)
}

#[cold]
fn syntax(error: &ScanError) -> YamlError {
    YamlError::new(
        error.marker().line() as u64,
        "YAML",
        format!(
            "an error: {} at column {}",
            error.info(),
            error.marker().col() + 1
        ),
        "check the indentation, and quote texts that hold `: ` or ` #` or begin with one of [ ] { } & * ! | > % @ `",
    )
}

/// Builds trees from events with its own stack, so that deep nesting cannot overflow the program's.
struct Builder<F> {
    each: F,
    /// True if the items of a list are passed on one by one.
    by_item: bool,
    unknown_tag: UnknownTag,
    tags: IgnoredTags,
    /// The number of documents or items passed on.
    given: usize,
    open: Vec<Open>,
    anchors: HashMap<usize, (YamlNode, Size)>,
    /// The number of built nodes not yet passed on.
    held: usize,
    copied: Size,
    anchored: Size,
}

/// An open collection.
struct Open {
    line: u64,
    anchor: usize,
    /// The size of its contents.
    size: Size,
    content: Content,
}

enum Content {
    List(Vec<YamlNode>),
    Map {
        members: Vec<(Key, YamlNode)>,
        key: Option<Key>,
        lines: HashMap<String, u64>,
    },
}

impl<F: FnMut(YamlNode)> Builder<F> {
    #[expect(clippy::too_many_lines, reason = "one arm for each event")]
    fn event(&mut self, event: Event<'_>, span: Span) -> Result<(), YamlError> {
        let line = span.start.line() as u64;
        let open = |anchor, content| Open {
            line,
            anchor,
            size: Size { nodes: 1, bytes: 0 },
            content,
        };
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let value = match tag {
                    None => None,
                    Some(tag) => self.known(tagged(&text, &tag, line), &tag)?,
                };
                let value = match value {
                    None => scalar::untagged(&text, style, line)?,
                    Some(value) => value,
                };
                let size = Size::from_yaml(&value);
                self.node(YamlNode { line, value }, anchor, size)
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.check(Collection::List, tag, line)?;
                self.open.push(open(anchor, Content::List(Vec::new())));
                Ok(())
            }
            Event::MappingStart(_, anchor, tag) => {
                self.check(Collection::Map, tag, line)?;
                self.open.push(open(
                    anchor,
                    Content::Map {
                        members: Vec::new(),
                        key: None,
                        lines: HashMap::new(),
                    },
                ));
                Ok(())
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(Open {
                    line,
                    anchor,
                    size,
                    content,
                }) = self.open.pop()
                else {
                    return Ok(());
                };
                let value = match content {
                    // Its items have been passed on.
                    Content::List(_) if self.by_item && self.open.is_empty() => return Ok(()),
                    Content::List(items) => Yaml::List(items),
                    Content::Map { members, .. } => Yaml::Map(members),
                };
                self.node(YamlNode { line, value }, anchor, size)
            }
            Event::Alias(anchor) => {
                let Some((node, size)) = self.anchors.get(&anchor) else {
                    return Err(YamlError::new(
                        line,
                        "an alias of something that has ended",
                        "an alias of its own parent",
                        "write the value out",
                    ));
                };
                let size = *size;
                self.copied.add(size);
                let Size { nodes, bytes } = MAX_COPIED;
                if self.copied.exceeds(MAX_COPIED) {
                    let what = if self.copied.nodes > nodes {
                        format!("{nodes} values")
                    } else {
                        format!("{bytes} bytes")
                    };
                    return Err(YamlError::new(
                        line,
                        "fewer copies",
                        format!("aliases that copy more than {what}"),
                        "write the values out",
                    ));
                }
                let node = node.clone();
                self.held += size.nodes;
                self.node(node, 0, size)
            }
            _ => Ok(()),
        }
    }

    /// The value of a tag; `None` if the tag is ignored.
    fn known<T>(
        &mut self,
        result: Result<T, YamlError>,
        tag: &Tag,
    ) -> Result<Option<T>, YamlError> {
        match result {
            Err(error) if self.unknown_tag == UnknownTag::Count => {
                self.tags.add(tag, self.given, error);
                Ok(None)
            }
            result => result.map(Some),
        }
    }

    fn check(
        &mut self,
        collection: Collection,
        tag: Option<Cow<'_, Tag>>,
        line: u64,
    ) -> Result<(), YamlError> {
        let Some(tag) = tag else { return Ok(()) };
        self.known(check_collection(collection, &tag, line), &tag)?;
        Ok(())
    }

    /// Adds a complete node to its parent.
    fn node(&mut self, node: YamlNode, anchor: usize, size: Size) -> Result<(), YamlError> {
        let line = node.line;
        let too_large =
            |expected, found: String, help| Err(YamlError::new(line, expected, found, help));
        if anchor > 0 {
            self.anchored.add(size);
            if self.anchored.exceeds(MAX_ANCHORED) {
                let found = format!(
                    "anchors in and upon each other that hold more than {} bytes or {} values",
                    MAX_ANCHORED.bytes, MAX_ANCHORED.nodes
                );
                return too_large(
                    "smaller anchors",
                    found,
                    "take out the anchors that no alias needs",
                );
            }
            self.anchors.insert(anchor, (node.clone(), size));
        }
        let depth = self.open.len();
        // Its contents were counted already.
        self.held += 1;
        if self.held > MAX_NODES {
            let found = format!("more than {MAX_NODES} in one document or case");
            return too_large("fewer values", found, "write the cases as JSON Lines");
        }
        let Some(open) = self.open.last_mut() else {
            self.held = 0;
            // An empty document is not an item.
            if !self.by_item || !matches!(node.value, Yaml::Null) {
                self.given += 1;
                (self.each)(node);
            }
            return Ok(());
        };
        open.size.add(size);
        match &mut open.content {
            Content::List(_) if self.by_item && depth == 1 => {
                self.held = 0;
                open.size = Size::default();
                self.given += 1;
                (self.each)(node);
            }
            Content::List(items) => items.push(node),
            Content::Map {
                members,
                key,
                lines,
            } => match key.take() {
                Some(key) => members.push((key, node)),
                None if self.unknown_tag == UnknownTag::Count => {
                    *key = Some(key_of(only_text(&node), lines)?);
                }
                None => *key = Some(key_of(&node, lines)?),
            },
        }
        Ok(())
    }
}

/// The text of a key that Python's `yaml` writes as a list of the arguments of its class.
fn only_text(node: &YamlNode) -> &YamlNode {
    match &node.value {
        Yaml::List(items) if items.len() == 1 => &items[0],
        _ => node,
    }
}

/// Converts a node to a key; `lines` has the earlier keys.
fn key_of(node: &YamlNode, lines: &mut HashMap<String, u64>) -> Result<Key, YamlError> {
    let wrong =
        |expected, found: String, help| Err(YamlError::new(node.line, expected, found, help));
    let name = match &node.value {
        Yaml::Text(text) | Yaml::Number(text) => text.clone(),
        Yaml::Bool(it) => it.to_string(),
        _ => return wrong("a text as key", node.describe(), "write `KEY: VALUE`"),
    };
    if name == "<<" {
        return wrong(
            "a key",
            "the merge key `<<`".to_owned(),
            "YAML 1.2 has no merge keys: write the members out",
        );
    }
    if let Some(before) = lines.insert(name.clone(), node.line) {
        return wrong(
            "each key once",
            format!("`{name}`, which is on line {before} already"),
            "take one of them out",
        );
    }
    Ok(Key {
        line: node.line,
        name,
    })
}

impl YamlNode {
    /// Parses a text with one document.
    ///
    /// # Errors
    /// The text is invalid.
    pub fn parse(text: &str) -> Result<Self, YamlError> {
        let (documents, error) = documents(text);
        let mut documents = documents.into_iter();
        match (error, documents.next(), documents.next()) {
            (Some(error), ..) => Err(error),
            (None, None, _) => Ok(Self {
                line: 1,
                value: Yaml::Null,
            }),
            (None, Some(document), None) => Ok(document),
            (None, Some(_), Some(second)) => Err(YamlError::new(
                second.line,
                "one document",
                "a second one",
                "take the `---` out",
            )),
        }
    }
}
