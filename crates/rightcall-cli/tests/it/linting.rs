//! `rightcall lint`: its input, output and fixes.

use serde_json::Value;

use super::Place;

const TOOLS: &str = r#"[{"name":"find","input_schema":{"type":"object","required":["id"],"properties":{"id":{"type":"integer"}}}}]"#;

const WRONG: &str = r#"{"id":"a","expected":[{"name":"find","args":{"id":"7"}}]}"#;

const RIGHT: &str = r#"{"id":"b","expected":[{"name":"find","args":{"id":7}}]}"#;

fn place(cases: &str) -> Place {
    Place::new()
        .with("tools.json", TOOLS)
        .with("cases.jsonl", cases)
}

#[test]
fn findings_exit_with_1_and_unreadable_files_with_2() {
    let place = place(&format!("{RIGHT}\n{WRONG}\n"));
    let lint = "lint cases.jsonl --tools tools.json";
    let said = place.check(lint, &[], 1, &[]);
    for part in [
        "  2  a  /expected/0/args/id\n",
        "error type-differs-from-schema: find.id: expected integer, found \"7\"",
        "1 error in 2 cases",
    ] {
        assert!(said.stdout.contains(part), "{part}\n{}", said.stdout);
    }
    let place = place.with("cases.jsonl", RIGHT);
    assert_eq!(
        place.check(lint, &[], 0, &[]).stdout,
        "no findings in 1 case\n"
    );
    let place = place.with("cases.jsonl", "{\n");
    place.check(lint, &[], 2, &["cases.jsonl"]);
    place.check("lint missing.jsonl", &[], 2, &["missing.jsonl"]);
    place.check(
        "lint cases.jsonl --tools cases.jsonl",
        &[],
        2,
        &["cases.jsonl: expected"],
    );
    place.check("lint cases.jsonl --ignore typo", &[], 2, &["no such rule"]);
}

#[test]
fn programs_get_json_sarif_and_annotations() {
    let place = place(WRONG);
    let json = place
        .check(
            "lint cases.jsonl --tools tools.json --format json",
            &[],
            1,
            &[],
        )
        .stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        json["counts"],
        serde_json::json!({"error": 1, "warning": 0, "note": 0})
    );
    assert_eq!(json["findings"][0]["pointer"], "/expected/0/args/id");
    let sarif = place
        .check(
            "lint cases.jsonl --tools tools.json --format sarif",
            &[],
            1,
            &[],
        )
        .stdout;
    let sarif: serde_json::Value = serde_json::from_str(&sarif).unwrap();
    assert_eq!(sarif["version"], "2.1.0");
    assert_eq!(
        sarif["runs"][0]["results"][0]["ruleId"],
        "type-differs-from-schema"
    );
    let github = place
        .check(
            "lint cases.jsonl --tools tools.json --format github",
            &[],
            1,
            &[],
        )
        .stdout;
    assert!(
        github
            .starts_with("::error file=cases.jsonl,line=1,title=type-differs-from-schema::find.id"),
        "{github}"
    );
}

#[test]
fn findings_can_be_suppressed() {
    let place = place(WRONG);
    let lint = "lint cases.jsonl --tools tools.json";
    place.check(
        &format!("{lint} --ignore type-differs-from-schema"),
        &[],
        0,
        &[],
    );
    std::fs::create_dir(place.path(".rightcall")).unwrap();
    let place = place.with(
        ".rightcall/lint.yaml",
        "ignore:\n  - type-differs-from-schema\n",
    );
    place.check(lint, &[], 0, &[]);
    let place = place.with(".rightcall/lint.yaml", "ignore: [value-outside-enm]\n");
    place.check(lint, &[], 2, &[".rightcall/lint.yaml:1: `value-outside-enm`: no such rule; did you mean `value-outside-enum`"]);
    let place = place.with(".rightcall/lint.yaml", "ignored: []\n");
    place.check(
        lint,
        &[],
        2,
        &[".rightcall/lint.yaml:1: expected the key `ignore`"],
    );
    std::fs::remove_file(place.path(".rightcall/lint.yaml")).unwrap();
    let in_case = "- id: a\n  lint: {ignore: [type-differs-from-schema]}\n  expected: [{name: find, args: {id: '7'}}]\n";
    place
        .with("cases.yaml", in_case)
        .check("lint cases.yaml --tools tools.json", &[], 0, &[]);
}

#[test]
fn findings_in_yaml_have_line_numbers() {
    let cases = "- id: a\n  expected:\n    - name: find\n      args:\n        id: '7'\n";
    let said = place("").with("cases.yaml", cases).check(
        "lint cases.yaml --tools tools.json",
        &[],
        1,
        &[],
    );
    assert!(
        said.stdout.contains("\n  5  a  /expected/0/args/id\n"),
        "{}",
        said.stdout
    );
}

