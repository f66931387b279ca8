//! `azure/task-navigation-efficiency`.

use rightcall::value::{Object, Syntax, Text, Value, decode_with, python_str};

use crate::choices::{Choices, Parts, quoted};
use crate::loops::{all_in_place, f1, in_any_order, in_order, one_if, share};
use crate::reading::{get, list, text};
use crate::{Preset, Scored, Stop};

/// The presets in this file.
pub(crate) const PRESETS: &[Preset] = &[("azure/task-navigation-efficiency", score, cases)];

/// A name and its arguments: keys and texts of values, sorted.
type Step = (String, Vec<(String, String)>);

pub(crate) fn score(config: &Value<'_>, expected: &Value<'_>, actual: &Value<'_>) -> Scored {
    let mode = match get(config, "matching_mode") {
        None => "exact_match".to_owned(),
        Some(mode) => text(Some(mode))?.to_string(),
    };
    let expected = parsed(expected);
    let response = parsed(actual);
    let taken = taken(&response)?;
    let items = list(&expected)?;
    let (names, parameters) = match items {
        [Value::List(names), parameters] => (&names[..], Some(parameters)),
        names => (names, None),
    };
    if let Some(parameters) = parameters {
        let parameters = parameters.as_object().ok_or(Stop::Raised)?;
        if parameters.iter().any(|(_, it)| it.as_object().is_none()) {
            return Err(Stop::Raised);
        }
    }
    if names.is_empty() {
        return Err(Stop::Raised);
    }
    let mut path: Vec<Step> = Vec::new();
    for name in names {
        let name = bare(text(Some(name))?);
        let of_tool = parameters.and_then(|parameters| {
            let mut entries = parameters.as_object()?.iter();
            let (_, of_tool) = entries.find(|(key, _)| marked(key) == name)?;
            of_tool.as_object()
        });
        path.push((name, of_tool.map(texts).unwrap_or_default()));
    }
    let same = |wanted: &Step, taken: &Step| {
        wanted.0 == taken.0 && (parameters.is_none() || wanted.1 == taken.1)
    };
    let holds = match mode.as_str() {
        "exact_match" => all_in_place(&path, &taken, same),
        "in_order_match" => in_order(&path, &taken, same) == path.len(),
        "any_order_match" => path.iter().all(|step| {
            let often = |steps: &[Step]| steps.iter().filter(|other| same(step, other)).count();
            often(&taken) >= often(&path)
        }),
        _ => return Err(Stop::Raised),
    };
    let common = in_any_order(&path, &taken, same);
    let precision = share(common, taken.len(), 0.0);
    let recall = share(common, path.len(), 0.0);
    let number = get(config, "score").and_then(Value::as_text);
    Ok(match number.map(ToString::to_string).as_deref() {
        None | Some("match") => one_if(holds),
        Some("precision") => precision,
        Some("recall") => recall,
        Some("f1") => f1(precision, recall),
        Some(_) => return Err(Stop::Raised),
    })
}

/// The contents of a string, if it is JSON.
fn parsed(value: &Value<'_>) -> Value<'static> {
    let decoded = value
        .as_text()
        .and_then(|text| decode_with(text.as_str()?, Syntax::PYTHON).ok());
    decoded.unwrap_or_else(|| value.clone()).into_owned()
}

fn taken(response: &Value<'_>) -> Result<Vec<Step>, Stop> {
    let mut steps = Vec::new();
    for message in list(response)? {
        if text(get(message, "role"))?.as_str() != Some("assistant") {
            continue;
        }
        for part in list(get(message, "content").ok_or(Stop::Raised)?)? {
            if part.as_object().is_none() {
                return Err(Stop::Raised);
            }
            if get(part, "type")
                .and_then(Value::as_text)
                .is_none_or(|kind| *kind != "tool_call")
            {
                continue;
            }
            let name = python_str(get(part, "name").ok_or(Stop::Raised)?);
            let arguments = match get(part, "arguments") {
                Some(Value::String(json)) => {
                    let json = json.as_str().ok_or(Stop::Raised)?;
                    decode_with(json, Syntax::PYTHON)
                        .map_err(|_| Stop::Raised)?
                        .into_owned()
                }
                Some(other) => other.clone().into_owned(),
                None => Value::Null,
            };
            steps.push((
                bare(&name),
                arguments.as_object().map(texts).unwrap_or_default(),
            ));
        }
    }
    Ok(steps)
}

/// A text with surrogates made visible, so that different texts stay different.
fn marked(text: &Text<'_>) -> String {
    let point = |point: u32| match char::from_u32(point) {
        Some(character) => character.to_string(),
        None => format!("\u{fffd}{point:x}"),
    };
    text.code_points().map(point).collect()
}

fn bare(name: &Text<'_>) -> String {
    // Python treats four ASCII separators as white space; Rust doesn't.
    let is_space = |it: char| it.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&it);
    marked(name).trim_matches(is_space).to_owned()
}

