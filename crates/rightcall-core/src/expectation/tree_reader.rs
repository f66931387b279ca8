//! Parses an expectation: a list of elements, each a call or a block.

use crate::settings::{describe, nearest};
use crate::value::{Object, Syntax, Text, Value, decode_with};

use super::actual::read_output;
use super::error::{ExpectationError, Result};
use super::facts::TreeFacts;
use super::node::{Leaf, LeafOutput, TreeOperator};
use super::pattern::ValuePattern;
use super::pattern_reader::PatternReader;
use super::tree::ProcessTree;
use super::written::written;

/// The keys of blocks.
pub const BLOCKS: [&str; 5] = ["sequence", "any_order", "one_of", "optional", "repeat"];

/// The key of a remark on a block.
pub(super) const NOTE: &str = "note";

/// Keys of a call that are kept but not matched.
const CALL_KEYS: [&str; 10] = [
    "name",
    "args",
    "output",
    "id",
    "tool_id",
    "turn",
    "group",
    "compare_args",
    "actor",
    "error",
];

/// Maximum number of calls, far above any real run.
const MAX_CALLS: u64 = 1_000_000;

const ELEMENT: &str =
    "a call, such as {\"name\": \"find_order\", \"args\": {\"id\": 7}} or a name alone, or a block";

impl ProcessTree {
    /// Parses an expectation, a JSON list of elements.
    ///
    /// # Errors
    /// The first error, and its location.
    pub fn read(text: &str) -> std::result::Result<Self, ExpectationError> {
        let value = written(text)?;
        let Value::List(elements) = &value else {
            return Err(ExpectationError::new(
                "a list of elements",
                describe(&value),
            ));
        };
        let mut reader = TreeReader {
            tree: Self {
                text: text.to_owned(),
                ..Self::default()
            },
            patterns: PatternReader::default(),
        };
        let children = reader.elements(elements, "")?;
        reader.push(TreeOperator::Sequence(children), String::new())?;
        let mut tree = reader.tree;
        tree.variables = reader.patterns.variables;
        tree.facts = TreeFacts::new(&tree.nodes, &tree.leaves);
        Ok(tree)
    }
}

const ARGUMENTS: &str = "an object or its JSON text";

struct TreeReader {
    tree: ProcessTree,
    patterns: PatternReader,
}

impl TreeReader {
    fn push(&mut self, operator: TreeOperator, pointer: String) -> Result<u32> {
        let node = self.tree.push(operator, pointer);
        let added = self.tree.node(node);
        if added.shortest > MAX_CALLS {
            let expected = format!("at most {MAX_CALLS} calls in the shortest run");
            return Err(
                ExpectationError::new(expected, added.shortest.to_string()).at(&added.pointer)
            );
        }
        Ok(node)
    }

