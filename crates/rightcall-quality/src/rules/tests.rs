use rightcall_formats::ToolCatalogue;

use super::rules;
use crate::{Finding, Linter, Severity, SuiteFacts, ToolInSuite};

/// A tool with one parameter of each kind that the rules check.
const TOOL: &str = r##"{"name": "book", "description": "Books a room. A booking can only be changed once.", "parameters": {
    "type": "object",
    "required": ["city"],
    "$defs": {"guest": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}},
    "properties": {
        "city": {"type": "string"},
        "nights": {"type": "integer", "default": 1, "minimum": 1},
        "price": {"type": "number"},
        "unit": {"type": "string", "enum": ["usd", "eur", "dontcare"], "description": "The currency; 'dontcare' for any."},
        "date": {"type": "string", "format": "date"},
        "guests": {"type": "array", "items": {"$ref": "#/$defs/guest"}},
        "id": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        "options": {"type": "object", "properties": {"wifi": {"type": "boolean"}, "floor": {"type": "integer"}}, "required": ["wifi"]}
    }}}"##;

pub(super) fn lint_with(tools: &str, records: &[&str]) -> Vec<Finding> {
    let mut linter = Linter::default();
    linter.add_tools(&ToolCatalogue::from_text(tools).unwrap(), "tools.json");
    for (line, record) in (1..).zip(records) {
        linter.add_record("cases.jsonl", line, record).unwrap();
    }
    linter.findings()
}

/// The codes and pointers of a record's findings.
fn found(record: &str) -> Vec<(&'static str, String)> {
    let findings = lint_with(TOOL, &[record]);
    findings
        .into_iter()
        .map(|it| (it.rule.code, it.place.pointer))
        .collect()
}

