//! Explanations as JSON text, for storage and for other programs. Unknown members are ignored and missing ones are empty, so texts of older
//! and newer versions can be read.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Difference, ExplainedPair, Explanation, is_default};
use crate::alignment::Grade;
use crate::value::{DocumentError, JsonText, Object, Syntax, Text, Value, decode_with, from_json};

impl Explanation {
    /// The explanation as JSON text.
    pub fn to_json(&self) -> JsonText {
        JsonText::from_type(self)
    }

    /// Reads the output of [`Explanation::to_json`].
    ///
    /// # Errors
    /// The first location that is not JSON, or not a value of the expected kind.
    pub fn from_json(text: &str) -> Result<Self, DocumentError> {
        from_json(text)
    }
}

/// Serializes a value with `NaN` and infinities as texts: JSON lacks them.
#[expect(clippy::ref_option, reason = "the signature that serde calls")]
pub(super) fn serialize_strictly<S: Serializer>(
    json: &Option<JsonText>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let special = |json: &&JsonText| {
        ["NaN", "Infinity"]
            .iter()
            .any(|it| json.as_str().contains(it))
    };
    let strict = json.as_ref().filter(special).and_then(|json| {
        let value = decode_with(json.as_str(), Syntax::PYTHON).ok()?;
        Some(JsonText::from_value(&with_texts(value)))
    });
    strict.as_ref().or(json.as_ref()).serialize(serializer)
}

/// The value with a text in place of each number that JSON lacks.
fn with_texts(value: Value<'_>) -> Value<'_> {
    match value {
        Value::Float(float) if !float.is_finite() => {
            let text = JsonText::from_python_value(&Value::Float(float));
            Value::String(Text::from(text.into_string()))
        }
        Value::List(items) => Value::List(items.into_iter().map(with_texts).collect()),
        Value::Object(object) => {
            let members = object
                .iter()
                .map(|(key, value)| (key.clone(), with_texts(value.clone())));
            Value::Object(Object::new(members.collect()))
        }
        other => other,
    }
}

/// A pair in its JSON form.
#[derive(Serialize, Deserialize)]
pub(super) struct PairText<'p> {
    #[serde(default)]
    expected: usize,
    #[serde(default)]
    actual: usize,
    #[serde(default)]
    grade: GradeName,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    share: Option<f64>,
    #[serde(default = "counted")]
    counted: bool,
    #[serde(default)]
    differences: Cow<'p, [Difference]>,
    #[serde(default, skip_serializing_if = "is_default")]
    more_differences: usize,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum GradeName {
    Full,
    Partial,
    NameOnly,
    #[default]
    #[serde(other)]
    Unlike,
}

fn counted() -> bool {
    true
}

impl Serialize for ExplainedPair {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (grade, share) = match self.grade {
            Grade::Full => (GradeName::Full, None),
            Grade::Partial(share) => (GradeName::Partial, Some(share)),
            Grade::NameOnly => (GradeName::NameOnly, None),
            Grade::Unlike => (GradeName::Unlike, None),
        };
        let text = PairText {
            expected: self.expected,
            actual: self.actual,
            grade,
            share,
            counted: self.counted,
            differences: Cow::Borrowed(&self.differences),
            more_differences: self.more_differences,
        };
        text.serialize(serializer)
    }
}

impl From<PairText<'_>> for ExplainedPair {
    fn from(text: PairText<'_>) -> Self {
        Self {
            grade: match text.grade {
                GradeName::Full => Grade::Full,
                GradeName::Partial => Grade::Partial(text.share.unwrap_or_default()),
                GradeName::NameOnly => Grade::NameOnly,
                GradeName::Unlike => Grade::Unlike,
            },
            counted: text.counted,
            differences: text.differences.into_owned(),
            more_differences: text.more_differences,
            ..Self::new(text.expected, text.actual)
        }
    }
}

/// Calls of both sides, as one list per side.
pub(super) mod sided {
    use super::{Deserialize, Deserializer, Serialize, Serializer};
    use crate::alignment::Side;

    #[derive(Default, Serialize, Deserialize)]
    #[serde(default)]
    struct SidedText {
        expected: Vec<usize>,
        actual: Vec<usize>,
    }

    pub(in super::super) fn serialize<S: Serializer>(
        calls: &[(Side, usize)],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let of = |side| {
            let calls = calls.iter().filter(move |(it, _)| *it == side);
            calls.map(|(_, index)| *index).collect()
        };
        let text = SidedText {
            expected: of(Side::Expected),
            actual: of(Side::Actual),
        };
        text.serialize(serializer)
    }

