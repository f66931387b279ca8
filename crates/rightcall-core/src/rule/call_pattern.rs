//! The call patterns of rules.

use std::cell::OnceCell;
use std::fmt;

use super::fit::Fit;
use crate::call::Call;
use crate::expectation::{ActualCall, ExpectationError, ReadResult, Under, ValueDemand};
use crate::matching::NamePattern;
use crate::settings::{describe, nearest};
use crate::value::{JsonText, Object, Text, Value};

/// A call in the form that rules match.
#[derive(Clone, Debug)]
pub(crate) struct RuleCall<'c> {
    call: &'c Call<'c>,
    /// Decoded on first use: most rules match only names.
    decoded: OnceCell<ActualCall<'c>>,
    /// `None` if not recorded.
    failed: Option<bool>,
}

impl<'c> RuleCall<'c> {
    /// A call of a run. An empty error counts as not recorded.
    pub(crate) fn from_call(call: &'c Call<'_>) -> Self {
        Self {
            call,
            decoded: OnceCell::new(),
            failed: call.failed(),
        }
    }

    /// The tool's name.
    pub(super) fn name(&self) -> &Text<'c> {
        &self.call.name
    }

    fn decoded(&self) -> &ActualCall<'c> {
        self.decoded.get_or_init(|| self.call.for_expectation())
    }

    /// The first field that was not recorded.
    pub(super) fn missing(&self) -> &'static str {
        if self.arguments().is_none() {
            "args"
        } else if self.decoded().read_output().is_none() {
            "output"
        } else {
            "error"
        }
    }

    /// The arguments, if they were recorded.
    pub(crate) fn arguments(&self) -> Option<&Value<'c>> {
        self.decoded().arguments()
    }
}

/// Matches a call, one of several calls, or any call.
#[derive(Clone, Debug)]
pub(crate) struct CallPattern {
    /// The alternatives; each is decided separately.
    places: Vec<CallPlace>,
}

/// One alternative of a pattern.
#[derive(Clone, Debug, Default)]
struct CallPlace {
    name: Option<NamePattern>,
    arguments: Option<ValueDemand>,
    output: Option<ValueDemand>,
    failed: Option<bool>,
    /// The rest of the pattern after the name, as readable text.
    more: String,
}

const PATTERN: &str = "the name of a tool, an object such as {\"name\": \"refund\", \"args\": {\"id\": 7}}, or a list of these";

const KEYS: [&str; 4] = ["name", "args", "output", "failed"];

impl CallPattern {
    /// Matches the calls of a tool, or of all tools that match the pattern.
    pub(super) fn from_name(name: &str) -> Self {
        let place = CallPlace {
            name: Some(NamePattern::new(name)),
            ..CallPlace::default()
        };
        Self {
            places: vec![place],
        }
    }

    pub(super) fn read(value: &Value<'static>, pointer: &str) -> ReadResult<Self> {
        let mut places = Vec::new();
        add_places(value, pointer, &mut places)?;
        Ok(Self { places })
    }

    /// How a call fits any of the alternatives. A part that certainly does not fit excludes an
    /// alternative, even if other parts are unrecorded.
    pub(crate) fn fit(&self, call: &RuleCall<'_>) -> Fit {
        let fits = self.places.iter().map(|place| place.fit(call));
        fits.fold(Fit::NO, Fit::or)
    }

    /// The tool names in the pattern.
    pub(crate) fn names(&self) -> impl Iterator<Item = String> {
        let names = self.places.iter().filter_map(|place| place.name.as_ref());
        names.map(ToString::to_string)
    }
}

impl CallPlace {
    fn fit(&self, call: &RuleCall<'_>) -> Fit {
        let name = self.name.as_ref();
        if name.is_some_and(|it| !it.matches(call.name())) {
            return Fit::NO;
        }
        let arguments = part(self.arguments.as_ref(), || call.arguments());
        let output = part(self.output.as_ref(), || call.decoded().read_output());
        let failed = match (self.failed, call.failed) {
            (None, _) => Some(true),
            (Some(_), None) => None,
            (Some(wanted), Some(failed)) => Some(wanted == failed),
        };
        if [arguments, output, failed].contains(&Some(false)) {
            return Fit::NO;
        }
        Fit::from_unknown(arguments.is_none(), output.is_none() || failed.is_none())
    }
}

/// True if a part of a call meets the demand; `None` if it was not recorded.
fn part<'v, 'c: 'v>(
    demand: Option<&ValueDemand>,
    found: impl FnOnce() -> Option<&'v Value<'c>>,
) -> Option<bool> {
    demand.map_or(Some(true), |demand| Some(demand.holds(found()?)))
}

fn add_places(
    value: &Value<'static>,
    pointer: &str,
    places: &mut Vec<CallPlace>,
) -> ReadResult<()> {
    let wrong = |found: String| Err(ExpectationError::new(PATTERN, found).at(pointer));
    match value {
        Value::String(name) if !name.is_empty() => {
            places.extend(CallPattern::from_name(&name.to_display()).places);
            Ok(())
        }
        Value::Object(object) => {
            places.push(place(object).map_err(|error| error.at(pointer))?);
            Ok(())
        }
        Value::List(items) if items.is_empty() => wrong("an empty list".to_owned()),
        Value::List(items) => {
            let mut items = items.iter().enumerate();
            items.try_for_each(|(index, item)| {
                add_places(item, &format!("{pointer}/{index}"), places)
            })
        }
        other => wrong(describe(other)),
    }
}

fn place(object: &Object<'static>) -> ReadResult<CallPlace> {
    let mut place = CallPlace::default();
    for (key, value) in object {
        let key = &*key.to_display();
        let at = crate::value::pointer::child("", key);
        match (key, value) {
            ("name", Value::String(name)) if !name.is_empty() => {
                place.name = Some(NamePattern::new(name.to_display()));
            }
            ("name", other) => {
                return Err(ExpectationError::new("the name of a tool", describe(other)))
                    .under(key);
            }
            ("args", value) => {
                place.arguments = Some(ValueDemand::of_arguments(value, &at)?);
                let json = JsonText::from_value(value);
                place.more += " with ";
                place.more += json.as_str();
            }
            ("output", value) => {
                place.output = Some(ValueDemand::of_output(value, &at)?);
                let json = JsonText::from_value(value);
                place.more += " returning ";
                place.more += json.as_str();
            }
            ("failed", Value::Bool(failed)) => {
                place.failed = Some(*failed);
                place.more += if *failed { " failed" } else { " not failed" };
            }
            ("failed", other) => {
                return Err(ExpectationError::new("true or false", describe(other))).under(key);
            }
            _ => return Err(unknown_key(key, &KEYS, "a pattern of calls")).under(key),
        }
    }
    Ok(place)
}

/// The error for an unknown key: the nearest key, or all keys if none is near.
pub(super) fn unknown_key(key: &str, known: &[&str], what: &str) -> ExpectationError {
    let found = format!("the key `{key}`");
    match nearest(key, known.iter().copied()).first() {
        Some(name) => ExpectationError::new(format!("a key of {what}"), found)
            .help(format!("did you mean `{name}`?")),
        None => ExpectationError::new(format!("a key of {what}: {}", known.join(", ")), found),
    }
}

impl fmt::Display for CallPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, place) in self.places.iter().enumerate() {
            let or = if index > 0 { " or " } else { "" };
            let name = place.name.as_ref();
            let name = name.map_or_else(|| "any tool".to_owned(), ToString::to_string);
            write!(f, "{or}{name}{}", place.more)?;
        }
        Ok(())
    }
}
