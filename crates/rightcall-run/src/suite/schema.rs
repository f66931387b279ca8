//! Generates the JSON Schema of suites from the tables of keys and the registry of evaluators.

use rightcall_core::{EVALUATORS, Entry, Setting, SettingKind};
use rightcall_formats::CASE_SCHEMA;
use serde_json::{Map, Value, json};

use super::keys::{EVALUATOR, EXPECT, Measure, ObjectType, SUITE, ValueType};

/// The JSON Schema (2020-12) of suites.
///
/// # Panics
/// Never: the embedded schema of cases is valid JSON, as a test checks.
pub fn suite_schema() -> String {
    let cases: Value = serde_json::from_str(CASE_SCHEMA).expect("the schema of cases is JSON");
    let mut definitions = cases["$defs"].as_object().cloned().unwrap_or_default();
    definitions.insert("evaluator".to_owned(), evaluator());
    definitions.insert("expectationOfSuite".to_owned(), expectation());
    let mut schema = object(&SUITE);
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = json!("rightcall suite");
    schema["description"] = json!("The cases, the evaluators, and the gates on their scores.");
    schema["anyOf"] = json!([
        { "required": ["cases"] },
        { "required": ["traces"] },
    ]);
    schema["required"] = json!(["evaluators"]);
    schema["$defs"] = Value::Object(definitions);
    format!("{schema:#}\n")
}

/// The JSON Schema (2020-12) of maps.
///
/// # Panics
/// Never: the embedded schema is valid JSON.
pub fn map_schema() -> String {
    let schema: Value =
        serde_json::from_str(&rightcall_formats::map_schema()).expect("the schema of maps is JSON");
    format!("{schema:#}\n")
}

fn object(shape: &ObjectType) -> Value {
    let properties: Map<_, _> = shape
        .all()
        .map(|key| {
            let mut takes = takes(&key.takes);
            takes["description"] = json!(key.doc);
            (key.name.to_owned(), takes)
        })
        .collect();
    let mut schema = json!({ "type": "object", "minProperties": 1, "properties": properties });
    match shape.others {
        None => schema["additionalProperties"] = json!(false),
        Some(others) => {
            let mut other = takes(&others.takes);
            other["description"] = json!(others.doc);
            // The pattern would also match the fixed keys above.
            if others.pattern == "." {
                schema["additionalProperties"] = other;
            } else {
                schema["patternProperties"] = json!({ others.pattern: other });
                schema["additionalProperties"] = json!(false);
            }
        }
    }
    schema
}

fn takes(takes: &ValueType) -> Value {
    let text = || json!({ "type": "string", "minLength": 1 });
    let one_or_more =
        |one: Value| json!({ "anyOf": [one, { "type": "array", "items": one, "minItems": 1 }] });
    let value = || json!({ "type": ["string", "number", "boolean"] });
    match takes {
        ValueType::Text(_) => text(),
        ValueType::Texts(_) => one_or_more(text()),
        ValueType::Choice(choices) => json!({ "enum": choices }),
        ValueType::Weight => json!({ "type": "number", "minimum": 0 }),
        ValueType::Threshold => json!({ "type": "number", "minimum": 0, "maximum": 1 }),
        ValueType::Number => json!({ "type": "integer", "minimum": 0 }),
        ValueType::Object(shape) => object(shape),
        ValueType::Map(inner, _) => {
            json!({ "type": "object", "minProperties": 1, "additionalProperties": self::takes(inner) })
        }
        ValueType::List(inner, _) => {
            json!({ "type": "array", "minItems": 1, "items": self::takes(inner) })
        }
        ValueType::ListOrNone(inner, _) => json!({ "type": "array", "items": self::takes(inner) }),
        ValueType::Value => value(),
        ValueType::Values => one_or_more(value()),
        ValueType::Bound(measure) => bound(*measure),
        ValueType::BoundOr(measure, shape) => json!({ "anyOf": [bound(*measure), object(shape)] }),
        ValueType::Evaluator => json!({ "$ref": "#/$defs/evaluator" }),
        ValueType::Expectation => json!({ "$ref": "#/$defs/expectationOfSuite" }),
        // The schema of cases defines it; see `expectation`.
        ValueType::ExpectationPart => json!({}),
    }
}

