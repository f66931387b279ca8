//! Converts plain Python objects to values that borrow their strings.

use pyo3::prelude::*;
use pyo3::types::PyString;
use rightcall_core::value::{MAX_DEPTH, Object, Text, Value};

use crate::plain::Plain;
use crate::walk;

/// A plain object and those that it holds, each before its own.
pub(crate) struct PlainObjects<'py>(Vec<PlainObject<'py>>);

enum PlainObject<'py> {
    Text(Bound<'py, PyString>),
    /// A null, boolean or number.
    Scalar(Value<'static>),
    /// A list of this length.
    List(usize),
    /// A dict of this length; each value follows its key.
    Dict(usize),
}

/// The initial capacity, enough for a message with a few calls.
const ROOM: usize = 128;

impl<'py> PlainObjects<'py> {
    /// The objects in `object`; `None` if one of them is not plain.
    pub(crate) fn new(object: Bound<'py, PyAny>) -> Option<Self> {
        let mut objects = Self(Vec::with_capacity(ROOM));
        objects.add(object, 0)?;
        Some(objects)
    }

    /// Their number.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The value of the first object.
    pub(crate) fn value(&self) -> Value<'_> {
        next_value(&mut self.0.iter())
    }

    fn add(&mut self, object: Bound<'py, PyAny>, depth: usize) -> Option<()> {
        let object = match object.cast_into_exact() {
            Ok(text) => {
                self.0.push(PlainObject::Text(text));
                return Some(());
            }
            Err(error) => error.into_inner(),
        };
        let scalar = match Plain::of_exact(&object) {
            Plain::Dict(dict) if depth < MAX_DEPTH => {
                self.0.push(PlainObject::Dict(dict.len()));
                for (key, value) in dict {
                    self.0.push(PlainObject::Text(key.cast_into_exact().ok()?));
                    self.add(value, depth + 1)?;
                }
                return Some(());
            }
            Plain::List(list) if depth < MAX_DEPTH => {
                self.0.push(PlainObject::List(list.len()));
                return list.iter().try_for_each(|item| self.add(item, depth + 1));
            }
            Plain::Integer(integer) => Value::Integer(integer.extract::<i64>().ok()?.into()),
            Plain::Float(float) => Value::Float(float.value()),
            Plain::Bool(boolean) => Value::Bool(boolean),
            Plain::None => Value::Null,
            _ => return None,
        };
        self.0.push(PlainObject::Scalar(scalar));
        Some(())
    }
}

fn next_value<'a>(objects: &mut std::slice::Iter<'a, PlainObject<'_>>) -> Value<'a> {
    match objects.next() {
        Some(PlainObject::Text(text)) => Value::String(walk::text(text)),
        Some(PlainObject::Scalar(value)) => value.clone(),
        Some(PlainObject::List(length)) => {
            Value::List((0..*length).map(|_| next_value(objects)).collect())
        }
        Some(PlainObject::Dict(length)) => {
            let entry = |_| match objects.next() {
                Some(PlainObject::Text(key)) => (walk::text(key), next_value(objects)),
                _ => (Text::default(), Value::Null),
            };
            Value::Object(Object::new((0..*length).map(entry).collect()))
        }
        None => Value::Null,
    }
}
