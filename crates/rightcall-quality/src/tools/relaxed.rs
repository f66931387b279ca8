//! A relaxed schema, with only types, ranges and listed values. It accepts everything that the schema accepts, and more.

use serde_json::{Map, Value, json};

/// The keywords to keep.
const KEPT: [&str; 7] = [
    "type",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "enum",
    "const",
];

/// Maximum number of references to follow.
const DEPTH: usize = 8;

/// The schema of a value inside a schema, without conditions that can't be decided. References are resolved in `root`.
pub(crate) fn relaxed(schema: &Value, root: &Value) -> Value {
    relaxed_to(schema, root, DEPTH)
}

fn relaxed_to(schema: &Value, root: &Value, depth: usize) -> Value {
    let (Some(members), Some(deeper)) = (schema.as_object(), depth.checked_sub(1)) else {
        return json!({});
    };
    if let Some(target) = referred(schema, root) {
        return relaxed_to(target, root, deeper);
    }
    let kept = members
        .iter()
        .filter(|(key, _)| KEPT.contains(&key.as_str()));
    let mut kept: Map<_, _> = kept.map(|(key, it)| (key.clone(), it.clone())).collect();
    let branches = ["anyOf", "oneOf"]
        .into_iter()
        .find_map(|key| members.get(key)?.as_array());
    if let Some(branches) = branches {
        let branches = branches.iter().map(|it| relaxed_to(it, root, deeper));
        kept.insert("anyOf".to_owned(), branches.collect());
    }
    Value::Object(kept)
}

/// The target of a local reference.
pub(super) fn referred<'s>(schema: &Value, root: &'s Value) -> Option<&'s Value> {
    root.pointer(schema["$ref"].as_str()?.strip_prefix('#')?)
}

/// All values that a relaxed schema accepts, if it lists them.
pub(crate) fn listed_values(schema: &Value) -> Option<Vec<Value>> {
    if let Some(values) = schema["enum"].as_array() {
        return Some(values.clone());
    }
    if let Some(value) = schema.get("const") {
        return Some(vec![value.clone()]);
    }
    let of_type = |name: &Value| match name.as_str()? {
        "boolean" => Some(vec![json!(true), json!(false)]),
        "null" => Some(vec![Value::Null]),
        _ => None,
    };
    match (&schema["type"], schema["anyOf"].as_array()) {
        (Value::Array(names), _) => names
            .iter()
            .map(of_type)
            .collect::<Option<Vec<_>>>()
            .map(|it| it.concat()),
        (name @ Value::String(_), _) => of_type(name),
        (_, Some(branches)) => branches
            .iter()
            .map(listed_values)
            .collect::<Option<Vec<_>>>()
            .map(|it| it.concat()),
        _ => None,
    }
}

/// The numbers that a relaxed schema names.
pub(crate) fn bounds(schema: &Value, found: &mut Vec<f64>) {
    for key in ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"] {
        found.extend(schema[key].as_f64());
    }
    for branch in schema["anyOf"].as_array().into_iter().flatten() {
        bounds(branch, found);
    }
}
