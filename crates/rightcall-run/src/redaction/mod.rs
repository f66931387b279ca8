//! What nobody may see, taken out before anything is stored, reported or printed.
//!
//! Scores are of the real values. Whatever is put in words, an alignment, the details, a cause, a stored case, a group, is made of a copy
//! of the case in which each redacted value is `[redacted 1]`, `[redacted 2]` and so on: equal values of a case have the same number,
//! so that a difference still shows as one, and the numbers tell nothing of the values.

mod rule;

use rightcall::call::{ArgumentSource, Arguments, Call, Case};
use rightcall::value::{JsonText, Object, Reader, Syntax, SyntaxError, Text, Value, decode_with};
use rightcall_formats::{ReadOptions, case_text, read_case};

use crate::path_pattern::{PathStep, Replacing};
use rule::RedactionRule;

pub use rule::BadPattern;

/// What is redacted.
#[derive(Clone, Debug, Default)]
pub struct Redaction(Vec<RedactionRule>);

impl Redaction {
    /// Reads patterns: a pointer into the arguments with `*` and `**` in it, behind `TOOL:` for the calls of a tool; behind `$` into
    /// the case; or a name alone, which is meant at any depth of either.
    ///
    /// # Errors
    /// The first that is none.
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

    /// The case as it may be seen, as canonical text.
    pub fn apply(&self, case: &Case<'_>) -> String {
        let mut seen = Vec::new();
        let calls = case
            .expected
            .calls
            .iter()
            .flatten()
            .chain(case.actual.iter().flat_map(|run| &run.calls));
        let texts: Vec<CallTexts> = calls.map(|call| self.call(call, &mut seen)).collect();
        let mut shown: Case<'_> = case.clone();
        // Of several right ways the one nearest to what was done is shown, whose calls these are.
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
                &mut seen,
            );
            if let Some(redacted) = redacted {
                output.output = Text::from(redacted);
            }
        }
        let beside = self.beside(case, &mut seen);
        beside.put_into(&mut shown);
        case_text(&shown)
    }

    /// What takes the place of what the case says beside its calls.
    fn beside(&self, case: &Case<'_>, seen: &mut Vec<String>) -> Beside {
        let rules: Vec<&[PathStep]> = self
            .0
            .iter()
            .filter(|rule| rule.is_of_case())
            .map(|rule| &rule.steps[..])
            .collect();
        if rules.is_empty() {
            return Beside::default();
        }
        // What is no JSON is text: a reader of cases takes none, but a trace may be read by other rules.
        let json = |text: &str| {
            decode_with(text, Syntax::PYTHON).map_or_else(
                |_| Value::String(Text::from(text.to_owned())),
                Value::into_owned,
            )
        };
        let string = |text: &Text<'_>| Value::String(Text::from(text.to_display().into_owned()));
        let mut field = |name: &str, value: Value<'static>| -> Option<String> {
            let before = JsonText::from_value(&value);
            let whole = Value::Object(Object::new(vec![(Text::from(name.to_owned()), value)]));
            let redacted = redacted(whole, &rules, seen);
            let after = redacted
                .as_object()
                .and_then(|object| object.get_str(name))
                .map(JsonText::from_value)?;
            (after != before).then(|| after.into_string())
        };
        Beside {
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

    /// What takes the place of the parts of a call.
    fn call(&self, call: &Call<'_>, seen: &mut Vec<String>) -> CallTexts {
        let name = call.name.to_display();
        if !self.0.iter().any(|rule| rule.is_of(&name)) {
            return CallTexts::default();
        }
        let arguments = match (call.arguments.source(), call.arguments.to_value()) {
            (ArgumentSource::Absent, _) | (_, None) => None,
            // Text that holds no object may hold anything.
            (ArgumentSource::Text { json, .. }, Some(value)) if value.as_object().is_none() => {
                Some(format!("{{\"arguments\":\"{}\"}}", number(seen, json)))
            }
            (_, Some(value)) => self.value(&name, value, seen),
        };
        let mut json = |text: Option<&str>| {
            let value = decode_with(text?, Syntax::PYTHON).ok()?;
            self.value(&name, value, seen)
        };
        CallTexts {
            arguments,
            output: json(call.metadata().output.as_deref()),
            error: json(call.metadata().error.as_deref()),
        }
    }

    /// The text without what is redacted of the JSON in it, such as tools return; `None` if nothing is.
    fn text(&self, tool: &str, text: &str, seen: &mut Vec<String>) -> Option<String> {
        let json = self.value(tool, Value::from(text), seen)?;
        match decode_with(&json, Syntax::PYTHON).ok()? {
            Value::String(text) => Some(text.to_display().into_owned()),
            _ => None,
        }
    }

    /// The value without what is redacted, as JSON text; `None` if nothing is.
    fn value(&self, tool: &str, value: Value<'_>, seen: &mut Vec<String>) -> Option<String> {
        let rules: Vec<&[PathStep]> = self
            .0
            .iter()
            .filter(|rule| rule.is_of(tool))
            .map(|rule| &rule.steps[..])
            .collect();
        let before = JsonText::from_value(&value);
        let after = JsonText::from_value(&redacted(value, &rules, seen));
        (after != before).then(|| after.into_string())
    }
}

