//! The published schemas accept all examples.

use std::fs;
use std::path::{Path, PathBuf};

use rightcall_core::EVALUATORS;
use rightcall_core::expectation::BLOCKS;
use rightcall_formats::yaml::{Yaml, YamlNode, documents};
use rightcall_formats::{CASE_SCHEMA, ReadOptions, read_case};
use serde_json::{Value, json};

use crate::{root, suite_validator, value};

/// All files under these folders of the project.
fn files(folders: &[&str]) -> Vec<PathBuf> {
    let mut folders: Vec<_> = folders.iter().map(|folder| root().join(folder)).collect();
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                &mut folders
            } else {
                &mut files
            }
            .push(path);
        }
    }
    files.sort();
    files
}

/// YAML files, and YAML blocks in documentation pages.
fn yaml_texts() -> Vec<(PathBuf, String)> {
    let mut texts = Vec::new();
    let mut files = files(&["examples", "docs", "crates/rightcall-cli/src/commands/init"]);
    files.push(root().join("README.md"));
    for path in files {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("yaml" | "yml") => texts.push((path.clone(), fs::read_to_string(&path).unwrap())),
            Some("md") => {
                let page = fs::read_to_string(&path).unwrap();
                let blocks = page
                    .split("```yaml\n")
                    .skip(1)
                    .filter_map(|rest| rest.split("```").next());
                texts.extend(blocks.map(|block| (path.clone(), block.to_owned())));
            }
            _ => {}
        }
    }
    texts
}

#[test]
fn suites_in_examples_and_pages_match_the_schema() {
    let validator = suite_validator();
    let mut suites = 0;
    for (path, text) in yaml_texts() {
        if !text.lines().any(|line| line.starts_with("evaluators:")) {
            continue;
        }
        let errors: Vec<_> = validator
            .iter_errors(&value(&text))
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{}: {errors:?}\n{text}", path.display());
        suites += 1;
    }
    assert!(suites >= 15, "{suites}");
}

#[test]
fn evaluator_examples_match_the_suite_schema() {
    let validator = suite_validator();
    for entry in EVALUATORS {
        let mut evaluator: Value = serde_json::from_str(entry.page.example.settings).unwrap();
        evaluator["evaluator"] = json!(entry.id);
        let suite = json!({ "cases": "a", "evaluators": [entry.id, evaluator] });
        let errors: Vec<_> = validator
            .iter_errors(&suite)
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{}: {errors:?}", entry.id);
    }
}

fn case_validator() -> jsonschema::Validator {
    let schema: Value = serde_json::from_str(CASE_SCHEMA).unwrap();
    jsonschema::draft202012::meta::validate(&schema).unwrap();
    jsonschema::draft202012::new(&schema).unwrap()
}

#[test]
fn cases_in_examples_and_pages_match_the_schema() {
    let validator = case_validator();
    let mut cases = 0;
    let mut check = |text: &str| {
        let case: Value = serde_json::from_str(text).unwrap();
        assert!(validator.is_valid(&case), "{text}");
        assert!(validator.is_valid(&json!([case])), "{text}");
        // Expectations for several agents expand to several cases.
        let is_one = case["agents"].is_null();
        assert_eq!(
            read_case(text, &ReadOptions::default()).is_ok(),
            is_one,
            "{text}"
        );
        cases += 1;
    };
    // JSON Lines in these folders are traces.
    let of_traces = ["recorders", "uipath-project", "quickstart"];
    let is_of_traces = |path: &Path| path.iter().any(|it| of_traces.iter().any(|of| it == *of));
    let is_of_cases = |path: &Path| {
        path.extension().is_some_and(|ending| ending == "jsonl") && !is_of_traces(path)
    };
    for path in files(&["examples"]).iter().filter(|path| is_of_cases(path)) {
        fs::read_to_string(path)
            .unwrap()
            .lines()
            .for_each(&mut check);
    }
    for (_, text) in yaml_texts() {
        let (documents, error) = documents(&text);
        assert_eq!(error, None);
        for document in documents
            .iter()
            .filter(|document| matches!(document.value, Yaml::List(_)))
        {
            let items: Vec<_> = document.items().iter().map(YamlNode::to_json).collect();
            if text.starts_with("- any_ordr:") {
                // The page shows the error message for a misspelled key.
                let case = format!("{{\"expected\":[{}]}}", items.join(","));
                assert!(!validator.is_valid(&serde_json::from_str(&case).unwrap()));
            } else if items.iter().any(|item| is_rule(item)) {
                // A rules file for `guard`.
            } else if items.iter().any(|item| is_element(item)) {
                check(&format!("{{\"expected\":[{}]}}", items.join(",")));
            } else {
                items.iter().for_each(|case| check(case));
            }
        }
    }
    assert!(cases >= 48, "{cases}");
}

/// True for an element of an expectation, as opposed to a case.
fn is_element(json: &str) -> bool {
    let element: Value = serde_json::from_str(json).unwrap();
    let mut keys = BLOCKS.into_iter().chain(["name"]);
    element.is_string() || keys.any(|key| element.get(key).is_some())
}

/// True for a rule, as opposed to an element or a case.
fn is_rule(json: &str) -> bool {
    let rule: Value = serde_json::from_str(json).unwrap();
    rule.get("call").is_some()
}

/// The schema rejects the same cases as the parser.
#[test]
fn schema_and_parser_reject_broken_cases() {
    let validator = case_validator();
    for text in [
        "7",
        r#"{"question":1}"#,
        r#"{"id":[],"expected":[]}"#,
        r#"{"expected":7}"#,
        r#"{"expected":[7]}"#,
        r#"{"expected":[{"args":{}}]}"#,
        r#"{"expected":[{"name":"a","args":7}]}"#,
        r#"{"expected":{"oder":[]}}"#,
        r#"{"expected":{"order":[7]}}"#,
        r#"{"expected":{"counts":{"a":-1}}}"#,
        r#"{"expected":{"counts":{"a":"about 2"}}}"#,
        r#"{"expected":{"counts":{"a":["=",-1]}}}"#,
        r#"{"expected":{"outputs":[{"name":"a"}]}}"#,
        r#"{"actual":7}"#,
        r#"{"expected":[],"tags":{}}"#,
        r#"{"expected":[],"description":7}"#,
    ] {
        assert!(
            !validator.is_valid(&serde_json::from_str(text).unwrap()),
            "{text}"
        );
        assert!(read_case(text, &ReadOptions::default()).is_err(), "{text}");
    }
}
