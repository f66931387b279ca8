//! Arguments that must have one of several accepted values, of the types in the function's description. This is the comparison of the BFCL
//! leaderboard.
//!
//! A parameter has a list of accepted values; `""` in it means that the parameter is optional. Strings are compared without spaces, some
//! punctuation and case. For Java and JavaScript, a model writes values as text in that language, which is converted to the declared type.
//! An accepted value that doesn't have the declared type is the name of a variable, and is compared unchanged.
//!
//! Source: package `bfcl-eval` 2026.3.23, `ast_checker.py` and its type converters.

/// A regular expression that is compiled on first use.
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
mod surrogates;
mod types;
mod values;

use crate::outcome::EvaluationError;
use crate::value::{Object, Text, Value};
use surrogates::Utf8Text;
use types::{Kind, TypeError, check_type};
use values::{check_list, check_object, check_objects, check_text, is_among};

/// The language in which a model writes values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    Python,
    Java,
    JavaScript,
}

/// The error in a call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Mistake {
    /// The leaderboard's name of the error.
    pub(crate) kind: &'static str,
    /// The parameter.
    pub(crate) parameter: Text<'static>,
}

/// `None` if a call is accepted, else the kind of its error.
type Checked = Result<Option<&'static str>, EvaluationError>;

/// A value parsed from text in a language.
type Converted = Result<Value<'static>, EvaluationError>;

/// The error for a description or an answer with a wrong shape, which makes the original fail.
fn stumble(what: &str) -> EvaluationError {
    EvaluationError::Raised(format!("the checker cannot look at this: {what}"))
}

/// The keys of an expected call that hold its accepted values and the description of its parameters.
pub(crate) const ACCEPTED: &str = "accepted";
pub(crate) const PARAMETERS: &str = "parameters";

/// The first error in the arguments of a call of the right function.
///
/// # Errors
/// The original raises, as it does for unknown types.
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
    for parameter in required {
        match parameter {
            Value::String(parameter) if given.get(parameter).is_some() => {}
            Value::String(parameter) => {
                return of("simple_function_checker:missing_required", parameter);
            }
            Value::List(_) | Value::Object(_) => return Err(stumble("a required parameter")),
            // No parameter has a number as its name.
            _ => return of("simple_function_checker:missing_required", &Text::default()),
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

/// Checks one argument.
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
            let float = value.as_f64().filter(|float| float.is_finite());
            Value::Float(float.ok_or_else(|| stumble("an integer too large for a float"))?)
        }
        (Language::Java, Value::String(text)) => {
            let text = Utf8Text::of(text);
            text.restore(java::convert(text.as_str(), &declared, item.as_deref())?)
        }
        (Language::JavaScript, Value::String(text)) => {
            let text = Utf8Text::of(text);
            text.restore(javascript::convert(
                text.as_str(),
                &declared,
                item.as_deref(),
            )?)
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