    /// Parses the elements of a sequence.
    fn elements(&mut self, elements: &[Value<'static>], pointer: &str) -> Result<Vec<u32>> {
        let mut children = Vec::with_capacity(elements.len());
        for (index, element) in elements.iter().enumerate() {
            let pointer = format!("{pointer}/{index}");
            if let Value::List(_) = element {
                let error = ExpectationError::new(ELEMENT, "a list");
                return Err(error
                    .help("{\"sequence\": […]} is a sequence inside another")
                    .at(&pointer));
            }
            children.push(self.element(element, pointer)?);
        }
        Ok(children)
    }

    /// Parses an element: a name, a call or a block.
    fn element(&mut self, element: &Value<'static>, pointer: String) -> Result<u32> {
        match element {
            Value::String(name) => self.call(Some(name), &Object::default(), pointer),
            Value::Object(object) if object.get_str("name").is_some() => {
                self.call(None, object, pointer)
            }
            Value::Object(object) => self.block(object, pointer),
            _ => Err(ExpectationError::new(ELEMENT, describe(element)).at(&pointer)),
        }
    }

    fn block(&mut self, object: &Object<'static>, pointer: String) -> Result<u32> {
        let (kind, content) = block_kind(object).map_err(|error| error.at(&pointer))?;
        let inner = format!("{pointer}/{kind}");
        let operator = match kind {
            "any_order" => TreeOperator::Parallel(self.branches(content, &inner)?),
            "one_of" => match self.branches(content, &inner)? {
                none if none.is_empty() => {
                    let error = ExpectationError::new("at least one alternative", "an empty list");
                    return Err(error.at(&inner));
                }
                alternatives => TreeOperator::Choice(alternatives),
            },
            "sequence" => TreeOperator::Sequence(self.content(content, &inner)?),
            "optional" => TreeOperator::Optional(self.sequence(content, inner)?),
            _ => {
                let child = self.sequence(content, inner)?;
                let (min, max) = rounds(object).map_err(|error| error.at(&pointer))?;
                TreeOperator::Loop { child, min, max }
            }
        };
        let note = note(object).map_err(|error| error.at(&pointer))?;
        let node = self.push(operator, pointer)?;
        self.tree.nodes[node as usize].note = note;
        Ok(node)
    }

    /// Parses one element, or a list of elements as a sequence.
    fn content(&mut self, content: &Value<'static>, pointer: &str) -> Result<Vec<u32>> {
        match content {
            Value::List(elements) => self.elements(elements, pointer),
            element => Ok(vec![self.element(element, pointer.to_owned())?]),
        }
    }

    /// Parses one element or a list of elements into a node.
    fn sequence(&mut self, content: &Value<'static>, pointer: String) -> Result<u32> {
        let children = self.content(content, &pointer)?;
        self.push(TreeOperator::Sequence(children), pointer)
    }

    /// Parses the branches of a parallel block or a choice; a list is a sequence.
    fn branches(&mut self, content: &Value<'static>, pointer: &str) -> Result<Vec<u32>> {
        let Value::List(elements) = content else {
            return Ok(vec![self.element(content, pointer.to_owned())?]);
        };
        let mut branches = Vec::with_capacity(elements.len());
        for (index, element) in elements.iter().enumerate() {
            let pointer = format!("{pointer}/{index}");
            branches.push(match element {
                Value::List(_) => self.sequence(element, pointer)?,
                _ => self.element(element, pointer)?,
            });
        }
        Ok(branches)
    }

    fn call(
        &mut self,
        name: Option<&Text<'static>>,
        object: &Object<'static>,
        pointer: String,
    ) -> Result<u32> {
        let stated = object.get_str("name");
        let name = match (name, stated) {
            (Some(name), _) | (None, Some(Value::String(name))) => name.clone(),
            (None, other) => {
                let found = describe(other.unwrap_or(&Value::Null));
                let error = ExpectationError::new("the name of a tool", found);
                return Err(error.at(&format!("{pointer}/name")));
            }
        };
        let mut leaf = Leaf {
            name,
            arguments: None,
            output: None,
            others: Vec::new(),
            pointer: pointer.clone(),
        };
        for (key, value) in object {
            let written = key.to_display();
            let place = crate::value::pointer::child(&pointer, &written);
            match &*written {
                "name" => {}
                "args" | "arguments" if leaf.arguments.is_some() => {
                    let error = ExpectationError::new("arguments under one key", "them under two");
                    return Err(error.help("leave `arguments` out").at(&place));
                }
                "args" | "arguments" => leaf.arguments = self.arguments(value, &place)?,
                "output" => {
                    let read = read_output(value);
                    leaf.output = Some(LeafOutput {
                        pattern: self.patterns.read(read.as_ref().unwrap_or(value), &place)?,
                        written: value.clone(),
                    });
                }
                other => {
                    check_key(other).map_err(|error| error.at(&place))?;
                    leaf.others.push((key.clone(), value.clone()));
                }
            }
        }
        let number = self.tree.leaves.len() as u32;
        self.tree.leaves.push(leaf);
        self.push(TreeOperator::Call(number), pointer)
    }

    /// Parses arguments. Arguments given as a string are decoded and taken literally.
    fn arguments(&mut self, value: &Value<'static>, pointer: &str) -> Result<Option<ValuePattern>> {
        Ok(match value {
            // A missing value demands nothing.
            Value::Null => None,
            Value::String(text) => {
                let decoded = text
                    .as_str()
                    .and_then(|text| decode_with(text, Syntax::PYTHON).ok());
                let Some(object @ Value::Object(_)) = decoded else {
                    let error = ExpectationError::new(ARGUMENTS, describe(value));
                    return Err(error.at(pointer));
                };
                Some(ValuePattern::Exact(object.into_owned()))
            }
            Value::Object(_) => Some(self.patterns.read(value, pointer)?),
            _ => {
                let error = ExpectationError::new(ARGUMENTS, describe(value));
                return Err(error.at(pointer));
            }
        })
    }
}

/// The key of a block, and its value.
fn block_kind<'v>(object: &'v Object<'static>) -> Result<(&'static str, &'v Value<'static>)> {
    let mut kind = None;
    for (key, value) in object {
        let key = key.to_display();
        match BLOCKS.iter().find(|block| **block == key) {
            Some(block) => match kind {
                None => kind = Some((*block, value)),
                Some((other, _)) => {
                    let found = format!("`{other}` and `{block}` in one object");
                    let error = ExpectationError::new("one block", found);
                    return Err(error.help("put one into the other, or one behind the other"));
                }
            },
            None if key == NOTE => {}
            None if matches!(&*key, "min" | "max") && object.get_str("repeat").is_some() => {}
            None => {
                let found = format!("the key `{key}`");
                let error = ExpectationError::new(ELEMENT, found);
                let near = nearest(&key, BLOCKS.into_iter().chain(["name", "min", "max", NOTE]));
                return Err(match near.first() {
                    Some(name) => error.help(format!("did you mean `{name}`?")),
                    None => error.help("a block has one of the keys `sequence`, `any_order`, `one_of`, `optional` and `repeat`"),
                });
            }
        }
    }
    kind.ok_or_else(|| ExpectationError::new(ELEMENT, "an object without a name or a block"))
}

