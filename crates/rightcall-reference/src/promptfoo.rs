//! The four promptfoo evaluators: `promptfoo/tool-used`, `tool-sequence`, `tool-args-match` and `tool-call-f1`.

use rightcall::value::{Object, Text, Value};

use crate::calls::{Call, calls, some_calls};
use crate::choices::{Choices, FLAGS, Parts};
use crate::equality::javascript_number;
use crate::loops::{all_in_place, f1 as harmonic, in_order, one_if, share};
use crate::reading::{flag, given, name};
use crate::{Preset, Scored, Stop};

/// The presets in this file.
pub(crate) const PRESETS: &[Preset] = &[
    ("promptfoo/tool-used", used::score, used::cases),
    ("promptfoo/tool-sequence", sequence::score, sequence::cases),
    (
        "promptfoo/tool-args-match",
        arguments::score,
        arguments::cases,
    ),
    ("promptfoo/tool-call-f1", f1::score, f1::cases),
];

/// Expected names, often patterns.
const PATTERNS: &str = r#""a"|"b"|"A"|"*"|"?"|"a*"|"*b"|"a?b"|"É"|"??"|"shell"|"""#;

fn some_patterns(choices: &mut Choices<'_>, most: usize) -> String {
    let patterns = choices.list(most, |choices| {
        format!("{{\"name\":{}}}", choices.of(PATTERNS))
    });
    format!("[{patterns}]")
}

/// The expected calls; at least one is required.
fn expected_calls<'v>(expected: &'v Value<'v>, named: bool) -> Result<Vec<Call<'v>>, Stop> {
    let expected = calls(expected)?;
    if expected.is_empty() || named && expected.iter().any(|call| call.name.is_empty()) {
        return Err(Stop::Raised);
    }
    Ok(expected)
}

/// The calls that are steps of the type `tool`.
fn tools<'v>(actual: &'v Value<'v>) -> Result<Vec<Call<'v>>, Stop> {
    let mut steps = calls(actual)?;
    steps.retain(|call| !trim(&call.name.to_string()).is_empty() && !is_command(call));
    Ok(steps)
}

fn is_command(call: &Call<'_>) -> bool {
    let name = trim(&call.name.to_string()).to_lowercase();
    if !["exec_command", "local_shell", "shell"].contains(&name.as_str()) {
        return false;
    }
    let Some(Value::Object(arguments)) = call.arguments else {
        return false;
    };
    let given = arguments
        .get_str("cmd")
        .or(arguments.get_str("command"))
        .or(arguments.get_str("commands"));
    match given {
        Some(Value::String(command)) => !trim(&command.to_string()).is_empty(),
        Some(Value::List(parts)) => parts.iter().any(|part| !trim(&as_text(part)).is_empty()),
        _ => false,
    }
}

/// JavaScript's `trim`, with the white space listed in ECMAScript.
fn trim(text: &str) -> &str {
    const SPACES: &str = "\t\u{b}\u{c} \u{a0}\u{feff}\n\r\u{2028}\u{2029}\u{1680}\u{2000}\u{2001}\u{2002}\u{2003}\u{2004}\u{2005}\
\u{2006}\u{2007}\u{2008}\u{2009}\u{200a}\u{202f}\u{205f}\u{3000}";
    text.trim_matches(|it| SPACES.contains(it))
}

/// JavaScript's `String`, just enough to detect blank values.
fn as_text(value: &Value<'_>) -> String {
    match value {
        Value::String(text) => text.to_string(),
        Value::List(items) => {
            let inner = |item: &Value<'_>| match item {
                Value::Null => String::new(),
                other => as_text(other),
            };
            items.iter().map(inner).collect::<Vec<_>>().join(",")
        }
        _ => "x".to_owned(),
    }
}

/// A pattern as a regular expression of JavaScript, by definition.
fn fits(pattern: &[u16], text: &[u16]) -> bool {
    let is_end = |unit: u16| [0x0a, 0x0d, 0x2028, 0x2029].contains(&unit);
    match (pattern, text) {
        ([], text) => text.is_empty(),
        ([0x2a, rest @ ..], _) => {
            fits(rest, text)
                || text
                    .split_first()
                    .is_some_and(|(first, after)| !is_end(*first) && fits(pattern, after))
        }
        ([0x3f, rest @ ..], [first, after @ ..]) => !is_end(*first) && fits(rest, after),
        ([unit, rest @ ..], [first, after @ ..]) => {
            large(*unit) == large(*first) && fits(rest, after)
        }
        _ => false,
    }
}

