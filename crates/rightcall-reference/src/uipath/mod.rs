//! `uipath`: the code shared by the four evaluators.

pub(crate) mod args;
pub(crate) mod count;
pub(crate) mod order;
pub(crate) mod output;

use rightcall::value::{Text, Value, python_str};

use crate::choices::{Choices, FLAGS, Parts, quoted};
use crate::reading::{either, get, is_true_in_python, list};
use crate::{Preset, Stop};

/// The presets in this file.
pub(crate) const PRESETS: &[Preset] = &[
    ("uipath/tool-call-count", count::score, count::cases),
    ("uipath/tool-call-order", order::score, order::cases),
    ("uipath/tool-call-args", args::score, args::cases),
    ("uipath/tool-call-output", output::score, output::cases),
];

/// A call from a span.
pub(crate) struct Call<'v> {
    pub(crate) name: Vec<u32>,
    pub(crate) id: Option<Vec<u32>>,
    pub(crate) attributes: &'v Value<'v>,
}

pub(crate) fn points(text: &Text<'_>) -> Vec<u32> {
    text.code_points().collect()
}

/// The calls of the spans; spans that aren't tool calls are skipped.
pub(crate) fn calls<'v>(spans: &'v Value<'_>) -> Result<Vec<Call<'v>>, Stop> {
    let mut calls = Vec::new();
    for span in list(spans)? {
        let attributes = match span {
            Value::Object(span) => match span.get_str("attributes") {
                None | Some(Value::Null) => continue,
                Some(attributes @ Value::Object(_)) => attributes,
                // The original's span type allows no other values.
                Some(_) => return Err(Stop::Unknown),
            },
            _ => return Err(Stop::Unknown),
        };
        if get(attributes, "tool.synthesized").is_some_and(is_true_in_python) {
            continue;
        }
        let Some(name) = get(attributes, "tool.name").filter(|name| is_true_in_python(name)) else {
            continue;
        };
        let id = get(attributes, "tool.id")
            .filter(|id| !id.is_null())
            .map(|id| points(&python_str(id)));
        calls.push(Call {
            name: points(&python_str(name)),
            id,
            attributes,
        });
    }
    Ok(calls)
}

const BLANKS: [u32; 29] = [
    9, 0xA, 0xB, 0xC, 0xD, 0x1C, 0x1D, 0x1E, 0x1F, 0x20, 0x85, 0xA0, 0x1680, 0x2000, 0x2001,
    0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200A, 0x2028, 0x2029, 0x202F,
    0x205F, 0x3000,
];

/// The name in a form that model providers accept.
pub(crate) fn sanitize(name: &[u32]) -> String {
    let words: Vec<&[u32]> = name
        .split(|point| BLANKS.contains(point))
        .filter(|word| !word.is_empty())
        .collect();
    let joined = words.join(&u32::from('_'));
    let mut kept = String::new();
    for character in joined.into_iter().filter_map(char::from_u32) {
        if kept.len() < 64
            && (character.is_ascii_alphanumeric() || character == '_' || character == '-')
        {
            kept.push(character);
        }
    }
    kept
}

/// An expected call or output: name, id, and the value to compare.
pub(crate) struct Wanted<'v> {
    name: Vec<u32>,
    id: Option<Vec<u32>>,
    pub(crate) value: &'v Value<'v>,
}

impl Wanted<'_> {
    /// Name rule C.
    pub(crate) fn matches(&self, call: &Call<'_>) -> bool {
        match &call.id {
            Some(id) => id == self.id.as_ref().unwrap_or(&self.name),
            None => sanitize(&call.name) == sanitize(&self.name),
        }
    }
}

/// The items of `tool_calls` or `tool_outputs`.
pub(crate) fn wanted<'v>(
    criteria: &'v Value<'_>,
    keys: [&str; 2],
    value_key: &str,
    is_value: fn(&Value<'_>) -> bool,
) -> Result<Vec<Wanted<'v>>, Stop> {
    let items = list(either(criteria, keys[0], keys[1]).ok_or(Stop::Raised)?)?;
    let mut wanted = Vec::new();
    for item in items {
        let name = get(item, "name")
            .and_then(Value::as_text)
            .ok_or(Stop::Raised)?;
        let id = match get(item, "id") {
            None | Some(Value::Null) => None,
            Some(Value::String(id)) => Some(points(id)),
            Some(_) => return Err(Stop::Raised),
        };
        let value = get(item, value_key)
            .filter(|value| is_value(value))
            .ok_or(Stop::Raised)?;
        wanted.push(Wanted {
            name: points(name),
            id,
            value,
        });
    }
    Ok(wanted)
}

/// The value of `strict`, after validating the other settings; with `subset`, that one too.
pub(crate) fn is_strict(config: &Value<'_>, subset: bool) -> Result<bool, Stop> {
    for key in ["name", "description"] {
        if get(config, key).is_some_and(|value| value.as_text().is_none()) {
            return Err(Stop::Raised);
        }
    }
    if subset {
        lenient_bool(get(config, "subset"))?;
    }
    lenient_bool(get(config, "strict"))
}

