//! The common pattern of the values at one location.

use crate::expectation::literal;
use crate::value::JsonWriter;

use super::LearnedArguments;
use super::survey::Survey;

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

/// The pattern of the values at a location.
pub(super) fn pattern(survey: &Survey, arguments: LearnedArguments) -> Pattern {
    if let Some(members) = survey.members() {
        let member = |(key, members): (&str, &Survey)| Member {
            is_optional: members.count < survey.count,
            pattern: pattern(members, arguments),
            key: key.to_owned(),
        };
        return Pattern::Object(members.into_iter().map(member).collect());
    }
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
    match (survey.texts.form(), of_type) {
        (Some(form), _) => Pattern::Form(form),
        (None, Some(of_type)) if !survey.texts.are_prose() => Pattern::Type(of_type),
        _ => Pattern::Any,
    }
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
