//! A JSON object that grows by pieces, each with its path.

use rightcall_core::value::{JsonWriter, Text, TextBuilder};

use crate::json::written;
use crate::node::Node;

/// The maximum depth of a path; deeper pieces are ignored.
const MAX_STEPS: usize = 64;

/// The object built from the pieces so far.
#[derive(Debug, Default)]
pub(crate) struct PartialObject(Tree);

#[derive(Debug)]
enum Tree {
    /// Members in order of appearance.
    Object(Vec<(String, Tree)>),
    List(Vec<Tree>),
    /// A text that may grow.
    Text(TextBuilder),
    /// Any other value, as JSON text.
    Json(String),
}

impl Default for Tree {
    fn default() -> Self {
        Self::Object(Vec::new())
    }
}

enum Step {
    Key(String),
    Index(usize),
}

impl PartialObject {
    /// Adds a piece, `{jsonPath, stringValue | numberValue | boolValue | nullValue}`. A piece without a readable path is ignored.
    pub(crate) fn add(&mut self, piece: &Node<'_>) {
        let Some(steps) = piece
            .any(&["jsonPath", "json_path"])
            .and_then(Node::str)
            .and_then(steps)
        else {
            return;
        };
        let place = self.0.at(steps);
        if let Some(text) = piece
            .any(&["stringValue", "string_value"])
            .and_then(Node::text)
        {
            match place {
                Tree::Text(begun) => begun.push_text(text),
                other => *other = Tree::Text(text_of(text)),
            }
        } else if let Some(value) =
            piece.any(&["numberValue", "number_value", "boolValue", "bool_value"])
        {
            *place = Tree::Json(value.raw().to_owned());
        } else {
            *place = Tree::Json("null".to_owned());
        }
    }

    pub(crate) fn into_json(self) -> String {
        written(|writer| self.0.write(writer))
    }
}

fn text_of(text: &Text<'_>) -> TextBuilder {
    let mut builder = TextBuilder::default();
    builder.push_text(text);
    builder
}

impl Tree {
    /// The value at a path, created if missing. An index beyond the end of a list means its end.
    fn at(&mut self, steps: Vec<Step>) -> &mut Self {
        let mut place = self;
        for step in steps {
            place = match step {
                Step::Key(key) => place.member(key),
                Step::Index(index) => place.item(index),
            };
        }
        place
    }

    fn member(&mut self, key: String) -> &mut Self {
        if !matches!(self, Self::Object(_)) {
            *self = Self::default();
        }
        let Self::Object(members) = self else {
            unreachable!("it was made an object")
        };
        let index = members
            .iter()
            .position(|(known, _)| *known == key)
            .unwrap_or(members.len());
        if index == members.len() {
            members.push((key, Self::default()));
        }
        &mut members[index].1
    }

    fn item(&mut self, index: usize) -> &mut Self {
        if !matches!(self, Self::List(_)) {
            *self = Self::List(Vec::new());
        }
        let Self::List(items) = self else {
            unreachable!("it was made a list")
        };
        let index = index.min(items.len());
        if index == items.len() {
            items.push(Self::default());
        }
        &mut items[index]
    }

    fn write(self, writer: &mut JsonWriter) {
        match self {
            Self::Object(members) => {
                writer.begin_object();
                for (key, value) in members {
                    writer.key(&key);
                    value.write(writer);
                }
                writer.end_object();
            }
            Self::List(items) => {
                writer.begin_list();
                items.into_iter().for_each(|item| item.write(writer));
                writer.end_list();
            }
            Self::Text(text) => _ = writer.text(&text.finish()),
            Self::Json(json) => _ = writer.raw(&json),
        }
    }
}

/// The steps of a JSON Path to a single value: `$.a.b[0]['c']`.
fn steps(path: &str) -> Option<Vec<Step>> {
    let mut rest = path.strip_prefix('$')?;
    let mut steps = Vec::new();
    while !rest.is_empty() && steps.len() <= MAX_STEPS {
        if let Some(after) = rest.strip_prefix('.') {
            let length = after.find(['.', '[']).unwrap_or(after.len());
            steps.push(Step::Key(after.get(..length)?.to_owned()));
            rest = after.get(length..)?;
        } else {
            let after = rest.strip_prefix('[')?;
            let quote = after
                .chars()
                .next()
                .filter(|letter| matches!(letter, '\'' | '"'));
            let (inner, after) = match quote {
                Some(quote) => after.get(1..)?.split_once(&format!("{quote}]"))?,
                None => after.split_once(']')?,
            };
            steps.push(match quote {
                Some(_) => Step::Key(inner.to_owned()),
                None => Step::Index(inner.parse().ok()?),
            });
            rest = after;
        }
    }
    (!steps.is_empty() && steps.len() <= MAX_STEPS).then_some(steps)
}