fn texts(object: &Object<'_>) -> Vec<(String, String)> {
    let mut texts: Vec<_> = object
        .iter()
        .map(|(key, value)| (marked(key), text_of(value)))
        .collect();
    texts.sort();
    texts
}

fn text_of(value: &Value<'_>) -> String {
    match value {
        Value::String(text) => marked(text),
        Value::List(_) | Value::Object(_) => json(value),
        _ => marked(&python_str(value)),
    }
}

/// JSON as Python writes it, keys sorted.
fn json(value: &Value<'_>) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Float(float) if float.is_nan() => "NaN".to_owned(),
        Value::Float(float) if float.is_infinite() && *float > 0.0 => "Infinity".to_owned(),
        Value::Float(float) if float.is_infinite() => "-Infinity".to_owned(),
        Value::String(text) => json_string(text),
        Value::List(items) => {
            let items: Vec<_> = items.iter().map(json).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(object) => {
            let mut entries: Vec<_> = object.iter().collect();
            entries.sort_by_key(|(key, _)| key.code_points().collect::<Vec<_>>());
            let entries: Vec<_> = entries
                .into_iter()
                .map(|(key, value)| format!("{}: {}", json_string(key), json(value)))
                .collect();
            format!("{{{}}}", entries.join(", "))
        }
        number => python_str(number).to_string(),
    }
}

fn json_string(text: &Text<'_>) -> String {
    let units = text.utf16().map(|unit| match u8::try_from(unit) {
        Ok(b'"') => "\\\"".to_owned(),
        Ok(b'\\') => "\\\\".to_owned(),
        Ok(b'\n') => "\\n".to_owned(),
        Ok(b'\r') => "\\r".to_owned(),
        Ok(b'\t') => "\\t".to_owned(),
        Ok(8) => "\\b".to_owned(),
        Ok(12) => "\\f".to_owned(),
        Ok(byte @ b' '..=b'~') => char::from(byte).to_string(),
        _ => format!("\\u{unit:04x}"),
    });
    format!("\"{}\"", units.collect::<String>())
}

/// Cases with nearly matching paths.
pub(crate) fn cases(choices: &mut Choices<'_>) -> Parts {
    let config = choices.entries(&[
        (
            "matching_mode",
            r#""in_order_match"|"any_order_match"|"exact_match"|"in_order_match"|"x""#,
        ),
        ("score", r#""match"|"precision"|"recall"|"f1""#),
    ]);
    let name = |choices: &mut Choices<'_>| {
        let name = choices.name();
        if choices.rarely(6) {
            name.replacen('"', "\" ", 1)
        } else {
            name.to_owned()
        }
    };
    let names = choices.list(4, name);
    let expected = match choices.below(8) {
        0 => format!("[{names}]"),
        1 => choices
            .of(r#"[]|"a"|[1]|{}|null|[["a"],{"a":1}]"#)
            .to_owned(),
        2 => quoted(&format!("[{names}]")),
        _ => {
            let parameters = choices.list(2, |choices| {
                format!("{}:{}", choices.name(), choices.object())
            });
            format!("[[{names}],{{{parameters}}}]")
        }
    };
    let part = |choices: &mut Choices<'_>| {
        let name = name(choices);
        let arguments = match choices.below(8) {
            0 => return format!("{{\"type\":\"tool_call\",\"name\":{name}}}"),
            1 => {
                return choices
                    .of(r#"{"type":"text","text":"x"}|{"type":"tool_call"}"#)
                    .to_owned();
            }
            2 => quoted(&choices.object()),
            3 => choices.value(),
            _ => choices.object(),
        };
        format!("{{\"type\":\"tool_call\",\"name\":{name},\"arguments\":{arguments}}}")
    };
    let messages = choices.list(3, |choices| {
        if choices.rarely(6) {
            return choices
                .of(r#"{"role":"user","content":"x"}|{"role":"tool","content":[]}|{"role":"assistant","content":"x"}"#)
                .to_owned();
        }
        format!("{{\"role\":\"assistant\",\"content\":[{}]}}", choices.list(3, part))
    });
    (config, expected, format!("[{messages}]"))
}
