//! An enum has values that the schema's own type rejects.

use super::schema_default_type::{each_property, fits_type};
use crate::check::{Check, CheckedRule};
use crate::tools::short;
use crate::{LintRule, Severity};

pub(super) const RULE: CheckedRule = CheckedRule {
    rule: LintRule {
        code: "schema-enum-type",
        severity: Severity::Warning,
        summary: "A schema lists values that its own type forbids.",
        page: r#"No value obeys both, so the agent has to break one of them. `"type": "integer", "enum": ["1", "2"]`: write `[1, 2]`, or the type `string`."#,
    },
    check: Check::Tool(|tool, found| {
        each_property(tool, &mut |name, pointer, property| {
            let values = property["enum"].as_array().into_iter().flatten();
            let wrong: Vec<_> = values
                .filter(|it| !fits_type(property, it))
                .map(short)
                .collect();
            if !wrong.is_empty() {
                let message = format!(
                    "{}.{name}: the type is {}, the enum has {}",
                    tool.name,
                    property["type"],
                    wrong[..wrong.len().min(4)].join(", ")
                );
                let place = tool.place_in_schema(&format!("{pointer}/enum"));
                found.at(
                    place,
                    message,
                    "write the values in that type, or correct the type",
                );
            }
        });
    }),
};