fn call(arguments: &str) -> String {
    format!(r#"{{"expected": [{{"name": "book", "args": {arguments}}}]}}"#)
}

fn answer(arguments: &str) -> String {
    format!(r#"{{"ground_truth": [{{"book": {arguments}}}]}}"#)
}

#[test]
fn unknown_constraints_are_found() {
    let constraints = |it: &str| format!(r#"{{"expected": {{"constraints": {it}}}}}"#);
    for wrong in [
        r#"{"forbiden": ["book"]}"#,
        r#"{"max_calls": -1}"#,
        r#"{"rules": [{"forbid": "book"}]}"#,
        "[]",
    ] {
        let at = "/expected/constraints".to_owned();
        assert_eq!(
            found(&constraints(wrong)),
            [("malformed-expectation", at)],
            "{wrong}"
        );
    }
    assert_eq!(
        found(&constraints(
            r#"{"forbidden": ["delete_*"], "max_calls": 3}"#
        )),
        []
    );
}

#[test]
fn valid_calls_have_no_findings() {
    for record in [
        call(r#"{"city": "Oslo"}"#),
        call(
            r#"{"city": "Oslo", "nights": 2.0, "price": 3, "unit": "dontcare", "date": "2024-05-01", "id": null}"#,
        ),
        call(r#"{"city": {"$pattern": "^O"}, "nights": {"$gte": 1}, "guests": [{"name": "Ann"}]}"#),
        call(r#"{"nights": 2, "$rest": "any"}"#),
        r#"{"expected": ["book", {"any_order": [{"name": "book"}]}]}"#.to_owned(),
        r#"{"expected": [], "input": "hello"}"#.to_owned(),
        answer(
            r#"{"city": ["Oslo", "oslo"], "nights": [1, ""], "options": [{"wifi": [true], "floor": [2, ""]}]}"#,
        ),
        r#"{"ground_truth": [["book('Oslo', nights=2)", "book(city='Oslo')"], []]}"#.to_owned(),
        r#"{"id": "x"}"#.to_owned(),
    ] {
        assert_eq!(found(&record), [], "{record}");
    }
}

#[test]
fn wrong_values_of_calls_are_found() {
    let at = |argument: &str| format!("/expected/0/args/{argument}");
    for (arguments, code, pointer) in [
        (r#"{"city": 7}"#, "type-differs-from-schema", at("city")),
        (
            r#"{"city": "a", "nights": 1.5}"#,
            "type-differs-from-schema",
            at("nights"),
        ),
        (
            r#"{"city": "a", "id": "7"}"#,
            "type-differs-from-schema",
            at("id"),
        ),
        (
            r#"{"city": "a", "guests": ["Ann"]}"#,
            "type-differs-from-schema",
            at("guests/0"),
        ),
        (
            r#"{"city": "a", "guests": [{}]}"#,
            "required-argument-missing",
            at("guests/0/name"),
        ),
        (
            r#"{"city": "a", "guests": [{"name": "a", "age": 1}]}"#,
            "argument-not-in-schema",
            at("guests/0/age"),
        ),
        (
            r#"{"city": "a", "unit": "nok"}"#,
            "value-outside-enum",
            at("unit"),
        ),
        (
            r#"{"city": "a", "nights": 0}"#,
            "value-out-of-range",
            at("nights"),
        ),
        (
            r#"{"city": "a", "date": "May 1"}"#,
            "value-violates-format",
            at("date"),
        ),
        (
            r#"{"town": "a", "city": "a"}"#,
            "argument-not-in-schema",
            at("town"),
        ),
        (
            r#"{"nights": 2}"#,
            "required-argument-missing",
            "/expected/0".to_owned(),
        ),
        (
            r#"{"city": {"$optional": "a"}}"#,
            "unreachable-alternative",
            at("city"),
        ),
        (
            r#"{"city": {"$one_of": ["a", 1]}}"#,
            "type-differs-from-schema",
            at("city/$one_of/1"),
        ),
    ] {
        assert_eq!(found(&call(arguments)), [(code, pointer)], "{arguments}");
    }
}

#[test]
fn wrong_values_of_answers_are_found() {
    let at = |argument: &str| format!("/ground_truth/0/book/{argument}");
    for (arguments, code, pointer) in [
        (r#"{"city": "Oslo"}"#, "malformed-expectation", at("city")),
        (r#"{"city": [""]}"#, "required-argument-missing", at("city")),
        (
            r#"{"city": ["a", ""]}"#,
            "unreachable-alternative",
            at("city"),
        ),
        (
            r#"{"city": ["a"], "nights": [1]}"#,
            "default-must-be-written-out",
            at("nights"),
        ),
        (
            r#"{"city": ["a"], "options": [{"wifi": ["yes"]}]}"#,
            "type-differs-from-schema",
            at("options/0/wifi/0"),
        ),
        (
            r#"{"city": ["a"], "options": [{"floor": [1]}]}"#,
            "required-argument-missing",
            at("options/0"),
        ),
        (
            r#"{"city": ["a"], "options": [{"wifi": [true], "view": [1]}]}"#,
            "argument-not-in-schema",
            at("options/0/view"),
        ),
        (
            r#"{"city": ["a", "b", "a"]}"#,
            "redundant-alternative",
            at("city/2"),
        ),
    ] {
        assert_eq!(found(&answer(arguments)), [(code, pointer)], "{arguments}");
    }
}

#[test]
fn date_unlike_the_format_in_the_description_is_a_warning() {
    let findings = |description: &str, date: &str| {
        let tool = format!(
            r#"{{"name": "f", "parameters": {{"type": "object", "properties": {{"d": {{"type": "string", "description": {description:?}}}}}}}}}"#
        );
        let record = format!(r#"{{"expected": [{{"name": "f", "args": {{"d": {date:?}}}}}]}}"#);
        lint_with(&tool, &[&record])
    };
    let asks = "The date, as YYYY-MM-DD; 'today' is today.";
    let found = findings(asks, "May 1");
    assert_eq!(
        (found[0].rule.code, found[0].severity),
        ("value-violates-format", Severity::Warning)
    );
    for (description, date) in [
        (asks, "2024-05-01"),
        (asks, "today"),
        ("The date, as YYYY-MM-DD or MM/DD/YYYY", "May 1"),
        ("The time, as YYYY-MM-DD HH:MM", "May 1"),
        ("The date", "May 1"),
    ] {
        assert!(
            findings(description, date).is_empty(),
            "{description} {date}"
        );
    }
}

#[test]
fn enums_and_names_of_older_files_are_read() {
    let tool = r#"{"name": "a.b", "parameters": {"type": "object", "properties": {"x": {"type": "array", "enum": ["p", "q"], "default": []}}}}"#;
    let codes = |record: &str| -> Vec<_> {
        let findings = lint_with(tool, &[record]);
        findings
            .iter()
            .filter(|it| it.case.is_some())
            .map(|it| (it.rule.code, it.place.pointer.clone()))
            .collect()
    };
    assert_eq!(
        codes(r#"{"id": "1", "ground_truth": {"a_b_1": {"x": [["p"], ""]}}}"#),
        []
    );
    let wrong = codes(r#"{"id": "1", "ground_truth": {"a_b_1": {"x": [["r"], ""]}, "x": [1]}}"#);
    assert_eq!(
        wrong,
        [
            ("value-outside-enum", "/ground_truth/a_b_1/x/0/0".to_owned()),
            ("malformed-expectation", "/ground_truth/x".to_owned()),
            ("tool-not-in-catalogue", "/ground_truth/x".to_owned()),
        ]
    );
}

#[test]
fn wrong_value_next_to_a_valid_one_is_a_warning() {
    let severity = |record: &str| lint_with(TOOL, &[record])[0].severity;
    assert_eq!(severity(&answer(r#"{"city": [7]}"#)), Severity::Error);
    assert_eq!(
        severity(&answer(r#"{"city": [7, "a"]}"#)),
        Severity::Warning
    );
    assert_eq!(
        severity(&answer(r#"{"city": ["a"], "price": ["x", ""]}"#)),
        Severity::Warning
    );
    assert_eq!(
        severity(&answer(r#"{"city": ["a"], "price": ["x"]}"#)),
        Severity::Error
    );
}

#[test]
fn calls_as_text_are_checked_against_the_schema() {
    for (text, code) in [
        ("book(Oslo)", "malformed-expectation"),
        ("book(7)", "type-differs-from-schema"),
        ("book()", "required-argument-missing"),
        ("bok('a')", "tool-not-in-catalogue"),
        (
            "book('a', 1, 2, 'usd', '2024-05-01', [], 1, {'wifi': True}, 9)",
            "argument-not-in-schema",
        ),
    ] {
        let record = format!(r#"{{"ground_truth": [[{text:?}]]}}"#);
        assert_eq!(
            found(&record),
            [(code, "/ground_truth/0/0".to_owned())],
            "{text}"
        );
    }
    let withheld =
        r#"{"ground_truth": [["book('a')"], ["book('a')"]], "missed_function": {"1": ["book"]}}"#;
    assert_eq!(
        found(withheld),
        [("tool-not-offered-yet", "/ground_truth/0/0".to_owned())]
    );
}

#[test]
fn severity_depends_on_the_source_of_the_tools() {
    let findings = lint_with(TOOL, &[r#"{"expected": [{"name": "boock", "args": {}}]}"#]);
    assert_eq!(
        (findings[0].rule.code, findings[0].severity),
        ("tool-not-in-catalogue", Severity::Error)
    );
    assert!(
        findings[0].message.contains("did you mean `book`?"),
        "{}",
        findings[0].message
    );
    let mut linter = Linter::default();
    linter.add_found_tools(&ToolCatalogue::from_text(TOOL).unwrap(), "traces.jsonl");
    linter
        .add_record("c", 1, r#"{"expected": ["boock"]}"#)
        .unwrap();
    assert_eq!(linter.findings()[0].severity, Severity::Note);
    // Questions and answers may be in separate files.
    let mut linter = Linter::default();
    let answer = r#"{"id": "1", "ground_truth": [{"book": {"city": [7]}}]}"#;
    linter.add_record("answers", 1, answer).unwrap();
    linter
        .add_record(
            "questions",
            1,
            &format!(r#"{{"id": "1", "function": [{TOOL}]}}"#),
        )
        .unwrap();
    assert_eq!(linter.findings()[0].rule.code, "type-differs-from-schema");
}

#[test]
fn contradictory_expectations_are_found() {
    let record =
        r#"{"expected": [{"name": "swap", "args": {"ids": ["a", "b"], "new_ids": ["c", "b"]}}]}"#;
    assert!(found(record).contains(&(
        "self-contradiction",
        "/expected/0/args/new_ids/1".to_owned()
    )));
    let tools = r#"[{"name": "change_booking", "description": "You can change a booking only once.", "parameters":
        {"type": "object", "properties": {"booking_id": {"type": "string"}, "to": {"type": "string"}}}}]"#;
    let twice = |ids: [&str; 2]| {
        let [a, b] = ids
            .map(|id| format!(r#"{{"name": "change_booking", "args": {{"booking_id": "{id}"}}}}"#));
        lint_with(tools, &[&format!(r#"{{"expected": [{a}, {b}]}}"#)])
    };
    assert_eq!(twice(["1", "1"])[0].place.pointer, "/expected/1");
    assert!(twice(["1", "2"]).is_empty());
    let same = r#"{"ground_truth": [{"book": {"city": ["a"]}}, {"book": {"city": ["a"]}}]}"#;
    assert_eq!(
        found(same),
        [("duplicate-call", "/ground_truth/1/book".to_owned())]
    );
}

#[test]
fn contradictory_schemas_are_found_once() {
    let tool = r#"[{"name": "f", "parameters": {"type": "object", "properties": {
        "a": {"type": "integer", "enum": ["1", "2"], "default": "1"}, "b": {"type": "string", "enum": ["x"], "default": "y"},
        "c": {"type": "string", "default": null}}}}]"#;
    let record =
        format!(r#"{{"tools": {tool}, "expected": [{{"name": "f", "args": {{"b": "y"}}}}]}}"#);
    let mut linter = Linter::default();
    for (line, letter) in (1..).zip(["p", "q"]) {
        // A different description makes it a different catalogue.
        let record = record.replace(
            r#""name": "f", "par"#,
            &format!(r#""description": "{letter}", "name": "f", "par"#),
        );
        linter.add_record("c", line, &record).unwrap();
    }
    let findings = linter.findings();
    let counts: Vec<_> = findings.iter().map(|it| (it.rule.code, it.times)).collect();
    // If the expectation has the same error as the schema's default, only the schema is reported.
    assert_eq!(
        counts,
        [
            ("schema-default-type", 2),
            ("schema-enum-type", 2),
            ("schema-default-outside-enum", 2)
        ]
    );
    let broken = r#"[{"name": "f", "parameters": {"type": "object", "properties": {"a": {"minimum": "x"}}}}]"#;
    assert_eq!(lint_with(broken, &[])[0].rule.code, "schema-invalid");
    let keyword = r#"{"ground_truth": [{"f": {}}], "tools": [{"name": "f", "parameters": {"properties": {"class": {}}}}]}"#;
    assert_eq!(
        found(keyword),
        [(
            "schema-illegal-argument-name",
            "/tools/0/parameters/properties/class".to_owned()
        )]
    );
}

#[test]
fn cases_are_compared_with_each_other() {
    let codes = |records: &[&str]| -> Vec<_> {
        let findings = lint_with(TOOL, records);
        findings
            .iter()
            .map(|it| (it.rule.code, it.place.line))
            .collect()
    };
    let one = r#"{"id": "1", "input": "q", "expected": [{"name": "book", "args": {"city": "a", "nights": 1}}]}"#;
    let two = one.replace("\"1\"", "\"2\"");
    assert_eq!(codes(&[one, &two]), [("duplicate-case", 2)]);
    assert_eq!(
        codes(&[one, &one.replace("\"a\"", "\"b\"")]),
        [("two-truths", 2)]
    );
    let without = r#"{"id": "3", "expected": [{"name": "book", "args": {"city": "a"}}]}"#;
    assert_eq!(codes(&[one, without]), [("default-written-or-left-out", 1)]);
    // Trials of a case.
    let trial = r#"{"id": "1", "trial": 1, "input": "q", "expected": ["book"]}"#;
    assert_eq!(codes(&[trial, &trial.replace(": 1,", ": 2,")]), []);
}

#[test]
fn expectations_and_suites_that_cannot_fail_are_found() {
    for (expected, finds) in [
        (r#"[{"optional": "book"}]"#, true),
        (
            r#"[{"optional": "book"}, {"repeat": "book", "min": 0}]"#,
            true,
        ),
        (r#"[{"one_of": ["book", []]}]"#, true),
        (r#"[{"any_order": [{"optional": "book"}]}]"#, true),
        (r#"[{"optional": "book"}, "book"]"#, false),
        (r#"[{"repeat": "book"}]"#, false),
        ("[]", false),
    ] {
        let found = found(&format!(r#"{{"expected": {expected}}}"#));
        assert_eq!(
            found.iter().any(|(code, _)| *code == "any-run-passes"),
            finds,
            "{expected}"
        );
    }
    let mut linter = Linter::default();
    linter
        .add_record(
            "c",
            1,
            r#"{"expected": ["delete_account"], "actual": ["find"]}"#,
        )
        .unwrap();
    for (can_fail, rule) in [
        (false, "find"),
        (true, "delete_acount"),
        (true, "something"),
        (true, "f*"),
        (true, "delete_acount*"),
    ] {
        linter.add_suite(SuiteFacts {
            file: "suite.yaml".into(),
            can_fail,
            tools: vec![ToolInSuite {
                name: rule.to_owned(),
                is_demanded: false,
                file: "suite.yaml".into(),
                line: 7,
                pointer: "/evaluators/0/forbidden/0".to_owned(),
            }],
            rules: Vec::new(),
            constraints: Vec::new(),
            errors: Vec::new(),
        });
    }
    let findings = linter.findings();
    let codes: Vec<_> = findings.iter().map(|it| it.rule.code).collect();
    assert_eq!(
        codes,
        ["nothing-can-fail", "misspelt-tool", "misspelt-tool"]
    );
    let place = &findings[1].place;
    assert_eq!(
        (place.line, &*place.pointer),
        (7, "/evaluators/0/forbidden/0")
    );
}

#[test]
fn record_can_ignore_rules() {
    let record = r#"{"lint": {"ignore": ["type-differs-from-schema"]}, "expected": [{"name": "book", "args": {"city": 7, "unit": "x"}}]}"#;
    assert_eq!(
        found(record),
        [("value-outside-enum", "/expected/0/args/unit".to_owned())]
    );
}

#[test]
fn findings_have_the_line_in_the_document() {
    let record = "{\"expected\": [\n{\"name\": \"book\", \"args\": {\n\"city\": 7}}]}";
    let finding = &lint_with(TOOL, &[record])[0];
    assert_eq!((finding.place.line, finding.record_line), (3, 1));
}

#[test]
fn codes_are_unique_sorted_and_documented() {
    assert!(rules().is_sorted_by(|a, b| a.code < b.code));
    for rule in rules() {
        assert!(
            rule.page.len() > 60 && rule.summary.ends_with('.'),
            "{}",
            rule.code
        );
        let is_code = |it: char| it.is_ascii_lowercase() || it == '-';
        assert!(rule.code.chars().all(is_code), "{}", rule.code);
    }
}

#[test]
fn matcher_names_as_text_are_found() {
    for (record, places) in [
        (
            r#"{"expected": [{"name": "book", "args": {"city": "$any", "id": ["$type"]}}]}"#,
            &["/expected/0/args/city", "/expected/0/args/id/0"][..],
        ),
        (
            r#"{"expected": [{"any_order": [{"name": "book", "args": {"city": "$pattern"}}]}]}"#,
            &["/expected/0/any_order/0/args/city"],
        ),
        (
            r#"{"expected": [{"name": "book", "args": {"city": {"$any": true}}}]}"#,
            &[],
        ),
        (
            r#"{"expected": [{"name": "book", "args": {"city": {"$literal": "$any"}}}]}"#,
            &[],
        ),
        (
            r#"{"expected": [{"name": "book", "args": {"city": "$anything"}}]}"#,
            &[],
        ),
        (r#"{"input": "$any", "expected": []}"#, &[]),
    ] {
        let found = found(record).into_iter();
        let found: Vec<_> = found
            .filter(|(code, _)| *code == "matcher-as-text")
            .map(|(_, pointer)| pointer)
            .collect();
        assert_eq!(found, places, "{record}");
    }
}

#[test]
fn unknown_ignored_code_is_found() {
    let record =
        r#"{"id": "a", "expected": [], "lint": {"ignore": ["dupicate-call", "duplicate-case"]}}"#;
    let findings = lint_with(TOOL, &[record]);
    let [finding] = &findings[..] else {
        panic!("{findings:?}")
    };
    assert_eq!(finding.rule.code, "unknown-rule");
    assert_eq!(
        finding.message,
        "expected the code of a rule, found `dupicate-call`; did you mean `duplicate-call`?"
    );
}
