//! The calls required by the assertions of a test.

use rightcall_core::value::Text;

use crate::formats::expected::expected_calls;
use crate::node::Node;
use crate::trace::Trace;

/// Assertions that name the required tools, most specific first.
const NAMING: [&str; 3] = [
    "tool-call-f1",
    "trajectory:tool-sequence",
    "trajectory:tool-used",
];

/// The assertion of a call's arguments.
const ARGUMENTS: &str = "trajectory:tool-args-match";

/// The calls required by a test.
pub(super) fn expected(test: &Node<'_>, trace: &mut Trace) -> Option<String> {
    let mut asserts = Vec::new();
    let is_plain = add_asserts(test, &mut asserts);
    if !asserts.iter().any(|it| naming_kind(it).is_some()) {
        let mut asserts = asserts.into_iter();
        let is_none =
            asserts.any(|it| it.says("type", "trajectory:step-count") && allows_no_tool(it));
        return is_none.then(|| "[]".to_owned());
    }
    let calls = is_plain.then(|| calls(&asserts)).flatten();
    if calls.is_none() {
        trace
            .report
            .note("what the test expects is more than names of tools, and is left out");
    }
    calls.map(expected_calls)
}

/// The kind of an assertion of calls, without a leading `not-`.
fn naming_kind<'n>(assert: &'n Node<'_>) -> Option<&'n str> {
    let kind = assert.str_at("type")?;
    let kind = kind.strip_prefix("not-").unwrap_or(kind);
    (kind == ARGUMENTS || NAMING.contains(&kind)).then_some(kind)
}

/// Adds the assertions of a test, also those of its sets; false if a set demands only some of its own.
fn add_asserts<'n, 'a>(test: &'n Node<'a>, asserts: &mut Vec<&'n Node<'a>>) -> bool {
    let mut is_plain = true;
    for assert in test.list("assert") {
        if assert.says("type", "assert-set") {
            is_plain &= !assert.has("threshold") && add_asserts(assert, asserts);
        } else {
            asserts.push(assert);
        }
    }
    is_plain
}

/// A call with its arguments, if they are demanded.
type NamedCall<'n> = (Text<'n>, Option<&'n str>);

/// The calls that all assertions demand together; `None` if a list of calls cannot state it.
fn calls<'n>(asserts: &[&'n Node<'_>]) -> Option<Vec<NamedCall<'n>>> {
    let of = |kind: &'static str| {
        asserts
            .iter()
            .copied()
            .filter(move |it| it.says("type", kind))
    };
    let is_negated = |it: &&Node<'_>| naming_kind(it).is_some_and(|kind| !it.says("type", kind));
    if asserts.iter().any(is_negated) {
        return None;
    }
    let mut calls: Vec<NamedCall<'n>> = Vec::new();
    // A sequence or a whole list takes no further calls.
    let mut is_whole = false;
    for kind in NAMING {
        for assert in of(kind) {
            let names = names(assert)?;
            if calls.is_empty() {
                calls = names.into_iter().map(|name| (name, None)).collect();
            } else {
                for name in names {
                    let is_known = calls.iter().any(|(known, _)| *known == name);
                    if !is_known && is_whole {
                        return None;
                    }
                    calls.extend((!is_known).then_some((name, None)));
                }
            }
            is_whole |= kind != NAMING[2];
        }
    }
    for assert in of(ARGUMENTS) {
        let name = assert.get("value")?.label_at(&["name"])?;
        let arguments = whole_arguments(assert);
        let mut known = calls.iter_mut().filter(|(known, _)| *known == name);
        if let Some((_, open)) = known.find(|(_, it)| it.is_none() || *it == arguments) {
            *open = open.or(arguments);
        } else if arguments.is_some() || !calls.iter().any(|(known, _)| *known == name) {
            if is_whole {
                return None;
            }
            calls.push((name, arguments));
        }
    }
    Some(calls)
}

/// The tools that an assertion names; `None` for none, patterns, files and conditions.
fn names<'n>(assert: &'n Node<'_>) -> Option<Vec<Text<'n>>> {
    let value = assert.get("value")?;
    let steps = value.get("steps").unwrap_or(value);
    let names: Option<Vec<Text<'n>>> = match steps.str() {
        Some(text) => {
            let names = text.split(',').map(|name| name.trim().to_owned());
            Some(names.map(Text::from).collect())
        }
        None => steps.items_or_self().iter().map(plain_name).collect(),
    };
    let is_plain = |name: &Text<'_>| {
        let name = name.to_display();
        !name.is_empty() && !name.contains('*') && !name.contains("://")
    };
    names.filter(|names| !names.is_empty() && names.iter().all(is_plain))
}

/// True for an assertion that no tool is used.
fn allows_no_tool(assert: &Node<'_>) -> bool {
    let Some(value) = assert.get("value") else {
        return false;
    };
    let is_any = value
        .entries()
        .iter()
        .all(|(key, _)| *key == *"type" || *key == *"max");
    is_any && value.says("type", "tool") && value.whole_at("max") == Some(0)
}

/// The arguments of a call, if the assertion demands them exactly.
fn whole_arguments<'n>(assert: &'n Node<'_>) -> Option<&'n str> {
    let value = assert.get("value")?;
    let is_whole = value.says("mode", "exact") && !value.has("ignore") && !value.has("defaults");
    let arguments = value
        .any(&["args", "arguments"])
        .filter(|it| is_whole && it.is_object())?;
    Some(arguments.raw())
}

/// The name of a tool, for a step with only a name.
fn plain_name(step: &Node<'_>) -> Option<Text<'static>> {
    let name = match step.entries() {
        [(key, name)] if *key == *"name" => name,
        _ => step,
    };
    name.text().map(|name| name.clone().into_owned())
}