fn bound(measure: Measure) -> Value {
    let number = match measure {
        Measure::Score | Measure::Change => {
            r"[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?\s*%?"
        }
        Measure::Share => r"(1(\.0*)?|0?\.[0-9]+|0|(100|[0-9]{1,2})(\.[0-9]*)?\s*%)",
        Measure::Count => "[0-9]+",
    };
    json!({ "type": "string", "pattern": format!(r"^\s*(>=|<=|!=|==|=|>|<)\s*{number}\s*$") })
}

/// An id, or an object with the settings of its evaluator.
fn evaluator() -> Value {
    let ids: Vec<_> = EVALUATORS.iter().flat_map(|entry| names(entry)).collect();
    let settings: Vec<_> = EVALUATORS.iter().map(|entry| settings_of(entry)).collect();
    let mut configured = object(&EVALUATOR);
    configured["properties"]["evaluator"] =
        json!({ "enum": ids, "description": "Its id or alias." });
    // Settings depend on the evaluator, so other properties are allowed here.
    configured["additionalProperties"] = json!(true);
    configured["required"] = json!(["evaluator"]);
    configured["allOf"] = json!(settings);
    json!({ "anyOf": [{ "enum": ids }, configured] })
}

fn names(entry: &Entry) -> Vec<&'static str> {
    [entry.id]
        .into_iter()
        .chain(entry.aliases.iter().copied())
        .collect()
}

fn settings_of(entry: &Entry) -> Value {
    let mut properties = settings(entry.settings);
    for key in EVALUATOR.all() {
        properties.entry(key.name).or_insert(json!(true));
    }
    properties.insert(
        "edition".to_owned(),
        json!({ "enum": entry.editions.iter().map(|edition| edition.as_str()).collect::<Vec<_>>() }),
    );
    json!({
        "if": { "properties": { "evaluator": { "enum": names(entry) } }, "required": ["evaluator"] },
        "then": { "properties": properties, "additionalProperties": false },
    })
}

/// The settings, under both spellings of their names.
fn settings(table: &[Setting]) -> Map<String, Value> {
    let mut properties = Map::new();
    for setting in table {
        let mut schema = match setting.kind {
            SettingKind::Bool => json!({ "type": "boolean" }),
            SettingKind::Number => json!({ "type": ["number", "null"] }),
            SettingKind::Choice(choices) => json!({ "enum": choices }),
            SettingKind::Text => json!({ "type": ["string", "null"] }),
            SettingKind::Object(inner) => {
                json!({ "type": "object", "properties": settings(inner), "additionalProperties": false })
            }
            SettingKind::Map => json!({ "type": "object" }),
            SettingKind::Texts => json!({ "type": "array", "items": { "type": "string" } }),
            SettingKind::Rules => json!({ "allOf": [{ "$ref": "#/$defs/rules" }] }),
            SettingKind::Any => json!({}),
        };
        schema["description"] = json!(setting.doc);
        if let Ok(default) = serde_json::from_str::<Value>(setting.default) {
            schema["default"] = default;
        }
        for spelling in setting.spellings() {
            properties.insert(spelling, schema.clone());
        }
    }
    properties
}

/// The expectation of a case, plus `when:`.
fn expectation() -> Value {
    let mut rule = object(&EXPECT);
    let demands = ["calls", "order", "counts", "outputs", "constraints"];
    for demand in demands {
        rule["properties"][demand] =
            json!({ "$ref": format!("#/$defs/demands/properties/{demand}") });
    }
    rule["anyOf"] = demands
        .iter()
        .map(|demand| json!({ "required": [demand] }))
        .collect();
    json!({
        "anyOf": [
            { "$ref": "#/$defs/calls" },
            rule,
            { "type": "array", "minItems": 1, "items": rule },
        ],
    })
}
