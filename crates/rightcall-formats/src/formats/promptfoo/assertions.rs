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

/// The calls required by a test.
pub(super) fn expected(test: &Node<'_>, trace: &mut Trace) -> Option<String> {
    let asserts = test.list("assert");
    let of = |kind: &'static str| {
        asserts
            .iter()
            .filter(move |it| it.str_at("type") == Some(kind))
    };
    let Some(naming) = NAMING.iter().find_map(|kind| of(kind).next()) else {
        return of("trajectory:step-count")
            .any(allows_no_tool)
            .then(|| "[]".to_owned());
    };
    let value = naming.get("value")?;
    let steps = value.get("steps").unwrap_or(value);
    let split = |text: &str| {
        let names = text.split(',').map(|name| name.trim().to_owned());
        names.map(Text::from).collect()
    };
    let names: Option<Vec<Text<'_>>> = match steps.str() {
        Some(text) => Some(split(text)),
        None => steps.items_or_self().iter().map(plain_name).collect(),
    };
    let is_plain = |name: &Text<'_>| !name.is_empty() && !name.to_display().contains('*');
    let Some(names) = names.filter(|names| names.iter().all(is_plain)) else {
        trace
            .report
            .note("what the test expects is more than names of tools, and is left out");
        return None;
    };
    let mut calls: Vec<_> = names.into_iter().map(|name| (name, None)).collect();
    for (name, arguments) in of("trajectory:tool-args-match").filter_map(whole_arguments) {
        let is_open =
            |(other, known): &&mut (Text<'_>, Option<&str>)| known.is_none() && *other == name;
        if let Some((_, known)) = calls.iter_mut().find(is_open) {
            *known = Some(arguments);
        }
    }
    Some(expected_calls(calls))
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

/// The tool and its exact arguments, if the assertion demands them exactly.
fn whole_arguments<'n>(assert: &'n Node<'_>) -> Option<(Text<'static>, &'n str)> {
    let value = assert.get("value")?;
    let is_whole = value.says("mode", "exact") && !value.has("ignore") && !value.has("defaults");
    let arguments = value
        .any(&["args", "arguments"])
        .filter(|it| is_whole && it.is_object())?;
    Some((value.label_at(&["name"])?, arguments.raw()))
}

/// The name of a tool, for a step with only a name.
fn plain_name(step: &Node<'_>) -> Option<Text<'static>> {
    step.label().or_else(|| match step.entries() {
        [(key, name)] if *key == *"name" => name.label(),
        _ => None,
    })
}
