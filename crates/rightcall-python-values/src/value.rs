//! Python values; JSON values are a subset.

use crate::integer::Integer;
use crate::text::Text;

/// A decoded value: all of JSON, and the additional types of Python literals.
#[derive(Clone, Debug)]
pub enum Value<'a> {
    /// `null`, `None`.
    Null,
    /// `true`, `false`.
    Bool(bool),
    /// A number written without a point or an exponent.
    Integer(Integer),
    /// Any other number; infinite if the text is out of range.
    Float(f64),
    /// A string.
    String(Text<'a>),
    /// A list.
    List(Vec<Value<'a>>),
    /// An object, or a Python dict with only string keys.
    Object(Object<'a>),
    /// A value that only a Python literal can have.
    Python(Box<PythonValue<'a>>),
}

/// Values of Python literals that JSON lacks. They equal no JSON value, except a complex number without an imaginary part.
#[derive(Clone, Debug)]
pub enum PythonValue<'a> {
    /// `(1, 2)`.
    Tuple(Vec<Value<'a>>),
    /// `{1, 2}`, without duplicates, in order of first appearance.
    Set(Vec<Value<'a>>),
    /// A dict with a key that is not a string, in order of first appearance.
    Dict(Vec<(Value<'a>, Value<'a>)>),
    /// `b'x'`.
    Bytes(Vec<u8>),
    /// `1+2j`.
    Complex {
        /// Real part.
        real: f64,
        /// Imaginary part.
        imaginary: f64,
    },
    /// `...`.
    Ellipsis,
}

/// The entries of an object in order of first appearance. A repeated key keeps its first position and has its last value.
#[derive(Clone, Debug, Default)]
pub struct Object<'a> {
    entries: Vec<(Text<'a>, Value<'a>)>,
    /// Entry indices by key, for fast look-ups in large objects.
    #[expect(
        clippy::box_collection,
        reason = "values are moved a lot and few objects are large: one word, not three"
    )]
    by_key: Option<Box<Vec<u32>>>,
}

/// Up to this number of entries, a scan is faster than an index.
pub const SMALL_OBJECT: usize = 12;

impl<'a> Object<'a> {
    /// An object with these entries; repeated keys are merged.
    pub fn new(mut entries: Vec<(Text<'a>, Value<'a>)>) -> Self {
        let by_key = if entries.len() <= SMALL_OBJECT {
            merge_few(&mut entries);
            None
        } else {
            merge_many(&mut entries);
            let mut order: Vec<u32> = (0..entries.len() as u32).collect();
            order.sort_unstable_by(|&a, &b| entries[a as usize].0.cmp(&entries[b as usize].0));
            Some(Box::new(order))
        };
        Self { entries, by_key }
    }

    /// The value under a key.
    pub fn get(&self, key: &Text<'_>) -> Option<&Value<'a>> {
        let Some(by_key) = &self.by_key else {
            return self
                .entries
                .iter()
                .find(|(name, _)| name == key)
                .map(|(_, value)| value);
        };
        let found = by_key
            .binary_search_by(|&entry| self.entries[entry as usize].0.cmp(key))
            .ok()?;
        Some(&self.entries[by_key[found] as usize].1)
    }

    /// The value under a key given as a string slice.
    pub fn get_str(&self, key: &str) -> Option<&Value<'a>> {
        self.get(&Text::new(key))
    }

    /// Number of entries.
    #[inline]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True if there are no entries.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The same object, owned.
    pub fn into_owned(self) -> Object<'static> {
        let owned = |(key, value): (Text<'_>, Value<'_>)| (key.into_owned(), value.into_owned());
        Object {
            entries: self.entries.into_iter().map(owned).collect(),
            by_key: self.by_key,
        }
    }

    /// The entries in order of first appearance.
    #[inline]
    pub fn iter(&self) -> std::slice::Iter<'_, (Text<'a>, Value<'a>)> {
        self.entries.iter()
    }
}

