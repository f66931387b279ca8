//! Calls of the JavaScript originals, where a call and its name can be any value.

use std::borrow::Cow;

use crate::explanation::Side;
use crate::matching::{ArgumentsRef, javascript_text};
use crate::presets::prelude::*;
use crate::recipe::MoreOfSides;
use crate::value::javascript;

/// The keys of an original's name and arguments.
#[derive(Clone, Copy, Debug)]
pub(super) struct Keys {
    pub(super) name: &'static str,
    pub(super) arguments: &'static str,
}

impl Keys {
    /// The sides of a canonical case; string arguments are decoded.
    pub(super) fn sides_of_case<'c>(
        recipe: &Recipe,
        prepared: &'c PreparedCase<'c>,
    ) -> Reading<'c> {
        let sides = recipe.sides(prepared)?;
        Ok(Sides {
            expected: decoded(sides.expected),
            actual: decoded(sides.actual),
            ..sides
        })
    }

    /// Two sides in the original's shape. They are lists of values, which are also kept for display; each side has a function that converts
    /// a value to a call.
    pub(super) fn sides_of_native<'c>(
        (expected, wanted): (&'c str, impl Fn(&Value<'c>) -> Item<'c>),
        (actual, called): (&'c str, impl Fn(&Value<'c>) -> Item<'c>),
    ) -> Result<Sides<'c>, EvaluationError> {
        let list = |name, text: &'c str| match side(name, text)? {
            Value::List(values) => Ok(values),
            other => Err(At::root(name).error("a list of calls", Some(&other))),
        };
        let values = [list("expected", expected)?, list("actual", actual)?];
        let expected = values[0].iter().map(wanted).collect();
        let actual = values[1].iter().map(called).collect();
        let sides = Sides::new(Items::Own(expected), Items::Own(actual));
        Ok(sides.with(MoreOfSides {
            values: Some(values),
            ..MoreOfSides::default()
        }))
    }

    /// Converts a value to a call. A value that is not an object has no fields.
    pub(super) fn item<'c>(self, value: &Value<'c>) -> Item<'c> {
        let Some(object) = value.as_object() else {
            return Item::new(ItemName::Scalar(Cow::Borrowed("")), ItemArguments::Absent);
        };
        let name = object.get_str(self.name);
        let arguments = object.get_str(self.arguments);
        Item::new(
            name.map_or(ItemName::Scalar(Cow::Borrowed("")), self::name),
            arguments.map_or(ItemArguments::Absent, |it| ItemArguments::Tree(it.clone())),
        )
    }

    /// Writes a call as the original shows it.
    pub(super) fn write(
        self,
        sides: &Sides<'_>,
        side: Side,
        index: usize,
        writer: &mut JsonWriter,
    ) {
        let (items, which) = match side {
            Side::Expected => (&sides.expected, 0),
            Side::Actual => (&sides.actual, 1),
        };
        if let Some(values) = sides.values() {
            writer.javascript_value(&values[which][index]);
            return;
        }
        let item = &items.as_slice()[index];
        writer.begin_object().key(self.name);
        writer.text(&item.name().to_text());
        if let Some(tree) = item.arguments().to_tree() {
            writer.key(self.arguments).javascript_value(&tree);
        }
        writer.end_object();
    }
}

/// The same calls with string arguments decoded.
fn decoded<'c>(items: Items<'c>) -> Items<'c> {
    let is_text = |item: &Item<'_>| match item.arguments() {
        ArgumentsRef::Lazy(arguments) => arguments.text().is_some(),
        ArgumentsRef::Absent | ArgumentsRef::Tree(_) => false,
    };
    if !items.as_slice().iter().any(is_text) {
        return items;
    }
    let decode = |item: &Item<'c>| match item.arguments() {
        ArgumentsRef::Lazy(arguments) if is_text(item) => {
            let tree = arguments
                .to_value()
                .map_or(ItemArguments::Absent, ItemArguments::Tree);
            item.clone().with_arguments(tree)
        }
        _ => item.clone(),
    };
    Items::Own(items.as_slice().iter().map(decode).collect())
}

/// A name as `JSON.stringify` writes it, for originals that compare that text. Every name is comparable then, and infinity is null.
pub(super) fn name_by_json_text<'c>(value: &Value<'c>) -> ItemName<'c> {
    if let Value::String(text) = value {
        return ItemName::Text(text.clone());
    }
    ItemName::Scalar(Cow::Owned(javascript_text(value)))
}

fn name<'c>(value: &Value<'c>) -> ItemName<'c> {
    match value {
        Value::String(text) => ItemName::Text(text.clone()),
        Value::Null => ItemName::Scalar(Cow::Borrowed("null")),
        Value::Bool(it) => ItemName::Scalar(Cow::Borrowed(if *it { "true" } else { "false" })),
        Value::Integer(_) | Value::Float(_) => {
            let number = value.as_f64().unwrap_or(f64::NAN);
            // JSON has no infinity; a separate name distinguishes it from null.
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
