//! The schema of a tool is not valid JSON Schema.

use rightcall_formats::json_type;

use super::meant;
use super::schema_default_type::each_property;
use crate::check::{Check, CheckedRule};
use crate::{LintRule, Severity};

pub(super) const RULE: CheckedRule = CheckedRule {
    rule: LintRule {
        code: "schema-invalid",
        severity: Severity::Warning,
        summary: "The schema of a tool is no JSON Schema.",
        page: r#"Its values can't be checked, and model providers may refuse it. The message says which part is wrong.

`"type": "strng"`: write `string`. Names that other languages and packages use, such as `dict`, `float` or `HashMap`, aren't reported."#,
    },
    check: Check::Tool(|tool, found| {
        if let Some(error) = tool.broken() {
            found.at(
                tool.place_in_schema(""),
                format!("{}: the schema cannot be used: {error}", tool.name),
                "correct the schema",
            );
        }
        each_property(tool, &mut |name, pointer, property| {
            let types = property["type"].as_array().map(Vec::as_slice);
            let types = types.unwrap_or(std::slice::from_ref(&property["type"]));
            for kind in types.iter().filter_map(|it| it.as_str()) {
                let instead = misspelt(kind);
                if !instead.is_empty() {
                    found.at(
                        tool.place_in_schema(&format!("{pointer}/type")),
                        format!(
                            "{}.{name}: JSON Schema has no type `{kind}`{instead}",
                            tool.name
                        ),
                        "correct the type",
                    );
                }
            }
        });
    }),
};

/// `; did you mean …?` for a type that is nearly one of JSON Schema. Empty for types of other languages, such as Java's `String`.
fn misspelt(kind: &str) -> String {
    const TYPES: [&str; 7] = [
        "null", "boolean", "integer", "number", "string", "object", "array",
    ];
    let is_other =
        kind.starts_with(|it: char| it.is_ascii_uppercase()) || json_type(kind).is_some();
    if is_other {
        return String::new();
    }
    meant(kind, TYPES.into_iter())
}