fn lenient_bool(value: Option<&Value<'_>>) -> Result<bool, Stop> {
    let text = match value {
        None => return Ok(false),
        Some(Value::Bool(flag)) => return Ok(*flag),
        Some(Value::Integer(integer)) => integer.to_string(),
        Some(Value::Float(float)) => float.abs().to_string(),
        Some(Value::String(text)) => text.as_str().ok_or(Stop::Raised)?.to_ascii_lowercase(),
        Some(_) => return Err(Stop::Raised),
    };
    match text.as_str() {
        "1" | "true" | "t" | "yes" | "y" | "on" => Ok(true),
        "0" | "false" | "f" | "no" | "n" | "off" => Ok(false),
        _ => Err(Stop::Raised),
    }
}

/// The criteria of the case, or else the defaults. Both are validated, the defaults first.
pub(crate) fn criteria<'v, T>(
    config: &'v Value<'_>,
    expected: &'v Value<'_>,
    read: impl Fn(&'v Value<'v>) -> Result<T, Stop>,
) -> Result<T, Stop> {
    let default = either(
        config,
        "default_evaluation_criteria",
        "defaultEvaluationCriteria",
    );
    let default = default
        .filter(|default| !default.is_null())
        .map(&read)
        .transpose()?;
    if expected.is_null() {
        return default.ok_or(Stop::Raised);
    }
    read(expected)
}

/// Cases with these criteria.
pub(crate) fn cases(choices: &mut Choices<'_>, criteria: fn(&mut Choices<'_>) -> String) -> Parts {
    const LENIENT_FLAGS: &str = r#"true|false|1|0.0|"Yes"|"oFF"|" 1"|""|null|2|[]"#;
    let mut config = vec![format!("\"strict\":{}", choices.of(FLAGS))];
    if choices.rarely(8) {
        config.push(format!("\"strict\":{}", choices.of(LENIENT_FLAGS)));
    }
    if choices.rarely(16) {
        config.push(format!("\"subset\":{}", choices.of(LENIENT_FLAGS)));
    }
    if choices.rarely(16) {
        config.push(format!("\"name\":{}", choices.value()));
    }
    if choices.rarely(8) {
        config.push(format!(
            "\"default_evaluation_criteria\":{}",
            criteria(choices)
        ));
    }
    if choices.rarely(16) {
        let given = if choices.rarely(2) {
            criteria(choices)
        } else {
            choices.value()
        };
        config.push(format!("\"defaultEvaluationCriteria\":{given}"));
    }
    let expected = if choices.rarely(16) {
        choices.of("null|{}|[]").to_owned()
    } else {
        criteria(choices)
    };
    let spans = choices.list(5, span);
    (
        format!("{{{}}}", config.join(",")),
        expected,
        format!("[{spans}]"),
    )
}

fn span(choices: &mut Choices<'_>) -> String {
    const NAMES: &str = r#"""|null|12|true|1.0|[]|"12"|"  a  b "|"a!"|"工具""#;
    const IDS: &str = r#""a"|"b"|null|""|0|"0"|true|"True"|1.0"#;
    if choices.rarely(16) {
        return choices
            .of(r#"{}|{"attributes":null}|{"attributes":{}}"#)
            .to_owned();
    }
    let name = if choices.rarely(6) {
        choices.of(NAMES)
    } else {
        choices.name()
    };
    let mut attributes = vec![format!("\"tool.name\":{name}")];
    if choices.rarely(3) {
        attributes.push(format!("\"tool.id\":{}", choices.of(IDS)));
    }
    if choices.rarely(10) {
        attributes.push(format!(
            "\"tool.synthesized\":{}",
            choices.of(r#"true|false|"false"|0|null"#)
        ));
    }
    for key in ["input.value", "output.value"] {
        if choices.rarely(6) {
            continue;
        }
        let usual = if key == "input.value" {
            choices.object()
        } else {
            output_text(choices)
        };
        let odd = choices.rarely(3).then(|| choices.value());
        let value = odd.unwrap_or(usual);
        let value = if choices.rarely(2) {
            quoted(&value)
        } else {
            value
        };
        attributes.push(format!("\"{key}\":{value}"));
    }
    format!(
        r#"{{"name":"s","start_time":0,"end_time":1,"attributes":{{{}}}}}"#,
        attributes.join(",")
    )
}

/// The text of an output.
pub(crate) fn output_text(choices: &mut Choices<'_>) -> String {
    const TEXTS: &str = r#""x"|"1"|""|"None"|"True"|"[1]"|"{'a': 1}"|"\ud83d""#;
    choices.of(TEXTS).to_owned()
}

/// A list of expected calls or outputs, as criteria.
pub(crate) fn wanted_criteria(
    choices: &mut Choices<'_>,
    keys: &str,
    field: &str,
    value: fn(&mut Choices<'_>) -> String,
) -> String {
    let items = choices.list(4, |choices| {
        let name = choices.name();
        let id = if choices.rarely(4) {
            format!(",\"id\":{}", choices.of(r#""a"|"b"|null|""|"0"|1"#))
        } else {
            String::new()
        };
        let value = choices.odd_or(40, value);
        format!("{{\"name\":{name},\"{field}\":{value}{id}}}")
    });
    format!("{{\"{}\":[{items}]}}", choices.of(keys))
}
