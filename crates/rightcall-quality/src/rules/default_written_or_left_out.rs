//! One case expects the schema's default as an explicit argument; another expects the argument to be omitted.

use std::collections::BTreeMap;

use crate::check::{Check, CheckedRule};
use crate::expected::ExpectationForm;
use crate::{LintRule, Severity};

pub(super) const RULE: CheckedRule = CheckedRule {
    rule: LintRule {
        code: "default-written-or-left-out",
        severity: Severity::Note,
        summary: "One case expects the schema's default written out, another expects the argument left out.",
        page: r#"Both calls do the same. An agent that always writes the default fails one of the cases, and an agent that never does fails the other.

Expect it in one way, or accept both: `{"$optional": "celsius"}`."#,
    },
    check: Check::Records(|subjects, found| {
        let mut seen: BTreeMap<(&str, &str), DefaultUse<'_>> = BTreeMap::new();
        for (number, subject) in subjects.iter().enumerate() {
            if subject.expected.shape != ExpectationForm::Calls {
                continue;
            }
            for (call, tool, arguments) in subject.known_calls() {
                for name in tool.parameters().iter().filter(|it| !tool.is_required(it)) {
                    let Some(default) = tool.default(name) else {
                        continue;
                    };
                    let entry = seen.entry((&tool.name, name)).or_default();
                    match arguments.iter().find(|it| it.name == *name) {
                        None if !call.is_open => {
                            let place = subject.place(&call.pointer);
                            entry
                                .left_out
                                .get_or_insert_with(|| format!("{}:{}", place.file, place.line));
                        }
                        Some(argument)
                            if argument.left_out.is_empty() && argument.accepts(default) =>
                        {
                            entry.written.push((number, &argument.pointer));
                        }
                        _ => {}
                    }
                }
            }
        }
        for ((tool, name), seen) in seen {
            let Some(other) = seen.left_out else {
                continue;
            };
            for (number, pointer) in seen.written {
                let message =
                    format!("{tool}.{name}: the default is expected here, and left out in {other}");
                found.in_record(
                    &subjects[number],
                    pointer,
                    message,
                    "accept both: {\"$optional\": …}",
                );
            }
        }
    }),
};

/// The calls that write out the default of an argument, by record and pointer, and the first call that omits it.
#[derive(Default)]
struct DefaultUse<'s> {
    written: Vec<(usize, &'s str)>,
    left_out: Option<String>,
}
