//! Checks whether a value is among the accepted ones, depending on its type.

use super::surrogates::Utf8Text;
use super::{Checked, stumble};
use crate::outcome::EvaluationError;
use crate::value::{Object, Text, TextBuilder, Value, ValueEquality};

/// A string without spaces, some punctuation and case, with one kind of quotes.
fn plain(text: &Text<'_>) -> Text<'static> {
    let is_kept = |letter: &char| !matches!(letter, ' ' | ',' | '.' | '/' | '-' | '_' | '*' | '^');
    let text = Utf8Text::of(text);
    let kept: String = text.as_str().chars().filter(is_kept).collect();
    text.restore_text(kept.to_lowercase().replace('\'', "\""))
}

fn plain_value<'a>(value: &Value<'a>) -> Value<'a> {
    match value {
        Value::String(text) => Value::String(plain(text)),
        other => other.clone(),
    }
}

/// Python's `in`, for lists.
pub(super) fn is_among(value: &Value<'_>, answers: &[Value<'_>]) -> bool {
    let mut answers = answers.iter();
    answers.any(|answer| ValueEquality::Python.equal(value, answer))
}

/// True if `""` is among the accepted values, so that the parameter is optional. A string always contains it.
pub(super) fn holds_nothing(answers: &Value<'_>) -> Result<bool, EvaluationError> {
    match answers {
        Value::List(answers) => Ok(is_among(&Value::String(Text::new("")), answers)),
        Value::String(_) => Ok(true),
        Value::Object(answers) => Ok(answers.get_str("").is_some()),
        _ => Err(stumble("accepted values that are no list")),
    }
}

/// The items that Python finds by indexing a value.
fn items<'a>(value: &Value<'a>) -> Result<Vec<Value<'a>>, EvaluationError> {
    match value {
        Value::List(items) => Ok(items.clone()),
        Value::String(text) => Ok(text
            .code_points()
            .map(|point| {
                let mut letter = TextBuilder::default();
                letter.push(point);
                Value::String(letter.finish())
            })
            .collect()),
        Value::Object(object) if object.is_empty() => Ok(Vec::new()),
        _ => Err(stumble("an accepted value that has no items")),
    }
}

pub(super) fn check_text(text: &Text<'_>, answers: &[Value<'_>]) -> Option<&'static str> {
    let text = plain(text);
    let mut texts = answers.iter().filter_map(Value::as_text);
    let is_accepted = texts.any(|answer| plain(answer) == text);
    (!is_accepted).then_some("value_error:string")
}

pub(super) fn check_list(list: &[Value<'_>], answers: &[Value<'_>]) -> Checked {
    let list = Value::List(list.iter().map(plain_value).collect());
    let plain_list = |answer: &Value<'_>| {
        let items = items(answer)?;
        Ok(Value::List(
            items
                .iter()
                .map(|item| plain_value(item).into_owned())
                .collect(),
        ))
    };
    let answers = answers.iter().map(plain_list);
    let answers = answers.collect::<Result<Vec<_>, EvaluationError>>()?;
    Ok((!is_among(&list, &answers)).then_some("value_error:list/tuple"))
}

pub(super) fn check_object(object: &Object<'_>, answers: &[Value<'_>]) -> Checked {
    let mut wrong = Some("dict_checker:unclear");
    for answer in answers {
        if answer.as_text().is_some_and(Text::is_empty) {
            continue;
        }
        let answer = answer.as_object();
        let answer = answer.ok_or_else(|| stumble("an accepted value that is no object"))?;
        wrong = members(object, answer)?;
        if wrong.is_none() {
            break;
        }
    }
    Ok(wrong)
}

/// Checks the members for wrong and missing values; the last error found counts.
fn members(object: &Object<'_>, accepted: &Object<'_>) -> Checked {
    let mut wrong = None;
    for (key, value) in object {
        let Some(answers) = accepted.get(key) else {
            wrong = Some("value_error:dict_key");
            break;
        };
        let answers: Vec<_> = items(answers)?.iter().map(plain_value).collect();
        if !is_among(&plain_value(value), &answers) {
            wrong = Some("value_error:dict_value");
            break;
        }
    }
    for (key, answers) in accepted {
        if object.get(key).is_none() && !holds_nothing(answers)? {
            return Ok(Some("value_error:dict_key"));
        }
    }
    Ok(wrong)
}

pub(super) fn check_objects(list: &[Value<'_>], answers: &[Value<'_>]) -> Checked {
    let mut wrong = Some("list_dict_checker:unclear");
    for answer in answers {
        let length = match answer {
            Value::Object(object) => object.len(),
            Value::List(_) | Value::String(_) => items(answer)?.len(),
            _ => return Err(stumble("an accepted value without a length")),
        };
        if list.len() != length {
            wrong = Some("value_error:list_dict_count");
            continue;
        }
        wrong = None;
        for (object, answer) in list.iter().zip(items(answer)?) {
            let object = object.as_object();
            let object = object.ok_or_else(|| stumble("an item that is no object"))?;
            wrong = check_object(object, &[answer])?;
            if wrong.is_some() {
                break;
            }
        }
        if wrong.is_none() {
            break;
        }
    }
    Ok(wrong)
}
