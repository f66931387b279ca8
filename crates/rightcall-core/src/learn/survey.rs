//! The facts about all values at one location, from a single pass. Memory use does not grow with
//! the number of values.

use std::collections::BTreeMap;

use memchr::memchr;

use crate::value::{JsonText, Object, Text, Value, ValueEquality};

use super::REDACTED;
use super::path::{Step, is_scalar, items};
use super::texts::SurveyedTexts;

/// Maximum number of values that are learned as a choice.
const MAX_CHOICES: usize = 5;

/// The facts about values.
#[derive(Debug, Default)]
pub(super) struct Survey {
    /// Number of values.
    pub(super) count: usize,
    /// Number of texts and numbers.
    pub(super) scalars: usize,
    /// True if any was redacted.
    pub(super) is_redacted: bool,
    /// The common properties of all texts.
    pub(super) texts: SurveyedTexts,
    shared_type: SharedType,
    /// The distinct values, at most one more than [`MAX_CHOICES`].
    known: Vec<Known>,
    members: Members,
    /// The members of lists; `None` if the values are not lists of one length.
    items: Option<Vec<Survey>>,
}

/// The type of all values so far.
#[derive(Debug, Default)]
enum SharedType {
    #[default]
    NoValue,
    Known(&'static str),
    Different,
}

/// One of the values.
#[derive(Debug)]
struct Known {
    value: Value<'static>,
    /// The first run that has it.
    run: usize,
    /// True if several runs have it.
    is_frequent: bool,
}

/// The members of objects.
#[derive(Debug)]
enum Members {
    /// True if all values are objects, and none has a key like a matcher's.
    Known {
        /// Each with its key, in order of first appearance.
        surveys: Vec<(String, Survey)>,
        /// The position of each key.
        places: BTreeMap<String, usize>,
    },
    /// The values have no members in common that can be learned.
    Nothing,
}

impl Default for Members {
    fn default() -> Self {
        Self::Known {
            surveys: Vec::new(),
            places: BTreeMap::new(),
        }
    }
}

impl Survey {
    /// Adds a value of a run. Runs are added in order.
    pub(super) fn add(&mut self, run: usize, value: &Value<'_>) {
        self.count += 1;
        self.scalars += usize::from(is_scalar(value));
        self.is_redacted = self.is_redacted || is_redacted(value);
        self.add_type(value);
        if !self.is_known(run, value) {
            self.texts.add(value);
        }
        self.add_members(run, value);
        self.add_items(run, value);
    }

    /// The type of all values, if they share one.
    pub(super) fn shared_type(&self) -> Option<&'static str> {
        match self.shared_type {
            SharedType::Known(name) => Some(name),
            SharedType::NoValue | SharedType::Different => None,
        }
    }

    fn add_type(&mut self, value: &Value<'_>) {
        let shared = match (&self.shared_type, type_of(value)) {
            (SharedType::NoValue, found) => found,
            (SharedType::Known(known), Some(found)) => wider_type(known, found),
            _ => None,
        };
        self.shared_type = shared.map_or(SharedType::Different, SharedType::Known);
    }

    /// True if the value is among the known ones. A new value becomes known while there are few.
    fn is_known(&mut self, run: usize, value: &Value<'_>) -> bool {
        if self.known.len() > MAX_CHOICES {
            return false;
        }
        let mut known = self.known.iter_mut();
        if let Some(it) = known.find(|it| is_written_alike(&it.value, value)) {
            it.is_frequent |= it.run != run;
            return true;
        }
        self.known.push(Known {
            value: value.clone().into_owned(),
            run,
            is_frequent: false,
        });
        false
    }

    /// True if there are several values.
    pub(super) fn varies(&self) -> bool {
        self.known.len() > 1
    }

    /// The distinct values as JSON text, each with true if several runs have it; `None` if there
    /// are more than a few.
    pub(super) fn few(&self) -> Option<BTreeMap<String, bool>> {
        let text = |it: &Known| JsonText::from_value(&it.value).into_string();
        let few = Some(&self.known).filter(|known| known.len() <= MAX_CHOICES)?;
        Some(few.iter().map(|it| (text(it), it.is_frequent)).collect())
    }

    fn add_members(&mut self, run: usize, value: &Value<'_>) {
        if !self.members.add(run, value) {
            self.members = Members::Nothing;
        }
    }

