//! Removes secrets from cases before they are stored, reported or printed.
//!
//! Scores use the original values. All text (alignments, details, causes, stored cases, groups)
//! comes from a copy of the case in which `[redacted 1]`, `[redacted 2]` and so on replace the
//! redacted values. Equal values in a case have the same number, so differences stay visible. The
//! numbers reveal nothing about the values.

mod rule;

use rightcall_core::call::{ArgumentSource, Arguments, Call, Case};
use rightcall_core::learn::REDACTED;
use rightcall_core::value::{
    JsonText, Object, Reader, Syntax, SyntaxError, Text, Value, decode_with,
};
use rightcall_formats::{ReadOptions, case_text, read_case};

use crate::path_pattern::{PathStep, Replacing};
use rule::RedactionRule;

pub use rule::BadPattern;

/// Values to redact.
#[derive(Clone, Debug, Default)]
pub struct Redaction(Vec<RedactionRule>);

impl Redaction {
    /// Parses patterns. A pattern is a pointer into the arguments, with `*` and `**`. `TOOL:`
    /// before it limits it to one tool; `$` makes it a pointer into the case. A plain name matches
    /// at any depth in both.
    ///
    /// # Errors
    /// The first invalid pattern.
    pub fn new<'p>(patterns: impl IntoIterator<Item = &'p str>) -> Result<Self, BadPattern> {
        patterns
            .into_iter()
            .map(RedactionRule::parse)
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// True if nothing is redacted.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The patterns, as the user wrote them.
    pub fn patterns(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|rule| &*rule.text)
    }

    /// Adds the patterns of another redaction.
    pub fn add(&mut self, other: &Self) {
        self.0.extend_from_slice(&other.0);
    }

    /// The redacted case, as canonical text.
    pub fn apply(&self, case: &Case<'_>) -> String {
        let mut known_values = Vec::new();
        let calls = case
            .expected
            .calls
            .iter()
            .flatten()
            .chain(case.actual.iter().flat_map(|run| &run.calls));
        let texts: Vec<CallTexts> = calls
            .map(|call| self.call(call, &mut known_values))
            .collect();
        let mut shown: Case<'_> = case.clone();
        // Of several accepted runs, only the nearest is shown, as a list of calls.
        shown.expected.tree = None;
        let calls = shown
            .expected
            .calls
            .iter_mut()
            .flatten()
            .chain(shown.actual.iter_mut().flat_map(|run| &mut run.calls));
        for (call, texts) in calls.zip(&texts) {
            if let Some(arguments) = &texts.arguments {
                call.arguments = Arguments::json(arguments);
            }
            if let Some(output) = &texts.output {
                call.metadata_mut().output = Some(output.into());
            }
            if let Some(error) = &texts.error {
                call.metadata_mut().error = Some(error.into());
            }
        }
        for output in shown.expected.outputs.iter_mut().flatten() {
            let redacted = self.text(
                &output.name.to_display(),
                &output.output.to_display(),
                &mut known_values,
            );
            if let Some(redacted) = redacted {
                output.output = Text::from(redacted);
            }
        }
        let other_texts = self.other_texts(case, &mut known_values);
        other_texts.apply_to(&mut shown);
        case_text(&shown)
    }

    /// Replacements for the parts of a case other than its calls.
    fn other_texts(&self, case: &Case<'_>, known_values: &mut Vec<String>) -> OtherTexts {
        let rules: Vec<&[PathStep]> = self
            .0
            .iter()
            .filter(|rule| rule.applies_outside_calls())
            .map(|rule| &rule.steps[..])
            .collect();
        if rules.is_empty() {
            return OtherTexts::default();
        }
        // Treat invalid JSON as text. Readers of cases reject it, but a trace may follow other
        // rules.
        let json = |text: &str| {
            decode_with(text, Syntax::PYTHON).map_or_else(
                |_| Value::String(Text::from(text.to_owned())),
                Value::into_owned,
            )
        };
        let string = |text: &Text<'_>| Value::String(Text::from(text.to_display().into_owned()));
        let mut field = |name: &str, value: Value<'static>| -> Option<String> {
            let before = JsonText::from_value(&value);
            let object = Value::Object(Object::new(vec![(Text::from(name.to_owned()), value)]));
            let redacted = redacted(object, &rules, known_values);
            let after = redacted
                .as_object()
                .and_then(|object| object.get_str(name))
                .map(JsonText::from_value)?;
            (after != before).then(|| after.into_string())
        };
        OtherTexts {
            input: case.input.and_then(|text| field("input", json(text))),
            output: case.output.and_then(|text| field("output", json(text))),
            description: case
                .description
                .as_ref()
                .and_then(|text| field("description", string(text))),
            tags: field("tags", Value::List(case.tags.iter().map(string).collect())),
            meta: {
                let entry = |(key, text): &(Text<'_>, &str)| {
                    (Text::from(key.to_display().into_owned()), json(text))
                };
                field(
                    "meta",
                    Value::Object(Object::new(case.meta.iter().map(entry).collect())),
                )
            },
        }
    }

    /// Replacements for the parts of a call.
    fn call(&self, call: &Call<'_>, known_values: &mut Vec<String>) -> CallTexts {
        let name = call.name.to_display();
        if !self.0.iter().any(|rule| rule.applies_to_tool(&name)) {
            return CallTexts::default();
        }
        let arguments = match (call.arguments.source(), call.arguments.to_value()) {
            (ArgumentSource::Absent, _) | (_, None) => None,
            // Text that is not an object may contain anything, so redact all of it.
            (ArgumentSource::Text { json, .. }, Some(value)) if value.as_object().is_none() => {
                Some(format!(
                    "{{\"arguments\":\"{}\"}}",
                    number(known_values, json)
                ))
            }
            (_, Some(value)) => self.value(&name, value, known_values),
        };
        let mut json = |text: Option<&str>| {
            let value = decode_with(text?, Syntax::PYTHON).ok()?;
            self.value(&name, value, known_values)
        };
        CallTexts {
            arguments,
            output: json(call.metadata().output.as_deref()),
            error: json(call.metadata().error.as_deref()),
        }
    }

    /// The text with values in embedded JSON redacted, since tools often return JSON as text;
    /// `None` if nothing changes.
    fn text(&self, tool: &str, text: &str, known_values: &mut Vec<String>) -> Option<String> {
        let json = self.value(tool, Value::from(text), known_values)?;
        match decode_with(&json, Syntax::PYTHON).ok()? {
            Value::String(text) => Some(text.to_display().into_owned()),
            _ => None,
        }
    }

    /// The redacted value as JSON text; `None` if nothing changes.
    fn value(
        &self,
        tool: &str,
        value: Value<'_>,
        known_values: &mut Vec<String>,
    ) -> Option<String> {
        let rules: Vec<&[PathStep]> = self
            .0
            .iter()
            .filter(|rule| rule.applies_to_tool(tool))
            .map(|rule| &rule.steps[..])
            .collect();
        let before = JsonText::from_value(&value);
        let after = JsonText::from_value(&redacted(value, &rules, known_values));
        (after != before).then(|| after.into_string())
    }
}

