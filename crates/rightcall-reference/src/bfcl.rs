//! `bfcl/ast-checker`. Collections of Java and JavaScript are not implemented here.

use rightcall_core::value::python::decimal_digit;
use rightcall_core::value::{Object, Text, Value};

use crate::equality::python_equal;
use crate::reading::{flag, get, list, name, object, text};
use crate::{Preset, Scored, Stop};

/// The presets in this file.
pub(crate) const PRESETS: &[Preset] = &[("bfcl/ast-checker", score)];

/// A mismatch ends a check, and so does an error of the original.
type Check = Result<bool, Stop>;

pub(crate) fn score(config: &Value<'_>, expected: &Value<'_>, actual: &Value<'_>) -> Scored {
    let language = name(config, "language")?.unwrap_or_else(|| "python".to_owned());
    let underscores = flag(config, "underscore_to_dot")?;
    let null = &Value::Null;
    let answers = list(get(expected, "ground_truth").unwrap_or(null))?;
    let functions = list(get(expected, "function").unwrap_or(null))?;
    let is_simple = match name(config, "category")? {
        Some(category) => category == "simple",
        None => answers.len() == 1 && functions.len() == 1,
    };
    let mut wanted = Vec::new();
    for answer in answers {
        let (called, accepted) = only(answer)?;
        let is_described =
            |function: &&Value<'_>| get(function, "name").and_then(Value::as_text) == Some(called);
        let function = if is_simple {
            functions.first()
        } else {
            functions.iter().find(is_described)
        };
        let function = function.ok_or(Stop::Raised)?;
        let mut called = text(get(function, "name"))?.to_string();
        if underscores {
            called = called.replace('.', "_");
        }
        let parameters = get(function, "parameters").filter(|it| it.as_object().is_some());
        wanted.push((called, accepted, parameters.ok_or(Stop::Raised)?));
    }
    let mut made = Vec::new();
    for call in list(actual)? {
        let (called, arguments) = only(call)?;
        made.push((called.to_string(), object(Some(arguments))?));
    }
    if wanted.len() != made.len() {
        return Ok(0.0);
    }
    let mut used = vec![false; made.len()];
    for (called, accepted, parameters) in &wanted {
        let mut found = None;
        for (place, (name, arguments)) in made.iter().enumerate() {
            if !used[place]
                && name == called
                && is_accepted(accepted, parameters, arguments, &language)?
            {
                found = Some(place);
                break;
            }
        }
        match found {
            Some(place) => used[place] = true,
            None => return Ok(0.0),
        }
    }
    Ok(1.0)
}

fn only<'v, 'a>(call: &'v Value<'a>) -> Result<(&'v Text<'a>, &'v Value<'a>), Stop> {
    let entry = object(Some(call))?.iter().next();
    entry.map(|(name, value)| (name, value)).ok_or(Stop::Raised)
}

