//! The common pattern of the values at one location.

use crate::expectation::literal;
use crate::value::JsonWriter;

use super::LearnedArguments;
use super::path::{Path, Step};
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
    /// A list with these members.
    List {
        items: Vec<Pattern>,
        /// The demand if no member is a variable.
        whole: Box<Pattern>,
    },
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
    if arguments == LearnedArguments::Types {
        return survey.shared_type().map_or(Pattern::Any, Pattern::Type);
    }
    let whole = pattern_as_a_whole(survey);
    match survey.items().filter(|_| survey.varies()) {
        Some(items) => Pattern::List {
            items: items.iter().map(|it| pattern(it, arguments)).collect(),
            whole: Box::new(whole),
        },
        None => whole,
    }
}

/// The pattern of values without members.
fn pattern_as_a_whole(survey: &Survey) -> Pattern {
    if let Some(few) = survey.few() {
        if let (Some((only, _)), 1) = (few.first_key_value(), few.len()) {
            return Pattern::Constant(only.clone());
        }
        if few.values().all(|is_frequent| *is_frequent) {
            return Pattern::OneOf(few.into_keys().collect());
        }
    }
    match (survey.texts.form(), survey.shared_type()) {
        (Some(form), _) => Pattern::Form(form),
        (None, Some(of_type)) if !survey.texts.are_prose() => Pattern::Type(of_type),
        _ => Pattern::Any,
    }
}

impl Pattern {
    /// The pattern at a path, if every value has one there.
    pub(super) fn at_mut(&mut self, path: &[Step]) -> Option<&mut Self> {
        let [step, rest @ ..] = path else {
            return Some(self);
        };
        let inner = match (step, self) {
            (Step::Key(key), Self::Object(members)) => {
                let mut members = members.iter_mut();
                let member = members.find(|it| it.key == *key && !it.is_optional);
                member.map(|it| &mut it.pattern)
            }
            (Step::Item { at, .. }, Self::List { items, .. }) => items.get_mut(*at),
            _ => None,
        };
        inner?.at_mut(rest)
    }

    /// Demands a variable at a path, and allows other members of objects on the way.
    pub(super) fn set_inside(&mut self, path: &[Step], name: &str) {
        let Some((step, rest)) = path.split_first() else {
            *self = Self::Variable(name.to_owned());
            return;
        };
        match (step, &mut *self) {
            (Step::Key(_), Self::Object(_)) | (Step::Item { .. }, Self::List { .. }) => {}
            (Step::Key(_), it) => *it = Self::Object(vec![Member::rest()]),
            (Step::Item { of, .. }, it) => {
                *it = Self::List {
                    items: vec![Self::Any; *of],
                    whole: Box::new(Self::Any),
                };
            }
        }
        if let (Step::Key(key), Self::Object(members)) = (step, &mut *self)
            && !members.iter().any(|it| it.key == *key)
        {
            members.insert(members.len() - 1, Member::required(key, Self::Any));
        }
        if let Some(inner) = self.at_mut(&path[..1]) {
            inner.set_inside(rest, name);
        }
    }

    /// The paths of all locations that every value has, without the objects on the way.
    pub(super) fn places(&self) -> Vec<Path> {
        let after = |step: Step, inner: &Self| {
            let inner = inner.places().into_iter();
            inner.map(move |path| [vec![step.clone()], path].concat())
        };
        match self {
            Self::Object(members) => {
                let required = members.iter().filter(|it| !it.is_optional);
                let places = required.flat_map(|it| after(Step::Key(it.key.clone()), &it.pattern));
                places.collect()
            }
            Self::List { items, .. } => {
                let of = items.len();
                let places = items.iter().enumerate();
                let places = places.flat_map(|(at, item)| after(Step::Item { at, of }, item));
                places.collect()
            }
            _ => vec![Vec::new()],
        }
    }

    /// True if it demands a variable.
    fn has_variable(&self) -> bool {
        match self {
            Self::Variable(_) => true,
            Self::Object(members) => members.iter().any(|it| it.pattern.has_variable()),
            Self::List { items, .. } => items.iter().any(Self::has_variable),
            _ => false,
        }
    }

    /// Replaces the lists without variables by the demand on the whole list.
    pub(super) fn without_lists(self) -> Self {
        match self {
            Self::List { items, whole } => {
                if !items.iter().any(Self::has_variable) {
                    return *whole;
                }
                let items = items.into_iter().map(Self::without_lists).collect();
                Self::List { items, whole }
            }
            Self::Object(members) => {
                let members = members.into_iter().map(|it| Member {
                    pattern: it.pattern.without_lists(),
                    ..it
                });
                Self::Object(members.collect())
            }
            other => other,
        }
    }

    /// True if some location is unrestricted.
    pub(super) fn has_open_place(&self) -> bool {
        match self {
            Self::Any => true,
            Self::Object(members) => members.iter().any(|it| it.pattern.has_open_place()),
            Self::List { items, .. } => items.iter().any(Self::has_open_place),
            _ => false,
        }
    }

    /// Writes the pattern in the form used in expectations.
    pub(super) fn write(&self, writer: &mut JsonWriter) {
        match self {
            Self::Any => _ = writer.raw(r#"{"$any":true}"#),
            Self::Constant(json) => _ = writer.raw(&literal(json)),
            Self::OneOf(values) => {
                writer.begin_object().key("$one_of");
                writer.list(values, |writer, it| _ = writer.raw(&literal(it)));
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
            Self::List { items, .. } => {
                writer.list(items, |writer, it| it.write(writer));
            }
        }
    }
}

impl Member {
    fn required(key: &str, pattern: Pattern) -> Self {
        Self {
            key: key.to_owned(),
            pattern,
            is_optional: false,
        }
    }

    /// Allows any other members.
    fn rest() -> Self {
        Self::required("$rest", Pattern::Constant("\"any\"".to_owned()))
    }

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
