//! Normalizes a schema: translates other type names to those of JSON Schema, and closes objects, so
//! unknown arguments are errors.

use rightcall_formats::json_type;
use serde_json::{Map, Value};

/// Keys that hold one schema, a list of them, or schemas by name.
const ONE: [&str; 5] = [
    "items",
    "additionalProperties",
    "not",
    "contains",
    "propertyNames",
];
const LISTS: [&str; 4] = ["anyOf", "oneOf", "allOf", "prefixItems"];
const NAMED: [&str; 4] = ["properties", "$defs", "definitions", "patternProperties"];

/// The schema with JSON Schema's type names. Objects that list their properties allow no others, unless the schema says so.
pub(super) fn normal(schema: &Value) -> Value {
    changed(schema, true)
}

fn changed(schema: &Value, may_close: bool) -> Value {
    let Value::Object(members) = schema else {
        return schema.clone();
    };
    let mut out = Map::new();
    for (key, value) in members {
        let key = key.as_str();
        let value = match value {
            Value::Array(items) if key == "items" => {
                let items = items.iter().map(|it| changed(it, may_close));
                out.insert("prefixItems".to_owned(), items.collect());
                continue;
            }
            value if ONE.contains(&key) && value.is_object() => changed(value, may_close),
            Value::Array(items) if LISTS.contains(&key) => {
                // Each part of `allOf` lists only some of the properties.
                let may_close = may_close && key != "allOf";
                items.iter().map(|it| changed(it, may_close)).collect()
            }
            Value::Object(named) if NAMED.contains(&key) => {
                let named = named
                    .iter()
                    .map(|(name, it)| (name.clone(), changed(it, may_close)));
                Value::Object(named.collect())
            }
            value if key == "type" => match types(value) {
                Some(types) => types,
                None => continue,
            },
            // Draft 3 has a boolean `required` in the property itself.
            value if key == "required" && !value.is_array() => continue,
            value if key == "nullable" && value == &Value::Bool(true) => continue,
            value => value.clone(),
        };
        out.insert(key.to_owned(), value);
    }
    if members.get("nullable") == Some(&Value::Bool(true)) {
        allow_null(&mut out);
    }
    enum_of_items(&mut out);
    if may_close && is_closed(&out) {
        out.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    Value::Object(out)
}

/// The JSON Schema types for a name or a list of names. `None` if one of them is unknown.
fn types(value: &Value) -> Option<Value> {
    match value {
        Value::String(name) => json_type(name).map(Value::from),
        Value::Array(names) => names.iter().map(types).collect(),
        _ => None,
    }
}

/// Moves an enum of single values next to `type: array` to `items`: it lists the allowed items.
fn enum_of_items(schema: &mut Map<String, Value>) {
    let is_list = schema.get("type").is_some_and(|it| it == "array");
    let values = schema.get("enum").and_then(Value::as_array);
    if !is_list
        || values.is_none_or(|it| it.iter().any(|value| value.is_array() || value.is_null()))
    {
        return;
    }
    let values = schema.remove("enum").unwrap_or_default();
    let items = schema
        .entry("items")
        .or_insert_with(|| Value::Object(Map::new()));
    if let Value::Object(items) = items {
        items.entry("enum").or_insert(values);
    }
}

fn allow_null(schema: &mut Map<String, Value>) {
    if let Some(Value::String(name)) = schema.get("type") {
        let types = vec![Value::from(name.as_str()), Value::from("null")];
        schema.insert("type".to_owned(), Value::Array(types));
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.push(Value::Null);
    }
}

/// True for an object that lists its properties and has no keyword that could allow others.
fn is_closed(schema: &Map<String, Value>) -> bool {
    let opens = |key: &&str| schema.contains_key(*key);
    let lists = schema.get("properties").and_then(Value::as_object);
    let is_open = [
        "additionalProperties",
        "patternProperties",
        "anyOf",
        "oneOf",
        "allOf",
        "$ref",
        "unevaluatedProperties",
    ]
    .iter()
    .any(opens);
    lists.is_some_and(|it| !it.is_empty()) && !is_open
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn types_are_converted_to_json_schema_and_objects_are_closed() {
        assert_eq!(
            normal(&json!({"type": "dict", "properties": {
                "type": {"type": "float", "nullable": true},
                "b": {"type": "HashMap", "required": true},
                "c": {"type": "ARRAY", "items": {"type": "OBJECT", "properties": {"d": {"type": "any"}}}},
                "e": {"allOf": [{"properties": {"f": {}}}]}
            }})),
            json!({"type": "object", "additionalProperties": false, "properties": {
                "type": {"type": ["number", "null"]},
                "b": {},
                "c": {"type": "array", "items": {"type": "object", "properties": {"d": {}}, "additionalProperties": false}},
                "e": {"allOf": [{"properties": {"f": {}}}]}
            }})
        );
        assert_eq!(
            normal(&json!({"type": "array", "items": {"type": "string"}, "enum": ["a"]})),
            json!({"type": "array", "items": {"type": "string", "enum": ["a"]}})
        );
        assert_eq!(
            normal(&json!({"type": "object", "properties": {}})),
            json!({"type": "object", "properties": {}})
        );
    }
}
