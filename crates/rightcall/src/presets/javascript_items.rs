//! Calls of the JavaScript originals, where a call can be any value and its name too.

use std::borrow::Cow;

use crate::call::{Call, argument_text};
use crate::evaluation::EvaluationError;
use crate::matching::{Item, ItemArguments, ItemName};
use crate::presets::reading::{At, side};
use crate::value::{JsonWriter, Value, javascript};

/// The keys under which an original keeps name and arguments.
#[derive(Clone, Copy, Debug)]
pub(super) struct Keys {
    pub(super) name: &'static str,
    pub(super) arguments: &'static str,
}

/// A call beside what is echoed of it.
#[derive(Debug)]
pub(super) enum Echo<'c> {
    /// The original's own item, whole.
    Native(Value<'c>),
    /// A canonical call, in the original's keys.
    Call(&'c Call<'c>),
}

impl<'s> Echo<'s> {
    /// The items of a side in the original's shape, a list.
    pub(super) fn of_side(name: &'static str, text: &'s str) -> Result<Vec<Self>, EvaluationError> {
        match side(name, text)? {
            Value::List(items) => Ok(items.into_iter().map(Self::Native).collect()),
            other => Err(At::root(name).error("a list of calls", Some(&other))),
        }
    }
}

impl Echo<'_> {
    /// The item to be matched.
    pub(super) fn item(&self, keys: Keys) -> Item<'_> {
        match self {
            Self::Call(call) => {
                let item = Item::of_call(call);
                match call.arguments.text() {
                    Some(text) => item.with_arguments(ItemArguments::Tree(argument_text(text).0)),
                    None => item,
                }
            }
            Self::Native(Value::Object(object)) => Item::new(
                object
                    .get_str(keys.name)
                    .map_or(ItemName::Scalar(Cow::Borrowed("")), name),
                object
                    .get_str(keys.arguments)
                    .map_or(ItemArguments::Absent, |it| ItemArguments::Tree(it.clone())),
            ),
            // Any other value has no fields.
            Self::Native(value) => {
                Item::new(ItemName::Scalar(Cow::Borrowed("")), ItemArguments::Absent)
                    .blank_if(javascript::is_falsy(value))
            }
        }
    }

    /// Writes the call as the original echoes it.
    pub(super) fn write(&self, keys: Keys, writer: &mut JsonWriter) {
        match self {
            Self::Native(value) => _ = writer.javascript_value(value),
            Self::Call(call) => {
                writer.begin_object().key(keys.name).text(&call.name);
                if let Some(tree) = Item::of_call(call).arguments().to_tree() {
                    writer.key(keys.arguments).javascript_value(&tree);
                }
                writer.end_object();
            }
        }
    }
}

/// A name as `JSON.stringify` writes it, for originals that compare such text: no name is incomparable then, and infinity is null.
pub(super) fn name_by_json_text<'c>(value: &Value<'c>) -> ItemName<'c> {
    if let Value::String(text) = value {
        return ItemName::Text(text.clone());
    }
    let mut writer = JsonWriter::new();
    writer.javascript_value(value);
    ItemName::Scalar(Cow::Owned(writer.finish().to_string()))
}

fn name<'c>(value: &Value<'c>) -> ItemName<'c> {
    match value {
        Value::String(text) => ItemName::Text(text.clone()),
        Value::Null => ItemName::Scalar(Cow::Borrowed("null")),
        Value::Bool(it) => ItemName::Scalar(Cow::Borrowed(if *it { "true" } else { "false" })),
        Value::Integer(_) | Value::Float(_) => {
            let number = value.as_f64().unwrap_or(f64::NAN);
            // JSON text has no infinity; a name of its own keeps it apart from null.
            let text = if number.is_finite() {
                javascript::number_to_json(number)
            } else {
                number.to_string()
            };
            if number.is_nan() {
                ItemName::Incomparable
            } else {
                ItemName::Scalar(Cow::Owned(text))
            }
        }
        _ => ItemName::Incomparable,
    }
}
