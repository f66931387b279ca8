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
fn expected_calls_can_choose_the_compared_keys() {
    let check = |keys: Option<&[&'static str]>, expected: &str, actual: &str, grade: Grade| {
        let keys: Option<Vec<_>> = keys.map(|keys| keys.iter().map(|key| Text::new(key)).collect());
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
fn paths_pass_through_objects_and_missing_values_are_null() {
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