fn large(unit: u16) -> u16 {
    let letter = String::from_utf16_lossy(&[unit]).to_uppercase();
    let units: Vec<u16> = letter.encode_utf16().collect();
    let is_surrogate = (0xd800..0xe000).contains(&unit);
    match units[..] {
        [one] if !is_surrogate && (unit < 128 || one >= 128) => one,
        _ => unit,
    }
}

fn is_tool(wanted: &Text<'_>, made: &Text<'_>) -> bool {
    let pattern: Vec<u16> = wanted.utf16().collect();
    let whole: Vec<u16> = made.utf16().collect();
    let trimmed: Vec<u16> = trim(&made.to_string()).encode_utf16().collect();
    pattern.is_empty() || fits(&pattern, &whole) || fits(&pattern, &trimmed)
}

pub(crate) mod used {
    use super::{
        Call, Choices, FLAGS, Parts, Scored, Value, expected_calls, flag, is_tool, one_if,
        some_calls, some_patterns, tools,
    };

    pub(crate) fn score(config: &Value<'_>, expected: &Value<'_>, actual: &Value<'_>) -> Scored {
        let inverse = flag(config, "inverse")?;
        let (expected, steps) = (expected_calls(expected, false)?, tools(actual)?);
        let is_used = |wanted: &Call<'_>| steps.iter().any(|it| is_tool(wanted.name, it.name));
        let holds = expected.iter().all(|wanted| is_used(wanted) != inverse);
        Ok(one_if(holds))
    }

    /// Cases with mostly matching patterns.
    pub(crate) fn cases(choices: &mut Choices<'_>) -> Parts {
        let config = choices.entries(&[("inverse", FLAGS)]);
        (config, some_patterns(choices, 3), some_calls(choices, 5))
    }
}

pub(crate) mod sequence {
    use super::{
        Call, Choices, FLAGS, Parts, Scored, Value, all_in_place, expected_calls, flag, in_order,
        is_tool, name, one_if, some_calls, some_patterns, tools,
    };

    pub(crate) fn score(config: &Value<'_>, expected: &Value<'_>, actual: &Value<'_>) -> Scored {
        let inverse = flag(config, "inverse")?;
        let is_exact = name(config, "mode")?.is_some_and(|mode| mode == "exact");
        let (expected, steps) = (expected_calls(expected, true)?, tools(actual)?);
        let fits = |wanted: &Call<'_>, made: &Call<'_>| is_tool(wanted.name, made.name);
        let is_met = if is_exact {
            all_in_place(&expected, &steps, fits)
        } else {
            in_order(&expected, &steps, fits) == expected.len()
        };
        Ok(one_if(is_met != inverse))
    }

    /// Cases in which the sequence often occurs.
    pub(crate) fn cases(choices: &mut Choices<'_>) -> Parts {
        let config = choices.entries(&[("inverse", FLAGS), ("mode", r#""exact"|"in_order""#)]);
        (config, some_patterns(choices, 3), some_calls(choices, 4))
    }
}

pub(crate) mod arguments {
    use super::{
        Choices, FLAGS, Object, PATTERNS, Parts, Scored, Stop, Text, Value, expected_calls, fits,
        flag, given, is_tool, javascript_number, name, some_calls, tools, trim,
    };

    pub(crate) fn score(config: &Value<'_>, expected: &Value<'_>, actual: &Value<'_>) -> Scored {
        let inverse = flag(config, "inverse")?;
        let (expected, steps) = (expected_calls(expected, true)?, tools(actual)?);
        let ignore = given(config, "ignore").and_then(Value::as_list);
        let mut ignored = ignore.into_iter().flatten().filter_map(Value::as_text);
        let has_blank = ignored.any(|entry| trim(&entry.to_string()).is_empty());
        if has_blank || expected.iter().any(|call| call.arguments.is_none()) {
            return Err(Stop::Raised);
        }
        let met = expected.iter().filter(|wanted| {
            let is_met = steps.iter().any(|made| {
                is_tool(wanted.name, made.name)
                    && made.arguments.is_some_and(|made| {
                        wanted
                            .arguments
                            .is_some_and(|wanted| agree(config, wanted, made))
                    })
            });
            is_met != inverse
        });
        Ok(met.count() as f64 / expected.len() as f64)
    }

    fn agree(config: &Value<'_>, wanted: &Value<'_>, made: &Value<'_>) -> bool {
        let is_exact = matches!(name(config, "mode"), Ok(Some(mode)) if mode == "exact");
        let ignored = |key: &Text<'_>| {
            let entries = given(config, "ignore").and_then(Value::as_list);
            entries
                .into_iter()
                .flatten()
                .filter_map(Value::as_text)
                .any(|entry| {
                    let units: Vec<u16> = entry.utf16().collect();
                    let is_pattern = units.contains(&0x2a) || units.contains(&0x3f);
                    entry == key || is_pattern && fits(&units, &key.utf16().collect::<Vec<_>>())
                })
        };
        let is_default = |key: &Text<'_>, value: &Value<'_>| {
            let defaults = given(config, "defaults").and_then(Value::as_object);
            let default = defaults.and_then(|defaults| defaults.get(key));
            default.is_some_and(|default| is_equal(default, value))
        };
        let wanted = without(wanted, &|key, _| ignored(key));
        let made = without(made, &|key, value| ignored(key) || is_default(key, value));
        if is_exact {
            is_equal(&wanted, &made)
        } else {
            is_in(&wanted, &made)
        }
    }

    fn without<'a>(value: &Value<'a>, is_out: &dyn Fn(&Text<'_>, &Value<'_>) -> bool) -> Value<'a> {
        let Value::Object(object) = value else {
            return value.clone();
        };
        let kept = object.iter().filter(|(key, value)| !is_out(key, value));
        Value::Object(Object::new(kept.cloned().collect()))
    }

