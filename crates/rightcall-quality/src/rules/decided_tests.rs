//! Tests of rules that check whether a reader, a schema or conditions accept any value or run.

use super::tests::lint_with;
use crate::{Finding, Linter, Severity, SuiteFacts};

/// A tool with enums, bounds, and parameters of each simple type.
const TOOL: &str = r##"[{"name": "f", "parameters": {"type": "object", "$defs": {"k": {"enum": ["x", "y"]}}, "properties": {
    "a": {"type": "integer", "maximum": 10}, "k": {"enum": ["x", "y"]}, "r": {"$ref": "#/$defs/k"}, "s": {"type": "string"},
    "b": {"type": "boolean"}, "n": {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}]},
    "o": {"type": "object", "properties": {"a": {"type": "integer", "minimum": 0}}}, "l": {"type": "array", "items": {"type": "integer"}},
    "m": {"type": "integer", "multipleOf": 5}, "u": {"type": "array", "uniqueItems": true}, "w": {"type": "object", "minProperties": 1}}}},
    {"name": "g", "parameters": {"type": "object", "properties": {}}}]"##;

/// Code, pointer and severity of each finding.
pub(super) fn summaries(findings: &[Finding]) -> Vec<(&'static str, &str, Severity)> {
    findings
        .iter()
        .map(|it| (it.rule.code, &*it.place.pointer, it.severity))
        .collect()
}

/// Lints one record, without tools.
fn lint_record(record: &str) -> Vec<Finding> {
    let mut linter = Linter::default();
    linter.add_record("cases.jsonl", 1, record).unwrap();
    linter.findings()
}