#[test]
fn fix_removes_only_duplicates() {
    let record = r#"{"id":"a", "ground_truth":[{"find":{"id":[7,  8, 7]}}]}"#;
    let other = r#"{"id":"b", "ground_truth":[{"find":{"id":[7]}}]}"#;
    let text = format!("{record}\n{other}\n");
    let place = place(&text);
    place.check(
        "lint cases.jsonl --fix --notes",
        &[],
        0,
        &["cases.jsonl: 1 fixed"],
    );
    assert_eq!(place.read("cases.jsonl"), text.replace(", 7]", "]"));
    // A second run has no fix to make, and the file does not change.
    let said = place.check("lint cases.jsonl --fix --notes", &[], 0, &[]);
    assert_eq!(
        (said.stdout.as_str(), said.stderr.as_str()),
        ("no findings in 2 cases\n", "")
    );
    let yaml = "id: a\nground_truth:\n- find: {id: [7, 7]}\n";
    let place = place.with("cases.yaml", yaml);
    place.check("lint cases.yaml --fix --notes", &[], 0, &["not fixed"]);
    assert_eq!(place.read("cases.yaml"), yaml);
}

#[test]
fn file_without_cases_is_not_clean() {
    for empty in ["", "\n\n", "[]"] {
        place(empty).check(
            "lint cases.jsonl",
            &[],
            2,
            &["error: cases.jsonl: no case to check"],
        );
    }
}

#[test]
fn suite_is_linted_with_its_cases_and_rules() {
    let suite = "cases: cases.jsonl\nevaluators:\n  - {evaluator: trajectory}\n  - {evaluator: constraints, forbidden: [delete_acount]}\ngates: []\n";
    let cases = r#"{"id":"a","expected":["delete_account"]}"#;
    let place = place(cases).with("suite.yaml", suite);
    let said = place.check("lint suite.yaml", &[], 0, &[]);
    for code in [
        "nothing-can-fail",
        "misspelt-tool: a setting names `delete_acount`; did you mean `delete_account`?",
    ] {
        assert!(said.stdout.contains(code), "{code}\n{}", said.stdout);
    }
    let with_gate = suite.replace("gates: []", "gates: [{trajectory: {mean: '>= 0.9'}}]");
    let said = place
        .with("suite.yaml", with_gate)
        .check("lint suite.yaml", &[], 0, &[]);
    assert!(!said.stdout.contains("nothing-can-fail"), "{}", said.stdout);
}

