//! Lists the differences between the arguments of a pair, as far as its rule compares them.

use crate::explanation::Difference;
use crate::value::{JsonText, Object, Text, Value, ValueEquality, python};

use super::accepted::{ACCEPTED, Language, Mistake, mistake};
use super::arguments::{at_path, of_tool};
use super::json_text::have_same_json_text;
use super::partial::is_part;
use super::texts::value_text;
use super::{ArgumentMode, ArgumentRule};

/// Maximum number of listed differences per pair; the rest are counted.
const MAX_LISTED: usize = 64;

/// The differences between a pair of calls.
#[derive(Debug)]
pub(crate) struct Differences {
    /// The listed differences.
    pub(crate) found: Vec<Difference>,
    /// Number of further differences.
    pub(crate) more: usize,
    equality: ValueEquality,
}

impl Differences {
    /// The differences that a rule finds between the arguments of two calls with the same name. `None` means absent arguments.
    pub(crate) fn between(
        rule: &ArgumentRule,
        (name, keys): (&Text<'_>, Option<&[Text<'_>]>),
        expected: Option<&Value<'_>>,
        actual: Option<&Value<'_>>,
        equality: ValueEquality,
    ) -> Self {
        let mut differences = Self {
            found: Vec::new(),
            more: 0,
            equality,
        };
        let mut rule = rule;
        while let ArgumentRule::PerTool(rules, other) = rule {
            match of_tool(rules, other, name) {
                ArgumentMode::Rule(of_tool) => rule = of_tool,
                ArgumentMode::Raises(_) => return differences,
            }
        }
        match (rule, expected, actual) {
            (ArgumentRule::Ignored, ..) => {}
            (ArgumentRule::OwnKeys, ..) if keys.is_some_and(<[_]>::is_empty) => {}
            (ArgumentRule::Equal | ArgumentRule::Overlap, ..) => {
                differences.whole(expected, actual);
            }
            (ArgumentRule::JsonText, Some(left), Some(right)) => {
                differences.as_json_text(left, right);
            }
            (ArgumentRule::Accepted(language), Some(left), Some(right)) => {
                differences.mistake(left, right, *language);
            }
            (ArgumentRule::Partial(None), Some(left), right) => {
                differences.add_missing_parts(String::new(), left, right);
            }
            (ArgumentRule::Partial(Some(rule)), Some(left), Some(right)) => {
                let (left, right) = (
                    rule.expected_without_ignored(left),
                    rule.actual_without_ignored(right),
                );
                if rule.exact {
                    differences.whole(Some(&left), Some(&right));
                } else {
                    differences.add_missing_parts(String::new(), &left, Some(&right));
                }
            }
            (_, Some(Value::Object(left)), Some(Value::Object(right))) => {
                differences.by_key(rule, keys, left, right);
            }
            _ => differences.whole(expected, actual),
        }
        differences
    }

    fn whole(&mut self, expected: Option<&Value<'_>>, actual: Option<&Value<'_>>) {
        match (expected, actual) {
            (Some(left), Some(right)) if self.equality.equal(left, right) => {}
            _ => self.inside(String::new(), expected, actual),
        }
    }

    /// Compares two objects by a rule for some of their keys.
    fn by_key(
        &mut self,
        rule: &ArgumentRule,
        keys: Option<&[Text<'_>]>,
        expected: &Object<'_>,
        actual: &Object<'_>,
    ) {
        match (rule, keys) {
            (ArgumentRule::DeepSubset, _) => self.deep_subset("", expected, actual),
            (ArgumentRule::AsText, _) if expected.is_empty() => {
                self.add_unexpected(expected, actual);
            }
            (ArgumentRule::AsText, _) => {
                for (key, value) in expected {
                    self.as_text(key, value, actual.get(key));
                }
            }
            (ArgumentRule::EqualTexts, _) => self.equal_texts(expected, actual),
            (ArgumentRule::Superset, _) | (ArgumentRule::OwnKeys, None) => {
                self.add_unexpected(expected, actual);
            }
            (ArgumentRule::OwnKeys, Some(keys)) => {
                for key in keys {
                    self.member(step("", key), expected.get(key), actual.get(key));
                }
            }
            (ArgumentRule::Paths(paths) | ArgumentRule::PresentPaths(paths), _) => {
                let missing_is_null = matches!(rule, ArgumentRule::Paths(_));
                for path in paths {
                    let pointer = path
                        .iter()
                        .fold(String::new(), |pointer, key| step(&pointer, key));
                    let sides = (at_path(expected, path), at_path(actual, path));
                    match sides {
                        (None, Some(Value::Null)) | (Some(Value::Null), None)
                            if missing_is_null => {}
                        (None, None) if !missing_is_null => self.add(pointer, None, None),
                        (expected, found) => self.member(pointer, expected, found),
                    }
                }
            }
            _ => {
                for (key, value) in expected {
                    self.member(step("", key), Some(value), actual.get(key));
                }
            }
        }
    }

    /// Adds the actual keys that are not expected, or have another value.
    fn add_unexpected(&mut self, expected: &Object<'_>, actual: &Object<'_>) {
        for (key, value) in actual {
            self.member(step("", key), expected.get(key), Some(value));
        }
    }

    fn deep_subset(&mut self, pointer: &str, expected: &Object<'_>, actual: &Object<'_>) {
        for (key, value) in expected {
            match (value, actual.get(key)) {
                (Value::Object(inner), Some(Value::Object(outer))) => {
                    self.deep_subset(&step(pointer, key), inner, outer);
                }
                (value, found) => self.member(step(pointer, key), Some(value), found),
            }
        }
    }

    /// Values with different texts: adds the nested differences, or the whole if only the notation differs.
    fn as_text(&mut self, key: &Text<'_>, expected: &Value<'_>, actual: Option<&Value<'_>>) {
        if actual.is_some_and(|actual| python::str(actual) == python::str(expected)) {
            return;
        }
        let before = self.found.len() + self.more;
        self.inside(step("", key), Some(expected), actual);
        if self.found.len() + self.more == before {
            self.add(step("", key), Some(expected), actual);
        }
    }

    /// Values with different JSON texts: adds the nested differences, or the whole if only the order of keys differs.
    fn as_json_text(&mut self, expected: &Value<'_>, actual: &Value<'_>) {
        if have_same_json_text(expected, actual) {
            return;
        }
        self.inside(String::new(), Some(expected), Some(actual));
        if self.found.is_empty() {
            self.add(String::new(), Some(expected), Some(actual));
        }
    }

    /// Adds the first argument that has none of its accepted values.
    fn mistake(&mut self, expected: &Value<'_>, actual: &Value<'_>, language: Language) {
        if let Ok(Some(Mistake { parameter, .. })) = mistake(expected, actual, language) {
            let accepted = expected.as_object().and_then(|it| it.get_str(ACCEPTED));
            let accepted = accepted.and_then(Value::as_object);
            let accepted = accepted.and_then(|accepted| accepted.get(&parameter));
            let found = actual.as_object().and_then(|it| it.get(&parameter));
            self.add(step("", &parameter), accepted, found);
        }
    }

    /// Adds the parts of an expected value that the actual value lacks.
    fn add_missing_parts(
        &mut self,
        pointer: String,
        expected: &Value<'_>,
        actual: Option<&Value<'_>>,
    ) {
        match (expected, actual) {
            (expected, Some(actual)) if is_part(expected, actual) => {}
            (Value::Object(expected), Some(Value::Object(actual))) => {
                for (key, value) in expected {
                    self.add_missing_parts(step(&pointer, key), value, actual.get(key));
                }
            }
            (Value::List(expected), Some(Value::List(actual)))
                if expected.len() == actual.len() =>
            {
                for (index, (expected, actual)) in expected.iter().zip(actual).enumerate() {
                    self.add_missing_parts(format!("{pointer}/{index}"), expected, Some(actual));
                }
            }
            _ => self.add(pointer, Some(expected), actual),
        }
    }

    /// Compares all keys of both sides by the text of their values.
    fn equal_texts(&mut self, expected: &Object<'_>, actual: &Object<'_>) {
        for (key, value) in expected {
            let found = actual.get(key);
            if found.is_none_or(|found| value_text(found) != value_text(value)) {
                self.add(step("", key), Some(value), found);
            }
        }
        for (key, value) in actual.iter().filter(|(key, _)| expected.get(key).is_none()) {
            self.add(step("", key), None, Some(value));
        }
    }

    /// Compares two values on their own.
    fn member(
        &mut self,
        pointer: String,
        expected: Option<&Value<'_>>,
        actual: Option<&Value<'_>>,
    ) {
        match (expected, actual) {
            (Some(left), Some(right)) if self.equality.equal(left, right) => {}
            // `JavaScriptListsAsObjects` compares the top level differently from nested values.
            (Some(left), Some(right)) if self.equality.equal_inside(left, right) => {
                self.add(pointer, expected, actual);
            }
            _ => self.inside(pointer, expected, actual),
        }
    }

    /// Adds the nested differences between two values.
    fn inside(
        &mut self,
        pointer: String,
        expected: Option<&Value<'_>>,
        actual: Option<&Value<'_>>,
    ) {
        let equality = self.equality;
        match (expected, actual) {
            (None, None) => {}
            (Some(left), Some(right)) if equality.equal_inside(left, right) => {}
            (Some(Value::Object(left)), Some(Value::Object(right))) => {
                for (key, value) in left {
                    self.inside(step(&pointer, key), Some(value), right.get(key));
                }
                for (key, value) in right.iter().filter(|(key, _)| left.get(key).is_none()) {
                    self.inside(step(&pointer, key), None, Some(value));
                }
            }
            (Some(Value::List(left)), Some(Value::List(right))) => {
                for index in 0..left.len().max(right.len()) {
                    self.inside(
                        format!("{pointer}/{index}"),
                        left.get(index),
                        right.get(index),
                    );
                }
            }
            _ => self.add(pointer, expected, actual),
        }
    }

    fn add(&mut self, pointer: String, expected: Option<&Value<'_>>, actual: Option<&Value<'_>>) {
        if self.found.len() < MAX_LISTED {
            self.found.push(Difference {
                pointer,
                expected: expected.map(JsonText::from_python_value),
                found: actual.map(JsonText::from_python_value),
            });
        } else {
            self.more += 1;
        }
    }
}

