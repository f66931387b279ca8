//! The four tool-call evaluators of UiPath.
//!
//! Source: the package `uipath` 2.14.44; reference documents for count and order.

pub(crate) mod args;
pub(crate) mod count;
pub(crate) mod order;
pub(crate) mod output;
mod spans;

use crate::presets::prelude::*;
use crate::value::TextBuilder;
use crate::value::python::push_repr_text;

const BOTH: &[Edition] = &[Edition::Documented, Edition::Package];

const NAME: Setting = text(
    "name",
    "null",
    "The evaluator's name in the original. It has no effect here.",
);
const DESCRIPTION: Setting = text("description", "\"\"", "A description. It has no effect.");
const STRICT: Flag = Flag::new(
    "strict",
    false,
    "All or nothing: 1.0 if everything holds, else 0.0.",
);
const DEFAULT_CRITERIA: Setting = any(
    "default_evaluation_criteria",
    "null",
    "Criteria for cases that state none.",
);

/// Criteria of any kind, from a case or from the settings.
#[derive(Debug)]
struct Criteria<T> {
    /// The criteria for cases without their own.
    default: Option<Vec<T>>,
    read: Reader<T>,
}

/// Reads criteria in the original's own shape.
type Reader<T> = fn(&Value<'_>) -> Result<Vec<T>, EvaluationError>;

impl<T> Criteria<T> {
    /// Reads the default criteria from settings, with the checks of all constructors. `key` is their key.
    fn new(
        settings: &Settings<'_>,
        key: &'static str,
        read: Reader<T>,
    ) -> Result<Self, ConfigError> {
        for name in [NAME.name, DESCRIPTION.name] {
            let given = settings.value(name);
            if let Some(value) = given.filter(|value| value.as_text().is_none()) {
                return Err(settings.bad(name, "a text".to_owned(), value));
            }
        }
        STRICT.read(settings)?;
        let name = DEFAULT_CRITERIA.name;
        let given = settings.value(name);
        if let Some(members) = given.and_then(Value::as_object).filter(|_| settings.strict) {
            settings.require_known(name, members, key)?;
        }
        let bad = |error, value| settings.bad(name, format!("criteria ({error})"), value);
        let default = match given {
            None | Some(Value::Null) => None,
            Some(value) => Some(read(value).map_err(|error| bad(error, value))?),
        };
        Ok(Self { default, read })
    }

    /// The criteria of a case, or the default ones, with the list that they come from.
    fn for_case<'s, O>(
        &'s self,
        (case_criteria, list): (Result<O, Outcome>, ExpectedList),
        default: impl FnOnce(&'s [T]) -> O,
    ) -> Result<(O, ExpectedList), Outcome> {
        match (case_criteria, &self.default) {
            (Err(Outcome::NotApplicable(_)), Some(criteria)) => {
                Ok((default(criteria), ExpectedList::Settings))
            }
            (case_criteria, _) => Ok((case_criteria?, list)),
        }
    }

    /// The criteria in the original's own shape; null means the default ones.
    fn for_native<'s, O>(
        &'s self,
        (expected, list): (&str, ExpectedList),
        owned: impl FnOnce(Vec<T>) -> O,
        default: impl FnOnce(&'s [T]) -> O,
    ) -> Result<(O, ExpectedList), Outcome> {
        match (side("expected", expected)?, &self.default) {
            (Value::Null, Some(criteria)) => Ok((default(criteria), ExpectedList::Settings)),
            (Value::Null, None) => {
                let message = "no evaluation criteria, and no default ones";
                Err(EvaluationError::Raised(message.to_owned()).into())
            }
            (value, _) => Ok((owned((self.read)(&value)?), list)),
        }
    }
}

/// The calls required by the settings.
fn items<'c>(default: &[Item<'static>]) -> Items<'c> {
    Items::Own(default.to_vec())
}

impl Criteria<Item<'static>> {
    /// The required calls and the actual ones.
    fn sides<'c>(
        &self,
        case_criteria: (Result<Items<'c>, Outcome>, ExpectedList),
        actual: impl FnOnce() -> Result<Items<'c>, Outcome>,
    ) -> Reading<'c> {
        let (expected, list) = self.for_case(case_criteria, items)?;
        Ok(Sides {
            list,
            ..Sides::new(expected, actual()?)
        })
    }

    /// The same for the original's own shape.
    fn native_sides<'c>(
        &self,
        case_criteria: (&'c str, ExpectedList),
        actual: impl FnOnce() -> Result<Items<'c>, Outcome>,
    ) -> Reading<'c> {
        let (expected, list) = self.for_native(case_criteria, Items::Own, items)?;
        Ok(Sides {
            list,
            ..Sides::new(expected, actual()?)
        })
    }
}

/// The criteria in the original's shape: the value under their key in either spelling; camelCase wins.
fn criteria_under<'v, 'a>(
    value: &'v Value<'a>,
    snake: &str,
    camel: &str,
) -> Result<&'v Value<'a>, EvaluationError> {
    let at = At::root("expected");
    let object = at.object(value)?;
    let found = object.get_str(camel).or_else(|| object.get_str(snake));
    found.ok_or_else(|| at.key(snake).error("criteria", None))
}

/// The message if an empty side decides the score.
fn empty_reason(judged: &Judged<'_, '_, '_>, what: &str) -> Option<String> {
    let sides = match (judged.tally.expected, judged.tally.actual) {
        _ if !judged.is_decided_by_nothing() => return None,
        (0, 0) => "Both expected and",
        _ => "Either expected or",
    };
    Some(format!("{sides} actual {what}"))
}

/// Adds `id='…'` or `id=None`.
fn push_id(id: Option<&Text<'_>>, out: &mut TextBuilder) {
    out.push_str("id=");
    match id {
        Some(id) => push_repr_text(id, out),
        None => out.push_str("None"),
    }
}

/// An original's *error result*: an exception that it catches. Only its first line is reported.
fn error_result(message: &str) -> Outcome {
    let line = message.lines().next().unwrap_or_default();
    Outcome::Failed(EvaluationError::ErrorResult(line.to_owned()))
}