/// What takes the place of the parts of a call; `None` for what stays.
#[derive(Default)]
struct CallTexts {
    arguments: Option<String>,
    output: Option<String>,
    error: Option<String>,
}

/// What takes the place of what a case says beside its calls, as JSON texts; `None` for what stays.
#[derive(Default)]
struct Beside {
    input: Option<String>,
    output: Option<String>,
    description: Option<String>,
    tags: Option<String>,
    meta: Option<String>,
}

impl Beside {
    fn put_into<'t>(&'t self, case: &mut Case<'t>) {
        case.input = self.input.as_deref().or(case.input);
        case.output = self.output.as_deref().or(case.output);
        // A list or an object that was redacted as a whole has become a text.
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

/// The members of an object, each with its text; what is no object has one without a name.
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

/// The value below a place that these steps still lead on from.
fn redacted<'v>(value: Value<'v>, rules: &[&[PathStep]], seen: &mut Vec<String>) -> Value<'v> {
    let replace = &mut |value: Value<'v>| {
        let number = number(seen, JsonText::from_value(&value).as_str());
        Some(Value::String(Text::from(number)))
    };
    let mut replacing = Replacing {
        replace,
        // What is in a text is no less secret.
        looks_into_texts: true,
    };
    replacing.value(value, rules)
}

/// `[redacted 1]`: the place of the value among those of the case. Numbers of equal value are the same.
fn number(seen: &mut Vec<String>, json: &str) -> String {
    let value = decode_with(json, Syntax::PYTHON).ok();
    let number = value
        .as_ref()
        .filter(|value| matches!(value, Value::Integer(_) | Value::Float(_)))
        .and_then(Value::as_f64);
    let json = number.map_or_else(|| json.to_owned(), |number| number.to_string());
    let place = seen
        .iter()
        .position(|known| *known == json)
        .unwrap_or_else(|| {
            seen.push(json);
            seen.len() - 1
        });
    format!("[redacted {}]", place + 1)
}

/// The name of a group without the numbers of values that may not be seen: they tell the values of one case apart, and not cases.
pub(crate) fn without_number(name: String) -> String {
    let mut parts = name.split("[redacted ");
    let Some(first) = parts.next().filter(|first| first.len() < name.len()) else {
        return name;
    };
    parts.fold(first.to_owned(), |name, part| {
        let rest = part
            .split_once(']')
            .filter(|(number, _)| number.bytes().all(|it| it.is_ascii_digit()));
        rest.map_or_else(
            || format!("{name}[redacted {part}"),
            |(_, rest)| format!("{name}[redacted]{rest}"),
        )
    })
}

/// A case as it may be seen; the text it borrows from is the redaction's.
pub(crate) fn shown<'t>(text: &'t str, case: &Case<'_>) -> Case<'t> {
    // What was just written is read; if it were not, nothing would be shown rather than everything.
    let options = ReadOptions {
        hash_key: case.hash_key,
        max_comparisons: case.max_comparisons,
        ..ReadOptions::default()
    };
    read_case(text, &options).unwrap_or_default()
}

#[cfg(test)]
mod tests;
