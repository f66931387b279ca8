//! Arguments that have one of several accepted values, of the types that the description of a function declares: what the
//! leaderboard BFCL compares.
//!
//! A parameter has a list of accepted values, in which `""` says that it may be left out. Texts are compared without spaces, some
//! punctuation and case. For Java and JavaScript a model writes values as text of that language, which is converted by the declared type. An accepted
//! value that is not of the declared type is the name of a variable, and compared as it stands.
//!
//! Source: package `bfcl-eval` 2026.3.23, `ast_checker.py` and its type converters.

/// A pattern that is compiled when it is first asked for.
macro_rules! regex {
    ($name:ident, $pattern:expr) => {
        static $name: std::sync::LazyLock<regex::Regex> = std::sync::LazyLock::new(|| {
            regex::Regex::new($pattern).expect("the pattern is well formed")
        });
    };
}

mod java;
mod javascript;
mod literal;
mod types;
mod values;

use crate::outcome::EvaluationError;
use crate::value::{Object, Text, Value};
use types::{Kind, TypeError, check_type};
use values::{check_list, check_object, check_objects, check_text, is_among};

/// The language in which a model writes values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    Python,
    Java,
    JavaScript,
}

/// What is wrong with a call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Mistake {
    /// What the leaderboard calls it.
    pub(crate) kind: &'static str,
    /// The parameter.
    pub(crate) parameter: Text<'static>,
}

/// Whether a call is accepted, or what is wrong with it.
type Checked = Result<Option<&'static str>, EvaluationError>;

/// A value that was written in a language.
type Converted = Result<Value<'static>, EvaluationError>;

/// The original stumbles over a description or an answer that is not of its shape.
fn stumble(what: &str) -> EvaluationError {
    EvaluationError::Raised(format!("the checker cannot look at this: {what}"))
}

/// Under which keys an expected call has its accepted values and the description of its parameters.
pub(crate) const ACCEPTED: &str = "accepted";
pub(crate) const PARAMETERS: &str = "parameters";

/// Looks for a mistake in the arguments of a call of the right function.
///
/// # Errors
/// Where the original raises, as it does for types that it does not know.
pub(crate) fn mistake(
    expected: &Value<'_>,
    actual: &Value<'_>,
    language: Language,
) -> Result<Option<Mistake>, EvaluationError> {
    let member = |key: &str| {
        let member = expected
            .as_object()
            .and_then(|expected| expected.get_str(key));
        member.and_then(Value::as_object)
    };
    let (Some(accepted), Some(parameters)) = (member(ACCEPTED), member(PARAMETERS)) else {
        return Err(stumble("an answer without parameters"));
    };
    let given = actual.as_object();
    let given = given.ok_or_else(|| stumble("arguments that are no object"))?;
    let properties = parameters.get_str("properties").and_then(Value::as_object);
    let properties = properties.ok_or_else(|| stumble("parameters without properties"))?;
    let required = parameters.get_str("required").and_then(Value::as_list);
    let required = required.ok_or_else(|| stumble("parameters without a list of required ones"))?;
    let of = |kind, parameter: &Text<'_>| {
        let parameter = parameter.clone().into_owned();
        Ok(Some(Mistake { kind, parameter }))
    };
    for parameter in required.iter().filter_map(Value::as_text) {
        if given.get(parameter).is_none() {
            return of("simple_function_checker:missing_required", parameter);
        }
    }
    for (parameter, value) in given {
        let (Some(details), Some(answers)) = (properties.get(parameter), accepted.get(parameter))
        else {
            return of("simple_function_checker:unexpected_param", parameter);
        };
        let details = details.as_object().ok_or_else(|| stumble("a property"))?;
        let answers = answers
            .as_list()
            .ok_or_else(|| stumble("accepted values"))?;
        if let Some(kind) = argument(value, details, answers, language)? {
            return of(kind, parameter);
        }
    }
    for (parameter, answers) in accepted {
        if given.get(parameter).is_none() && !values::holds_nothing(answers)? {
            return of("simple_function_checker:missing_optional", parameter);
        }
    }
    Ok(None)
}

/// Looks for a mistake in one argument.
fn argument(
    value: &Value<'_>,
    details: &Object<'_>,
    answers: &[Value<'_>],
    language: Language,
) -> Checked {
    let declared = text_under(details, "type")?;
    let kind =
        Kind::from_declared(&declared, language).ok_or_else(|| stumble("an unknown type"))?;
    match (language, value) {
        (Language::Python, _) | (_, Value::String(_)) => {}
        (Language::Java, _) => return Ok(Some("type_error:java")),
        (Language::JavaScript, _) => return Ok(Some("type_error:js")),
    }
    let item = if types::has_items(&declared, language) {
        let items = details.get_str("items").and_then(Value::as_object);
        Some(text_under(
            items.ok_or_else(|| stumble("no items"))?,
            "type",
        )?)
    } else {
        None
    };
    let item_kind = item
        .as_deref()
        .map(|item| {
            Kind::from_declared(item, language).ok_or_else(|| stumble("an unknown type of items"))
        })
        .transpose()?;
    let converted = match (language, value) {
        (Language::Python, Value::Integer(_)) if declared == "float" => {
            Value::Float(value.as_f64().unwrap_or(f64::INFINITY))
        }
        (Language::Java, Value::String(text)) => {
            java::convert(&text.to_display(), &declared, item.as_deref())?
        }
        (Language::JavaScript, Value::String(text)) => {
            javascript::convert(&text.to_display(), &declared, item.as_deref())?
        }
        (_, value) => value.clone(),
    };
    let value = &converted;
    let is_variable = match check_type(value, answers, kind, item_kind) {
        Ok(is_variable) => is_variable,
        Err(TypeError::Simple) => return Ok(Some("type_error:simple")),
        Err(TypeError::Nested) => return Ok(Some("type_error:nested")),
    };
    if !is_variable {
        match (kind, value) {
            (Kind::Object, Value::Object(object)) => return check_object(object, answers),
            (Kind::List, Value::List(items)) if item_kind == Some(Kind::Object) => {
                return check_objects(items, answers);
            }
            (Kind::Text, Value::String(text)) => return Ok(check_text(text, answers)),
            (Kind::List, Value::List(items)) => return check_list(items, answers),
            _ => {}
        }
    }
    let is_accepted = is_among(value, answers);
    Ok((!is_accepted).then_some("value_error:others"))
}

fn text_under(object: &Object<'_>, key: &str) -> Result<String, EvaluationError> {
    let text = object.get_str(key).and_then(Value::as_text);
    let text = text.ok_or_else(|| stumble("a type that is no text"))?;
    Ok(text.to_display().into_owned())
}

#[cfg(test)]
mod tests;
