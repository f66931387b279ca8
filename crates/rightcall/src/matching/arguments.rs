//! When two lists of arguments are the same, and what they are worth where they are not.

use crate::alignment::Grade;
use crate::outcome::EvaluationError;
use crate::value::{Object, Text, Value, ValueEquality};

use super::fuzzy::Similarity;
use super::near::{ArgumentDefaults, is_near_object};
use super::texts::{as_text, have_equal_texts};

/// How arguments are compared.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ArgumentRule {
    /// Not at all.
    Ignored,
    /// Whole.
    Equal,
    /// Each expected key is there with an equal value; more is allowed.
    Subset,
    /// Each actual key is expected with an equal value.
    Superset,
    /// As subset, and objects under a key recursively so.
    DeepSubset,
    /// The values under these paths are equal; a path goes through objects only, and missing is null.
    Paths(Vec<Vec<Text<'static>>>),
    /// The values under these paths are there on both sides, and equal.
    PresentPaths(Vec<Vec<Text<'static>>>),
    /// The keys that the expected call names are on both sides with equal values, or on neither; where it names none, as superset.
    OwnKeys,
    /// The share of keys with equal values, objects recursively so.
    Overlap,
    /// Mean similarity of the values under the expected keys reaches a threshold.
    Fuzzy {
        /// The least mean similarity.
        threshold: f64,
        /// Whether a pair below it earns its similarity, or nothing.
        partial_credit: bool,
        /// Whether values that are equal are wholly alike, or only those that the original takes for alike.
        equal_is_alike: bool,
    },
    /// The share of expected keys whose values have equal texts in Python's `str`.
    AsText,
    /// The same keys, with values of equal texts: strings as they are, lists and objects as JSON with sorted keys, others by Python's `str`.
    EqualTexts,
    /// Whole, but numbers are alike within this distance, and a key with a default may be left out on either side.
    Near(f64, ArgumentDefaults),
    /// By tool: the first rule whose name is the expected call's, else the last member.
    PerTool(Vec<(Text<'static>, ArgumentMode)>, Box<ArgumentMode>),
}

/// What is asked of the arguments of one tool.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ArgumentMode {
    /// This rule.
    Rule(ArgumentRule),
    /// An error of the original, raised where two calls of the tool are compared.
    Raises(String),
}

/// What expected arguments that are left out demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MissingArguments {
    /// They are compared: absent equals absent.
    Compared,
    /// Nothing: they are a wildcard.
    Wildcard,
}

impl ArgumentRule {
    /// True if the rule amounts to equality, so that digests can stand for arguments.
    pub(super) fn is_equality(&self) -> bool {
        matches!(self, Self::Equal)
    }

    /// True if a pair can earn part of the credit.
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

    /// What two arguments, of calls of one name, are to each other. `None` stands for absent ones.
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
            Self::OwnKeys if keys.is_some_and(<[_]>::is_empty) => Grade::Full,
            // Arguments that are no objects have no keys: they can only be equal.
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
        let same = match self {
            Self::Subset => is_subset(expected, actual, equality),
            Self::Superset => is_subset(actual, expected, equality),
            Self::OwnKeys => match keys {
                None => is_subset(actual, expected, equality),
                Some(keys) => keys
                    .iter()
                    .all(|key| match (expected.get(key), actual.get(key)) {
                        (Some(expected), Some(actual)) => equality.equal(expected, actual),
                        (None, None) => true,
                        _ => false,
                    }),
            },
            Self::DeepSubset => is_deep_subset(expected, actual, equality),
            Self::Paths(paths) => paths.iter().all(|path| {
                let (expected, actual) = (at_path(expected, path), at_path(actual, path));
                equality.equal(
                    expected.unwrap_or(&Value::Null),
                    actual.unwrap_or(&Value::Null),
                )
            }),
            Self::PresentPaths(paths) => {
                paths.iter().all(
                    |path| match (at_path(expected, path), at_path(actual, path)) {
                        (Some(expected), Some(actual)) => equality.equal(expected, actual),
                        _ => false,
                    },
                )
            }
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
            Self::Ignored | Self::Equal | Self::Overlap | Self::PerTool(..) => {
                equality.equal_objects(expected, actual)
            }
        };
        if same { Grade::Full } else { Grade::NameOnly }
    }
}