fn step(pointer: &str, key: &Text<'_>) -> String {
    crate::value::pointer::child(pointer, &key.to_display())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::decode;

    #[track_caller]
    fn check(
        rule: &ArgumentRule,
        keys: Option<&[Text<'_>]>,
        expected: &str,
        actual: &str,
        pointers: &[&str],
    ) {
        let (left, right) = (decode(expected).unwrap(), decode(actual).unwrap());
        let name = Text::new("t");
        let found = Differences::between(
            rule,
            (&name, keys),
            Some(&left),
            Some(&right),
            ValueEquality::Python,
        );
        let found: Vec<_> = found
            .found
            .iter()
            .map(|difference| difference.pointer.as_str())
            .collect();
        assert_eq!(found, pointers, "{rule:?} {expected} {actual}");
    }

    #[test]
    fn rules_report_only_differences_that_they_compare() {
        let (expected, actual) = (
            r#"{"a":{"x":1},"b":2,"c":"1"}"#,
            r#"{"a":{"x":1,"y":2},"c":1,"d":4}"#,
        );
        let all: &[_] = &["/a/y", "/b", "/c", "/d"];
        check(&ArgumentRule::Equal, None, expected, actual, all);
        check(&ArgumentRule::Overlap, None, expected, actual, all);
        check(&ArgumentRule::Ignored, None, expected, actual, &[]);
        check(
            &ArgumentRule::Subset,
            None,
            expected,
            actual,
            &["/a/y", "/b", "/c"],
        );
        check(
            &ArgumentRule::DeepSubset,
            None,
            expected,
            actual,
            &["/b", "/c"],
        );
        check(
            &ArgumentRule::Superset,
            None,
            expected,
            actual,
            &["/a/y", "/c", "/d"],
        );
        check(
            &ArgumentRule::OwnKeys,
            None,
            expected,
            actual,
            &["/a/y", "/c", "/d"],
        );
        check(
            &ArgumentRule::OwnKeys,
            Some(&[Text::new("b"), Text::new("z")]),
            expected,
            actual,
            &["/b"],
        );
        check(&ArgumentRule::OwnKeys, Some(&[]), expected, actual, &[]);
        check(
            &ArgumentRule::AsText,
            None,
            expected,
            actual,
            &["/a/y", "/b"],
        );
        let path = |path: &str| {
            path.split('.')
                .map(|key| Text::from(key.to_owned()))
                .collect()
        };
        check(
            &ArgumentRule::Paths(vec![path("a.x"), path("c"), path("none")]),
            None,
            expected,
            actual,
            &["/c"],
        );
        let of_tool = vec![(Text::new("t"), ArgumentMode::Rule(ArgumentRule::Superset))];
        let per_tool =
            ArgumentRule::PerTool(of_tool, Box::new(ArgumentMode::Rule(ArgumentRule::Equal)));
        check(&per_tool, None, expected, actual, &["/a/y", "/c", "/d"]);
    }

    #[test]
    fn equal_values_with_different_texts_differ_as_texts() {
        check(
            &ArgumentRule::AsText,
            None,
            r#"{"a":{"x":1,"y":2}}"#,
            r#"{"a":{"y":2,"x":1}}"#,
            &["/a"],
        );
        check(&ArgumentRule::AsText, None, "{}", r#"{"a":1}"#, &["/a"]);
        let (one, other) = (r#"{"x":1,"y":2}"#, r#"{"y":2,"x":1}"#);
        check(&ArgumentRule::JsonText, None, one, other, &[""]);
        check(&ArgumentRule::JsonText, None, one, r#"{"x":1}"#, &["/y"]);
        check(&ArgumentRule::JsonText, None, one, one, &[]);
        let partial = ArgumentRule::Partial(None);
        let (one, other) = (
            r#"{"a":[{"b":1,"c":2}],"d":3}"#,
            r#"{"a":[{"b":1,"c":0,"e":4}],"f":5}"#,
        );
        check(&partial, None, one, other, &["/a/0/c", "/d"]);
    }

    #[test]
    fn all_differences_are_counted_and_the_first_are_listed() {
        let list = |value: &str| format!(r#"{{"a":[{}]}}"#, [value; 200].join(","));
        let (left, right) = (
            decode(&list("1")).unwrap().into_owned(),
            decode(&list("2")).unwrap().into_owned(),
        );
        let name = Text::new("t");
        let found = Differences::between(
            &ArgumentRule::Equal,
            (&name, None),
            Some(&left),
            Some(&right),
            ValueEquality::Json,
        );
        assert_eq!(
            (found.found.len(), found.more),
            (MAX_LISTED, 200 - MAX_LISTED)
        );
    }
}