#[test]
fn suite_or_profile_that_run_rejects_is_a_finding() {
    let suite = "cases: cases.jsonl\nevaluators: [trajectory]\ngates: [{trajectory: {mean: '>= 0.9'}}]\nprofiles:\n  ci:\n    gates: [{trajectry: {mean: '>= 0.9'}}]\n  other: {evaluators: [trajectry]}\n";
    let place = place(r#"{"id":"a","expected":["find"]}"#).with("suite.yaml", suite);
    let findings = |place: &Place| {
        let said = place.check("lint suite.yaml --format json", &[], 1, &[]);
        let read: Value = serde_json::from_str(&said.stdout).unwrap();
        let finding = |it: &Value| {
            format!(
                "{} {} {}",
                it["code"].as_str().unwrap(),
                it["line"],
                it["pointer"].as_str().unwrap()
            )
        };
        read["findings"]
            .as_array()
            .unwrap()
            .iter()
            .map(finding)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        findings(&place),
        [
            "suite-invalid 6 /profiles/ci/gates/0/trajectry",
            "suite-invalid 7 /profiles/other/evaluators/0",
        ]
    );
    let place = place.with(
        "suite.yaml",
        suite.replace("gates: [{trajectory", "gate: [{trajectory"),
    );
    assert_eq!(findings(&place), ["suite-invalid 3 /gate"]);
}

#[test]
fn definitions_in_traces_are_known_tools() {
    let trace = r#"{"resourceSpans":[{"resource":{},"scopeSpans":[{"scope":{"name":"x"},"spans":[{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174","name":"chat","startTimeUnixNano":"1","endTimeUnixNano":"2","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},{"key":"gen_ai.tool.definitions","value":{"stringValue":"TOOLS"}}]}]}]}]}"#;
    let tools = r#"[{"type":"function","name":"find","parameters":{"type":"object","properties":{"id":{"type":"integer"}}}}]"#;
    let trace = trace.replace("TOOLS", &tools.replace('"', "\\\""));
    let place = place(WRONG).with("trace.json", trace);
    let said = place.check("lint cases.jsonl --tools trace.json", &[], 1, &[]);
    assert!(
        said.stdout.contains("type-differs-from-schema"),
        "{}",
        said.stdout
    );
}

#[test]
fn every_rule_has_a_page() {
    let place = Place::new();
    let list = place.check("lint --rule", &[], 0, &[]).stdout;
    for line in list.lines() {
        let code = line.split(' ').next().unwrap();
        let page = place
            .check(&format!("lint --rule {code}"), &[], 0, &[])
            .stdout;
        assert!(page.starts_with(&format!("## {code}\n")), "{page}");
    }
    assert!(list.lines().count() > 20);
    place.check(
        "lint --rule value-outside-enm",
        &[],
        2,
        &["did you mean `value-outside-enum`"],
    );
}

#[test]
fn suite_is_checked_against_its_cases() {
    let cases =
        r#"{"id":"a","tags":["refund"],"expected":["delete_order"],"actual":["delete_order"]}"#;
    let suite = "cases: cases.jsonl
evaluators:
  - {name: calls, evaluator: trajectory, threshold: 1}
  - evaluator: constraints
    forbidden:
      - delete_ordr
gates:
  - calls: {mean: '>= 0.9'}
    tag: refnd
  - calls: {mean: '>= 0.9'}
    tag: refund
";
    let place = place(cases).with("suite.yaml", suite);
    let said = place.check("lint suite.yaml", &[], 1, &[]).stdout;
    for part in [
        "  9  /gates/0\n",
        "a gate on cases that do not exist",
        "  6  /evaluators/1/forbidden/0\n",
        "a setting names `delete_ordr`; did you mean `delete_order`?",
        "1 error, 1 warning in 1 case",
    ] {
        assert!(said.contains(part), "{part}\n{said}");
    }
    let forbids = suite
        .replace("delete_ordr", "delete_order")
        .replace("refnd", "refund");
    let said = place
        .with("suite.yaml", &forbids)
        .check("lint suite.yaml", &[], 0, &[])
        .stdout;
    assert!(
        said.contains("keeps the constraints of suite.yaml"),
        "{said}"
    );
}

#[test]
fn a_suite_that_cannot_fail_in_any_profile_is_found() {
    let head =
        "cases: cases.jsonl\nevaluators: [{name: calls, evaluator: trajectory, threshold: 0}]\n";
    for (more, finds) in [
        ("", true),
        ("gates: [{calls: {mean: '>= 0'}}]\n", true),
        ("gates: []\n", true),
        ("gates: [{calls: {mean: '>= 0.5'}}]\n", false),
        (
            "gates: []\nprofiles: {ci: {gates: [{calls: {mean: '>= 0.5'}}]}}\n",
            false,
        ),
    ] {
        let place = place(RIGHT).with("suite.yaml", format!("{head}{more}"));
        let said = place.check("lint suite.yaml", &[], 0, &[]).stdout;
        assert_eq!(said.contains("nothing-can-fail"), finds, "{more}\n{said}");
    }
}

#[test]
fn input_that_score_rejects_is_a_finding_and_findings_wrap() {
    let refused = r#"{"id":"a","expected":[{"name":"find","argss":{}}],"actual":[]}"#;
    let place = place(refused);
    let said = place.check("lint cases.jsonl", &[], 1, &[]).stdout;
    let words = "expected a key of a call, found the key `argss`";
    assert!(said.contains(words), "{said}");
    place.check("score cases.jsonl -e trajectory", &[], 2, &[words]);
    place
        .with("cases.jsonl", r#"{"id":"a","expcted":["find"]}"#)
        .check("lint cases.jsonl", &[], 2, &["did you mean `expected`"]);
    let long = format!(
        "{{\"id\":\"a\",\"expected\":[{{\"name\":\"find\",\"args\":{{\"{}\":1}}}}]}}",
        "argument ".repeat(20)
    );
    let said = Place::new()
        .with("tools.json", TOOLS)
        .with("cases.jsonl", long)
        .check("lint cases.jsonl --tools tools.json", &[], 1, &[])
        .stdout;
    let messages = said.lines().filter(|it| it.starts_with("    "));
    assert!(messages.clone().count() > 4, "{said}");
    assert!(messages.map(str::len).max() <= Some(100), "{said}");
}

#[test]
fn map_applies_to_traces_and_not_to_cases() {
    let suite = "cases: cases.yaml\ntraces: log.jsonl\nmap: log.yaml\nevaluators: [trajectory]\ngates: [{trajectory: {mean: '>= 0.9'}}]\n";
    let place = Place::new()
        .with("cases.yaml", "- {id: a, expected: [{name: load, args: {p: 1}}]}\n")
        .with(
            "log.jsonl",
            "{\"run\":\"a\",\"t\":\"call\",\"tool\":\"load\",\"args\":{\"p\":1}}\n{\"run\":\"a\",\"t\":\"end\"}\n",
        )
        .with("log.yaml", "run: run\ncall: {when: {t: call}, name: tool, args: args}\n")
        .with("suite.yaml", suite);
    let files = "lint cases.yaml log.jsonl --map log.yaml";
    for (line, says) in [
        ("run suite.yaml", "the gate holds"),
        ("lint suite.yaml", "no findings in 1 case"),
        (files, "no findings in 1 case"),
    ] {
        let said = place.check(line, &[], 0, &[]);
        assert!(said.stdout.contains(says), "{line}\n{}", said.stdout);
    }
}
