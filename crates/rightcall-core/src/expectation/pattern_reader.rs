//! Reads patterns.

use crate::settings::{describe, nearest};
use crate::value::{Object, Text, Value};

use super::error::{ExpectationError, Result, Under};
use super::number::ExactNumber;
use super::pattern::{JsonType, ValueCondition, ValuePattern};
use super::text_pattern::TextPatterns;

/// The names of matchers.
pub(super) const MATCHERS: [&str; 16] = [
    "$any",
    "$eq",
    "$ne",
    "$gt",
    "$gte",
    "$lt",
    "$lte",
    "$approx",
    "$type",
    "$pattern",
    "$contains",
    "$one_of",
    "$not",
    "$optional",
    "$var",
    "$literal",
];

/// A variable, and its first location.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) name: Text<'static>,
    pub(super) pointer: String,
}

/// Reads patterns, and numbers variables in the order of their first use.
#[derive(Debug, Default)]
pub(super) struct PatternReader {
    pub(super) variables: Vec<Variable>,
    texts: TextPatterns,
    /// The help of the error, if variables are not allowed.
    instead_of_variables: Option<&'static str>,
}

/// The context of a pattern.
#[derive(Clone)]
struct Place {
    pointer: String,
    /// True if it is the whole value of an object's key.
    is_member: bool,
    /// The enclosing `$not`, `$contains` or `$one_of`, if any.
    inside: Option<&'static str>,
}

impl Place {
    fn step(&self, step: &str, is_member: bool) -> Self {
        Self {
            pointer: crate::value::pointer::child(&self.pointer, step),
            is_member,
            inside: self.inside,
        }
    }

    fn within(&self, matcher: &'static str) -> Self {
        Self {
            inside: Some(matcher),
            ..self.step(matcher, false)
        }
    }
}

impl PatternReader {
    /// A reader that rejects variables and suggests `instead`.
    pub(super) fn without_variables(instead: &'static str) -> Self {
        Self {
            instead_of_variables: Some(instead),
            ..Self::default()
        }
    }

    /// Reads the pattern of arguments or an output at this location.
    pub(super) fn read(&mut self, value: &Value<'static>, pointer: &str) -> Result<ValuePattern> {
        let place = Place {
            pointer: pointer.to_owned(),
            is_member: false,
            inside: None,
        };
        self.pattern(value, &place)
    }

    fn pattern(&mut self, value: &Value<'static>, place: &Place) -> Result<ValuePattern> {
        match value {
            Value::List(items) => {
                let mut patterns = Vec::with_capacity(items.len());
                for (index, item) in items.iter().enumerate() {
                    patterns.push(self.pattern(item, &place.step(&index.to_string(), false))?);
                }
                Ok(if patterns.iter().all(|it| it.exact().is_some()) {
                    ValuePattern::Exact(value.clone())
                } else {
                    ValuePattern::List(patterns)
                })
            }
            Value::Object(object) => self.object(value, object, place),
            _ => Ok(ValuePattern::Exact(value.clone())),
        }
    }

    fn object(
        &mut self,
        value: &Value<'static>,
        object: &Object<'static>,
        place: &Place,
    ) -> Result<ValuePattern> {
        let is_matcher_key = |key: &Text<'_>| key.as_bytes().first() == Some(&b'$');
        let rest = object.get_str("$rest");
        let plain = object
            .iter()
            .filter(|(key, _)| !is_matcher_key(key))
            .count();
        let others = object.len() - plain - usize::from(rest.is_some());
        if let Some(rest) = rest {
            check_rest(rest, others).map_err(|error| error.at(&place.pointer))?;
        }
        if others > 0 {
            if plain > 0 {
                return Err(mixed_keys_error(object).at(&place.pointer));
            }
            return self.matcher(value, object, place);
        }
        let mut members = Vec::with_capacity(plain);
        for (key, value) in object.iter().filter(|(key, _)| !is_matcher_key(key)) {
            let pattern = self.pattern(value, &place.step(&key.to_display(), true))?;
            members.push((key.clone(), pattern));
        }
        let is_open = rest.is_some();
        if !is_open && members.iter().all(|(_, it)| it.exact().is_some()) {
            return Ok(ValuePattern::Exact(value.clone()));
        }
        Ok(ValuePattern::Object { members, is_open })
    }

