//! Checks whether one alternative accepts all runs of another, by generating and judging these
//! runs.

use rightcall_core::expectation::{ActualCall, ProcessTree};
use rightcall_core::value::{Syntax, Text, decode_with};
use serde_json::{Value, json};

use super::calls::has_matcher;
use super::runs::described;
use crate::conditions::numbers_in;

/// Maximum number of rounds in a block. Larger blocks are left undecided.
const LARGEST: usize = 20;

/// True if `wide` accepts all runs of `narrow`; false if undecided.
pub(crate) fn accepts_all_of(wide: &Value, narrow: &Value) -> bool {
    let mut numbers = Vec::new();
    for block in [wide, narrow] {
        round_limits(block, &mut numbers);
    }
    let largest = numbers.into_iter().max().unwrap_or_default();
    if has_matcher(narrow) || largest > LARGEST {
        return false;
    }
    let text = json!([{"one_of": [wide]}]).to_string();
    let (Ok(tree), Some(runs)) = (ProcessTree::read(&text), described(narrow, largest + 1)) else {
        return false;
    };
    runs.iter().all(|run| accepts(&tree, run) == Some(true))
}

/// Collects the minimum and maximum numbers of rounds in blocks.
fn round_limits(block: &Value, numbers: &mut Vec<usize>) {
    match block {
        Value::Object(members) if !members.contains_key("name") => {
            for (key, value) in members {
                match key.as_str() {
                    "min" | "max" => numbers_in(value, numbers),
                    _ => round_limits(value, numbers),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|it| round_limits(it, numbers)),
        _ => {}
    }
}

fn accepts(tree: &ProcessTree, run: &[Value]) -> Option<bool> {
    let texts = run.iter().enumerate().map(|(number, call)| {
        // A call without arguments accepts any, so generate unlikely ones.
        let open = json!({"any argument": number});
        call.get("args").unwrap_or(&open).to_string()
    });
    let texts: Vec<String> = texts.collect();
    let calls = run.iter().zip(&texts).map(|(call, text)| {
        let arguments = decode_with(text, Syntax::PYTHON).ok()?;
        let name = Text::from(call["name"].as_str()?.to_owned());
        Some(ActualCall::new(name, Some(arguments), None))
    });
    let calls: Vec<_> = calls.collect::<Option<_>>()?;
    Some(tree.resolve(&calls).ok()?.is_accepted())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wider_alternative_accepts_all_runs() {
        let call = |arguments: Value| json!({"name": "f", "args": arguments});
        for (wide, narrow, accepts) in [
            (json!("f"), call(json!({"a": 1})), true),
            (call(json!({"a": 1})), json!("f"), false),
            (call(json!({"a": {"$gt": 1}})), call(json!({"a": 2})), true),
            (call(json!({"a": {"$gt": 1}})), call(json!({"a": 1})), false),
            (json!(["f"]), json!("f"), true),
            (json!({"any_order": ["f", "g"]}), json!(["g", "f"]), true),
            (json!(["g", "f"]), json!({"any_order": ["f", "g"]}), false),
            (json!(["f", {"optional": "g"}]), json!("f"), true),
            (
                json!({"repeat": "f"}),
                json!({"repeat": "f", "max": 3}),
                true,
            ),
            (
                json!({"repeat": "f", "max": 3}),
                json!({"repeat": "f"}),
                false,
            ),
            (json!("f"), call(json!({"a": {"$gt": 1}})), false),
        ] {
            assert_eq!(accepts_all_of(&wide, &narrow), accepts, "{wide} {narrow}");
        }
    }
}
