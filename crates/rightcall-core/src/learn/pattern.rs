//! Finds the common pattern of the values at one location.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use crate::expectation::literal;
use crate::value::{JsonWriter, Value};

use super::LearnedArguments;
use super::survey::{Found, SurveyedValues};

/// The demand on a location.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Pattern {
    /// Any value.
    Any,
    /// This value, as JSON text.
    Constant(String),
    /// One of these values.
    OneOf(Vec<String>),
    /// A text of this form.
    Form(String),
    /// A value of this type.
    Type(&'static str),
    /// An object with these members.
    Object(Vec<Member>),
    /// The value of a variable.
    Variable(String),
}

/// A member of an object.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Member {
    pub(super) key: String,
    pub(super) pattern: Pattern,
    /// True if some objects lack it.
    pub(super) is_optional: bool,
}

/// Maximum length of a string that counts as a word, not prose.
const SHORT: usize = 40;

/// The pattern of all values at a location; without values, any value is accepted.
pub(super) fn pattern(mut found: SurveyedValues<'_, '_>, arguments: LearnedArguments) -> Pattern {
    if found.are_objects()
        && let Some(members) = members(found.values(), arguments)
    {
        return members;
    }
    let survey = found.survey();
    if survey.is_redacted {
        return Pattern::Any;
    }
    let of_type = survey.shared_type();
    if arguments == LearnedArguments::Types {
        return of_type.map_or(Pattern::Any, Pattern::Type);
    }
    if let Some(few) = survey.few() {
        if let (Some((only, _)), 1) = (few.first_key_value(), few.len()) {
            return Pattern::Constant(only.clone());
        }
        if few.values().all(|is_frequent| *is_frequent) {
            return Pattern::OneOf(few.into_keys().collect());
        }
    }
    let texts: Option<Vec<&str>> = (found.values().iter())
        .map(|(_, value)| match value {
            Value::String(text) => text.as_str(),
            _ => None,
        })
        .collect();
    let form = texts.as_ref().and_then(|texts| form(texts));
    let is_long = |texts: &Vec<&str>| texts.iter().any(|text| text.chars().count() > SHORT);
    match (form, of_type) {
        (Some(form), _) => Pattern::Form(form),
        (None, Some(of_type)) if !texts.as_ref().is_some_and(is_long) => Pattern::Type(of_type),
        _ => Pattern::Any,
    }
}

/// The pattern of objects by their members; `None` if a key looks like that of a matcher.
fn members(objects: &[Found<'_, '_>], arguments: LearnedArguments) -> Option<Pattern> {
    let mut columns: Vec<(&str, SurveyedValues<'_, '_>)> = Vec::new();
    let mut numbers = BTreeMap::<&str, usize>::new();
    for (run, object) in objects {
        let object = object.as_object()?;
        for (at, (key, value)) in object.iter().enumerate() {
            let key = key.as_str().filter(|key| !key.starts_with('$'))?;
            // Most objects have the same keys in the same order.
            let is_here = columns.get(at).is_some_and(|(known, _)| *known == key);
            let column = if is_here {
                at
            } else {
                *numbers.entry(key).or_insert_with(|| {
                    columns.push((key, SurveyedValues::default()));
                    columns.len() - 1
                })
            };
            columns[column].1.push((*run, value));
        }
    }
    columns.sort_unstable_by_key(|(key, _)| *key);
    let member = |(key, found): (&str, SurveyedValues<'_, '_>)| Member {
        is_optional: found.values().len() < objects.len(),
        pattern: pattern(found, arguments),
        key: key.to_owned(),
    };
    Some(Pattern::Object(columns.into_iter().map(member).collect()))
}

/// The common form of all strings: a date, a time, a UUID, or an id with a prefix.
fn form(texts: &[&str]) -> Option<String> {
    static FORMS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
        let forms = [
            r"^\d{4}-\d{2}-\d{2}$",
            r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$",
            r"^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$",
        ];
        forms.iter().filter_map(|it| Regex::new(it).ok()).collect()
    });
    let fits = |form: &&Regex| texts.iter().all(|text| form.is_match(text));
    let known = FORMS.iter().find(fits).map(|form| form.as_str().to_owned());
    known.or_else(|| prefixed(texts))
}