    fn add_items(&mut self, run: usize, value: &Value<'_>) {
        let found = items(value);
        let mut known = match self.count {
            1 => found.map(|found| found.iter().map(|_| Self::default()).collect()),
            _ => self.items.take(),
        };
        known = known.filter(|known: &Vec<Self>| found.is_some_and(|it| it.len() == known.len()));
        for (survey, item) in known.iter_mut().flatten().zip(found.unwrap_or_default()) {
            survey.add(run, item);
        }
        self.items = known;
    }

    /// The surveys of the members of lists, if all values are lists of one length.
    pub(super) fn items(&self) -> Option<&[Self]> {
        self.items.as_deref()
    }

    /// The surveys of members, sorted by key, if all values are objects.
    pub(super) fn members(&self) -> Option<Vec<(&str, &Self)>> {
        let Members::Known { surveys, places } = &self.members else {
            return None;
        };
        let sorted = places.iter().map(|(key, at)| (&**key, &surveys[*at].1));
        (self.count > 0).then(|| sorted.collect())
    }

    /// The survey of the values at a path.
    pub(super) fn at(&self, path: &[Step]) -> Option<&Self> {
        let [step, rest @ ..] = path else {
            return Some(self);
        };
        let inner = match (step, &self.members) {
            (Step::Key(key), Members::Known { surveys, places }) => &surveys[*places.get(key)?].1,
            (Step::Key(_), Members::Nothing) => return None,
            (Step::Item { at, .. }, _) => self.items()?.get(*at)?,
        };
        inner.at(rest)
    }
}

impl Members {
    /// Adds the members of a value; false if it has none that can be learned.
    fn add(&mut self, run: usize, value: &Value<'_>) -> bool {
        let Self::Known { surveys, places } = self else {
            return false;
        };
        let Value::Object(object) = value else {
            return false;
        };
        for (at, (key, value)) in object.iter().enumerate() {
            let Some(key) = key.as_str().filter(|key| !key.starts_with('$')) else {
                return false;
            };
            // Most objects have the same keys in the same order.
            let is_same_place = surveys.get(at).is_some_and(|(known, _)| *known == key);
            let place = if is_same_place {
                at
            } else if let Some(place) = places.get(key) {
                *place
            } else {
                places.insert(key.to_owned(), surveys.len());
                surveys.push((key.to_owned(), Survey::default()));
                surveys.len() - 1
            };
            surveys[place].1.add(run, value);
        }
        true
    }
}

/// True if both are written the same, including the order of members.
fn is_written_alike(one: &Value<'_>, other: &Value<'_>) -> bool {
    match (one, other) {
        (Value::List(one), Value::List(other)) => {
            let mut pairs = one.iter().zip(other);
            one.len() == other.len() && pairs.all(|(one, other)| is_written_alike(one, other))
        }
        (Value::Object(one), Value::Object(other)) => are_written_alike(one, other),
        _ => ValueEquality::Strict.equal(one, other),
    }
}

fn are_written_alike(one: &Object<'_>, other: &Object<'_>) -> bool {
    type Entry<'e, 'v> = &'e (Text<'v>, Value<'v>);
    let mut pairs = one.iter().zip(other);
    let is_alike = |(one, other): (Entry<'_, '_>, Entry<'_, '_>)| {
        one.0 == other.0 && is_written_alike(&one.1, &other.1)
    };
    one.len() == other.len() && pairs.all(is_alike)
}

fn is_redacted(value: &Value<'_>) -> bool {
    let has_mark = |text: &Text<'_>| {
        // Most texts have no bracket.
        memchr(b'[', text.as_bytes()).is_some() && text.to_display().contains(REDACTED)
    };
    match value {
        Value::String(text) => has_mark(text),
        Value::List(items) => items.iter().any(is_redacted),
        Value::Object(object) => object.iter().any(|(_, value)| is_redacted(value)),
        _ => false,
    }
}

fn type_of(value: &Value<'_>) -> Option<&'static str> {
    match value {
        Value::Null => Some("null"),
        Value::Bool(_) => Some("boolean"),
        Value::Integer(_) => Some("integer"),
        Value::Float(_) => Some("number"),
        Value::String(_) => Some("string"),
        Value::List(_) => Some("array"),
        Value::Object(_) => Some("object"),
        Value::Python(_) => None,
    }
}

/// The common type of values of two types, if it exists.
fn wider_type(one: &'static str, other: &'static str) -> Option<&'static str> {
    let is_number = |it| matches!(it, "integer" | "number");
    if one == other {
        return Some(one);
    }
    (is_number(one) && is_number(other)).then_some("number")
}
