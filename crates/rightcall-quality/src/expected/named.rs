//! Tools that an expectation names in addition to its calls: in counts, orders, outputs and constraints.

use rightcall_core::value::pointer::{child, item};
use rightcall_core::value::{Syntax, decode_with};
use serde_json::{Value, json};

use super::calls::name_of;
use crate::conditions::holds;

/// A tool that a condition names.
#[derive(Debug)]
pub(crate) struct NamedTool {
    /// Its name, or a pattern with `*` and `?`.
    pub(crate) name: String,
    pub(crate) pointer: String,
    /// True if the condition requires a call of it.
    pub(crate) is_demanded: bool,
}

/// The tools that the conditions of an expectation name.
pub(super) fn named_in(expected: &Value, pointer: &str) -> Vec<NamedTool> {
    let mut named = Vec::new();
    if expected.as_object().is_none_or(|it| name_of(it).is_some()) {
        return named;
    }
    counted(&expected["counts"], &child(pointer, "counts"), &mut named);
    let at = child(pointer, "order");
    each_text(&expected["order"], &at, &mut |name, at| {
        add(&mut named, name, at, true);
    });
    let at = child(pointer, "outputs");
    for (index, output) in expected["outputs"]
        .as_array()
        .into_iter()
        .flatten()
        .enumerate()
    {
        if let Some(name) = output.as_object().and_then(name_of) {
            add(&mut named, name, &item(&at, index), true);
        }
    }
    in_constraints(
        &expected["constraints"],
        &child(pointer, "constraints"),
        &mut named,
    );
    named
}

/// The tools that settings of `constraints` name, as JSON text; none if it can't be parsed.
pub(crate) fn tools_in_constraints(json: &str) -> Vec<String> {
    let mut named = Vec::new();
    if let Ok(settings) = serde_json::from_str(json) {
        in_constraints(&settings, "", &mut named);
    }
    named.into_iter().map(|it| it.name).collect()
}

/// The tools that the settings of `constraints` name.
fn in_constraints(settings: &Value, pointer: &str, named: &mut Vec<NamedTool>) {
    counted(&settings["counts"], &child(pointer, "counts"), named);
    for (key, is_demanded) in [("required", true), ("forbidden", false)] {
        each_text(&settings[key], &child(pointer, key), &mut |name, at| {
            add(named, name, at, is_demanded);
        });
    }
    each_text(
        &settings["order"],
        &child(pointer, "order"),
        &mut |text, at| {
            text.split(" before ")
                .for_each(|name| add(named, name.trim(), at, false));
        },
    );
    each_text(
        &settings["relations"],
        &child(pointer, "relations"),
        &mut |text, at| {
            let sides = text.split(['=', '<', '>', '!']).map(str::trim);
            sides
                .filter(|it| !it.is_empty())
                .for_each(|name| add(named, name, at, false));
        },
    );
    let at = child(pointer, "rules");
    for (index, rule) in settings["rules"]
        .as_array()
        .into_iter()
        .flatten()
        .enumerate()
    {
        let text = json!([rule]).to_string();
        if let Ok(rules) = decode_with(&text, Syntax::PYTHON) {
            for name in rightcall_core::tools_in_rules(&rules) {
                add(named, &name, &item(&at, index), false);
            }
        }
    }
}

fn counted(counts: &Value, pointer: &str, named: &mut Vec<NamedTool>) {
    for (name, count) in counts.as_object().into_iter().flatten() {
        let of_none = json!({"constraints": {"counts": {name: count}}});
        let is_demanded = holds(&of_none, &[]) == Some(false);
        add(named, name, &child(pointer, name), is_demanded);
    }
}

fn add(named: &mut Vec<NamedTool>, name: &str, pointer: &str, is_demanded: bool) {
    named.push(NamedTool {
        name: name.to_owned(),
        pointer: pointer.to_owned(),
        is_demanded,
    });
}

/// Visits a list of texts, or a single text, each with its place.
fn each_text(value: &Value, pointer: &str, each: &mut dyn FnMut(&str, &str)) {
    match value {
        Value::String(text) => each(text, pointer),
        Value::Array(items) => {
            for (index, text) in items.iter().enumerate() {
                if let Some(text) = text.as_str() {
                    each(text, &item(pointer, index));
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tool_names_of_all_conditions_are_found() {
        let expected = json!({"calls": ["x"], "order": ["a"], "counts": {"b": 1, "c": 0, "d": "<= 2"}, "outputs": [{"name": "e", "output": 1}],
            "constraints": {"required": ["f"], "forbidden": "g*", "counts": {"h": ">= 1"}, "order": ["i before j"], "relations": ["k >= l"],
                "rules": ["m before n"]}});
        let named = named_in(&expected, "/expected");
        let places: Vec<_> = named
            .iter()
            .map(|it| (&*it.name, &it.pointer["/expected/".len()..], it.is_demanded))
            .collect();
        assert_eq!(
            places,
            [
                ("b", "counts/b", true),
                ("c", "counts/c", false),
                ("d", "counts/d", false),
                ("a", "order/0", true),
                ("e", "outputs/0", true),
                ("h", "constraints/counts/h", true),
                ("f", "constraints/required/0", true),
                ("g*", "constraints/forbidden", false),
                ("i", "constraints/order/0", false),
                ("j", "constraints/order/0", false),
                ("k", "constraints/relations/0", false),
                ("l", "constraints/relations/0", false),
                ("n", "constraints/rules/0", false),
                ("m", "constraints/rules/0", false),
            ]
        );
    }
}