/// The form of ids such as `ord_17` and `#W12`: a common prefix, then digits, or letters and digits.
fn prefixed(texts: &[&str]) -> Option<String> {
    let first = texts.first()?;
    let shared = texts.iter().fold(first.len(), |length, text| {
        let same = first.bytes().zip(text.bytes()).take_while(|(a, b)| a == b);
        length.min(same.count())
    });
    let prefix = first.get(..shared)?;
    let prefix = match prefix.rfind(|it: char| !it.is_ascii_alphanumeric()) {
        // Letters after a separator may be part of the id.
        Some(at) => prefix.get(..=at)?,
        None => prefix.trim_end_matches(|it: char| it.is_ascii_digit()),
    };
    let rests: Vec<&str> = texts
        .iter()
        .filter_map(|it| it.get(prefix.len()..))
        .collect();
    let all = |is: fn(&u8) -> bool| {
        rests.len() == texts.len()
            && rests
                .iter()
                .all(|rest| !rest.is_empty() && rest.as_bytes().iter().all(is))
    };
    let has_digit = || {
        rests
            .iter()
            .all(|it| it.bytes().any(|it| it.is_ascii_digit()))
    };
    let class = if all(u8::is_ascii_digit) {
        "[0-9]+"
    } else if all(u8::is_ascii_alphanumeric) && has_digit() {
        "[0-9A-Za-z]+"
    } else {
        return None;
    };
    (!prefix.is_empty()).then(|| format!("^{}{class}$", regex::escape(prefix)))
}

impl Pattern {
    /// The pattern at a path of keys, if every object has each key.
    pub(super) fn at_mut(&mut self, path: &[String]) -> Option<&mut Self> {
        let [key, rest @ ..] = path else {
            return Some(self);
        };
        let Self::Object(members) = self else {
            return None;
        };
        let mut members = members.iter_mut();
        let member = members.find(|it| it.key == *key && !it.is_optional)?;
        member.pattern.at_mut(rest)
    }

    /// The paths of all locations that are not objects and are in every object.
    pub(super) fn places(&self) -> Vec<Vec<String>> {
        let Self::Object(members) = self else {
            return vec![Vec::new()];
        };
        let required = members.iter().filter(|it| !it.is_optional);
        let places = required.flat_map(|member| {
            let inner = member.pattern.places().into_iter();
            inner.map(|path| [vec![member.key.clone()], path].concat())
        });
        places.collect()
    }

    /// True if some location is unrestricted.
    pub(super) fn has_open_place(&self) -> bool {
        match self {
            Self::Any => true,
            Self::Object(members) => members.iter().any(|it| it.pattern.has_open_place()),
            _ => false,
        }
    }

    /// Writes the pattern in the form used in expectations.
    pub(super) fn write(&self, writer: &mut JsonWriter) {
        match self {
            Self::Any => _ = writer.raw(r#"{"$any":true}"#),
            Self::Constant(json) => _ = writer.raw(&literal(json)),
            Self::OneOf(values) => {
                writer.begin_object().key("$one_of").begin_list();
                values.iter().for_each(|it| _ = writer.raw(&literal(it)));
                writer.end_list();
                writer.end_object();
            }
            Self::Form(form) => {
                writer.begin_object().key("$pattern").str(form);
                writer.end_object();
            }
            Self::Type(name) => {
                writer.begin_object().key("$type").str(name);
                writer.end_object();
            }
            Self::Variable(name) => {
                writer.begin_object().key("$var").str(name);
                writer.end_object();
            }
            Self::Object(members) => {
                writer.begin_object();
                for member in members {
                    writer.key(&member.key);
                    member.write(writer);
                }
                writer.end_object();
            }
        }
    }
}

impl Member {
    fn write(&self, writer: &mut JsonWriter) {
        if !self.is_optional {
            self.pattern.write(writer);
            return;
        }
        writer.begin_object().key("$optional");
        if let Pattern::Constant(json) = &self.pattern {
            writer.begin_object().key("$eq").raw(json);
            writer.end_object();
        } else {
            self.pattern.write(writer);
        }
        writer.end_object();
    }
}
