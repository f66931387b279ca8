//! Helpers for reading an original's shape.

use crate::matching::{Item, Items};
use crate::outcome::EvaluationError;
use crate::recipe::{Reading, Sides};
use crate::settings::describe;
use crate::value::{Object, Syntax, Text, Value, decode_with, pointer};

/// A side of an original's shape, decoded.
pub(super) fn side<'s>(side: &'static str, text: &'s str) -> Result<Value<'s>, EvaluationError> {
    decode_with(text, Syntax::PYTHON).map_err(|error| EvaluationError::Shape {
        side,
        pointer: String::new(),
        expected: "JSON",
        found: format!("{} at byte {}", error.found, error.offset),
    })
}

/// A side that is a list of calls.
pub(super) fn side_of_items<'s>(
    name: &'static str,
    text: &'s str,
    item: impl Fn(At<'_>, &Value<'s>) -> Result<Item<'s>, EvaluationError>,
) -> Result<Items<'s>, EvaluationError> {
    let list = side(name, text)?;
    At::root(name).each(&list, item).map(Items::Own)
}

/// Two sides that are lists of calls.
pub(super) fn sides_of_items<'s>(
    expected: &'s str,
    actual: &'s str,
    item: impl Fn(At<'_>, &Value<'s>) -> Result<Item<'s>, EvaluationError>,
) -> Reading<'s> {
    Ok(Sides::new(
        side_of_items("expected", expected, &item)?,
        side_of_items("actual", actual, &item)?,
    ))
}

/// A location in a side, for error messages.
#[derive(Clone, Copy)]
pub(super) struct At<'p> {
    side: &'static str,
    parent: Option<&'p At<'p>>,
    step: Step<'p>,
}

#[derive(Clone, Copy)]
enum Step<'p> {
    Root,
    Key(&'p str),
    Index(usize),
}

impl<'p> At<'p> {
    /// The whole side.
    pub(super) const fn root(side: &'static str) -> Self {
        Self {
            side,
            parent: None,
            step: Step::Root,
        }
    }

    /// A member of the value here.
    pub(super) const fn key(&'p self, key: &'p str) -> Self {
        Self {
            side: self.side,
            parent: Some(self),
            step: Step::Key(key),
        }
    }

    /// An item of the list here.
    pub(super) const fn index(&'p self, index: usize) -> Self {
        Self {
            side: self.side,
            parent: Some(self),
            step: Step::Index(index),
        }
    }

    fn pointer(&self) -> String {
        let before = self.parent.map(At::pointer).unwrap_or_default();
        match self.step {
            Step::Root => before,
            Step::Key(key) => pointer::child(&before, key),
            Step::Index(index) => pointer::item(&before, index),
        }
    }

    /// The error for a value that the original does not accept here.
    pub(super) fn error(
        &self,
        expected: &'static str,
        found: Option<&Value<'_>>,
    ) -> EvaluationError {
        let found = found.map_or_else(|| "nothing".to_owned(), describe);
        EvaluationError::Shape {
            side: self.side,
            pointer: self.pointer(),
            expected,
            found,
        }
    }

    /// The value here as a list.
    pub(super) fn list<'v, 'a>(
        &self,
        value: &'v Value<'a>,
    ) -> Result<&'v [Value<'a>], EvaluationError> {
        value
            .as_list()
            .ok_or_else(|| self.error("a list", Some(value)))
    }

    /// Maps each item of the list here.
    pub(super) fn each<'a, T>(
        &self,
        value: &Value<'a>,
        item: impl Fn(At<'_>, &Value<'a>) -> Result<T, EvaluationError>,
    ) -> Result<Vec<T>, EvaluationError> {
        let items = self.list(value)?.iter().enumerate();
        items
            .map(|(index, value)| item(self.index(index), value))
            .collect()
    }

    /// Maps each item of the list under a key; empty if that is null or missing.
    pub(super) fn each_under<'a, T>(
        &self,
        object: &Object<'a>,
        key: &str,
        item: impl Fn(At<'_>, &Value<'a>) -> Result<T, EvaluationError>,
    ) -> Result<Vec<T>, EvaluationError> {
        match object.get_str(key) {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(list) => self.key(key).each(list, item),
        }
    }

    /// A member that must be an object.
    pub(super) fn object_under<'v, 'a>(
        &self,
        object: &'v Object<'a>,
        key: &str,
    ) -> Result<&'v Value<'a>, EvaluationError> {
        let value = object.get_str(key);
        value
            .filter(|value| value.as_object().is_some())
            .ok_or_else(|| self.key(key).error("an object", value))
    }

    /// The value here as an object.
    pub(super) fn object<'v, 'a>(
        &self,
        value: &'v Value<'a>,
    ) -> Result<&'v Object<'a>, EvaluationError> {
        value
            .as_object()
            .ok_or_else(|| self.error("an object", Some(value)))
    }

    /// A member that must be a string.
    pub(super) fn text<'v, 'a>(
        &self,
        object: &'v Object<'a>,
        key: &str,
    ) -> Result<&'v Text<'a>, EvaluationError> {
        let value = object.get_str(key);
        value
            .and_then(Value::as_text)
            .ok_or_else(|| self.key(key).error("a string", value))
    }

    /// A member that is a string, null or missing.
    pub(super) fn optional_text<'v, 'a>(
        &self,
        object: &'v Object<'a>,
        key: &str,
    ) -> Result<Option<&'v Text<'a>>, EvaluationError> {
        match object.get_str(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            other => Err(self.key(key).error("a string or null", other)),
        }
    }
}
