//! The default of a parameter has a type that the schema rejects.

use rightcall_core::value::pointer::child;
use rightcall_formats::json_type;
use serde_json::Value;

use crate::check::{Check, CheckedRule};
use crate::tools::{ToolSchema, short};
use crate::{LintRule, Severity};

pub(super) const RULE: CheckedRule = CheckedRule {
    rule: LintRule {
        code: "schema-default-type",
        severity: Severity::Warning,
        summary: "The default of a parameter has a type that the schema forbids.",
        page: r#"A call that writes the default out breaks the schema. `"type": "integer", "default": "dontcare"`: correct one of the two. Expectations that equal
such a default aren't reported: the schema is. `null` is taken for *no default*."#,
    },
    check: Check::Tool(|tool, found| {
        each_property(tool, &mut |name, pointer, property| {
            let Some(default) = property.get("default") else {
                return;
            };
            if !fits_type(property, default) && !default.is_null() {
                let message = format!(
                    "{}.{name}: the type is {}, the default is {}",
                    tool.name,
                    property["type"],
                    short(default)
                );
                let place = tool.place_in_schema(&format!("{pointer}/default"));
                found.at(place, message, "correct the default or the type");
            }
        });
    }),
};

/// Calls `each` with the path, the pointer and the schema of every parameter, nested ones included.
pub(super) fn each_property(tool: &ToolSchema, each: &mut dyn FnMut(&str, &str, &Value)) {
    visit(&tool.schema, "", "", each);
}

fn visit(schema: &Value, name: &str, pointer: &str, each: &mut dyn FnMut(&str, &str, &Value)) {
    for (key, property) in schema["properties"].as_object().into_iter().flatten() {
        let at = child(&format!("{pointer}/properties"), key);
        let name = if name.is_empty() {
            key.clone()
        } else {
            format!("{name}.{key}")
        };
        each(&name, &at, property);
        visit(property, &name, &at, each);
    }
    if schema["items"].is_object() {
        let (name, at) = (format!("{name}[]"), format!("{pointer}/items"));
        if !pointer.is_empty() {
            each(&name, &at, &schema["items"]);
        }
        visit(&schema["items"], &name, &at, each);
    }
}

/// True if the value has the type that the schema names, or if the schema names no JSON type.
pub(super) fn fits_type(schema: &Value, value: &Value) -> bool {
    let is_of = |name: &str| match json_type(name) {
        Some("null") => value.is_null(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.as_f64().is_some_and(|it| it.fract() == 0.0),
        Some("number") => value.is_number(),
        Some("string") => value.is_string(),
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        _ => true,
    };
    match &schema["type"] {
        Value::String(name) => is_of(name) || value.is_null() && schema["nullable"] == true,
        Value::Array(names) => names.iter().filter_map(Value::as_str).any(is_of),
        _ => true,
    }
}
