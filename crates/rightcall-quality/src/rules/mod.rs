//! The rules, one file each.

mod any_run_passes;
mod argument_not_in_schema;
mod default_must_be_written_out;
mod default_written_or_left_out;
mod duplicate_call;
mod duplicate_case;
mod malformed_expectation;
mod matcher_as_text;
mod misspelt_tool;
mod no_value_accepted;
mod nothing_can_fail;
mod redundant_alternative;
mod required_argument_missing;
mod rule_never_broken;
mod rule_not_in_schema;
mod schema_default_outside_enum;
mod schema_default_type;
mod schema_enum_type;
mod schema_illegal_argument_name;
mod schema_invalid;
mod schema_required_unlisted;
mod self_contradiction;
mod suite_invalid;
mod tool_not_in_catalogue;
mod tool_not_offered_yet;
mod two_truths;
mod type_differs_from_schema;
mod unknown_rule;
mod unreachable_alternative;
mod value_out_of_range;
mod value_outside_enum;
mod value_violates_format;

use crate::check::CheckedRule;
use crate::found::Found;
use crate::subject::{ForbiddenValue, Subject};
use crate::tools::Broken;
use crate::{LintRule, Severity};

/// All rules, by code, with their checks.
pub(crate) static RULES: &[CheckedRule] = &[
    any_run_passes::RULE,
    argument_not_in_schema::RULE,
    default_must_be_written_out::RULE,
    default_written_or_left_out::RULE,
    duplicate_call::RULE,
    duplicate_case::RULE,
    malformed_expectation::RULE,
    matcher_as_text::RULE,
    misspelt_tool::RULE,
    no_value_accepted::RULE,
    nothing_can_fail::RULE,
    redundant_alternative::RULE,
    required_argument_missing::RULE,
    rule_never_broken::RULE,
    rule_not_in_schema::RULE,
    schema_default_outside_enum::RULE,
    schema_default_type::RULE,
    schema_enum_type::RULE,
    schema_illegal_argument_name::RULE,
    schema_invalid::RULE,
    schema_required_unlisted::RULE,
    self_contradiction::RULE,
    suite_invalid::RULE,
    tool_not_in_catalogue::RULE,
    tool_not_offered_yet::RULE,
    two_truths::RULE,
    type_differs_from_schema::RULE,
    unknown_rule::RULE,
    unreachable_alternative::RULE,
    value_out_of_range::RULE,
    value_outside_enum::RULE,
    value_violates_format::RULE,
];

/// All rules, ordered by code.
pub fn rules() -> impl Iterator<Item = &'static LintRule> {
    RULES.iter().map(|it| &it.rule)
}

/// True for a pattern of names.
pub(crate) fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?'])
}

/// True if a name, or a pattern, fits one of these names.
fn is_known<'n>(name: &str, mut names: impl Iterator<Item = &'n str>) -> bool {
    names.any(|it| {
        it == name
            || is_pattern(name)
                && rightcall_core::fits_pattern(name.as_bytes(), it.as_bytes(), |_| true)
    })
}

/// A pattern of names without wildcards at its ends.
fn literal(name: &str) -> &str {
    name.trim_matches(['*', '?'])
}

/// `; did you mean …?` with the most similar names; empty if there are none.
fn meant<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> String {
    rightcall_core::did_you_mean(&rightcall_core::nearest(name, names))
}

/// Reports the values that the schemas reject for one of these reasons, each value once. The
/// finding is only a warning if the expectation also accepts a valid value, because a correct call
/// can still match.
fn report(
    subject: &Subject,
    found: &mut Found,
    reasons: &[Broken],
    advice: impl Fn(&ForbiddenValue) -> String,
) {
    let values = subject.forbidden_values().iter();
    let reported: Vec<_> = values
        .filter(|it| reasons.contains(&it.violation.broken))
        .collect();
    for of_value in reported.chunk_by(|one, other| {
        one.value == other.value && one.argument_name() == other.argument_name()
    }) {
        let Some(first) = of_value.first() else {
            continue;
        };
        let (pointer, more) = match of_value.len() - 1 {
            0 => (&first.pointer, String::new()),
            more => (&first.value, format!(" (and {more} more in this value)")),
        };
        let of = match &*first.argument {
            "" => first.tool.clone(),
            argument => format!("{}.{argument}", first.tool),
        };
        let (expected, value) = (&first.violation.expected, &first.violation.found);
        let message = match first.violation.broken {
            // The message of the validator, which contains the value.
            Broken::Other => format!("{of}: {expected}{more}"),
            _ => format!("{of}: expected {expected}, found {value}{more}"),
        };
        let finding = found.in_record(subject, pointer, message, advice(first));
        if let Some(finding) = finding.filter(|_| first.has_other) {
            finding.is(Severity::Warning);
        }
    }
}

#[cfg(test)]
mod decided_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod written_tests;
