//! Compares arguments: when they are equal, and the credit of arguments that aren't.

use crate::alignment::Grade;
use crate::outcome::EvaluationError;
use crate::value::{Object, Text, Value, ValueEquality};

use super::accepted::{self, Language};
use super::fuzzy::Similarity;
use super::json_text::have_same_json_text;
use super::near::{ArgumentDefaults, is_near_object};
use super::partial::{PartialArguments, is_part};
use super::texts::{as_text, have_equal_texts};

/// How arguments are compared.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ArgumentRule {
    /// Not compared.
    Ignored,
    /// As a whole.
    Equal,
    /// Each expected key exists with an equal value; other keys are allowed.
    Subset,
    /// Each actual key is expected with an equal value.
    Superset,
    /// As subset, and recursively for objects in values.
    DeepSubset,
    /// The values at these paths are equal. A path passes only through objects; a missing value counts as null.
    Paths(Vec<Vec<Text<'static>>>),
    /// The values at these paths exist on both sides and are equal.
    PresentPaths(Vec<Vec<Text<'static>>>),
    /// Each key listed by the expected call is on both sides with equal values, or on neither. Without a list, as superset.
    OwnKeys,
    /// The share of keys with equal values, recursively for objects.
    Overlap,
    /// The mean similarity of the values under the expected keys reaches a threshold.
    Fuzzy {
        /// The minimum mean similarity.
        threshold: f64,
        /// True if a pair below the threshold earns its similarity, false if it earns no credit.
        partial_credit: bool,
        /// True if equal values always have similarity 1; false if the original's similarity rule decides.
        equal_is_alike: bool,
    },
    /// The share of expected keys with values of equal text in Python's `str`.
    AsText,
    /// As a whole, by the JSON text that JavaScript writes: the order of keys matters.
    JsonText,
    /// The expected arguments are part of the actual ones, also inside lists. `None` ignores no keys and has no defaults.
    Partial(Option<Box<PartialArguments>>),
    /// Each actual argument has one of the accepted values and the declared type; the expected arguments hold both.
    Accepted(Language),
    /// The same keys, with values of equal text: strings unchanged, lists and objects as JSON with sorted keys, others by Python's `str`.
    EqualTexts,
    /// As a whole, but numbers within this distance are equal, and a key with a default may be missing on either side.
    Near(f64, ArgumentDefaults),
    /// A rule per tool: the first one with the expected call's name, or else the last field.
    PerTool(Vec<(Text<'static>, ArgumentMode)>, Box<ArgumentMode>),
}

/// How to compare the arguments of one tool.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ArgumentMode {
    /// This rule.
    Rule(ArgumentRule),
    /// The original raises this error when it compares two calls of the tool.
    Raises(String),
}

/// The meaning of missing expected arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MissingArguments {
    /// They are compared: absent equals absent.
    Compared,
    /// They match any arguments.
    Wildcard,
}

impl ArgumentRule {
    /// True if the rule is plain equality, so that digests can replace arguments.
    pub(super) fn is_equality(&self) -> bool {
        matches!(self, Self::Equal)
    }

    /// True if a pair can earn partial credit.
    pub(super) fn has_partial(&self) -> bool {
        matches!(
            self,
            Self::Overlap
                | Self::AsText
                | Self::Fuzzy {
                    partial_credit: true,
                    ..
                }
        )
    }

    /// Grades the arguments of two calls with the same name. `None` means absent arguments.
    pub(super) fn grade(
        &self,
        name: &Text<'_>,
        keys: Option<&[Text<'_>]>,
        expected: Option<&Value<'_>>,
        actual: Option<&Value<'_>>,
        equality: ValueEquality,
    ) -> Result<Grade, EvaluationError> {
        let full_if = |same: bool| if same { Grade::Full } else { Grade::NameOnly };
        let objects = (
            expected.and_then(Value::as_object),
            actual.and_then(Value::as_object),
        );
        Ok(match self {
            Self::Ignored => Grade::Full,
            Self::PerTool(rules, other) => match of_tool(rules, other, name) {
                ArgumentMode::Rule(rule) => rule.grade(name, keys, expected, actual, equality)?,
                ArgumentMode::Raises(message) => {
                    return Err(EvaluationError::Raised(message.clone()));
                }
            },
            Self::Overlap => match overlap(expected, actual, equality)? {
                1.0 => Grade::Full,
                0.0 => Grade::NameOnly,
                share => Grade::Partial(share),
            },
            Self::Equal => full_if(equal(expected, actual, equality)),
            Self::JsonText => full_if(agree(expected, actual, have_same_json_text)),
            Self::Partial(None) => full_if(agree(expected, actual, is_part)),
            Self::Partial(Some(rule)) => {
                full_if(agree(expected, actual, |one, other| rule.agree(one, other)))
            }
            Self::Accepted(language) => full_if(match (expected, actual) {
                (Some(expected), Some(actual)) => {
                    accepted::mistake(expected, actual, *language)?.is_none()
                }
                _ => false,
            }),
            Self::OwnKeys if keys.is_some_and(<[_]>::is_empty) => Grade::Full,
            // Arguments that are not objects have no keys, so they can only be equal as a whole.
            _ => match objects {
                (Some(expected), Some(actual)) => {
                    self.grade_objects(keys, expected, actual, equality)
                }
                _ => full_if(equal(expected, actual, equality)),
            },
        })
    }

    fn grade_objects(
        &self,
        keys: Option<&[Text<'_>]>,
        expected: &Object<'_>,
        actual: &Object<'_>,
        equality: ValueEquality,
    ) -> Grade {
        let same =
            match self {
                Self::Subset => is_subset(expected, actual, equality),
                Self::Superset => is_subset(actual, expected, equality),
                Self::OwnKeys => match keys {
                    None => is_subset(actual, expected, equality),
                    Some(keys) => keys
                        .iter()
                        .all(|key| equal(expected.get(key), actual.get(key), equality)),
                },
                Self::DeepSubset => is_deep_subset(expected, actual, equality),
                Self::Paths(paths) => paths.iter().all(|path| {
                    let (expected, actual) = (at_path(expected, path), at_path(actual, path));
                    equality.equal(
                        expected.unwrap_or(&Value::Null),
                        actual.unwrap_or(&Value::Null),
                    )
                }),
                Self::PresentPaths(paths) => paths.iter().all(|path| {
                    match (at_path(expected, path), at_path(actual, path)) {
                        (Some(expected), Some(actual)) => equality.equal(expected, actual),
                        _ => false,
                    }
                }),
                Self::Fuzzy {
                    threshold,
                    partial_credit,
                    equal_is_alike,
                } => {
                    let similarity = Similarity {
                        equality: equal_is_alike.then_some(equality),
                    }
                    .mean(expected, actual);
                    if expected.is_empty() || similarity >= *threshold {
                        return Grade::Full;
                    }
                    return if *partial_credit && similarity > 0.0 {
                        Grade::Partial(similarity)
                    } else {
                        Grade::NameOnly
                    };
                }
                Self::AsText => return as_text(expected, actual),
                Self::EqualTexts => have_equal_texts(expected, actual),
                Self::Near(within, defaults) => {
                    is_near_object(expected, actual, (*within, &defaults.0), equality)
                }
                Self::Ignored
                | Self::Equal
                | Self::JsonText
                | Self::Partial(_)
                | Self::Accepted(_)
                | Self::Overlap
                | Self::PerTool(..) => equality.equal_objects(expected, actual),
            };
        if same { Grade::Full } else { Grade::NameOnly }
    }
}

/// How to compare the arguments of this tool.
pub(super) fn of_tool<'r>(
    rules: &'r [(Text<'static>, ArgumentMode)],
    other: &'r ArgumentMode,
    name: &Text<'_>,
) -> &'r ArgumentMode {
    rules
        .iter()
        .find(|(tool, _)| tool == name)
        .map_or(other, |(_, mode)| mode)
}