#[test]
fn errors_of_readers_are_findings() {
    for (record, pointer, message, advice) in [
        (
            r#"{"expected": [{"name": "f", "argss": {}}]}"#,
            "/expected/0",
            "expected a key of a call, found the key `argss`",
            "did you mean `args`?",
        ),
        (
            r#"{"expected": [{"name": "f", "args": {"a": {"$patern": "x"}}}]}"#,
            "/expected/0/args/a/$patern",
            "expected a matcher, found the key `$patern`",
            "did you mean `$pattern`?",
        ),
        (
            r#"{"expected": [{"any_ordr": ["f", "g"]}]}"#,
            "/expected/0",
            "found the key `any_ordr`",
            "did you mean `any_order`?",
        ),
        (
            r#"{"expected": [["f", "g"]]}"#,
            "/expected/0",
            "expected a call, found a list",
            "",
        ),
        (
            r#"{"expected": [{"one_of": ["f"], "optional": "g"}]}"#,
            "/expected/0",
            "expected one block",
            "",
        ),
        (
            r#"{"expected": {"counts": {"f": "=> 1"}}}"#,
            "/expected/counts/f",
            "expected an operator and a count",
            "",
        ),
        (
            r#"{"expected": ["f"], "tags": 7}"#,
            "/tags",
            "expected a list of texts",
            "correct",
        ),
        (
            r#"{"expcted": ["f"], "actual": []}"#,
            "/expcted",
            "expected a key of a case, found the key `expcted`",
            "did you mean `expected`?",
        ),
    ] {
        let findings = lint_record(record);
        assert_eq!(
            summaries(&findings),
            [("malformed-expectation", pointer, Severity::Error)],
            "{record}"
        );
        assert!(
            findings[0].message.contains(message),
            "{}",
            findings[0].message
        );
        assert!(
            findings[0].advice.contains(advice),
            "{}",
            findings[0].advice
        );
    }
    let other = lint_record(r#"{"expected": ["f"], "actual": [], "inputs": 1}"#);
    assert_eq!(
        summaries(&other),
        [("malformed-expectation", "/inputs", Severity::Warning)]
    );
}

#[test]
fn matchers_that_accept_no_value_are_found() {
    for (argument, matcher, at) in [
        ("a", r#"{"$gt": 50}"#, Some("")),
        ("a", r#"{"$gt": 9, "$lt": 10}"#, Some("")),
        ("a", r#"{"$gt": 8, "$lt": 10}"#, None),
        ("a", r#"{"$gte": 10}"#, None),
        ("a", r#"{"$type": "string"}"#, Some("")),
        ("a", r#"{"$type": "number"}"#, None),
        ("a", r#"{"$pattern": "1"}"#, Some("")),
        ("a", r#"{"$approx": {"value": 12, "within": 1}}"#, Some("")),
        ("a", r#"{"$approx": {"value": 12, "within": 2}}"#, None),
        ("a", r#"{"$not": {"$type": "integer"}}"#, None),
        ("k", r#"{"$pattern": "^z"}"#, Some("")),
        ("k", r#"{"$pattern": "^x"}"#, None),
        ("k", r#"{"$contains": "q"}"#, Some("")),
        ("r", r#"{"$pattern": "^z"}"#, Some("")),
        ("k", r#"{"$not": {"$one_of": ["x", "y"]}}"#, Some("")),
        ("b", r#"{"$gt": 0}"#, Some("")),
        ("b", r#"{"$type": "boolean"}"#, None),
        ("n", r#"{"$lt": 1}"#, Some("")),
        ("n", r#"{"$type": "null"}"#, None),
        ("s", r#"{"$pattern": "^z"}"#, None),
        ("s", r#"{"$gt": 5, "$lt": 3}"#, Some("")),
        ("s", r#"{"$one_of": []}"#, Some("")),
        ("o", r#"{"a": {"$lt": 0}}"#, Some("/a")),
        ("o", r#"{"a": {"$lt": 1}}"#, None),
        (
            "l",
            r#"[{"$type": "integer"}, {"$type": "string"}]"#,
            Some("/1"),
        ),
        ("a", r#"{"$optional": {"$gt": 50}}"#, Some("/$optional")),
        ("a", r#"{"$any": true}"#, None),
        ("a", r#"{"$var": "x"}"#, None),
    ] {
        let record =
            format!(r#"{{"expected": [{{"name": "f", "args": {{"{argument}": {matcher}}}}}]}}"#);
        let findings = lint_with(TOOL, &[&record]);
        let wanted = at.map(|at| format!("/expected/0/args/{argument}{at}"));
        let found: Vec<_> = findings
            .iter()
            .map(|it| (it.rule.code, it.place.pointer.clone()))
            .collect();
        let wanted: Vec<_> = wanted
            .into_iter()
            .map(|at| ("no-value-accepted", at))
            .collect();
        assert_eq!(found, wanted, "{matcher}");
    }
    let both = r#"{"expected": [{"name": "f", "args": {"a": {"$one_of": [1, {"$gt": 50}]}}}]}"#;
    let findings = lint_with(TOOL, &[both]);
    assert_eq!(
        summaries(&findings),
        [(
            "no-value-accepted",
            "/expected/0/args/a/$one_of/1",
            Severity::Warning
        )]
    );
}

/// Expectations, each with the pointer of its contradiction.
const CONDITIONS: [(&str, Option<&str>); 21] = [
    (
        r#"{"calls": ["f"], "constraints": {"forbidden": ["f"]}}"#,
        Some("/expected/constraints"),
    ),
    (
        r#"{"calls": ["f"], "constraints": {"forbidden": ["?"]}}"#,
        Some("/expected/constraints"),
    ),
    (
        r#"{"constraints": {"required": ["f"], "forbidden": ["f*"]}}"#,
        Some("/expected/constraints"),
    ),
    (
        r#"{"calls": ["f"], "counts": {"f": 3}}"#,
        Some("/expected/counts"),
    ),
    (r#"{"calls": ["f", "f", "f"], "counts": {"f": 3}}"#, None),
    (r#"{"calls": [{"repeat": "f"}], "counts": {"f": 3}}"#, None),
    (
        r#"{"calls": [{"repeat": "f", "max": 2}], "counts": {"f": 3}}"#,
        Some("/expected/counts"),
    ),
    (r#"{"calls": ["f"], "counts": {"g": 2}}"#, None),
    (
        r#"{"calls": ["f", "g"], "order": ["g", "f"]}"#,
        Some("/expected/order"),
    ),
    (
        r#"{"calls": [{"any_order": ["f", "g"]}], "order": ["g", "f"]}"#,
        None,
    ),
    (r#"{"calls": ["f", "g"], "order": ["f", "h", "g"]}"#, None),
    (
        r#"{"calls": ["f", {"optional": "g"}], "constraints": {"forbidden": ["g"]}}"#,
        None,
    ),
    (
        r#"{"calls": [{"one_of": ["f", "g"]}], "constraints": {"forbidden": ["g"]}}"#,
        None,
    ),
    (
        r#"{"calls": ["f", "g"], "constraints": {"order": ["g before f"]}}"#,
        Some("/expected/constraints"),
    ),
    (
        r#"{"calls": ["f"], "constraints": {"order": ["g before f"]}}"#,
        None,
    ),
    (
        r#"{"counts": {"f": ">= 3"}, "constraints": {"max_calls": 2}}"#,
        Some("/expected/constraints"),
    ),
    (
        r#"{"counts": {"f": ">= 3"}, "constraints": {"max_calls": 3}}"#,
        None,
    ),
    (
        r#"{"counts": {"f": 1}, "constraints": {"relations": ["f == g"], "forbidden": ["g"]}}"#,
        Some("/expected/constraints"),
    ),
    (
        r#"{"calls": [{"name": "f", "args": {"a": 1}}, {"name": "f", "args": {"a": 1}}], "constraints": {"max_repeats": 0}}"#,
        Some("/expected/constraints"),
    ),
    (
        r#"{"calls": ["f", "f"], "constraints": {"max_repeats": 0}}"#,
        None,
    ),
    (
        r#"{"constraints": {"max_errors": 0, "max_run_seconds": 3}}"#,
        None,
    ),
];

#[test]
fn conditions_that_no_expected_run_meets_are_found() {
    for (expected, at) in CONDITIONS {
        let findings = lint_record(&format!(r#"{{"expected": {expected}}}"#));
        let found: Vec<_> = findings
            .iter()
            .map(|it| (it.rule.code, &*it.place.pointer))
            .collect();
        let wanted: Vec<_> = at
            .into_iter()
            .map(|at| ("self-contradiction", at))
            .collect();
        assert_eq!(found, wanted, "{expected}");
    }
    let findings = lint_record(r#"{"expected": {"calls": ["f"], "counts": {"f": 3}}}"#);
    assert!(
        findings[0].message.ends_with("the nearest breaks: f = 3"),
        "{}",
        findings[0].message
    );
}

#[test]
fn suites_that_forbid_expected_calls_are_found() {
    let lint = |settings: &str, expected: &str| {
        let mut linter = Linter::default();
        linter.next_group();
        let record = format!(r#"{{"id": "a", "expected": {expected}}}"#);
        linter.add_record("cases.jsonl", 1, &record).unwrap();
        linter.add_suite(SuiteFacts {
            file: "suite.yaml".into(),
            can_fail: true,
            tools: Vec::new(),
            rules: Vec::new(),
            constraints: vec![settings.to_owned()],
            errors: Vec::new(),
        });
        linter.next_group();
        let other = r#"{"id": "b", "expected": ["g"]}"#;
        linter.add_record("other.jsonl", 1, other).unwrap();
        linter.findings()
    };
    let twice = r#"[{"name": "f", "args": {"a": 1}}, {"name": "f", "args": {"a": 1}}]"#;
    for (settings, expected, finds) in [
        (r#"{"forbidden": ["g"]}"#, r#"["f", "g"]"#, true),
        (r#"{"forbidden": ["h"]}"#, r#"["f", "g"]"#, false),
        (r#"{"counts": {"g": 0}}"#, r#"["f", "g"]"#, true),
        (r#"{"max_calls": 1}"#, r#"["f", "g"]"#, true),
        (r#"{"max_repeats": 0}"#, twice, true),
        (r#"{"max_repeats": 1}"#, twice, false),
        (
            r#"{"required": ["verify"], "counts": {"look": ">= 1"}}"#,
            r#"["f"]"#,
            false,
        ),
        (r#"{"forbidden": ["g"]}"#, r#"{"order": ["g"]}"#, true),
        (r#"{"forbidden": ["g"]}"#, "[]", false),
    ] {
        let findings = lint(settings, expected);
        let wanted = [("self-contradiction", "/expected", Severity::Warning)];
        let wanted = if finds { &wanted[..] } else { &[] };
        assert_eq!(summaries(&findings), wanted, "{settings} {expected}");
    }
}

#[test]
fn conditions_that_every_run_meets_are_found() {
    for (expected, finds) in [
        (r#"{"constraints": {}}"#, true),
        (r#"{"counts": {"f": ">= 0"}}"#, true),
        (
            r#"{"counts": {"f": ">= 0"}, "constraints": {"counts": {"g*": "0.."}, "forbidden": []}}"#,
            true,
        ),
        (r#"{"counts": {"f": "<= 7"}}"#, false),
        (r#"{"counts": {"f": "!= 3"}}"#, false),
        (r#"{"constraints": {"max_errors": 0}}"#, false),
        (r#"{"calls": []}"#, false),
        (r#"{"calls": [{"optional": "f"}]}"#, true),
        (r#"{"order": []}"#, false),
        ("{}", false),
    ] {
        let findings = lint_record(&format!(r#"{{"expected": {expected}}}"#));
        let found = findings.iter().any(|it| it.rule.code == "any-run-passes");
        assert_eq!(found, finds, "{expected}");
    }
    // An empty object is a finding only if other cases have a real expectation.
    let both = lint_with(TOOL, &[r#"{"expected": {}}"#, r#"{"expected": ["f"]}"#]);
    assert_eq!(
        summaries(&both),
        [("any-run-passes", "/expected", Severity::Warning)]
    );
}

#[test]
fn tools_in_conditions_are_looked_up_in_the_catalogue() {
    let check = |expected: &str, wanted: &[(&str, Severity)]| {
        let findings = lint_with(TOOL, &[&format!(r#"{{"expected": {expected}}}"#)]);
        let found: Vec<_> = findings
            .iter()
            .map(|it| (&*it.place.pointer, it.severity))
            .collect();
        assert_eq!(found, wanted, "{expected}");
        assert!(
            findings
                .iter()
                .all(|it| it.rule.code == "tool-not-in-catalogue")
        );
    };
    check(
        r#"{"counts": {"h": 1}}"#,
        &[("/expected/counts/h", Severity::Error)],
    );
    check(r#"{"counts": {"h": 0, "f": 1}}"#, &[]);
    check(
        r#"{"order": ["f", "h"]}"#,
        &[("/expected/order/1", Severity::Error)],
    );
    check(
        r#"{"constraints": {"required": ["h"], "forbidden": ["other_tool"]}}"#,
        &[("/expected/constraints/required/0", Severity::Error)],
    );
    check(
        r#"{"constraints": {"required": ["?"], "forbidden": ["g*"]}}"#,
        &[],
    );
    let tools = r#"[{"name": "delete_order", "input_schema": {"type": "object"}}]"#;
    let forbidden = r#"{"expected": {"constraints": {"forbidden": ["delete_ordr*"]}}}"#;
    let findings = lint_with(tools, &[forbidden]);
    assert_eq!(
        summaries(&findings),
        [(
            "tool-not-in-catalogue",
            "/expected/constraints/forbidden/0",
            Severity::Warning
        )]
    );
}

#[test]
fn schema_keywords_for_several_arguments_are_checked() {
    let tools = r#"[{"name": "f", "parameters": {"type": "object", "properties": {"a": {}, "b": {}, "c": {}},
        "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}},
        {"name": "p", "parameters": {"type": "object", "properties": {"a": {"type": "integer"}},
        "patternProperties": {"^x-": {"type": "string"}}, "additionalProperties": false}}]"#;
    for (call, wanted) in [
        (r#"{"name": "f", "args": {"a": 1, "c": 2}}"#, None),
        (
            r#"{"name": "f", "args": {"c": 2}}"#,
            Some(("type-differs-from-schema", "/expected/0")),
        ),
        (r#"{"name": "f", "args": {"c": 2, "$rest": "any"}}"#, None),
        (r#"{"name": "p", "args": {"a": 1, "x-y": "q"}}"#, None),
        (
            r#"{"name": "p", "args": {"x-y": 1}}"#,
            Some(("type-differs-from-schema", "/expected/0/args/x-y")),
        ),
        (
            r#"{"name": "p", "args": {"y": "q"}}"#,
            Some(("argument-not-in-schema", "/expected/0/args/y")),
        ),
    ] {
        let findings = lint_with(tools, &[&format!(r#"{{"expected": [{call}]}}"#)]);
        let found: Vec<_> = findings
            .iter()
            .map(|it| (it.rule.code, &*it.place.pointer))
            .collect();
        assert_eq!(found, wanted.into_iter().collect::<Vec<_>>(), "{call}");
    }
    for (argument, value, message) in [
        ("m", "7", "f.m: expected a multiple of 5, found 7"),
        (
            "u",
            "[1, 1]",
            "f.u: expected items that all differ, found [1,1]",
        ),
        ("w", "{}", "f.w: expected 1 members or more, found {}"),
    ] {
        let record =
            format!(r#"{{"expected": [{{"name": "f", "args": {{"{argument}": {value}}}}}]}}"#);
        let findings = lint_with(TOOL, &[&record]);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].message, message);
        assert_eq!(findings[0].rule.code, "value-out-of-range");
    }
}

#[test]
fn integer_equals_float_of_the_same_value() {
    let tools = r#"[{"name": "f", "parameters": {"type": "object", "properties": {"a": {"type": "number", "default": 2.0, "enum": [2, 3]}}}}]"#;
    let codes = |records: &[&str]| -> Vec<_> {
        lint_with(tools, records)
            .iter()
            .map(|it| (it.rule.code, it.fix.is_some()))
            .collect()
    };
    assert_eq!(
        codes(&[r#"{"ground_truth": [{"f": {"a": [2]}}]}"#]),
        [("default-must-be-written-out", false)]
    );
    assert_eq!(
        codes(&[r#"{"ground_truth": [{"f": {"a": [3, 3.0, ""]}}]}"#]),
        [("redundant-alternative", false)]
    );
    let case = |value: &str| {
        format!(r#"{{"input": "q", "expected": [{{"name": "f", "args": {{"a": {value}}}}}]}}"#)
    };
    assert_eq!(
        codes(&[&case("3"), &case("3.0")]),
        [("duplicate-case", false)]
    );
}

#[test]
fn redundant_alternatives_of_a_block_are_found() {
    let findings = lint_record(
        r#"{"expected": ["g", {"any_order": [{"one_of": ["f", {"name": "f", "args": {"a": 1}}, "f"]}]}]}"#,
    );
    assert_eq!(
        summaries(&findings),
        [
            (
                "redundant-alternative",
                "/expected/1/any_order/0/one_of/1",
                Severity::Warning
            ),
            (
                "redundant-alternative",
                "/expected/1/any_order/0/one_of/2",
                Severity::Note
            )
        ]
    );
    assert!(findings[0].fix.is_none() && findings[1].fix.is_some());
    assert_eq!(
        findings[0].message,
        r#""f" accepts {"args":{"a":1},"name":"f"} already"#
    );
    let findings = lint_record(
        r#"{"expected": [{"name": "f", "args": {"a": {"$one_of": [5, {"$gt": 1}, 0]}}}]}"#,
    );
    assert_eq!(
        summaries(&findings),
        [(
            "redundant-alternative",
            "/expected/0/args/a/$one_of/0",
            Severity::Warning
        )]
    );
}

#[test]
fn misspelled_types_and_undefined_required_names_are_found() {
    let check = |schema: &str, wanted: &[(&str, &str)]| {
        let tools = format!(r#"[{{"name": "f", "parameters": {schema}}}]"#);
        let findings = lint_with(&tools, &[]);
        let found: Vec<_> = findings
            .iter()
            .map(|it| (it.rule.code, &*it.place.pointer))
            .collect();
        assert_eq!(found, wanted, "{schema}");
    };
    let at = "/0/parameters/properties/a/type";
    check(
        r#"{"type": "object", "properties": {"a": {"type": "strng"}}}"#,
        &[("schema-invalid", at)],
    );
    check(
        r#"{"type": "object", "properties": {"a": {"type": ["integr", "null"]}}}"#,
        &[("schema-invalid", at)],
    );
    for other in [
        "String",
        "HashMap",
        "any",
        "dict",
        "float",
        "tuple",
        "ArrayList",
        "long",
    ] {
        check(
            &format!(r#"{{"type": "object", "properties": {{"a": {{"type": "{other}"}}}}}}"#),
            &[],
        );
    }
    let required = r#"{"type": "object", "required": ["oder_id"], "properties": {"order_id": {}}}"#;
    check(
        required,
        &[("schema-required-unlisted", "/0/parameters/required")],
    );
    check(
        r#"{"type": "object", "required": ["x"], "properties": {"a": {}}, "patternProperties": {"x": {}}}"#,
        &[],
    );
}