/// What is asked of the arguments of this tool.
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

fn equal(
    expected: Option<&Value<'_>>,
    actual: Option<&Value<'_>>,
    equality: ValueEquality,
) -> bool {
    match (expected, actual) {
        (Some(expected), Some(actual)) => equality.equal(expected, actual),
        (None, None) => true,
        _ => false,
    }
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

/// The value under a path of keys.
pub(super) fn at_path<'o, 'v>(object: &'o Object<'v>, path: &[Text<'_>]) -> Option<&'o Value<'v>> {
    let (first, rest) = path.split_first()?;
    let value = object.get(first)?;
    if rest.is_empty() {
        Some(value)
    } else {
        at_path(value.as_object()?, rest)
    }
}

/// DeepEval's share of equal parameters, one quotient added at a time.
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
mod tests {
    use super::*;
    use crate::value::decode;

    #[track_caller]
    fn check(rule: &ArgumentRule, expected: &str, actual: &str, grade: Grade) {
        let (expected_value, actual_value) = (decode(expected).unwrap(), decode(actual).unwrap());
        let found = rule
            .grade(
                &Text::new("t"),
                None,
                Some(&expected_value),
                Some(&actual_value),
                ValueEquality::Python,
            )
            .unwrap();
        assert_eq!(found, grade, "{rule:?} {expected} {actual}");
    }

    #[test]
    fn rules_by_key() {
        let (small, large) = (r#"{"a":1}"#, r#"{"a":1.0,"b":{"c":1,"d":2}}"#);
        check(&ArgumentRule::Equal, small, large, Grade::NameOnly);
        check(&ArgumentRule::Subset, small, large, Grade::Full);
        check(&ArgumentRule::Subset, large, small, Grade::NameOnly);
        check(&ArgumentRule::Superset, large, small, Grade::Full);
        check(&ArgumentRule::Superset, small, large, Grade::NameOnly);
        check(
            &ArgumentRule::Subset,
            r#"{"b":{"c":1}}"#,
            large,
            Grade::NameOnly,
        );
        check(
            &ArgumentRule::DeepSubset,
            r#"{"b":{"c":1}}"#,
            large,
            Grade::Full,
        );
        check(&ArgumentRule::DeepSubset, r#"{"b":{}}"#, large, Grade::Full);
        check(
            &ArgumentRule::DeepSubset,
            r#"{"b":[]}"#,
            large,
            Grade::NameOnly,
        );
        check(&ArgumentRule::Ignored, small, "{}", Grade::Full);
    }

    #[test]
    fn an_expected_call_may_name_the_keys_that_are_compared() {
        let check = |keys: Option<&[&'static str]>, expected: &str, actual: &str, grade: Grade| {
            let keys: Option<Vec<_>> =
                keys.map(|keys| keys.iter().map(|key| Text::new(key)).collect());
            let (left, right) = (decode(expected).unwrap(), decode(actual).unwrap());
            let (name, equality) = (Text::new("t"), ValueEquality::Python);
            let found = ArgumentRule::OwnKeys.grade(
                &name,
                keys.as_deref(),
                Some(&left),
                Some(&right),
                equality,
            );
            assert_eq!(found, Ok(grade), "{keys:?} {expected} {actual}");
        };
        let (large, small) = (r#"{"a":1,"b":2}"#, r#"{"a":1.0}"#);
        check(None, large, small, Grade::Full);
        check(None, small, large, Grade::NameOnly);
        check(Some(&["a"]), small, large, Grade::Full);
        check(Some(&["b"]), large, small, Grade::NameOnly);
        check(Some(&["c"]), large, small, Grade::Full);
        check(Some(&["c"]), "{}", r#"{"c":null}"#, Grade::NameOnly);
        check(Some(&[]), r#"{"a":1}"#, r#"{"a":2}"#, Grade::Full);
    }

    #[test]
    fn paths_go_through_objects_and_missing_is_null() {
        let path = |text: &str| {
            ArgumentRule::Paths(vec![
                text.split('.')
                    .map(|part| Text::from(part.to_owned()))
                    .collect(),
            ])
        };
        check(
            &path("o.p"),
            r#"{"o":{"p":1},"z":1}"#,
            r#"{"o":{"p":1}}"#,
            Grade::Full,
        );
        check(
            &path("o.p"),
            r#"{"o":{"p":1}}"#,
            r#"{"o":[1]}"#,
            Grade::NameOnly,
        );
        check(&path("missing"), "{}", r#"{"missing":null}"#, Grade::Full);
    }

    #[test]
    fn overlap_adds_one_quotient_at_a_time() {
        let object = |same: usize| {
            let entries: Vec<_> = (0..10)
                .map(|key| format!("\"k{key}\":{}", usize::from(key >= same)))
                .collect();
            format!("{{{}}}", entries.join(","))
        };
        check(
            &ArgumentRule::Overlap,
            &object(10),
            &object(9),
            Grade::Partial(0.899_999_999_999_999_9),
        );
        check(&ArgumentRule::Overlap, "{}", "{}", Grade::Full);
        check(
            &ArgumentRule::Overlap,
            r#"{"a":1}"#,
            r#"{"b":1}"#,
            Grade::NameOnly,
        );
        check(
            &ArgumentRule::Overlap,
            r#"{"a":{"x":1,"y":2}}"#,
            r#"{"a":{"x":1,"y":3}}"#,
            Grade::Partial(0.5),
        );
        let error = ArgumentRule::Overlap.grade(
            &Text::new("t"),
            None,
            None,
            Some(&decode("{}").unwrap()),
            ValueEquality::Python,
        );
        assert!(error.is_err());
        let both_absent =
            ArgumentRule::Overlap.grade(&Text::new("t"), None, None, None, ValueEquality::Python);
        assert_eq!(both_absent, Ok(Grade::Full));
    }

    #[test]
    fn fuzzy_and_text() {
        let fuzzy = |threshold, partial_credit| ArgumentRule::Fuzzy {
            threshold,
            partial_credit,
            equal_is_alike: false,
        };
        check(
            &fuzzy(0.75, false),
            r#"{"q":"bcde"}"#,
            r#"{"q":"abcd"}"#,
            Grade::Full,
        );
        check(
            &fuzzy(0.8, false),
            r#"{"q":"bcde"}"#,
            r#"{"q":"abcd"}"#,
            Grade::NameOnly,
        );
        check(
            &fuzzy(0.8, true),
            r#"{"q":"bcde"}"#,
            r#"{"q":"abcd"}"#,
            Grade::Partial(0.75),
        );
        check(&fuzzy(2.0, false), "{}", r#"{"q":1}"#, Grade::Full);
        check(
            &fuzzy(0.8, false),
            r#"{"q":null}"#,
            r#"{"q":null}"#,
            Grade::NameOnly,
        );
        let equal_is_alike = ArgumentRule::Fuzzy {
            threshold: 1.0,
            partial_credit: true,
            equal_is_alike: true,
        };
        check(
            &equal_is_alike,
            r#"{"q":null,"n":1,"o":{"p":null}}"#,
            r#"{"q":null,"n":1.0,"o":{"p":null}}"#,
            Grade::Full,
        );
        check(
            &equal_is_alike,
            r#"{"q":null,"n":1}"#,
            r#"{"n":1}"#,
            Grade::Partial(0.5),
        );
        check(
            &ArgumentRule::AsText,
            r#"{"a":1,"b":true}"#,
            r#"{"a":"1","b":"true"}"#,
            Grade::Partial(0.5),
        );
        check(&ArgumentRule::AsText, "{}", r#"{"a":1}"#, Grade::NameOnly);
    }
}
