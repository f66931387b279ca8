//! The four tool-call evaluators of UiPath.
//!
//! Source: the package `uipath` 2.14.44; reference documents for count and order.

pub(crate) mod args;
mod comparisons;
pub(crate) mod count;
pub(crate) mod order;
pub(crate) mod output;
mod spans;

use crate::evaluation::{Ask, Evaluation, EvaluationError, Outcome};
use crate::explanation::{ExpectedList, Explanation};
use crate::prepared::PreparedCase;
use crate::registry::Edition;
use crate::settings::{ConfigError, Setting, SettingKind, Settings};
use crate::value::{JsonWriter, Object, Value};

use super::reading::{At, side};
use super::{Source, rendering::Layout};

const LAYOUT: Layout = Layout::UiPath;

const BOTH: &[Edition] = &[Edition::Documented, Edition::Package];

const NAME: Setting = Setting {
    name: "name",
    kind: SettingKind::Text,
    default: "null",
    doc: "The evaluator's name in the original. It has no effect here.",
};

const DESCRIPTION: Setting = Setting {
    name: "description",
    kind: SettingKind::Text,
    default: "\"\"",
    doc: "A description. It has no effect.",
};

const STRICT: Setting = Setting {
    name: "strict",
    kind: SettingKind::Bool,
    default: "false",
    doc: "All or nothing: 1.0 if everything holds, else 0.0.",
};

const DEFAULT_CRITERIA: Setting = Setting {
    name: "default_evaluation_criteria",
    kind: SettingKind::Any,
    default: "null",
    doc: "Criteria for cases that state none.",
};

/// What the constructors share.
#[derive(Debug)]
struct Common<C> {
    strict: bool,
    default_criteria: Option<C>,
}

impl<C> Common<C> {
    /// `key` is that of the criteria.
    fn new(
        settings: &Settings<'_>,
        key: &'static str,
        criteria: impl Fn(&Value<'_>) -> Result<C, EvaluationError>,
    ) -> Result<Self, ConfigError> {
        for name in ["name", "description"] {
            if let Some(value) = settings
                .value(name)
                .filter(|value| value.as_text().is_none())
            {
                return Err(settings.bad(name, "a text".to_owned(), value));
            }
        }
        let strict = settings.bool("strict", false)?;
        let given = settings.value("default_evaluation_criteria");
        if let Some(members) = given.and_then(Value::as_object).filter(|_| settings.strict) {
            settings.require_known(DEFAULT_CRITERIA.name, members, key)?;
        }
        let default_criteria = match given {
            None | Some(Value::Null) => None,
            Some(value) => Some(criteria(value).map_err(|error| {
                settings.bad(
                    "default_evaluation_criteria",
                    format!("criteria ({error})"),
                    value,
                )
            })?),
        };
        Ok(Self {
            strict,
            default_criteria,
        })
    }
}

/// The criteria of an original-shaped case: a member of an object, in either spelling, the camelCase one winning.
fn criteria_member<'v, 'a>(
    value: &'v Value<'a>,
    snake: &str,
    camel: &str,
) -> Result<&'v Value<'a>, EvaluationError> {
    let at = At::root("expected");
    let object = at.object(value)?;
    object
        .get_str(camel)
        .or_else(|| object.get_str(snake))
        .ok_or_else(|| at.key(snake).error("criteria", None))
}

/// The criteria to judge by, and whether the case states them.
enum Criteria<'c, C> {
    Own(C),
    Default(&'c C),
}

impl<C> Criteria<'_, C> {
    fn get(&self) -> &C {
        match self {
            Self::Own(criteria) => criteria,
            Self::Default(criteria) => criteria,
        }
    }
}

impl<C> Criteria<'_, C> {
    /// The explanation with the list that its indices of expected calls count in: `own`, unless the criteria are the default ones.
    fn explanation(&self, explanation: Explanation, own: ExpectedList) -> Explanation {
        let list = if matches!(self, Self::Default(_)) {
            ExpectedList::Settings
        } else {
            own
        };
        Explanation {
            list,
            ..explanation
        }
    }
}

/// The criteria of a case through either door: its own, else the default ones.
fn criteria<'c, C>(
    source: &Source<'c>,
    default: Option<&'c C>,
    of_case: impl Fn(&'c PreparedCase<'c>) -> Result<C, Outcome>,
    of_value: impl Fn(&Value<'_>) -> Result<C, EvaluationError>,
) -> Result<Criteria<'c, C>, Outcome> {
    match source {
        Source::Case(case) => match (of_case(case), default) {
            (Ok(criteria), _) => Ok(Criteria::Own(criteria)),
            (Err(Outcome::NotApplicable(_)), Some(default)) => Ok(Criteria::Default(default)),
            (Err(outcome), _) => Err(outcome),
        },
        Source::Native { expected, .. } => match (side("expected", expected)?, default) {
            (Value::Null, Some(default)) => Ok(Criteria::Default(default)),
            (Value::Null, None) => Err(EvaluationError::Raised(
                "no evaluation criteria, and no default ones".to_owned(),
            )
            .into()),
            (value, _) => Ok(Criteria::Own(of_value(&value)?)),
        },
    }
}

/// The original's *error result*: an exception that does not escape, as a result with a score of 0.
fn error_result(message: &str, ask: Ask) -> Evaluation {
    let line = message.lines().next().unwrap_or_default();
    let mut evaluation = Evaluation::without_score(Outcome::Failed(EvaluationError::ErrorResult(
        line.to_owned(),
    )));
    if ask.result {
        let mut writer = JsonWriter::new();
        writer
            .begin_object()
            .key("score")
            .float(0.0)
            .key("score_type")
            .count(2);
        writer
            .key("details")
            .str(&format!("Exception thrown by evaluator: {line}"))
            .end_object();
        evaluation.result = Some(writer.finish());
    }
    evaluation
}

fn required<'v, 'a>(
    at: &At<'_>,
    object: &'v Object<'a>,
    key: &str,
) -> Result<&'v Value<'a>, EvaluationError> {
    object
        .get_str(key)
        .ok_or_else(|| at.key(key).error("a value", None))
}
