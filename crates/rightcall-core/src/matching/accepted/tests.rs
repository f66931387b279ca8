use super::*;
use crate::value::decode;

/// Checks the kind of error for an argument `a` with this property and these accepted values.
#[track_caller]
fn check(language: Language, property: &str, answers: &str, found: &str, wrong: Option<&str>) {
    let expected = format!(
        r#"{{"accepted":{{"a":{answers}}},"parameters":{{"properties":{{"a":{property}}},"required":[]}}}}"#
    );
    let actual = format!(r#"{{"a":{found}}}"#);
    let (expected, actual) = (decode(&expected).unwrap(), decode(&actual).unwrap());
    let mistake = mistake(&expected, &actual, language).unwrap();
    assert_eq!(
        mistake.map(|mistake| mistake.kind),
        wrong,
        "{property} {answers} {found}"
    );
}

#[test]
fn python_values_are_compared_by_their_declared_type() {
    let check = |property, answers, found, wrong| {
        check(Language::Python, property, answers, found, wrong);
    };
    let (text, float) = (r#"{"type":"string"}"#, r#"{"type":"float"}"#);
    check(text, r#"["New York, NY"]"#, r#""new-york NY.""#, None);
    check(text, r#"["a"]"#, r#""b""#, Some("value_error:string"));
    check(text, r#"["a"]"#, "1", Some("type_error:simple"));
    check(float, "[1.0]", "1", None);
    check(float, "[1]", "1", None);
    check(
        r#"{"type":"integer"}"#,
        "[1]",
        "1.0",
        Some("type_error:simple"),
    );
    check(
        r#"{"type":"boolean"}"#,
        "[true]",
        "false",
        Some("value_error:others"),
    );
    // An accepted string for a declared number is the name of a variable, and keeps its case.
    check(r#"{"type":"integer"}"#, r#"["n"]"#, r#""n""#, None);
    check(
        r#"{"type":"integer"}"#,
        r#"["n"]"#,
        r#""N""#,
        Some("value_error:others"),
    );
    let list = r#"{"type":"array","items":{"type":"string"}}"#;
    check(list, r#"[["a b"]]"#, r#"["A.B"]"#, None);
    check(
        list,
        r#"[["a","b"]]"#,
        r#"["b","a"]"#,
        Some("value_error:list/tuple"),
    );
    check(list, r#"[["a"]]"#, "[1]", Some("type_error:nested"));
    // If `""` is accepted too, items of any type pass the type check, and an empty list counts as a missing value.
    check(list, r#"[["a"],""]"#, "[1]", Some("value_error:list/tuple"));
    check(list, r#"[["a"],""]"#, "[]", None);
    let object = r#"{"type":"dict"}"#;
    check(object, r#"[{"k":["a",""],"n":[1]}]"#, r#"{"n":1}"#, None);
    check(
        object,
        r#"[{"k":["a"]}]"#,
        r#"{"k":"b"}"#,
        Some("value_error:dict_value"),
    );
    check(
        object,
        r#"[{"k":["a"]}]"#,
        r#"{"z":1}"#,
        Some("value_error:dict_key"),
    );
    let objects = r#"{"type":"array","items":{"type":"dict"}}"#;
    check(objects, r#"[[{"k":[1]}]]"#, r#"[{"k":1}]"#, None);
    check(
        objects,
        r#"[[{"k":[1]}]]"#,
        "[]",
        Some("value_error:list_dict_count"),
    );
}

#[test]
fn java_values_are_parsed_from_text() {
    let check = |property: &str, answers, found: &str, wrong| {
        let found = format!("\"{}\"", found.replace('"', "\\\""));
        check(Language::Java, property, answers, &found, wrong);
    };
    let of = |declared: &str, item: &str| {
        format!(r#"{{"type":"{declared}","items":{{"type":"{item}"}}}}"#)
    };
    check(&of("long", ""), "[5]", "5L", None);
    check(&of("long", ""), "[5]", "5", Some("type_error:simple"));
    check(&of("float", ""), "[2.5]", "2.5f", None);
    check(&of("boolean", ""), "[true]", "true", None);
    let array = of("Array", "integer");
    check(&array, "[[1,2]]", "new int[]{1, 2}", None);
    check(
        &array,
        "[[1,2]]",
        "new int[] { 1 }",
        Some("value_error:list/tuple"),
    );
    let list = of("ArrayList", "String");
    check(
        &list,
        r#"[["a","b"]]"#,
        r#"new ArrayList<>(Arrays.asList("a", "b"))"#,
        None,
    );
    check(
        &list,
        r#"[["a"]]"#,
        r#"new ArrayList<String>() {{ add("a"); }}"#,
        None,
    );
    let map = r#"new HashMap<String, Object>() {{ put("k", 50); put("s", "x"); }}"#;
    check(&of("HashMap", ""), r#"[{"k":[50],"s":["X"]}]"#, map, None);
}

#[test]
fn javascript_values_are_parsed_from_text() {
    let check = |property: &str, answers, found: &str, wrong| {
        let found = format!("\"{}\"", found.replace('"', "\\\""));
        check(Language::JavaScript, property, answers, &found, wrong);
    };
    let of = |declared: &str, item: &str| {
        format!(r#"{{"type":"{declared}","items":{{"type":"{item}"}}}}"#)
    };
    check(&of("Bigint", ""), "[12]", "12n", None);
    check(&of("String", ""), r#"["a"]"#, "'A'", None);
    let array = of("array", "String");
    check(&array, r#"[["a","b"]]"#, r#"["a", 'b']"#, None);
    check(&array, r#"[["a"]]"#, r#"new Array("a")"#, None);
    let object = of("dict", "");
    check(
        &object,
        r#"[{"k":["a"],"n":[[1,2]]}]"#,
        "{'k': 'a', n: [1, 2]}",
        None,
    );
    check(
        &object,
        r#"[{"k":["x: y"]}]"#,
        "{k: 'x, y'}",
        Some("value_error:dict_value"),
    );
}

#[test]
fn pairs_end_before_a_comma_followed_by_a_key() {
    let expected = decode(
        r#"{"accepted":{"a":[{"m":[["f(x, y)","g"]],"k":["v"]}]},
"parameters":{"properties":{"a":{"type":"dict"}},"required":[]}}"#,
    )
    .unwrap();
    let actual = decode(r#"{"a":"{m: [f(x, y), g], k: v}"}"#).unwrap();
    // Commas always separate array items, even inside nested values.
    let wrong = mistake(&expected, &actual, Language::JavaScript).unwrap();
    assert_eq!(wrong.map(|it| it.kind), Some("value_error:dict_value"));
}

#[test]
fn input_that_makes_the_original_fail_is_an_error() {
    let expected = decode(
        r#"{"accepted":{"a":[1]},"parameters":{"properties":{"a":{"type":"Any"}},"required":[]}}"#,
    );
    let actual = decode(r#"{"a":1}"#).unwrap();
    assert!(mistake(&expected.unwrap(), &actual, Language::Python).is_err());
    let large = format!(r#"{{"a":1{}}}"#, "0".repeat(400));
    let expected = decode(
        r#"{"accepted":{"a":[1.0]},"parameters":{"properties":{"a":{"type":"float"}},"required":[]}}"#,
    );
    let actual = decode(&large).unwrap();
    assert!(mistake(&expected.unwrap(), &actual, Language::Python).is_err());
}

#[test]
fn a_required_parameter_that_is_not_a_text_is_missing() {
    for (required, kind) in [
        ("7", Some("simple_function_checker:missing_required")),
        ("\"a\"", None),
    ] {
        let text = format!(
            r#"{{"accepted":{{"a":[1]}},"parameters":{{"properties":{{"a":{{"type":"integer"}}}},"required":[{required}]}}}}"#
        );
        let expected = decode(&text);
        let actual = decode(r#"{"a":1}"#).unwrap();
        let wrong = mistake(&expected.unwrap(), &actual, Language::Python).unwrap();
        assert_eq!(wrong.map(|it| it.kind), kind, "{required}");
    }
}