    pub(in super::super) fn deserialize<'t, D: Deserializer<'t>>(
        deserializer: D,
    ) -> Result<Vec<(Side, usize)>, D::Error> {
        let text = SidedText::deserialize(deserializer)?;
        let expected = text.expected.into_iter().map(|it| (Side::Expected, it));
        let actual = text.actual.into_iter().map(|it| (Side::Actual, it));
        Ok(expected.chain(actual).collect())
    }
}

/// Checks, with the indices of those that count calls in a separate list.
pub(super) mod checks {
    use std::borrow::Cow;

    use super::{Deserialize, Deserializer, Serialize, Serializer};
    use crate::explanation::ExplainedCheck;

    #[derive(Serialize, Deserialize)]
    struct ChecksText<'c> {
        #[serde(default)]
        checks: Cow<'c, [ExplainedCheck]>,
        #[serde(default)]
        counts: Vec<usize>,
    }

    pub(in super::super) fn serialize<S: Serializer>(
        checks: &[ExplainedCheck],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let text = (!checks.is_empty()).then(|| ChecksText {
            checks: Cow::Borrowed(checks),
            counts: (0..checks.len())
                .filter(|it| checks[*it].is_count)
                .collect(),
        });
        text.serialize(serializer)
    }

    pub(in super::super) fn deserialize<'t, D: Deserializer<'t>>(
        deserializer: D,
    ) -> Result<Vec<ExplainedCheck>, D::Error> {
        let text = ChecksText::deserialize(deserializer)?;
        let mut checks = text.checks.into_owned();
        for index in text.counts {
            if let Some(check) = checks.get_mut(index) {
                check.is_count = true;
            }
        }
        Ok(checks)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Costs, ExpectedList, ExplainedCheck, Side, Term};
    use super::*;
    use crate::tally::Tally;
    use crate::value::JsonWriter;

    #[test]
    fn explanations_round_trip() {
        let mut value = JsonWriter::new();
        value.raw(r#"{"n":1.10,"big":123456789012345678901234567890,"s":"\ud800"}"#);
        let value = value.finish();
        let difference = Difference {
            pointer: "/a~1b".into(),
            expected: Some(value),
            found: None,
        };
        let pair = |grade, counted| ExplainedPair {
            grade,
            counted,
            differences: vec![difference.clone()],
            more_differences: usize::from(!counted),
            ..ExplainedPair::new(2, 1)
        };
        let explanation = Explanation {
            pairs: vec![
                pair(Grade::Full, true),
                pair(Grade::Partial(0.25), true),
                pair(Grade::NameOnly, false),
            ],
            missed: vec![0, 3],
            extra: vec![4],
            duplicates: vec![(Side::Expected, 1), (Side::Actual, 2)],
            not_examined: vec![(Side::Actual, 5)],
            checks: [Some(true), Some(false), None]
                .map(|held| ExplainedCheck {
                    label: "a \"b\"".into(),
                    is_count: held.is_some(),
                    wanted: "= 1".into(),
                    found: "3".into(),
                    held,
                    actual: vec![1, 2],
                    vacuous: held == Some(true),
                    why: held.map(|held| format!("because {held}")),
                })
                .into(),
            tally: Tally {
                expected: 4,
                actual: 6,
                full: 1,
                partial: 1,
                name_only: 1,
                credit: 1.25,
                missed: 2,
                extra: 1,
            },
            arithmetic: vec![Term {
                label: "recall".into(),
                formula: "1 / 3".into(),
                value: 1.0 / 3.0,
            }],
            list: ExpectedList::Outputs,
            costs: Costs::MISSED,
        };
        let json = explanation.to_json();
        let read = Explanation::from_json(json.as_str()).unwrap();
        assert_eq!(format!("{read:?}"), format!("{explanation:?}"));
        assert_eq!(read.to_json(), json);
    }

    #[test]
    fn numbers_that_json_lacks_are_texts() {
        let value = |json| decode_with(json, Syntax::PYTHON).ok();
        let text = |json| Some(JsonText::from_python_value(&value(json)?));
        let difference = Difference {
            pointer: "/x".into(),
            expected: text(r#"{"a":[NaN,1],"b":-Infinity}"#),
            found: text("NaN"),
        };
        assert_eq!(
            JsonText::from_type(&difference).as_str(),
            r#"{"pointer":"/x","expected":{"a":["NaN",1],"b":"-Infinity"},"found":"NaN"}"#
        );
    }

    #[test]
    fn unknown_members_are_ignored_and_other_documents_are_errors() {
        let read =
            Explanation::from_json(r#"{"new":[{"a":1}],"pairs":[{"expected":1,"more":null}]}"#)
                .unwrap();
        assert_eq!((read.pairs.len(), read.pairs[0].expected), (1, 1));
        assert!(Explanation::from_json(r#"{"pairs":7}"#).is_err());
        assert!(Explanation::from_json("[]").is_err());
    }
}