fn is_accepted(
    accepted: &Value<'_>,
    parameters: &Value<'_>,
    arguments: &Object<'_>,
    language: &str,
) -> Check {
    let accepted = object(Some(accepted))?;
    let properties = object(get(parameters, "properties"))?;
    for required in list(get(parameters, "required").ok_or(Stop::Raised)?)? {
        if matches!(required, Value::List(_) | Value::Object(_)) {
            return Err(Stop::Raised);
        }
        if required
            .as_text()
            .is_none_or(|key| arguments.get(key).is_none())
        {
            return Ok(false);
        }
    }
    for (key, value) in arguments {
        let (Some(details), Some(answers)) = (properties.get(key), accepted.get(key)) else {
            return Ok(false);
        };
        object(Some(details))?;
        if !is_argument(value, details, list(answers)?, language)? {
            return Ok(false);
        }
    }
    for (key, answers) in accepted {
        if arguments.get(key).is_none() && !may_be_left_out(answers)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Python's name for the type of a value.
fn type_of(value: &Value<'_>) -> &'static str {
    match value {
        Value::Null => "NoneType",
        Value::Bool(_) => "bool",
        Value::Integer(_) => "int",
        Value::Float(_) => "float",
        Value::String(_) => "str",
        Value::List(_) => "list",
        Value::Object(_) => "dict",
        Value::Python(_) => "other",
    }
}

fn declared_type(declared: &str, language: &str) -> Result<&'static str, Stop> {
    Ok(match (language, declared) {
        ("python", "string" | "any")
        | ("java", "char" | "String" | "any")
        | ("javascript", "String" | "any") => "str",
        (_, "integer") | ("java", "byte" | "short" | "long") | ("javascript", "Bigint") => "int",
        (_, "float") | ("java", "double") => "float",
        ("python" | "java", "boolean") | ("javascript", "Boolean") => "bool",
        ("python", "array" | "tuple") => "list",
        ("python", "dict") => "dict",
        ("java", "Set" | "Hashtable" | "Queue" | "Stack") => "not converted",
        ("java", "Array" | "ArrayList" | "HashMap") | ("javascript", "array" | "dict") => {
            return Err(Stop::Unknown);
        }
        _ => return Err(Stop::Raised),
    })
}

fn is_argument(
    value: &Value<'_>,
    details: &Value<'_>,
    answers: &[Value<'_>],
    language: &str,
) -> Check {
    let declared = text(get(details, "type"))?.to_string();
    let wanted = declared_type(&declared, language)?;
    let mut inner = None;
    if wanted == "list" {
        let items = get(details, "items").filter(|items| items.as_object().is_some());
        let items = text(get(items.ok_or(Stop::Raised)?, "type"))?.to_string();
        inner = Some(declared_type(&items, language)?);
    }
    let value = match (language, value) {
        ("python", Value::Integer(_)) if declared == "float" => {
            let float = value.as_f64().filter(|float| float.is_finite());
            Value::Float(float.ok_or(Stop::Raised)?)
        }
        ("python", value) => value.clone(),
        (_, Value::String(written)) if wanted != "not converted" => {
            converted(written, &declared, language)?
        }
        (_, Value::String(_)) => return Err(Stop::Raised),
        _ => return Ok(false),
    };
    let Some(is_variable) = type_agrees(&value, answers, wanted, inner) else {
        return Ok(false);
    };
    if is_variable {
        return Ok(is_in(&value, answers));
    }
    match (wanted, &value) {
        ("dict", Value::Object(object)) => is_object(object, answers),
        ("list", Value::List(items)) if inner == Some("dict") => are_objects(items, answers),
        ("list", Value::List(items)) => {
            let plain_items = |items: &[Value<'_>]| {
                Value::List(items.iter().map(|item| plain(item).into_owned()).collect())
            };
            let mut lists = Vec::new();
            for answer in answers {
                lists.push(plain_items(&by_index(answer)?));
            }
            Ok(is_in(&plain_items(items), &lists))
        }
        ("str", Value::String(_)) => {
            let texts = answers.iter().filter(|it| it.as_text().is_some());
            let texts: Vec<_> = texts.map(plain).collect();
            Ok(is_in(&plain(&value), &texts))
        }
        _ => Ok(is_in(&value, answers)),
    }
}

/// `None` if the type is wrong, else true if the value is a variable.
fn type_agrees(
    value: &Value<'_>,
    answers: &[Value<'_>],
    wanted: &str,
    inner: Option<&str>,
) -> Option<bool> {
    let is_text = |answer: &&Value<'_>| !answer.as_text().is_some_and(Text::is_empty);
    let of_answers = answers.iter().find(is_text).map(type_of);
    let is_variable = of_answers.is_some_and(|of_answers| of_answers != wanted);
    let found = type_of(value);
    if found == wanted {
        let Some(inner) = inner else {
            return Some(is_variable);
        };
        for answer in answers {
            let Value::List(accepted) = answer else {
                return Some(is_variable);
            };
            let items = value.as_list().unwrap_or_default();
            let mut items = items.iter();
            if items.all(|item| type_agrees(item, accepted, inner, None).is_some()) {
                return Some(is_variable);
            }
        }
        return None;
    }
    (of_answers == Some(found)).then_some(true)
}

/// Python rejects longer texts as integers.
const MAX_DIGITS: usize = 4300;

fn converted(whole: &Text<'_>, declared: &str, language: &str) -> Result<Value<'static>, Stop> {
    let written = &*whole.to_display();
    // Python's regular expressions ignore a line feed at the end.
    let line = written.strip_suffix('\n').unwrap_or(written);
    // Digits of other scripts count as digits too.
    let ascii = |letter: char| match decimal_digit(letter.into()) {
        Some(digit) => char::from(b'0' + digit),
        None => letter,
    };
    let line = &*line.chars().map(ascii).collect::<String>();
    let digits = |text: &str| {
        let text = text.strip_prefix('-').unwrap_or(text);
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    let decimal = |text: &str| match text.split_once('.') {
        Some((whole, part)) => digits(whole) && !part.starts_with('-') && digits(part),
        None => digits(text),
    };
    let scientific = |text: &str| match text.find(['e', 'E']) {
        Some(at) => {
            let power = &text[at + 1..];
            let power = power.strip_prefix(['+', '-']).unwrap_or(power);
            decimal(&text[..at]) && !power.starts_with('-') && digits(power)
        }
        None => decimal(text),
    };
    let integer = |text: &str| {
        if text.trim_start_matches('-').len() > MAX_DIGITS {
            return Err(Stop::Raised);
        }
        Ok(rightcall_core::value::Integer::parse(text).map(Value::Integer))
    };
    let float = |text: &str| text.parse().ok().map(Value::Float);
    let number = match (language, declared) {
        (_, "integer") | ("java", "byte" | "short") if digits(line) => integer(line)?,
        ("java", "long") => {
            let bare = line.strip_suffix(['l', 'L']);
            let bare = bare.filter(|bare| digits(bare));
            bare.map(integer).transpose()?.flatten()
        }
        ("java", "float") => {
            let bare = line.strip_suffix(['f', 'F']);
            bare.filter(|bare| scientific(bare)).and_then(float)
        }
        ("java", "double") if scientific(line) => float(line),
        ("javascript", "float") if decimal(line) => float(line),
        ("javascript", "Bigint") => {
            let bare = line.strip_suffix('n');
            let bare = bare.filter(|bare| digits(bare));
            bare.map(integer).transpose()?.flatten()
        }
        ("java", "boolean") | ("javascript", "Boolean") => match written {
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            _ => None,
        },
        ("javascript", "String") => {
            let letters: Vec<char> = written.chars().collect();
            match letters[..] {
                [quote] if quote == '"' || quote == '\'' => Some(String::new()),
                [first, .., last] if first == last && (first == '"' || first == '\'') => {
                    Some(letters[1..letters.len() - 1].iter().collect())
                }
                _ => None,
            }
            .map(|inside| Value::String(Text::from(inside)))
        }
        _ => None,
    };
    Ok(number.unwrap_or_else(|| Value::String(whole.clone().into_owned())))
}

fn is_in(value: &Value<'_>, answers: &[Value<'_>]) -> bool {
    answers.iter().any(|answer| python_equal(value, answer))
}

fn may_be_left_out(answers: &Value<'_>) -> Check {
    match answers {
        Value::List(answers) => Ok(is_in(&Value::String(Text::new("")), answers)),
        Value::String(_) => Ok(true),
        Value::Object(answers) => Ok(answers.get_str("").is_some()),
        _ => Err(Stop::Raised),
    }
}

/// Texts without spaces, some punctuation and case; other values unchanged.
fn plain<'a>(value: &Value<'a>) -> Value<'a> {
    let Value::String(text) = value else {
        return value.clone();
    };
    let mut kept = String::new();
    for letter in text.to_string().chars() {
        if !" ,./-_*^".contains(letter) {
            kept.push(letter);
        }
    }
    Value::String(Text::from(kept.to_lowercase().replace('\'', "\"")))
}

/// The items that Python returns by index.
fn by_index<'a>(value: &Value<'a>) -> Result<Vec<Value<'a>>, Stop> {
    match value {
        Value::List(items) => Ok(items.clone()),
        Value::String(text) => {
            let letter = |letter: char| Value::String(Text::from(letter.to_string()));
            Ok(text.to_string().chars().map(letter).collect())
        }
        Value::Object(object) if object.is_empty() => Ok(Vec::new()),
        _ => Err(Stop::Raised),
    }
}

fn is_object(found: &Object<'_>, answers: &[Value<'_>]) -> Check {
    for answer in answers {
        if answer.as_text().is_some_and(Text::is_empty) {
            continue;
        }
        let accepted = object(Some(answer))?;
        let mut agrees = true;
        for (key, value) in found {
            let Some(values) = accepted.get(key) else {
                agrees = false;
                break;
            };
            let values: Vec<_> = by_index(values)?.iter().map(plain).collect();
            if !is_in(&plain(value), &values) {
                agrees = false;
                break;
            }
        }
        for (key, values) in accepted {
            if found.get(key).is_none() && !may_be_left_out(values)? {
                agrees = false;
                break;
            }
        }
        if agrees {
            return Ok(true);
        }
    }
    Ok(false)
}

fn are_objects(found: &[Value<'_>], answers: &[Value<'_>]) -> Check {
    for answer in answers {
        let length = match answer {
            Value::Object(object) => object.len(),
            other => by_index(other)?.len(),
        };
        if length != found.len() {
            continue;
        }
        let accepted = by_index(answer)?;
        let mut agrees = true;
        for (place, item) in found.iter().enumerate() {
            if !is_object(object(Some(item))?, &accepted[place..=place])? {
                agrees = false;
                break;
            }
        }
        if agrees {
            return Ok(true);
        }
    }
    Ok(false)
}
