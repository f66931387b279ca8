//! The default of a parameter is not in its enum.

use serde_json::Value;

use super::schema_default_type::{each_property, fits_type};
use crate::check::{Check, CheckedRule};
use crate::tools::short;
use crate::values::same;
use crate::{LintRule, Severity};

pub(super) const RULE: CheckedRule = CheckedRule {
    rule: LintRule {
        code: "schema-default-outside-enum",
        severity: Severity::Warning,
        summary: "The default of a parameter is not among the values that its schema lists.",
        page: "A call that writes the default out breaks the schema. Add the default to `enum`, or choose a listed one. `null` is taken for *no default*.",
    },
    check: Check::Tool(|tool, found| {
        each_property(tool, &mut |name, pointer, property| {
            let (Some(default), Some(values)) =
                (property.get("default"), property["enum"].as_array())
            else {
                return;
            };
            // An enum next to `type: array` lists the allowed items.
            let is_listed = |it: &Value| values.iter().any(|value| same(value, it));
            let items = default
                .as_array()
                .filter(|_| !values.iter().any(Value::is_array));
            let is_listed =
                items.map_or_else(|| is_listed(default), |items| items.iter().all(is_listed));
            if !default.is_null() && fits_type(property, default) && !is_listed {
                let message = format!(
                    "{}.{name}: the default {} is not in the enum",
                    tool.name,
                    short(default)
                );
                let place = tool.place_in_schema(&format!("{pointer}/default"));
                found.at(
                    place,
                    message,
                    "add it to the enum, or choose a listed default",
                );
            }
        });
    }),
};
