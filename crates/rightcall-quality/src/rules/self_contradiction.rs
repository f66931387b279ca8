//! Expected calls that contradict each other or themselves.

use serde_json::Value;

use crate::check::{Check, CheckedRule};
use crate::expected::{Content, ExpectationForm, ExpectedArgument, ExpectedCall};
use crate::found::Found;
use crate::subject::Subject;
use crate::{LintRule, Severity};

pub(super) const RULE: CheckedRule = CheckedRule {
    rule: LintRule {
    code: "self-contradiction",
    severity: Severity::Error,
    summary: "Expected calls contradict each other, or themselves.",
    page: "Two forms are known:

- A call replaces something with itself: `item_ids` and `new_item_ids` have an equal value at the same position. This is a warning, as a user may
  ask for the same thing again.
- A tool says that something *can only be done once*, and is expected twice for the same thing.

The environment would refuse the call or do nothing. Correct the value that should differ, or remove a call.",
    },
    check: Check::Record(|subject, found| {
        if subject.expected.shape != ExpectationForm::Calls {
            return;
        }
        let calls = &subject.expected.calls;
        calls
            .iter()
            .for_each(|call| replaced_with_itself(subject, call, found));
        done_twice(subject, found);
    }),
};

const ADVICE: &str = "correct the value that should differ, or remove a call";

/// The only value of an argument.
fn value(argument: &ExpectedArgument) -> Option<&Value> {
    match &argument.accepted[..] {
        [only] => match &only.content {
            Content::Plain(value) => Some(value),
            _ => None,
        },
        _ => None,
    }
}

fn named<'c>(call: &'c ExpectedCall, name: &str) -> Option<&'c ExpectedArgument> {
    call.arguments.iter().flatten().find(|it| it.name == name)
}

fn replaced_with_itself(subject: &Subject, call: &ExpectedCall, found: &mut Found) {
    for new in call.arguments.iter().flatten() {
        let old = new
            .name
            .strip_prefix("new_")
            .and_then(|name| named(call, name));
        let (Some(old), Some(Value::Array(values))) = (old.and_then(value), value(new)) else {
            continue;
        };
        for (index, value) in values.iter().enumerate() {
            if old.get(index) == Some(value) {
                let message = format!("{}: {value} is replaced with itself", call.tool);
                let pointer = format!("{}/{index}", new.pointer);
                let finding = found.in_record(subject, &pointer, message, ADVICE);
                finding.map(|it| it.is(Severity::Warning));
            }
        }
    }
}

/// Reports a second call of a tool for the same object if a description says that this can be done only once.
fn done_twice(subject: &Subject, found: &mut Found) {
    let Some(tools) = &subject.tools else {
        return;
    };
    let sentences: Vec<_> = tools
        .tools
        .iter()
        .flat_map(|it| it.description.split(['.', '\n']))
        .map(str::to_lowercase)
        .filter(|it| it.contains("only") && it.contains("once"))
        .collect();
    let calls = &subject.expected.calls;
    for (number, call) in calls.iter().enumerate() {
        let Some(thing) = thing(call, &sentences) else {
            continue;
        };
        let is_same = |other: &&ExpectedCall| {
            other.tool == call.tool && named(other, &thing.name).and_then(value) == value(thing)
        };
        if let Some(first) = calls[..number].iter().find(is_same) {
            let id = value(thing).map(ToString::to_string).unwrap_or_default();
            let message = format!(
                "{} for {} {id}, which a description says can be done only once, is also expected at {}",
                call.tool, thing.name, first.pointer
            );
            found.in_record(subject, &call.pointer, message, ADVICE);
        }
    }
}

/// The argument that identifies the object of a once-only sentence: the tool's name starts with the sentence's verb, and the argument is
/// the noun with `_id`.
fn thing<'c>(call: &'c ExpectedCall, sentences: &[String]) -> Option<&'c ExpectedArgument> {
    let verb = call.tool.split(['_', '.']).next()?.to_lowercase();
    let is_word = |sentence: &str, word: &str| {
        sentence
            .split(|it: char| !it.is_alphanumeric())
            .any(|it| it == word)
    };
    let mut sentences = sentences.iter().filter(|it| is_word(it, &verb));
    sentences.find_map(|sentence| {
        let mut arguments = call.arguments.iter().flatten();
        arguments.find(|it| {
            let noun = it.name.strip_suffix("_id");
            noun.is_some_and(|noun| is_word(sentence, &noun.to_lowercase()))
                && value(it).is_some_and(Value::is_string)
        })
    })
}