impl<'o, 'a> IntoIterator for &'o Object<'a> {
    type Item = &'o (Text<'a>, Value<'a>);
    type IntoIter = std::slice::Iter<'o, (Text<'a>, Value<'a>)>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

fn merge_few(entries: &mut Vec<(Text<'_>, Value<'_>)>) {
    let mut at = 1;
    while at < entries.len() {
        let (before, rest) = entries.split_at_mut(at);
        match before.iter_mut().find(|(key, _)| *key == rest[0].0) {
            Some(first) => {
                std::mem::swap(&mut first.1, &mut rest[0].1);
                entries.remove(at);
            }
            None => at += 1,
        }
    }
}

fn merge_many(entries: &mut Vec<(Text<'_>, Value<'_>)>) {
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by(|&a, &b| entries[a].0.cmp(&entries[b].0));
    let mut dropped = vec![false; entries.len()];
    for same in order
        .chunk_by(|&a, &b| entries[a].0 == entries[b].0)
        .filter(|same| same.len() > 1)
        .map(<[usize]>::to_vec)
        .collect::<Vec<_>>()
    {
        entries.swap(same[0], same[same.len() - 1]);
        same[1..].iter().for_each(|&entry| dropped[entry] = true);
    }
    let mut dropped = dropped.into_iter();
    entries.retain(|_| !dropped.next().unwrap_or(false));
}

impl<'a> Value<'a> {
    /// The JSON name of the value's kind, with an article: `a list`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Integer(_) | Self::Float(_) => "a number",
            Self::String(_) => "a string",
            Self::List(_) => "a list",
            Self::Object(_) => "an object",
            Self::Python(_) => "a Python value",
        }
    }

    /// The string, if it is one.
    #[inline]
    pub fn as_text(&self) -> Option<&Text<'a>> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The list, if it is one.
    #[inline]
    pub fn as_list(&self) -> Option<&[Value<'a>]> {
        match self {
            Self::List(list) => Some(list),
            _ => None,
        }
    }

    /// The object, if it is one.
    #[inline]
    pub fn as_object(&self) -> Option<&Object<'a>> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    /// True for `null`.
    #[inline]
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The value as a float if it is a number, big integers rounded to the nearest.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Integer(integer) => Some(integer.to_f64()),
            Self::Float(float) => Some(*float),
            _ => None,
        }
    }

    /// The same value, owned.
    pub fn into_owned(self) -> Value<'static> {
        let list =
            |items: Vec<Value<'_>>| items.into_iter().map(Value::into_owned).collect::<Vec<_>>();
        match self {
            Self::Null => Value::Null,
            Self::Bool(it) => Value::Bool(it),
            Self::Integer(it) => Value::Integer(it),
            Self::Float(it) => Value::Float(it),
            Self::String(it) => Value::String(it.into_owned()),
            Self::List(it) => Value::List(list(it)),
            Self::Object(it) => Value::Object(it.into_owned()),
            Self::Python(it) => Value::Python(Box::new(match *it {
                PythonValue::Tuple(it) => PythonValue::Tuple(list(it)),
                PythonValue::Set(it) => PythonValue::Set(list(it)),
                PythonValue::Dict(it) => {
                    let owned = |(key, value): (Value<'_>, Value<'_>)| {
                        (key.into_owned(), value.into_owned())
                    };
                    PythonValue::Dict(it.into_iter().map(owned).collect())
                }
                PythonValue::Bytes(it) => PythonValue::Bytes(it),
                PythonValue::Complex { real, imaginary } => {
                    PythonValue::Complex { real, imaginary }
                }
                PythonValue::Ellipsis => PythonValue::Ellipsis,
            })),
        }
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Self::String(Text::new(text))
    }
}

impl From<usize> for Value<'_> {
    fn from(count: usize) -> Self {
        Self::Integer(count.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(keys: impl IntoIterator<Item = usize>) -> Object<'static> {
        Object::new(
            keys.into_iter()
                .enumerate()
                .map(|(place, key)| (Text::from(format!("k{key}")), place.into()))
                .collect(),
        )
    }

    #[test]
    fn a_repeated_key_keeps_its_first_position_and_last_value() {
        for width in [3, 40] {
            let keys = (0..width).chain([1, 0, 1]);
            let merged = object(keys);
            assert_eq!(merged.len(), width);
            assert_eq!(merged.iter().next().unwrap().0, Text::new("k0"));
            let value = |key: &str| merged.get_str(key).and_then(Value::as_f64);
            assert_eq!(value("k0"), Some(width as f64 + 1.0));
            assert_eq!(value("k1"), Some(width as f64 + 2.0));
            assert_eq!(value("k2"), Some(2.0));
            assert_eq!(value("absent"), None);
        }
    }
}
