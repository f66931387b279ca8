//! The default of a parameter is not among the values that its schema lists.

use super::schema_default_type::{each_property, fits_type};
use crate::check::{Check, CheckedRule};
use crate::tools::short;
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
            if !default.is_null() && fits_type(property, default) && !values.contains(default) {
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