/// The remark on a block.
fn note(object: &Object<'static>) -> Result<Option<Box<str>>> {
    match object.get_str(NOTE) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.to_display().into())),
        Some(other) => Err(ExpectationError::new("a text", describe(other)).at("/note")),
    }
}

/// The minimum and the maximum number of rounds of a repeat.
fn rounds(object: &Object<'static>) -> Result<(u64, Option<u64>)> {
    let integer = |key: &str| match object.get_str(key) {
        None => Ok(None),
        Some(Value::Null) if key == "max" => Ok(None),
        Some(Value::Integer(number)) => match number.to_digits().parse() {
            Ok(number) => Ok(Some(number)),
            Err(_) if !number.is_negative() => Ok(Some(u64::MAX)),
            Err(_) => Err(()),
        },
        Some(_) => Err(()),
    };
    let read = |key: &'static str| {
        integer(key).map_err(|()| {
            let found = describe(object.get_str(key).unwrap_or(&Value::Null));
            ExpectationError::new("an integer of 0 or more", found).at(&format!("/{key}"))
        })
    };
    let (min, max) = (read("min")?.unwrap_or(1), read("max")?);
    match max {
        Some(max) if max < min => {
            let expected = format!("{min} or more, as `min` is");
            let error = ExpectationError::new(expected, format!("the number {max}"));
            Err(error.at("/max"))
        }
        _ => Ok((min, max)),
    }
}

/// Rejects misspelled keys. Calls may have other keys.
fn check_key(key: &str) -> Result<()> {
    if CALL_KEYS.contains(&key) {
        return Ok(());
    }
    let error = ExpectationError::new("a key of a call", format!("the key `{key}`"));
    if BLOCKS.contains(&key) {
        return Err(error.help("a block has no `name`; put the call into it"));
    }
    match nearest(key, CALL_KEYS).first() {
        Some(name) => Err(error.help(format!("did you mean `{name}`?"))),
        None if matches!(key, "input" | "parameters" | "input_parameters") => {
            Err(error.help("arguments belong under `args`"))
        }
        None => Ok(()),
    }
}
