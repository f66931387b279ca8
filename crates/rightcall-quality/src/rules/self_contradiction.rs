//! Expected calls that contradict each other or themselves.

use rightcall_core::value::pointer::child;
use serde_json::{Value, json};

use crate::check::{Check, CheckedRule, GroupedSuite};
use crate::conditions::holds;
use crate::expected::{Content, ExpectationForm, ExpectedArgument, ExpectedCall, contradiction};
use crate::found::Found;
use crate::subject::Subject;
use crate::values::same;
use crate::written_rules::{RuleVerdicts, rule_lists};
use crate::{LintRule, Severity};

pub(super) const RULE: CheckedRule = CheckedRule {
    rule: LintRule {
        code: "self-contradiction",
        severity: Severity::Error,
        summary: "Expected calls contradict each other, or themselves.",
        page: r#"Four forms are known:

- A call replaces something with itself: `item_ids` and `new_item_ids` have an equal value at the same position. This is a warning, as a user may
  ask for the same thing again.
- A tool says that something *can only be done once*, and is expected twice for the same thing.
- No run that is expected keeps the conditions: `"calls": ["refund"]` with `"forbidden": ["refund"]`, with `"counts": {"refund": 3}`, or with
  `"order": ["refund", "verify"]` where `verify` comes first; `"counts": {"find": ">= 3"}` with `"max_calls": 2`. The runs are made and judged.
  A suite whose `constraints` forbid what a case expects is a warning.
- No run keeps two rules of one list: `at least 1 refund` and `never refund`.

Correct the value that should differ, or remove one side of the contradiction."#,
    },
    check: Check::All(|input, found| {
        let suites = input.suites.iter().filter_map(SuiteBounds::of);
        let suites: Vec<_> = suites.collect();
        let calls = |it: &&Subject| it.expected.shape == ExpectationForm::Calls;
        for subject in input.subjects.iter().filter(calls) {
            let calls = &subject.expected.calls;
            calls
                .iter()
                .for_each(|call| replaced_with_itself(subject, call, found));
            report_repetition(subject, found);
            report_contradiction(subject, &suites, found);
        }
        let mut verdicts = RuleVerdicts::default();
        for rules in rule_lists(input) {
            for (one, other) in verdicts.contradictions(&rules) {
                let (one, other) = (&rules.rules[one], &rules.rules[other]);
                let message = format!(
                    "no run keeps both rules: {} and {}",
                    one.to_text(),
                    other.to_text()
                );
                rules.report(
                    other,
                    found,
                    message,
                    "remove one of the rules, or correct it",
                );
            }
        }
    }),
};

/// Reports conditions that no run meets: in the case, or else in its suite.
fn report_contradiction(subject: &Subject, suites: &[SuiteBounds<'_>], found: &mut Found) {
    let at = &subject.expected.pointer;
    let is_read = subject.refused.is_none() && at == "/expected";
    let Some(expected) = subject.expectation().filter(|_| is_read) else {
        return;
    };
    let named = &subject.expected.named;
    if let Some(it) = contradiction(expected, named, &[]) {
        let message = format!(
            "no run that is expected keeps all conditions; the nearest breaks: {}",
            it.broken.join("; ")
        );
        let pointer = match it.part {
            "" => at.clone(),
            part => child(at, part),
        };
        let advice = "remove one side of the contradiction";
        let finding = found.in_record(subject, &pointer, message, advice);
        // Different evaluators may use order and calls.
        let finding = finding.filter(|_| it.part == "order");
        finding.map(|it| it.is(Severity::Warning));
        return;
    }
    for suite in suites.iter().filter(|it| it.group == subject.group) {
        if let Some(it) = contradiction(expected, named, &suite.upper) {
            let message = format!(
                "no run that is expected keeps the constraints of {}; the nearest breaks: {}",
                suite.file,
                it.broken.join("; ")
            );
            let advice = "correct the case, or the settings of the suite";
            let finding = found.in_record(subject, at, message, advice);
            finding.map(|it| it.is(Severity::Warning));
        }
    }
}

/// The conditions of a suite that further calls can't satisfy once they are violated.
struct SuiteBounds<'s> {
    group: usize,
    file: &'s str,
    upper: Vec<Value>,
}

impl<'s> SuiteBounds<'s> {
    /// `None` if the suite has none.
    fn of((group, suite): &'s GroupedSuite) -> Option<Self> {
        let upper = suite.constraints.iter().filter_map(|it| upper_bounds(it));
        let upper: Vec<_> = upper.collect();
        (!upper.is_empty()).then_some(Self {
            group: *group,
            file: &suite.file,
            upper,
        })
    }
}

/// The conditions in settings of `constraints` that further calls can't satisfy once they are
/// violated, as an expectation.
fn upper_bounds(settings: &str) -> Option<Value> {
    let settings: Value = serde_json::from_str(settings).ok()?;
    let mut upper = serde_json::Map::new();
    for key in ["forbidden", "max_calls", "max_repeats"] {
        if let Some(value) = settings.get(key) {
            upper.insert(key.to_owned(), value.clone());
        }
    }
    let counts = settings["counts"].as_object().into_iter().flatten();
    let allows_none = |(name, count): &(&String, &Value)| {
        holds(&json!({"constraints": {"counts": {*name: count}}}), &[]) == Some(true)
    };
    let counts: serde_json::Map<_, _> = counts
        .filter(allows_none)
        .map(|(name, count)| (name.clone(), count.clone()))
        .collect();
    if !counts.is_empty() {
        upper.insert("counts".to_owned(), Value::Object(counts));
    }
    (!upper.is_empty()).then(|| json!({"constraints": upper}))
}

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
            if old.get(index).is_some_and(|it| same(it, value)) {
                let message = format!("{}: {value} is replaced with itself", call.tool);
                let pointer = format!("{}/{index}", new.pointer);
                let finding = found.in_record(subject, &pointer, message, ADVICE);
                finding.map(|it| it.is(Severity::Warning));
            }
        }
    }
}

/// Reports a second call of a tool for the same object, if a description allows only one.
fn report_repetition(subject: &Subject, found: &mut Found) {
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
        let Some(object_argument) = object_argument(call, &sentences) else {
            continue;
        };
        let is_same = |other: &&ExpectedCall| {
            other.tool == call.tool
                && named(other, &object_argument.name).and_then(value) == value(object_argument)
        };
        if let Some(first) = calls[..number].iter().find(is_same) {
            let id = value(object_argument)
                .map(ToString::to_string)
                .unwrap_or_default();
            let message = format!(
                "{} for {} {id}, which a description says can be done only once, is also expected at {}",
                call.tool, object_argument.name, first.pointer
            );
            found.in_record(subject, &call.pointer, message, ADVICE);
        }
    }
}

/// The argument that identifies the object of a once-only sentence: the tool's name starts with the
/// verb of the sentence, and the argument is its noun with `_id`.
fn object_argument<'c>(
    call: &'c ExpectedCall,
    sentences: &[String],
) -> Option<&'c ExpectedArgument> {
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