/// Replacements for the parts of a call; `None` leaves a part unchanged.
#[derive(Default)]
struct CallTexts {
    arguments: Option<String>,
    output: Option<String>,
    error: Option<String>,
}

/// Replacements for the parts of a case other than its calls, as JSON texts; `None` leaves a part unchanged.
#[derive(Default)]
struct OtherTexts {
    input: Option<String>,
    output: Option<String>,
    description: Option<String>,
    tags: Option<String>,
    meta: Option<String>,
}

impl OtherTexts {
    fn apply_to<'t>(&'t self, case: &mut Case<'t>) {
        case.input = self.input.as_deref().or(case.input);
        case.output = self.output.as_deref().or(case.output);
        // A list or object that was redacted as a whole is text now.
        let read = |json: &'t Option<String>| {
            json.as_deref()
                .and_then(|json| decode_with(json, Syntax::PYTHON).ok())
        };
        if let Some(Value::String(text)) = read(&self.description) {
            case.description = Some(text);
        }
        match read(&self.tags) {
            Some(Value::List(tags)) => {
                case.tags = tags
                    .into_iter()
                    .filter_map(|tag| {
                        if let Value::String(tag) = tag {
                            Some(tag)
                        } else {
                            None
                        }
                    })
                    .collect();
            }
            Some(Value::String(tag)) => case.tags = vec![tag],
            _ => {}
        }
        if let Some(json) = &self.meta {
            case.meta = members(json);
        }
    }
}

/// The members of an object with their texts; any other value is a single member called `meta`.
fn members(json: &str) -> Vec<(Text<'_>, &str)> {
    let mut reader = Reader::new(json, Syntax::PYTHON);
    let mut read = || -> Result<Vec<_>, SyntaxError> {
        let (mut members, mut first) = (Vec::new(), reader.enter_object()?);
        while let Some(key) = reader.next_key(&mut first)? {
            members.push((key, reader.raw()?));
        }
        Ok(members)
    };
    read().unwrap_or_else(|_| vec![(Text::from("meta"), json)])
}

/// The value, with every part redacted that the remaining steps match.
fn redacted<'v>(
    value: Value<'v>,
    rules: &[&[PathStep]],
    known_values: &mut Vec<String>,
) -> Value<'v> {
    let replace = &mut |value: Value<'v>| {
        let number = number(known_values, JsonText::from_value(&value).as_str());
        Some(Value::String(Text::from(number)))
    };
    let mut replacing = Replacing {
        replace,
        // Text may contain JSON with the same secrets.
        looks_into_texts: true,
    };
    replacing.value(value, rules)
}

/// `[redacted 1]`: the number of the value within the case. Equal values have the same number.
fn number(known_values: &mut Vec<String>, json: &str) -> String {
    let value = decode_with(json, Syntax::PYTHON).ok();
    let number = value
        .as_ref()
        .filter(|value| matches!(value, Value::Integer(_) | Value::Float(_)))
        .and_then(Value::as_f64);
    let json = number.map_or_else(|| json.to_owned(), |number| number.to_string());
    let place = known_values
        .iter()
        .position(|known| *known == json)
        .unwrap_or_else(|| {
            known_values.push(json);
            known_values.len() - 1
        });
    format!("{REDACTED}{}]", place + 1)
}

/// The group name without the numbers of redacted values. They are specific to a case, so they
/// would split groups.
pub(crate) fn without_number(name: String) -> String {
    let mut parts = name.split(REDACTED);
    let Some(first) = parts.next().filter(|first| first.len() < name.len()) else {
        return name;
    };
    parts.fold(first.to_owned(), |name, part| {
        let rest = part
            .split_once(']')
            .filter(|(number, _)| number.bytes().all(|it| it.is_ascii_digit()));
        rest.map_or_else(
            || format!("{name}{REDACTED}{part}"),
            |(_, rest)| format!("{name}[redacted]{rest}"),
        )
    })
}

/// The redacted case, borrowed from the text of the redaction.
pub(crate) fn shown<'t>(text: &'t str, case: &Case<'_>) -> Case<'t> {
    // If the redacted text could not be parsed, show an empty case rather than the original.
    let options = ReadOptions {
        hash_key: case.hash_key,
        max_comparisons: case.max_comparisons,
        ..ReadOptions::default()
    };
    read_case(text, &options).unwrap_or_default()
}

#[cfg(test)]
mod tests;
