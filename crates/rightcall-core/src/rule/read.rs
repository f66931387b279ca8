//! Reads rules in their written forms: sentences and objects.

use super::call_pattern::{CallPattern, unknown_key};
use super::definition::Rule;
use super::kind::{NEVER, NUMBER_KINDS, PATTERN_KINDS, RuleKind};
use super::same::SharedKeys;
use super::sentence;
use crate::expectation::{ExpectationError, ReadResult, Under};
use crate::settings::describe;
use crate::value::{Object, Value};

const RULES: &str = "a list of rules";
const RULE: &str = "a rule: a sentence such as `verify before refund`, or an object with `call` and one key such as `needs_before`";

/// Reads a list of rules, or a single rule.
pub(crate) fn read_rules(value: &Value<'static>) -> ReadResult<Vec<Rule>> {
    match value {
        Value::Null => Ok(Vec::new()),
        Value::List(rules) => {
            let rules = rules.iter().enumerate();
            rules
                .map(|(index, rule)| read_rule(rule).under_item(index))
                .collect()
        }
        Value::String(_) | Value::Object(_) => Ok(vec![read_rule(value)?]),
        other => Err(ExpectationError::new(RULES, describe(other))),
    }
}

/// The tools that rules name, including name patterns; empty if the rules can't be read.
pub fn tools_in_rules(rules: &Value<'_>) -> Vec<String> {
    let rules = read_rules(&rules.clone().into_owned()).unwrap_or_default();
    rules.iter().flat_map(Rule::names).collect()
}

fn read_rule(value: &Value<'static>) -> ReadResult<Rule> {
    match value {
        Value::String(text) => sentence::read(&text.to_display()),
        Value::Object(object) => read_object(object),
        other => Err(ExpectationError::new(RULE, describe(other))),
    }
}

/// The keys of a rule object; the keys of kinds come first.
fn keys() -> Vec<&'static str> {
    let kinds = PATTERN_KINDS.iter().map(|(key, _)| *key);
    let numbers = NUMBER_KINDS.iter().map(|(key, _)| *key);
    let kinds = kinds.chain(numbers).chain([NEVER]);
    kinds.chain(["call", "same", "name", "why"]).collect()
}

fn read_object(object: &Object<'static>) -> ReadResult<Rule> {
    let mut kind = None;
    let (mut call, mut same, mut name, mut why) = (None, None, None, None);
    for (key, value) in object {
        let key = &*key.to_display();
        match key {
            "call" => call = Some(value),
            "same" => same = Some(value),
            "name" => name = Some(text(value).under(key)?),
            "why" => why = Some(text(value).under(key)?),
            _ => {
                let Some(read) = read_kind(key, value) else {
                    return Err(unknown_key(key, &keys(), "a rule")).under(key);
                };
                let (key, read, target) = read.under(key)?;
                if let Some((other, ..)) = kind.replace((key, read, target)) {
                    let found = format!("`{other}` and `{key}`");
                    let error = ExpectationError::new("one key that says what the rule is", found);
                    return Err(error.help("write two rules")).under(key);
                }
            }
        }
    }
    let Some((key, kind, target)) = kind else {
        let found = "an object without such a key";
        return Err(ExpectationError::new(RULE, found));
    };
    let call = match call {
        Some(_) if kind.is_position() => {
            let found = format!("`call` and `{key}`");
            let error = ExpectationError::new("a rule with one of the two", found);
            return Err(error.help(format!("`{key}` names the call itself"))).under("call");
        }
        None if kind.is_position() => None,
        None => {
            let error = ExpectationError::new("`call`, the calls that the rule is about", "none");
            return Err(error).under("call");
        }
        Some(value) => Some(CallPattern::read(value, "/call")?),
    };
    let same = same.map(|value| read_same(key, kind, value).under("same"));
    Ok(Rule {
        same: same.transpose()?,
        name,
        why,
        ..Rule::new(kind, call, target)
    })
}

type ReadKind = (&'static str, RuleKind, Option<CallPattern>);

/// The kind of a key, with its pattern; `None` for any other key.
fn read_kind(key: &str, value: &Value<'static>) -> Option<ReadResult<ReadKind>> {
    if let Some((key, kind)) = PATTERN_KINDS.iter().find(|(it, _)| *it == key) {
        return Some(CallPattern::read(value, "").map(|target| (*key, *kind, Some(target))));
    }
    if let Some((key, kind)) = NUMBER_KINDS.iter().find(|(it, _)| *it == key) {
        let number = match value {
            Value::Integer(number) if !number.is_negative() => {
                Ok(number.to_digits().parse().unwrap_or(u64::MAX))
            }
            other => Err(ExpectationError::new(
                "an integer of 0 or more",
                describe(other),
            )),
        };
        return Some(number.map(|number| (*key, kind(number), None)));
    }
    (key == NEVER).then(|| match value {
        Value::Bool(true) => Ok((NEVER, RuleKind::Never, None)),
        other => Err(ExpectationError::new("true", describe(other))
            .help("leave the rule out where the call is allowed")),
    })
}

fn read_same(key: &str, kind: RuleKind, value: &Value<'static>) -> ReadResult<SharedKeys> {
    if !kind.takes_same() {
        let found = format!("`same` in a rule with `{key}`");
        let expected = "no `same`, which compares two calls";
        return Err(ExpectationError::new(expected, found));
    }
    if matches!((kind, value), (RuleKind::AtMost(_), Value::Object(_))) {
        let expected = "a key of the arguments, or a list of keys: all calls are of one kind here";
        return Err(ExpectationError::new(expected, describe(value)));
    }
    SharedKeys::read(value)
}

fn text(value: &Value<'_>) -> ReadResult<String> {
    match value {
        Value::String(text) if !text.is_empty() => Ok(text.to_display().into_owned()),
        other => Err(ExpectationError::new("a text", describe(other))),
    }
}