    fn is_in(wanted: &Value<'_>, made: &Value<'_>) -> bool {
        match wanted {
            Value::List(items) => made.as_list().is_some_and(|made| {
                items.len() == made.len()
                    && (0..items.len()).all(|place| is_in(&items[place], &made[place]))
            }),
            Value::Object(object) => {
                object.iter().all(|(key, value)| {
                    let found = made.as_object().and_then(|made| made.get(key));
                    found.is_some_and(|found| is_in(value, found))
                }) && made.as_object().is_some()
            }
            other => is_equal(other, made),
        }
    }

    fn is_equal(left: &Value<'_>, right: &Value<'_>) -> bool {
        match (left, right) {
            (Value::List(left), Value::List(right)) => {
                left.len() == right.len()
                    && (0..left.len()).all(|place| is_equal(&left[place], &right[place]))
            }
            (Value::Object(left), Value::Object(right)) => {
                let has = |one: &Object<'_>, other: &Object<'_>| {
                    one.iter().all(|(key, value)| {
                        other.get(key).is_some_and(|found| is_equal(value, found))
                    })
                };
                has(left, right) && has(right, left)
            }
            (Value::String(left), Value::String(right)) => left.utf16().eq(right.utf16()),
            (Value::Bool(left), Value::Bool(right)) => left == right,
            (Value::Null, Value::Null) => true,
            _ => match (javascript_number(left), javascript_number(right)) {
                (Some(left), Some(right)) => {
                    left == right && left.is_sign_negative() == right.is_sign_negative()
                        || left.is_nan() && right.is_nan()
                }
                _ => false,
            },
        }
    }

    /// Cases in which the arguments often occur.
    pub(crate) fn cases(choices: &mut Choices<'_>) -> Parts {
        let config = choices.entries(&[
            ("inverse", FLAGS),
            ("mode", r#""exact"|"partial""#),
            ("ignore", r#"["a"]|["b","?"]|["*"]|["A"]|["A*"]"#),
            ("defaults", r#"{"a":1}|{"b":2,"a":true}|{"c":null}"#),
        ]);
        let expected = choices.list(2, |choices| {
            let name = choices.of(PATTERNS);
            let arguments = choices.odd_or(12, Choices::object);
            format!("{{\"name\":{name},\"args\":{arguments}}}")
        });
        (config, format!("[{expected}]"), some_calls(choices, 4))
    }
}

pub(crate) mod f1 {
    use std::collections::BTreeSet;

    use super::{
        Choices, FLAGS, Parts, Scored, Stop, Text, Value, calls, harmonic, share, some_calls, trim,
    };

    pub(crate) fn score(_: &Value<'_>, expected: &Value<'_>, actual: &Value<'_>) -> Scored {
        let (wanted, made) = (calls(expected)?, calls(actual)?);
        // Lone surrogates aren't white space.
        let trimmed = wanted.iter().map(|call| match call.name.as_str() {
            Some(name) => Text::new(trim(name)),
            None => call.name.reborrow(),
        });
        let wanted: BTreeSet<_> = trimmed.filter(|name| !name.is_empty()).collect();
        if wanted.is_empty() {
            return Err(Stop::Raised);
        }
        let made: BTreeSet<_> = made.iter().map(|call| call.name.reborrow()).collect();
        let common = wanted.intersection(&made).count();
        let precision = share(common, made.len(), 0.0);
        Ok(harmonic(precision, share(common, wanted.len(), 0.0)))
    }

    /// Cases with some common names.
    pub(crate) fn cases(choices: &mut Choices<'_>) -> Parts {
        let config = choices.entries(&[("inverse", FLAGS), ("threshold", "0.5|1|0")]);
        (config, some_calls(choices, 4), some_calls(choices, 5))
    }
}
