//! Maps the types in function descriptions to Python types.

use super::Language;
use crate::value::{Text, Value};

/// The type of a value in Python.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Nothing,
    Truth,
    Integer,
    Float,
    Text,
    List,
    Object,
    Set,
    Other,
}

impl Kind {
    /// The type of a declaration; `None` if the leaderboard doesn't know it.
    pub(super) fn from_declared(declared: &str, language: Language) -> Option<Self> {
        Some(match (language, declared) {
            (Language::Python, "string" | "any")
            | (Language::Java, "char" | "String" | "any")
            | (Language::JavaScript, "String" | "any") => Self::Text,
            (_, "integer")
            | (Language::Java, "byte" | "short" | "long")
            | (Language::JavaScript, "Bigint") => Self::Integer,
            (_, "float") | (Language::Java, "double") => Self::Float,
            (Language::Python | Language::Java, "boolean") | (Language::JavaScript, "Boolean") => {
                Self::Truth
            }
            (Language::Python, "array" | "tuple")
            | (Language::Java, "Array" | "ArrayList" | "Queue" | "Stack")
            | (Language::JavaScript, "array") => Self::List,
            (Language::Python | Language::JavaScript, "dict")
            | (Language::Java, "HashMap" | "Hashtable") => Self::Object,
            (Language::Java, "Set") => Self::Set,
            _ => return None,
        })
    }

    fn from_value(value: &Value<'_>) -> Self {
        match value {
            Value::Null => Self::Nothing,
            Value::Bool(_) => Self::Truth,
            Value::Integer(_) => Self::Integer,
            Value::Float(_) => Self::Float,
            Value::String(_) => Self::Text,
            Value::List(_) => Self::List,
            Value::Object(_) => Self::Object,
            Value::Python(_) => Self::Other,
        }
    }
}

/// True for declared types whose items have a declared type that is checked.
pub(super) fn has_items(declared: &str, language: Language) -> bool {
    match language {
        Language::Python => ["array", "tuple"].contains(&declared),
        Language::Java | Language::JavaScript => {
            ["Array", "ArrayList", "array"].contains(&declared)
        }
    }
}

/// Which type is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TypeError {
    /// The type of the value.
    Simple,
    /// The type of an item.
    Nested,
}

/// The type of the first accepted value that isn't `""`.
fn kind_of_answers(answers: &[Value<'_>]) -> Option<Kind> {
    let is_nothing = |answer: &&Value<'_>| answer.as_text().is_some_and(Text::is_empty);
    answers
        .iter()
        .find(|answer| !is_nothing(answer))
        .map(Kind::from_value)
}

/// Checks that a value has the declared type, or the type of the accepted values. True if these types differ: the leaderboard then
/// takes the value as the name of a variable.
pub(super) fn check_type(
    value: &Value<'_>,
    answers: &[Value<'_>],
    kind: Kind,
    item_kind: Option<Kind>,
) -> Result<bool, TypeError> {
    let of_answers = kind_of_answers(answers);
    let is_variable = of_answers.is_some_and(|of_answers| of_answers != kind);
    let is_of_answers = of_answers == Some(Kind::from_value(value));
    if Kind::from_value(value) == kind {
        let Some(item_kind) = item_kind else {
            return Ok(is_variable);
        };
        let items = value.as_list().unwrap_or_default();
        // An accepted value that is not a list allows any items.
        let fits = |answer: &Value<'_>| {
            answer.as_list().is_none_or(|answer| {
                let is_right = |item| check_type(item, answer, item_kind, None).is_ok();
                items.iter().all(is_right)
            })
        };
        if answers.iter().any(fits) {
            return Ok(is_variable);
        }
        return Err(if is_of_answers {
            TypeError::Nested
        } else {
            TypeError::Simple
        });
    }
    if is_of_answers {
        Ok(true)
    } else {
        Err(TypeError::Simple)
    }
}
