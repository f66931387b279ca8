//! The calls that a rule names.

use rightcall_core::tools_in_rules;
use rightcall_core::value::{Syntax, decode_with};
use serde_json::{Value, json};

/// A call in a rule.
#[derive(Debug, PartialEq)]
pub(crate) struct RuleCalls<'r> {
    /// The name, or a pattern; `*` if the rule leaves it open.
    pub(crate) name: String,
    /// The arguments that it demands.
    pub(crate) arguments: Option<&'r Value>,
    pub(crate) failed: Option<bool>,
    pub(crate) has_output: bool,
    /// The arguments that it has to share with the other call: keys, or pointers.
    pub(crate) same: Vec<&'r str>,
}

/// Keys of a rule that contain no call.
const OTHERS: [&str; 3] = ["same", "name", "why"];

/// The calls that a rule names. Calls in a sentence have only a name.
pub(crate) fn calls_in(rule: &Value) -> Vec<RuleCalls<'_>> {
    let mut calls = Vec::new();
    if rule.is_string() {
        let text = json!([rule]).to_string();
        let names = decode_with(&text, Syntax::PYTHON).map(|it| tools_in_rules(&it));
        calls.extend(names.unwrap_or_default().into_iter().map(named));
    }
    let members = rule.as_object().into_iter().flatten();
    for (key, value) in members.filter(|(key, _)| !OTHERS.contains(&key.as_str())) {
        let same = shared(&rule["same"], key == "call");
        add(value, &same, &mut calls);
    }
    calls
}

/// True if only the names and the order of calls decide whether a run keeps the rule, with any other calls in between.
pub(crate) fn names_decide(rule: &Value) -> bool {
    let is_alone = |it: &RuleCalls<'_>| {
        it.arguments.is_none() && it.failed.is_none() && !it.has_output && it.same.is_empty()
    };
    let calls = calls_in(rule);
    !rule.to_string().contains("directly") && !calls.is_empty() && calls.iter().all(is_alone)
}

fn named<'r>(name: String) -> RuleCalls<'r> {
    RuleCalls {
        name,
        arguments: None,
        failed: None,
        has_output: false,
        same: Vec::new(),
    }
}

fn add<'r>(value: &'r Value, same: &[&'r str], calls: &mut Vec<RuleCalls<'r>>) {
    match value {
        Value::String(name) => calls.push(RuleCalls {
            same: same.to_vec(),
            ..named(name.clone())
        }),
        Value::Object(call) => calls.push(RuleCalls {
            name: call
                .get("name")
                .and_then(Value::as_str)
                .unwrap_or("*")
                .to_owned(),
            arguments: call.get("args"),
            failed: call.get("failed").and_then(Value::as_bool),
            has_output: call.contains_key("output"),
            same: same.to_vec(),
        }),
        Value::Array(items) => items.iter().for_each(|it| add(it, same, calls)),
        _ => {}
    }
}

/// The keys of `same` for the call that the rule is about, or for the other.
fn shared(same: &Value, is_call: bool) -> Vec<&str> {
    match same {
        Value::String(key) => vec![key],
        Value::Array(keys) => keys.iter().filter_map(Value::as_str).collect(),
        Value::Object(pairs) if is_call => pairs.keys().map(String::as_str).collect(),
        Value::Object(pairs) => pairs.values().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_sentences_and_objects_are_parsed() {
        let described = |rule: &Value| {
            let call = |it: RuleCalls<'_>| {
                let arguments = it.arguments.map(Value::to_string).unwrap_or_default();
                format!("{}{arguments} {}", it.name, it.same.join("+"))
            };
            let calls: Vec<_> = calls_in(rule).into_iter().map(call).collect();
            calls.join(", ")
        };
        for (rule, calls) in [
            (json!("verify before refund"), "refund , verify "),
            (
                json!({"call": "a", "at_most": 1, "same": ["x", "/y/z"]}),
                "a x+/y/z",
            ),
            (
                json!({"call": {"name": "a", "args": {"x": 1}}, "needs": ["b", {"failed": true}], "same": {"x": "y"}, "why": "c"}),
                "a{\"x\":1} x, b y, * y",
            ),
            (json!({"first": "a"}), "a "),
            (json!(7), ""),
        ] {
            assert_eq!(described(&rule), calls, "{rule}");
        }
        assert!(names_decide(&json!("at least 1 a")));
        assert!(!names_decide(&json!("a directly before b")));
        assert!(!names_decide(
            &json!({"call": "a", "at_most": 1, "same": "x"})
        ));
    }
}