/// True if both exist and are equal, or neither exists.
fn agree(
    expected: Option<&Value<'_>>,
    actual: Option<&Value<'_>>,
    is_same: impl Fn(&Value<'_>, &Value<'_>) -> bool,
) -> bool {
    match (expected, actual) {
        (Some(expected), Some(actual)) => is_same(expected, actual),
        (expected, actual) => expected.is_none() && actual.is_none(),
    }
}

fn equal(
    expected: Option<&Value<'_>>,
    actual: Option<&Value<'_>>,
    equality: ValueEquality,
) -> bool {
    agree(expected, actual, |one, other| equality.equal(one, other))
}

fn is_subset(inner: &Object<'_>, outer: &Object<'_>, equality: ValueEquality) -> bool {
    inner.iter().all(|(key, value)| {
        outer
            .get(key)
            .is_some_and(|other| equality.equal(value, other))
    })
}

fn is_deep_subset(inner: &Object<'_>, outer: &Object<'_>, equality: ValueEquality) -> bool {
    inner
        .iter()
        .all(|(key, value)| match (value, outer.get(key)) {
            (Value::Object(inner), Some(Value::Object(outer))) => {
                is_deep_subset(inner, outer, equality)
            }
            (value, Some(other)) => equality.equal(value, other),
            (_, None) => false,
        })
}

/// The value at a path of keys.
pub(super) fn at_path<'o, 'v>(object: &'o Object<'v>, path: &[Text<'_>]) -> Option<&'o Value<'v>> {
    let (first, rest) = path.split_first()?;
    let value = object.get(first)?;
    if rest.is_empty() {
        Some(value)
    } else {
        at_path(value.as_object()?, rest)
    }
}

/// DeepEval's share of equal parameters, summed one quotient at a time.
fn overlap(
    expected: Option<&Value<'_>>,
    actual: Option<&Value<'_>>,
    equality: ValueEquality,
) -> Result<f64, EvaluationError> {
    if equal(expected, actual, equality) {
        return Ok(1.0);
    }
    match (
        expected.and_then(Value::as_object),
        actual.and_then(Value::as_object),
    ) {
        (Some(expected), Some(actual)) => Ok(object_overlap(expected, actual, equality)),
        _ => Err(EvaluationError::Raised(
            "input parameters are compared, and one of two calls of the same tool has none"
                .to_owned(),
        )),
    }
}

fn object_overlap(expected: &Object<'_>, actual: &Object<'_>, equality: ValueEquality) -> f64 {
    if equality.equal_objects(expected, actual) {
        return 1.0;
    }
    let common = expected
        .iter()
        .filter(|(key, _)| actual.get(key).is_some())
        .count();
    let all = (expected.len() + actual.len() - common) as f64;
    expected
        .iter()
        .fold(0.0, |sum, (key, value)| match (value, actual.get(key)) {
            (value, Some(other)) if equality.equal(value, other) => sum + 1.0 / all,
            (Value::Object(value), Some(Value::Object(other))) => {
                sum + object_overlap(value, other, equality) / all
            }
            _ => sum,
        })
}

#[cfg(test)]
mod tests;
