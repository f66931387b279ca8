//! Checks the schemas, the suites that they accept, and the messages for those that they reject.

#![expect(clippy::unwrap_used, reason = "a test ends where anything goes wrong")]

mod broken_suites;
mod expected_files;
mod learned;
mod observed_errors;
mod schemas;

use std::path::Path;

use rightcall_formats::yaml::YamlNode;
use serde_json::Value;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .unwrap()
}

/// YAML converted for schema validation.
fn value(yaml: &str) -> Value {
    serde_json::from_str(&YamlNode::parse(yaml).unwrap().to_json()).unwrap()
}

fn suite_validator() -> jsonschema::Validator {
    let schema: Value = serde_json::from_str(&rightcall_run::suite_schema()).unwrap();
    jsonschema::draft202012::meta::validate(&schema).unwrap();
    jsonschema::draft202012::new(&schema).unwrap()
}
