//! Two accepted values of an argument, or two alternatives of a block, are equal, or one accepts all that the other does.

use rightcall_core::expectation::BLOCKS;
use rightcall_core::value::pointer::{child, item};
use serde_json::Value;

use crate::check::{Check, CheckedRule};
use crate::expected::{Content, ExpectationForm, accepts_all_of, matches};
use crate::found::Found;
use crate::subject::Subject;
use crate::tools::short;
use crate::values::same;
use crate::{Fix, LintRule, Severity};

pub(super) const RULE: CheckedRule = CheckedRule {
    rule: LintRule {
        code: "redundant-alternative",
        severity: Severity::Note,
        summary: "Of two accepted values of an argument, or two alternatives of a block, one accepts all that the other does.",
        page: r#"The second adds nothing; often another value was meant. `["Oslo", "Oslo"]`, `{"one_of": ["refund", "refund"]}`: remove one. `--fix` does. `2` and
`2.0` are equal too; which of them to keep is left to you.

If one alternative accepts more, the other is never needed, and that is a warning: `{"one_of": ["refund", {"name": "refund", "args": {"id": 7}}]}` accepts any id."#,
    },
    check: Check::Record(|subject, found| {
        for argument in subject
            .expected
            .calls
            .iter()
            .filter_map(|it| it.arguments.as_deref())
            .flatten()
        {
            let mut known: Vec<&Value> = Vec::new();
            for accepted in &argument.accepted {
                let Content::Plain(value) = &accepted.content else {
                    continue;
                };
                if known.iter().any(|it| same(it, value)) {
                    let message = format!("{}: {value} is accepted twice", argument.name);
                    let finding =
                        found.in_record(subject, &accepted.pointer, message, "remove one of them");
                    // Only the author can tell which notation of a number is intended.
                    let finding = finding.filter(|_| known.contains(&value));
                    finding.map(|it| it.fixed_by(Fix::RemoveItem(accepted.pointer.clone())));
                }
                known.push(value);
                let matchers = argument.accepted.iter().filter_map(|it| match &it.content {
                    Content::Matcher(matcher) => Some(matcher),
                    _ => None,
                });
                if let Some(wide) = matchers.into_iter().find(|it| matches(it, value)) {
                    let message = format!(
                        "{}: {} accepts {} already",
                        argument.name,
                        short(wide),
                        short(value)
                    );
                    let advice = "remove one of them";
                    let finding = found.in_record(subject, &accepted.pointer, message, advice);
                    finding.map(|it| it.is(Severity::Warning));
                }
            }
            if let Some(second) = argument.left_out.get(1) {
                let message = format!("{}: \"\" is accepted twice", argument.name);
                let finding = found.in_record(subject, second, message, "remove one of them");
                finding.map(|it| it.fixed_by(Fix::RemoveItem(second.clone())));
            }
        }
        let is_read = subject.expected.shape == ExpectationForm::Calls && subject.refused.is_none();
        if let Some(expected) = subject.expectation().filter(|_| is_read) {
            equal_branches(subject, expected, &subject.expected.pointer, found);
        }
    }),
};

/// Reports the equal alternatives of `one_of` blocks.
fn equal_branches(subject: &Subject, element: &Value, pointer: &str, found: &mut Found) {
    match element {
        Value::Array(items) => {
            for (index, element) in items.iter().enumerate() {
                equal_branches(subject, element, &item(pointer, index), found);
            }
        }
        Value::Object(members) if !members.contains_key("name") => {
            let branches = members.get("one_of").and_then(Value::as_array);
            let at = child(pointer, "one_of");
            for (index, branch) in branches.into_iter().flatten().enumerate() {
                let others = || branches.into_iter().flatten().enumerate();
                let place = item(&at, index);
                if others().take(index).any(|(_, it)| same(it, branch)) {
                    let message = format!("{} is an alternative twice", short(branch));
                    let finding = found.in_record(subject, &place, message, "remove one of them");
                    finding.map(|it| it.fixed_by(Fix::RemoveItem(place.clone())));
                    continue;
                }
                // If two alternatives accept the same values, the second one is redundant.
                let is_wider = |(number, it): &(usize, &Value)| {
                    !same(it, branch)
                        && accepts_all_of(it, branch)
                        && (*number < index || !accepts_all_of(branch, it))
                };
                if let Some((_, wide)) = others().find(is_wider) {
                    let message = format!("{} accepts {} already", short(wide), short(branch));
                    let finding = found.in_record(subject, &place, message, "remove one of them");
                    finding.map(|it| it.is(Severity::Warning));
                }
            }
            for key in BLOCKS.iter().chain(&["calls"]) {
                if let Some(inner) = members.get(*key) {
                    equal_branches(subject, inner, &child(pointer, key), found);
                }
            }
        }
        _ => {}
    }
}