    fn matcher(
        &mut self,
        value: &Value<'static>,
        object: &Object<'static>,
        place: &Place,
    ) -> Result<ValuePattern> {
        let written = value.clone();
        if let Some(inner) = object.get_str("$optional") {
            check_optional(object, place).map_err(|error| error.at(&place.pointer))?;
            let pattern = Box::new(self.pattern(inner, &place.step("$optional", false))?);
            return Ok(ValuePattern::Optional { pattern, written });
        }
        if let (Some(literal), 1) = (object.get_str("$literal"), object.len()) {
            let value = literal.clone();
            return Ok(ValuePattern::Literal { value, written });
        }
        let mut conditions = Vec::with_capacity(object.len());
        for (key, value) in object {
            conditions.push(self.condition(&key.to_display(), value, place)?);
        }
        Ok(ValuePattern::Matcher {
            conditions,
            written,
        })
    }

    fn condition(
        &mut self,
        key: &str,
        value: &Value<'static>,
        place: &Place,
    ) -> Result<ValueCondition> {
        let here = |error: ExpectationError| error.at(&format!("{}/{key}", place.pointer));
        let number = || number(value).map_err(here);
        Ok(match key {
            "$any" => match value {
                Value::Bool(false) | Value::Null => {
                    return Err(here(ExpectationError::new("true", describe(value))));
                }
                _ => ValueCondition::Any,
            },
            "$eq" | "$literal" => ValueCondition::Equal(value.clone()),
            "$ne" => ValueCondition::NotEqual(value.clone()),
            "$gt" => ValueCondition::Greater(number()?),
            "$gte" => ValueCondition::GreaterOrEqual(number()?),
            "$lt" => ValueCondition::Less(number()?),
            "$lte" => ValueCondition::LessOrEqual(number()?),
            "$approx" => approximately(value).map_err(here)?,
            "$type" => json_type(value).map_err(here)?,
            "$pattern" => self.text_pattern(value).map_err(here)?,
            "$contains" => {
                ValueCondition::Contains(Box::new(self.pattern(value, &place.within("$contains"))?))
            }
            "$not" => ValueCondition::Not(Box::new(self.pattern(value, &place.within("$not"))?)),
            "$one_of" => ValueCondition::OneOf(self.alternatives(value, place)?),
            "$var" => ValueCondition::Variable(self.variable(value, place).map_err(here)?),
            _ => {
                return Err(unknown_matcher_error(key))
                    .under(key)
                    .map_err(|it| it.at(&place.pointer));
            }
        })
    }

    fn alternatives(&mut self, value: &Value<'static>, place: &Place) -> Result<Vec<ValuePattern>> {
        let place = place.within("$one_of");
        let Some(values) = value.as_list() else {
            let error = ExpectationError::new("a list of values or matchers", describe(value));
            return Err(error.at(&place.pointer));
        };
        let of = |(index, value): (usize, &Value<'static>)| {
            self.pattern(value, &place.step(&index.to_string(), false))
        };
        values.iter().enumerate().map(of).collect()
    }

    fn text_pattern(&mut self, value: &Value<'_>) -> Result<ValueCondition> {
        let Some(text) = value.as_text() else {
            return Err(ExpectationError::new(
                "a regular expression, a text",
                describe(value),
            ));
        };
        let compiled = self
            .texts
            .compiled(&text.to_display(), || describe(value))?;
        Ok(ValueCondition::Text(compiled))
    }

    fn variable(&mut self, value: &Value<'static>, place: &Place) -> Result<usize> {
        let name = match value {
            Value::String(name) if !name.is_empty() => name,
            _ => {
                return Err(ExpectationError::new(
                    "the name of a variable",
                    describe(value),
                ));
            }
        };
        if let Some(help) = self.instead_of_variables {
            let error = ExpectationError::new("a value or another matcher", "a variable");
            return Err(error.help(help));
        }
        if let Some(matcher) = place.inside {
            let found = format!("a variable inside `{matcher}`");
            return Err(ExpectationError::new("a value or another matcher", found));
        }
        if let Some(known) = self.variables.iter().position(|it| it.name == *name) {
            return Ok(known);
        }
        self.variables.push(Variable {
            name: name.clone(),
            pointer: place.pointer.clone(),
        });
        Ok(self.variables.len() - 1)
    }
}

fn check_rest(rest: &Value<'_>, matcher_keys: usize) -> Result<()> {
    if matcher_keys > 0 {
        let error = ExpectationError::new("keys of an object beside `$rest`", "a matcher");
        return Err(error.help(LITERAL));
    }
    match rest.as_text() {
        Some(text) if *text == "any" => Ok(()),
        _ => Err(ExpectationError::new("\"any\"", describe(rest))).under("$rest"),
    }
}

fn check_optional(object: &Object<'_>, place: &Place) -> Result<()> {
    let refused = |found: &str| {
        let error =
            ExpectationError::new("`$optional` as the whole value of an object's key", found);
        Err(error.help("write it there where the key stands that may be left out"))
    };
    if object.len() > 1 {
        return refused("it beside other keys");
    }
    match place.inside {
        Some(matcher) => refused(&format!("it inside `{matcher}`")),
        None if !place.is_member => refused("it elsewhere"),
        None => Ok(()),
    }
}

/// The advice for an object that was not meant as a matcher.
const LITERAL: &str = "write {\"$literal\": …} for an object that is no matcher";

fn mixed_keys_error(object: &Object<'_>) -> ExpectationError {
    let key = object
        .iter()
        .map(|(key, _)| key)
        .find(|key| key.as_bytes().first() == Some(&b'$') && **key != "$rest");
    let key = key.map_or_else(String::new, |key| key.to_display().into_owned());
    ExpectationError::new(
        "either a matcher or an object",
        format!("`{key}` beside keys without `$`"),
    )
    .help(LITERAL)
}

fn unknown_matcher_error(key: &str) -> ExpectationError {
    let error = ExpectationError::new("a matcher", format!("the key `{key}`"));
    if matches!(key, "$flags" | "$options") {
        return error.help("flags belong into the pattern: `(?i)` at its start ignores case");
    }
    // Words of other libraries and query languages.
    let known = match key {
        "$regex" | "$regexp" | "$match" | "$matches" | "$like" | "$startswith" | "$endswith" => {
            Some("$pattern")
        }
        "$in" | "$or" | "$anyOf" => Some("$one_of"),
        "$between" | "$range" => Some("$gte` with `$lte"),
        "$exists" => Some("$any"),
        _ => nearest(key, MATCHERS).first().copied(),
    };
    error.help(match known {
        Some(name) => format!("did you mean `{name}`? {LITERAL}"),
        None => format!("the matchers are {}; {LITERAL}", MATCHERS.join(", ")),
    })
}

fn number(value: &Value<'_>) -> Result<ExactNumber> {
    ExactNumber::from_value(value).ok_or_else(|| ExpectationError::new("a number", describe(value)))
}

fn approximately(value: &Value<'_>) -> Result<ValueCondition> {
    let form = "an object such as {\"value\": 10, \"within\": 0.5}";
    let Some(object) = value.as_object() else {
        return Err(ExpectationError::new(form, describe(value)));
    };
    if let Some((key, _)) = object
        .iter()
        .find(|(key, _)| *key != "value" && *key != "within")
    {
        return Err(ExpectationError::new(
            form,
            format!("the key `{}`", key.to_display()),
        ));
    }
    let member = |key: &str| match object.get_str(key) {
        Some(value) => number(value).under(key),
        None => Err(ExpectationError::new(form, format!("none under `{key}`"))),
    };
    let (value, within) = (member("value")?, member("within")?);
    if within.is_negative() {
        let found = describe(object.get_str("within").unwrap_or(&Value::Null));
        return Err(ExpectationError::new("a distance of 0 or more", found)).under("within");
    }
    Ok(ValueCondition::Approximately { value, within })
}

fn json_type(value: &Value<'_>) -> Result<ValueCondition> {
    let named = value.as_text().map(Text::to_display);
    let name = named.as_deref().unwrap_or_default();
    if let Some((_, kind)) = JsonType::NAMES.iter().find(|(known, _)| *known == name) {
        return Ok(ValueCondition::Type(*kind));
    }
    let error = ExpectationError::new(
        "`string`, `number`, `integer`, `boolean`, `null`, `array` or `object`",
        describe(value),
    );
    let names = JsonType::NAMES.map(|(name, _)| name);
    Err(match nearest(name, names).first() {
        Some(name) => error.help(format!("did you mean `{name}`?")),
        None => error,
    })
}
